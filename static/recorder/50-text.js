// Keys, text, values, clipboard, selection, focus, submit.
const before = new WeakMap(); // text elements' last known value
const longText = 20000;

const valueOf = (el) => {
  const read = values[tagNameOf(el)];
  if (read) return read(el);
  const context = contextOf(el);
  if (context) return contextText(context);
  const host = editableHost(el);
  return host ? innerTextOf(host) : "";
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
  if (el) isSecret(el); // a page may show it later
  if (text) isSecretNow(text);
  return text;
};

/** A text in an element, and a note where it is more than is kept. */
const upTo = (most, el, text) => {
  if (text.length > most) blindOnce(el, "long text", { detail: most + " characters" }, write);
  return shorten(text, most);
};
const shownValue = (el, value) => (isSecret(el) ? value.length : upTo(longText, el, value));

// The text element a key or an input went to last: a page may change its text in its own handlers, after ours.
let edited = null;
const writeInput = (el, user, fields, p) => {
  const value = valueOf(el);
  const old = mapGet(before, el);
  mapSet(before, el, value);
  write("input", user, { target: describeAgain(el), value: shownValue(el, value), before: old === undefined ? undefined : shownValue(el, old), ...fields }, p);
};
unsettled[unsettled.length] = (ticking) => {
  const was = edited;
  if (was && ticking === true && now() - was.p < 140) return; // the page may still be at it
  edited = null;
  if (!was || mapGet(before, was.el) === undefined || valueOf(was.el) === mapGet(before, was.el)) return;
  writeInput(was.el, true, { frame: was.frame, inputType: "", by: "page", gesture: was.g });
};

handlers.keydown = (e, p, real, el) => {
  const key = keyIn(e);
  if (key === undefined) return record("keydown", real, { target: describeAgain(el), key: "" }, p); // autofill
  const repeat = repeatOf(e);
  if (real) {
    settle();
    if (press && press.up) closePress(press.up);
    if (!repeat) gesture++;
    act = { kind: "key", at: p, el, key };
  }
  const text = real ? rememberText(el) : textElement(el);
  const modifiers = modifiersOf(e, "key");
  const chord = modifiers.length && modifiers[0] !== "Shift";
  if (real && !repeat && (chord || !text || key.length > 1)) markAround(e, el); // no more than typing shows nothing
  const fields = { target: text || repeat ? describeAgain(text || el) : describe(el, !repeat && (key === "Enter" || key === " ")), gesture: caused(p), key, code: codeOf(e), modifiers, repeat: repeat || undefined };
  const unknown = hidesFocus(el); // what has the focus may be a password
  if (unknown) secretSince ||= p;
  if ((isSecret(el) || unknown) && ((key.length < 2 && !chord) || key === "Shift" || modifierOf.key(e, "AltGraph") || key === "Process" || key === "Dead")) {
    fields.key = "•";
    fields.code = undefined;
    fields.modifiers = [];
  }
  record("keydown", real, fields, p);
  if (real && pickerKey(key, modifiers[0] === "Alt")) notePicker(el, opensOf(el));
  if (text && real) {
    edited = { el: text, g: gesture, frame: here, p };
    askTick(150);
  }
  noteScrollKey(key, el, p);
};

handlers.keyup = (e, p, real, el) => {
  if (real) noteSelection(el, p, true);
};

const saidByChange = any("checkbox|radio|file|undefined"); // the last is a select
handlers.input = (e, p, real, el) => {
  const text = textElement(el);
  if (!text && saidByChange[typeOf(el)]) return;
  const target = text || el;
  const fields = { gesture: caused(p) };
  fields.inputType = editTypeIn(e);
  if (fields.inputType !== undefined) {
    const data = inputDataOf(e);
    if (data && data === copiedSecret && indexOf(fields.inputType, "insertFrom") === 0 && text && !isEditable(text)) markSecret(text);
    if (data !== null && !isSecretNow(target)) fields.data = data;
  }
  if (edited && edited.el === target) edited = null; // this event says it
  settle();
  edited = text ? { el: text, g: gesture, frame: here, p } : null;
  if (edited) askTick(150);
  writeInput(target, real, fields, p);
};

const composition = (phase) => (e, p, real, el) => {
  const text = textElement(el) || el;
  note("composition", real, text, p, { phase, data: isSecret(text) || hidesFocus(text) ? undefined : closedData(e) });
};
handlers.compositionstart = composition("start");
handlers.compositionupdate = composition("update");
handlers.compositionend = composition("end");

const fileNames = (holder) => {
  const files = holder && (holder.files || holder);
  if (!files || !files.length) return;
  return mapped(files, (file) => file.name);
};

const optionText = (option) => tidy(labelTextOf(option), 200);

