// What changes without an event is looked for, where rrweb would put hooks of its own into the page's built-ins.
const shown = new WeakMap(); // field -> what of it is in the capture
const mostFields = 2000;
const noteShown = (el, text, checked) => mapSet(shown, el, text + "\n" + !!checked);

const lookAtFields = () => {
  const found = queryAll[9](document, "input,textarea,select");
  for (let i = 0; i < found.length && i < mostFields; i++) {
    const el = found[i];
    const id = mirror.getId(el);
    const tag = tagNameOf(el);
    const type = tag === "INPUT" ? inputTypeOf(el) : "";
    if (id < 0 || type === "hidden" || type === "file") continue;
    const text = values[tag](el);
    const checked = type === "checkbox" || type === "radio" ? checkedOf(el) : false;
    const before = mapGet(shown, el);
    noteShown(el, text, checked);
    if (before !== undefined && before !== text + "\n" + !!checked) take({ type: 3, data: { source: 5, text, isChecked: checked, id }, timestamp: now() });
  }
};

const sheetSeen = new WeakMap(); // style sheet -> [how many rules of it are in the capture, the last of them]
const mostRules = 5000;
const rulesOf = (sheet) => {
  try {
    return sheet.cssRules;
  } catch {
    return null; // another origin's
  }
};
const lookAtSheets = () => {
  sheetsCame = false;
  const sheets = styleSheetsOf(document);
  for (let i = 0; i < sheets.length; i++) {
    const rules = rulesOf(sheets[i]);
    const id = rules ? mirror.getId(sheets[i].ownerNode) : -1;
    if (id < 0 || rules.length > mostRules) continue;
    const before = mapGet(sheetSeen, sheets[i]);
    const last = rules[rules.length - 1];
    mapSet(sheetSeen, sheets[i], [rules.length, last]);
    if (before && (before[0] !== rules.length || before[1] !== last)) takeRules(id, rules, before);
  }
};
const takeRules = (id, rules, [count, last]) => {
  const grew = rules.length > count && (!count || rules[count - 1] === last);
  const data = { source: 8, id, adds: [], removes: [] };
  if (!grew) for (let i = count - 1; i >= 0; i--) data.removes[data.removes.length] = { index: i };
  for (let i = grew ? count : 0; i < rules.length; i++) data.adds[data.adds.length] = { rule: rules[i].cssText, index: i };
  if (data.removes.length) take({ type: 3, data: { source: 8, id, removes: data.removes }, timestamp: now() });
  take({ type: 3, data: { source: 8, id, adds: data.adds }, timestamp: now() });
};

// A linked style sheet that was still on its way when its element was seen.
const UrlSaved = URL;
const absolute = (css, base) => replaceText(css, /url\((['"]?)(?!data:|#)([^'")]+)\1\)/g, (whole, mark, url) => {
  try {
    return `url("${new UrlSaved(url, base).href}")`;
  } catch {
    return whole;
  }
});
const onSheetLoad = (el) => {
  const id = mirror.getId(el);
  const parent = parentNodeOf(el);
  const rules = el.sheet && rulesOf(el.sheet);
  const parentId = parent ? mirror.getId(parent) : -1;
  if (id < 0 || parentId < 0 || !rules) return;
  let css = "";
  for (let i = 0; i < rules.length && i < mostRules; i++) css += rules[i].cssText;
  const next = nextSiblingOf(el);
  const node = { type: 2, tagName: "link", attributes: { _cssText: absolute(css, el.href) }, childNodes: [], id };
  mapSet(sheetSeen, el.sheet, [rules.length, rules[rules.length - 1]]);
  take({ type: 3, data: { source: 0, texts: [], attributes: [], removes: [{ parentId, id }], adds: [{ parentId, nextId: next && mirror.getId(next) > 0 ? mirror.getId(next) : null, node }] }, timestamp: now() });
};

// Pictures: what the browser holds of them already, for the website is not asked for anything. Each once.
const assetsSeen = { __proto__: null };
const wantedAssets = [];
const mostAsset = 150000;
const mostAssets = 2000000;
let assetBytes = 0;
let fetching = false;
const ownOrigin = location.origin + "/";
const opaque = window.origin === "null"; // it has no pictures of its own origin, and may not even ask for a service worker
const noteAsset = (url) => {
  if (opaque || indexOf(url, ownOrigin) !== 0 || assetsSeen[url]) return;
  assetsSeen[url] = true;
  wantedAssets[wantedAssets.length] = url;
};
const noteAssets = (css) => {
  if (indexOf(css, "url(") >= 0) replaceText(css, /url\((['"]?)(http[^'")]+)\1\)/g, (_, __, url) => noteAsset(url));
};
const blobOf = method(Response, "blob");
const sizeOf = getter(Blob, "size");
const ReaderSaved = FileReader;
const readUrl = method(FileReader, "readAsDataURL");
const readResult = getter(FileReader, "result");
const nextAsset = () => {
  if (fetching || over || !wantedAssets.length || assetBytes > mostAssets || (navigator.serviceWorker && navigator.serviceWorker.controller)) return;
  const url = wantedAssets.shift();
  fetching = true;
  const done = () => {
    fetching = false;
    delayed(nextAsset, 50);
  };
  const answer = send(url, { __proto__: null, cache: "only-if-cached", mode: "same-origin", credentials: "same-origin", priority: "low" });
  then(answer, (reply) => then(blobOf(reply), guarded((blob) => {
    const size = sizeOf(blob);
    assetBytes += size;
    if (!reply.ok || size > mostAsset || assetBytes > mostAssets) return done();
    const reader = new ReaderSaved();
    listening(reader, "load", () => {
      take({ type: 5, data: { tag: "asset", payload: { url, data: readResult(reader) } }, timestamp: now() });
      done();
    });
    listening(reader, "error", done);
    readUrl(reader, blob);
  }), done), done);
};
