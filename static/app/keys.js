// Keyboard shortcuts: an element with data-key is clicked by that key; "?" lists those the page has.
(() => {
  const help = document.getElementById("help");
  const visible = (element) => element.checkVisibility() && !element.disabled;
  const keysOf = (element) => element.dataset.key.split(" "); // the first is shown; "enter" acts where nothing has the focus
  const marked = () => [...document.querySelectorAll("[data-key]")].filter(visible);
  const typing = (element) => element.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]");

  function show() {
    const list = document.getElementById("help-keys");
    list.replaceChildren();
    const rows = marked().map((element) => [keysOf(element)[0], element.dataset.label || element.textContent.trim()]);
    for (const [key, label] of [...rows, ["?", "This list"], ["Esc", "Close a dialog"]]) {
      const term = document.createElement("dt"), hint = document.createElement("kbd"), text = document.createElement("dd");
      hint.textContent = key.toUpperCase().replace("ESC", "Esc");
      text.textContent = label.replace(/\s+\S$/, "");
      term.append(hint);
      list.append(term, text);
    }
    help.showModal();
  }

  document.getElementById("help-open").addEventListener("click", show);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") { event.preventDefault(); show(); return; }
    const key = event.key.toLowerCase();
    const focused = event.target !== document.body && event.target !== document.documentElement;
    const found = key === "enter" && focused ? null : marked().find((element) => keysOf(element).includes(key));
    if (found && !event.repeat) { event.preventDefault(); found.click(); }
  });

  // A form is sent once: a second click on its button changes nothing.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post" || event.defaultPrevented) return;
    if (event.target.dataset.sent) event.preventDefault();
    event.target.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));
})();
