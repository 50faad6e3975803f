// Belief functions on up to four labels, and decisions between two classes: the numbers of the
// page, without its elements. A set is a mask, bit i for label i; a mass function is an array of
// 2^K masses by mask. Formulas and names are those of the Python package dstheory.

export const PRESETS = {
  insects: {
    title: "Ant, bee or cat",
    labels: ["ant", "bee", "cat"],
    masses: [{ 3: 0.5, 7: 0.5 }, { 1: 0.25, 4: 0.25, 7: 0.5 }],
    text: "A witness half trusts that it was an ant or a bee. A camera half favors the ant or the cat. What neither says stays on the frame.",
  },
  zadeh: {
    title: "Zadeh's two physicians",
    labels: ["meningitis", "concussion", "tumor"],
    masses: [{ 1: 0.99, 4: 0.01 }, { 2: 0.99, 4: 0.01 }],
    text: "Each physician is almost certain, and they contradict each other. Dempster's rule leaves the tumor, which both consider very unlikely: both excluded everything else. Lower the certainty a little, and see what changes.",
  },
  assassin: {
    title: "Peter, Paul and Mary",
    labels: ["Peter", "Paul", "Mary"],
    masses: [{ 3: 0.5, 4: 0.5 }, { 6: 1 }],
    text: "Smets and Kennes: a toss decided between a male and a female killer, and the police know nothing about which man. Then Peter has an alibi. Half the belief stays on men, now on Paul alone.",
  },
};

export const bitCount = (mask) => { let n = 0; for (; mask; mask &= mask - 1) n++; return n; };

export const singles = (size) => Array.from({ length: size }, (_, i) => 1 << i);

export function setName(mask, labels) {
  if (mask === 0) return "∅";
  return `{${labels.filter((_, i) => (mask >> i) & 1).join(", ")}}`;
}

// By size, then by mask, the empty set last: the order in which sets are listed.
export function listed(size) {
  const masks = Array.from({ length: (1 << size) - 1 }, (_, i) => i + 1);
  return [...masks.sort((a, b) => bitCount(a) - bitCount(b) || a - b), 0];
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const zeros = (m) => m.map(() => 0);
// Of the masses that are entered; as in Python.
const TOLERANCE = 1e-9;

// What the entered numbers are: a mass function, or what keeps them from being one. What is left
// goes to the frame only if that is wanted.
export function resolve(entered, restToFrame) {
  const total = sum(entered);
  const left = 1 - total;
  if (entered.some((value) => !Number.isFinite(value) || value < 0)) {
    return { total, left, masses: null, problem: "A mass is a number from 0 to 1." };
  }
  if (Math.abs(left) <= TOLERANCE) return { total, left: 0, masses: [...entered], problem: "" };
  if (left < 0) return { total, left, masses: null, problem: "The masses sum to more than 1: lower one, or normalize." };
  if (!restToFrame) return { total, left, masses: null, problem: "The masses sum to less than 1: raise one, or normalize." };
  const masses = [...entered];
  masses[masses.length - 1] += left;
  return { total, left, masses, problem: "" };
}

export function normalized(entered) {
  const total = sum(entered);
  return total > 0 ? entered.map((value) => value / total) : null;
}

// Bel, Pl, commonality q, pignistic probability and plausibility transform of every set. The two
// probabilities are null if all mass is on the empty set.
export function measures(m) {
  const masks = m.map((_, mask) => mask);
  const over = (holds) => masks.map((a) => sum(m.filter((_, b) => holds(a, b))));
  const pl = over((a, b) => (a & b) !== 0);
  const size = Math.log2(m.length);
  const rest = sum(m.slice(1));
  const contour = sum(singles(size).map((one) => pl[one]));
  const betp = (a) => sum(m.map((mass, b) => (b === 0 ? 0 : (mass * bitCount(a & b)) / bitCount(b)))) / rest;
  const relative = (a) => sum(singles(size).filter((one) => one & a).map((one) => pl[one])) / contour;
  return {
    bel: over((a, b) => b !== 0 && (b & ~a) === 0),
    pl,
    q: over((a, b) => (a & ~b) === 0),
    betp: rest > 0 ? masks.map(betp) : null,
    plausibility: rest > 0 ? masks.map(relative) : null,
  };
}

// Corners of the set of probabilities P >= Bel on three labels, in the order of its outline: each
// order of the labels gives one, where every mass goes to the first label of its set.
export function credalOutline(m) {
  const orders = [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]];
  const rest = sum(m.slice(1));
  return orders.map((order) => {
    const point = [0, 0, 0];
    m.forEach((mass, b) => { if (b) point[order.find((i) => (b >> i) & 1)] += mass / rest; });
    return point;
  });
}

