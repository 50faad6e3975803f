"""Reliability of a source in each context, learned from labeled data.

The rates bring the contours of the corrected outputs as close as possible to the true labels. With
one context per label, the contour is linear in each rate separately, so bounded least squares has a
closed form.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass, indicators
from dstheory.checks.arguments import as_sequence, check_choice
from dstheory.errors import MassError
from dstheory.frame import same_frame
from dstheory.kernels.rounding import ROUNDING
from dstheory.mass import MassFunction
from dstheory.notebook import ShownFields

Contours = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class ContextualRates(ShownFields):
    """Learned rates for a correction.

    Attributes
    ----------
    rates : dict
        Maps contexts (tuples of labels) to rates, for ``contextual_discount(m, rates=...)`` and the
        other corrections.
    error : number
        E_pl, the remaining sum of squared differences between contours and true labels.

    Examples
    --------
    >>> ContextualRates({("ant",): 0.25}, 0.5).rates
    {('ant',): 0.25}
    """

    rates: dict[tuple[Any, ...], Any]
    error: Any


def learn_contextual_rates(
    m: MassFunction,
    labels: Iterable[Hashable] | MassFunction,
    correction: Literal["discount", "reinforce", "negate"] = "discount",
) -> ContextualRates:
    """Rates of a contextual correction that best fit a source to the true labels.

    Minimizes E_pl, the sum over rows i and labels x of (pl_i(x) - delta_i(x))^2, where pl_i
    is the corrected contour and delta_i(x) is 1 for the true label, else 0; for soft labels,
    delta_i is their contour.

    Parameters
    ----------
    m : MassFunction
        Batch (n,): outputs of the source for n objects. ``dstheory.stack`` makes one batch of
        several mass functions.
    labels : sequence of n labels, or MassFunction of batch (n,)
        The true label of each object, or belief about it (soft labels).
    correction : {"discount", "reinforce", "negate"}
        The correction to learn. Its contexts are the single labels for ``contextual_discount``, and
        their complements for ``contextual_reinforce`` and ``contextual_negate``.

    Returns
    -------
    ContextualRates
        The rate of each context, and E_pl. Rates that the data do not determine are 0. Exact for
        exact masses.

    Raises
    ------
    MassError
        If the batch is empty or has another length than `labels`.
    FrameError
        If a label is not in the frame, or soft labels are on another frame.
    TypeError
        If `m`, or a mass function as `labels`, is not a batch (n,).
    ValueError
        If `correction` is unknown.

    Notes
    -----
    With beta = 1 - rate of the context of x, the corrected plausibility of x is
    1 - beta (1 - pl(x)) for discounting, beta pl(x) for reinforcement and
    beta pl(x) + (1 - beta)(1 - pl(x)) for negation: one linear least-squares problem per label,
    with one unknown, clipped to [0, 1].

    References
    ----------
    Pichon, Mercier, Lefevre & Delmotte (2016), Proposition and learning of some belief
    function contextual correction mechanisms, International Journal of Approximate Reasoning
    72, eq. 47, 52 and 54; Mutmainah, Hachour, Pichon & Mercier (2019), On learning evidential
    contextual corrections from soft labels using a measure of discrepancy between contour
    functions, SUM 13.

    Examples
    --------
    The source missed one ant and recognized another, so a rate of 1/2 fits best for ants.

    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [[1, 0], [0, 1], [0, 1]])
    >>> learn_contextual_rates(m, ["ant", "ant", "bee"])
    ContextualRates(rates={('ant',): 0.5, ('bee',): 0.0}, error=1.5)
    """
    check_choice("correction", correction, _COEFFICIENTS)
    truth = _truth(m, labels)
    constant, slope = _COEFFICIENTS[correction](m.contour())
    slope = np.where(abs(slope) > (0 if slope.dtype == object else ROUNDING), slope, slope * 0)
    gap = truth - constant
    curvature = (slope * slope).sum(axis=0)
    known = np.asarray(curvature > 0, dtype=bool)
    best = np.where(known, (slope * gap).sum(axis=0) / np.where(known, curvature, 1), 1)
    beta = np.clip(best, 0, 1)
    residual = constant + beta * slope - truth
    contexts = (1 << i for i in range(len(m.frame)))
    full = 0 if correction == "discount" else m.frame.full
    events = [m.frame.event(full ^ context) for context in contexts]
    rates = dict(zip(events, np.asarray(1 - beta).tolist(), strict=True))
    return ContextualRates(rates, np.asarray((residual * residual).sum()).item())


def _truth(m: MassFunction, labels: Any) -> NDArray[Any]:
    """Indicator (n, K) of the true labels, or the contours of soft labels."""
    _check_batch(m)
    soft = isinstance(labels, MassFunction)
    if soft:
        same_frame(m.frame, _check_batch(labels).frame)
    if not soft:
        labels = as_sequence(labels, "labels", "one label per sample, or mass functions")
    count = len(labels)
    if count != len(m) or not count:
        raise MassError(f"there are {count} labels for {len(m)} mass functions")
    if soft:
        return np.asarray(labels.contour())
    return indicators(m.frame, labels)


def _check_batch(m: object) -> MassFunction:
    batch = check_mass(m)
    if len(batch.batch_shape) != 1:
        raise TypeError(f"expected a batch of shape (n,), not of shape {batch.batch_shape}")
    return batch


# The corrected contour is constant + beta * slope.
_COEFFICIENTS: dict[str, Callable[[NDArray[Any]], Contours]] = {
    "discount": lambda pl: (pl * 0 + 1, pl - 1),
    "reinforce": lambda pl: (pl * 0, pl),
    "negate": lambda pl: (1 - pl, 2 * pl - 1),
}
