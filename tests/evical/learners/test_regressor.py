"""Evidential regression: what it learns, what intervals cover, what far samples get."""

import pickle
from fractions import Fraction
from functools import cache
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression

from dstheory.inference import GRFN, product_intersection
from evical.learners import EvidentialRegressor
from evical.learners._regress_loss import Kind
from evical.learners._regressor import Stretch
from tests.naive import regression as naive
from tests.support.contract import check_contract
from tests.support.each import each

every_loss = each("kind", get_args(Kind))


def sine(n, rng):
    """The sample of the vignette of evreg: two regions, of which one is noisy."""
    left = rng.random(n) < 0.5
    x = np.where(left, rng.uniform(-3, -1, n), rng.uniform(1, 4, n))
    noise = np.sqrt(np.where(left, 0.01, 0.3)) * rng.normal(size=n)
    return x[:, np.newaxis], np.sin(3 * x) + x + noise


X, Y = sine(200, np.random.default_rng(0))
QUICK = {"rho": 1.0, "slope_penalty": 0.0, "max_iter": 50, "random_state": 0}


@cache
def fitted():
    """One regressor for all tests that only ask it."""
    return EvidentialRegressor(n_prototypes=15, rho=0.1, reach=0.2, random_state=0).fit(X, Y)


def test_scikit_learn_contract():
    check_contract(EvidentialRegressor(n_prototypes=2, slope_penalty=0.0, n_folds=2, max_iter=2))


# ---- what a fit says


def test_predictions_combine_the_evidence_of_prototypes():
    """By the product-intersection rule, from the public attributes."""
    reg = fitted()
    points = X[:5]
    squared = ((points[:, np.newaxis] - reg.prototypes_) / reg.feature_scale_) ** 2
    h = reg.h_ * np.exp(-(reg.gamma_**2) * squared.sum(axis=2))
    local = reg.values_ + ((points[:, np.newaxis] - reg.prototypes_) * reg.coef_).sum(axis=2)
    parts = [GRFN(local[:, k], reg.sigma2_[k], h[:, k]) for k in range(len(reg.h_))]
    joint = product_intersection(*parts, normalization="hard")
    found = reg.predict_grfn(points)
    np.testing.assert_allclose(found.mu, joint.mu, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.sigma2, joint.sigma2, rtol=1e-9)
    np.testing.assert_allclose(found.h, joint.h, rtol=1e-9)


def test_intervals_have_the_belief():
    grfn = fitted().predict_grfn(X[:3])
    low, high = fitted().predict_interval(X[:3], level=0.8).T
    np.testing.assert_allclose(grfn.bel(low, high), 0.8)
    np.testing.assert_allclose((low + high) / 2, fitted().predict(X[:3]))
    number = (float(grfn.mu[0]), float(np.sqrt(grfn.sigma2[0])), float(grfn.h[0]))
    half = high[0] - grfn.mu[0]
    assert naive.believed(number, half) == pytest.approx(0.8, abs=1e-6)


# ---- fits


@every_loss
def test_learns_a_curve(kind):
    new, target = sine(400, np.random.default_rng(1))
    reg = EvidentialRegressor(
        n_prototypes=15, loss=kind, rho=0.1, slope_penalty=0, random_state=0
    ).fit(X, Y)
    linear = LinearRegression().fit(X, Y)
    assert 1 - reg.score(new, target) < 0.6 * (1 - linear.score(new, target))


def test_noise_and_ignorance_are_where_they_belong():
    new = np.array([[-2.0], [3.0], [0.0], [8.0], [500.0]])
    quiet, noisy, gap, beyond, far = fitted().predict_grfn(new)
    assert quiet.sigma2 < noisy.sigma2 / 3
    assert quiet.h > 3 * gap.h
    assert noisy.h > 10 * beyond.h
    assert far.h == 0
    assert (far.bel(-1e9, 1e9), far.pl(5, 6)) == (0, 1)
    assert far.bel(-np.inf, np.inf) == 1
    assert fitted().predict_interval([[500.0]]).tolist() == [[-np.inf, np.inf]]
    assert np.isfinite(fitted().predict([[500.0]])).all()
    assert fitted().predict_grfn([[1e300]]).h == [0]


