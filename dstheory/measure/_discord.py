"""Conflict within one belief, in bits: how little its focal sets agree with each other.

Each measure is a mean of -log2 of the agreement of a focal set with the others, and equals
Shannon's entropy for probabilities. They differ in what counts as agreement: meeting the others
(Yager), covering them (Klir & Ramer), being covered by them (Klir & Parviz), or being the same set
(Nguyen, Pal).
"""

from typing import Any

import numpy as np

from dstheory.kernels import bits, setwise
from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.measure._inputs import mean_surprise, normalized_floats

__all__ = ["discord", "dissonance", "pal_conflict", "strife"]


def dissonance(m: MassFunction) -> Any:
    """Yager's dissonance: the mean of -log2 Pl(A).

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; Shannon's entropy for probabilities, 0 if all focal sets meet.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Yager (1983), Entropy and specificity in a mathematical theory of evidence.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> dissonance(MassFunction(Frame(list("abc")), [1, 6], [0.5, 0.5]))
    1.0
    """
    focal, masses = normalized_floats(m)
    meet = (bits.common(focal) > 0).astype(np.float64)
    return scalar(mean_surprise(masses, setwise.weighted_sum(meet, masses)))


def discord(m: MassFunction) -> Any:
    """Klir and Ramer's discord: the mean of -log2 of the sum over B of m(B) |A & B| / |B|.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; Shannon's entropy for probabilities.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Klir & Ramer (1990), Uncertainty in the Dempster-Shafer theory: a critical re-examination.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> discord(MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5]))
    1.0
    """
    focal, masses = normalized_floats(m)
    shares = bits.common(focal) / bits.cardinality(focal)
    return scalar(mean_surprise(masses, setwise.weighted_sum(shares, masses)))


def strife(m: MassFunction) -> Any:
    """Klir and Parviz' strife: the mean of -log2 of the sum over B of m(B) |A & B| / |A|.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits; Shannon's entropy for probabilities.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Klir & Parviz (1992), A note on the measure of discord, UAI 1992.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> strife(MassFunction(Frame(list("ab")), [1, 2], [0.5, 0.5]))
    1.0
    """
    focal, masses = normalized_floats(m)
    shares = bits.common(focal) / bits.cardinality(focal)[:, np.newaxis]
    return scalar(mean_surprise(masses, setwise.weighted_sum(shares, masses)))


def pal_conflict(m: MassFunction) -> Any:
    """The conflict part of Pal's measure, Shannon's entropy of the masses.

    Parameters
    ----------
    m : MassFunction
        One or a batch. A subnormal one is normalized first.

    Returns
    -------
    float, or array of the batch shape
        In bits.

    Raises
    ------
    TotalConflictError
        If all mass of a row is on the empty set.

    References
    ----------
    Pal, Bezdek & Hemasinha (1993), Uncertainty measures for evidential reasoning II;
    Nguyen (1987), On entropy of random sets and possibility distributions.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> pal_conflict(MassFunction(Frame(list("ab")), [1, 3], [0.5, 0.5]))
    1.0
    """
    _, masses = normalized_floats(m)
    return scalar(mean_surprise(masses, masses))
