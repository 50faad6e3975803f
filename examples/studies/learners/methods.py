"""Classifiers of the study: scikit-learn's, calibrated, conformal, and learners as they are."""

from typing import Any

from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from evical.classifier import EvidentialClassifier
from evical.conformal import ConformalClassifier
from evical.ensemble import EvidentialEnsemble
from evical.fusion import as_rule
from evical.learners import (
    EvidentialKNeighborsClassifier,
    EvidentialNeuralClassifier,
    EvidentialRBFClassifier,
)

__all__ = ["ALONE", "CHANGES", "DISTANCE", "ENSEMBLES", "METHODS", "REFERENCE", "method"]

_LOGISTIC = LogisticRegression(max_iter=1000)
_NEAREST = KNeighborsClassifier()
_LATENT = EvidentialClassifier(_LOGISTIC, calibrator="latent")
_EVIDENTIAL = EvidentialKNeighborsClassifier()
_PROTOTYPES = EvidentialNeuralClassifier(random_state=0)
_RBF = EvidentialRBFClassifier(random_state=0)

ALONE: dict[str, Any] = {
    "logistic": _LOGISTIC,
    "logistic, calibrated": EvidentialClassifier(_LOGISTIC),
    "logistic, conformal": ConformalClassifier(_LOGISTIC, random_state=0),
    "logistic, latent": _LATENT,
    "neighbors": _NEAREST,
    "neighbors, calibrated": EvidentialClassifier(_NEAREST),
    "evidential neighbors": _EVIDENTIAL,
    "evidential neighbors, contextual": EvidentialKNeighborsClassifier(discounting="contextual"),
    "evidential neighbors, alpha 0.95": EvidentialKNeighborsClassifier(alpha=0.95),
    "evidential neighbors, calibrated": EvidentialClassifier(_EVIDENTIAL),
    "prototypes": _PROTOTYPES,
    "prototypes, calibrated": EvidentialClassifier(_PROTOTYPES),
    "RBF network": _RBF,
    "RBF network, calibrated": EvidentialClassifier(_RBF),
}
"""Name to a classifier, not fitted."""

REFERENCE = "logistic, calibrated"
"""What all others are compared with."""

CHANGES = (
    ("logistic", "logistic, calibrated"),
    ("logistic, latent", "logistic, calibrated"),
    ("neighbors", "neighbors, calibrated"),
    ("evidential neighbors", "evidential neighbors, calibrated"),
    ("prototypes", "prototypes, calibrated"),
    ("RBF network", "RBF network, calibrated"),
    ("evidential neighbors", "evidential neighbors, contextual"),
    ("evidential neighbors", "evidential neighbors, alpha 0.95"),
    ("evidential neighbors, calibrated", "neighbors, calibrated"),
)
"""Pairs that are compared, the first minus the second."""

DISTANCE = "distance to five neighbors"
"""No classifier: the plainest way to tell what is unlike the training samples."""

_MEMBERS: dict[str, dict[str, Any]] = {
    "two members": {"latent": _LATENT, "neighbors": _EVIDENTIAL},
    "four members": {
        "latent": _LATENT,
        "neighbors": _EVIDENTIAL,
        "prototypes": _PROTOTYPES,
        "RBF": _RBF,
    },
}


def _ensemble(members: dict[str, Any], rule: str, calibrated: bool) -> EvidentialEnsemble:
    pairs = [
        (name, EvidentialClassifier(clone(one)) if calibrated else clone(one))
        for name, one in members.items()
    ]
    return EvidentialEnsemble(pairs, rule=as_rule(rule))


ENSEMBLES: dict[str, Any] = {
    f"{which}, {rule}, {'calibrated again' if calibrated else 'as they are'}": _ensemble(
        members, rule, calibrated
    )
    for which, members in _MEMBERS.items()
    for rule in ("stacked", "dempster")
    for calibrated in (False, True)
}
"""Name to an ensemble of learners, not fitted."""

METHODS = (*ALONE, DISTANCE, *ENSEMBLES)
"""Names of all methods."""


def method(name: str) -> Any:
    """A classifier, not fitted.

    Parameters
    ----------
    name : str
        In `ALONE` or `ENSEMBLES`.

    Returns
    -------
    classifier
    """
    return clone(ALONE[name] if name in ALONE else ENSEMBLES[name])
