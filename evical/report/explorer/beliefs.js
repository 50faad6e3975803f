// What stands on the page about beliefs: editors of two sources, tables and pictures.

const SVG = "http://www.w3.org/2000/svg";

// An element; an attribute that is null is left out, and a function listens.
function h(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}
const SVG_TAGS = new Set(["svg", "g", "rect", "line", "polyline", "polygon", "circle", "path", "text", "title", "defs", "pattern"]);

const $ = (id) => document.getElementById(id);
const put = (id, ...children) => $(id).replaceChildren(...children);

function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  // Rounding errors are not shown, but what is small or almost 1 is.
  if (Math.abs(value) < 1e-13) return "0";
  if (Math.abs(1 - value) < 1e-13) return "1";
  if (Math.abs(value) < 0.00005) return value.toExponential(1);
  const digits = value.toFixed(4);
  return digits === "1.0000" && value < 1 ? `1 − ${(1 - value).toExponential(1)}` : digits;
}

// The end stays, where names often differ.
const short = (text, longest = 16) => (text.length <= longest
  ? text : `${text.slice(0, longest - 1 - Math.floor(longest / 3))}…${text.slice(-Math.floor(longest / 3))}`);

function picture(width, height, title, ...children) {
  const svg = h("svg", { viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": title }, ...children);
  return svg;
}

const text = (x, y, content, attributes = {}) => h("text", { x, y, ...attributes }, content);
const points = (list) => list.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");

// The name of the one column that holds words.
const WORDS = "Goes to";

// A table in a region that scrolls by itself; cells are texts, [text, value] or elements.
function table(id, caption, head, rows) {
  const cell = (content) => {
    if (content instanceof Node) return content;
    const [label, value] = Array.isArray(content) ? content : [content, null];
    return h("td", { "data-value": value }, h("span", {}, label));
  };
  return h("div", { class: "wide", role: "region", tabindex: 0, "aria-labelledby": `${id}-caption` },
    h("table", { id }, h("caption", { id: `${id}-caption` }, caption),
      h("thead", {}, h("tr", {}, ...head.map((name, i) => h("th", { scope: "col", class: i === 0 || name === WORDS ? "head" : null }, name)))),
      h("tbody", {}, ...rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), ...cells.map(cell))))));
}

// Replaces what stands in a place, and leaves the focus where it is.
function show(id, element) {
  const focused = $(id).contains(document.activeElement) && document.activeElement.className === "wide";
  const scroll = $(id).querySelector(".wide")?.scrollLeft ?? 0;
  put(id, element);
  const region = $(id).querySelector(".wide");
  if (region) region.scrollLeft = scroll;
  if (focused && region) region.focus();
}

// A slider with a field for exact numbers.
function slider(label, name, value, { max = 1, step = 0.01, min = 0 } = {}, change) {
  const range = h("input", { type: "range", min, max, step, "aria-label": name });
  const field = h("input", { type: "number", min, max: max === 1 ? 1 : null, step: "any", "aria-label": `${name}, exact number` });
  const set = (next) => {
    range.value = next;
    if (document.activeElement !== field) field.value = Number(next.toPrecision(12));
  };
  range.addEventListener("input", () => change(Number(range.value)));
  field.addEventListener("input", () => { if (field.value !== "" && Number(field.value) >= min) change(Number(field.value)); });
  field.addEventListener("blur", () => set(current()));
  let current = value;
  set(current());
  return { element: h("div", { class: "control" }, h("span", { "aria-hidden": "true" }, label), range, field), update: () => set(current()), field };
}

// ---- state ----

let state = null;
let editors = [];
// Rows of the user's data come first.
const EXAMPLES = { ...JSON.parse($("fitted").textContent)?.examples, ...PRESETS };

