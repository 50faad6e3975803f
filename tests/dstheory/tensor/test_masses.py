"""Masses of classes and the frame equal mass functions of fractions, in every library and type."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dstheory import (
    Frame,
    MassError,
    MassFunction,
    TotalConflictError,
    combine,
    decide,
    revise,
    tensor,
)
from dstheory import betp as exact_betp
from dstheory import plausibility_transform as exact_plausibility_transform
from tests.support.each import each
from tests.support.namespaces import (
    EVERY_TYPE,
    INSTALLED,
    TOLERANCE,
    array,
    floats,
    results,
    type_of,
)

K = 4
FRAME = Frame(range(K))
FOCAL = [*(1 << k for k in range(K)), 2**K - 1]
COUNTS = np.random.default_rng(0).integers(0, 9, (3, 8, K + 1)) * [1, 1, 1, 1, 2]
COUNTS[:, :2] = 0
COUNTS[0, 0, 1] = COUNTS[1, 0, -1] = COUNTS[2, 0, 1] = 1  # certain, vacuous, certain
COUNTS[0, 1, 0], COUNTS[1, 1, :2], COUNTS[2, 1, -1] = 1, (1, 10**4), 1  # conflict
COUNTS[:, 2:, -1] += 1
SHARES = [[Fraction(int(c), int(row.sum())) for c in row] for row in COUNTS.reshape(-1, K + 1)]
SHARES = np.array(SHARES, dtype=object).reshape(COUNTS.shape)
EXACT = [MassFunction(FRAME, FOCAL, shares) for shares in SHARES]
FLOATS = SHARES.astype(np.float64)
LATE = slice(2, None)
"""Rows with mass on the frame in all sources, which the cautious rule needs."""

UTILITIES = [[1.0, 0.0, 0.25, 0.0], [0.5, 0.5, 0.5, -1.0]]
EVENTS = [[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
RATES = [0.5, 0.0, 0.25, 1.0]


def masses_of(m):
    """Masses (n, K + 1) of the classes and the frame."""
    return np.stack([m.mass(mask=mask) for mask in FOCAL], axis=-1)


def conflict_of(*sources):
    return combine.conjunctive(*sources).mass(())


def contextual(m):
    rates = {k: Fraction(rate) for k, rate in enumerate(RATES)}
    return revise.contextual_discount(m, rates=rates)


def of_events(call):
    return np.stack([call([k for k in range(K) if row[k]]) for row in EVENTS], axis=-1)


# What is computed from arrays (n, K + 1), and the same from exact mass functions.
CASES = {
    "bel": (lambda a, b, c: tensor.bel(a), lambda a, b, c: masses_of(a)[:, :-1]),
    "pl": (lambda a, b, c: tensor.pl(a), lambda a, b, c: a.contour()),
    "bel of events": (
        lambda a, b, c: tensor.bel(a, EVENTS),
        lambda a, b, c: of_events(a.bel),
    ),
    "pl of events": (lambda a, b, c: tensor.pl(a, EVENTS), lambda a, b, c: of_events(a.pl)),
    "betp": (lambda a, b, c: tensor.betp(a), lambda a, b, c: exact_betp(a)),
    "plausibility transform": (
        lambda a, b, c: tensor.plausibility_transform(a),
        lambda a, b, c: exact_plausibility_transform(a),
    ),
    "lower expectation": (
        lambda a, b, c: tensor.expectations(a, UTILITIES)[0],
        lambda a, b, c: decide.lower_expected_utility(a, UTILITIES),
    ),
    "upper expectation": (
        lambda a, b, c: tensor.expectations(a, UTILITIES)[1],
        lambda a, b, c: decide.upper_expected_utility(a, UTILITIES),
    ),
    "discount": (
        lambda a, b, c: tensor.discount(a, rate=0.25),
        lambda a, b, c: masses_of(revise.discount(a, rate=Fraction(1, 4))),
    ),
    "contextual discount": (
        lambda a, b, c: tensor.contextual_discount(a, rates=RATES),
        lambda a, b, c: contextual(a).contour(),
    ),
    "mean": (
        lambda a, b, c: tensor.mean(a, b, c),
        lambda a, b, c: masses_of(combine.mixing(a, b, c)),
    ),
    "weighted mean": (
        lambda a, b, c: tensor.mean(a, b, c, weights=[0.625, 0.0, 0.375]),
        lambda a, b, c: masses_of(combine.mixing(a, b, c, weights=[0.625, 0.0, 0.375])),
    ),
    "conjunctive": (
        lambda a, b, c: tensor.conjunctive(a, b, c)[0],
        lambda a, b, c: masses_of(combine.conjunctive(a, b, c)),
    ),
    "conflict": (
        lambda a, b, c: tensor.conjunctive(a, b, c)[1],
        lambda a, b, c: conflict_of(a, b, c),
    ),
    "dempster": (
        lambda a, b, c: tensor.dempster(a, b, c),
        lambda a, b, c: masses_of(combine.dempster(a, b, c)),
    ),
    "cautious": (
        lambda a, b, c: tensor.cautious(a[LATE, ...], b[LATE, ...], c[LATE, ...]),
        lambda a, b, c: masses_of(combine.cautious(a[LATE], b[LATE], c[LATE]).normalize()),
    ),
}
WANTED = {name: exact(*EXACT).astype(np.float64) for name, (_, exact) in CASES.items()}


@each(("library", "dtype"), EVERY_TYPE)
def test_values_and_types(library, dtype):
    sources = [array(library, m, dtype) for m in FLOATS]
    before = [floats(m) for m in sources]
    calls = {name: call for name, (call, _) in CASES.items()}
    for name, found in results(library, calls, *sources).items():
        assert type_of(found) == dtype, name
        # Of masses that are not exact in a type, conflict near 1 enlarges the rounding.
        scale = 1e4 if dtype.endswith("16") and name == "dempster" else 1
        gap = np.abs(floats(found) - WANTED[name])
        if scale > 1:
            gap = np.delete(gap, 1, axis=0)
        assert gap.max() <= TOLERANCE[dtype], name
    for m, old in zip(sources, before, strict=True):
        np.testing.assert_array_equal(floats(m), old)


def test_values_of_arrays():
    """The same without another library, and so at once."""
    for name, (call, _) in CASES.items():
        np.testing.assert_allclose(call(*FLOATS), WANTED[name], atol=1e-12, err_msg=name)


def test_contours_of_discounted_sources_multiply():
    """So contextual discounting is fused without the many sets that it makes."""
    fused = combine.conjunctive(*map(contextual, EXACT[:2])).contour()
    product = np.prod([tensor.contextual_discount(m, rates=RATES) for m in FLOATS[:2]], axis=0)
    np.testing.assert_allclose(product, fused.astype(np.float64), atol=1e-15)


def test_normalize():
    logarithms = np.log(FLOATS[0] + 1e-9) + 700
    found = tensor.normalize(logarithms)
    np.testing.assert_allclose(found, FLOATS[0], atol=1e-8)
    assert np.isfinite(tensor.normalize(np.float32(logarithms - 2000))).all()


@each("library", INSTALLED)
def test_conflict_near_one_keeps_digits(library):
    """In float32 the sum of the products here is 2e-25 and 1e-36."""
    pairs = [
        ([1.0, 1e-25, 0.0], [1e-25, 1.0, 0.0], [0.5, 0.5, 0.0]),
        ([1.0, 1e-25, 0.0], [3e-36, 1.0, 0.0], [0.0, 1.0, 0.0]),
        ([1.0, 1e-36, 0.0], [3e-36, 1.0, 0.0], [0.75, 0.25, 0.0]),
        ([1.0, 0.0, 2e-36], [0.0, 1.0, 2e-36], [0.5, 0.5, 0.0]),
    ]
    for one, other, wanted in pairs:
        pair = (array(library, m, "float32") for m in (one, other))
        found = results(library, {"dempster": tensor.dempster}, *pair)
        np.testing.assert_allclose(floats(found["dempster"]), wanted, atol=1e-6)


def test_a_thousand_classes_in_blocks_and_alone():
    """NumPy works on blocks of rows: of the transposed for few classes, of rows for many."""
    rng = np.random.default_rng(0)
    for n_classes, n in ((4, 30_000), (1000, 150)):
        a = rng.dirichlet(np.ones(n_classes + 1), (n,))
        b = rng.dirichlet(np.ones(n_classes + 1), (2, n))
        whole = tensor.dempster(a, b)
        assert whole.shape == b.shape
        for row in ((0, 0), (1, n // 2), (1, n - 1)):
            one, other = a[row[1]].tolist(), b[row].tolist()
            products = zip(one[:-1], other, strict=False)
            joint = [x * y + x * other[-1] + one[-1] * y for x, y in products]
            joint.append(one[-1] * other[-1])
            wanted = [x / math.fsum(joint) for x in joint]
            np.testing.assert_allclose(whole[row], wanted, rtol=1e-12)
            np.testing.assert_allclose(tensor.dempster(a[row[1]], b[row]), wanted, rtol=1e-12)


def test_laws():
    """Dempster's rule commutes and associates; the vacuous source is neutral (Shafer 1976)."""
    a, b, c = FLOATS[:, LATE]
    np.testing.assert_allclose(
        tensor.dempster(a, tensor.dempster(b, c)), tensor.dempster(c, a, b), atol=1e-14
    )
    vacuous = np.eye(K + 1)[-1]
    np.testing.assert_allclose(tensor.dempster(a, vacuous), a, atol=1e-15)
    np.testing.assert_allclose(tensor.cautious(a, a, vacuous), a, atol=1e-15)


