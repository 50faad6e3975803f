"""Functions made of formulas: equal to the rules on batches; bad arguments are named."""

import numpy as np
import pytest
import sympy

from dstheory import DSTheoryError, Frame, MassError, MassFunction, betp, combine, dempster
from dstheory.exact import as_function, share, symbolic

FRAME = Frame(["a", "b", "c"])
ONE = symbolic(FRAME, ["a", ("a", "b"), FRAME], "x")
TWO = symbolic(FRAME, ["b", ("b", "c"), FRAME], "y")


def random_batch(size=50):
    rng = np.random.default_rng(3)
    first, second = rng.dirichlet([1, 1, 1], size), rng.dirichlet([1, 1, 1], size)
    values = {"x1": first[:, 0], "x2": first[:, 1], "y1": second[:, 0], "y2": second[:, 1]}
    return values, MassFunction(FRAME, [1, 3, 7], first), MassFunction(FRAME, [2, 6, 7], second)


@pytest.mark.parametrize(
    "rule", [combine.dempster, combine.yager, combine.dubois_prade, combine.pcr5]
)
def test_function_of_a_combination_is_the_rule_on_batches(rule):
    values, m1, m2 = random_batch()
    found = as_function(rule(ONE, TWO))(**values)
    assert isinstance(found, MassFunction)
    assert found.equals(rule(m1, m2), atol=1e-12)


def test_probabilities_and_beliefs():
    values, m1, m2 = random_batch()
    m = ONE @ TWO
    np.testing.assert_allclose(as_function(betp(m))(**values), betp(m1 @ m2), atol=1e-12)
    np.testing.assert_allclose(as_function(m.bel("b"))(**values), (m1 @ m2).bel("b"), atol=1e-12)


def test_arguments_broadcast_and_scalars_give_numbers():
    function = as_function(share("x") * (1 - share("y")))
    assert function.arguments == ("x", "y")
    assert function(x=0.5, y=0.5) == 0.25
    assert function(x=[[0.0], [1.0]], y=[0.0, 0.5, 1.0]).shape == (2, 3)
    assert as_function(sympy.Rational(1, 4))() == 0.25
    assert as_function(ONE)(x1=0.5, x2=0.25).batch_shape == ()


def test_arguments_that_dropped_out():
    function = as_function(share("x") ** 0 + share("y"), ["x", share("y")])
    assert function.arguments == ("x", "y")
    assert function(x=[1, 2], y=1).tolist() == [2, 2]
    with pytest.raises(ValueError, match="the formula has the symbol y"):
        as_function(share("y"), ["x"])


def test_names_that_are_no_python_names():
    assert as_function(share("lambda") + share(r"\alpha_1"))(**{"lambda": 1, r"\alpha_1": 2}) == 3.0


def test_refusals():
    function = as_function(
        dempster(symbolic(FRAME, ["a", FRAME], "s"), symbolic(FRAME, ["b", FRAME], "t"))
    )
    with pytest.raises(TypeError, match="argument 't1' is missing; the arguments are s1, t1"):
        function(s1=1)
    with pytest.raises(TypeError, match="no argument 'u'"):
        function(s1=1, t1=1, u=1)
    with pytest.raises(DSTheoryError, match="undefined at s1 = 1, t1 = 1 in row 1"):
        function(s1=[0.5, 1], t1=1)
    with pytest.raises(MassError, match="negative"):
        as_function(ONE)(x1=0.75, x2=0.75)
    with pytest.raises(DSTheoryError, match="batch shape is"):
        as_function(MassFunction(FRAME, [7], [[1], [1]]))
