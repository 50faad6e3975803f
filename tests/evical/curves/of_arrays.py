"""Fits of arrays in any order, by what calibrators fit to counts."""

from dataclasses import dataclass

import numpy as np

from evical._typing import Floats
from evical.curves.density import GaussianSums, WindowSums
from evical.curves.logistic_profile import profile_of_counts
from evical.curves.near_isotonic_blocks import block_slopes, joins_of, power_of_two
from evical.curves.platt import platt_of_counts
from evical.curves.quadratic import quadratic_of_counts
from evical.curves.trend_filtering import _fits, _problem, trend_filter_path
from evical.scores.counts import checked_counts
from evical.scores.scale import interpolated

__all__ = [
    "fit_platt",
    "fit_profile",
    "fit_quadratic",
    "fits_of",
    "kernel_sums",
    "near_isotonic_path",
    "path_of",
    "trend_filter",
]


def fit_platt(scores, negative, positive):
    return platt_of_counts(checked_counts(scores, negative, positive))


def fit_quadratic(scores, negative, positive, smooth=True):
    return quadratic_of_counts(checked_counts(scores, negative, positive), smooth)


def fit_profile(scores, negative, positive, fit):
    return profile_of_counts(checked_counts(scores, negative, positive), fit)


def kernel_sums(queries, scores, bandwidth, kernel="gaussian", weights=None):
    values, at = (np.asarray(part, dtype=np.float64) for part in (scores, queries))
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    if kernel == "gaussian":
        return GaussianSums(values[order], weights[order], bandwidth)(at)
    return WindowSums.of(values[order], weights[order], bandwidth, kernel)(at)


@dataclass(frozen=True, eq=False)
class NearIsotonicPath:
    """Near-isotonic fits for all lambda, by the lambdas at which neighbors join."""

    values: Floats
    weights: Floats
    joins: Floats

    @property
    def lambdas(self):
        """Breakpoints, ascending from 0."""
        return np.unique(np.append(self.joins[np.isfinite(self.joins)], 0.0))

    def starts(self, lam):
        """Starts of the blocks of equal values."""
        apart = (self.joins > lam) | np.isinf(self.joins)
        return np.append(0, np.flatnonzero(apart) + 1)

    def at(self, lam):
        """The fit at one lambda."""
        starts = self.starts(lam)
        if lam == 0:
            return self.values.copy()
        # Deviations from one value of each block, whose rounding does not grow with the values.
        sizes = np.diff(starts, append=len(self.values))
        first = self.values[starts]
        total = np.add.reduceat(self.weights, starts)
        excess = np.add.reduceat(self.weights * (self.values - np.repeat(first, sizes)), starts)
        slopes = block_slopes(self.values[starts[1:] - 1] > self.values[starts[1:]])
        # No block moves beyond the last breakpoint, where lambda may be infinite.
        last = self.joins[np.isfinite(self.joins)].max(initial=0)
        moved = slopes * min(lam, float(last))
        return np.repeat(first + (excess + moved) / total, sizes)


def near_isotonic_path(values, weights=None):
    y = np.array(values, dtype=np.float64)
    w = np.ones(len(y)) if weights is None else np.array(weights, dtype=np.float64)
    unit_y, unit_w = power_of_two(float(np.abs(y).max())), power_of_two(float(w.max()))
    scaled, heavy = y / unit_y, w / unit_w
    joins, _ = joins_of((scaled - scaled.min()) * heavy, heavy)
    return NearIsotonicPath(y, w, joins * unit_y * unit_w)


def _points(x, y, weights):
    x, y = (np.array(part, dtype=np.float64) for part in (x, y))
    return x, y, np.ones(len(x)) if weights is None else np.array(weights, dtype=np.float64)


def path_of(x, y, weights=None, **options):
    return trend_filter_path(*_points(x, y, weights), **options)


def trend_filter(x, y, lam, weights=None, rtol=1e-10):
    x, *rest = _points(x, y, weights)
    problem = _problem(x, *rest)
    if lam == 0 and len(problem.points.x) > 1:
        return interpolated(x, problem.distinct, problem.points.y + problem.base)
    (knots,), (values,) = _fits(problem, [lam * problem.unit], rtol)
    return interpolated(x, knots, values)


def fits_of(path, x=None):
    """Each fit of a path at points, by default its own."""
    at = path.x if x is None else np.array(x, dtype=np.float64)
    return np.stack([interpolated(at, *one) for one in zip(path.knots, path.values, strict=True)])
