"""Expectations over the level of a focal set, in a variable that makes the integrand smooth.

A level gamma is uniform on [0, 1], so r = sqrt(-2 log gamma) has a Rayleigh distribution. The ends
of the level sets of a regular likelihood are smooth in r, while they are square roots and
logarithms in gamma. So Gauss-Legendre panels in r converge fast; they are halved until nothing
changes.
"""

from collections.abc import Callable, Sequence

import numpy as np

from dstheory._typing import Floats
from dstheory.inference.contours.levels import RAYLEIGH_END

_ORDER = 12
_HALVINGS = 7


def panel_nodes(edges: Floats) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights of the panels between edges."""
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


def rayleigh_nodes(edges: Floats) -> tuple[Floats, Floats]:
    """Nodes and weights of an expectation over r, restricted to the panels between edges.

    >>> r, w = rayleigh_nodes(np.arange(10.0))
    >>> float(w.sum().round(12)), float((w * r**2).sum().round(12))
    (1.0, 2.0)
    """
    r, weights = panel_nodes(edges)
    return r, weights * r * np.exp(-(r**2) / 2)


def rayleigh_mean(
    f: Callable[[Floats], Floats],
    end: Floats | float = RAYLEIGH_END,
    breaks: Sequence[float] = (),
    atol: float = 1e-10,
) -> Floats:
    """Expectation of f(r), with f taken as 0 beyond an end.

    Parameters
    ----------
    f : callable
        Maps r, of shape (R,), or (*rows, R) if `end` is an array, to values (*rows, R).
    end : float or ndarray of shape rows
        Where f ends.
    breaks : sequence of float
        Where f may have kinks; only if `end` is a float.
    atol : float
        Panels are halved until no value changes by more.

    Returns
    -------
    ndarray of shape rows

    Examples
    --------
    >>> float(rayleigh_mean(lambda r: r**2).round(12))
    2.0
    """
    stop = np.asarray(end, dtype=np.float64)
    inner = [b for b in breaks if 0 < b < stop.max()] if not stop.ndim else []
    edges = np.unique(np.concatenate([np.linspace(0, float(stop.max()), 5), inner]))
    share = edges / edges[-1] if edges[-1] > 0 else np.array([0.0, 1.0])
    result = _once(f, share, stop)
    for _ in range(_HALVINGS):
        share = np.union1d(share, (share[1:] + share[:-1]) / 2)
        before, result = result, _once(f, share, stop)
        if np.all(np.abs(result - before) <= atol * np.maximum(1.0, np.abs(result))):
            break
    return result


def _once(f: Callable[[Floats], Floats], share: Floats, stop: Floats) -> Floats:
    s, w = panel_nodes(share)
    r = stop[..., None] * s if stop.ndim else stop * s
    weights = stop[..., None] * w * r * np.exp(-(r**2) / 2)
    return np.asarray((f(r) * weights).sum(axis=-1))
