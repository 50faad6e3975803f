"""Formulas of a symbolic mass function as a LaTeX table.

One row for each focal set, one column for each quantity, every entry simplified. `sympy.latex`
prints single formulas.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy
from sympy.printing.latex import latex_escape

from dstheory._masses import check_mass
from dstheory.checks.arguments import as_sequence, check_choice
from dstheory.errors import DSTheoryError
from dstheory.exact._simplification import simplified
from dstheory.exact._symbols import as_groups
from dstheory.frame import Frame
from dstheory.mass import MassFunction

__all__ = ["formula_table"]

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
    head = " & ".join(["$A$", *(f"${name}(A)$" for name, _ in columns)])
    lines = [
        " & ".join([_set(m.frame, mask), *(_formula(f(m, mask=mask), groups) for _, f in columns)])
        for mask in m.focal
    ]
    body = [head + r" \\", r"\midrule", *(line + r" \\" for line in lines)]
    begin = rf"\begin{{tabular}}{{l{'l' * len(columns)}}}"
    return "\n".join([begin, r"\toprule", *body, r"\bottomrule", r"\end{tabular}"])


def _column(name: str) -> tuple[str, Callable[..., Any]]:
    check_choice("quantity", name, _QUANTITIES)
    return _QUANTITIES[name]


def _set(frame: Frame, mask: Any) -> str:
    names = [rf"\text{{{latex_escape(str(label))}}}" for label in frame.event(mask)]
    return rf"$\{{{', '.join(names)}\}}$" if names else r"$\emptyset$"


def _formula(value: Any, sums: tuple[tuple[Any, ...], ...]) -> str:
    return f"${sympy.latex(simplified(value, sums))}$"
