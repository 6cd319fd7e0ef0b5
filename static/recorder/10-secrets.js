// What never leaves the page: values of secret fields, and any text that repeats one.
const secretFields = new WeakMap(); // field -> the value it held when it was last looked at
const fields = [];
const kept = []; // what fields held and no longer do, and parts of it that were copied
let struck = []; // every form of all this, the longest first
let secretSince; // when one first held something, on the document's clock
const ownNames = { __proto__: null }; // names and ids of this document's secret fields
const secretNames = { __proto__: null }; // of parameters: such fields', those that held a secret, those that documents before knew
let namesLearnt = 0;
// Words of a secret's name: wherever they stand in one, or set apart in it.
const within = "pass[-_ ]?(w(or)?[dt]|phrase)|kennwort|mot.?de.?passe|contrase.a|wachtwoord|card.?(number|no\\b)|(one.?time|security|verification|authentication|recovery|\\d.digit).?(pass)?code|api.?key|secret|security.?answer|(recovery|seed).?phrase|social.?security( number)?";
const apart = "pwd|pin(?![-_]?code)|t?otp|pass[-_]?code|cv[vc]2?|csc|ssn|token|senha";
const alone = "((user|login|new|old|my|re|confirm)[-_ ]?)?pass|pw";
const secretName = new RegExp(within + "|(^|[^a-z])(" + apart + "|cc[-_]?(num(ber)?|exp))([^a-z]|$)|(^| )(" + alone + ")( |$)", "i");
const secretLabel = new RegExp("(^|\\s)(" + within + "|" + apart + "|code (we )?(sent|texted|emailed).*)\\W*((required|optional|again|confirmation)\\W*)?(\\(.*)?$|^\\W*((please|enter|type|choose|create|your|the|a|new|old|current|repeat|confirm) )*(passw(or)?[dt]|passphrase|kennwort|pin(?! ?code)|otp|cv[vc]2?)\\b|^\\W*(" + alone + ")\\W*$", "im");
const cardNumber = /^[3-6](\W?\d){12,18}$/;
const isSecretName = (name) => test(secretName, replaceText(name, humps, "$&_"));
/** Does a text, as of a prompt, ask for a secret? */
const asksSecret = (text) => isSecretName(text) || test(secretLabel, text);
const humps = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g;
const secretParameter = /pass|p[sw]w|pwd|token|otp|cv[vc]|jwt|session|signature|(^|[-_])(auth|sig|sid)$|%/i; // besides; what cannot be decoded, too
const webToken = /^eyJ[\w-]{8,}\.[\w-]{4,}\./;

// Libraries write new-password on the fields of their searchable lists, only to keep the browser's own suggestions away.
const isSearch = (el) => attribute(el, "role") === "combobox";

/** The element that text typed here goes to: the editing host for contenteditable. */
const editableHost = (el) => {
  let host = null;
  for (let i = 0, at = el; at && i < 50 && isEditable(at); i++, at = parentElementOf(at)) host = at;
  return host;
};
const heldBy = (el) => {
  const context = contextOf(el);
  return context ? contextText(context) : (values[tagNameOf(el)] || textContentOf)(el);
};

let lookedAt = { el: null, turn: 0, secret: false };
/** Is it secret, now or ever before? */
const isSecret = (el) => {
  if (!turn || lookedAt.turn !== turn || lookedAt.el !== el) lookedAt = { el, turn, secret: looksSecret(el) };
  return lookedAt.secret;
};
/** The same for one that text goes to, of which a page may make dots only then. */
const isSecretNow = (el) => {
  if (!isSecret(el) && showsDots(el)) markSecret(el);
  return isSecret(el);
};
const styles = new WeakMap(); // of what was asked about once: they follow the page
const dotted = any("disc|circle|square");
const showsDots = (el) => {
  if (!mapHas(styles, el)) mapSet(styles, el, computedStyle(el));
  return !!dotted[styleValue(mapGet(styles, el), "-webkit-text-security")];
};
const looksSecret = (el) => {
  if (mapHas(secretFields, el)) return true;
  const tag = tagNameOf(el);
  const type = tag === "INPUT" && inputTypeOf(el);
  if (boxTypes[type] || buttonTypes[type] || type === "hidden") return false; // nobody types in these
  const field = type || tag === "TEXTAREA" || contextOf(el) ? el : isEditable(el) && editableHost(el);
  if (field !== el) return field && looksSecret(field);
  const value = selectionEnds[tag] ? values[tag](el) : ""; // an editor may hold a whole book
  const found =
    type === "password" ||
    ownNames[attribute(el, "name") || ""] || ownNames[idOf(el)] || // it stands in for one that is
    (value.length > 3 && (scrub(value) === "•••" || test(cardNumber, value))) ||
    isCalledSecret(el, tag);
  if (found) markSecret(el);
  return !!found;
};

