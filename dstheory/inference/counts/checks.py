"""Validation of counts: of successes and failures, and of K categories, one row per sample.

Counts may be sums of sample weights, so they are real numbers. Errors name the row and the value.
Fractions and integers in object arrays stay exact on request.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_above_zero,
    check_label_order,
    check_level,
    check_rows,
    common_shape,
    last_labels,
    shown,
)
from dstheory.errors import FrameError
from dstheory.frame import Frame
from dstheory.kernels.exact import without_decimals
from dstheory.kernels.rows import in_row

Array = NDArray[Any]  # float64, or Fractions in an object array
BinomialModel = Literal[
    "likelihood", "confidence", "dempster", "laplace", "inverse_pignistic", "bayesian"
]


_NO_PROPORTION = (
    "the model 'bayesian' has no proportion there; use 'laplace' or an evidential model"
)


def as_counts(
    successes: ArrayLike, trials: ArrayLike, *, exact: bool, needs_trials: bool, most: float
) -> tuple[Array, Array, tuple[int, ...]]:
    """Successes and failures as flat arrays, with their broadcast shape.

    `exact` keeps rational objects (unless the other array is float64); `needs_trials`
    refuses rows without trials; more than `most` trials are refused.

    >>> as_counts([1, 2], 3, exact=False, needs_trials=True, most=3)
    (array([1., 2.]), array([2., 1.]), (2,))
    """
    raw = _numeric("successes", successes), _numeric("trials", trials)
    check_rows(successes=successes, trials=trials)
    shape = common_shape("successes and trials", *(x.shape for x in raw))
    exact = (
        exact and any(x.dtype == object for x in raw) and all(x.dtype.kind in "Oiu" for x in raw)
    )
    k, n = (np.broadcast_to(_converted(x, exact), shape).ravel() for x in raw)
    _check_values("successes", k, shape)
    _check_values("trials", n, shape)
    row = _first(k > n)
    if row is not None:
        raise ValueError(
            f"{k[row]} successes in {n[row]} trials{_at(shape, row)}: "
            "successes must not exceed trials"
        )
    _check_trials(n, shape, needs_trials, most)
    return k, n - k, shape


def as_count_rows(counts: ArrayLike, *, exact: bool) -> tuple[Array, tuple[int, ...]]:
    """Counts as rows (R, K), and their original batch shape.

    `exact` turns rational objects into Fractions; otherwise rows are float64.

    >>> as_count_rows([[[1, 2, 3]]], exact=False)
    (array([[1., 2., 3.]]), (1, 1))
    """
    raw = _numeric("counts", counts)
    if raw.ndim == 0:
        raise ValueError(f"counts are the single number {raw}; give one count for each category")
    rows = _converted(raw, exact and raw.dtype == object).reshape(-1, raw.shape[-1])
    batch = raw.shape[:-1]
    _check_values("count", rows, batch, raw.shape[-1])
    with np.errstate(over="ignore"):  # found here
        total = rows.sum(axis=-1)
    _refuse(total == np.inf, batch, total, "counts sum to {}{}: too large for floating point")
    return rows, batch


def refuse_empty_rows(rows: Array, batch: tuple[int, ...]) -> None:
    """Raise where a row has no observation, for models that need one."""
    total = rows.sum(axis=-1)
    _refuse(total == 0, batch, total, f"counts are all 0{{1}}: {_NO_PROPORTION}")


def as_strength(strength: float, *, exact: bool) -> float | Fraction:
    """Strength of the imprecise Dirichlet model, exact on request if rational.

    >>> as_strength(2, exact=False), as_strength(2, exact=True)
    (2.0, Fraction(2, 1))
    """
    check_above_zero(strength=strength)
    if exact and isinstance(strength, Rational):
        # int() because a Fraction of NumPy integers would overflow.
        return Fraction(int(strength.numerator), int(strength.denominator))
    return float(strength)


def as_tail(confidence: float) -> float:
    """Probability outside a central interval, on either side, (1 - confidence) / 2.

    >>> as_tail(0.5)
    0.25
    """
    check_level("confidence", confidence)
    return (1 - float(confidence)) / 2


def _numeric(name: str, values: object) -> Array:
    if isinstance(values, Mapping):
        raise TypeError(f"{name} are a mapping; give its values, and its keys as the frame")
    array = as_array(values, name)
    if not array.size:
        raise ValueError(f"{name} are empty (shape {array.shape}); give at least one count")
    array = without_decimals(array) if array.dtype == object else array
    if array.dtype == object:
        for row, value in enumerate(array.ravel()):
            if isinstance(value, bool) or not isinstance(value, Rational):
                raise TypeError(
                    f"{name} {value!r}{_at(array.shape, row)} is not rational; "
                    "give numbers, or integers and Fractions in an object array"
                )
    elif array.dtype.kind not in "fiu":
        raise TypeError(
            f"{name} have dtype {array.dtype.name}, expected real numbers: {array.flat[0]!r}"
        )
    return array


def _converted(array: Array, exact: bool) -> Array:
    if not exact:
        return as_floats(array, "counts")
    # int() because a Fraction of NumPy integers would overflow.
    flat = [Fraction(int(v.numerator), int(v.denominator)) for v in array.ravel().tolist()]
    result = np.empty(array.size, dtype=object)
    result[:] = flat
    return result.reshape(array.shape)


def _check_values(name: str, values: Array, shape: tuple[int, ...], n_columns: int = 1) -> None:
    """Raise where a count is not finite or negative, in rows of some columns."""
    if values.dtype != object:
        _refuse(
            ~np.isfinite(values), shape, values, f"{name} {{}}{{}}: not a finite number", n_columns
        )
    _refuse(values < 0, shape, values, f"{name} {{}}{{}}: a count is not negative", n_columns)


def _check_trials(n: Array, shape: tuple[int, ...], needs_trials: bool, most: float) -> None:
    _refuse(n > most, shape, n, f"trials {{}}{{}}: this model takes up to {most:g}; use another")
    if needs_trials:
        _refuse(n == 0, shape, n, f"trials are 0{{1}}: {_NO_PROPORTION}")


def _refuse(
    wrong: Array, shape: tuple[int, ...], values: Array, message: str, n_columns: int = 1
) -> None:
    place = _first(wrong)
    if place is not None:
        raise ValueError(message.format(values.ravel()[place], _at(shape, place // n_columns)))


def _first(wrong: Array) -> int | None:
    rows = np.flatnonzero(wrong)
    return int(rows[0]) if rows.size else None


def _at(shape: tuple[int, ...], flat_row: int) -> str:
    return in_row(np.unravel_index(flat_row, shape))


def by_label(counts: object, frame: Frame | Sequence[Hashable] | None) -> tuple[Any, Any]:
    """Counts (*batch, K) of a mapping in the order of the frame, and the frame; others as they are.

    A Counter counts 0 of what it does not hold.

    >>> by_label(Counter("abb"), ["b", "a", "c"])
    (array([2, 1, 0]), ['b', 'a', 'c'])
    """
    if not isinstance(counts, Mapping):
        return counts, frame
    labels = list(counts if frame is None else frame)
    lacking = set() if isinstance(counts, Counter) else {*labels} - {*counts}
    if odd := ({*counts} - {*labels}) | lacking:
        one = next(label for label in [*counts, *labels] if label in odd)
        where = "has no count" if one in lacking else "is none of the labels"
        raise FrameError(f"{one!r} {where}; labels are {shown(labels)}")
    columns = [as_array(counts[label], f"counts of {label!r}") for label in labels]
    return (np.stack(np.broadcast_arrays(*columns), axis=-1) if labels else np.empty(0)), labels


def as_categories(
    frame: Frame | Sequence[Hashable] | None, size: int, name: str = "counts", values: object = ()
) -> Frame:
    """The frame of so many categories, by default those that values name, or 0, ..., size - 1."""
    named = last_labels(values)
    if frame is None:
        try:
            return Frame(named or range(size))
        except (FrameError, TypeError) as error:  # names repeat, or are missing
            raise FrameError(
                f"names of {name} are no categories ({error}); give a frame, or an array"
            ) from None
    names = frame if isinstance(frame, Frame) else Frame(frame)
    if len(names) != size:
        raise FrameError(
            f"{name} have {size} categories and the frame has {len(names)} labels; "
            f"the last axis of {name} runs over the labels"
        )
    check_label_order(values, names, name)
    return names
