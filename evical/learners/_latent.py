"""The mass functions that a trained linear layer is.

Each feature of the last layer of a logistic regression or a network gives evidence for or against
each class, with a weight linear in the feature. Dempster's rule combines it to a mass function
whose relative plausibilities are the probabilities of the model. Source: Denoeux (2019), Logistic
regression, neural networks and Dempster-Shafer theory: a new perspective, Knowledge-Based Systems
176, 54-67.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from dstheory import MassFunction
from evical._typing import Floats
from evical.learners._evidence import WeightedEvidence
from evical.learners._last_layer import LastLayer, last_layer

__all__ = ["evidence_of", "latent_evidence", "latent_mass"]


def latent_evidence(fitted: Any, X: Any, reference: Any = None) -> WeightedEvidence:
    """Weights of evidence of a trained model, by the least commitment principle.

    Parameters
    ----------
    fitted : fitted classifier
        `LogisticRegression` or another linear classifier, an `MLPClassifier`, or a `Pipeline` that
        ends in one.
    X : (n, n_features) array or data frame
    reference : (m, n_features) array or data frame, optional
        Samples whose mean features carry no evidence: the training data. By default X itself, so
        that beliefs depend on which samples are asked about together.

    Returns
    -------
    WeightedEvidence

    Raises
    ------
    TypeError
        If the classifier is of another kind.
    ValueError
        If the samples do not fit to it.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Notes
    -----
    The probabilities of a model fix the sum of the weights of all features only: an intercept may
    be spread over them in any way, and softmax outputs may be shifted together. The least committed
    choice minimizes the sum of the squared weights over the reference. So a feature at its mean
    says only its share of the mean output, and the weights of softmax outputs have mean 0 over
    classes. Outputs of a `LinearSVC` and its like are taken as weights as they are; being no
    log-odds, they need calibration if they are to be probabilities.

    References
    ----------
    Denoeux (2019), Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X, y)
    >>> evidence = latent_evidence(model, X[[0, 70]], reference=X)
    >>> evidence.conflict().round(2), evidence.supporting.round(1)[1]
    (array([0.96, 0.9 ]), array([0. , 1.7, 3. ]))
    """
    layer = last_layer(fitted, X)
    known = layer if reference is None else last_layer(fitted, reference)
    return evidence_of(layer, known.features.mean(axis=0))


def evidence_of(layer: LastLayer, mean: Floats) -> WeightedEvidence:
    """Weights of the evidence of a layer, if features at their means say the least.

    Parameters
    ----------
    layer : LastLayer
    mean : (J,) array

    Returns
    -------
    WeightedEvidence
    """
    supporting, opposing = [], []
    for weights in _weights(layer, mean):
        supporting.append(np.maximum(weights, 0).sum(axis=1))
        opposing.append(np.maximum(-weights, 0).sum(axis=1))
    return WeightedEvidence(layer.classes, np.stack(supporting, 1), np.stack(opposing, 1))


def _weights(layer: LastLayer, mean: Floats) -> Iterator[Floats]:
    """Weights (n, J) of the features for each class."""
    coef, intercept = layer.coef, layer.intercept
    if layer.softmax:
        coef = coef - coef.mean(axis=1, keepdims=True)
        intercept = intercept - intercept.mean()
    centered, share = layer.features - mean, (intercept + mean @ coef) / len(coef)
    for k in range(coef.shape[1]):
        yield centered * coef[:, k] + share[k]


def latent_mass(fitted: Any, X: Any, reference: Any = None) -> MassFunction:
    """The mass functions that a trained linear layer is.

    Parameters
    ----------
    fitted, X, reference
        As of `latent_evidence`.

    Returns
    -------
    MassFunction
        Batch (n,) on the frame of classes. Its relative plausibilities are the probabilities of a
        logistic or softmax output.

    Raises
    ------
    CostLimitError
        For more than 16 classes.
    TypeError, ValueError
        As `latent_evidence`.

    References
    ----------
    Denoeux (2019), Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> m = latent_mass(model, X[:2], reference=X)
    >>> np.allclose(m.pl(1) / (m.pl(0) + m.pl(1)), model.predict_proba(X[:2])[:, 1])
    True
    """
    return latent_evidence(fitted, X, reference).mass()
