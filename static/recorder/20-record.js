// The document's own list of events.
const doc = randomId();
const opened = now();
let n = 1; // event 0 is that of arrival, which may have to wait
let latest = opened; // p of the event before: the clock of a document never steps back
let stopped = false;
let gone = false; // it said farewell, and has not come back from the back-forward cache
let here = ""; // frame path of the event being handled, where it is not the document's own
let faults = 0;
let deliver = () => {};
const held = { __proto__: null }; // events that the server has not acknowledged, by n; none is changed once it is here
let lowest = 0;

const ourWords = any("type|origin|how|cause|effect|editable"); // fields whose values are none of the page's
/** JSON of plain data without any secret value, whatever the page did to toJSON, prototypes and iteration. */
const line = (value, field) => {
  if (typeof value === "string") return quote(ourWords[field] ? value : scrub(value));
  if (typeof value !== "object" || !value) return value - value === 0 ? "" + value : "null"; // a boolean less itself is 0 too
  let out = "";
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) out += (i ? "," : "") + line(value[i]);
    return "[" + out + "]";
  }
  const keys = keysOf(value);
  for (let i = 0; i < keys.length; i++) {
    const part = value[keys[i]];
    if (part !== undefined) out += (out ? "," : "") + quote(keys[i]) + ":" + line(part, keys[i]);
  }
  return "{" + out + "}";
};

const plain = (event) => parse(line(event)); // and without secrets
const clean = (event) => (struck.length ? plain(event) : event);
let namesTold = 0; // to the documents to come
let flagged = false; // the server knows that there is a secret here
const hold = (number, event) => {
  readSecrets();
  deliver(number, (held[number] = clean(event)));
  if (namesTold !== namesLearnt) tellNames();
  if (secretSince && !flagged) announce(true);
};

const originOf = (user) => (user ? "user" : "page");
/** Record an event, of the person (`user`) or the page. `p` is the input's own time on the document's clock; now where there is none. */
const record = (type, user, fields, p) => {
  if (stopped) return;
  settle();
  write(type, user, fields, p);
};

const write = (type, user, fields, p) => {
  if (gone) return;
  const at = turnTime();
  if (!(p > 0 && p <= at)) p = at;
  latest = max(latest, p);
  const event = { doc, n, p: tenth(latest), type, origin: originOf(user), frame: here, ...fields };
  event.frame ||= undefined; // the document's own
  hold(n++, event);
};

/** What the recorder cannot see; a fault of its own too, so that the trace stays honest. */
const blind = (reason, fields) => record("blind", false, { reason, ...fields });

const fault = (error) => {
  if (faults++ > 20) return;
  try {
    here = "";
    write("blind", false, { reason: "recorder fault", detail: shorten("" + (error && error.message), 200), at: shorten("" + (error && error.stack), 600) });
  } catch {
    // nothing left to say it with
  }
};

/** Run a piece of the recorder so that no exception can reach the page. */
const safely = (work, a, b) => {
  turn++;
  return guarded(work, a, b);
};
const guarded = (work, a, b) => {
  try {
    return work(a, b);
  } catch (error) {
    fault(error);
  }
};

const settled = (upTo) => {
  for (; lowest <= upTo; lowest++) delete held[lowest];
};

// Things that are known only a moment later (the click that a press did not get, what a key did to a text, the last of a
// scroll, whether a move opened something) are written before the next event, or when the worker's tick comes.
const unsettled = [];
let settling = false;
const isOpen = () => edited || skipped || pendingScroll || (press && press.move) || (entered && entered.moves.length) || !routes;
const settle = (ticking) => {
  if (settling || !(ticking || isOpen())) return;
  settling = true;
  for (let i = 0; i < unsettled.length; i++) guarded(unsettled[i], ticking);
  settling = false;
};
