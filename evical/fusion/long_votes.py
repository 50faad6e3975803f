"""Long tables of votes: one row for each item that a source has voted on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import check_rows, did_you_mean, shown
from evical._typing import Indices
from evical.scores.checks import as_column, label_list, missing


class Votes(NamedTuple):
    """Votes of one source about n items.

    Parameters
    ----------
    rows : (m,) array
        Items with a vote, ascending.
    codes : (m,) array
        Places of the votes in `labels`.
    labels : (L,) array
        Sorted.
    n : int
    """

    rows: Indices
    codes: Indices
    labels: NDArray[Any]
    n: int


class LongVotes(Mapping[str, NDArray[Any]]):
    """Votes by source, (n,) arrays that are made when one is asked for.

    Whoever changes one has changed all that is read of it: from then on these arrays are the votes.
    """

    def __init__(self, votes: dict[str, Votes]) -> None:
        self._votes = votes

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        found = {}
        for name, votes in self._votes.items():
            found[name] = np.full(votes.n, None, dtype=object)
            labels = np.fromiter(label_list(votes.labels), object, len(votes.labels))
            found[name][votes.rows] = labels[votes.codes]
        return found

    def sparse(self) -> Mapping[str, Any]:
        """Votes as they are listed, if nobody has asked for an array."""
        return self._arrays if "_arrays" in self.__dict__ else self._votes

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._votes)

    def __len__(self) -> int:
        return len(self._votes)

    def __repr__(self) -> str:
        return repr(self._arrays)


def sources_from_long(
    item: ArrayLike,
    source: ArrayLike,
    vote: ArrayLike,
    *,
    sources: Sequence[Any] | None = None,
) -> tuple[NDArray[Any], Mapping[str, NDArray[Any]]]:
    """Votes by source, from a table with a row for each item, source and vote.

    Parameters
    ----------
    item, source, vote : (m,) arrays
        Columns of the table. A vote that is missing (None, NaN, NaT, NA) is none.
    sources : sequence, optional
        All sources, in their order; those without votes are silent. Default: those of the table,
        sorted.

    Returns
    -------
    items : (n,) array
        Sorted.
    sources : mapping of str to (n,) array
        Votes of each source in the order of the items, None where there is none; for
        `EvidentialFusion`.

    Raises
    ------
    TypeError
        If the values of a column have no common order, such as 1 and "1".
    ValueError
        If the columns differ in length, are empty, an item or a source is missing, a source votes
        twice about an item, or is not among `sources`.

    Examples
    --------
    >>> items, sources = sources_from_long([1, 1, 2], ["ann", "bob", "ann"], ["x", "y", "y"])
    >>> items.tolist(), sources["ann"].tolist(), sources["bob"].tolist()
    ([1, 2], ['x', 'y'], ['y', None])

    A later table, in which Bob is silent:

    >>> _, later = sources_from_long([3], ["ann"], ["x"], sources=["ann", "bob"])
    >>> later["bob"].tolist()
    [None]
    """
    named = {"item": item, "source": source, "vote": vote}
    check_rows(**named)
    columns = [as_column(column, name) for name, column in named.items()]
    if len({len(column) for column in columns}) > 1:
        numbers = [len(column) for column in columns]
        raise ValueError(
            f"there are {numbers[0]} items, {numbers[1]} sources and {numbers[2]} votes, expected "
            "three columns of one length"
        )
    if not columns[0].size:
        raise ValueError("the table of votes is empty")
    for name, column in zip(named, columns[:2], strict=False):
        if (gone := missing(column)).any():
            raise ValueError(f"{name}[{np.argmax(gone)}] is missing; every vote needs one")
    (items, at), (names, of) = (_numbered(columns[0], "item"), _numbered(columns[1], "source"))
    cells = of * len(items) + at
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[order]) == 0)
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        raise ValueError(
            f"source {shown(names.tolist()[of[first]])} votes twice about item "
            f"{shown(items.tolist()[at[first]])}, in rows {first} and {second}"
        )
    cast = order[~missing(columns[2])[order]]
    labels, codes = _numbered(columns[2][cast], "vote")
    ends = np.cumsum(np.bincount(of[cast], minlength=len(names)))[:-1]
    parts = zip(np.split(at[cast], ends), np.split(codes, ends), strict=True)
    votes = (Votes(*part, labels, len(items)) for part in parts)
    found = dict(zip(map(str, names.tolist()), votes, strict=True))
    if sources is None:
        return items, LongVotes(found)
    listed = list(map(str, sources))
    for name in found:
        if name not in listed:
            raise ValueError(
                f"source {shown(name)} votes, but is not among sources{did_you_mean(name, listed)}"
            )
    none = np.empty(0, dtype=np.intp)
    silent = Votes(none, none, labels, len(items))
    return items, LongVotes({name: found.get(name, silent) for name in listed})


def _numbered(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Indices]:
    """Distinct values, sorted, and the place of each value among them."""
    if column.dtype.kind in "iu" and len(column):
        low = column.min()
        span = int(column.max()) - int(low)
        if span <= 4 * len(column):  # counted, not sorted
            offset = column.astype(np.intp) - low.astype(np.intp)
            known = np.zeros(span + 1, dtype=bool)
            known[offset] = True
            place = np.cumsum(known) - 1
            return np.flatnonzero(known).astype(column.dtype) + low, place[offset]
    try:
        values, places = np.unique(column, return_inverse=True)
    except TypeError as error:
        kinds = {type(value): value for value in column}
        found = " and ".join(map(shown, list(kinds.values())[:2]))
        raise TypeError(
            f"{name} has values without a common order, {found}; make all of one type"
        ) from error
    return values, places
