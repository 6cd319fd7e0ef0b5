// A batch in shorthand: what its events share is said once, what differs by columns. What the text means: recorder/shorthand/.
const alphabet = Array.from({ length: 92 }, (_, i) => String.fromCharCode(35 + i)).join("").replace("\\", "");
const lastDigits = 61; // so many digits end a number; the other thirty say that it goes on
const mostFields = 90;
const mostLikes = 100; // remembered events that one batch may ask the server for
const mostRemembered = 300;
const longestRemembered = 4000; // characters

const code = (number) => {
  let text = "";
  for (; number >= lastDigits; number = Math.floor((number - lastDigits) / 30)) text += alphabet[lastDigits + ((number - lastDigits) % 30)];
  return text + alphabet[number];
};
const signed = (number) => code(number < 0 ? -2 * number - 1 : 2 * number);

/** Numbers by their differences, by the differences of these, or by their differences where none is negative. */
const ways = { first: 0, second: 1, rising: 2 };
const series = (numbers, before, way) => {
  let text = "";
  let step = 0;
  numbers.forEach((number, i) => {
    const more = number - before - step;
    text += way === ways.rising ? code(more) : signed(more);
    step = way === ways.second && i ? number - before : 0;
    before = number;
  });
  return text;
};
const rises = (numbers, before) => numbers.every((number, i) => number >= (i ? numbers[i - 1] : before));

/** About how many bits packing leaves of a text. */
const bitsOf = (text) => {
  const counts = new Map();
  for (const letter of text) counts.set(letter, (counts.get(letter) || 0) + 1);
  let bits = 0;
  for (const many of counts.values()) bits += 4 - many * Math.log2(many / text.length);
  return bits;
};

const isCodable = (value) => typeof value === "number" && Math.abs(value) < 2 ** 40 && Math.round(value * 10) / 10 === value;
const tenths = (value) => Math.round(value * 10);
const numberColumn = (values, before) => {
  const all = [before, ...values];
  if (!all.every(isCodable)) return "";
  const whole = all.every(Number.isInteger);
  const [start, ...numbers] = whole ? all : all.map(tenths);
  const found = [ways.first, ways.second, ...(rises(numbers, start) ? [ways.rising] : [])].map((way) => [way, series(numbers, start, way)]);
  const [way, text] = found.reduce((best, other) => (bitsOf(other[1]) < bitsOf(best[1]) ? other : best));
  return (whole ? "abc" : "def")[way] + text;
};
const pathColumn = (paths) => {
  const size = (Array.isArray(paths[0]) && paths[0][0] && paths[0][0].length) || 0;
  const isPoint = (point) => Array.isArray(point) && point.length === size && point.every(isCodable);
  if (!size || !paths.every((path) => Array.isArray(path) && path.length && path.every(isPoint))) return "";
  const axis = (path, i) => numberColumn(path.map((point) => point[i]), 0);
  return paths.map((path) => path[0].map((_, i) => axis(path, i)).join(" ")).join("!");
};
const columnOf = (values, before) => {
  const numbers = numberColumn(values, before);
  const paths = numbers ? "" : pathColumn(values);
  if (numbers || paths) return numbers || "p" + paths;
  return values.every((value) => typeof value === "string" && value.length === 1) ? "s" + values.join("") : "";
};

// What the server would write in another way: half a character, and numbers that are very small or very large.
const writtenElseHow = /\\u|0\.00000|\d{17}|\de\+/;
/** What an event says beyond `doc`, `n` and `p`, its targets' fields one by one; null where it has to stand as its own line. */
const fieldsOf = ({ n, line }) => {
  const event = writtenElseHow.test(line) ? {} : JSON.parse(line);
  const head = `{"doc":"${doc}","n":${n},"p":${event.p},`;
  if (!isCodable(event.p) || !line.startsWith(head)) return null;
  const names = [];
  const values = [];
  const add = (name, value) => {
    names.push(name);
    values.push(value);
  };
  for (const [name, value] of Object.entries(event).slice(3)) {
    const parts = value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
    parts.forEach(([own, part]) => add([name, own], part));
    if (!parts.length) add(name, value);
  }
  if (names.length > mostFields) return null;
  const shape = JSON.stringify([event.type, names]);
  const typed = ["value", "before", "data"].map((name) => names.indexOf(name));
  return {
    n, p: event.p, text: "{" + line.slice(head.length), values, shape, key: shape + JSON.stringify(event.target), path: names.indexOf("path"),
    place: JSON.stringify(event.target), aimed: names.flatMap((name, i) => (name[0] === "target" ? [i] : [])),
    typed: event.type === "input" && !typed.includes(-1) && typeof event.value === "string" ? typed : null,
  };
};
const read = (event) => (event.fields === undefined ? (event.fields = fieldsOf(event)) : event.fields);

