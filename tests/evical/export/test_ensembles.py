"""Ensembles as ONNX, executed by onnxruntime: every rule that is a closed formula."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from dstheory.combine import mixing
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialSource
from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.export import to_onnx
from evical.export._graph import DOUBLE, Graph
from evical.export._stacked import Source, stacked
from evical.export._tensor import Tensor
from evical.fusion import Discounted, Mixture, Stacked
from evical.fusion._log_pool import LogPool
from tests.evical.export.test_onnx import in_onnxruntime
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities, fuse_probabilities

DATA, CLASSES = load_breast_cancer(return_X_y=True)
NAMED = np.where(CLASSES, "benign", "cancer")
X, Y, NEW = DATA[:300, :5], NAMED[:300], DATA[300:, :5]
ROWS = np.concatenate([NEW, 3 * NEW, -9 * NEW])  # beyond the training scores too
MEMBERS = [
    make_pipeline(StandardScaler(), classifier)
    for classifier in (LogisticRegression(), LinearSVC(), LinearDiscriminantAnalysis())
]
RULES = {
    "stacked": "stacked",
    "stacked, intervals": Stacked(model="confidence", confidence=0.9),
    "stacked, probabilities": Stacked(model="bayesian", penalty=5.0),
    "mean": "mixing",
    "weighted mean": partial(mixing, weights=[0.5, 0.3, 0.2]),
    "by size": "size_mixture",
    "likely": Mixture(weights="likelihood"),
    "dempster": "dempster",
    "discounted": "discounted",
    "given rates": Discounted(rates=[0.1, 0.5, 1.0]),
    "by class": "contextually_discounted",
    "disjunctive": "disjunctive",
    "yager": "yager",
    "p-values, mean": "valid_mean",
    "p-values, minimum": "valid_minimum",
}


def check(model, fitted, rows, atol=1e-9, seen=None):
    """Every output is what Python predicts, of rows as the classifier has seen them."""
    found = in_onnxruntime(model, X=rows)
    rows = rows if seen is None else seen
    assert list(found) == ["label", "probabilities", "beliefs"]
    p, ends = fitted.predict_proba(rows), fitted.predict_interval(rows)
    assert found["probabilities"].shape == p.shape
    assert np.abs(found["probabilities"] - p).max() <= atol
    assert found["beliefs"][..., :2].shape == ends.shape
    assert np.abs(found["beliefs"][..., :2] - ends).max() <= atol
    betp = p if p.shape[1] > 2 else p[:, 1]
    assert np.abs(found["beliefs"][..., 2] - betp).max() <= atol
    first, second = np.sort(p, axis=1)[:, -2:].T
    clear = second - first > 1e-6
    assert clear.mean() > 0.7
    np.testing.assert_array_equal(found["label"][clear], fitted.predict(rows)[clear])
    return found


@pytest.fixture(scope="module")
def members():
    """Fitted once, so that a rule is all that is learned for each of them."""
    return [FrozenEstimator(EvidentialClassifier(m, ensemble=False).fit(X, Y)) for m in MEMBERS]


@each("name", RULES)
def test_rules_of_two_classes(name, members):
    ensemble = EvidentialEnsemble(members, rule=RULES[name]).fit(DATA[250:, :5], NAMED[250:])
    check(to_onnx(ensemble), ensemble, ROWS)


CURVES = EvidentialClassifier(MEMBERS[0], calibrator=LogisticCalibrator(), cv=2)
STEPS = EvidentialClassifier(MEMBERS[1], calibrator=IsotonicCalibrator(model="bayesian"), cv=2)
COUPLED = EvidentialClassifier(MEMBERS[2], coupling="normalize", cv=2)
NESTED = EvidentialEnsemble(MEMBERS[:2], rule="mixing", calibrator=IsotonicCalibrator())


@pytest.mark.parametrize(
    "sources",
    [MEMBERS[:2], [CURVES, STEPS], [STEPS, COUPLED, NESTED]],
    ids=["default", "folds", "nested"],
)
def test_learned_weights_of_members_of_any_kind(sources):
    ensemble = EvidentialEnsemble(sources).fit(X, Y)
    check(to_onnx(ensemble), ensemble, ROWS, 1e-7)


def test_members_that_are_silent_about_some_samples():
    """Each choice of sources that speak has weights of its own; others have usual evidence."""
    rng = np.random.default_rng(0)
    data, new, labels = DATA[:300, :6].copy(), DATA[200:, :6].copy(), NAMED[:300]
    data[rng.random(len(data)) < 0.4, 0] = np.nan
    data[rng.random(len(data)) < 0.3, 2:4] = np.nan
    data[:4, :] = np.nan  # a choice too rare to learn from
    new[rng.random(new.shape) < 0.2] = np.nan
    sources = [
        EvidentialSource(MEMBERS[0], columns=columns, silent_if_missing="any")
        for columns in ([0, 1], slice(2, 4), [4, 5])
    ]
    ensemble = EvidentialEnsemble(sources, cv=2).fit(data, labels)
    assert len(ensemble.fusion_._choices) > 1
    check(to_onnx(ensemble), ensemble, new, 1e-8)
    fitted = [FrozenEstimator(source) for source in ensemble.estimators_]
    for rule in ("dempster", "mixing"):
        other = EvidentialEnsemble(fitted, rule=rule).fit(data, labels)
        check(to_onnx(other), other, new, 1e-8)


def test_calibrators_that_know_nothing_of_some_scores():
    """Bins without samples: beliefs are vacuous there, and evidence is what is usual."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-2, 0.4, (99, 2)), rng.normal(2, 0.4, (99, 2))])
    y = np.where(rng.random(198) < 0.9, x.sum(axis=1) > 0, rng.random(198) < 0.5).astype(int)
    bins = BinningCalibrator(n_bins=20, model="dempster", transform="sigmoid")
    members = [LogisticRegression(), MEMBERS[2]]
    ensemble = EvidentialEnsemble(members, calibrator=bins, cv=3).fit(x, y)
    new = rng.normal(0, 1.5, (200, 2))
    vacuous = np.stack([m.is_vacuous for m in ensemble.predict_masses(new)])
    assert vacuous.any(axis=1).all()
    check(to_onnx(ensemble), ensemble, new)


