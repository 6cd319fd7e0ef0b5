// Who an element is: locators, role, accessible name, text, box. All walks are bounded.
const buttonTypes = any("button|submit|reset|image");
const boxTypes = any("checkbox|radio");
const textTypes = any("text|search|url|tel|email|password|number|");
const generated = /\d{4,}|^[a-f0-9-]{12,}$|^:|^(ember|react-|radix|mui-|mantine-|headlessui|ext-gen|yui|gwt|__|_r_|rc_)|[0-9a-f]{8}-|(?=.*\d)(?=.*[A-Z])[A-Za-z0-9]{8,}$|^[^a-zA-Z]*$/;
const roles = {
  __proto__: null, A: "link", AREA: "link", BUTTON: "button", SUMMARY: "button", TEXTAREA: "textbox", OPTION: "option", NAV: "navigation",
  MAIN: "main", FORM: "form", TABLE: "table", TR: "row", TD: "cell", TH: "columnheader", UL: "list", OL: "list", LI: "listitem",
  H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading", IMG: "img", P: "paragraph", DIALOG: "dialog",
  PROGRESS: "progressbar", METER: "meter", OUTPUT: "status", HR: "separator", ARTICLE: "article", ASIDE: "complementary", FIELDSET: "group",
  DETAILS: "group", FIGURE: "figure", IFRAME: "iframe", SVG: "img", svg: "img",
};
const inputRoles = {
  __proto__: null, checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", button: "button", submit: "button",
  reset: "button", image: "button", file: "button", search: "searchbox", text: "textbox", email: "textbox", tel: "textbox", url: "textbox",
};
const clickableRoles = "button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|combobox";
const clickable = any(clickableRoles);
const controls = "a[href],button,input,select,textarea,label,summary,option,[role=slider],[role=textbox],[role=" + splitText(clickableRoles, "|").join("],[role=") + "]";
const testids = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

const tagOf = (el) => lower(tagNameOf(el));
const isElement = (node) => {
  try {
    return !!node && nodeTypeOf(node) === 1;
  } catch {
    return false; // a window
  }
};
const typeOf = (el) => (tagNameOf(el) === "INPUT" ? inputTypeOf(el) : undefined);

const roleOf = (el) => {
  const told = attribute(el, "role");
  if (told) return lower(told);
  const tag = tagNameOf(el);
  if (tag === "INPUT") return inputRoles[inputTypeOf(el)] || (hasAttribute(el, "list") ? "combobox" : undefined);
  if (tag === "SELECT") return multipleOf(el) || selectSizeOf(el) > 1 ? "listbox" : "combobox";
  if (tag === "A" && !hasAttribute(el, "href")) return undefined;
  if (tag === "IMG" && attribute(el, "alt") === "") return "presentation";
  return roles[tag] || (editableHost(el) === el ? "textbox" : undefined);
};

/** Collapse white space and cut, without a regular expression of the page's. */
const tidy = (text, limit) => {
  let out = "";
  let gap = false;
  for (let i = 0; i < text.length && out.length < limit; i++) {
    const code = charCode(text, i);
    if (code <= 32 || code === 160) gap = out !== "";
    else {
      out += (gap ? " " : "") + text[i];
      gap = false;
    }
  }
  return out.length > limit ? sliceText(out, 0, limit) : out;
};

/** The element that text typed here goes to: the editing host for contenteditable. */
const editableHost = (el) => {
  let host = null;
  for (let i = 0, at = el; at && i < 50 && isEditable(at); i++, at = parentElementOf(at)) host = at;
  return host;
};
const isEditable = (el) => {
  try {
    return isContentEditable(el);
  } catch {
    return false; // SVG and others have no such thing
  }
};

const contextOf = (el) => {
  try {
    return editContextOf(el);
  } catch {
    return undefined; // no element of HTML
  }
};

