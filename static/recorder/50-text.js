// Keys, text, values, clipboard, selection, focus, submit.
const before = new WeakMap(); // text elements' last known value
const longText = 20000;

const contextText = typeof EditContext === "function" ? getter(EditContext, "text") : () => "";

const valueOf = (el) => {
  const read = values[get.tagName(el)];
  if (read) return read(el);
  const context = contextOf(el);
  if (context) return contextText(context);
  const host = editableHost(el);
  return host ? get.innerText(host) : "";
};

const textElement = (el) => {
  if (!el) return null;
  const host = isEditable(el) ? editableHost(el) : null;
  if (host) return host;
  return editableOf(el) ? el : null;
};

const rememberText = (el) => {
  const text = textElement(el);
  if (text && !mapHas(before, text)) mapSet(before, text, valueOf(text));
  if (el && isSecret(el)) rememberSecret(el, valueOf(el));
};

const shownValue = (el, value) => (isSecret(el) ? value.length : value.length > longText ? sliceText(value, 0, longText) : value);

// The text element a key or an input went to last: a page may change its text in its own handlers, after ours.
let edited = null;
const writeInput = (el, origin, fields, p) => {
  const value = valueOf(el);
  const old = mapGet(before, el);
  mapSet(before, el, value);
  if (isSecret(el)) rememberSecret(el, value);
  write("input", origin, { target: describeAgain(el), value: shownValue(el, value), before: old === undefined ? undefined : shownValue(el, old), ...fields }, p);
};
unsettled[unsettled.length] = (ticking) => {
  const was = edited;
  if (was && ticking === true && now() - was.p < 140) return; // the page may still be at it
  edited = null;
  if (!was || mapGet(before, was.el) === undefined || valueOf(was.el) === mapGet(before, was.el)) return;
  here = was.frame;
  writeInput(was.el, "user", { inputType: "", by: "page", gesture: was.g });
};

handlers.keydown = (e, p) => {
  const el = deepTarget(e);
  if (!el) return;
  const origin = e.isTrusted ? "user" : "page";
  if (!(e instanceof KeyboardEventSaved)) return record("keydown", origin, { target: describeAgain(el), key: "" }, p); // autofill
  const key = get.key(e);
  const repeat = get.repeat(e);
  if (e.isTrusted) {
    settle();
    if (press && press.up) closePress(press.up);
    if (!repeat) gesture++;
    act = { kind: "key", at: p, el, key };
    rememberText(el);
  }
  const modifiers = modifiersOf(e, "key");
  const text = textElement(el);
  const fields = { target: text || repeat ? describeAgain(text || el) : describe(el, !repeat && (key === "Enter" || key === " ")), gesture: caused(p), key, code: get.code(e), modifiers, repeat: repeat || undefined };
  const chord = modifierOf.key(e, "Control") || modifierOf.key(e, "Meta") || modifierOf.key(e, "Alt");
  if (isSecret(el) && ((key.length < 2 && !chord) || key === "Shift" || modifierOf.key(e, "AltGraph") || key === "Process" || key === "Dead")) {
    fields.key = "•";
    fields.code = undefined;
    fields.modifiers = [];
  }
  record("keydown", origin, fields, p);
  if (e.isTrusted && pickerKey(key, modifierOf.key(e, "Alt"))) notePicker(el, opensOf(el));
  if (text && e.isTrusted) {
    edited = { el: text, g: gesture, frame: here, p };
    askTick(150);
  }
  noteScrollKey(key, el, p);
};

handlers.keyup = (e, p) => {
  const el = deepTarget(e);
  if (e.isTrusted && el && !isSecret(el)) noteSelection(el, p);
};