// ---- combination ----

const focal = (m) => m.map((_, mask) => mask).filter((mask) => m[mask] > 0);

// All choices of one focal set of each source.
export function pairs(m1, m2) {
  return focal(m1).flatMap((a) => focal(m2).map((b) => ({ a, b, product: m1[a] * m2[b] })));
}

function collected(m1, m2, target) {
  const result = zeros(m1);
  for (const { a, b, product } of pairs(m1, m2)) result[target(a, b)] += product;
  return result;
}

const mean = (m1, m2) => m1.map((mass, mask) => (mass + m2[mask]) / 2);

// Shares of claims that sum to 1, as [set, share]; none without a positive claim.
function proportional(claims) {
  const total = sum(claims.map(([, claim]) => claim));
  return total > 0 ? claims.filter(([, claim]) => claim > 0).map(([mask, claim]) => [mask, claim / total]) : [];
}

const column = (one, mask) => one.m1[mask] + one.m2[mask];
const everywhere = (m) => m.map((mass, mask) => [mask, mask === 0 ? 0 : mass]);

// Rules that keep what agrees and share out what conflicts: who receives the product of a pair of
// disjoint sets. `one` holds the sources, the conjunctive result and the pairs in conflict.
const SHARES = {
  conjunctive: () => [[0, 1]],
  dempster: (a, b, one) => proportional(everywhere(one.agreed)),
  yager: (a, b, one) => [[one.full, 1]],
  dubois_prade: (a, b) => [[a | b, 1]],
  inagaki: (a, b, one, k) => {
    const kept = sum(one.agreed.slice(1));
    const shares = everywhere(one.agreed).map(([mask, mass]) => [mask, k * mass]);
    shares[one.full][1] += 1 - k * kept;
    return shares.filter(([, share]) => share > 0);
  },
  pcr1: (a, b, one) => proportional(everywhere(mean(one.m1, one.m2))),
  pcr2: (a, b, one) => proportional([...new Set(one.conflicts.flatMap((pair) => [pair.a, pair.b]))].map((mask) => [mask, column(one, mask)])),
  pcr3: (a, b, one) => proportional([[a, column(one, a)], [b, column(one, b)]]),
  pcr4: (a, b, one) => {
    const agreed = one.agreed[a] > 0 && one.agreed[b] > 0;
    return proportional([a, b].map((mask) => [mask, agreed ? one.agreed[mask] : column(one, mask)]));
  },
  pcr6: (a, b, one) => proportional([[a, one.m1[a]], [b, one.m2[b]]]),
};

function florea(m1, m2) {
  const agreed = collected(m1, m2, (a, b) => a & b);
  const united = collected(m1, m2, (a, b) => a | b);
  const kappa = agreed[0], scale = 1 - kappa + kappa * kappa;
  return agreed.map((mass, mask) => ((mask ? (1 - kappa) * mass : 0) + kappa * united[mask]) / scale);
}

function cautious(m1, m2) {
  const sets = m1.map((_, mask) => mask), full = m1.length - 1;
  const sign = (a, b) => (bitCount(a ^ b) % 2 ? 1 : -1);
  const above = (a) => sets.filter((b) => (a & ~b) === 0);
  const logWeights = (m) => {
    const logs = measures(m).q.map(Math.log);
    return sets.map((a) => sum(above(a).map((b) => sign(a, b) * logs[b])));
  };
  const [w1, w2] = [logWeights(m1), logWeights(m2)];
  const w = sets.map((a) => (a === full ? 0 : Math.min(w1[a], w2[a])));
  const q = sets.map((a) => Math.exp(sum(sets.filter((b) => a & ~b).map((b) => w[b]))));
  return sets.map((a) => Math.max(0, -sum(above(a).map((b) => sign(a, b) * q[b]))));
}

