"""Automatic calibration of many classes: a pool of curves with a matrix, and of a matrix alone.

What is wrong with the score of one class, of whatever form, `AutoCalibrator` finds out for each
class by itself. What remains is between the classes: their shares, how sure all of them may be
together, and what one says about another. Structured scaling finds that, as far as the samples
support it: on the probabilities of the curves, and on the scores themselves with penalties that are
learned. The two err in different ways, so their mean errs less than either. With many classes each
has few samples; then learned scaling is better without curves.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from sklearn.utils.validation import check_is_fitted

from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bounded
from evical.calibrators import AutoCalibrator
from evical.multiclass._base import BaseMulticlassCalibrator, normalized
from evical.multiclass._one_vs_rest_calibrator import OneVsRestCalibrator, named_directions
from evical.multiclass._scaling import Ridge, step_slopes
from evical.multiclass._structured import (
    LITTLE,
    StructuredMatrixCalibrator,
    StructuredScaling,
    StructuredVectorCalibrator,
    Transform,
)
from evical.scores.counts import ScoreCounts
from evical.scores.direction import Direction, wrong_way
from evical.scores.scale import softmax

_MOST_CURVES, _MOST_OF_MATRIX = 26, 128  # classes
# A curve has about two parameters more than the learned scaling of its class, and even weights are
# as good a guess as a curvature of the log-likelihood says.
_MORE, _EVEN = 2.0, 80.0
_NEAR_ONE = 0.01  # how far the sum of probabilities may be from 1, as of bfloat16
_LEAST = float(np.finfo(np.float64).tiny)
_SIZE = 1 << 22  # numbers in the largest temporary array


@dataclass(kw_only=True, eq=False, repr=False)
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
        One for each class against the rest; for two classes a single one, above 26 none.
    scaling_ : fitted StructuredMatrixCalibrator, or None
        Of the probabilities of these curves; None for two classes, and above 26.
    learned_ : fitted StructuredMatrixCalibrator or StructuredVectorCalibrator, or None
        Of the scores, with learned penalties; above 128 classes without weights between them. None
        for two classes.

    Notes
    -----
    Scores of a class may be probabilities or margins, of any scale; each column is read as
    `AutoCalibrator` reads scores of two classes. Its probabilities, divided by their sum, are
    scaled by the same samples: the curves are smooth and the ridge is strong, so that little is
    counted twice. If a class has no sample, there are no curves. Learned scaling takes the
    logarithms of scores that are probabilities of sum 1, and others as margins. The result is
    the weighted geometric mean of both, divided by its sum. The weights are those under which
    the labels are most probable, less two for each curve, and drawn to even ones: with few
    samples the mean is better than either, and with many the samples decide.

    The log-odds of a class against the others have the variance of its curve, and that of the
    coefficients of the matrix by the delta method; above 26 classes that of the learned
    coefficients, from the diagonal of their information. Bel and Pl of single classes follow from
    a normal contour, and intervals end near 0 and 1, as in `AutoCalibrator`; sets of classes are as
    small as these allow.

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
    (array([[0.68, 0.31, 0.01]]), array([[0.52, 0.39, 0.08]]), array([[0.55, 0.37, 0.08]]))
    """

    _learns_absent = _against_rest = True
    _state = ("each", "scaling")  # and "learned", which the first saved ones lack

    model: Literal["likelihood", "confidence", "bayesian"] = "likelihood"
    confidence: float = 0.95

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        k, every = max(scores.shape[1], 2), np.arange(scores.shape[1])
        # A class without samples has no curve.
        curved = k <= _MOST_CURVES and (k == 2 or np.isin(every, codes).all())
        self._each = self.scaling_ = self.learned_ = None
        if k > 2:
            self.learned_ = _learned(k, _scale(scores))
            self.learned_._fit_quietly(scores, codes, weight, every)
        if curved:
            model = self.model if k == 2 else "bayesian"  # two classes have no more
            each = OneVsRestCalibrator(
                AutoCalibrator(model=model, confidence=self.confidence), coupling="normalize"
            )
            self._each = each._fit_quietly(scores, codes, weight)
        if curved and k > 2:
            self.scaling_ = _scaling(self.model)
            self.scaling_._fit_quietly(self._shares(scores), codes, weight)
        self._reversed = [] if curved else _reversed(scores, codes, weight)
        self.curves_weight_ = float(curved)
        if self.learned_ is not None and curved:
            curves, alone = (np.log(np.maximum(p, _LEAST)) for p in self._parts(scores))
            self.curves_weight_ = _best_weight(curves, alone, codes, weight)

    @property
    def calibrators_(self) -> list[AutoCalibrator]:
        """Fitted calibrators, one per class against the rest.

        Two classes have a single one, more than 26 none.
        """
        check_is_fitted(self)
        return self._curves()

    def _curves(self) -> list[AutoCalibrator]:
        return [] if self._each is None else list(self._each.calibrators_)

    def _wrong_ways(self) -> list[Direction]:
        if each := self._curves():
            return named_directions(self.classes_, each)
        return [
            found.between(self.classes_[self.classes_ != self.classes_[k]], self.classes_[[k]])
            for k, found in getattr(self, "_reversed", [])  # not of a saved one
        ]

    def _shares(self, scores: Floats) -> Floats:
        """Probabilities (n, K) of the classes against the rest, of sum 1."""
        columns = zip(self._curves(), scores.T, strict=True)
        positive = [one._predict_mass(one._scale(column))[0] for one, column in columns]
        return normalized(np.stack(positive, axis=1))

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        if len(self.classes_) == 2:
            return replace(self._curves()[0].beliefs(scores[:, 0]), classes=self.classes_)
        parts = self._parts(scores)
        errors = partial(self._errors, scores, parts[0])
        p = self._pooled(parts)
        return Bounded.normal(self.classes_, p, errors, self.model, self.confidence, posterior=True)

    def _parts(self, scores: Floats) -> list[Floats]:
        """Probabilities (n, K) of the curves and of learned scaling, as far as they are fitted."""
        found = []
        if self.scaling_ is not None:
            found.append(self.scaling_._predict_single(self.scaling_._read(self._shares(scores))))
        if self.learned_ is not None:
            found.append(self.learned_._predict_given(scores))
        return found

    def _pooled(self, parts: list[Floats]) -> Floats:
        """Probabilities (n, K) of both parts together."""
        if len(parts) == 1:  # many classes, or saved before there were two
            return parts[0]
        curves, alone = (np.log(np.maximum(p, _LEAST)) for p in parts)
        return softmax(alone + self.curves_weight_ * (curves - alone))

    def _errors(self, scores: Floats, p: Floats) -> Floats:
        """Standard errors (n, K) of the log-odds of each class against the others."""
        if self.scaling_ is None:
            assert self.learned_ is not None  # one of both is there
            return self.learned_._errors(self.learned_._columns(scores, scores.shape[1]), p)
        columns = [
            one._at(one._scale(column), one.standard_error_[np.newaxis])[0]
            for one, column in zip(self._curves(), scores.T, strict=True)
        ]
        variance = np.stack(columns, axis=1) ** 2
        if self.scaling_.model == "quadratic":
            shares = self.scaling_._read(self._shares(scores))
            variance = variance + _variance(self.scaling_, shares, p)
        return np.asarray(np.sqrt(variance))

    def _get_state(self) -> dict[str, Any]:
        parts = {"each": self._each, "scaling": self.scaling_, "learned": self.learned_}
        saved = {name: None if part is None else part.to_dict() for name, part in parts.items()}
        return {**saved, "curves_weight": self.curves_weight_}

    def _restore_state(self, state: dict[str, Any]) -> None:
        def part(name: str, kind: type) -> Any:
            if state.get(name) is None:
                return None
            found = BaseMulticlassCalibrator.from_dict(state[name])
            if not isinstance(found, kind) or len(found.classes_) != len(self.classes_):
                raise ValueError(
                    f"saved calibrator is damaged: {name} is not of {len(self.classes_)} classes"
                )
            return found

        self._each = part("each", OneVsRestCalibrator)
        self.scaling_ = part("scaling", StructuredScaling)
        self.learned_ = part("learned", StructuredScaling)
        self.curves_weight_ = float(state.get("curves_weight", 1.0))
        if not 0.0 <= self.curves_weight_ <= 1.0:
            raise ValueError(
                "saved calibrator is damaged: curves_weight is "
                f"{self.curves_weight_:g}, expected a number from 0 to 1"
            )
        kinds = {type(one) for one in self._curves()} - {AutoCalibrator}
        two = len(self.classes_) == 2
        curved, scaled = self._each is not None, self.scaling_ is not None
        whole = curved if two else curved == scaled and (curved or self.learned_ is not None)
        if kinds or not whole:
            raise ValueError("saved calibrator is damaged: its parts do not belong together")


