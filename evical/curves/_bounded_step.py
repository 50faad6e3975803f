"""Newton steps under bounds, solved exactly: at most two coordinates, many problems at once."""

import numpy as np

from evical._typing import Floats

__all__ = ["bounded_step"]


def bounded_step(
    gradient: Floats, hessian: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Step (k, q) within bounds that is best for the quadratic model, and what it gains (k,).

    With two coordinates the bounds are lower ones: the optimum is the free one or on an edge.
    """
    k, q = gradient.shape
    if q == 0:
        return gradient, np.zeros(k)
    # Lifted where saturation leaves nothing.
    diagonal = np.maximum(hessian[:, range(q), range(q)] * (1.0 + 1e-13), 1e-100)
    if q == 1:
        step = np.clip(-gradient / diagonal, low, high)
        return step, -_model(step, gradient, hessian)
    cross = hessian[:, 0, 1]
    scale = np.sqrt(diagonal)
    g0, g1 = (gradient / scale).T
    r = cross / (scale[:, 0] * scale[:, 1])
    rest = np.maximum(1.0 - r * r, 1e-13)
    step = np.stack([r * g1 - g0, r * g0 - g1], axis=1) / (rest[:, None] * scale)
    out = np.flatnonzero((step < low).any(axis=1))
    if len(out):
        bounds, slope, curved, sizes = low[out], gradient[out], hessian[out], diagonal[out]
        edges = []
        for fixed, free in ((0, 1), (1, 0)):
            edge = bounds.copy()
            best = -(slope[:, free] + curved[:, 0, 1] * bounds[:, fixed]) / sizes[:, free]
            edge[:, free] = np.maximum(best, bounds[:, free])
            edges.append(edge)
        first = _model(edges[0], slope, curved) <= _model(edges[1], slope, curved)
        step[out] = np.where(first[:, None], edges[0], edges[1])
    return step, np.maximum(-_model(step, gradient, hessian), 0.0)


def _model(step: Floats, gradient: Floats, hessian: Floats) -> Floats:
    """Change of the quadratic model, one coordinate or two."""
    if step.shape[1] == 1:
        return np.asarray(step[:, 0] * (gradient[:, 0] + 0.5 * hessian[:, 0, 0] * step[:, 0]))
    s, t = step.T
    squares = hessian[:, 0, 0] * s * s + hessian[:, 1, 1] * t * t
    return np.asarray(
        s * gradient[:, 0] + t * gradient[:, 1] + 0.5 * squares + hessian[:, 0, 1] * s * t
    )
