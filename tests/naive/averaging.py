"""The average over candidates of a calibration curve, as defined; the standard library only.

Curves of steps are listed one by one. A sample is left out by taking it out of the data.
"""

from itertools import pairwise, product
from math import exp, inf, lgamma, log

CUTS = 3.0  # prior mean number of cuts


def log_beta(a, b):
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def step_posterior(groups, prior, cuts=CUTS):
    """Groups (negative, positive) in ascending order: [(weight, starts)] of all binnings."""
    sizes = [n + k for n, k in groups]
    middle = [sum(sizes[:i]) + sizes[i] / 2 for i in range(len(groups))]
    span = middle[-1] - middle[0] or inf
    found = []
    for cut in product([False, True], repeat=len(groups) - 1):
        starts = [0, *(i + 1 for i, yes in enumerate(cut) if yes)]
        score = 0.0
        for i, yes in enumerate(cut):
            rate = cuts * (middle[i + 1] - middle[i]) / span
            score += log(1 - exp(-rate)) if yes else -rate
        for begin, end in pairwise([*starts, len(groups)]):
            k = sum(g[1] for g in groups[begin:end])
            n = sum(g[0] for g in groups[begin:end])
            score += log_beta(k + prior[0], n + prior[1]) - log_beta(*prior)
        found.append((exp(score), starts))
    return found


def step_probability(groups, at, prior, cuts=CUTS):
    """Posterior mean of the probability of group number `at`."""
    top = bottom = 0.0
    for weight, starts in step_posterior(groups, prior, cuts):
        begin = max(s for s in starts if s <= at)
        end = min([s for s in starts if s > at], default=len(groups))
        k = sum(g[1] for g in groups[begin:end])
        n = sum(g[0] for g in groups[begin:end])
        top += weight * (k + prior[0]) / (k + n + sum(prior))
        bottom += weight
    return top / bottom


def step_left_out(groups, prior, cuts=CUTS):
    """Log-likelihood of each sample under the posterior without it, the binnings' prior kept."""
    total = 0.0
    whole = step_posterior(groups, prior, cuts)
    for at, counts in enumerate(groups):
        for label, count in enumerate(counts):
            if not count:
                continue
            top = bottom = 0.0
            for weight, starts in whole:
                begin = max(s for s in starts if s <= at)
                end = min([s for s in starts if s > at], default=len(groups))
                k = sum(g[1] for g in groups[begin:end]) - (label == 1)
                n = sum(g[0] for g in groups[begin:end]) - (label == 0)
                likely = (k + prior[0], n + prior[1])[label == 0] / (k + n + sum(prior))
                # The marginal likelihood of the binning without the sample is that with it,
                # divided by what it predicts for the sample.
                top += weight
                bottom += weight / likely
            total += count * log(top / bottom)
    return total


def averaged(priors, left_out, degrees, price=0.4):
    """Weights of candidates."""
    raw = [p * exp(x - price * d) for p, x, d in zip(priors, left_out, degrees, strict=True)]
    return [w / sum(raw) for w in raw]


def mixture(weights, means, variances):
    """Mean and variance of a mixture of distributions."""
    mean = sum(w * m for w, m in zip(weights, means, strict=True))
    square = sum(w * (v + m * m) for w, m, v in zip(weights, means, variances, strict=True))
    return mean, square - mean * mean
