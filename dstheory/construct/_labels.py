"""Evidential labels: mass functions from probabilities over classes of some reliability.

Annotators and classifiers give probabilities; learning and combination need mass functions (Denoeux
& Zouhal 2001, Handling possibilistic labels in pattern classification using evidential reasoning,
Fuzzy Sets and Systems 122, 409-424; Come et al. 2009, Learning from partially supervised data using
mixture models and belief functions, Pattern Recognition 42, 334-348).
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from dstheory._masses import discounted
from dstheory._typing import Numbers
from dstheory.checks.arguments import check_choice, check_rows, common_shape
from dstheory.checks.naming import one_of
from dstheory.checks.shares import as_share, lost_and_kept
from dstheory.construct._elementary import bayesian
from dstheory.construct.chains import consonant, isopignistic
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.mass import MassFunction

LabelModel = Literal["bayesian", "inverse_pignistic", "contour"]


def evidential_labels(
    frame: Frame,
    probabilities: Numbers,
    *,
    model: LabelModel = "inverse_pignistic",
    rate: Numbers | None = None,
    reliability: Numbers | None = None,
) -> MassFunction:
    """Mass functions over classes from probabilities over classes.

    Parameters
    ----------
    frame : Frame
        K classes.
    probabilities : (*batch, K) array
        Rows sum to 1.
    model : {"bayesian", "inverse_pignistic", "contour"}
        Use the probabilities as masses of single classes; as the pignistic probability of the least
        committed mass function; or, divided by their maximum, as a contour.
    rate : number or array
        Share of the mass that goes to the frame, between 0 and 1, for all rows or for each.
    reliability : number or array
        Share that is kept, 1 - rate. Give at most one of the two; by default all is kept.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9, a
        rate or reliability does not lie between 0 and 1, or shapes do not fit.
    DSTheoryError
        If `model` is unknown.
    TypeError
        If `frame` is not a Frame, `model` is not a string, a number has the wrong type, or both
        `rate` and `reliability` are given.

    See Also
    --------
    dstheory.revise.discount : the same on any mass functions.

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
    check_choice("model", model, get_args(LabelModel))
    check_rows(probabilities=probabilities, rate=rate, reliability=reliability)
    sure = bayesian(frame, probabilities)
    rows = sure.masses
    if model == "inverse_pignistic":
        sure = isopignistic(frame, rows)
    elif model == "contour":
        sure = consonant(frame, rows / rows.max(axis=-1, keepdims=True))
    if rate is None and reliability is None:
        return sure
    return _discounted(sure, *one_of(rate=rate, reliability=reliability))


def _discounted(m: MassFunction, name: str, value: object) -> MassFunction:
    share = as_share(value, name)
    names = f"{name} and the batch"
    if common_shape(names, share.shape, m.batch_shape, error=MassError) != m.batch_shape:
        raise MassError(f"{name} has shape {share.shape}, the batch {m.batch_shape}")
    lost, kept = lost_and_kept(share, lost=name == "rate")
    if np.asarray(lost == 0, dtype=bool).all():
        return m
    return discounted(m, lost, kept)
