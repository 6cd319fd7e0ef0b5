// What never leaves the page: values of secret fields, and any text that repeats one.
const secretFields = new WeakSet();
const secretSlots = new WeakMap();
const secretValues = [];
let secretNames = []; // of this document's fields and of the form that led here: what a GET form puts into the URL
const secretAutocomplete = /(^|\s)(one-time-code|current-password|new-password|cc-(number|csc|exp|exp-month|exp-year))(\s|$)/i;
const secretName = /pass[-_]?(w(or)?d|phrase)|(^|[^a-z])(pwd|pin(?![-_]?code)|t?otp|pass[-_]?code|cvv2?|cvc2?|csc|cc[-_]?(num(ber)?|exp))([^a-z]|$)|card.?(number|no\b)|(one.?time|security|verification).?code|api.?key|secret/i;
const humps = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g;
const secretParameter = /([?&;#](?:[^=&;#]*(?:pass|pwd|psw|secret|token|api_?key|otp|cvv|cvc|card_?n|cc[-_]?num|verification[-_]?code)[^=&;#]*))=([^&;#]+)/gi;

// Libraries write new-password on the fields of their searchable lists, only to keep the browser's own suggestions away.
const isSearch = (el) => attribute(el, "role") === "combobox" && attribute(el, "autocomplete") === "new-password";

let lookedAt = { el: null, turn: 0, secret: false };
/** Is it secret, now or ever before? */
const isSecret = (el) => {
  if (!turn || lookedAt.turn !== turn || lookedAt.el !== el) lookedAt = { el, turn, secret: looksSecret(el) };
  return lookedAt.secret;
};
const looksSecret = (el) => {
  if (setHas(secretFields, el)) return true;
  const tag = tagNameOf(el);
  if (tag !== "INPUT" && tag !== "TEXTAREA") return false;
  const hint = (attribute(el, "name") || "") + " " + idOf(el);
  const told = attribute(el, "autocomplete");
  if (
    (tag === "INPUT" && inputTypeOf(el) === "password") ||
    (told && test(secretAutocomplete, told) && !isSearch(el)) ||
    (hint !== hinted && test(secretName, replaceText(hint, humps, "$&_")))
  ) {
    setAdd(secretFields, el);
    const name = attribute(el, "name");
    if (name && secretNames.length < 50) secretNames[secretNames.length] = name;
    return true;
  }
  hinted = hint;
  return false;
};
let hinted = ""; // what no secret was called last

/** Remember a secret's present value, so that it can be struck out wherever else it shows up. */
const rememberSecret = (el, value) => {
  let slot = mapGet(secretSlots, el);
  if (slot === undefined) mapSet(secretSlots, el, (slot = secretValues.length));
  secretValues[slot] = value;
};

const strike = (text, part) => {
  let out = "";
  for (let at; (at = indexOf(text, part)) >= 0; text = sliceText(text, at + part.length)) out += sliceText(text, 0, at) + "•••";
  return out + text;
};

/** The text without any secret value of four characters or more. */
const scrub = (text) => {
  for (let i = 0; i < secretValues.length; i++) {
    const part = secretValues[i];
    if (part && part.length > 3 && indexOf(text, part) >= 0) text = strike(text, part);
  }
  return text;
};

const replaceText = method(String, "replace");
/** A URL without the values of parameters whose names say that they are secret. */
const safeUrl = (url) => {
  url = replaceText(url, secretParameter, "$1=•");
  mapped(secretNames, (name) => (url = withoutParameter(url, name)));
  return url;
};

const withoutParameter = (url, name) => {
  const encoded = encodeName(name) + "=";
  for (let at = -1, from = 0; (at = indexOf(url, encoded, from)) > 0; from = at + encoded.length) {
    if (indexOf("?&;#", url[at - 1]) < 0) continue;
    let end = at + encoded.length;
    while (end < url.length && indexOf("&;#", url[end]) < 0) end++;
    url = sliceText(url, 0, at) + encoded + "•" + sliceText(url, end);
  }
  return url;
};
const encodeName = encodeURIComponent;

/** Fields of a document or shadow root that the page might show before anybody touches them. */
const markSecrets = (root, which) => mapped(queryAll[nodeTypeOf(root)](root, which), isSecret);
