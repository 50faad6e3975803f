"""Metrics of belief functions: imprecision, likelihood, coverage, sets."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from dstheory import Frame, MassFunction
from dstheory.transform import betp
from evical import metrics
from evical.metrics import set_score
from tests.evical.metrics.kinds import classwise_calibration_error, kuiper_error
from tests.evical.metrics.samples import calibrated
from tests.support.each import each


def two_class_beliefs(bel, pl, labels=(0, 1)):
    masses = np.stack([1 - pl, bel, pl - bel], axis=-1)
    return MassFunction(Frame(labels), [1, 2, 3], masses)


def around(p, below, above):
    return np.clip(np.stack([p - below, p + above], axis=1), 0, 1)


def test_mean_imprecision():
    bounds = np.array([[0.1, 0.5], [0.2, 0.2]])
    m = two_class_beliefs(*bounds.T)
    assert metrics.mean_imprecision(bounds) == pytest.approx(0.2)
    assert metrics.mean_imprecision(m) == pytest.approx(0.2)
    assert metrics.mean_imprecision(m, sample_weight=[3, 1]) == pytest.approx(0.3)
    frame = Frame(list("abc"))
    vacuous = MassFunction(frame, [7], np.ones((2, 1)))
    assert metrics.mean_imprecision(vacuous) == 1
    pairs = MassFunction(frame, [1, 6], [[0.5, 0.5]])  # b and c have [0, 1/2], a is precise
    assert metrics.mean_imprecision(pairs) == pytest.approx(1 / 3)


def test_evidential_likelihood():
    bounds = np.array([[0.1, 0.5], [0.2, 0.2], [0.0, 1.0]])
    y, w = [1, 0, 1], np.array([2.0, 1.0, 5.0])
    logs = np.log([0.5, 0.8, 1.0])
    for beliefs in (bounds, two_class_beliefs(*bounds.T)):
        found = metrics.evidential_log_likelihood(y, beliefs)
        assert found == pytest.approx(logs.mean())
        total = metrics.evidential_log_likelihood(y, beliefs, normalize=False, sample_weight=w)
        assert total == pytest.approx((w * logs).sum())
    assert metrics.evidential_log_likelihood([1], [[0.0, 0.0]]) == -np.inf
    m = MassFunction(Frame(list("abc")), [1, 6], [[0.5, 0.5], [0.25, 0.75]])
    found = metrics.evidential_log_likelihood(["c", "a"], m, normalize=False)
    assert found == pytest.approx(np.log(0.5 * 0.25))


def test_of_probabilities_it_is_the_log_likelihood():
    y, p = calibrated(50, np.random.default_rng(0))
    bounds = np.stack([p, p], axis=1)
    found = metrics.evidential_log_likelihood(y, bounds)
    assert found == pytest.approx(-metrics.log_loss(y, p))


@each(
    "metric",
    [
        metrics.brier_score,
        metrics.log_loss,
        metrics.expected_calibration_error,
        metrics.smooth_calibration_error,
        kuiper_error,
        metrics.roc_auc,
        metrics.well_calibration_ratio,
    ],
)
def test_a_mass_function_means_its_pignistic_probability(metric):
    rng = np.random.default_rng(1)
    y, p = calibrated(60, rng)
    m = two_class_beliefs(*around(p, 0.1, 0.2).T, labels=("no", "yes"))
    names = np.array(["no", "yes"])[y]
    assert metric(names, m) == pytest.approx(metric(y, betp(m)[:, 1]))
    assert metric(y, two_class_beliefs(*around(p, 0.1, 0.2).T)) == metric(names, m)


def test_mass_functions_on_many_classes():
    rng = np.random.default_rng(2)
    m = MassFunction(Frame(list("cab")), [1, 2, 4, 3, 7], rng.dirichlet(np.ones(5), 40))
    y = rng.choice(list("abc"), 40)
    columns = betp(m)
    for metric in (metrics.brier_score, classwise_calibration_error, metrics.roc_auc):
        assert metric(y, m) == pytest.approx(metric(y, columns, labels=list("cab")))
        assert metric(y, m) == pytest.approx(metric(y, columns[:, [1, 2, 0]]))


def test_coverage():
    rng = np.random.default_rng(3)
    y, p = calibrated(5000, rng)
    bounds = around(p, 0.05, 0.05)
    wide = metrics.coverage_test(y, bounds)
    assert wide.share == wide.size[wide.covered].sum() / wide.size.sum() > 0.9
    assert wide.pvalue > 0.5
    assert metrics.coverage_test(y, two_class_beliefs(*bounds.T)).share == wide.share
    wrong = metrics.coverage_test(y, around(p, -0.1, 0.2))
    assert wrong.pvalue < 1e-6
    assert wrong.share < 0.5
    assert not wrong.covered[wrong.adjusted < 0.05].any()


def test_coverage_of_one_bin_is_a_binomial_test():
    y = np.array([1] * 9 + [0])
    found = metrics.coverage_test(y, np.full((10, 2), [0.3, 0.6]), n_bins=1)
    assert found.pvalue == pytest.approx(2 * stats.binom.sf(8, 10, 0.6))
    low = metrics.coverage_test(1 - y, np.full((10, 2), [0.3, 0.6]), n_bins=1)
    assert low.pvalue == pytest.approx(2 * stats.binom.cdf(1, 10, 0.3))
    precise = metrics.coverage_test(y, np.full((10, 2), 0.5), n_bins=1)
    assert precise.pvalue == pytest.approx(stats.binomtest(9, 10, 0.5).pvalue)


def test_coverage_holds_its_level():
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(500):
        y, p = calibrated(500, rng)
        # The truth is anywhere in its interval, at the ends too.
        share = rng.random(500).round()
        bounds = around(p, 0.1 * share, 0.1 * (1 - share))
        rejected += metrics.coverage_test(y, bounds).pvalue <= 0.05
    assert rejected <= 25


def test_sets():
    y = np.array([0, 1, 2, 0])
    sets = np.array([[1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=bool)
    x = np.array([1, 1 / 3, 0, 0])
    w = np.array([1.0, 3.0, 2.0, 2.0])
    for metric, utility in (
        (partial(set_score, kind="discounted"), x),
        (partial(set_score, kind="u65"), 1.6 * x - 0.6 * x**2),
        (partial(set_score, kind="u80"), 2.2 * x - 1.2 * x**2),
    ):
        assert metric(y, sets) == pytest.approx(utility.mean())
        found = metric(y, sets, sample_weight=w)
        assert found == pytest.approx(np.average(utility, weights=w))


@pytest.mark.parametrize(
    ("metric", "half"),
    [(partial(set_score, kind="u65"), 0.65), (partial(set_score, kind="u80"), 0.8)],
)
def test_utility_of_two_classes(metric, half):
    assert metric([0], [[True, True]], labels=[0, 1]) == pytest.approx(half)
    assert metric([0], [[True, False]], labels=[0, 1]) == 1
    assert metric([0], [[False, True]], labels=[0, 1]) == 0


def test_sets_of_mass_functions():
    m = MassFunction(
        Frame(list("ab")), [1, 2, 3], [[0.6, 0.1, 0.3], [0.3, 0.2, 0.5], [0, 0.9, 0.1]]
    )
    sets = np.array([[1, 0], [1, 1], [0, 1]], dtype=bool)
    y = ["a", "b", "a"]
    assert set_score(y, m, "u65") == set_score(y, sets, "u65") == pytest.approx(1.65 / 3)


def test_bad_beliefs():
    with pytest.raises(ValueError, match=r"y_belief\[1\] is \[0.6, 0.5\], expected 0 <= Bel <= Pl"):
        metrics.coverage_test([0, 1], [[0.1, 0.2], [0.6, 0.5]])
    with pytest.raises(ValueError, match=r"y_belief\[0, 1\] is nan"):
        metrics.mean_imprecision([[0.1, np.nan]])
    with pytest.raises(ValueError, match=r"y_belief has shape \(2,\), expected a mass function"):
        metrics.interval_calibration_test([0, 1], [0.2, 0.3])
    with pytest.raises(ValueError, match="lengths differ: y_true has 1 row, y_belief has 2"):
        metrics.coverage_test([1], [[0.1, 0.2], [0.3, 0.5]])
    with pytest.raises(TypeError, match="y_set holds int64 values, expected bool"):
        set_score([0, 1], [[1, 0], [0, 1]], "u65")
    with pytest.raises(ValueError, match="there is no sample"):
        metrics.mean_imprecision(np.zeros((0, 2)))
    single = MassFunction(Frame(list("ab")), [3], [1.0])
    with pytest.raises(ValueError, match=r"batch shape \(\), expected \(n,\)"):
        metrics.mean_imprecision(single)
