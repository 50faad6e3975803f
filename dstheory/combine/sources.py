"""Checks on the sources of a rule.

Sources are mass functions on one frame whose batches broadcast.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from numbers import Rational
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of
from dstheory._typing import Numbers
from dstheory.checks.arguments import as_array, as_floats
from dstheory.checks.masses import check_number
from dstheory.errors import MassError
from dstheory.frame import Frame, same_frame
from dstheory.kernels.batches import stretch
from dstheory.kernels.exact import exact_together
from dstheory.kernels.limits import check_result
from dstheory.kernels.rows import in_rows
from dstheory.mass import MassFunction

P = ParamSpec("P")


def check_sources(*sources: MassFunction) -> Frame:
    """The common frame of all sources; raise where there is none, or too many rows for memory."""
    for number, source in enumerate(sources, start=1):
        if not isinstance(source, MassFunction):
            raise TypeError(
                f"a rule combines mass functions, but source {number} is {source!r}; combine the "
                "entries of a batch axis by combine_axis"
            )
    frame = sources[0].frame
    for source in sources[1:]:
        same_frame(frame, source.frame)
    batch = batch_of(*sources)
    if batch:
        check_result(max(len(source.focal) for source in sources), math.prod(batch))
    return frame


def combination_rule(rule: Callable[P, MassFunction]) -> Callable[P, MassFunction]:
    """Make a rule check its sources, and say what to do with a list of them or a single one."""

    @wraps(rule)
    def called(*args: P.args, **kwargs: P.kwargs) -> MassFunction:
        sources: list[Any] = [*args, *(kwargs.pop(name) for name in ("m1", "m2") if name in kwargs)]
        if len(sources) == 1:
            name, given = rule.__name__, sources[0]
            advice = (
                f"combine a batch along an axis by combine_axis(m, {name})"
                if isinstance(given, MassFunction)
                else f"unpack a list of sources, as in {name}(*masses)"
            )
            raise TypeError(f"{name}(m1, m2, ...) needs two sources or more; {advice}")
        if sources:
            check_sources(*sources)
        return rule(*_exact_together(sources), **kwargs)

    return called


def _exact_together(args: Sequence[Any]) -> list[Any]:
    """Arguments of a rule; sources that are certain or vacuous are exact beside exact ones."""
    places = [i for i, arg in enumerate(args) if isinstance(arg, MassFunction)]
    given = [args[i].store for i in places]
    matched = list(args)
    for i, old, new in zip(places, given, exact_together(given), strict=True):
        if new is not old:
            matched[i] = MassFunction.from_store(args[i].frame, args[i].focal, new)
    return matched


def any_exact(sources: Iterable[MassFunction]) -> bool:
    """Whether some source has object masses, fractions or symbols."""
    return any(source.store.dtype == object for source in sources)


def match_numbers(values: Numbers, sources: Iterable[MassFunction]) -> NDArray[Any]:
    """Numbers to compute with the masses: fractions become floats if a source has floats."""
    array = as_array(values, "numbers beside the sources")
    if array.dtype.kind not in "iufO":  # integers stay exact beside fractions
        raise TypeError(f"expected real numbers beside the sources, not {values!r}")
    if array.dtype == object:
        for value in array.ravel().tolist():
            check_number(value, "a number beside the sources")
    if array.dtype == object and not any_exact(sources):
        rational = all(isinstance(value, Rational | float) for value in array.ravel())
        return as_floats(array, "numbers beside the sources") if rational else array
    return array


def refuse_subnormal(rule: str, *sources: MassFunction) -> None:
    """Raise where a source gives mass to the empty set."""
    for number, source in enumerate(sources, start=1):
        bad = np.asarray(source.mass(mask=0) != 0, dtype=bool)
        if bad.any():
            raise MassError(
                f"source {number} gives mass to the empty set{in_rows(bad)}, but {rule} is "
                "defined for normalized sources: use .normalize() first"
            )


def refuse_normal(rule: str, *sources: MassFunction) -> None:
    """Raise where a source gives no mass to the empty set."""
    for number, source in enumerate(sources, start=1):
        bad = np.asarray(source.mass(mask=0) == 0, dtype=bool)
        if bad.any():
            raise MassError(
                f"source {number} gives no mass to the empty set{in_rows(bad)}, so that its "
                f"disjunctive weights do not exist: {rule} needs subnormal sources"
            )


def nonempty(
    m: MassFunction, batch: tuple[int, ...] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Focal sets and masses (F, *batch) without the empty set, broadcast to `batch`."""
    start = int(len(m.focal) > 0 and m.focal[0] == 0)
    store = m.store if batch is None else stretch(m.store, batch)
    return m.focal[start:], store[start:]
