"""The most committed consonant belief function that dominates a confidence set (mcd).

Each probability within Goodman's intervals, taken as pignistic, has a least committed belief
function, which is consonant: pl(k) = sum over l of min(p_l, p_k). The contour here is the largest
of these values over the set. So the result is less committed than each of these belief functions,
and no other consonant one with this property is more committed.

Source: A. Aregui, T. Denoeux, Constructing consonant belief functions from sample data using
confidence sets of pignistic probabilities, International Journal of Approximate Reasoning 49,
2008, 575-594; they solve a linear program for each category and each set of likelier ones.
"""

import numpy as np

from dstheory._typing import Floats
from dstheory.inference.counts._goodman import goodman_limits

__all__ = ["dominating_contour"]


def dominating_contour(rows: Floats, tail: float) -> Floats:
    """Contour (R, K) from counts (R, K), for a joint error of 2 `tail`.

    With t = p_k fixed, the sum of min(p_l, t) is 1 minus the excess over t, and at most the sum of
    min(u_l, t). The excess is at least the sum of (l_l - t)+. The intervals are coherent, so both
    bounds are attained. Both increase with t, hence t = u_k.
    """
    low, high = goodman_limits(rows, tail)
    contour = np.empty_like(high)
    for k in range(rows.shape[1]):
        most = high[:, [k]]
        forced = np.maximum(low - most, 0).sum(axis=1)
        room = np.minimum(high, most).sum(axis=1)
        contour[:, k] = np.minimum(1 - forced, room)
    # The likeliest category has exactly 1, because the upper limits sum to 1 or more.
    contour[high == high.max(axis=1, keepdims=True)] = 1
    return np.asarray(np.maximum(contour, 0))