handlers.input = (e, p) => {
  const el = deepTarget(e);
  if (!el) return;
  const text = textElement(el);
  const type = typeOf(el);
  if (!text && (!type || test(boxTypes, type) || type === "file")) return; // boxes and selects say the same by change
  const origin = e.isTrusted ? "user" : "page";
  const target = text || el;
  const isInput = get.inputType && e instanceof InputEventSaved;
  const fields = { gesture: caused(p) };
  if (isInput) {
    fields.inputType = get.inputType(e);
    const data = get.data(e);
    if (data !== null && !isSecret(target)) fields.data = data;
  }
  settleOthers(target);
  edited = text ? { el: text, g: gesture, frame: here, p } : null;
  if (edited) askTick(150);
  writeInput(target, origin, fields, p);
};
const InputEventSaved = InputEvent;
const KeyboardEventSaved = KeyboardEvent;
const settleOthers = (el) => {
  if (edited && edited.el === el) edited = null; // this event says it
  settle();
};

const composition = (phase) => (e, p) => {
  const el = textElement(deepTarget(e)) || deepTarget(e);
  if (el) record("composition", e.isTrusted ? "user" : "page", { target: describeAgain(el), gesture: caused(p), phase, data: isSecret(el) ? undefined : closedData(e) }, p);
};
handlers.compositionstart = composition("start");
handlers.compositionupdate = composition("update");
handlers.compositionend = composition("end");

const fileNames = (holder) => {
  const files = holder && (holder.files || holder);
  if (!files || !files.length) return undefined;
  const names = [];
  for (let i = 0; i < files.length && i < 200; i++) names[i] = files[i].name;
  return names;
};

const optionText = (option) => tidy(get.label(option), 200);

handlers.change = (e, p) => {
  const el = deepTarget(e);
  if (!el) return;
  const tag = get.tagName(el);
  if (!values[tag]) return;
  const fields = { target: describe(el, false), gesture: e.isTrusted && gesture ? gesture : caused(p), by: act.kind === "key" ? "keyboard" : "pointer" };
  const type = typeOf(el);
  if (tag === "SELECT") selectFields(el, fields);
  else if (type === "checkbox" || type === "radio") {
    fields.value = values.INPUT(el);
    fields.checked = get.checked(el);
  } else if (type === "file") fields.files = fileNames(get.files(el)) || [];
  else {
    const value = valueOf(el);
    if (isSecret(el)) rememberSecret(el, value);
    const old = mapGet(before, el);
    if (old !== undefined && old !== value) fields.before = shownValue(el, old);
    mapSet(before, el, value);
    fields.value = shownValue(el, value);
  }
  record("change", e.isTrusted ? "user" : "page", fields, p);
};

const selectFields = (el, fields) => {
  const index = get.selectedIndex(el);
  const option = index >= 0 ? get.options(el)[index] : null;
  fields.value = values.SELECT(el);
  fields.index = index;
  if (option) fields.label = optionText(option);
  if (!get.multiple(el)) return;
  const chosen = get.selectedOptions(el);
  fields.values = [];
  for (let i = 0; i < chosen.length && i < 200; i++) fields.values[i] = optionText(chosen[i]);
};

const rangeAt = method(Selection, "getRangeAt");

const currentRange = (el) => {
  const selection = selectionOf(get.ownerDocument(el));
  return selection && !get.isCollapsed(selection) && get.rangeCount(selection) ? rangeAt(selection, 0) : null;
};

/** What is selected, up to 2,000 characters and 500 nodes. */
const selectedText = (el) => {
  const ends = selectionEnds[get.tagName(el)];
  if (ends) {
    const from = ends[0](el);
    return from === null ? "" : sliceText(values[get.tagName(el)](el), from, ends[1](el));
  }
  const range = currentRange(el);
  if (!range) return "";
  const start = get.startContainer(range);
  const end = get.endContainer(range);
  let out = "";
  for (let node = start, i = 0; node && i < 500 && out.length < 2000; node = nextNode(node), i++) {
    if (get.nodeType(node) === 3) {
      const text = get.nodeValue(node);
      out += sliceText(text, node === start ? get.startOffset(range) : 0, node === end ? get.endOffset(range) : text.length);
    }
    if (node === end) break;
  }
  return sliceText(out, 0, 2000);
};
const nextNode = (node) => {
  if (get.firstChild(node)) return get.firstChild(node);
  for (let at = node; at; at = get.parentNode(at)) if (get.nextSibling(at)) return get.nextSibling(at);
  return null;
};

