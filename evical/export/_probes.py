"""Where a prediction is looked at before it is compiled, and where it jumps.

A calibrator names its landmarks: the scores at which it may jump or bend, or around which it
changes. Probes lie at them, between them, and at all orders of magnitude. Where two neighboring
probes differ, halving the floats between them ends at a jump or shows that there is none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from evical._typing import Floats
from evical.export._floats import first_floats, midpoint_floats, next_float, previous_float

__all__ = ["domain", "find_jumps", "landmarks", "probes"]

Function = Callable[[Floats], Floats]

_GREATEST = float(np.finfo(np.float64).max)
_BETWEEN = 6  # probes between two landmarks
_SAME = 1e-12  # predictions that differ by less are left to the polynomials
_ROUNDS = 8  # of looking for jumps; each finds one between any two probes


def domain(calibrator: Any) -> tuple[float, float]:
    """Least and greatest score that a calibrator takes."""
    return (0.0, 1.0) if calibrator._takes_probabilities else (-_GREATEST, _GREATEST)


def landmarks(calibrator: Any) -> Floats:
    """Landmarks of a fitted calibrator, as scores before they are read, with both sides of each."""
    low, high = domain(calibrator)
    scale, read = calibrator._scale, np.unique(calibrator._landmarks())
    if scale.kind != "identity" or len(scale.ends):
        read = first_floats(scale, read, low, high)
    own = np.concatenate([read, scale.turns, [0.0]])
    found = np.unique(np.concatenate([own, next_float(own)]))
    return found[(found > low) & (found <= high)]


def probes(marks: Floats, low: float, high: float) -> Floats:
    """Ascending scores at which to look, the landmarks and the floats before them included."""
    share = np.arange(1, _BETWEEN + 1) / (_BETWEEN + 1)
    gaps = marks[:-1, None] * (1 - share) + marks[1:, None] * share
    powers = 10.0 ** np.arange(-310, 308, 0.25)
    unit = max(float(marks[-1] / 2 - marks[0] / 2), float(np.abs(marks).max()) * 1e-12, 1e-300)
    with np.errstate(over="ignore"):
        far = unit * 2.0 ** np.arange(-30, 31)
        around = np.concatenate([marks[0] - far, marks[-1] + far])
    ends = np.array([low, high])
    parts = [marks, previous_float(marks), gaps.ravel(), powers, -powers, around, ends]
    found: Floats = np.unique(np.concatenate(parts))
    return found[(found >= low) & (found <= high)]


def find_jumps(function: Function, at: Floats) -> Floats:
    """First floats past the jumps between ascending scores."""
    found = np.empty(0)
    for _ in range(_ROUNDS):
        points = np.unique(np.concatenate([at, found, previous_float(found)]))
        new = np.setdiff1d(_one_round(function, points), found)
        if not len(new):
            break
        found = np.union1d(found, new)
    return found


def _one_round(function: Function, at: Floats) -> Floats:
    values = function(at)
    low, high, left, right = at[:-1], at[1:], values[:, :-1], values[:, 1:]
    jumps = []
    while True:
        apart = np.abs(right - left).max(axis=0) > _SAME
        done = next_float(low) >= high
        jumps.append(high[apart & done])
        kept = apart & ~done
        low, high, left, right = low[kept], high[kept], left[:, kept], right[:, kept]
        if not len(low):
            break
        middle = midpoint_floats(low, high)
        value = function(middle)
        lower = np.abs(value - left).max(axis=0) > np.abs(right - value).max(axis=0)
        high, right = np.where(lower, middle, high), np.where(lower, value, right)
        low, left = np.where(lower, low, middle), np.where(lower, left, value)
    return np.concatenate(jumps)
