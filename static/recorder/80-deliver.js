// Delivery: the worker stores, sends and keeps the clock; at pagehide, and where no worker can be had, this thread sends.
const endpoint = location.origin + "/__footpath__/events"; // whatever the base that the page gives its addresses
const flushBytes = 60000; // the browser's keepalive budget is 64 KiB
let worker = null;

const meta = () => ({
  url: safeUrl(ownUrl()), title: shorten(titleOf(document), 1000), referrer: safeUrl(document.referrer), ua: navigator.userAgent, opened: tenth(opened),
  time_origin: timeOrigin, scroll: scrolled(), secret: secretSince && tenth(secretSince), ...size(),
});
const scrolled = () => {
  const found = [];
  const look = (scroller, el) => {
    const top = scroller && isConnected(scroller) && scrollTopOf(scroller);
    const left = scroller && scrollLeftOf(scroller);
    if (top || left) found[found.length] = { target: { xpath: xpathOf(el), css: cssOf(el), tag: tagOf(el) }, top, left };
  };
  if (pageScrolled) look(scrollingElementOf(document), documentElementOf(document)); // asking costs a layout
  mapped(scrolledEarly, (el) => look(el, el));
  return found;
};
const entry = (more) => ({ doc, tab: { keys: entryKeys }, frame: ownFrame, last: n - 1, meta: { ...meta(), ...more } });

/** Tell the worker what a header says of this document; `soon`: the server has to know at once. */
const announce = (soon) => {
  if (!worker || !begun) return;
  flagged ||= !!secretSince;
  tell({ entry: line(entry()), soon });
};
const tell = (message) => post(worker, message);

// A message to the worker costs the page more than the event in it: the first goes at once, what follows within `span` ms
// goes together when the worker says that the time is over.
const span = 300;
let unsent = [];
let unsentFrom = 0;
let waiting = false;
let closing = false;
let awakeUntil = 0; // something wants to be settled until then
const passOn = () => {
  waiting = true;
  const events = unsent;
  unsent = [];
  const message = { n: unsentFrom, events, last: n - 1, tick: span };
  try {
    tell(message);
  } catch {
    // A built-in that the page replaced gave what cannot be handed over, a function for a name.
    for (let i = 0; i < events.length; i++) held[unsentFrom + i] = events[i] = plain(events[i]);
    tell(message);
  }
};
const deliverToWorker = (number, event) => {
  if (!unsent.length) unsentFrom = number;
  unsent[unsent.length] = event;
  if (!waiting || closing) passOn();
};
let root = documentElementOf(document);
const ticked = () => {
  waiting = false;
  if (root !== documentElementOf(document)) listenAll(window, ""); // a page that opened its document anew has dropped every listener
  root = documentElementOf(document);
  settle(true);
  if (unsent.length || now() < awakeUntil) passOn();
};

const askTick = (ms) => {
  if (worker) {
    awakeUntil = max(awakeUntil, turnTime() + ms);
    if (!waiting) passOn();
  } else if (!stopped) later(() => safely(settle, true), ms + 20);
};

const heard = (e) => {
  const message = dataOf(e);
  acknowledged(message.ack, message.state);
  if (message.state === "closing") closing = true;
  if (message.beat && scrolledSince) {
    scrolledSince = false;
    announce();
  }
  if (message.flush) settle(2); // now or never
  if (message.tick) ticked();
  if (message.flush) tell({ flush: true });
  if (message.refused) blind("refused");
};

const startWorker = () => {
  try {
    // A page that demands trusted types demands them of the recorder too; its policy lets ours of this name be made (csp.py).
    const policy = createPolicy && createPolicy("footpath", { __proto__: null, createScriptURL: (url) => url });
    worker = new WorkerSaved(policy ? policy.createScriptURL(config.worker) : config.worker);
  } catch {
    return fallBack();
  }
  listen(worker, "message", (e) => safely(heard, e));
  listen(worker, "error", () => safely(fallBack));
};

