"""Trained linear layers read as evidence: definitions, least commitment, probabilities kept."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from dstheory import betp, plausibility_transform
from evical import EvidentialClassifier, EvidentialEnsemble
from evical.learners import latent_evidence
from evical.learners._evidence import WeightedEvidence
from evical.learners.latent_model import _weights, last_layer
from tests.naive import learners as naive
from tests.naive.rules import as_sets
from tests.support.each import each

RNG = np.random.default_rng(0)
X, Y = load_iris(return_X_y=True)
BINARY = Y != 2


def logistic(binary=False):
    rows = BINARY if binary else slice(None)
    return LogisticRegression(C=0.3, max_iter=1000).fit(X[rows], Y[rows])


def network(binary=False, activation="tanh"):
    rows = BINARY if binary else slice(None)
    net = MLPClassifier((5,), activation=activation, solver="lbfgs", max_iter=5000, random_state=0)
    return net.fit(X[rows], Y[rows])


MODELS = [
    logistic(),
    logistic(binary=True),
    network(),
    network(binary=True),
    network(activation="relu"),
]
every_model = each("model", MODELS, ids=repr)


# ---- definitions


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_dempster_s_rule_of_all_evidence(n_classes):
    weights = RNG.normal(size=(3, n_classes))
    evidence = WeightedEvidence(
        np.arange(n_classes),
        np.maximum(weights, 0).sum(axis=0)[np.newaxis],
        np.maximum(-weights, 0).sum(axis=0)[np.newaxis],
    )
    sources = naive.of_features(weights.tolist())
    expected = naive.combined(sources)
    found = as_sets(evidence.mass()[0])
    assert {k: found.get(k, 0) for k in expected} == pytest.approx(expected, abs=1e-14)
    assert sum(found.values()) == pytest.approx(1)
    assert evidence.conflict() == pytest.approx([naive.conflict(sources)], abs=1e-13)
    vacuous = np.exp(-np.abs(weights).sum())
    assert evidence.ignorance() == pytest.approx([vacuous])
    m = evidence.mass()
    for k in range(n_classes):
        assert (
            pytest.approx(np.stack([m.bel(k), m.pl(k)]), abs=1e-14) == evidence.interval()[:, k].T
        )


def test_weights_of_the_definition():
    model = logistic()
    weights = naive.least_committed(
        model.coef_.T.tolist(), model.intercept_.tolist(), X.mean(axis=0).tolist()
    )
    found = np.stack(list(_weights(last_layer(model, X[:4]), X.mean(axis=0))), axis=2)
    for x, row in zip(X[:4], found, strict=True):
        assert row.tolist() == [pytest.approx(part) for part in weights(x.tolist())]


def test_least_commitment_is_the_least_sum_of_squares():
    """Against a numerical search over the free constants, of softmax shifts and of shares."""
    model = logistic()
    coef, intercept = model.coef_.T, model.intercept_
    n_features, n_classes = coef.shape

    def squares(free):
        shift = free[: n_features + 1]
        share = np.append(
            free[n_features + 1 :].reshape(n_features - 1, n_classes), [[0] * n_classes], 0
        )
        moved, constant = coef + shift[:-1, np.newaxis], intercept + shift[-1]
        share[-1] = constant - share.sum(axis=0)
        return ((X[:, :, np.newaxis] * moved + share) ** 2).sum()

    found = minimize(squares, np.zeros(n_features + 1 + (n_features - 1) * n_classes))
    layer = last_layer(model, X)
    weights = np.stack(list(_weights(layer, X.mean(axis=0))), axis=2)
    assert (weights**2).sum() == pytest.approx(found.fun, rel=1e-6)


# ---- what the model says is kept


@every_model
def test_relative_plausibilities_are_the_probabilities(model):
    rows = BINARY if len(model.classes_) == 2 else slice(None)
    for reference in (None, X[rows][:20]):
        m = latent_evidence(model, X[rows], reference).mass()
        np.testing.assert_allclose(
            plausibility_transform(m), model.predict_proba(X[rows]), rtol=1e-9, atol=1e-12
        )


def test_two_classes_are_evidence_for_one_or_the_other():
    """Weights for and against one class."""
    model = logistic(binary=True)
    x, mean = X[BINARY], X[BINARY].mean(axis=0)
    w = model.coef_ * (x - mean) + (model.intercept_ + mean @ model.coef_.T) / 4
    plus, minus = np.maximum(w, 0).sum(axis=1), np.maximum(-w, 0).sum(axis=1)
    kept = 1 - (1 - np.exp(-plus)) * (1 - np.exp(-minus))
    m = latent_evidence(model, x).mass()
    np.testing.assert_allclose(m.bel(1), (1 - np.exp(-plus)) * np.exp(-minus) / kept, rtol=1e-9)
    np.testing.assert_allclose(m.mass((0, 1)), np.exp(-plus - minus) / kept, rtol=1e-9)


def test_pipelines_and_other_linear_models():
    data, y = load_breast_cancer(return_X_y=True)
    for last in (LogisticRegression(), LinearSVC(random_state=0), RidgeClassifier()):
        model = make_pipeline(StandardScaler(), last).fit(data, y)
        p = plausibility_transform(latent_evidence(model, data).mass())[:, 1]
        expected = 1 / (1 + np.exp(-model.decision_function(data)))
        np.testing.assert_allclose(p, expected, rtol=1e-7, atol=1e-12)
    frame = pd.DataFrame(data).add_prefix("x")
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), RidgeClassifier())
    latent_evidence(model.fit(frame, y), frame)  # names are kept: no warning
    three = LinearSVC(random_state=0).fit(X, Y)
    contour = latent_evidence(three, X).interval()[..., 1]
    outputs = three.decision_function(X)
    np.testing.assert_allclose(
        np.log(contour[:, 1] / contour[:, 0]), outputs[:, 1] - outputs[:, 0], rtol=1e-9, atol=1e-9
    )


def test_all_classes_denied_beyond_the_exponent_of_a_float():
    opposing = np.array([[900.0, 901.0, 950.0], [2000.0, 2000.0, 2000.0], [650.0, 655.0, 660.0]])
    evidence = WeightedEvidence(np.arange(3), np.zeros((3, 3)), opposing)
    p = np.exp(opposing.min(axis=1, keepdims=True) - opposing)
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(evidence.interval()[..., 1], p, rtol=1e-9)
    np.testing.assert_allclose(betp(evidence.mass()), p, rtol=1e-9)
    np.testing.assert_allclose(evidence.conflict(), 1)


@pytest.mark.parametrize("weight", [599.0, 601.0])
def test_denied_classes_change_smoothly(weight):
    evidence = WeightedEvidence(
        np.arange(2), np.array([[3.0, 0.0]]), np.array([[weight + 3, weight]])
    )
    np.testing.assert_allclose(evidence.mass().masses, [[0.5, 0.5, 0]], atol=1e-12)


def test_evidence_beyond_the_exponent_of_a_float():
    weights = np.array([[800.0, 1.0, 0.0], [2000.0, 1999.0, 0.0]])
    evidence = WeightedEvidence(np.arange(3), weights, weights[:, ::-1].copy())
    assert np.isfinite(evidence.interval()).all()
    np.testing.assert_allclose(evidence.mass().masses.sum(axis=-1), 1)
    assert (evidence.conflict() <= 1).all()


# ---- as a calibrator


@pytest.mark.parametrize("probability", ["pignistic", "plausibility"])
@pytest.mark.parametrize("binary", [True, False])
def test_classifier_without_calibration(probability, binary):
    rows = BINARY if binary else slice(None)
    inner = LogisticRegression(C=0.3, max_iter=1000)
    clf = EvidentialClassifier(inner, calibrator="latent", probability=probability)
    clf.fit(X[rows], Y[rows])
    m = latent_evidence(logistic(binary), X[rows]).mass()
    np.testing.assert_allclose(clf.predict_mass(X[rows]).masses, m.masses, atol=1e-12)
    transform = betp if probability == "pignistic" else plausibility_transform
    np.testing.assert_allclose(clf.predict_proba(X[rows]), transform(m), atol=1e-12)
    bounds = clf.predict_interval(X[rows])
    assert bounds.shape == ((100, 2) if binary else (150, 3, 2))
    assert (bounds[..., 0] <= bounds[..., 1]).all()
    # One sample at a time gives the same: the reference is the training data.
    np.testing.assert_allclose(clf.predict_mass(X[:1]).masses[0], m.masses[0], atol=1e-12)


def test_default_classifier_frozen_ones_and_labels():
    names = np.array(["x", "y", "z"])[Y]
    clf = EvidentialClassifier(calibrator="latent")
    scaled = StandardScaler().fit_transform(X)
    assert clf.fit(scaled, names).score(scaled, names) > 0.9
    assert clf.predict_set(scaled[:2]).shape == (2, 3)
    frozen = EvidentialClassifier(FrozenEstimator(logistic()), calibrator="latent").fit(X, Y)
    np.testing.assert_allclose(
        frozen.predict_mass(X).masses, latent_evidence(logistic(), X).mass().masses
    )


def test_members_of_an_ensemble_are_not_calibrated_again():
    data, y = make_classification(600, 6, random_state=0)
    member = EvidentialClassifier(calibrator="latent")
    ensemble = EvidentialEnsemble([member, GaussianNB()], rule="dempster", cv=3)
    ensemble.fit(data[:300], y[:300])
    first = ensemble.predict_masses(data[300:])[0]
    alone = EvidentialClassifier(calibrator="latent").fit(data[:300], y[:300])
    np.testing.assert_allclose(first.masses, alone.predict_mass(data[300:]).masses)
    learned = EvidentialEnsemble([member, GaussianNB()], cv=3).fit(data[:300], y[:300])
    assert learned.score(data[300:], y[300:]) > 0.8


def test_that_a_network_which_learned_by_heart_should_be_calibrated():
    """Evidence is as sure as the model: one that knows its samples by heart is wrong elsewhere."""
    data, y = make_classification(400, 20, n_informative=4, flip_y=0.2, random_state=0)
    net = MLPClassifier((50,), solver="lbfgs", alpha=1e-9, max_iter=2000, random_state=0)
    latent = EvidentialClassifier(net, calibrator="latent").fit(data[:200], y[:200])
    calibrated = EvidentialClassifier(net, cv=3).fit(data[:200], y[:200])
    losses = []
    for clf in (latent, calibrated):
        p = clf.predict_proba(data[200:])[np.arange(200), y[200:]]
        losses.append(-np.log(np.maximum(p, 1e-12)).mean())
    assert losses[0] > 3 * losses[1]


# ---- wrong input


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (GaussianNB().fit(X, Y), TypeError, "calibrate others with EvidentialClassifier"),
        (SVC().fit(X, Y), TypeError, "no coefficients of its features"),
        (SVC(kernel="linear").fit(X, Y), TypeError, "take LinearSVC for SVC"),
        (LogisticRegression(), NotFittedError, "not fitted"),
        (3, TypeError, "fitted is 3"),
    ],
)
def test_models_that_are_no_linear_layer(model, error, message):
    with pytest.raises(error, match=message):
        latent_evidence(model, X).mass()


def test_networks_of_several_labels_at_once():
    labels = np.column_stack([Y == 0, Y == 1]).astype(int)
    net = MLPClassifier((2,), solver="lbfgs", max_iter=5000, random_state=0).fit(X, labels)
    with pytest.raises(ValueError, match="2 outputs that do not exclude each other"):
        latent_evidence(net, X).mass()


def test_wrong_calls_of_the_classifier():
    with pytest.raises(ValueError, match="'latent' calibrates all classes together"):
        EvidentialClassifier(calibrator="latent", code="all_pairs").fit(X, Y)
    with pytest.raises(ValueError, match="there is no calibrator 'latnet'; calibrators: "):
        EvidentialClassifier(calibrator="latnet").fit(X, Y)
    with pytest.raises(TypeError, match="calibrate others"):
        EvidentialClassifier(GaussianNB(), calibrator="latent").fit(X, Y)
