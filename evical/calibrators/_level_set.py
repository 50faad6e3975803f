"""What calibrators with a likelihood say about the probability itself: level sets and contours.

Belief and plausibility of the label average over what is plausible; a level set of the contour is
the interval of the plausible probabilities, which has a known coverage. Xu et al. 2016, section 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri
from sklearn.utils.validation import check_is_fitted

from evical._fitting import number
from evical._typing import Floats
from evical.calibrators.fields import SavedError
from evical.likelihood.profile_table import MassTable, check_table, contour
from evical.scores import ScoreCounts


class LevelSets(ABC):
    """Abstract calibrator with a model "likelihood"."""

    model: str
    # Checked scores, on the scale of the fit.
    _read: Callable[[ArrayLike], Floats]

    @abstractmethod
    def _level_set(self, scores: Floats, level: float) -> Floats:
        """Ends (2, n) at scores on the scale of the fit; level is minus log(alpha)."""

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
        number("a number above 0 and up to 1", lambda x: 0 < x <= 1)("alpha", alpha)
        return np.asarray(self._level_set(self._read(scores).ravel(), -np.log(alpha)).T)


class Profile(Protocol):
    """Profile likelihood of the log-odds at scores, as the fit knows them."""

    def at(self, x: Floats, log_odds: Floats) -> Floats:
        """Deviance (k, q) at scores (k,) and log-odds (k, q)."""

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities whose deviance is at most a level."""

    def table(self) -> MassTable:
        """Masses at scores."""


F = TypeVar("F")
P = TypeVar("P", bound=Profile)


class Profiled(LevelSets, Generic[F, P]):
    """Abstract calibrator whose model "likelihood" has a profile and a table of masses."""

    _fit: F
    _profile: P
    _table: MassTable | None  # of the model "likelihood" only
    _fit_type: ClassVar[Callable[..., Any]]
    _profile_type: ClassVar[Callable[..., Any]]
    # Names in the saved state: of the fit, of the profile, and of the table's coefficients.
    _of_fit: ClassVar[tuple[str, ...]]
    _of_profile: ClassVar[tuple[str, ...]] = ("nodes", "weights")
    _of_table: ClassVar[str] = "coefficients"

    @abstractmethod
    def _fitted(self, counts: ScoreCounts) -> F:
        """The most likely curve."""

    @abstractmethod
    def _profiled(self, counts: ScoreCounts) -> P:
        """The profile likelihood around it."""

    @abstractmethod
    def _place(self, scores: Floats) -> Floats:
        """What the profile knows scores by, which are on the scale of the fit."""

    def _sample(self, counts: ScoreCounts) -> ScoreCounts:
        """What is fitted, once it is known to have a fit."""
        return counts

    def _fit_counts(self, counts: ScoreCounts) -> None:
        counts = self._sample(counts)
        self._fit = self._fitted(counts)
        self._profile = self._restored_profile(*(np.empty(0) for _ in self._of_profile))
        self._table = None
        if self.model == "likelihood":
            self._profile = self._profiled(counts)
            self._table = self._profile.table()

    def contour(self, scores: ArrayLike, probability: ArrayLike) -> Floats:
        """Plausibility that the positive class has this probability at a score.

        Parameters
        ----------
        scores, probability : arrays that broadcast
            Finite scores, and probabilities in [0, 1].

        Returns
        -------
        array of the common shape
            Largest relative likelihood of fits of this form that give that probability there.

        Raises
        ------
        ValueError
            If the model is not "likelihood", a score is not finite, or a probability not in
            [0, 1].

        Examples
        --------
        Two of three were right: p = 1/2 has the relative likelihood 3^3 / (2^2 2^3).

        >>> from evical.calibrators import TemperatureCalibrator
        >>> calibrator = TemperatureCalibrator(smooth=False).fit([2.0, 2.0, 2.0], [1, 1, 0])
        >>> calibrator.contour(2.0, [0.25, 0.5, 2 / 3]).round(5)
        array([0.     , 0.84375, 1.     ])
        >>> 3**3 / (2**2 * 2**3)
        0.84375
        """
        check_is_fitted(self)
        if self._table is None:
            raise ValueError(f"model is {self.model!r}; a contour function needs 'likelihood'")
        return contour(self._place(self._read(scores)), probability, self._profile.at)

    def _level_set(self, scores: Floats, level: float) -> Floats:
        return self._profile.level_set(self._place(scores), level)

    def _ends(self, scores: Floats, level: float) -> Floats:
        """Ends (2, n) of confidence intervals: level sets, by Wilks' theorem."""
        if self._table is None:
            raise ValueError(
                f"model is {self.model!r}, which does not know the error of its probabilities; a "
                "confidence interval needs model='likelihood'. Without level, predict_interval "
                "returns [Bel, Pl]"
            )
        return self._level_set(scores, float(chdtri(1, 1 - level)) / 2)

    def _get_state(self) -> dict[str, Any]:
        table = self._table or MassTable(np.empty(0), np.empty(0))
        owners = ((self._fit, self._of_fit), (self._profile, self._of_profile))
        return {
            **{name: getattr(owner, name) for owner, names in owners for name in names},
            "edges": table.edges,
            self._of_table: table.coefficients,
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        self._fit = self._restored_fit(state)
        self._profile = self._restored_profile(*(state[name] for name in self._of_profile))
        table = MassTable(state["edges"], state[self._of_table])
        self._table = table if self.model == "likelihood" else None

    def _restored_fit(self, state: dict[str, Any]) -> F:
        fit: F = self._fit_type(*(state[name] for name in self._of_fit))
        return fit

    def _restored_profile(self, *parts: Floats | float) -> P:
        profile: P = self._profile_type(self._fit, *parts)
        return profile

    def _check_state(self) -> None:
        if self._table is None:
            return
        check_table(self._table)
        for name in self._of_profile:
            if not np.size(getattr(self._profile, name)):
                raise SavedError(f"state {name} is empty")
