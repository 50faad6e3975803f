"""Error of an approximation: its distance from the original."""

from collections.abc import Callable
from typing import Any

from dstheory._masses import check_mass
from dstheory.checks.arguments import check_callable
from dstheory.mass import MassFunction
from dstheory.measure import jousselme

__all__ = ["approximation_error"]


def approximation_error(
    m: MassFunction,
    approximation: MassFunction,
    distance: Callable[[MassFunction, MassFunction], Any] = jousselme,
) -> Any:
    """Distance of an approximation from the original.

    Parameters
    ----------
    m : MassFunction
        The original; one or a batch.
    approximation : MassFunction
        On the same frame; batches broadcast.
    distance : function of two mass functions
        By default ``dstheory.measure.jousselme``; ``dstheory.measure.tessem`` compares
        pignistic probabilities, as Tessem and Bauer did.

    Returns
    -------
    number, or array of the batch shape

    Raises
    ------
    FrameError
        If the frames differ.
    TypeError
        If an argument is not a mass function.

    References
    ----------
    Jousselme, Grenier & Bosse (2001), A new distance between two bodies of evidence,
    Information Fusion 2.

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.approximate import k_l_x
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25])
    >>> approximation_error(m, k_l_x(m, 1, 1))
    0.25
    """
    check_callable("distance", distance, "a function of two mass functions")
    return distance(check_mass(m), check_mass(approximation))