const called = new WeakMap(); // field -> what it was called when that was no secret
const isCalledSecret = (el, tag) => {
  const fills = attribute(el, "autocomplete");
  const hint = attribute(el, "name") + " " + idOf(el) + " " + ((fills === "new-password" && isSearch(el)) || fills); // "null" is no secret's name
  const ids = attribute(el, "aria-labelledby") || "";
  let told = attribute(el, "aria-label") + "\n" + attribute(el, "placeholder") + "\n" + attribute(el, "aria-placeholder") + "\n" + attribute(el, "title");
  const known = hint + ids + told;
  if (mapGet(called, el) === known) return false;
  mapSet(called, el, known);
  const tell = (label) => (told += "\n" + textContentOf(label));
  mapped((labels[tag] && labels[tag](el)) || [], tell);
  mapped((ids && findAround(el, ":not(*)" + replaceText(ids, /\s*(\S+)\s*/g, (all, id) => ",#" + escapeCss(id)))) || [], tell);
  return isSecretName(hint) || test(secretLabel, told) || showsDots(el);
};

const markSecret = (el) => {
  const name = attribute(el, "name");
  lookedAt.turn = -1;
  mapSet(secretFields, el, "");
  fields[fields.length] = el;
  if (name) learnName(name, 2);
  ownNames[name || ""] = ownNames[idOf(el)] = true;
  ownNames[""] = false;
  readSecrets();
};
/** 2: the parameter is a secret, 1: it holds one among other things. */
const learnName = (name, how) => {
  if (secretNames[name] >= how || namesLearnt > 99) return;
  secretNames[name] = how;
  namesLearnt++;
};

/** Look at what the secret fields hold now. */
const readSecrets = () => {
  let changed = false;
  for (let i = 0; i < fields.length; i++) {
    const el = fields[i];
    const old = mapGet(secretFields, el);
    const value = heldBy(el);
    if (value === old) continue;
    changed = true;
    mapSet(secretFields, el, value);
    if (!startsWith(value, old)) keep(old);
  }
  if (changed) listForms();
};
const startsWith = (text, part) => sliceText(text, 0, part.length) === part;
const keep = (value) => {
  for (let i = 0; i < kept.length; i++) if (startsWith(kept[i], value)) return;
  if (value.length > 2 && kept.length < 300) kept[kept.length] = value;
};
/** Strike this out, too, from now on. */
const remember = (value) => {
  const had = kept.length;
  keep(value);
  if (kept.length > had) listForms();
};

const listForms = () => {
  const found = { __proto__: null };
  secretSince ||= now();
  mapped(kept, (value) => addForms(found, value));
  mapped(fields, (el) => addForms(found, mapGet(secretFields, el)));
  struck = sorted(keysOf(found), (a, b) => b.length - a.length);
};
const sorted = method(Array, "sort");
const toBase64 = tried(btoa.bind(window)); // which has no place for some characters
const { encodeURIComponent: toUtf8, unescape: toBytes } = window;
const inUtf8 = tried((text) => toBytes(toUtf8(text))); // nor has this for half a character
/** Without regard to case where it is long enough: of one length, so that a place in one is a place in the other. */
const fold = (text) => replaceText(text, /[A-ZÀ-Þ]+/g, lower);
/**
 * As it is, in JSON, a number without what parts its groups, where a plus was taken for a blank, as a selector has it, with its blanks
 * trimmed and collapsed, in base64; and the characters that are
 * its own in the base64 of a longer text, after none, one or two bytes that fill no group of three.
 */
