"""Samples for tests of metrics: dyadic probabilities, so that sums of floats are exact."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

SIXTEENTHS = [Fraction(k, 16) for k in range(17)]


def binary(min_size=1, max_size=12):
    """Lists of (outcome, probability, weight)."""
    one = st.tuples(st.integers(0, 1), st.sampled_from(SIXTEENTHS), st.integers(1, 3))
    return st.lists(one, min_size=min_size, max_size=max_size)


@st.composite
def classes(draw, n_classes=3, max_size=10):
    """Lists of (class, probabilities, weight)."""
    cuts = st.lists(st.integers(0, 16), min_size=n_classes - 1, max_size=n_classes - 1)
    samples = []
    for _ in range(draw(st.integers(1, max_size))):
        ends = [0, *sorted(draw(cuts)), 16]
        ps = [Fraction(b - a, 16) for a, b in pairwise(ends)]
        samples.append((draw(st.integers(0, n_classes - 1)), ps, draw(st.integers(1, 3))))
    return samples


def unweighted(samples):
    return [(y, p, 1) for y, p, _ in samples]


def arrays(samples):
    """Outcomes, probabilities and weights, as metrics take them."""
    y, p, w = zip(*samples, strict=True)
    return np.array(y), np.array(p, dtype=np.float64), np.array(w, dtype=np.float64)


def repeated(samples):
    """Each sample as often as its weight says."""
    return [(y, p, 1) for y, p, w in samples for _ in range(w)]


def calibrated(n, rng, n_sets=None):
    """Predictions, and outcomes drawn by them."""
    shape = n if n_sets is None else (n_sets, n)
    p = rng.beta(1, 2, shape)
    return (rng.random(shape) < p).astype(int), p
