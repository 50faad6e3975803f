"""`AllPairs`: every pair of variables, with what bootstraps found and what is true.

Five thousand variables have 12.5 million pairs, of which few were ever joined: the shares of
bootstraps take few distinct values, and calibrators see only these.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from evical._typing import Floats, Ints
from evical.causal import EDGE_TYPES, BootstrappedEdges
from evical.causal.networks import DiscreteNetwork

__all__ = ["AllPairs"]


@dataclass(frozen=True)
class AllPairs:
    """The m pairs (A, B) of columns, A before B, in the order of `BootstrappedEdges.all_pairs`.

    Parameters
    ----------
    names : (m, 2) array of int
        Places of their columns.
    kinds : (m,) array of int
        Places of their true edge types in `EDGE_TYPES`.
    distinct : (d, 4) array
        Distinct shares of bootstraps that found each type.
    row : (m,) array of int
        Which of these are those of a pair.
    first : (d,) array of int
        A pair with each.
    """

    names: Ints
    kinds: Ints
    distinct: Floats
    row: Ints
    first: Ints

    @classmethod
    def of(cls, network: DiscreteNetwork, edges: BootstrappedEdges) -> Self:
        """Pairs of a network from whose variables a table was drawn, and of its bootstraps.

        Parameters
        ----------
        network : DiscreteNetwork
        edges : fitted BootstrappedEdges
            Of an array, whose columns are the variables.

        Returns
        -------
        AllPairs

        Examples
        --------
        >>> from examples.studies.naeini2016_causal.networks import random_network
        >>> network = random_network(5, 4, np.random.default_rng(0))
        >>> X = network.sample(200, np.random.default_rng(1))
        >>> pairs = AllPairs.of(network, BootstrappedEdges(n_bootstraps=4, random_state=0).fit(X))
        >>> pairs.names.shape, np.bincount(pairs.kinds, minlength=4).tolist()
        ((10, 2), [6, 0, 2, 2])
        """
        n = len(network.names)
        place = {name: v for v, name in enumerate(network.names)}
        kinds = np.zeros(n * (n - 1) // 2, dtype=np.int64)
        ends = np.array([(place[a], place[b]) for a, b in network.cpdag().edges]).reshape(-1, 2)
        low, high = ends.min(axis=1), ends.max(axis=1)
        np.add.at(kinds, _number(low, high, n), np.where(ends[:, 0] == low, 1, 2))
        counts, which = np.unique(edges.counts_, axis=0, return_inverse=True)
        never = [[edges.n_bootstraps_, *[0] * (len(EDGE_TYPES) - 1)]]
        row = np.zeros(len(kinds), dtype=np.int64)
        row[_number(edges.pairs_[:, 0], edges.pairs_[:, 1], n)] = 1 + which.reshape(-1)
        rows, first, row = np.unique(row, return_index=True, return_inverse=True)
        distinct = np.concatenate([never, counts])[rows] / edges.n_bootstraps_
        names = np.column_stack(np.triu_indices(n, 1))
        return cls(names, kinds, distinct, row.reshape(-1), first)


def _number(i: Ints, j: Ints, n: int) -> Ints:
    """Place of the pair (i, j), i < j, among all of n columns."""
    return i * (2 * n - i - 1) // 2 + j - i - 1
