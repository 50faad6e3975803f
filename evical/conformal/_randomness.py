"""Random numbers of predictions, which repeat: those of a row follow from a seed and its number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats


def new_seed(rng: np.random.RandomState) -> int:
    """A seed for predictions, whose random numbers must not be those of calibration.

    Parameters
    ----------
    rng : RandomState

    Returns
    -------
    int

    Examples
    --------
    >>> 0 <= new_seed(np.random.RandomState(0)) < 2**31
    True
    """
    return int(rng.randint(2**31 - 1))


def random_shares(seed: int, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Uniform numbers u, of a score, and tau, of ties, for rows of a table.

    Parameters
    ----------
    seed : int
    rows : (n,) array
        Numbers of the rows, from 0: parts of a table get the numbers of the whole.

    Returns
    -------
    u, tau : (n,) arrays

    Examples
    --------
    >>> whole, part = (random_shares(0, rows)[0] for rows in (np.arange(5), np.array([2, 4])))
    >>> np.array_equal(whole[[2, 4]], part)
    True
    """
    if not len(rows):
        return np.empty(0), np.empty(0)
    first, last = int(rows.min()), int(rows.max())
    bits: Any = np.random.PCG64(seed)
    found = np.random.Generator(bits.advance(2 * first)).uniform(size=(last + 1 - first, 2))
    u, tau = found[rows - first].T
    return u, tau
