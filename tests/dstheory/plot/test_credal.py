"""Corners of credal sets equal the definition, and every bound is reached at one of them."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from dstheory import Frame, MassError, MassFunction, betp, vacuous
from dstheory.plot import credal_vertices
from dstheory.testing import frames, masses
from tests.naive import transform as naive_transform


@given(frames(max_size=4).flatmap(masses))
def test_corners_are_those_of_the_definition(m):
    labels = list(m.frame)
    dense = {frozenset(event): mass for event, mass in m.to_dict().items()}
    points = naive_transform.vertices(dense, labels)
    expected = [[point[w] for w in labels] for point in points]
    assert credal_vertices(m).tolist() == expected


@given(frames(max_size=4).flatmap(masses))
def test_corners_reach_belief_and_plausibility_of_every_event(m):
    """Dempster 1967: lower and upper probabilities are minima and maxima."""
    points = credal_vertices(m)
    for mask in range(m.frame.full + 1):
        inside = [i for i in range(len(m.frame)) if mask >> i & 1]
        probabilities = points[:, inside].sum(axis=1)
        assert min(probabilities) == m.bel(mask=mask)
        assert max(probabilities) == m.pl(mask=mask)
    # Shapley 1971: the pignistic probability is their center of gravity
    assert (points.sum(axis=0) / len(points) == betp(m)).all()


def test_no_point_of_the_half_spaces_lies_beyond_the_corners():
    """In any direction a linear program over P(A) >= Bel(A) ends at the same value."""
    rng = np.random.default_rng(3)
    for size in (3, 4):
        frame = Frame(range(size))
        for n_focal in (1, 3, 2**size - 1):
            focal = rng.choice(frame.full, n_focal, replace=False) + 1
            m = MassFunction(frame, focal, rng.dirichlet(np.ones(n_focal)))
            events = np.arange(1, frame.full + 1)
            rows = (events[:, np.newaxis] >> np.arange(size)) & 1
            bel = np.array([m.bel(mask=int(mask)) for mask in events])
            for direction in rng.normal(size=(5, size)):
                best = linprog(direction, -rows, -bel, np.ones((1, size)), [1])
                found = (credal_vertices(m) @ direction).min()
                assert best.fun == pytest.approx(found, abs=1e-9)


def test_batches():
    rng = np.random.default_rng(0)
    batch = MassFunction(Frame("abc"[i] for i in range(3)), range(1, 8), rng.dirichlet([1] * 7, 6))
    together = credal_vertices(batch.reshape(2, 3))
    assert together.shape == (2, 3, 6, 3)
    for row, m in enumerate(batch):
        np.testing.assert_allclose(together.reshape(6, 6, 3)[row], credal_vertices(m))


def test_a_probability_is_a_point_and_ignorance_everything():
    frame = Frame(range(3))
    p = MassFunction(frame, [1, 2, 4], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    assert {tuple(point) for point in credal_vertices(p)} == {tuple(betp(p))}
    corners = {tuple(point) for point in credal_vertices(vacuous(frame)).tolist()}
    assert corners == set(permutations([0, 0, 1]))


def test_refusals():
    batch = MassFunction(Frame([0, 1]), [0, 3], [[0, 1], [0.25, 0.75]])
    with pytest.raises(MassError, match=r"m\(empty\) is 0.25 in row 1, .* use m.normalize\(\)"):
        credal_vertices(batch)
    with pytest.raises(MassError, match=r"m\(empty\) is 0.25, "):
        credal_vertices(batch[1])
    with pytest.raises(ValueError, match=r"frame has 8 labels.*coarsen it to at most 7"):
        credal_vertices(vacuous(Frame(range(8))))
    with pytest.raises(TypeError, match=r"m is \d+, expected a MassFunction"):
        credal_vertices(3)
