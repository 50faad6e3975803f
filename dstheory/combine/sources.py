"""Checks on the sources of a rule.

Sources are mass functions on one frame whose batches broadcast.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import wraps
from inspect import signature
from numbers import Rational
from typing import Any, Literal, ParamSpec, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, exact_beside
from dstheory._typing import Numbers
from dstheory.checks.arguments import as_array, as_floats, check_choice, check_flag, shown
from dstheory.checks.masses import check_number
from dstheory.frame import Frame, same_frame
from dstheory.kernels import predicates
from dstheory.kernels.batches import stretch
from dstheory.kernels.exact import without_decimals
from dstheory.kernels.limits import check_result
from dstheory.kernels.rounding import SUM_TOLERANCE, sum_tolerance
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction

P = ParamSpec("P")


def check_sources(*sources: MassFunction) -> Frame:
    """The common frame of all sources; raise where there is none, or too many rows for memory."""
    for number, source in enumerate(sources, start=1):
        if not isinstance(source, MassFunction):
            raise TypeError(
                f"a rule combines mass functions, but source {number} is {shown(source)}; combine "
                "the entries of a batch axis by combine_axis"
            )
    frame = sources[0].frame
    for source in sources[1:]:
        same_frame(frame, source.frame)
    batch = batch_of(*sources)
    if batch:
        check_result(max(len(source.focal) for source in sources), math.prod(batch))
    return frame


def combination_rule(rule: Callable[P, MassFunction]) -> Callable[P, MassFunction]:
    """Make a rule check its sources, flags and choices, and say how to pass a list of sources."""

    options = {p.name: p.annotation for p in signature(rule, eval_str=True).parameters.values()}

    @wraps(rule)
    def called(*args: P.args, **kwargs: P.kwargs) -> MassFunction:
        for name, value in kwargs.items():
            _check_option(name, value, options.get(name))
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
        matched: list[Any] = exact_beside(sources)
        return rule(*matched, **kwargs)

    return called


def _check_option(name: str, value: object, kind: object) -> None:
    """Refuse what a flag or a choice cannot be, by the annotation of the rule."""
    if kind is bool:
        check_flag(name, value)
    elif get_origin(kind) is Literal:
        check_choice(name, value, get_args(kind))


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
        array = without_decimals(array)
    if array.dtype == object and not any_exact(sources):
        rational = all(isinstance(value, Rational | float) for value in array.ravel())
        return as_floats(array, "numbers beside the sources") if rational else array
    return array


def as_weights(
    values: Numbers | None, sources: Sequence[MassFunction], n: int, name: str, of: str
) -> NDArray[Any]:
    """Numbers (n, ...) that are not negative and sum to 1, equal ones by default."""
    if values is None:
        return np.full(n, Fraction(1, n) if any_exact(sources) else 1 / n)
    array = match_numbers(values, sources)
    if array.ndim == 0 or len(array) != n:
        raise ValueError(f"{name} have shape {array.shape}, but there are {n} {of}")
    if not np.asarray(array >= 0, dtype=bool).all():
        raise ValueError(f"{name} are {shown(values)}, expected non-negative numbers")
    total, atol = array.sum(axis=0), sum_tolerance(array.dtype, n)
    if not predicates.ones(np.asarray(total), atol).all():
        raise ValueError(f"{name} sum to {total}, not 1; divide them by their sum")
    if atol <= SUM_TOLERANCE:
        return array
    array = array.astype(np.float64)  # from float32 or float16
    return np.asarray(array / array.sum(axis=0))


def refuse_subnormal(rule: str, *sources: MassFunction) -> None:
    """Raise where a source gives mass to the empty set."""
    advice = f"{rule} is defined for normalized sources: use .normalize() first"
    for number, source in enumerate(sources, start=1):
        fault = f"source {number} gives mass to the empty set"
        refuse_rows(source.mass(mask=0) != 0, fault, advice)


def refuse_normal(rule: str, *sources: MassFunction) -> None:
    """Raise where a source gives no mass to the empty set."""
    advice = "combine normalized sources by disjunctive"
    for number, source in enumerate(sources, start=1):
        fault = f"source {number} gives no mass to the empty set, where {rule} needs some"
        refuse_rows(source.mass(mask=0) == 0, fault, advice)


def nonempty(
    m: MassFunction, batch: tuple[int, ...] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Focal sets and masses (F, *batch) without the empty set, broadcast to `batch`."""
    start = int(len(m.focal) > 0 and m.focal[0] == 0)
    store = m.store if batch is None else stretch(m.store, batch)
    return m.focal[start:], store[start:]
