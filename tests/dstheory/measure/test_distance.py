"""Distances and divergence: definitions, metric laws, oracles."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, measure
from dstheory.errors import DSTheoryError, FrameError
from dstheory.measure._distance import (
    bhattacharyya,
    hausdorff,
    jensen_shannon,
    table_distance,
    tessem,
)
from dstheory.transform import tables
from tests.dstheory.measure.strategies import as_naive, pairs
from tests.naive import measure as naive_measure
from tests.support.each import each

DISTANCES = [
    measure.distance,
    hausdorff,
    table_distance,
    tessem,
    bhattacharyya,
    jensen_shannon,
]
METRICS = [
    measure.distance,
    table_distance,
    tessem,
    bhattacharyya,
    lambda m1, m2: sqrt(jensen_shannon(m1, m2)),
]


@given(pairs(empty=True))
def test_distances_are_their_definitions(given_masses):
    m1, m2 = given_masses
    one, two = as_naive(m1, m2)
    for name in ("jousselme", "bhattacharyya", "jensen_shannon"):
        expected = getattr(naive_measure, name)(one, two)
        # The naive 1 - sum of roots keeps 8 digits where it is small.
        atol = 1e-7 if name == "bhattacharyya" else 1e-12
        assert measure.distance(m1, m2, name) == pytest.approx(expected, abs=atol)
    assert measure.distance(m1, m2, "tessem") == naive_measure.tessem(one, two, m1.frame)


@given(pairs())
def test_hausdorff_is_its_definition(given_masses):
    m1, m2 = given_masses
    one, two = as_naive(m1, m2)
    places = {label: i**2 for i, label in enumerate(m1.frame)}
    expected = naive_measure.hausdorff(one, two, places)
    found = hausdorff(m1, m2, list(places.values()))
    assert found == pytest.approx(expected, abs=1e-7)


@given(pairs(empty=True))
def test_table_distances_compare_whole_tables(given_masses):
    m1, m2 = given_masses
    for name in ("m", "bel", "pl", "q", "b"):
        one, two = tables.table(m1, name), tables.table(m2, name)
        gaps = [abs(x - y) for x, y in zip(one, two, strict=True)]
        found = [table_distance(m1, m2, name, p) for p in (1, 2, float("inf"))]
        expected = [sum(gaps), sqrt(sum(gap**2 for gap in gaps)), max(gaps)]
        assert found == pytest.approx([float(value) for value in expected], abs=1e-12)


@given(pairs(count=3))
def test_metrics_obey_the_triangle(given_masses):
    m1, m2, m3 = given_masses
    for distance in METRICS:
        assert distance(m1, m3) <= distance(m1, m2) + distance(m2, m3) + 1e-7
        assert distance(m1, m2) == pytest.approx(distance(m2, m1), abs=1e-12)
        assert distance(m1, m1) == 0


@pytest.mark.parametrize("distance", [d for d in DISTANCES if d is not table_distance])
def test_distances_of_one_frame_lie_between_zero_and_one(distance):
    store = np.random.default_rng(0).dirichlet(np.full(15, 0.2), size=200)
    m = MassFunction(Frame(range(4)), range(1, 16), store)
    values = distance(m[:100], m[100:])
    assert ((values >= 0) & (values <= 1)).all()


def test_oracle_jousselme():
    """Jousselme et al. 2001, the classic with 20 labels (table in Jiang 2017)."""
    frame = Frame(range(1, 21))
    base = {(2, 3, 4): 0.05, 7: 0.05, frame: 0.1}
    certain = MassFunction.from_dict(frame, {(1, 2, 3, 4, 5): 1.0})
    printed = [0.7858, 0.6866, 0.5705, 0.4237, 0.1323, 0.3884, 0.5029, 0.5705, 0.6187, 0.6554]
    printed += [0.6844, 0.7082, 0.7281, 0.7451, 0.7599, 0.7730, 0.7846, 0.7951, 0.8046, 0.8133]
    found = []
    for last in range(1, 20):
        m = MassFunction.from_dict(frame, {**base, tuple(range(1, last + 1)): 0.8})
        found.append(measure.distance(m, certain))
    m = MassFunction.from_dict(frame, {**base, frame: 0.9})
    found.append(measure.distance(m, certain))
    assert found == pytest.approx(printed, abs=1e-4)
    assert found[4] == pytest.approx(0.13228756555322954, abs=1e-12)


def test_oracle_jiang_and_ibelief():
    """Jiang 2017, Table 1; cran/ibelief 1.3.1, man/DST.Rd."""
    third = [Fraction(1, 3)] * 3
    m3 = MassFunction(Frame(range(1, 7)), [1, 2, 4], third)
    m4 = MassFunction(Frame(range(1, 7)), [8, 16, 32], third)
    assert measure.distance(m3, m4) == pytest.approx(0.5773502691896257, abs=1e-12)
    m1 = MassFunction(Frame(list("abc")), [1, 2, 3, 4, 7], [0.4, 0.1, 0.2, 0.2, 0.1])
    m2 = MassFunction(m1.frame, [1, 2, 3, 4, 6, 7], [0.2, 0.3, 0.1, 0.1, 0.2, 0.1])
    assert measure.distance(m1, m2) == pytest.approx(0.27080128015453203, abs=1e-12)


def test_hausdorff_tells_near_sets_from_far_ones():
    frame = Frame([1, 2, 10])
    one, two, ten = (MassFunction.from_dict(frame, {k: 1}) for k in frame)
    assert measure.distance(one, two) == measure.distance(one, ten) == 1
    near, far = (hausdorff(one, other, list(frame)) for other in (two, ten))
    assert near == pytest.approx(sqrt(1 / 2))
    assert far == pytest.approx(sqrt(9 / 10))
    assert hausdorff(one, two, scale=1e9) == pytest.approx(1, abs=1e-8)


def test_hausdorff_refuses_an_imaginary_distance():
    """Sets with gaps: the similarities of all subsets of four points are indefinite."""
    frame = Frame(range(4))
    sets = np.arange(1, 16)
    gaps = naive_similarity(frame, 0.1)
    center = np.eye(15) - 1 / 15
    direction = np.linalg.eigh(center @ gaps @ center)[1][:, 0]
    rise, fall = np.maximum(direction, 0), np.maximum(-direction, 0)
    m1, m2 = (MassFunction(frame, sets, part / part.sum()) for part in (rise, fall))
    with pytest.raises(DSTheoryError, match="a squared distance is -"):
        hausdorff(m1, m2, scale=0.1)


def naive_similarity(frame, scale):
    """Matrix of 1 / (1 + scale H) over all non-empty sets in the order of their masks."""
    events = [frame.event(mask) for mask in range(1, frame.full + 1)]

    def far(a, b):
        return max(min(abs(x - y) for y in b) for x in a)

    return np.array([[1 / (1 + scale * max(far(a, b), far(b, a))) for b in events] for a in events])


def test_the_empty_set_is_like_itself_only():
    frame = Frame(["a", "b"])
    empty, full = MassFunction(frame, [0], [1.0]), MassFunction(frame, [3], [1.0])
    for distance in (measure.distance, hausdorff):
        assert distance(empty, full) == 1
        assert distance(empty, empty) == 0


def test_small_differences_are_kept():
    frame = Frame(["a", "b"])
    m1 = MassFunction(frame, [1, 2], [0.5, 0.5])
    m2 = MassFunction(frame, [1, 2], [0.5 + 1e-10, 0.5 - 1e-10])
    assert bhattacharyya(m1, m2) == pytest.approx(1e-10 / sqrt(2), rel=1e-5)
    assert measure.distance(m1, m2) == pytest.approx(1e-10, rel=1e-5)


@each("distance", DISTANCES)
def test_batches_broadcast_and_bad_input_is_named(distance):
    frame = Frame(["a", "b", "c"])
    rng = np.random.default_rng(0)
    m1 = MassFunction(frame, range(1, 8), rng.dirichlet(np.ones(7), size=(4, 1)))
    m2 = MassFunction(frame, [1, 2, 7], rng.dirichlet(np.ones(3), size=3))
    values = distance(m1, m2)
    rows = np.array([[distance(m1[i, 0], m2[j]) for j in range(3)] for i in range(4)])
    assert values == pytest.approx(rows, abs=1e-12)
    assert type(distance(m1[0, 0], m2[0])) is float
    with pytest.raises(FrameError, match="frames differ"):
        distance(m1, MassFunction(Frame(["a", "b"]), [3], [1.0]))
    with pytest.raises(TypeError, match=r"argument 2 is .*, expected a MassFunction"):
        distance(m1, {"a": 1})
    with pytest.raises(ValueError, match="broadcast"):
        distance(m2, MassFunction(frame, [7], np.ones((2, 1))))


def test_options_are_checked():
    m = MassFunction(Frame(["a", "b"]), [3], [1.0])
    with pytest.raises(ValueError, match="table is 'w'"):
        table_distance(m, m, "w")
    with pytest.raises(ValueError, match="p is 0"):
        table_distance(m, m, p=0)
    with pytest.raises(ValueError, match=r"positions have shape \(3,\), expected \(2,\)"):
        hausdorff(m, m, [1, 2, 3])
    with pytest.raises(ValueError, match="position 1 is not finite"):
        hausdorff(m, m, [1, np.inf])
    for scale in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="scale is"):
            hausdorff(m, m, scale=scale)


def test_distances_on_large_frames():
    frame = Frame(range(100))
    m1 = MassFunction.from_dict(frame, {99: 0.5, frame: 0.5})
    m2 = MassFunction.from_dict(frame, {99: 1.0})
    assert measure.distance(m1, m2) == pytest.approx(0.5 * sqrt(1 - 0.01))
    assert table_distance(m1, m2, p=1) == 1


def test_options_of_another_kind_are_refused():
    m1, m2 = (MassFunction(Frame(list("ab")), [mask, 3], [0.5, 0.5]) for mask in (1, 2))
    assert measure.distance(m1, m2, "pl", p=1) == table_distance(m1, m2, "pl", 1)
    assert measure.distance(m1, m2, "hausdorff", scale=3) == hausdorff(m1, m2, scale=3)
    with pytest.raises(ValueError, match="p belongs to the kinds m, bel, pl, q, b, not to 'te"):
        measure.distance(m1, m2, "tessem", p=1)
    with pytest.raises(ValueError, match="positions and scale belong to the kind 'hausdorff'"):
        measure.distance(m1, m2, positions=[0, 2])
    with pytest.raises(ValueError, match="kind is 'euclid', expected one of 'jousselme'"):
        measure.distance(m1, m2, "euclid")
