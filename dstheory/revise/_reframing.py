"""The same belief on another frame: finer, coarser, or with other names.

A refining maps each label of the coarse frame to an event of the fine frame; these events are a
partition of the fine frame. Shafer 1976, ch. 6.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_choice, check_instance, did_you_mean
from dstheory.errors import FrameError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction
from dstheory.revise.transfer import image, transfer


def refine(m: MassFunction, frame: Frame, mapping: Mapping[Any, Any]) -> MassFunction:
    """Extend a belief to a finer frame along a refining, without new information.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    frame : Frame
        The fine frame.
    mapping : mapping of label to event
        Maps each label of ``m.frame`` to the event of `frame` that it splits into.

    Returns
    -------
    MassFunction
        On `frame`; each focal set becomes the union of the events of its labels.

    Raises
    ------
    FrameError
        If a label is unknown or missing, or the events are not a partition of `frame`.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    coarsen : the inverse; ``coarsen(refine(m, frame, mapping), m.frame, mapping)`` is `m`.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 6.

    Examples
    --------
    >>> m = MassFunction.from_dict(Frame(["insect", "mammal"]), {"insect": 1})
    >>> fine = Frame(["ant", "bee", "cat"])
    >>> refine(m, fine, {"insect": ["ant", "bee"], "mammal": "cat"}).to_dict()
    {('ant', 'bee'): 1.0}
    """
    images = _partition(check_mass(m).frame, frame, mapping)
    return transfer(m, image(m.focal, images), frame)


def coarsen(
    m: MassFunction,
    frame: Frame,
    mapping: Mapping[Any, Any],
    *,
    reduction: Literal["outer", "inner"] = "outer",
) -> MassFunction:
    """The belief on a coarser frame, by the outer or inner reduction of each focal set.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on the fine frame.
    frame : Frame
        The coarse frame.
    mapping : mapping of label to event
        Maps each label of `frame` to the event of ``m.frame`` that it stands for, as in `refine`.
    reduction : {"outer", "inner"}
        Outer takes the labels whose event meets the focal set, and preserves the belief and
        plausibility of every coarse event. Inner takes the labels whose event lies within the focal
        set; the mass of a set that contains no whole event becomes conflict.

    Returns
    -------
    MassFunction
        On `frame`.

    Raises
    ------
    FrameError
        If a label is unknown or missing, or the events are not a partition of ``m.frame``.
    TypeError
        If an argument has the wrong type.
    ValueError
        If `reduction` is unknown.

    See Also
    --------
    refine : from coarse to fine.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 6 (refinings and reductions).

    Examples
    --------
    >>> fine = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(fine, {"ant": 0.5, ("ant", "bee", "cat"): 0.5})
    >>> mapping = {"insect": ["ant", "bee"], "mammal": "cat"}
    >>> coarse = Frame(["insect", "mammal"])
    >>> coarsen(m, coarse, mapping).to_dict()
    {('insect',): 0.5, ('insect', 'mammal'): 0.5}
    >>> coarsen(m, coarse, mapping, reduction="inner").to_dict()
    {(): 0.5, ('insect', 'mammal'): 0.5}
    """
    checks.as_frame(frame)
    check_choice("reduction", reduction, ("outer", "inner"))
    events = _partition(frame, check_mass(m).frame, mapping)
    targets = bits.mask_array([0] * len(m.focal), len(frame))
    for bit, event in enumerate(events):
        common = m.focal & event
        taken = common != 0 if reduction == "outer" else common == event
        targets[np.asarray(taken, dtype=bool)] |= 1 << bit
    return transfer(m, targets, frame)


def rename(m: MassFunction, labels: Mapping[Any, Any]) -> MassFunction:
    """The same belief with other labels.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    labels : mapping of label to new label
        Labels not listed keep their name. The resulting labels must be distinct.

    Returns
    -------
    MassFunction
        On a frame with the new labels in the old order.

    Raises
    ------
    FrameError
        If an old label is unknown, or a new label occurs twice.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> m = MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 1})
    >>> rename(m, {"ant": "wasp"})
    MassFunction on {wasp, bee}
      {wasp}  1
    """
    frame = check_mass(m).frame
    check_instance("labels", labels, Mapping, "a mapping of labels to new labels")
    _refuse_unknown(frame, labels)
    renamed = Frame([labels.get(label, label) for label in frame])
    return MassFunction.from_store(renamed, m.focal, m.store)


def _partition(coarse: Frame, fine: Frame, mapping: Mapping[Any, Any]) -> NDArray[Any]:
    """Events (K,) of the fine frame for the labels of the coarse frame; raise if no partition."""
    checks.as_frame(fine)
    check_instance("mapping", mapping, Mapping, "a mapping of coarse labels to fine events")
    _refuse_unknown(coarse, mapping)
    missing = [label for label in coarse if label not in mapping]
    if missing:
        raise FrameError(f"mapping has no event for {missing!r} of {coarse!r}")
    masks = [fine.mask(mapping[label]) for label in coarse]
    _refuse_no_partition(coarse, fine, masks)
    return bits.mask_array(masks, len(fine))


def _refuse_unknown(frame: Frame, labels: Iterable[Any]) -> None:
    for label in labels:
        if label not in frame:
            raise FrameError(
                f"{label!r} is not a label of {frame!r}{did_you_mean(label, frame.labels)}"
            )


def _refuse_no_partition(coarse: Frame, fine: Frame, masks: list[int]) -> None:
    seen = 0
    for label, mask in zip(coarse, masks, strict=True):
        if not mask:
            raise FrameError(f"mapping gives {label!r} the empty event, expected a partition")
        if seen & mask:
            twice = fine.event(seen & mask)
            raise FrameError(f"mapping gives {twice!r} to {label!r} and to an earlier label")
        seen |= mask
    if seen != fine.full:
        raise FrameError(f"mapping leaves out {fine.event(fine.full ^ seen)!r} of {fine!r}")
