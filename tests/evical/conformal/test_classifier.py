"""ConformalClassifier: p-values are those of the definitions, and all else follows from them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, consonant, decide
from dstheory.transform import betp
from evical.conformal import ConformalClassifier, lac_scores, p_values
from evical.conformal.contour import to_contour
from tests.evical.conformal.samples import (
    X2,
    X3,
    Y2,
    Y3,
    Recorded,
    class_p_values,
    frozen,
    group_p_values,
    numbered,
    own,
    right,
)
from tests.naive import conformal as naive
from tests.support.contract import check_contract
from tests.support.each import each

NB = GaussianNB()
both = each(("X", "y"), [(X2, Y2), (X3, Y3)])

WEIGHTS_DIFFER = {
    "check_sample_weight_equivalence_on_dense_data": "its split is of rows, not of weights",
    "check_sample_weight_equivalence_on_sparse_data": "its split is of rows, not of weights",
}


def test_scikit_learn_contract():
    check_contract(ConformalClassifier(GaussianNB(), random_state=0), WEIGHTS_DIFFER)


# ---- p-values are those of the functions


@both
def test_a_frozen_classifier_is_calibrated_on_all_samples(X, y):
    clf, fitted = frozen(X, y)
    scores = lac_scores(fitted.predict_proba(X))
    calibration = own(scores, y)[1::2]
    np.testing.assert_array_equal(clf.predict_p(X), p_values(calibration, scores))
    wanted = [[float(naive.p_value(calibration, s)) for s in row] for row in scores]
    np.testing.assert_array_equal(clf.predict_p(X), wanted)
    assert clf.n_calibration_ == {None: len(calibration)}


@both
def test_each_class_on_its_own(X, y):
    clf, fitted = frozen(X, y, conditional="class")
    scores = lac_scores(fitted.predict_proba(X))
    wanted = class_p_values(own(scores, y)[1::2], y[1::2], scores)
    np.testing.assert_array_equal(clf.predict_p(X), wanted)
    assert clf.n_calibration_ == {k: int((y[1::2] == k).sum()) for k in np.unique(y)}


def test_each_group_on_its_own():
    clf, fitted = frozen(X3, Y3, conditional=right)
    scores, groups = lac_scores(fitted.predict_proba(X3)), right(X3)
    wanted = group_p_values(own(scores, Y3)[1::2], groups[1::2], scores, groups)
    np.testing.assert_array_equal(clf.predict_p(X3), wanted)
    assert set(clf.n_calibration_) == {"narrow", "wide"}
    dates = np.array(["2025-01-01", "2026-01-01"], dtype="datetime64[ns]")
    for names in (dates, np.fromiter([("a", 1), ("b", 2)], dtype=object)):
        named, _ = frozen(X3, Y3, conditional=lambda X, names=names: names[1 * (X[:, 1] > 3)])
        np.testing.assert_array_equal(named.predict_p(X3), wanted)
    with pytest.raises(ValueError, match=r"groups\[0\] is nan; give each sample"):
        frozen(X3, Y3, conditional=lambda X: np.full(len(X), np.nan))


def test_weights_and_density_ratios_multiply():
    weight = np.arange(75) % 3
    ratio = lambda X: np.exp(X[:, 0] - 6)  # noqa: E731  # as a user writes it
    fitted = FrozenEstimator(GaussianNB().fit(X3[::2], Y3[::2]))
    clf = ConformalClassifier(fitted, density_ratio=ratio).fit(X3[1::2], Y3[1::2], weight)
    scores = lac_scores(fitted.predict_proba(X3))
    wanted = p_values(
        own(scores, Y3)[1::2], scores, weights=weight * ratio(X3[1::2]), new_weights=ratio(X3)
    )
    np.testing.assert_allclose(clf.predict_p(X3), wanted, rtol=1e-14)


def test_a_weight_of_two_counts_as_two_samples():
    weight = np.arange(75) % 3 + 0
    rows = np.repeat(np.arange(75), weight)
    fitted = FrozenEstimator(GaussianNB().fit(X3[::2], Y3[::2]))
    X, y = X3[1::2], Y3[1::2]
    for conditional in (None, "class"):
        clf = ConformalClassifier(fitted, conditional=conditional)
        weighted = clf.fit(X, y, weight).predict_p(X3)
        np.testing.assert_array_equal(weighted, clf.fit(X[rows], y[rows]).predict_p(X3))


@pytest.mark.parametrize("conditional", [None, "class", lambda X: X[:, 1] > 5.8])
def test_split_trains_on_some_rows_and_calibrates_on_all_others(conditional):
    clf = ConformalClassifier(Recorded(), held_out=0.4, conditional=conditional, random_state=3)
    (part,) = clf.fit(numbered(X3), Y3).conformed_
    train, calibration = part.estimator.rows_, part.estimator.asked_[0]
    assert sorted([*train, *calibration]) == list(range(150))
    assert len(calibration) == 60
    if conditional == "class":
        assert np.bincount(Y3[calibration]).tolist() == [20, 20, 20]
    again = clone(clf).fit(numbered(X3), Y3).conformed_[0]
    np.testing.assert_array_equal(again.estimator.rows_, train)
    other = clone(clf).set_params(random_state=4).fit(numbered(X3), Y3).conformed_[0]
    assert set(other.estimator.rows_) != set(train)


def test_cross_conformal_p_values_count_each_fold_by_its_own_classifier():
    """Vovk (2015), and CV+ of Romano et al. (2020), whose sets are the same."""
    folds = list(KFold(4, shuffle=True, random_state=0).split(X3[::2]))
    X, y, new = X3[::2], Y3[::2], X3[1::2]
    clf = ConformalClassifier(NB, method="cross", cv=folds).fit(X, y)
    fitted = [clone(NB).fit(X[train], y[train]) for train, _ in folds]
    calibration = [
        own(lac_scores(one.predict_proba(X[test])), y[test])
        for one, (_, test) in zip(fitted, folds, strict=True)
    ]
    scores = [lac_scores(one.predict_proba(new)) for one in fitted]
    found = clf.predict_p(new)
    for row, k in np.ndindex(found.shape):
        parts = [(c.tolist(), s[row, k]) for c, s in zip(calibration, scores, strict=True)]
        assert found[row, k] == float(naive.cross_p_value(parts))
    for alpha in (0.05, 0.1, 0.3):
        pairs = zip(calibration, scores, strict=True)
        less = sum((c < s[..., np.newaxis]).sum(axis=-1) for c, s in pairs)
        plus = less < (1 - alpha) * (len(y) + 1)
        np.testing.assert_array_equal(found > alpha, plus)


@each(("name", "value"), [("nonconformity", "margin"), ("smoothed", True), ("conditional", right)])
def test_what_is_set_after_fit_waits_for_the_next(name, value):
    """Scores of another kind than those of calibration have no guarantee."""
    clf, _ = frozen(X3, Y3)
    before = clf.predict_p(X3)
    np.testing.assert_array_equal(clf.set_params(**{name: value}).predict_p(X3), before)
    assert (clf.fit(X3, Y3).predict_p(X3) != before).any()


def test_groups_of_samples_are_held_out_as_a_whole():
    groups = np.arange(150) % 10
    clf = ConformalClassifier(Recorded(), random_state=0).fit(numbered(X3), Y3, groups=groups)
    train = clf.conformed_[0].estimator.rows_
    assert len(set(groups[train])) == 7
    assert np.isin(groups, groups[train]).sum() == len(train)
    crossed = ConformalClassifier(Recorded(), method="cross", cv=GroupKFold(5))
    for part in crossed.fit(numbered(X3), Y3, groups=groups).conformed_:
        assert not np.isin(groups[part.estimator.asked_[0]], groups[part.estimator.rows_]).any()


def test_samples_without_weight_are_left_out():
    weight = (np.arange(150) % 3 > 0).astype(float)
    kept = np.flatnonzero(weight)
    for method, cv in (("split", None), ("cross", StratifiedKFold(3))):
        clf = ConformalClassifier(Recorded(), method=method, cv=cv, random_state=0)
        for part in clf.fit(numbered(X3), Y3, weight).conformed_:
            assert np.isin(part.estimator.rows_, kept).all()
            assert np.isin(part.estimator.asked_[0], kept).all()
            np.testing.assert_array_equal(part.estimator.weight_, weight[part.estimator.rows_])
        assert clf.n_calibration_ == {None: len(kept) * (0.3 if method == "split" else 1)}


# ---- predictions follow from the p-values


@both
@each("options", [
    {},
    {"conditional": "class", "nonconformity": "margin"},
    {"method": "cross", "cv": 3, "nonconformity": "raps"},
    {"smoothed": True, "nonconformity": "aps"},
])  # fmt: skip
def test_predictions_follow_from_the_contour(X, y, options):
    clf = ConformalClassifier(NB, random_state=0, **options).fit(X[::2], y[::2])
    p, contour, m = clf.predict_p(X), clf.predict_contour(X), clf.predict_mass(X)
    assert m.equals(consonant(Frame(np.unique(y)), contour), atol=0)
    assert m.is_consonant.all()
    np.testing.assert_array_equal(m.contour().round(12), contour.round(12))
    raised = contour != p
    assert (raised.sum(axis=1) <= 1).all()
    assert (contour.max(axis=1) == 1).all()
    assert (p[raised] == p.max(axis=1)[raised.any(axis=1)]).all()
    np.testing.assert_allclose(clf.predict_proba(X), betp(m), atol=1e-12)
    bounds = clf.predict_interval(X)
    belief = np.stack([m.bel(label) for label in clf.classes_.tolist()], axis=1)
    wanted = np.stack([belief, contour], axis=-1)
    np.testing.assert_allclose(
        bounds, wanted[:, 1] if len(clf.classes_) == 2 else wanted, atol=1e-12
    )
    label = clf.predict(X)
    assert (contour[np.arange(len(X)), np.searchsorted(clf.classes_, label)] == 1).all()
    for alpha in (0.15, 0.3):
        np.testing.assert_array_equal(clf.predict_set(X, alpha=alpha), contour > alpha)
        inside = [m[i].bel(clf.classes_[kept].tolist()) for i, kept in enumerate(contour > alpha)]
        assert min(inside) >= 1 - alpha - 1e-12


@both
def test_decisions_are_those_of_the_mass_functions(X, y):
    clf = ConformalClassifier(NB, random_state=0).fit(X[::2], y[::2])
    K, m = len(clf.classes_), clf.predict_mass(X)
    reject = np.vstack([np.eye(K), np.full(K, 0.6)])
    odd = np.random.default_rng(0).uniform(size=(4, K))
    for matrix in (None, reject, odd):
        acts = np.eye(K) if matrix is None else matrix
        for criterion in ("interval_dominance", "maximality", "maximin", "e_admissibility"):
            wanted = np.asarray(getattr(decide, criterion)(m, acts))
            found = clf.predict_set(X, matrix, criterion)
            if wanted.dtype != bool:
                wanted = wanted[:, np.newaxis] == np.arange(len(acts))
            np.testing.assert_array_equal(found, wanted)


def test_of_tied_classes_the_least_strange_one_is_predicted():
    values = np.array([[0.4, 0.6], [0.6, 0.4]])
    p = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert to_contour(p, lac_scores(values)).tolist() == [[0.5, 1], [1, 0.5]]
    X = np.array([[0.0], [0.1], [0.9], [1.0]] * 5)
    y = (X[:, 0] > 0.5).astype(int)
    clf = ConformalClassifier(FrozenEstimator(LogisticRegression().fit(X, y))).fit(X, y)
    near = clf.conformed_[0].estimator.predict([[0.45], [0.55]])
    assert clf.predict_p([[0.45], [0.55]]).tolist() == [[1 / 21] * 2] * 2
    assert clf.predict([[0.45], [0.55]]).tolist() == near.tolist() == [0, 1]


def test_many_classes_take_no_list_of_subsets():
    rng = np.random.default_rng(0)
    K, d = 1000, 12
    centers = rng.normal(size=(K, d))
    y = np.tile(np.arange(K), 4)
    X = centers[y] + 0.1 * rng.normal(size=(len(y), d))
    clf = ConformalClassifier(GaussianNB(var_smoothing=1), held_out=0.5, random_state=0).fit(X, y)
    new = X[:20]
    m, bounds, proba = clf.predict_mass(new), clf.predict_interval(new), clf.predict_proba(new)
    assert bounds.shape == (20, K, 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(m.contour(), bounds[..., 1], atol=1e-12)
    assert clf.predict_set(new, alpha=0.1).any(axis=1).all()
    assert clf.predict_set(new).any(axis=1).all()
