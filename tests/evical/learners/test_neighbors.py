"""Evidential nearest neighbors: definitions, gradients, figures of other software, contracts."""

import json
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import check_grad
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian
from evical import EvidentialClassifier, EvidentialEnsemble
from evical.learners import EvidentialKNeighborsClassifier
from evical.learners._neighbors import (
    Discounting,
    Neighbors,
    error_of,
    weights_of_neighbors,
)
from tests.naive import learners as naive
from tests.naive.rules import as_sets
from tests.support.contract import check_contract
from tests.support.data_folder import DATA
from tests.support.each import each
from tests.support.public_objects import ROOT
from tests.support.tables import read_csv

X, Y = load_iris(return_X_y=True)
every_discounting = each("discounting", get_args(Discounting))


def test_scikit_learn_contract():
    check_contract(EvidentialKNeighborsClassifier(n_neighbors=3))


# ---- definitions


@every_discounting
@pytest.mark.parametrize("labels", [Y, Y == 0], ids=["three", "two"])
def test_dempster_s_rule_of_all_neighbors(discounting, labels):
    clf = EvidentialKNeighborsClassifier(n_neighbors=4, discounting=discounting).fit(
        X[::2], labels[::2]
    )
    new = X[1:60:12]
    distance, rows = NearestNeighbors(n_neighbors=4).fit(X[::2]).kneighbors(new)
    codes = np.searchsorted(clf.classes_, labels[::2][rows])
    masses = clf.predict_mass(new)
    for i in range(len(new)):
        sources = [
            source
            for d, code in zip(distance[i], codes[i], strict=True)
            for source in naive.neighbor(
                d, int(code), clf.gamma_.tolist(), clf.alpha, discounting == "contextual"
            )
        ]
        expected = naive.combined(sources)
        found = {
            frozenset(clf.classes_.tolist().index(label) for label in event): mass
            for event, mass in as_sets(masses[i]).items()
        }
        assert {k: found.get(k, 0) for k in expected} == pytest.approx(expected, abs=1e-12)


def test_uncertain_labels_have_the_contour_of_the_paper():
    """Each neighbor's contour, discounted: 1 - s (1 - pl) (Denoeux et al. 2019)."""
    frame = Frame(["a", "b", "c"])
    rng = np.random.default_rng(1)
    labels = MassFunction(frame, [1, 2, 4, 3, 7], rng.dirichlet(np.ones(5), 50))
    points = rng.normal(size=(50, 2))
    clf = EvidentialKNeighborsClassifier(n_neighbors=5).fit(points, labels)
    distance, rows = clf.neighbors_.kneighbors(points[:4] + 0.1)
    s = clf.alpha * np.exp(-clf.gamma_ * distance[:, :, np.newaxis] ** 2)
    contour = (1 - s * (1 - labels.contour()[rows])).prod(axis=1)
    found = clf.predict_mass(points[:4] + 0.1).contour()
    np.testing.assert_allclose(
        found / found.sum(axis=1, keepdims=True), contour / contour.sum(axis=1, keepdims=True)
    )


def test_hard_labels_as_mass_functions():
    labels = bayesian(Frame([0, 1, 2]), np.eye(3)[Y])
    one = EvidentialKNeighborsClassifier(discounting="contextual").fit(X, Y)
    two = EvidentialKNeighborsClassifier().fit(X, labels)
    assert two.discounting_ == "contextual"
    assert EvidentialKNeighborsClassifier().fit(X, Y).discounting_ == "uniform"
    np.testing.assert_allclose(one.predict_mass(X).masses, two.predict_mass(X).masses)


# ---- how fast evidence fades


@every_discounting
def test_gradients(discounting):
    rng = np.random.default_rng(0)
    plausibility = np.eye(3)[rng.integers(0, 3, 20)]
    if discounting == "contextual":
        plausibility = np.maximum(plausibility, rng.random((20, 3)) * 0.7)
    doubt = 1 - plausibility[rng.integers(0, 20, (20, 4))]
    near = Neighbors(rng.exponential(size=(20, 4)), doubt)

    def parts(log_gamma):
        weights, slopes = weights_of_neighbors(near, np.exp(log_gamma), 0.95, discounting)
        value, gradient = error_of(weights, plausibility, discounting)
        return value, (gradient * slopes).sum(axis=0)

    for start in rng.normal(size=(3, 3)):
        gap = check_grad(lambda p: parts(p)[0], lambda p: parts(p)[1], start, epsilon=1e-6)
        assert gap < 1e-4


def test_a_likelihood_of_very_unequal_evidence_is_finite():
    """Evidence against a class of 2,000 is a probability of exp(-2000) = 0."""
    weights, plausibility = np.array([[0.0, 2000.0]]), np.array([[1.0, 0.0]])
    value, gradient = error_of(weights, plausibility, "contextual")
    assert value == 0
    assert gradient.tolist() == [[0.0, 0.0]]


@every_discounting
def test_optimizing_predicts_training_samples_better(discounting):
    points, labels = make_moons(300, noise=0.3, random_state=0)
    plain = EvidentialKNeighborsClassifier(discounting=discounting, optimize=False)
    fitted = EvidentialKNeighborsClassifier(discounting=discounting).fit(points, labels)
    plain.fit(points, labels)
    options, near = (fitted.alpha, discounting), fitted._neighbors(None)
    values = [
        error_of(
            weights_of_neighbors(near, clf.gamma_, *options)[0], np.eye(2)[labels], discounting
        )[0]
        for clf in (fitted, plain)
    ]
    assert values[0] < values[1]


