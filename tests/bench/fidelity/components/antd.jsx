// Ant Design.
import { AutoComplete, Button, Cascader, DatePicker, Dropdown, InputNumber, Mentions, Popconfirm, Rate, Select, Slider, Splitter,
  Switch, Table, Tabs, TimePicker, Transfer, Tree, TreeSelect } from "antd";
import dayjs from "dayjs";
import { show } from "./shell.jsx";

const fruit = ["Apple", "Apricot", "Banana", "Cherry", "Fig", "Grape", "Kiwi", "Lemon", "Mango", "Orange", "Papaya", "Pear", "Plum", "Quince"];
const options = fruit.map((name) => ({ value: name.toLowerCase(), label: name }));
const regions = [
  { value: "north", label: "North", children: [{ value: "lake", label: "Lake", children: [{ value: "pier", label: "Pier" }, { value: "isle", label: "Isle" }] }] },
  { value: "south", label: "South", children: [{ value: "hill", label: "Hill", children: [{ value: "mill", label: "Mill" }, { value: "farm", label: "Farm" }] }] },
];
const titled = (list) => list.map(({ value, label, children }) => ({ value, key: value, title: label, children: children && titled(children) }));
const day = (value) => (value ? value.format("YYYY-MM-DD") : "");
const rows = fruit.map((name, index) => ({ key: name, name, price: (index * 37) % 50 }));

show({
  "antd-select": { words: "Choose Mango.", start: "", done: (s) => s === "mango",
    View: ({ set }) => <Select style={{ width: 200 }} options={options} onChange={set} placeholder="Fruit" /> },
  "antd-select-search": { words: "Search for Quince and choose it.", start: "", done: (s) => s === "quince",
    View: ({ set }) => <Select showSearch style={{ width: 200 }} options={options} onChange={set} placeholder="Fruit" /> },
  "antd-select-multiple": { words: "Choose Banana and Fig.", start: [], done: (s) => s.join() === "banana,fig",
    View: ({ set }) => <Select mode="multiple" style={{ width: 320 }} options={options} onChange={set} placeholder="Fruit" /> },
  "antd-date-picker": { words: "Pick 17 May 2024.", start: "", done: (s) => s === "2024-05-17",
    View: ({ set }) => <DatePicker defaultPickerValue={dayjs("2024-03-01")} onChange={(value) => set(day(value))} /> },
  "antd-range-picker": { words: "Pick 5 to 12 March 2024.", start: "", done: (s) => s === "2024-03-05/2024-03-12",
    View: ({ set }) => <DatePicker.RangePicker defaultPickerValue={[dayjs("2024-03-01"), dayjs("2024-03-01")]} onChange={(value) => set(value ? value.map(day).join("/") : "")} /> },
  "antd-time-picker": { words: "Pick 04:07.", start: "", done: (s) => s === "04:07",
    View: ({ set }) => <TimePicker format="HH:mm" onChange={(value) => set(value ? value.format("HH:mm") : "")} /> },
  "antd-slider": { words: "Set the slider to 64.", start: 20, done: (s) => s === 64,
    View: ({ set }) => <Slider style={{ width: 400 }} defaultValue={20} onChange={set} /> },
  "antd-range-slider": { words: "Set the range to 30 to 80.", start: [10, 50], done: (s) => s.join() === "30,80",
    View: ({ set }) => <Slider range style={{ width: 400 }} defaultValue={[10, 50]} onChange={set} /> },
  "antd-tree-select": { words: "Choose Farm.", start: "", done: (s) => s === "farm",
    View: ({ set }) => <TreeSelect style={{ width: 240 }} treeData={titled(regions)} onChange={set} placeholder="Place" /> },
  "antd-cascader": { words: "Choose North / Lake / Isle.", start: [], done: (s) => s.join() === "north,lake,isle",
    View: ({ set }) => <Cascader options={regions} onChange={set} placeholder="Place" /> },
  "antd-transfer": { words: "Move Cherry and Kiwi to the right.", start: [], done: (s) => [...s].sort().join() === "Cherry,Kiwi",
    View: ({ state, set }) => <Transfer dataSource={fruit.map((name) => ({ key: name, title: name }))} targetKeys={state} render={(item) => item.title} onChange={(keys) => set([...keys])} /> },
  "antd-splitter": { words: "Make the left side about 300 px wide.", start: [], done: (s) => s.length > 0 && Math.abs(s[0] - 300) < 12,
    View: ({ set }) => <Splitter style={{ width: 600, height: 200, boxShadow: "0 0 4px grey" }} onResize={set}><Splitter.Panel defaultSize={150} min={60}>Left</Splitter.Panel><Splitter.Panel>Right</Splitter.Panel></Splitter> },
  "antd-rate": { words: "Give four stars.", start: 0, done: (s) => s === 4, View: ({ set }) => <Rate onChange={set} /> },
  "antd-input-number": { words: "Raise the number to 5 by its arrows.", start: 2, done: (s) => s === 5,
    View: ({ set }) => <InputNumber defaultValue={2} onChange={set} /> },
  "antd-auto-complete": { words: "Type ap and take Apricot.", start: "", done: (s) => s === "Apricot",
    View: ({ state, set }) => <AutoComplete style={{ width: 200 }} value={state} onChange={set} options={fruit.filter((name) => state && name.toLowerCase().startsWith(state.toLowerCase())).map((value) => ({ value }))} /> },
  "antd-mentions": { words: "Write: ask @lena", start: "", done: (s) => s.trim() === "ask @lena",
    View: ({ set }) => <Mentions style={{ width: 300 }} onChange={set} options={["ann", "lena", "otto"].map((value) => ({ value, label: value }))} /> },
  "antd-tree-drag": { words: "Drag Pear into Basket.", start: null, done: (s) => s === "pear>basket",
    View: ({ set }) => <Tree draggable defaultExpandAll style={{ width: 240 }} onDrop={(e) => set(e.dragNode.key + ">" + e.node.key)} treeData={[{ key: "basket", title: "Basket", children: [{ key: "fig", title: "Fig" }] }, { key: "pear", title: "Pear" }, { key: "plum", title: "Plum" }]} /> },
  "antd-dropdown": { words: "Under More, choose Archive.", start: "", done: (s) => s === "archive",
    View: ({ set }) => <Dropdown menu={{ items: [{ key: "copy", label: "Copy" }, { key: "archive", label: "Archive" }], onClick: (e) => set(e.key) }}><a href="#more">More</a></Dropdown> },
  "antd-popconfirm": { words: "Delete it, and confirm.", start: "", done: (s) => s === "deleted",
    View: ({ set }) => <Popconfirm title="Delete?" okText="Delete now" onConfirm={() => set("deleted")}><Button danger>Delete</Button></Popconfirm> },
  "antd-table": { words: "Sort by price and tick the cheapest two.", start: [], done: (s) => [...s].sort().join() === "Apple,Pear",
    View: ({ set }) => <Table size="small" dataSource={rows} pagination={{ pageSize: 5 }} rowSelection={{ onChange: (keys) => set(keys) }} columns={[{ title: "Name", dataIndex: "name" }, { title: "Price", dataIndex: "price", sorter: (a, b) => a.price - b.price }]} /> },
  "antd-tabs-switch": { words: "On the second tab, turn the light on.", start: false, done: (s) => s === true,
    View: ({ set }) => <Tabs items={[{ key: "1", label: "First", children: <p>Nothing here.</p> }, { key: "2", label: "Second", children: <Switch onChange={set} /> }]} /> },
});
