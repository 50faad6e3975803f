"""The consensus of sources without labels, sample by sample (evical.fusion.Consensus)."""

from math import atanh, exp, log, pi, sqrt, tanh

ALIKE, NEAR, OWN, PAIR, ERRORS = 0.8, 1.5, 0.02, 1e-3, 2
JOINT, ALONE, FLOOR, LEAST = 10, 2, 1e-4, 1e-3


def learned(sources, dependence):
    """What is learned from probabilities[s][i], a list of K or None.

    Weights, prevalences, sharpness, and each source's reliability with its interval.
    """
    number, k = len(sources), len(next(p for p in sources[0] if p))
    mean = [_average([p for p in source if p], k) for source in sources]
    covariance = [
        [_covariance(one, other, mean[s], mean[t]) for t, other in enumerate(sources)]
        for s, one in enumerate(sources)
    ]
    joint = [
        [sum(1 for a, b in zip(one, o, strict=True) if a and b) for o in sources] for one in sources
    ]
    sd = [sqrt(covariance[s][s]) for s in range(number)]
    raw = [
        [min(max(covariance[s][t] / (sd[s] * sd[t]), -1), 1) for t in range(number)]
        for s in range(number)
    ]
    pairs = [(s, t) for s in range(number) for t in range(number) if s != t]
    usual = sum(joint[s][t] * raw[s][t] for s, t in pairs) / sum(joint[s][t] for s, t in pairs)
    usual = max(usual, 0)
    shrunk = [[1.0] * number for _ in range(number)]
    for s, t in pairs:
        n = joint[s][t]
        shrunk[s][t] = (n * raw[s][t] + JOINT * usual) / (n + JOINT)
    far = [[(1 - max(r, 0)) ** NEAR + PAIR for r in row] for row in shrunk]
    own = [_by_others(s, shrunk, joint, far) for s in range(number)]
    partial = [[0.0] * number for _ in range(number)]
    for s, t in pairs:
        left = [sqrt(max(1 - own[one] ** 2, OWN)) for one in (s, t)]
        beyond = (raw[s][t] - own[s] * own[t]) / (left[0] * left[1])
        apart = _apart(sources, s, t)
        partial[s][t] = min(max(beyond, 0), 1) * apart / (apart + ALONE)
    usual = [_usual(s, partial, far) for s in range(number)]
    alike = [[1.0] * number for _ in range(number)]
    for s, t in pairs:
        among = max(usual[s], usual[t])
        beyond = (partial[s][t] - among) / (1 - among)
        alike[s][t] = max(beyond - ALIKE, 0) / (1 - ALIKE)
    count = [sum(row) for row in alike]
    evidence = [
        [(1 - alike[s][t]) / (count[s] * count[t]) for t in range(number)] for s in range(number)
    ]
    unlike = [[1 - p for p in row] for row in partial]
    loadings = _one_factor(shrunk, _products(evidence, unlike, 1))
    weights, agreements, others = [], [], []
    for s in range(number):
        part = [(1 - alike[s][t]) / sum(alike[t]) if t != s else 0 for t in range(number)]
        cov = [[shrunk[a][b] * sd[a] * sd[b] for b in range(number)] for a in range(number)]
        along = sum(part[t] * cov[s][t] for t in range(number))
        spread = sum(part[a] * part[b] * cov[a][b] for a in range(number) for b in range(number))
        agreement = along / sqrt(spread * cov[s][s])
        weights.append(max(agreement, 0) ** 2 / sum(alike[s]))
        agreements.append(agreement)
        others.append([part[t] * sd[t] / sqrt(spread) for t in range(number)])
    weights = [w / sum(weights) for w in weights]
    prevalence = [
        max(sum(w * m[j] for w, m in zip(weights, mean, strict=True)), LEAST) for j in range(k)
    ]
    prevalence = [p / sum(prevalence) for p in prevalence]
    powers = [
        [abs(r) ** (1 / (1 - dependence)) * (1 if r >= 0 else -1) for r in row] for row in shrunk
    ]
    variance = 1 - sum(p * p for p in prevalence)
    most = [own / sqrt(variance) for own in sd]
    sharing = _one_factor(powers, _products(evidence, unlike, 1 - dependence))
    sharing = [max(r, 0) for r in sharing]
    known = [min(r, top) for r, top in zip(sharing, most, strict=True)]
    power = 1 / (1 - dependence)
    reliability, bounds = [], []
    for s in range(number):
        own = max(loadings[s], 0)
        with_others = sum(w * max(r, 0) for w, r in zip(others[s], loadings, strict=True))
        doubt = _doubt(others[s], sd, [1 if r >= 0 else -1 for r in loadings], shrunk, joint)
        ends = []
        for step in (-1.96, 1.96):
            moved = tanh(atanh(agreements[s]) + step / sqrt(joint[s][s] - 3)) - agreements[s]
            reach = sqrt((moved / with_others) ** 2 + (1.96 * own * doubt) ** 2)
            ends.append(min(max(own + reach * (1 if step > 0 else -1), 0), 1))
        reliability.append(min(own**power, most[s]))
        bounds.append((min(ends[0] ** (power * power), reliability[s]), ends[1]))
    expected = sum(weights[s] * known[s] * sd[s] for s in range(number)) * sqrt(variance)

    def moved(sharpness):
        total = 0.0
        for s, source in enumerate(sources):
            rows = [i for i, p in enumerate(source) if p]
            for i in rows:
                row = [one[i] for one in sources]
                q = pooled(row, weights, prevalence, sharpness)
                gain = sum((source[i][j] - mean[s][j]) * q[j] for j in range(k))
                total += weights[s] * gain / len(rows)
        return total

    low, high = exp(-4.0), 1 / max(weights)
    for _ in range(200):
        middle = sqrt(low * high)
        low, high = (middle, high) if moved(middle) < expected else (low, middle)
    return weights, prevalence, high, reliability, bounds


