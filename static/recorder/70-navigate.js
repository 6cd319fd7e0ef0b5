// Where the document came from, where it goes, dialogs, downloads, the window's size and visibility.
const top = window.parent === window;
const startEntry = routes && routes.currentEntry;
const activation = routes && routes.activation;
const { type: loadType, redirectCount: redirects } = perf.getEntriesByType("navigation")[0] || {};
const firstInTab = top && loadType === "navigate" && !(activation && activation.from) && (startEntry ? startEntry.index === 0 && routes.entries().length === 1 : history.length === 1);

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
  entryKeys = mapped(entriesOf(shown), keyOf); // browsers keep fifty
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
  const linked = document.referrer && "link";
  const loaded = (cause, user) => ({ how: "load", cause, user });
  if (loadType === "reload") return { how: "reload", cause: "typed", user: true };
  if (loadType === "back_forward") {
    const delta = from && startEntry ? startEntry.index - from.index : undefined;
    return { how: delta === undefined ? "back" : direction(delta), cause: "traversal", user: true, delta };
  }
  if (!top && !from) return loaded("script");
  if (firstInTab) return loaded(window.opener ? "script" : linked || "typed");
  if (activation && activation.navigationType === "replace") return loaded("redirect");
  return redirects ? loaded(linked || "redirect") : loaded(linked || "typed", !linked);
};

/** The same with what the document before noted when it was left (see 75-store.js). */
const amended = (guess, left) => {
  if (!left) return guess;
  const traversed = left.how === "traverse";
  if (!traversed && left.how !== "reload") return { how: "load", cause: left.cause };
  return { ...guess, cause: traversed ? "traversal" : "script", user: left.user };
};

const guess = safely(arrival);
const firstUrl = ownUrl();
/** Event 0, which waits a moment for the note of the document before. */
const arrive = (left) => {
  const { how, cause, user, delta } = amended(guess, left);
  hold(0, { doc, n: 0, p: tenth(opened), type: "navigate", origin: originOf(user), url: safeUrl(firstUrl), how, cause, delta, redirects: redirects || undefined });
};

// Same-document navigation. `navigate` comes before it and knows who asked; `currententrychange` comes when it is done.
let asked = {};
let leaving = false; // a navigation away from this document was asked for
let leftFor = ""; // where it leads,
let leftAt = 0; // and when: one that became a download lets the page stay
const onNavigate = (e) => {
  if (!e.isTrusted) return;
  const p = now();
  const { navigationType: type, userInitiated: user, downloadRequest: name } = e;
  asked = { type, user, hash: e.hashChange };
  if (name !== null && name !== undefined) return record("download", user, { name: name || undefined, url: safeUrl(e.destination.url), gesture: caused(p) }, p);
  if (e.destination.sameDocument) return;
  leaving = true;
  leftAt = p;
  leftFor = safeUrl(e.destination.url); // whose parameters may hold a secret under a name that the next page has to know
  tellNames();
  const link = e.sourceElement ? closest(e.sourceElement, "a,area") : lastLink(p);
  const cause = e.formData || p - submittedAt < 1000 ? "form" : link && user ? "link" : gesture ? "script" : "redirect";
  leave({ key: entryKey, how: type, cause, user: user && type !== "push" && !link});
};

/** The link that the person's last act was on, a moment ago. */
const lastLink = (p) => act.el && p - act.at < 1000 && closest(act.el, "a[href],area[href]");

const onEntryChange = (e) => {
  if (!e.isTrusted) return;
  const p = now();
  const entry = currentOf(routes);
  const was = asked;
  const type = e.navigationType || was.type;
  entryKey = keyOf(entry);
  lookAtEntries();
  if (!type) return; // only the state changed
  const fields = { url: safeUrl(urlOf(entry) || ownUrl()), same: true, gesture: caused(p) };
  if (type === "traverse") {
    fields.delta = indexOfEntry(entry) - indexOfEntry(e.from);
    fields.how = direction(fields.delta);
    fields.cause = "traversal";
  } else {
    fields.how = was.hash ? "hash" : type;
    fields.cause = was.hash && lastLink(p) ? "link" : was.hash && !gesture && was.user ? "typed" : "script";
  }
  asked = {};
  record("navigate", type === "traverse" && was.user, fields, p);
  announce();
};

// Where there is no Navigation API: the address is compared when something happens.
let seenUrl = "";
if (!routes) {
  seenUrl = ownUrl();
  unsettled[unsettled.length] = () => {
    const url = ownUrl();
    if (url === seenUrl) return;
    const hash = splitText(url, "#")[0] === splitText(seenUrl, "#")[0];
    seenUrl = url;
    write("navigate", false, { url: safeUrl(url), how: hash ? "hash" : "push", cause: "script", same: true });
  };
}

handlers.visibilitychange = (e, p, real) => {
  const state = visibilityStateOf(document);
  record("visibility", real, { state }, p);
  if (real && top && !here && state === "visible") write("tab", true, { action: "switch" }, p);
};

const size = () => ({ viewport: [innerWidth, innerHeight], dpr: devicePixelRatio, zoom: visualViewport ? visualViewport.scale : 1 });
handlers.resize = (e, p, real) => {
  if (!here) record("resize", real, size(), p);
};

// Dialogs stop the page, and windows may have no recorder: the only way to see them is to stand in front of what makes them. The
// stand-in is a Proxy, so that it looks and answers like the browser's own.
const proxy = Proxy;
const apply = Reflect.apply;
const answered = (value) => (value === null || typeof value === "boolean" || typeof value === "string" ? value : undefined);
/** What a dialog gave. A secret that it asked for is struck out from now on. */
const answerOf = (kind, text, answer, from) => {
  if (!answer || typeof answer !== "string" || !asksSecret(text)) return kind === "alert" || answered(answer);
  secretSince ||= from;
  remember(answer);
  return "•••";
};
const standIns = (win, frame) => {
  standIn(win, "alert", frame);
  standIn(win, "confirm", frame);
  standIn(win, "prompt", frame);
  standIn(win, "open", frame);
};
/** A window without an address of its own has no recorder: what is done in it, and typed, nobody tells. */
const noteOpened = (url, frame) => {
  if (url && !test(/^\s*(about|blob|data|javascript):/i, "" + url)) return;
  secretSince ||= now();
  blind("window without an address", { frame });
};
const standIn = (win, kind, frame) => {
  const descriptor = own(win, kind);
  const native = descriptor && descriptor.value;
  if (typeof native !== "function") return;
  descriptor.value = new proxy(native, {
    __proto__: null,
    apply(target, self, args) {
      const from = now();
      safely(settle);
      const said = args[0];
      if ((typeof said === "object" && said) || typeof said === "function") args[0] = `${said}`; // the page sees itself asked once, as ever
      const answer = apply(target, self, args);
      safely(() => {
        if (kind === "open") return answer && noteOpened(args[0], frame);
        const text = args.length ? "" + args[0] : "";
        record("dialog", true, { frame, kind, text: shorten(text, 2000), answer: answerOf(kind, text, answer, from), opened: tenth(from), gesture: caused(from) });
      });
      return answer;
    },
  });
  Object.defineProperty(win, kind, descriptor);
};
