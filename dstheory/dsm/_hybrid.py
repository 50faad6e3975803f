"""The hybrid DSm rule (DSmH): conflict, and mass on sets found empty, goes to unions.

The rule needs, for each choice of sets, their intersection, their union, and the elements they
consist of. One mask has a field for each, two of them complemented, so intersecting masks gives all
three at once and no choices are listed (as in Dubois and Prade's rule).
"""

from collections.abc import Iterable
from functools import reduce

from dstheory._masses import collect
from dstheory.checks.arguments import check_instance
from dstheory.combine.sources import combination_rule
from dstheory.dsm._model import DSmModel
from dstheory.errors import FrameError
from dstheory.kernels import bits, pairwise
from dstheory.kernels.batches import added_up
from dstheory.mass import MassFunction


@combination_rule
def dsm_hybrid(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    model: DSmModel,
    empty: str | Iterable[str] = (),
) -> MassFunction:
    """Hybrid DSm rule: combine beliefs on overlapping elements, some of which were found empty.

    The product of masses goes to the intersection of the chosen sets, one from each source. If that
    is empty, it goes to their union; if all of them are empty, to the union of the elements they
    consist of; and if that is empty too, to the frame.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on the frame of `model`; their batch shapes broadcast.
    model : DSmModel
        The model of the sources: free, hybrid, or Shafer's.
    empty : str, or iterable of str
        Expressions found to be empty since then (dynamic fusion).

    Returns
    -------
    MassFunction
        On the frame of ``model.constrained(empty)``; normalized.

    Raises
    ------
    FrameError
        If a source is not on the frame of the model, an expression names an unknown element, or
        everything is empty.
    TypeError
        If a source is not a mass function, or `model` is not a DSmModel.

    See Also
    --------
    dstheory.combine.conjunctive : the classic DSm rule, DSmC, on a free model.
    dstheory.combine.dubois_prade : the same in Shafer's model, without new constraints.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The three cases are the sums S1,
    S3 and S2 of the reference. The elements of a set are those in its canonical form,
    ``model.expression``.

    References
    ----------
    Dezert & Smarandache (2004), Combination of beliefs on hybrid DSm models, Advances and
    Applications of DSmT for Information Fusion 1, ch. 4.

    Examples
    --------
    Two sources on three suspects, the third of whom turns out to have an alibi:

    >>> model = DSmModel.shafer(["a", "b", "c"])
    >>> m1 = model.mass_function({"a": 0.5, "c": 0.5})
    >>> m2 = model.mass_function({"b": 0.5, "c": 0.5})
    >>> m = dsm_hybrid(m1, m2, model=model, empty="c")
    >>> model.constrained("c").to_dict(m)
    {'a': 0.25, 'b': 0.25, 'a | b': 0.5}
    """
    frame = m1.frame
    check_instance("model", model, DSmModel, "a DSmModel")
    if frame != model.frame:
        raise FrameError(f"the sources are on {frame!r}, the model on {model.frame!r}")
    after = model.constrained(empty)
    joint, store = reduce(pairwise.met, (_coded(m, model, after) for m in (m1, m2, *more)))
    sets = [_target(code, after) for code in joint.tolist()]
    return collect(after.frame, (bits.mask_array(sets, len(after.frame)), store))


def _coded(m: MassFunction, model: DSmModel, after: DSmModel) -> pairwise.Part:
    """The remaining part of each set, its complement, and that of its elements if it is empty."""
    size, full, everything = len(after.frame), after.frame.full, (1 << len(model.elements)) - 1
    codes = []
    for mask in m.focal.tolist():
        left = model.projected(mask, after)
        made_of = 0 if left else reduce(int.__or__, model.least_parts(mask), 0)
        codes.append(left | (full - left) << size | (everything - made_of) << 2 * size)
    array = bits.mask_array(codes, 2 * size + len(model.elements))
    return added_up((array, m.store))


def _target(code: int, after: DSmModel) -> int:
    """The first that is not empty: intersection, union, union of the elements, frame."""
    size, full = len(after.frame), after.frame.full
    intersection, union = code & full, full - (code >> size & full)
    if intersection or union:
        return intersection or union
    named = ~(code >> 2 * size)
    elements = (e for place, e in enumerate(after.elements) if named >> place & 1)
    return reduce(int.__or__, map(after.mask, elements), 0) or full
