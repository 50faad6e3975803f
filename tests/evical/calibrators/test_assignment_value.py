"""Assignment values: Beta moments, the search by definition, and parts without a distribution."""

import numpy as np
import pytest
from mpmath import mp
from scipy.special import expit
from scipy.stats import beta

from evical.calibrators import AssignmentValueCalibrator
from evical.curves.assignment_value import (
    Branch,
    _log_quantiles,
    accuracy,
    dispersions,
)
from tests.naive import gebel as naive

RNG = np.random.default_rng(0)
SCORES = expit(1.5 * RNG.normal(size=60))
Y = (RNG.random(60) < np.clip(1.4 * SCORES - 0.3, 0, 1)).astype(int)


def part(k):
    """Assignment values of the samples assigned to class k, and whether they belong to it."""
    mask = (SCORES > 0.5) == bool(k)
    return (SCORES if k else 1 - SCORES)[mask], Y[mask] == k


def calibrated(values, mean, size, new_mean, new_size):
    """Eq. 4.11 by scipy's distributions."""
    old = beta(mean * size, (1 - mean) * size)
    return beta(new_mean * new_size, (1 - new_mean) * new_size).ppf(old.cdf(values))


@pytest.mark.parametrize("k", [0, 1])
def test_branches_are_the_definition(k):
    c = AssignmentValueCalibrator().fit(SCORES, Y)
    values, right = part(k)
    mean, size = naive.assignment_moments(values.tolist())
    assert 0 < right.mean() < 1
    np.testing.assert_allclose(c.branches_[k, :3], [mean, size, right.mean()], rtol=1e-10)
    low, high = sorted([len(values), size])
    merits = {}
    for new in range(int(np.ceil(low)), int(high) + 1):
        p = calibrated(values, mean, size, right.mean(), new)
        rows = [(q, 1 - q) for q in p]
        ac = naive.accuracy(rows, [0 if ok else 1 for ok in right])
        merits[new] = np.sum((p > 0.5) == right) + ac
    assert c.branches_[k, 3] == max(merits, key=merits.get)


@pytest.mark.parametrize("k", [0, 1])
def test_predictions_are_the_definition(k):
    c = AssignmentValueCalibrator().fit(SCORES, Y)
    values, _ = part(k)
    wanted = calibrated(values, *c.branches_[k])
    got = c.predict_proba(values if k else 1 - values)[:, k]
    np.testing.assert_allclose(got, wanted, atol=1e-9)


def test_each_branch_ascends():
    p = AssignmentValueCalibrator().fit(SCORES, Y).predict_proba(np.linspace(0, 1, 1001))[:, 1]
    assert (np.diff(p[:501]) >= 0).all()
    assert (np.diff(p[501:]) >= 0).all()


def test_one_half_belongs_to_the_negative_branch():
    c = AssignmentValueCalibrator().fit(SCORES, Y)
    half, below, above = c.predict_proba([0.5, 0.5 - 1e-12, 0.5 + 1e-12])[:, 1]
    assert half == pytest.approx(below, abs=1e-9)
    assert abs(above - half) > 1e-3


def test_mean_of_a_part_becomes_its_share_of_right_assignments():
    """What the method is for: in each part, confidence is correctness, nearly."""
    rng = np.random.default_rng(3)
    s = rng.beta(4, 2, size=4000)
    y = rng.random(4000) < np.clip(s - 0.1, 0, 1)
    p = AssignmentValueCalibrator().fit(s, y).predict_proba(s)[:, 1]
    for mask in (s > 0.5, s <= 0.5):
        assert p[mask].mean() == pytest.approx(y[mask].mean(), abs=0.03)


@pytest.mark.parametrize("right", [True, False])
def test_parts_that_are_all_right_or_all_wrong_are_smoothed(right):
    y = [0, 1, 1, 1] if right else [1, 0, 0, 0]
    c = AssignmentValueCalibrator().fit([0.2, 0.6, 0.7, 0.9], y)
    assert c.branches_[1, 2] == pytest.approx(4 / 5 if right else 1 / 5)


