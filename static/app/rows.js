// Long lists: rows of one height, of which only those in view exist; the rest is asked for while one scrolls.
(() => {
  const HEIGHT = 28, BLOCK = 200, AROUND = 12;

  class Lines {
    constructor(root) {
      this.root = root;
      this.url = root.dataset.url;
      this.total = +root.dataset.total;
      this.rows = new Map();
      this.asked = new Set();
      this.chosen = -1;
      this.lit = [-1, -2];
      for (const line of root.querySelectorAll("[data-index]")) this.rows.set(+line.dataset.index, Lines.read(line));
      if (!this.total) return;
      this.space = document.createElement("div");
      this.space.className = "space";
      this.space.setAttribute("role", "rowgroup");
      this.space.style.height = `${this.total * HEIGHT}px`;
      root.querySelectorAll("[data-index]").forEach((line) => line.remove());
      root.append(this.space);
      let waiting = false;
      const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; this.draw(); }); } };
      root.addEventListener("scroll", soon, { passive: true });
      new ResizeObserver(soon).observe(root);
      root.addEventListener("click", (event) => {
        const line = event.target.closest("[data-index]");
        if (line) this.choose(+line.dataset.index);
      });
      root.addEventListener("keydown", (event) => this.key(event));
      this.draw();
    }

    static read(line) {
      const [, clock, type, target, detail] = [...line.children].map((cell) => cell.textContent);
      const { index, t, from, to } = line.dataset;
      const origin = line.classList.contains("page") ? "page" : line.classList.contains("failed") ? "failed" : "user";
      return { index: +index, t: +t, first: +from, last: +to, clock, type, target, detail, origin };
    }

    key(event) {
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -this.total, End: this.total }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) {
        if (event.key === "Enter" && this.chosen >= 0) this.tell("whole");
        return;
      }
      event.preventDefault();
      this.choose(Math.max(0, Math.min(this.total - 1, this.chosen + step)));
    }

    async choose(index) {
      this.mark(index);
      if (!this.rows.has(index)) await this.fetch(Math.floor(index / BLOCK) * BLOCK);
      if (this.chosen === index && this.rows.has(index)) this.tell("choose");
    }

    tell(name) {
      const row = this.rows.get(this.chosen);
      if (row) this.root.dispatchEvent(new CustomEvent(name, { detail: row, bubbles: true }));
    }

    // Mark a row without telling anybody.
    mark(index) {
      this.chosen = index;
      this.show(index);
      this.draw();
    }

    light(first, last) {
      this.lit = [first, last];
      if (first >= 0) this.show(first);
      this.draw();
    }

    show(index) {
      if (!this.space) return;
      const room = this.root.clientHeight - HEIGHT, top = index * HEIGHT;
      if (top < this.root.scrollTop || top + HEIGHT > this.root.scrollTop + room) this.root.scrollTop = top - room / 3;
    }

    async fetch(from) {
      if (this.asked.has(from)) return this.pending?.get(from);
      this.asked.add(from);
      this.pending ||= new Map();
      const work = (async () => {
        const reply = await fetch(`${this.url}?from=${from}&count=${BLOCK}`);
        if (!reply.ok) { this.asked.delete(from); return; }
        for (const row of (await reply.json()).rows) this.rows.set(row.index, row);
        this.draw();
      })();
      this.pending.set(from, work);
      return work;
    }

    // Where in this list a raw event went, or null.
    async place(raw) {
      const reply = await fetch(`${this.url}?raw=${raw}&count=1`);
      return reply.ok ? (await reply.json()).place : null;
    }

    draw() {
      if (!this.space) return;
      const first = Math.max(0, Math.floor(this.root.scrollTop / HEIGHT) - AROUND);
      const last = Math.min(this.total - 1, Math.ceil((this.root.scrollTop + this.root.clientHeight) / HEIGHT) + AROUND);
      const lines = [];
      for (let index = first; index <= last; index++) {
        const row = this.rows.get(index);
        if (!row) { this.fetch(Math.floor(index / BLOCK) * BLOCK); continue; }
        lines.push(this.line(row));
      }
      this.space.replaceChildren(...lines);
    }

    line(row) {
      const line = document.createElement("div");
      line.className = `line ${row.origin}`;
      line.setAttribute("role", "row");
      line.setAttribute("aria-rowindex", row.index + 1);
      line.dataset.index = row.index;
      line.style.top = `${row.index * HEIGHT}px`;
      if (row.index === this.chosen) { line.classList.add("chosen"); line.setAttribute("aria-selected", "true"); }
      if (row.index >= this.lit[0] && row.index <= this.lit[1]) line.classList.add("lit");
      [row.index + 1, row.clock, row.type, row.target, row.detail].forEach((text, place) => {
        const cell = document.createElement("span");
        cell.setAttribute("role", "cell");
        if (place > 2) { cell.dir = "auto"; cell.title = text; }
        cell.textContent = text;
        line.append(cell);
      });
      return line;
    }
  }

  window.lists = Object.fromEntries([...document.querySelectorAll(".lines")].map((root) => [root.id, new Lines(root)]));
  const { raw, cleaned, steps } = window.lists;

  // Linked both ways: what a row was made of, and what it went into.
  const from = (list, others) => list?.root.addEventListener("choose", async ({ detail: row }) => {
    raw?.light(row.first, row.last);
    for (const other of others) other?.mark((await other.place(row.first)) ?? -1);
  });
  from(steps, [cleaned]);
  from(cleaned, [steps]);
  raw?.root.addEventListener("choose", async ({ detail: row }) => {
    raw.light(-1, -2);
    for (const other of [cleaned, steps]) other?.mark((await other.place(row.index)) ?? -1);
  });

  const whole = document.getElementById("whole");
  const open = async () => {
    if (!raw || raw.chosen < 0 || !whole.open) return;
    const reply = await fetch(raw.url.replace(/rows\/raw\/$/, `events/${raw.chosen}/`));
    whole.querySelector("pre").textContent = reply.ok ? await reply.text() : "It could not be fetched; try again.";
  };
  raw?.root.addEventListener("choose", open);
  raw?.root.addEventListener("whole", () => { whole.open = true; open(); });
  whole?.addEventListener("toggle", open);
})();
