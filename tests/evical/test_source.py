"""EvidentialSource: classifiers of some columns, some rows, some differences, and their fusion."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from dstheory import betp
from dstheory.errors import CostLimitError
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, EvidentialSource
from evical.calibrators import BinningCalibrator, LogisticCalibrator
from evical.errors import WrongWayWarning
from evical.fusion import Stacked
from tests.support.contract import check_contract
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities

BINS = BinningCalibrator(n_bins=4, model="dempster")
Y2 = np.arange(240) % 3 % 2
X2 = np.random.default_rng(1).normal(size=(240, 4)) + 1.5 * Y2[:, np.newaxis]
X3, Y3 = load_iris(return_X_y=True)
LETTERS = np.array(["a", "b", "c"])[Y3]
GONE = np.random.default_rng(0).uniform(size=(240, 2)) < 0.3
M2, M3 = X2.copy(), X3.copy()
for column in range(4):
    M2[GONE[:, column // 2], column] = np.nan
    M3[GONE[:150, column // 2], column] = np.nan
RULES = [
    "stacked",
    "dempster",
    "cautious",
    "size_mixture",
    "likelihood_mixture",
    "discounted",
    "contextually_discounted",
    "learned_tnorm",
]
HERE = EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any")
THERE = EvidentialSource(GaussianNB(), columns=[2, 3], silent_if_missing="any")
SOURCES = [("here", HERE), ("there", THERE)]


FOLDS_DIFFER = {
    "check_sample_weight_equivalence_on_dense_data": "its folds are of fixed rows",
    "check_sample_weight_equivalence_on_sparse_data": "its folds are of fixed rows",
}


def test_scikit_learn_contract():
    source = EvidentialSource(EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2))
    check_contract(source, FOLDS_DIFFER)


@pytest.mark.parametrize(("X", "y"), [(M2, Y2), (M3, Y3)], ids=["two", "three"])
def test_silent_where_its_columns_are_missing(X, y):
    gone = GONE[: len(y), 0]
    source = EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any").fit(X, y)
    m = source.predict_mass(X)
    assert m.is_vacuous.tolist() == gone.tolist()
    alone = EvidentialClassifier(GaussianNB()).fit(X[~gone][:, :2], y[~gone])
    assert m[~gone].equals(alone.predict_mass(X[~gone][:, :2]), atol=1e-12)
    even = np.full(len(np.unique(y)), 1 / len(np.unique(y)))
    np.testing.assert_allclose(source.predict_proba(X)[gone], np.tile(even, (gone.sum(), 1)))
    np.testing.assert_allclose(source.predict_proba(X), betp(m), atol=1e-9)
    assert source.predict_mass(X[gone]).is_vacuous.all()
    np.testing.assert_allclose(source.predict_proba(X[gone])[0], even)
    assert source.n_features_in_ == 4


@each("rule", RULES)
@each(("X", "y"), [(M2, Y2), (M3, Y3)], ids=["two", "three"])
def test_every_rule_fuses_silent_sources(rule, X, y):
    """One source alone is as good as its own belief, under rules to which silence is neutral."""
    clf = EvidentialEnsemble(SOURCES, rule=rule, cv=2, calibrator=BINS).fit(X, y)
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p, betp(clf.predict_mass(X)), atol=1e-6)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    told = ~GONE[: len(y)].all(axis=1)
    assert np.mean(clf.predict(X)[told] == y[told]) > 0.75
    one = GONE[: len(y), 1] & ~GONE[: len(y), 0]
    if rule in ("dempster", "cautious"):
        alone = clf.named_estimators_["here"].predict_mass(X[one])
        np.testing.assert_allclose(p[one], betp(alone), atol=1e-9)
    lower, upper = np.moveaxis(clf.predict_interval(X), -1, 0)
    assert ((lower >= -1e-9) & (lower <= upper + 1e-9)).all()


def test_the_fusion_learns_from_out_of_fold_beliefs_about_rows_that_are_told():
    """As from each source alone, by hand."""
    clf = EvidentialEnsemble(SOURCES, cv=3).fit(M2, Y2)
    beliefs = np.full((2, 240, 2), np.nan)
    for number, columns in enumerate(([0, 1], [2, 3])):
        rows = ~GONE[:, number]
        alone = EvidentialClassifier(GaussianNB(), cv=3, ensemble="auto")
        scored = alone._fit(M2[rows][:, columns], Y2[rows])
        beliefs[number, rows] = alone.calibrated_classifiers_[0].beliefs_of(scored.scores).betp()
    sizes = (~GONE).sum(axis=0)
    expected = fit_to_probabilities(Stacked(), beliefs, Y2, [0, 1], sizes)
    np.testing.assert_allclose(clf.fusion_.weights_, expected.weights_, atol=1e-9)


@pytest.mark.parametrize(
    ("calibrator", "ensemble"), [(LogisticCalibrator(model="confidence"), "auto"), (BINS, True)]
)
def test_named_calibrators_are_refitted_without_each_fold(calibrator, ensemble):
    member = EvidentialClassifier(GaussianNB(), calibrator=calibrator, cv=3, ensemble=ensemble)
    parts = [
        EvidentialSource(member, columns=[0, 1], silent_if_missing="any"),
        EvidentialSource(member, columns=[2, 3], coarsening={"a": "ab", "b": "ab"}),
    ]
    X = M3.copy()
    X[:, 2:] = X3[:, 2:]
    clf = EvidentialEnsemble(parts).fit(X, LETTERS)
    assert clf.score(X, LETTERS) > 0.7


def test_weights_and_groups_reach_the_classifier():
    groups = np.arange(240) // 2
    weight = np.where(np.arange(240) % 4 < 2, 2.0, 1.0)
    clf = EvidentialEnsemble(SOURCES, cv=3).fit(M2, Y2, sample_weight=weight, groups=groups)
    assert clf.score(M2, Y2) > 0.75
    source = EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any")
    source.fit(M2, Y2, sample_weight=weight)
    rows = ~GONE[:, 0]
    alone = EvidentialClassifier(GaussianNB())
    alone.fit(M2[rows][:, :2], Y2[rows], sample_weight=weight[rows])
    np.testing.assert_allclose(source.predict_proba(M2[rows]), alone.predict_proba(M2[rows][:, :2]))


def test_routed_weights():
    with sklearn.config_context(enable_metadata_routing=True):
        nb = EvidentialClassifier(GaussianNB().set_fit_request(sample_weight=True), cv=3)
        nb.set_fit_request(sample_weight=True)
        source = EvidentialSource(nb, columns=[0, 1]).set_fit_request(sample_weight=True)
        weight = np.linspace(1, 2, 240)
        routed = EvidentialEnsemble([source]).set_fit_request(sample_weight=True)
        p = routed.fit(X2, Y2, sample_weight=weight).predict_proba(X2)
    plain = EvidentialSource(EvidentialClassifier(GaussianNB(), cv=3), columns=[0, 1])
    expected = EvidentialEnsemble([plain]).fit(X2, Y2, sample_weight=weight).predict_proba(X2)
    np.testing.assert_allclose(p, expected, atol=1e-12)


def test_weights_are_routed_to_classifiers_that_it_made():
    X, y, weight = X2[:40], Y2[:40], np.linspace(1, 2, 40)
    options = {"calibrator": LogisticCalibrator()}
    fusion = EvidentialFusion("dempster", **options)
    alone = fusion.fit([X[:, 0]], y, sample_weight=weight).predict_proba([X[:, 0]])
    nb = GaussianNB()
    source = EvidentialSource(nb, columns=[0]).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        nb.set_fit_request(sample_weight=True)
        routed = EvidentialSource(nb, columns=[0]).fit(X, y, sample_weight=weight)
        fusion.fit([X[:, 0]], y, sample_weight=weight)
        knn = EvidentialClassifier(KNeighborsClassifier(), cv=2, **options)
        with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
            knn.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict_proba(X), source.predict_proba(X))
    np.testing.assert_array_equal(fusion.predict_proba([X[:, 0]]), alone)


@each("columns", [[None], [9], ["z", "w"], "w", 3.5, [0, "x"], [True]])
@each("is_frame", [False, True])
def test_columns_that_are_not_there(columns, is_frame):
    table = pd.DataFrame(X3, columns=list("xyzu")) if is_frame else X3
    source = EvidentialSource(GaussianNB(), columns=columns)
    with pytest.raises(ValueError, match=r"^columns are .*, expected numbers below 4, names of a"):
        source.fit(table, Y3)


@pytest.mark.parametrize(
    "columns", [["x", "y"], [0, 1], slice(0, 2), lambda X: ["x", "y"], [True, True, False, False]]
)
def test_columns_of_a_frame(columns):
    frame = pd.DataFrame(X3, columns=list("xyzu"))
    source = EvidentialSource(GaussianNB(), columns=columns).fit(frame, Y3)
    expected = EvidentialClassifier(GaussianNB()).fit(X3[:, :2], Y3).predict_proba(X3[:, :2])
    np.testing.assert_allclose(source.predict_proba(frame), expected)
    assert source.feature_names_in_.tolist() == list("xyzu")
    with pytest.raises(ValueError, match="feature names should match"):
        source.predict_proba(frame[list("yxzu")])


@pytest.mark.parametrize("column", [2, "z"])
def test_one_column(column):
    frame = pd.DataFrame(X3.copy(), columns=list("xyzu"))
    source = EvidentialSource(GaussianNB(), columns=column, silent_if_missing="any").fit(frame, Y3)
    assert source.score(frame, Y3) > 0.9
    frame.loc[3, "z"] = pd.NA
    assert source.predict_mass(frame).is_vacuous.nonzero()[0].tolist() == [3]


def test_classifiers_that_take_missing_numbers_are_silent_if_all_are_missing():
    filled = make_pipeline(SimpleImputer(), GaussianNB())
    X = M2.copy()
    X[:50, 0] = np.nan
    for classifier in (filled, HistGradientBoostingClassifier(max_iter=5)):
        source = EvidentialSource(classifier, columns=[0, 1], silent_if_missing="all").fit(X, Y2)
        assert source.predict_mass(X).is_vacuous.tolist() == GONE[:, 0].tolist()


def test_missing_objects():
    X = X2[:, :2].astype(object)
    X[3, 0], X[5, 1] = None, np.nan
    source = EvidentialSource(GaussianNB(), silent_if_missing="any").fit(X, Y2)
    assert source.predict_mass(X).is_vacuous.nonzero()[0].tolist() == [3, 5]
    numbers = np.random.default_rng(0).integers(0, 5, (240, 2))
    source = EvidentialSource(GaussianNB(), silent_if_missing="any").fit(numbers, Y2)
    assert not source.beliefs(numbers).silent.any()


def test_sparse_samples_pass_only():
    X = csr_array(np.abs(X2))
    source = EvidentialSource(LogisticRegression(), columns=[0, 1]).fit(X, Y2)
    assert source.predict(X).shape == (240,)
    with pytest.raises(TypeError, match="X is sparse, but silent_if_missing looks for"):
        EvidentialSource(LogisticRegression(), silent_if_missing="any").fit(X, Y2)


def test_merged_classes_get_the_vacuous_extension():
    inner = EvidentialClassifier(GaussianNB(), cv=StratifiedKFold(3))
    source = EvidentialSource(inner, coarsening={"a": "ab", "b": "ab"}).fit(X3, LETTERS)
    merged = np.where(LETTERS == "c", "c", "ab")
    alone = inner.fit(X3, merged).predict_mass(X3)
    m = source.predict_mass(X3)
    assert source.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(m.mass(["a", "b"]), alone.mass("ab"))
    np.testing.assert_allclose(m.mass("c"), alone.mass("c"))
    np.testing.assert_allclose(m.mass(["a", "b", "c"]), alone.mass(["ab", "c"]))
    assert not m.bel("a").any()
    p = source.predict_proba(X3)
    np.testing.assert_allclose(p[:, 0], p[:, 1])


@each("rule", RULES)
def test_every_rule_fuses_merged_classes(rule):
    rough = EvidentialSource(GaussianNB(), columns=[2, 3], coarsening={"a": "ab", "b": "ab"})
    fine = EvidentialSource(GaussianNB(), columns=[0, 1])
    both = [("rough", rough), ("fine", fine)]
    calibrator = LogisticCalibrator(model="confidence")
    clf = EvidentialEnsemble(both, rule=rule, cv=2, calibrator=calibrator).fit(X3, LETTERS)
    assert clf.score(X3, LETTERS) > 0.81  # 0.80 of `fine` alone
    np.testing.assert_allclose(clf.predict_proba(X3), betp(clf.predict_mass(X3)), atol=1e-6)


def test_folds_keep_the_shares_of_the_classes_that_are_merged():
    """Rows are in the order of their classes: by merged labels, a fold would have no b at all."""
    source = EvidentialSource(
        EvidentialClassifier(GaussianNB(), cv=2), coarsening={"a": "ab", "b": "ab"}
    )
    source.fit(X3, LETTERS)
    assert np.mean((source.predict_proba(X3)[:, 2] > 0.5) == (LETTERS == "c")) > 0.9
    assert source.estimator_.cv == 2
    groups = np.arange(150) // 2
    assert source.fit(X3, LETTERS, groups=groups).predict(X3).shape == (150,)
    rare = EvidentialSource(GaussianNB(), coarsening={"d": "a"})
    assert rare.fit(np.vstack([X3, X3[:1]]), np.append(LETTERS, "d")).classes_.tolist()[-1] == "d"


def test_nothing_is_learned_between_merged_classes():
    """By sources that cannot tell a from b, the odds of a and b are those of the sample."""
    merged = {"a": "ab", "b": "ab"}
    X = X3 + np.random.default_rng(0).normal(size=X3.shape)
    rng = np.random.default_rng(1)
    letters = np.where(LETTERS == "c", "c", np.where(rng.uniform(size=150) < 0.5, "a", "b"))
    sources = [EvidentialSource(GaussianNB(), columns=c, coarsening=merged) for c in ([0, 1], [2])]
    p = EvidentialEnsemble(sources).fit(X, letters).predict_proba(X)
    odds = np.log(p[:, 0] / p[:, 1])
    share = np.log(np.mean(letters == "a") / np.mean(letters == "b"))
    assert np.abs(odds - share).max() < 0.25
    assert np.ptp(np.log(p[:, 0] / p[:, 2])) > 3


def test_labels_of_any_kind_are_merged():
    source = EvidentialSource(GaussianNB(), coarsening={0: "low", 1: "low"}).fit(X3, Y3)
    assert source.estimator_.classes_.tolist() == ["2", "low"]
    assert source.predict_mass(X3).frame.labels == (0, 1, 2)


def test_many_classes_are_merged_for_the_learned_fusion_only():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 20
    X = rng.normal(size=(400, 20)) + 2 * np.eye(20)[y]
    half = {k: f"group {k // 5}" for k in range(20)}
    one = EvidentialSource(GaussianNB(), coarsening=half)
    clf = EvidentialEnsemble([one, GaussianNB()], cv=2, calibrator=BINS).fit(X, y)
    assert clf.predict_interval(X[:3]).shape == (3, 20, 2)
    with pytest.raises(CostLimitError, match=r"merges 20 classes to 4; .*take rule='stacked'"):
        EvidentialEnsemble([one, GaussianNB()], cv=2, rule="dempster").fit(X, y)
    finer = EvidentialSource(GaussianNB(), coarsening={0: "first", 1: "first"})
    with pytest.raises(CostLimitError, match=r"merges 20 classes to 19; .*to 16 or fewer"):
        EvidentialEnsemble([finer, GaussianNB()], cv=2).fit(X, y)


@pytest.mark.parametrize(
    "rule", ["stacked", "dempster", "size_mixture", "likelihood_mixture", "discounted"]
)
def test_silent_sources_of_many_classes(rule):
    rng = np.random.default_rng(0)
    y = np.arange(170) % 17
    X = rng.normal(size=(170, 17)) + 3 * np.eye(17)[y]
    X[rng.uniform(size=170) < 0.2, :10] = np.nan
    parts = [
        EvidentialSource(GaussianNB(), columns=slice(0, 10), silent_if_missing="any"),
        EvidentialSource(GaussianNB(), columns=slice(10, 17)),
    ]
    clf = EvidentialEnsemble(parts, cv=2, rule=rule, calibrator=BINS).fit(X, y)
    assert clf.score(X, y) > 0.5
    assert clf.predict_interval(X[:5]).shape == (5, 17, 2)


def test_frozen_sources():
    source = EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any")
    frozen = FrozenEstimator(source.fit(M2[:120], Y2[:120]))
    clf = EvidentialEnsemble([frozen, THERE], cv=3).fit(M2[120:], Y2[120:])
    assert clf.estimators_[0].predict_mass(M2).is_vacuous.tolist() == GONE[:, 0].tolist()
    nb = GaussianNB().fit(X2[:120, :2], Y2[:120])
    half = EvidentialSource(FrozenEstimator(nb), columns=[0, 1], silent_if_missing="any")
    assert half.fit(M2[120:], Y2[120:]).score(M2, Y2) > 0.5


def test_a_source_may_be_an_ensemble():
    inner = EvidentialEnsemble([GaussianNB(), LogisticRegression()], cv=2, calibrator=BINS)
    parts = [EvidentialSource(inner, columns=[0, 1], silent_if_missing="any"), THERE]
    assert EvidentialEnsemble(parts, cv=2, calibrator=BINS).fit(M2, Y2).score(M2, Y2) > 0.75


def test_searches_and_cross_validation():
    clf = EvidentialEnsemble(SOURCES, cv=2, calibrator=BINS)
    assert cross_val_score(clf, M2, Y2, cv=2).mean() > 0.7
    search = GridSearchCV(clf, {"here__columns": [[0], [0, 1]]}, cv=2).fit(M2, Y2)
    assert search.best_params_["here__columns"] in ([0], [0, 1])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"silent_if_missing": "some"}, ValueError, "silent_if_missing is 'some', expected one of"),
        ({"coarsening": ["a"]}, TypeError, "coarsening is .*a dict from classes to labels"),
        ({"coarsening": {"d": "x"}}, ValueError, "coarsening has 'd', which is not a class of y"),
        (
            {"coarsening": {"a": "x", "b": "x", "c": "x"}},
            ValueError,
            "gives all classes the label 'x'; a source must separate at least two",
        ),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        EvidentialSource(GaussianNB(), **options).fit(X3, LETTERS)


def test_a_class_about_which_it_never_speaks():
    X = X3.copy()
    X[LETTERS == "b", 0] = np.nan
    source = EvidentialSource(GaussianNB(), silent_if_missing="any")
    message = "class 'b' has 50 samples, but the source is available for none of them"
    with pytest.raises(ValueError, match=message):
        source.fit(X, LETTERS)
    with pytest.raises(ValueError, match=message) as caught:
        EvidentialEnsemble(
            [("lab", source), ("nb", EvidentialSource(GaussianNB(), columns=1))]
        ).fit(X, LETTERS)
    assert "while fitting 'lab'" in str(caught.value.__notes__)
    merged = EvidentialSource(GaussianNB(), silent_if_missing="any", coarsening={"b": "a"})
    assert merged.fit(X, LETTERS).predict_mass(X).is_vacuous.tolist() == (LETTERS == "b").tolist()


def test_new_samples_have_the_same_columns():
    source = EvidentialSource(GaussianNB(), columns=[0, 1]).fit(X3, Y3)
    with pytest.raises(ValueError, match=re.escape("X has 3 features, but EvidentialSource")):
        source.predict(X3[:, :3])


def test_one_warning_of_scores_that_point_the_wrong_way():
    wrong = FrozenEstimator(GaussianNB().fit(X2[:, :2], 1 - Y2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        EvidentialEnsemble(
            [EvidentialSource(wrong, columns=[0, 1], silent_if_missing="any"), THERE], cv=3
        ).fit(M2, Y2)
    assert [one.category for one in caught] == [WrongWayWarning]
