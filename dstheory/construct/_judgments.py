"""Expert judgments as a mass function: the least specific one that agrees with them.

Judgments and nonspecificity are linear in the masses, so the least specific mass function solves a
linear program (Ben Yaghlane, Denoeux & Mellouli 2008, Elicitation of expert opinions for
constructing belief functions).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Event
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_sequence, check_atol, check_degree, shown
from dstheory.checks.masses import check_number
from dstheory.construct.tables import from_table
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.kernels.programs import minimized
from dstheory.mass import MassFunction

# 2^12 masses: the linear program is dense and takes a second.
_MAX_LABELS = 12


def from_judgments(
    frame: Frame,
    *,
    intervals: Mapping[Any, tuple[float, float]] | None = None,
    preferences: Iterable[tuple[Any, Any]] = (),
    indifferences: Iterable[tuple[Any, Any]] = (),
    margin: float = 0.01,
    atol: float = 1e-9,
) -> MassFunction:
    """The least specific mass function that agrees with an expert's judgments.

    Parameters
    ----------
    frame : Frame
        At most 12 labels.
    intervals : mapping of event to (low, high), optional
        Judgments ``Bel(event) >= low`` and ``Pl(event) <= high``.
    preferences : iterable of (event, event)
        The first event is believed more than the second: ``Bel(A) >= Bel(B) + margin``.
    indifferences : iterable of (event, event)
        Both events are believed about equally: ``|Bel(A) - Bel(B)| <= margin``.
    margin : float
        Smallest difference in belief that the expert would notice.
    atol : float
        Masses within `atol` of zero are solver noise and dropped.

    Returns
    -------
    MassFunction
        It maximizes nonspecificity, the sum of m(A) log2 |A|; if several do, it is one of them.
        Without judgments it is vacuous.

    Raises
    ------
    DSTheoryError
        If no mass function agrees with all judgments, an interval is not an interval within
        [0, 1], or the frame has more than 12 labels.
    ValueError
        If `margin` is not from 0 to 1.
    FrameError
        If a label is unknown.
    TypeError
        If `frame` is not a Frame, or a judgment is not a pair.

    References
    ----------
    Ben Yaghlane, Denoeux & Mellouli (2008), Elicitation of expert opinions for constructing
    belief functions, in: Uncertainty and Intelligent Information Systems.

    Examples
    --------
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = from_judgments(frame, intervals={"ant": (0.25, 1)}, preferences=[("bee", "cat")],
    ...                     margin=0.125)
    >>> m.to_dict()
    {('ant',): 0.25, ('bee',): 0.125, ('ant', 'bee', 'cat'): 0.625}
    """
    check_atol(atol)
    if len(checks.as_frame(frame)) > _MAX_LABELS:
        raise DSTheoryError(f"frame has {len(frame)} labels, judgments need at most {_MAX_LABELS}")
    check_degree("margin", margin)
    rows, bounds = [], []
    given = {} if intervals is None else intervals
    if not isinstance(given, Mapping):
        raise TypeError(
            f"intervals are {shown(intervals)}, expected a mapping of events to (low, high)"
        )
    for event, (low, high) in _pairs(given.items(), "interval of {!r}"):
        check_number(low, f"low end of {event!r}")
        check_number(high, f"high end of {event!r}")
        if not 0 <= low <= high <= 1:
            raise DSTheoryError(
                f"interval ({low}, {high}) of {event!r} is not an interval within [0, 1]"
            )
        rows += [-_belief(frame, event), _plausibility(frame, event)]
        bounds += [-low, high]
    for _, (first, second) in _pairs(_numbered(preferences, "preferences"), "preference {}"):
        rows.append(_belief(frame, second) - _belief(frame, first))
        bounds.append(-margin)
    for _, (first, second) in _pairs(_numbered(indifferences, "indifferences"), "indifference {}"):
        difference = _belief(frame, first) - _belief(frame, second)
        rows += [difference, -difference]
        bounds += [margin, margin]
    return from_table(frame, _least_specific(frame, rows, bounds), atol=atol)


def _numbered(pairs: object, name: str) -> Iterable[tuple[int, Any]]:
    return enumerate(as_sequence(pairs, name, "a list of pairs of events"))


def _pairs(given: Iterable[tuple[Any, Any]], name: str) -> Iterable[tuple[Any, Any]]:
    """Keys and values, each value checked to be a pair."""
    for key, pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{name.format(key)} is {shown(pair)}, expected a pair")
        yield key, pair


def _least_specific(
    frame: Frame, rows: Sequence[NDArray[np.float64]], bounds: Sequence[float]
) -> NDArray[np.float64]:
    sets = np.arange(1, frame.full + 1)
    result = minimized(
        "judgments",
        -np.log2(bits.cardinality(sets)),
        A_ub=np.array(rows) if rows else None,
        b_ub=np.array(bounds) if rows else None,
        A_eq=np.ones((1, len(sets))),
        b_eq=[1.0],
        infeasible="no mass function agrees with all judgments; weaken one of them",
    )
    return np.concatenate([[0.0], result.x])


def _belief(frame: Frame, event: Event) -> NDArray[np.float64]:
    """Coefficients (2**K - 1,) of the belief in an event."""
    sets = np.arange(1, frame.full + 1)
    return bits.subset_of(sets, frame.mask(event)).astype(np.float64)


def _plausibility(frame: Frame, event: Event) -> NDArray[np.float64]:
    sets = np.arange(1, frame.full + 1)
    return np.asarray((sets & frame.mask(event)) != 0, dtype=np.float64)
