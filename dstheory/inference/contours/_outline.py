"""Boundary of a level set of a contour in the plane, and its largest value on the edge of a box.

Rays from the mode meet the boundary. They are evenly spread after the numerical Hessian at the mode
has made an oblique ridge round.
"""

from collections.abc import Callable

import numpy as np

from dstheory.inference.contours.levels import crossing, radius
from dstheory.inference.contours.maximum import Floats, Line, maximize_rows

__all__ = ["edge_maximum", "outline"]

Function = Callable[..., Floats]
Space = tuple[tuple[float, float], ...]


def outline(
    log_contour: Function,
    bounds: Space,
    mode: tuple[float, ...],
    scale: tuple[float, ...],
    r: float,
    n_points: int,
) -> tuple[Floats, Floats]:
    """Boundary points, counterclockwise, of the set where the plausibility is exp(-r**2 / 2).

    >>> x, y = outline(lambda x, y: -(x**2 + y**2) / 2, ((-9, 9), (-9, 9)), (0, 0), (1, 1), 2, 4)
    >>> x.round(6), y.round(6)
    (array([ 2.,  0., -2., -0.]), array([ 0.,  2.,  0., -2.]))
    """
    angle = 2 * np.pi * np.arange(n_points) / n_points
    rays = _rounding(log_contour, mode, scale) @ np.stack([np.cos(angle), np.sin(angle)])
    center = np.array(mode)[:, None]

    def along(t: Floats) -> Floats:
        x, y = _moved(center, t, rays)
        # Rounding can move the end of a ray out of the space.
        return radius(log_contour(np.clip(x, *bounds[0]), np.clip(y, *bounds[1])))

    zero = np.zeros(n_points)
    end = _ray_ends(bounds, center, rays)
    t = crossing(along, zero, end, zero + 1.0, zero + r)
    x, y = _moved(center, t, rays)
    return np.clip(x, *bounds[0]), np.clip(y, *bounds[1])


def _moved(center: Floats, t: Floats, rays: Floats) -> Floats:
    """Points at `t` along the rays; a ray along an axis stays on it, even at infinity."""
    with np.errstate(invalid="ignore"):  # infinity times 0 is replaced
        return np.asarray(center + np.where(rays == 0, 0.0, t * rays))


def _rounding(log_contour: Function, mode: tuple[float, ...], scale: tuple[float, ...]) -> Floats:
    """Matrix that maps a circle to the ellipse of the normal approximation."""
    step = 0.1 * np.array(scale)
    i, j = (g.ravel() for g in np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], indexing="ij"))
    f = log_contour(mode[0] + step[0] * i, mode[1] + step[1] * j).reshape(3, 3)
    with np.errstate(invalid="ignore"):
        a, c = f[2, 1] - 2 * f[1, 1] + f[0, 1], f[1, 2] - 2 * f[1, 1] + f[1, 0]
        b = (f[2, 2] - f[2, 0] - f[0, 2] + f[0, 0]) / 4
    information = -np.array([[a, b], [b, c]]) / 0.01
    proper = np.isfinite(information).all() and a < 0 and np.linalg.det(information) > 0
    if not proper:  # a mode on a bound, or a likelihood that is not smooth
        return np.asarray(np.diag(scale), dtype=np.float64)
    return np.asarray(np.diag(scale) @ np.linalg.cholesky(np.linalg.inv(information)))


def _ray_ends(bounds: Space, center: Floats, rays: Floats) -> Floats:
    low, high = np.array(bounds).T[:, :, None]
    # A ray parallel to an axis never meets its bounds.
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(rays > 0, (high - center) / rays, (low - center) / rays)
    ends = np.where(rays == 0, np.inf, ends)
    return np.asarray(np.maximum(ends.min(axis=0), 0.0))


def edge_maximum(
    log_contour: Function,
    box: list[tuple[float, float]],
    mode: tuple[float, ...],
    scale: tuple[float, ...],
) -> float:
    """Largest value on the four edges of a box, which may be unbounded.

    >>> edge_maximum(lambda x, y: -(x**2) - y**2, [(1, 2), (-1, 9)], (0, 0), (1, 1))
    -1.0
    """
    (a, b), (c, d) = box
    fixed = np.array([a, b, c, d])
    upright = np.array([True, True, False, False])  # edges of constant first coordinate
    low, high = np.where(upright, c, a), np.where(upright, d, b)
    kept = np.isfinite(fixed)
    if not kept.any():
        raise ValueError("the region has no edge; give a box with a finite end")
    fixed, upright, low, high = (x[kept] for x in (fixed, upright, low, high))

    def edges(t: Floats) -> Floats:
        still = np.broadcast_to(fixed[:, None], t.shape)
        return log_contour(
            np.where(upright[:, None], still, t), np.where(upright[:, None], t, still)
        )

    line = Line(
        low, high, np.where(upright, mode[1], mode[0]), np.where(upright, scale[1], scale[0])
    )
    return float(maximize_rows(edges, line)[1].max())
