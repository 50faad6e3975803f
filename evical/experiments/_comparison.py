"""Several calibrators on the same scores, by repeated stratified cross-validation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical.experiments._evaluation import Evaluation
from evical.experiments._recommendation import Recommendation

__all__ = ["MEASURES", "Comparison", "Difference"]

Floats = NDArray[np.float64]

# Of each fold, in this order.
MEASURES = ("brier_score", "log_loss", "calibration_error", "width")


@dataclass(frozen=True)
class Difference:
    """A method against the best one, over folds.

    Parameters
    ----------
    method, other : str
        `other` is the method of the least mean loss.
    difference : float
        Mean loss of `method` less that of `other`.
    error : float
        Its standard error, corrected for training samples that folds share.
    statistic, pvalue : float
        Corrected resampled t test (Nadeau & Bengio 2003), two-sided.
    adjusted : float
        The p-value by Holm's procedure for all methods against the best.
    """

    method: str
    other: str
    difference: float
    error: float
    statistic: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Outcome of a comparison of calibrators.

    Parameters
    ----------
    name : str
        Of the scores.
    scores : (n,) array
    y : (n,) array of 0 and 1
    class_names : pair of str
        The negative class and the positive one.
    methods : tuple of k str
    probability, bel, pl : (k, n) arrays
        Of the positive class, out of fold, in the first repetition.
    fold : (n,) array
        Number of the test fold of each sample in the first repetition.
    values : (k, J, 4) array
        `MEASURES` of each of the J folds of all repetitions.
    seconds : (k, J) array
        Time of fitting.
    n_folds, n_repeats : int
    criterion : str
        The measure that methods are compared by.
    differences : tuple of k - 1 Difference
        Each other method against the best, by ascending mean loss.
    recommendation : Recommendation
    failures : dict of str to str
        Methods that could not be fitted, and why; they are in none of the above.
    """

    name: str
    scores: Floats
    y: NDArray[np.int64]
    class_names: tuple[str, str]
    methods: tuple[str, ...]
    probability: Floats
    bel: Floats
    pl: Floats
    fold: NDArray[np.intp]
    values: Floats
    seconds: Floats
    n_folds: int
    n_repeats: int
    criterion: str
    differences: tuple[Difference, ...]
    recommendation: Recommendation
    failures: dict[str, str]

    def evaluation(self, method: str) -> Evaluation:
        """Out-of-fold predictions of a method, judged.

        Parameters
        ----------
        method : str

        Returns
        -------
        Evaluation

        Raises
        ------
        ValueError
            If the method did not take part.
        """
        if method not in self.methods:
            raise ValueError(f"no method {method!r}; there are {', '.join(self.methods)}")
        row = self.methods.index(method)
        return Evaluation.from_predictions(
            self.y, bel=self.bel[row], pl=self.pl[row], scores=self.scores, name=method
        )
