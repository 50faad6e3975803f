"""Random states of the page, and what `dstheory` says about each."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dstheory import Frame, MassFunction, betp, combine, plausibility_transform
from dstheory.errors import DSTheoryError
from dstheory.transform import tables

__all__ = ["CLOSE", "RULES", "assert_measures_equal", "expected_thousand"]

CLOSE = {"rtol": 0, "atol": 1e-9}

RULES = (
    "dempster", "conjunctive", "disjunctive", "exclusive_or", "yager", "dubois_prade", "inagaki",
    "murphy", "mixing", "pcr6", "pcr1", "pcr2", "pcr3", "pcr4", "florea", "cautious",
    "bold", "fixsen_mahler",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class State:
    """Two sources as arrays (2**K,) by mask, a rule, and the option of Inagaki's rule."""

    sources: tuple[np.ndarray, np.ndarray]
    rule: str
    k: float

    @property
    def labels(self) -> list[str]:
        return list("abcd"[: int(np.log2(len(self.sources[0])))])

    def as_json(self) -> dict:
        return {
            "labels": self.labels,
            "entered": [one.tolist() for one in self.sources],
            "rule": self.rule,
            "k": self.k,
        }


def random_states(number: int) -> list[State]:
    """Of two to four labels; sparse and full, some with mass on the empty set, some categorical."""
    rng = np.random.default_rng(0)
    found = []
    for i in range(number):
        size = 1 << rng.integers(2, 5)
        sources = tuple(_source(rng, size, empty=i % 4 == 0) for _ in range(2))
        found.append(State(sources, RULES[i % len(RULES)], float(rng.random())))
    return found


def _source(rng, size, *, empty):
    first = 0 if empty else 1
    count = rng.integers(1, size - first + 1)
    focal = first + rng.choice(size - first, count, replace=False)
    masses = np.zeros(size)
    masses[focal] = rng.dirichlet(np.full(count, rng.choice([0.2, 1.0])))
    masses[masses < 1e-12] = 0
    return masses / masses.sum()


@cache
def expected_thousand() -> list[tuple[State, dict]]:
    """A thousand states with what is expected of each."""
    return [(state, expected(state)) for state in random_states(1000)]


def expected(state: State) -> dict:
    """Measures of the first source, the result and its measures, and the conflict."""
    m1, m2 = (_mass_function(state.labels, one) for one in state.sources)
    options = {"k": state.k} if state.rule == "inagaki" else {}
    try:
        result = getattr(combine, state.rule)(m1, m2, **options)
    except DSTheoryError:
        result = None
    return {
        "first": _measures(m1),
        "kappa": combine.conjunctive(m1, m2).mass(mask=0),
        "masses": None if result is None else _by_mask(result),
        "result": None if result is None else _measures(result),
    }


def _mass_function(labels, masses):
    focal = np.flatnonzero(masses)
    return MassFunction(Frame(labels), focal, masses[focal])


def _by_mask(m):
    masses = np.zeros(2 ** len(m.frame))
    masses[m.focal] = m.masses
    return masses


def _measures(m):
    found = {
        "bel": tables.table(m, "bel"),
        "pl": tables.table(m, "pl"),
        "q": tables.table(m, "q"),
        "betp": None,
        "plausibility": None,
    }
    if m.mass(mask=0) < 1:
        members = (np.arange(2 ** len(m.frame))[:, None] >> np.arange(len(m.frame))) & 1
        found["betp"] = members @ betp(m)
        found["plausibility"] = members @ plausibility_transform(m)
    return found


def assert_measures_equal(one, other):
    """The measures that the page computes, by name, with those of the package."""
    assert set(one) == set(other)
    for name, values in other.items():
        if values is None:
            assert one[name] is None
        else:
            np.testing.assert_allclose(one[name], values, **CLOSE)
