"""How often each edge is found, if a network is learned again and again from resampled rows.

Source: Friedman, Goldszmidt & Wyner (1999), Data analysis with Bayesian networks: a bootstrap
approach, UAI; Naeini (2016), section 6.2.3 (bootstrapped greedy equivalence search).

Finished bootstraps in a folder: a small file each, and one for what they were made from.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Self, TypeAlias, cast

import joblib
import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_callable, check_count
from evical._files import write_whole
from evical._fitting import all_or_nothing, as_random_state, check_jobs
from evical._jobs import results
from evical._typing import Ints, RandomState, SamplesLike
from evical.causal._columns import Columns, split_columns
from evical.causal._fast_ges import FastGES
from evical.causal._graphs import EDGE_TYPES, as_pairs, check_graph, typed_edges

Graph: TypeAlias = "nx.DiGraph[Any]"


class KeptBootstraps:
    """Finished bootstraps in a folder; without a folder, none is kept.

    Parameters
    ----------
    folder : str, Path or None
    discovery : callable
    seed : int
    names, columns : sequence
        Of the table.

    Raises
    ------
    ValueError
        If the folder holds bootstraps of something else, or what it holds is damaged.
    """

    def __init__(
        self,
        folder: str | Path | None,
        discovery: Any,
        seed: int,
        names: Sequence[Any],
        columns: Sequence[NDArray[Any]],
    ) -> None:
        self._folder = None if folder is None else Path(folder)
        self._n_variables = len(names)
        if self._folder is None:
            return
        data = [[repr(name), column.tolist()] for name, column in zip(names, columns, strict=True)]
        now = {
            "data": joblib.hash(data),
            "discovery": _described(discovery),
            "random_state": seed,
        }
        path = self._folder / "made_from.json"
        if not path.exists():
            write_whole(path, json.dumps(now, indent=1) + "\n")
        kept = _read(path)
        other = [key for key in now if kept.get(key) != now[key]]
        if other:
            raise ValueError(
                f"folder {str(folder)!r} holds bootstraps of other {other[0]} "
                f"({kept.get(other[0])!r}, now {now[other[0]]!r}); choose another folder, or "
                "delete this one to compute anew"
            )

    def load(self, numbers: Iterable[int]) -> dict[int, Ints]:
        """Number to edges (m, 3) of the bootstraps that are there."""
        if self._folder is None:
            return {}
        paths = {number: self._path(self._folder, number) for number in numbers}
        return {
            number: _edges(path, self._n_variables)
            for number, path in paths.items()
            if path.exists()
        }

    def save(self, number: int, edges: Ints) -> None:
        """Keep a finished bootstrap."""
        if self._folder is not None:
            content = {"edges": edges.ravel().tolist()}
            text = json.dumps(content, separators=(",", ":"))
            write_whole(self._path(self._folder, number), text)

    @staticmethod
    def _path(folder: Path, number: int) -> Path:
        return folder / f"{number:05d}.json"


def _described(discovery: object) -> str:
    """A text that is the same in another process."""
    if isinstance(discovery, BaseEstimator):
        return f"{type(discovery).__name__}({discovery.get_params()})"
    name = getattr(discovery, "__qualname__", None)
    if name is not None:
        try:
            body = joblib.hash(inspect.getsource(cast(Any, discovery)))
        except (OSError, TypeError):  # typed at a prompt, or compiled
            body = ""
        return f"{discovery.__module__}.{name} {body}".rstrip()
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(discovery))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path) from error
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _edges(path: Path, v: int) -> Ints:
    """Edges (m, 3) from a file, if they can be edges among V columns."""
    edges = _read(path).get("edges")
    if not isinstance(edges, list) or len(edges) % 3 or any(type(x) is not int for x in edges):
        raise _damaged(path)
    rows = np.array(edges, dtype=np.int64).reshape(-1, 3)
    i, j, kind = rows.T
    if not ((i >= 0) & (i < j) & (j < v) & (kind >= 1) & (kind <= 3)).all():
        raise _damaged(path)
    return rows


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{str(path)!r} is damaged; delete it, and it is computed again")


SWAPPED = [0, 2, 1, 3]
"""Place of each of `EDGE_TYPES` for the pair (B, A)."""


@dataclass(eq=False, repr=False)
class BootstrappedEdges(BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Counts of edge types over bootstrap samples of a table.

    Parameters
    ----------
    discovery : callable, optional
        From a table to a CPDAG: a `networkx.DiGraph` on the names of the columns (their places for
        an array), with undirected edges in both directions. `FastGES()` by default.
    n_bootstraps : int
    random_state : int, RandomState or None
        For the rows of each bootstrap.
    n_jobs : int or None
        Bootstraps at once, by joblib.
    folder : str or Path, optional
        Keeps finished bootstraps, a file each; those that are there are not computed again. By
        default they are not kept. It needs a number as `random_state`.

    Attributes
    ----------
    names_ : list
        Of the V columns.
    pairs_ : (P, 2) array of int
        Places i < j of the pairs that had an edge in any bootstrap, in order.
    n_bootstraps_ : int
        Those that were counted.
    counts_ : (P, 4) array of int
        How often each of `EDGE_TYPES` was between them; rows sum to that. All other pairs
        had "none" each time, so that memory grows with the edges found, not with V^2.

    Notes
    -----
    `FastGES` takes the states of discrete variables from the whole table, so that one that a
    bootstrap misses counts as a state all the same. A bootstrap depends on the table, its number
    and the seed alone: `n_jobs` changes nothing, and more bootstraps keep the first ones. A run
    that is killed loses the bootstraps under way, one for each job.

    References
    ----------
    Friedman, Goldszmidt & Wyner (1999), Data analysis with Bayesian networks: a bootstrap approach,
    UAI. Naeini (2016), Obtaining accurate probabilities using classifier calibration, section
    6.2.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(2, size=200)
    >>> copy = np.where(rng.random(200) < 0.9, a, 1 - a)
    >>> X = np.column_stack([a, copy, rng.integers(2, size=200)])
    >>> edges = BootstrappedEdges(n_bootstraps=10, random_state=0).fit(X)
    >>> edges.counts([(0, 1)]).tolist()
    [[0, 0, 0, 10]]
    """

    discovery: Callable[[Any], Graph] | None = None
    _: KW_ONLY
    n_bootstraps: int = 200
    random_state: RandomState = None
    n_jobs: int | None = None
    folder: str | Path | None = None

    @all_or_nothing
    def fit(
        self,
        X: SamplesLike,
        y: ArrayLike | None = None,
        on_bootstrap: Callable[[int, int], object] | None = None,
    ) -> Self:
        """Learn a network from each bootstrap sample that is not kept yet, and count.

        Parameters
        ----------
        X : (n, V) array, list of rows, or data frame
        y : None
            Not used.
        on_bootstrap : callable, optional
            Called with the numbers of finished and of all bootstraps: once at the start, then after
            each.

        Returns
        -------
        self

        Raises
        ------
        OSError
            If a bootstrap cannot be written or read.
        TypeError
            If a parameter is of a wrong kind, or `discovery` does not return a `networkx.DiGraph`.
        ValueError
            If a parameter is out of range, the table is not usable, `discovery` returns nodes that
            are no columns, or the folder holds bootstraps of something else.
        """
        discovery = FastGES() if self.discovery is None else self.discovery
        seed = self._checked_seed(discovery)
        names, columns = split_columns(X)
        table = discovery._read(X) if isinstance(discovery, FastGES) else X
        kept = KeptBootstraps(self.folder, discovery, seed, names, columns)
        found = kept.load(range(self.n_bootstraps))
        report = on_bootstrap or (lambda *_: None)
        report(len(found), self.n_bootstraps)
        tasks = (
            (discovery, table, names, len(columns[0]), seed, number)
            for number in range(self.n_bootstraps)
            if number not in found
        )
        with results(_one, tasks, self.n_jobs) as fresh:
            for number, edges in fresh:
                kept.save(number, edges)
                found[number] = edges
                report(len(found), self.n_bootstraps)
        self.pairs_, self.counts_ = _counted(found.values(), len(names))
        self.names_, self.n_bootstraps_ = names, len(found)
        return self

    def _checked_seed(self, discovery: object) -> int:
        expected = "a callable that takes a table and returns a networkx.DiGraph"
        check_callable("discovery", discovery, expected)
        check_count("n_bootstraps", self.n_bootstraps, 1)
        check_jobs(self.n_jobs)
        if self.folder is not None and not isinstance(self.random_state, int | np.integer):
            raise ValueError(
                f"random_state is {self.random_state!r}, but bootstraps in a folder need a whole "
                "number, so that a later run goes on with the same"
            )
        if isinstance(self.random_state, int | np.integer):
            as_random_state(self.random_state)
            return int(self.random_state)
        return int(as_random_state(self.random_state).randint(2**31 - 1))

    def all_pairs(self) -> list[tuple[Any, Any]]:
        """Names of all pairs, in the order of columns.

        Returns
        -------
        list of (A, B)
        """
        check_is_fitted(self)
        return list(combinations(self.names_, 2))

    def counts(self, pairs: Iterable[tuple[Any, Any]] | None = None) -> Ints:
        """How often each of `EDGE_TYPES` was found between the nodes of pairs.

        Parameters
        ----------
        pairs : iterable of (A, B) or table of two columns, optional
            Names of columns; all pairs by default, as by `all_pairs`.

        Returns
        -------
        (m, 4) array

        Raises
        ------
        ValueError
            If a pair is not one of two different columns.
        """
        check_is_fitted(self)
        if pairs is None:
            i, j = np.triu_indices(len(self.names_), 1)
        else:
            i, j = self._places(pairs).T
        v = len(self.names_)
        keys = self.pairs_[:, 0] * v + self.pairs_[:, 1]
        wanted = np.minimum(i, j) * v + np.maximum(i, j)
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = np.zeros((len(wanted), 4), dtype=np.int64)
        found[:, 0] = self.n_bootstraps_
        if len(keys):
            known = keys[at] == wanted
            found[known] = self.counts_[at[known]]
        found[i > j] = found[i > j][:, SWAPPED]
        return found

    def proportions(self, pairs: Iterable[tuple[Any, Any]] | None = None) -> NDArray[np.float64]:
        """Frequencies of `EDGE_TYPES` between the nodes of pairs, uncalibrated probabilities.

        Parameters
        ----------
        pairs : iterable of (A, B), optional
            As `counts`.

        Returns
        -------
        (m, 4) array
        """
        return np.asarray(self.counts(pairs) / self.n_bootstraps_)

    def _places(self, pairs: Iterable[tuple[Any, Any]]) -> Ints:
        """Places (m, 2) of the nodes of pairs, checked."""
        place = {name: i for i, name in enumerate(self.names_)}
        rows = as_pairs(pairs)
        found = np.empty((len(rows), 2), dtype=np.int64)
        for number, pair in enumerate(rows):
            a, b = pair
            try:
                found[number] = place[a], place[b]
            except (KeyError, TypeError):
                a = b
            if a == b:
                raise ValueError(
                    f"pairs[{number}] is {pair!r}, expected two different columns of the table, "
                    f"such as {tuple(self.names_[:2])!r}"
                )
        return found