const editableOf = (el) => {
  const tag = tagNameOf(el);
  if (tag === "TEXTAREA") return "block";
  if (tag === "INPUT") return textTypes[inputTypeOf(el)] ? "line" : undefined;
  if (isEditable(el)) return attribute(el, "aria-multiline") === "false" ? "line" : "block";
  return contextOf(el) ? "block" : undefined;
};

/** The control that an inner node belongs to. */
const controlOf = (el) => {
  const host = isEditable(el) ? editableHost(el) : null;
  return host || closest(el, controls) || el;
};

/** Its place among siblings of its tag, from 1; 0 where it is the only one. */
const placeAmong = (el) => {
  let place = 0;
  const tag = tagNameOf(el);
  for (let s = el; (s = previousElementOf(s)); ) if (tagNameOf(s) === tag) place++;
  if (place) return place + 1;
  for (let s = el; (s = nextElementOf(s)); ) if (tagNameOf(s) === tag) return 1;
  return 0;
};

// XPath's names mean HTML's elements, and those only in a document of HTML.
const html = "http://www.w3.org/1999/xhtml";
const stepOf = (el) => (document.contentType === "text/html" && namespaceURIOf(el) === html ? tagOf(el) : '*[local-name()="' + localNameOf(el) + '"]');

const xpathOf = (el) => {
  let path = "";
  for (let at = el, i = 0; isElement(at) && i < 200; at = parentNodeOf(at), i++) {
    const place = placeAmong(at);
    path = "/" + stepOf(at) + (place ? "[" + place + "]" : "") + path;
  }
  return path;
};

/** What a selector finds in the element's own tree; null where it is in no tree. */
const findAround = (el, selector) => {
  const root = rootOf(el);
  const find = queryAll[nodeTypeOf(root)];
  return find ? find(root, selector) : null;
};
const count = (el, selector) => {
  const found = findAround(el, selector);
  return found ? found.length : 1;
};

const testidOf = (el) => {
  for (let i = 0; i < testids.length; i++) {
    const value = attribute(el, testids[i]);
    if (value) return [testids[i], value];
  }
};

/** A selector from what the element says of itself, likely to outlive a redesign; "" where it says nothing. */
const ownSelector = (el) => {
  const id = idOf(el);
  if (id && typeof id === "string" && !test(generated, id)) return "#" + escapeCss(id);
  const mark = testidOf(el);
  if (mark) return "[" + mark[0] + "=" + quote(mark[1]) + "]";
  return "";
};

const attributeSelector = (el, name) => {
  const value = attribute(el, name);
  return value && value.length < 80 && !test(generated, value) ? tagOf(el) + "[" + name + "=" + quote(value) + "]" : "";
};
const naming = ["name", "aria-label", "href", "placeholder", "title", "alt", "for"];

const cssOf = (el, light) => {
  const self = ownSelector(el);
  if (self && (light || count(el, self) === 1)) return self;
  for (let i = 0; i < naming.length && !light; i++) {
    const candidate = attributeSelector(el, naming[i]);
    if (candidate && count(el, candidate) === 1) return candidate;
  }
  return structure(el, light);
};

const structure = (el, light) => {
  let path = "";
  for (let at = el, i = 0; isElement(at) && i < 200; at = parentNodeOf(at), i++) {
    const tag = tagNameOf(at);
    const anchor = at === el ? "" : ownSelector(at);
    if (anchor && (light || count(at, anchor) === 1)) return anchor + path;
    const place = placeAmong(at);
    const step = lower(tag) + (place ? ":nth-of-type(" + place + ")" : "");
    if (tag === "HTML" || tag === "BODY") return path ? step + path : step;
    path = isElement(parentNodeOf(at)) ? ">" + step + path : step + path;
  }
  return path;
};

const roleQueries = {
  __proto__: null, button: "button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image],[role=button]",
  link: "a[href],area[href],[role=link]", checkbox: "input[type=checkbox],[role=checkbox]", radio: "input[type=radio],[role=radio]",
  textbox: "input,textarea,[role=textbox],[contenteditable]", combobox: "select,[role=combobox]", heading: "h1,h2,h3,h4,h5,h6,[role=heading]",
};

