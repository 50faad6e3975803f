"""Binning: which bin a score takes, and what a bin says."""

from collections import Counter
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.calibrators import BinningCalibrator
from evical.calibrators.models import BinomialModel
from tests.naive import inference as naive
from tests.support.each import each

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(0, 1)), min_size=2, max_size=30
).filter(lambda pairs: len({label for _, label in pairs}) == 2)
EXACT = {"bayesian": naive.bayesian, "laplace": naive.laplace, "dempster": naive.dempster}
EXACT["likelihood"] = naive.likelihood


def columns(pairs):
    scores, y = zip(*pairs, strict=True)
    return np.array(scores, dtype=float), np.array(y)


@pytest.mark.parametrize("model", EXACT)
@given(pairs=samples, n_bins=st.integers(1, 6))
def test_uniform_bins_count_as_defined(model, pairs, n_bins):
    scores, y = columns(pairs)
    calibrator = BinningCalibrator(n_bins=n_bins, model=model).fit(scores, y)
    low, high = Fraction(scores.min()), Fraction(scores.max())
    if low == high:
        n_bins = 1
    # Edges as the calibrator has them, since a rounded edge may divide two equal thirds.
    edges = [Fraction(edge) for edge in calibrator.edges_]
    assert len(edges) == n_bins + 1
    for i, edge in enumerate(edges):
        assert abs(edge - (low + (high - low) * Fraction(i, n_bins))) < Fraction(1, 10**12)

    def bin_of(score):
        return min(sum(Fraction(score) >= edge for edge in edges[1:]), n_bins - 1)

    n = Counter(bin_of(score) for score in scores)
    k = Counter(bin_of(score) for score, label in zip(scores, y, strict=True) if label)
    assert calibrator.total_.tolist() == [n[j] for j in range(n_bins)]
    assert calibrator.positive_.tolist() == [k[j] for j in range(n_bins)]
    for score, (negative, positive, _) in zip(
        scores, calibrator.predict_mass(scores).masses, strict=True
    ):
        wanted = EXACT[model](k[bin_of(score)], n[bin_of(score)])
        assert (positive, negative) == pytest.approx(tuple(map(float, wanted)), abs=1e-13)


@given(pairs=samples, n_bins=st.integers(1, 6))
def test_quantile_bins_keep_ties_together_and_are_even(pairs, n_bins):
    scores, y = columns(pairs)
    calibrator = BinningCalibrator(n_bins=n_bins, strategy="quantile").fit(scores, y)
    assert calibrator.total_.sum() == len(scores)
    assert 1 <= len(calibrator.total_) <= n_bins
    assert (calibrator.total_ > 0).all()
    inner = calibrator.edges_[1:-1]
    assert not set(inner) & set(scores)  # midway between scores
    # No bin is larger than an even share by more than the ties at its two ends.
    most_tied = max(Counter(scores).values())
    assert calibrator.total_.max() <= len(scores) / n_bins + 2 * most_tied


def test_quantile_bins_without_ties_are_equal():
    calibrator = BinningCalibrator(n_bins=4, strategy="quantile").fit(np.arange(12.0), [0, 1] * 6)
    assert calibrator.edges_.tolist() == [0, 2.5, 5.5, 8.5, 11]
    assert calibrator.total_.tolist() == [3, 3, 3, 3]


def test_quantile_bins_have_even_weight():
    calibrator = BinningCalibrator(n_bins=2, strategy="quantile")
    calibrator.fit([1, 2, 3, 4], [0, 1, 0, 1], sample_weight=[1, 1, 1, 3])
    assert calibrator.total_.tolist() == [3, 3]


def test_quantile_bins_of_neighboring_floats():
    scores = np.array([1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2)])
    calibrator = BinningCalibrator(n_bins=3, strategy="quantile").fit(scores, [0, 1, 1])
    assert calibrator.total_.tolist() == [1, 1, 1]


def test_given_edges():
    calibrator = BinningCalibrator(n_bins=[0, 0.5, 1], model="bayesian")
    calibrator.fit([0.1, 0.2, 0.5, 0.6, -3, 7], [0, 1, 1, 1, 0, 0])
    np.testing.assert_array_equal(calibrator.edges_, [0, 0.5, 1])
    # An edge belongs to the bin above it; scores outside take the end bins.
    assert calibrator.total_.tolist() == [3, 3]
    assert calibrator.positive_.tolist() == [1, 2]
    proba = calibrator.predict_proba([-1e9, 0.49, 0.5, 1, 1e9])[:, 1]
    np.testing.assert_allclose(proba, [1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3])


