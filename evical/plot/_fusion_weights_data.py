"""What a fusion learned about its sources, as the numbers of a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_floats, as_sequence
from evical._typing import Floats
from evical.fusion import BaseFusion

__all__ = [
    "KINDS",
    "Kind",
    "Learned",
    "checked_errors",
    "checked_names",
    "checked_numbers",
    "learned_by",
    "learned_from",
    "without_repeats",
]


_HAVE_WEIGHTS = (
    '"stacked", "discounted", "contextually_discounted", "size_mixture" and "likelihood_mixture" '
    "have weights"
)


class Kind(NamedTuple):
    """What numbers of sources mean.

    Parameters
    ----------
    label : str
        Of the axis.
    marks : mapping of str to float
        Values to compare with, by what they mean.
    low, high : float
        What the numbers may be.
    """

    label: str
    marks: Mapping[str, float]
    low: float
    high: float


_SILENT = "0: silent"
KINDS = {
    "evidence": Kind(
        "Weight of evidence",
        {_SILENT: 0.0, "1: Dempster's rule, as if independent": 1.0},
        -np.inf,
        np.inf,
    ),
    "reliability": Kind(
        "Reliability, 1 - discount rate",
        {_SILENT: 0.0, "1: Dempster's rule, fully reliable": 1.0},
        0.0,
        1.0,
    ),
    "share": Kind("Weight in the mean", {_SILENT: 0.0, "1: nothing else counts": 1.0}, 0.0, 1.0),
}


@dataclass(frozen=True, eq=False)
class Learned:
    """Numbers of S sources, common to all classes or one for each.

    Parameters
    ----------
    values : (S,) or (S, K) array
    standard_error : array like `values`, or None
    kind : {"evidence", "reliability", "share"}
    """

    values: Floats
    standard_error: Floats | None
    kind: str


def learned_from(by_source: Mapping[str, Any]) -> Learned | None:
    """Weights or reliabilities among what a fusion says `by_source`; None if there are none.

    >>> learned_from({"rates_": np.array([0.25, 1.0])}).values
    array([0.75, 0.  ])
    """
    known = {name: np.asarray(values, dtype=np.float64) for name, values in by_source.items()}
    if set(known) == {"weights_", "standard_error_"}:
        return Learned(known["weights_"], known["standard_error_"], "evidence")
    if set(known) == {"rates_"}:
        return Learned(1 - known["rates_"], None, "reliability")
    if set(known) == {"weights_"}:
        return Learned(known["weights_"], None, "share")
    return None


def learned_by(fusion: Any) -> Learned:
    """Weights or reliabilities of a fitted fusion; an error if it has none."""
    if isinstance(fusion, type) or not callable(fusion):
        raise TypeError(f"fusion is {fusion!r}, expected a fitted fusion of evical.fusion")
    found = learned_from(fusion.by_source()) if isinstance(fusion, BaseFusion) else None
    if found is None:
        name = repr(fusion) if isinstance(fusion, BaseFusion) else _name(fusion)
        raise ValueError(f"{name} has no weights to show; {_HAVE_WEIGHTS}")
    return found


def _name(rule: Any) -> str:
    return str(getattr(rule, "__name__", repr(rule)))


def checked_numbers(values: Any, name: str, kind: Kind) -> Floats:
    """Numbers (S, C) in the range of their kind; a column if there are none of classes."""
    array = as_floats(values, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{name} have shape {array.shape}, expected (S,) or (S, K)")
    array = array.reshape(len(array), -1)
    wrong = ~(np.isfinite(array) & (array >= kind.low) & (array <= kind.high))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        expected = "a finite number" if np.isinf(kind.high) else "a number in [0, 1]"
        raise ValueError(f"{name}[{row}] has {array[row, column]:g}, expected {expected}")
    return array


def checked_names(names: Any, count: int, what: str, one: str) -> tuple[str, ...]:
    """As many different names as there are things; numbered by default."""
    if names is None:
        return tuple(f"{one} {i + 1}" for i in range(count))
    given: Sequence[Any] = as_sequence(names, what, "names")
    texts = tuple(map(str, given))
    if len(texts) != count:
        raise ValueError(f"there are {len(texts)} {what}, expected {count}, one for each {one}")
    return texts


def checked_errors(standard_error: ArrayLike | None, columns: Floats) -> Floats | None:
    """Standard errors in the shape of the columns of weights."""
    if standard_error is None:
        return None
    errors = checked_numbers(standard_error, "standard_error", KINDS["evidence"])
    if errors.shape != columns.shape or (errors < 0).any():
        raise ValueError(
            f"standard_error has shape {np.shape(standard_error)} and minimum {errors.min():g}, "
            "expected numbers from 0 in the shape of weights"
        )
    return errors


def without_repeats(
    learned: Learned, class_names: Sequence[str] | None
) -> tuple[Floats, Floats | None, Sequence[str] | None]:
    """Without columns that only repeat the first, for weights that classes share."""
    values, errors = learned.values, learned.standard_error
    if values.ndim == 1:
        return values, errors, None
    tables = [values] if errors is None else [values, errors]
    if values.shape[1] > 1 and all((table == table[:, :1]).all() for table in tables):
        return values[:, 0], None if errors is None else errors[:, 0], None
    return values, errors, class_names
