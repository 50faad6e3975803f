"""Credal sets from bounds on gambles, which need not be those of a belief function.

An expert states bounds on probabilities of labels or events, or on expectations of gambles. All
probabilities within the bounds are allowed, and linear programs find what else they imply: the
natural extension (Walley 1991, Statistical Reasoning with Imprecise Probabilities; Troffaes & de
Cooman 2014, Lower Previsions). For intervals of single labels, the extreme probability gives what
is free to the best labels first (de Campos, Huete & Moral 1994).
"""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats, Numbers
from dstheory.checks.arguments import as_floats, axis_labels, check_label_order, check_rows
from dstheory.checks.masses import as_frame
from dstheory.construct import natural_extension
from dstheory.decide._expectations import Expectations
from dstheory.decide._utilities import checked_utilities
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels.immutable import Immutable
from dstheory.kernels.programs import TOLERANCE, minima
from dstheory.kernels.rows import in_row
from dstheory.notebook import ShownFields

# How far bounds may miss each other by rounding: what later programs still take for possible.
_FEASIBLE = TOLERANCE / 10


@final
class CredalSet(ShownFields, Immutable, Expectations):
    """Set of all probabilities under which gambles have expectations within bounds.

    It takes the place of a mass function in `lower_expected_utility`, `upper_expected_utility`,
    `maximin`, `maximax`, `hurwicz`, `minimax_regret`, `interval_dominance`, `strong_dominance`,
    `weak_dominance`, `maximality` and `e_admissibility`.

    Parameters
    ----------
    frame : Frame
        K labels.
    gambles : (G, K) array_like
        What each gamble (row) pays under each label (column): 1 on the labels of an event and 0
        elsewhere for the probability of the event.
    lower, upper : (*batch, G) array_like, optional
        Bounds of the expectations; -inf and inf are none. They broadcast.

    Attributes
    ----------
    frame : Frame
    gambles : (G, K) ndarray
    lower, upper : (*batch, G) ndarray
        Read-only.

    Raises
    ------
    MassError
        If no probability lies within the bounds of a row (sure loss).
    ValueError
        If gambles are not (G, K) or not finite, or bounds are NaN or do not fit the gambles.
    TypeError
        If `frame` is not a Frame.

    See Also
    --------
    dstheory.construct.from_probability_intervals : the belief function, if there is one.

    Notes
    -----
    One linear program (HiGHS; 2 ms, of a batch 0.1 ms) for each row and act, for each pair of acts
    under `maximality`; for intervals of single labels a closed form, exact on fractions.

    Examples
    --------
    Two upper expectations imply a third (an example of the package improb):

    >>> gambles = [[1, 2 / 3, 0, 2], [0, 1, 3, 0]]
    >>> credal = CredalSet(Frame(["a", "b", "c", "d"]), gambles, upper=[0.5, 1.5])
    >>> credal.upper_expected_utility([[0, 2, 2, 0]]).round(9)
    array([2.])
    """

    _shown = ("frame", "gambles", "lower", "upper")

    # No belief function: probabilities within the bounds of single labels may be excluded.
    is_belief = False

    frame: Frame
    gambles: Floats
    lower: NDArray[Any]
    upper: NDArray[Any]
    _by_label: bool

    def __init__(
        self,
        frame: Frame,
        gambles: Numbers,
        *,
        lower: Numbers | None = None,
        upper: Numbers | None = None,
    ) -> None:
        table = checked_utilities(as_frame(frame), gambles, "gambles").astype(np.float64)
        for name, bounds in (("lower", lower), ("upper", upper)):
            for names in axis_labels(gambles)[:1]:
                check_label_order(bounds, names, name)
        check_rows(lower=lower, upper=upper)
        low = as_floats(-np.inf if lower is None else lower, "lower")
        high = as_floats(np.inf if upper is None else upper, "upper")
        shapes = low.shape, high.shape, (len(table),)
        if any(shape[-1:] not in ((), (1,), shapes[2]) for shape in shapes[:2]):
            raise ValueError(
                f"lower has shape {low.shape} and upper {high.shape}, expected (*batch, "
                f"{len(table)}): a bound for each gamble"
            )
        bounds = np.broadcast_arrays(low, high, np.empty(len(table)))[:2]
        if np.isnan(bounds).any() or (bounds[0] == np.inf).any() or (bounds[1] == -np.inf).any():
            raise ValueError(
                "a bound is NaN, a lower one inf or an upper one -inf; no lower bound is -inf, and "
                "no upper one inf"
            )
        self._set(frame, table, *bounds, by_label=False)
        self._refuse_loss()

    @classmethod
    def from_intervals(cls, frame: Frame, lower: Numbers, upper: Numbers) -> CredalSet:
        """Make the set of all probabilities within intervals for the labels.

        Parameters
        ----------
        frame : Frame
            K labels.
        lower, upper : (*batch, K) array_like
            Bounds of the probability of each label; they are tightened where others imply more.

        Returns
        -------
        CredalSet

        Raises
        ------
        MassError
            If a bound does not lie between 0 and 1, or no probability lies within the intervals.

        Examples
        --------
        Three labels of at most 1/2, which no belief function describes:

        >>> credal = CredalSet.from_intervals(Frame(["a", "b", "c"]), [0, 0, 0], [0.5, 0.5, 0.5])
        >>> credal.lower_expected_utility([[1, 1, 0], [3, 2, 1]])
        array([0.5, 1.5])
        """
        for bounds in (lower, upper):
            check_label_order(bounds, as_frame(frame), "bounds")
        low, high = natural_extension(lower, upper)
        if low.shape[-1] != len(as_frame(frame)):
            raise MassError(f"bounds have shape {low.shape}, but the frame has {len(frame)} labels")
        made = cls.__new__(cls)
        made._set(frame, np.eye(len(frame)), low, high, by_label=True)
        return made

    def _set(
        self,
        frame: Frame,
        gambles: Floats,
        lower: NDArray[Any],
        upper: NDArray[Any],
        *,
        by_label: bool,
    ) -> None:
        ends = {"lower": lower.copy(), "upper": upper.copy()}
        self._keep(frame=frame, gambles=gambles.copy(), _by_label=by_label, **ends)

    def __repr__(self) -> str:
        batch = self.lower.shape[:-1]
        rows = f", batch {batch}" if batch else ""
        return f"CredalSet on {self.frame!r} of {len(self.gambles)} gambles{rows}"

    def natural_extension(self) -> CredalSet:
        """Tighten the bounds of the gambles to those that the set attains (coherence).

        Returns
        -------
        CredalSet

        Examples
        --------
        >>> credal = CredalSet(Frame(["a", "b"]), [[1, 0], [0, 1]], lower=[0.25, 0.5])
        >>> credal.natural_extension().upper
        array([0.5 , 0.75])
        """
        low = self.lower_expected_utility(self.gambles)
        high = self.upper_expected_utility(self.gambles)
        tight = type(self).__new__(type(self))
        tight._set(self.frame, self.gambles, low, high, by_label=self._by_label)
        return tight

    def expected_utility(self, utilities: Numbers) -> NDArray[Any]:
        """Refuse to compute a pignistic expectation, which a credal set does not have.

        Parameters
        ----------
        utilities : (A, K) array

        Raises
        ------
        TypeError
            Always.

        Examples
        --------
        >>> CredalSet.from_intervals(Frame(["a", "b"]), [0, 0], [1, 1]).expected_utility([[1, 0]])
        Traceback (most recent call last):
        TypeError: a credal set has no pignistic probability; decide by maximin, hurwicz, ...
        """
        raise TypeError(
            "a credal set has no pignistic probability; decide by maximin, hurwicz, maximality or "
            "e_admissibility"
        )

    def lower_expected_utility(self, utilities: Numbers) -> NDArray[Any]:
        """Compute the smallest expectation of each act, its lower prevision by natural extension.

        Parameters
        ----------
        utilities : (A, K) array
            Utility of each act or gamble (row) under each label (column).

        Returns
        -------
        (*batch, A) array

        Examples
        --------
        >>> credal = CredalSet(Frame(["a", "b", "c"]), [[1, 1, 0]], lower=[0.75])
        >>> credal.lower_expected_utility([[1, 1, 0], [0, 0, 4]])
        array([0.75, 0.  ])
        """
        table = checked_utilities(self.frame, utilities)
        if self._by_label:
            return self._filled(table)
        units = _largest(table.astype(np.float64))
        goals = table / units[:, np.newaxis]
        return np.asarray(units * self._each_row([{"objective": goal} for goal in goals]))

    def upper_expected_utility(self, utilities: Numbers) -> NDArray[Any]:
        """Compute the largest expectation of each act, its upper prevision.

        Parameters
        ----------
        utilities : (A, K) array

        Returns
        -------
        (*batch, A) array

        Examples
        --------
        >>> credal = CredalSet(Frame(["a", "b", "c"]), [[1, 1, 0]], lower=[0.75])
        >>> credal.upper_expected_utility([[1, 1, 0], [0, 0, 4]])
        array([1., 1.])
        """
        return -self.lower_expected_utility(-checked_utilities(self.frame, utilities))

    def shortfalls(self, utilities: Numbers) -> NDArray[Any]:
        """Compute how far each act falls short of the best, under the probability that favors it.

        Parameters
        ----------
        utilities : (A, K) array

        Returns
        -------
        (*batch, A) array
            0 for acts that are best under some probability of the set (E-admissible).

        Examples
        --------
        >>> credal = CredalSet.from_intervals(Frame(["a", "b"]), [0.25, 0.25], [0.75, 0.75])
        >>> credal.shortfalls([[1, 0], [0, 1], [0.25, 0.25]]).round(9)
        array([0.  , 0.  , 0.25])
        """
        table = checked_utilities(self.frame, utilities).astype(np.float64)
        gains = table - table[:, np.newaxis]
        units = _largest(gains.reshape(len(table), -1))
        gains = gains / units[:, np.newaxis, np.newaxis]
        return np.asarray(units * self._each_row([{"rivals": gain} for gain in gains]))

    def _each_row(self, programs: list[dict[str, Any]]) -> NDArray[Any]:
        """Values (*batch, A) of the programs of each row."""
        shape = (*self.lower.shape[:-1], len(programs))

        def program(place: int) -> dict[str, Any]:
            *row, act = np.unravel_index(place, shape)
            return self._program(tuple(row), **programs[act])

        return minima("a credal set", math.prod(shape), program).reshape(shape)

    def _filled(self, table: NDArray[Any]) -> NDArray[Any]:
        """What the lower bounds leave goes to the labels of least utility first."""
        widths = self.upper - self.lower
        free = 1 - self.lower.sum(axis=-1, keepdims=True)
        values = []
        for act in table:
            order = np.argsort(act, kind="stable")
            before = np.cumsum(widths[..., order], axis=-1) - widths[..., order]
            given = np.minimum(np.maximum(free - before, 0), widths[..., order])
            values.append(self.lower @ act + given @ act[order])
        return np.stack(values, axis=-1)

    def _refuse_loss(self) -> None:
        missing = self._each_row([{"slack": True}])[..., 0]
        for row in np.argwhere(missing > _FEASIBLE):
            raise MassError(
                f"no probability lies within the bounds{in_row(row)} (they incur "
                f"sure loss); they contradict each other by {missing[tuple(row)]:.3g} of the "
                "largest payment: widen some"
            )

    def _program(
        self,
        row: tuple[Any, ...],
        *,
        objective: Floats | None = None,
        rivals: Floats | None = None,
        slack: bool = False,
    ) -> dict[str, Any]:
        """Program over the probabilities of a row.

        Minimize `objective`, or a further variable t: the largest advantage of a rival, or by how
        much every bound would have to give way. Payments are at most 1, as tolerances are absolute.
        """
        size = len(self.frame)
        scale = _largest(self.gambles)  # HiGHS takes 1e20 for infinite
        gambles = self.gambles / scale[:, np.newaxis]
        low, high = (end[row].astype(np.float64) / scale for end in (self.lower, self.upper))
        kept_low, kept_high = np.isfinite(low), np.isfinite(high)
        rows = [gambles[kept_high], -gambles[kept_low]]
        limits = [high[kept_high], -low[kept_low]]
        extra = [np.full(len(part), -1.0 if slack else 0.0) for part in rows]
        if rivals is not None:
            rows.append(rivals)
            limits.append(np.zeros(len(rivals)))
            extra.append(-np.ones(len(rivals)))
        goal = np.append(np.zeros(size), 1.0) if objective is None else np.append(objective, 0.0)
        return {
            "c": goal,
            "A_ub": np.column_stack([np.concatenate(rows), np.concatenate(extra)]),
            "b_ub": np.concatenate(limits),
            "A_eq": np.append(np.ones(size), 0.0)[np.newaxis],
            "b_eq": [1.0],
            "bounds": [*[(0, None)] * size, (None if rivals is not None else 0, None)],
        }


def _largest(table: Floats) -> Floats:
    """Largest absolute value of each row, 1 of a row of zeros."""
    largest = np.abs(table).max(axis=-1)
    return np.asarray(np.where(largest > 0, largest, 1.0))
