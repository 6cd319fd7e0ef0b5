// Loaded right after core.js: seeds the episode, starts it without the START cover, and tells the server what the page
// says (its utterance and its raw reward), once each. The page itself is left as it is.
"use strict";
(() => {
  const { state, over } = document.currentScript.dataset;
  const reported = new Set();
  let began = false;

  function report(what, value) {
    if (reported.has(what)) return;
    reported.add(what);
    const body = JSON.stringify({ [what]: value });
    fetch("/miniwob-report", { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body });
  }

  function cover() {
    core.cover_div = document.createElement("div");
    core.cover_div.id = "sync-task-cover";
    core.cover_div.style.display = "none";
    core.cover_div.style.cursor = "default";
    core.cover_div.textContent = "DONE";
    document.body.appendChild(core.cover_div);
  }

  function begin() {
    began = true;
    core.createDisplay();
    cover();
    if (over) return end();
    Math.seedrandom("", { state: JSON.parse(state) });
    core.startEpisodeReal();
    const told = core.getUtterance(); // three tasks of e-mail tell their fields beside it
    report("utterance", typeof told === "string" ? told : told.utterance);
  }

  function end() {
    core.cover_div.style.display = "block";
  }

  // Some pages set a time of their own afterwards; a person recorded at leisure must not run out of it.
  Object.defineProperty(core, "EPISODE_MAX_TIME", { get: () => 24 * 3600 * 1000, set: () => {} });
  core.startEpisode = () => {
    if (!began) return begin();
    report("reward", WOB_RAW_REWARD_GLOBAL);
    end();
  };
})();
