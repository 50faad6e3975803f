"""Many classes: ensembles and decisions without a list of sets, and refusals before training."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from dstheory import decide
from dstheory.combine import conjunctive, dempster, mixing
from dstheory.transform import betp
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, EvidentialSource
from evical.beliefs.composed import joined, mean, placed
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.fusion import Mixture
from evical.metrics import log_loss
from evical.multiclass import OneVsRestCalibrator, SoftmaxCalibrator, StructuredMatrixCalibrator
from tests.support.each import each

BINS = BinningCalibrator(n_bins=2)
STEPS = IsotonicCalibrator()
BY_MARGINS = StructuredMatrixCalibrator(transform=None)

CRITERIA = [
    "interval_dominance",
    "strong_dominance",
    "weak_dominance",
    "maximality",
    "maximin",
    "maximax",
    "hurwicz",
    "maximize_expected_utility",
    "minimax_regret",
]


def samples(n_classes, per_class=10, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_classes * per_class) % n_classes
    return np.eye(n_classes)[y] + rng.normal(0, 0.4, (len(y), n_classes)), y


def ensemble(members=None, **options):
    members = members or [GaussianNB(), RidgeClassifier(), NearestCentroid()]
    return EvidentialEnsemble(
        members, **{"calibrator": BINS, "cv": 2, "rule": "dempster", **options}
    )


def utilities(n_classes):
    """Acts of three kinds: decided by Bel and Pl of single classes, and not."""
    rng = np.random.default_rng(1)
    reject = np.full((1, n_classes), 0.6)
    return {
        "classes": np.eye(n_classes),
        "reject": np.concatenate([np.eye(n_classes), reject]),
        "any": rng.integers(-3, 4, (6, n_classes)).astype(float),
    }


@each("n_classes", [3, 7])
@each("rule", [dempster, "mixing", partial(mixing, weights=[0.25, 0.5, 0.25])])
def test_closed_forms_are_the_rule_over_sets(n_classes, rule):
    X, y = samples(n_classes)
    clf = ensemble(rule=rule).fit(X, y)
    masses = clf.predict_masses(X)
    m = clf.fusion_(*masses)
    assert clf.predict_mass(X).equals(m, 1e-12)
    np.testing.assert_allclose(clf.predict_proba(X), betp(m), atol=1e-12)
    bounds = clf.predict_interval(X)
    np.testing.assert_allclose(bounds[..., 1], m.contour(), atol=1e-12)
    for k in range(n_classes):
        np.testing.assert_allclose(bounds[:, k, 0], m.bel(k), atol=1e-12)
    np.testing.assert_allclose(clf.conflict(X), conjunctive(*masses).mass(mask=0), atol=1e-12)


@pytest.fixture(scope="module")
def decided():
    """Samples of five classes, and a classifier and an ensemble with their masses there."""
    X, y = samples(5)
    fitted = (
        EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2).fit(X, y),
        ensemble().fit(X, y),
    )
    return X, [(clf, clf.predict_mass(X)) for clf in fitted]


@each("kind", ["classes", "reject", "any"])
@each("criterion", CRITERIA)
def test_criteria_without_sets_decide_as_over_sets(kind, criterion, decided):
    X, fitted = decided
    matrix = utilities(5)[kind]
    rule = getattr(decide, criterion)
    for clf, m in fitted:
        expected = np.asarray(rule(m, matrix))
        if expected.dtype != bool:
            expected = expected[:, np.newaxis] == np.arange(len(matrix))
        clear = _clear(m, matrix)
        for given in (criterion, rule, partial(rule)) if kind == "classes" else (criterion,):
            found = clf.predict_set(X, matrix, criterion=given)
            np.testing.assert_array_equal(found[clear], expected[clear])
        assert clear.sum() > 20


def _clear(m, matrix):
    """Rows in which no two values are nearly equal, so that rounding decides nothing."""
    lower, upper = (
        decide.lower_expected_utility(m, matrix),
        decide.upper_expected_utility(m, matrix),
    )
    middle, mean = (lower + upper) / 2, decide.expected_utility(m, matrix)
    sides = np.concatenate([lower, upper], axis=1)
    rows = [np.diff(np.sort(values, axis=1), axis=1) for values in (middle, mean, sides)]
    distinct = [np.where(gaps < 1e-15, 1, gaps).min(axis=1) > 1e-9 for gaps in rows]
    return np.logical_and.reduce(distinct)


def test_twenty_six_classes_are_predicted_and_decided():
    X, y = samples(26, per_class=4)
    for clf in (EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2), ensemble()):
        clf.fit(X, y)
        p, bounds = clf.predict_proba(X), clf.predict_interval(X)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-9)
        assert (bounds[..., 0] <= p + 1e-9).all()
        assert (p <= bounds[..., 1] + 1e-9).all()
        assert clf.score(X, y) > 0.3  # chance is 0.04
        kept = bounds[..., 1] >= bounds[..., 0].max(axis=1, keepdims=True) - 1e-12
        np.testing.assert_array_equal(clf.predict_set(X), kept)
        for kind, matrix in utilities(26).items():
            for criterion in CRITERIA if kind != "classes" else ():
                assert clf.predict_set(X[:5], matrix, criterion).any(axis=1).all(), kind
        with pytest.raises(ValueError, match=r"2\^26 sets, 512 MB of masses a sample") as refused:
            clf.predict_set(X, criterion="e_admissibility")
        assert "needs the masses of all sets of classes" in refused.value.__notes__[0]
        with pytest.raises(
            ValueError, match=r"predict_mass\(..., sets='singletons'\) lists single"
        ):
            clf.predict_mass(X)
        m = clf.predict_mass(X, sets="singletons")
        np.testing.assert_allclose(m.masses[:, :26], bounds[..., 0], atol=1e-12)
    assert ((clf.conflict(X) >= 0) & (clf.conflict(X) < 1)).all()


def test_other_rules_and_members_of_many_classes():
    X, y = samples(18, per_class=4)
    together = EvidentialClassifier(RidgeClassifier(), calibrator=OneVsRestCalibrator(BINS), cv=2)
    coupled = EvidentialClassifier(GaussianNB(), calibrator=BINS, coupling="normalize", cv=2)
    members = [together, coupled, GaussianNB()]
    for rule in (
        "stacked",
        "dempster",
        "mixing",
        "size_mixture",
        "likelihood_mixture",
        Mixture(weights=[1, 2, 3]),
    ):
        clf = ensemble(members, rule=rule).fit(X, y)
        members = [FrozenEstimator(member) for member in clf.estimators_]  # trained by the first
        np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1, rtol=1e-9)
    probabilities = ensemble([coupled, coupled], rule="murphy").fit(X, y)
    assert probabilities.predict_mass(X[:3]).is_bayesian.all()
    nested = ensemble([ensemble(), coupled]).fit(X, y)
    np.testing.assert_allclose(nested.predict_proba(X).sum(axis=1), 1, rtol=1e-9)
    alone = ensemble([GaussianNB()]).fit(X, y)
    expected = alone.estimators_[0].predict_interval(X)
    np.testing.assert_allclose(alone.predict_interval(X), expected, rtol=1e-12)


def test_a_class_that_only_frozen_classifiers_know():
    X, y = samples(5, per_class=80)
    names = np.array(list("abcde"))
    known = [FrozenEstimator(one.fit(X, names[y])) for one in (GaussianNB(), RidgeClassifier())]
    Z, z = samples(5, per_class=40, seed=1)
    keep, new = z != 2, samples(5, per_class=200, seed=2)
    few, labels = Z[keep], names[z[keep]]
    for clf in (
        EvidentialClassifier(known[0]),
        EvidentialClassifier(known[1], calibrator=BY_MARGINS, cv=2, ensemble=True),
        EvidentialSource(EvidentialClassifier(known[0]), silent_if_missing="any"),
        EvidentialEnsemble(known),
        EvidentialEnsemble([FrozenEstimator(EvidentialClassifier(known[0]).fit(few, labels))]),
    ):
        clf.fit(few, labels)
        assert clf.classes_.tolist() == names.tolist()
        whole = clone(clf).fit(Z, names[z])
        p, truth = clf.predict_proba(new[0]), names[new[1]]
        assert log_loss(truth, p) < 1.1 * log_loss(truth, whole.predict_proba(new[0]))
        likely = (p > 0.05) & (p < 0.95)
        narrow, wide = (
            np.median(np.ptp(one.predict_interval(new[0]), axis=2)[likely[:, 2], 2])
            for one in (whole, clf)
        )
        assert wide > narrow or wide == narrow == 0


def test_a_class_that_only_sources_know():
    X, y = samples(5, per_class=80)
    p = GaussianNB().fit(X, y).predict_proba(samples(5, per_class=40, seed=1)[0])
    truth = samples(5, per_class=40, seed=1)[1]
    rows = truth != 2
    fusion = EvidentialFusion(classes=range(5)).fit([p[rows], p[rows]], truth[rows])
    assert fusion.score([p, p], truth) > 0.9 * (p.argmax(axis=1) == truth).mean()


@each(
    ("options", "message"),
    [
        ({"calibrator": "isotonic"}, "class 2 has no sample, which IsotonicCalibrator needs; use"),
        ({"calibrator": SoftmaxCalibrator()}, "has no sample, which SoftmaxCalibrator needs; use"),
        ({"coupling": "normalize"}, "has no sample, which AutoCalibrator needs; use AutoMulticl"),
    ],
)
def test_calibrators_that_need_each_class_refuse(options, message):
    X, y = samples(5)
    known = FrozenEstimator(GaussianNB().fit(X, y))
    rows = y != 2
    with pytest.raises(ValueError, match=message):
        EvidentialClassifier(known, **options).fit(X[rows], y[rows])
    known = FrozenEstimator(EvidentialClassifier(known).fit(X[rows], y[rows]))
    with pytest.raises(ValueError, match=r"'classifier1' has classes \[0, 1, 3, 4\], but 'classif"):
        EvidentialEnsemble([known, GaussianNB()]).fit(X[rows], y[rows])


class Untrainable(ClassifierMixin, BaseEstimator):
    """Whoever trains it has not looked at the classes first."""

    def fit(self, X, y):
        raise AssertionError("trained")


@each(
    ("options", "message"),
    [
        ({"rule": "yager"}, r"18 classes have 2\^18 sets, 2 MB .* rule yager takes them all"),
        (
            {"members": [Untrainable()] * 9, "rule": "discounted"},
            "rates of 9 sources of 18 classes are learned from the 512 choices",
        ),
        ({"rule": "learned_tnorm"}, r"rule TNorm\(\) takes them all from 'classifier0'"),
        (
            {"members": [Untrainable()] * 15, "rule": "dempster"},
            r"2 x 2 .* = 32768 a sample \(at most 16384\)",
        ),
        (  # the default calibrates all classes together, whose belief is a product for each set
            {
                "members": [EvidentialClassifier(Untrainable(), ensemble=False)] * 4,
                "rule": "dempster",
            },
            r"19 x 19 x 19 x 19 = 130321 a sample .*, calibrator=AutoCalibrator\(\)",
        ),
        (
            {"members": [EvidentialClassifier(Untrainable(), code="all_pairs")] * 2},
            "'classifier0' has code 'all_pairs'.* take code='one_vs_rest', or a coupling",
        ),
        (
            {
                "members": [EvidentialClassifier(Untrainable(), code="all_pairs")] * 2,
                "rule": "dempster",
            },
            "'classifier0' has code 'all_pairs'.* take code='one_vs_rest', or a coupling",
        ),
    ],
)
def test_what_could_not_predict_is_refused_before_training(options, message):
    X, y = samples(18, per_class=2)
    options = {"members": [Untrainable()] * 3, **options}
    members = options.pop("members")
    clf = EvidentialEnsemble(members, calibrator=LogisticCalibrator(), cv=2, **options)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y)


def test_many_classifiers_of_few_classes_take_a_table():
    """2^9 products, but 2^4 sets."""
    X, y = samples(4)
    clf = ensemble([GaussianNB()] * 9).fit(X, y)
    m = dempster(*clf.predict_masses(X))
    np.testing.assert_allclose(clf.predict_proba(X), betp(m), atol=1e-12)
    np.testing.assert_allclose(clf.predict_interval(X)[..., 1], m.contour(), atol=1e-12)
    assert clf.predict_mass(X).equals(m, 1e-12)


def test_discounted_sources_of_many_classes():
    """Rates are learned without a list of sets, and predictions are Dempster's rule."""
    y = np.arange(360) % 18
    X = np.random.default_rng(0).normal(size=(360, 18)) + 3 * np.eye(18)[y]
    noise = np.random.default_rng(1).normal(size=(360, 2))
    good = EvidentialSource(GaussianNB(), columns=slice(0, 18))
    bad = EvidentialSource(GaussianNB(), columns=slice(18, 20))
    clf = EvidentialEnsemble([good, bad], rule="discounted", cv=2, calibrator=STEPS)
    clf.fit(np.hstack([X, noise]), y)
    rates = clf.fusion_.rates_
    assert rates[0] < 0.3
    p = clf.predict_proba(np.hstack([X, noise])[:9])
    nothing = placed(np.arange(18), 9, [])
    sources = [
        mean([member.beliefs(np.hstack([X, noise])[:9]), nothing], [1 - rate, rate])
        for member, rate in zip(clf.estimators_, rates.tolist(), strict=True)
    ]
    np.testing.assert_allclose(p, joined(sources).betp(), atol=1e-12)
    assert clf.predict_interval(np.hstack([X, noise])[:9]).shape == (9, 18, 2)
    assert (p.argmax(axis=1) == y[:9]).mean() > 0.7
