"""EvidentialEnsemble: the rule, the members, their data, parameters, conflict."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive, dempster, disjunctive
from dstheory.errors import TotalConflictError
from dstheory.transform import betp
from evical.beliefs import as_beliefs
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble, _beyond
from evical.fusion import as_rule
from evical.fusion.conflicts import total_conflict
from tests.support.contract import check_contract
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(150, n_features=4, flip_y=0.2, random_state=0)
X3, Y3 = load_iris(return_X_y=True)
MEMBERS = [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]


def ensemble(estimators=None, **options):
    members = MEMBERS if estimators is None else estimators
    return EvidentialEnsemble(
        members, **{"calibrator": BINS, "cv": 3, "rule": "dempster", **options}
    )


def test_scikit_learn_contract():
    check_contract(ensemble([("nb", GaussianNB())], cv=2))


@each(("X", "y"), [(X2, Y2), (X3, Y3)])
@each("rule", [dempster, conjunctive, "disjunctive"])
def test_the_rule_combines_the_members(X, y, rule):
    clf = ensemble(rule=rule).fit(X, y)
    masses = clf.predict_masses(X)
    expected = (disjunctive if rule == "disjunctive" else rule)(*masses)
    assert clf.predict_mass(X).equals(expected)
    for (_, base), m in zip(MEMBERS, masses, strict=True):
        alone = EvidentialClassifier(base, calibrator=BINS, cv=3, ensemble="auto").fit(X, y)
        assert m.equals(alone.predict_mass(X))
    np.testing.assert_allclose(clf.predict_proba(X), betp(expected))
    np.testing.assert_array_equal(clf.predict(X), np.unique(y)[clf.predict_proba(X).argmax(axis=1)])
    np.testing.assert_allclose(clf.conflict(X), conjunctive(*masses).mass(mask=0), atol=1e-15)


@pytest.mark.parametrize(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_one_member_is_itself(X, y):
    alone = EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=3, ensemble="auto").fit(X, y)
    clf = ensemble([GaussianNB()]).fit(X, y)
    assert clf.predict_mass(X).equals(alone.predict_mass(X))
    np.testing.assert_allclose(clf.predict_proba(X), alone.predict_proba(X), atol=1e-14)
    np.testing.assert_allclose(clf.predict_interval(X), alone.predict_interval(X), atol=1e-14)
    assert (clf.conflict(X) == 0).all()


def test_the_order_of_members_does_not_matter():
    three = [*MEMBERS, ("svm", SVC())]
    one, other = (ensemble(members).fit(X3, Y3) for members in (three, three[::-1]))
    assert one.predict_mass(X3).equals(other.predict_mass(X3), atol=1e-14)


@pytest.mark.parametrize("calibrator", [LogisticCalibrator, BinningCalibrator])
def test_bayesian_members_give_bayes_rule_with_a_uniform_prior(calibrator):
    """P(1) is proportional to the product of the members' P(1): Shafer 1976, ch. 3."""
    model = calibrator(model="bayesian")
    clf = ensemble(calibrator=model, total_conflict="vacuous").fit(X2, Y2)
    probabilities = np.array([member.predict_proba(X2) for member in clf.estimators_])
    products = probabilities.prod(axis=0)
    expected = products / products.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(X2), expected, rtol=1e-12)
    assert clf.predict_mass(X2).is_bayesian.all()


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on, by their first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {float(value) for value in X[:, 0]}
        return self

    def decision_function(self, X):
        return X[:, 1]


class Rows(BinningCalibrator):
    """Remembers the scores that it was fitted on."""

    def fit(self, scores, y, sample_weight=None):
        self.seen_ = {float(value) for value in scores}
        return super().fit(scores, y, sample_weight)


def test_each_member_sees_its_subset_only():
    """The protocol of Xu et al., section 5: shares of the data, half of each to calibrate."""
    X = np.repeat(np.arange(40.0)[:, np.newaxis], 2, axis=1)
    shares = [np.arange(20), np.arange(20, 32), np.arange(39, 31, -1)]
    half = StratifiedShuffleSplit(1, test_size=0.5, random_state=0)
    clf = ensemble([Spy()] * 3, calibrator=Rows(n_bins=2), cv=half, subsets=shares)
    clf.fit(X, np.arange(40) % 2)
    for member, share in zip(clf.estimators_, shares, strict=True):
        (pair,) = member.calibrated_classifiers_
        trained, calibrated = pair.estimator.seen_, pair.calibrators[0].seen_
        assert trained | calibrated == set(share.tolist())
        assert not trained & calibrated
        assert len(trained) == len(calibrated)


