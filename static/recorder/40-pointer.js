// Presses, clicks, drags, moves. What was under the pointer at pointerdown is what was pressed.
let gesture = 0;
let act = { kind: "", at: -1e9, el: null, key: "" }; // the person's last act in this document
const caused = (p) => (gesture && ((press && !press.up) || p - act.at < 1000) ? gesture : undefined);

const modifierNames = ["Alt", "Control", "Meta", "Shift"];
const modifiersOf = (e, kind) => {
  const out = [];
  for (let i = 0; i < 4; i++) if (modifierOf[kind](e, modifierNames[i])) out[out.length] = modifierNames[i];
  return out;
};

/** Record what happened to an element, with what is known of it, as part of the gesture that caused it. */
const note = (type, user, el, p, fields) => record(type, user, { target: describeAgain(el), gesture: caused(p), ...fields }, p);

const unseen = new WeakSet();
/** Say of an element what cannot be seen in it, the first time. */
const blindOnce = (el, reason, fields, say = record) => {
  if (setHas(unseen, el)) return;
  setAdd(unseen, el);
  say("blind", false, { reason, target: describeAgain(el), ...fields });
};

/** The innermost element an event is about, through open shadow roots. */
const deepTarget = (e) => {
  const el = targetOf(e);
  if (!isElement(el)) return null; // a window, a document, a text
  if (!shadowRootOf(el)) return el;
  const inner = pathOf(e)[0];
  return isElement(inner) ? inner : el;
};

/** What is pressed may be what shows a password: before it does, those in the document and its shadow roots, first of all on the event's way. */
const markAround = (e, el) => {
  const root = ownerDocumentOf(el);
  const win = defaultViewOf(root); // no node: asking it for its kind would throw
  mapped(pathOf(e), (node) => node !== win && nodeTypeOf(node) === 11 && markSecrets(node));
  markAll(root);
};

const innerOf = (el, control) => {
  if (el === control) return;
  return { tag: tagOf(el), text: isSecret(control) ? undefined : textOf(el, 80) || undefined };
};

const handlers = { __proto__: null };
let press = null;
let lastClick = { p: -1e9, control: null };
let clickedByPage = null; // what a script clicked last: the change that this brings is the page's, too
let drag = null;

const onScrollbar = (el, x, y) => {
  const box = boxOf(el);
  const width = clientWidthOf(el);
  const height = clientHeightOf(el);
  return (width > 0 && box.width - width > 8 && x > box.x + width + 2 && x <= box.right) || (height > 0 && box.height - height > 8 && y > box.y + height + 2 && y <= box.bottom);
};

handlers.pointerdown = (e, p, real, el) => {
  if (!real) return;
  markAround(e, el);
  rest(p);
  judge(p, el);
  settle();
  if (press) closePress(p);
  press = pressFrom(e, el, p);
  rememberText(press.control);
  press.up = 0;
  press.path[0] = [tenth(press.x), tenth(press.y), 0];
  press.bar = onScrollbar(el, press.x, press.y);
  press.selected = selectionKey(el);
};

const opensOf = (el) => {
  const tag = tagNameOf(el);
  if (tag === "SELECT") return multipleOf(el) || selectSizeOf(el) > 1 ? undefined : "select";
  if (tag === "LABEL") return labelledOf(el) && typeOf(labelledOf(el)) === "file" ? "file" : undefined;
  const type = typeOf(el);
  if (type === "file" || type === "color") return type;
  return dateTypes[type] && "date";
};
const isLabelOf = (label, el) => tagNameOf(label) === "LABEL" && labelledOf(label) === el;
const dateTypes = any("date|time|month|week|datetime-local");

// What a person does in a picker that the browser draws is not to be seen; only what comes of it is.
const notePicker = (el, detail) => detail && blindOnce(el, "native picker", { detail });
const pickerKey = (key, alt) => key === " " || key === "F4" || (alt && (key === "ArrowDown" || key === "ArrowUp"));

const follow = (e, p) => {
  const x = xOf(e);
  const y = yOf(e);
  press.far = max(press.far, abs(x - press.x), abs(y - press.y));
  const ms = round(p - press.p);
  press.end = [x, y, ms];
  const path = press.path;
  if (path.length < 49 && ms - path[path.length - 1][2] >= 20) path[path.length] = [tenth(x), tenth(y), ms];
};