// Once it is known which parameters of the URL are secret.
let begun = false;
const begin = (note) => {
  if (begun) return;
  begun = true;
  arrive(note);
  if (!worker) return;
  const start = line(entry());
  tell({ start, doc, timeOrigin });
  // The worker takes a moment to come up: a page that crashes before that must not have left no trace.
  putAll(eventsAndDocs, [["events", [doc, 0], { line: line(held[0]), at: timeOrigin + now() }], ["docs", doc, start]]);
  deliver = deliverToWorker;
  for (let i = lowest; i < n; i++) if (held[i] !== undefined) deliver(i, (held[i] = clean(held[i])));
};
const WorkerSaved = Worker;

/** The unacknowledged events, the newest first, into `kept` for the store; and as lines as many of them as `budget` bytes hold. */
const pending = (budget, kept) => {
  let body = "";
  for (let i = n - 1; i >= lowest && kept.length < 2000; i--) {
    if (held[i] === undefined) continue;
    const text = line(held[i]);
    kept[kept.length] = ["events", [doc, i], { line: text, at: timeOrigin + now() }];
    budget -= bytesOf(text) + 1;
    if (budget >= 0) body = text + "\n" + body;
  }
  return body;
};
const bytesOf = (text) => byteLength(encode(text));

/** Send what is unacknowledged; with `farewell` for the last time, and then also into the store. As plain text, which no origin has to be asked for. */
const flush = (farewell) => {
  const kept = [];
  const said = entry(farewell);
  const header = (about) => line({ v: 1, sent: tenth(now()), rtt: null, docs: [about], final: !!farewell || undefined }) + "\n";
  let head = header(said);
  if (farewell && bytesOf(head) > flushBytes / 2) head = header({ ...said, meta: { ...said.meta, scroll: undefined } }); // it alone has no bound, and was told before
  const body = head + pending(flushBytes - bytesOf(head), kept);
  if (farewell && worker) {
    kept[kept.length] = ["docs", doc + "/closed", line(said)];
    safely(putAll, eventsAndDocs, kept);
  }
  const elsewhere = farewell && config.farewell;
  return send(elsewhere || endpoint, { __proto__: null, method: "POST", body, keepalive: !!farewell, credentials: "omit", mode: elsewhere ? "no-cors" : "cors" });
};

// Without a worker: the same by the saved timer and fetch, without a store.
let fallen = false;
const fallBack = () => {
  if (fallen) return;
  fallen = true;
  worker = null;
  deliver = () => {};
  beat();
};
const beat = () => {
  if (stopped) return;
  safely(settle, true);
  const again = () => later(beat, 500);
  try {
    then(flush(), (reply) => {
      if (reply.status === 410) stopped = true;
      if (!reply.ok) return again();
      then(jsonOf(reply), (answer) => safely(() => acknowledged(answer.ack[doc], answer.state)) || again(), again);
    }, again);
  } catch {
    again();
  }
};
const acknowledged = (ack, state) => {
  if (ack >= 0) settled(ack);
  if (state === "closed") stopped = true;
};

/** The document goes away (or into the back-forward cache). */
handlers.pagehide = (e, p, real) => {
  if (here || !real) return; // some pages tell their own scripts that they leave, and stay
  begin();
  judge(now());
  settle();
  if (press && press.up) closePress(press.up);
  const end = isClosed() ? "closed" : persistedOf(e) ? "kept" : leaving ? "navigation" : undefined;
  if (top && end === "closed") write("tab", false, { action: "close" });
  const farewell = { closed: tenth(now()), end, left_for: config.everywhere || now() - leftAt > 10000 ? "" : leftFor };
  gone = true; // what comes after (the tab's hiding) is part of leaving: an event that nobody may ever fetch
  safely(() => then(flush(farewell), () => {}, () => {}));
};

handlers.pageshow = (e, p, real) => {
  if (here || !real || !persistedOf(e)) return;
  gone = leaving = false;
  leftFor = "";
  safely(forgetFarewell);
  const { from, entry: to } = (routes && activationOf(routes)) || {};
  const delta = from ? to.index - from.index : undefined;
  readNotes(from ? from.key : "", (left) => {
    record("navigate", !left || left.user, { url: safeUrl(ownUrl()), how: "bfcache", cause: "traversal", delta }, p);
    announce();
  });
};