// Two selections with the same key are the same selection; "" is none.
let nodeIds = new WeakMap();
let nodeCount = 0;
const nodeId = (node) => {
  if (!mapHas(nodeIds, node)) mapSet(nodeIds, node, ++nodeCount);
  return mapGet(nodeIds, node);
};
const selectionKey = (el) => {
  const ends = selectionEnds[get.tagName(el)];
  if (ends) {
    const from = test(textTypes, typeOf(el) || "") ? ends[0](el) : null;
    return from === null || from === ends[1](el) ? "" : nodeId(el) + ":" + from + ":" + ends[1](el);
  }
  const range = currentRange(el);
  return range ? nodeId(get.startContainer(range)) + ":" + get.startOffset(range) + ":" + nodeId(get.endContainer(range)) + ":" + get.endOffset(range) : "";
};
let selectionSeen = "";
const noteSelection = (el, p) => {
  const key = selectionKey(el);
  if (key === selectionSeen) return;
  selectionSeen = key;
  if (!key) return;
  const text = selectedText(el);
  record("selection", "user", { target: describeAgain(textElement(el) || el), gesture: caused(p), ...(isSecret(el) ? { length: text.length } : { text }) }, p);
};

let copiedSecret = null;
const clipboard = (type) => (e, p) => {
  const el = deepTarget(e);
  if (!el) return;
  const target = textElement(el) || el;
  const transfer = clipboardOf(e);
  const text = type === "paste" ? (transfer ? textOfTransfer(transfer, "text/plain") : "") : selectedText(el);
  const secret = isSecret(target) || (type === "paste" && copiedSecret !== null && text === copiedSecret);
  if (type !== "paste") copiedSecret = secret ? text : null;
  record(type, e.isTrusted ? "user" : "page", { target: describeAgain(target), gesture: caused(p), ...(secret ? { length: text.length } : { text: sliceText(text, 0, longText) }), files: type === "paste" ? fileNames(transfer) : undefined }, p);
};
handlers.copy = clipboard("copy");
handlers.cut = clipboard("cut");
handlers.paste = clipboard("paste");

// Focus that a press or Tab moved is the person's; any other is the page's.
const focusOrigin = (el, p) => {
  if (act.kind === "key") return act.key === "Tab" && p - act.at < 100 ? "user" : "page";
  if (act.kind !== "pointer" || p - act.at > 500 || !press) return "page";
  return contains(el, press.el) || press.control === el || (get.tagName(press.control) === "LABEL" && get.control(press.control) === el) ? "user" : "page";
};
handlers.focus = (e, p) => {
  const el = deepTarget(e);
  if (!el || get.target(e) === get.defaultView(get.ownerDocument(el))) return;
  rememberText(el);
  const origin = e.isTrusted ? focusOrigin(el, p) : "page";
  if (origin === "page") moveCaused("focus", p);
  record("focus", origin, { target: describeAgain(el), gesture: caused(p) }, p);
};
handlers.blur = (e, p) => {
  const el = deepTarget(e);
  if (el) record("blur", e.isTrusted && p - act.at < 500 && act.kind ? "user" : "page", { target: describeAgain(el), gesture: caused(p) }, p);
};

handlers.submit = (e, p) => {
  const el = deepTarget(e);
  if (!el) return;
  const by = submitterOf(e);
  const byPerson = e.isTrusted && p - act.at < 1000 && (act.kind === "key" ? act.key === "Enter" || act.key === " " : !!act.kind);
  submittedAt = p;
  record("submit", byPerson ? "user" : "page", { target: describe(el, false), gesture: caused(p), by: act.kind === "key" ? "keyboard" : "pointer", submitter: by ? cssOf(by) : undefined }, p);
};
let submittedAt = -1e9;
