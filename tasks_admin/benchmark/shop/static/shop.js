"use strict";
(() => {
  const toast = document.getElementById("toast");
  let timer;

  function say(message, bad) {
    toast.textContent = message;
    toast.className = bad ? "shown bad" : "shown";
    clearTimeout(timer);
    timer = setTimeout(() => { toast.className = ""; }, 4000);
  }

  function showCount(count) {
    const badge = document.getElementById("cart-count");
    badge.textContent = count;
    badge.hidden = !count;
  }

  async function send(form, button) {
    button.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, {
        method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" },
      });
      const reply = await answer.json();
      say(reply.message, !reply.ok);
      if ("count" in reply) showCount(reply.count);
    } catch {
      say("That did not work. Please try again.", true);
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  for (const form of document.querySelectorAll("form[data-ajax]")) {
    form.addEventListener("submit", (event) => {
      if (event.submitter && "plain" in event.submitter.dataset) return;
      event.preventDefault();
      send(form, event.submitter || form.querySelector("[type=submit]"));
    });
  }

  const shots = document.getElementById("shots");
  document.getElementById("buy")?.addEventListener("change", (event) => {
    if (event.target.name !== "sku") return;
    for (const shot of shots.children) shot.hidden = shot.dataset.option !== event.target.value;
  });

  const totals = document.getElementById("totals");
  if (totals) {
    const euro = (cents) => "€" + (cents / 100).toFixed(2);
    const show = () => {
      const fee = Number(document.querySelector("[name=shipping]:checked").dataset.fee);
      document.getElementById("fee").textContent = euro(fee);
      document.getElementById("total").textContent = euro(Number(totals.dataset.goods) + fee);
    };
    document.querySelectorAll("[name=shipping]").forEach((radio) => radio.addEventListener("change", show));
    show();
  }
})();
