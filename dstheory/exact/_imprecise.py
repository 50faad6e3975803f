"""Masses known up to intervals: a polytope of mass functions, its vertices and its optimum.

The polytope is a box cut by one equation (masses sum to 1). So a linear function is maximized by
filling up the best sets first: a continuous knapsack, exact on fractions, without a solver. Source:
Denoeux, Reasoning with imprecise belief structures, International Journal of Approximate Reasoning
20, 1999, 79-111.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Event
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_floats, check_count, check_instance
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels.immutable import Immutable
from dstheory.kernels.limits import check_cost
from dstheory.kernels.rounding import SUM_TOLERANCE
from dstheory.mass import MassFunction
from dstheory.notebook import brief, html_table


class ImpreciseMass(Immutable):
    """All mass functions whose masses lie in given intervals.

    Parameters
    ----------
    frame : Frame
    masses : mapping of event to (low, high) or to a number
        Bounds of the mass of each focal set. Sets not listed have no mass; the empty set must not
        be listed.

    Attributes
    ----------
    frame : Frame
    focal : (F,) array of int
        Masks of the focal sets, ascending; read-only.
    lower, upper : (F,) array
        Bounds of the masses, as given; read-only.

    Raises
    ------
    MassError
        If there is no set, bounds violate 0 <= low <= high <= 1, the empty set is listed, a set is
        listed twice, or no masses within the bounds sum to 1.
    FrameError
        If a label is unknown.
    TypeError
        If bounds are not numbers.

    See Also
    --------
    belief_bounds : what such masses imply, also after Dempster's rule.

    Examples
    --------
    >>> frame = Frame(["ant", "bee"])
    >>> source = ImpreciseMass(frame, {"ant": (0.25, 0.75), frame: (0, 0.5)})
    >>> source.lower, source.upper
    (array([0.25, 0.  ]), array([0.75, 0.5 ]))
    >>> source.tightened().lower
    array([0.5 , 0.25])
    """

    __slots__ = ("focal", "frame", "lower", "upper")

    frame: Frame
    focal: NDArray[Any]
    lower: NDArray[Any]
    upper: NDArray[Any]

    def __init__(self, frame: Frame, masses: Mapping[Any, Any]) -> None:
        checks.as_frame(frame)
        check_instance("masses", masses, Mapping, "a mapping of events to bounds")
        if not masses:
            raise MassError("there is no mass; give the bounds of at least one focal set")
        pairs = [_interval(event, bounds) for event, bounds in masses.items()]
        bounds = checks.as_masses([list(pair) for pair in pairs]).T
        focal, bounds = checks.sorted_focal(frame, [frame.mask(e) for e in masses], bounds)
        _check_bounds(frame, focal, bounds)
        self._keep(frame=frame, focal=focal, lower=bounds[0], upper=bounds[1])

    def __reduce__(self) -> tuple[Any, ...]:
        return ImpreciseMass, (self.frame, dict(self._rows()))

    def _rows(self) -> Any:
        events = (frozenset(self.frame.event(int(mask))) for mask in self.focal)
        return zip(events, zip(self.lower, self.upper, strict=True), strict=True)

    def tightened(self) -> "ImpreciseMass":
        """The same mass functions with bounds that are all attained.

        >>> frame = Frame(["ant", "bee"])
        >>> ImpreciseMass(frame, {"ant": (0, 1), frame: (0.25, 0.5)}).tightened().upper
        array([0.75, 0.5 ])
        """
        lower = np.maximum(self.lower, 1 - (self.upper.sum() - self.upper))
        upper = np.minimum(self.upper, 1 - (self.lower.sum() - self.lower))
        rows = zip(self._rows(), lower, np.maximum(lower, upper), strict=True)  # rounding
        return ImpreciseMass(self.frame, {event: (a, b) for (event, _), a, b in rows})

    def vertices(self, *, max_count: int = 20_000) -> MassFunction:
        """Extreme points of the polytope, as a batch.

        Raises `DSTheoryError` if there are more than `max_count` candidates; F proper intervals
        have F 2^(F - 1).

        >>> frame = Frame(["ant", "bee"])
        >>> ImpreciseMass(frame, {"ant": (0.25, 0.5), frame: (0, 1)}).vertices().masses
        array([[0.25, 0.75],
               [0.5 , 0.5 ]])
        """
        check_count("max_count", max_count)
        free = np.flatnonzero(np.asarray(self.lower != self.upper, dtype=bool))
        count = len(free) << max(len(free) - 1, 0)
        task, advice = f"a list for {len(free)} intervals", "fix some masses, or raise max_count"
        check_cost(count, max_count, task, "vertices at most", advice)
        found = [self._ends(free, int(last)) for last in free] or [self.lower[np.newaxis]]
        points = sorted({tuple(point) for part in found for point in part.tolist()})
        return MassFunction(self.frame, self.focal, np.array(points, dtype=self.lower.dtype))

    def _ends(self, free: NDArray[np.intp], last: int) -> NDArray[Any]:
        """Points with all free masses but one at a bound, and that one within its bounds."""
        others = free[free != last]
        choices = np.arange(1 << len(others))[:, np.newaxis] >> np.arange(len(others)) & 1
        points = np.repeat(self.lower[np.newaxis], len(choices), axis=0)
        points[:, others] = np.where(choices == 1, self.upper[others], self.lower[others])
        points[:, last] = 1 - (points.sum(axis=1) - points[:, last])
        low, high = self.lower[last], self.upper[last]
        # 1 - 0.3 is not 0.7 to the last bit; fractions are.
        slack = 0 if points.dtype == object else SUM_TOLERANCE
        inside = (points[:, last] >= low - slack) & (points[:, last] <= high + slack)
        points[:, last] = np.clip(points[:, last], low, high)
        return np.asarray(points[np.asarray(inside, dtype=bool)])

    def best(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Masses (F, *batch) that maximize the sum of scores (F, *batch) times masses.

        >>> frame = Frame(["ant", "bee"])
        >>> ImpreciseMass(frame, {"ant": (0.25, 0.5), frame: (0, 1)}).best(np.array([1, 0]))
        array([0.5, 0.5])
        """
        as_floats(scores, "scores")  # Fractions stay exact
        scores = np.asarray(scores)
        if scores.shape[:1] != self.lower.shape:
            raise ValueError(
                f"scores have shape {scores.shape}, expected ({len(self.lower)}, ...): "
                "one for each focal set"
            )
        order = np.argsort(-scores, axis=0, kind="stable")
        room = (self.upper - self.lower)[order]
        before = np.cumsum(room, axis=0) - room
        left = 1 - self.lower.sum()
        filled = np.minimum(np.maximum(left - before, 0), room)
        masses = np.empty_like(filled)
        np.put_along_axis(masses, order, filled, axis=0)
        return np.asarray(masses + self.lower.reshape(-1, *(1,) * (scores.ndim - 1)))

    def __repr__(self) -> str:
        rows = [f"{set(event) or '{}'}: [{low}, {high}]" for event, (low, high) in self._rows()]
        return f"ImpreciseMass({', '.join(rows)})"

    def _repr_html_(self) -> str:
        bounds = zip(self.focal, self.lower, self.upper, strict=True)
        rows = [[self.frame._text(int(mask)), brief(low), brief(up)] for mask, low, up in bounds]
        return html_table("ImpreciseMass", [["set", "at least", "at most"], *rows])


def _interval(event: Event, bounds: Any) -> tuple[Any, Any]:
    if np.ndim(bounds) == 0:
        return bounds, bounds
    if len(bounds) != 2:
        raise MassError(f"bounds of {event!r} are {bounds!r}, expected a pair (low, high)")
    return bounds[0], bounds[1]


def _check_bounds(frame: Frame, focal: NDArray[Any], bounds: NDArray[Any]) -> None:
    lower, upper = bounds
    for mask, low, high in zip(focal, lower, upper, strict=True):
        event = frame.event(int(mask))
        if hasattr(low, "free_symbols") or hasattr(high, "free_symbols"):
            raise TypeError(f"bounds of {event!r} are numbers, not the symbols {low}, {high}")
        if not 0 <= low <= high <= 1:
            raise MassError(
                f"bounds of {event!r} are {low} and {high}; expected 0 <= low <= high <= 1"
            )
        if not event:
            raise MassError("the empty set has bounds; condition or normalize the source first")
    if lower.sum() > 1 + SUM_TOLERANCE or upper.sum() < 1 - SUM_TOLERANCE:
        raise MassError(
            f"lower bounds sum to {lower.sum()} and upper bounds to {upper.sum()}; "
            "1 must lie between them, so widen the bounds"
        )