def _by_others(s, r, joint, far):
    """Correlation of a source with what all have in common, by its triads with two others."""
    if len(r) == 3:
        nearest = max(
            r[s][t] + ERRORS * (1 - r[s][t] ** 2) / sqrt(joint[s][t]) for t in range(3) if t != s
        )
        return sqrt(min(max(nearest, 0), 1))
    along = most = doubt = 0.0
    for t in range(len(r)):
        for u in range(len(r)):
            if len({s, t, u}) == 3:
                weight = far[s][t] * far[s][u] * far[t][u]
                along += weight * r[s][t] * r[s][u] * r[t][u]
                most += weight * r[t][u] ** 2
                doubt += weight * (ERRORS * (1 - r[t][u] ** 2)) ** 2 / joint[t][u]
    return sqrt(min((max(along, 0) + doubt) / (most + doubt), 1))


def _usual(s, partial, far):
    """Mean partial correlation of pairs of others, by how far both are from a source."""
    pairs = [(t, u) for t in range(len(far)) for u in range(len(far)) if len({s, t, u}) == 3]
    weights = [far[s][t] * far[s][u] for t, u in pairs]
    mean = sum(w * partial[t][u] for w, (t, u) in zip(weights, pairs, strict=True))
    return mean / sum(weights)


def _products(evidence, unlike, power):
    return [
        [e * p**power + PAIR for e, p in zip(row, other, strict=True)]
        for row, other in zip(evidence, unlike, strict=True)
    ]


def _apart(sources, s, t):
    """Effective number of common samples on which either differs from the mean of the others."""
    found = []
    for i in range(len(sources[0])):
        if not (sources[s][i] and sources[t][i]):
            continue
        distance = 0.0
        for own in (s, t):
            others = [one[i] for place, one in enumerate(sources) if place != own and one[i]]
            if sources[own][i] and others:
                mean = _average(others, len(others[0]))
                distance += sum((a - b) ** 2 for a, b in zip(sources[own][i], mean, strict=True))
        found.append(distance)
    square = sum(d * d for d in found)
    return sum(found) ** 2 / square if square else len(found)


