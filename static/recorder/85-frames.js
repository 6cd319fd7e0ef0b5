// Frames. Those with a document of their own have their own recorder; `about:blank` and `srcdoc` are listened to from here.
const attached = new WeakMap(); // window -> its listeners, one for each of `types`
const types = keysOf(handlers);
const passive = { __proto__: null, capture: true, passive: true };

const listenerFor = (type, frame, offset) => {
  const handle = handlers[type];
  const wantsElement = handle.length > 3; // such a handler wants no event without one
  const meets = type === "pointerover" || type === "focus" || type === "pointerdown";
  return (e) => {
    if (stopped) return;
    turn++;
    const outer = here;
    here = frame;
    const real = e.isTrusted;
    try {
      if (fields.length) readSecrets();
      const el = wantsElement && deepTarget(e);
      if (el !== null) handle(e, timeStampOf(e) + offset, real, el);
      if (el && meets) noteBlind(el, type);
    } catch (error) {
      if (real) fault(error); // a page may dispatch anything under any name
    }
    here = outer;
  };
};

/** Adding the same listener again changes nothing, so this may be called whenever the page may have dropped it. */
const listenAll = (win, frame) => {
  let listeners = mapGet(attached, win);
  if (!listeners) {
    const offset = win === window ? 0 : win.performance.timeOrigin - timeOrigin;
    mapSet(attached, win, (listeners = mapped(types, (type) => listenerFor(type, frame, offset))));
  }
  mapped(types, (type, i) => listen(type === "visibilitychange" ? win.document : win, type, listeners[i], passive));
  listen(win.document, "load", onLoad, passive);
};

const onLoad = (e) => safely(() => {
  const el = targetOf(e);
  if (isElement(el) && isFrame(el)) meetFrame(el);
});
const isFrame = (el) => tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME";

const insideOf = tried((el) => (tagNameOf(el) === "IFRAME" ? contentDocumentOf(el) : el.contentDocument));

const meetFrame = (el) => {
  const inside = insideOf(el);
  const win = inside && defaultViewOf(inside);
  if (!win) return foreignFrame(el);
  const protocol = win.location.protocol;
  if (protocol !== "about:" && protocol !== "blob:" && protocol !== "data:") return;
  const known = mapHas(attached, win);
  const frame = pathOfWindow(win);
  listenAll(win, frame);
  if (!known) standIns(win, frame);
};

const ownOrigin = location.origin + "/";
const foreignFrame = (el) => {
  const url = tagNameOf(el) === "IFRAME" ? srcOf(el) : attribute(el, "src") || "";
  const box = attribute(el, "sandbox");
  const mute = box !== null && indexOf(lower(box), "allow-scripts") < 0;
  if (!mute && indexOf(url, config.everywhere ? "http" : ownOrigin) === 0) return; // sandboxed or not, it has its own recorder
  if (mute && (indexOf(url, "http") || !indexOf(url, ownOrigin))) secretSince ||= now(); // what is typed in it comes to us, and nobody tells
  blindOnce(el, mute ? "frame without scripts" : "cross-origin frame", { url: safeUrl(attribute(el, "src") || "") });
};

// A frame in a shadow root tells nobody outside that it has loaded: it is met when the pointer or the focus comes to it.
const noteBlind = (el, type) => {
  if (isFrame(el)) return meetFrame(el);
  if (type === "focus" ? hidesFocus(el) : type === "pointerdown" && hidesAll(el)) blindOnce(el, "closed shadow root");
};

// An element that cannot have the focus has it: what has it is in a shadow root of its that nobody may see.
const mayHost = /-|^(ARTICLE|ASIDE|BLOCKQUOTE|DIV|FOOTER|H\d|HEADER|MAIN|NAV|P|SECTION|SPAN)$/;
const hidesFocus = (el) => test(mayHost, tagNameOf(el)) && !shadowRootOf(el) && !hasAttribute(el, "tabindex") && !isEditable(el) && !contextOf(el) && !scrollable(el);
const scrollable = (el) => scrollHeightOf(el) > clientHeightOf(el) || scrollWidthOf(el) > clientWidthOf(el); // those take it too
// A custom element that was pressed and shows no open shadow root and no content of its own hides what is in it.
const hidesAll = (el) => indexOf(tagNameOf(el), "-") > 0 && !shadowRootOf(el) && childElementCountOf(el) === 0 && !firstChildOf(el);
