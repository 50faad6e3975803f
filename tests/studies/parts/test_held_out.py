"""Held-out beliefs of an ensemble, against classifiers made anew by hand, fold by fold."""

import itertools

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from dstheory import Frame, MassFunction
from evical.calibrators import LogisticCalibrator
from evical.fusion import Rule
from examples.studies.parts.methods import train
from examples.studies.parts.shares import Shares

N, N_SHARE = 90, 40


@pytest.fixture
def samples():
    """Two classes of ten features, of which one tells them apart a little."""
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], N // 2)
    X = rng.normal(size=(N, 10))
    X[:, 0] += y
    order = rng.permutation(N)
    halves = order[: N_SHARE // 2], order[N_SHARE // 2 : N_SHARE]
    return X, y, halves, rng.normal(size=(7, 10))


class Recorded(Rule):
    """Learns nothing, but keeps what it could learn from."""

    needs = "labels"
    _by_source = ()

    def _check_parameters(self):
        """There are none."""

    def _learn(self, held_out, sizes):
        (self.masses_,) = held_out.masses

    def _fuse(self, masses):
        return masses[0]


def beliefs(X, y, halves, test, calibrator="logistic", model="likelihood"):
    """Of one classifier about all training samples, and about the test samples."""
    mark = np.zeros(len(y))
    mark[halves[1]] = 1
    X_test = np.column_stack([test, np.zeros(len(test))])
    drawn = Shares(np.column_stack([X, mark]), y, [np.concatenate(halves)], X_test, None)
    ensemble = train(drawn, "rbf_svm", calibrator, model, Recorded())
    return ensemble.fusion_.masses_, ensemble.predict_mass(X_test)


def intervals(m: MassFunction):
    return np.stack([m.bel(1), m.pl(1)], axis=1)


def naive(X, y, first, second, about):
    """A source made of two halves, about some samples."""
    svm = SVC().fit(X[first], y[first])
    fitted = LogisticCalibrator(model="likelihood").fit(svm.decision_function(X[second]), y[second])
    return fitted.predict_interval(svm.decision_function(about))


def without(half, rows):
    return np.array([row for row in half if row not in set(rows.tolist())])


def folds_of(y, halves):
    share = np.concatenate(halves)
    return [share[test] for _, test in StratifiedKFold(5).split(share, y[share])]


def test_beliefs_equal_those_of_sources_made_anew_without_each_fold(samples):
    X, y, halves, test = samples
    known, new = beliefs(*samples)
    expected = np.full((N, 2), np.nan)
    others = np.setdiff1d(np.arange(N), np.concatenate(halves))
    expected[others] = naive(X, y, *halves, X[others])
    folds = folds_of(y, halves)
    assert sorted(np.concatenate(folds)) == sorted(np.concatenate(halves))
    for fold in folds:
        kept = [without(half, fold) for half in halves]
        assert not set(fold) & set(np.concatenate(kept))
        expected[fold] = naive(X, y, *kept, X[fold])
    np.testing.assert_allclose(intervals(known), expected, atol=1e-12)
    np.testing.assert_allclose(intervals(new), naive(X, y, *halves, test), atol=1e-12)


def test_labels_of_a_fold_do_not_change_beliefs_about_it(samples):
    X, y, halves, test = samples
    folds = folds_of(y, halves)
    share = np.concatenate(halves)
    fold_of = {row: i for i, fold in enumerate(folds) for row in fold.tolist()}
    # Neighbors of a fold with different labels: exchanged, they leave all folds as they were.
    one, other = next(
        (a, b)
        for a, b in itertools.pairwise(share[4:])
        if y[a] != y[b] and fold_of[a] == fold_of[b]
    )
    changed = y.copy()
    changed[[one, other]] = y[[other, one]]
    assert all(map(np.array_equal, folds, folds_of(changed, halves)))
    before, after = (intervals(beliefs(X, labels, halves, test)[0]) for labels in (y, changed))
    own = folds[fold_of[one]]
    np.testing.assert_array_equal(before[own], after[own])
    rest = np.setdiff1d(np.arange(N), own)
    assert (before[rest] != after[rest]).any(axis=1).all()


def test_features_of_a_sample_of_another_share_move_nothing_but_the_belief_about_it(samples):
    X, y, halves, test = samples
    other = int(np.setdiff1d(np.arange(N), np.concatenate(halves))[0])
    moved = X.copy()
    moved[other] += 1
    before, after = (intervals(beliefs(part, y, halves, test)[0]) for part in (X, moved))
    differ = (before != after).any(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(differ), [other])


def test_nothing_is_known_where_a_half_would_lack_a_class(samples):
    X, y, _, test = samples
    negative, positive = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    halves = np.array([negative[0], positive[0]]), np.array([*negative[1:3], *positive[1:3]])
    known, _ = beliefs(X, y, halves, test)
    vacuous = known.is_vacuous
    assert vacuous[halves[0]].all()
    assert not vacuous[np.setdiff1d(np.arange(N), np.concatenate(halves))].any()


def test_a_share_of_all_samples_leaves_none_to_others(samples):
    X, y, _, test = samples
    order = np.random.default_rng(0).permutation(N)
    known, new = beliefs(X, y, (order[: N // 2], order[N // 2 :]), test, "isotonic", "bayesian")
    assert known.batch_shape == (N,)
    assert new.batch_shape == (len(test),)
    assert known.frame == Frame([0, 1])
    assert known.is_bayesian.all()
