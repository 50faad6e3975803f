"""Sources with symbols as masses: formulas instead of numbers.

Rules, transforms and revisions accept sympy expressions as masses, so calling a rule on symbols
derives its formula. Symbols made here are known to be non-negative; `dstheory.exact.simplified` and
`is_nonnegative` also use that they are at most 1.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import sympy

from dstheory._masses import check_mass
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_array, as_collection, as_sequence, check_instance, shown
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.mass import MassFunction


def share(name: str) -> Any:
    """Symbol for a mass, a rate or a probability, which is real and not negative.

    Parameters
    ----------
    name : str
        Its name, which is also the name of the argument in `as_function`.

    Returns
    -------
    sympy.Symbol
        Equal to ``sympy.Symbol(name, nonnegative=True)``.

    Raises
    ------
    TypeError
        If the name is not a string.
    ValueError
        If the name is empty.

    Examples
    --------
    >>> share("rate").is_nonnegative
    True
    """
    check_instance("name of a symbol", name, str, "a string")
    if not name:
        raise ValueError("a symbol needs a name, not an empty string")
    return sympy.Symbol(name, nonnegative=True)


def symbolic(frame: Frame, events: Iterable[Any], names: str | Sequence[str] = "x") -> MassFunction:
    """Mass function with a symbol on each focal set but the last, which has the remaining mass.

    Parameters
    ----------
    frame : Frame
    events : sequence of events
        Distinct focal sets; the mass of the last one is 1 minus the others.
    names : str or sequence of str
        Names of the symbols in the order of the events, or one prefix: x gives x1, x2, ...

    Returns
    -------
    MassFunction
        Valid wherever the symbols are not negative and sum to at most 1.

    Raises
    ------
    MassError
        If there is no event, or two are equal.
    FrameError
        If a label is unknown.
    ValueError
        If the number of names does not fit, or a name occurs twice.

    Examples
    --------
    >>> frame = Frame(["ant", "bee"])
    >>> symbolic(frame, ["ant", frame], ["s"])
    MassFunction on {ant, bee}
      {ant}       s
      {ant, bee}  1 - s
    """
    checks.as_frame(frame)
    focal = [frame.mask(event) for event in as_sequence(events, "events", "a list of events")]
    if not focal:
        raise MassError("there is no event; give at least one focal set")
    masses = [share(name) for name in _names(names, len(focal) - 1)]
    rest = sympy.Integer(1) - sum(masses, start=sympy.Integer(0))
    return MassFunction(frame, focal, np.array([*masses, rest], dtype=object))


def _names(names: str | Sequence[str], count: int) -> list[str]:
    if isinstance(names, str):
        return [f"{names}{number}" for number in range(1, count + 1)]
    listed = as_sequence(names, "names", "a prefix or a list of names")
    if len(listed) != count:
        raise ValueError(
            f"there are {len(listed)} names for {count + 1} events; give one for each but the last"
        )
    repeated = sorted({name for name in listed if listed.count(name) > 1})
    if repeated:
        raise ValueError(f"name {repeated[0]!r} occurs twice; equal names are the same mass")
    return listed


def symbols_of(formula: object) -> tuple[Any, ...]:
    """Symbols of a formula, in the order of their names.

    Parameters
    ----------
    formula : MassFunction, sympy expression, number, or array of these

    Returns
    -------
    tuple of sympy.Symbol

    Raises
    ------
    ValueError
        If two different symbols have the same name.

    Examples
    --------
    >>> frame = Frame(["ant", "bee"])
    >>> symbols_of(symbolic(frame, ["ant", "bee", frame]))
    (x1, x2)
    """
    values = formula.store if isinstance(formula, MassFunction) else np.asarray(formula, object)
    found: set[Any] = set()
    for value in values.ravel():
        found |= getattr(value, "free_symbols", set())
    ordered = sorted(found, key=str)
    for one, two in pairwise(ordered):
        if str(one) == str(two):
            raise ValueError(
                f"two symbols are named {one}, with different assumptions; make all with share()"
            )
    return tuple(ordered)


def as_formulas(value: object) -> np.ndarray[Any, np.dtype[Any]]:
    """Entries of a mass function (set-major), of an array, or one expression, as sympy objects."""
    entries = check_mass(value).store if isinstance(value, MassFunction) else value
    array = as_array(entries, "formulas")
    formulas = np.empty(array.shape, dtype=object)
    formulas.ravel()[:] = [as_expression(entry, "formula") for entry in array.ravel().tolist()]
    return formulas


def as_groups(sums: object) -> tuple[tuple[Any, ...], ...]:
    """Groups of symbols with a sum of at most 1.

    >>> as_groups([sympy.symbols("a b")])
    ((a, b),)
    """
    groups = as_collection(sums, "sums", "groups of symbols, such as [(a, b)]")
    return tuple(tuple(as_collection(group, "sums", "groups of symbols")) for group in groups)


def as_expression(value: object, name: str) -> Any:
    """A number or a sympy expression, as a sympy object.

    Strings are refused, because sympy would evaluate them.

    >>> as_expression(2, "k")
    2
    """
    known = isinstance(value, sympy.Expr | Real)
    if not known or isinstance(value, bool):
        raise TypeError(f"{name} is {shown(value)}, expected a number or a sympy expression")
    expression = sympy.sympify(value)
    if expression.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise ValueError(f"{name} is {shown(value)}, expected a finite number or an expression")
    return expression
