"""Scores that point the wrong way: the rank test by its definition, and one warning a fit."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm
from sklearn.base import BaseEstimator, ClassifierMixin

from evical import EvidentialClassifier, EvidentialEnsemble, cross_val_mass
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.errors import WrongWayWarning
from evical.multiclass import OneVsRestCalibrator
from evical.scores import ScoreCounts
from evical.scores.direction import direction, wrong_way
from tests.support.each import each

RNG = np.random.default_rng(4)
UP = np.arange(40.0)
WRONG = np.repeat([1, 0], 20)


class Backward(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are those of the other classes."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        x = np.asarray(X)[:, 0]
        rises = x[y == self.classes_[-1]].mean() > x[y == self.classes_[0]].mean()
        self.sign_ = -1.0 if rises else 1.0
        return self

    def decision_function(self, X):
        x = np.asarray(X)[:, 0]
        if len(self.classes_) == 2:
            return self.sign_ * x
        return -(np.abs(x[:, None] - np.arange(len(self.classes_))) < 0.5).astype(float)


def area(scores, y):
    """The share of pairs in order, by definition."""
    positive, negative = scores[y == 1], scores[y == 0]
    order = [Fraction(int(p > n) * 2 + int(p == n), 2) for p in positive for n in negative]
    return sum(order) / len(order)


@each("ties", [0, 1, 3, 50])
@each("n", [4, 30, 201])
def test_the_rank_test_is_that_of_mann_and_whitney(n, ties):
    scores = RNG.normal(size=n).round(0) if ties == 1 else RNG.normal(size=n)
    if ties == 3:
        scores = RNG.integers(0, 3, n) / 7
    if ties == 50:
        scores[: n // 2] = 0.0
    y = np.append([0, 1], RNG.integers(0, 2, n - 2))
    found = direction(ScoreCounts.from_samples(scores, y))
    assert found.area == pytest.approx(float(area(scores, y)), abs=1e-12)
    test = mannwhitneyu(scores[y == 1], scores[y == 0], use_continuity=False, method="asymptotic")
    if np.isfinite(test.pvalue):
        assert 2 * norm.sf(abs(found.z)) == pytest.approx(test.pvalue, rel=1e-9)
    assert np.sign(found.z) in (0, np.sign(found.area - 0.5))


def test_constant_scores_have_no_direction():
    assert direction(ScoreCounts.from_samples([1.0] * 9, [0, 1, 1] * 3)).z == 0


def test_whole_weights_are_numbers_of_samples():
    y = RNG.integers(0, 2, 30)
    scores, weights = RNG.integers(0, 9, 30).astype(float), RNG.integers(1, 5, 30)
    one = direction(ScoreCounts.from_samples(scores, y, weights.astype(float)))
    many = direction(ScoreCounts.from_samples(np.repeat(scores, weights), np.repeat(y, weights)))
    assert one.z == pytest.approx(many.z, rel=1e-12)


def test_other_weights_count_as_few_samples():
    scores, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1, 1, 0, 0])
    heavy = np.array([1000.5, 0.1, 0.1, 1000.5])
    assert wrong_way(ScoreCounts.from_samples(scores, y, heavy)) is None
    # Four samples a class, of equal weights that are not whole, are four samples a class.
    both = np.tile([0, 1], 4)
    equal = direction(ScoreCounts.from_samples(np.arange(8.0), both, np.full(8, 1.5)))
    plain = direction(ScoreCounts.from_samples(np.arange(8.0), both))
    assert equal.z == pytest.approx(plain.z, rel=1e-12)


@pytest.mark.parametrize("weight", [1e-15, 0.3, 2.0**40])
def test_any_weights_have_a_direction(weight):
    found = direction(ScoreCounts.from_samples(UP, WRONG, np.full(40, weight)))
    assert found.area == 0
    assert np.isfinite(found.z)


def test_four_standard_errors_are_the_limit():
    """Of n samples a class, all in the wrong order: z = -n sqrt(3 / (2 n + 1))."""
    for n in range(2, 20):
        y = np.repeat([1, 0], n)
        found = wrong_way(ScoreCounts.from_samples(np.arange(2.0 * n), y))
        assert (found is not None) == (-n * np.sqrt(3 / (2 * n + 1)) < -4)


def test_a_fit_warns_once_and_names_the_classes():
    y = np.where(WRONG, "sick", "healthy")
    with pytest.warns(WrongWayWarning, match=r"indicate class 'healthy', not class 'sick'") as w:
        LogisticCalibrator().fit(UP, y)
    assert len(w) == 1
    assert w[0].filename == __file__
    assert "area under the ROC curve 0, rank test z = -5.4" in str(w[0].message)


def test_right_and_useless_scores_give_no_warning():
    IsotonicCalibrator().fit(UP, 1 - WRONG)
    IsotonicCalibrator().fit(UP, np.tile([1, 0], 20))


def test_fit_counts_warns_with_the_classes_as_given():
    counts = ScoreCounts.from_samples(UP, WRONG)
    with pytest.warns(WrongWayWarning, match="indicate class 'b', not class 'a'"):
        BinningCalibrator().fit_counts(counts, ["b", "a"])


def test_partial_fit_warns_when_it_becomes_so():
    calibrator = BinningCalibrator()
    calibrator.partial_fit(UP[::8], WRONG[::8])
    with pytest.warns(WrongWayWarning):
        calibrator.partial_fit(UP, WRONG)
    calibrator.partial_fit(UP, WRONG)  # and not again


def test_a_refused_warning_leaves_no_fit():
    calibrator = IsotonicCalibrator()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WrongWayWarning):
            calibrator.fit(UP, WRONG)
    assert not hasattr(calibrator, "classes_")


def test_a_classifier_warns_once_for_all_folds():
    with pytest.warns(WrongWayWarning, match="5 calibrations are so") as w:
        EvidentialClassifier(Backward(), cv=5, ensemble=True).fit(
            np.arange(200.0)[:, None], np.repeat(["a", "b"], 100)
        )
    assert len(w) == 1
    assert w[0].filename == __file__
    assert "higher values indicate class 'a', not class 'b'" in str(w[0].message)


@pytest.mark.parametrize("code", ["one_vs_rest", "all_pairs"])
def test_columns_of_a_code_name_their_classes(code):
    X, y = np.repeat(np.arange(3.0), 60)[:, None], np.repeat(["a", "b", "c"], 60)
    with pytest.warns(WrongWayWarning) as w:
        EvidentialClassifier(Backward(), code=code, cv=2).fit(X, y)
    assert len(w) == 1
    named = r"class 'b', 'c', not class 'a'" if code == "one_vs_rest" else "class 'a'"
    assert named in str(w[0].message)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_ensemble_warns_once(n_jobs):
    X, y = np.arange(200.0)[:, None], np.repeat([0, 1], 100)
    ensemble = EvidentialEnsemble([Backward(), Backward()], cv=2, rule="stacked", n_jobs=n_jobs)
    with pytest.warns(WrongWayWarning) as w:
        ensemble.fit(X, y)
    # Idle processes of joblib end after five minutes, at times with a warning of their own.
    assert [one.category for one in w].count(WrongWayWarning) == 1


def test_one_vs_rest_warns_once():
    y = np.repeat(["a", "b", "c"], 40)
    scores = -np.eye(3)[np.repeat([0, 1, 2], 40)]
    with pytest.warns(WrongWayWarning, match=r"indicate class 'b', 'c', not class 'a'") as w:
        OneVsRestCalibrator(BinningCalibrator()).fit(scores, y)
    assert len(w) == 1


def test_copies_of_cross_val_mass_warn_once():
    with pytest.warns(WrongWayWarning) as w:
        cross_val_mass(BinningCalibrator(n_bins=2), np.tile(UP, 3), np.tile(WRONG, 3), cv=3)
    assert len(w) == 1
    assert w[0].filename == __file__
