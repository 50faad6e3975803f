"""`LevelSets`: what calibrators with a likelihood say about the probability itself.

Belief and plausibility of the label average over what is plausible; a level set of the contour is
the interval of the plausible probabilities, which has a known coverage. Xu et al. 2016, section 3.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_real, shown
from evical._typing import Floats


class LevelSets(ABC):
    """Abstract calibrator with a model "likelihood"."""

    model: str

    @abstractmethod
    def _level_set(self, scores: Floats, level: float) -> Floats:
        """Ends (2, n) at scores on the scale of the fit; level is minus log(alpha)."""

    @abstractmethod
    def _read(self, scores: ArrayLike) -> Floats:
        """Checked scores, on the scale of the fit."""

    def level_set(self, scores: ArrayLike, alpha: float) -> Floats:
        """Probabilities of the positive class whose plausibility is at least alpha.

        Parameters
        ----------
        scores : (n,) array
        alpha : float
            Above 0, and up to 1, where only the most plausible probability is left.

        Returns
        -------
        (n, 2) array
            Ends of an interval for each score.

        Raises
        ------
        ValueError
            If the model is not "likelihood", a score is not finite, or alpha not in (0, 1].
        TypeError
            If alpha is not a number.

        Notes
        -----
        Plausibility is relative likelihood, profiled over what else is unknown. So by Wilks'
        theorem the interval covers the true probability at a score with probability

            P(chi2_1 <= -2 log(alpha))

        for many samples, if the form of the calibrator is right: 0.76 for alpha = 0.5, 0.90 for
        0.258, 0.95 for 0.146, 0.99 for 0.036. For bins it is the mean probability in the bin that
        is covered. Blocks of an isotonic fit are chosen by the labels, and for them the theorem
        does not hold.

        References
        ----------
        Wilks (1938), The large-sample distribution of the likelihood ratio for testing composite
        hypotheses, Annals of Mathematical Statistics 9, 60-62. Xu, Davoine, Zha & Denoeux (2016),
        Int. J. Approx. Reasoning 72, 55-70, eq. 11 and 40.

        Examples
        --------
        One of two samples is positive: p has the relative likelihood 4 p (1 - p).

        >>> from evical.calibrators import BinningCalibrator
        >>> calibrator = BinningCalibrator(n_bins=1).fit([0.0, 1.0], [0, 1])
        >>> calibrator.level_set([0.5], alpha=0.75).round(9)
        array([[0.25, 0.75]])
        """
        check_is_fitted(self)
        if self.model != "likelihood":
            raise ValueError(f"model is {self.model!r}; a level set needs 'likelihood'")
        expected = "a number above 0 and up to 1"
        if not 0 < as_real("alpha", alpha, expected) <= 1:
            raise ValueError(f"alpha is {shown(alpha)}, expected {expected}")
        return np.asarray(self._level_set(self._read(scores).ravel(), -np.log(alpha)).T)
