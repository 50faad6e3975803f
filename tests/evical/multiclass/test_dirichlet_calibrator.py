"""Gebel's Dirichlet calibration against scipy.stats and plain loops."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, softmax

from evical.multiclass import DirichletCalibrator, code_matrix
from evical.multiclass._base import merged, thinned
from evical.multiclass._dirichlet_calibrator import (
    best_factor,
    beta_moments,
    dirichlet_probabilities,
    performance,
    proportions,
)
from tests.protocols.multiclass_table import K, simulated
from tests.support.each import each


def test_probabilities_are_those_of_scipys_distributions():
    rng = np.random.default_rng(0)
    r, h = rng.uniform(0.05, 0.95, (20, K)), np.array([0.5, 2.0, 7.0])
    shape = rng.uniform(0.5, 5, (2, K))
    chi2 = stats.chi2.ppf(stats.beta.cdf(r, *shape), 2 * h)
    wanted = chi2 / chi2.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(dirichlet_probabilities(r, shape, h), wanted, rtol=1e-9)


def test_few_degrees_of_freedom_do_not_underflow():
    shape, h = np.array([[30.0, 30.0], [1.0, 1.0]]), np.array([1e-3, 1e-3])
    r = np.array([[1e-12, 1e-12], [1e-12, 2e-12], [1e-12, 0.5]])
    found = dirichlet_probabilities(r, shape, h)
    np.testing.assert_allclose(found[0], 0.5)
    np.testing.assert_allclose(found[1:, 1], 1)
    assert np.isfinite(found).all()


def test_means_of_a_beta_sample_are_the_shares_of_the_classes():
    """Gebel, eq. 5.8: h_k / sum(h) is the mean of each element, if columns are independent."""
    rng = np.random.default_rng(0)
    r = rng.beta([2.0, 1.0, 4.0], [1.0, 1.0, 2.0], (20_000, K))
    h = np.array([1.0, 2.0, 3.0])
    found = dirichlet_probabilities(r, beta_moments(r, np.ones(len(r))), h)
    np.testing.assert_allclose(found.mean(axis=0), h / 6, atol=5e-3)


@each("combine", ["product", "geometric", "trimmed"])
@each("kind", ["one_vs_rest", "all_pairs", "complete"])
def test_proportions_from_their_definition(combine, kind):
    code = code_matrix(kind, 4)
    r = np.random.default_rng(0).uniform(0.1, 0.9, (5, code.shape[1]))
    found = proportions(r, code, combine, 0.3)
    for i, k in np.ndindex(5, 4):
        used = [b for b in range(code.shape[1]) if code[k, b]]
        factors = sorted(r[i, b] if code[k, b] == 1 else 1 - r[i, b] for b in used)
        cut = int(0.3 * len(factors)) if combine == "trimmed" else 0
        kept = factors[cut : len(factors) - cut]
        wanted = np.prod(kept) ** (1 if combine == "product" else 1 / len(kept))
        np.testing.assert_allclose(found[i, k], wanted)


def test_performance_from_its_definition():
    rng = np.random.default_rng(0)
    p, y = softmax(rng.normal(size=(50, K)), axis=1), rng.integers(0, K, 50)
    truth, assigned = np.eye(K)[y], p.argmax(axis=1)
    correct = np.mean(assigned == y)
    rmse = np.mean([np.sqrt(np.mean((t - q) ** 2)) for t, q in zip(truth, p, strict=True)])
    gaps = [
        abs(p[assigned == k, j].mean() - (y[assigned == k] == j).mean())
        for k in range(K)
        for j in range(K)
    ]
    wanted = (correct * (1 - rmse) * (1 - np.mean(gaps))) ** (1 / 3)
    np.testing.assert_allclose(performance(p, y, np.ones(50)), wanted)


def test_moments_divide_by_n_less_1_as_numpy_does():
    r = np.random.default_rng(0).uniform(0.05, 0.95, (9, K))
    a, b = beta_moments(r, np.ones(9))
    mean, variance = r.mean(axis=0), r.var(axis=0, ddof=1)
    np.testing.assert_allclose(a / (a + b), mean)
    np.testing.assert_allclose(a * b / (a + b) ** 2 / (a + b + 1), variance)
    twice = np.r_[np.full(4, 2.0), np.ones(5)]
    np.testing.assert_allclose(
        beta_moments(r, twice), beta_moments(np.r_[r, r[:4]], np.ones(13)), rtol=1e-12
    )
    for alone in (r[:1], r[[0, 0, 0]]):  # nothing to spread
        a, b = beta_moments(alone, np.ones(len(alone)))
        np.testing.assert_allclose(a / (a + b), r[0])
        assert (a + b > 1e9).all()


@pytest.mark.filterwarnings("ignore:the weights of")  # on purpose
def test_weights_that_add_up_to_one_tell_classes_apart():
    margins, y = simulated(60)
    r = softmax(margins, axis=1)
    counts, shares = (
        DirichletCalibrator(factor=1).fit(r, y, np.full(60, weight)) for weight in (1, 1 / 60)
    )
    right = [np.mean(one.predict(r) == y) for one in (counts, shares)]
    assert right[1] > right[0] - 0.05 > 0.6


def test_a_factor_at_its_bound_is_told_and_one_below_it_found():
    margins, y = simulated(60)
    r = softmax(4 * margins, axis=1)
    with pytest.warns(UserWarning, match="factor 1 at the lower bound of its search; give small"):
        bound = DirichletCalibrator().fit(r, y)
    free = DirichletCalibrator(smallest_factor=0.001).fit(r, y)
    assert 0.001 < free.factor_ < 1 == bound.factor_
    found = [performance(one.predict_proba(r), y, np.ones(60)) for one in (free, bound)]
    assert found[0] > found[1]
    chosen = DirichletCalibrator(smallest_factor=1).fit(r, y)  # without a warning
    np.testing.assert_array_equal(chosen.predict_proba(r), bound.predict_proba(r))
    again = DirichletCalibrator.from_dict(free.to_dict())
    np.testing.assert_array_equal(again.predict_proba(r), free.predict_proba(r))
    with pytest.raises(ValueError, match="smallest_factor is 2, expected at most 1"):
        DirichletCalibrator(smallest_factor=2).fit(r, y)


@pytest.mark.parametrize("n", [20, 100])
def test_the_factor_is_the_best_or_nearly(n):
    margins, y = simulated(n)
    r = np.clip(softmax(margins, axis=1), 1e-12, 1)
    shape, share = beta_moments(r, np.ones(n)), np.bincount(y) / n
    found = best_factor(r, shape, y, np.ones(n), share, 1.0, 2 * n)
    scores = [
        performance(dirichlet_probabilities(r, shape, m * share), y, np.ones(n))
        for m in range(1, 2 * n + 1)
    ]
    assert scores[int(found) - 1] >= max(scores) - (0 if n == 20 else 1e-3)


def test_a_code_matrix_is_the_code_of_its_name():
    margins, y = simulated(60)
    named = DirichletCalibrator(code="one_vs_rest", smallest_factor=1).fit(expit(margins), y)
    code = code_matrix("one_vs_rest", K)
    given = DirichletCalibrator(code=code, smallest_factor=1).fit(expit(margins), y)
    np.testing.assert_array_equal(
        named.predict_proba(expit(margins)), given.predict_proba(expit(margins))
    )
    np.testing.assert_allclose(named.h_, named.factor_ * np.bincount(y) / 60)


def test_single_degrees_are_those_of_the_text_below_eq_5_9():
    """Chi-square variables with h_k degrees of freedom, by scipy.stats."""
    margins, y = simulated(60)
    r = expit(margins)
    single = DirichletCalibrator(
        code="one_vs_rest", combine="geometric", factor=7, degrees="single"
    ).fit(r, y)
    np.testing.assert_allclose(single.h_, 7 * np.bincount(y) / 60)
    made = proportions(r, code_matrix("one_vs_rest", K), "geometric", 0.0)
    chi2 = stats.chi2.ppf(stats.beta.cdf(made, *single.shape_), single.h_)
    found = single.predict_proba(r)
    np.testing.assert_allclose(found, chi2 / chi2.sum(axis=1, keepdims=True), rtol=1e-7)
    double = DirichletCalibrator(code="one_vs_rest", combine="geometric", factor=7).fit(r, y)
    assert found.max(axis=1).mean() > double.predict_proba(r).max(axis=1).mean()
    chosen = DirichletCalibrator(code="one_vs_rest", combine="geometric", degrees="single").fit(
        r, y
    )
    scores = [
        performance(
            DirichletCalibrator(code="one_vs_rest", combine="geometric", factor=m, degrees="single")
            .fit(r, y)
            .predict_proba(r),
            y,
            np.ones(60),
        )
        for m in (1, chosen.factor_, 120)
    ]
    assert scores[1] == max(scores)
    with pytest.raises(ValueError, match="degrees is 'half'"):
        DirichletCalibrator(degrees="half").fit(r, y)


def test_thinning_keeps_the_weight_and_merging_the_sums():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0, 2, 1000)
    places, taken = thinned(weight, 50)
    assert len(places) <= 50
    np.testing.assert_allclose(taken.sum(), weight.sum())
    np.testing.assert_allclose((places * taken).sum() / taken.sum(), 500, atol=25)
    rows = rng.integers(0, 3, (200, 2)).astype(float)
    codes = rng.integers(0, 2, 200)
    table, kinds, total = merged(rows, codes, weight[:200])
    assert len(table) == 18
    np.testing.assert_allclose(total @ table, weight[:200] @ rows)
    np.testing.assert_allclose(np.bincount(kinds, total), np.bincount(codes, weight[:200]))
