"""Tables equal those of exact mass functions, in every library and type."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dstheory import Frame, MassError, MassFunction, TotalConflictError, combine, transform
from dstheory.errors import CostLimitError
from dstheory.tensor import dense
from tests.support.each import each
from tests.support.namespaces import EVERY_TYPE, TOLERANCE, array, floats, results, type_of

KINDS = ("m", "bel", "pl", "q", "b")


def exact_sources(n_labels, n):
    """Three batches, with masses of 0 and 1, as tables and as mass functions."""
    counts = np.random.default_rng(n_labels).integers(0, 9, (3, n, 2**n_labels))
    counts[..., 0] = 0
    counts[..., -1] += 1
    counts[0, 0], counts[0, 0, 1] = 0, 1
    shares = [[Fraction(int(c), int(row.sum())) for c in row] for row in counts.reshape(3 * n, -1)]
    tables = np.array(shares, dtype=object).reshape(counts.shape)
    frame = Frame(range(n_labels))
    return tables, [MassFunction(frame, range(2**n_labels), table) for table in tables]


TABLES, EXACT = exact_sources(3, 4)

CASES = {
    "conjunctive": (dense.conjunctive, combine.conjunctive),
    "disjunctive": (dense.disjunctive, combine.disjunctive),
    "dempster": (dense.dempster, combine.dempster),
}


def wanted():
    """What each call gives, from exact mass functions."""
    found = {name: transform.table(rule(*EXACT), "m") for name, (_, rule) in CASES.items()}
    found["betp"] = transform.betp(EXACT[1])
    for source, target in product(KINDS, KINDS):
        found[f"{source} to {target}"] = transform.table(EXACT[0], target)
    return {name: values.astype(np.float64) for name, values in found.items()}


def calls():
    """The same calls for arrays; conversions start from what the first has converted."""
    found = {name: call for name, (call, _) in CASES.items()}
    found["betp"] = lambda a, b, c: dense.betp(b)
    for source, target in product(KINDS, KINDS):
        found[f"{source} to {target}"] = lambda a, b, c, source=source, target=target: (
            dense.convert_table(dense.convert_table(a, "m", source), source, target)
        )
    return found


@each(("library", "dtype"), EVERY_TYPE)
def test_values_and_types(library, dtype):
    sources = [array(library, m.astype(np.float64), dtype) for m in TABLES]
    exact = wanted()
    for name, found in results(library, calls(), *sources).items():
        assert type_of(found) == dtype, name
        rounded = 2 if dtype.endswith("16") else 1  # the masses before they come in
        assert np.abs(floats(found) - exact[name]).max() <= TOLERANCE[dtype] * rounded, name
        if name in CASES:
            assert floats(found).min() >= 0, name


@each("n_labels", [1, 2, 7])
def test_other_numbers_of_labels(n_labels):
    """Seven labels take matrices for one label and for six."""
    tables, exact = exact_sources(n_labels, 2)
    given = tables.astype(np.float64)
    for name, (call, rule) in CASES.items():
        table = transform.table(rule(*exact), "m").astype(np.float64)
        np.testing.assert_allclose(call(*given), table, atol=1e-14, err_msg=name)
        np.testing.assert_allclose(call(*given.astype("float32")), table, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(dense.betp(given[0]), transform.betp(exact[0]).astype(float))


def test_twelve_labels():
    rng = np.random.default_rng(0)
    a, b = rng.dirichlet(np.ones(2**12), 2)
    frame = Frame(range(12))
    exact = [MassFunction(frame, range(2**12), m) for m in (a, b)]
    found = dense.dempster(a.astype("float32"), b.astype("float32"))
    np.testing.assert_allclose(found, transform.table(combine.dempster(*exact), "m"), atol=1e-6)
    np.testing.assert_allclose(
        dense.disjunctive(a, b), transform.table(combine.disjunctive(*exact), "m"), atol=1e-12
    )


GOOD = np.array([0.0, 0.25, 0.25, 0.5])
EMPTY = np.array([1.0, 0.0, 0.0, 0.0])

BAD = {
    "13 labels": (lambda: dense.betp(np.full(2**13, 2.0**-13)), CostLimitError, "13 labels"),
    "no power of 2": (lambda: dense.betp(np.ones(3) / 3), ValueError, r"\(3,\).* 2, 4, 8"),
    "one set": (lambda: dense.convert_table(np.ones(1), "m", "q"), ValueError, r"\(1,\)"),
    "a sum": (lambda: dense.dempster(GOOD, GOOD / 2), MassError, "sum to 0.5, not 1"),
    "lengths": (lambda: dense.dempster(GOOD, np.array([0.0, 1.0])), ValueError, "lengths 4, 2"),
    "whole numbers": (lambda: dense.betp(np.array([0, 1])), TypeError, "type int64"),
    "conflict": (
        lambda: dense.dempster(np.array([0, 1.0, 0, 0]), np.array([0, 0, 1.0, 0])),
        TotalConflictError,
        "total conflict",
    ),
    "only conflict": (lambda: dense.betp(EMPTY), TotalConflictError, "betp has no result"),
    "a kind": (lambda: dense.convert_table(GOOD, "m", "w"), ValueError, "target is 'w'"),
}


@each("name", list(BAD))
def test_bad_input(name):
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()
