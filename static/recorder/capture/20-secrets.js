// Which fields are secret is the recorder's own rule. Here: what they hold or held is struck out of every text that is sent.
const fields = []; // secret fields of this document
const holds = new WeakMap(); // field -> the value it holds
const met = new WeakSet();
const kept = []; // values that are gone and were no beginning of what came after
let struck = []; // every form of every value of four characters or more, the longest first
const mostValues = 300;

const meet = (el) => {
  if (!isSecret(el)) return false;
  if (setHas(met, el)) return true;
  setAdd(met, el);
  fields[fields.length] = el;
  readSecrets();
  return true;
};

const startsWith = (text, part) => sliceText(text, 0, part.length) === part;

/** Look at what the secret fields hold now. */
const readSecrets = () => {
  let changed = false;
  for (let i = 0; i < fields.length; i++) {
    const el = fields[i];
    const value = values[tagNameOf(el)](el);
    const before = mapGet(holds, el) || "";
    if (value === before) continue;
    changed = true;
    mapSet(holds, el, value);
    if (before.length > 3 && !startsWith(value, before) && kept.length < mostValues) kept[kept.length] = before;
  }
  if (changed) listForms();
};

const listForms = () => {
  const found = { __proto__: null };
  for (let i = 0; i < kept.length; i++) addForms(found, kept[i]);
  for (let i = 0; i < fields.length; i++) addForms(found, mapGet(holds, fields[i]) || "");
  struck = keysOf(found);
  for (let i = 1; i < struck.length; i++) for (let j = i; j > 0 && struck[j].length > struck[j - 1].length; j--) {
    const text = struck[j];
    struck[j] = struck[j - 1];
    struck[j - 1] = text;
  }
};

const formed = [quote, encodeURI, encodeName, (text) => replaceText(encodeName(text), /%20/g, "+"), (text) => replaceText(replaceText(replaceText(text, /&/g, "&amp;"), /</g, "&lt;"), /"/g, "&quot;"), (text) => toBase64(text), (text) => replaceText(text, /[\s-]/g, "")];
const toBase64 = btoa.bind(window);
const addForms = (found, value) => {
  if (value.length < 4) return;
  found[value] = true;
  for (let i = 0; i < formed.length; i++) {
    let form = "";
    try {
      form = formed[i](value);
    } catch {
      continue; // half a character, or one that has no such form
    }
    if (form[0] === '"') form = sliceText(form, 1, form.length - 1);
    if (form.length > 3) found[form] = true;
  }
};

const withoutSecrets = (text) => {
  for (let i = 0; i < struck.length; i++) if (indexOf(text, struck[i]) >= 0) text = strike(text, struck[i]);
  return text;
};

const dots = (text) => {
  let out = "";
  for (let i = 0; i < text.length && i < 200; i++) out += "•";
  return out;
};

// From the first moment on: a field that once was a password stays one, also where the page shows it before rrweb looks.
const fieldsIn = (node) => {
  const type = nodeTypeOf(node);
  if (type !== 1 && type !== 9 && type !== 11) return;
  if (type === 1) meet(node);
  const inside = type === 1 ? queryInside(node, "input,textarea") : queryAll[type](node, "input,textarea");
  for (let i = 0; i < inside.length; i++) meet(inside[i]);
};
const queryInside = method(Element, "querySelectorAll");
const recordOf = { target: getter(MutationRecord, "target"), added: getter(MutationRecord, "addedNodes"), old: getter(MutationRecord, "oldValue"), name: getter(MutationRecord, "attributeName") };
const watchSecrets = (root) => {
  const observe = method(ObserverSaved, "observe");
  observe(new Observer((records) => {
    for (let i = 0; i < records.length; i++) {
      const target = recordOf.target(records[i]);
      if (recordOf.name(records[i]) === null) {
        const added = recordOf.added(records[i]);
        for (let j = 0; j < added.length; j++) fieldsIn(added[j]);
      } else {
        if (recordOf.name(records[i]) === "type" && recordOf.old(records[i]) === "password") setAdd(secretFields, target);
        meet(target);
      }
    }
  }), root, { __proto__: null, subtree: true, childList: true, attributes: true, attributeOldValue: true, attributeFilter: ["type", "name", "id", "autocomplete"] });
};
