"""Combination rules as their papers define them: frozensets, dictionaries, exact numbers.

The companion of `tests.naive`; only the standard library, slow and obvious on purpose.
"""

from functools import reduce
from itertools import product
from math import prod

from tests.naive import collect, conjunctive, normalize

EMPTY = frozenset()


def as_sets(m):
    """A mass function of the package as the dictionary of the definitions."""
    return {frozenset(event): mass for event, mass in m.to_dict().items() if mass != 0}


def tuples(sources):
    """All choices of one focal set a source, with their masses."""
    for term in product(*(m.items() for m in sources)):
        yield [event for event, _ in term], [mass for _, mass in term]


def exclusive_or(*sources):
    """Dubois & Prade 1986: the symmetric difference of all sets."""
    return collect(
        (reduce(frozenset.symmetric_difference, sets), prod(masses))
        for sets, masses in tuples(sources)
    )


def kappa(*sources):
    return conjunctive(*sources).get(EMPTY, 0)


def bayes(*distributions):
    """Posterior of independent distributions under a uniform prior."""
    return normalize(
        collect((event, prod(d.get(event, 0) for d in distributions)) for event in distributions[0])
    )
