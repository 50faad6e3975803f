"""Belief functions of 10^5 count vectors on five categories, each beside the obvious alternative.

The alternatives are the bare formulas: proportions, the imprecise Dirichlet model, Goodman's
intervals, and binomial areas for each category through the incomplete beta function. For ordered
categories, differences of the lower probabilities in a loop over intervals; for unordered ones,
one linear program a row, on few rows. Few observations are up to 20 a row, many up to 1000.
"""

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import linprog

from dstheory.inference import multinomial, multinomial_bounds

N_ROWS = 10**5
K = 5
MODELS = ["bayesian", "laplace", "dempster", "goodman", "likelihood", "mcd"]


def draw(most, n_rows):
    rng = np.random.default_rng(0)
    return rng.multinomial(rng.integers(1, most, n_rows), rng.dirichlet(np.ones(K), n_rows))


@pytest.fixture(scope="module", params=[20, 1000], ids=["few", "many"])
def counts(request):
    return draw(request.param, N_ROWS)


def bayesian(counts):
    p = counts / counts.sum(axis=1, keepdims=True)
    return p, p


def laplace(counts):
    return bayesian(counts + 1)


def dempster(counts):
    total = counts.sum(axis=1, keepdims=True) + 1
    return counts / total, (counts + 1) / total


def goodman(counts):
    total, q = counts.sum(axis=1, keepdims=True), stats.chi2.ppf(1 - 0.05 / K, 1)
    root = np.sqrt(q * (q + 4 * counts * (total - counts) / total))
    return (q + 2 * counts - root) / 2 / (total + q), (q + 2 * counts + root) / 2 / (total + q)


def likelihood(counts):
    n = counts.sum(axis=1, keepdims=True)
    p = counts / n
    log_peak = special.xlogy(counts, p) + special.xlog1py(n - counts, -p)
    total = np.exp(special.betaln(counts + 1, n - counts + 1) - log_peak)
    below = special.betainc(counts + 1, n - counts + 1, p) * total
    return p - below, p + total - below


@pytest.mark.parametrize("model", MODELS)
def test_bounds(benchmark, counts, model):
    benchmark.group = f"bounds, {model}, {counts.max()}"
    benchmark(multinomial_bounds, counts, model)


@pytest.mark.parametrize("model", MODELS)
def test_bounds_alternative(benchmark, counts, model):
    benchmark.group = f"bounds, {model}, {counts.max()}"
    benchmark(globals()[model], counts)


@pytest.mark.parametrize("model", MODELS)
def test_ordered(benchmark, counts, model):
    benchmark.group = f"ordered, {model}, {counts.max()}"
    benchmark(multinomial, counts, model=model, ordered=True)


def interval_loop(counts):
    lower, upper = multinomial_bounds(counts, "goodman")

    def p(i, j):
        inside, outside = slice(i, j + 1), np.r_[0:i, j + 1 : K]
        most = 1 - upper[:, outside].sum(axis=1)
        return np.maximum(lower[:, inside].sum(axis=1), most) if i <= j else 0.0

    return [
        p(i, j) - p(i + 1, j) - p(i, j - 1) + p(i + 1, j - 1)
        for j in range(K)
        for i in range(j + 1)
    ]


def test_ordered_alternative(benchmark, counts):
    benchmark.group = f"ordered, goodman, {counts.max()}"
    benchmark(interval_loop, counts)


@pytest.mark.parametrize("model", ["goodman", "likelihood"])
@pytest.mark.parametrize(("most", "n_rows"), [(20, N_ROWS), (1000, 200)])
def test_unordered(benchmark, model, most, n_rows):
    benchmark.group = f"unordered, {n_rows} rows of up to {most}"
    benchmark.pedantic(multinomial, (draw(most, n_rows),), {"model": model}, rounds=3)


def program_loop(counts):
    masks = np.arange(1, 2**K)
    subsets = ((masks & masks[:, np.newaxis]) == masks).astype(float)
    member = (masks[:, np.newaxis] >> np.arange(K)) & 1
    weight = -(2.0 ** (K - np.bitwise_count(masks)))
    for lower, upper in zip(*multinomial_bounds(counts, "goodman"), strict=True):
        bound = np.maximum(member @ lower, 1 - (1 - member) @ upper)
        linprog(weight, subsets[:-1], bound[:-1], subsets[-1:], [1.0])


def test_unordered_alternative(benchmark):
    benchmark.group = "unordered, 200 rows of up to 1000"
    benchmark.pedantic(program_loop, (draw(1000, 200),), rounds=3)
