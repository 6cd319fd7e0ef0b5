// A step or cleaned event shows the raw events it was made of.
(() => {
  const raw = document.getElementById("raw-events");
  let lit = [];
  function light(row) {
    lit.forEach((element) => element.classList.remove("lit"));
    lit = [row];
    for (let index = +row.dataset.first; index <= +row.dataset.last; index++) {
      const found = document.getElementById(`raw-${index}`);
      if (found) lit.push(found);
    }
    lit.forEach((element) => element.classList.add("lit"));
    if (lit[1]) raw.scrollTo({ top: lit[1].offsetTop - 60, behavior: "smooth" });
  }
  for (const row of document.querySelectorAll("[data-linked] tr[data-first]")) {
    row.tabIndex = 0;
    row.addEventListener("click", () => light(row));
    row.addEventListener("keydown", (event) => event.key === "Enter" && light(row));
  }
})();
