"""How scores are made and compared: what stays the same in calibration and in prediction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from dstheory.checks.arguments import as_array, as_floats
from evical._typing import Floats
from evical.conformal._calibration import Calibration, Conformed
from evical.conformal._counts import Counts
from evical.conformal._randomness import random_shares
from evical.conformal.nonconformity import NEED_PROBABILITIES, named_score, score_table
from evical.estimators.responses import class_values

__all__ = ["Recipe"]


@dataclass(frozen=True, eq=False)
class Recipe:
    """Parameters of a `ConformalClassifier`, with its classes.

    Parameters
    ----------
    classes : (K,) array
    nonconformity, conditional, smoothed, density_ratio
        As in `ConformalClassifier`.
    """

    classes: NDArray[Any]
    nonconformity: Any
    conditional: Any
    smoothed: bool
    density_ratio: Any

    @property
    def by_class(self) -> bool:
        """Whether each class has calibration samples of its own."""
        return isinstance(self.conditional, str)

    def groups(self, X: Any) -> NDArray[Any] | None:
        """Groups (n,) of samples, if the promise is for each."""
        if not callable(self.conditional):
            return None
        return _one_each("conditional", as_array(self.conditional(X), "groups"), X)

    def _ratio(self, X: Any) -> Floats | None:
        if self.density_ratio is None:
            return None
        ratio = _one_each("density_ratio", as_floats(self.density_ratio(X), "density_ratio"), X)
        wrong = ~((ratio >= 0) & (ratio < np.inf))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"density_ratio gives {ratio[row]} in row {row}, expected finite numbers from 0"
            )
        return ratio

    def _scores(self, estimator: Any, X: Any, u: Floats) -> Floats:
        unit = isinstance(self.nonconformity, str) and self.nonconformity in NEED_PROBABILITIES
        values = class_values(estimator, X, self.classes, unit=unit)
        return score_table(named_score(self.nonconformity), values, u if self.smoothed else None)

    def conformed(
        self,
        estimator: Any,
        rows: NDArray[np.intp],
        X: Any,
        y: NDArray[Any],
        weight: Floats | None,
        u: Floats,
    ) -> Conformed:
        """A fitted classifier calibrated on some rows.

        Parameters
        ----------
        estimator : fitted classifier
        rows : index array
        X, y, weight : all samples, labels, and weights or None
        u : (n,) array of uniform random numbers

        Returns
        -------
        Conformed
        """
        own, counted = _safe_indexing(X, rows), None if weight is None else weight[rows]
        ratio = self._ratio(own)
        if ratio is not None:
            counted = ratio if counted is None else ratio * counted
        calibration = Calibration.of(
            self._scores(estimator, own, u[rows]),
            np.searchsorted(self.classes, y[rows]),
            counted,
            by_class=self.by_class,
            groups=self.groups(own),
        )
        return Conformed(estimator, calibration)

    def totals(self, parts: Sequence[Conformed]) -> dict[Any, float]:
        """Weight of the calibration samples of all parts, by class, group or None.

        Parameters
        ----------
        parts : sequence of Conformed

        Returns
        -------
        dict
        """
        found: dict[Any, float] = {}
        for part in parts:
            for name, total in part.calibration.totals(self.classes).items():
                found[name] = found.get(name, 0.0) + total
        return found

    def p_values(self, parts: Sequence[Conformed], X: Any, seed: int) -> tuple[Floats, Floats]:
        """P-values (n, K), and the mean scores (n, K) over the parts.

        Parameters
        ----------
        parts : sequence of Conformed
        X : samples
        seed : int
            Of the random numbers of the samples, which must not be those of calibration.

        Returns
        -------
        p, scores : (n, K) arrays
        """
        u, tau = random_shares(seed, np.arange(_num_samples(X)))
        groups, ratio = self.groups(X), self._ratio(X)
        scores = [self._scores(part.estimator, X, u) for part in parts]
        counts = [
            part.calibration.counts(own, groups, ties=self.smoothed)
            for part, own in zip(parts, scores, strict=True)
        ]
        weight = 1.0 if ratio is None else ratio[:, np.newaxis]
        p = Counts.sum(counts).p_values(weight, tau[:, np.newaxis] if self.smoothed else None)
        return p, np.mean(scores, axis=0)


def _one_each(name: str, values: Any, X: Any) -> NDArray[Any]:
    n = _num_samples(X)
    if values.shape != (n,):
        raise ValueError(f"{name} gives shape {values.shape} for {n} samples, expected ({n},)")
    return np.asarray(values)
