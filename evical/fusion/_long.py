"""Long tables of votes: one row for each item that a source has voted on."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import shown


def sources_from_long(
    item: ArrayLike, source: ArrayLike, vote: ArrayLike
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Votes by source, from a table with a row for each item, source and vote.

    Parameters
    ----------
    item, source, vote : (m,) arrays
        Columns of the table.

    Returns
    -------
    items : (n,) array
        Sorted.
    sources : dict of str to (n,) array
        Votes of each source in the order of the items, None where there is none; for
        `EvidentialFusion`.

    Raises
    ------
    ValueError
        If the columns differ in length, are empty, or a source votes twice about an item.

    Examples
    --------
    >>> items, sources = sources_from_long([1, 1, 2], ["ann", "bob", "ann"], ["x", "y", "y"])
    >>> items.tolist(), sources["ann"].tolist(), sources["bob"].tolist()
    ([1, 2], ['x', 'y'], ['y', None])
    """
    columns = [np.asarray(column) for column in (item, source, vote)]
    if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
        numbers = [np.size(column) for column in columns]
        raise ValueError(
            f"there are {numbers[0]} items, {numbers[1]} sources and {numbers[2]} votes, expected "
            "three columns of one length"
        )
    if not columns[0].size:
        raise ValueError("the table of votes is empty")
    items, at = np.unique(columns[0], return_inverse=True)
    names, of = np.unique(columns[1], return_inverse=True)
    cells = of * len(items) + at
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(np.diff(cells[order]) == 0)
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        raise ValueError(
            f"source {shown(columns[1][first].item())} votes twice about item "
            f"{shown(columns[0][first].item())}, in rows {first} and {second}"
        )
    table = np.full((len(names), len(items)), None, dtype=object)
    table[of, at] = columns[2]
    return items, {str(name): votes for name, votes in zip(names.tolist(), table, strict=True)}
