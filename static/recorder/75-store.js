// The origin's IndexedDB, from the main thread: only for what cannot wait for the worker, because the document goes away:
// the note for the document that comes next, and events that no worker has stored yet.
const baseName = "\u2060fp\u2060";
let base = null;
const transactionOf = idb && method(IDBDatabase, "transaction");
const storeOf = idb && method(IDBTransaction, "objectStore");
const commit = idb && method(IDBTransaction, "commit");
const putIn = idb && method(IDBObjectStore, "put");
const getIn = idb && method(IDBObjectStore, "get");
const deleteIn = idb && method(IDBObjectStore, "delete");
const keysIn = idb && method(IDBObjectStore, "getAllKeys");
const createStore = idb && method(IDBDatabase, "createObjectStore");
const resultOf = idb && getter(IDBRequest, "result");

const openStore = (ready) => {
  if (!idb) return ready();
  let request;
  try {
    request = openBase(idb, baseName, 1);
  } catch {
    return ready(); // an opaque origin has no store
  }
  listen(request, "upgradeneeded", () => {
    const made = resultOf(request);
    createStore(made, "events");
    createStore(made, "docs");
    createStore(made, "notes");
    createStore(made, "aside");
  });
  listen(request, "success", () => safely(() => ready((base = resultOf(request)))));
  listen(request, "error", () => safely(ready));
  listen(request, "blocked", () => safely(ready));
};

const writing = (names) => transactionOf(base, names, "readwrite", { durability: "relaxed" });

/** A list of names that the page's own idea of iterating over lists cannot spoil. */
const eventsAndDocs = {
  __proto__: null,
  [Symbol.iterator]: () => {
    let i = 0;
    return { __proto__: null, next: () => ({ __proto__: null, done: i > 1, value: i++ ? "docs" : "events" }) };
  },
};

/** All or nothing: `entries` are [store, key, value]. */
const putAll = (names, entries) => {
  if (!base) return;
  const transaction = writing(names);
  for (let i = 0; i < entries.length; i++) putIn(storeOf(transaction, entries[i][0]), entries[i][2], entries[i][1]);
  commit(transaction); // at once: the document may be gone before an idle transaction would
};

/** Tell the next document of this tab why it is loaded. */
const leave = (note) => putAll("notes", [["notes", note.key + ownFrame, { ...note, at: timeOrigin + now() }]]);

/** Tell the documents to come, in whatever tab, which parameters are secret. */
const tellNames = () => {
  if (!base) return;
  namesTold = namesLearnt;
  putAll("notes", mapped(keysOf(secretNames), (name) => ["notes", "?" + secretNames[name] + name, 1]));
};

/** What documents before told: which parameters are secret, and the note of the last, if it is about this load. */
const readNotes = (key, found) => {
  if (!base) return found();
  const store = storeOf(writing("notes"), "notes");
  const names = keysIn(store);
  const request = getIn(store, key + ownFrame);
  deleteIn(store, key + ownFrame); // it was about this load alone
  listen(request, "success", () => {
    const note = resultOf(request);
    safely(() => mapped(resultOf(names), (told) => told[0] === "?" && learnName(sliceText(told, 2), +told[1])));
    safely(found, note && abs(timeOrigin + now() - note.at) < 60000 ? note : undefined);
  });
  listen(request, "error", () => safely(found));
};

/** Back from the back-forward cache: the farewell was none. */
const forgetFarewell = () => {
  if (base) deleteIn(storeOf(writing("docs"), "docs"), doc + "/closed");
};
