"""Mass functions with one or two focal sets, from which the others are built.

A categorical mass function says "the answer is in A"; a simple one says so with some reservation
(Shafer 1976, ch. 2 and 4). A negative simple one is the dual under complements (Denoeux 2008,
Artificial Intelligence 172, 234-264).

Probabilities as mass functions: all mass on single labels.
"""

from __future__ import annotations

import numpy as np

from dstheory._masses import certain, two_sets
from dstheory._typing import Event, Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import as_shape
from dstheory.checks.naming import one_of, shares_by_name
from dstheory.checks.shares import as_share, lost_and_kept
from dstheory.construct.arguments import check_masks, row_numbers
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction


def bayesian(frame: Frame, probabilities: Numbers) -> MassFunction:
    """Bayesian mass function with a probability for each label.

    Parameters
    ----------
    frame : Frame
        K labels.
    probabilities : (*batch, K) array
        Rows sum to 1; those of float32 and float16 may be off by a few units of rounding for each
        label, and are divided by their sum.

    Returns
    -------
    MassFunction
        Focal sets are all K singletons, also where a probability is zero.

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9,
        or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a probability is not a number.
    CostLimitError
        If the sets take more than 4 GiB: a singleton of K labels takes up to K bits.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2 (Bayesian belief functions).

    Examples
    --------
    >>> bayesian(Frame(["ant", "bee"]), [0.75, 0.25])
    MassFunction on {ant, bee}
      {ant}  0.75
      {bee}  0.25
    """
    numbers = row_numbers(probabilities, frame, "probabilities")
    size = len(frame)
    check_masks(size * (size + 1) // 2, f"a Bayesian mass function on {size:,} labels")
    checks.check_nonnegative(numbers, "probability")
    rows = checks.as_distribution(numbers, "probabilities")
    focal = bits.mask_array((1 << i for i in range(size)), size)
    return MassFunction.from_store(frame, focal, np.array(np.moveaxis(rows, -1, 0), order="C"))


def vacuous(frame: Frame, batch_shape: int | tuple[int, ...] = ()) -> MassFunction:
    """Mass function of total ignorance, with all mass on the frame.

    Parameters
    ----------
    frame : Frame
    batch_shape : int or tuple of int
        Shape of the batch.

    Returns
    -------
    MassFunction

    Raises
    ------
    TypeError
        If `frame` is not a Frame.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> vacuous(Frame(["ant", "bee"]))
    MassFunction on {ant, bee}
      {ant, bee}  1
    """
    return certain(checks.as_frame(frame), frame.full, as_shape("batch_shape", batch_shape))


def categorical(
    frame: Frame, event: Event, batch_shape: int | tuple[int, ...] = ()
) -> MassFunction:
    """Mass function with all mass on one event, which is certain.

    Parameters
    ----------
    frame : Frame
    event : label, collection of labels, or the frame
    batch_shape : int or tuple of int
        Shape of the batch.

    Returns
    -------
    MassFunction

    Raises
    ------
    FrameError
        If a label is unknown.
    TypeError
        If `frame` is not a Frame.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> categorical(Frame(["ant", "bee", "cat"]), ["ant", "bee"])
    MassFunction on {ant, bee, cat}
      {ant, bee}  1
    """
    mask = checks.as_frame(frame).mask(event)
    return certain(frame, mask, as_shape("batch_shape", batch_shape))


@shares_by_name(mass="m of the event", weight="m of the frame")
def simple(
    frame: Frame,
    event: Event,
    *,
    mass: Numbers | None = None,
    weight: Numbers | None = None,
    rest: Event | None = None,
) -> MassFunction:
    """Evidence of a given strength for one event, with the rest of the mass on the frame.

    Parameters
    ----------
    frame : Frame
    event : label, collection of labels, or the frame
        With the frame itself the result is vacuous.
    mass : number or array
        m(event), between 0 and 1; an array gives a batch of its shape.
    weight : number or array
        w = m(frame) = 1 - mass, as in Denoeux's notation A^w. Give either `mass` or `weight`.
    rest : label or collection of labels, optional
        Which event has the rest, instead of the frame. The empty one, ``()``, makes the negative
        simple mass function A_v, which is for the disjunctive rule what a simple one is for the
        conjunctive: the complement of a simple one on the complement of the event.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a mass or weight does not lie between 0 and 1. Weights above 1 would need negative
        masses; they exist only in tables of conjunctive or disjunctive weights.
    FrameError
        If a label is unknown.
    TypeError
        If `frame` is not a Frame, a mass or weight is not a number, or not exactly one of them is
        given by name.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 4; Denoeux (2008), Conjunctive and
    disjunctive combination of belief functions induced by nondistinct bodies of evidence,
    Artificial Intelligence 172, 234-264 (the weights w and v).

    Examples
    --------
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> simple(frame, "ant", mass=0.75)
    MassFunction on {ant, bee, cat}
      {ant}            0.75
      {ant, bee, cat}  0.25
    >>> simple(frame, "ant", weight=0.25) == simple(frame, "ant", mass=0.75)
    True
    >>> simple(frame, "ant", weight=0.25, rest=())
    MassFunction on {ant, bee, cat}
      {}     0.25
      {ant}  0.75
    """
    mask = checks.as_frame(frame).mask(event)
    name, value = one_of(mass=mass, weight=weight)
    others, share = lost_and_kept(as_share(value, name), lost=name == "weight")
    return two_sets(frame, mask, share, frame.full if rest is None else frame.mask(rest), others)
