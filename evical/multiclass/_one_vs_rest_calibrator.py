"""One binary calibrator per class: each score is calibrated against all other classes.

Probabilities of "class k or not" do not sum to 1 over the classes; they are divided by their sum
(Zadrozny & Elkan 2002, section 5.2). Evidential columns are combined by the evidential reduction:
each is evidence on a coarsening of the frame, and Dempster's rule combines them.
"""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from evical._typing import CalibratorName, Floats
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bayesian
from evical.beliefs.estimate import Estimate
from evical.beliefs.listed import Listed, sides
from evical.beliefs.products import Products
from evical.calibrators import AutoCalibrator, BaseCalibrator
from evical.calibrators.by_name import make_calibrator
from evical.calibrators.saved import kinds_of
from evical.multiclass._base import BaseMulticlassCalibrator, normalized
from evical.multiclass.reduction import without_total_conflict
from evical.scores.direction import Direction, fit_quietly, wrong_ways

_DOUBT = 1e-9  # a calibrator whose mass on "either" is always below this gives probabilities


@dataclass(eq=False, repr=False)
class OneVsRestCalibrator(BaseMulticlassCalibrator):
    """A binary calibrator for the score of each class, and one belief from all of them.

    Parameters
    ----------
    calibrator : binary calibrator or str, optional
        Any of `evical.calibrators` or its name, or one with the same `fit` and `predict_mass`;
        `AutoCalibrator` by default. A copy is fitted to each column of scores.
    coupling : {"auto", "normalize", "dempster"}
        Divide the pignistic probabilities of the columns by their sum, or combine the columns by
        Dempster's rule; "auto" normalizes if the beliefs about all training samples are
        probabilities, and combines otherwise.
    total_conflict : {"error", "vacuous"}
        What to do if columns are in total conflict under Dempster's rule.

    Attributes
    ----------
    classes_ : (K,) array
    calibrators_ : list of fitted calibrators
        One for each class against the rest; for two classes a single one.
    combines_ : bool
        Whether columns are combined by Dempster's rule.

    Notes
    -----
    For two classes only the score of the greater label is calibrated, because the other column
    repeats the same question. If all columns of a sample have probability 0, normalization gives
    each class 1/K.

    References
    ----------
    Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass probability
    estimates, KDD, section 5.2. Quost, Denoeux & Masson (2007), Pairwise classifier combination
    using belief functions, Pattern Recognition Letters 28, 644-653.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> scores = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 2
    >>> binning = BinningCalibrator(n_bins=2, model="laplace")
    >>> calibrator = OneVsRestCalibrator(binning).fit(scores, ["a", "b", "c"] * 2)
    >>> calibrator.predict_proba([[1.0, 0.0, 0.0]]).round(4)  # 3/4, 1/6, 1/6 over their sum
    array([[0.6923, 0.1538, 0.1538]])
    """

    _against_rest = True
    _state = ("calibrators", "combines")

    calibrator: BaseCalibrator | CalibratorName | str | None = None
    _: KW_ONLY
    coupling: Literal["auto", "normalize", "dempster"] = "auto"
    total_conflict: Literal["error", "vacuous"] = "error"

    @property
    def _one(self) -> Any:
        """The calibrator of each column, made if it is named."""
        if isinstance(self.calibrator, str):
            return make_calibrator(self.calibrator)
        return AutoCalibrator() if self.calibrator is None else self.calibrator

    def _check_parameters(self) -> None:
        one = self._one
        if not hasattr(one, "predict_mass") or isinstance(one, BaseMulticlassCalibrator):
            raise TypeError(f"calibrator is {self.calibrator!r}, expected a binary calibrator")

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        calibrator = self._one
        signs = [1] if scores.shape[1] == 1 else range(scores.shape[1])
        fitted = [
            fit_quietly(
                clone(calibrator), column, (codes == side).astype(np.int64), sample_weight=weight
            )
            for column, side in zip(scores.T, signs, strict=True)
        ]
        if self.coupling == "auto":
            self.combines_ = bool(sides(fitted, scores)[2].max() > _DOUBT)
        else:
            self.combines_ = self.coupling == "dempster"
        self.calibrators_ = fitted

    def _wrong_ways(self) -> list[Direction]:
        return named_directions(self.classes_, self.calibrators_)

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        columns, known = sides(self.calibrators_, scores), self._estimate(scores)
        if len(self.calibrators_) == 1:
            return Listed(self.classes_, np.array([1, 2, 3]), columns[:, 0], known)
        if self.combines_:
            used = without_total_conflict(columns, self.total_conflict)
            return replace(Products.of_columns(used, self.classes_), estimate=known)
        return Bayesian(self.classes_, normalized((columns[1] + columns[2] / 2).T), known)

    def _estimate(self, scores: Floats) -> Estimate | None:
        """Estimates of one class against the rest; None if a calibrator has no beliefs."""
        each = list(zip(self.calibrators_, scores.T, strict=True))
        if not all(isinstance(calibrator, BaseCalibrator) for calibrator, _ in each):
            return None
        if len(each) == 1:
            found: Estimate = each[0][0].beliefs(each[0][1]).estimate
            return found

        def ends(level: float) -> Floats:
            columns = [c.beliefs(column).confidence_interval(level) for c, column in each]
            return np.stack([column[:, 1] for column in columns], axis=1)

        if self.combines_ or not any(calibrator._gives_ends for calibrator, _ in each):
            return Estimate(ends)

        def point() -> Floats:
            return normalized(np.stack([c.predict_proba(column)[:, 1] for c, column in each], 1))

        return Estimate(ends, point)

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = super()._saved_parameters()
        if self.calibrator is not None:
            one = self._one
            parameters["calibrator"] = {
                "class": type(one).__name__,
                "parameters": one.get_params(deep=False),
            }
        return parameters

    @classmethod
    def _from_parameters(cls, parameters: dict[str, Any]) -> Self:
        inner = parameters.get("calibrator")
        if inner is None:
            return cls(**parameters)
        known = kinds_of(BaseCalibrator)
        kind, options = None, None
        if isinstance(inner, dict):
            kind, options = known.get(str(inner.get("class"))), inner.get("parameters")
        if kind is None or not isinstance(options, dict) or set(options) - set(_names(kind)):
            raise ValueError(f"saved calibrator is damaged: its calibrator is {inner!r}")
        return cls(**{**parameters, "calibrator": kind(**options)})

    def _get_state(self) -> dict[str, Any]:
        return {
            "calibrators": [calibrator.to_dict() for calibrator in self.calibrators_],
            "combines": self.combines_,
        }

    def _restore_state(self, state: dict[str, Any]) -> None:
        saved, k = state["calibrators"], len(self.classes_)
        expected = 1 if k == 2 else k
        if not isinstance(saved, list) or len(saved) != expected:
            raise ValueError(
                f"saved calibrator is damaged: {k} classes need {expected} calibrators"
            )
        if not isinstance(state["combines"], bool):
            raise ValueError(f"saved calibrator is damaged: combines is {state['combines']!r}")
        self.calibrators_ = [BaseCalibrator.from_dict(data) for data in saved]
        self.combines_ = state["combines"]


def named_directions(classes: NDArray[Any], calibrators: list[Any]) -> list[Direction]:
    """Directions of reversed columns, with the classes of both sides."""
    return [
        found.between(classes[classes != side], [side])
        for calibrator, side in zip(calibrators, classes[-len(calibrators) :], strict=True)
        for found in wrong_ways(calibrator)
    ]


def _names(kind: Any) -> list[str]:
    """Names of the parameters of a calibrator."""
    return list(kind._get_param_names())