function stateOf(preset) {
  const { labels, masses } = EXAMPLES[preset];
  const entered = masses.map((one) => Array.from({ length: 1 << labels.length }, (_, mask) => one[mask] ?? 0));
  return { preset, labels: [...labels], entered, restToFrame: true, rule: state?.rule ?? "dempster", k: state?.k ?? 1 };
}

function resized(size) {
  const names = ["ant", "bee", "cat", "dog", ...state.labels];
  const labels = state.labels.slice(0, size);
  while (labels.length < size) labels.push(names.find((name) => !labels.includes(name)));
  // Masks keep their meaning; the mass of the former frame moves to the new one.
  const last = state.entered[0].length - 1, full = (1 << size) - 1;
  const entered = state.entered.map((one) => {
    const masses = Array.from({ length: 1 << size }, (_, mask) => one[mask] ?? 0);
    if (last < full) { masses[full] = one[last]; masses[last] = 0; }
    return masses;
  });
  return { ...state, preset: null, labels, entered };
}

// What the page shows, as numbers.
function results(one) {
  const sources = one.entered.map((entered) => resolve(entered, one.restToFrame));
  const [m1, m2] = sources.map((source) => source.masses);
  const joined = m1 && m2 ? combine(one.rule, m1, m2, one.k) : null;
  return { sources, joined };
}

// ---- elements ----

function buildQuestion() {
  const sizes = h("select", { id: "size", change: (event) => replaceState(resized(Number(event.target.value)), "size") },
    ...[2, 3, 4].map((size) => h("option", { value: size, selected: size === state.labels.length }, `${size} answers`)));
  const names = state.labels.map((label, i) => h("input", {
    type: "text", value: label, maxlength: 40, "aria-label": `name of answer ${i + 1}`,
    change: (event) => rename(i, event.target) }));
  const rest = (value, label) => h("label", { class: "inline" },
    h("input", { type: "radio", name: "rest", value, checked: (value === "frame") === state.restToFrame,
      change: () => { state.restToFrame = value === "frame"; update(); } }), label);
  put("question",
    h("div", { class: "row" }, h("label", { class: "inline" }, "Possible answers", sizes), ...names),
    h("div", { class: "row", role: "radiogroup", "aria-label": "If masses sum to less than 1" }, "If masses sum to less than 1:",
      rest("frame", "what is left goes to the set of all answers"), rest("strict", "there is no result")));
}

function rename(i, input) {
  const name = input.value.trim();
  const valid = name !== "" && !state.labels.some((label, j) => j !== i && label === name);
  input.setAttribute("aria-invalid", String(!valid));
  if (!valid) return say(name === "" ? "An answer needs a name." : `Two answers are called ${name}.`);
  const labels = state.labels.map((label, j) => (j === i ? name : label));
  replaceState({ ...state, labels, preset: null }, null);
  return undefined;
}

function buildEditor(place, source, title) {
  const controls = listed(state.labels.length).map((mask) => {
    const name = mask === 0 ? "∅, none of these" : setName(mask, state.labels);
    return slider(name, `mass of ${name}, ${title}`, () => state.entered[source][mask], {}, (value) => {
      state.entered[source][mask] = value;
      state.preset = null;
      update();
    });
  });
  const line = h("p", { class: "sum", role: "status" });
  const set = (masses) => { state.entered[source] = masses; state.preset = null; update(); };
  const vacuous = () => set(state.entered[source].map((_, mask, all) => (mask === all.length - 1 ? 1 : 0)));
  const scale = h("button", { type: "button", click: () => set(normalized(state.entered[source])) }, "Normalize to sum 1");
  put(place, h("fieldset", {}, h("legend", {}, title), ...controls.map((one) => one.element), line,
    h("div", { class: "row" }, scale, h("button", { type: "button", click: vacuous }, "Know nothing (vacuous)"))));
  return {
    update({ sources }) {
      controls.forEach((one) => one.update());
      const { total, left, problem } = sources[source];
      const frame = setName(state.labels.length ? (1 << state.labels.length) - 1 : 0, state.labels);
      const rest = left > 0 && !problem ? ` ${shown(left)} is left, and goes to ${frame}.` : "";
      line.textContent = `Sum ${shown(total)}.${rest} ${problem}`.trim();
      line.classList.toggle("wrong", problem !== "");
      scale.disabled = total === 0 || Math.abs(total - 1) <= 1e-9;
    },
  };
}