def test_prefit_members_are_only_calibrated():
    frozen = [(name, FrozenEstimator(base.fit(X2[:50], Y2[:50]))) for name, base in MEMBERS]
    clf = ensemble(frozen).fit(X2[50:], Y2[50:])
    for (_, base), member in zip(MEMBERS, clf.estimators_, strict=True):
        (pair,) = member.calibrated_classifiers_
        assert pair.estimator.estimator is base
        assert pair.calibrators[0].counts_.total.sum() == 100


def test_evidential_members_keep_their_calibrator_and_frozen_ones_everything():
    logistic = EvidentialClassifier(GaussianNB(), calibrator=LogisticCalibrator(), cv=2)
    fitted = EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2).fit(X2[:70], Y2[:70])
    nested = ensemble(cv=2)
    members = [logistic, FrozenEstimator(fitted), nested, GaussianNB()]
    clf = ensemble(members).fit(X2[70:], Y2[70:])
    own, frozen, inner, wrapped = clf.estimators_
    assert isinstance(own.calibrated_classifiers_[0].calibrators[0], LogisticCalibrator)
    assert frozen.estimator is fitted
    assert isinstance(inner, EvidentialEnsemble)
    assert isinstance(wrapped.calibrated_classifiers_[0].calibrators[0], BinningCalibrator)
    assert not hasattr(logistic, "classes_")
    expected = dempster(*(m.predict_mass(X2) for m in (own, fitted, inner, wrapped)))
    assert clf.predict_mass(X2).equals(expected)


def test_parameters_are_addressed_by_name():
    clf = ensemble()
    assert clf.get_params()["tree__max_depth"] == 2
    assert clf.get_params()["nb"] is MEMBERS[0][1]
    other = clone(clf).set_params(tree__max_depth=5, nb=LogisticRegression(), rule="conjunctive")
    assert other.get_params()["tree__max_depth"] == 5
    assert isinstance(dict(other.estimators)["nb"], LogisticRegression)
    assert other.rule == "conjunctive"
    assert clf.get_params()["tree__max_depth"] == 2
    other.set_params(estimators=[("svm", SVC())], svm__C=7)
    assert other.estimators[0][1].C == 7
    with pytest.raises(ValueError, match="Invalid parameter 'forest'"):
        clf.set_params(forest__max_depth=5)


THIRDS = [np.arange(50), np.arange(50, 100), np.arange(100, 150)]


@each("rule, shares", [("stacked", None), (dempster, THIRDS), ("size_mixture", THIRDS)])
def test_a_dropped_member_is_left_out_of_everything(rule, shares):
    three = [*MEMBERS, ("line", LogisticRegression())]
    clf = ensemble(three, rule=rule, subsets=shares).set_params(nb="drop")
    assert clf.get_params()["nb"] == "drop"
    kept = None if shares is None else shares[1:]
    expected = ensemble(three[1:], rule=rule, subsets=kept).fit(X2, Y2)
    fitted = clone(clf).fit(X2, Y2)
    np.testing.assert_array_equal(fitted.predict_proba(X2), expected.predict_proba(X2))
    np.testing.assert_array_equal(fitted.conflict(X2), expected.conflict(X2))
    assert list(fitted.named_estimators_) == ["tree", "line"]
    assert len(fitted.estimators_) == 2
    for name, learned in expected.fusion_by_name_.items():
        assert list(fitted.fusion_by_name_[name]) == list(learned) == ["tree", "line"]


