"""Evidential labels: what a probability over classes, of some reliability, says of a sample.

An annotator or a classifier gives probabilities; learning and combination want mass
functions (Denoeux & Zouhal 2001, Handling possibilistic labels in pattern classification
using evidential reasoning, Fuzzy Sets and Systems 122, 409-424; Come et al. 2009, Learning
from partially supervised data using mixture models and belief functions, Pattern
Recognition 42, 334-348).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory import _checks
from dstheory.construct._arguments import check_share
from dstheory.construct._bayesian import bayesian
from dstheory.construct._consonant import consonant, isopignistic
from dstheory.errors import DSTheoryError, MassError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction

__all__ = ["evidential_labels"]

LabelModel = Literal["bayesian", "inverse_pignistic", "contour"]


def evidential_labels(
    frame: Frame,
    probabilities: Any,
    *,
    model: LabelModel = "inverse_pignistic",
    reliability: Any = 1.0,
) -> MassFunction:
    """Mass functions over classes from probabilities over classes.

    Parameters
    ----------
    frame : Frame
        K classes.
    probabilities : (*batch, K) array
        Rows sum to 1.
    model : {"bayesian", "inverse_pignistic", "contour"}
        Take the probabilities as they are; as the pignistic probability of the least
        committed mass function; or, divided by their maximum, as plausibilities.
    reliability : number or array
        Share of the mass that is kept, between 0 and 1, for all rows or for each; the rest
        goes to the frame.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9, a
        reliability does not lie between 0 and 1, or shapes do not fit.
    DSTheoryError
        If `model` is unknown.
    TypeError
        If `frame` is no Frame, or a number is none.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 11 (discounting); Dubois, Prade &
    Smets (2008), A definition of subjective possibility.

    Examples
    --------
    >>> frame = Frame(["cat", "dog"])
    >>> evidential_labels(frame, [0.75, 0.25], model="bayesian", reliability=0.5).to_dict()
    {('cat',): 0.375, ('dog',): 0.125, ('cat', 'dog'): 0.5}
    >>> evidential_labels(frame, [0.75, 0.25]).to_dict()
    {('cat',): 0.5, ('cat', 'dog'): 0.5}
    """
    sure = bayesian(frame, probabilities)
    rows = sure.masses
    if model == "inverse_pignistic":
        sure = isopignistic(frame, rows)
    elif model == "contour":
        sure = consonant(frame, rows / rows.max(axis=-1, keepdims=True))
    elif model != "bayesian":
        raise DSTheoryError(f"model is 'bayesian', 'inverse_pignistic' or 'contour', not {model!r}")
    return _discounted(sure, _checks.as_masses(reliability))


def _discounted(m: MassFunction, rate: NDArray[Any]) -> MassFunction:
    check_share(rate, "reliability")
    if rate.ndim > len(m.batch_shape) or not _fits(rate.shape, m.batch_shape):
        raise MassError(f"reliability has shape {rate.shape}, the batch {m.batch_shape}")
    if np.asarray(rate == 1, dtype=bool).all():
        return m
    focal, store = m.focal, m.store
    if focal[-1] != m.frame.full:
        focal = bits.mask_array([*focal, m.frame.full], len(m.frame))
        store = np.concatenate([store, np.zeros_like(store[:1])])
    kept = np.asarray(store * rate)
    kept[-1] += 1 - rate
    return MassFunction.from_store(m.frame, focal, kept)


def _fits(shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    tail = batch[len(batch) - len(shape) :]
    return all(one in (1, two) for one, two in zip(shape, tail, strict=True))