function buildRule() {
  const choose = h("select", { id: "rule-name", change: (event) => { state.rule = event.target.value; update(); } },
    ...Object.entries(RULES).map(([name, { title }]) => h("option", { value: name, selected: name === state.rule }, title)));
  const k = slider("k", "k of Inagaki's rule", () => state.k, {}, (value) => { state.k = Math.min(1, value); update(); });
  k.element.id = "k";
  put("rule", h("div", { class: "row" }, h("label", { class: "inline" }, "Combination rule", choose)), k.element);
  return { update() { k.element.hidden = state.rule !== "inagaki"; k.element.style.display = k.element.hidden ? "none" : ""; k.update(); } };
}

function intervalBar(bel, pl, betp) {
  const width = 130, x = (value) => 1 + value * (width - 2);
  const parts = [h("rect", { class: "track", x: 0.5, y: 1.5, width: width - 1, height: 11 }),
    h("rect", { class: "light", x: x(0), y: 2, width: pl * (width - 2), height: 10 }),
    h("rect", { class: "solid", x: x(0), y: 2, width: bel * (width - 2), height: 10 })];
  if (betp !== null) parts.push(h("line", { class: "mark", x1: x(betp), x2: x(betp), y1: 0, y2: 14 }));
  return h("td", { class: "bar", "aria-hidden": "true" }, h("svg", { viewBox: `0 0 ${width} 14`, width, height: 14 }, ...parts));
}

function beliefTable(id, caption, m) {
  const { bel, pl, q, betp, plausibility } = measures(m);
  const rows = listed(state.labels.length).filter((mask) => mask || m[0] > 0).map((mask) => {
    const values = [m[mask], bel[mask], pl[mask], betp?.[mask] ?? null, plausibility?.[mask] ?? null, q[mask]];
    const cells = values.map((value) => [shown(value), value]);
    return [setName(mask, state.labels), ...cells, intervalBar(bel[mask], pl[mask], betp?.[mask] ?? null)];
  });
  return table(id, `${caption} Bars: dark to Bel, light to Pl, mark at BetP.`, ["Set", "m", "Bel", "Pl", "BetP", "PlP", "q", "Bel to Pl"], rows);
}

// ---- triangle ----

const CORNERS = [[34, 248], [306, 248], [170, 28]];
const place = (p) => [0, 1].map((i) => p.reduce((total, value, j) => total + value * CORNERS[j][i], 0));

function triangleGrid() {
  const lines = [0.25, 0.5, 0.75].flatMap((t) => [0, 1, 2].map((i) => {
    const ends = [1, 2].map((step) => { const p = [0, 0, 0]; p[i] = t; p[(i + step) % 3] = 1 - t; return place(p); });
    return h("polyline", { class: "grid", points: points(ends) });
  }));
  const names = state.labels.map((label, i) => text(CORNERS[i][0], CORNERS[i][1] + (i === 2 ? -10 : 20), short(label, 18),
    { "text-anchor": ["start", "end", "middle"][i], dx: [-30, 30, 0][i] }));
  return [...lines, h("polygon", { class: "frame", points: points(CORNERS) }), ...names];
}

