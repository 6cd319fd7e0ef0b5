// Offers the browser's own time zone where the profile has another one.
(() => {
  const choice = document.getElementById("time_zone"), offer = document.getElementById("own-zone");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = [...choice.options].some((option) => option.value === own);
  const show = () => { offer.hidden = !known || choice.value === own; };
  offer.textContent = `Take this browser’s: ${own}`;
  offer.addEventListener("click", () => { choice.value = own; show(); choice.focus(); });
  choice.addEventListener("change", show);
  show();
})();
