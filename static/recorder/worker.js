// The recorder's worker: its own realm, which no page can change. Owns the timers, the store and the sending.
const endpoint = "/__footpath__/events";
const storeDelay = 60; // ms until an event is in the store
const sendDelay = 1500; // ms until it is on its way: it is safe in the store, and what goes together is shorter
const beatEvery = 1200; // ms between signs of life
const orphanAge = 1000; // ms after which another document's stored event is taken for left behind
const lookEvery = 2000; // ms between looks for what is left behind
const maxLines = 500;
const maxChars = 250000;
const idChars = 8; // of its id by which the server knows a document again
const mostMisunderstood = 5; // then the server gets lines only

let doc = "";
let offset = 0; // this clock + offset = the document's
let entry = null;
let heardEntry = null; // what the server knows of `entry` already
let last = -1;
let queue = []; // {n, line, stored, sent}
let sending = false;
let state = "open";
let rtt = null;
let failures = 0;
let waitUntil = 0;
let lastPost = -1e9;
let shortest = Infinity; // the shortest trip there and back that the server was told of
let asLines = false; // the server did not take the batch in shorthand
let misunderstood = 0;
let limit = maxLines;
let base = null;
let left = 0; // documents before us that still have something in the store
let told = -1; // what of that the server was told
let looking = false;
let flushed = false; // the page has handed over what it held back: until then that counts as left too
const timers = {};

const clock = () => performance.now();
const docClock = () => Math.round((clock() + offset) * 10) / 10;

/** One timer per purpose; the sooner wish wins. */
const wake = (name, ms, work) => {
  const at = clock() + ms;
  const timer = timers[name];
  if (timer && timer.at <= at) return;
  if (timer) clearTimeout(timer.id);
  timers[name] = { at, id: setTimeout(() => { delete timers[name]; work(); }, ms) };
};

const sleep = (name) => {
  if (timers[name]) clearTimeout(timers[name].id);
  delete timers[name];
};

const open = () => {
  try {
    const request = indexedDB.open("\u2060fp\u2060", 1);
    request.onupgradeneeded = () => ["events", "docs", "notes", "aside"].forEach((name) => request.result.createObjectStore(name));
    request.onsuccess = () => {
      base = request.result;
      base.onversionchange = () => base.close();
      wake("store", 0, store);
      findOrphans();
    };
    request.onerror = () => wake("send", 50, send);
  } catch {
    base = null; // an opaque origin has no store: what is unsent dies with the document
    wake("send", 50, send);
  }
};

const inStore = (names, mode, work) => new Promise((resolve, reject) => {
  if (!base) return resolve(undefined);
  const transaction = base.transaction(names, mode, { durability: "relaxed" });
  const result = work(...names.map((name) => transaction.objectStore(name)));
  if (mode === "readwrite") transaction.commit(); // at once: this worker may be ended before an idle transaction would
  transaction.oncomplete = () => resolve(result && result.result);
  transaction.onerror = transaction.onabort = () => reject(transaction.error);
});

const store = () => {
  const fresh = queue.filter((event) => !event.stored);
  if (!fresh.length || !base) return;
  fresh.forEach((event) => { event.stored = true; });
  inStore(["events", "docs"], "readwrite", (events, docs) => {
    fresh.forEach((event) => events.put({ line: event.line, at: Date.now() }, [doc, event.n]));
    docs.put(JSON.stringify({ ...entry, last }), doc);
  }).catch(() => fresh.forEach((event) => { event.stored = false; }));
};

const forget = (id, upTo) => inStore(["events"], "readwrite", (events) => {
  events.delete(IDBKeyRange.bound([id, 0], [id, upTo]));
}).catch(() => undefined);

const waitingFor = () => left + (flushed ? 0 : 1);
const header = (entries) => JSON.stringify({ v: 1, sent: docClock(), rtt, left: waitingFor(), docs: entries });

const nextBatch = () => {
  const batch = [];
  let size = 0;
  for (const event of queue) {
    if (batch.length >= limit || size > maxChars) break;
    if (event.sent && clock() - event.sent < 5000) continue;
    batch.push(event);
    size += event.line.length;
  }
  return batch;
};

