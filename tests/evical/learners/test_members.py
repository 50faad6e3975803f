"""Learners as members of an ensemble: taken as they are, which is wrong if they know by heart."""

import inspect
from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evical.learners
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialSource
from evical.estimators.predictor import BeliefPredictor
from evical.learners import EvidentialKNeighborsClassifier
from evical.metrics import log_loss
from tests.support.each import each


def seeded(learner):
    """With default options, but a seed and a wide tolerance if it takes them."""
    options = {"random_state": 0, "tol": 1e-3}
    return learner.set_params(
        **{name: value for name, value in options.items() if name in learner.get_params()}
    )


CLASSES = [
    value
    for value in (getattr(evical.learners, name) for name in evical.learners.__all__)
    if inspect.isclass(value) and issubclass(value, BeliefPredictor)
]
LEARNERS = {
    "latent": EvidentialClassifier(LogisticRegression(max_iter=500), calibrator="latent"),
    "contextual": EvidentialKNeighborsClassifier(discounting="contextual"),
    **{one.__name__: seeded(one()) for one in CLASSES},
}
every_learner = each("learner", LEARNERS.values(), ids=LEARNERS)


def test_a_new_learner_is_among_them():
    assert EvidentialKNeighborsClassifier in CLASSES


# ---- as they are


@every_learner
@each("n_classes", [2, 3])
def test_an_ensemble_takes_them_as_they_are(learner, n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[y < n_classes]), y[y < n_classes]
    train, new = slice(None, None, 2), slice(1, None, 2)
    alone = clone(learner).fit(X[train], y[train])
    for rule in ("stacked", "dempster"):
        members = [("one", learner), ("other", LEARNERS["latent"])]
        ensemble = EvidentialEnsemble(members, rule=rule, cv=2).fit(X[train], y[train])
        own = ensemble.named_estimators_["one"]
        assert type(own) is type(learner)
        first = ensemble.predict_masses(X[new])[0]
        assert first.equals(alone.predict_mass(X[new]), atol=1e-12)
        assert ensemble.score(X[new], y[new]) > 0.85


@every_learner
def test_groups_and_weights_go_to_those_that_take_them(learner):
    """Others are trained without, and the fusion observes both."""
    X, y = (part[::4] for part in load_iris(return_X_y=True))
    groups, weight = np.arange(38) // 3, np.linspace(1, 3, 38)
    weighs = "sample_weight" in inspect.signature(learner.fit).parameters
    for member in (learner, EvidentialSource(learner)):
        ensemble = EvidentialEnsemble([member], cv=2).fit(X, y, groups=groups)
        assert ensemble.score(X, y) > 0.9
        heeded = nullcontext() if weighs else pytest.warns(UserWarning, match="sample_weight")
        with heeded:
            ensemble.fit(X, y, sample_weight=weight)
        assert ensemble.score(X, y) > 0.9


def test_a_pipeline_has_no_beliefs_and_is_calibrated():
    """So features are scaled before the ensemble."""
    X, y = load_iris(return_X_y=True)
    scaled = make_pipeline(StandardScaler(), EvidentialKNeighborsClassifier())
    (inside,) = EvidentialEnsemble([scaled]).fit(X, y).estimators_
    assert isinstance(inside, EvidentialClassifier)
    outside = make_pipeline(
        StandardScaler(), EvidentialEnsemble([EvidentialKNeighborsClassifier()])
    )
    (member,) = outside.fit(X, y)[-1].estimators_
    assert isinstance(member, EvidentialKNeighborsClassifier)


# ---- where that is wrong

HEART = EvidentialClassifier(LogisticRegression(C=1e6, max_iter=2000), calibrator="latent")
"""A hundred samples of forty features: far surer of them than of new ones."""
NEAREST = EvidentialKNeighborsClassifier(n_neighbors=1, alpha=0.999, optimize=False)
"""Each training sample, also one with a wrong label, rules its surroundings."""


def separable(seed):
    return make_classification(600, 40, n_informative=5, flip_y=0.2, random_state=seed)


def overlapping(seed):
    return make_moons(600, noise=0.5, random_state=seed)


by_heart = each(
    ("member", "drawn"), [(HEART, separable), (NEAREST, overlapping)], ids=["latent", "nearest"]
)


def losses(member, drawn, rule, variants=3):
    """Mean log loss of an ensemble of a member and five neighbors: as they are, calibrated, frozen.

    The frozen ones were trained on the samples that the fusion learns from.
    """
    found = []
    for seed in (0, 1):
        X, y = drawn(seed)
        old, new = slice(100), slice(100, None)
        members = [member, EvidentialKNeighborsClassifier()]
        tried = (
            [clone(one) for one in members],
            [EvidentialClassifier(clone(one)) for one in members],
            [FrozenEstimator(clone(one).fit(X[old], y[old])) for one in members],
        )[:variants]
        fitted = [EvidentialEnsemble(list(v), rule=rule).fit(X[old], y[old]) for v in tried]
        found.append([log_loss(y[new], one.predict_proba(X[new]), eps=1e-12) for one in fitted])
    return np.mean(found, axis=0)


@by_heart
def test_dempster_s_rule_believes_what_a_member_knows_by_heart(member, drawn):
    """Calibrate it then: `EvidentialClassifier(member)`."""
    as_they_are, calibrated = losses(member, drawn, "dempster", 2)
    assert calibrated < 0.68  # better than nothing: log 2 = 0.69
    assert as_they_are > 2 * calibrated


@by_heart
def test_the_learned_fusion_does_not(member, drawn):
    """It learns from beliefs about samples that copies of the member have not seen."""
    as_they_are, calibrated, frozen = losses(member, drawn, "stacked")
    assert as_they_are < 0.69
    assert as_they_are < 1.1 * calibrated
    # A frozen member is believed, also about the samples that it was trained on.
    assert frozen > 1.5 * as_they_are