handlers.pointerup = (e, p, real) => {
  if (!real || !press) return;
  follow(e, p);
  act.at = p;
  press.up = p;
  askTick(80);
  if (press.far >= 8 && press.button === 0 && !press.bar && !drag) endPointerDrag(e, p);
  noteSelection(press.el, p);
};

/** A thing that is dragged stays under the pointer, so it ends where it began; it has moved all the same. */
const hasMoved = (el, old) => {
  const box = roundBox(el);
  return abs(box[0] - old[0]) > 4 || abs(box[1] - old[1]) > 4;
};

const endPointerDrag = (e, p) => {
  const x = xOf(e);
  const y = yOf(e);
  const under = atPoint(ownerDocumentOf(press.el), x, y) || press.el;
  const end = controlOf(under);
  const how = typeOf(press.control) === "range" ? "range" : selectionKey(press.el) !== press.selected && selectionKey(press.el) ? "selection" : "pointer";
  if (how === "pointer" && end === press.control && clickable[roleOf(end)] && !hasMoved(end, press.target.box)) return; // a click of an unsteady hand
  press.path[press.path.length] = [tenth(x), tenth(y), round(p - press.p)];
  press.clicked = true;
  record("drag", true, { target: press.target, gesture: press.g, how, from: press.target, to: describe(end, false), path: copied(press.path), modifiers: press.modifiers }, p);
};

handlers.pointercancel = (e, p, real) => {
  if (!real) return;
  flushMove();
  if (press && !drag) press = null; // the browser took the touch for a scroll
};

// A press that got no click at all: its element went away or was disabled. The person clicked all the same.
const closePress = (p) => {
  const was = press;
  press = null;
  if (!was || was.clicked || was.bar || drag || was.button !== 0 || was.far >= 8) return;
  write("click", true, clickFields(was, undefined, { frame: was.frame, heard: false }), was.up || was.p);
};
unsettled[unsettled.length] = (ticking) => {
  if (press && press.up && ticking && now() - press.up > 60) closePress(press.up);
};

// The way of an unsteady press: a slider follows even a few pixels.
const wayOf = (was) => {
  if (was.far < 2 || was.far >= 8 || !was.end || !was.path.length) return;
  const way = copied(was.path);
  way[way.length] = [tenth(was.end[0]), tenth(was.end[1]), was.end[2]];
  return way;
};
const copied = (list) => mapped(list, (item) => item);

const clickFields = (was, e, more) => ({
  target: was.target, gesture: was.g, by: "pointer", x: tenth(was.x), y: tenth(was.y), path: wayOf(was), button: was.button, modifiers: was.modifiers,
  detail: e ? detailOf(e) : undefined, opens: was.opens, ...more,
});

const clickedOf = (el, was) => (el === was.el || el === was.control ? undefined : { xpath: xpathOf(el), tag: tagOf(el) });

const pointerClick = (type) => (e, p, real, el) => {
  clickedByPage = real ? null : el;
  if (!real) {
    moveCaused("click", p);
    return note(type, false, controlOf(el), p);
  }
  if (type === "click" && ((detailOf(e) === 0 && !pointerTypeOf(e)) || labelled(el, p))) return quietClick(e, el, p);
  if (!press) press = pressFrom(e, el, p);
  const already = type === "click" && press.clicked; // the click that ends a drag
  press.clicked = true;
  lastClick = { p, control: press.control };
  record(type, true, clickFields(press, e, { clicked: clickedOf(el, press), drag: already || undefined }), p);
  if (type === "click") notePicker(press.control, press.opens);
};
handlers.click = pointerClick("click");
handlers.dblclick = pointerClick("dblclick");
handlers.auxclick = pointerClick("auxclick");
handlers.contextmenu = (e, p, real, el) => {
  if (real && act.kind === "key") return record("contextmenu", true, { target: describe(controlOf(el), true), gesture, by: "keyboard" }, p);
  pointerClick("contextmenu")(e, p, real, el);
};

const pressFrom = (e, el, p) => {
  const control = controlOf(el);
  const target = describe(control, true);
  target.inner = innerOf(el, control);
  act = { kind: "pointer", at: p, el, key: "" };
  return { g: ++gesture, el, control, target, p, x: xOf(e), y: yOf(e), frame: here, button: buttonOf(e), modifiers: modifiersOf(e, "mouse"), far: 0, path: [], up: p, opens: opensOf(control) };
};