/** Headers and body of a post: packed where that is shorter. */
const packed = async (text) => {
  const headers = { "Content-Type": "application/x-ndjson" };
  if (typeof CompressionStream !== "function" || text.length < 100) return { headers, body: text };
  const plain = new Blob([text]);
  const body = await new Response(plain.stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
  return body.byteLength < plain.size ? { headers: { ...headers, "Content-Encoding": "deflate" }, body } : { headers, body: text };
};

const inLines = (entries, batch) => [header(entries), ...batch.map((event) => event.line)].join("\n") + "\n";

/** The batch in shorthand; "" where it has to go as lines, as one does that is looked through for what the server will not have. */
const inShorthand = (said, batch) => {
  if (asLines || limit < maxLines || misunderstood >= mostMisunderstood) return "";
  const { last: _, ...about } = said;
  const trip = rtt !== null && rtt < shortest ? rtt : null;
  try {
    return shorthand(said === heardEntry ? doc.slice(0, idChars) : about, batch, { last, left: waitingFor(), rtt: trip, sent: docClock() });
  } catch {
    misunderstood = mostMisunderstood; // whatever it was: lines say the same
    return "";
  }
};

const put = async (text) => {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), 15000);
  const from = clock();
  try {
    const reply = await fetch(endpoint, {
      method: "POST", credentials: "omit", cache: "no-store", signal: abort.signal,
      ...(await packed(text)),
    });
    const answer = reply.ok ? await reply.json() : null;
    if (reply.ok) rtt = Math.round((clock() - from) * 10) / 10;
    return { status: reply.status, answer, after: Number(reply.headers.get("Retry-After")) || 0 };
  } catch {
    return { status: 0, answer: null, after: 0 };
  } finally {
    clearTimeout(timer);
  }
};

const send = async () => {
  if (sending || !entry || state === "closed") return;
  if (clock() < waitUntil) return wake("send", waitUntil - clock() + 5, send);
  sending = true;
  sleep("send"); // what waits goes now
  told = left;
  const batch = nextBatch();
  lastPost = clock();
  const said = entry;
  const trip = rtt;
  const short = inShorthand(said, batch);
  const reply = await put(short || inLines([said === heardEntry ? { doc, last } : { ...said, last }], batch));
  sending = false;
  if (reply.status === 200) {
    heardEntry = said;
    if (trip !== null) shortest = Math.min(shortest, trip);
    heard(reply.answer, batch);
  } else {
    told = -1;
    if (short && reply.status >= 400 && reply.status < 500 && reply.status !== 410 && reply.status !== 429) spellOut();
    else refused(reply, batch);
  }
  if (queue.length && state !== "closed") wake("send", nextBatch().length ? sendDelay : 1000, send);
  wake("beat", beatEvery, beat);
};

/** The server does not understand, or there is something in the batch that it will not have: lines tell which. */
const spellOut = () => {
  asLines = true;
  misunderstood++;
  heardEntry = null;
  memory.clear();
  wake("send", 0, send);
};

const heard = (answer, batch) => {
  failures = 0;
  limit = maxLines;
  asLines = false;
  const sentAt = clock();
  batch.forEach((event) => { event.sent = sentAt; });
  const ack = (answer.ack || {})[doc];
  if (ack >= 0) {
    const kept = new Set(answer.refused.map((refusal) => refusal.n));
    batch.forEach((event) => event.n <= ack && !kept.has(event.n) && remember(event));
    queue = queue.filter((event) => event.n > ack);
    forget(doc, ack);
    postMessage({ ack });
  }
  changedTo(answer.state);
};

const changedTo = (now) => {
  if (now !== state) changed(now);
};

const changed = (now) => {
  state = now;
  postMessage({ state });
  if (state !== "closing") return;
  postMessage({ tick: true, flush: true });
  wake("orphans", 0, findOrphans);
};

const refused = (reply, batch) => {
  if (reply.status === 410) return changed("closed");
  if ((reply.status === 400 || reply.status === 413) && batch.length) {
    if (batch.length > 1) limit = Math.ceil(batch.length / 2);
    else setAside(batch[0], reply.status);
    return;
  }
  failures++;
  const backOff = reply.after ? reply.after * 1000 : Math.min(5000, 250 * 2 ** Math.min(failures, 5));
  waitUntil = clock() + backOff;
  wake("send", backOff + 5, send);
};

/** An event the server will not have alone either: kept in the store, out of the way of the others. */
const setAside = (event, status) => {
  queue = queue.filter((other) => other !== event);
  limit = maxLines;
  inStore(["events", "aside"], "readwrite", (events, aside) => {
    events.delete([doc, event.n]);
    aside.put({ line: event.line, status }, [doc, event.n]);
  }).catch(() => undefined);
  postMessage({ refused: 1 });
};

const beat = () => {
  postMessage({ tick: true, beat: true });
  if (clock() - lastPost >= beatEvery - 50 && !timers.send) send(); // what waits for its moment is a sign of life, too
  else wake("beat", beatEvery, beat);
};

