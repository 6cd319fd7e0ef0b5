// A point of a container at which a wheel scrolls it and nothing inside it; null where there is none in view.
(el, [dx, dy, at]) => {
  const whole = el === document.documentElement || el === document.body;
  const box = whole ? { x: 0, y: 0, width: innerWidth, height: innerHeight } : el.getBoundingClientRect();
  const free = (over) => over === "auto" || over === "scroll";
  const can = (one) => {
    const style = getComputedStyle(one);
    const down = dy > 0 ? one.scrollTop + one.clientHeight < one.scrollHeight - 1 : dy < 0 && one.scrollTop > 0;
    const along = dx > 0 ? one.scrollLeft + one.clientWidth < one.scrollWidth - 1 : dx < 0 && one.scrollLeft > 0;
    return (down && free(style.overflowY)) || (along && free(style.overflowX));
  };
  const deep = (root, x, y) => {
    const hit = root.elementFromPoint(x, y);
    return hit && hit.shadowRoot && hit.shadowRoot !== root ? deep(hit.shadowRoot, x, y) || hit : hit;
  };
  const spots = at ? [at] : [];
  for (const fy of [0.5, 0.2, 0.8, 0.05, 0.95]) {
    for (const fx of [0.5, 0.1, 0.9]) spots.push([box.x + box.width * fx, box.y + box.height * fy]);
  }
  for (const [x, y] of spots) {
    for (let one = deep(document, x, y); one; one = one.parentElement || one.getRootNode().host || null) {
      if (one === el) return [x, y];
      if (can(one)) break;
    }
  }
  return null;
}
