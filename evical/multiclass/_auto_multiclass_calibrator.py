"""Automatic calibration of many classes: each against the rest, and then all of them together.

What is wrong with the score of one class, of whatever form, `AutoCalibrator` finds out for each
class by itself. What remains is between the classes: their shares, how sure all of them may be
together, and what one says about another. Structured matrix scaling finds that, on the
probabilities of the first step, and only as far as the samples support it.
"""

from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bounded
from evical.beliefs.listed import Listed, sides
from evical.calibrators import AutoCalibrator
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._one_vs_rest_calibrator import (
    OneVsRestCalibrator,
    named_directions,
    normalized,
)
from evical.multiclass._structured import (
    Ridge,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
    step_slopes,
)
from evical.scores.direction import Direction

# A matrix of K = 26 has 702 coefficients, the most for which Newton's method is used.
_MOST_OF_MATRIX = 26
_LITTLE = 1e-9  # of the other classes; less of them adds nothing to the error but rounding
_LEAST = float(np.finfo(np.float64).tiny)
_SIZE = 1 << 22  # numbers in the largest temporary array


Scaling: TypeAlias = StructuredMatrixCalibrator | StructuredVectorCalibrator


class AutoMulticlassCalibrator(BaseMulticlassCalibrator):
    """Calibration of many classes without a choice.

    Parameters
    ----------
    model : {"likelihood", "confidence", "bayesian"}
        "bayesian" gives probabilities alone; "likelihood" surrounds them by what the samples leave
        open; "confidence" gives intervals of that level, see `AutoCalibrator`.
    confidence : float
        Level of the intervals of the model "confidence".

    Attributes
    ----------
    classes_ : (K,) array
    calibrators_ : list of fitted AutoCalibrator
        One for each class against the rest; for two classes a single one.
    scaling_ : fitted StructuredMatrixCalibrator or StructuredVectorCalibrator, or None
        Of the probabilities of all classes; above 26 classes without weights between them. None for
        two classes.

    Notes
    -----
    Scores of a class may be probabilities or margins, of any scale; each column is read as
    `AutoCalibrator` reads scores of two classes. Its probabilities, divided by their sum, are
    scaled by the same samples: the curves are smooth and the ridge is strong, so that little is
    counted twice. In the study `calarena_small` its log loss is less than that of each step alone,
    of every other calibrator of many classes in this package, and of those of other packages.

    The log-odds of a class against the others have the variance of its curve, and that of the
    coefficients of the matrix by the delta method (up to 26 classes). Bel and Pl of single classes
    follow from a normal contour as in `AutoCalibrator`, and sets of classes are as small as these
    allow.

    References
    ----------
    Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates, KDD, section 5.2. Berta, Holzmueller, Jordan & Bach (2025), Structured matrix scaling
    for multi-class calibration, arXiv 2511.03685.

    Examples
    --------
    Probabilities that are too sure, of classes with other shares than the classifier believes:

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([4, 2, 1], size=900)
    >>> y = (rng.random((900, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> shown = truth**2 / (truth**2).sum(axis=1, keepdims=True)
    >>> calibrator = AutoMulticlassCalibrator().fit(shown, y)
    >>> shown[:1].round(2), calibrator.predict_proba(shown[:1]).round(2), truth[:1].round(2)
    (array([[0.68, 0.31, 0.01]]), array([[0.52, 0.39, 0.09]]), array([[0.55, 0.37, 0.08]]))
    """

    _state = ("each", "scaling")

    def __init__(self, model: str = "likelihood", confidence: float = 0.95) -> None:
        self.model = model
        self.confidence = confidence

    def _check_parameters(self) -> None:
        AutoCalibrator(self.model, self.confidence)._check_parameters()

    def _columns(self, table: Floats, n_classes: int, named: Any = None) -> Floats:
        return OneVsRestCalibrator()._columns(table, n_classes, named)

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        self.scaling_ = _scaling(int(codes.max()) + 1, self.model)
        model = self.model if self.scaling_ is None else "bayesian"  # two classes have no more
        each = OneVsRestCalibrator(AutoCalibrator(model, self.confidence), coupling="normalize")
        self._each = each._fit_quietly(scores, codes, weight)
        if self.scaling_ is not None:
            self.scaling_._fit_quietly(self._shares(scores), codes, weight)

    @property
    def calibrators_(self) -> list[AutoCalibrator]:
        """One for each class against the rest; for two classes a single one."""
        check_is_fitted(self)
        return list(self._each.calibrators_)

    def _wrong_ways(self) -> list[Direction]:
        return named_directions(self.classes_, self.calibrators_)

    def _shares(self, scores: Floats) -> Floats:
        """Probabilities (n, K) of the classes against the rest, of sum 1."""
        columns = zip(self._each.calibrators_, scores.T, strict=True)
        positive = [one._predict_mass(one._scale(column))[0] for one, column in columns]
        return normalized(np.stack(positive, axis=1))

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        if self.scaling_ is None:
            columns = sides(self._each.calibrators_, scores)
            return Listed(self.classes_, np.array([1, 2, 3]), columns[:, 0])
        shares = self._shares(scores)
        # Not the pignistic probability of its own belief, which its level sets move.
        p = self.scaling_._predict_single(self.scaling_._read(shares))
        odds = np.log(np.maximum(p, _LEAST)) - np.log(np.maximum(1.0 - p, _LEAST))
        errors = partial(self._errors, scores, shares, p)
        return Bounded.normal(self.classes_, p, odds, errors, self.model, self.confidence)

    def _errors(self, scores: Floats, shares: Floats, p: Floats) -> Floats:
        """Standard errors (n, K) of the log-odds of each class against the others."""
        columns = [
            one._at(one._scale(column), one.standard_error_[np.newaxis])[0]
            for one, column in zip(self._each.calibrators_, scores.T, strict=True)
        ]
        variance = np.stack(columns, axis=1) ** 2
        if self.scaling_ is not None and self.scaling_.model == "quadratic":
            variance = variance + _variance(self.scaling_, self.scaling_._read(shares), p)
        return np.asarray(np.sqrt(variance))

    def _get_state(self) -> dict[str, Any]:
        scaling = None if self.scaling_ is None else self.scaling_.to_dict()
        return {"each": self._each.to_dict(), "scaling": scaling}

    def _restore_state(self, state: dict[str, Any]) -> None:
        self._each = OneVsRestCalibrator.from_dict(state["each"])
        self.scaling_ = _scaling(len(self.classes_), self.model)
        if self.scaling_ is not None:
            self.scaling_ = type(self.scaling_).from_dict(state["scaling"])
        k, kinds = len(self.classes_), {type(one) for one in self._each.calibrators_}
        sizes = {len(part.classes_) for part in (self._each, self.scaling_) if part is not None}
        if sizes != {k} or kinds != {AutoCalibrator}:
            raise ValueError(f"saved calibrator is damaged: its parts are not of {k} classes")


def _scaling(k: int, model: str) -> Scaling | None:
    """The second step for K classes, not fitted."""
    if k == 2:
        return None
    if k > _MOST_OF_MATRIX:
        return StructuredVectorCalibrator()
    return StructuredMatrixCalibrator(model="bayesian" if model == "bayesian" else "quadratic")


def _variance(scaling: Scaling, shown: Floats, p: Floats) -> Floats:
    """Variances (n, K) of log-odds, by the delta method from those of the coefficients.

    `shown` are the scores as the scaling reads them, and `p` the probabilities that it gives.
    """
    chunk = max(1, _SIZE // (p.shape[1] * len(scaling._steps)))
    found = np.empty_like(p)
    for start in range(0, len(p), chunk):
        rows = slice(start, start + chunk)
        slopes = step_slopes(scaling._fit, shown[rows], scaling._steps, Ridge(0.0, 0.0, 0.0))
        mean = np.einsum("nk,nkp->np", p[rows], slopes)
        rest = np.maximum(1.0 - p[rows], _LITTLE)[:, :, np.newaxis]
        found[rows] = (((slopes - mean[:, np.newaxis]) / rest) ** 2).sum(axis=2)
    return found
