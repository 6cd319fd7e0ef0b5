// Frames. Those with a document of their own have their own recorder; `about:blank` and `srcdoc` are listened to from here.
const attached = new WeakMap(); // window -> its listener
const framesSeen = new WeakSet();
const types = keysOf(handlers);
const passive = { __proto__: null, capture: true, passive: true };

const listenerOf = (win, frame, offset) => (e) => {
  if (stopped) return;
  const outer = here;
  here = frame;
  const at = get.timeStamp(e) + offset;
  try {
    const type = get.type(e);
    handlers[type](e, at);
    if (type === "pointerover" || type === "focus" || type === "pointerdown") noteBlind(e, type);
  } catch (error) {
    if (e.isTrusted) fault(error); // a page may dispatch anything under any name
  }
  here = outer;
};

/** Adding the same listener again changes nothing, so this may be called whenever the page may have dropped it. */
const listenAll = (win, frame) => {
  let listener = mapGet(attached, win);
  if (!listener) {
    const offset = win === window ? 0 : win.performance.timeOrigin - timeOrigin;
    mapSet(attached, win, (listener = listenerOf(win, frame, offset)));
  }
  for (let i = 0; i < types.length; i++) listen(types[i] === "visibilitychange" ? win.document : win, types[i], listener, passive);
  listen(win.document, "load", onLoad, passive);
};

const onLoad = (e) => safely(() => {
  const el = get.target(e);
  if (isElement(el) && isFrame(el)) meetFrame(el);
});
const isFrame = (el) => get.tagName(el) === "IFRAME" || get.tagName(el) === "FRAME";

const meetFrame = (el) => {
  let inside = null;
  try {
    inside = get.tagName(el) === "IFRAME" ? get.contentDocument(el) : el.contentDocument;
  } catch {
    inside = null;
  }
  const win = inside && get.defaultView(inside);
  if (!win) return foreignFrame(el);
  const protocol = win.location.protocol;
  if (protocol !== "about:" && protocol !== "blob:" && protocol !== "data:") return;
  const known = mapHas(attached, win);
  listenAll(win, pathOfWindow(win));
  if (known) return;
  const kinds = ["alert", "confirm", "prompt"];
  for (let i = 0; i < 3; i++) standIn(win, kinds[i], pathOfWindow(win));
};

const ownOrigin = location.origin + "/";
const foreignFrame = (el) => {
  if (config.everywhere || setHas(framesSeen, el)) return;
  if (get.tagName(el) === "IFRAME" && indexOf(get.src(el), ownOrigin) === 0) return; // sandboxed: it has its own recorder
  setAdd(framesSeen, el);
  blind("cross-origin frame", { target: describe(el, false), url: safeUrl(attribute(el, "src") || "") });
};

// A frame in a shadow root tells nobody outside that it has loaded: it is met when the pointer or the focus comes to it.
const noteBlind = (e, type) => {
  const el = deepTarget(e);
  if (!el) return;
  if (isFrame(el)) return meetFrame(el);
  if (!(type === "focus" ? hidesFocus(el) : type === "pointerdown" && hidesAll(el)) || setHas(framesSeen, el)) return;
  setAdd(framesSeen, el);
  blind("closed shadow root", { target: describe(el, false) });
};

// An element that cannot have the focus has it: what has it is in a shadow root of its that nobody may see.
const mayHost = /-|^(ARTICLE|ASIDE|BLOCKQUOTE|DIV|FOOTER|H\d|HEADER|MAIN|NAV|P|SECTION|SPAN)$/;
const hidesFocus = (el) => test(mayHost, get.tagName(el)) && !get.shadowRoot(el) && !hasAttribute(el, "tabindex") && !isEditable(el) && !contextOf(el) && !scrollable(el);
const scrollable = (el) => get.scrollHeight(el) > get.clientHeight(el) || get.scrollWidth(el) > get.clientWidth(el); // those take it too
// A custom element that was pressed and shows no open shadow root and no content of its own hides what is in it.
const hidesAll = (el) => indexOf(get.tagName(el), "-") > 0 && !get.shadowRoot(el) && get.childElementCount(el) === 0 && !get.firstChild(el);
