"""`FastGES`: greedy equivalence search on a table, with the score for its kind of variables."""

from typing import Any, Self

import networkx as nx
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import check_above_zero, check_choice, check_count
from evical._fitting import all_or_nothing
from evical.causal._columns import Columns
from evical.causal._discrete_scores import BDeuScore, DiscreteBICScore
from evical.causal._gaussian_score import GaussianBICScore
from evical.causal._graphs import graph_of
from evical.causal._search import LocalScore, greedy_search

__all__ = ["FastGES", "local_score"]

_SCORES = ("bic", "bdeu")


def local_score(
    columns: Columns, score: str = "bic", penalty: float = 1.0, sample_size: float = 1.0
) -> LocalScore:
    """The score of networks of some variables.

    Parameters
    ----------
    columns : Columns
    score, penalty, sample_size
        As `FastGES`.

    Returns
    -------
    LocalScore

    Raises
    ------
    TypeError
        If BDeu is asked for continuous variables.
    """
    if columns.sizes is None:
        if score == "bdeu":
            raise TypeError(
                f"column {columns.names[0]!r} holds floats, but BDeu is for discrete variables; "
                "use score='bic', or give states as whole numbers or texts"
            )
        return GaussianBICScore(columns.values, penalty, columns.names)
    if score == "bdeu":
        return BDeuScore(columns.values.T, columns.sizes, sample_size)
    return DiscreteBICScore(columns.values.T, columns.sizes, penalty)


class FastGES(BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Greedy equivalence search: the causal network of a table, as far as data can tell it.

    The search starts without edges. It makes the best insertion that raises the score, until there
    is none, and then the best deletions. Each step goes from one equivalence class to another, so
    that no direction is fixed before the data do so. If the data come from a network without hidden
    common causes, and it is faithful, the result is its CPDAG for large samples.

    Parameters
    ----------
    score : {"bic", "bdeu"}
        "bic" for discrete or continuous (linear Gaussian) variables; "bdeu" for discrete ones.
    penalty : float
        Factor of the penalty of BIC; 2 gives fewer edges.
    sample_size : float
        Equivalent sample size of the prior of BDeu; smaller gives fewer edges for most data.
    max_parents : int, optional
        Most parents of a node in the first phase.

    Attributes
    ----------
    graph_ : networkx.DiGraph
        The CPDAG. Nodes are names of columns; an undirected edge is there in both directions.
    score_ : float
        Of the result.
    names_ : list
        Of the columns, in order.

    Notes
    -----
    The graph is that of Chickering's two phases, exactly: no pair is left out because it seems
    independent on its own, as the option "faithfulness assumed" of other fast forms does. What
    makes it fast is that a step renews the moves of few nodes, and that all moves into a node with
    the same other parents are scored at once, from bits. 100 discrete variables take 0.1 s with
    numba, and 1,000 take 2 to 5 s, for 1,000 rows.

    Columns of floats are continuous; whole numbers, texts, categories and flags are discrete.

    References
    ----------
    Chickering (2002), Optimal structure identification with greedy search, Journal of Machine
    Learning Research 3, 507-554. Ramsey, Glymour, Sanchez-Romero & Glymour (2017), A million
    variables and more: the fast greedy equivalence search algorithm, International Journal of Data
    Science and Analytics 3, 121-129.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(2, size=(2, 500))
    >>> either = np.where(rng.random(500) < 0.9, a | b, 1 - (a | b))
    >>> ges = FastGES().fit(np.column_stack([a, b, either]))
    >>> sorted(ges.graph_.edges)  # 0 -> 2 <- 1
    [(0, 2), (1, 2)]
    """

    def __init__(
        self,
        score: str = "bic",
        penalty: float = 1.0,
        sample_size: float = 1.0,
        max_parents: int | None = None,
    ) -> None:
        self.score = score
        self.penalty = penalty
        self.sample_size = sample_size
        self.max_parents = max_parents

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search for the network of a table.

        Parameters
        ----------
        X : (n, V) array, list of rows, or data frame
        y : None
            Not used.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If columns are of different kinds, of a wrong kind, or continuous for BDeu.
        ValueError
            If a parameter is out of range, or the table is not usable; the column is named.
        """
        columns = self._read(X)
        score = self._score(columns)
        network = greedy_search(score, self.max_parents)
        self.graph_: nx.DiGraph[Any] = graph_of(network, columns.names)
        self.score_ = sum(score.local(v, sorted(p)) for v, p in enumerate(network.dag_parents))
        self.names_ = columns.names
        return self

    def __call__(self, X: Any) -> "nx.DiGraph[Any]":
        """The CPDAG of a table; this object stays as it is.

        Parameters
        ----------
        X : (n, V) array, list of rows, or data frame

        Returns
        -------
        networkx.DiGraph
        """
        return self._discovered(self._read(X))

    def _read(self, X: Any) -> Columns:
        """Checked parameters, and the columns of a table."""
        check_choice("score", self.score, _SCORES)
        check_above_zero(penalty=self.penalty, sample_size=self.sample_size)
        if self.max_parents is not None:
            check_count("max_parents", self.max_parents, 0)
        return Columns.of(X)

    def _score(self, columns: Columns) -> LocalScore:
        return local_score(columns, self.score, self.penalty, self.sample_size)

    def _discovered(self, columns: Columns) -> "nx.DiGraph[Any]":
        return graph_of(greedy_search(self._score(columns), self.max_parents), columns.names)
