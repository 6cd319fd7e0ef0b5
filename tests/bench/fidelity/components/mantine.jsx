// Mantine.
import { AngleSlider, Chip, ColorPicker, HoverCard, MantineProvider, Menu, MultiSelect, NumberInput, Pagination, PinInput, RangeSlider,
  Rating, SegmentedControl, Select, Slider, TagsInput } from "@mantine/core";
import { DateInput, DatePicker, TimeInput } from "@mantine/dates";
import "@mantine/core/styles.css";
import "@mantine/dates/styles.css";
import { show } from "./shell.jsx";

const birds = ["Bittern", "Crane", "Dunlin", "Egret", "Finch", "Gull", "Heron", "Ibis"];
const within = (View) => (given) => <MantineProvider><View {...given} /></MantineProvider>;
const day = (value) => (value ? String(value).slice(0, 10) : "");

show({
  "mantine-select": { words: "Choose Heron.", start: "", done: (s) => s === "Heron",
    View: within(({ set }) => <Select w={240} label="Bird" data={birds} onChange={set} />) },
  "mantine-select-search": { words: "Type du and take Dunlin.", start: "", done: (s) => s === "Dunlin",
    View: within(({ set }) => <Select searchable w={240} label="Bird" data={birds} onChange={set} />) },
  "mantine-multi-select": { words: "Choose Crane and Gull.", start: [], done: (s) => s.join() === "Crane,Gull",
    View: within(({ set }) => <MultiSelect w={320} label="Birds" data={birds} onChange={set} />) },
  "mantine-date-picker": { words: "Pick 22 October 2024.", start: "", done: (s) => s === "2024-10-22",
    View: within(({ set }) => <DatePicker defaultDate="2024-09-01" onChange={(value) => set(day(value))} />) },
  "mantine-date-range": { words: "Pick 3 to 10 September 2024.", start: "", done: (s) => s === "2024-09-03/2024-09-10",
    View: within(({ set }) => <DatePicker type="range" defaultDate="2024-09-01" onChange={(value) => set(value.map(day).join("/"))} />) },
  "mantine-date-input": { words: "Enter 2024-11-05.", start: "", done: (s) => s === "2024-11-05",
    View: within(({ set }) => <DateInput label="Day" valueFormat="YYYY-MM-DD" onChange={(value) => set(day(value))} />) },
  "mantine-time-input": { words: "Enter 06:45 PM.", start: "", done: (s) => s === "18:45",
    View: within(({ set }) => <TimeInput label="Time" onChange={(e) => set(e.currentTarget.value)} />) },
  "mantine-slider": { words: "Set the slider to 40.", start: 10, done: (s) => s === 40,
    View: within(({ set }) => <Slider w={400} defaultValue={10} onChange={set} />) },
  "mantine-range-slider": { words: "Set the range to 20 to 70.", start: [30, 50], done: (s) => s.join() === "20,70",
    View: within(({ set }) => <RangeSlider w={400} defaultValue={[30, 50]} onChange={set} />) },
  "mantine-angle-slider": { words: "Turn the dial to the right (about 90 degrees).", start: 0, done: (s) => Math.abs(s - 90) < 6,
    View: within(({ set }) => <AngleSlider size={120} onChange={set} />) },
  "mantine-color-picker": { words: "Pick a strong colour: saturation to the right edge.", start: "", done: (s) => /^#/.test(s) && s !== "#ffffff",
    View: within(({ set }) => <ColorPicker defaultValue="#ffffff" onChange={set} />) },
  "mantine-rating": { words: "Give two stars.", start: 0, done: (s) => s === 2, View: within(({ set }) => <Rating size="lg" onChange={set} />) },
  "mantine-segmented": { words: "Choose Week.", start: "day", done: (s) => s === "week",
    View: within(({ set }) => <SegmentedControl onChange={set} data={[{ value: "day", label: "Day" }, { value: "week", label: "Week" }, { value: "year", label: "Year" }]} />) },
  "mantine-menu-hover": { words: "Under Tools, choose Measure.", start: "", done: (s) => s === "measure",
    View: within(({ set }) => <Menu trigger="hover"><Menu.Target><button>Tools</button></Menu.Target><Menu.Dropdown><Menu.Item onClick={() => set("draw")}>Draw</Menu.Item><Menu.Item onClick={() => set("measure")}>Measure</Menu.Item></Menu.Dropdown></Menu>) },
  "mantine-hover-card": { words: "Show the card and press Follow in it.", start: "", done: (s) => s === "followed",
    View: within(({ set }) => <HoverCard><HoverCard.Target><span style={{ borderBottom: "1px dotted" }}>Ada</span></HoverCard.Target><HoverCard.Dropdown><button onClick={() => set("followed")}>Follow</button></HoverCard.Dropdown></HoverCard>) },
  "mantine-tags": { words: "Enter the tags sea and salt.", start: [], done: (s) => s.join() === "sea,salt",
    View: within(({ set }) => <TagsInput w={320} label="Tags" onChange={set} />) },
  "mantine-pin": { words: "Enter the code 4071.", start: "", done: (s) => s === "4071", View: within(({ set }) => <PinInput type="number" onChange={set} />) },
  "mantine-number": { words: "Enter 12.5.", start: "", done: (s) => s === 12.5, View: within(({ set }) => <NumberInput w={200} label="Amount" step={0.5} onChange={set} />) },
  "mantine-pagination": { words: "Go to page 7.", start: 1, done: (s) => s === 7, View: within(({ set }) => <Pagination total={12} onChange={set} />) },
  "mantine-chips": { words: "Choose Crane and Ibis.", start: [], done: (s) => s.join() === "Crane,Ibis",
    View: within(({ set }) => <Chip.Group multiple onChange={set}>{birds.map((name) => <Chip key={name} value={name}>{name}</Chip>)}</Chip.Group>) },
});
