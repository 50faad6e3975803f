"""Independent pieces of evidence on a parameter: contours multiply.

The product of the likelihoods of independent samples is their joint likelihood. In general, the
product of contours is the contour of the unnormalized conjunctive combination of independent
consonant belief functions. Its height measures agreement; dividing by it gives a contour again.

Source: G. Shafer, A mathematical theory of evidence, 1976, chapter 11; T. Denoeux, Likelihood-
based belief function: justification and some extensions to low-quality data, International
Journal of Approximate Reasoning 55, 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import shown
from dstheory.errors import TotalConflictError
from dstheory.inference.contours.checks import as_bounds
from dstheory.inference.contours.likelihood_contour import LikelihoodContour

Contour = LikelihoodContour | Callable[..., Any]
Space = tuple[tuple[float, float], ...]


def combine_contours(
    first: Contour,
    second: Contour,
    *more: Contour,
    bounds: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> tuple[LikelihoodContour, float]:
    """Combine independent pieces of evidence on one parameter, and measure their conflict.

    Parameters
    ----------
    first, second, *more : LikelihoodContour, or callable
        Contours on a parameter of one dimension: from a likelihood, from an expert, or any
        function of arrays (one for each dimension) with values in [0, 1].
    bounds : (low, high), or a pair of them, optional
        The parameter space. Default: where all contours are defined. Required if all sources are
        plain functions.
    scale : float or pair of float, optional
        As in `LikelihoodContour`.

    Returns
    -------
    contour : LikelihoodContour
        The product, divided by its supremum.
    conflict : float
        One minus that supremum, in [0, 1]: 0 if some value is fully plausible to all.

    Raises
    ------
    TotalConflictError
        If no value is possible for all sources.
    ValueError
        If dimensions differ, bounds are missing, the sources leave a single value, or a plain
        function returns values outside [0, 1].
    TypeError
        If a source is neither a contour nor a callable.

    See Also
    --------
    trapezoidal_contour, gaussian_contour : an expert's contour.

    Notes
    -----
    Up to a constant, the product is the contour of Dempster's rule; if the sources are samples, it
    is their joint likelihood. The result of Dempster's rule itself would not be consonant and would
    give other values to sets. The consonant belief function is used here, as the likelihood
    principle requires (Denoeux 2014). Combination is associative.

    References
    ----------
    .. [1] Shafer, "A mathematical theory of evidence", Princeton, 1976, chapter 11.
    .. [2] Denoeux, "Likelihood-based belief function: justification and some extensions to
       low-quality data", International Journal of Approximate Reasoning 55, 2014, 1535-1547.

    Examples
    --------
    Two successes in two trials have the likelihood u^2, and an expert's most plausible value is
    1/2. Above 1/2 the product is 2 (1 - u) u^2, with maximum 8/27 at 2/3.

    >>> from dstheory.inference import binomial_contour, trapezoidal_contour
    >>> expert = trapezoidal_contour(0, 0.5, 0.5, 1)
    >>> joint, conflict = combine_contours(binomial_contour(2, 2), expert)
    >>> round(joint.mode, 6), round(27 * (1 - conflict), 9)
    (0.666667, 8.0)
    """
    sources = (first, second, *more)
    for place, source in enumerate(sources):
        if not isinstance(source, LikelihoodContour) and not callable(source):
            raise TypeError(
                f"source {place} is {shown(source)}, expected a LikelihoodContour or a function"
            )
    logs = [_log_contour(place, source) for place, source in enumerate(sources)]

    def log_product(*theta: Floats) -> Floats:
        return np.asarray(sum(log(*theta) for log in logs), dtype=np.float64)

    space = _common_space(sources, bounds)
    _refuse_point(space, log_product)
    starts = [
        (float(peak), source.scale)
        for source in sources
        if isinstance(source, LikelihoodContour) and source.dimension == 1
        for peak in np.clip(source.peaks, *space[0])
    ]
    joint = LikelihoodContour._near(log_product, space, scale, starts)
    mode = np.atleast_1d(np.asarray(joint.mode, dtype=np.float64))
    height = float(log_product(*mode[:, np.newaxis])[0])
    return joint, 0.0 - float(np.expm1(min(height, 0.0)))  # never -0.0


def _log_contour(place: int, source: Contour) -> Callable[..., Any]:
    if isinstance(source, LikelihoodContour):
        return source.log_contour

    def log_contour(*theta: Floats) -> Floats:
        values = np.asarray(source(*theta), dtype=np.float64)
        wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if wrong.size:
            at = ", ".join(f"{np.ravel(x)[wrong[0]]:g}" for x in theta)
            raise ValueError(
                f"source {place} has the plausibility {values.ravel()[wrong[0]]:g} at {at}; "
                "expected a number in [0, 1]"
            )
        with np.errstate(divide="ignore"):  # impossible values
            return np.asarray(np.log(values))

    return log_contour


def _common_space(sources: tuple[Contour, ...], bounds: ArrayLike | None) -> Space:
    """The intersection of the parameter spaces, one pair per dimension."""
    spaces = [source.bounds for source in sources if isinstance(source, LikelihoodContour)]
    if bounds is not None:
        spaces.append(as_bounds(bounds))
    if not spaces:
        raise ValueError("no source defines the parameter space; give bounds")
    dimensions = [len(space) for space in spaces]
    if len(set(dimensions)) > 1:
        raise ValueError(f"parameters of dimensions {dimensions} cannot be combined; give one")
    ends = np.array(spaces)
    low, high = ends[..., 0].max(axis=0), ends[..., 1].min(axis=0)
    if (low > high).any():
        raise TotalConflictError(
            f"total conflict: the parameter spaces of the sources, {spaces}, do not meet"
        )
    return tuple(zip(low.tolist(), high.tolist(), strict=True))


def _refuse_point(space: Space, log_product: Callable[..., Floats]) -> None:
    """Refuse spaces that only touch: they leave one value, or none if a source excludes it."""
    if all(low < high for low, high in space):
        return
    corner = [np.array([low]) for low, _ in space]
    if len(space) == 1 and log_product(*corner)[0] == -np.inf:
        raise TotalConflictError(
            f"total conflict: the sources have only {space[0][0]:g} in common, "
            "which one of them excludes"
        )
    raise ValueError(f"the sources leave the space {space} without interior; widen one of them")
