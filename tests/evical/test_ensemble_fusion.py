"""EvidentialEnsemble with fusions that learn, from beliefs about samples new to its members."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from dstheory import dempster
from dstheory.errors import TotalConflictError
from evical.beliefs import as_beliefs
from evical.calibrators import AutoCalibrator, BinningCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.estimators.predictor import BeliefPredictor
from evical.estimators.responses import class_scores
from evical.fusion import Discounted, Rule, Stacked, TNorm
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(150, n_features=4, flip_y=0.2, random_state=0)
X3, Y3 = load_iris(return_X_y=True)
MEMBERS = [("nb", GaussianNB()), ("lr", LogisticRegression(max_iter=500))]
NAMES = [
    "stacked",
    "size_mixture",
    "likelihood_mixture",
    "discounted",
    "contextually_discounted",
    "learned_tnorm",
]
SHARES = [np.arange(100), np.arange(100, 150)]


def ensemble(members=None, **options):
    return EvidentialEnsemble(
        MEMBERS if members is None else members, **{"calibrator": BINS, "cv": 2, **options}
    )


@each("rule", NAMES)
@each(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_fusions_by_name(rule, X, y):
    clf = ensemble(rule=rule).fit(X, y)
    assert clf.predict_mass(X).equals(clf.fusion_(*clf.predict_masses(X)))
    assert clf.score(X, y) > 0.7
    restored = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(restored.predict_proba(X), clf.predict_proba(X))
    for values in clf.fusion_by_name_.values():
        assert list(values) == ["nb", "lr"]
    assert clf.conflict(X).max() < 1


def test_the_default_learns_weights_of_evidence():
    clf = ensemble().fit(X2, Y2)
    assert isinstance(clf.fusion_, Stacked)
    assert set(clf.fusion_by_name_) == {"weights_", "standard_error_"}


def test_plain_rules_have_nothing_to_tell():
    clf = ensemble(rule="dempster").fit(X2, Y2)
    assert clf.fusion_.function is dempster
    m = clf.predict_mass(X2)
    assert clf.fusion_(*clf.predict_masses(X2)).equals(m)
    assert clf.fusion_by_name_ == {}


def test_stacked_members_are_calibrated_on_rows_of_others():
    """All other rows are new to a member; sources of other rules are to share nothing."""
    shares = [np.arange(60), np.arange(60, 110), np.arange(110, 150)]
    three = [*MEMBERS, ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    weight = np.where(np.arange(150) % 3, 1.0, 2.0)
    learned, given = (
        ensemble(three, calibrator=None, subsets=shares, rule=rule).fit(X2, Y2, weight)
        for rule in ("stacked", "discounted")
    )
    pairs = zip(learned.estimators_, given.estimators_, shares, strict=True)
    for member, alone, rows in pairs:
        others = np.setdiff1d(np.arange(150), rows)
        for part, own in zip(
            member.calibrated_classifiers_, alone.calibrated_classifiers_, strict=True
        ):
            scores = part.scores(X2[others])[:, 0]
            expected = AutoCalibrator().fit(scores, Y2[others], weight[others])
            found = part.calibrator.predict_proba(scores[:9])
            np.testing.assert_allclose(found, expected.predict_proba(scores[:9]), atol=1e-12)
            assert own.calibrator.counts_.total.sum() == weight[rows].sum()
    stepwise = ensemble(three, subsets=shares).fit(X2, Y2)  # may not predict its own samples
    (pair,) = stepwise.estimators_[0].calibrated_classifiers_[:1]
    assert pair.calibrator.counts_.total.sum() == 60


def test_sizes_are_those_of_the_subsets():
    clf = ensemble(rule="size_mixture", subsets=SHARES).fit(X2, Y2)
    assert clf.fusion_by_name_ == {"weights_": {"nb": 2 / 3, "lr": 1 / 3}}
    weight = np.where(np.arange(150) < 100, 0.5, 4)
    weighted = ensemble(rule="size_mixture", subsets=SHARES).fit(X2, Y2, sample_weight=weight)
    assert weighted.fusion_by_name_["weights_"] == {"nb": 0.2, "lr": 0.8}


class Memory(BeliefPredictor, BaseEstimator):
    """Believes in class 1 where it has seen the sample, known by its first feature."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen_ = set(X[:, 0].tolist())
        return self

    def beliefs(self, X):
        seen = np.array([value in self.seen_ for value in X[:, 0].tolist()])
        return as_beliefs(np.stack([~seen, seen], axis=1) * 1.0, self.classes_)


