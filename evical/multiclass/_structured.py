"""Structured scaling: a temperature, then a matrix that a ridge shrinks towards the identity.

A few samples determine a common temperature; more samples determine a slope and an intercept per
class; very many determine the weights between classes. So the temperature is fitted first. A
penalty keeps slopes, intercepts and off-diagonal weights close to that fit, the more so the fewer
samples there are. The second step is a convex problem with one optimum.

Source: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025).
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_real, check_choice, check_flag, check_not_negative, shown
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bayesian, Bounded
from evical.calibrators import fields
from evical.calibrators.saved import check_shapes
from evical.curves.softmax import Problem, minimize_softmax, moment, platt_target_matrix, whitening
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._extremes import Quadratic
from evical.multiclass._level_sets import LevelSets, checked_contour, minimal

_GREATEST = float(np.finfo(np.float64).max)
_LISTED = 60  # coefficients up to which their Hessian is listed
_EQUAL = 1e-13  # difference of logarithms that is rounding
_END = 16.0  # bound on the logarithm of the inverse temperature


class Ridge(NamedTuple):
    """Weights of the squares of intercepts, of slopes minus 1, and of slopes between classes.

    The last is None if there are no such slopes.
    """

    intercept: float
    diagonal: float
    off_diagonal: float | None


@dataclass(frozen=True, eq=False)
class Structured:
    """Fitted logits: a linear function of the logarithms of tempered probabilities.

    Parameters
    ----------
    unit : float
        Scores are divided by it.
    inverse : float
        Inverse temperature of scores in that unit.
    share : float
        Share of the uniform distribution that is mixed into tempered probabilities.
    weights : (K, K) array
    intercepts : (K,) array
    """

    unit: float
    inverse: float
    share: float
    weights: Floats
    intercepts: Floats

    def tempered(self, scores: Floats) -> Floats:
        """Log-probabilities (n, K) from the temperature alone."""
        p = softmax(self.inverse * below_best(scores, self.unit), axis=1)
        return np.asarray(np.log((1.0 - self.share) * p + self.share / p.shape[1]))

    def logits(self, scores: Floats) -> Floats:
        """Logits (n, K)."""
        return np.asarray(self.tempered(scores) @ self.weights.T + self.intercepts)

    def slopes(self, scores: Floats) -> Floats:
        """Derivatives (n, K) of the logits in the logarithm of the inverse temperature."""
        z = self.inverse * below_best(scores, self.unit)
        p = softmax(z, axis=1)
        pulled = np.where(p > 0.0, p * np.maximum(z, -_GREATEST), 0.0)
        gain = pulled - p * pulled.sum(axis=1, keepdims=True)
        change = (1.0 - self.share) * gain / np.exp(self.tempered(scores))
        return np.asarray(change @ self.weights.T)


def below_best(scores: Floats, unit: float = 1.0) -> Floats:
    """Scores (n, K) minus the largest of their row, in units; at least the lowest float."""
    with np.errstate(over="ignore"):
        moved = np.maximum(scores - scores.max(axis=1, keepdims=True), -_GREATEST)
        return np.asarray(np.maximum(moved / unit, -_GREATEST))


def fit_structured(
    scores: Floats, targets: Floats, weight: Floats, ridge: Ridge, unit: float
) -> Structured:
    """Fit both steps.

    Parameters
    ----------
    scores : (n, K) array
        Logarithms of probabilities, or margins.
    targets : (n, K) array
        Labels or soft targets; rows sum to 1.
    weight : (n,) array
    ridge : Ridge
        Penalties on the mean loss.
    unit : float
        Unit of the scores.

    Returns
    -------
    Structured

    Examples
    --------
    Probabilities that equal the targets are kept, except for the share of the uniform distribution:

    >>> scores = np.log([[0.75, 0.25], [0.25, 0.75]])
    >>> targets = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> fit = fit_structured(scores, targets, np.ones(2), Ridge(1.0, 1e6, 1e6), 1.0)
    >>> round(fit.inverse, 9), abs(fit.weights).round(3).tolist()
    (1.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    k, total = scores.shape[1], float(weight.sum())
    inverse = _inverse_temperature(below_best(scores, unit), targets, weight / total)
    first = Structured(unit, inverse, 1.0 / (total + 1.0), np.eye(k), np.zeros(k))
    x = first.tempered(scores)
    features = _features(x, ridge)
    start, penalty = _identity(k, ridge)
    problem = Problem.toward(features, targets, weight)
    # The ridge is centered at the start: half the sum of penalty (w - start)^2.
    w = minimize_softmax(
        problem._replace(penalty=penalty, target=problem.target + penalty * start),
        newton=start.size <= _LISTED,
        start=start,
    )
    slopes = w[:, :-1] if ridge.off_diagonal is not None else np.diag(w[:, 0])
    return Structured(unit, inverse, first.share, slopes, w[:, -1])


def _features(x: Floats, ridge: Ridge) -> Floats:
    """Features of the logits: (n, K + 1), shared by the classes, or (n, K, 2), separate."""
    if ridge.off_diagonal is None:
        return np.moveaxis(np.stack([x, np.ones_like(x)]), 0, 2)  # each feature in one piece
    return np.hstack([x, np.ones((len(x), 1))])


def _identity(k: int, ridge: Ridge) -> tuple[Floats, Floats]:
    """Coefficients (K, M) of the identity, and the penalties on distances from them."""
    if ridge.off_diagonal is None:
        start = np.tile([1.0, 0.0], (k, 1))
        squares = np.tile([ridge.diagonal, ridge.intercept], (k, 1))
    else:
        start = np.eye(k, k + 1)
        squares = np.full((k, k + 1), ridge.off_diagonal)
        squares[range(k), range(k)], squares[:, -1] = ridge.diagonal, ridge.intercept
    return start, 2.0 * squares


def unit_steps(fit: Structured, scores: Floats, weight: Floats, ridge: Ridge) -> Floats:
    """Parameters (P, P) of unit steps in coordinates in which the information is 1.

    Rows are the coefficients, class by class with the intercept last, then the logarithm of the
    inverse temperature. The information is that of the sample plus that of the ridge.
    """
    k, total = scores.shape[1], weight.sum()
    features = _features(fit.tempered(scores), ridge)
    p, v = softmax(fit.logits(scores), axis=1), fit.slopes(scores)
    problem = Problem.toward(features, p, weight)._replace(penalty=_identity(k, ridge)[1])
    spread = (p * v - p * np.einsum("nk,nk->n", p, v)[:, None]) * problem.weight[:, None]
    cross = moment(features, spread).reshape(-1, 1)
    last = np.einsum("nk,nk->", v, spread).reshape(1, 1)
    return whitening(np.block([[problem.curvature(p), cross], [cross.T, last]]) * total)


def step_slopes(fit: Structured, scores: Floats, steps: Floats, ridge: Ridge) -> Floats:
    """Changes (n, K, P) of the logits by unit steps."""
    features, k = _features(fit.tempered(scores), ridge), scores.shape[1]
    basis = steps[:-1].reshape(k, -1, steps.shape[1])
    form = "nm,kmp->nkp" if features.ndim == 2 else "nkm,kmp->nkp"
    linear = np.einsum(form, features, basis)
    return np.asarray(linear + fit.slopes(scores)[:, :, None] * steps[-1])


def _inverse_temperature(z: Floats, targets: Floats, share: Floats) -> float:
    """Minimizer of the mean loss of ``softmax(inverse * z)``, or the nearer end of the range.

    The loss is convex, so its derivative changes sign once: by Newton's method for the logarithm,
    halving the range where that would leave it.
    """
    wanted = float(share @ np.einsum("nk,nk->n", targets, z))

    def slope(at: float) -> tuple[float, float]:
        p = softmax(np.exp(at) * z, axis=1)
        mean = np.einsum("nk,nk->n", p, z)
        square = np.einsum("nk,nk,nk->n", p, z, z)
        return float(share @ mean) - wanted, float(np.exp(at) * (share @ (square - mean**2)))

    for end, sign in ((-_END, 1.0), (_END, -1.0)):
        if sign * slope(end)[0] >= 0.0:
            return float(np.exp(end))
    low, high, at, step = -_END, _END, 0.0, np.inf
    while abs(step) > _EQUAL and high - low > _EQUAL:
        rise, bend = slope(at)
        low, high = (low, at) if rise >= 0.0 else (at, high)
        step = -rise / bend if bend > 0.0 else np.inf
        if not low <= at + step <= high:
            step = (low + high) / 2.0 - at
        at += step
    return float(np.exp(at))


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

    def _contour(self, scores: Floats, label: Hashable, probability: ArrayLike) -> Floats:
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


class StructuredMatrixCalibrator(StructuredScaling, BaseMulticlassCalibrator):
    """Calibration by structured matrix scaling (SMS).

    Parameters
    ----------
    intercept_penalty, diagonal_penalty, off_diagonal_penalty : float
        lambda of the intercepts, of the slopes for the score of the class itself minus 1, and of
        the slopes between classes. Their squares, with the weights lambda K^rho / n^tau (for slopes
        between classes lambda (K (K - 1))^rho / n^tau), are added to the mean log loss.
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
    multiclass classifier calibration, FUSION.

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

    def __init__(
        self,
        intercept_penalty: float = 1.0,
        diagonal_penalty: float = 1.0,
        off_diagonal_penalty: float = 1.0,
        rho: float = 1.0,
        tau: float = 1.0,
        smooth: bool = False,
        model: str = "bayesian",
        transform: str | None = "log",
    ) -> None:
        super().__init__(intercept_penalty, diagonal_penalty, rho, tau, smooth, model, transform)
        self.off_diagonal_penalty = off_diagonal_penalty

    def _off_diagonal(self) -> float | None:
        return self.off_diagonal_penalty

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
        return self._contour(self._read(scores), label, probability)


class StructuredVectorCalibrator(StructuredScaling, BaseMulticlassCalibrator):
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
    multiclass classifier calibration, FUSION.

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
        >>> calibrator = StructuredVectorCalibrator(model="quadratic").fit(p[:24], y)
        >>> bool((calibrator.contour(p[:1], 0, [0.0, 1.0]) == 0).all())
        True
        """
        return self._contour(self._read(scores), label, probability)