function triangle(id, m, others = []) {
  if (state.labels.length !== 3) return put(id, h("figcaption", {}, "The triangle of probabilities needs three answers."));
  if (m === null) return put(id);
  const { betp, plausibility } = measures(m);
  if (betp === null) return put(id, h("figcaption", {}, "All mass is on the empty set, so that no probability agrees with it."));
  const at = (table) => place([1, 2, 4].map((mask) => table[mask]));
  const [x, y] = at(betp), [u, v] = at(plausibility);
  const outlines = others.map((one, i) => (measures(one).betp ? h("polygon", { class: ["first", "second"][i], points: points(credalOutline(one).map(place)) }) : ""));
  const title = `Triangle of probabilities. Pignistic probability: ${state.labels.map((label, i) => `${label} ${shown(betp[1 << i])}`).join(", ")}.`;
  const notes = ["Shaded: the probabilities between Bel and Pl. Dot: BetP. Diamond: PlP."];
  if (others.length) notes.push("Dashed: source 1. Dotted: source 2.");
  if (m[0] > 0) notes.push("Without the mass of the empty set.");
  return put(id, picture(340, 276, title, ...triangleGrid(), ...outlines,
    h("polygon", { class: "region", points: points(credalOutline(m).map(place)) }),
    h("path", { class: "plp", d: `M${u},${v - 7} L${u + 7},${v} L${u},${v + 7} L${u - 7},${v} Z` }),
    h("circle", { class: "betp", cx: x, cy: y, r: 5 })), h("figcaption", {}, notes.join(" ")));
}

// ---- conflict ----

