"""How p-values and small tables are printed, and tables as data frames."""

from collections.abc import Mapping, Sequence
from typing import Any

from dstheory.optional import require

__all__ = ["aligned", "data_frame", "p_text"]


def p_text(pvalue: float) -> str:
    """A p-value in a sentence.

    >>> p_text(0.0312), p_text(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.2g}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, the others to the right.

    >>> aligned([("a", "1"), ("bc", "10")])
    ['  a    1', '  bc  10']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]


def data_frame(index: Sequence[str], columns: Mapping[str, Any]) -> Any:
    """A pandas data frame with a row for each method; pandas is loaded only here."""
    require("pandas", "a table of methods")
    import pandas as pd

    return pd.DataFrame(dict(columns), index=pd.Index(index, name="method"))
