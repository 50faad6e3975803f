"""Predictions of DuckDB on large tables: one search for the piece, then lists of coefficients.

`to_sql` writes expressions that stand by themselves, and each of them searches. Here columns follow
from others, and all rows of a chunk go through the same products.
"""

import numpy as np
from numpy.typing import NDArray

from evical.calibrators import BaseCalibrator
from evical.export._compile import compiled
from evical.export._dialects import dialect_of, number
from evical.export._inputs import check_binary
from evical.export._sql import search_sql
from evical.scores.names import ENDS


def lookup_steps(
    calibrator: BaseCalibrator, column: str, prefix: str, level: float | None = None
) -> list[str]:
    """Columns that DuckDB adds to a table, step by step, up to belief and plausibility.

    Parameters
    ----------
    calibrator : fitted calibrator
        Of one score.
    column : str
        Of scores, as 64-bit floats.
    prefix : str
        Of the names of new columns, which are ``piece``, ``t``, ``bel`` and ``pl``; ``p`` where
        the probability is not in the middle, and ``lower`` and ``upper`` if there is a level.
    level : float, optional
        Of the confidence interval.

    Returns
    -------
    list of str
        What stands after ``SELECT *,`` in each step. What is no score gets NULL.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> fitted = BinningCalibrator(n_bins=2, model="dempster")
    >>> fitted = fitted.fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> for step in lookup_steps(fitted, "score", ""):
    ...     print(step)
    CASE WHEN "score">=-1.7976931348623157e+308 AND "score"<=1.7976931348623157e+308 THEN
    CASE WHEN "score"<0.5e0 THEN 1 ELSE 2 END END AS "piece"
    ("score"-[0e0,0e0]["piece"])*[0e0,0e0]["piece"] AS "t"
    [0e0,0.3333333333333333e0]["piece"] AS "bel", [0.33333333333333337e0,0.6666666666666667e0]\
["piece"] AS "pl"
    """
    check_binary(calibrator)
    form, table = dialect_of("duckdb"), compiled(calibrator, level=level)
    x, piece, t = (form.quoted(name) for name in (column, f"{prefix}piece", f"{prefix}t"))
    starts = ["", *map(number, table.starts.tolist())]
    found = search_sql([(start, str(i + 1)) for i, start in enumerate(starts)], x)
    limits = f"{x}>={number(table.low)} AND {x}<={number(table.high)}"
    # On a constant piece the distance could overflow, and infinity times 0 is no number.
    rows = dict(zip(("bel", "pl", "p", *ENDS), table.coefficients, strict=False))
    if not calibrator._gives_ends:
        del rows["p"]
    curved = np.stack(list(rows.values()))[:, 1:].any(axis=(0, 1))
    centers, factors = (np.where(curved, a, 0.0) for a in (table.centers, table.factors))
    columns = []
    for name, powers in rows.items():
        text = _entry(powers[-1], piece)
        for values in powers[-2::-1]:
            text = f"({_entry(values, piece)}+{t}*{text})"
        columns.append(f"{text} AS {form.quoted(prefix + name)}")
    return [
        f"CASE WHEN {limits} THEN\n{found} END AS {piece}",
        f"({x}-{_entry(centers, piece)})*{_entry(factors, piece)} AS {t}",
        ", ".join(columns),
    ]


def _entry(values: NDArray[np.float64], piece: str) -> str:
    """The value of a piece."""
    return f"[{','.join(map(number, values.tolist()))}][{piece}]"


def beliefs_sql(
    bel: str, pl: str, p: str | None = None, ends: tuple[str, str] | None = None
) -> list[str]:
    """Belief, plausibility and probability of the negative and of the positive class.

    The probability is in the middle, unless it is given; then may come the ends of its interval.

    >>> beliefs_sql("bel", "pl")[:3], beliefs_sql("bel", "pl", "p")[2]
    (['1 - pl', '1 - bel', '(1 - pl) + (pl - bel) / 2'], '1 - p')
    >>> beliefs_sql("bel", "pl", "p", ("low", "high"))[3:5]
    ['1 - high', '1 - low']
    """
    half = f"({pl} - {bel}) / 2"
    middle = (f"(1 - {pl}) + {half}", f"{bel} + {half}")
    other, own = middle if p is None else (f"1 - {p}", p)
    outer = [] if ends is None else [f"1 - {ends[1]}", f"1 - {ends[0]}"]
    return [f"1 - {pl}", f"1 - {bel}", other, *outer, bel, pl, own, *(ends or ())]
