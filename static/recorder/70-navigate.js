// Where the document came from, where it goes, dialogs, downloads, the window's size and visibility.
const opened = now();
const top = window.parent === window;
const startEntry = routes && routes.currentEntry;
const activation = routes && routes.activation;
const { type: loadType, redirectCount: redirects } = perf.getEntriesByType("navigation")[0] || {};
const firstInTab = top && (startEntry ? startEntry.index === 0 && routes.entries().length === 1 : history.length === 1);

/** The indexes that lead from the top to a window, "0/2". */
const pathOfWindow = (w) => {
  let path = "";
  for (; w !== w.parent; w = w.parent) {
    let at = 0;
    for (let i = 0; i < w.parent.length; i++) if (w.parent[i] === w) at = i;
    path = at + (path && "/" + path);
  }
  return path;
};
const ownFrame = pathOfWindow(window);
let entryKeys = [];
let entryKey = startEntry ? startEntry.key : "";
const lookAtEntries = () => {
  if (!routes) return;
  let shown = routes; // a frame is in the tab of the page around it: that page's entries tell
  try {
    if (ownFrame) shown = window.top.navigation;
  } catch {
    return; // another origin's page is around us
  }
  const entries = entriesOf(shown);
  const keys = [];
  for (let i = max(0, entries.length - 50); i < entries.length; i++) keys[keys.length] = keyOf(entries[i]);
  entryKeys = keys;
};
const entriesOf = routes && method(Navigation, "entries");
const keyOf = routes && getter(NavigationHistoryEntry, "key");
const activationOf = routes && getter(Navigation, "activation");
const indexOfEntry = routes && getter(NavigationHistoryEntry, "index");
const urlOf = routes && getter(NavigationHistoryEntry, "url");
const currentOf = routes && getter(Navigation, "currentEntry");
lookAtEntries();
if (!entryKeys.length) entryKeys = [randomId()];

const direction = (delta) => (delta < 0 ? "back" : delta > 0 ? "forward" : "pop");

/** How and why this document was loaded, as far as it can tell by itself. */
const arrival = () => {
  const from = activation && activation.from;
  if (loadType === "reload") return { how: "reload", cause: "typed", origin: "user" };
  if (loadType === "back_forward") {
    const delta = from && startEntry ? startEntry.index - from.index : undefined;
    return { how: delta === undefined ? "back" : direction(delta), cause: "traversal", origin: "user", delta };
  }
  if (!top && !from) return { how: "load", cause: "script", origin: "page" };
  if (firstInTab) return { how: "load", cause: window.opener ? "script" : document.referrer ? "link" : "typed", origin: "page" };
  if (activation && activation.navigationType === "replace") return { how: "load", cause: "redirect", origin: "page" };
  if (redirects) return { how: "load", cause: document.referrer ? "link" : "redirect", origin: "page" };
  return document.referrer ? { how: "load", cause: "link", origin: "page" } : { how: "load", cause: "typed", origin: "user" };
};

/** The same with what the document before noted when it was left (see 75-store.js). */
const amended = (guess, left) => {
  if (!left) return guess;
  const traversed = left.how === "traverse";
  if (!traversed && left.how !== "reload") return { how: "load", cause: left.cause, origin: "page" };
  return { ...guess, cause: traversed ? "traversal" : "script", origin: left.user ? "user" : "page" };
};

let arrived = false;
let firstLine = null; // event 0 waits a moment for the note of the document before
const arrive = (left) => {
  if (arrived) return;
  arrived = true;
  const found = amended(firstLine.guess, left);
  hold(0, { doc, n: 0, p: tenth(opened), type: "navigate", origin: found.origin, url: safeUrl(firstLine.url), how: found.how, cause: found.cause, delta: found.delta, redirects: redirects || undefined });
};
const startArrival = () => {
  firstLine = { guess: arrival(), url: ownUrl() };
  n = 1;
  latest = opened;
  if (top && firstInTab) write("tab", "page", { action: "open" }, opened);
};

