"""`DirichletCalibrator`: Gebel's calibration of a probability matrix, or of binary columns."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_choice, check_count, check_not_negative, shown
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators.saved import check_shapes
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._codes import check_code_matrix, code_matrix
from evical.multiclass._dirichlet import (
    best_factor,
    beta_moments,
    dirichlet_probabilities,
    loss_of_input,
    proportions,
)
from evical.multiclass._thinning import merged, thinned

__all__ = ["DirichletCalibrator"]

_COMBINATIONS = ("product", "geometric", "trimmed")
_SHAPES = {"double": 1.0, "single": 0.5}  # of a Gamma distribution, as multiples of h_k


class DirichletCalibrator(BaseMulticlassCalibrator):
    """Gebel's Dirichlet calibration (2009), not Kull et al. (2019): see `SoftmaxCalibrator`.

    The method of the same name that Kull et al. proposed ten years later, which is the one to take
    where nothing speaks for Gebel's, is ``SoftmaxCalibrator(transform="log")``.

    Fitting warns if the answer has lost what the scores say (see Notes).

    Parameters
    ----------
    code : {"direct", "one_vs_rest", "all_pairs"} or (K, B) array of 1, -1 and 0
        Meaning of the columns of scores: probabilities of the K classes ("direct"), or
        probabilities of the positive sides of binary problems.
    combine : {"trimmed", "geometric", "product"}
        How to combine the binary probabilities of a class into one proportion.
    trim : float
        Share of ordered probabilities to leave out on each side, for "trimmed".
    factor : int, optional
        m in the parameters h_k = m pi_k. By default, the factor from 1 to twice the number of
        samples with the largest geometric mean of CR, 1 - RMSE and WCR.
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
    factor_ : int

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
    _state: ClassVar = {
        "code_": fields.optional(fields.Field(("k", "c"), -1.0, 1.0, is_whole=True)),
        "shape_": fields.Field((2, "k"), 1e-100, 1e100),
        "h_": fields.Field(("k",), 1e-100, 1e100),
        "factor_": fields.whole(),
    }

    def __init__(
        self,
        code: Any = "direct",
        combine: str = "trimmed",
        trim: float = 0.1,
        factor: int | None = None,
        max_search_size: int = 2000,
        degrees: str = "double",
    ) -> None:
        self.code = code
        self.combine = combine
        self.trim = trim
        self.factor = factor
        self.max_search_size = max_search_size
        self.degrees = degrees

    def _check_parameters(self) -> None:
        if isinstance(self.code, str):
            check_choice("code", self.code, ("direct", "one_vs_rest", "all_pairs"), "a matrix, or ")
        check_choice("combine", self.combine, _COMBINATIONS)
        check_choice("degrees", self.degrees, _SHAPES)
        check_not_negative(trim=self.trim)
        if self.trim >= 0.5:
            raise ValueError(
                f"trim is {shown(self.trim)}, but less than half can be left out on each side"
            )
        check_count("max_search_size", self.max_search_size, 1)
        if self.factor is not None:
            check_count("factor", self.factor, 1, 2**53)

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
            largest = max(int(2 * weight.sum()), 1)
            unit = _SHAPES[self.degrees] * share
            factor = best_factor(r[places], shape, codes[places], taken, unit, largest)
        self.code_, self.shape_, self.h_, self.factor_ = code, shape, factor * share, int(factor)
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
        k = len(self.classes_)
        check_shapes(self, shape_=(2, k), h_=(k,))
        expected = self._code_matrix(k)
        if not np.array_equal(expected, self.code_):  # type: ignore[arg-type]  # both may be None
            raise ValueError(
                "saved calibrator is damaged: its code does not follow from its parameters"
            )
        if min(self.shape_.min(), self.h_.min()) <= 0:
            raise ValueError("saved calibrator is damaged: parameters are not positive")
