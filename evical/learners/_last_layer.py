"""The last linear layer of a fitted classifier, and the features that it weighs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neural_network import MLPClassifier
from sklearn.neural_network._base import ACTIVATIONS
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import shown, without_mask
from evical._typing import Floats
from evical.learners._features import read_features

__all__ = ["LastLayer", "last_layer"]


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


def last_layer(fitted: Any, X: Any) -> LastLayer:
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
        _check_linear(fitted, features, features @ coef + intercept)
        softmax = isinstance(fitted, LogisticRegression | LogisticRegressionCV)
    else:
        raise TypeError(
            f"fitted is {shown(fitted)}, which has no coefficients of its features (coef_); take a "
            "linear classifier, or calibrate this one with EvidentialClassifier"
        )
    if coef.shape[1] == 1:
        coef, intercept = coef * [[-0.5, 0.5]], intercept * [-0.5, 0.5]
    return LastLayer(fitted.classes_, features, coef, intercept, softmax or coef.shape[1] == 2)


def _check_linear(fitted: Any, features: Floats, outputs: Floats) -> None:
    """Refuse outputs that are not of classes, such as those of pairs."""
    decision = np.asarray(fitted.decision_function(features)).reshape(len(features), -1)
    if decision.shape != outputs.shape or not np.allclose(decision, outputs):
        raise TypeError(
            f"fitted is {shown(fitted)}, whose decision_function is not features @ coef_.T + "
            "intercept_ for each class; take LinearSVC for SVC, or calibrate it with "
            "EvidentialClassifier"
        )


def _transformed(pipeline: Pipeline, X: Any) -> Any:
    """What the last step of a pipeline gets."""
    try:
        return pipeline[:-1].transform(X)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"X is nothing that the steps of the pipeline take: {error}") from error


def _hidden(network: MLPClassifier, X: Any) -> Floats:
    """Activations of the last hidden layer."""
    layer = read_features(network, X, reset=False)
    activate = ACTIVATIONS[network.activation]
    for coef, intercept in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        layer = layer @ coef + intercept
        activate(layer)
    return layer
