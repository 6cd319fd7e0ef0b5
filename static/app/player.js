// The moment that is looked at: the cursor on the timeline, the picture before the step, the rows; playing, speed, skipping idle.
(() => {
  const watch = document.getElementById("watch");
  if (!watch) return;
  const element = (id) => document.getElementById(id), data = (id) => JSON.parse(element(id).textContent);
  const ends = +watch.dataset.ends, firsts = data("bin-firsts"), steps = data("step-times"), idle = data("idle-stretches");
  const track = element("track"), cursor = element("cursor"), now = element("now"), play = element("play"), stage = element("stage");
  const { raw, steps: list } = window.lists;
  let t = 0, playing = 0, shown = -1, frames = null;

  const clock = (ms) => {
    const tenths = Math.round(ms / 100);
    return `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
  };
  // The last place whose time is not after t; -1 before the first.
  const upTo = (times, limit) => {
    let low = 0, high = times.length;
    while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= limit) low = middle + 1; else high = middle; }
    return low - 1;
  };

  function set(ms, { follow = true } = {}) {
    t = Math.max(0, Math.min(ends, ms));
    cursor.style.left = `${(100 * t) / ends}%`;
    now.textContent = clock(t);
    track.setAttribute("aria-valuenow", Math.round(t));
    track.setAttribute("aria-valuetext", clock(t));
    const step = upTo(steps, t + 0.5);
    if (follow) {
      if (raw) raw.mark(Math.min(firsts[Math.min(firsts.length - 1, Math.floor((firsts.length * t) / ends))], raw.total - 1));
      if (list && step !== list.chosen) list.mark(step);
    }
    // The picture is of the moment before a step: from the step on, the next one's shows what came of it.
    picture(Math.max(0, step));
    if (!seenLeads) captured()?.show(t, { playing: !!playing, speed: +element("speed").value });
  }

  // As the person saw it: a document of its own in a frame, which is loaded when it is first looked at.
  const seen = element("seen");
  let frame = null, seenLeads = false; // it is playing by itself and tells the time
  const captured = () => (frame && !seen.hidden ? frame.contentWindow?.seen : undefined);
  function view(capture) {
    for (const [name, chosen] of [["pictures", !capture], ["seen", capture]]) {
      element(`show-${name}`).setAttribute("aria-selected", chosen);
      element(`show-${name}`).tabIndex = chosen ? 0 : -1;
    }
    stage.hidden = capture;
    seen.hidden = !capture;
    const missing = element("seen-missing");
    if (missing) missing.hidden = !capture;
    if (capture && !frame && seen.dataset.player) {
      frame = document.createElement("iframe");
      frame.title = "As the person saw it";
      frame.src = seen.dataset.player;
      seen.replaceChildren(frame);
    }
    seenLeads = false;
    set(t, { follow: false });
  }
  if (seen) {
    element("show-pictures").addEventListener("click", () => view(false));
    element("show-seen").addEventListener("click", () => view(seen.hidden));
    seen.parentElement.querySelector(".tabs").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      view(seen.hidden);
      element(seen.hidden ? "show-pictures" : "show-seen").focus();
    });
    addEventListener("seen-ready", () => set(t, { follow: false }));
    addEventListener("seen-go", ({ detail: at }) => { set(at ?? t); keep(); });
  }

  async function picture(step) {
    if (step === shown || !watch.dataset.frames) return;
    shown = step;
    frames ||= fetch(watch.dataset.frames).then((reply) => (reply.ok ? reply.json() : { frames: [] })).then((found) => found.frames);
    const all = await frames, frame = all.filter((one) => one.index <= step).at(-1);
    if (shown !== step || !frame) return;
    let image = stage.querySelector("img"), caption = stage.querySelector("figcaption");
    if (!image) {
      image = document.createElement("img");
      caption = document.createElement("figcaption");
      caption.className = "small soft";
      stage.replaceChildren(image, caption);
    }
    image.src = `${watch.dataset.pictures}${frame.before}/`;
    image.alt = `The page before step ${frame.index + 1}`;
    caption.textContent = `Before step ${frame.index + 1}, as the replay saw it${frame.outcome === "done" ? "" : `: ${frame.outcome}`}`;
    const next = all.find((one) => one.index > step);
    if (next) new Image().src = `${watch.dataset.pictures}${next.before}/`;
  }

  function stop() {
    if (playing) cancelAnimationFrame(playing);
    playing = 0;
    seenLeads = false;
    captured()?.show(t);
    play.setAttribute("aria-pressed", "false");
    play.firstChild.textContent = "Play ";
    keep();
  }

  function start() {
    if (t >= ends) set(0);
    let last = performance.now();
    play.setAttribute("aria-pressed", "true");
    play.firstChild.textContent = "Pause ";
    const tick = (stamp) => {
      const told = captured()?.time(t);
      let to = told === undefined ? t + (stamp - last) * +element("speed").value : (told ?? t); // null: it is loading
      last = stamp;
      const gap = element("skip-idle").checked && idle.find(([from, until]) => to > from + 500 && to < until - 500);
      if (gap) to = gap[1] - 500;
      seenLeads = told !== undefined && !gap;
      set(to);
      if (t >= ends) stop();
      else playing = requestAnimationFrame(tick);
    };
    playing = requestAnimationFrame(tick);
  }

  element("speed").addEventListener("change", () => { if (playing) { seenLeads = false; set(t); } });

  const link = () => `#t=${(t / 1000).toFixed(1)}`;
  const keep = () => history.replaceState(history.state, "", link());
  play.addEventListener("click", () => (playing ? stop() : start()));
  element("copy-link").addEventListener("click", async (event) => {
    keep();
    await navigator.clipboard?.writeText(location.href).catch(() => null);
    event.currentTarget.firstChild.textContent = "Copied ";
  });

  const at = (event) => { const box = track.getBoundingClientRect(); return (ends * (event.clientX - box.left)) / box.width; };
  track.addEventListener("pointerdown", (event) => { track.setPointerCapture(event.pointerId); set(at(event)); });
  track.addEventListener("pointermove", (event) => { if (track.hasPointerCapture(event.pointerId)) set(at(event)); });
  track.addEventListener("pointerup", keep);
  track.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1000, ArrowLeft: -1000, PageDown: 10_000, PageUp: -10_000, Home: -ends, End: ends }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(t + by);
    keep();
  });
  for (const one of Object.values(window.lists)) {
    one.root.addEventListener("choose", ({ detail: row }) => { set(row.t, { follow: false }); keep(); });
  }

  // Deep links: #t=12.3 in seconds, or #t=12300ms; ?t= in milliseconds; #view=seen opens what the person saw.
  const go = () => {
    if (seen && location.hash === "#view=seen") {
      view(true);
      return true;
    }
    const [, number, unit] = /^#t=([\d.]+)(ms)?$/.exec(location.hash) || [];
    if (number === undefined) return false;
    set(unit ? +number : 1000 * +number);
    return true;
  };
  addEventListener("hashchange", () => { if (go()) watch.scrollIntoView({ block: "nearest" }); });
  if (go()) watch.scrollIntoView();
  else if (+watch.dataset.start) set(+watch.dataset.start);
  else if (steps.length) picture(0);
})();
