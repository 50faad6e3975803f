"""The least committed mass function with a given pignistic probability.

Of all belief functions with the same pignistic probability, one is least committed in the order of
commonalities, and it is consonant (Dubois, Prade & Smets 2008).
"""

from typing import Any

from dstheory._masses import check_mass
from dstheory.construct import bayesian
from dstheory.construct.chains import isopignistic
from dstheory.frame import Frame
from dstheory.mass import MassFunction
from dstheory.transform._probability import betp

__all__ = ["inverse_pignistic", "least_committed_isopignistic"]


def inverse_pignistic(frame: Frame, probabilities: Any) -> MassFunction:
    """Consonant, least committed mass function whose pignistic probability is given.

    Parameters
    ----------
    frame : Frame
        K labels.
    probabilities : (*batch, K) array
        Rows sum to 1.

    Returns
    -------
    MassFunction
        With p in decreasing order, the set of the first *i* labels has mass i (p_i - p_{i+1}).

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9,
        or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a probability is not a number.

    References
    ----------
    Dubois, Prade & Smets (2008), A definition of subjective possibility, Int. J.
    Approximate Reasoning 48, 352-364.

    Examples
    --------
    >>> inverse_pignistic(Frame(["ant", "bee"]), [0.75, 0.25]).to_dict()
    {('ant',): 0.5, ('ant', 'bee'): 0.5}
    """
    return isopignistic(frame, bayesian(frame, probabilities).masses)


def least_committed_isopignistic(m: MassFunction) -> MassFunction:
    """The least committed mass function with the pignistic probability of `m`.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels. A subnormal one is normalized first.

    Returns
    -------
    MassFunction
        Consonant; its commonalities are at least those of the normalized `m`.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Dubois, Prade & Smets (2008), A definition of subjective possibility, Int. J.
    Approximate Reasoning 48, 352-364.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25])
    >>> least_committed_isopignistic(m).to_dict()
    {('ant',): 0.5, ('ant', 'bee'): 0.5}
    """
    return inverse_pignistic(check_mass(m).frame, betp(m))
