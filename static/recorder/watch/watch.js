// Watches for success, where the page is what says it: `sought` is a CSS selector, or a function that is true once the task is
// done. What the server is told waits until the gesture in progress is over and recorded, for it may end the attempt.
{
  let holding = 0; // pointer buttons and keys that are down
  let quietAt = -1e9; // when the last gesture ended
  let heldAt = 0;
  let told = false;
  let due = false;
  const PAUSE = 180; // what a gesture brings with it (the click after a release) comes within this
  const STUCK = 3000; // a release that never came, for the page had taken its element away

  const visible = () => {
    const all = queryAll[9](document, sought);
    for (let i = 0; i < all.length; i++) if (checkVisibility(all[i])) return true;
    return false;
  };
  const holds = () => {
    try {
      return typeof sought === "string" ? visible() : !!sought();
    } catch {
      return false; // not so far that it could be asked
    }
  };

  const untold = () => { told = !told; }; // it is told anew with the next look
  const tellServer = (success, leaving) => {
    if (stopped) return;
    told = success;
    settle(true);
    const query = "?success=" + (success ? 1 : 0);
    // A page that goes away ends its worker; one that stays may forbid its own thread to connect anywhere.
    if (worker && !leaving) return tell({ success: query });
    then(send(endpoint + query, {
      __proto__: null, method: "POST", keepalive: true, credentials: "omit", mode: "cors", body: "",
    }), (reply) => { if (!reply.ok) untold(); }, untold);
  };

  const busy = () => {
    const at = now();
    if (drag) return at - heldAt < STUCK;
    if (holding > 0 && at - heldAt < STUCK) return true;
    return at - quietAt < PAUSE;
  };
  const look = () => {
    if (stopped) return;
    const success = holds();
    if (success !== told && !busy()) tellServer(success);
  };
  const lookSoon = () => {
    if (due) return;
    due = true;
    later(() => { due = false; safely(look); }, 40);
  };

  const held = () => { holding++; heldAt = now(); };
  const released = () => { holding = 0; quietAt = now(); lookSoon(); };
  const began = ["pointerdown", "keydown", "dragstart"];
  const ended = ["pointerup", "keyup", "dragend", "drop"];
  for (let i = 0; i < began.length; i++) listen(window, began[i], (e) => { if (e.isTrusted) held(); }, { capture: true, passive: true });
  for (let i = 0; i < ended.length; i++) listen(window, ended[i], (e) => { if (e.isTrusted) released(); }, { capture: true, passive: true });
  listen(window, "mousemove", (e) => { if (e.isTrusted && holding && !buttonsOf(e)) released(); }, { capture: true, passive: true });
  listen(window, "pagehide", () => safely(() => { if (holds() && !told) tellServer(true, true); }), true);
  listen(document, "visibilitychange", () => safely(() => { const success = holds(); if (success !== told) tellServer(success, true); }), true);

  if (worker) listen(worker, "message", (e) => { if (dataOf(e).untold) untold(); });
  new MutationObserver(lookSoon).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const round_ = () => {
    safely(look);
    if (!stopped) later(round_, 250);
    else if (ends && told) location.reload(); // the recording is over: the gateway answers with a page that closes the tab
  };
  later(round_, 60);
}
