// Text and accessible name of an element, by "Accessible Name and Description Computation". All walks are bounded.
const noText = any("SCRIPT|STYLE|TEMPLATE|NOSCRIPT");
const inWords = any("SPAN|B|I|EM|STRONG|A|CODE"); // text in them goes on without a space
const inline = /^(inline$|contents|ruby)/;
const fromContent = any("heading|cell|columnheader|rowheader|gridcell|row|tooltip");
const assigned = method(HTMLSlotElement, "assignedNodes");

/** The text below a node as it stands in the document, at most `budget.nodes` nodes. */
const gather = (node, budget) => {
  let out = "";
  for (let child = firstChildOf(node); child && budget.nodes > 0 && budget.text > 0; child = nextSiblingOf(child)) {
    budget.nodes--;
    const kind = nodeTypeOf(child);
    const tag = kind === 1 && tagNameOf(child);
    if (kind === 3) out += piece(child, budget);
    else if (tag && !noText[tag]) out += inWords[tag] ? gather(child, budget) : " " + gather(child, budget) + " ";
  }
  return out;
};
const piece = (node, budget) => {
  const text = nodeValueOf(node);
  budget.text -= min(400, text.length);
  return text.length > 4000 ? sliceText(text, 0, 4000) : text;
};
const textOf = (el, limit) => tidy(gather(el, { nodes: 60, text: 4 * limit }), limit);

// One step of the standard's walk. `budget.skip` is the element that is being named, whose own value is no part of its name;
// `budget.all` where hidden things count, because a hidden element is what `aria-labelledby` points to.
const nameWithin = (node, budget) => {
  let out = generatedText(node, "::before");
  const slotted = tagNameOf(node) === "SLOT" ? assigned(node, { __proto__: null, flatten: true }) : null;
  let child = firstChildOf(shadowRootOf(node) || node);
  for (let i = 0; (slotted && slotted.length ? (child = slotted[i++]) : child) && budget.nodes > 0 && budget.text > 0; child = nextSiblingOf(child)) {
    budget.nodes--;
    const kind = nodeTypeOf(child);
    if (kind === 3) out += piece(child, budget);
    else if (kind === 1 && child !== budget.skip) out += nameOfPart(child, budget);
  }
  return out + generatedText(node, "::after");
};

/** What a style rule puts before or after: its text, or what stands for it. */
const generatedText = (el, where) => {
  const style = computedStyle(el, where);
  const content = styleValue(style, "content");
  if (content[0] !== '"') return "";
  const parts = splitText(sliceText(content, 1, -1), '" / "');
  return spaced(parts[parts.length - 1], style);
};
const spaced = (text, style) => (test(inline, styleValue(style, "display")) ? text : " " + text + " ");

const said = (el, name) => tidy(attribute(el, name) || "", 160);

const nameOfPart = (el, budget) => {
  const tag = tagNameOf(el);
  const style = computedStyle(el);
  const hidden = styleValue(style, "display") === "none" || styleValue(style, "visibility") !== "visible" || attribute(el, "aria-hidden") === "true";
  if (noText[tag] || (hidden && !budget.all)) return "";
  const told = said(el, "aria-label") || (tag === "IMG" && attribute(el, "alt")) || ((tag === "svg" || tag === "SVG") && nameOfChild(el, "title"));
  if (told) return spaced(told, style);
  if (tag === "BR") return " ";
  const value = valueInName(el, tag);
  return spaced(value === undefined ? nameWithin(el, budget) : value, style);
};

/** The value that an embedded control stands for in another's label; undefined where it has none. */
const valueInName = (el, tag) => {
  const chosen = tag === "SELECT" && selectedOptionsOf(el);
  if (chosen) return chosen.length ? optionText(chosen[0]) : "";
  if (tag !== "INPUT" && tag !== "TEXTAREA" && attribute(el, "role") !== "slider") return;
  if (isSecret(el) || boxTypes[typeOf(el)]) return "";
  return attribute(el, "aria-valuetext") || attribute(el, "aria-valuenow") || (values[tag] ? tidy(values[tag](el), 160) : "");
};

const nameText = (el, skip, all) => tidy(nameWithin(el, { nodes: 80, text: 200, skip, all }), 160);

const labelledBy = (el) => {
  const ids = splitText(tidy(attribute(el, "aria-labelledby") || "", 500), " ");
  let out = "";
  for (let i = 0; i < ids.length && out.length < 200; i++) {
    const other = ids[i] && withId(el, ids[i]);
    if (other) out += referred(other, other === el ? undefined : el) + " ";
  }
  return tidy(out, 160);
};
const withId = (el, id) => {
  const found = findAround(el, "#" + escapeCss(id));
  return found && found[0];
};
const referred = (other, skip) => {
  const value = other === skip ? undefined : valueInName(other, tagNameOf(other));
  return said(other, "aria-label") || value || attribute(other, "alt") || nameText(other, skip, !checkVisibility(other));
};

const labelOf = (el, tag) => {
  const found = labels[tag] && labels[tag](el);
  let out = "";
  for (let i = 0; found && i < found.length && i < 5; i++) out += " " + (labelledBy(found[i]) || attribute(found[i], "aria-label") || nameText(found[i], el));
  return tidy(out, 160);
};

/** Accessible name: never anything that the control itself changes. */
const nameOf = (el, role) => {
  const tag = tagNameOf(el);
  const type = typeOf(el);
  let name = labelledBy(el) || said(el, "aria-label") || labelOf(el, tag);
  if (!name && tag === "INPUT" && buttonTypes[type]) {
    return (type === "image" ? "" : said(el, "value")) || said(el, "alt") || said(el, "title") || (type === "reset" ? "Reset" : type === "button" ? "" : "Submit");
  }
  if (!name && (tag === "IMG" || tag === "AREA")) name = said(el, "alt");
  if (!name && role && (fromContent[role] || (role !== "combobox" && clickable[role])) && tag !== "INPUT") name = nameText(el);
  const child = { __proto__: null, FIELDSET: "legend", TABLE: "caption", FIGURE: "figcaption", SVG: "title", svg: "title" }[tag];
  if (!name && child) name = nameOfChild(el, child);
  return name || said(el, "title") || said(el, "placeholder") || said(el, "aria-placeholder");
};

const nameOfChild = (el, selector) => {
  const child = queryIn(el, ":scope>" + selector);
  return child ? nameText(child, undefined, true) : "";
};