def test_penalties_are_chosen_by_held_out_errors():
    points, y = make_friedman1(120, n_features=5, noise=1.0, random_state=0)
    reg = EvidentialRegressor(n_prototypes=8, xi=None, n_folds=2, max_iter=25, random_state=0)
    reg.fit(points, y)
    candidates = [(0.0, 0.01, 0.1), (0.1, 1.0, 10.0), (0.0, 2.0)]
    assert reg.cv_errors_.shape == (3, 3, 2)
    places = np.unravel_index(reg.cv_errors_.argmin(), (3, 3, 2))
    chosen = [known[place] for known, place in zip(candidates, places, strict=True)]
    assert [reg.xi_, reg.rho_, reg.slope_penalty_] == chosen
    assert reg.cv_errors_.min() < 0.6
    options = dict(zip(("xi", "rho", "slope_penalty"), chosen, strict=True))
    fixed = EvidentialRegressor(n_prototypes=8, max_iter=25, random_state=0, **options).fit(
        points, y
    )
    assert fixed.cv_errors_ is None


def test_penalties_do_what_they_say():
    h = [
        EvidentialRegressor(n_prototypes=8, xi=xi, **QUICK).fit(X, Y).h_.mean()
        for xi in (0.01, 1.0)
    ]
    assert h[0] > 3 * h[1]
    options = {"slope_penalty": 0.0, "max_iter": 100, "random_state": 0}
    few, many = (
        (EvidentialRegressor(n_prototypes=8, rho=rho, **options).fit(X, Y).gamma_ ** 2).mean()
        for rho in (10.0, 0.1)
    )
    assert many > 2 * few
    points, y = make_friedman1(60, random_state=0)
    free, drawn = (
        (
            EvidentialRegressor(n_prototypes=4, **(QUICK | {"slope_penalty": each}))
            .fit(points, y)
            .coef_
            ** 2
        ).sum()
        for each in (0.0, 20.0)
    )
    assert drawn < 0.5 * free


def test_default_number_of_prototypes():
    points, y = make_friedman1(200, n_features=10, random_state=0)
    counts = [
        len(EvidentialRegressor(**QUICK).fit(points[:n, :p], y[:n]).h_)
        for n, p in ((100, 10), (200, 1), (20, 10), (9, 10))
    ]
    assert counts == [8, 30, 1, 1]
    weighted = EvidentialRegressor(**QUICK).fit(points[:50], y[:50], np.full(50, 2.0))
    assert len(weighted.h_) == 8


def test_reach_bounds_how_far_evidence_goes():
    """A line needs all the reach it may have."""
    points = np.linspace(-1, 1, 50)[:, np.newaxis]
    for reach in (0.5, 2.0):
        reg = EvidentialRegressor(
            n_prototypes=2, reach=reach, rho=10.0, slope_penalty=0, random_state=0
        )
        reg.fit(points, points[:, 0])
        apart = np.sqrt(((points - points.T) ** 2).mean()) / points.std()
        np.testing.assert_allclose(1 / reg.gamma_, reach * apart, rtol=1e-6)


@each("seed", range(3))
def test_precision_falls_beyond_the_samples(seed):
    points, y = sine(200, np.random.default_rng(seed))
    reg = EvidentialRegressor(
        n_prototypes=20, reach=0.1, **QUICK | {"rho": 0.0, "random_state": seed}
    )
    reg.fit(points, y)
    assert points.min() <= reg.prototypes_.min() <= reg.prototypes_.max() <= points.max()
    for side in (np.linspace(-3, -8, 50), np.linspace(4, 9, 50)):
        assert (np.diff(reg.predict_grfn(side[:, np.newaxis]).h) <= 0).all()


def test_more_starts_are_not_worse():
    one, five = (
        EvidentialRegressor(n_prototypes=8, n_init=n, **QUICK).fit(X, Y).loss_ for n in (1, 5)
    )
    assert five <= one


