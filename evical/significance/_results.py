"""A table of results: a row for each data set, a column for each method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from dstheory.checks.arguments import as_floats, as_sequence, check_flag
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.significance.numbers import without_rounding


@dataclass(frozen=True, eq=False)
class Results(ShownFields):
    """Results of several methods on several data sets.

    Parameters
    ----------
    values : (N, k) array
        Means over the splits of each data set. Ranks compare methods within a row; differences
        below twelve digits of its greatest value are ties.
    methods : sequence of k names
    greater_is_better : bool
        Whether the greatest value of a row has rank 1.

    Raises
    ------
    ValueError
        If the table has fewer than 2 rows or columns, a value is not finite, or the names are
        not as many as the columns, and distinct.
    TypeError
        If values are not numbers.

    Examples
    --------
    >>> Results([[0.9, 0.8], [0.7, 0.7]], ["a", "b"]).ranks
    array([[1. , 2. ],
           [1.5, 1.5]])
    """

    values: Floats
    methods: Sequence[str]
    greater_is_better: bool = True

    def __post_init__(self) -> None:
        values = as_floats(self.values, "results").copy()
        names = tuple(map(str, as_sequence(self.methods, "methods", "names of methods")))
        check_flag("greater_is_better", self.greater_is_better)
        if values.ndim != 2 or min(values.shape) < 2:
            raise ValueError(
                f"results have shape {values.shape}, expected a row for each of at least 2 data "
                "sets and a column for each of at least 2 methods"
            )
        if len(names) != values.shape[1] or len(set(names)) != len(names):
            raise ValueError(
                f"methods are {list(names)}, expected {values.shape[1]} different names"
            )
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"the result of {names[column]!r} in row {row} is {values[row, column]}; leave "
                "that data set out, or the method"
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "methods", names)

    @property
    def ranks(self) -> Floats:
        """Rank (N, k) of each method on each data set, 1 the best; ties share their mean."""
        values = without_rounding(self.values, np.abs(self.values).max(axis=1, keepdims=True))
        signed = -values if self.greater_is_better else values
        return np.asarray(rankdata(signed, axis=1))

    @property
    def mean_ranks(self) -> Floats:
        """Mean (k,) of the ranks over the data sets."""
        return np.asarray(self.ranks.mean(axis=0))


def as_results(results: Any, greater_is_better: bool) -> Results:
    """Results from a data frame, whose columns are the methods, or from an array.

    Raises
    ------
    TypeError
        If a column of a data frame, or a value, is not a number.
    """
    check_flag("greater_is_better", greater_is_better)
    if isinstance(results, Results):
        return results
    if hasattr(results, "columns"):
        wrong = [name for name, kind in results.dtypes.items() if kind.kind not in "fiub"]
        if wrong:
            raise TypeError(
                f"column {wrong[0]!r} does not hold numbers; make the data sets the index, and "
                "keep a column for each method"
            )
        return Results(results.to_numpy(dtype=np.float64), list(results.columns), greater_is_better)
    values = as_floats(results, "results")
    count = values.shape[1] if values.ndim == 2 else 0
    return Results(values, [f"method {j}" for j in range(count)], greater_is_better)
