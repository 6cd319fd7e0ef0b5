// The control tab of a round. The server owns the state and every clock; this page shows it and passes on what is pressed.
(() => {
  const $ = (id) => document.getElementById(id);
  const root = $("round");
  const id = root.dataset.round;
  const api = (act) => `/api/rounds/${id}/${act}`;
  const channel = new BroadcastChannel(`footpath-round-${id}`);
  let tab = "";
  let state = null; // the last snapshot
  let told = 0; // performance.now() when it came
  let site = null; // the website's tab, where this page opened it
  let counting = null; // {left, timer} while the countdown runs
  let socket = null;
  let retry = 500;
  let unreachable = false; // the message on show is about the network, and goes once the server is heard

  // ---- the tab's own id: kept over a reload, never shared with a duplicate of this tab
  const fresh = () => crypto.randomUUID().replaceAll("-", "");
  channel.onmessage = ({ data }) => data.ask === tab && channel.postMessage({ have: tab });
  async function tabId() {
    const key = `footpath-tab-${id}`;
    const kept = sessionStorage.getItem(key);
    const taken = kept && (await new Promise((resolve) => {
      const once = ({ data }) => data.have === kept && resolve(true);
      channel.addEventListener("message", once);
      channel.postMessage({ ask: kept });
      setTimeout(() => { channel.removeEventListener("message", once); resolve(false); }, 150);
    }));
    tab = kept && !taken ? kept : fresh();
    sessionStorage.setItem(key, tab);
  }

  // ---- talking to the server
  async function post(act, body = {}) {
    problem("");
    unreachable = false;
    let reply;
    try {
      reply = await fetch(api(`${act}/`), {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrf() },
        body: JSON.stringify({ tab, ...body }),
      });
    } catch {
      problem("The server can't be reached just now. Nothing is lost; try again in a moment.");
      unreachable = true;
      return null;
    }
    if (reply.status === 401 || reply.status === 403) { signedOut(); return null; }
    const answer = await reply.json().catch(() => ({}));
    if (reply.ok) { show(answer); return answer; }
    if (answer.code === "other_tab") { const now = await fetch(`${api("")}?tab=${tab}`); if (now.ok) show(await now.json()); }
    problem(answer.message || answer.detail || `The server answered ${reply.status}. Try again; if it stays so, tell your lead.`);
    return null;
  }

  // Signing in again makes a new token; the cookie always has the one that holds.
  const csrf = () => document.cookie.match(/(?:^|; )[^=;]*footpath_csrf=([^;]*)/)?.[1] ?? "";

  function signedOut() {
    problem("You are signed out. Nothing is lost, and what you entered here stays: ");
    const link = document.createElement("a");
    Object.assign(link, { href: "/sign-in/", target: "_blank", textContent: "sign in in another tab, then go on here" });
    $("problem").append(link, ".");
  }

  function connect() {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/rounds/${id}/`);
    socket.onopen = () => { retry = 500; ping(); };
    socket.onmessage = ({ data }) => {
      if (unreachable) { problem(""); unreachable = false; }
      show(JSON.parse(data));
    };
    socket.onclose = ({ code }) => {
      socket = null;
      if (code === 4401) { signedOut(); setTimeout(connect, 5000); render(); return; }
      if (code === 4404) { problem("This round is not yours."); return; }
      setTimeout(connect, retry = Math.min(retry * 2, 8000));
      render();
    };
  }
  const ping = () => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ tab }));

  function show(snapshot) {
    const before = state && phase();
    if (state?.mine && !snapshot.mine) $("elsewhere-title").textContent = "This round was taken over in another tab";
    state = snapshot;
    told = performance.now();
    render();
    if (before !== phase()) arrived(phase());
  }

  // ---- what is shown when
  function phase() {
    if (["rolled_back", "abandoned", "void"].includes(state.state)) return "ended";
    if (state.state === "complete") return "complete";
    if (counting) return "countdown";
    return state.attempt.phase;
  }

  function arrived(now) {
    if (now === "complete") questions();
    if (["evaluated", "complete", "ended"].includes(now)) document.title = `${{ evaluated: "Cold done", complete: "Done", ended: "Ended" }[now]} · Footpath`;
    // The website's recording is over: a person should see the verdict, not a dead page.
    if (now === "ended" && site && !site.closed) site.close();
  }

  function render() {
    if (!state) return;
    document.documentElement.dataset.known = "";
    const now = phase();
    $("elsewhere").hidden = state.mine;
    $("own").hidden = !state.mine;
    for (const element of document.querySelectorAll("[data-show]")) element.hidden = !state.mine || !element.dataset.show.split(" ").includes(now);
    $("verdicts").hidden = !state.mine || !["evaluated", "complete", "ended"].includes(now) || !state.verdicts.length;
    $("abandon-open").hidden = !state.mine || ["complete", "ended"].includes(now);
    if (state.attempt.instruction) $("instruction").textContent = state.attempt.instruction;
    $("ending").textContent = state.ending;
    if (state.next) $("start-next").action = `/assignments/${state.next}/start/`;
    for (const button of document.querySelectorAll(".start-next")) button.hidden = !state.next;
    steps(now);
    verdicts();
    saving(now);
    preflight(now);
    $("site-closed").hidden = !(site && site.closed);
    if (["failed", "stuck"].includes(now)) problem(state.attempt.error);
    tick();
  }

  function steps(now) {
    const at = now === "complete" ? 2 : state.attempt.kind === "warm" || now === "evaluated" ? 1 : 0;
    ["at-cold", "at-warm", "at-rating"].forEach((name, place) => {
      $(name).toggleAttribute("aria-current", place === at);
      $(name).dataset.at = place < at ? "done" : "";
    });
  }

  function verdicts() {
    const list = $("verdicts");
    list.replaceChildren(...state.verdicts.map((verdict) => {
      const row = document.createElement("div"), mark = document.createElement("span"), text = document.createElement("p");
      row.className = "verdict";
      mark.className = `mark ${verdict.passed === null ? "" : verdict.passed ? "good" : "bad"}`;
      mark.textContent = verdict.passed === null ? "•" : verdict.passed ? "✓" : "✗";
      mark.setAttribute("aria-hidden", "true");
      const words = verdict.declared ? ["Done, you said", "Not done, you said"] : ["Passed", "Not passed"];
      const word = verdict.passed === null ? "Saved" : words[verdict.passed ? 0 : 1];
      const strong = document.createElement("strong");
      strong.textContent = `${verdict.kind === "cold" ? "Cold" : "Warm"}: ${word}`;
      text.append(strong, ` in ${time(verdict.wall_ms)}, ${verdict.steps} steps`);
      if (verdict.time_up) text.append(". Time was up");
      if (!verdict.complete) text.append(". A part of the recording is missing; that is our fault and your lead sees it.");
      row.append(mark, text);
      return row;
    }));
  }

  function saving(now) {
    const pill = $("saving");
    const { waiting, earlier, heard_ms, pages, refused } = state.saving;
    const silence = heard_ms === null ? 0 : heard_ms + performance.now() - told; // a living page is heard every 3 s
    let [kind, text] = ["good", "all saved"];
    if (!socket || socket.readyState !== WebSocket.OPEN || performance.now() - told > 12000) [kind, text] = ["bad", "offline, keeping it"];
    else if (now === "recording" && heard_ms === null) [kind, text] = ["warn", "waiting for the website"];
    else if (now === "recording" && (silence > 6000 || pages === 0)) [kind, text] = ["warn", "the website's tab is silent"];
    else if (waiting > 0) [kind, text] = ["warn", `${waiting} waiting`];
    else if (earlier > 0) [kind, text] = ["warn", "still waiting for some"];
    else if (now === "recording" && silence > 4500) [kind, text] = ["warn", "asking the website's tab"]; // it may hold a backlog
    else if (refused > 0) [kind, text] = ["warn", `${refused} refused, kept aside`];
    else if (!["recording", "evaluating"].includes(now)) [kind, text] = ["good", "connected"];
    if (pill.textContent !== text) pill.textContent = text;
    pill.className = `pill ${kind}`;
    $("events").textContent = state.saving.events;
  }

  const time = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
  function tick() {
    if (!state) return;
    const running = state.attempt.phase === "recording" ? performance.now() - told : 0;
    $("clock").textContent = time(state.attempt.elapsed_ms + running);
    limit(running);
  }

  // The server decides when time is up; the tab only shows what is left, and asks once when it reaches zero.
  let asked = "";
  function limit(running) {
    const total = state.attempt.left_ms;
    const left = total === null ? null : Math.max(0, total - running);
    $("left").hidden = left === null;
    if (left === null) return;
    if (left > 0) asked = "";
    $("left").textContent = `${time(left + 999)} left`;
    $("left").className = `pill ${left < 60000 ? "warn" : "plain"}`;
    if (left === 0 && asked !== state.attempt.kind && socket?.readyState === WebSocket.OPEN) {
      asked = state.attempt.kind;
      socket.send(JSON.stringify({ tab, due: true }));
    }
  }

  function problem(text) {
    $("problem").hidden = !text;
    $("problem").textContent = text;
  }

  // ---- pre-flight
  function preflight(now) {
    if (!["preparing", "failed", "ready"].includes(now)) return;
    const zoom = Math.round((outerWidth / innerWidth) * 100);
    const fits = innerWidth >= +root.dataset.width && innerHeight >= +root.dataset.height;
    const results = {
      "check-server": socket?.readyState === WebSocket.OPEN ? "yes" : "",
      "check-site": now === "ready" ? "yes" : now === "failed" ? "no" : "",
      "check-size": fits ? "yes" : "no",
      "check-zoom": zoom > 93 && zoom < 107 ? "yes" : "no",
    };
    for (const [name, ok] of Object.entries(results)) $(name).dataset.ok = ok;
    $("check-size").firstElementChild.textContent = `The window is at least ${root.dataset.width} × ${root.dataset.height}` + (fits ? "" : ` (it is ${innerWidth} × ${innerHeight}: make it larger)`);
    $("check-zoom").firstElementChild.textContent = "Zoom is at 100 %" + (results["check-zoom"] === "no" ? ` (it seems to be ${zoom} %: press Ctrl and 0)` : "");
    $("start").disabled = Object.values(results).some((ok) => ok !== "yes");
    $("prepare-again").hidden = now !== "failed";
  }

  // ---- the website's tab
  // Each attempt gets a new tab: nothing of the cold one (history, window name, session storage) is within the warm one's reach.
  // Without an opener a tab that shows the website can't be closed from here; it closes itself when it is next used.
  function openSite() {
    if (site && !site.closed) site.close();
    site = open("about:blank", "_blank");
    const allowed = Boolean(site);
    $("check-popup").dataset.ok = allowed ? "yes" : "no";
    if (!allowed) problem("The browser blocked the new tab. Allow pop-ups for this address (the icon is in the address bar), then press Start again.");
    else site.opener = null; // the website must not reach this page
    return allowed;
  }

  function waitingPage() {
    const page = site.document;
    page.title = "The website opens in a moment";
    const css = page.createElement("link"), card = page.createElement("main"), text = page.createElement("p"), left = page.createElement("p"), button = page.createElement("button");
    css.rel = "stylesheet";
    css.href = new URL(root.dataset.css, location.href).href;
    page.head.append(css);
    card.className = "small-page";
    text.textContent = "The website opens here in";
    left.className = "countdown";
    left.textContent = counting.left;
    button.className = "primary big";
    button.textContent = "Start now";
    button.addEventListener("click", go);
    card.append(text, left, button);
    page.body.replaceChildren(card);
    counting.shown = left;
  }

  function startCountdown() {
    if (counting || phase() !== "ready" || !openSite()) return;
    counting = { left: +root.dataset.countdown, timer: setInterval(count, 1000) };
    waitingPage();
    $("countdown").textContent = counting.left;
    render();
    if (counting.left <= 0) go();
  }

  function count() {
    counting.left -= 1;
    $("countdown").textContent = counting.left;
    if (counting.shown) counting.shown.textContent = counting.left;
    if (counting.left <= 0) go();
  }

  async function go() {
    if (!counting) return;
    clearInterval(counting.timer);
    counting = null;
    if (site.closed) { problem("The new tab was closed before the start. Press Start again."); render(); return; }
    const answer = await post("start");
    if (answer) site.location.replace(answer.attempt.url);
    else { site.close(); render(); }
  }

  function reopen() {
    if (site && !site.closed) { site.focus(); return; }
    site = null;
    if (openSite()) site.location.replace(state.attempt.url);
    render();
  }

  async function warm() {
    $("warm").disabled = true;
    await post("warm");
    $("warm").disabled = false;
  }

  // ---- rating
  function questions() {
    if ($("questions").childElementCount) return;
    for (const item of state.questions) $("questions").append(item.kind === "scale" ? scale(item) : box(item));
    if (!state.rating) return;
    for (const [name, value] of Object.entries(state.rating.answers)) {
      const input = $("rating").elements[name];
      if (value === true) input.checked = true;
      else input.value = value;
    }
    $("comment").value = state.rating.comment;
    $("rated").textContent = "Saved. Thank you!";
  }

  function scale(item) {
    const set = document.createElement("fieldset"), legend = document.createElement("legend"), row = document.createElement("div");
    legend.textContent = item.label;
    row.className = "scale";
    const end = (text) => Object.assign(document.createElement("span"), { className: "end", textContent: text });
    row.append(end(item.low));
    for (let point = 1; point <= item.points; point++) {
      const label = document.createElement("label"), input = document.createElement("input"), face = document.createElement("span");
      Object.assign(input, { type: "radio", name: item.id, value: point });
      label.className = "point";
      face.textContent = point;
      label.append(input, face);
      row.append(label);
    }
    row.append(end(item.high));
    set.append(legend, row);
    return set;
  }

  function box(item) {
    const label = document.createElement("label"), input = document.createElement("input");
    Object.assign(input, { type: "checkbox", name: item.id });
    label.className = "box";
    label.append(input, item.label);
    return label;
  }

  async function rate(event) {
    event.preventDefault();
    const answers = {};
    for (const item of state.questions) {
      const input = $("rating").elements[item.id];
      const value = item.kind === "scale" ? Number(input.value) : input.checked;
      if (value) answers[item.id] = value;
    }
    const saved = await post("rate", { answers, comment: $("comment").value });
    $("rated").textContent = saved ? "Saved. Thank you!" : "Not saved yet; what you entered is still here.";
  }

  // ---- wiring
  $("start").onclick = startCountdown;
  $("start-now").onclick = go;
  $("reopen").onclick = reopen;
  $("warm").onclick = warm;
  $("prepare-again").onclick = () => post("prepare");
  async function evaluate(word) {
    $("evaluate").disabled = true;
    await post("evaluate", word);
    $("evaluate").disabled = false;
  }
  const asks = () => state.attempt.asks && state.attempt.phase === "recording";
  $("evaluate").onclick = () => (asks() ? $("declare").showModal() : evaluate({}));
  for (const [name, declared] of [["declare-yes", true], ["declare-no", false]]) $(name).onclick = () => { $("declare").close(); evaluate({ declared }); };
  $("declare-close").onclick = () => $("declare").close();
  $("take-over").onclick = () => post("claim", { take_over: true });
  $("rating").onsubmit = rate;
  $("abandon-open").onclick = () => $("abandon").showModal();
  $("abandon-close").onclick = () => $("abandon").close();
  $("abandon-form").onsubmit = async (event) => {
    event.preventDefault();
    const button = event.submitter ?? $("abandon-form").querySelector("button");
    if (button.disabled) return;
    button.disabled = true;
    const done = await post("abandon", { reason: $("reason").value });
    button.disabled = false;
    $("abandon-error").textContent = done ? "" : $("problem").textContent;
    if (done) $("abandon").close();
  };
  // Left in the middle of a countdown: the other tab would wait for ever.
  addEventListener("pagehide", () => counting && site?.close());
  addEventListener("resize", render);
  addEventListener("online", () => socket || connect());
  setInterval(ping, 4000);
  setInterval(() => state && (tick(), saving(phase()), $("site-closed").hidden = !(site && site.closed)), 500);
  tabId().then(() => post("claim")).then(connect);
})();
