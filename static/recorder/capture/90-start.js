// Begin: the secrets are watched from the first moment; rrweb's recorder is made (`make`) when the document is there and the
// browser has time.
const whenIdle = window.requestIdleCallback ? requestIdleCallback.bind(window) : (work) => later(work, 1);
const choices = {
  inlineStylesheet: true, recordCanvas: false, inlineImages: false, collectFonts: false,
  slimDOMOptions: { script: true, comment: true, headFavicon: true, headMetaSocial: true, headMetaRobots: true, headMetaHttpEquiv: true, headMetaVerification: true, headMetaAuthorship: true, headMetaDescKeywords: true },
};
let stopRecording = null;

const look = guarded(() => {
  if (!mirror) return;
  readSecrets();
  lookAtFields();
  lookAtSheets();
});
const emit = guarded((event) => {
  take(event);
  if (sheetsCame) lookAtSheets();
});

const tick = () => {
  try {
    if (!gone) {
      look();
      cut();
    }
    nextAsset();
    sendNext();
    if (over && stopRecording) stopOnce();
  } catch (error) {
    note(error);
  }
  if (!dead) later(tick, sendEvery);
};
const stopOnce = () => {
  const stop = stopRecording;
  stopRecording = null;
  stop();
};

const start = guarded(() => {
  const record = make(listening, Observer, delayed, cancel, clock, voice, symbols[0], symbols[1]);
  mirror = record.mirror;
  fieldsIn(document);
  stopRecording = record({ emit, ...choices });
  look();
});
const begin = () => {
  start();
  cut();
  sendNext();
  later(tick, sendEvery);
};

guarded(() => {
  watchSecrets(document);
  listening(document, "load", (e) => {
    const el = targetOf(e);
    if (!mirror || nodeTypeOf(el) !== 1) return;
    if (tagNameOf(el) === "IMG" && el.currentSrc) noteAsset(el.currentSrc);
    if (tagNameOf(el) === "LINK") onSheetLoad(el);
  });
  listening(document, "securitypolicyviolation", (e) => { // a policy in a <meta>: asked again and again it would be told each time
    if (e.isTrusted && indexOf(e.blockedURI, endpoint) === 0) over = dead = true;
  });
  listen(window, "pagehide", () => { try { farewell(); } catch (error) { note(error); } }, observed);
  listen(window, "pageshow", (e) => { if (persistedOf(e)) gone = false; }, observed);
  listen(document, "visibilitychange", () => { if (!gone) { cut(); sendNext(); } }, observed);
  listen(document, "DOMContentLoaded", () => whenIdle(begin, { timeout: 300 }), observed);
})();
