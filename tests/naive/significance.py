"""Definitions of the tests of significance, by counting; standard library only."""

from fractions import Fraction
from itertools import product
from math import comb


def mean_ranks(table):
    """Mean rank of each column, the greatest of a row first, ties sharing their mean."""
    columns = range(len(table[0]))
    ranks = [
        [
            sum(other > row[j] for other in row)
            + Fraction(sum(other == row[j] for other in row) + 1, 2)
            for j in columns
        ]
        for row in table
    ]
    return [sum(row[j] for row in ranks) / Fraction(len(table)) for j in columns]


def friedman_statistics(table):
    """Friedman's chi-square and Iman and Davenport's F (Demsar 2006, section 3.2.2)."""
    n, k = len(table), len(table[0])
    squares = sum(rank**2 for rank in mean_ranks(table))
    chi_square = Fraction(12 * n, k * (k + 1)) * (squares - Fraction(k * (k + 1) ** 2, 4))
    rest = n * (k - 1) - chi_square
    return chi_square, None if rest == 0 else (n - 1) * chi_square / rest


def mcnemar_pvalue(only1, only2):
    """Probability of a split at least as uneven, if both kinds have probability 1/2."""
    n, least = only1 + only2, min(only1, only2)
    tail = sum(comb(n, j) for j in range(least + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def wilcoxon_pvalue(gaps):
    """Share of all choices of signs whose smaller rank sum is at most the observed one."""
    sizes = sorted(abs(gap) for gap in gaps)
    ranks = [sizes.index(abs(gap)) + 1 for gap in gaps]
    total = sum(ranks)

    def smaller(signs):
        positive = sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        return min(positive, total - positive)

    observed = smaller([gap > 0 for gap in gaps])
    every = list(product((False, True), repeat=len(gaps)))
    return Fraction(sum(smaller(signs) <= observed for signs in every), len(every))


def holm_rejections(pvalues, alpha):
    """Hypotheses rejected, stepping up from the least p-value until one is kept."""
    order = sorted(range(len(pvalues)), key=pvalues.__getitem__)
    rejected = set()
    for step, j in enumerate(order):
        if pvalues[j] > alpha / (len(pvalues) - step):
            break
        rejected.add(j)
    return rejected


def gain_moments(first, second):
    """Mean of (u - v) / v, and its variance with n - 1, exactly."""
    ratios = [Fraction(u - v, v) for u, v in zip(first, second, strict=True)]
    mean = sum(ratios) / len(ratios)
    return mean, sum((x - mean) ** 2 for x in ratios) / (len(ratios) - 1)
