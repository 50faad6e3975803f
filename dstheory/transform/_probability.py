"""Probabilities from beliefs: the pignistic and the plausibility transform.

The pignistic transform shares each mass evenly among the labels of its set. The plausibility
transform normalizes the contour; it commutes with Dempster's rule.

Possibilities from probabilities: the least committed one, and the most specific one.

Of all belief functions with the same pignistic probability, one is least committed in the order of
commonalities, and it is consonant (Dubois, Prade & Smets 2008). Of all possibility distributions
whose necessity and possibility bracket a probability, the optimal one of Dubois & Prade is most
specific.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Numbers
from dstheory.construct import bayesian, consonant
from dstheory.construct.chains import isopignistic
from dstheory.frame import Frame
from dstheory.kernels import bits, setwise
from dstheory.kernels.pairwise import refuse_total_conflict
from dstheory.kernels.rounding import ROUNDING
from dstheory.mass import MassFunction


def inverse_pignistic(frame: Frame, probabilities: Numbers) -> MassFunction:
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
        With p in decreasing order, the set of the first *i* labels has mass i (p_i - p_{i+1}). For
        p = betp(m), its commonalities are at least those of the normalized `m`: it is the least
        committed mass function with that pignistic probability.

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9,
        or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a probability is not a number.

    See Also
    --------
    optimal_possibility : of the beliefs that allow the probability, the most specific possibility.

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


def optimal_possibility(frame: Frame, probabilities: Numbers) -> MassFunction:
    """The most specific possibility distribution that allows a probability, as a mass function.

    Parameters
    ----------
    frame : Frame
        K labels.
    probabilities : (*batch, K) array
        Rows sum to 1.

    Returns
    -------
    MassFunction
        Consonant; the possibility of a label is the sum of the probabilities that do not exceed
        its own, so that Bel(A) <= P(A) <= Pl(A).

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9,
        or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a probability is not a number.

    See Also
    --------
    inverse_pignistic : less specific, for betting: it has the probability as its pignistic one.

    Notes
    -----
    The probability is objective, such as a frequency, and the possibility loses as little as
    possible of it. `inverse_pignistic` takes it for the bets of someone who may know less. Labels
    of equal probability, up to rounding, have equal possibility.

    References
    ----------
    Dubois & Prade (1982), On several representations of an uncertain body of evidence, in: Fuzzy
    Information and Decision Processes; Dubois, Foulloy, Mauris & Prade (2004),
    Probability-possibility transformations, triangular fuzzy sets, and probabilistic
    inequalities, Reliable Computing 10, 273-297.

    Examples
    --------
    >>> optimal_possibility(Frame(["ant", "bee"]), [0.75, 0.25]).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    """
    p = bayesian(frame, probabilities).masses
    order = np.argsort(p, axis=-1, kind="stable")
    rising = np.take_along_axis(p, order, axis=-1)
    sums = np.cumsum(rising, axis=-1)
    sums[..., -1] = 1  # whatever the rounding of the sum
    # Labels that are equal, up to rounding, share the sum of the last of them.
    gap = rising[..., 1:] * (1 - (0 if p.dtype == object else ROUNDING)) > rising[..., :-1]
    last = np.append(gap, np.ones_like(rising[..., :1]), axis=-1)
    shared = np.where(np.asarray(last, dtype=bool), sums, np.inf)[..., ::-1]
    shared = np.minimum(np.minimum.accumulate(shared, axis=-1)[..., ::-1], 1)
    possibility = np.empty_like(shared)
    np.put_along_axis(possibility, order, shared, axis=-1)
    return consonant(frame, possibility)


def betp(m: MassFunction) -> NDArray[Any]:
    """Pignistic probability of each label.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels. A subnormal one is normalized first.

    Returns
    -------
    (*batch, K) array
        Rows sum to 1; float64 or exact objects as in `m`.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Smets & Kennes (1994), The transferable belief model; Xu et al. (2016), eq. 9.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> betp(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.5, 0.5]))
    array([0.75, 0.25])
    """
    normal = check_mass(m).normalize()
    focal, store = normal.focal, normal.store
    sizes = bits.cardinality(focal).astype(store.dtype)  # Python ints keep fractions exact
    shares = store / sizes.reshape(-1, *(1,) * len(m.batch_shape))
    sums = setwise.weighted_sum(bits.members(focal, len(m.frame)), shares)
    return np.moveaxis(sums, 0, -1)


def plausibility_transform(m: MassFunction) -> NDArray[Any]:
    """Plausibility of each label, normalized to a probability.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels.

    Returns
    -------
    (*batch, K) array
        Rows sum to 1; float64 or exact objects as in `m`.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Voorbraak (1989); Cobb & Shenoy (2006), On the plausibility transformation method for
    translating belief function models to probability models, Int. J. Approximate Reasoning
    41, 314-330.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> plausibility_transform(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25]))
    array([0.8, 0.2])
    """
    check_mass(m)
    contour = setwise.contour(m.focal, m.store, len(m.frame))
    total = np.asarray(contour.sum(axis=0))
    refuse_total_conflict(total)
    return np.moveaxis(np.asarray(contour / total), 0, -1)
