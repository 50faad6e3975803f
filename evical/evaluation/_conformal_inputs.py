"""What `ConformalEvaluation` is made of: tables, levels and groups."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import (
    as_array,
    as_floats,
    as_sequence,
    check_count,
    check_level,
    shown,
)
from evical._typing import Floats

__all__ = ["checked_levels", "numbered_groups", "unit_table"]


def unit_table(values: ArrayLike, name: str) -> Floats:
    """A table (n, K) of numbers in [0, 1].

    >>> unit_table([[0.5, 1.5]], "p_values")
    Traceback (most recent call last):
    ValueError: p_values are [0.5, 1.5] in row 0, expected numbers in [0, 1]
    """
    table = as_floats(values, name)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"{name} have shape {table.shape}, expected (n, K) with two classes")
    if len(table) == 0:
        raise ValueError(f"{name} have no row; at least one sample is needed")
    wrong = ~((table >= 0) & (table <= 1)).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"{name} are {table[row].tolist()} in row {row}, expected numbers in [0, 1]"
        )
    return table


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Levels in ascending order, each once.

    >>> checked_levels([0.2, 0.1, 0.2])
    (0.1, 0.2)
    """
    found = as_sequence(levels, "levels", "levels inside (0, 1)")
    if not found:
        raise ValueError("levels is empty, expected at least one inside (0, 1)")
    for i, level in enumerate(found):
        check_level(f"levels[{i}]", level)
    return tuple(sorted({float(level) for level in found}))


def numbered_groups(
    groups: Any, n_calibration: Any, n: int
) -> tuple[NDArray[np.intp], tuple[int | None, ...]]:
    """Number (n,) of the group of each sample, and of calibration samples of each group.

    >>> numbered_groups(["b", "a", "b"], {"a": 9}, 3)
    (array([1, 0, 1]), (9, 0))
    """
    if groups is None:
        if isinstance(n_calibration, Mapping):
            raise TypeError("n_calibration is a mapping, but there are no groups; give a number")
        return np.zeros(n, dtype=np.intp), (_number("n_calibration", n_calibration),)
    labels = as_array(groups, "groups")
    if labels.shape != (n,):
        raise ValueError(f"groups have shape {labels.shape}, expected ({n},)")
    names, members = np.unique(labels, return_inverse=True)
    if n_calibration is None:
        return members, (None,) * len(names)
    if not isinstance(n_calibration, Mapping):
        raise TypeError(
            f"n_calibration is {shown(n_calibration)}, expected a mapping of groups to numbers"
        )
    return members, tuple(
        _number(f"n_calibration[{name!r}]", n_calibration.get(name, 0)) for name in names.tolist()
    )


def _number(name: str, value: Any) -> int | None:
    return None if value is None else check_count(name, value)
