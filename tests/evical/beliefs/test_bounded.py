"""Beliefs from normal log-odds: mass functions with the promised Bel, Pl and betp."""

import numpy as np
import pytest
from scipy.stats import gamma

from dstheory.errors import CostLimitError
from dstheory.transform import betp
from evical.beliefs.bounded import Bounded, half_widths, normal_bounds, quantile_over_mean
from tests.support.each import each


def sample(k, n=200, seed=0, spread=3.0, even=0.3):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, even), size=n)
    p = (p + 1e-12) / (p + 1e-12).sum(axis=1, keepdims=True)
    return p, np.log(p) - np.log1p(-p), rng.exponential(spread, size=p.shape)


@each("k", [2, 3, 5, 12, 26, 70])
@each("model", ["likelihood", "confidence", "bayesian"])
def test_mass_function(k, model):
    p, odds, error = sample(k)
    names = np.array([f"c{i:02d}" for i in range(k)])
    beliefs = Bounded.normal(names, p, error, model, 0.9, lambda: odds)
    m = beliefs.mass()
    assert m.is_normalized.all()
    interval = beliefs.interval()
    np.testing.assert_allclose(interval[:, :, 1], m.contour(), atol=1e-12)
    np.testing.assert_allclose(interval[:, 0, 0], m.bel("c00"), atol=1e-12)
    np.testing.assert_allclose(beliefs.betp(), betp(m), atol=1e-12)


@each("level", [0.01, 0.5, 0.8, 0.95, 0.999, 1 - 1e-9])
def test_no_gamma_distribution_reaches_further_than_the_ratio(level):
    shapes = np.geomspace(1e-12, 1e3, 600)
    ratios = gamma.ppf((1 + level) / 2, shapes) / shapes
    most = quantile_over_mean(level)
    assert most >= 1
    assert ratios.max() <= most * (1 + 1e-6)
    np.testing.assert_allclose(ratios.max(), most, rtol=1e-3 if level > 0.3 else 0.05)


def test_a_level_that_rounds_to_one_leaves_everything_open():
    p, odds = np.array([0.0, 0.3, 1.0]), np.array([-800.0, -1.0, 800.0])
    lower, upper = normal_bounds(odds, np.ones(3), np.nextafter(1, 0), p)
    assert (lower <= p).all()
    assert (p <= upper).all()
    assert (lower[1], upper[1]) == (0, 1)


def test_intervals_of_rare_classes_do_not_reach_to_one():
    p, _, error = sample(4)
    beliefs = Bounded.normal(np.arange(4), p, 100 * error, "bayesian", 0.9, posterior=True)
    lower, upper = np.moveaxis(beliefs.confidence_interval(0.95), 2, 0)
    assert (lower <= p).all()
    assert (p <= upper).all()
    assert (upper <= quantile_over_mean(0.95) * p * (1 + 1e-12)).all()
    assert (1 - lower <= quantile_over_mean(0.95) * (1 - p) + 1e-12).all()


def test_too_many_sets_are_refused():
    n, k = 70_000, 17
    sets = (np.arange(1 << k)[:, np.newaxis] >> np.arange(k)) & 1
    upper = sets[sets.sum(axis=1) > 1][:n]
    beliefs = Bounded(np.arange(k), n, lambda: (np.zeros((n, k)), upper))
    with pytest.raises(CostLimitError, match=r"17 classes have 70000 different sets, .* 2\^16"):
        beliefs.mass()


@each("k", [2, 3, 7, 40])
@each("spread", [1e-9, 0.3, 30.0])
def test_pignistic_probabilities_are_those_given(k, spread):
    p, odds, error = sample(k, seed=k, spread=spread)
    beliefs = Bounded.normal(np.arange(k), p, error, "likelihood", 0.9, lambda: odds)
    m = beliefs.mass()
    np.testing.assert_allclose(betp(m), p, atol=1e-9)
    np.testing.assert_array_equal(beliefs.betp(), p)
    listed = m.focal[(m.masses > 1e-9).any(axis=0)]
    assert {int(mask).bit_count() for mask in listed} <= {1, 2}


def test_intervals_are_those_of_each_class_where_they_can_be():
    p, odds, error = sample(4, spread=0.1, even=2.0)
    half = half_widths(p, odds, error)
    fair = 2 * half.max(axis=1) <= half.sum(axis=1)
    assert 50 < fair.sum() < 200
    found = Bounded.normal(
        np.arange(p.shape[1]), p, error, "likelihood", 0.9, lambda: odds
    ).interval()
    expected = np.stack([p - half, p + half], axis=2)
    np.testing.assert_allclose(found[fair], expected[fair], atol=1e-9)
    # Elsewhere the others are wider, the widest as wide.
    assert (found[:, :, 0] <= expected[:, :, 0] + 1e-9).all()
    assert (found[:, :, 1] >= expected[:, :, 1] - 1e-9).all()


def test_confidence_is_the_mass_of_the_intervals():
    p, odds, error = sample(3, spread=0.2, even=2.0)
    found = Bounded.normal(
        np.arange(p.shape[1]), p, error, "confidence", 0.9, lambda: odds
    ).interval()
    lower, upper = normal_bounds(odds, error, 0.9)
    room = 1 - np.minimum(lower, p).sum(axis=1, keepdims=True)
    wide = ((lower + upper).sum(axis=1) >= 2) & (upper - lower <= room).all(axis=1)
    assert wide.sum() > 20
    np.testing.assert_allclose(found[:, :, 0], 0.9 * np.minimum(lower, p), atol=1e-9)
    np.testing.assert_allclose(found[wide, :, 1], 0.1 + 0.9 * upper[wide], atol=1e-9)


def test_a_thousand_classes():
    p, odds, error = sample(1000, n=3)
    beliefs = Bounded.normal(np.arange(p.shape[1]), p, error, "likelihood", 0.9, lambda: odds)
    assert beliefs.interval().shape == (3, 1000, 2)
    m = beliefs.singletons()
    np.testing.assert_allclose(m.bel(999), beliefs.interval()[:, 999, 0], atol=1e-12)
    np.testing.assert_allclose(m.masses.sum(axis=1), 1, atol=1e-12)


@each("model", ["likelihood", "confidence"])
def test_blocks_of_rows_are_the_whole(model, monkeypatch):
    p, odds, error = sample(5, n=23)
    whole, parts = (
        Bounded.normal(np.arange(5), p, error, model, 0.9, lambda: odds) for _ in range(2)
    )
    acts = np.random.default_rng(0).normal(size=(3, 5))
    expected = whole.mass(), whole.betp(), whole.lower(acts)
    monkeypatch.setattr("evical.beliefs.bounded._BLOCK", 4 * 25)
    assert parts.mass().equals(expected[0], 1e-15)
    np.testing.assert_allclose(parts.betp(), expected[1], atol=1e-15)
    np.testing.assert_allclose(parts.lower(acts), expected[2], atol=1e-15)
