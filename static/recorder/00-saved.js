// Built-ins as the browser gave them: all later code goes through these, for a page may change any of them.
if (location.protocol !== "http:" && location.protocol !== "https:") return; // a parent's recorder listens in about:blank
let undefined; // our own: the minifier would write `0[0]`, which a page may give a meaning
const script = document.currentScript;
const config = typeof BOOT === "object" ? BOOT : { worker: script.dataset.worker };
if (typeof BOOT !== "object") script.remove();

const { bind, call } = Function.prototype;
const uncurry = bind.bind(call);
const own = Object.getOwnPropertyDescriptor;
const keysOf = Object.keys;
const isArray = Array.isArray;
const quote = JSON.stringify; // of strings only: it would call the page's toJSON on anything else
const parse = JSON.parse;
const { min, max, abs, round } = Math;
const method = (type, name) => uncurry(type.prototype[name]);
const toNumber = parseFloat;
const lookUp = uncurry({}.__lookupGetter__); // makes the getter alone, where a descriptor would make the setter too
const getter = (type, name) => uncurry(lookUp(type.prototype, name) || (() => {})); // where the browser has no such thing: undefined
/** What `make` gives for each of a list, of 500 at most. */
const mapped = (list, make) => {
  const out = [];
  for (let i = 0; i < list.length && i < 500; i++) out[i] = make(list[i], i);
  return out;
};
/** A getter that gives undefined where what it is asked about has no such thing. */
const tried = (get) => (of) => {
  try {
    return get(of);
  } catch {
    return;
  }
};
/** Getters of a type, named in one text. */
const saved = (type, names) => mapped(names.split(" "), (name) => getter(type, name));
const [targetOf, timeStampOf] = saved(Event, "target timeStamp");
const [detailOf] = saved(UIEvent, "detail");
const [xOf, yOf, buttonOf, buttonsOf, relatedTargetOf] = saved(MouseEvent, "clientX clientY button buttons relatedTarget");
const [pointerTypeOf] = saved(PointerEvent, "pointerType");
const [keyNameOf, codeOf, repeatOf] = saved(KeyboardEvent, "key code repeat");
const [editTypeOf, inputDataOf] = saved(InputEvent, "inputType data");
const keyIn = tried(keyNameOf); // browsers that fill in give events that are none of these; those of a frame's are of its own realm
const editTypeIn = tried(editTypeOf);
const frameElementOf = uncurry(lookUp(window, "frameElement"));
const [parentNodeOf, firstChildOf, nextSiblingOf, nodeTypeOf, nodeValueOf, textContentOf, ownerDocumentOf, isConnected] = saved(Node, "parentNode firstChild nextSibling nodeType nodeValue textContent ownerDocument isConnected");
const [idOf, htmlNameOf, localNameOf, namespaceURIOf, shadowRootOf, previousElementOf, nextElementOf, parentElementOf, scrollTopOf, scrollLeftOf, scrollWidthOf, scrollHeightOf, clientWidthOf, clientHeightOf, clientLeftOf, clientTopOf, childElementCountOf] = saved(Element, "id tagName localName namespaceURI shadowRoot previousElementSibling nextElementSibling parentElement scrollTop scrollLeft scrollWidth scrollHeight clientWidth clientHeight clientLeft clientTop childElementCount");
const [isContentEditable, innerTextOf, editContextOf] = saved(HTMLElement, "isContentEditable innerText editContext");
const isEditable = tried(isContentEditable); // of HTML alone, and so is the next
const contextOf = tried(editContextOf);
const contextText = typeof EditContext === "function" ? getter(EditContext, "text") : () => "";
const [visibilityStateOf, titleOf, styleSheetsOf, documentElementOf, bodyOf, scrollingElementOf, defaultViewOf] = saved(Document, "visibilityState title styleSheets documentElement body scrollingElement defaultView");
const [shadowHostOf] = saved(ShadowRoot, "host");
const [selectedIndexOf, multipleOf, selectSizeOf, optionsOf, selectedOptionsOf] = saved(HTMLSelectElement, "selectedIndex multiple size options selectedOptions");
const [labelTextOf] = saved(HTMLOptionElement, "label");
const [labelledOf] = saved(HTMLLabelElement, "control");
const [startContainerOf, startOffsetOf, endContainerOf, endOffsetOf] = saved(Range, "startContainer startOffset endContainer endOffset");
const [isCollapsed, rangeCountOf] = saved(Selection, "isCollapsed rangeCount");
const [checkedOf, filesOf] = saved(HTMLInputElement, "checked files");
const [contentDocumentOf, srcOf] = saved(HTMLIFrameElement, "contentDocument src");
const closedData = getter(CompositionEvent, "data");
const clipboardOf = getter(ClipboardEvent, "clipboardData");
const submitterOf = getter(SubmitEvent, "submitter");
const dataOf = getter(MessageEvent, "data");
const transferOf = getter(DragEvent, "dataTransfer");
const persistedOf = getter(PageTransitionEvent, "persisted");
const values = {
  INPUT: getter(HTMLInputElement, "value"),
  TEXTAREA: getter(HTMLTextAreaElement, "value"),
  SELECT: getter(HTMLSelectElement, "value"),
};
const inputTypeOf = getter(HTMLInputElement, "type");
const labels = {
  __proto__: null, INPUT: getter(HTMLInputElement, "labels"), BUTTON: getter(HTMLButtonElement, "labels"), SELECT: getter(HTMLSelectElement, "labels"),
  TEXTAREA: getter(HTMLTextAreaElement, "labels"), METER: getter(HTMLMeterElement, "labels"), PROGRESS: getter(HTMLProgressElement, "labels"),
  OUTPUT: getter(HTMLOutputElement, "labels"),
};
const selectionEnds = {
  INPUT: [getter(HTMLInputElement, "selectionStart"), getter(HTMLInputElement, "selectionEnd")],
  TEXTAREA: [getter(HTMLTextAreaElement, "selectionStart"), getter(HTMLTextAreaElement, "selectionEnd")],
};
const attribute = method(Element, "getAttribute");
const hasAttribute = method(Element, "hasAttribute");
const matchesSelector = method(Element, "matches");
const closest = method(Element, "closest");
const boxOf = method(Element, "getBoundingClientRect");
const computedStyle = getComputedStyle.bind(window);
const styleValue = method(CSSStyleDeclaration, "getPropertyValue");
const checkVisibility = method(Element, "checkVisibility");
const queryIn = method(Element, "querySelector");
const contains = method(Node, "contains");
const rootOf = method(Node, "getRootNode");
const queryAll = {
  9: method(Document, "querySelectorAll"),
  11: method(DocumentFragment, "querySelectorAll"),
};
const atPoint = method(Document, "elementFromPoint");
const selectionOf = method(Document, "getSelection");
const listen = method(EventTarget, "addEventListener");
const pathOf = method(Event, "composedPath");
const modifierOf = { mouse: method(MouseEvent, "getModifierState"), key: method(KeyboardEvent, "getModifierState") };
const textOfTransfer = method(DataTransfer, "getData");
const upper = method(String, "toUpperCase");
const tagNameOf = document.contentType === "text/html" ? htmlNameOf : (el) => upper(localNameOf(el)); // XHTML keeps names as written
const escapeCss = CSS.escape;
const sliceText = method(String, "slice");
const indexOf = method(String, "indexOf");
const splitText = method(String, "split");
const lower = method(String, "toLowerCase");
const charCode = method(String, "charCodeAt");
const test = method(RegExp, "test");
const mapGet = method(WeakMap, "get");
const mapSet = method(WeakMap, "set");
const mapHas = method(WeakMap, "has");
const setAdd = method(WeakSet, "add");
const setHas = method(WeakSet, "has");
const perf = performance;
const perfNow = uncurry(perf.now);
const now = () => perfNow(perf);
let turn = 0; // counts the times the browser calls the recorder: within one nothing of the page changes; 0 where nobody counts
let lookedAtClock = { turn: -1, at: 0 };
/** The time as it was first asked for in this turn: the browser's clock is dear. */
const turnTime = () => {
  if (lookedAtClock.turn !== turn) lookedAtClock = { turn, at: now() };
  return lookedAtClock.at;
};
const timeOrigin = perf.timeOrigin;
const isClosed = lookUp(window, "closed").bind(window);
const createPolicy = window.trustedTypes && trustedTypes.createPolicy.bind(trustedTypes);
const post = method(Worker, "postMessage");
const send = fetch.bind(window);
const later = setTimeout.bind(window);
const then = method(Promise, "then");
const jsonOf = method(Response, "json");
const encode = bind.call(TextEncoder.prototype.encode, new TextEncoder());
const byteLength = getter(Object.getPrototypeOf(Uint8Array), "length");
const routes = window.navigation || null;
const idb = window.indexedDB || null;
const openBase = idb && method(IDBFactory, "open");
/** A set of names, `names[name]`; asking it is much cheaper than a first test of a regular expression. */
const any = (names) => {
  const found = { __proto__: null };
  mapped(splitText(names, "|"), (name) => (found[name] = true));
  return found;
};
const buttonTypes = any("button|submit|reset|image");
const boxTypes = any("checkbox|radio");
const ownUrl = () => location.href; // unforgeable in every browser

/** A random id of 96 bits, drawn from crypto only: a page may count on its own Math.random. Called at the start alone. */
const randomId = () => crypto.getRandomValues(new Uint32Array(3)).join("-");
const tenth = (x) => round(x * 10) / 10;
