"""Bayesian binnings as defined, each binning made and scored by itself (Naeini 2016, 3.2).

Only the standard library. Samples are pairs (score, label) with labels 0 and 1; likelihoods
are products of fractions, and only the prior (eq. 3.7) has an exponential in it.
"""

from fractions import Fraction
from itertools import pairwise, product
from math import exp, floor

HALF = Fraction(1, 2)


def rising(start, steps):
    """start (start + 1) ... : the gamma function at start + steps over that at start."""
    result = Fraction(1)
    for i in range(steps):
        result *= start + i
    return result


def beta_parameters(left, right, score, strength, clip):
    if score == "k2":
        return Fraction(1), Fraction(1)
    middle = min(max((left + right) / 2, clip), 1 - clip)
    return strength * middle, strength * (1 - middle)


def marginal(positive, negative, alpha, beta):
    """Probability of the labels of a bin; n! m! / (N + 1)! for alpha = beta = 1 (eq. 3.6)."""
    return (
        rising(alpha, positive) * rising(beta, negative) / rising(alpha + beta, positive + negative)
    )


class Bin:
    """A bin of sorted samples, from its left to its right edge."""

    def __init__(self, members, left, right, score="k2", strength=2, clip=Fraction(1, 200)):
        self.members, self.left, self.right = members, left, right
        self.positive = sum(label for _, label in members)
        self.negative = len(members) - self.positive
        self.parameters = beta_parameters(left, right, score, Fraction(strength), clip)
        self.likelihood = marginal(self.positive, self.negative, *self.parameters)

    def mean(self):
        alpha, beta = self.parameters
        return (self.positive + alpha) / (len(self.members) + alpha + beta)

    def mean_by_scores(self, clip=Fraction(1, 200)):
        """The smoothing of the author's program."""
        total = sum(Fraction(score) for score, label in self.members if label)
        prior = (total + (self.left + self.right) / 2) / (self.positive + 1)
        return (self.positive + min(max(prior, clip), 1 - clip)) / (len(self.members) + 1)


def made_into_bins(parts, **prior):
    """Bins with edges midway between their samples; the outermost reach to 0 and 1."""
    ends = [min(Fraction(parts[0][0][0]), Fraction(0))]
    for below, above in pairwise(parts):
        ends.append((Fraction(below[-1][0]) + Fraction(above[0][0])) / 2)
    ends.append(max(Fraction(parts[-1][-1][0]), Fraction(1)))
    return [Bin(part, *ends[i : i + 2], **prior) for i, part in enumerate(parts)]


def bin_at(bins, x):
    return next((b for b in bins[:-1] if x < b.right), bins[-1])


# ---- all binnings (SBB and ABB)


def structure_prior(samples, cuts, lam):
    """Product over bins of eq. 3.8; `cuts` says of each gap whether there is a cut."""
    span = samples[-1][0] - samples[0][0]
    result = Fraction(1)
    for (below, _), (above, _), cut in zip(samples, samples[1:], cuts, strict=False):
        uncut = Fraction(exp(-lam * (above - below) / span)) if span else Fraction(1)
        result *= 1 - uncut if cut else uncut
    return result


def all_binnings(samples, lam, **prior):
    """Bins and score (eq. 3.9) of each of the 2^(N-1) binnings."""
    samples = sorted(samples)
    for cuts in product((False, True), repeat=len(samples) - 1):
        parts = [[samples[0]]]
        for sample, cut in zip(samples[1:], cuts, strict=True):
            if cut:
                parts.append([])
            parts[-1].append(sample)
        score = structure_prior(samples, cuts, lam)
        if score:
            bins = made_into_bins(parts, **prior)
            for one in bins:
                score *= one.likelihood
            yield bins, score


def average(binnings, x, value):
    """Eq. 3.10: the mean of a value of the bin that covers x, by the scores."""
    total = sum(score for _, score in binnings)
    return sum(score * value(bin_at(bins, x)) for bins, score in binnings) / total


# ---- binnings of equal frequency (BBQ)


def default_range(n):
    """max(1, floor(N^(1/3) / 10)) and min(ceil(N / 5), ceil(10 N^(1/3))), in whole numbers."""
    least = max(b for b in range(1, n + 2) if b == 1 or (10 * b) ** 3 <= n)
    greatest = next(b for b in range(1, 10 * n + 1) if b**3 >= 1000 * n)
    return least, min(-(-n // 5), greatest)


def equal_frequency(samples, n_bins, spread=False):
    """Bins of floor(N / B) samples, the rest in the last; or of N / B, as nearly as can be.

    A score counts where the middle of its samples lies.
    """
    size = Fraction(len(samples), n_bins)
    if not spread and size >= 1:
        size = Fraction(floor(size))
    parts = {}
    for score, label in sorted(samples):
        below = sum(other < score for other, _ in samples)
        ties = sum(other == score for other, _ in samples)
        number = min(floor((below + HALF * ties) / size), n_bins - 1)
        parts.setdefault(number, []).append((score, label))
    return list(parts.values())


def bbq_models(
    samples, least, greatest, alpha=0.001, shared=False, strength=2, spread=False, **prior
):
    """Bins and score, relative to the best, of the binnings that are kept, best first."""
    distinct = []
    for n_bins in range(least, greatest + 1):
        parts = equal_frequency(samples, n_bins, spread)
        if parts not in distinct:
            distinct.append(parts)
    models = []
    for parts in distinct:
        each = Fraction(strength) / len(parts) if shared else strength
        bins = made_into_bins(parts, strength=each, **prior)
        score = Fraction(1)
        for one in bins:
            score *= one.likelihood
        models.append((bins, score))
    best = max(score for _, score in models)
    models = [(bins, score / best) for bins, score in models]
    models.sort(key=lambda model: -model[1])
    return models if alpha is None else models[: k_alpha([s for _, s in models], Fraction(alpha))]


def k_alpha(scores, alpha):
    """min{k : (S_k - S_(k+1)) / variance <= alpha}, k from the last that equals the best."""
    mean = sum(scores) / len(scores)
    variance = sum((s - mean) ** 2 for s in scores) / len(scores)
    k = scores.count(scores[0])
    while k < len(scores) and scores[k - 1] - scores[k] > alpha * variance:
        k += 1
    return k