def _reversed(
    scores: Floats, codes: NDArray[np.intp], weight: Floats
) -> list[tuple[int, Direction]]:
    """Reversed columns (n, K), of those whose own class has lower mean scores."""
    k, own = scores.shape[1], scores[np.arange(len(codes)), codes]
    with np.errstate(all="ignore"):  # scores as large as floats, classes without samples
        mean = np.bincount(codes, weight * own, k) / np.bincount(codes, weight, k)
        suspect = np.flatnonzero(mean < weight @ scores / weight.sum())
    found = []
    for column in suspect.tolist():
        sides = (codes == column).astype(np.int64)
        way = wrong_way(ScoreCounts.from_samples(scores[:, column], sides, weight))
        found += [] if way is None else [(column, way)]
    return found


def _best_weight(curves: Floats, alone: Floats, codes: NDArray[np.intp], weight: Floats) -> float:
    """Weight of the curves in the pool of log-probabilities (n, K): a convex problem."""
    (n, k), apart = curves.shape, curves - alone
    own = apart[np.arange(n), codes]

    def slope(at: float) -> float:
        p = softmax(alone + at * apart)
        gain = weight @ (own - np.einsum("nk,nk->n", p, apart))
        return float(_MORE * k + _EVEN * (at - 0.5) - gain)

    if slope(0.0) >= 0.0:
        return 0.0
    return 1.0 if slope(1.0) <= 0.0 else float(brentq(slope, 0.0, 1.0, xtol=1e-13))


