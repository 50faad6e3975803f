"""LaTeX tables."""

from fractions import Fraction

import pytest
import sympy

from dstheory import Frame, MassFunction
from dstheory.construct import simple, vacuous
from dstheory.errors import DSTheoryError
from dstheory.interchange import to_latex
from dstheory.product import Variable, implies


def test_latex_escapes_labels_and_writes_fractions():
    frame = Frame(["50%_{a}", "b"])
    text = to_latex(MassFunction(frame, [0, 1, 3], [Fraction(1, 3), Fraction(2, 3), Fraction(0)]))
    assert r"$\emptyset$ & $\frac{1}{3}$ \\" in text
    assert r"$\{\text{50\%\_\{a\}}\}$ & $\frac{2}{3}$ \\" in text
    assert r"& $0$ \\" in text


def test_latex_of_a_batch_has_a_column_for_each_row():
    frame = Frame(["a", "b"])
    lines = to_latex(simple(frame, "a", mass=[0.25, 1 / 3]), digits=2).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r"$A$ & $m_{0}(A)$ & $m_{1}(A)$ \\"
    assert lines[4] == r"$\{\text{a}\}$ & 0.25 & 0.33 \\"
    with pytest.raises(DSTheoryError, match="reshape"):
        to_latex(vacuous(frame, (2, 2)))


def test_latex_of_a_product_names_values():
    rain, wet = Variable("rain", ["yes", "no"]), Variable("wet_1", ["yes", "no"])
    text = to_latex(implies({rain: "yes"}, {wet: "yes"}, 0.75))
    assert r"not \{rain=yes, wet\_1=no\} & 0.75 \\" in text
    assert r"\{all\} & 0.25 \\" in text


def test_latex_of_symbols():
    p = sympy.Symbol("p_1", nonnegative=True)
    assert "p_{1}" in to_latex(simple(Frame(["a", "b"]), "a", mass=p))


def test_latex_has_some_digits_and_not_too_many():
    m = vacuous(Frame(["a", "b"]))
    for wrong in (0, -1, 100):
        with pytest.raises(ValueError, match=f"digits is {wrong}, expected"):
            to_latex(m, digits=wrong)
