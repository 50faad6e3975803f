"""Validation of count vectors: how often each of K categories was seen, one row per sample.

Counts may be sums of sample weights, so they are real numbers. Errors name the row and the value.
Integers and Fractions in object arrays stay exact on request.
"""

from fractions import Fraction
from numbers import Rational

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_real, shown
from dstheory.inference.counts.checks import Array, _at, _converted, _first, _numeric


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
    if rows.dtype != object:
        _refuse(~np.isfinite(rows), rows, batch, "not a finite number")
    _refuse(rows < 0, rows, batch, "a count is not negative")
    with np.errstate(over="ignore"):  # found here
        row = _first(rows.sum(axis=-1) == np.inf)
    if row is not None:
        raise ValueError(f"counts sum to inf{_at(batch, row)}: too large for floating point")
    return rows, batch


def refuse_empty_rows(rows: Array, batch: tuple[int, ...]) -> None:
    """Raise where a row has no observation; for models that need one."""
    row = _first(rows.sum(axis=-1) == 0)
    if row is not None:
        raise ValueError(
            f"counts are all 0{_at(batch, row)}: the model 'bayesian' has no proportions there; "
            "use 'laplace' or an evidential model"
        )


def as_strength(strength: float, *, exact: bool) -> float | Fraction:
    """The strength of the imprecise Dirichlet model; rational ones stay exact on request.

    >>> as_strength(2, exact=False), as_strength(2, exact=True)
    (2.0, Fraction(2, 1))
    """
    number = as_real("strength", strength, "a positive number, usually 1")
    if not 0 < number < float("inf"):
        expected = "a positive finite number, usually 1"
        raise ValueError(f"strength is {shown(strength)}, expected {expected}")
    if exact and isinstance(strength, Rational):
        # int() because a Fraction of NumPy integers would overflow.
        return Fraction(int(strength.numerator), int(strength.denominator))
    return number


def _refuse(wrong: Array, rows: Array, batch: tuple[int, ...], what: str) -> None:
    place = _first(wrong)
    if place is not None:
        row, category = divmod(place, rows.shape[1])
        raise ValueError(f"count {rows[row, category]}{_at(batch, row)}: {what}")
