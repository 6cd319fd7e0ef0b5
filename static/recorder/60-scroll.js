// Scrolls per container, at most ten a second each; the last of a burst is written with the next event or at scrollend.
const places = new WeakMap(); // container -> where it was last: [left, top]
let pendingScroll = null;
const scrolledEarly = []; // containers that the page had scrolled before the person did anything
let pageScrolled = false; // the document itself
let scrolledSince = false; // the last word about all this
let wheel = { at: -1e9, el: null };
let userScroll = { at: -1e9, el: null };
const scrollKeys = any("ArrowUp|ArrowDown|ArrowLeft|ArrowRight|PageUp|PageDown|Home|End| ");

handlers.wheel = (e, p, real, el) => {
  if (!real) return;
  wheel = { at: p, el };
  if (press && press.up) settle();
};
handlers.touchmove = handlers.wheel;
const noteScrollKey = (key, el, p) => {
  if (scrollKeys[key]) wheel = { at: p, el };
};

const placeOf = (el, root) => (root ? rootPlace(el) : [scrollLeftOf(el), scrollTopOf(el)]);
const rootPlace = (el) => {
  const scroller = scrollingElementOf(ownerDocumentOf(el)) || el;
  return [scrollLeftOf(scroller), scrollTopOf(scroller)];
};

const byPerson = (el, p) => {
  const continues = userScroll.el === el && p - userScroll.at < 160;
  const wheeled = wheel.el && p - wheel.at < 400 && (contains(el, wheel.el) || isConnected(wheel.el) === false);
  const dragged = press && !press.up && (press.bar || press.button === 1 || contains(el, press.el));
  return continues || wheeled || !!dragged;
};

handlers.scroll = (e, p, real) => {
  const node = targetOf(e);
  const root = nodeTypeOf(node) === 9;
  const el = root ? documentElementOf(node) : node;
  if (!el) return;
  const user = real && byPerson(el, p);
  if (user) userScroll = { at: p, el };
  if (pendingScroll && (pendingScroll.el !== el || pendingScroll.user !== user)) flushScroll();
  if (!pendingScroll) pendingScroll = { el, root, user, since: p, p, frame: here };
  pendingScroll.p = p;
  if (p - pendingScroll.since >= 100) flushScroll();
  else askTick(250);
};
handlers.scrollend = () => flushScroll();

const flushScroll = () => {
  const was = pendingScroll;
  if (!was) return;
  pendingScroll = null;
  const place = placeOf(was.el, was.root);
  const earlier = mapGet(places, was.el);
  const old = earlier || [0, 0];
  mapSet(places, was.el, place);
  const dx = tenth(place[0] - old[0]);
  const dy = tenth(place[1] - old[1]);
  if (!dx && !dy) return;
  if (!gesture && !was.frame && scrolledEarly.length < 20 && !earlier) {
    if (was.root) pageScrolled = true;
    else scrolledEarly[scrolledEarly.length] = was.el;
    scrolledSince = true;
  }
  write("scroll", was.user, { frame: was.frame, target: describeAgain(was.el), dx, dy, left: tenth(place[0]), top: tenth(place[1]) }, was.p);
};
unsettled[unsettled.length] = (ticking) => {
  if (pendingScroll && (ticking !== true || now() - pendingScroll.since >= 100)) flushScroll();
};