def test_dropping_in_a_search_without_names_nested_and_shown():
    grid = {"tree": ["drop", DecisionTreeClassifier(max_depth=2)], "nb": [GaussianNB(), "drop"]}
    search = GridSearchCV(ensemble(cv=2), grid, cv=2, error_score="raise")
    with pytest.raises(ValueError, match="all classifiers are dropped; an ensemble needs one"):
        search.fit(X2, Y2)
    found = search.set_params(param_grid={"tree": grid["tree"]}).fit(X2, Y2)
    assert len(found.cv_results_["params"]) == 2
    clf = ensemble([GaussianNB(), SVC()]).set_params(classifier1="drop").fit(X2, Y2)
    assert list(clf.named_estimators_) == ["classifier0"]
    assert "drop" in clf._repr_html_()
    outer = ensemble([("inner", ensemble(cv=2)), MEMBERS[0]], rule="stacked")
    outer.set_params(inner__tree="drop").fit(X2, Y2)
    assert list(outer.named_estimators_["inner"].named_estimators_) == ["nb"]
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = GaussianNB().set_fit_request(sample_weight=True)
        routed = ensemble([("tree", "drop"), ("nb", weighted)])
        routed.fit(X2, Y2, sample_weight=np.ones(150))
    assert list(routed.set_params(tree=SVC()).fit(X2, Y2).named_estimators_) == ["tree", "nb"]
    with pytest.raises(TypeError, match=r"estimators\[1\] is \('tree', 'leave'\), expected"):
        ensemble().set_params(tree="leave").fit(X2, Y2)


def test_members_without_names_are_numbered():
    clf = ensemble([GaussianNB(), SVC()]).set_params(classifier1__C=3, classifier0=SVC(C=2))
    assert [member.C for member in clf.estimators] == [2, 3]
    clf.fit(X2, Y2)
    assert clf.named_estimators_["classifier1"] is clf.estimators_[1]


def test_grid_search_pipeline_and_clone():
    grid = {
        "evidentialensemble__tree__max_depth": [1, 3],
        "evidentialensemble__rule": [dempster, "disjunctive"],
    }
    pipeline = make_pipeline(StandardScaler(), ensemble(cv=2))
    search = GridSearchCV(pipeline, grid, cv=2).fit(X2, Y2)
    assert search.best_score_ > 0.6
    copy = clone(search.best_estimator_[-1])
    assert not hasattr(copy, "classes_")
    assert copy.rule == search.best_params_["evidentialensemble__rule"]


def test_string_labels_and_data_frames():
    labels = np.array(["no", "yes"])[Y2]
    frame = pd.DataFrame(X2, columns=list("abcd"))
    shares = [np.arange(80), np.arange(80, 150)]
    plain = ensemble(subsets=shares).fit(X2, Y2)
    named = ensemble(subsets=shares).fit(frame, pd.Series(labels, index=np.arange(150) + 7))
    np.testing.assert_array_equal(named.predict_proba(frame), plain.predict_proba(X2))
    assert named.predict_mass(frame).frame == Frame(["no", "yes"])
    assert named.feature_names_in_.tolist() == list("abcd")
    assert set(named.predict(frame)) == {"no", "yes"}
    assert not hasattr(named.fit(X2, Y2), "feature_names_in_")


def test_weights_are_repetitions():
    weight = np.random.default_rng(0).integers(1, 4, len(Y2))
    rows = np.repeat(np.arange(len(Y2)), weight)
    frozen = [(name, FrozenEstimator(base.fit(X2, Y2))) for name, base in MEMBERS]
    shares = [np.arange(80), np.arange(80, 150)]
    repeated = [np.flatnonzero(np.isin(rows, share)) for share in shares]
    weighted = ensemble(frozen, subsets=shares).fit(X2, Y2, sample_weight=weight)
    longer = ensemble(frozen, subsets=repeated).fit(X2[rows], Y2[rows])
    np.testing.assert_allclose(weighted.predict_proba(X2), longer.predict_proba(X2), rtol=1e-12)


def test_rows_outside_a_subset_need_weight_in_each_class():
    """A member is calibrated on the rows that it has not seen, where they show all classes."""
    y, rows, rule = np.arange(12) % 2, np.arange(4), as_rule("stacked")
    weight = np.ones(12)
    others, _ = _beyond(rule, rows, y, weight)
    assert others.tolist() == list(range(4, 12))
    weight[5::2] = 0  # no weight in the second class
    assert _beyond(rule, rows, y, weight) is None


