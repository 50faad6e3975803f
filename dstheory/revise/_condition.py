"""Conditioning: the belief after an event has become certain.

Dempster's rule moves the mass of every focal set to its part within the event; the geometric rule
keeps only the focal sets within the event. Focusing conditions each probability between Bel and Pl
by Bayes' rule; the lowest and highest results are again a belief and a plausibility function (Fagin
& Halpern 1991; Jaffray 1992).

Deconditioning: the least committed belief with a given conditional belief.

Conditioning on an event removes the part of each focal set outside the event. Ballooning extension
restores the largest possible part (Smets 1993).
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass, collect
from dstheory._typing import Event
from dstheory.checks.arguments import check_choice, check_flag
from dstheory.construct.tables import from_table
from dstheory.errors import TotalConflictError
from dstheory.frame import Frame
from dstheory.kernels import bits, setwise
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction
from dstheory.revise.transfer import image, transfer
from dstheory.transform import tables


def decondition(m: MassFunction, event: Event) -> MassFunction:
    """Undo conditioning on an event with the least commitment (ballooning extension).

    The mass of each focal set A goes to A or "not the event".

    Parameters
    ----------
    m : MassFunction
        One or a batch: the belief given the event. Mass of the empty set goes to the complement of
        the event.
    event : label, collection of labels, or the frame
        The condition of `m`.

    Returns
    -------
    MassFunction
        On the same frame: the least committed one whose conditional on the event,
        ``condition(..., event, normalize=False)``, is the conditional of `m`.

    Raises
    ------
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    condition : the inverse.
    generalized_bayes : combines deconditioned beliefs.

    References
    ----------
    Smets (1993), Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem, International Journal of Approximate Reasoning 9.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.75, ("ant", "bee"): 0.25})
    >>> decondition(m, ["ant", "bee"])
    MassFunction on {ant, bee, cat}
      {ant, cat}       0.75
      {ant, bee, cat}  0.25
    """
    frame = check_mass(m).frame
    return transfer(m, m.focal | (frame.full ^ frame.mask(event)))


ConditioningRule = Literal["dempster", "geometric", "focusing"]


def condition(
    m: MassFunction, event: Event, *, rule: ConditioningRule = "dempster", normalize: bool = True
) -> MassFunction:
    """Condition a belief on an event that is known to contain the answer.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    event : label, collection of labels, or the frame
        What is known for certain; of at most 26 labels for focusing.
    rule : {"dempster", "geometric", "focusing"}
        "dempster": the mass of A goes to the part of A within the event B, and mass that
        contradicts it is divided out, so that Pl(A | B) = Pl(A and B) / Pl(B). "geometric": only
        evidence that implies the event is kept, m(A | B) = m(A) / Bel(B) for the non-empty A within
        B, so that Bel(A | B) = Bel(A and B) / Bel(B). "focusing": lower and upper envelope of the
        conditional probabilities, Bel(A | B) = Bel(A and B) / (Bel(A and B) + Pl(B without A)) and
        Pl(A | B) = Pl(A and B) / (Pl(A and B) + Bel(B without A)); Dempster's interval lies within.
    normalize : bool
        False, with Dempster's rule, keeps the conflict 1 - Pl(event) on the empty set (transferable
        belief model).

    Returns
    -------
    MassFunction
        On the same frame. After focusing, its ``bel`` and ``pl`` are the bounds.

    Raises
    ------
    TotalConflictError
        If the event has plausibility 0 in a row (belief 0 for the geometric rule), and `normalize`
        is True.
    DSTheoryError
        If the event has more than 26 labels and `rule` is "focusing".
    FrameError
        If a label is unknown.
    ValueError
        If `rule` is unknown, or another one than Dempster's is to stay unnormalized.
    TypeError
        If `m` is not a mass function.

    Notes
    -----
    Dempster's conditioning is Dempster's rule with the categorical mass function on the event.

    Focusing, if Bel(B) = 0 < Pl(B), conditions only probabilities with P(B) > 0: Bel(A | B) is 1 if
    Pl(B without A) = 0, else 0. The mass of the empty set has no influence.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, theorem 3.6; without normalization
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66.
    Suppes & Zanotti (1977), On using random relations to generate upper and lower
    probabilities, Synthese 36; Smets (1991), About updating, UAI 7, where it is called
    geometrical. Fagin & Halpern (1991), A new approach to updating beliefs, UAI 6;
    Jaffray (1992), Bayesian updating and belief functions, IEEE Transactions on Systems, Man
    and Cybernetics 22.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {("ant", "bee"): 0.5, "cat": 0.5})
    >>> condition(m, ["bee", "cat"])
    MassFunction on {ant, bee, cat}
      {bee}  0.5
      {cat}  0.5
    >>> condition(m, "bee", normalize=False).to_dict()
    {(): 0.5, ('bee',): 0.5}
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, ("ant", "bee"): 0.25, frame: 0.5})
    >>> condition(m, ["ant", "bee"], rule="geometric").to_dict()
    {('ant',): 0.5, ('ant', 'bee'): 0.5}
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, ("bee", "cat"): 0.75})
    >>> focused = condition(m, ["ant", "bee"], rule="focusing")
    >>> focused.bel("ant"), focused.pl("ant")
    (0.25, 1.0)
    >>> focused.bel("bee"), condition(m, ["ant", "bee"]).bel("bee")
    (0.0, 0.75)
    """
    mask = check_mass(m).frame.mask(event)
    check_choice("rule", rule, get_args(ConditioningRule))
    check_flag("normalize", normalize)
    if rule != "dempster":
        if not normalize:
            raise ValueError(f"normalize=False belongs to the rule 'dempster', not to {rule!r}")
        return _geometric(m, mask) if rule == "geometric" else _focused(m, mask)
    moved = transfer(m, m.focal & mask)
    if not normalize:
        return moved
    _refuse_implausible(
        m, mask, "conditioning on it has no result: discount first, or use normalize=False"
    )
    return moved.normalize()


def _geometric(m: MassFunction, mask: int) -> MassFunction:
    refuse_rows(
        setwise.belief(m.focal, m.store, mask) == 0,
        f"event {m.frame.event(mask)!r} has belief 0",
        "no focal set lies within it: use rule='dempster', which needs plausibility only",
        TotalConflictError,
    )
    kept = bits.subset_of(m.focal, mask) & np.asarray(m.focal != 0, dtype=bool)
    store = m.store[kept]
    return MassFunction.from_store(m.frame, m.focal[kept], np.asarray(store / store.sum(axis=0)))


def _focused(m: MassFunction, mask: int) -> MassFunction:
    _refuse_implausible(m, mask, "no probability can be conditioned on it")
    size = len(m.frame)
    labels = [i for i in range(size) if mask >> i & 1]
    part = Frame(range(len(labels)))
    focused = from_table(part, _lower(m, mask, part, labels), "bel")
    back = bits.mask_array((1 << label for label in labels), size)
    return transfer(focused, image(focused.focal, back), m.frame)


def _refuse_implausible(m: MassFunction, mask: int, advice: str) -> None:
    refuse_rows(
        setwise.plausibility(m.focal, m.store, mask) == 0,
        f"event {m.frame.event(mask)!r} has plausibility 0",
        advice,
        TotalConflictError,
    )


def _lower(m: MassFunction, mask: int, part: Frame, labels: list[int]) -> NDArray[Any]:
    """Conditional beliefs (*batch, 2^labels) of all subsets of the event."""
    places = [1 << labels.index(i) if i in labels else 0 for i in range(len(m.frame))]
    traces = image(m.focal, bits.mask_array(places, len(labels)))
    inside = bits.subset_of(m.focal, mask)
    # Parts of masses: their sums are the beliefs and plausibilities of subsets of the event.
    below = collect(part, (traces[inside], m.store[inside])) if inside.any() else None
    plausible = tables.table(collect(part, (traces, m.store)), "pl")[..., ::-1]
    believed = np.zeros_like(plausible) if below is None else tables.table(below, "bel")
    total = believed + plausible
    nothing = np.asarray(total == 0, dtype=bool)  # no focal set has a part outside A
    ratio = np.asarray(believed / np.where(nothing, 1, total))
    table = np.where(nothing, 1, ratio)
    table[..., 0] = 0
    return table
