// MUI.
import { Accordion, AccordionDetails, AccordionSummary, Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogTitle,
  FormControlLabel, Menu, MenuItem, Rating, Select, Slider, Switch, TextField, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { DateCalendar, DatePicker, LocalizationProvider } from "@mui/x-date-pickers";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import dayjs from "dayjs";
import { useState } from "react";
import { show } from "./shell.jsx";

const towns = ["Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro", "Ghent", "Hobart", "Izmir", "Jena", "Krakow", "Leeds"];
const day = (value) => (value && value.isValid() ? value.format("YYYY-MM-DD") : "");
const Dated = ({ children }) => <LocalizationProvider dateAdapter={AdapterDayjs}>{children}</LocalizationProvider>;

function MenuView({ set }) {
  const [at, open] = useState(null);
  return (
    <>
      <Button variant="outlined" onClick={(e) => open(e.currentTarget)}>Options</Button>
      <Menu anchorEl={at} open={!!at} onClose={() => open(null)}>
        {["Profile", "Billing", "Log out"].map((name) => <MenuItem key={name} onClick={() => { set(name); open(null); }}>{name}</MenuItem>)}
      </Menu>
    </>
  );
}

function DialogView({ set }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="contained" onClick={() => setOpen(true)}>Publish</Button>
      <Dialog open={open} onClose={() => setOpen(false)}>
        <DialogTitle>Publish this page?</DialogTitle>
        <DialogActions><Button onClick={() => setOpen(false)}>No</Button><Button onClick={() => { set("published"); setOpen(false); }}>Yes</Button></DialogActions>
      </Dialog>
    </>
  );
}

show({
  "mui-select": { words: "Choose Ghent.", start: "", done: (s) => s === "Ghent",
    View: ({ state, set }) => <Select style={{ width: 200 }} value={state} onChange={(e) => set(e.target.value)}>{towns.map((name) => <MenuItem key={name} value={name}>{name}</MenuItem>)}</Select> },
  "mui-autocomplete": { words: "Type ev and take Evora.", start: "", done: (s) => s === "Evora",
    View: ({ set }) => <Autocomplete style={{ width: 300 }} options={towns} onChange={(e, value) => set(value)} renderInput={(more) => <TextField {...more} label="Town" />} /> },
  "mui-autocomplete-multiple": { words: "Choose Cork and Jena.", start: [], done: (s) => s.join() === "Cork,Jena",
    View: ({ set }) => <Autocomplete multiple style={{ width: 360 }} options={towns} onChange={(e, value) => set(value)} renderInput={(more) => <TextField {...more} label="Towns" />} /> },
  "mui-slider": { words: "Set the slider to 70.", start: 30, done: (s) => s === 70,
    View: ({ set }) => <div style={{ width: 400 }}><Slider aria-label="Volume" defaultValue={30} onChange={(e, value) => set(value)} /></div> },
  "mui-range-slider": { words: "Set the range to 25 to 60.", start: [10, 40], done: (s) => s.join() === "25,60",
    View: ({ set }) => <div style={{ width: 400 }}><Slider defaultValue={[10, 40]} getAriaLabel={(i) => (i ? "To" : "From")} onChange={(e, value) => set(value)} /></div> },
  "mui-date-calendar": { words: "Pick 9 August 2024.", start: "", done: (s) => s === "2024-08-09",
    View: ({ set }) => <Dated><DateCalendar defaultValue={dayjs("2024-06-20")} onChange={(value) => set(day(value))} /></Dated> },
  "mui-date-field": { words: "Type the date 07/14/2024.", start: "", done: (s) => s === "2024-07-14",
    View: ({ set }) => <Dated><DatePicker label="Day" onChange={(value) => set(day(value))} /></Dated> },
  "mui-rating": { words: "Give three stars.", start: 0, done: (s) => s === 3, View: ({ set }) => <Rating name="stars" onChange={(e, value) => set(value)} /> },
  "mui-boxes": { words: "Tick Milk and turn Express on.", start: {}, done: (s) => s.milk && s.express && !s.tea,
    View: ({ set }) => <>{["Tea", "Milk"].map((name) => <FormControlLabel key={name} label={name} control={<Checkbox onChange={(e, on) => set((s) => ({ ...s, [name.toLowerCase()]: on }))} />} />)}<FormControlLabel label="Express" control={<Switch onChange={(e, on) => set((s) => ({ ...s, express: on }))} />} /></> },
  "mui-menu": { words: "Under Options, choose Billing.", start: "", done: (s) => s === "Billing", View: MenuView },
  "mui-dialog": { words: "Publish it, and say yes.", start: "", done: (s) => s === "published", View: DialogView },
  "mui-text": { words: "Write two lines: red, then blue.", start: "", done: (s) => s === "red\nblue",
    View: ({ set }) => <TextField multiline minRows={3} label="Notes" onChange={(e) => set(e.target.value)} /> },
  "mui-accordion": { words: "Open Shipping and choose Fast.", start: "", done: (s) => s === "fast",
    View: ({ state, set }) => <>{["Payment", "Shipping"].map((name) => <Accordion key={name}><AccordionSummary>{name}</AccordionSummary><AccordionDetails><ToggleButtonGroup exclusive value={state} onChange={(e, value) => set(value)}><ToggleButton value={name === "Shipping" ? "fast" : "cash"}>{name === "Shipping" ? "Fast" : "Cash"}</ToggleButton><ToggleButton value="slow">Other</ToggleButton></ToggleButtonGroup></AccordionDetails></Accordion>)}</> },
});
