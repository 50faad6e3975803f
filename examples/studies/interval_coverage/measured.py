"""What the study measures, and rows of it."""

from collections.abc import Mapping

from examples.studies._study import Record

__all__ = ["LEARNED", "MEASURES", "SIZES", "Found", "broken", "record"]

SIZES = (50, 200, 1000, 10_000)
"""Numbers of samples."""

LEARNED = (60, 120, 1000)
"""Numbers of training samples of real data; the last is half of the samples where that is less."""

Found = tuple[float, float, float]
"""Coverage, whether all is covered, and mean width."""

_MORE = 100_000  # of the sources of a fusion only
_NAN = float("nan")
_QUANTITIES = ("coverage", "whole", "width")

MEASURES = (
    *(f"{quantity}_{n}" for quantity in _QUANTITIES for n in SIZES),
    f"coverage_{_MORE}",
    f"width_{_MORE}",
    *(f"broken_{n}" for n in SIZES),
    *(f"{quantity}_{n}" for quantity in ("refuted", "uneven", "span") for n in LEARNED),
)
"""Columns of numbers: the first are of an interval, then of a promise, the last of real data."""


def record(group: str, name: str, found: Mapping[int, Found]) -> Record:
    """A row about an interval, NaN for sizes that were not measured.

    Parameters
    ----------
    group, name : str
    found : mapping
        Size to what was found.

    Returns
    -------
    Record
    """
    values = {
        f"{quantity}_{n}": value
        for n, of_size in found.items()
        for quantity, value in zip(_QUANTITIES, of_size, strict=True)
    }
    return (group, name), tuple(values.get(measure, _NAN) for measure in MEASURES)


def broken(group: str, name: str, shares: Mapping[int, float]) -> Record:
    """A row about how often a promise counted as broken.

    Parameters
    ----------
    group, name : str
    shares : mapping
        Size to the share of the draws.

    Returns
    -------
    Record
    """
    values = {f"broken_{n}": share for n, share in shares.items()}
    return (group, name), tuple(values.get(measure, _NAN) for measure in MEASURES)