// Same-document navigation. `navigate` comes before it and knows who asked; `currententrychange` comes when it is done.
let asked = null;
let leaving = false; // a navigation away from this document was asked for
const sourceOf = (e) => e.sourceElement || null;
const onNavigate = (e) => {
  if (!e.isTrusted) return;
  const p = now();
  const same = e.destination.sameDocument;
  asked = { p, user: e.userInitiated, type: e.navigationType, hash: e.hashChange, from: currentOf(routes) };
  const source = sourceOf(e);
  const link = source ? closest(source, "a,area") : act.kind && p - act.at < 1000 && act.el && closest(act.el, "a[href],area[href]");
  if (e.downloadRequest !== null && e.downloadRequest !== undefined) {
    record("download", e.userInitiated ? "user" : "page", { name: "" + e.downloadRequest || undefined, url: safeUrl(e.destination.url), gesture: caused(p) }, p);
    return;
  }
  if (same || e.hashChange) return;
  leaving = true;
  const form = e.formData || p - submittedAt < 1000;
  const cause = form ? "form" : link && e.userInitiated ? "link" : gesture ? "script" : "redirect";
  leave({ key: entryKey, how: e.navigationType, cause, user: e.userInitiated && e.navigationType !== "push" && !link, secrets: secretNames });
};

const withoutHash = (url) => {
  const at = indexOf(url, "#");
  return at < 0 ? url : sliceText(url, 0, at);
};

const onEntryChange = (e) => {
  if (!e.isTrusted) return;
  const p = now();
  const entry = currentOf(routes);
  const from = e.from;
  const type = e.navigationType || (asked && asked.type);
  const was = asked || { user: false };
  entryKey = keyOf(entry);
  lookAtEntries();
  if (!type) return; // only the state changed
  const fields = { url: safeUrl(urlOf(entry) || ownUrl()), same: true, gesture: caused(p) };
  let origin = "page";
  if (type === "traverse") {
    fields.delta = indexOfEntry(entry) - indexOfEntry(from);
    fields.how = direction(fields.delta);
    fields.cause = "traversal";
    if (was.user) origin = "user";
  } else {
    const link = act.el && p - act.at < 1000 && closest(act.el, "a[href]");
    const hash = was.hash && withoutHash(urlOf(from) || "") === withoutHash(urlOf(entry) || "");
    fields.how = hash ? "hash" : type;
    fields.cause = hash && link ? "link" : "script";
    if (hash && !gesture && was.user) fields.cause = "typed";
  }
  asked = null;
  record("navigate", origin, fields, p);
  announce();
};

// Where there is no Navigation API: the address is compared when something happens.
let seenUrl = "";
if (!routes) {
  seenUrl = ownUrl();
  unsettled[unsettled.length] = () => {
    const url = ownUrl();
    if (url === seenUrl) return;
    const hash = withoutHash(url) === withoutHash(seenUrl);
    seenUrl = url;
    write("navigate", "page", { url: safeUrl(url), how: hash ? "hash" : "push", cause: "script", same: true });
  };
}

handlers.visibilitychange = (e, p, real) => {
  const state = visibilityStateOf(document);
  record("visibility", real ? "user" : "page", { state }, p);
  if (real && top && !here && state === "visible") write("tab", "user", { action: "switch" }, p);
};

const size = () => ({ viewport: [innerWidth, innerHeight], dpr: devicePixelRatio, zoom: visualViewport ? visualViewport.scale : 1 });
handlers.resize = (e, p, real) => {
  if (!here) record("resize", real ? "user" : "page", size(), p);
};

// Dialogs stop the page: the only way to see them is to stand in front of them. The stand-in is a Proxy, so that it looks
// and answers like the browser's own.
const proxy = Proxy;
const apply = Reflect.apply;
const answered = (value) => (value === null || typeof value === "boolean" || typeof value === "string" ? value : undefined);
const standIn = (win, kind, frame) => {
  const native = win[kind];
  if (typeof native !== "function") return;
  const descriptor = own(win, kind);
  descriptor.value = new proxy(native, {
    __proto__: null,
    apply(target, self, args) {
      const from = now();
      safely(settle);
      const answer = apply(target, self, args);
      safely(() => {
        const outer = here;
        here = frame;
        record("dialog", "user", { kind, text: args.length ? sliceText("" + args[0], 0, 2000) : "", answer: kind === "alert" || answered(answer), opened: tenth(from), gesture: caused(from) });
        here = outer;
      });
      return answer;
    },
  });
  Object.defineProperty(win, kind, descriptor);
};
