"""Grids on which a contour function is evaluated, so that line segments show its shape."""

import numpy as np

from dstheory._typing import Floats, Numbers
from dstheory.checks.arguments import as_real, as_sequence
from dstheory.inference import LikelihoodContour

_N_GRID = 401  # finer than the pixels of a printed column
_FAINT = 1e-3  # a plausibility that cannot be told from 0 in a picture


def as_levels(levels: Numbers) -> list[float]:
    """Plausibilities of level sets, as numbers.

    >>> as_levels((1, 0.5))
    [1.0, 0.5]
    """
    listed = as_sequence(levels, "levels", "plausibilities such as (0.5, 0.1)")
    return [as_real("levels", level, "plausibilities such as (0.5, 0.1)") for level in listed]


def as_limits(limits: tuple[float, float]) -> tuple[float, float]:
    """Valid limits of an axis.

    >>> as_limits((0, 2))
    (0.0, 2.0)
    """
    given = as_sequence(limits, "limits", "two numbers, the lower one first")
    ends = [as_real("limits", end) for end in given]
    if len(ends) != 2 or not (np.isfinite(ends).all() and ends[0] < ends[1]):
        raise ValueError(f"limits are {limits}; give two finite numbers, the lower one first")
    return ends[0], ends[1]


def plausible_range(contour: LikelihoodContour, lowest: float) -> tuple[float, float]:
    """Interval outside which the contour of one parameter is practically 0.

    >>> contour = LikelihoodContour(lambda x: -(x**2), (-np.inf, np.inf))
    >>> [round(end, 6) for end in plausible_range(contour, np.exp(-9))]
    [-3.0, 3.0]
    """
    if not contour.is_unimodal:
        raise ValueError(f"the contour has peaks at {contour.peaks}; give limits")
    low, high = map(float, contour.level_set(min(lowest, _FAINT)))
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"the plausible range [{low:g}, {high:g}] is unbounded; give limits")
    return low, high


def contour_grid(contour: LikelihoodContour, low: float, high: float) -> Floats:
    """Ascending values from low to high: some equally spaced, others equally spaced in radius.

    The latter resolve a contour that is much narrower than the picture or close to a bound; the
    former resolve it far from the mode.
    """
    places = [np.linspace(low, high, _N_GRID), contour.peaks]
    if contour.is_unimodal:
        places.extend(contour.at_radius(np.linspace(0, 8, _N_GRID)))
    # On both sides of a bound, where the contour may jump to 0.
    bottom, top = contour.bounds[0]
    places.append(np.array([np.nextafter(bottom, -np.inf), bottom, top, np.nextafter(top, np.inf)]))
    grid = np.unique(np.concatenate(places))
    return grid[(grid >= low) & (grid <= high)]