class Recorder(Rule):
    """Keeps what it is given."""

    _by_source = ()
    needs = "labels"

    def _check_parameters(self):
        pass

    def _learn(self, held_out, sizes):
        self.held_out_ = held_out

    def _fuse(self, masses):
        return masses[0]


@pytest.mark.parametrize("subsets", [None, SHARES])
def test_members_have_not_seen_what_fusions_learn_from(subsets):
    X = np.arange(150.0)[:, np.newaxis]
    clf = EvidentialEnsemble([Memory(), Memory()], rule=Recorder(), subsets=subsets).fit(X, Y2)
    for m, fitted in zip(clf.fusion_.held_out_.masses, clf.estimators_, strict=True):
        assert len(m) == 150
        assert (m.bel(1) == 0).all()
        assert len(fitted.seen_) == (
            150 if subsets is None else len(SHARES[len(fitted.seen_) < 99])
        )


def test_members_speak_about_rows_of_others_as_they_are():
    clf = ensemble(rule=Recorder(), subsets=SHARES).fit(X2, Y2)
    first, second = clf.fusion_.held_out_.masses
    assert first[100:].equals(clf.estimators_[0].predict_mass(X2[100:]))
    assert second[:100].equals(clf.estimators_[1].predict_mass(X2[:100]))
    for m, (_, base), own in zip((first, second), MEMBERS, SHARES, strict=True):
        scores, folds = np.empty(len(own)), list(StratifiedKFold(2).split(own, Y2[own]))
        for train, test in folds:
            without = clone(base).fit(X2[own[train]], Y2[own[train]])
            scores[test] = class_scores(without, X2[own[test]], np.array([0, 1]))[:, 0]
        for train, test in folds:
            bins = clone(BINS).fit(scores[train], Y2[own[train]])
            assert m[own[test]].equals(bins.predict_mass(scores[test]))


def test_the_default_calibrator_speaks_about_its_own_samples():
    """It is smooth; the scores are those of classifiers that did not see the samples."""
    members = [EvidentialClassifier(base, cv=2) for _, base in MEMBERS]
    clf = EvidentialEnsemble(members, rule=Recorder()).fit(X2, Y2)
    for m, fitted, (_, base) in zip(
        clf.fusion_.held_out_.masses, clf.estimators_, MEMBERS, strict=True
    ):
        (calibrator,) = fitted.calibrated_classifiers_[0].calibrators
        for train, test in StratifiedKFold(2).split(X2, Y2):
            without = clone(base).fit(X2[train], Y2[train])
            scores = class_scores(without, X2[test], np.array([0, 1]), "given")[:, 0]
            assert m[test].equals(calibrator.predict_mass(scores))


@pytest.mark.parametrize("y", [Y2, Y3])
def test_each_member_is_trained_once_a_fold_and_once_on_everything(y):
    X = X2 if y is Y2 else X3
    Counted.fits = 0
    EvidentialEnsemble([Counted(), Counted()], cv=4, rule="stacked").fit(X, y)
    assert Counted.fits == 2 * (4 + 1)


class Counted(GaussianNB):
    """Counts how often it is trained."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


def test_one_that_remembers_is_not_trusted():
    """The nearest neighbor of a training sample is itself; of noise it knows nothing else."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)
    noise = KNeighborsClassifier(1)
    X[:, 1:] *= 10  # the neighbors of other features
    members = [("memory", noise), ("linear", LogisticRegression())]
    clf = ensemble(members, rule="likelihood_mixture").fit(X, y)
    assert clf.fusion_by_name_["weights_"]["linear"] > 0.8


class Sees(BinningCalibrator):
    """Remembers the scores that it was fitted on."""

    def fit(self, scores, y, sample_weight=None):
        self.seen_ = set(np.ravel(scores).tolist())
        return super().fit(scores, y, sample_weight)

    def predict_mass(self, scores):
        self.asked_ = [float(value) for value in np.ravel(scores)]
        assert not self.seen_ & set(self.asked_)
        return super().predict_mass(scores)