function murphy(m1, m2) {
  const average = mean(m1, m2);
  return combine("dempster", average, average).masses;
}

// The dual of the cautious rule: complements are in the reverse order.
function bold(m1, m2) {
  return cautious([...m1].reverse(), [...m2].reverse()).reverse();
}

// With a uniform prior: agreement counts by the size of the sets that agree.
function fixsenMahler(m1, m2) {
  const result = zeros(m1);
  for (const { a, b, product } of pairs(m1, m2)) {
    if (a & b) result[a & b] += (product * bitCount(a & b)) / (bitCount(a) * bitCount(b));
  }
  return normalized(result);
}

const WHOLE = {
  disjunctive: (m1, m2) => collected(m1, m2, (a, b) => a | b),
  exclusive_or: (m1, m2) => collected(m1, m2, (a, b) => a ^ b),
  mixing: mean,
  murphy,
  florea,
  cautious,
  bold,
  fixsen_mahler: fixsenMahler,
};

// In the order of the menu; `where` is what becomes of the conflict.
export const RULES = {
  dempster: { title: "Dempster", where: "Nowhere: all that agrees is scaled up by the same factor, so each set receives in proportion to its agreed mass." },
  conjunctive: { title: "Conjunctive, unnormalized", where: "To the empty set, where it stays visible." },
  disjunctive: { title: "Disjunctive", where: "There is none: every product goes to the union of its sets, and unions are not empty." },
  exclusive_or: { title: "Exclusive or", where: "Disjoint sets give their union. Equal sets give the empty set instead: exactly one source tells the truth." },
  yager: { title: "Yager", where: "To the frame: conflict is ignorance." },
  dubois_prade: { title: "Dubois and Prade", where: "Each product to the union of its two sets: one of them is right." },
  inagaki: { title: "Inagaki, from Yager (k = 0) on", where: "A part k of the agreed masses is scaled up, and the frame receives the rest." },
  murphy: { title: "Murphy (for two sources also Deng)", where: "The mean of the sources meets itself under Dempster's rule, so no source has a veto. The pairs are those of the mean with itself." },
  mixing: { title: "Average", where: "There is none: each source is right with probability 1/2, and no products are formed." },
  pcr6: { title: "PCR5 and PCR6 (equal for two sources)", where: "Each product to its own two sets, in proportion to the masses that they put into it." },
  pcr1: { title: "PCR1", where: "To all sets, in proportion to their mean mass." },
  pcr2: { title: "PCR2", where: "To the sets that take part in some conflict, in proportion to their mean mass." },
  pcr3: { title: "PCR3", where: "Each product to its own two sets, in proportion to their mean mass." },
  pcr4: { title: "PCR4", where: "Each product to its own two sets, in proportion to their agreed mass; to their mean mass if one of them has none." },
  florea: { title: "Florea", where: "The disjunctive result is mixed in, the more the greater the conflict. No product goes to one place." },
  cautious: { title: "Cautious", where: "To the empty set. Evidence that the sources may share counts once: the rule takes the smaller weight of each set, and forms no products." },
  bold: { title: "Bold", where: "There is none: the dual of the cautious rule, for sources of which at least one is reliable. It needs mass on the empty set." },
  fixsen_mahler: { title: "Fixsen and Mahler, uniform prior", where: "Nowhere, as with Dempster. A product counts more if its two sets have more in common than chance gives sets of their sizes." },
};

const REFUSES_EMPTY = new Set(["fixsen_mahler", "florea", "pcr1", "pcr2", "pcr3", "pcr4", "pcr6"]);

