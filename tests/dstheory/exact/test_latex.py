"""LaTeX tables of formulas."""

import pytest
import sympy

from dstheory import DSTheoryError, Frame, MassFunction
from dstheory.exact import formula_table, share, symbolic

FRAME = Frame(["a_1", "b"])


def test_table_of_a_combination():
    m = symbolic(FRAME, ["a_1", FRAME], ["s"]) & symbolic(FRAME, ["b", FRAME], ["t"])
    lines = formula_table(m, ["mass", "bel", "q"]).splitlines()
    assert lines[0] == r"\begin{tabular}{llll}"
    assert lines[2] == r"$A$ & $m(A)$ & $\mathrm{Bel}(A)$ & $q(A)$ \\"
    assert lines[4] == r"$\emptyset$ & $s t$ & $0$ & $1$ \\"
    assert lines[5].startswith(r"$\{\text{a\_1}\}$ & $- s \left(t - 1\right)$ & ")
    assert len(lines) == 10


def test_sums_simplify():
    x, y = share("x"), share("y")
    largest = sympy.Max(x, 1 - y)
    m = MassFunction.from_dict(FRAME, {"b": largest, FRAME: 1 - largest})
    assert r"\max" in formula_table(m)
    assert r"$1 - y$" in formula_table(m, sums=[(x, y)])


def test_refusals():
    m = symbolic(FRAME, ["b", FRAME])
    with pytest.raises(ValueError, match="quantity is 'w', expected one of 'mass', 'bel'"):
        formula_table(m, ["w"])
    with pytest.raises(ValueError, match="there is no quantity"):
        formula_table(m, [])
    with pytest.raises(DSTheoryError, match="batch shape"):
        formula_table(MassFunction(FRAME, [3], [[1], [1]]))
