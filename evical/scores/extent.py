"""Whether scores to predict are on another scale than those of `fit`, by the ends of both.

Single scores outside the range of `fit` are normal, and a batch may be sorted, shifted or of one
class. Three things are not: many scores further outside than that range is wide, the other sign,
and probabilities where scores were spread over five or more. `tests/benchmarks/bench_extent.py`
measures false alarms and what is found.
"""

import warnings

from evical._typing import Floats
from evical.errors import ScaleWarning

Extent = tuple[float, float]
"""The least and the greatest score of `fit`."""

_FITTED, _ROWS = 30, 10  # scores below which nothing is said; fits of 20 raised false alarms
_SHARE = 0.2  # of rows beyond; heavy tails have fewer
_UNIT, _NEAR = 5.0, 0.05  # width of the range of `fit`, and how near 0 and 1 probabilities come


def extent_of(scores: Floats) -> Extent | None:
    """The range of scores of `fit`, (n,) or (n, K); None of too few."""
    few = len(scores) < _FITTED
    return None if few else (float(scores.min()), float(scores.max()))


def warn_of_scale(
    scores: Floats, extent: Extent, stacklevel: int = 5, name: str = "scores"
) -> None:
    """Warn, by `ScaleWarning`, of ten or more scores that are on another scale than those of `fit`.

    Parameters
    ----------
    scores : (n,) or (n, K) array
    extent : Extent
        Of `fit`.
    stacklevel : int
    name : str
        Of the scores in the message.

    Examples
    --------
    >>> import numpy as np
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_scale(np.arange(40) / 20, (0.0, 1.0))  # some beyond
    ...     warn_of_scale(np.arange(40.0), (0.0, 1.0))
    >>> print(*[one.message for one in caught])
    scores are from 0 to 39, but those of fit were from 0 to 1; check that both have the same \
scale and sign (percent or proportion, log-odds or probability), or fit again if scores have \
changed that much
    """
    if len(scores) < _ROWS:
        return
    (low, high), least, greatest = extent, float(scores.min()), float(scores.max())
    if _is_far(scores, low, high, least, greatest) or _is_other(low, high, least, greatest):
        warnings.warn(
            f"{name} are from {least:.4g} to {greatest:.4g}, but those of fit were from {low:.4g} "
            f"to {high:.4g}; check that both have the same scale and sign (percent or proportion, "
            "log-odds or probability), or fit again if scores have changed that much",
            ScaleWarning,
            stacklevel=stacklevel,
        )


def _is_far(scores: Floats, low: float, high: float, least: float, greatest: float) -> bool:
    """Whether many rows have a score that is further outside than the range is wide."""
    # Halves: the range may exceed all floats.
    below, above = low / 2 - (high / 2 - low / 2), high / 2 + (high / 2 - low / 2)
    if high == low or not (least / 2 < below or greatest / 2 > above):
        return False
    beyond = (scores / 2 < below) | (scores / 2 > above)
    return bool(beyond.reshape(len(scores), -1).any(axis=1).mean() >= _SHARE)


def _is_other(low: float, high: float, least: float, greatest: float) -> bool:
    """Whether scores have the other sign, or are probabilities where those of `fit` were not."""
    turned = (low >= 0 >= greatest or least >= 0 >= high) and greatest - least >= (high - low) / 4
    unit = 0 <= least <= _NEAR and 1 - _NEAR <= greatest <= 1
    return bool((turned and high > low) or (unit and high - low >= _UNIT))
