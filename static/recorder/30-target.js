// Who an element is: locators, role, accessible name, text, box. All walks are bounded.
const textTypes = any("text|search|url|tel|email|password|number|");
const generated = /\d{4,}|^[a-f0-9-]{12,}$|^:|^(ember|react-|radix|mui-|mantine-|headlessui|ext-gen|yui|gwt|__|_r_|rc_)|[0-9a-f]{8}-|(?=.*\d)(?=.*[A-Z])[A-Za-z0-9]{8,}$|^[^a-zA-Z]*$/;
/** A role and the elements that have it by themselves, as selectors. */
const roleList = splitText("link A AREA|button BUTTON SUMMARY [type=button] [type=submit] [type=reset] [type=image] [type=file]|textbox TEXTAREA [type=text] [type=email] [type=tel] [type=url] input:not([type]) [contenteditable]|searchbox [type=search]|spinbutton [type=number]|slider [type=range]|checkbox [type=checkbox]|radio [type=radio]|combobox SELECT|option OPTION|navigation NAV|main MAIN|form FORM|table TABLE|row TR|cell TD|columnheader TH|list UL OL|listitem LI|heading H1 H2 H3 H4 H5 H6|img IMG|paragraph P|dialog DIALOG|progressbar PROGRESS|meter METER|status OUTPUT|separator HR|article ARTICLE|complementary ASIDE|group FIELDSET DETAILS|figure FIGURE|iframe IFRAME", "|");
const roles = { __proto__: null }; // by such a selector
const roleQueries = { __proto__: null };
roles.SVG = roles.svg = "img"; // of which a page may have too many to look through
mapped(roleList, (list) => {
  const words = splitText(list, " ");
  const role = words[0];
  let query = "[role=" + role + "]";
  mapped(words, (word, i) => {
    if (!i) return;
    roles[word] = role;
    query += "," + word;
  });
  roleQueries[role] = lower(query);
});
const clickableRoles = "button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|combobox";
const clickable = any(clickableRoles);
const controls = "a[href],button,input,select,textarea,label,summary,option,[role=slider],[role=textbox],[role=" + splitText(clickableRoles, "|").join("],[role=") + "]";
const testids = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

const tagOf = (el) => lower(tagNameOf(el));
const hostOf = tried(shadowHostOf);
const kindOf = tried(nodeTypeOf);
const isElement = (node) => kindOf(node) === 1; // no window, and not nothing
const typeOf = (el) => (tagNameOf(el) === "INPUT" ? inputTypeOf(el) : undefined);

/** The first of several that is known, for not all browsers know all. */
const firstRole = (words) => {
  for (let i = 0; i < words.length; i++) if (roleQueries[words[i]] || clickable[words[i]] || fromContent[words[i]]) return words[i];
  return words[0] || undefined;
};
const roleOf = (el) => {
  const told = attribute(el, "role");
  if (told) return firstRole(splitText(tidy(lower(told), 200), " "));
  const tag = tagNameOf(el);
  if (tag === "INPUT") return roles["[type=" + inputTypeOf(el) + "]"] || (hasAttribute(el, "list") ? "combobox" : undefined);
  if (tag === "SELECT") return multipleOf(el) || selectSizeOf(el) > 1 ? "listbox" : "combobox";
  if (tag === "A" && !hasAttribute(el, "href")) return;
  if (tag === "IMG" && attribute(el, "alt") === "") return "presentation";
  return roles[tag] || (editableHost(el) === el ? "textbox" : undefined);
};

