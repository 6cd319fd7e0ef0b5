// A part of the page that keeps itself up to date: [data-live] says where its content comes from.
(() => {
  const EVERY_MS = 4000;
  for (const part of document.querySelectorAll("[data-live]")) {
    setInterval(async () => {
      if (document.hidden || part.contains(document.activeElement)) return; // nobody looks, or somebody is in it
      let reply = null;
      try { reply = await fetch(part.dataset.live, { redirect: "error" }); } catch { /* told below */ }
      part.classList.toggle("stale", !reply?.ok);
      if (reply?.ok) part.innerHTML = await reply.text(); // our own server's page, escaped there
    }, EVERY_MS);
  }
})();