class Score(ClassifierMixin, BaseEstimator):
    """Its score is the feature, which names the sample."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def test_frozen_members_are_calibrated_anew():
    X = np.random.default_rng(0).normal(size=(150, 1))
    frozen = FrozenEstimator(Score().fit(X, Y2))
    clf = EvidentialEnsemble([frozen, frozen], calibrator=Sees(n_bins=3), rule=Recorder()).fit(
        X, Y2
    )
    m = clf.fusion_.held_out_.masses[0]
    assert not m.is_vacuous.any()


def test_frozen_evidential_members_speak_as_they_are():
    fitted = EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=3).fit(X2[:70], Y2[:70])
    clf = ensemble([FrozenEstimator(fitted), GaussianNB()], rule=Recorder()).fit(X2[70:], Y2[70:])
    assert clf.fusion_.held_out_.masses[0].equals(fitted.predict_mass(X2[70:]))


def test_a_share_too_small_to_do_without_rows_says_nothing_of_them():
    few = np.concatenate([np.flatnonzero(k == Y2)[-2:] for k in (0, 1)])
    many = np.setdiff1d(np.arange(150), few)
    for cv in (2, None):
        members = [
            (name, EvidentialClassifier(base, calibrator=BINS, cv=cv, ensemble=True))
            for name, base in MEMBERS
        ]
        clf = ensemble(members, rule=Recorder(), subsets=[many, few]).fit(X2, Y2)
        m = clf.fusion_.held_out_.masses[1]
        assert m[few].is_vacuous.all()
        assert m[many].equals(clf.estimators_[1].predict_mass(X2[many]))
        assert not m.is_vacuous.all()


def test_too_few_samples_to_hold_any_out():
    rows = np.concatenate([np.flatnonzero(k == Y2)[:2] for k in (0, 1)])
    member = EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2, ensemble=True)
    with pytest.raises(ValueError, match=r"4 samples are too few .*Stacked\(\).*'size_mixture'"):
        EvidentialEnsemble([member], rule="stacked").fit(X2[rows], Y2[rows])
    ensemble(rule="size_mixture", cv=2).fit(X2[rows], Y2[rows])


def test_folds_of_fixed_rows_are_refused():
    fixed = [(np.arange(75), np.arange(75, 150))]
    with pytest.raises(ValueError, match="'nb' has a cv of fixed rows"):
        ensemble(rule="stacked", cv=fixed).fit(X2, Y2)
    ensemble(rule="size_mixture", cv=fixed).fit(X2, Y2)
    inner = ensemble(subsets=SHARES)
    with pytest.raises(ValueError, match="'classifier0' has subsets of its own"):
        ensemble([inner], rule="stacked").fit(X2, Y2)
    nested = ensemble([("own", EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=fixed))])
    with pytest.raises(ValueError, match="'own' has a cv of fixed rows"):
        ensemble([nested], rule="stacked").fit(X2, Y2)


def test_samples_of_weight_zero_are_absent():
    weight = np.ones(150)
    weight[[3, 50, 120]] = 0
    kept = np.flatnonzero(weight)
    shares = [np.flatnonzero(kept < 100), np.flatnonzero(kept >= 100)]
    frozen = [(name, FrozenEstimator(clone(base).fit(X2, Y2))) for name, base in MEMBERS]
    weighted = ensemble(frozen, rule="stacked", subsets=SHARES).fit(X2, Y2, sample_weight=weight)
    fewer = ensemble(frozen, rule="stacked", subsets=shares).fit(X2[kept], Y2[kept])
    np.testing.assert_allclose(weighted.predict_proba(X2), fewer.predict_proba(X2), atol=1e-6)


def test_weights_are_routed_to_copies():
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    direct = ensemble(rule="stacked").fit(X2, Y2, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        members = [(name, clone(b).set_fit_request(sample_weight=True)) for name, b in MEMBERS]
        routed = ensemble(members, rule="stacked").fit(X2, Y2, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict_proba(X2), direct.predict_proba(X2))
    plain = ensemble(rule="stacked").fit(X2, Y2)
    assert not np.allclose(plain.predict_proba(X2), direct.predict_proba(X2), atol=1e-3)


def test_string_labels_and_data_frames():
    labels = np.array(["no", "yes"])[Y2]
    table = pd.DataFrame(X2, columns=list("abcd"))
    plain = ensemble(rule="stacked", subsets=SHARES).fit(X2, Y2)
    named = ensemble(rule="stacked", subsets=SHARES).fit(table, pd.Series(labels))
    np.testing.assert_allclose(named.predict_proba(table), plain.predict_proba(X2), atol=1e-12)
    assert set(named.predict(table)) == {"no", "yes"}


def test_parameters_of_the_fusion_are_searched():
    clf = ensemble(rule=Stacked(), cv=2)
    assert clf.get_params()["rule__penalty"] == "learned"
    given = clf.rule
    search = GridSearchCV(clf, {"rule__penalty": [0.5, 50]}, cv=2).fit(X2, Y2)
    assert search.best_estimator_.fusion_.penalty in (0.5, 50)
    assert given.penalty == "learned"
    assert not hasattr(given, "n_sources_")


def test_rules_are_searched_by_name_and_as_fusions():
    grid = [{"rule": ["dempster", "size_mixture"]}, {"rule": [Stacked()], "rule__penalty": [3]}]
    search = GridSearchCV(ensemble(), grid, cv=2, error_score="raise").fit(X2, Y2)
    assert len(search.cv_results_["params"]) == 3
    assert search.best_score_ > 0.6


def test_jobs_change_nothing():
    one = ensemble(rule="stacked").fit(X2, Y2)
    with parallel_config(backend="threading"):
        two = ensemble(rule="stacked", n_jobs=2).fit(X2, Y2)
    np.testing.assert_array_equal(one.predict_proba(X2), two.predict_proba(X2))


def test_one_member_is_calibrated_again():
    clf = EvidentialEnsemble([GaussianNB()], rule="stacked", calibrator=BINS, cv=2)
    m = clf.fit(X2, Y2).predict_mass(X2)
    assert m.equals(clf.fusion_(*clf.predict_masses(X2)))
    assert not m.equals(clf.predict_masses(X2)[0], atol=1e-3)


class Column(Score):
    """Its score is one feature."""

    def __init__(self, column):
        self.column = column

    def decision_function(self, X):
        return np.asarray(X)[:, self.column]


def test_conflict_that_a_rule_makes_by_itself_stays_its_error():
    """Two doubts of less than a half are certainty to Łukasiewicz, on either side."""
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    y = X[:, 0].astype(int)
    members = [FrozenEstimator(Column(column).fit(X, y)) for column in (0, 0, 1, 1)]
    rule = TNorm(family="sugeno_weber", parameter=0.0)
    options = {
        "calibrator": BinningCalibrator(n_bins=2, model="dempster"),
        "total_conflict": "vacuous",
    }
    clf = EvidentialEnsemble(members, rule=rule, **options).fit(X, y)
    assert clf.predict_mass(X).bel(1).tolist() == y.tolist()
    with pytest.raises(TotalConflictError, match="kappa = 1"):
        clf.predict_mass(np.array([[0.0, 1.0]]))


def test_conflict_that_discounting_resolves_leaves_its_answer():
    """Rows do not depend on each other: only the first is in conflict after discounting."""
    X = np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], 5, axis=0)
    y = X[:, 0].astype(int)
    members = [FrozenEstimator(Column(column).fit(X, y)) for column in range(3)]
    clf = EvidentialEnsemble(
        members,
        calibrator=BinningCalibrator(n_bins=2, model="bayesian"),
        rule=Discounted(rates=[0, 0, 0.5]),
        total_conflict="vacuous",
    ).fit(X, y)
    m = clf.predict_mass(np.array([[0.0, 1, 1], [1, 1, 0]]))
    assert m.is_vacuous.tolist() == [True, False]
    assert m[1].equals(clf.predict_mass(np.array([[1.0, 1, 0]]))[0])
    assert m[1].bel(1) == 1


def test_labels_of_samples_have_no_part_in_their_scores():
    """Two labels of one fold swap places; which samples are in the fold stays the same."""
    one, other = (int(np.flatnonzero(k == Y2)[3]) for k in (0, 1))
    swapped = Y2.copy()
    swapped[[one, other]] = swapped[[other, one]]
    rows = np.arange(150)
    (_, test), *_ = StratifiedKFold(5).split(rows, Y2)
    np.testing.assert_array_equal(next(StratifiedKFold(5).split(rows, swapped))[1], test)
    assert {one, other} <= set(test.tolist())
    for _, base in MEMBERS:
        before, after = (EvidentialClassifier(base)._fit(X2, y).scores for y in (Y2, swapped))
        np.testing.assert_array_equal(before[test], after[test])
        assert not np.array_equal(before, after)