def test_start_is_the_inverse_mean_squared_distance_within_classes():
    clf = EvidentialKNeighborsClassifier(optimize=False).fit(X, Y)
    for k in range(3):
        own = X[k == Y]
        gaps = ((own[:, np.newaxis] - own) ** 2).sum(axis=2)
        assert clf.gamma_[k] == pytest.approx(49 * 50 / gaps.sum())
    gamma = clf.gamma_
    assert clf.fit(X + 2**27, Y).gamma_ == pytest.approx(gamma, rel=1e-6)


def test_ionosphere_as_in_the_vignette_of_evclass():
    """Errors of evclass 2.0.2 at K = 5 and 8, on its order of the data."""
    known = json.loads((ROOT / "tests/oracles/evclass_ionosphere.json").read_text(encoding="utf-8"))
    path = None if DATA is None else DATA / "ionosphere.csv"
    if path is None or not path.exists():
        pytest.skip("ionosphere.csv is not at hand")
    table = read_csv(path).iloc[known["order"]]
    points, labels = table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()
    for k, errors in known["errors"].items():
        clf = EvidentialKNeighborsClassifier(n_neighbors=int(k), discounting="uniform", alpha=0.95)
        clf.fit(points[:176], labels[:176])
        assert (clf.predict(points[176:]) != labels[176:]).sum() == errors


# ---- what users see


def test_far_samples_are_vacuous():
    points, labels = make_blobs(200, random_state=0)
    for discounting in get_args(Discounting):
        clf = EvidentialKNeighborsClassifier(discounting=discounting).fit(points, labels)
        for far in ([[1e3, 1e3]], [[1e160, 0.0]], [[-1e200, 1e200]]):
            np.testing.assert_allclose(clf.predict_interval(far), [[[0, 1]] * 3], atol=1e-9)
        assert clf.predict_set([[1e3, 1e3]]).all()
        assert clf.evidence([[1e3, 1e3]]).ignorance() == pytest.approx([1])


def test_many_classes_have_no_limit():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(400, 3)), np.arange(400) % 40
    clf = EvidentialKNeighborsClassifier().fit(points, labels)
    assert clf.predict_proba(points).sum(axis=1) == pytest.approx(np.ones(400))
    assert clf.predict_interval(points).shape == (400, 40, 2)


def test_chunks_change_nothing(monkeypatch):
    clf = EvidentialKNeighborsClassifier().fit(X, Y)
    whole = clf.predict_mass(X).masses
    monkeypatch.setattr("evical.learners._neighbors.CHUNK", 60)
    np.testing.assert_array_equal(clf.predict_mass(X).masses, whole)


def test_frames_searches_and_copies_of_samples():
    frame = pd.DataFrame(X, columns=list("abcd"))
    clf = EvidentialKNeighborsClassifier().fit(frame, np.array(["x", "y", "z"])[Y])
    assert clf.feature_names_in_.tolist() == list("abcd")
    search = GridSearchCV(EvidentialKNeighborsClassifier(), {"n_neighbors": [3, 9]}, cv=3)
    assert search.fit(X, Y).best_score_ > 0.9
    same = EvidentialKNeighborsClassifier(n_neighbors=2).fit(np.ones((9, 2)), np.arange(9) % 3)
    assert np.isfinite(same.predict_proba(np.ones((1, 2)))).all()


def test_members_are_not_calibrated_again():
    points, labels = make_moons(400, noise=0.3, random_state=0)
    member = EvidentialKNeighborsClassifier(n_neighbors=9)
    ensemble = EvidentialEnsemble([member, KNeighborsClassifier(9)], rule="dempster", cv=3)
    ensemble.fit(points[:200], labels[:200])
    alone = EvidentialKNeighborsClassifier(n_neighbors=9).fit(points[:200], labels[:200])
    first = ensemble.predict_masses(points[200:])[0]
    np.testing.assert_allclose(first.masses, alone.predict_mass(points[200:]).masses)


def test_that_many_neighbors_should_be_calibrated():
    """Fifteen neighbors of one place are not fifteen independent witnesses."""
    points, labels = make_moons(600, noise=0.5, random_state=0)
    member = EvidentialKNeighborsClassifier(n_neighbors=15, optimize=False, discounting="uniform")
    losses = []
    for clf in (member, EvidentialClassifier(member, cv=3)):
        p = clf.fit(points[:300], labels[:300]).predict_proba(points[300:])
        losses.append(-np.log(np.maximum(p[np.arange(300), labels[300:]], 1e-12)).mean())
    assert losses[0] > 1.2 * losses[1]


def test_beside_nearest_neighbors_of_scikit_learn():
    digits, labels = load_digits(return_X_y=True)
    own = EvidentialKNeighborsClassifier().fit(digits[:900], labels[:900])
    other = KNeighborsClassifier().fit(digits[:900], labels[:900])
    assert own.score(digits[900:], labels[900:]) > other.score(digits[900:], labels[900:]) - 0.01


# ---- wrong input


@each(
    ("options", "error", "message"),
    [
        ({"n_neighbors": 0}, ValueError, "n_neighbors is 0"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors"),
        ({"discounting": "contextal"}, ValueError, "contextual"),
        ({"alpha": 1.0}, ValueError, "alpha is 1.0"),
        ({"optimize": "yes"}, TypeError, "optimize"),
        ({"n_neighbors": 150}, ValueError, "there are only 150 samples"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        EvidentialKNeighborsClassifier(**options).fit(X, Y)


def test_wrong_labels():
    clf = EvidentialKNeighborsClassifier()
    with pytest.raises(ValueError, match="one class only"):
        clf.fit(X, np.zeros(150))
    labels = bayesian(Frame([0, 1, 2]), np.eye(3)[Y])
    with pytest.raises(ValueError, match="expected \\(149,\\)"):
        clf.fit(X[1:], labels)
    with pytest.raises(ValueError, match="needs hard labels"):
        EvidentialKNeighborsClassifier(discounting="uniform").fit(X, labels)