const trimmed = (text) => replaceText(text, /^\s+|\s+$/g, "");
let addForms = (found, value) => {
  const add = (form) => {
    if (form && form.length > 2) found[form.length > 5 ? fold(form) : form] = true;
  };
  const json = sliceText(quote(value), 1, -1);
  mapped([value, json, replaceText(value, /[\s-]/g, ""), replaceText(value, /\+/g, " "), toBase64(value)], add);
  mapped([value, trimmed(value), trimmed(replaceText(value, /\s+/g, " "))], (text) => mapped([text, escapeCss(text)], add));
  mapped([value, json, inUtf8(value), inUtf8(json)], (bytes) => mapped(["", "x", "xx"], (first, i) => {
    const inner = bytes && sliceText(toBase64(first + bytes) || "", i && i + 1, ((i + bytes.length) * 4) / 3);
    if (inner) mapped([inner, replaceText(replaceText(inner, /\+/g, "-"), /\//g, "_")], add);
  }));
};

const strike = (text) => {
  let folded = fold(text);
  for (let i = 0; i < struck.length; i++) {
    const part = struck[i];
    if (part.length < 4) {
      if (text === part) return "•••"; // three characters are found everywhere
    } else for (let at; (at = indexOf(part.length > 5 ? folded : text, part)) >= 0; folded = fold(text)) text = sliceText(text, 0, at) + "•••" + sliceText(text, at + part.length);
  }
  return text;
};

/** The text without any secret, however it is encoded for an address. */
const scrub = (text) => {
  if (!struck.length) return text;
  text = strike(text);
  for (let i = 0, plain = text; i < 3 && (indexOf(plain, "%") >= 0 || indexOf(plain, "+") >= 0); i++) {
    plain = decoded(plain);
    const out = strike(plain);
    if (out !== plain) return out;
  }
  return text;
};
/** Scrubbed first, so that no half of a secret stays. */
const shorten = (text, most) => sliceText(scrub(text), 0, most);

const replaceText = method(String, "replace");
const decode = tried(decodeURIComponent); // what is not in UTF-8 stays
const decoded = (text) => replaceText(replaceText(text, /\+/g, " "), /(%[0-9a-f]{2})+/gi, (part) => decode(part) || part);

/** A URL without the values of secret parameters: those called so, those of secret fields, and those that hold a secret. */
const safeUrl = (url) => shorten(replaceText(url, /([?&;#])([^?=&;#]*)=([^&;#]+)/g, (whole, mark, name, value) => {
  const field = decoded(name);
  const rest = scrub(value);
  if (rest !== value && value.length > 3) learnName(field, rest === "•••" ? 2 : 1);
  if (secretNames[field] > 1) remember(decoded(value)); // the page may show it
  return rest !== value || secretNames[field] || test(secretParameter, field) || isSecretName(field) || test(webToken, value) ? mark + name + "=•" : whole;
}), 4000);

/** What a selector finds in the element's own tree; null where it is in no tree. */
const findAround = (el, selector) => {
  const root = rootOf(el);
  const find = queryAll[nodeTypeOf(root)];
  return find ? find(root, selector) : null;
};
const queryRoot = (root, which) => queryAll[nodeTypeOf(root)](root, which);
/** Fields of a document or shadow root that the page might show before anybody touches them. */
const markSecrets = (root) => mapped(queryRoot(root, "input[type=password],input[autocomplete]"), isSecret);
/** The same, and in the shadow roots in it. */
const markAll = (root) => {
  markSecrets(root);
  const all = queryRoot(root, "*");
  for (let i = 0; i < all.length && i < 5000; i++) {
    const inside = shadowRootOf(all[i]);
    if (inside) markAll(inside);
  }
};