@pytest.mark.parametrize("scores", [[0.8], [0.8, 0.8, 0.8]])
def test_parts_without_variance_are_constant(scores):
    y = [0, *[1] * len(scores)]
    c = AssignmentValueCalibrator().fit([0.3, *scores], y)
    share = (len(scores) + 1) / (len(scores) + 2)
    np.testing.assert_allclose(c.predict_proba([0.51, 0.8, 1.0])[:, 1], share)


def test_a_part_without_members_is_left_as_it_is():
    c = AssignmentValueCalibrator().fit([0.6, 0.7, 0.9], [0, 1, 1])
    np.testing.assert_allclose(c.predict_proba([0.1, 0.3, 0.5])[:, 1], [0.1, 0.3, 0.5], atol=1e-12)


def test_nothing_is_certain():
    p = AssignmentValueCalibrator().fit(SCORES, Y).predict_mass([0.0, 1.0]).masses
    assert (p[:, :2] > 0).all()


def test_margins_are_refused_unless_they_are_transformed():
    with pytest.raises(ValueError, match=r"score 2 is outside \[0, 1\]"):
        AssignmentValueCalibrator(transform=None).fit([0.5, 2.0], [0, 1])
    assert AssignmentValueCalibrator().fit([0.5, 2.0], [0, 1])._scale.kind == "standard"


def test_dispersions_are_the_integers_between_or_enough_of_them():
    assert dispersions(7, 2.5).tolist() == [3, 4, 5, 6, 7]
    assert dispersions(0.2, 0.7).tolist() == [1]
    many = dispersions(10, 1e9)
    assert len(many) <= 128
    assert (many[0], many[-1]) == (10, 10**9)


def test_accuracy_is_the_definition():
    p, right = np.array([0.9, 0.6, 0.7]), np.array([1.0, 0.0, 1.0])
    rows = [(q, 1 - q) for q in p]
    wanted = naive.accuracy(rows, [0, 1, 0])
    assert accuracy(p, right, 1 - right) == pytest.approx(wanted)


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_dispersion_is_sought_among_many_as_among_few(share):
    """Accuracies between which is interpolated: no other dispersion has a greater merit."""
    rng = np.random.default_rng(5)
    s = expit(1.5 * rng.normal(size=400))
    y = rng.random(400) < np.clip(s - share * (2 * s - 1), 0, 1)
    c = AssignmentValueCalibrator().fit(s, y)
    for k, mask in enumerate((s <= 0.5, s > 0.5)):
        values, right = (s if k else 1 - s)[mask], y[mask] == bool(k)
        mean, size, new_mean, best = c.branches_[k]

        def merit(new, values=values, right=right, old=(mean, size, new_mean)):
            p = calibrated(values, *old, new)
            return np.sum((p > 0.5) == right) + accuracy(p, right * 1.0, ~right * 1.0)

        sizes = dispersions(float(len(values)), size)
        assert len(sizes) > 32
        assert merit(best) >= max(merit(new) for new in sizes[::3]) - 1e-9


def test_quantiles_where_the_inverse_of_scipy_is_nan():
    """By mpmath: the distribution function of the quantile is the level that was asked for."""
    a, b, level = 1.0433372689359603, 0.12473130733061538, 4.9090357116544954e-17
    (found,) = _log_quantiles(a, b, np.array([level]))
    with mp.workdps(30):
        assert float(mp.betainc(a, b, 0, mp.exp(found), regularized=True)) == pytest.approx(level)


def test_a_score_far_from_all_others_has_a_probability():
    """The part of 44 samples of a support vector machine, all right, in a narrow range."""
    branch = Branch(0.5309171553390777, 11622.725816999542, 0.9782608695652174, 1759.0)
    found = branch.log_odds(np.linspace(0.7, 0.95, 500))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0).all()