/** Collapse white space and cut, without a regular expression of the page's; secrets go first, so that no half of one stays. */
const tidy = (text, limit) => {
  text = scrub(text);
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

const placed = (el, before, after) => {
  const place = placeAmong(el);
  return place ? before + place + after : "";
};
const xpathOf = (el, deep = 0) => (isElement(el) && deep < 200 ? xpathOf(parentNodeOf(el), deep + 1) + "/" + stepOf(el) + placed(el, "[", "]") : "");

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

const markSelector = (mark) => "[" + mark[0] + "=" + quote(mark[1]) + "]";
/** A selector from what the element says of itself, likely to outlive a redesign; "" where it says nothing. */
const ownSelector = (el) => {
  const id = idOf(el);
  if (id && typeof id === "string" && !test(generated, id)) return "#" + escapeCss(id);
  const mark = testidOf(el);
  return mark ? markSelector(mark) : "";
};

const attributeSelector = (el, name) => {
  const value = attribute(el, name);
  return value && value.length < 80 && !test(generated, value) && safeUrl(value) === value ? tagOf(el) + "[" + name + "=" + quote(value) + "]" : "";
};
const naming = ["name", "aria-label", "href", "placeholder", "title", "alt", "for"];

const cssOf = (el, light) => {
  const self = ownSelector(el);
  if (self && (light || count(el, self) === 1)) return self;
  for (let i = 0; i < naming.length && !light; i++) {
    const candidate = attributeSelector(el, naming[i]);
    if (candidate && count(el, candidate) === 1) return candidate;
  }
  return structure(el, light, 0);
};

/** Its place below the nearest element that has a selector of its own. */
const structure = (el, light, deep) => {
  const tag = tagOf(el);
  const step = tag + placed(el, ":nth-of-type(", ")");
  const parent = parentNodeOf(el);
  if (!isElement(parent) || tag === "body" || deep > 200) return step;
  const anchor = ownSelector(parent);
  return (anchor && (light || count(parent, anchor) === 1) ? anchor : structure(parent, light, deep + 1)) + ">" + step;
};

/** How many elements have this role and name now; undefined where counting would cost too much. */
const countNamed = (el, role, name) => {
  const found = role && name && findAround(el, (roleQueries[role] || "[role=" + quote(role) + "]") + (indexOf(tagNameOf(el), "-") < 0 ? "," + tagOf(el) : ""));
  if (!found || found.length > 150) return;
  let same = 0;
  for (let i = 0; i < found.length; i++) if (roleOf(found[i]) === role && nameOf(found[i], role) === name) same++;
  return same;
};

/** The hosts of the shadow roots around it, the outermost first; undefined where there are none. */
const hostsOf = (el) => {
  const root = rootOf(el);
  const host = nodeTypeOf(root) === 11 && hostOf(root);
  if (!host) return;
  const hosts = hostsOf(host) || [];
  hosts[hosts.length] = cssOf(host, true);
  return hosts;
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
  if (!win || win === win.parent) return;
  try {
    for (let i = 0; win !== win.parent && i < 20; win = win.parent, i++) {
      const frame = frameElementOf(win);
      const box = boxOf(frame);
      const style = computedStyle(frame);
      x += box.x + clientLeftOf(frame) + toNumber(style.paddingLeft);
      y += box.y + clientTopOf(frame) + toNumber(style.paddingTop);
    }
  } catch {
    return; // a frame of another origin
  }
  return [round(x), round(y)];
};

const known = new WeakMap(); // element -> what it was last described as, and when
/** Everything about an element; with `counts` also how many elements each locator finds. */
const describe = (el, counts) => {
  const role = roleOf(el);
  const mark = testidOf(el);
  const secret = isSecret(el);
  const editable = editableOf(el);
  const css = cssOf(el);
  const tag = tagOf(el);
  const name = nameOf(el, role) || undefined;
  const text = secret || editable || tag === "select" ? undefined : textOf(el, 80) || undefined;
  const target = { xpath: xpathOf(el), css, role, name, testid: mark && mark[1], tag, type: typeOf(el), text, box: roundBox(el), offset: frameOffset(el), editable, shadow: hostsOf(el), secret: secret || undefined };
  mapSet(known, el, { at: turnTime(), target });
  return counts ? { ...target, matches: { css: count(el, css), role: countNamed(el, role, name), testid: mark && count(el, markSelector(mark)) } } : target;
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
