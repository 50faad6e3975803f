"""LaTeX tables and pandas frames."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy

from dstheory import Frame, MassFunction
from dstheory.construct import random, simple, vacuous
from dstheory.errors import DSTheoryError
from dstheory.interchange import to_latex, to_pandas
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


def test_pandas_of_a_single_one():
    m = MassFunction(Frame(["a", "b"]), [0, 1, 3], [0.25, 0.25, 0.5])
    table = to_pandas(m)
    assert table.index.tolist() == ["{}", "{a}", "{a, b}"]
    assert table["bel"].tolist() == [0, 0.25, 0.75]
    assert table["pl"].tolist() == [0, 0.75, 0.75]
    assert table["q"].tolist() == [1, 0.75, 0.5]


def test_pandas_of_batches():
    m = random(Frame(["a", "b"]), np.random.default_rng(0), size=(2, 3))
    table = to_pandas(m)
    assert isinstance(table.index, pd.MultiIndex)
    np.testing.assert_array_equal(table.loc[(1, 2)].to_numpy(), m[1, 2].masses)
    flat = to_pandas(m.reshape(6))
    np.testing.assert_array_equal(flat.to_numpy(), m.masses.reshape(6, 3))
    assert flat.columns.tolist() == ["{a}", "{b}", "{a, b}"]


def test_latex_has_some_digits_and_not_too_many():
    m = vacuous(Frame(["a", "b"]))
    for wrong in (0, -1, 100):
        with pytest.raises(ValueError, match=f"digits is {wrong}, expected"):
            to_latex(m, digits=wrong)