function refusal(rule, m1, m2) {
  if (REFUSES_EMPTY.has(rule) && m1[0] + m2[0] > 0) return "This rule needs sources without mass on the empty set.";
  const dogmatic = m1[m1.length - 1] === 0 || m2[m2.length - 1] === 0;
  if (rule === "cautious" && dogmatic) return "The cautious rule needs mass on the frame in both sources.";
  if (rule === "bold" && (m1[0] === 0 || m2[0] === 0)) return "The bold rule needs mass on the empty set in both sources.";
  const [one, other] = rule === "murphy" ? [mean(m1, m2), mean(m1, m2)] : [m1, m2];
  const meets = pairs(one, other).some(({ a, b }) => a & b);
  if (["dempster", "fixsen_mahler", "murphy"].includes(rule) && !meets) return "Total conflict: no two sets of the sources meet, so Dempster's rule has no result.";
  return "";
}

// The result of a rule, and for each pair of disjoint focal sets who receives its product; null
// where the rule forms no products.
export function combine(rule, m1, m2, k = 1) {
  const problem = refusal(rule, m1, m2);
  const agreed = collected(m1, m2, (a, b) => a & b);
  const conflicts = pairs(m1, m2).filter(({ a, b }) => (a & b) === 0);
  const found = { problem, kappa: agreed[0], agreed: agreed.map((mass, mask) => (mask ? mass : 0)), conflicts: null, masses: null };
  if (problem) return found;
  if (rule === "murphy") {
    const average = mean(m1, m2);
    const { masses, conflicts: own, agreed: met } = combine("dempster", average, average);
    return { ...found, masses, conflicts: own, agreed: met };
  }
  if (!(rule in SHARES)) {
    const masses = WHOLE[rule](m1, m2);
    const united = ["disjunctive", "exclusive_or"].includes(rule);
    return { ...found, masses, conflicts: united ? conflicts.map((pair) => ({ ...pair, to: [[pair.a | pair.b, pair.product]] })) : null };
  }
  const one = { m1, m2, agreed, conflicts, full: m1.length - 1 };
  const masses = [...found.agreed];
  const flows = conflicts.map(({ a, b, product }) => {
    const to = SHARES[rule](a, b, one, k).map(([mask, share]) => [mask, share * product]);
    for (const [mask, amount] of to) masses[mask] += amount;
    return { a, b, product, to };
  });
  return { ...found, masses, conflicts: flows };
}

// What each set has of the agreement and of the conflict; null where a rule does not tell.
export function received({ conflicts, masses, agreed }) {
  if (!conflicts || !masses) return null;
  const got = zeros(masses);
  for (const { to } of conflicts) for (const [mask, amount] of to) got[mask] += amount;
  return masses.map((mass, mask) => ({ agreed: Math.max(0, mass - got[mask]), conflict: got[mask] }));
}

// ---- decisions between two classes ----

// Expected cost of the acts "negative", "positive" and "reject" for a belief and a plausibility of
// the positive class.
export const CRITERIA = {
  maximize_expected_utility: { title: "Expected cost (pignistic)", range: (bel, pl) => [(bel + pl) / 2, (bel + pl) / 2] },
  maximin: { title: "Worst case (cautious)", range: (bel, pl) => [pl, bel] },
  maximax: { title: "Best case (bold)", range: (bel, pl) => [bel, pl] },
};

export function decide(bel, pl, { falseAlarm, miss, reject, criterion }) {
  // Probability of the positive class that the act "negative" fears, and "positive".
  const [feared, hoped] = CRITERIA[criterion].range(bel, pl);
  const costs = [miss * feared, falseAlarm * (1 - hoped)];
  if (reject !== null) costs.push(reject);
  return costs.indexOf(Math.min(...costs)); // of equal ones the first
}

// Held-out counts under a policy: confusion[act][class], and what follows.
export function tally(held, policy) {
  const confusion = [[0, 0], [0, 0], [0, 0]];
  held.bel.forEach((bel, i) => {
    const act = decide(bel, held.pl[i], policy);
    confusion[act][0] += held.negative[i];
    confusion[act][1] += held.positive[i];
  });
  const [no, yes, none] = confusion;
  const total = sum(confusion.flat()), rejected = sum(none), decided = total - rejected;
  const errors = yes[0] + no[1];
  const cost = policy.falseAlarm * yes[0] + policy.miss * no[1] + (policy.reject ?? 0) * rejected;
  return {
    confusion, total, errors, rejected,
    errorRate: decided > 0 ? errors / decided : null,
    rejectRate: rejected / total,
    meanCost: cost / total,
  };
}

