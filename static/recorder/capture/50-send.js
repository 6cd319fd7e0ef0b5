// Delivery, behind the recorder's: batches at low priority, one at a time; at pagehide what fits beside the recorder's own.
const endpoint = location.origin + "/__footpath__/capture"; // whatever the base that the page gives its addresses
const sendEvery = 2000; // ms
const beatEvery = 5000; // ms after which a page that has nothing to say asks whether it goes on
const soonChars = 10000; // more than this is not left for later
const pieceChars = 500000;
const mostHeld = 24000000; // characters kept for a server that does not answer
const farewellBytes = 30000; // the browser lets all of a page's last words together have 64 KiB, the recorder's and its own
let lines = "";
let count = 0;
let made = -1; // number of the newest piece
let lost = 0;
let held = 0;
let sending = false;
let finalTold = false;
let heardAt = 0;
const pieces = []; // [{n, text, count}], the first is being sent

/** Take one event in. */
const take = (event) => {
  if (over) return;
  readSecrets();
  clean(event);
  event.timestamp = tenth(event.timestamp);
  const text = written(event);
  lines += "\n" + text;
  count++;
  if (held + lines.length > mostHeld) giveUp("the server did not answer for so long that nothing more could be kept");
  else if (lines.length > pieceChars) cut();
  if (lines.length > soonChars && !soon) {
    soon = true; // so that little is left to say at the end
    delayedAlways(() => {
      soon = false;
      cut();
      sendNext();
    }, 250);
  }
};
let soon = false;
const cut = () => {
  if (!lines) return;
  const piece = { n: ++made, text: lines, count, body: null, packing: null };
  pieces[pieces.length] = piece;
  piece.packing = pack(piece);
  held += lines.length;
  lines = "";
  count = 0;
};
const giveUp = (why) => {
  over = true;
  faultSaid = faultSaid || why;
};
const drop = (piece) => {
  lost += piece.count;
  held -= piece.text.length;
};

const header = (n, final) => written({ v: 1, page, n, time_origin: timeOrigin, url: placeOf(ownUrl()), lost, fault: faultSaid || undefined, final: final || undefined });
// The harness has an address of its own for last words, for of a browser that ends nobody can answer them.
const postBody = (body, last) => send(last && config.farewell ? config.farewell + "/capture" : endpoint, {
  __proto__: null, method: "POST", body, credentials: "omit", mode: last && config.farewell ? "no-cors" : "cors", priority: "low", keepalive: last,
  headers: { __proto__: null, "Content-Type": "text/plain" },
});

const BlobSaved = Blob;
const Packer = typeof CompressionStream === "function" ? CompressionStream : null;
const ReplySaved = Response;
const bytesOf = method(Response, "arrayBuffer");
const streamOf = method(Blob, "stream");
const pipe = method(ReadableStream, "pipeThrough");
const packed = (text) => bytesOf(new ReplySaved(pipe(streamOf(new BlobSaved([text])), new Packer("gzip"))));
/** Pack it at once, off this thread: at pagehide there is no time for that, and packed a page's first picture may fit. */
const pack = async (piece) => {
  const text = header(piece.n) + piece.text;
  try {
    piece.body = Packer && text.length > 1000 ? await packed(text) : text;
  } catch {
    piece.body = text; // the page has changed what packing needs
  }
};
const sizeOfBody = (body) => (typeof body === "string" ? byteLength(encode(body)) : lengthOf(body));
const lengthOf = getter(ArrayBuffer, "byteLength");

const sendNext = async () => {
  if (sending || dead || gone) return;
  const piece = pieces[0];
  const final = over && !piece;
  if (!piece && !(final ? !finalTold : now() - heardAt > beatEvery)) return;
  sending = true;
  let wait = 0;
  try {
    if (piece) await piece.packing;
    const reply = await postBody(piece ? piece.body : header(made, final), false);
    heardAt = now();
    if (reply.ok) {
      if (final) finalTold = dead = true;
      settlePiece(piece);
      if ((await jsonOf(reply)).state !== "open") finish();
    } else wait = refusedBy(reply.status, piece);
  } catch {
    wait = 3000;
  }
  sending = false;
  if (!dead && !gone && (pieces.length || (over && !finalTold))) delayedAlways(sendNext, wait);
};
const delayedAlways = (work, ms) => later(() => { try { work(); } catch (error) { note(error); } }, ms);
const settlePiece = (piece) => {
  if (piece && pieces[0] === piece) held -= pieces.shift().text.length;
};
/** The recording is being closed: what is here is the end of it. */
const finish = () => {
  if (over) return;
  look();
  cut();
  over = true;
};
const refusedBy = (status, piece) => {
  if (status === 404 || status === 410) dead = over = true;
  else if (status === 400 || status === 413) {
    if (piece) drop(pieces.shift());
    giveUp(status === 413 ? "the recording has no room for more of it" : "the server could not read a piece of it");
  } else return 3000;
  return 0;
};

let gone = false;
const farewell = () => {
  if (dead || gone) return;
  if (!over) look();
  cut();
  gone = true;
  let budget = farewellBytes;
  for (let i = 0; i < pieces.length; i++) {
    const body = pieces[i].body || header(pieces[i].n) + pieces[i].text;
    const size = sizeOfBody(body);
    if (size > budget) continue;
    budget -= size;
    quietly(postBody(body, true));
  }
  quietly(postBody(header(made, true), true)); // its number tells what did not fit
};
const quietly = (promise) => then(promise, () => {}, () => {});
