// Shows the captured page of a moment. The attempt page holds the clock: it calls window.seen, and reads its time while playing.
(() => {
  const element = (id) => document.getElementById(id), data = (id) => JSON.parse(element(id).textContent);
  const pages = data("pages"), inFront = data("in-front"), stage = element("stage"), choice = element("page"), said = element("said");
  const ahead = 20_000, together = 2_000_000, least = 4, kept = 3; // ms loaded beyond the moment, bytes and pieces at once, players kept
  const nothing = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  let shown = null, wanted = null, working = false;

  // The page of a moment: that of the tab in front, or the one that was chosen.
  const pageAt = (t) => {
    const chosen = pages.find((page) => String(page.id) === choice.value);
    if (chosen) return chosen;
    const tab = inFront.filter(([at]) => at <= t + 1).at(-1)?.[1];
    const begun = pages.filter((page) => page.first <= t + 1);
    return begun.filter((page) => tab === undefined || page.tab === tab || page.tab === null).at(-1) || begun.at(-1) || pages[0];
  };

  // Nothing of the page may ask for anything: addresses go, pictures that the capture holds take their place.
  const tameCss = (page, css) => css.replace(/@import[^;]+;/g, "").replace(/url\((['"]?)(?!data:|#)([^'")]*)\1\)/g, (_, __, url) => `url("${page.assets.get(url) || nothing}")`);
  const tameAttributes = (page, tag, attributes) => {
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      if (name.startsWith("on") || name === "srcset" || name === "imagesrcset" || name === "poster" || name === "background" || name === "data" || name === "action" || name === "formaction") delete attributes[name];
      else if ((name === "src" || name === "rr_src") && tag !== "img" && tag !== undefined) delete attributes[name];
      else if (name === "src" && typeof value === "string" && !value.startsWith("data:")) {
        attributes["data-seen"] = value;
        attributes.src = page.assets.get(value) || nothing;
      } else if ((name === "href" || name === "xlink:href") && typeof value === "string" && tag !== "a" && !value.startsWith("#")) delete attributes[name];
      else if (name === "_cssText" || (name === "style" && typeof value === "string")) attributes[name] = tameCss(page, value);
    }
  };
  const tameNode = (page, node) => {
    if (node.attributes) tameAttributes(page, node.tagName, node.attributes);
    if (node.isStyle && node.textContent) node.textContent = tameCss(page, node.textContent);
    node.childNodes?.forEach((child) => tameNode(page, child));
  };
  const tame = (page, event) => {
    const { type, data } = event;
    if (type === 2) tameNode(page, data.node);
    if (type === 3 && data.source === 0) {
      data.adds.forEach((one) => tameNode(page, one.node));
      data.attributes.forEach((one) => tameAttributes(page, undefined, one.attributes));
    }
    if (type === 3 && data.source === 8) data.adds?.forEach((one) => { one.rule = tameCss(page, one.rule); });
    // Moves come together, at the end of their half second. At its beginning instead, for rrweb looks no further back than
    // that when it goes on after them, and would do again what happened meanwhile.
    if (type === 3 && data.positions?.length) {
      const before = data.positions[0].timeOffset;
      event.timestamp += before;
      for (const one of data.positions) one.timeOffset -= before;
    }
    return event;
  };

  async function fetchPieces(page, first, last) {
    const reply = await fetch(`${document.body.dataset.pieces}${page.id}/${first}/?to=${last}`);
    if (!reply.ok) throw new Error(`a piece could not be loaded (${reply.status})`);
    return (await reply.text()).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  // Pieces up to somewhat beyond the moment; the first ones go together, because the page's pictures are among them.
  const load = (page, t) => (page.busy = (page.busy || Promise.resolve()).catch(() => null).then(() => loadUpTo(page, t)));
  async function loadUpTo(page, t) {
    page.loaded ??= 0;
    page.assets ??= new Map();
    while (page.loaded < page.chunks.length && (page.loaded === 0 || page.chunks[page.loaded][1] <= t + ahead)) {
      const next = nextPieces(page, t + ahead);
      said.textContent = "loading …";
      const found = await fetchPieces(page, next[0][0], next.at(-1)[0]);
      page.loaded += next.length;
      for (const { type, data } of found) if (type === 5 && data.tag === "asset") page.assets.set(data.payload.url, data.payload.data);
      const events = found.filter((event) => event.type !== 5).map((event) => tame(page, event)).sort((a, b) => a.timestamp - b.timestamp);
      if (page.player) events.forEach((event) => page.player.addEvent(event));
      else begin(page, events);
    }
    said.textContent = "";
  }

  function nextPieces(page, until) {
    const found = [];
    let bytes = 0;
    for (const piece of page.chunks.slice(page.loaded)) {
      bytes += piece[3];
      if (found.length && (bytes > together || (found.length >= least && piece[1] > until))) break;
      found.push(piece);
    }
    return found;
  }

  function begin(page, events) {
    const from = events.findIndex((event) => event.type === 4);
    const whole = from >= 0 && events.slice(from).some((event) => event.type === 2);
    if (!whole || events.length - from < 2) throw new Error("the beginning of this page never arrived, so that it cannot be shown");
    page.root = document.createElement("div");
    stage.append(page.root);
    page.start = events[from].timestamp;
    const props = { events: events.slice(from), ...size(), autoPlay: false, showController: false, skipInactive: false, mouseTail: false, showWarning: false, triggerFocus: false };
    page.box = new rrwebPlayer({ target: page.root, props });
    page.player = page.box.getReplayer();
  }
  const size = () => ({ width: stage.clientWidth, height: stage.clientHeight });

  const show = (page) => {
    if (shown === page) return;
    if (shown?.player) halt(shown);
    shown = page;
    page.used = performance.now();
    for (const one of pages) if (one.root) one.root.hidden = one !== page;
    const old = pages.filter((one) => one.player && one !== page).sort((a, b) => a.used - b.used);
    for (const one of old.slice(0, Math.max(0, old.length + 1 - kept))) {
      halt(one);
      one.root.remove();
      one.root = one.player = one.box = one.still = undefined;
      one.loaded = 0;
    }
  };
  const halt = (page) => {
    page.player.pause();
    page.playing = false;
  };

  // A picture that came after its element was read.
  const paint = (page) => {
    for (const image of page.player.iframe.contentDocument?.querySelectorAll("img[data-seen]") || []) {
      const held = page.assets.get(image.dataset.seen);
      if (held && image.src !== held) image.src = held;
    }
  };

  async function follow() {
    if (working) return;
    working = true;
    while (wanted) {
      const { t, playing, speed } = wanted, page = pageAt(t);
      wanted = null;
      try {
        await load(page, t);
        show(page);
        if (page.root) page.root.hidden = false;
        place(page, t, playing, speed);
        paint(page);
        document.body.dataset.shown = page.id;
      } catch (error) {
        show(page);
        said.textContent = `${page.name}: ${error.message}`;
      }
    }
    working = false;
  }
  function place(page, t, playing, speed) {
    const held = page.player.service.state.context.events.at(-1).timestamp; // what is loaded, which goes on while it plays
    const offset = Math.max(0, Math.min(t, held) - page.start), plays = playing && t < held;
    document.body.dataset.at = Math.round(Math.max(page.start, Math.min(t, page.last)));
    if (!plays && page.still === offset) return;
    page.player.setConfig({ speed });
    if (plays) page.player.play(offset);
    else page.player.pause(offset + 1); // what happens at the moment itself has happened
    page.playing = plays;
    page.still = plays ? undefined : offset;
  }

  window.seen = {
    /** Show the moment `t` (ms), still or playing. */
    show(t, { playing = false, speed = 1 } = {}) {
      wanted = { t, playing, speed };
      follow();
    },
    /** The moment that is shown while it plays; null while it is loading; undefined where this page does not play on. */
    time(t) {
      if (working) return null;
      const page = shown;
      if (page?.playing && !page.player.timer.actions.length) page.playing = false; // it has come to the end of what is loaded
      if (!page?.playing || pageAt(t) !== page) return undefined;
      const at = page.start + page.player.getCurrentTime();
      if (page.loaded < page.chunks.length && page.chunks[page.loaded][1] < at + ahead / 2) load(page, at).catch((error) => { said.textContent = error.message; });
      return at;
    },
  };
  choice.addEventListener("change", () => {
    const page = pages.find((one) => String(one.id) === choice.value);
    parent.dispatchEvent(new CustomEvent("seen-go", { detail: page ? page.first : null }));
  });
  addEventListener("resize", () => { for (const page of pages) if (page.box) { page.box.$set(size()); page.box.triggerResize(); } });
  parent.dispatchEvent(new CustomEvent("seen-ready"));
})();