@each("model", get_args(BinomialModel))
def test_an_empty_bin_is_vacuous(model):
    calibrator = BinningCalibrator(n_bins=[0, 1, 2, 3], model=model).fit([0.5, 2.5], [0, 1])
    interval = calibrator.predict_interval([1.5])[0].tolist()
    assert interval == ([0.5, 0.5] if model in ("laplace", "bayesian") else [0, 1])
    assert calibrator.predict([1.5]).tolist() == [0]


def test_scores_whose_range_is_no_float():
    calibrator = BinningCalibrator(n_bins=2).fit([-1.5e308, -1, 1, 1.5e308], [0, 1, 0, 1])
    assert calibrator.edges_.tolist() == [-1.5e308, 0, 1.5e308]
    assert calibrator.total_.tolist() == [2, 2]


def test_constant_scores_are_one_bin():
    for strategy in ("uniform", "quantile"):
        calibrator = BinningCalibrator(n_bins=5, strategy=strategy, model="dempster")
        calibrator.fit([2.0] * 4, [0, 1, 1, 1])
        assert calibrator.edges_.tolist() == [2, 2]
        np.testing.assert_allclose(calibrator.predict_interval([-5, 2, 9]), [[0.6, 0.8]] * 3)


@pytest.mark.parametrize("model", ["likelihood", "confidence", "dempster"])
@given(pairs=samples)
def test_belief_narrows_with_repetition(model, pairs):
    """More of the same evidence leaves less open (a bin of k of n against 2k of 2n)."""
    scores, y = columns(pairs)
    once = BinningCalibrator(n_bins=2, model=model).fit(scores, y)
    twice = BinningCalibrator(n_bins=2, model=model).fit(np.tile(scores, 2), np.tile(y, 2))
    width = np.diff(once.predict_interval(scores)) - np.diff(twice.predict_interval(scores))
    assert (width >= -1e-12).all()


@pytest.mark.parametrize("model", ["likelihood", "confidence", "dempster", "inverse_pignistic"])
@given(pairs=samples, n_bins=st.integers(1, 5))
def test_the_share_of_positives_lies_in_the_interval(model, pairs, n_bins):
    """Bel <= k / n <= Pl."""
    scores, y = columns(pairs)
    calibrator = BinningCalibrator(n_bins=n_bins, model=model).fit(scores, y)
    share = (
        BinningCalibrator(n_bins=n_bins, model="bayesian")
        .fit(scores, y)
        .predict_proba(scores)[:, 1]
    )
    low, high = calibrator.predict_interval(scores).T
    assert (low <= share + 1e-12).all()
    assert (share <= high + 1e-12).all()


@each(
    ("options", "message"),
    [
        ({"n_bins": 0}, "n_bins is 0, expected at least 1"),
        ({"n_bins": 2**25}, "n_bins is 33554432, expected at most 16777216"),
        ({"n_bins": [0.5]}, "at least two finite numbers"),
        ({"n_bins": [0, np.nan, 1]}, "at least two finite numbers"),
        ({"n_bins": [0, np.inf]}, "at least two finite numbers"),
        ({"n_bins": [[0, 1]]}, "at least two finite numbers"),
        ({"n_bins": [0, 1, 1]}, r"must be ascending, but they are \[0\.0, 1\.0, 1\.0\]"),
        ({"strategy": "kmeans"}, "strategy is 'kmeans', expected one of 'uniform', 'quantile'"),
        ({"model": "best"}, "model is 'best', expected one of 'likelihood'"),
        ({"confidence": 1.0}, r"confidence is 1\.0, expected a level inside"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        BinningCalibrator(**options).fit([0.0, 1.0], [0, 1])
    with pytest.raises(ValueError, match=message):
        BinningCalibrator(**options).partial_fit([0.0, 1.0], [0, 1])


@pytest.mark.parametrize("n_bins", [2.0, True, "5", None])
def test_a_number_of_bins_is_whole(n_bins):
    with pytest.raises(TypeError, match=r"n_bins is .*, expected a whole number"):
        BinningCalibrator(n_bins=n_bins).fit([0.0, 1.0], [0, 1])