@each(("scale", "offset"), [(2.54, 7), (1e-3, 0), ([1.8, 1e4, 0.3], [32, -273.15, 9])])
def test_units_and_order_do_not_matter(scale, offset):
    """Of the features with `standardize` only, of the response always."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(60, 3)).round(1)
    y = np.sin(2 * points[:, 0]) + points[:, 1] * points[:, 2] + 0.3 * rng.normal(size=60)
    weight, order = rng.uniform(1, 2, 60), rng.permutation(60)
    options = QUICK | {"n_prototypes": 8, "max_iter": 200}
    one = EvidentialRegressor(**options).fit(points, y, weight)
    units = points * scale + offset
    other = clone(one).fit(units[order], 1e-3 * y[order] - 7, weight[order])
    found = 1e3 * (other.predict(units) + 7)
    np.testing.assert_allclose(found, one.predict(points), atol=1e-10)
    np.testing.assert_allclose(other.h_, 1e6 * one.h_, rtol=1e-9)


def test_scales_of_features():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(60, 2))
    y = np.sin(2 * points[:, 0])
    stretched = points * [1, 100]
    plain, apart = (
        EvidentialRegressor(n_prototypes=8, standardize=flag, **QUICK).fit(stretched, y)
        for flag in (True, False)
    )
    assert plain.feature_scale_[1] == pytest.approx(stretched[:, 1].std())
    assert apart.feature_scale_[0] == apart.feature_scale_[1]


def test_weights_count_samples():
    points, y = X[:80], Y[:80]
    weight = np.random.default_rng(6).integers(0, 3, len(y))
    options = {"n_prototypes": 4, "n_folds": 3, "max_iter": 10, "random_state": 0}
    one = EvidentialRegressor(**options).fit(points, y, weight)
    two = EvidentialRegressor(**options)
    two.fit(np.repeat(points, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.predict(X), two.predict(X))
    third, fourth = (
        EvidentialRegressor(slope_penalty=0, **options).fit(points, y, each)
        for each in (weight, weight / 3)
    )
    np.testing.assert_allclose(third.predict(X), fourth.predict(X), rtol=1e-3)


def test_chunks_change_nothing(monkeypatch):
    whole = fitted().predict_interval(X)
    monkeypatch.setattr("evical.learners._regressor.CHUNK", 100)
    np.testing.assert_allclose(fitted().predict_interval(X), whole, rtol=1e-12)


def test_few_and_equal_samples():
    few = EvidentialRegressor(n_prototypes=5, random_state=0).fit(
        [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    )
    assert len(few.h_) == 3
    same = EvidentialRegressor(random_state=0).fit(np.ones((9, 2)), np.arange(9.0))
    assert same.predict([[1, 1]]) == pytest.approx([4], abs=0.01)
    constant = EvidentialRegressor(n_prototypes=3, **QUICK).fit(X[:40], np.full(40, 5.0))
    assert constant.predict(X[:2]) == pytest.approx([5, 5], abs=0.01)


def test_frames_and_copies():
    frame = pd.DataFrame({"dose": X[:, 0]})
    reg = EvidentialRegressor(n_prototypes=5, **QUICK).fit(frame, Y)
    assert reg.feature_names_in_.tolist() == ["dose"]
    again = pickle.loads(pickle.dumps(reg))
    np.testing.assert_array_equal(again.predict_interval(frame), reg.predict_interval(frame))
    assert clone(reg).get_params() == reg.get_params()


# ---- what intervals cover


def coverage(interval, y):
    return ((interval[:, 0] <= y) & (y <= interval[:, 1])).mean()


def test_stretched_intervals_cover_what_they_promise():
    """Over 15 draws of a sample, by a model that overfits: split conformal prediction."""
    rng = np.random.default_rng(7)
    options = {"rho": 0.0, "xi": 0.0, "slope_penalty": 0.0, "max_iter": 20}
    raw, stretched = [], []
    for seed in range(15):
        points, y = rng.normal(size=(60, 3)), rng.normal(size=60)
        new, target = rng.normal(size=(50, 3)), rng.normal(size=50)
        reg = EvidentialRegressor(
            n_prototypes=8, calibration_fraction=0.5, random_state=seed, **options
        ).fit(points, y)
        stretched.append([coverage(reg.predict_interval(new, p), target) for p in (0.5, 0.9)])
        grfn = reg.predict_grfn(new)
        raw.append(coverage(np.column_stack(grfn.belief_interval(0.9)), target))
    mean, error = np.mean(stretched, axis=0), np.std(stretched, axis=0) / 15**0.5
    assert (mean > [0.5, 0.9] - 3 * error).all()
    assert (mean < np.array([0.5, 0.9]) + 1 / 31 + 3 * error).all()
    assert np.mean(raw) < 0.8


def test_stretched_intervals_are_nested_and_infinite_for_few():
    reg = EvidentialRegressor(n_prototypes=8, calibration_fraction=0.1, **QUICK).fit(X, Y)
    widths = [np.diff(reg.predict_interval(X[:5], level)).ravel() for level in (0.5, 0.9, 0.95)]
    assert (widths[0] < widths[1]).all()
    assert (widths[1] <= widths[2]).all()
    assert reg.predict_interval(X[:1], 0.96).tolist() == [[-np.inf, np.inf]]  # 20 samples
    assert reg.predict_interval([[1e6]]).tolist() == [[-np.inf, np.inf]]


def test_stretch_by_weights():
    number = GRFN(np.zeros(3), 1, 1)
    one = Stretch.of(number, np.array([1.0, 3.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    two = Stretch.of(number[[0, 0, 1, 2]], np.array([1.0, 1.0, 3.0, 2.0]), np.ones(4))
    for level in (0.1, 0.3, 0.4, 0.6, 0.79, 0.8, 0.81):
        assert one.factor(level) == two.factor(level)


def test_diabetes():
    points, y = load_diabetes(return_X_y=True)
    reg = EvidentialRegressor(n_folds=3, random_state=0).fit(points[:100], y[:100])
    linear = LinearRegression().fit(points[:100], y[:100])
    assert reg.score(points[300:], y[300:]) > linear.score(points[300:], y[300:]) - 0.05


# ---- wrong input


@each(
    ("options", "error", "message"),
    [
        ({"n_prototypes": 0}, ValueError, "n_prototypes is 0"),
        ({"loss": "believe"}, ValueError, "belief"),
        ({"pessimism": 1.5}, ValueError, "pessimism is 1.5"),
        ({"epsilon": 0}, ValueError, "epsilon is 0"),
        ({"xi": -1}, ValueError, "xi is -1"),
        ({"xi": 1e7}, ValueError, "xi is 10000000.0, expected at most 1e\\+06"),
        ({"tol": 2.0}, ValueError, "tol is 2.0"),
        ({"rho": "auto"}, TypeError, "rho"),
        ({"n_folds": 1}, ValueError, "n_folds is 1"),
        ({"reach": 0}, ValueError, "reach is 0"),
        ({"standardize": 1}, TypeError, "standardize"),
        ({"calibration_fraction": 1.0}, ValueError, "calibration_fraction is 1.0"),
        ({"calibration_fraction": 0.001}, ValueError, "holds out 0 of 200 samples"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"epsilon": 1e-300}, ValueError, "epsilon is 1e-300, expected at least 1e-50"),
        ({"reach": 5e-324}, ValueError, "reach is 5e-324, expected at least 1e-50"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        EvidentialRegressor(**options).fit(X, Y)


def test_wrong_samples():
    reg = EvidentialRegressor(**QUICK)
    with pytest.raises(ValueError, match="only 1 sample"):
        reg.fit([[1.0]], [1.0])
    with pytest.raises(ValueError, match="X and y are not samples with responses"):
        reg.fit(X, Y[1:])
    with pytest.raises(ValueError, match="sample_weight is zero for all"):
        reg.fit(X, Y, np.zeros(len(Y)))
    with pytest.raises(ValueError, match="another unit"):
        reg.fit(X, 1e200 * Y)
    with pytest.raises(ValueError, match="level is 90"):
        fitted().predict_interval(X, level=90)
    for points, y, name in ((X, np.sign(Y), "y"), (np.sign(X), Y, "X")):
        units = {"X": points, "y": y}
        units[name] = units[name] * 1.7e308
        with pytest.raises(ValueError, match=f"{name} has values up to 1.7e\\+308, whose diff"):
            reg.fit(**units)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble, Fraction])
def test_numbers_of_any_kind(kind):
    options = {"pessimism": 0.5, "epsilon": 0.125, "xi": 0.25, "rho": 0.5, "reach": 2, "tol": 0.125}
    options |= {"calibration_fraction": 0.25, "slope_penalty": 0.5}
    given = {name: kind(value) for name, value in options.items()}
    one, other = (
        EvidentialRegressor(n_prototypes=4, random_state=0, **each).fit(X, Y)
        for each in (options, given)
    )
    np.testing.assert_array_equal(
        one.predict_interval(X, 0.5), other.predict_interval(X, kind(0.5))
    )


@each("fraction", [None, 0.3])
@each("value", [0.0, 3e15, 1e300])
def test_constants_of_any_size(value, fraction):
    """Their mean differs from them by rounding."""
    reg = EvidentialRegressor(n_prototypes=4, calibration_fraction=fraction, **QUICK)
    points, y = X[:40], Y[:40]
    constant = reg.fit(points, np.full(40, value))
    assert constant.predict(points[:2]) == pytest.approx([value, value], abs=0.01)
    assert not np.isnan(constant.predict_interval(points)).any()
    plain = reg.fit(points, y).predict(points)
    beside = np.column_stack([points, np.full(40, value)])
    np.testing.assert_allclose(reg.fit(beside, y).predict(beside), plain, atol=0.05)


def test_tiny_units_and_equal_samples_held_out():
    tiny = EvidentialRegressor(n_prototypes=4, **QUICK).fit(X * 1e-320, Y)
    assert np.isfinite(tiny.predict(X * 1e-320)).all()
    same = EvidentialRegressor(n_prototypes=4, calibration_fraction=0.5, **QUICK).fit(
        np.ones((2, 1)), [1, 1]
    )
    assert same.predict_interval([[1], [1e200]], 0.5).tolist() == [[1, 1], [-np.inf, np.inf]]
    with np.errstate(all="raise"):
        fitted().predict([[1.7e308]])