def _one(
    discovery: Any, table: ArrayLike, names: list[Any], n: int, seed: int, number: int
) -> tuple[int, Ints]:
    """The edges that one bootstrap sample gives."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    rows = rng.integers(0, n, n)
    if isinstance(table, Columns):
        graph = discovery._discovered(table.rows(rows))
    else:
        graph = discovery(_safe_indexing(table, rows))
    check_graph("what discovery returns", graph)
    place = {name: i for i, name in enumerate(names)}
    strange = [node for node in graph if node not in place]
    if strange:
        raise ValueError(
            f"discovery returned a graph with the node {strange[0]!r}, expected names of columns "
            f"only, such as {names[0]!r}"
        )
    return number, typed_edges(graph, place)


def _counted(found: Iterable[Ints], v: int) -> tuple[Ints, Ints]:
    """Pairs (P, 2) that had an edge, and counts (P, 4) of types between them."""
    tables = list(found)
    edges = np.concatenate(tables)
    keys, where = np.unique(edges[:, 0] * v + edges[:, 1], return_inverse=True)
    counts = np.zeros((len(keys), len(EDGE_TYPES)), dtype=np.int64)
    np.add.at(counts, (where, edges[:, 2]), 1)
    counts[:, 0] = len(tables) - counts.sum(axis=1)
    return np.stack(np.divmod(keys, v), axis=1), counts
