// Carries out what the session's page options ask for. Runs before the page's deferred scripts.
"use strict";
(() => {
  const seen = (key) => Number(sessionStorage.getItem(key) || 0);
  const count = (key) => sessionStorage.setItem(key, String(seen(key) + 1));

  function swallow({ selector, times }, key) {
    document.addEventListener("click", (event) => {
      if (!event.target.closest(selector) || seen(key) >= times) return;
      count(key);
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true);
  }

  function overlay(options, key) {
    if (!new RegExp(options.path).test(location.pathname) || seen(key)) return;
    const dialog = document.createElement("dialog");
    dialog.className = "notice";
    dialog.setAttribute("aria-labelledby", "notice-title");
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    show(dialog, options.steps, 0, () => { count(key); dialog.remove(); });
    setTimeout(() => dialog.showModal(), options.ms || 0);
  }

  function show(dialog, steps, at, done) {
    const step = steps[at];
    dialog.replaceChildren();
    const title = document.createElement("h2");
    title.id = "notice-title";
    title.textContent = step.title;
    const text = document.createElement("p");
    text.textContent = step.text;
    const row = document.createElement("div");
    row.className = "row";
    for (const { label, to, quiet } of step.buttons) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.className = quiet ? "link" : "button";
      button.addEventListener("click", () => (to < 0 ? done() : show(dialog, steps, to, done)));
      row.append(button);
    }
    dialog.append(title, text, row);
  }

  const data = document.getElementById("page-options");
  JSON.parse(data.textContent).forEach((options, i) => {
    if (options.swallow) swallow(options.swallow, `page-${i}`);
    if (options.overlay) overlay(options.overlay, `page-${i}`);
  });
})();
