"""Compute the mass functions implied by a trained linear layer.

Each feature of the last layer of a logistic regression or a network gives evidence for or against
each class, with a weight linear in the feature. Dempster's rule combines it to a mass function
whose relative plausibilities are the probabilities of the model. Source: Denoeux (2019), Logistic
regression, neural networks and Dempster-Shafer theory: a new perspective, Knowledge-Based Systems
176, 54-67.

A trained classifier read as evidence, in the place of a classifier with its calibrators.

The last linear layer of a fitted classifier, and the features that it weighs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neural_network import MLPClassifier
from sklearn.neural_network._base import ACTIVATIONS
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import shown, without_mask
from evical._typing import Floats, SamplesLike
from evical.beliefs.products import Products
from evical.learners._evidence import WeightedEvidence
from evical.learners._features import as_ours, read_features
from evical.scores.direction import Direction


@dataclass(frozen=True, eq=False)
class LastLayer:
    """Outputs ``features @ coef + intercept``, one for each class.

    Parameters
    ----------
    classes : (K,) array
    features : (n, J) array
    coef : (J, K) array
        For two classes, minus half and half the coefficients of the only output.
    intercept : (K,) array
    softmax : bool
        Whether only differences of outputs matter; else each class is against the rest.
    """

    classes: NDArray[Any]
    features: Floats
    coef: Floats
    intercept: Floats
    softmax: bool


def last_layer(fitted: Any, X: SamplesLike) -> LastLayer:
    """The last layer of a linear model or a network, also behind the steps of a pipeline.

    Parameters
    ----------
    fitted : fitted classifier
        With ``coef_`` and ``intercept_``, an `MLPClassifier`, or a `Pipeline` that ends in one.
    X : (n, n_features) array or data frame

    Returns
    -------
    LastLayer

    Raises
    ------
    TypeError
        If the classifier is of another kind.
    ValueError
        If it has more than one output, each of two classes.
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    """
    X = without_mask(X)
    if isinstance(fitted, Pipeline):
        check_is_fitted(fitted)
        return last_layer(fitted[-1], _transformed(fitted, X) if len(fitted) > 1 else X)
    if not isinstance(fitted, MLPClassifier) and not hasattr(type(fitted), "decision_function"):
        raise TypeError(
            f"fitted is {shown(fitted)}, expected a fitted linear classifier such as "
            "LogisticRegression, an MLPClassifier, or a Pipeline that ends in one; calibrate "
            "others with EvidentialClassifier"
        )
    check_is_fitted(fitted)
    if isinstance(fitted, MLPClassifier):
        if fitted.out_activation_ == "logistic" and fitted.n_outputs_ > 1:
            raise ValueError(
                f"the network has {fitted.n_outputs_} outputs that do not exclude each other; "
                "expected one label a sample"
            )
        features = _hidden(fitted, X)
        coef, intercept = fitted.coefs_[-1], fitted.intercepts_[-1]
        softmax = True
    elif hasattr(fitted, "coef_"):
        features = read_features(fitted, X, reset=False)
        coef = np.asarray(fitted.coef_, dtype=np.float64)
        coef = coef.reshape(-1, features.shape[1]).T
        intercept = np.zeros(coef.shape[1]) + np.asarray(fitted.intercept_, dtype=np.float64)
        _check_linear(fitted, X, features @ coef + intercept)
        softmax = isinstance(fitted, LogisticRegression | LogisticRegressionCV)
    else:
        raise TypeError(
            f"fitted is {shown(fitted)}, which has no coefficients of its features (coef_); take a "
            "linear classifier, or calibrate this one with EvidentialClassifier"
        )
    if coef.shape[1] == 1:
        coef, intercept = coef * [[-0.5, 0.5]], intercept * [-0.5, 0.5]
    return LastLayer(fitted.classes_, features, coef, intercept, softmax or coef.shape[1] == 2)


def _check_linear(fitted: Any, X: SamplesLike, outputs: Floats) -> None:
    """Refuse outputs that are not of classes, such as those of pairs."""
    decision = np.asarray(fitted.decision_function(X)).reshape(len(outputs), -1)
    if decision.shape != outputs.shape or not np.allclose(decision, outputs):
        raise TypeError(
            f"fitted is {shown(fitted)}, whose decision_function is not features @ coef_.T + "
            "intercept_ for each class; take LinearSVC for SVC, or calibrate it with "
            "EvidentialClassifier"
        )


def _transformed(pipeline: Pipeline, X: SamplesLike) -> Any:
    """What the last step of a pipeline gets."""
    try:
        return pipeline[:-1].transform(X)
    except (TypeError, ValueError, OverflowError) as error:
        raise as_ours(error, "X is nothing that the steps of the pipeline take") from error


def _hidden(network: MLPClassifier, X: SamplesLike) -> Floats:
    """Activations of the last hidden layer."""
    layer = read_features(network, X, reset=False)
    activate = ACTIVATIONS[network.activation]
    for coef, intercept in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        layer = layer @ coef + intercept
        activate(layer)
    return layer


def latent_evidence(fitted: Any, X: SamplesLike, reference: Any = None) -> WeightedEvidence:
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
        The relative plausibilities of its `mass()` are the probabilities of a logistic or softmax
        output.

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
    contributes only its share of the mean output, and the weights of softmax outputs have mean 0
    over classes. Outputs of a `LinearSVC` and its like are taken as weights as they are; being no
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
    >>> plausible = evidence.mass().contour()
    >>> p = plausible / plausible.sum(axis=1, keepdims=True)
    >>> np.allclose(p, model.predict_proba(X[[0, 70]]))
    True
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


@dataclass(frozen=True, eq=False)
class LatentModel:
    """A fitted classifier, and the mean features of its training samples.

    Parameters
    ----------
    estimator : fitted classifier
    mean : (J,) array
        Of the features of its last layer.
    probability : {"pignistic", "plausibility"}
    """

    estimator: Any
    mean: Floats
    probability: str

    @classmethod
    def of(cls, fitted: Any, X: SamplesLike, probability: str) -> Self:
        """Read a classifier that was fitted to X."""
        plain = fitted.estimator if isinstance(fitted, FrozenEstimator) else fitted
        return cls(plain, last_layer(plain, X).features.mean(axis=0), probability)

    @property
    def calibrators(self) -> list[Any]:
        """None."""
        return []

    def wrong_ways(self) -> list[Direction]:
        """None: nothing is calibrated."""
        return []

    def beliefs(self, X: SamplesLike) -> Products:
        """Belief about the class of each sample."""
        return evidence_of(last_layer(self.estimator, X), self.mean).beliefs()