def test_metadata_routing():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(Y2))
    direct = ensemble([LogisticRegression()]).fit(X2, Y2, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        base = LogisticRegression().set_fit_request(sample_weight=True)
        routed = ensemble([base]).fit(X2, Y2, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict_proba(X2), direct.predict_proba(X2))
    with pytest.raises(TypeError, match="check_input only with metadata routing"):
        ensemble().fit(X2, Y2, check_input=False)


def test_jobs_and_pickles_change_nothing():
    alone = ensemble().fit(X2, Y2)
    with parallel_config(backend="threading"):
        together = ensemble(n_jobs=2).fit(X2, Y2)
    restored = pickle.loads(pickle.dumps(alone))
    for other in (together, restored):
        np.testing.assert_array_equal(other.predict_proba(X2), alone.predict_proba(X2))


class Sure(ClassifierMixin, BaseEstimator):
    """Its score is one feature."""

    def __init__(self, column):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, self.column]


def contradicting(**options):
    """Two members sure of opposite classes in rows 1 and 2 of the three new samples."""
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    y = X[:, 0].astype(int)
    members = [FrozenEstimator(Sure(column).fit(X, y)) for column in (0, 1)]
    isotonic = IsotonicCalibrator(model="bayesian")
    clf = EvidentialEnsemble(
        members, **{"calibrator": isotonic, "rule": "dempster", **options}
    ).fit(X, y)
    return clf, np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def test_total_conflict_is_an_error_that_names_the_rows():
    clf, new = contradicting()
    message = r"in 2 of 3 rows \(first: row 1\).*total_conflict='vacuous'"
    with pytest.raises(TotalConflictError, match=message):
        clf.predict_mass(new)
    assert clf.conflict(new).tolist() == [0, 1, 1]


def test_members_of_three_classes_may_be_in_conflict_with_themselves():
    scores, y = np.repeat(np.eye(3), 5, axis=0), np.repeat(np.arange(3), 5)
    options = {
        "calibrator": BinningCalibrator(n_bins=2, model="bayesian"),
        "total_conflict": "vacuous",
    }
    base = FrozenEstimator(Every().fit(scores, y))
    clf = EvidentialEnsemble([base, base], rule="dempster", **options).fit(scores, y)
    m = clf.predict_mass(np.array([[0.0, 0, 0], [0, 0, 1]]))
    assert m.is_vacuous.tolist() == [True, False]


class Every(Sure):
    """Its scores are its features."""

    def __init__(self):
        pass

    def decision_function(self, X):
        return np.asarray(X)


def test_total_conflict_may_be_vacuous():
    clf, new = contradicting(total_conflict="vacuous")
    m = clf.predict_mass(new)
    assert m.is_vacuous.tolist() == [False, True, True]
    assert m.mass(1).tolist() == [1, 0, 0]
    assert clf.predict_proba(new).tolist() == [[0, 1], [0.5, 0.5], [0.5, 0.5]]
    assert clf.predict_interval(new).tolist() == [[1, 1], [0, 1], [0, 1]]
    assert clf.predict_mass(new[1:]).is_vacuous.all()
    assert clf.predict_set(new).tolist() == [[False, True], [True, True], [True, True]]


def test_a_rule_that_keeps_conflict_needs_no_replacement():
    clf, new = contradicting(total_conflict="vacuous", rule=disjunctive)
    assert clf.predict_mass(new).mass(mask=3).tolist() == [0, 1, 1]


def joined(masses):
    """By Dempster's rule, vacuous in rows of total conflict."""
    sources = [as_beliefs(m, np.array(m.frame.labels)) for m in masses]
    return as_rule("dempster").combine(sources, "vacuous").mass()


def test_many_near_contradictions_are_no_total_conflict():
    """Ten agreements of 1e-40 multiply to less than any float, yet leave an answer."""
    frame = Frame(["a", "b", "c"])
    odd = MassFunction(frame, [1, 4], [[1 - 1e-40, 1e-40], [1.0, 0.0]])
    even = MassFunction(frame, [2, 4], [[1 - 1e-40, 1e-40], [1.0, 0.0]])
    masses = [odd, even] * 5
    assert total_conflict(masses).tolist() == [False, True]
    m = joined(masses)
    assert m.mass("c").tolist() == [1, 0]
    assert m.mass(["a", "b", "c"]).tolist() == [0, 1]