/** What documents before us could not deliver, events and farewells: sent under their own names. */
const findOrphans = async () => {
  if (looking || !base || state === "closed") return;
  looking = true;
  try {
    await sendOrphans();
  } catch {
    // the store is busy or gone; the next look may find it
  }
  looking = false;
  if (left !== told) wake("send", state === "closing" ? 0 : 50, send); // the server waits for what is left
  wake("orphans", left && state === "closing" ? 200 : lookEvery, findOrphans);
};

const sendOrphans = async () => {
  const kept = await inStore(["events"], "readonly", (events) => events.getAllKeys(IDBKeyRange.upperBound([doc]), 1000));
  const more = await inStore(["events"], "readonly", (events) => events.getAllKeys(IDBKeyRange.lowerBound([doc, Infinity]), 1000));
  const said = await inStore(["docs"], "readonly", (docs) => docs.getAllKeys());
  const others = [...kept, ...more];
  const gone = said.filter((key) => key.endsWith("/closed")).map((key) => key.slice(0, -7));
  const ids = [...new Set([...others.map((key) => key[0]), ...gone])].filter((id) => id !== doc);
  left = ids.length;
  for (const id of ids) if (await sendOrphan(id, others.filter((key) => key[0] === id))) left--;
};

/** One document's: true once nothing of it is left. */
const sendOrphan = async (id, keys) => {
  const text = (await inStore(["docs"], "readonly", (docs) => docs.get(id + "/closed"))) || (await inStore(["docs"], "readonly", (docs) => docs.get(id)));
  const other = text ? JSON.parse(text) : { doc: id, tab: entry.tab, frame: "", last: -1, meta: { time_origin: null } };
  let size = keys.length;
  let from = 0;
  while (from < keys.length || !keys.length) {
    const mine = keys.slice(from, from + Math.min(size, maxLines));
    const found = mine.length ? await inStore(["events"], "readonly", (events) => events.getAll(IDBKeyRange.bound(mine[0], mine[mine.length - 1]))) : [];
    if (mine.length && state !== "closing" && Date.now() - found[0].at < orphanAge) return false; // its own page may be at it
    if (mine.length) other.last = Math.max(other.last, mine[mine.length - 1][1]);
    const reply = await put(inLines([{ ...entry, last }, other], found));
    if (reply.status === 410) changed("closed");
    const refusedAlone = (reply.status === 400 || reply.status === 413) && mine.length === 1;
    if ((reply.status === 400 || reply.status === 413) && mine.length > 1) {
      size = Math.ceil(mine.length / 2);
      continue;
    }
    if (reply.status !== 200 && !refusedAlone) return false;
    if (reply.answer) changedTo(reply.answer.state);
    await inStore(["events", "aside"], "readwrite", (events, aside) => mine.forEach((key, i) => {
      events.delete(key);
      if (refusedAlone) aside.put({ line: found[i].line, status: reply.status }, key);
    }));
    if (refusedAlone) postMessage({ refused: 1 });
    if (!keys.length) break;
    from += mine.length;
  }
  await inStore(["docs"], "readwrite", (docs) => [id, id + "/closed"].forEach((key) => docs.delete(key)));
  return true;
};

/** Events one after another, the first of them number `n`. */
const take = ({ n, events, last: newest }) => {
  events.forEach((event, i) => queue.push({ n: n + i, line: JSON.stringify(event), stored: false, sent: 0 }));
  last = Math.max(last, newest);
  wake("store", storeDelay, store);
  wake("send", state === "closing" ? 0 : heardEntry ? sendDelay : 50, send); // the first word soon: the server counts us from then
};

self.onmessage = ({ data }) => {
  if (data.start) {
    doc = data.doc;
    offset = performance.timeOrigin - data.timeOrigin;
    entry = JSON.parse(data.start);
    last = Math.max(last, entry.last);
    open();
    wake("send", 1000, send); // sooner once the store was looked at
  } else if (data.events) {
    wake("tick", data.tick, () => postMessage({ tick: true }));
    if (data.events.length) take(data);
  } else if (data.success) {
    fetch(endpoint + data.success, { method: "POST", credentials: "omit" }).then(({ ok }) => ok || postMessage({ untold: true }), () => postMessage({ untold: true }));
  } else if (data.entry) {
    entry = JSON.parse(data.entry);
    if (data.soon) wake("send", 0, send);
  } else if (data.drain) postMessage({ tick: true, flush: true }); // what the page holds back comes first, then "flush"
  else if (data.flush) {
    flushed = true;
    waitUntil = 0;
    wake("send", 0, send);
  }
};
self.addEventListener("online", () => {
  waitUntil = 0;
  wake("send", 0, send);
});
