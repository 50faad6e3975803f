"""Evidential multinomial logistic calibration: the softmax, with its uncertainty.

The relative likelihood of the softmax coefficients is a consonant belief function. On each of its
level sets, the probability of a class has a smallest and a largest value. The means of these over
random levels are the belief and the plausibility of the class.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_count
from evical._typing import Flags, Floats
from evical.beliefs import Beliefs
from evical.calibrators import fields
from evical.calibrators.saved import check_shapes
from evical.curves.softmax import Problem, minimize_softmax, whitening
from evical.multiclass._base import BaseMulticlassCalibrator, merged, thinned
from evical.multiclass._level_sets import (
    LevelSets,
    Quadratic,
    SampleDeviance,
    checked_contour,
    contrasts,
    minimal,
)

_ROWS_A_COLUMN = 10  # fewer rows may not determine some coefficient
_SIZE = 1 << 21  # numbers in the largest temporary array
# Nodes in the level. With 10 samples per class or more, masses of two classes are within 1e-8 of
# the exact ones. Likelihoods of fewer samples are less normal and need more nodes.
_LEVELS, _MANY_LEVELS, _FEW = 12, 28, 8
_FAR = 1e8  # standardized scores are clipped there, where masses are within 1e-8 of their limits
_RANK = 1e-10  # relative variation below which a direction of scores counts as constant
_OUTSIDE = 1e-7  # tolerated relative distance of a score from the directions of the training scores


@dataclass(kw_only=True, eq=False, repr=False)
class MultinomialLogisticCalibrator(BaseMulticlassCalibrator):
    """Evidential calibration by multinomial logistic regression of the class on all scores.

    Parameters
    ----------
    model : {"quadratic", "likelihood"}
        "quadratic" approximates the log-likelihood by a quadratic in the coefficients, with an
        error of about 1/n (the probabilities are still those of the softmax). "likelihood" does not
        approximate; it is for few classes and few predictions, see the notes for its cost.
    max_size : int
        Number of rows on which the likelihood is evaluated. If there are more distinct rows, this
        many are chosen evenly (at least ten per column), and the coordinates are scaled to keep the
        second derivatives of the whole sample. For "likelihood" only.
    transform : {None, "log"}
        Take unchanged scores, or the logarithms of probabilities.

    Attributes
    ----------
    classes_ : (K,) array
    weights_ : (K, K) array
        Most likely logits are ``scores @ weights_.T + intercepts_``.
    intercepts_ : (K,) array

    Notes
    -----
    Labels are replaced by Platt's targets for K classes, as in `SoftmaxCalibrator`; the most
    likely probabilities are those of ``SoftmaxCalibrator()``.

    With "likelihood" and up to `max_size` distinct rows, the largest probability on each level set
    is exact (a convex problem). For K = 2 so is the smallest one: masses are those of
    ``LogisticCalibrator(model="likelihood")`` to 1e-6. For more classes, the smallest probability
    is the best of several local optima, one for each rival class, without a proof that there is no
    better one. If the bounds of classes sum to less than 2, no belief function has them;
    plausibilities are then raised to the nearest possible ones, and beliefs are kept. The masses on
    sets of two or more classes are one of many choices with these bounds.

    A score outside the space of the training scores (if these are all equal, or on a line) has a
    vacuous belief.

    Prediction takes 2 K searches per sample at 12 levels. With "quadratic", a search has K - 1
    variables for any training sample: 2 ms per sample for three classes, 11 ms for ten. With
    "likelihood", it has (K - 1) (K + 1) variables, and each step uses `max_size` rows: 0.1 s per
    sample for three classes and 200 rows, 0.5 s for five, and 25 s for ten. An
    `EvidentialClassifier` multiplies this by its number of folds. The two differ by up to 0.07 for
    30 training samples of three classes, 0.009 for 200 and 0.001 for 1000.

    References
    ----------
    Xu, Davoine & Denoeux (2015), Evidential multinomial logistic regression for multiclass
    classifier calibration, FUSION. Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx.
    Reasoning 72, 55-70, eq. 22-23 and 33-40.

    Examples
    --------
    >>> scores, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 4, ["a", "b", "c"] * 4
    >>> calibrator = MultinomialLogisticCalibrator().fit(scores, y)
    >>> calibrator.predict_interval([[1.0, 0.0, 0.0]]).round(2)
    array([[[0.4 , 0.89],
            [0.04, 0.49],
            [0.04, 0.49]]])
    """

    _ranges: ClassVar = {"max_size": partial(check_count, least=1)}
    _state: ClassVar = {
        "center_": fields.finite("k"),
        "axes_": fields.optional(fields.product("k", "m-1")),
        "coefficients_": fields.product("k", "m"),
        "slopes_": fields.product("s", "d"),
        "rows_": fields.optional(fields.product("n", "m")),
        "probability_": fields.optional(fields.shares("n", "k")),
        "weight_": fields.optional(fields.weights("n")),
        "basis_": fields.product("s", "d"),
        "n_levels_": fields.Field((), 2.0, 2.0**16, is_whole=True),
    }

    model: Literal["quadratic", "likelihood"] = "quadratic"
    max_size: int = 200
    transform: str | None = None

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        scores, codes, weight = merged(scores, codes, weight)
        self.center_ = np.average(scores, axis=0, weights=weight)
        self.axes_ = _axes(scores - self.center_, weight)
        features = self._standard(scores)[0]
        problem = Problem.of(features, codes, weight)
        w = minimize_softmax(problem)
        free = contrasts(*w.shape)
        self.coefficients_ = w
        few = np.bincount(codes, weight).min() < _FEW
        self.n_levels_ = _MANY_LEVELS if few else _LEVELS
        self.slopes_ = _whitening(problem.hessian(w) * weight.sum(), free)
        size = max(self.max_size, _ROWS_A_COLUMN * features.shape[1])
        places, taken = thinned(weight, size if self.model == "likelihood" else 0)
        self.rows_, self.weight_ = features[places], taken
        self.probability_ = np.asarray(softmax(self.rows_ @ w.T, axis=1))
        self.basis_ = self.slopes_
        if 0 < len(places) < len(features):
            part = Problem(self.rows_, taken, np.zeros_like(w), np.zeros((len(w), 1, 1)))
            self.basis_ = _whitening(part.hessian(w), free)

    def _standard(self, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Standardized scores with a column of ones, and which samples lie outside their space."""
        moved = scores - self.center_
        inner = moved @ self.axes_
        # The axes are orthogonal, each divided by the spread along it.
        spread = (self.axes_**2).sum(axis=0)
        off = np.abs(moved - inner @ (self.axes_ / np.where(spread > 0, spread, 1)).T).max(axis=1)
        size = np.abs(scores).max(axis=1) + np.abs(self.center_).max()
        inner = np.clip(inner, -_FAR, _FAR)
        return np.hstack([inner, np.ones((len(inner), 1))]), off > _OUTSIDE * size

    @property
    def weights_(self) -> Floats:
        """Most likely coefficients of the scores."""
        check_is_fitted(self)
        return np.asarray(self.coefficients_[:, :-1] @ self.axes_.T)

    @property
    def intercepts_(self) -> Floats:
        """Most likely logits of scores that are all 0."""
        return np.asarray(self.coefficients_[:, -1] - self.weights_ @ self.center_)

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        features, outside = self._standard(scores)
        p = np.asarray(softmax(features @ self.coefficients_.T, axis=1))
        return self._level_sets(features, outside).beliefs(self.classes_, p)

    def _level_sets(self, features: Floats, outside: Flags) -> LevelSets:
        k, m = self.coefficients_.shape
        basis = self.slopes_.reshape(k, m, -1)

        def local(rows: slice) -> tuple[Floats, Floats]:
            slopes = np.einsum("nm,kmp->nkp", features[rows], basis)
            logits = features[rows] @ self.coefficients_.T
            return logits, minimal(slopes) if self.model == "quadratic" else slopes

        chunk = max(1, _SIZE // (2 * k * max(len(self.rows_), k) * k * m))
        shape, levels = (len(features), k), int(self.n_levels_)
        return LevelSets(shape, local, self._deviance(), levels, chunk, outside)

    def _deviance(self) -> Quadratic | SampleDeviance:
        if self.model == "quadratic":
            return Quadratic()
        return SampleDeviance(self.rows_, self.probability_, self.weight_, self.basis_)

    def contour(self, scores: ArrayLike, label: Hashable, probability: ArrayLike) -> Floats:
        """Plausibility that a class has these probabilities (Xu et al. 2016, eq. 40).

        Parameters
        ----------
        scores : (n, K) array
        label : label
            One of the classes.
        probability : (q,) array
            In [0, 1].

        Returns
        -------
        (n, q) array
            Greatest relative likelihood of a softmax that gives the class this probability;
            0 below 7e-10.

        Raises
        ------
        ValueError
            If the label is unknown, or a probability is not in [0, 1].

        Examples
        --------
        >>> scores, y = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 4, [0, 1, 2] * 4
        >>> calibrator = MultinomialLogisticCalibrator().fit(scores, y)
        >>> calibrator.contour([[1.0, 0.0, 0.0]], 0, [0.5, 5 / 7, 1.0]).round(2)
        array([[0.71, 1.  , 0.  ]])
        """
        sets = self._level_sets(*self._standard(self._read(scores)))
        return sets.contour(*checked_contour(label, probability, self.classes_))

    def _set_state(self, state: dict[str, Any]) -> None:
        super()._set_state(state)
        k = len(self.classes_)
        for name, last in (("axes_", -1), ("rows_", -1), ("probability_", k)):
            if not getattr(self, name).size:
                width = self.coefficients_.shape[1] if last < 0 else last
                shape = (len(self.center_), 0) if name == "axes_" else (0, width)
                setattr(self, name, np.zeros(shape))

    def _check_state(self) -> None:
        k, n_axes, n = len(self.classes_), self.axes_.shape[-1], len(self.rows_)
        m, size = n_axes + 1, (k - 1) * (n_axes + 1)
        check_shapes(
            self,
            center_=(k,),
            axes_=(k, n_axes),
            coefficients_=(k, m),
            slopes_=(k * m, size),
            rows_=(n, m),
            probability_=(n, k),
            weight_=(n,),
            basis_=(k * m, size),
            n_levels_=(),
        )


def _axes(moved: Floats, weight: Floats) -> Floats:
    """Orthogonal directions (K, rank) in which scores vary, divided by the spread along them."""
    unit = float(np.abs(moved).max()) or 1.0
    share = np.sqrt(weight / weight.sum())[:, np.newaxis]
    _, spread, directions = np.linalg.svd(share * (moved / unit), full_matrices=False)
    varies = spread > _RANK * max(float(spread[0]), 1e-300)
    return np.asarray(directions[varies].T / (spread[varies] * unit))


def _whitening(hessian: Floats, basis: Floats) -> Floats:
    """Coefficients (K M, P) of unit steps in coordinates in which the Hessian is 1."""
    return np.asarray(basis @ whitening(basis.T @ hessian @ basis))
