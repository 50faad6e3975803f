"""Classifiers that are evidence, as their papers define them: one simple mass function each."""

from functools import reduce
from math import exp

from tests.naive.mass import conjunctive, dempster


def evidence(weight, event, frame):
    """Mass 1 - exp(-weight) on an event (Shafer 1976, ch. 5)."""
    return {frozenset(event): 1 - exp(-weight), frozenset(frame): exp(-weight)}


def of_features(weights):
    """Evidence for and against classes, from weights[j][k] of feature j (Denoeux 2019)."""
    frame = range(len(weights[0]))
    return [
        evidence(abs(w), {k} if w > 0 else set(frame) - {k}, frame)
        for row in weights
        for k, w in enumerate(row)
        if w
    ]


def combined(sources):
    """By Dempster's rule."""
    return reduce(dempster, sources)


def conflict(sources):
    """Mass of the empty set without normalization."""
    return reduce(conjunctive, sources).get(frozenset(), 0)


def least_committed(coef, intercept, mean):
    """Weights, as functions of the features, with the least sum of squares over samples.

    coef[j][k] and intercept[k] of softmax outputs; both are shifted to mean 0 over classes. Each
    feature then says nothing at its mean but an equal share of the mean output.
    """
    n_features, n_classes = len(coef), len(intercept)
    coef = [[c - sum(row) / n_classes for c in row] for row in coef]
    intercept = [c - sum(intercept) / n_classes for c in intercept]
    output = [
        intercept[k] + sum(mean[j] * coef[j][k] for j in range(n_features))
        for k in range(n_classes)
    ]
    return lambda x: [
        [coef[j][k] * (x[j] - mean[j]) + output[k] / n_features for k in range(n_classes)]
        for j in range(n_features)
    ]


def neighbor(distance, label, gamma, alpha, contextual):
    """What a neighbor says (Denoeux 1995; Denoeux et al. 2019)."""
    frame = range(len(gamma))
    if not contextual:
        s = alpha * exp(-gamma[label] * distance**2)
        return [{frozenset({label}): s, frozenset(frame): 1 - s}]
    found = []
    for k in frame:
        if k != label:
            s = alpha * exp(-gamma[k] * distance**2)
            found.append({frozenset(frame) - {k}: s, frozenset(frame): 1 - s})
    return found


def squared(x, center):
    """Squared distance."""
    return sum((a - b) ** 2 for a, b in zip(x, center, strict=True))


def set_costs(x, centers, sets, alpha):
    """|A|^alpha times the squared distance to the mean center of A (Masson & Denoeux 2008)."""
    found = []
    for chosen in sets:
        mean = [sum(centers[k][j] for k in chosen) / len(chosen) for j in range(len(x))]
        found.append(len(chosen) ** alpha * squared(x, mean))
    return found


def ecm_cost(X, centers, sets, masses, empty, alpha, beta, delta):
    """The criterion."""
    total = 0
    for x, row, none in zip(X, masses, empty, strict=True):
        costs = set_costs(x, centers, sets, alpha)
        total += sum(m**beta * c for m, c in zip(row, costs, strict=True))
        total += none**beta * delta**2 if delta else 0
    return total


def ecm_masses(x, centers, sets, alpha, beta, delta):
    """Masses of sets, and of the empty set."""
    power = -1 / (beta - 1)
    costs = [cost**power for cost in set_costs(x, centers, sets, alpha)]
    none = (delta**2) ** power if delta else 0
    return [cost / (sum(costs) + none) for cost in costs], none / (sum(costs) + none)


def pair_belief(one, other):
    """About "same" and "different" from two mass functions (Denoeux et al. 2018)."""
    found = {"empty": 0, "same": 0, "different": 0, "either": 0}
    for a, mass_a in one.items():
        for b, mass_b in other.items():
            if not a or not b:
                kind = "empty"
            elif not a & b:
                kind = "different"
            else:
                kind = "same" if len(a) == 1 and a == b else "either"
            found[kind] += mass_a * mass_b
    return found


def pair_distance(one, other):
    """Jousselme's distance on {same, different}."""
    sets = {
        "empty": frozenset(),
        "same": frozenset("s"),
        "different": frozenset("d"),
        "either": frozenset("sd"),
    }
    total = 0
    for a in sets:
        for b in sets:
            union = sets[a] | sets[b]
            ratio = len(sets[a] & sets[b]) / len(union) if union else 1
            total += (one[a] - other[a]) * (one[b] - other[b]) * ratio
    return (max(total, 0) / 2) ** 0.5


def credal_rand(one, other):
    """1 - mean distance over pairs of samples."""
    n = len(one)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    gaps = [
        pair_distance(pair_belief(one[i], one[j]), pair_belief(other[i], other[j]))
        for i, j in pairs
    ]
    return 1 - sum(gaps) / len(pairs)
