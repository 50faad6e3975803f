"""How probabilities tell that a source is silent: by rows of NaN, where its belief is vacuous."""

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.transform import betp
from evical._typing import Floats

__all__ = ["silences", "spoken_probabilities"]


def spoken_probabilities(m: MassFunction) -> Floats:
    """Pignistic probabilities (*batch, K), NaN where the belief is vacuous.

    Parameters
    ----------
    m : MassFunction

    Returns
    -------
    (*batch, K) array

    Examples
    --------
    >>> from dstheory import Frame
    >>> spoken_probabilities(MassFunction(Frame([0, 1]), [1, 3], [[0.6, 0.4], [0.0, 1.0]]))
    array([[0.8, 0.2],
           [nan, nan]])
    """
    vacuous = np.asarray(m.is_vacuous)[..., np.newaxis]
    return np.where(vacuous, np.nan, np.asarray(betp(m), dtype=np.float64))


def silences(probabilities: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Probabilities (S, n, K), even ones for rows of NaN, and which rows these are (S, n).

    Parameters
    ----------
    probabilities : (S, n, K) array

    Returns
    -------
    probabilities : (S, n, K) array
    silent : (S, n) array of bool

    Examples
    --------
    >>> silences(np.array([[[0.2, 0.8], [np.nan, np.nan]]]))
    (array([[[0.2, 0.8],
            [0.5, 0.5]]]), array([[False,  True]]))
    """
    silent = np.isnan(probabilities[..., 0])
    even = 1 / probabilities.shape[-1]
    return np.where(silent[..., np.newaxis], even, probabilities), silent
