// Which move opened something. A move into new elements is a hover if they react by showing something, and the person
// then stays there or presses what was shown. Two cheap signs, neither of which grows with the page: a style rule
// `X:hover Y` that shows Y in the entered element, or a change the page made to the entered elements right away.
const reveals = /(^|[;{\s])(display|visibility|opacity|height|max-height|clip|clip-path|transform|pointer-events|left|top|right|bottom)\s*:/;
const hoverRules = [];
const readSheets = new WeakMap();
const rulesOf = getter(CSSStyleSheet, "cssRules");
const selectorOf = getter(CSSStyleRule, "selectorText");
const declarationsOf = getter(CSSStyleRule, "style");
const cssTextOf = getter(CSSStyleDeclaration, "cssText");
const nestedOf = getter(CSSGroupingRule, "cssRules");

const readRules = (rules, budget) => {
  for (let i = 0; i < rules.length && budget.left > 0; i++) {
    const rule = rules[i];
    budget.left--;
    if (rule instanceof CSSStyleRuleSaved) readRule(rule);
    else if (rule instanceof CSSGroupingRuleSaved) readRules(nestedOf(rule), budget);
  }
};
const CSSStyleRuleSaved = CSSStyleRule;
const CSSGroupingRuleSaved = CSSGroupingRule;

const readRule = (rule) => {
  const selectors = selectorOf(rule);
  if (indexOf(selectors, ":hover") < 0 || !test(reveals, cssTextOf(declarationsOf(rule)))) return;
  const list = splitText(selectors, ",");
  for (let i = 0; i < list.length; i++) {
    const at = indexOf(list[i], ":hover");
    const rest = sliceText(list[i], at + 6);
    // What follows the hovered compound must be a descendant or a sibling: the hovered element itself shows nothing new.
    if (at >= 0 && test(/^[^\s>+~(]*[\s>+~]/, rest) && hoverRules.length < 400) {
      hoverRules[hoverRules.length] = { on: sliceText(list[i], 0, at) || "*", whole: list[i], beside: test(/^\s*[+~]/, rest) };
    }
  }
};

const readSheetsOnce = (root) => {
  const sheets = styleSheetsOf(root);
  const budget = { left: 4000 };
  for (let i = 0; i < sheets.length && i < 200; i++) {
    const sheet = sheets[i];
    try {
      const rules = rulesOf(sheet);
      if (mapGet(readSheets, sheet) === rules.length || budget.left <= 0) continue;
      mapSet(readSheets, sheet, rules.length);
      readRules(rules, budget);
    } catch {
      mapSet(readSheets, sheet, -1); // another origin's sheet
    }
  }
};

/** What a style rule shows because the pointer entered `el`; null where nothing. */
const shownByStyle = (el) => {
  for (let i = 0; i < hoverRules.length; i++) {
    const rule = hoverRules[i];
    try {
      if (!matchesSelector(el, rule.on)) continue;
      const shown = queryIn(rule.beside ? parentElementOf(el) || el : el, rule.whole);
      if (shown && shown !== el && checkVisibility(shown)) return shown;
    } catch {
      rule.on = ":not(*)"; // a selector cut in the wrong place
    }
  }
  return null;
};

const signature = (el) =>
  attribute(el, "aria-expanded") + "|" + attribute(el, "aria-describedby") + "|" + childElementCountOf(el);
const looks = (el) => (attribute(el, "class") || "") + "|" + (attribute(el, "style") || "");

// The last entering: { el, top, at, chain (newly entered elements), before, moves (held until it is known) }, later also kind, shown, target.
let entered = null;
handlers.pointerover = (e, p, real, el) => {
  if (!real || (press && !press.up) || pointerTypeOf(e) === "touch") return;
  rest(p);
  if (entered && reacted(entered) && contains(entered.top, el)) return;
  judge(p);
  const from = relatedTargetOf(e);
  const root = ownerDocumentOf(el);
  const body = bodyOf(root);
  const chain = [];
  const before = [];
  for (let at = el, i = 0; at && i < 5 && at !== body && at !== documentElementOf(root) && !(from && contains(at, from)); at = parentElementOf(at), i++) {
    chain[i] = at;
    before[i] = [signature(at), looks(at)];
  }
  if (!chain.length) return;
  entered = { el, top: el, at: p, met: now(), chain, before, body, children: body ? childElementCountOf(body) : 0, root, moves: [] };
};

const become = (was, kind, top) => {
  was.kind = kind;
  was.top = top;
  was.target = describe(controlOf(was.el), true);
};

/** The sign by which what was entered has reacted, if it has by now. */
const reacted = (was) => {
  if (!was.checked) look(was);
  if (!was.kind) lookAgain(was);
  return was.kind;
};

const look = (was) => {
  was.checked = true;
  readSheetsOnce(was.root);
  for (let i = 0; i < was.chain.length && !was.kind; i++) {
    was.shown = shownByStyle(was.chain[i]);
    if (was.shown) become(was, "style", was.chain[i]);
  }
};

const lookAgain = (was) => {
  for (let i = 0; i < was.chain.length && !was.kind; i++) {
    const el = was.chain[i];
    if (signature(el) !== was.before[i][0]) become(was, "change", el);
    else if (looks(el) !== was.before[i][1]) become(was, "looks", el);
  }
  if (!was.kind && was.body && childElementCountOf(was.body) > was.children) become(was, "change", was.el);
};

const stay = 250; // ms: shorter, and the pointer only passed by

/** The pointer left, pressed, or stayed: was it a hover? Writes the moves that waited for the answer. */
const judge = (p, pressed) => {
  const was = entered;
  entered = null;
  if (!was || !was.moves.length) return;
  reacted(was);
  const inside = pressed && was.shown && contains(was.shown, pressed);
  const trigger = pressed && controlOf(pressed) === controlOf(was.el);
  const reached = was.kind === "looks" ? pressed && contains(was.top, pressed) : p - was.at >= stay;
  writeMoves(was, !!was.kind && !trigger && !!(inside || reached));
};

const writeMoves = (was, hover) => {
  mapped(was.moves, (held, i) => {
    const fields = held[0];
    if (hover && !i) {
      fields.target = was.target;
      fields.effect = was.effect || "hover";
    }
    write("mousemove", true, fields, held[1]);
  });
  was.moves = [];
};

/** Something came of a move by itself: what the pointer has just entered is what caused it. */
const moveCaused = (effect, p) => {
  const was = entered;
  if (!was || was.effect || now() - was.met > 100 || p - act.at < 300 || (press && !press.up)) return;
  was.effect = effect;
  become(was, effect, was.top);
  if (!was.moves.length) return;
  entered = null;
  writeMoves(was, true);
};

unsettled[unsettled.length] = () => {
  if (entered && entered.moves.length && now() - entered.at >= stay) judge(now());
};

const move = (fields, el, p) => {
  const was = entered;
  if (!was || !contains(was.top, el)) return record("mousemove", true, fields, p);
  was.moves[was.moves.length] = [fields, p];
  if (was.effect) {
    entered = null;
    return writeMoves(was, true);
  }
  if (was.moves.length === 1) return askTick(stay + 20); // the page's own handlers come after this one
  if (!reacted(was)) writeMoves(was, false);
};
