"""Focusing: the bounds of all conditional probabilities that agree with a belief.

Each probability between Bel and Pl is conditioned by Bayes' rule. The lowest and highest results
are again a belief and a plausibility function (Fagin & Halpern 1991; Jaffray 1992).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass, collect
from dstheory._typing import Event
from dstheory.construct.tables import from_table
from dstheory.errors import TotalConflictError
from dstheory.frame import Frame
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction
from dstheory.revise._arguments import refuse_rows
from dstheory.revise.transfer import image, transfer
from dstheory.transform import tables


def condition_focusing(m: MassFunction, event: Event, *, atol: float | None = None) -> MassFunction:
    """Focusing on an event: lower and upper envelope of the conditional probabilities.

    Bel(A | B) = Bel(A and B) / (Bel(A and B) + Pl(B without A)) and
    Pl(A | B) = Pl(A and B) / (Pl(A and B) + Bel(B without A)).

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    event : label, collection of labels, or the frame
        B, of at most 26 labels.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise of the inversion; by
        default those within the rounding error, about 1e-16 for each subset of the event.

    Returns
    -------
    MassFunction
        Normalized, with focal sets within the event: its ``bel`` and ``pl`` are the bounds.

    Raises
    ------
    TotalConflictError
        If the event has plausibility 0 in a row.
    DSTheoryError
        If the event has more than 26 labels.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    condition : Dempster's conditioning; its interval lies within this one.

    Notes
    -----
    If Bel(B) = 0 < Pl(B), only probabilities with P(B) > 0 are conditioned: Bel(A | B) is 1 if Pl(B
    without A) = 0, else 0. The mass of the empty set has no influence.

    References
    ----------
    Fagin & Halpern (1991), A new approach to updating beliefs, UAI 6;
    Jaffray (1992), Bayesian updating and belief functions, IEEE Transactions on Systems, Man
    and Cybernetics 22.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.revise import condition
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, ("bee", "cat"): 0.75})
    >>> focused = condition_focusing(m, ["ant", "bee"])
    >>> focused.bel("ant"), focused.pl("ant")
    (0.25, 1.0)
    >>> focused.bel("bee"), condition(m, ["ant", "bee"]).bel("bee")
    (0.0, 0.75)
    """
    frame = check_mass(m).frame
    mask = frame.mask(event)
    refuse_rows(
        setwise.plausibility(m.focal, m.store, mask) == 0,
        f"event {frame.event(mask)!r} has plausibility 0",
        "no probability can be conditioned on it",
        TotalConflictError,
    )
    labels = [i for i in range(len(frame)) if mask >> i & 1]
    part = Frame(range(len(labels)))
    focused = from_table(part, _lower(m, mask, part, labels), "bel", atol=atol)
    back = bits.mask_array((1 << label for label in labels), len(frame))
    return transfer(focused, image(focused.focal, back), frame)


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
