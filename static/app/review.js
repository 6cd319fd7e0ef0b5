// The review form: the item is claimed while it is looked at, keys decide, and what needs a reason asks for it.
(() => {
  const section = document.getElementById("decide"), form = section?.querySelector("form");
  if (!form) return;
  const reason = form.querySelector("#reason"), help = form.querySelector("#reason-help"), told = form.querySelector("#claim");
  const buttons = [...form.querySelectorAll("button[name=decision]")];
  let wanted = null;

  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.dataset.why && !reason.value.trim()) {
      event.preventDefault();
      wanted = button;
      help.textContent = `Say ${button.dataset.why}, then press Ctrl+Enter to ${button.dataset.label.toLowerCase()}.`;
      reason.focus();
    }
  }, { capture: true });
  reason.addEventListener("click", () => reason.focus());
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Escape") reason.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (wanted) form.requestSubmit(wanted);
      else help.textContent = "Leave the field with Esc and press a key: A, S, R, X or T.";
    }
  });

  if (!section.dataset.claim) return;
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  async function claim() {
    const reply = await fetch(section.dataset.claim, { method: "POST", headers: { "X-CSRFToken": token } }).catch(() => null);
    if (!reply) { told.textContent = "The server can't be reached; your claim runs out in ten minutes."; return; }
    const answer = await reply.json();
    const mine = reply.ok;
    told.textContent = mine ? `Yours until ${answer.until}: no other lead gets it meanwhile.` : answer.message || answer.error?.message;
    buttons.forEach((button) => { button.disabled = !mine; });
  }
  claim();
  setInterval(() => { if (!document.hidden) claim(); }, 120_000);
})();