/** True where an input added one character to the end of what the one before left. */
const typesOn = (values, before, [value, old, data]) =>
  typeof values[data] === "string" && values[data].length === 1 && values[old] === before[value] && values[value] === values[old] + values[data];

/** What the server surely holds, by kind and target, and by kind alone: what comes later may be said to be like it. */
const memory = new Map();
const remember = (event) => {
  const fields = event.line.length > longestRemembered ? null : read(event);
  if (!fields) return;
  for (const key of [fields.key, fields.shape]) {
    memory.delete(key); // so that it is the newest
    memory.set(key, fields);
  }
  for (const key of memory.keys()) if (memory.size > mostRemembered) memory.delete(key);
};

/** The batch's events in groups, each like one that came before it; and the group of each event, 0 where it is its own line. */
const grouped = (batch) => {
  const groups = [];
  const open = new Map();
  const places = new Map(); // the first group at each target
  let likes = 0;
  const remembered = (key) => (likes < mostLikes ? memory.get(key) : undefined);
  const begin = (fields) => {
    const { key, shape, values, typed, path, text, place: at, aimed } = fields;
    const group = { index: groups.length, typed, path, rows: [], goesOn: true, base: values, like: text, whole: false, aimed, at: places.get(at) };
    if (aimed.length && !group.at) places.set(at, group);
    const like = open.get(key) || remembered(key) || open.get(shape) || remembered(shape);
    if (!like) group.whole = true;
    else if (like.rows) Object.assign(group, { base: like.whole ? like.base : like.rows[0], like: -like.index });
    else {
      likes++;
      Object.assign(group, { base: like.values, like: batch[0].n - like.n });
    }
    if (typed && like) group.goesOn = typesOn(values, group.base, typed);
    groups.push(group);
    return group;
  };
  const place = (fields) => {
    const { key, shape, values, typed } = fields;
    let group = open.get(key);
    if (!group || !group.goesOn || (typed && !typesOn(values, group.last, typed))) group = begin(fields);
    if (values !== group.base) group.rows.push(values);
    group.last = values;
    open.set(key, group).set(shape, group);
    return group.index + 1;
  };
  const order = batch.map((event) => (read(event) ? place(read(event)) : 0));
  return [groups, order];
};

const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);
/** A group's text. The first path of a group that is like nothing before stands in the column, too. */
const groupText = ({ base, rows, typed, whole, path, like, at, aimed }) => {
  const found = [];
  const done = new Set();
  const paths = whole && path >= 0 ? pathColumn([base, ...rows].map((row) => row[path])) : "";
  if (paths) {
    found.push(JSON.stringify(alphabet[path] + "q" + paths));
    done.add(path);
    like = like.replace(`"path":${JSON.stringify(base[path])}`, '"path":[]');
  }
  if (typed && rows.every((row, i) => typesOn(row, i ? rows[i - 1] : base, typed))) {
    if (rows.length) found.push(JSON.stringify(alphabet[typed[0]] + "t" + rows.map((row) => row[typed[2]]).join("")));
    typed.forEach((i) => done.add(i));
  }
  if (at && !whole && aimed.some((i) => !isSame(rows[0][i], base[i]))) {
    found.push(JSON.stringify(alphabet[aimed[0]] + "g" + code(at.index)));
    aimed.forEach((i) => done.add(i));
  }
  base.forEach((before, i) => {
    const values = rows.map((row) => row[i]);
    if (done.has(i) || values.every((value) => isSame(value, before))) return;
    const text = columnOf(values, before);
    const one = values.every((value) => isSame(value, values[0]));
    found.push(JSON.stringify(text ? alphabet[i] + text : [i, ...(one ? [values[0]] : values)]));
  });
  return `[${[like, ...found].join(",")}]`;
};

/** Adler-32 of the lines, made shorter: by it the server knows that it understood. */
const checkOf = (text) => {
  let low = 1;
  let high = 0;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return (high * 65536 + low) % 1000003;
};

/** A batch in shorthand; "" where its numbers have gaps or its times go back. `who` is the document, `last` its newest number. */
const shorthand = (who, batch, { last, left, rtt, sent }) => {
  const first = batch.length ? batch[0].n : last + 1;
  const times = batch.filter(read).map((event) => tenths(read(event).p));
  if (!rises(times, 0) || batch.some((event, i) => event.n !== first + i)) return "";
  const [groups, order] = grouped(batch);
  const lines = batch.map((event) => event.line);
  const own = lines.filter((_, i) => !order[i]);
  const numbers = [
    first, last + 1 - first - batch.length, left, rtt === null ? -1 : tenths(rtt), checkOf(lines.join("\n")), tenths(sent) - (times.at(-1) || 0),
  ];
  const said = [who, numbers.map(signed).join("") + series(times, 0, ways.rising), order.map(code).join("")].map((part) => JSON.stringify(part));
  return [`[2,${[...said, ...groups.map(groupText)].join(",")}]`, ...own].join("\n");
};