// Counts [decision][true class] of rows of three and more classes, and their mean cost. An error
// costs 1; what the most probable class leaves above the cost of asking is asked about, and last.
export function tallyRows({ betp, truth }, askCost) {
  const k = betp[0].length, counts = Array.from({ length: k + 1 }, () => new Array(k).fill(0));
  let cost = 0;
  betp.forEach((row, i) => {
    const best = row.indexOf(Math.max(...row)), act = row[best] + askCost < 1 ? k : best;
    counts[act][truth[i]] += 1;
    cost += act === k ? askCost : Number(act !== truth[i]);
  });
  return { counts, meanCost: cost / truth.length };
}

// Cost of a false alarm and of a miss with this threshold, and with the sum that they have.
export function withThreshold(policy, threshold) {
  const total = policy.falseAlarm + policy.miss;
  return { ...policy, falseAlarm: threshold * total, miss: (1 - threshold) * total };
}

// ---- answering with a guarantee ----

// Logarithm of the gamma function (Lanczos, as in Numerical Recipes), for arguments from 1.
function logGamma(x) {
  const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];
  const t = x + 5.5;
  return (x + 0.5) * Math.log(t) - t + Math.log((2.5066282746310005 * (1.000000000190015 + c.reduce((total, one, i) => total + one / (x + 1 + i), 0))) / x);
}

// Probability of at most k errors of n, each of this probability: the p-value that it is larger.
export function binomialTail(k, n, p) {
  if (k >= n) return 1;
  // From the largest term down; terms that are too small add nothing.
  let total = 0;
  for (let i = Math.round(k); i >= 0; i--) {
    const term = Math.exp(logGamma(n + 1) - logGamma(i + 1) - logGamma(n - i + 1) + i * Math.log(p) + (n - i) * Math.log1p(-p));
    total += term;
    if (term < 1e-17 * total || (i < n * p && term < 1e-300)) break;
  }
  return Math.min(1, total);
}

const fewest = (bound, error) => Math.ceil(Math.log(error) / Math.log1p(-bound) - 1e-9);

// Numbers of answers at which tests begin, as [number, level]: most of the level for the first.
export function testLevels(n, bound, error) {
  const first = fewest(bound, 0.8 * error), sizes = [];
  for (let size = first; 1.5 * size < n; size *= 4) sizes.push(size);
  if (!sizes.length) return [[fewest(bound, error), error]];
  return [[first, 0.8 * error], ...[...sizes.slice(1), n].map((size) => [size, (0.2 * error) / sizes.length])];
}

// Held-out samples by doubt: [doubt below which they are answered, number answered, errors of these].
export function answerSteps(held) {
  const rows = held.bel.map((bel, i) => {
    const p = (bel + held.pl[i]) / 2;
    return [Math.min(p, 1 - p), held.negative[i] + held.positive[i], p > 0.5 ? held.negative[i] : held.positive[i]];
  }).sort((a, b) => a[0] - b[0]);
  const steps = [];
  let n = 0, errors = 0;
  rows.forEach(([doubt, size, wrong], i) => {
    if (i === 0 || doubt > rows[i - 1][0]) steps.push([doubt, n, errors]);
    n += size; errors += wrong;
  });
  return [...steps, [Infinity, n, errors]];
}

// The most that may be answered so that their error keeps a bound with confidence (Learn then Test);
// null if these samples cannot promise it.
export function answerable(held, bound, confidence) {
  const steps = answerSteps(held), total = steps.at(-1)[1];
  let begins = testLevels(total, bound, 1 - confidence), level = 0, best = null;
  for (const [doubt, answered, errors] of steps) {
    for (const [size, own] of begins) if (size <= answered) level += own;
    begins = begins.filter(([size]) => size > answered);
    // The level of a test that succeeds goes on to the next; of one that fails it is lost.
    if (level > 0 && binomialTail(errors, answered, bound) <= level) best = { doubt, answered, errors, total };
    else level = 0;
  }
  return best;
}
