"""Bauer's D1: light focal sets pass their mass to the kept sets that fit them best.

It is designed to change pignistic decisions as little as possible (Bauer 1997).
"""

from fractions import Fraction
from typing import Any

from dstheory._masses import check_mass
from dstheory.approximate._rows import by_row
from dstheory.checks.arguments import check_count
from dstheory.mass import MassFunction

Sets = dict[int, Any]


def d1(m: MassFunction, n_sets: int) -> MassFunction:
    """Keep the heaviest focal sets and share the other masses among them (D1).

    The smallest kept supersets of a dropped set A share its mass equally. If there is none, the
    mass goes to the kept sets that meet A and are not smaller, in proportion to the labels they
    share with A. Labels of A outside all of these keep their share of the mass, which is passed on
    in the same way; if nothing fits, it goes to the frame.

    Parameters
    ----------
    m : MassFunction
        One or a batch; each row keeps its own sets.
    n_sets : int
        Maximum number of focal sets per row of the result, at least 2. If a row has more, ``n_sets
        - 1`` of them are kept, and the last place is for the frame. The empty set keeps its mass
        and does not count.

    Returns
    -------
    MassFunction
        Ties in mass go to the set with the lower mask.

    Raises
    ------
    TypeError
        If `m` is not a mass function, or `n_sets` not an int.
    ValueError
        If `n_sets` is below 2.

    See Also
    --------
    summarize : simpler, and an outer approximation.

    References
    ----------
    Bauer (1997), Approximation algorithms and decision making in the Dempster-Shafer theory
    of evidence - an empirical study, International Journal of Approximate Reasoning 17,
    217-237.

    Examples
    --------
    {ant} has the kept superset {ant, bee}. Half of {bee, cat} meets {ant, bee}; the rest, {cat},
    fits nothing.

    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction(frame, [1, 3, 6], [0.25, 0.5, 0.25])
    >>> d1(m, 2).to_dict()
    {('ant', 'bee'): 0.875, ('ant', 'bee', 'cat'): 0.125}
    """
    count = check_count("n_sets", n_sets, 2)
    full = check_mass(m).frame.full
    return by_row(m, lambda row: _shared(row, count, full))


def _shared(row: Sets, n_sets: int, full: int) -> Sets:
    """One row: `row` maps masks to masses."""
    heavy = sorted((mask for mask in row if mask), key=lambda mask: -row[mask])
    n_kept = n_sets if len(heavy) <= n_sets else n_sets - 1
    kept = sorted(heavy[:n_kept])
    result = {mask: row[mask] for mask in row if mask == 0 or mask in kept}
    for mask in sorted(heavy[n_kept:]):
        for target, share in _shares(mask, kept, full).items():
            part = row[mask] * (float(share) if isinstance(row[mask], float) else share)
            result[target] = result[target] + part if target in result else part
    return dict(sorted(result.items()))


def _shares(mask: int, kept: list[int], full: int) -> dict[int, Fraction]:
    """Share of the mass of a dropped set that each kept set receives."""
    if above := [other for other in kept if other & mask == mask]:
        size = min(other.bit_count() for other in above)
        nearest = [other for other in above if other.bit_count() == size]
        return {other: Fraction(1, len(nearest)) for other in nearest}
    meeting = [b for b in kept if b & mask and b.bit_count() >= mask.bit_count()]
    if not meeting:
        return {full: Fraction(1)}
    common = {other: (other & mask).bit_count() for other in meeting}
    rest = mask
    for other in meeting:
        rest &= ~other
    covered = Fraction((mask ^ rest).bit_count(), mask.bit_count())
    shares = {other: covered * n / sum(common.values()) for other, n in common.items()}
    if rest:
        for target, share in _shares(rest, kept, full).items():
            shares[target] = shares.get(target, Fraction(0)) + (1 - covered) * share
    return shares