/** How many elements have this role and name now; undefined where counting would cost too much. */
const countNamed = (el, role, name) => {
  const found = role && name && findAround(el, roleQueries[role] || "[role=" + quote(role) + "]" + (indexOf(tagNameOf(el), "-") < 0 ? "," + tagOf(el) : ""));
  if (!found || found.length > 150) return undefined;
  let same = 0;
  for (let i = 0; i < found.length; i++) if (roleOf(found[i]) === role && nameOf(found[i], role) === name) same++;
  return same;
};

const hostsOf = (el) => {
  const hosts = [];
  for (let root = rootOf(el), i = 0; nodeTypeOf(root) === 11 && i < 20; i++) {
    let host;
    try {
      host = hostOf(root);
    } catch {
      break; // a fragment that is in no document
    }
    for (let k = hosts.length; k > 0; k--) hosts[k] = hosts[k - 1];
    hosts[0] = cssOf(host, true);
    root = rootOf(host);
  }
  return hosts.length ? hosts : undefined;
};

const roundBox = (el) => {
  const box = boxOf(el);
  return [round(box.x), round(box.y), round(box.width), round(box.height)];
};

/** Where an element's frame begins in the tab's viewport, CSS px; undefined at the top and where a frame around it may not be seen. */
const frameOffset = (el) => {
  let x = 0;
  let y = 0;
  let win = defaultViewOf(ownerDocumentOf(el));
  if (!win || win === win.parent) return undefined;
  try {
    for (let i = 0; win !== win.parent && i < 20; win = win.parent, i++) {
      const frame = frameElementOf(win);
      const box = boxOf(frame);
      const style = computedStyle(frame);
      x += box.x + clientLeftOf(frame) + toNumber(style.paddingLeft);
      y += box.y + clientTopOf(frame) + toNumber(style.paddingTop);
    }
  } catch {
    return undefined; // a frame of another origin
  }
  return [round(x), round(y)];
};

const known = new WeakMap(); // element -> what it was last described as, and when
/** Everything about an element; with `counts` also how many elements each locator finds. */
const describe = (el, counts) => {
  const role = roleOf(el);
  const mark = testidOf(el);
  const secret = isSecret(el);
  const target = { xpath: xpathOf(el), css: cssOf(el) };
  if (role) target.role = role;
  const name = nameOf(el, role);
  if (name) target.name = name;
  if (mark) target.testid = mark[1];
  target.tag = tagOf(el);
  if (typeOf(el)) target.type = typeOf(el);
  const text = secret || editableOf(el) || target.tag === "select" ? "" : textOf(el, 80);
  if (text) target.text = text;
  target.box = roundBox(el);
  target.offset = frameOffset(el);
  target.editable = editableOf(el);
  target.shadow = hostsOf(el);
  if (secret) target.secret = true;
  mapSet(known, el, { at: turnTime(), target });
  return counts ? { ...target, matches: { css: count(el, target.css), role: countNamed(el, role, name), testid: mark && count(el, "[" + mark[0] + "=" + quote(mark[1]) + "]") } } : target;
};

/** The same for events that come in floods or right after another: kept for a second per element. */
const describeAgain = (el) => {
  const was = mapGet(known, el);
  if (!was || turnTime() - was.at > 1000 || !isConnected(el) || (isSecret(el) && !was.target.secret)) return describe(el, false);
  return was.target;
};

/** Next to nothing, for moves: no walk over siblings. */
const glance = (el) => {
  const id = idOf(el);
  if (glanced.el !== el || glanced.id !== id) glanced = { el, id, target: { tag: tagOf(el), css: id && typeof id === "string" ? "#" + escapeCss(id) : undefined } };
  return glanced.target;
};
let glanced = { el: null, id: "", target: null };
