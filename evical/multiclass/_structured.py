"""Calibration of many classes by structured scaling: a temperature, then a matrix with a ridge.

Source: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from evical._fitting import NOT_NEGATIVE, POSITIVE
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bayesian, normal_bounds
from evical.beliefs.estimate import Estimate
from evical.calibrators import fields
from evical.calibrators.saved import check_shapes
from evical.curves.softmax import platt_target_matrix
from evical.multiclass._base import BaseMulticlassCalibrator, check_unit_table
from evical.multiclass._level_sets import LevelSets, Quadratic, checked_contour, minimal
from evical.multiclass._scaling import (
    Ridge,
    Structured,
    below_best,
    fit_learned,
    fit_structured,
    step_slopes,
    unit_steps,
    with_absent,
)

_HELD = 1e200  # a penalty that pins the coefficients
Model: TypeAlias = Literal["bayesian", "quadratic"]
Transform: TypeAlias = Literal["log"] | None
_LEVELS, _MANY_LEVELS, _FEW = 12, 28, 8  # as in multinomial logistic calibration
_LONG_ROW = 40  # classes; shorter rows are read faster column by column
LITTLE = 1e-9  # of the other classes; less of them adds nothing to the error but rounding
_SIZE = 1 << 21  # numbers in the largest temporary array
_NUMBERS = ("unit", "inverse", "share")


@dataclass(kw_only=True, eq=False, repr=False)
class StructuredScaling(BaseMulticlassCalibrator):
    """Abstract calibrator with both steps, their uncertainty, and the saved state."""

    _ranges: ClassVar = {
        **dict.fromkeys(
            ("intercept_penalty", "diagonal_penalty", "off_diagonal_penalty"), POSITIVE
        ),
        **dict.fromkeys(("rho", "tau"), NOT_NEGATIVE),
    }

    _learns_absent = True
    # Lower limit of probabilities: the smallest float32, as in the authors' package.
    _least = float(np.finfo(np.float32).tiny)

    _state: ClassVar = {
        "unit": fields.positive(),
        "inverse": fields.positive(),
        "share": fields.shares(),
        "weights": fields.product("k", "k"),
        "intercepts": fields.product("k"),
        "steps": fields.optional(fields.product("p", "p")),
        "center": fields.optional(fields.product("k")),
        "variances": fields.optional(fields.product("k", "m")),
        "n_levels": fields.Field((), 2.0, 2.0**16, is_whole=True),
    }

    intercept_penalty: float = 1.0
    diagonal_penalty: float = 1.0
    rho: float = 1.0
    tau: float = 1.0
    smooth: bool = False
    model: Model = "bayesian"
    transform: Transform = "log"
    learned: bool = False

    @abstractmethod
    def _off_diagonal(self) -> float | None:
        """lambda of the weights between classes, if there are any."""

    def _check_parameters(self) -> None:
        if self.smooth and self.learned:
            raise ValueError(
                "smooth and learned are both True; learned penalties use unsmoothed labels"
            )

    def _penalties(self, k: int, total: float) -> Ridge:
        """Penalties on the mean loss of `total` samples of K classes."""
        scale, off = k**self.rho / total**self.tau, self._off_diagonal()
        return Ridge(
            min(self.intercept_penalty * scale, _HELD),
            min(self.diagonal_penalty * scale, _HELD),
            None if off is None else min(off * (k * (k - 1)) ** self.rho / total**self.tau, _HELD),
        )

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        totals = np.bincount(codes, weight, minlength=scores.shape[1]).astype(np.float64)
        present = np.flatnonzero(totals)
        shown, places = scores[:, present], np.searchsorted(present, codes)
        if len(present) > _LONG_ROW:
            shown = np.ascontiguousarray(shown)
        ridge = self._penalties(len(present), float(totals.sum()))
        # Logarithms of probabilities need no unit.
        unit = 1.0 if self.transform == "log" else float(-below_best(shown).min()) or 1.0
        self._center, self._variances = np.empty(0), np.empty((0, 0))
        if self.learned:
            found = fit_learned(shown, places, weight, ridge, unit)
            found = with_absent(found, present, scores, weight)
            self._fit, ridge, self._center, self._variances = found
        else:
            soft = platt_target_matrix(totals[present]) if self.smooth else np.eye(len(present))
            fit = fit_structured(shown, soft[places], weight, ridge, unit)
            self._fit = fit.among(scores.shape[1], present)
        self._steps, self._n_levels = np.empty((0, 0)), _LEVELS
        if self.model == "quadratic":
            self._steps = unit_steps(self._fit, scores, weight, ridge)
            self._n_levels = _MANY_LEVELS if totals.min() < _FEW else _LEVELS

    @property
    def temperature_(self) -> float:
        """The temperature of scores as read."""
        check_is_fitted(self)
        return self._fit.unit / self._fit.inverse

    @property
    def weights_(self) -> Floats:
        """Coefficients (K, K) of the logarithms of tempered probabilities."""
        check_is_fitted(self)
        return self._fit.weights

    @property
    def intercepts_(self) -> Floats:
        """Intercepts (K,)."""
        check_is_fitted(self)
        return self._fit.intercepts

    def _predict_single(self, scores: Floats) -> Floats:
        return self._fit.probabilities(scores)

    def _predict_given(self, table: Floats) -> Floats:
        """The same from scores (n, K) of more than two classes before they are transformed."""
        if self.transform != "log":
            return self._predict_single(self._columns(table, table.shape[1]))
        check_unit_table(table)
        return self._fit.probabilities(table, self._least)

    def _errors(self, scores: Floats, p: Floats) -> Floats:
        """About the standard errors (n, K) of the log-odds of each class, of learned penalties.

        By the delta method, as if the coefficients of classes were independent.
        """
        square = (self._fit.tempered(scores) - self._center) ** 2
        slopes, offset = self._variances[:, :-1], self._variances[:, -1]
        own = (square * slopes[:, 0] if slopes.shape[1] == 1 else square @ slopes.T) + offset
        parts = p**2 * own
        rows, top = np.arange(len(p)), p.argmax(axis=1)
        most = parts[rows, top]
        parts[rows, top] = 0.0  # the sum of the others without cancellation
        less = parts.sum(axis=1)
        others = (less + most)[:, np.newaxis] - parts
        others[rows, top] = less
        rest = np.maximum(1.0 - p, LITTLE)
        return np.asarray(np.sqrt(own + np.maximum(others, 0.0) / rest**2))

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        p = self._predict_single(scores)
        if self.model == "bayesian":
            return Bayesian(self.classes_, p, self._estimate(scores, p))
        return self._level_sets(scores).beliefs(self.classes_, p)

    def _estimate(self, scores: Floats, p: Floats) -> Estimate | None:
        """Of learned penalties, the standard errors; without a Hessian nothing is known."""
        if not self._variances.size:
            return None
        odds = np.log(np.maximum(p, LITTLE)) - np.log(np.maximum(1.0 - p, LITTLE))
        return Estimate(
            lambda level: np.stack(normal_bounds(odds, self._errors(scores, p), level, p), axis=2)
        )

    def _level_sets(self, scores: Floats) -> LevelSets:
        ridge = Ridge(0.0, 0.0, None if self._off_diagonal() is None else 0.0)

        def local(rows: slice) -> tuple[Floats, Floats]:
            slopes = step_slopes(self._fit, scores[rows], self._steps, ridge)
            return self._fit.logits(scores[rows]), minimal(slopes)

        n, k = scores.shape
        chunk = max(1, _SIZE // (2 * k * k * (len(self._steps) + 2 * k)))
        return LevelSets((n, k), local, Quadratic(), self._n_levels, chunk, np.zeros(n, dtype=bool))

    def contour(self, scores: ArrayLike, label: Hashable, probability: ArrayLike) -> Floats:
        """Plausibility that a class has these probabilities.

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
            Largest relative likelihood of coefficients that give the class this probability; 0
            below 7e-10.

        Raises
        ------
        ValueError
            If the model is not "quadratic", the label is unknown, or a probability is not in
            [0, 1].

        Examples
        --------
        >>> p, y = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]] * 9, [0, 1, 2, 2, 1, 0] * 4
        >>> calibrator = StructuredMatrixCalibrator(model="quadratic").fit(p[:24], y)
        >>> bool((calibrator.contour(p[:1], 0, [0.0, 1.0]) == 0).all())
        True
        """
        if self.model == "bayesian":
            raise ValueError(f"model is {self.model!r}; a contour function needs 'quadratic'")
        levels = self._level_sets(self._read(scores))
        return levels.contour(*checked_contour(label, probability, self.classes_))

    def _get_state(self) -> dict[str, Any]:
        return {
            **vars(self._fit),
            "steps": self._steps,
            "center": self._center,
            "variances": self._variances,
            "n_levels": self._n_levels,
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        numbers = {name: float(state[name]) for name in _NUMBERS}
        self._fit = Structured(**numbers, weights=state["weights"], intercepts=state["intercepts"])
        self._steps, self._n_levels = state["steps"], int(state["n_levels"])
        self._center = state.get("center", np.empty(0))
        self._variances = state.get("variances", np.empty((0, 0)))

    def _check_state(self) -> None:
        k = len(self.classes_)
        check_shapes(self._fit, weights=(k, k), intercepts=(k,))
        if self.model == "quadratic":
            size = k * (2 if self._off_diagonal() is None else k + 1) + 1
            check_shapes(self, _steps=(size, size))
        if self.learned:
            width = 2 if self._off_diagonal() is None else k + 1
            check_shapes(self, _center=(k,), _variances=(k, width))


@dataclass(kw_only=True, eq=False, repr=False)
class StructuredMatrixCalibrator(StructuredScaling):
    """Calibration by structured matrix scaling (SMS).

    Parameters
    ----------
    intercept_penalty, diagonal_penalty : float
        lambda of the intercepts, and of the slopes for the score of the class itself minus 1. Their
        squares, with the weights lambda K^rho / n^tau, are added to the mean log loss.
    rho, tau : float
        Exponents of the number K of classes and of the number n of samples.
    smooth : bool
        Whether Platt's targets, (n_k + 1) / (n_k + K) for the class of a sample and 1 / (n_k + K)
        for each other class, replace the labels. The paper uses labels, and so does the default:
        with many classes and few samples of each, the targets are far from the labels.
    model : {"bayesian", "quadratic"}
        "bayesian" is the method of the paper and gives probabilities. "quadratic" approximates the
        penalized log-likelihood by a quadratic in the coefficients and the logarithm of the
        temperature, and gives the belief function that follows from it.
    transform : {"log", None}
        "log" reads probabilities and takes their logarithms (at least -87.3, the logarithm of the
        smallest float32); None reads margins.
    learned : bool
        Whether the samples determine the penalties, by their evidence (MacKay 1992); the given ones
        are what one class more would predict. If a class follows that scores call impossible, they
        also determine the share of the uniform distribution.
    off_diagonal_penalty : float
        lambda of the slopes between classes, whose squares have the weight
        lambda (K (K - 1))^rho / n^tau.

    Attributes
    ----------
    classes_ : (K,) array
    temperature_ : float
        The temperature of the first step.
    weights_ : (K, K) array
        Logits are ``x @ weights_.T + intercepts_`` with x the logarithms of the tempered
        probabilities.
    intercepts_ : (K,) array

    Notes
    -----
    The first step divides scores by the temperature with the smallest log loss, within exp(-16) and
    exp(16), and mixes the probabilities with the uniform distribution at the share 1 / (n + 1). So
    x is finite, and separable classes need no special care. The second step is convex, with one
    optimum.

    With the default parameters this is ``SMSCalibrator()`` of probmetrics. Its optimizer stops
    earlier: its probabilities differ by up to 5e-4 for a hundred samples, and by up to 0.03 for
    20,000 samples of ten classes, where the objective here is the smaller one. It also has other
    penalties (lasso and minimax concave).

    References
    ----------
    Berta, Holzmueller, Jordan & Bach (2025), Structured matrix scaling for multi-class calibration,
    arXiv 2511.03685. Xu, Davoine & Denoeux (2015), Evidential multinomial logistic regression for
    multiclass classifier calibration, FUSION. MacKay (1992), Bayesian interpolation, Neural
    Computation 4, 415-447.

    Examples
    --------
    All 32 samples with each of these forecasts are right, so the forecasts were underconfident.

    >>> p, y = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 32, ["a", "b", "c"] * 32
    >>> calibrator = StructuredMatrixCalibrator().fit(p, y)
    >>> calibrator.predict_proba([[0.8, 0.1, 0.1]]).round(3)
    array([[0.997, 0.002, 0.002]])
    >>> bool(calibrator.temperature_ < 0.1)
    True
    """

    off_diagonal_penalty: float = 1.0

    def _off_diagonal(self) -> float | None:
        return self.off_diagonal_penalty


@dataclass(kw_only=True, eq=False, repr=False)
class StructuredVectorCalibrator(StructuredScaling):
    """Calibration by structured vector scaling (SVS).

    Parameters
    ----------
    intercept_penalty, diagonal_penalty : float
        lambda of the intercepts, and of the slopes minus 1. Their squares, with the weights
        lambda K^rho / n^tau, are added to the mean log loss.
    rho, tau : float
        Exponents of the number K of classes and of the number n of samples.
    smooth : bool
        Whether Platt's targets, (n_k + 1) / (n_k + K) for the class of a sample and 1 / (n_k + K)
        for each other class, replace the labels. The paper uses labels, and so does the default:
        with many classes and few samples of each, the targets are far from the labels.
    model : {"bayesian", "quadratic"}
        "bayesian" is the method of the paper and gives probabilities. "quadratic" approximates the
        penalized log-likelihood by a quadratic in the coefficients and the logarithm of the
        temperature, and gives the belief function that follows from it.
    transform : {"log", None}
        "log" reads probabilities and takes their logarithms (at least -87.3, the logarithm of the
        smallest float32); None reads margins.
    learned : bool
        Whether the samples determine the penalties, by their evidence (MacKay 1992); the given ones
        are what one class more would predict. If a class follows that scores call impossible, they
        also determine the share of the uniform distribution.

    Attributes
    ----------
    classes_ : (K,) array
    temperature_ : float
        The temperature of the first step.
    weights_ : (K, K) array
        Diagonal. Logits are ``x @ weights_.T + intercepts_`` with x the logarithms of the tempered
        probabilities.
    intercepts_ : (K,) array

    Notes
    -----
    The first step divides scores by the temperature with the smallest log loss, within exp(-16) and
    exp(16), and mixes the probabilities with the uniform distribution at the share 1 / (n + 1). So
    x is finite, and separable classes need no special care. The second step is convex, with one
    optimum.

    With the default parameters this is ``SVSCalibrator()`` of probmetrics. Its optimizer stops
    earlier: its probabilities differ by up to 1e-3. It also has other penalties (lasso and minimax
    concave).

    References
    ----------
    Berta, Holzmueller, Jordan & Bach (2025), Structured matrix scaling for multi-class calibration,
    arXiv 2511.03685. Xu, Davoine & Denoeux (2015), Evidential multinomial logistic regression for
    multiclass classifier calibration, FUSION. MacKay (1992), Bayesian interpolation, Neural
    Computation 4, 415-447.

    Examples
    --------
    All 32 samples with each of these forecasts are right, so the forecasts were underconfident.

    >>> p, y = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 32, ["a", "b", "c"] * 32
    >>> calibrator = StructuredVectorCalibrator().fit(p, y)
    >>> calibrator.predict_proba([[0.8, 0.1, 0.1]]).round(3)
    array([[0.996, 0.002, 0.002]])
    >>> bool(calibrator.temperature_ < 0.1)
    True
    """

    def _off_diagonal(self) -> float | None:
        return None
