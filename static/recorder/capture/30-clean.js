// rrweb's events as they may leave the page. Its own masks know a field's type alone, ours know the field.
let mirror = null; // rrweb's: node <-> id
let sheetsCame = false;

const nodeOf = (id) => mirror.getNode(id);
const isField = (tag) => tag === "input" || tag === "textarea";

const cleanNode = (node) => {
  if (node.type === 2) cleanElement(node);
  const inside = node.childNodes;
  if (inside) for (let i = 0; i < inside.length; i++) cleanNode(inside[i]);
};

const cleanElement = (node) => {
  const tag = node.tagName;
  const attributes = node.attributes;
  if (tag === "style" || tag === "link") sheetsCame = true;
  if (tag === "iframe") delete attributes.srcdoc; // what is in it comes by itself
  if (attributes.style) noteAssets(attributes.style);
  if (attributes._cssText) noteAssets(attributes._cssText);
  if (tag === "img" || tag === "image") cleanImage(node);
  const el = nodeOf(node.id);
  if (!isField(tag)) {
    if (el && hides(el)) hideTexts(node.childNodes);
    return;
  }
  const text = attributes.value;
  if (el) noteShown(el, values[tagNameOf(el)](el), attributes.checked);
  if (el && !meet(el)) {
    if (tag === "input" && inputTypeOf(el) === "hidden") delete attributes.value; // nobody saw it
    return;
  }
  if (typeof text === "string") attributes.value = dots(text); // a field that we cannot ask is taken for secret
  hideTexts(node.childNodes);
};
const hideTexts = (nodes) => {
  for (let i = 0; i < nodes.length; i++) if (nodes[i].textContent) nodes[i].textContent = dots(nodes[i].textContent);
};

const cleanImage = (node) => {
  const el = nodeOf(node.id);
  const shown = el && el.currentSrc;
  if (!shown) return;
  node.attributes.src = shown;
  delete node.attributes.srcset;
  if (el.complete) noteAsset(shown);
};

const cleanMutation = (data) => {
  for (let i = 0; i < data.adds.length; i++) {
    const parent = nodeOf(data.adds[i].parentId);
    cleanNode(data.adds[i].node);
    if (parent && nodeTypeOf(parent) === 1 && hides(parent)) hideTexts([data.adds[i].node]);
  }
  for (let i = 0; i < data.attributes.length; i++) {
    const changed = data.attributes[i].attributes;
    const el = nodeOf(data.attributes[i].id);
    const secret = !el || meet(el);
    if (typeof changed.value === "string" && (secret || (tagNameOf(el) === "INPUT" && inputTypeOf(el) === "hidden"))) changed.value = dots(changed.value);
    if (typeof changed.style === "string") noteAssets(changed.style);
    if (typeof changed.src === "string") noteAsset(changed.src);
    delete changed.nonce;
  }
  for (let i = 0; i < data.texts.length; i++) {
    const node = nodeOf(data.texts[i].id);
    const parent = node && parentNodeOf(node);
    if (parent && nodeTypeOf(parent) === 1 && hides(parent)) data.texts[i].value = dots(data.texts[i].value || "");
  }
};

const cleanInput = (data) => {
  const el = nodeOf(data.id);
  if (el) noteShown(el, data.text, data.isChecked);
  if (!el || hides(el)) data.text = dots("" + data.text);
};

const clean = (event) => {
  const data = event.data;
  if (event.type === 4) data.href = placeOf(data.href);
  if (event.type === 2) cleanNode(data.node);
  if (event.type === 3 && data.source === 0) cleanMutation(data);
  if (event.type === 3 && data.source === 5) cleanInput(data);
};

/** An address without what a form may have put into it. */
const placeOf = (url) => splitText(splitText(url, "#")[0], "?")[0];

const spoiled = () => ({}).toJSON || [].toJSON || "".toJSON || (0).toJSON;
/** JSON of plain data with every secret struck out of its texts, whatever the page did to toJSON. */
const written = (value) => (struck.length || spoiled() ? slowly(value) : quote(value));
const slowly = (value) => {
  if (typeof value === "string") return quote(scrub(value));
  if (typeof value === "number") return value - value === 0 ? "" + value : "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value === null || value === undefined) return "null";
  let out = "";
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) out += (i ? "," : "") + slowly(value[i]);
    return "[" + out + "]";
  }
  const keys = keysOf(value);
  for (let i = 0; i < keys.length; i++) {
    const part = value[keys[i]];
    if (part === undefined) continue;
    out += (out ? "," : "") + quote(keys[i]) + ":" + (keys[i] === "tagName" ? quote(part) : slowly(part));
  }
  return "{" + out + "}";
};
