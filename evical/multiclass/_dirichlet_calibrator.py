"""`DirichletCalibrator`: Gebel's calibration of a probability matrix, or of binary columns.

Gebel's Dirichlet calibration: from proportions to a vector with a Dirichlet distribution.

The proportions of each class are modeled by a Beta distribution. Its distribution function makes
them uniform, the inverse chi-square distribution function makes them chi-square, and dividing by
their sum makes a Dirichlet vector. Its mean is proportional to the degrees of freedom, which are
the shares of the classes.

Source: Gebel, "Multivariate calibration of classifier scores into the probability space"
(2009), section 5.4, equations 5.8-5.13, and section 2.4, equations 2.3-2.6.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaln, gammainccinv, gammaincinv, gammaln, softmax

from dstheory.checks.arguments import check_choice, check_count, shown
from evical._fitting import NOT_NEGATIVE, POSITIVE, optional, up_to
from evical._typing import Floats
from evical.calibrators import fields
from evical.multiclass._base import BaseMulticlassCalibrator, merged, thinned
from evical.multiclass.codes import check_code_matrix, code_matrix

_TINY = 1e-290
_EDGE = 1e-12  # smallest distance of proportions from 0 and 1, where logarithms do not exist
_GRID = 48
_EXHAUSTIVE = 64


def proportions(r: Floats, code: NDArray[np.int8] | None, combine: str, trim: float) -> Floats:
    """One proportion per class, from the binary probabilities of its columns.

    Parameters
    ----------
    r : (n, B) array
        Probabilities of the positive side of each column.
    code : (K, B) array of 1, -1 and 0, or None
        None for probabilities of classes, which are used directly (eq. 5.13).
    combine : {"product", "geometric", "trimmed"}
        Equations 5.11 and 5.12; the last one omits the same number of values on both sides.
    trim : float
        Share of the ordered values to leave out on each side, rounded down.

    Returns
    -------
    (n, K) array, within [1e-12, 1 - 1e-12] before they are combined

    Examples
    --------
    >>> pairs = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> proportions(np.array([[0.5, 0.5, 0.5]]), pairs, "product", 0.0)
    array([[0.25, 0.25, 0.25]])
    >>> proportions(np.array([[0.5, 0.5, 0.5]]), pairs, "geometric", 0.0).round(9)
    array([[0.5, 0.5, 0.5]])
    """
    inner = np.clip(r, _EDGE, 1 - _EDGE)
    if code is None:
        return inner
    sides = np.log(inner), np.log1p(-inner)
    return np.stack([_combined(sides, row, combine, trim) for row in code], axis=1)


def _combined(
    sides: tuple[Floats, Floats], row: NDArray[np.int8], combine: str, trim: float
) -> Floats:
    positive, negative = sides
    logs = np.hstack([positive[:, row == 1], negative[:, row == -1]])
    if combine == "product":
        return np.asarray(np.exp(logs.sum(axis=1)))
    cut = int(trim * logs.shape[1]) if combine == "trimmed" else 0
    kept = np.sort(logs, axis=1)[:, cut : logs.shape[1] - cut] if cut else logs
    return np.asarray(np.exp(kept.mean(axis=1)))


def beta_moments(r: Floats, weight: Floats) -> Floats:
    """Parameters (2, K) of Beta distributions with the mean and the variance of each column.

    The variance has n - 1 in its denominator (section 4.4.3, to which section 5.4.2 refers), where
    n is the sum of the weights; n / 2 if n is below 2, as with weights that add up to 1.

    Examples
    --------
    The uniform distribution has mean 1/2 and variance 1/12, here (2 / 24) / (2 - 1):

    >>> half = np.sqrt(1 / 24)
    >>> beta_moments(np.array([[0.5 - half], [0.5 + half]]), np.ones(2)).round(9).ravel()
    array([1., 1.])
    """
    mean = np.average(r, axis=0, weights=weight)
    n = float(weight.sum())
    variance = weight @ (r - mean) ** 2 / max(n - 1, n / 2)
    # For equal proportions, the Beta distribution would be a point. It gets some width, so that
    # values above or below are still ranked.
    spread = mean * (1 - mean)
    variance = np.clip(variance, 1e-12 * spread, (1 - 1e-9) * spread)
    size = spread / variance - 1
    return np.stack([mean * size, (1 - mean) * size])


def dirichlet_probabilities(r: Floats, shape: Floats, h: Floats) -> Floats:
    """Proportions (n, K) as a Dirichlet vector with parameters h (eq. 5.9).

    Parameters
    ----------
    r : (n, K) array
        Proportions in (0, 1).
    shape : (2, K) array
        Parameters of their Beta distributions.
    h : (K,) array
        Chi-square variables have 2 h_k degrees of freedom.

    Returns
    -------
    (n, K) array

    Notes
    -----
    Half a chi-square variable with 2 h degrees of freedom has a Gamma distribution with shape h,
    and the half cancels. Logarithms are needed, because few degrees of freedom make numbers far
    below the smallest float.

    Examples
    --------
    Uniform proportions and two degrees of freedom: -log(1 - r), divided by its sum.

    >>> r = np.array([[0.5, 0.75]])
    >>> dirichlet_probabilities(r, np.ones((2, 2)), np.ones(2)).round(9)
    array([[0.33333333, 0.66666667]])
    """
    return _normalized(*_levels(r, shape), h)


def _levels(r: Floats, shape: Floats) -> tuple[Floats, Floats]:
    """Logarithm of the distribution function, and its complement."""
    a, b = shape
    below = betainc(a, b, r)
    # Towards 0 the distribution function is r^a / (a B(a, b)).
    leading = a * np.log(r) - np.log(a) - betaln(a, b)
    with np.errstate(divide="ignore"):  # log 0 is replaced
        logs = np.log(below)
    return np.where(below > _TINY, logs, np.minimum(leading, np.log(_TINY))), betaincc(a, b, r)


def _normalized(log_below: Floats, above: Floats, h: Floats) -> Floats:
    lower = gammaincinv(h, np.exp(np.minimum(log_below, np.log(0.5))))
    upper = gammainccinv(h, np.clip(above, _TINY, 0.5))
    x = np.where(log_below < np.log(0.5), lower, upper)
    # Towards 0 the distribution function is x^h / Gamma(h + 1).
    leading = (log_below + gammaln(h + 1)) / h
    with np.errstate(divide="ignore"):  # log 0 is replaced
        logs = np.log(x)
    return np.asarray(
        softmax(np.where(x > _TINY, logs, np.minimum(leading, np.log(_TINY))), axis=1)
    )


def performance(probability: Floats, codes: NDArray[np.intp], weight: Floats) -> float:
    """Geometric mean of CR, 1 - RMSE and WCR (eq. 2.3-2.5; section 5.4.2).

    Parameters
    ----------
    probability : (n, K) array
    codes : (n,) array
        Indices of the true classes.
    weight : (n,) array

    Returns
    -------
    float
        0 if one of the three is 0.

    Notes
    -----
    RMSE is the mean over samples of one root each. WCR leaves out classes without assigned samples;
    the thesis does not mention them.

    Examples
    --------
    >>> performance(np.eye(2), np.array([0, 1]), np.ones(2))
    1.0
    """
    k = probability.shape[1]
    truth = np.eye(k)[codes]
    share = weight / weight.sum()
    assigned = probability.argmax(axis=1)
    correct = float(share @ (assigned == codes))
    effective = 1 - float(share @ np.sqrt(((truth - probability) ** 2).mean(axis=1)))
    excess = np.zeros((k, k))
    np.add.at(excess, assigned, share[:, np.newaxis] * (probability - truth))
    sizes = np.bincount(assigned, share, minlength=k)
    found = sizes > 0
    calibrated = 1 - float(np.abs(excess[found] / sizes[found, np.newaxis]).mean())
    return float(np.cbrt(correct * effective * max(calibrated, 0.0)))


def loss_of_input(
    r: Floats, probability: Floats, codes: NDArray[np.intp], weight: Floats
) -> str | None:
    """Warning that probabilities no longer say what the proportions said, or None.

    Parameters
    ----------
    r, probability : (n, K) arrays
        Proportions, and calibrated probabilities of the same samples.
    codes, weight : (n,) arrays
        Indices of the true classes, and weights of the samples.

    Returns
    -------
    str or None
        If the likeliest class is right less often, by more than three standard errors; or if no
        probability is half as great as the share of samples of which the greatest proportion is
        right, and these are more than frequencies explain.

    Examples
    --------
    >>> codes = np.arange(60) % 3
    >>> sure, flat = 0.0001 + 0.9997 * np.eye(3)[codes], np.full((60, 3), 1 / 3)
    >>> print(loss_of_input(sure, flat, codes, np.ones(60))[:36])
    DirichletCalibrator lost information
    >>> loss_of_input(sure, sure, codes, np.ones(60))
    """
    total = weight.sum()
    right, still = (table.argmax(axis=1) == codes for table in (r, probability))
    lost, gained = float(weight @ (right & ~still)), float(weight @ (still & ~right))
    share = float(weight @ right) / total
    most = float(np.bincount(codes, weight).max() / total)
    chance = most + 3 * np.sqrt(most * (1 - most) / total)
    flat = probability.max() < share / 2 and share > chance
    if not flat and lost - gained <= 3 * np.sqrt(lost + gained):
        return None
    return (
        "DirichletCalibrator lost information: by the scores the likeliest class is right for "
        f"{share:.1%} of the training samples, by the calibrated probabilities, of at most "
        f"{probability.max():.2g}, for {float(weight @ still) / total:.1%}; where scores are near "
        "0 and 1, take SoftmaxCalibrator(transform='log')"
    )


def best_factor(
    r: Floats,
    shape: Floats,
    codes: NDArray[np.intp],
    weight: Floats,
    share: Floats,
    smallest: float,
    largest: int,
) -> float:
    """The factor m to `largest` whose parameters m pi_k perform best (section 5.4.2).

    Below 1, down to `smallest`, 48 factors on a geometric grid are tried. From 1 on, factors are
    whole; up to 64, all are tried. Otherwise 48 factors on a geometric grid are tried, then grids
    of 48 between the neighbors of the best one. Ties go to the first factor.
    """
    levels = _levels(r, shape)
    scores: dict[float, float] = {}
    for grid in _grids(smallest, largest, scores):
        for m in grid:
            if m not in scores:
                scores[m] = performance(_normalized(*levels, m * share), codes, weight)
    return min(scores, key=lambda m: (-scores[m], m))


def _grids(smallest: float, high: int, scores: dict[float, float]) -> Iterator[Sequence[float]]:
    """Grids of factors, those from 1 on around the best one so far, the last without gaps."""
    if smallest < 1:
        yield np.geomspace(smallest, 1, _GRID, endpoint=False).tolist()
    low = 1
    while high - low >= _EXHAUSTIVE:
        grid = sorted(set(np.geomspace(low, high, _GRID).round().astype(int).tolist()))
        yield grid
        place = grid.index(min(grid, key=lambda m: (-scores[m], m)))
        low, high = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    yield list(range(low, high + 1))


_AT_ITS_BOUND = (
    "DirichletCalibrator found its factor 1 at the lower bound of its search; give "
    "smallest_factor=1 to accept it, or less to try smaller ones"
)
_SHAPES = {"double": 1.0, "single": 0.5}  # of a Gamma distribution, as multiples of h_k


@dataclass(kw_only=True, eq=False, repr=False)
class DirichletCalibrator(BaseMulticlassCalibrator):
    """Dirichlet calibration of Gebel (2009).

    That of Kull et al. (2019) is `SoftmaxCalibrator`.

    The method of the same name that Kull et al. proposed ten years later, which is the one to take
    where nothing favors Gebel's, is ``SoftmaxCalibrator(transform="log")``.

    Fitting warns if the answer has lost information of the scores (see Notes), and if the search of
    the factor ends at a bound that was not chosen.

    Parameters
    ----------
    code : {"direct", "one_vs_rest", "all_pairs"} or (K, B) array of 1, -1 and 0
        Meaning of the columns of scores: probabilities of the K classes ("direct"), or
        probabilities of the positive sides of binary problems.
    combine : {"trimmed", "geometric", "product"}
        How to combine the binary probabilities of a class into one proportion.
    trim : float
        Share of ordered probabilities to leave out on each side, for "trimmed".
    factor : float, optional
        m in the parameters h_k = m pi_k. By default, the factor from `smallest_factor` to twice the
        number of samples with the largest geometric mean of CR, 1 - RMSE and WCR; from 1 on,
        factors are whole.
    smallest_factor : float, optional
        Where the search of the factor begins, at most 1. By default it is 1, as in the thesis, with
        a warning if the search ends there, as it does where classes are easily separated. Smaller
        factors move probabilities towards 0 and 1.
    max_search_size : int
        Number of samples on which factors are compared; if there are more, this many are chosen
        evenly.
    degrees : {"double", "single"}
        Degrees of freedom of the chi-square variables: 2 h_k, which makes a Dirichlet vector with
        parameters h_k (eq. 5.9), or h_k, as the thesis writes below it, which makes one with
        parameters h_k / 2, so that probabilities are further apart.

    Attributes
    ----------
    classes_ : (K,) array
    code_ : (K, B) array or None
    shape_ : (2, K) array
        Parameters of the Beta distribution of each class's proportions.
    h_ : (K,) array
        The parameters h_k; half of them are those of the Dirichlet distribution if `degrees` is
        "single".
    factor_ : float

    Notes
    -----
    Scores are probabilities; 0 and 1 are read as 1e-12 and 1 - 1e-12, whereas the thesis first
    normalizes margins with a smoothing factor. Up to 64 factors are all tried; with more, a
    geometric grid is refined around its best one. Nine columns or fewer are not trimmed at a share
    of 0.1, because the number to leave out is rounded down.

    Each class's proportion is compared with its own distribution over all samples. A class that is
    never probable gets as many high values as any other class. So the thesis advises against the
    method for imbalanced classes.

    Nor does it serve classifiers that are sure. The Beta distribution with the mean and the
    variance of proportions near 0 and 1 has nearly all of its mass at both ends, so that its
    distribution function is as good as constant between them: 0.9998 and 0.0001 become the same
    uniform variable before eq. 5.9, and all classes get the same probability. The thesis smooths
    margins (rho = 1.05 in eq. 4.1) to keep logarithms finite; for direct use (eq. 5.13) it does
    nothing.

    References
    ----------
    Gebel (2009), Multivariate calibration of classifier scores into the probability space,
    section 5.4.

    Examples
    --------
    >>> table = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
    >>> calibrator = DirichletCalibrator(code="direct", factor=3).fit(table, ["a", "b", "c"])
    >>> calibrator.h_
    array([1., 1., 1.])
    >>> calibrator.predict(table).tolist()
    ['a', 'b', 'c']
    """

    _takes_probabilities = True
    _ranges: ClassVar = {
        "trim": NOT_NEGATIVE,
        "factor": optional(up_to(2**53, POSITIVE)),
        "smallest_factor": optional(up_to(1, POSITIVE)),
        "max_search_size": partial(check_count, least=1),
    }
    _state: ClassVar = {
        "code_": fields.optional(fields.Field(("k", "c"), -1.0, 1.0, is_whole=True)),
        "shape_": fields.Field((2, "k"), 1e-100, 1e100),
        "h_": fields.Field(("k",), 1e-100, 1e100),
        "factor_": fields.positive(),
    }

    code: Any = "direct"
    combine: Literal["product", "geometric", "trimmed"] = "trimmed"
    trim: float = 0.1
    factor: float | None = None
    smallest_factor: float | None = None
    max_search_size: int = 2000
    degrees: Literal["double", "single"] = "double"

    def _check_parameters(self) -> None:
        if isinstance(self.code, str):
            check_choice("code", self.code, ("direct", "one_vs_rest", "all_pairs"), "a matrix, or ")
        if self.trim >= 0.5:
            raise ValueError(
                f"trim is {shown(self.trim)}, but less than half can be left out on each side"
            )

    def _code_matrix(self, n_classes: int) -> NDArray[np.int8] | None:
        if not isinstance(self.code, str):
            return check_code_matrix(self.code, n_classes)
        if self.code == "direct" or n_classes == 2:
            return None
        kind: Any = self.code
        return code_matrix(kind, n_classes)

    def _n_columns(self, n_classes: int) -> int:
        code = self._code_matrix(n_classes)
        return n_classes if code is None else code.shape[1]

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        code = self._code_matrix(int(codes.max()) + 1)
        r = proportions(scores, code, self.combine, self.trim)
        r, codes, weight = merged(r, codes, weight)
        shape = beta_moments(r, weight)
        share = np.bincount(codes, weight) / weight.sum()
        factor = self.factor
        if factor is None:
            places, taken = thinned(weight, self.max_search_size)
            smallest, largest = self.smallest_factor or 1.0, max(int(2 * weight.sum()), 1)
            unit = _SHAPES[self.degrees] * share
            factor = best_factor(r[places], shape, codes[places], taken, unit, smallest, largest)
            if factor == 1 and self.smallest_factor is None:
                warnings.warn(_AT_ITS_BOUND, stacklevel=5)
        self.code_, self.shape_, self.h_, self.factor_ = code, shape, factor * share, float(factor)
        p = dirichlet_probabilities(r, shape, _SHAPES[self.degrees] * self.h_)
        lost = loss_of_input(r, p, codes, weight)
        if lost is not None:
            warnings.warn(lost, stacklevel=5)

    def _predict_single(self, scores: Floats) -> Floats:
        r = proportions(scores, self.code_, self.combine, self.trim)
        return dirichlet_probabilities(r, self.shape_, _SHAPES[self.degrees] * self.h_)

    def _get_state(self) -> dict[str, Any]:
        code = np.zeros((0, 0)) if self.code_ is None else self.code_
        return {"code_": code, "shape_": self.shape_, "h_": self.h_, "factor_": self.factor_}

    def _set_state(self, state: dict[str, Any]) -> None:
        super()._set_state(state)
        self.code_ = check_code_matrix(state["code_"]) if state["code_"].size else None

    def _check_state(self) -> None:
        expected = self._code_matrix(len(self.classes_))
        if not np.array_equal(expected, self.code_):  # type: ignore[arg-type]  # both may be None
            raise ValueError(
                "saved calibrator is damaged: its code does not follow from its parameters"
            )
        if min(self.shape_.min(), self.h_.min()) <= 0:
            raise ValueError("saved calibrator is damaged: parameters are not positive")
