"""Formulas of a symbolic mass function as a LaTeX table.

One row for each focal set, one column for each quantity, every entry simplified. `sympy.latex`
prints single formulas.

Short formulas: one factored quotient for each mass, with signs decided on 0 <= x <= 1.

Weights and cautious rules give absolute values, minima and maxima. Sympy leaves them unresolved
because it does not know that masses are at most 1. Proofs of sign resolve them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import sympy

from dstheory._masses import check_mass
from dstheory.checks.arguments import as_sequence, check_choice
from dstheory.errors import DSTheoryError
from dstheory.exact._positivity import is_nonnegative
from dstheory.exact._symbols import as_expression, as_formulas, as_groups, symbols_of
from dstheory.interchange.display import latex_set, latex_table
from dstheory.mass import MassFunction


def simplified(value: object, sums: Iterable[Sequence[Any]] = ()) -> Any:
    """A formula, an array of formulas or a mass function, each entry factored and canceled.

    Parameters
    ----------
    value : MassFunction, sympy expression, or array of expressions
    sums : sequence of sequences of symbols
        Groups of symbols that sum to at most 1, such as the masses of a source.

    Returns
    -------
    as `value`
        Equal to `value` for symbols in [0, 1], wherever that is defined.

    See Also
    --------
    is_nonnegative : the proofs that decide absolute values, minima and maxima.

    Examples
    --------
    Dempster's rule for two sources that contradict each other:

    >>> from dstheory import Frame, dempster
    >>> from dstheory.exact import symbolic
    >>> frame = Frame(["ant", "bee"])
    >>> m = dempster(symbolic(frame, ["ant", frame], ["s"]), symbolic(frame, ["bee", frame], ["t"]))
    >>> simplified(m.bel("ant"))
    s*(t - 1)/(s*t - 1)
    """
    groups = as_groups(sums)
    formulas = as_formulas(value)
    short = np.empty(formulas.shape, dtype=object)
    short.ravel()[:] = [_shortened(formula, groups) for formula in formulas.ravel()]
    if isinstance(value, MassFunction):
        return MassFunction.from_store(value.frame, value.focal.copy(), short).prune()
    return short if short.ndim else short[()]


def _shortened(formula: Any, sums: tuple[tuple[Any, ...], ...]) -> Any:
    decided = formula
    for kind in (sympy.Min, sympy.Max, sympy.Abs):
        decided = decided.replace(kind, lambda *args, kind=kind: _decided(kind, args, sums))
    return sympy.factor(decided)


def _decided(kind: Any, args: tuple[Any, ...], sums: tuple[tuple[Any, ...], ...]) -> Any:
    """Min, Max or Abs without the arguments that provably do not matter."""
    if kind is sympy.Abs:
        positive = is_nonnegative(args[0], sums)
        if positive is None or not (positive or is_nonnegative(-args[0], sums)):
            return sympy.Abs(args[0])
        return args[0] if positive else -args[0]
    kept: list[Any] = []
    sign = 1 if kind is sympy.Max else -1
    for new in args:
        if any(is_nonnegative(sign * (old - new), sums) for old in kept):
            continue
        kept = [old for old in kept if not is_nonnegative(sign * (new - old), sums)] + [new]
    return kind(*kept)


def derivatives(expression: object) -> dict[Any, Any]:
    """Derivative of a formula with respect to each of its symbols, simplified.

    Parameters
    ----------
    expression : sympy expression
        Such as ``m.bel(event)`` of a symbolic mass function.

    Returns
    -------
    dict of symbol to expression
        In the order of the names.

    See Also
    --------
    sensitivity : derivatives with respect to discount rates, for numbers too.

    Examples
    --------
    Belief in an ant grows with the support for it and shrinks with the support for a bee:

    >>> from dstheory.exact import share
    >>> s, t = share("s"), share("t")
    >>> derivatives(s * (1 - t) / (1 - s * t))
    {s: -(t - 1)/(s*t - 1)**2, t: s*(s - 1)/(s*t - 1)**2}
    """
    formula = as_expression(expression, "expression")
    return {symbol: sympy.factor(formula.diff(symbol)) for symbol in symbols_of(formula)}


_QUANTITIES: dict[str, tuple[str, Callable[..., Any]]] = {
    "mass": ("m", MassFunction.mass),
    "bel": (r"\mathrm{Bel}", MassFunction.bel),
    "pl": (r"\mathrm{Pl}", MassFunction.pl),
    "q": ("q", MassFunction.q),
    "b": ("b", MassFunction.b),
}


def formula_table(
    m: MassFunction, quantities: Sequence[str] = ("mass",), sums: Iterable[Sequence[Any]] = ()
) -> str:
    """Formulas of a mass function as a LaTeX table (package booktabs).

    Parameters
    ----------
    m : MassFunction
        A single one.
    quantities : sequence of str
        Columns: "mass", "bel", "pl", "q", "b".
    sums : sequence of sequences of symbols
        Groups of symbols that sum to at most 1, for simplification.

    Returns
    -------
    str

    Raises
    ------
    DSTheoryError
        If a batch is given.
    ValueError
        If a quantity is unknown, or there is none.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.exact import symbolic
    >>> frame = Frame(["ant", "bee"])
    >>> print(formula_table(symbolic(frame, ["ant", frame], ["s"]), ["mass", "pl"]))
    \\begin{tabular}{lll}
    \\toprule
    $A$ & $m(A)$ & $\\mathrm{Pl}(A)$ \\\\
    \\midrule
    $\\{\\text{ant}\\}$ & $s$ & $1$ \\\\
    $\\{\\text{ant}, \\text{bee}\\}$ & $1 - s$ & $1$ \\\\
    \\bottomrule
    \\end{tabular}
    """
    if check_mass(m).batch_shape:
        raise DSTheoryError(f"batch shape is {m.batch_shape}; print one mass function at a time")
    columns = [_column(name) for name in as_sequence(quantities, "quantities", "a list of names")]
    if not columns:
        raise ValueError(f"there is no quantity; choose from {', '.join(_QUANTITIES)}")
    groups = as_groups(sums)
    head = ["$A$", *(f"${name}(A)$" for name, _ in columns)]
    rows = [
        [latex_set(m.frame, mask), *(_formula(f(m, mask=mask), groups) for _, f in columns)]
        for mask in m.focal
    ]
    return latex_table("l" * len(head), [head, *rows])


def _column(name: str) -> tuple[str, Callable[..., Any]]:
    check_choice("quantity", name, _QUANTITIES)
    return _QUANTITIES[name]


def _formula(value: object, sums: tuple[tuple[Any, ...], ...]) -> str:
    return f"${sympy.latex(simplified(value, sums))}$"
