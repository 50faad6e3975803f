"""Hypothesis strategies of these tests: variables, products and beliefs on them."""

from fractions import Fraction

from hypothesis import strategies as st

from dstheory.product import ProductFrame, Variable
from dstheory.testing import masses

# Fractions between 0 and 1, the ends among them.
shares = st.integers(0, 8).map(lambda k: Fraction(k, 8))

POOL = {
    "x": Variable("x", ["a", "b"]),
    "y": Variable("y", [0, 1, 2]),
    "z": Variable("z", ["only"]),
    "w": Variable("w", [("t", 1), None]),
}


@st.composite
def products(draw, max_variables=3, pool=tuple(POOL)):
    """Product of some variables, in any order; at most 12 configurations."""
    names = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=max_variables, unique=True))
    return ProductFrame([POOL[name] for name in names])


@st.composite
def beliefs(draw, max_focal=4, **options):
    """An exact mass function on a product."""
    return draw(masses(draw(products(**options)), empty=True, max_focal=max_focal))


@st.composite
def events(draw, max_variables=2):
    """A mapping of variables to lists of their values, which may be empty or all."""
    variables = draw(products(max_variables)).variables
    return {v: draw(st.lists(st.sampled_from(v.values), unique=True)) for v in variables}


def naive(frame):
    """A product as the dictionary of the definitions."""
    return {variable.name: variable.values for variable in frame.variables}


def named(event):
    """An event by names, as the definitions have it."""
    return {variable.name: values for variable, values in event.items()}
