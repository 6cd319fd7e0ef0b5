// Delivery: the worker stores, sends and keeps the clock; at pagehide, and where no worker can be had, this thread sends.
const endpoint = "/__footpath__/events";
const flushBytes = 60000; // the browser's keepalive budget is 64 KiB
let worker = null;
let lastSeenAck = -1;

const meta = () => ({
  url: safeUrl(ownUrl()), title: titleOf(document), referrer: safeUrl(document.referrer), ua: navigator.userAgent, opened: tenth(opened),
  time_origin: timeOrigin, scroll: scrolled(), ...size(),
});
const scrolled = () => {
  const found = [];
  const main = scrollingElementOf(document);
  for (let i = -1; i < scrolledEarly.length; i++) {
    const el = i < 0 ? main : scrolledEarly[i];
    if (el && isConnected(el) && (scrollTopOf(el) || scrollLeftOf(el))) {
      const target = i < 0 ? { xpath: "/html", css: "html", tag: "html" } : { xpath: xpathOf(el), css: cssOf(el), tag: tagOf(el) };
      found[found.length] = { target, top: scrollTopOf(el), left: scrollLeftOf(el) };
    }
  }
  return found;
};
const entry = (more) => scrubbed({ doc, tab: { keys: entryKeys }, frame: ownFrame, last: n - 1, meta: { ...meta(), ...more } });

/** Tell the worker what a header says of this document. */
const announce = () => {
  if (worker && begun) tell({ entry: line(entry()) });
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
    for (let i = 0; i < events.length; i++) held[unsentFrom + i] = events[i] = parse(line(events[i]));
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
  if (message.ack >= 0) settled((lastSeenAck = message.ack));
  if (message.state === "closed") stopped = true;
  if (message.state === "closing") closing = true;
  if (message.beat && scrolledSince) {
    scrolledSince = false;
    announce();
  }
  if (message.flush) settle(2); // now or never
  if (message.tick) ticked();
  if (message.flush) tell({ flush: true });
  if (message.refused) for (let i = 0; i < message.refused; i++) blind("refused");
};

const startWorker = () => {
  try {
    worker = new WorkerSaved(config.worker);
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
  if (note && note.secrets) secretNames = note.secrets;
  arrive(note);
  if (!worker) return;
  const start = line(entry());
  tell({ start, doc, timeOrigin });
  // The worker takes a moment to come up: a page that crashes before that must not have left no trace.
  putAll(eventsAndDocs, [["events", [doc, 0], { line: line(held[0]), at: timeOrigin + now() }], ["docs", doc, start]]);
  deliver = deliverToWorker;
  for (let i = lowest; i < n; i++) if (held[i] !== undefined) deliver(i, held[i]);
};
const WorkerSaved = Worker;

/** The line of an event that is still held. */
const lineAt = (i) => (typeof held[i] === "string" ? held[i] : (held[i] = line(held[i])));

/** The newest unacknowledged events, as lines, that fit the budget: the older ones are in the store already. */
const pending = (budget) => {
  let body = "";
  let bytes = 0;
  for (let i = n - 1; i >= lowest; i--) {
    if (held[i] === undefined) continue;
    const text = lineAt(i);
    bytes += byteLength(encode(text)) + 1;
    if (bytes > budget) break;
    body = text + "\n" + body;
  }
  return body;
};

const header = (farewell) => line({ v: 1, sent: tenth(now()), rtt: null, docs: [entry(farewell)], final: farewell ? true : undefined }) + "\n";

const flush = (farewell) => {
  if (stopped) return;
  const final = !!farewell;
  const head = header(farewell);
  const body = head + pending(flushBytes - byteLength(encode(head)));
  const plain = opaque || (final && config.farewell); // across origins without a preflight
  return send((final && config.farewell) || endpoint, {
    __proto__: null, method: "POST", body, keepalive: final, credentials: "omit", mode: final && config.farewell ? "no-cors" : "cors",
    headers: { __proto__: null, "Content-Type": plain ? "text/plain" : "application/x-ndjson" },
  });
};
const opaque = window.origin === "null";

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
      then(jsonOf(reply), (answer) => safely(acknowledged, answer) || again(), again);
    }, again);
  } catch {
    again();
  }
};
const acknowledged = (answer) => {
  const ack = answer.ack && answer.ack[doc];
  if (ack >= 0) settled(ack);
  if (answer.state === "closed") stopped = true;
};

/** The document goes away (or into the back-forward cache). */
handlers.pagehide = (e, p, real) => {
  if (here || !real) return; // some pages tell their own scripts that they leave, and stay
  begin();
  judge(now());
  settle();
  if (press && press.up) closePress(press.up);
  const end = isClosed() ? "closed" : persistedOf(e) ? "kept" : leaving ? "navigation" : undefined;
  if (top && end === "closed") write("tab", "page", { action: "close" });
  const farewell = { closed: tenth(now()), end };
  gone = true; // what comes after (the tab's hiding) is part of leaving: an event that nobody may ever fetch
  const rest = [];
  for (let i = max(lowest, n - 2000); i < n; i++) if (held[i] !== undefined) rest[rest.length] = ["events", [doc, i], { line: lineAt(i), at: timeOrigin + now() }];
  if (worker) rest[rest.length] = ["docs", doc + "/closed", line(entry(farewell))];
  safely(putAll, eventsAndDocs, rest);
  safely(() => {
    const sent = flush(farewell);
    if (sent) then(sent, () => {}, () => {});
  });
};

handlers.pageshow = (e, p, real) => {
  if (here || !real || !persistedOf(e)) return;
  gone = false;
  safely(forgetFarewell);
  const woken = routes && activationOf(routes);
  const delta = woken && woken.from ? woken.entry.index - woken.from.index : undefined;
  record("navigate", "user", { url: safeUrl(ownUrl()), how: "bfcache", cause: "traversal", delta }, p);
  announce();
};
