"""Mass functions with one or two focal sets, from which the others are built.

A categorical mass function says "the answer is in A", a simple one says it with a
reservation; Shafer (1976, ch. 2 and 4). A negative simple one is its dual under
complement (Denoeux 2008, Artificial Intelligence 172, 234-264).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import _checks
from dstheory.construct._arguments import as_frame, check_share
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction

__all__ = ["categorical", "negative_simple", "simple", "vacuous"]


def vacuous(frame: Frame, batch_shape: int | tuple[int, ...] = ()) -> MassFunction:
    """Total ignorance: all mass on the frame.

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
        If `frame` is no Frame.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> vacuous(Frame(["ant", "bee"]))
    MassFunction on {ant, bee}
      {ant, bee}  1
    """
    return _certain(as_frame(frame), frame.full, batch_shape)


def categorical(frame: Frame, event: Any, batch_shape: int | tuple[int, ...] = ()) -> MassFunction:
    """Certainty that the answer lies in an event: all mass on it.

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
        If `frame` is no Frame.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> categorical(Frame(["ant", "bee", "cat"]), ["ant", "bee"])
    MassFunction on {ant, bee, cat}
      {ant, bee}  1
    """
    return _certain(frame, as_frame(frame).mask(event), batch_shape)


def simple(frame: Frame, event: Any, mass: Any) -> MassFunction:
    """Evidence for one event, of a given strength: the rest of the mass on the frame.

    Parameters
    ----------
    frame : Frame
    event : label, collection of labels, or the frame
        With the frame itself the result is vacuous.
    mass : number or array
        m(event), between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        m(event) = `mass`, m(frame) = 1 - `mass`; in Denoeux' notation A^w with w = 1 - `mass`.

    Raises
    ------
    MassError
        If a mass does not lie between 0 and 1.
    FrameError
        If a label is unknown.
    TypeError
        If `frame` is no Frame, or a mass is no number.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 4.

    Examples
    --------
    >>> simple(Frame(["ant", "bee", "cat"]), "ant", 0.75)
    MassFunction on {ant, bee, cat}
      {ant}            0.75
      {ant, bee, cat}  0.25
    """
    mask = as_frame(frame).mask(event)
    share = _share(mass, "mass")
    return _two_sets(frame, mask, share, frame.full, 1 - share)


def negative_simple(frame: Frame, event: Any, weight: Any) -> MassFunction:
    """Evidence A_v for one event, with the rest of the mass on the empty set.

    It is to the disjunctive rule what a simple mass function is to the conjunctive one:
    the complement of a simple mass function on the complement of the event.

    Parameters
    ----------
    frame : Frame
    event : label, collection of labels, or the frame
        With the empty event the result is categorical there, which is neutral for the
        disjunctive rule.
    weight : number or array
        v = m(empty), between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        m(empty) = `weight`, m(event) = 1 - `weight`.

    Raises
    ------
    MassError
        If a weight does not lie between 0 and 1. Weights above 1 have negative masses;
        they live in tables only, as disjunctive weights.
    FrameError
        If a label is unknown.
    TypeError
        If `frame` is no Frame, or a weight is no number.

    References
    ----------
    Denoeux (2008), Conjunctive and disjunctive combination of belief functions induced by
    nondistinct bodies of evidence, Artificial Intelligence 172, 234-264 (the canonical
    disjunctive decomposition).

    Examples
    --------
    >>> negative_simple(Frame(["ant", "bee"]), "ant", 0.25)
    MassFunction on {ant, bee}
      {}     0.25
      {ant}  0.75
    """
    mask = as_frame(frame).mask(event)
    share = _share(weight, "weight")
    return _two_sets(frame, mask, 1 - share, 0, share)


def _certain(frame: Frame, mask: int, batch_shape: int | tuple[int, ...]) -> MassFunction:
    shape = np.broadcast_shapes(batch_shape)  # an int as a tuple
    return MassFunction.from_store(frame, bits.mask_array([mask], len(frame)), np.ones((1, *shape)))


def _share(values: Any, name: str) -> NDArray[Any]:
    array = _checks.as_masses(values)
    check_share(array, name)
    return array


def _two_sets(frame: Frame, mask: int, mass: Any, rest: int, other: Any) -> MassFunction:
    """Masses on two sets, which may be one and the same."""
    pairs = [(mask, mass), (rest, other)] if mask < rest else [(rest, other), (mask, mass)]
    if mask == rest:
        pairs = [(mask, mass + other)]
    focal = bits.mask_array([set_ for set_, _ in pairs], len(frame))
    # Arithmetic on a 0-d object array gives the bare object, whose type stack would guess.
    dtype = np.asarray(mass).dtype
    return MassFunction.from_store(
        frame, focal, np.stack([np.asarray(value, dtype=dtype) for _, value in pairs])
    )
