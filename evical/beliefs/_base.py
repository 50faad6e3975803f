"""`Beliefs`: what every kind of belief about n samples answers, whatever it stores.

A calibrator makes them, a rule combines them, a user asks for masses, intervals or probabilities.
Nothing is computed before it is asked for, so that a rule which reads probabilities alone never
costs a list of sets of classes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import check_choice, check_level
from dstheory.decide import Expectations
from dstheory.errors import CostLimitError
from dstheory.kernels.bits import mask_array
from dstheory.notebook import ShownFields
from evical._typing import Flags, Floats, Sets
from evical.beliefs.estimate import Estimate


class Beliefs(ShownFields, ABC):
    """Beliefs about the class of each of n samples.

    Attributes
    ----------
    classes : (K,) array
    n_products : int or None
        Number T of products over the classes that `products` makes; None if sets are listed.
    silent : (n,) array of bool
        Samples about which they are vacuous.
    """

    classes: NDArray[Any]
    estimate: Estimate | None = None

    @abstractmethod
    def __len__(self) -> int:
        """n."""

    @abstractmethod
    def __getitem__(self, rows: object) -> Self:
        """Some rows, by a mask, a slice or row numbers."""

    @property
    def n_products(self) -> int | None:
        """Number T of products, None if sets are listed."""
        return None

    @property
    def silent(self) -> Flags:
        """Whether each row (n,) is vacuous."""
        if len(self.classes) > 2:
            return np.zeros(len(self), dtype=bool)
        return np.asarray(self.mass().is_vacuous)

    @property
    def frame(self) -> Frame:
        """The frame of the classes."""
        return Frame(self.classes)

    @abstractmethod
    def mass(self) -> MassFunction:
        """Mass functions, a batch (n,) on the frame of the classes.

        Returns
        -------
        MassFunction

        Raises
        ------
        CostLimitError
            If all sets of more than 16 classes would have to be listed.
        """

    def listed(self, sets: Sets = "all") -> MassFunction:
        """Mass functions of the sets that are asked for.

        Parameters
        ----------
        sets : {"all", "singletons"}
            "singletons": those of `singletons`, for any number of classes.

        Returns
        -------
        MassFunction
            A batch (n,).
        """
        check_choice("sets", sets, ("all", "singletons"))
        return self.mass() if sets == "all" else self.singletons()

    def singletons(self) -> MassFunction:
        """Mass functions of single classes, and of all classes with the other masses.

        Returns
        -------
        MassFunction
            A batch (n,): an outer approximation, of all those on these sets the most committed.
            Bel of single classes stays. No Bel of another set is higher than it should be and no Pl
            lower, by at most the mass r of all classes, and pignistic probabilities change by at
            most r / 2.
        """
        belief = np.ascontiguousarray(np.moveaxis(self.interval()[..., 0], -1, 0))
        return with_rest(self.frame, belief)

    @abstractmethod
    def betp(self) -> Floats:
        """Pignistic probabilities.

        Returns
        -------
        (n, K) array
        """

    @abstractmethod
    def interval(self) -> Floats:
        """Belief and plausibility of each class, for two classes too.

        Returns
        -------
        (n, K, 2) array
            [Bel, Pl].
        """

    def probability(self) -> Floats:
        """Estimated probabilities, pignistic unless Bel and Pl are the ends of an interval.

        Returns
        -------
        (n, K) array
        """
        if self.estimate is None or self.estimate.point is None:
            return self.betp()
        return self.estimate.point()

    def confidence_interval(self, level: float) -> Floats:
        """Confidence interval of each class's probability, which contains `probability`.

        Parameters
        ----------
        level : float
            Of each interval, above 0 and below 1.

        Returns
        -------
        (n, K, 2) array
            Ends of the intervals.

        Raises
        ------
        TypeError
            If the level is not a number.
        ValueError
            If it is not inside (0, 1), or there is no standard error or count.
        """
        check_level("level", level)
        if self.estimate is None:
            raise ValueError(
                "these beliefs have no confidence interval: there is no standard error or count "
                "behind them. The default calibrators have one, and the rules 'stacked' and "
                "'consensus', but no rule that combines masses; without level, "
                "predict_interval returns [Bel, Pl]"
            )
        ends, point = self.estimate.ends(level), self.probability()
        return np.stack([np.minimum(ends[..., 0], point), np.maximum(ends[..., 1], point)], axis=-1)

    @abstractmethod
    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities.

        Parameters
        ----------
        utilities : (A, K) array
            Of acts.

        Returns
        -------
        (n, A) array
        """

    def contour(self) -> Floats:
        """Plausibilities of the classes, up to one factor a row.

        Returns
        -------
        (n, K) array
        """
        return np.asarray(self.interval()[..., 1])

    def expectations(self) -> Expectations | MassFunction:
        """What the criteria of `dstheory.decide` take that need expected utilities alone.

        Returns
        -------
        Expectations or MassFunction
            The three sets of two classes are listed.
        """
        return self.mass() if len(self.classes) == 2 else _Expected(self.frame, self)

    def products(self) -> Any:  # `Products`, which is one of the kinds
        """The same as sums of products over the classes.

        Returns
        -------
        Products

        Raises
        ------
        CostLimitError
            Where `n_products` is None.
        """
        raise CostLimitError(
            f"these beliefs about {len(self.classes)} classes list all sets; they are not products "
            "over the classes"
        )


