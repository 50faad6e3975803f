// The part of the page about a fitted calibrator: its band, decisions, and what they cost.

const fitted = JSON.parse($("fitted").textContent);
const ACTS = fitted && [...fitted.classes, "reject"];
const policy = { falseAlarm: 1, miss: 1, reject: null, criterion: "maximize_expected_utility" };
const asking = { bound: 0.05, confidence: 0.95, ...fitted?.asking };
let rejectCost = 0.3;
let chosen = 0; // place on the curve

const count = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(2)} %`);
const threshold = () => policy.falseAlarm / (policy.falseAlarm + policy.miss);

// Scores between which the decision is the same, as [from, to, act].
function strips() {
  const { score, bel, pl } = fitted.curve;
  const found = [];
  score.forEach((at, i) => {
    const act = decide(bel[i], pl[i], policy);
    const last = found.at(-1);
    if (last?.[2] === act) last[1] = at;
    else { if (last) last[1] = (last[1] + at) / 2; found.push([last ? last[1] : at, at, act]); }
  });
  return found;
}

const BAND = { left: 46, right: 630, top: 12, bottom: 232, strip: 240, bars: 330 };
// As wide as there is place for, so that letters do not shrink with the picture.
const fitBand = () => { BAND.right = Math.max(320, Math.min(640, $("band").clientWidth)) - 10; };

function scoreAxis() {
  const { score } = fitted.curve;
  const [low, high] = [score[0], score.at(-1)];
  const x = (value) => BAND.left + ((value - low) / (high - low)) * (BAND.right - BAND.left);
  const step = 10 ** Math.floor(Math.log10((high - low) / 3));
  const wide = [1, 2, 5, 10, 20].map((f) => f * step).find((s) => (high - low) / s <= (BAND.right - BAND.left) / 70);
  const ticks = [];
  for (let t = Math.ceil(low / wide) * wide; t <= high; t += wide) ticks.push(Number(t.toPrecision(10)));
  return { x, ticks };
}

function bandPicture() {
  const { score, bel, pl } = fitted.curve, { x, ticks } = scoreAxis();
  const y = (p) => BAND.bottom - p * (BAND.bottom - BAND.top);
  const line = (values) => points(score.map((at, i) => [x(at), y(values[i])]));
  const band = points([...score.map((at, i) => [x(at), y(pl[i])]), ...score.map((at, i) => [x(at), y(bel[i])]).reverse()]);
  const levels = [0, 0.25, 0.5, 0.75, 1].flatMap((p) => [
    h("line", { class: "grid", x1: BAND.left, x2: BAND.right, y1: y(p), y2: y(p) }),
    text(BAND.left - 6, y(p) + 4, String(p), { "text-anchor": "end", class: "small" })]);
  const cut = y(threshold());
  const acts = strips().map(([from, to, act]) => h("g", {},
    h("rect", { class: `act-${act} strip`, x: x(from), y: BAND.strip, width: Math.max(0, x(to) - x(from)), height: 20 }),
    x(to) - x(from) > 8 * short(ACTS[act], 14).length + 8
      ? text((x(from) + x(to)) / 2, BAND.strip + 15, short(ACTS[act], 14), { "text-anchor": "middle" }) : ""));
  const at = score[chosen];
  const axis = fitted.held ? BAND.bars : BAND.strip + 26;
  const marks = ticks.map((t) => text(x(t), axis + 14, String(t), { "text-anchor": "middle", class: "small" }));
  const title = `Belief and plausibility of ${fitted.classes[1]} by ${fitted.score}, with the threshold ${shown(threshold())} and the decision at each score.`;
  return picture(BAND.right + 10, axis + 36, title, ...levels, h("polygon", { class: "light", points: band }),
    h("polyline", { class: "edge", points: line(bel) }), h("polyline", { class: "edge", points: line(pl) }),
    h("polyline", { class: "mark", fill: "none", points: line(bel.map((low, i) => (low + pl[i]) / 2)) }),
    h("line", { class: "threshold", x1: BAND.left, x2: BAND.right, y1: cut, y2: cut }),
    h("line", { class: "cursor", x1: x(at), x2: x(at), y1: BAND.top, y2: BAND.bottom }),
    ...acts, ...histogram(x), ...marks, text((BAND.left + BAND.right) / 2, axis + 31, short(fitted.score, 40), { "text-anchor": "middle" }));
}

// Held-out samples by score: positives upward, negatives downward.
function histogram(x) {
  if (!fitted.held) return [];
  const n = 40, width = (BAND.right - BAND.left) / n, bars = [new Array(n).fill(0), new Array(n).fill(0)];
  fitted.held.score.forEach((at, i) => {
    const bin = Math.min(n - 1, Math.max(0, Math.floor((x(at) - BAND.left) / width)));
    bars[0][bin] += fitted.held.negative[i];
    bars[1][bin] += fitted.held.positive[i];
  });
  const top = Math.max(...bars[0], ...bars[1]), middle = BAND.strip + 54, tall = (value) => (value / top) * 30;
  return bars[0].flatMap((negative, i) => {
    const left = BAND.left + i * width + 0.5, positive = bars[1][i];
    return [positive && h("rect", { class: "act-1", x: left, y: middle - tall(positive), width: width - 1, height: tall(positive) }),
      negative && h("rect", { class: "act-0", x: left, y: middle, width: width - 1, height: tall(negative) })].filter(Boolean);
  });
}

// Mean cost on held-out samples by threshold, for these costs.
function costPicture() {
  const left = 52, right = 330, top = 12, bottom = 150;
  const costs = Array.from({ length: 101 }, (_, i) => {
    const { confusion, total } = tally(fitted.held, withThreshold(policy, i / 100));
    const rejected = confusion[2][0] + confusion[2][1];
    return (policy.falseAlarm * confusion[1][0] + policy.miss * confusion[0][1] + (policy.reject ?? 0) * rejected) / total;
  });
  const most = Math.max(...costs) || 1, now = threshold();
  const y = (cost) => bottom - (cost / most) * (bottom - top), x = (t) => left + t * (right - left);
  const best = costs.indexOf(Math.min(...costs)) / 100;
  return h("figure", {}, picture(340, 190, `Mean cost by the threshold at which one acts: least at ${best}, now at ${shown(now)}.`,
    h("line", { class: "grid", x1: left, x2: right, y1: bottom, y2: bottom }),
    ...[0, 0.5, 1].map((t) => text(x(t), bottom + 16, String(t), { "text-anchor": "middle", class: "small" })),
    text(left - 6, top + 5, Number(most.toPrecision(3)), { "text-anchor": "end", class: "small" }), text(left - 6, bottom, "0", { "text-anchor": "end", class: "small" }),
    h("polyline", { class: "curve", points: points(costs.map((cost, i) => [x(i / 100), y(cost)])) }),
    h("line", { class: "threshold", x1: x(now), x2: x(now), y1: top, y2: bottom }),
    text((left + right) / 2, bottom + 34, "threshold", { "text-anchor": "middle" })),
  h("figcaption", {}, `Mean cost on the held-out samples at these costs, for every threshold. It is least at ${best}.${
    policy.criterion === "maximize_expected_utility" ? " If BetP is calibrated, that is near the dashed line, where you are." : ""}`));
}

function outcomes() {
  const found = tally(fitted.held, policy), [negative, positive] = fitted.classes;
  const rows = found.confusion.map((row, act) => [`decided ${ACTS[act]}`, ...row.map((n) => [count(n), n]), [count(row[0] + row[1]), row[0] + row[1]]]);
  const always = (cost) => (cost === null ? ["–", null] : [shown(cost), cost]);
  const shares = [0, 1].map((k) => found.confusion.reduce((total, row) => total + row[k], 0) / found.total);
  return [
    table("tally", `${count(found.total)} held-out samples, by decision and true class.`, ["Decision", `truly ${negative}`, `truly ${positive}`, "all"], policy.reject === null ? rows.slice(0, 2) : rows),
    table("summary", "What that means, and what it would be without looking at the score.", ["", "errors", "error rate of decisions", "rejected", "mean cost"], [
      ["these settings", [count(found.errors), found.errors], [percent(found.errorRate), found.errorRate], [percent(found.rejectRate), found.rejectRate], [shown(found.meanCost), found.meanCost]],
      [`always ${negative}`, [count(shares[1] * found.total), shares[1] * found.total], [percent(shares[1]), shares[1]], ["0.00 %", 0], always(policy.miss * shares[1])],
      [`always ${positive}`, [count(shares[0] * found.total), shares[0] * found.total], [percent(shares[0]), shares[0]], ["0.00 %", 0], always(policy.falseAlarm * shares[0])],
    ]),
  ];
}

// Error of the answers over the share answered, with the bound and what keeps it with confidence.
function answerPicture() {
  const left = 52, right = 330, top = 12, bottom = 150, { bound, confidence } = asking;
  const steps = answerSteps(fitted.held).filter(([, n]) => n > 0), total = steps.at(-1)[1];
  const found = answerable(fitted.held, bound, confidence);
  const some = steps.filter(([, n]) => n >= 0.05 * total);
  const most = 1.1 * Math.max(bound, ...some.map(([, n, errors]) => errors / n));
  const x = (n) => left + (n / total) * (right - left), y = (error) => bottom - Math.min(1, error / most) * (bottom - top);
  const share = found && found.answered / found.total;
  const said = found === null
    ? `These ${count(total)} held-out samples cannot promise that at most ${percent(bound)} of the answers are wrong.`
    : `${percent(share)} of the held-out samples would be answered, ${found.doubt === Infinity ? "all of them" : `those with a BetP of the likelier class above ${shown(1 - found.doubt)}`}: ${count(found.errors)} of ${count(found.answered)} wrongly. With a confidence of ${percent(confidence)}, at most ${percent(bound)} of the answers to new samples like these are wrong.`;
  return [h("figure", {}, picture(340, 190, `Error of the answers by the share that is answered, with the bound ${percent(bound)}.`,
    h("line", { class: "grid", x1: left, x2: right, y1: bottom, y2: bottom }),
    ...[0, 0.5, 1].map((t) => text(x(t * total), bottom + 16, `${100 * t} %`, { "text-anchor": "middle", class: "small" })),
    text(left - 6, top + 5, `${(100 * most).toFixed(1)} %`, { "text-anchor": "end", class: "small" }), text(left - 6, bottom, "0", { "text-anchor": "end", class: "small" }),
    h("polyline", { class: "curve", points: points(steps.map(([, n, errors]) => [x(n), y(errors / n)])) }),
    h("line", { class: "threshold", x1: left, x2: right, y1: y(bound), y2: y(bound) }),
    found ? h("line", { class: "cursor", x1: x(found.answered), x2: x(found.answered), y1: top, y2: bottom }) : "",
    text((left + right) / 2, bottom + 34, "answered", { "text-anchor": "middle" })),
  h("figcaption", {}, "Error of the answers if the least doubtful samples are answered and the others asked about. Dashed: the bound. Upright: as much as can be promised.")),
  h("p", { id: "promise", role: "status" }, said), fitted.promise ? h("p", {}, `The model itself guarantees: ${fitted.promise}.`) : ""];
}

function readout() {
  const { score, bel, pl } = fitted.curve, act = decide(bel[chosen], pl[chosen], policy);
  return `At score ${Number(score[chosen].toPrecision(4))}: Bel ${shown(bel[chosen])}, BetP ${shown((bel[chosen] + pl[chosen]) / 2)}, Pl ${shown(pl[chosen])} of ${fitted.classes[1]}; decision: ${ACTS[act]}.`;
}

function buildFitted() {
  const least = 0.01, most = 20;
  const change = (name) => (value) => { if (value >= least) policy[name] = value; updateFitted(); };
  const cost = (label, name) => slider(label, label, () => policy[name], { min: least, max: most, step: 0.01 }, change(name));
  const sliders = [
    slider("Threshold", "Threshold of the probability", threshold, { min: 0.01, max: 0.99 }, (value) => { if (value < 1) Object.assign(policy, withThreshold(policy, value)); updateFitted(); }),
    cost("Cost of a false alarm", "falseAlarm"), cost("Cost of a miss", "miss"),
    slider("Cost of a reject", "Cost of a reject", () => rejectCost, { max: 2 }, (value) => { rejectCost = value; policy.reject = policy.reject === null ? null : value; updateFitted(); }),
  ];
  const wished = (label, name, options) => slider(label, label, () => asking[name], options, (value) => { if (value > 0 && value < 1) asking[name] = value; updateFitted(); });
  const promises = [
    wished("Error of the answers", "bound", { min: 0.005, max: 0.3, step: 0.005 }),
    wished("Confidence", "confidence", { min: 0.5, max: 0.995, step: 0.005 }),
  ];
  const reject = h("label", { class: "inline" }, h("input", { type: "checkbox", id: "may-reject",
    change: (event) => { policy.reject = event.target.checked ? rejectCost : null; updateFitted(); } }), "may reject, and ask somebody else");
  const criterion = h("select", { id: "criterion", change: (event) => { policy.criterion = event.target.value; updateFitted(); } },
    ...Object.entries(CRITERIA).map(([name, { title }]) => h("option", { value: name }, title)));
  const place = h("input", { type: "range", min: 0, max: fitted.curve.score.length - 1, step: 1, "aria-label": "Score to look at",
    input: (event) => { chosen = Number(event.target.value); updateFitted(); } });
  chosen = Math.floor(fitted.curve.score.length / 2);
  place.value = chosen;
  put("fitted-content", h("p", {}, fitted.text), h("div", { class: "halves" },
    h("fieldset", {}, h("legend", {}, "Costs"), ...sliders.map((one) => one.element),
      h("div", { class: "row" }, reject), h("div", { class: "row" }, h("label", { class: "inline" }, "Decide by", criterion)),
      h("p", { class: "sum" }, "The threshold is the cost of a false alarm, divided by the sum of both costs. Moving it keeps the sum.")),
    h("div", { id: "costs" })),
  h("figure", {}, h("div", { id: "band" }), h("figcaption", {}, `Band: Bel to Pl of ${fitted.classes[1]}. Line: BetP. Dashed: threshold. Strip: the decision at each score.${
    fitted.held ? ` Bars: held-out samples, ${fitted.classes[1]} upward and ${fitted.classes[0]} downward.` : ""}`)),
  h("div", { class: "control" }, h("span", { "aria-hidden": "true" }, "Score"), place, ""), h("p", { class: "readout", id: "readout", role: "status" }),
  h("div", { id: "outcomes" }),
  ...(fitted.held ? [h("h3", {}, "Answer, or ask"), h("div", { class: "halves" },
    h("fieldset", {}, h("legend", {}, "Promise"), ...promises.map((one) => one.element),
      h("p", { class: "sum" }, "Answered by the likelier class, whatever the costs above; each setting is a promise of its own.")),
    h("div", { id: "answers" }))] : []));
  return () => {
    [...sliders, ...promises].forEach((one) => one.update());
    fitBand();
    put("band", bandPicture());
    $("readout").textContent = readout();
    if (fitted.held) { put("costs", costPicture()); put("outcomes", ...outcomes()); put("answers", ...answerPicture()); }
    else put("outcomes", h("p", {}, "Name a labeled table beside the model to see errors, rejects and costs on its samples."));
  };
}

// Of three and more classes: what is decided, what is asked about, and what it costs.
function buildRows() {
  let cost = 0.3;
  const { classes, rows, text, promise } = fitted;
  const asking = slider("Cost of asking", "Cost of asking, where an error costs 1", () => cost, {}, (value) => { cost = value; updateFitted(); });
  put("fitted-content", h("p", {}, text), ...promise ? [h("p", {}, `The model itself guarantees: ${promise}.`)] : [], asking.element, h("div", { id: "outcomes" }));
  return () => {
    asking.update();
    const { counts, meanCost } = tallyRows(rows, cost);
    const names = [...classes.map((name) => `decided ${name}`), "ask somebody else"];
    put("outcomes", table("tally", `${rows.truth.length} samples, by decision and true class. Mean cost ${shown(meanCost)}, where an error costs 1 and asking ${shown(cost)}.`,
      ["Decision", ...classes.map((name) => `truly ${name}`)], counts.map((row, act) => [names[act], ...row.map((n) => [String(n), n])])));
  };
}

const build = fitted?.rows ? buildRows : buildFitted;
const updateFitted = fitted ? build() : () => undefined;
updateFitted();
addEventListener("resize", updateFitted);
globalThis.evicalExplorer.decide = (changes) => { Object.assign(policy, changes); updateFitted(); return fitted.held && tally(fitted.held, policy); };
