"""Common base of the structured vector and structured matrix calibrators."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_real, check_choice, check_flag, check_not_negative, shown
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bayesian import Bayesian
from evical.beliefs.bounded import Bounded
from evical.calibrators import fields
from evical.calibrators.saved import check_shapes
from evical.multiclass._extremes import Quadratic
from evical.multiclass._level_sets import LevelSets, checked_contour, minimal
from evical.multiclass._softmax import platt_target_matrix
from evical.multiclass._structured import (
    Ridge,
    Structured,
    below_best,
    fit_structured,
    step_slopes,
    unit_steps,
)

__all__ = ["StructuredScaling"]

_HELD = 1e200  # a penalty that pins the coefficients
_MODELS = ("bayesian", "quadratic")
_LEVELS, _MANY_LEVELS, _FEW = 12, 28, 8  # as in multinomial logistic calibration
_SIZE = 1 << 21  # numbers in the largest temporary array
_NUMBERS = ("unit", "inverse", "share")


class StructuredScaling:
    """Mixin of a multiclass calibrator: both steps, their uncertainty, and the saved state."""

    classes_: NDArray[Any]
    _fit: Structured
    _ridge: Ridge

    # Lower limit of probabilities: the smallest float32, as in the authors' package.
    _least: float = float(np.finfo(np.float32).tiny)

    _state: ClassVar[dict[str, fields.Field] | tuple[str, ...]] = {
        "unit": fields.positive(),
        "inverse": fields.positive(),
        "share": fields.shares(),
        "weights": fields.product("k", "k"),
        "intercepts": fields.product("k"),
        "steps": fields.optional(fields.product("p", "p")),
        "n_levels": fields.Field((), 2.0, 2.0**16, is_whole=True),
    }

    def __init__(
        self,
        intercept_penalty: float = 1.0,
        diagonal_penalty: float = 1.0,
        rho: float = 1.0,
        tau: float = 1.0,
        smooth: bool = False,
        model: str = "bayesian",
        transform: str | None = "log",
    ) -> None:
        self.intercept_penalty = intercept_penalty
        self.diagonal_penalty = diagonal_penalty
        self.rho = rho
        self.tau = tau
        self.smooth = smooth
        self.model = model
        self.transform = transform

    def _off_diagonal(self) -> float | None:
        """lambda of the weights between classes, if there are any."""
        return None

    def _check_parameters(self) -> None:
        check_choice("model", self.model, _MODELS)
        check_flag("smooth", self.smooth)
        check_not_negative(rho=self.rho, tau=self.tau)
        expected = "a finite positive number"
        for part in ("intercept", "diagonal", "off_diagonal"):
            name = f"{part}_penalty"
            value = getattr(self, name, 1.0)  # there may be no slopes between classes
            if not 0 < as_real(name, value, expected) < np.inf:
                raise ValueError(f"{name} is {shown(value)}, expected {expected}")

    def _penalties(self, k: int, total: float) -> Ridge:
        """Penalties on the mean loss of `total` samples of K classes."""
        scale, off = k**self.rho / total**self.tau, self._off_diagonal()
        return Ridge(
            min(self.intercept_penalty * scale, _HELD),
            min(self.diagonal_penalty * scale, _HELD),
            None if off is None else min(off * (k * (k - 1)) ** self.rho / total**self.tau, _HELD),
        )

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        k, totals = scores.shape[1], np.bincount(codes, weight).astype(np.float64)
        targets = platt_target_matrix(totals) if self.smooth else np.eye(k)
        ridge = self._penalties(k, float(totals.sum()))
        # Logarithms of probabilities need no unit.
        unit = 1.0 if self.transform == "log" else float(-below_best(scores).min()) or 1.0
        self._fit = fit_structured(scores, targets[codes], weight, ridge, unit)
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
        return np.asarray(softmax(self._fit.logits(scores), axis=1))

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        p = self._predict_single(scores)
        if self.model == "bayesian":
            return Bayesian(self.classes_, p)
        bounds = self._level_sets(scores).bounds(p)
        return Bounded(self.classes_, len(p), lambda: (bounds[:, :, 0], bounds[:, :, 1]))

    def _level_sets(self, scores: Floats) -> LevelSets:
        ridge = Ridge(0.0, 0.0, None if self._off_diagonal() is None else 0.0)

        def local(rows: slice) -> tuple[Floats, Floats]:
            slopes = step_slopes(self._fit, scores[rows], self._steps, ridge)
            return self._fit.logits(scores[rows]), minimal(slopes)

        n, k = scores.shape
        chunk = max(1, _SIZE // (2 * k * k * (len(self._steps) + 2 * k)))
        return LevelSets((n, k), local, Quadratic(), self._n_levels, chunk)

    def _contour(self, scores: Floats, label: Any, probability: ArrayLike) -> Floats:
        if self.model == "bayesian":
            raise ValueError(f"model is {self.model!r}; a contour function needs 'quadratic'")
        return self._level_sets(scores).contour(*checked_contour(label, probability, self.classes_))

    def _get_state(self) -> dict[str, Any]:
        return {**vars(self._fit), "steps": self._steps, "n_levels": self._n_levels}

    def _set_state(self, state: dict[str, Any]) -> None:
        numbers = {name: float(state[name]) for name in _NUMBERS}
        self._fit = Structured(**numbers, weights=state["weights"], intercepts=state["intercepts"])
        self._steps, self._n_levels = state["steps"], int(state["n_levels"])

    def _check_state(self) -> None:
        k = len(self.classes_)
        check_shapes(self._fit, weights=(k, k), intercepts=(k,))
        if self.model == "quadratic":
            size = k * (2 if self._off_diagonal() is None else k + 1) + 1
            check_shapes(self, _steps=(size, size))
