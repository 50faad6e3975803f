"""Combination of mass functions on different variables.

Each is vacuously extended to all variables that occur, and the rule is applied there. Shafer,
Shenoy & Mellouli 1987.
"""

import math
from collections.abc import Callable

from dstheory.checks.arguments import check_callable
from dstheory.combine import dempster
from dstheory.errors import DSTheoryError
from dstheory.mass import MassFunction
from dstheory.product._exactness import beside_exact
from dstheory.product._frame import union_frame
from dstheory.product._marginal import extend, product_of

__all__ = ["combine"]

_MAX_BYTES = 1 << 32


def combine(*masses: MassFunction, rule: Callable[..., MassFunction] = dempster) -> MassFunction:
    """Combine mass functions on different variables.

    Parameters
    ----------
    *masses : MassFunction
        On products, one or more; batch shapes broadcast.
    rule : function of mass functions
        Dempster's rule, or another one of `dstheory.combine`.

    Returns
    -------
    MassFunction
        On the product of all variables, in the order of first appearance.

    Raises
    ------
    FrameError
        If a variable has different values in two mass functions, or the product is too large.
    TotalConflictError
        If the rule raises it.
    DSTheoryError
        If the sets, or the intersections of the first two, would take more than 4 GiB.
    TypeError
        If there is no mass function, or one is not on a product.

    Notes
    -----
    A mass function whose masses are all 0 or 1 counts as exact: combined with Fractions or symbols,
    it does not turn the result into floats.

    For two mass functions with F1 and F2 focal sets on a product of N configurations, the time is
    of the order of F1 F2 N / 64.

    Examples
    --------
    >>> from dstheory.product import ProductFrame, Variable
    >>> rain, grass = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "dry"])
    >>> m = MassFunction.from_dict(ProductFrame([rain]), {"yes": 0.75, ("yes", "no"): 0.25})
    >>> wet = MassFunction.from_dict(ProductFrame([grass]), {"wet": 1})
    >>> combine(m, wet)
    MassFunction on rain × grass
      {rain=yes, grass=wet}  0.75
      {grass=wet}            0.25
    """
    if not masses:
        raise TypeError("combine needs at least one mass function")
    check_callable("rule", rule, "a function of mass functions, such as dempster")
    frames = [product_of(m, f"argument {number}") for number, m in enumerate(masses, start=1)]
    frame = union_frame(frames)
    _check_memory(len(frame), [len(m.focal) for m in masses])
    extended = [extend(m, frame) for m in beside_exact(masses)]
    return rule(*extended) if len(extended) > 1 else extended[0]


def _check_memory(n_configurations: int, counts: list[int]) -> None:
    """Refuse what is too large, before anything is extended."""
    n_sets = max(sum(counts), math.prod(counts[:2]))
    n_bytes = n_sets * n_configurations // 8
    if n_bytes > _MAX_BYTES:
        raise DSTheoryError(
            f"{n_sets} sets of {n_configurations} configurations would take {n_bytes >> 30} GiB, "
            "at most 4 are used; combine fewer at a time, approximate, or use a ValuationNetwork"
        )
