"""Tables of variables: discrete ones as codes, continuous ones as numbers."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_array, number_of, shown
from evical._typing import SamplesLike
from evical.scores.checks import columns_of

# As in a column of names or times: more states than this share of the rows tell nothing.
_MOST_STATES = 0.5
# NaN of any kind, and the missing values of pandas, whose comparisons have no truth value.
_MISSING = ("nan", "<NA>", "NaT")


@dataclass(frozen=True, eq=False)
class Columns:
    """The variables of a table.

    Parameters
    ----------
    names : list
        Of the V variables.
    values : (n, V) array
        Codes of states from 0, or finite numbers.
    sizes : (V,) array or None
        Number of states of each variable; None for continuous ones.

    Examples
    --------
    >>> read = Columns.of([["no", 1], ["yes", 1], ["no", 0]])
    >>> read.names, read.values.tolist(), read.sizes.tolist()
    ([0, 1], [[0, 1], [1, 1], [0, 0]], [2, 2])
    """

    names: list[Any]
    values: NDArray[Any]
    sizes: NDArray[np.int64] | None

    @classmethod
    def of(cls, X: SamplesLike) -> "Columns":
        """Read a table: an array (n, V), a list of rows, or a data frame.

        Columns of floats are continuous; whole numbers, texts, categories and flags are discrete.

        Raises
        ------
        TypeError
            If columns are of different kinds, or of a kind that is neither.
        ValueError
            If there are fewer than two rows or columns, two columns of one name, a missing value,
            a constant column, or more states than the rows can tell anything about.
        """
        names, columns = split_columns(X)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two columns are named {twice!r}; give each a name of its own")
        if len(names) < 2:
            raise ValueError(f"X has {len(names)} column, and a network needs at least 2")
        if len(columns[0]) < 2:
            raise ValueError(
                f"X has {number_of(len(columns[0]), 'row')}, and a network needs at least 2"
            )
        read = [_column(name, column) for name, column in zip(names, columns, strict=True)]
        kinds = [size is None for _, size in read]
        if len(set(kinds)) > 1:
            first, other = kinds.index(True), kinds.index(False)
            raise TypeError(
                f"column {names[first]!r} is continuous and column {names[other]!r} is discrete, "
                "expected columns of one kind; cut the continuous ones into classes"
            )
        values = np.stack([part for part, _ in read], axis=1)
        if kinds[0]:
            return cls(names, values, None)
        return cls(names, values, np.array([size for _, size in read], dtype=np.int64))

    def rows(self, chosen: NDArray[np.intp]) -> "Columns":
        """Some rows, with the states of all."""
        return Columns(self.names, self.values[chosen], self.sizes)


def split_columns(X: Any) -> tuple[list[Any], list[NDArray[Any]]]:
    """Names and columns of a table.

    Examples
    --------
    >>> split_columns([["no", 1], ["yes", 0]])
    ([0, 1], [array(['no', 'yes'], dtype=object), array([1, 0], dtype=object)])
    """
    if hasattr(X, "columns"):
        names = columns_of(X)
        return names, [np.asarray(_by_category(X[name])) for name in names]
    array = as_array(X if hasattr(X, "dtype") else _of_objects(X), "X")
    if array.ndim != 2:
        raise ValueError(f"X has shape {array.shape}, expected (rows, columns)")
    return list(range(array.shape[1])), list(array.T)


def _by_category(column: Any) -> Any:
    """A column with texts for categories of pandas that are floats, intervals or dates."""
    rename = getattr(getattr(column, "cat", None), "rename_categories", None)
    return rename(str) if rename and column.cat.categories.dtype.kind not in "iub" else column


def _of_objects(X: SamplesLike) -> Any:
    """Nested lists as they are: NumPy would turn numbers beside texts into texts."""
    try:
        array = np.asarray(X)
    except ValueError:
        return X  # rows of different lengths, of which `as_array` speaks
    return array if array.dtype.kind in "iufb" else np.asarray(X, dtype=object)


def _column(name: str, column: NDArray[Any]) -> tuple[NDArray[Any], int | None]:
    """Codes and number of states of a column, or its numbers and None."""
    if column.ndim != 1:
        raise ValueError(f"column {name!r} has shape {column.shape}, expected one value per row")
    if column.dtype.kind == "O":
        column = _of_one_kind(name, column)
    if column.dtype.kind == "f":
        return _numbers(name, column), None
    if column.dtype.kind not in "iubSU":
        raise _wrong_kind(name, str(column.dtype))
    states, codes = np.unique(column, return_inverse=True)
    _refuse_constant(name, len(states), states[0])
    if len(states) > max(2, _MOST_STATES * len(column)):
        raise ValueError(
            f"column {name!r} has {len(states)} states in {len(column)} rows, too many to learn "
            "from; merge states, leave the column out, or give floats for a continuous variable"
        )
    return codes, len(states)


def _of_one_kind(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """A column of Python objects as an array of texts, whole numbers or floats."""
    for row, value in enumerate(column.tolist()):
        if value is None or (not isinstance(value, str) and str(value) in _MISSING):
            raise ValueError(_missing(name, row, value))
    kinds = {type(value) for value in column.tolist()}
    texts = {issubclass(kind, str) for kind in kinds}
    if len(texts) > 1:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"column {name!r} mixes {names}; make its states all texts or all numbers")
    for kind in kinds:
        if not issubclass(kind, str | bytes | Real | np.bool_):
            raise _wrong_kind(name, kind.__name__)
    return np.asarray(column.tolist())


def _wrong_kind(name: str, kind: str) -> TypeError:
    return TypeError(
        f"column {name!r} holds {kind}, expected floats (continuous), or whole numbers, texts or "
        "flags (discrete)"
    )


def _numbers(name: str, column: NDArray[Any]) -> NDArray[np.float64]:
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise ValueError(_missing(name, int(bad[0]), column[bad[0]]))
    numbers = column.astype(np.float64)
    spread, size = float(np.ptp(numbers)), float(np.abs(numbers).max())
    _refuse_constant(name, 1 if spread <= np.finfo(np.float64).eps * size else 2, column[0])
    return numbers


def _missing(name: str, row: int, value: object) -> str:
    return (
        f"column {name!r} is {_plain(value)} in row {row}, but no value may be missing; leave out "
        "the row, or give missing values a state of their own"
    )


def _refuse_constant(name: str, n_states: int, value: object) -> None:
    if n_states == 1:
        raise ValueError(
            f"column {name!r} is constant (always {_plain(value)})"
            "; leave it out, since nothing can be learned about its edges"
        )


def _plain(value: object) -> str:
    """A value as text, without the type that NumPy gives it."""
    return shown(getattr(value, "item", lambda: value)())
