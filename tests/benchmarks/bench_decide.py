"""Decisions on 10^6 rows, each beside the obvious alternative.

The alternative of a label decision is `argmax` over ready probabilities; that of interval
dominance is the definition with NumPy, act against act, on ready bounds.
"""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, decide

N_ROWS = 10**6


def binary():
    masses = np.random.default_rng(0).dirichlet(np.ones(3), size=N_ROWS)
    return MassFunction(Frame([0, 1]), [1, 2, 3], masses)


def ten_classes():
    masses = np.random.default_rng(0).dirichlet(np.ones(11), size=N_ROWS)
    return MassFunction(Frame(range(10)), [*(1 << i for i in range(10)), 1023], masses)


@pytest.fixture(scope="module", params=[binary, ten_classes], ids=["K=2", "K=10"])
def m(request):
    return request.param()


@pytest.mark.benchmark(group="label")
@pytest.mark.parametrize(
    "rule",
    [decide.maximum_betp, decide.maximax, decide.maximin],
    ids=lambda f: f.__name__,
)
def test_label(benchmark, m, rule):
    benchmark(rule, m)


@pytest.mark.benchmark(group="label")
def test_label_alternative(benchmark, m):
    probabilities = np.ascontiguousarray(decide.expected_utility(m))
    labels = np.asarray(m.frame.labels)
    benchmark(lambda: labels[probabilities.argmax(axis=1)])


@pytest.mark.benchmark(group="interval dominance")
def test_interval_dominance(benchmark, m):
    benchmark(decide.interval_dominance, m)


@pytest.mark.benchmark(group="interval dominance")
def test_interval_dominance_alternative(benchmark, m):
    lower = np.ascontiguousarray(decide.lower_expected_utility(m))
    upper = np.ascontiguousarray(decide.upper_expected_utility(m))
    benchmark(lambda: ~(lower[:, np.newaxis, :] > upper[:, :, np.newaxis]).any(axis=2))


@pytest.mark.benchmark(group="names")
def test_chosen_acts(benchmark, m):
    benchmark(decide.chosen_acts, decide.interval_dominance(m), m.frame)


@pytest.mark.benchmark(group="comparisons in pairs")
@pytest.mark.parametrize(
    "criterion",
    [decide.strong_dominance, decide.weak_dominance, decide.maximality],
    ids=lambda f: f.__name__,
)
def test_pairwise(benchmark, m, criterion):
    benchmark.pedantic(criterion, (m,), rounds=3)


@pytest.mark.benchmark(group="E-admissibility")
def test_e_admissibility(benchmark):
    """Five acts on four classes; one row in a few needs a linear program."""
    rng = np.random.default_rng(0)
    m = MassFunction(Frame(range(4)), range(1, 16), rng.dirichlet(np.ones(15), size=1000))
    benchmark.pedantic(decide.e_admissibility, (m, rng.random((5, 4))), rounds=3)