handlers.change = (e, p, real, el) => {
  const tag = tagNameOf(el);
  if (!values[tag]) return;
  const fields = { target: describeAgain(el), gesture: real && gesture ? gesture : caused(p), by: act.kind === "key" ? "keyboard" : "pointer" };
  const type = typeOf(el);
  if (tag === "SELECT") selectFields(el, fields);
  else if (boxTypes[type]) {
    fields.value = values.INPUT(el);
    fields.checked = checkedOf(el);
  } else if (type === "file") fields.files = fileNames(filesOf(el)) || [];
  else {
    const value = valueOf(el);
    const old = mapGet(before, el);
    if (old !== undefined && old !== value) fields.before = shownValue(el, old);
    mapSet(before, el, value);
    fields.value = shownValue(el, value);
  }
  record("change", real && el !== clickedByPage, fields, p);
};

const selectFields = (el, fields) => {
  const index = selectedIndexOf(el);
  const option = index >= 0 ? optionsOf(el)[index] : null;
  fields.value = values.SELECT(el);
  fields.index = index;
  if (option) fields.label = optionText(option);
  if (multipleOf(el)) fields.values = mapped(selectedOptionsOf(el), optionText);
};

const rangeAt = method(Selection, "getRangeAt");

const currentRange = (el) => {
  const selection = selectionOf(ownerDocumentOf(el));
  return selection && !isCollapsed(selection) && rangeCountOf(selection) ? rangeAt(selection, 0) : null;
};

/** What is selected, up to 2,000 characters and 500 nodes. */
const selectedText = (el) => {
  const ends = selectionEnds[tagNameOf(el)];
  if (ends) {
    const from = ends[0](el);
    return from === null ? "" : sliceText(values[tagNameOf(el)](el), from, ends[1](el));
  }
  const range = currentRange(el);
  if (!range) return "";
  const start = startContainerOf(range);
  const end = endContainerOf(range);
  let out = "";
  for (let node = start, i = 0; node && i < 500 && out.length < 2000; node = nextNode(node), i++) {
    if (nodeTypeOf(node) === 3) {
      const text = nodeValueOf(node);
      out += sliceText(text, node === start ? startOffsetOf(range) : 0, node === end ? endOffsetOf(range) : text.length);
    }
    if (node === end) break;
  }
  return upTo(2000, el, out);
};
const nextNode = (node) => {
  if (firstChildOf(node)) return firstChildOf(node);
  for (let at = node; at; at = parentNodeOf(at)) if (nextSiblingOf(at)) return nextSiblingOf(at);
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
  const ends = selectionEnds[tagNameOf(el)];
  if (ends) {
    const from = textTypes[typeOf(el) || ""] ? ends[0](el) : null;
    return from === null || from === ends[1](el) ? "" : nodeId(el) + ":" + from + ":" + ends[1](el);
  }
  const range = currentRange(el);
  return range ? nodeId(startContainerOf(range)) + ":" + startOffsetOf(range) + ":" + nodeId(endContainerOf(range)) + ":" + endOffsetOf(range) : "";
};
const toldOf = (el, text, secret) => {
  if (!secret) return { text: upTo(longText, el, text) };
  remember(text); // a part of it, perhaps
  return { length: text.length };
};
let selectionSeen = "";
const noteSelection = (el, p, byKey) => {
  const key = selectionKey(el);
  if (key === selectionSeen || (byKey && isSecret(el))) return;
  selectionSeen = key;
  if (!key) return;
  const text = selectedText(el);
  note("selection", true, textElement(el) || el, p, toldOf(el, text, isSecret(el)));
};

let copiedSecret = null;
const clipboard = (type) => (e, p, real, el) => {
  const target = textElement(el) || el;
  const transfer = clipboardOf(e);
  const text = type === "paste" ? (transfer ? textOfTransfer(transfer, "text/plain") : "") : selectedText(el);
  const secret = isSecretNow(target) || (type === "paste" && (text === copiedSecret || scrub(text) !== text || hidesFocus(el)));
  if (type !== "paste") copiedSecret = secret ? text : null;
  note(type, real, target, p, { ...toldOf(target, text, secret), files: type === "paste" ? fileNames(transfer) : undefined });
};
handlers.copy = clipboard("copy");
handlers.cut = clipboard("cut");
handlers.paste = clipboard("paste");

// Focus that a press or Tab moved is the person's; any other is the page's.
const movedFocus = (el, p) => {
  if (act.kind === "key") return act.key === "Tab" && p - act.at < 100;
  return act.kind && p - act.at <= 500 && press && (contains(el, press.el) || press.control === el || isLabelOf(press.control, el));
};
handlers.focus = (e, p, real, el) => {
  rememberText(el);
  const user = real && movedFocus(el, p);
  if (!user) moveCaused("focus", p);
  note("focus", user, el, p);
};
handlers.blur = (e, p, real, el) => note("blur", real && p - act.at < 500 && act.kind, el, p);

handlers.submit = (e, p, real, el) => {
  const by = submitterOf(e);
  const byPerson = real && p - act.at < 1000 && (act.kind === "key" ? act.key === "Enter" || act.key === " " : !!act.kind);
  submittedAt = p;
  note("submit", byPerson, el, p, { by: act.kind === "key" ? "keyboard" : "pointer", submitter: by ? cssOf(by) : undefined });
};
let submittedAt = -1e9;
