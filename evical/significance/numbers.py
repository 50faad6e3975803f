"""Results of two methods as arrays, and up to rounding: equal in exact arithmetic is a tie.

How p-values and small tables are printed, and tables as data frames.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_floats, check_rows
from dstheory.optional import require
from evical._typing import Floats
from evical.scores.checks import refuse


def p_text(pvalue: float) -> str:
    """A p-value in a sentence.

    >>> p_text(0.0312), p_text(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.2g}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table with the first column to the left and the others to the right.

    >>> aligned([("a", "1"), ("bc", "10")])
    ['  a    1', '  bc  10']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]


def data_frame(index: Sequence[str], columns: Mapping[str, Any]) -> Any:
    """Pandas data frame with a row for each method."""
    require("pandas", "a table of methods")
    import pandas as pd

    return pd.DataFrame(dict(columns), index=pd.Index(index, name="method"))


# Digits kept of the greatest number. Means of the same values in another order, or differences
# such as 0.3 - 0.2 and 0.2 - 0.1, differ in the sixteenth.
_DIGITS = 12


def without_rounding(values: Floats, size: Any) -> Floats:
    """Values to twelve digits of numbers of this size.

    >>> without_rounding(np.array([0.3 - 0.2, 0.2 - 0.1]), 0.5)
    array([0.1, 0.1])
    """
    unit = np.where(np.asarray(size) > 0, size, 1.0)
    return np.asarray(np.round(values / unit, _DIGITS) * unit)


def paired_values(values1: ArrayLike, values2: ArrayLike) -> tuple[Floats, Floats]:
    """Finite results (n,) of two methods, at least one of each.

    >>> paired_values([1, 2], [3, 4])
    (array([1., 2.]), array([3., 4.]))
    """
    first, second = as_floats(values1, "values1"), as_floats(values2, "values2")
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise ValueError(
            f"values have shapes {first.shape} and {second.shape}, expected (n,) twice, with the "
            "same n of at least 1"
        )
    check_rows(values1=values1, values2=values2)
    for name, values in (("values1", first), ("values2", second)):
        refuse(values, ~np.isfinite(values), name, "a finite number")
    return first, second
