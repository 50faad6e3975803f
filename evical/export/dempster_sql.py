"""Dempster's rule in SQL, for sources with belief and plausibility of one of two classes.

A source with [Bel, Pl] = [b, p] has the masses b, 1 - p and p - b. Products with those of the next
source are added up (Shafer 1976, ch. 3), and divided at the end by what is not conflict. No term is
a difference of products, so that also small agreement is exact, down to `LEAST_AGREEMENT`. Below, a
product may have left the range of floats that a later source would have made the greater one.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["LEAST_AGREEMENT", "Masses", "dempster_query"]

LEAST_AGREEMENT = "1e-290"

_FIRST = "SELECT *, {b} AS {yes}, 1 - {p} AS {no}, {p} - {b} AS {both}, 0e0 AS {empty}"
# Products of the masses so far with those of the next source.
_STEP = (
    "SELECT *, {yes_} * {p} + {both_} * {b} AS {yes}, "
    "{no_} * (1 - {b}) + {both_} * (1 - {p}) AS {no}, {both_} * ({p} - {b}) AS {both}, "
    "{empty_} + {yes_} * (1 - {p}) + {no_} * {b} AS {empty}"
)
_MASSES = ("yes", "no", "both", "empty")


class Masses(NamedTuple):
    """Columns of masses that are not normalized, and of the sum of all but conflict."""

    yes: str
    no: str
    both: str
    empty: str
    agreement: str


def dempster_query(
    query: str, sources: Sequence[tuple[str, str]], name: Callable[[str], str]
) -> tuple[str, Masses]:
    """A query with the masses of the combination in further columns.

    Parameters
    ----------
    query : str
        With columns of belief and plausibility.
    sources : sequence of pairs of str
        These columns, of each source.
    name : callable
        From the name of a new column to how it is written.

    Returns
    -------
    query : str
    masses : Masses
        Its new columns.

    Examples
    --------
    >>> query, masses = dempster_query("SELECT 0.5 AS b, 0.75 AS p", [("b", "p")], str.upper)
    >>> print(query)
    SELECT *, (YES0 + BOTH0) + NO0 AS AGREEMENT
    FROM (SELECT *, b AS YES0, 1 - p AS NO0, p - b AS BOTH0, 0e0 AS EMPTY0
    FROM (SELECT 0.5 AS b, 0.75 AS p) AS q) AS q
    >>> masses.agreement
    'AGREEMENT'
    """
    for i, (bel, pl) in enumerate(sources):
        names = {mass: name(f"{mass}{i}") for mass in _MASSES}
        former = {f"{mass}_": name(f"{mass}{i - 1}") for mass in _MASSES}
        step = (_STEP if i else _FIRST).format(b=bel, p=pl, **names, **former)
        query = f"{step}\nFROM ({query}) AS q"
    made = Masses(
        **{mass: name(f"{mass}{len(sources) - 1}") for mass in _MASSES}, agreement=name("agreement")
    )
    total = f"({made.yes} + {made.both}) + {made.no} AS {made.agreement}"
    return f"SELECT *, {total}\nFROM ({query}) AS q", made
