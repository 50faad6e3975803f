"""Definitions of metrics on lists of Fractions; standard library only.

Samples are triples (outcome, probability, weight) for two classes, or (class, probabilities,
weight) for more.
"""

from fractions import Fraction
from itertools import groupby
from math import log


def mean(pairs):
    """Weighted mean of (value, weight)."""
    pairs = list(pairs)
    return sum(v * w for v, w in pairs) / sum(w for _, w in pairs)


def brier(samples, half):
    scores = [
        (sum((p - (k == c)) ** 2 for k, p in enumerate(ps)) / (2 if half else 1), w)
        for c, ps, w in samples
    ]
    return mean(scores)


def ranked_probability(samples):
    """Epstein 1969, by class numbers in their order."""
    return mean(
        (sum((sum(ps[: k + 1]) - (c <= k)) ** 2 for k in range(len(ps) - 1)) / (len(ps) - 1), w)
        for c, ps, w in samples
    )


def correctness(samples):
    return mean((ps.index(max(ps)) == c, w) for c, ps, w in samples)


def well_calibration(samples):
    """Gebel's 2.5, over the classes that have samples."""
    n_classes = len(samples[0][1])
    gaps = []
    for k in range(n_classes):
        part = [s for s in samples if s[1].index(max(s[1])) == k and s[2]]
        for j in range(n_classes if part else 0):
            confidence = mean((ps[j], w) for _, ps, w in part)
            gaps.append(abs(confidence - mean((c == j, w) for c, _, w in part)))
    return 1 - sum(gaps) / len(gaps)


def uniform_bins(samples, n_bins):
    """Lists of the samples of each bin that holds any; a bin holds its left edge."""
    bins = [[] for _ in range(n_bins)]
    for sample in samples:
        bins[min(int(sample[1] * n_bins), n_bins - 1)].append(sample)
    return [found for found in bins if sum(w for *_, w in found)]


def quantile_bins(samples, n_bins):
    """Equal predictions go where the middle of their ranks falls."""
    total, below = sum(w for *_, w in samples), 0
    bins = [[] for _ in range(n_bins)]
    for _, group in groupby(sorted(samples, key=lambda s: s[1]), key=lambda s: s[1]):
        group = list(group)
        size = sum(w for *_, w in group)
        place = Fraction(n_bins) * (below + Fraction(size) / 2) / total
        bins[min(int(place), n_bins - 1)].extend(group)
        below += size
    return [found for found in bins if sum(w for *_, w in found)]


def gaps(bins):
    """Share of the samples and gap |o - e| of each bin."""
    total = sum(w for found in bins for *_, w in found)
    return [
        (
            Fraction(sum(w for *_, w in found)) / total,
            abs(mean((y, w) for y, _, w in found) - mean((p, w) for _, p, w in found)),
        )
        for found in bins
    ]


def expected_error(bins):
    return sum(share * gap for share, gap in gaps(bins))


def maximum_error(bins):
    return max(gap for _, gap in gaps(bins))


def debiased_squared(bins):
    """Without weights."""
    total, result = sum(len(found) for found in bins), Fraction(0)
    for found in bins:
        n = len(found)
        if n > 1:
            o = Fraction(sum(y for y, *_ in found), n)
            e = sum(p for _, p, _ in found) / n
            result += n * ((o - e) ** 2 - o * (1 - o) / (n - 1))
    return result / total


def one_against_rest(samples, k):
    return [(int(c == k), ps[k], w) for c, ps, w in samples]


def heap(samples):
    return [one for k in range(len(samples[0][1])) for one in one_against_rest(samples, k)]


def path(samples):
    """Cumulative residuals after each distinct prediction."""
    total, reached, places = sum(w for *_, w in samples), Fraction(0), []
    for _, group in groupby(sorted(samples, key=lambda s: s[1]), key=lambda s: s[1]):
        reached += sum(w * (y - p) for y, p, w in group)
        places.append(reached / total)
    return places


def murphy(samples):
    """Calibration and refinement of the Brier score, by groups of equal predictions."""
    values = sorted({p for _, p, _ in samples})
    calibration = refinement = Fraction(0)
    total = sum(w for *_, w in samples)
    for value in values:
        group = [s for s in samples if s[1] == value]
        size = sum(w for *_, w in group)
        if size:
            o = mean((Fraction(y), w) for y, _, w in group)
            calibration += size * (value - o) ** 2 / total
            refinement += size * o * (1 - o) / total
    return calibration, refinement


def pav(samples):
    """Isotonic regression: the max-min formula, a value for each sample in order of p."""
    values = sorted({p for _, p, _ in samples})

    def average(low, high):
        return mean((Fraction(y), w) for y, p, w in samples if values[low] <= p <= values[high])

    m = len(values)
    return {
        values[i]: max(min(average(a, b) for b in range(i, m)) for a in range(i + 1))
        for i in range(m)
    }


def pairs_in_order(samples):
    """Area under the ROC curve, ties half."""
    positive = [(p, w) for y, p, w in samples if y]
    negative = [(p, w) for y, p, w in samples if not y]
    won = sum(
        w * v * (Fraction(p > q) + Fraction(p == q, 2)) for p, w in positive for q, v in negative
    )
    return won / (sum(w for _, w in positive) * sum(v for _, v in negative))


def best_profit(samples, profits):
    """Profits (n, A, K): each sample takes its first best act."""
    results = []
    for (c, ps, w), table in zip(samples, profits, strict=True):
        expected = [sum(g * p for g, p in zip(row, ps, strict=True)) for row in table]
        results.append((table[expected.index(max(expected))][c], w))
    return mean(results)


def answered_risks(losses, doubts, weights):
    """Limit of doubt, share answered and their mean loss, for each limit that is some doubt."""
    samples = [one for one in zip(losses, doubts, weights, strict=True) if one[2]]
    found = []
    for limit in sorted({doubt for _, doubt, _ in samples}):
        size = sum(w for _, doubt, w in samples if doubt <= limit)
        lost = sum(w * loss for loss, doubt, w in samples if doubt <= limit)
        found.append((limit, Fraction(size, sum(weights)), Fraction(lost, size)))
    return found


def area(losses, doubts, weights):
    """Integral of the mean loss of the least doubted share; ties are answered in equal parts."""
    found, size, lost = 0.0, 0, Fraction(0)
    for doubt in sorted(set(doubts)):
        tied = [i for i, one in enumerate(doubts) if one == doubt and weights[i]]
        more = sum(weights[i] for i in tied)
        if more:
            loss = mean((losses[i], weights[i]) for i in tied)
            # (lost + loss (c - size)) / c from c = size to size + more
            rest = float(lost - loss * size)
            found += float(loss * more) + (rest * log((size + more) / size) if size else 0.0)
            size, lost = size + more, lost + loss * more
    return found / size