// Is this the click that a label hands on to its control?
const labelled = (el, p) => {
  const from = lastClick.control;
  return !!from && p - lastClick.p < 100 && from !== el && isLabelOf(from, el);
};

// A trusted click without a pointer: by key, by label, or the default button's on an implicit submit.
const quietClick = (e, el, p) => {
  const byLabel = labelled(el, p);
  const keyed = act.kind === "key" && p - act.at < 1500;
  if (!byLabel && !keyed) clickedByPage = el; // a script clicked its label
  record("click", byLabel || keyed, { target: describe(controlOf(el), true), gesture, by: byLabel ? "label" : "keyboard", detail: detailOf(e), opens: opensOf(el) }, p);
  notePicker(el, opensOf(el));
};

handlers.dragstart = (e, p, real) => {
  const el = deepTarget(e) || (press && press.el);
  if (!el || !real) return;
  if (isSecret(el)) remember((copiedSecret = selectedText(el)));
  drag = { from: press && press.el === el ? press.target : describe(el, true), started: press ? press.p : p, path: press ? press.path : [], over: null };
};
handlers.dragover = (e, p, real) => {
  if (!real) return;
  if (!drag) drag = { from: null, started: p, path: [], over: null }; // from another window, or files
  const path = drag.path;
  const ms = round(p - drag.started);
  drag.over = deepTarget(e);
  drag.at = [tenth(xOf(e)), tenth(yOf(e)), ms];
  if (path.length < 49 && (!path.length || ms - path[path.length - 1][2] >= 40)) path[path.length] = drag.at;
};
handlers.drop = (e, p, real) => {
  if (real) endDrag(deepTarget(e), p, true, e);
};
handlers.dragend = (e, p, real) => {
  if (real && drag) endDrag(drag.over, p, false);
  drag = press = null;
};
const endDrag = (over, p, dropped, e) => {
  const was = drag || { from: null, started: p, path: [] };
  if (was.done) return;
  drag = was;
  was.done = true;
  act.at = p;
  if (was.at && was.path[was.path.length - 1] !== was.at) was.path[was.path.length] = was.at;
  const to = over ? describe(over, false) : undefined;
  record("drag", true, { target: was.from || to, gesture, how: "html5", from: was.from || undefined, to, path: copied(was.path), dropped, files: e && fileNames(transferOf(e)) }, p);
  if (!was.from) drag = null;
};

// A move with the button down waits for the next event: only then is it known whether it selected something.
const flushMove = () => {
  const moved = press && press.move;
  if (!moved) return;
  press.move = null;
  const key = press.selects ? "" : selectionKey(press.el);
  if (key && key !== press.selected) {
    press.selects = true;
    moved[0].effect = "selection";
    moved[0].target = press.target;
    moved[0].gesture = press.g;
  }
  write("mousemove", true, moved[0], moved[1]);
};
unsettled[unsettled.length] = flushMove;
unsettled[unsettled.length] = (ticking) => {
  if (skipped && !ticking) rest(now());
};

// Moves: one in 100 ms, sooner (50 ms) where the pointer has just entered something, and where it came to rest.
// 45-hover.js marks those that did something.
let movedAt = -1e9;
let skipped = null; // the last move that came too soon after another: where the pointer rests, if none follows
handlers.pointermove = (e, p, real) => {
  if (!real) return;
  if (press && !press.up) follow(e, p);
  if (drag && !drag.at && buttonsOf(e)) drag = null; // the page refused the drag: moves go on
  rest(p);
  const soon = p - movedAt < (entered && !entered.moves.length ? 50 : 100);
  if (soon && press && !press.up) return;
  const el = deepTarget(e);
  if (!el) return;
  if (soon) {
    skipped = { el, fields: moveTo(el, e), p };
    return;
  }
  skipped = null;
  movedAt = p;
  flushMove();
  const moved = moveTo(el, e);
  if (press && !press.up) press.move = [moved, p];
  else move(moved, el, p);
};

const moveTo = (el, e) => ({ target: glance(el), x: round(xOf(e)), y: round(yOf(e)), frame: here });

/** Something else happens at `p`: if the pointer has rested for 50 ms, the move that brought it there is written. */
const rest = (p) => {
  const was = skipped;
  skipped = null;
  if (!was || p - was.p < 50 || !isConnected(was.el)) return;
  movedAt = max(was.p, movedAt + 50);
  move(was.fields, was.el, movedAt);
};
