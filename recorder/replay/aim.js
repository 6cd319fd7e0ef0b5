// Brings an element into view, waits until it stands still, and says where to press it, in this frame's viewport:
// { x, y, ok, over, enabled, box }. `ok` is false where something else would get the press; `over` says what.
async (el, { point, anywhere }) => {
  if (!el.isConnected) return { gone: true };
  const frame = () => new Promise((done) => {
    const timer = setTimeout(done, 120);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      done();
    });
  });
  const key = (box) => [box.x, box.y, box.width, box.height].map((side) => Math.round(side * 2)).join();
  const inside = (x, y) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  const place = () => {
    const box = el.getBoundingClientRect();
    const [left, top, w, h] = point ? point.box : [0, 0, 0, 0];
    if (point && Math.abs(box.x - left) < 1 && Math.abs(box.y - top) < 1 && Math.abs(box.width - w) < 2 && Math.abs(box.height - h) < 2) {
      return [box, point.x, point.y]; // where it was: recorded boxes are rounded, the point is not
    }
    const same = point && Math.abs(box.width - w) <= 2 && Math.abs(box.height - h) <= 2;
    const dx = point ? (same ? point.x - left : w ? ((point.x - left) / w) * box.width : box.width / 2) : box.width / 2;
    const dy = point ? (same ? point.y - top : h ? ((point.y - top) / h) * box.height : box.height / 2) : box.height / 2;
    return [box, box.x + dx, box.y + dy];
  };
  let [box, x, y] = place();
  if (!inside(x, y)) el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  for (let i = 0; i < 30; i++) {
    const was = key(el.getBoundingClientRect());
    await frame();
    await frame();
    if (key(el.getBoundingClientRect()) === was) break;
  }
  [box, x, y] = place();
  const deep = (at, left, top) => {
    const hit = at.elementFromPoint(left, top);
    return hit && hit.shadowRoot && hit.shadowRoot !== at ? deep(hit.shadowRoot, left, top) || hit : hit;
  };
  const holds = (outer, inner) => {
    for (let at = inner; at; at = at.parentNode || at.host) if (at === outer) return true;
    return false;
  };
  const hits = (left, top) => {
    const hit = deep(document, left, top);
    if (!hit) return [false, null];
    const label = hit.closest("label");
    return [holds(el, hit) || (label && label.control === el) || (el.labels && [...el.labels].some((one) => holds(one, hit))), hit];
  };
  let [ok, hit] = hits(x, y);
  if (!ok && anywhere) {
    const parts = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5]];
    for (const rect of [box, ...el.getClientRects()]) {
      for (const [fx, fy] of parts) {
        if (ok) break;
        const [left, top] = [rect.x + rect.width * fx, rect.y + rect.height * fy];
        if (hits(left, top)[0]) [ok, x, y] = [true, left, top];
      }
    }
  }
  const name = hit ? hit.tagName.toLowerCase() + (hit.id ? "#" + hit.id : hit.classList[0] ? "." + hit.classList[0] : "") : "nothing";
  const enabled = !(el.disabled || el.closest("fieldset:disabled") || el.getAttribute("aria-disabled") === "true");
  return { x, y, ok: !!ok, over: name, enabled, shown: box.width > 0 && box.height > 0, box: [box.x, box.y, box.width, box.height] };
}
