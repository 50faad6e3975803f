"""Relations between variables: sets of configurations, with a degree of support.

A relation gets its support as mass; the rest is on the frame. This is a simple mass function on a
product (Shafer, Shenoy & Mellouli 1987; Almond 1995, Graphical Belief Modeling).
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dstheory.checks.arguments import check_callable
from dstheory.checks.shares import as_share, complement
from dstheory.errors import FrameError
from dstheory.kernels import bits, bitsets
from dstheory.mass import MassFunction
from dstheory.product._frame import ProductFrame
from dstheory.product._variable import Variable


def relation(
    variables: Iterable[Variable], predicate: Callable[..., Any], support: Any = 1
) -> MassFunction:
    """A relation between variables, given by a function of their values.

    Parameters
    ----------
    variables : sequence of Variable
    predicate : function
        Called for every configuration with one value of each variable, in order; true if the
        relation holds.
    support : number or array
        Mass of the relation, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables, with at most two focal sets.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If the relation holds nowhere, or a variable occurs twice.
    TypeError
        If an argument has the wrong type.

    References
    ----------
    Shafer, G., Shenoy, P. P. & Mellouli, K. (1987). Propagating belief functions in
    qualitative Markov trees. International Journal of Approximate Reasoning 1, 349-400.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> delay, work, storm = (Variable(name, [0, 1, 2]) for name in ("delay", "work", "storm"))
    >>> sum_of = relation([delay, work, storm], lambda d, w, s: d == w + s)
    >>> sum_of.pl({"delay": 0, "work": 1}), sum_of.pl({"delay": 2, "work": 1})
    (0.0, 1.0)
    """
    frame = ProductFrame(variables)
    check_callable("predicate", predicate, "a function of one value of each variable")
    cells = [bool(predicate(*configuration)) for configuration in frame]
    return supported(frame, int(bitsets.pack_masks(np.array([cells]))[0]), support)


def equal(variables: Iterable[Variable], support: Any = 1) -> MassFunction:
    """Variables have the same value, with some support.

    Parameters
    ----------
    variables : sequence of Variable
        Variables with at least one common value.
    support : number or array
        Mass of the equality, between 0 and 1; an array gives a batch of its shape.

    Returns
    -------
    MassFunction
        On the product of the variables.

    Raises
    ------
    MassError
        If a support does not lie between 0 and 1.
    FrameError
        If no value is common to all, or a variable occurs twice.
    TypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> from dstheory.product import Variable
    >>> sent, heard = Variable("sent", ["a", "b"]), Variable("heard", ["a", "b", "c"])
    >>> equal([sent, heard]).to_dict()
    {(('a', 'a'), ('b', 'b')): 1.0}
    """
    frame = ProductFrame(variables)
    first, *others = frame.variables
    common = [v for v in first.values if all(v in other.frame for other in others)]
    mask = 0
    for value in common:
        mask |= frame.mask((value,) * len(frame.variables))
    return supported(frame, mask, support)


def supported(frame: ProductFrame, mask: int, support: Any) -> MassFunction:
    """Simple mass function on a set of configurations; with support 1, it is the only focal set."""
    if not mask:
        raise FrameError(f"the relation holds for no configuration of {', '.join(frame.names)}")
    share = as_share(support, "support")
    if mask == frame.full:
        focal, masses = [mask], [np.ones_like(share)]
    else:
        focal, masses = [mask, frame.full], [share, complement(share)]
    focal_sets = bits.mask_array(focal, len(frame))
    return MassFunction.from_store(frame, focal_sets, np.stack(masses)).prune()
