// A page that waits for the worker: asks how far it is, and shows the result once it is there.
(() => {
  const line = document.querySelector("[data-wait]");
  if (!line) return;
  const began = performance.now() - 1000 * Number(line.dataset.started);
  const clock = line.querySelector("[data-clock]"), stage = line.querySelector("[data-stage]");
  const bar = document.querySelector("progress");
  setInterval(() => { clock.textContent = `${Math.round((performance.now() - began) / 1000)} s`; }, 1000);
  async function ask() {
    try {
      const reply = await fetch(line.dataset.wait, { headers: { Accept: "application/json" } });
      if (reply.redirected || reply.status === 404) { location.reload(); return; }
      const answer = await reply.json();
      if (!answer.open) { location.reload(); return; }
      if (answer.stage) stage.textContent = answer.stage;
      if (answer.total) { bar.max = answer.total; bar.value = answer.done; }
    } catch {
      stage.textContent = "the server can't be reached just now";
    }
    setTimeout(ask, 1000);
  }
  ask();
})();