def pooled(row, weights, prevalence, sharpness):
    """Pool of log-probabilities of one sample."""
    logits = [log(p) for p in prevalence]
    for w, p in zip(weights, row, strict=True):
        if p:
            for j, prior in enumerate(prevalence):
                logits[j] += sharpness * w * (log(max(p[j], FLOOR)) - log(prior))
    top = max(logits)
    total = sum(exp(x - top) for x in logits)
    return [exp(x - top) / total for x in logits]


def fused(row, weights, prevalence, sharpness, dependence):
    """Probabilities of one sample."""
    said = [(w, p) for w, p in zip(weights, row, strict=True) if p]
    total = sum(w for w, _ in said)
    pool = pooled(row, weights, prevalence, sharpness)
    return [
        dependence * sum(w * p[j] for w, p in said) / total + (1 - dependence) * pool[j]
        for j in range(len(pool))
    ]


def _average(rows, k):
    return [sum(row[j] for row in rows) / len(rows) for j in range(k)]


def _covariance(one, other, mean, other_mean):
    both = [(a, b) for a, b in zip(one, other, strict=True) if a and b]
    product = sum(sum(x * y for x, y in zip(a, b, strict=True)) for a, b in both) / len(both)
    return product - sum(x * y for x, y in zip(mean, other_mean, strict=True))


def _one_factor(correlation, weight):
    number = len(correlation)
    found = [0.5] * number
    for _ in range(2000):
        for s in range(number):
            others = [t for t in range(number) if t != s]
            square = sum(weight[s][t] * found[t] ** 2 for t in others)
            found[s] = sum(weight[s][t] * correlation[s][t] * found[t] for t in others) / square
            found[s] = min(max(found[s], -1), 1)
    return found


def _doubt(along, sd, sign, correlation, joint):
    """Standard error of the logarithm of half the mean correlation between the others.

    `along` are weights times standard deviations, up to a factor.
    """
    weight = [a / own for a, own in zip(along, sd, strict=True)]
    pairs = [(s, t) for s in range(len(sd)) for t in range(len(sd)) if s != t]
    total = sum(weight[s] * weight[t] for s, t in pairs)
    mean = sum(sign[s] * sign[t] * weight[s] * weight[t] * correlation[s][t] for s, t in pairs)
    samples = sum(weight[s] * weight[t] * joint[s][t] for s, t in pairs) / total
    number = total / sum(w * w for w in weight) / 2
    mean = max(mean / total, 0)
    return (1 - mean**2) / sqrt(number * samples) / (2 * mean)


def log_likelihood_of_votes(items, skills, spread, prevalence, points=400):
    """Of votes of each item, -1 for none: ease and class integrated out, by the trapezoidal rule.

    A voter s is right about an item of ease u ~ N(0, 1) with log-odds ``skills[s] + spread * u``,
    and otherwise names each other class alike.
    """
    steps = [-9 + 18 * at / points for at in range(points + 1)] if spread else [0.0]
    width = 18 / points if spread else sqrt(2 * pi)
    total = 0.0
    for votes in items:
        likelihood = 0.0
        for ease in steps:
            density = exp(-(ease**2) / 2) / sqrt(2 * pi) * width
            right = [1 / (1 + exp(-skill - spread * ease)) for skill in skills]
            for truth, share in enumerate(prevalence):
                product = share * density
                for vote, p in zip(votes, right, strict=True):
                    wrong = (1 - p) / (len(prevalence) - 1)
                    product *= 1 if vote < 0 else p if vote == truth else wrong
                likelihood += product
        total += log(likelihood)
    return total