def test_many_classes():
    iris, kinds = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[kinds]
    rows = np.concatenate([iris[::2], 3 * iris[::5], -iris[::5]])
    members = [
        EvidentialClassifier(MEMBERS[0], cv=2),
        EvidentialClassifier(GaussianNB(), ensemble=False, cv=2),
    ]
    fitted = [FrozenEstimator(member.fit(iris[1::2], names[1::2])) for member in members]
    for rule in ("stacked", Stacked(model="bayesian"), "likelihood_mixture"):
        ensemble = EvidentialEnsemble(fitted, rule=rule).fit(iris[::2], names[::2])
        check(to_onnx(ensemble), ensemble, rows, 1e-8)


def test_weights_that_all_classes_share():
    """With hundreds of coefficients there are no weights for each class."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), (2, 60))
    fusion = fit_to_probabilities(Stacked(), p, rng.integers(0, 4, 60), range(4))
    own, common = fusion, fit_to_probabilities(Stacked(), p, rng.integers(0, 4, 60), range(4))
    k, s = 4, 2
    common._set_pool(
        LogPool(
            own.weights_[:, 0], own.intercept_, np.eye(s + k) / 50 + np.ones((s + k, s + k)) / 90
        )
    )
    for one in (own, common):
        graph = Graph()
        sources = [Source(Tensor(graph, name), None) for name in ("a", "b")]
        graph.add("Identity", [stacked(one, sources).table(k).name], "beliefs")
        shapes = {"a": (DOUBLE, [None, k]), "b": (DOUBLE, [None, k])}
        model = graph.model(shapes, {"beliefs": (DOUBLE, [None, k, 3])}, "")
        found = in_onnxruntime(model, a=p[0], b=p[1])["beliefs"]
        beliefs = fuse_probabilities(one, p)
        assert np.abs(found[..., :2] - beliefs.interval()).max() < 1e-12
        assert np.abs(found[..., 2] - beliefs.betp()).max() < 1e-12


def test_what_cannot_be_exported(members):
    few, labels = DATA[250:, :5], NAMED[250:]
    with pytest.raises(ValueError, match=r"rule is cautious of 2 classes, .* takes 'stacked', 'c"):
        to_onnx(EvidentialEnsemble(members, rule="cautious").fit(few, labels))
    iris, kinds = load_iris(return_X_y=True)
    for rule, message in {
        "dempster": "rule is dempster of 3 classes",
        Stacked(model="confidence"): "Stacked has the model 'confidence', whose beliefs about 3",
    }.items():
        pair = [GaussianNB(), MEMBERS[0]]
        many = EvidentialEnsemble(pair, calibrator=IsotonicCalibrator(), rule=rule, cv=2).fit(
            iris, kinds
        )
        with pytest.raises(ValueError, match=message):
            to_onnx(many)
    merged = EvidentialSource(GaussianNB(), coarsening={0: 1})
    with pytest.raises(ValueError, match="a member merges classes"):
        to_onnx(
            EvidentialEnsemble([merged, GaussianNB()], calibrator=IsotonicCalibrator(), cv=2).fit(
                iris, kinds
            )
        )