function showFlows(joined) {
  const parts = joined && received(joined);
  if (!parts) return put("flows");
  const used = listed(state.labels.length).filter((mask) => parts[mask].agreed + parts[mask].conflict > 0);
  const most = Math.max(...used.map((mask) => parts[mask].agreed + parts[mask].conflict));
  const left = 118, width = 165 / most, step = 26;
  const rows = used.flatMap((mask, i) => {
    const y = 8 + i * step, { agreed, conflict } = parts[mask];
    const box = { x: left + agreed * width, y, width: Math.max(conflict * width, 0.01), height: 16 };
    return [text(left - 8, y + 13, short(setName(mask, state.labels), 17), { "text-anchor": "end" }),
      h("rect", { class: "solid", x: left, y, width: agreed * width, height: 16 }),
      ...(conflict > 0 ? [h("rect", { class: "from-conflict", ...box }), h("rect", { ...box, fill: "url(#stripes)" })] : []),
      text(left + (agreed + conflict) * width + 6, y + 13, shown(agreed + conflict), { class: "small" })];
  });
  const title = `Masses of the result: ${used.map((mask) => `${setName(mask, state.labels)} ${shown(parts[mask].agreed)} from agreement and ${shown(parts[mask].conflict)} from conflict`).join("; ")}.`;
  const stripes = h("defs", {}, h("pattern", { id: "stripes", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    h("line", { class: "stripe", x1: 0, y1: 0, x2: 0, y2: 6 })));
  return put("flows", picture(340, 16 + used.length * step, title, stripes, ...rows),
    h("figcaption", {}, "Masses of the result. Plain: from sets that meet. Striped: from conflict."));
}

function showProducts(joined, m1, m2) {
  const pairwise = joined && !["bold", "cautious", "fixsen_mahler", "florea", "mixing"].includes(state.rule);
  if (!pairwise) return put("products");
  const one = state.rule === "murphy" ? m1.map((mass, mask) => (mass + m2[mask]) / 2) : m1;
  const two = state.rule === "murphy" ? one : m2;
  const sets = (m) => listed(state.labels.length).filter((mask) => m[mask] > 0);
  const head = (m, mask) => `${setName(mask, state.labels)} ${shown(m[mask])}`;
  const operation = { disjunctive: (a, b) => a | b, exclusive_or: (a, b) => a ^ b }[state.rule] ?? ((a, b) => a & b);
  const rows = sets(one).map((a) => [head(one, a), ...sets(two).map((b) => {
    const disjoint = (a & b) === 0;
    return h("td", { class: disjoint ? "conflict" : null }, h("span", {}, shown(one[a] * two[b])),
      h("span", { class: "target" }, disjoint && operation(a, b) === 0 ? "∅ conflict" : `${disjoint ? "disjoint: " : ""}${setName(operation(a, b), state.labels)}`));
  })]);
  const sides = state.rule === "murphy" ? "rows and columns are the sets of the mean" : "rows are the sets of source 1, columns those of source 2";
  return show("products", table("products-table", `Products of the masses: ${sides}. Below each product, the set that it supports.`,
    [state.rule === "murphy" ? "Mean" : "Source 1", ...sets(two).map((b) => head(two, b))], rows));
}

function showConflicts(joined) {
  if (!joined?.conflicts) return put("conflicts");
  if (joined.conflicts.length === 0) return put("conflicts", h("p", {}, "All sets of the sources meet, so there is no conflict."));
  const name = (mask) => setName(mask, state.labels);
  const rows = joined.conflicts.map(({ a, b, product, to }) => [`${name(a)} with ${name(b)}`, [shown(product), product],
    h("td", { class: "words" }, h("span", {}, to.length ? to.map(([mask, amount]) => `${name(mask)} ${shown(amount)}`).join(", ") : "–"))]);
  return show("conflicts", table("conflicts-table", "Each pair of disjoint sets, its product, and the sets that receive it.", ["Pair", "Product", WORDS], rows));
}

// ---- the whole ----

let message = "";
function say(problem) { message = problem; update(); }

function update() {
  const found = results(state);
  editors.forEach((editor) => editor.update(found));
  document.querySelectorAll("#presets button").forEach((button) => button.setAttribute("aria-pressed", String(button.value === state.preset)));
  $("preset-text").textContent = message || (state.preset ? EXAMPLES[state.preset].text : "");
  $("preset-text").classList.toggle("problem", message !== "");
  message = "";
  const [m1, m2] = found.sources.map((source) => source.masses);
  const { joined } = found, masses = joined?.masses ?? null;
  if (m1) show("table-one", beliefTable("belief", "What source 1 says about each set.", m1));
  else put("table-one");
  triangle("triangle-one", m1);
  $("where").textContent = RULES[state.rule].where;
  const kappa = joined ? `Conflict between the sources: ${shown(joined.kappa)}. ` : "";
  const problem = joined ? joined.problem : "There is no result: the masses of a source do not sum to 1.";
  put("outcome", h("p", { role: "status", "data-value": joined?.kappa ?? null }, kappa, problem ? h("span", { class: "problem" }, problem) : ""));
  if (masses) show("table-two", beliefTable("result", "What both say together.", masses));
  else put("table-two");
  triangle("triangle-two", masses, [m1, m2].filter(Boolean));
  showFlows(joined);
  showProducts(joined, m1, m2);
  showConflicts(joined);
}

// Builds all controls anew, for other labels; the focus goes back to the element of this id.
function replaceState(next, focus) {
  state = next;
  buildQuestion();
  editors = [buildEditor("editor-one", 0, "Source 1"), buildEditor("editor-left", 0, "Source 1, as above"), buildEditor("editor-right", 1, "Source 2"), buildRule()];
  update();
  if (focus) $(focus).focus();
}

put("presets", ...Object.entries(EXAMPLES).map(([name, { title }]) =>
  h("button", { type: "button", value: name, click: () => replaceState(stateOf(name), null) }, title)));
replaceState(stateOf(Object.keys(EXAMPLES)[0]), null);

// For scripts and tests: what the page shows, or would show in another state, as numbers.
globalThis.evicalExplorer = {
  set: (changes) => replaceState({ ...state, preset: null, ...changes }, null),
  results: (changes = {}) => {
    const found = results({ ...state, ...changes });
    const masses = [...found.sources.map((source) => source.masses), found.joined?.masses];
    return { ...found, measures: masses.map((m) => (m ? measures(m) : null)) };
  },
};
