"""Scores rounded to cells that nest, so that counts of parts merge in any order.

A cell holds the floats that agree in sign, exponent and the first bits of the significand. Cells of
fewer bits are unions of cells of more, so it does not matter when, or how often, scores are rounded
on the way to the fewest bits.
"""

import numpy as np

from evical._typing import Floats

__all__ = ["EXACT", "bits_within", "rounded"]


EXACT = 52
"""Bits of a significand after the first."""


def rounded(scores: Floats, bits: int) -> Floats:
    """The middle of the cell of each score.

    Parameters
    ----------
    scores : (m,) array
        Finite.
    bits : int, from 0 to 52
        Bits of the significand, after the first, that a cell fixes.

    Returns
    -------
    (m,) array
        Each at most ``2**-(bits + 1)`` of the score away from it; 0 stays 0, and 52 bits change
        nothing.

    Examples
    --------
    >>> rounded(np.array([1.0, 1.3, 1.6, -3.0, 0.0]), 1)
    array([ 1.25,  1.25,  1.75, -3.5 ,  0.  ])
    """
    if bits >= EXACT:
        return scores
    dropped = EXACT - bits
    cells = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64) >> dropped << dropped
    middle = (cells | 1 << (dropped - 1)).view(np.float64)
    return np.where(np.abs(scores) < np.finfo(np.float64).tiny, 0.0, middle)


def bits_within(scores: Floats, max_size: int) -> int:
    """The most bits with which no more than so many scores are distinct.

    Parameters
    ----------
    scores : (m,) array
        Distinct, ascending.
    max_size : int

    Returns
    -------
    int
        From 0 to 52. Zero bits leave a score for each sign and power of 2, 4,093 in all, which may
        be more than `max_size`.

    Examples
    --------
    >>> bits_within(np.array([1.0, 1.1, 1.6, 1.9]), 2)
    1
    """
    if len(scores) <= max_size:
        return EXACT
    enough, too_many = 0, EXACT
    while too_many - enough > 1:
        bits = (enough + too_many) // 2
        kept = 1 + np.count_nonzero(np.diff(rounded(scores, bits)))
        enough, too_many = (bits, too_many) if kept <= max_size else (enough, bits)
    return enough