def _scaling(model: str) -> StructuredMatrixCalibrator:
    """The step after the curves, not fitted."""
    return StructuredMatrixCalibrator(model="bayesian" if model == "bayesian" else "quadratic")


def _learned(k: int, transform: Transform) -> StructuredScaling:
    """Scaling of the scores of K classes with learned penalties, not fitted."""
    kind = StructuredMatrixCalibrator if k <= _MOST_OF_MATRIX else StructuredVectorCalibrator
    return kind(transform=transform, learned=True)


def _scale(scores: Floats) -> Transform:
    """The transform of scores (n, K): "log" if all are probabilities of sum 1."""
    unit = ((scores >= 0.0) & (scores <= 1.0)).all()
    return "log" if unit and (np.abs(scores.sum(axis=1) - 1.0) <= _NEAR_ONE).all() else None


def _variance(scaling: StructuredScaling, shown: Floats, p: Floats) -> Floats:
    """Variances (n, K) of log-odds, by the delta method from those of the coefficients.

    `shown` are the scores as the scaling reads them, and `p` the probabilities that it gives.
    """
    found = np.empty_like(p)
    for rows in blocks(len(p), _SIZE // (p.shape[1] * len(scaling._steps))):
        slopes = step_slopes(scaling._fit, shown[rows], scaling._steps, Ridge(0.0, 0.0, 0.0))
        mean = np.einsum("nk,nkp->np", p[rows], slopes)
        rest = np.maximum(1.0 - p[rows], LITTLE)[:, :, np.newaxis]
        found[rows] = (((slopes - mean[:, np.newaxis]) / rest) ** 2).sum(axis=2)
    return found