def test_agreement_below_all_floats_is_no_total_conflict():
    """Dempster's rule answers {b}, although 1e-300 squared is no float."""
    frame = Frame(["a", "b", "c"])
    one = MassFunction(frame, [1, 2], [[1, 1e-300], [1, 0]])
    two = MassFunction(frame, [2, 4], [[1e-300, 1], [0, 1]])
    dead = total_conflict([one, two])
    assert dead.tolist() == [False, True]
    m = joined([one, two])
    assert m.mass("b").tolist() == [1, 0]
    assert m.is_vacuous.tolist() == [False, True]


def test_conflict_of_two_is_known_by_hand():
    frame = Frame([0, 1])
    one = MassFunction(frame, [1, 3], [Fraction(1, 2), Fraction(1, 2)])
    two = MassFunction(frame, [2, 3], [Fraction(1, 4), Fraction(3, 4)])
    assert conjunctive(one, two).mass(mask=0) == Fraction(1, 8)
    clf = ensemble().fit(X2, Y2)
    first, second = clf.predict_masses(X2)
    by_hand = first.mass(0) * second.mass(1) + first.mass(1) * second.mass(0)
    np.testing.assert_allclose(clf.conflict(X2), by_hand, rtol=1e-12)


@each(
    ("options", "message"),
    [
        ({"estimators": []}, "estimators is empty"),
        ({"estimators": [("nb", GaussianNB()), ("nb", SVC())]}, "not unique"),
        ({"estimators": [("rule", GaussianNB())]}, "conflict with constructor arguments"),
        ({"rule": "dempsters"}, "rule is 'dempsters', expected .* dempster"),
        ({"rule": "decombine"}, "rule is 'decombine', expected .* dempster"),
        ({"rule": "combine_axis"}, "rule is 'combine_axis', expected .* dempster"),
        ({"rule": "inagaki"}, r"rule is 'inagaki', expected .*with its options, as functools"),
        ({"total_conflict": None}, "total_conflict is None, expected one of 'error', 'vacuous'"),
        ({"subsets": [np.arange(10)]}, "there are 1 subsets for 2 classifiers"),
        ({"subsets": [[0, 1, 2], [3, 150]]}, "row 150 in the subset of 'tree' is out of range"),
        ({"subsets": [[0, 1, 2], [-1, 3]]}, "row -1 in the subset of 'tree' is out of range"),
        ({"subsets": [[0, 1, 5, 9], [2, 5]]}, "row 5 is in the subsets of 'nb' and 'tree'"),
        ({"subsets": [[0, 1, 2, 2], [4]]}, "row 2 is twice in the subset of 'nb'"),
        ({"subsets": [np.flatnonzero(Y2), []]}, "class 0 is missing from the subset of 'nb'"),
    ],
)
def test_wrong_values_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ensemble(**options).fit(X2, Y2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimators": GaussianNB()}, "estimators is a list of classifiers"),
        ({"estimators": [GaussianNB]}, r"estimators\[0\] is .* expected a classifier"),
        ({"estimators": [("nb", GaussianNB()), SVC()]}, r"estimators\[1\] is SVC\(\), expected"),
        ({"subsets": 5}, "subsets is 5, expected a list of arrays of row numbers"),
        ({"subsets": [Y2 == 0, Y2 == 1]}, "np.flatnonzero turns a mask into one"),
    ],
)
def test_wrong_kinds_are_refused(options, message):
    with pytest.raises(TypeError, match=message):
        ensemble(**options).fit(X2, Y2)


def test_an_error_of_a_member_tells_whose_it_is():
    few = np.concatenate([np.flatnonzero(k == Y2)[-2:] for k in (0, 1)])
    shares = [np.arange(100), few]
    with pytest.raises(ValueError, match="each of 3 folds needs one") as caught:
        ensemble(subsets=shares).fit(X2, Y2)
    assert caught.value.__notes__ == ["while fitting 'tree' on 4 samples"]


def test_members_of_other_classes_are_refused():
    three = FrozenEstimator(EvidentialClassifier(GaussianNB(), calibrator=BINS).fit(X3, Y3))
    with pytest.raises(ValueError, match=r"'classifier1' has classes \[0, 1, 2\], but y has"):
        ensemble([GaussianNB(), three]).fit(X2, Y2)
    with pytest.raises(ValueError, match="y has one class only"):
        ensemble().fit(X2, np.zeros(150))
    with pytest.raises(NotFittedError):
        ensemble().predict_mass(X2)
