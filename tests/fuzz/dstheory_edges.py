"""Numbers at the edges of dstheory: ``python -m tests.fuzz.dstheory_edges --cases 10000``.

A case is a mass function, or a batch of three, with masses from 5e-324 to 1, and a public function
with extreme parameters. The same call on fractions is the oracle: floats must agree with it to
1e-9 of the value, down to 1e-300; where something is subtracted, or to 1e-15. What measures in
logarithms must be finite. ``--case NUMBER`` makes a case again.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dstheory import Frame, MassFunction, combine, decide, measure, revise, transform
from dstheory.errors import DSTheoryError
from dstheory.measure._distance import tessem
from dstheory.transform import tables

RELATIVE, ABSOLUTE, LEAST = 1e-9, 1e-15, 1e-300
# Logarithms of weights, -745 and more, are right to 1e-13.
WEIGHTS = dict.fromkeys(["cautious", "tnorm", "tnorm normalized"], 1e-11)
# What subtracts, so that small results have fewer digits.
CANCELS = {
    "maximum_entropy",
    "pignistic of inverse",
    "least_committed",
    "condition_focusing",
    "tessem",
    "dempster",  # products below 1e-308 beside such as are not
    "lower expectation",
    "upper expectation",
}


@dataclass(frozen=True)
class Case:
    """Floats and fractions that say the same, and a generator for parameters."""

    floats: MassFunction
    exact: MassFunction
    seed: tuple[int, int]

    @property
    def rng(self) -> np.random.Generator:
        """The same parameters for floats and for fractions."""
        return np.random.default_rng([*self.seed, 1])


def draw(seed: int, number: int) -> Case:
    """A mass function on 2 to 4 labels, some with m(empty), some batches."""
    rng = np.random.default_rng([seed, number])
    frame = Frame(range(int(rng.integers(2, 5))))
    first = int(rng.random() < 0.8)
    n_sets = int(rng.integers(1, min(6, frame.full)))
    focal = np.sort(rng.choice(np.arange(first, frame.full + 1), n_sets, replace=False))
    rows = [_row(rng, n_sets) for _ in range(3 if rng.random() < 0.3 else 1)]
    if len(rows) == 1:
        rows = rows[0]
    floats = MassFunction(frame, focal.tolist(), np.array(rows))
    return Case(floats, _exact(floats), (seed, number))


def _row(rng: np.random.Generator, n_sets: int) -> Any:
    """Masses over all orders of size, the largest so that they sum to 1."""
    masses = 10.0 ** -rng.choice([0, 1, 12, 17, 160, 310, 323], n_sets)
    masses = masses * np.where(masses > 1e-320, rng.uniform(0.1, 1, n_sets), 1)
    masses[rng.random(n_sets) < 0.1] = 0.0
    masses /= max(masses.sum(), 1.0)
    largest = int(np.argmax(masses))
    masses[largest] = 0.0
    masses[largest] = 1 - masses.sum()
    return masses


def _exact(m: MassFunction) -> MassFunction:
    """Fractions of the very floats, divided by their sum, which rounding keeps from 1."""
    rows = m.masses.reshape(-1, len(m.focal))
    exact = [[Fraction(v) for v in row] for row in rows.tolist()]
    scaled = [[v / sum(row) for v in row] for row in exact]
    return MassFunction(
        m.frame, m.focal.tolist(), np.array(scaled, dtype=object).reshape(m.masses.shape)
    )


def _event(m: MassFunction, rng: np.random.Generator) -> Any:
    return m.frame.event(int(rng.integers(1, m.frame.full + 1)))


def _number(m: MassFunction, value: float) -> Any:
    return Fraction(value) if m.masses.dtype == object else value


def _share(m: MassFunction, rng: np.random.Generator) -> Any:
    return _number(m, float(rng.choice([0.0, 5e-324, 1e-160, 1e-12, 0.3, 1 - 2**-53, 1.0])))


def _shares(m: MassFunction, rng: np.random.Generator) -> Any:
    return {label: _share(m, rng) for label in m.frame}


def _other(m: MassFunction, rng: np.random.Generator) -> MassFunction:
    focal = np.sort(rng.choice(np.arange(1, m.frame.full + 1), 2, replace=False))
    row = MassFunction(m.frame, focal.tolist(), _row(rng, 2))
    return _exact(row) if m.masses.dtype == object else row


def _epsilon(m: MassFunction, rng: np.random.Generator) -> Any:
    return _number(m, float(rng.choice([5e-324, 1e-310, 1e-160, 1e-3, 1.0, 1e160, 1e308])))


Call = Callable[[MassFunction, np.random.Generator], Any]

# Probabilities of the labels that lie between Bel and Pl of a normalized mass function.
BETWEEN: dict[str, Call] = {
    "betp": lambda m, rng: transform.betp(m),
    "dsmp": lambda m, rng: transform.dsmp(m, _epsilon(m, rng)),
    "maximum_entropy": lambda m, rng: transform.maximum_entropy_probability(m),
    "pignistic of inverse": lambda m, rng: transform.betp(
        transform.inverse_pignistic(m.frame, transform.betp(m))
    ),
}
PROBABILITIES: dict[str, Call] = {
    **BETWEEN,
    "plausibility_transform": lambda m, rng: transform.plausibility_transform(m),
    "belief_transform": lambda m, rng: transform.belief_transform(m),
}
TABLES: dict[str, Call] = {
    "bel_table": lambda m, rng: tables.table(m, "bel"),
    "pl_table": lambda m, rng: tables.table(m, "pl"),
    "q_table": lambda m, rng: tables.table(m, "q"),
    "tessem": lambda m, rng: tessem(m, _other(m, rng)),
    "nonspecificity bound": lambda m, rng: m.contour(),
    "lower expectation": lambda m, rng: decide.lower_expected_utility(m, _utilities(m, rng)),
    "upper expectation": lambda m, rng: decide.upper_expected_utility(m, _utilities(m, rng)),
}
BELIEFS: dict[str, Call] = {
    "normalize": lambda m, rng: m.normalize(),
    "condition": lambda m, rng: revise.condition(m, _event(m, rng)),
    "condition_geometric": lambda m, rng: revise.condition(m, _event(m, rng), rule="geometric"),
    "condition_focusing": lambda m, rng: revise.condition(m, _event(m, rng), rule="focusing"),
    "jeffrey outer": lambda m, rng: revise.jeffrey(m, _other(m, rng), rule="outer"),
    "jeffrey inner": lambda m, rng: revise.jeffrey(m, _other(m, rng), rule="inner"),
    "discount": lambda m, rng: revise.discount(m, rate=_share(m, rng)),
    "contextual_discount": lambda m, rng: revise.contextual_discount(m, rates=_shares(m, rng)),
    "contextual_reinforce": lambda m, rng: revise.contextual_reinforce(m, rates=_shares(m, rng)),
    "generalized_bayes": lambda m, rng: revise.generalized_bayes(
        m.frame, _shares(m, rng), prior=m, normalize=False
    ),
    "least_committed": lambda m, rng: transform.inverse_pignistic(m.frame, transform.betp(m)),
    "conjunctive": lambda m, rng: combine.conjunctive(m, _other(m, rng)),
    "disjunctive": lambda m, rng: combine.disjunctive(m, _other(m, rng)),
    "yager": lambda m, rng: combine.yager(m, _other(m, rng)),
    "dempster": lambda m, rng: combine.dempster(m, _other(m, rng)),
    "cautious": lambda m, rng: combine.cautious(m, _other(m, rng)),
    "tnorm": lambda m, rng: combine.tnorm_conjunctive(
        m, _other(m, rng), family="dubois_prade", parameter=_share(m, rng)
    ),
    "tnorm normalized": lambda m, rng: combine.tnorm_conjunctive(
        m, _other(m, rng), family="dubois_prade", parameter=_share(m, rng), normalize=True
    ),
}


def _entropy(kind: Any) -> Call:
    return lambda m, rng: measure.entropy(m, kind)


FINITE: dict[str, Call] = {
    "nonspecificity": lambda m, rng: measure.nonspecificity(m),
    **{
        f"{kind} entropy": _entropy(kind)
        for kind in ("deng", "pal", "pignistic", "jirousek_shenoy", "aggregated")
    },
}
EVERY = {**PROBABILITIES, **TABLES, **BELIEFS, **FINITE}


def _utilities(m: MassFunction, rng: np.random.Generator) -> Any:
    values = rng.choice([0.0, 1e-300, 1e-3, 1.0, 1e300], (2, len(m.frame)))
    exact = m.masses.dtype == object
    return np.vectorize(Fraction, otypes=[object])(values) if exact else values


def faults(case: Case, name: str) -> list[str]:
    """What is wrong with one function on one case."""
    call = EVERY[name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = call(case.floats, case.rng)
    except DSTheoryError as error:
        return _refused(case, name, error)
    except (ArithmeticError, RuntimeWarning, TypeError, ValueError, IndexError) as error:
        return [f"{type(error).__name__}: {error}"]
    values = _flat(found, case.floats)
    if not np.isfinite(values).all():
        return [f"not finite: {values}"]
    if name in FINITE:
        return []
    wanted = _flat(call(case.exact, case.rng), case.floats)
    if values.shape != wanted.shape:
        return [f"shapes differ: {values.shape}, {wanted.shape}"]
    least = ABSOLUTE if name in CANCELS else WEIGHTS.get(name, LEAST)
    wrong = ~(np.abs(values - wanted) <= least + RELATIVE * np.abs(wanted))
    list_of = [f"{values[wrong][:3]} for {wanted[wrong][:3]}"] if wrong.any() else []
    return list_of + _laws(case, name, values)


def _refused(case: Case, name: str, error: DSTheoryError) -> list[str]:
    try:
        EVERY[name](case.exact, case.rng)
    except DSTheoryError:
        return []
    least = case.floats.masses.min(initial=1, where=case.floats.masses > 0)
    if "underflowed" in str(error) and least < 5e-315:
        return []  # floats below have fewer than nine digits, and the fractions those of the float
    return [f"refused, but fractions have an answer: {error}"]


def _flat(found: Any, m: MassFunction) -> Any:
    """Floats of an array, or of the masses of all sets."""
    if isinstance(found, MassFunction):
        found = tables.table(found)
    return np.asarray(found).astype(np.float64)


def _laws(case: Case, name: str, values: Any) -> list[str]:
    if name in PROBABILITIES and np.abs(values.sum(axis=-1) - 1).max() > 1e-12:
        return [f"sum to {values.sum(axis=-1)}"]
    if name in BELIEFS and np.abs(values.sum(axis=-1) - 1).max() > 1e-9:
        return [f"masses sum to {values.sum(axis=-1)}"]
    if name in BETWEEN:
        normal = case.floats.normalize()
        low = np.stack([np.asarray(normal.bel(label)) for label in normal.frame], axis=-1)
        if (values < low - 1e-12).any() or (values > normal.contour() + 1e-12).any():
            return [f"{values} is not between {low} and {normal.contour()}"]
    return []


def run(seed: int, numbers: range) -> Counter[str]:
    """Faults of all functions, printed as they come."""
    found: Counter[str] = Counter()
    for number in numbers:
        case = draw(seed, number)
        for name in EVERY:
            for fault in faults(case, name):
                found[name] += 1
                if found[name] <= 3:
                    print(f"case {number}, {name}: {fault}\n{case.floats.to_dict()}")
    return found


def main() -> int:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run this one alone")
    options = parser.parse_args()
    alone = options.case
    numbers = range(options.cases) if alone is None else range(alone, alone + 1)
    start = time.process_time()
    found = run(options.seed, numbers)
    calls = len(numbers) * len(EVERY)
    seconds = time.process_time() - start
    print(f"{calls} calls, {sum(found.values())} faults, {seconds:.0f} s: {dict(found)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
