"""Small random networks: as data for the brute force, and as the network itself."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from dstheory import MassFunction
from dstheory.network import Table, ValuationNetwork
from dstheory.product import ProductFrame, Variable


@dataclass
class Case:
    """A random network, twice."""

    sizes: tuple
    valuations: list  # (scope, masses or table), for tests.naive.network
    network: ValuationNetwork


def names(scope):
    return [f"x{v}" for v in scope]


@st.composite
def scopes(draw, n_variables, tree):
    """Scopes of some valuations: along a random tree, or anywhere with up to three variables."""
    if tree:
        edges = [(draw(st.integers(0, v - 1)), v) for v in range(1, n_variables)]
        return edges + draw(
            st.lists(st.integers(0, n_variables - 1).map(lambda v: (v,)), max_size=2)
        )
    some = st.lists(st.integers(0, n_variables - 1), min_size=1, max_size=3, unique=True)
    return [tuple(scope) for scope in draw(st.lists(some, min_size=1, max_size=4))]


@st.composite
def shares(draw, count):
    """Fractions that sum to 1."""
    weights = draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def belief_cases(draw, tree=False, **options):
    sizes = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=4)))
    variables = [Variable(f"x{v}", range(size)) for v, size in enumerate(sizes)]
    valuations, masses = [], []
    for scope in draw(scopes(len(sizes), tree)):
        cells = list(product(*(range(sizes[v]) for v in scope)))
        subsets = st.sets(st.sampled_from(cells)).map(frozenset)
        focal = draw(st.lists(subsets, min_size=1, max_size=3, unique=True))
        numbers = draw(shares(len(focal)))
        valuations.append((scope, dict(zip(focal, numbers, strict=True))))
        frame = ProductFrame([variables[v] for v in scope])
        masks = [frame.mask(list(cells)) if cells else 0 for cells in focal]
        masses.append(MassFunction(frame, masks, numbers))
    return Case(sizes, valuations, ValuationNetwork(variables, masses, **options))


@st.composite
def table_cases(draw, tree=False, **options):
    sizes = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=4)))
    valuations, tables = [], []
    for scope in draw(scopes(len(sizes), tree)):
        cells = list(product(*(range(sizes[v]) for v in scope)))
        some = st.lists(st.integers(0, 4), min_size=len(cells), max_size=len(cells)).filter(any)
        numbers = [Fraction(number, 4) for number in draw(some)]
        valuations.append((scope, dict(zip(cells, numbers, strict=True))))
        values = np.array(numbers, dtype=object).reshape([sizes[v] for v in scope])
        tables.append(Table(names(scope), values))
    variables = {f"x{v}": range(size) for v, size in enumerate(sizes)}
    return Case(sizes, valuations, ValuationNetwork(variables, tables, **options))