GOOD = np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
SURE = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

BAD = {
    "a list": (lambda: tensor.betp([0.5, 0.5]), TypeError, r"\[0.5, 0.5\] is not an array"),
    "a mass function": (lambda: tensor.betp(EXACT[0]), TypeError, "is not an array"),
    "whole numbers": (lambda: tensor.betp(np.array([1, 0])), TypeError, "type int64"),
    "no frame": (lambda: tensor.betp(np.array([1.0])), ValueError, r"shape \(1,\)"),
    "a number": (lambda: tensor.betp(np.array(1.0)), ValueError, r"shape \(\)"),
    "a sum": (lambda: tensor.betp(GOOD * [[1], [0.5]]), MassError, "sum to 0.5 in row 1, not 1"),
    "NaN": (lambda: tensor.betp(GOOD * np.nan), MassError, r"nan in row 0.* \(2 of 2 rows\)"),
    "one row": (lambda: tensor.betp(GOOD[0] / 2), MassError, "sum to 0.5, not 1"),
    "a deep row": (lambda: tensor.betp(np.stack([GOOD, GOOD / 2])), MassError, r"row \(1, 0\)"),
    "negative": (
        lambda: tensor.betp(np.array([[-0.5, 1.0, 0.5]])),
        MassError,
        "as low as -0.5 in row 0, expected 0 or more",
    ),
    "lengths": (lambda: tensor.dempster(GOOD, FLOATS[0]), ValueError, "lengths 3, 5"),
    "batches": (lambda: tensor.dempster(GOOD, GOOD[[0, 0, 0]]), ValueError, "broadcast"),
    "conflict": (
        lambda: tensor.dempster(GOOD[[1, 1]], SURE, SURE[::-1]),
        TotalConflictError,
        r"kappa = 1\) in row 0 \(2 of 2 rows\); Dempster's rule has no result",
    ),
    "conflict in a block": (
        lambda: tensor.dempster(np.tile(SURE[:1], (30_000, 1)), np.tile(SURE, (15_000, 1))),
        TotalConflictError,
        r"row 1 \(15000 of 30000 rows\)",
    ),
    "dogmatic": (lambda: tensor.cautious(SURE, SURE), TotalConflictError, "the cautious rule"),
    "a rate": (lambda: tensor.discount(GOOD, rate=1.5), MassError, "rate is 1.5, expected"),
    "rates": (lambda: tensor.contextual_discount(GOOD, rates=[0.5]), ValueError, "one per class"),
    "weights": (lambda: tensor.mean(GOOD, GOOD, weights=[1.0]), ValueError, r"\(2,\)"),
    "sum of weights": (lambda: tensor.mean(GOOD, GOOD, weights=[1.0, 1.0]), MassError, "sum of 1"),
    "utilities": (lambda: tensor.expectations(GOOD, [[1.0]]), ValueError, "2 columns"),
    "events": (lambda: tensor.pl(GOOD, [1, 0]), ValueError, "utilities|events have shape"),
    "integers of logarithms": (lambda: tensor.normalize(np.array([1])), TypeError, "int64"),
}


@each("name", list(BAD))
def test_bad_input(name):
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()


@each("library", INSTALLED)
def test_rows_are_named_in_every_library(library):
    good, sure = array(library, GOOD), array(library, SURE)
    with pytest.raises(MassError, match=r"sum to 2 in row 0, not 1 \(2 of 2 rows\)"):
        tensor.pl(good + good)
    with pytest.raises(MassError, match=r"sum to 2, not 1; apply"):
        tensor.pl(good[0, ...] + good[0, ...])
    with pytest.raises(TotalConflictError, match=r"in row \(0, 1\) \(2 of 4 rows\)"):
        tensor.dempster(sure[None, ...], sure[:, None, :])


def test_arrays_of_two_libraries():
    other = [name for name in INSTALLED if name != "numpy"]
    if not other:
        pytest.skip("one library only")
    for library in other:
        with pytest.raises(TypeError, match="arrays of several libraries"):
            tensor.dempster(GOOD, array(library, GOOD))
