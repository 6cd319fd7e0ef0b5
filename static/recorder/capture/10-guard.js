// Nothing that goes wrong in here reaches the page or the recorder: it is told in the capture's own status.
const page = randomId();
const symbols = [Symbol(), Symbol()]; // where rrweb notes what it knows of a node: no name that a page would meet
const apply = method(Function, "apply");
const ObserverSaved = MutationObserver;
const cancel = clearTimeout.bind(window);
const stopWords = 5;
let faults = 0;
let faultSaid = "";
let over = false; // nothing is taken in any more
let dead = false; // nothing is sent any more

const note = (error) => {
  faults++;
  if (!faultSaid) faultSaid = sliceText("" + (error && error.message ? error.message : error), 0, 300);
  if (faults >= stopWords) over = true;
};
const guarded = (work) => function () {
  if (over) return undefined;
  try {
    return apply(work, this, arguments);
  } catch (error) {
    return note(error);
  }
};
const observed = { __proto__: null, capture: true, passive: true };
const listening = (target, type, work, options) => listen(target, type, guarded(work), options || observed);
const Observer = function (work) {
  return new ObserverSaved(guarded(work));
};
const delayed = (work, ms) => later(guarded(work), ms);
// rrweb asks this clock for the time, so that its events have the recorder's: ms since the page load began.
const clock = { __proto__: null, now };
const voice = { __proto__: null, warn: (said) => { if (said instanceof Error) note(said); }, error: () => {} };
