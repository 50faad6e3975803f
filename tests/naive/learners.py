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
    """What a neighbor says (Denoeux 1995, eq. 9; Denoeux et al. 2019, section 3)."""
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
