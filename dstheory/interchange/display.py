"""Tables for papers: LaTeX."""

import math
from collections.abc import Sequence
from fractions import Fraction

from dstheory._masses import check_mass
from dstheory.checks.arguments import check_count
from dstheory.errors import DSTheoryError
from dstheory.frame import Frame
from dstheory.mass import MassFunction
from dstheory.product import ProductFrame

_MOST_DIGITS = 17  # of a float
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def to_latex(m: MassFunction, *, digits: int = 4) -> str:
    """A mass function, or a batch with one axis, as a LaTeX table (package booktabs).

    Parameters
    ----------
    m : MassFunction
    digits : int
        Significant digits of floats. Fractions are written in full.

    Returns
    -------
    str

    Raises
    ------
    DSTheoryError
        If the batch has several axes.

    Examples
    --------
    >>> print(to_latex(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])))
    \\begin{tabular}{lr}
    \\toprule
    $A$ & $m(A)$ \\\\
    \\midrule
    $\\{\\text{ant}\\}$ & 0.75 \\\\
    $\\{\\text{ant}, \\text{bee}\\}$ & 0.25 \\\\
    \\bottomrule
    \\end{tabular}
    """
    check_count("digits", digits, 1, _MOST_DIGITS)
    if len(check_mass(m).batch_shape) > 1:
        raise DSTheoryError(f"batch shape is {m.batch_shape}; reshape the batch to one axis")
    store = m.store.reshape(len(m.focal), math.prod(m.batch_shape))
    n_rows = store.shape[1]
    names = [f"$m_{{{row}}}(A)$" for row in range(n_rows)] if m.batch_shape else ["$m(A)$"]
    rows = [
        [latex_set(m.frame, mask), *(_latex_number(v, digits) for v in values)]
        for mask, values in zip(m.focal, store, strict=True)
    ]
    return latex_table("l" + "r" * n_rows, [["$A$", *names], *rows])


def latex_table(columns: str, rows: Sequence[Sequence[str]]) -> str:
    """Write a table of cells whose first row is the head."""
    head, *body = (" & ".join(row) + r" \\" for row in rows)
    lines = [r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"])


def latex_set(frame: Frame, mask: int) -> str:
    if isinstance(frame, ProductFrame):  # as a formula, because lists of configurations are long
        return _escaped(frame._text(mask))
    names = [rf"\text{{{_escaped(str(label))}}}" for label in frame.event(mask)]
    return rf"$\{{{', '.join(names)}\}}$" if names else r"$\emptyset$"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _latex_number(value: object, digits: int) -> str:
    if isinstance(value, Fraction):
        fraction = rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
        return f"${value if value.denominator == 1 else fraction}$"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    latex = getattr(value, "_repr_latex_", None)  # sympy's representation in notebooks
    return str(latex()) if latex else _escaped(str(value))
