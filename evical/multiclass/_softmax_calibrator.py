"""Softmax calibration: temperature, vector and matrix scaling, and their regularized forms.

Probabilities are the softmax of a linear function of the scores. Choose the free parameters: one
temperature (Guo et al. 2017), a slope and an intercept for each class ("vector"), or the whole
matrix, with optional penalties on the off-diagonal part and the intercepts (Kull et al. 2019:
"ODIR"; on the logarithms of probabilities it is their Dirichlet calibration). The unpenalized
matrix is Platt's method for many classes (Naeini 2016, 6.1).
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from evical._fitting import NOT_NEGATIVE
from evical._typing import Floats
from evical.calibrators import fields
from evical.curves.softmax import (
    Problem,
    minimize_softmax,
    platt_target_matrix,
    total_target_matrix,
)
from evical.multiclass._base import BaseMulticlassCalibrator


@dataclass(kw_only=True, eq=False, repr=False)
class SoftmaxCalibrator(BaseMulticlassCalibrator):
    """Probabilistic calibration by multinomial logistic regression of the class on its scores.

    Parameters
    ----------
    parameters : {"matrix", "vector", "temperature"}
        The logits: W s + b with a matrix W; with a diagonal W; or s / T.
    off_diagonal_penalty : float
        lambda of ODIR: weight of the mean square of the off-diagonal weights, added to the mean log
        loss. For "matrix" only.
    intercept_penalty : float
        mu of ODIR: the same for the intercepts. For "matrix" and "vector".
    transform : {None, "log"}
        Use unchanged scores, or the logarithms of probabilities (at least the spacing of
        floats at 1, 2.2e-16), as Kull et al. do.

    Attributes
    ----------
    classes_ : (K,) array
    weights_ : (K, K) array
        Logits are ``scores @ weights_.T + intercepts_``. Without penalty, a free matrix could be
        shifted along its columns; these have mean 0.
    intercepts_ : (K,) array

    Notes
    -----
    Labels are replaced by soft targets, so separable classes need no special care. For the matrix
    these are Platt's, (n_k + 1) / (n_k + K) for the class of a sample and 1 / (n_k + K) for each
    other class. They add up to nearly a sample of each class in every class, which shrinks the many
    weights. For temperature and vector that is far too much if classes are many: of 26 classes with
    two samples each, the class of a sample would have the target 3 / 28. Their targets are
    (n + 1) / (n + 2) for the class of a sample, as if one of n + 2 samples was wrong. The papers
    use the labels themselves.

    An inverse temperature is not negative: if the scores are reversed, it is 0. For two
    classes and one score, the matrix gives what ``LogisticCalibrator(model="bayesian")`` gives.

    The objective is convex; its optimum is found by Newton's method. Penalties act on the weights
    of scores as they are read (after `transform`): multiplying all scores by 10 makes them weaker.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, ICML,
    section 4.2. Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song & Flach (2019), Beyond
    temperature scaling: obtaining well-calibrated multiclass probabilities with Dirichlet
    calibration, NeurIPS, sections 3-4. Naeini (2016), section 6.1.

    Examples
    --------
    >>> scores, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ["a", "b", "c"]
    >>> calibrator = SoftmaxCalibrator(parameters="temperature").fit(scores, y)
    >>> calibrator.predict_proba([[1.0, 0.0, 0.0]])
    array([[0.8, 0.1, 0.1]])
    >>> float(calibrator.weights_[0, 0].round(4))  # exp(w) / (exp(w) + 2) = 4/5, the target
    2.0794
    """

    _ranges: ClassVar = {
        "off_diagonal_penalty": NOT_NEGATIVE,
        "intercept_penalty": NOT_NEGATIVE,
    }
    _state: ClassVar = {"weights_": fields.product("k", "k"), "intercepts_": fields.product("k")}

    parameters: Literal["temperature", "vector", "matrix"] = "matrix"
    off_diagonal_penalty: float = 0.0
    intercept_penalty: float = 0.0
    transform: str | None = None

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        centered = scores - scores.mean(axis=1, keepdims=True)
        tied = self.parameters == "temperature"
        # The softmax ignores a common shift of all scores of a sample; a matrix does not.
        seen = centered if tied else scores
        center = np.zeros(scores.shape[1]) if tied else np.average(seen, axis=0, weights=weight)
        unit = float(np.abs(seen - center).max()) or 1.0
        standard = (seen - center) / unit
        targets = platt_target_matrix if self.parameters == "matrix" else total_target_matrix
        soft = targets(np.bincount(codes, weight).astype(np.float64))[codes]
        problem = Problem.toward(self._features(standard), soft, weight, tied)
        w = minimize_softmax(problem._replace(penalty=self._penalty(center / unit, unit)))
        self._set_line(w, center / unit, unit)

    def _features(self, standard: Floats) -> Floats:
        if self.parameters == "temperature":
            return standard[:, :, np.newaxis]
        ones = np.ones_like(standard)
        if self.parameters == "vector":
            return np.stack([standard, ones], axis=2)
        return np.hstack([standard, ones[:, :1]])

    def _penalty(self, origin: Floats, unit: float) -> Floats:
        """Penalties as quadratic forms of the coefficients of standardized scores."""
        k = len(origin)
        if self.parameters == "temperature":
            return np.zeros((k, 1, 1))
        shared = self.parameters == "matrix"
        ones = np.ones((k, 1))
        intercept = np.hstack([np.tile(-origin, (k, 1)) if shared else -origin[:, None], ones])
        penalty = intercept[:, :, None] * intercept[:, None, :] * (2 * self.intercept_penalty / k)
        if shared:
            off = 2 * self.off_diagonal_penalty / (k * (k - 1)) / unit**2
            rows, columns = np.nonzero(~np.eye(k, dtype=bool))
            penalty[rows, columns, columns] += off
        return np.asarray(penalty)

    def _set_line(self, w: Floats, origin: Floats, unit: float) -> None:
        k = len(origin)
        if self.parameters == "temperature":
            self.weights_ = np.eye(k) * (max(float(w[0, 0]), 0.0) / unit)
            self.intercepts_ = np.zeros(k)
            return
        slopes = w[:, :-1] if self.parameters == "matrix" else np.diag(w[:, 0])
        self.weights_ = slopes / unit
        self.intercepts_ = w[:, -1] - slopes @ origin

    def _predict_single(self, scores: Floats) -> Floats:
        return np.asarray(softmax(scores @ self.weights_.T + self.intercepts_, axis=1))
