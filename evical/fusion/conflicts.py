"""Total conflict: rows in which sources exclude each other, and the error that says so."""

from collections.abc import Sequence

import numpy as np

from dstheory import MassFunction
from dstheory.errors import TotalConflictError
from evical._typing import Flags
from evical.beliefs import Beliefs
from evical.beliefs.joined import Joined, have_products


def exclusive(dead: Flags) -> TotalConflictError:
    """The error for rows (n,) in which the classifiers are in total conflict."""
    return TotalConflictError(
        f"total conflict (kappa = 1) in {dead.sum()} of {dead.size} rows (first: row "
        f"{np.argmax(dead)}): the classifiers exclude each other; take an evidential "
        "calibrator, another rule, or total_conflict='vacuous'"
    )


def total_conflict(masses: Sequence[MassFunction]) -> Flags:
    """Rows (n,) in which the sources are in total conflict: their focal sets never meet.

    Parameters
    ----------
    masses : list of MassFunction
        Batches (n,) on one frame.

    Returns
    -------
    (n,) array of bool

    Examples
    --------
    >>> from dstheory import Frame
    >>> one = MassFunction(Frame(["a", "b"]), [1, 2], [[1, 0], [0.5, 0.5]])
    >>> total_conflict([one, ~one])
    array([ True, False])
    """
    joint, dead = _on_support(masses[0]), np.zeros(len(masses[0]), dtype=bool)
    for m in masses[1:]:
        both = joint & _on_support(m)
        dead |= both.store[both.focal != 0].sum(axis=0) == 0
        joint = _on_support(both, dead)
    return dead


def excluding(sources: Sequence[Beliefs]) -> Flags:
    """Rows (n,) in which the sources are in total conflict, without a list of their sets if it can.

    Parameters
    ----------
    sources : sequence of Beliefs

    Returns
    -------
    (n,) array of bool

    Examples
    --------
    >>> from evical.beliefs import as_beliefs
    >>> one, two = (as_beliefs(np.eye(3)[rows], np.arange(3)) for rows in ([0, 1], [0, 2]))
    >>> excluding([one, two])
    array([False,  True])
    """
    if have_products(sources):
        return Joined([source.products() for source in sources]).impossible()
    return total_conflict([source.mass() for source in sources])


def _on_support(m: MassFunction, dead: Flags | bool = False) -> MassFunction:
    """Equal masses on the focal sets that are not empty; dead rows keep any set.

    Which sets meet does not depend on the masses, and equal ones cannot underflow.
    """
    focal = m.focal[:, np.newaxis]
    kept = np.where(dead, focal == focal[-1], (m.store > 0) & (focal != 0))
    return MassFunction.from_store(m.frame, m.focal.copy(), kept / kept.sum(axis=0))
