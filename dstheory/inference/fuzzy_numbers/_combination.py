"""The product-intersection rule for Gaussian random fuzzy numbers.

Memberships of independent sources multiply. The product of two Gaussian fuzzy numbers with modes
M1, M2 is a Gaussian fuzzy number of precision h1 + h2, times the height exp(-(M1 - M2)^2 / (2 g))
with g = 1 / h1 + 1 / h2. Soft normalization weights pairs of modes by their height; hard
normalization drops the height.

Source: T. Denoeux, Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
sets: general framework and practical models, Fuzzy Sets and Systems 453, 2023, 1-36.
"""

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.checks.arguments import check_choice, check_instance
from dstheory.errors import TotalConflictError
from dstheory.inference.fuzzy_numbers._grfn import GRFN
from dstheory.kernels.batches import scalar
from dstheory.kernels.rows import in_row


def product_intersection(
    first: GRFN, second: GRFN, *more: GRFN, normalization: str = "soft"
) -> GRFN:
    """Combine independent Gaussian random fuzzy numbers by the product-intersection rule.

    Parameters
    ----------
    first, second, *more : GRFN
        Independent pieces of evidence; batch shapes broadcast.
    normalization : str
        `"soft"`: modes that disagree count less; for probability distributions this is Dempster's
        rule. `"hard"`: disagreement is ignored.

    Returns
    -------
    GRFN

    Raises
    ------
    TotalConflictError
        If two sources are certain of different values (sigma2 = 0, h = inf) in a row; with hard
        normalization, if both have h = inf.
    ValueError
        If the normalization is unknown, or batch shapes do not broadcast.
    TypeError
        If a source is no GRFN.

    See Also
    --------
    product_intersection_conflict : how much the sources disagree.

    Notes
    -----
    Both rules are commutative and associative, and a vacuous number (h = 0) is neutral. If h = inf
    in both, soft normalization gives the limit, the normalized product of densities.

    References
    ----------
    .. [1] Denoeux, "Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
       sets: general framework and practical models", Fuzzy Sets and Systems 453, 2023, 1-36.

    Examples
    --------
    >>> product_intersection(GRFN(0, 0, 1), GRFN(4, 0, 3))
    GRFN(mu=3, sigma2=0, h=4)
    >>> product_intersection(GRFN(0, 1, np.inf), GRFN(4, 1, np.inf))
    GRFN(mu=2, sigma2=0.5, h=inf)
    """
    check_choice("normalization", normalization, ("soft", "hard"))
    rule = _soft if normalization == "soft" else _hard
    return reduce(rule, _checked(first, second, *more))


def product_intersection_conflict(first: GRFN, second: GRFN, *more: GRFN) -> Any:
    """Degree of conflict: one minus the mean height of the product of the memberships.

    Parameters
    ----------
    first, second, *more : GRFN
        Independent pieces of evidence; batch shapes broadcast.

    Returns
    -------
    float or ndarray
        In [0, 1]; 1 if two sources are probability distributions (h = inf), as for any densities.

    Raises
    ------
    TotalConflictError
        As `product_intersection`, if there are more than two sources.
    ValueError
        If batch shapes do not broadcast.
    TypeError
        If a source is no GRFN.

    References
    ----------
    .. [1] Denoeux, "Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
       sets: general framework and practical models", Fuzzy Sets and Systems 453, 2023, 1-36.

    Examples
    --------
    >>> product_intersection_conflict(GRFN(0, 1, 2), GRFN(0, 2, 2))
    0.5
    """
    numbers = _checked(first, second, *more)
    height: Any = 1.0
    joint = numbers[0]
    for i, number in enumerate(numbers[1:], start=2):
        height = height * _height(joint, number)
        joint = _soft(joint, number) if i < len(numbers) else joint
    return scalar(1 - np.asarray(height))


def _soft(one: GRFN, two: GRFN) -> GRFN:
    """Modes conditioned on agreement up to N(0, g), then averaged with weights h1, h2."""
    g, spread = _gap(one, two), one.sigma2 + two.sigma2
    _refuse_certain(one, two, (g + spread == 0) & (one.mu != two.mu))
    free = np.isinf(g) | (g + spread == 0)  # neither says anything about the other
    total = np.where(free, 1.0, g + spread)
    gain1, gain2 = (np.where(free, 0.0, number.sigma2 / total) for number in (one, two))
    apart = two.mu - one.mu
    mu1, mu2 = one.mu + gain1 * apart, two.mu - gain2 * apart
    # sigma1^2 (g + sigma2^2) / (g + sigma1^2 + sigma2^2), without a difference.
    finite_g = np.where(free, 0.0, g)
    variance1 = np.where(free, one.sigma2, gain1 * (finite_g + two.sigma2))
    variance2 = np.where(free, two.sigma2, gain2 * (finite_g + one.sigma2))
    covariance = gain1 * two.sigma2
    w1, w2 = _share(one.h, two.h), _share(two.h, one.h)
    variance = w1**2 * variance1 + w2**2 * variance2 + 2 * w1 * w2 * covariance
    return GRFN(w1 * mu1 + w2 * mu2, variance, one.h + two.h)


def _hard(one: GRFN, two: GRFN) -> GRFN:
    _refuse_certain(one, two, np.isinf(one.h) & np.isinf(two.h))
    w1, w2 = _share(one.h, two.h), _share(two.h, one.h)
    mu = w1 * one.mu + w2 * two.mu
    return GRFN(mu, w1**2 * one.sigma2 + w2**2 * two.sigma2, one.h + two.h)


def _height(one: GRFN, two: GRFN) -> Floats:
    """Mean of exp(-(M1 - M2)^2 / (2 g)); 1 where g is infinite."""
    g = _gap(one, two)
    total = g + one.sigma2 + two.sigma2
    apart = one.mu - two.mu
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # g infinite or total 0
        height = np.sqrt(g / total) * np.exp(-(apart**2) / (2 * total))
    height = np.where(total == 0, apart == 0, height)
    return np.asarray(np.where(np.isinf(g), 1.0, height))


def _gap(one: GRFN, two: GRFN) -> Floats:
    """1 / h1 + 1 / h2, the variance of the difference of modes due to fuzziness."""
    with np.errstate(divide="ignore", over="ignore"):  # infinite for h = 0
        return np.asarray(1 / one.h + 1 / two.h)


def _share(h: Floats, other: Floats) -> Floats:
    """The weight h / (h + other) of a mode; half where that is 0 / 0 or inf / inf."""
    with np.errstate(invalid="ignore"):  # inf / inf, settled below
        share = np.where(np.isinf(h), 1.0, h / np.where(h == other, 1.0, h + other))
    return np.asarray(np.where(h == other, 0.5, share))


def _refuse_certain(one: GRFN, two: GRFN, wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        place = np.argwhere(wrong)[0]
        a, b = (np.broadcast_to(number.mu, wrong.shape)[tuple(place)] for number in (one, two))
        raise TotalConflictError(
            f"total conflict{in_row(place)}: infinitely precise numbers about {a:g} and "
            f"{b:g} have no joint fuzzy number; give a finite h"
        )


def _checked(*numbers: GRFN) -> tuple[GRFN, ...]:
    for place, number in enumerate(numbers):
        check_instance(f"source {place}", number, GRFN, "a GRFN")
    shapes = [number.batch_shape for number in numbers]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"batch shapes {shapes} do not broadcast") from None
    return numbers
