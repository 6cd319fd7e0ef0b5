// Finds the element that a recorded target describes, in this frame. Returns { el, locator, level, note, counts }:
// level 1: one element, and it is like the recorded one; 2: one element by a name of its own, but changed; 0: none yet.
({ target, named, needed }) => {
  const squeeze = (text) => (text || "").replace(/[\s\u00a0]+/g, "");
  const skipped = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT"]);
  const textOf = (node) => {
    let out = "";
    for (const child of node.childNodes) {
      if (child.nodeType === 3) out += child.nodeValue;
      else if (child.nodeType === 1 && !skipped.has(child.tagName)) out += textOf(child);
      if (out.length > 4000) break;
    }
    return out;
  };
  const all = (root, selector) => {
    try {
      return [...root.querySelectorAll(selector)];
    } catch {
      return [];
    }
  };
  let roots = [document];
  for (const host of target.shadow || []) {
    roots = roots.flatMap((root) => all(root, host)).filter((el) => el.shadowRoot).map((el) => el.shadowRoot);
  }
  const inRoots = (el) => roots.includes(el.getRootNode());
  const everywhere = (selector) => roots.flatMap((root) => all(root, selector));
  const byPath = (root, xpath) => {
    let at = root;
    for (const part of xpath.split("/").filter(Boolean)) {
      const [, tag, place] = /^([^[]+)(?:\[(\d+)\])?$/.exec(part) || [];
      if (!tag) return null;
      at = [...at.children].filter((el) => el.tagName.toLowerCase() === tag)[(place || 1) - 1];
      if (!at) return null;
    }
    return at === root ? null : at;
  };
  const hints = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
  const wanted = target.role === "slider" ? "" : squeeze(target.text); // a slider's text is its value, shown while it is pressed
  const sameKind = (el) => el.tagName.toLowerCase() === target.tag && (!target.type || el.type === target.type);
  const sameText = (el) => {
    const text = squeeze(textOf(el));
    return text === wanted || ((target.text.length > 70 || el.querySelectorAll("*").length > 40) && text.startsWith(wanted));
  };
  const sameSize = (el) => {
    const box = el.getBoundingClientRect();
    const close = (one, other) => Math.abs(one - other) <= Math.max(4, other / 10);
    return !target.box || (close(box.width, target.box[2]) && close(box.height, target.box[3]));
  };
  const names = (named || []).filter(inRoots);
  const byName = target.role && target.name;
  let blank = false; // nothing but size and place tell it from others
  const agrees = (el) => {
    if (!sameKind(el)) return false;
    if (wanted) return sameText(el);
    if (byName && names.length) return names.includes(el);
    if (target.editable || target.tag === "select" || target.tag === "body" || target.tag === "html") return true;
    blank = true;
    return sameSize(el);
  };
  const shown = (el) => (el.checkVisibility ? el.checkVisibility({ visibilityProperty: true }) : el.getClientRects().length > 0);
  const positional = (css) => /:nth-of-type|>|^html|^body/.test(css);
  const path = target.xpath ? roots.map((root) => byPath(root, target.xpath)).filter(Boolean) : [];
  const lists = [];
  if (target.testid) lists.push(["testid", hints.flatMap((hint) => everywhere(`[${hint}=${JSON.stringify(target.testid)}]`)), false]);
  if (target.css) lists.push(["css", everywhere(target.css), positional(target.css)]);
  if (byName && named) lists.push(["role", names.filter((el) => el.tagName.toLowerCase() === target.tag), false]);
  if (wanted && target.tag && wanted.length > 1) {
    const found = everywhere(target.tag);
    lists.push(["text", found.length > 3000 ? [] : found.filter((el) => sameKind(el) && sameText(el)), false]);
  }
  lists.push(["xpath", path, true]);
  const counts = {};
  let second = null;
  let ask = false;
  for (const [locator, list] of lists) counts[locator] = list.length;
  for (const [locator, list, place] of lists) {
    const visible = list.filter(shown);
    const like = (visible.length ? visible : list).filter(agrees);
    if (byName && !named && like.length && (!wanted || locator !== lists[0][0])) ask = true; // the name comes first
    if (like.length === 1) {
      if (ask) return { ask: true, counts };
      return { el: like[0], locator, level: 1, note: "", counts, first: locator === lists[0][0] };
    }
    if (like.length > 1 && !place) {
      const here = like.filter((el) => path.includes(el));
      if (here.length === 1) return { el: here[0], locator: `${locator} and place`, level: 1, note: "", counts, first: locator === lists[0][0] };
    }
    const kin = (visible.length ? visible : list).filter(sameKind);
    if (!second && kin.length === 1 && (!place || blank || target.editable)) {
      second = { el: kin[0], locator, level: 2, note: wanted ? "its text has changed" : byName ? "its name has changed" : "its size has changed", counts };
    }
  }
  if (byName && !named && needed) return { ask: true, counts };
  return second || { level: 0, counts };
}
