"""Kernel densities as defined, one term at a time, in exact fractions where that is possible."""

import math
from fractions import Fraction


def kernel(name, u):
    """K(u), with the misprints of Naeini (2016), section 3.1, corrected."""
    u = abs(u)
    if name == "gaussian":
        return math.exp(-(float(u) ** 2) / 2) / math.sqrt(2 * math.pi)
    if u > 1:
        return Fraction(0)
    return {
        "boxcar": Fraction(1, 2),
        "epanechnikov": Fraction(3, 4) * (1 - u**2),
        "tricube": Fraction(70, 81) * (1 - u**3) ** 3,
    }[name]


def kernel_sum(name, x, scores, weights, h):
    """sum_i w_i K((x - s_i) / h)."""
    return sum(w * kernel(name, (x - s) / h) for s, w in zip(scores, weights, strict=True))


def density(name, x, scores, weights, h):
    """Kernel density estimate."""
    return kernel_sum(name, x, scores, weights, h) / (h * sum(weights))


def probability(name, x, samples, bandwidths):
    """Bayes' rule, Naeini (2016), eq. 3.1, on samples (score, label, weight); None for 0/0."""
    total = sum(w for _, _, w in samples)
    joint = []
    for label in (0, 1):
        scores = [s for s, y, _ in samples if y == label]
        weights = [w for _, y, w in samples if y == label]
        prior = sum(weights) / total
        joint.append(prior * density(name, x, scores, weights, bandwidths[label]))
    return joint[1] / sum(joint) if sum(joint) else None


def shares(x_low, x_high, samples):
    """Positives and all samples with a score in a closed interval (ACP, section 2.1.2.4)."""
    within = [(y, w) for s, y, w in samples if x_low <= s <= x_high]
    return sum(w for y, w in within if y), sum(w for _, w in within)
