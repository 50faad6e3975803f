"""Dubois and Prade's rule: where sources conflict, one of them is right, so unite their sets.

The choices of one focal set per source are never listed. A mask of 2K bits holds a set and its
complement; intersecting such masks gives the intersection of the sets and the complement of their
union at once. Dubois & Prade 1988.
"""

from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.combine.sources import any_exact, combination_rule
from dstheory.frame import Frame
from dstheory.kernels import bits, pairwise
from dstheory.kernels.limits import fold_order
from dstheory.mass import MassFunction


@combination_rule
def dubois_prade(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine conjunctively where sets meet and disjunctively where they do not.

    The product of masses goes to the intersection of the sets, one of each source, or to
    their union if the intersection is empty.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized, if one source is.

    Raises
    ------
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The vacuous mass function is
    neutral with one normalized source but not with several, because their conflict then goes to the
    frame.

    References
    ----------
    Dubois, D. & Prade, H. (1988). Representation and combination of uncertainty with
    belief functions and possibility measures. Computational Intelligence 4, 244-264.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, "c": 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, "c": 0.5})
    >>> dubois_prade(m1, m2)
    MassFunction on {a, b, c}
      {a, b}  0.25
      {c}     0.25
      {a, c}  0.25
      {b, c}  0.25
    """
    frame = m1.frame
    parts = [_with_complements(m) for m in (m1, m2, *more)]
    exact = any_exact((m1, m2, *more))
    focals = [focal for focal, _ in parts]
    order = fold_order("dubois_prade", focals, 2 * len(frame), exact=exact)
    *others, last = [parts[i] for i in order]
    target = partial(_target, frame=frame)
    joint = reduce(pairwise.met, others)
    return MassFunction.from_store(
        frame, *pairwise.combine_pairs(*joint, *last, np.bitwise_and, renamed=target)
    )


def _with_complements(m: MassFunction) -> pairwise.Part:
    """Each focal set with its complement in the K higher bits, ascending; and the masses."""
    size, full = len(m.frame), m.frame.full
    doubled = bits.mask_array([k | (full - k) << size for k in m.focal.tolist()], 2 * size)
    order = np.argsort(doubled)
    return doubled[order], m.store[order]


def _target(joint: NDArray[Any], frame: Frame) -> NDArray[Any]:
    """The intersections, or the unions where these are empty."""
    intersection, union = joint & frame.full, frame.full - (joint >> len(frame))
    return bits.mask_array(np.where(intersection == 0, union, intersection), len(frame))