def with_rest(
    frame: Frame, belief: NDArray[Any], empty: NDArray[Any] | None = None
) -> MassFunction:
    """Mass functions of single classes, whose other masses are of the frame.

    Parameters
    ----------
    frame : Frame
    belief : (K, n) array
    empty : (n,) array, optional
        Masses of the empty set.

    Returns
    -------
    MassFunction
        A batch (n,).

    Examples
    --------
    >>> with_rest(Frame(list("abc")), np.array([[0.5], [0.25], [0.0]])).masses
    array([[0.5 , 0.25, 0.  , 0.25]])
    """
    masks = [*(1 << at for at in range(len(frame))), frame.full]
    none = belief[:0]
    if empty is not None:
        masks, none = [0, *masks], empty[np.newaxis]
    rest = np.maximum(1 - belief.sum(axis=0) - none.sum(axis=0), 0)
    store = np.concatenate([none, belief, rest[np.newaxis]])
    return MassFunction.from_store(frame, mask_array(masks, len(frame)), store)


@dataclass(frozen=True, eq=False)
class _Expected(Expectations):
    """Expected utilities of beliefs about three or more classes.

    Notes
    -----
    Bel and Pl of single classes are enough for an act worth c under all classes, but c + d under
    one, j, and c - e under one, k: of a focal set with k the worst is c - e, of {j} it is c + d,
    and of any other it is c. So the lower expectation is ``c + d Bel({j}) - e Pl({k})``. The
    classes themselves, rejection, their differences and their regrets are such acts.
    """

    frame: Frame
    beliefs: Beliefs

    @cached_property
    def _bounds(self) -> Floats:
        """Bel and Pl, (2, n, K)."""
        return np.moveaxis(self.beliefs.interval(), -1, 0)

    def __len__(self) -> int:
        return len(self.beliefs)

    def expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Pignistic expectations (n, A) of acts (A, K)."""
        return np.asarray(self.beliefs.betp() @ utilities.T)

    def upper_expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Upper expectations (n, A) of acts (A, K)."""
        return -self.lower_expected_utility(-utilities)

    def lower_expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Lower expectations (n, A) of acts (A, K)."""
        common = np.median(utilities, axis=1)
        gain = np.maximum(utilities - common[:, np.newaxis], 0)
        loss = np.maximum(common[:, np.newaxis] - utilities, 0)
        belief, plausibility = self._bounds
        lower = np.asarray(common + belief @ gain.T - plausibility @ loss.T)
        other = ((gain > 0).sum(axis=1) > 1) | ((loss > 0).sum(axis=1) > 1)
        if other.any():
            lower[:, other] = self.beliefs.lower(utilities[other])
        return lower
