"""Scores of discrete networks, decomposed over nodes: BDeu and BIC.

Both have one form. With N_jk rows in configuration j of the parents and state k of y, and N_j rows
in configuration j, the score of y is the sum over j of ``sum_k cell(N_jk) - row(N_j)``, less a
penalty. For BIC both functions are N log N. For BDeu they are logarithms of rising factorials, with
the equivalent sample size spread over all cells, and there is no penalty. Sources: Heckerman,
Geiger & Chickering (1995), Learning Bayesian networks, Machine Learning 20, eq. 36 (BDeu: Buntine
1991); Schwarz (1978), Annals of Statistics 6 (BIC).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from dstheory.checks.arguments import check_above_zero
from dstheory.kernels.jit import HAVE_NUMBA, compiled
from evical._typing import Floats, Ints
from evical.causal._counting import States, count_bits, count_rows

__all__ = ["BDeuScore", "DiscreteBICScore", "DiscreteScore"]


# Below, bits are faster than rows for samples of any size: tests/benchmarks/bench_causal.py.
_FEW_CELLS = 32
_MOST_TABLES = 64


class DiscreteScore(ABC):
    """A decomposable score of networks of discrete variables.

    Parameters
    ----------
    codes : (V, n) array
        State of each variable in each row, from 0.
    sizes : (V,) array
        Number of states of each variable, those that do not occur included.
    """

    def __init__(self, codes: NDArray[Any], sizes: Sequence[int] | Ints) -> None:
        self.states = States.of(codes, sizes)
        self.n_variables, self.n_rows = codes.shape
        self._tables: dict[tuple[float, int], tuple[Floats, Floats]] = {}

    @abstractmethod
    def _functions(self, n_configurations: float, size: int) -> tuple[Floats, Floats]:
        """The functions of the cells and of the rows, at 0, ..., n."""

    @abstractmethod
    def _penalty(self, n_configurations: float, size: int) -> float:
        """What is subtracted for a node of so many states and configurations of parents."""

    def local(self, y: int, parents: Sequence[int]) -> float:
        """Score of a node with its parents.

        Parameters
        ----------
        y : int
        parents : sequence of int

        Returns
        -------
        float
        """
        size = int(self.states.sizes[y])
        configuration, n_seen, n_all = self._configurations(parents)
        cells = np.bincount(configuration * size + self.states.codes[y], minlength=n_seen * size)
        rows = cells.reshape(n_seen, size).sum(axis=1)
        cell, row = self._looked_up(n_all, size)
        return float(cell[cells].sum() - row[rows].sum()) - self._penalty(n_all, size)

    def gains(self, y: int, parents: Sequence[int]) -> Floats:
        """What each variable adds to the score as a further parent of a node.

        Parameters
        ----------
        y : int
        parents : sequence of int

        Returns
        -------
        (V,) array
            Minus infinity for y and its parents.
        """
        size = int(self.states.sizes[y])
        configuration, n_seen, n_all = self._configurations(parents)
        counts = self._counts(configuration * size + self.states.codes[y], n_seen * size)
        found = np.empty(self.n_variables)
        for more in np.unique(self.states.sizes).tolist():
            cell, row = self._looked_up(n_all * more, size)
            chosen = np.flatnonzero(self.states.sizes == more)
            found[chosen] = _sums(counts, self.states.first[chosen], more, size, cell, row)
            found[chosen] -= self._penalty(n_all * more, size)
        found -= self.local(y, parents)
        found[[y, *parents]] = -np.inf
        return found

    def _counts(self, cell: Ints, n_cells: int) -> Ints:
        count = count_bits if n_cells < _FEW_CELLS else count_rows
        return count(self.states, cell, n_cells)

    def _configurations(self, parents: Sequence[int]) -> tuple[Ints, int, float]:
        """Configuration of each row, how many occur, and how many there are."""
        found, n_seen, n_all = np.zeros(self.n_rows, dtype=np.int64), 1, 1.0
        for x in parents:
            size = int(self.states.sizes[x])
            found, n_seen, n_all = found * size + self.states.codes[x], n_seen * size, n_all * size
            if n_seen > self.n_rows:  # keep the numbers small, and none for what does not occur
                seen, found = np.unique(found, return_inverse=True)
                n_seen = len(seen)
        return found, n_seen, n_all

    def _looked_up(self, n_configurations: float, size: int) -> tuple[Floats, Floats]:
        key = (n_configurations, size)
        if key not in self._tables:
            if len(self._tables) >= _MOST_TABLES:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = self._functions(n_configurations, size)
        return self._tables[key]


class BDeuScore(DiscreteScore):
    """Logarithm of the marginal likelihood under uniform priors of one sample size (BDeu).

    Parameters
    ----------
    codes : (V, n) array
    sizes : (V,) array
    sample_size : float
        Equivalent sample size of the prior.
    """

    def __init__(
        self, codes: NDArray[Any], sizes: Sequence[int] | Ints, sample_size: float = 1.0
    ) -> None:
        check_above_zero(sample_size=sample_size)
        super().__init__(codes, sizes)
        self.sample_size = sample_size

    def _functions(self, n_configurations: float, size: int) -> tuple[Floats, Floats]:
        row = self.sample_size / n_configurations
        counts = np.arange(self.n_rows + 1, dtype=np.float64)
        return _rising(row / size, counts), _rising(row, counts)

    def _penalty(self, n_configurations: float, size: int) -> float:
        return 0.0


class DiscreteBICScore(DiscreteScore):
    """Maximum log-likelihood less half the logarithm of n for each free probability (BIC).

    Parameters
    ----------
    codes : (V, n) array
    sizes : (V,) array
    penalty : float
        Factor of the penalty.
    """

    def __init__(
        self, codes: NDArray[Any], sizes: Sequence[int] | Ints, penalty: float = 1.0
    ) -> None:
        check_above_zero(penalty=penalty)
        super().__init__(codes, sizes)
        self.penalty = penalty
        counts = np.arange(self.n_rows + 1, dtype=np.float64)
        self._likelihood: Floats = np.asarray(xlogy(counts, counts), dtype=np.float64)

    def _functions(self, n_configurations: float, size: int) -> tuple[Floats, Floats]:
        return self._likelihood, self._likelihood

    def _penalty(self, n_configurations: float, size: int) -> float:
        return self.penalty * math.log(self.n_rows) / 2 * (size - 1) * n_configurations


def _rising(start: float, counts: Floats) -> Floats:
    """Logarithms of start (start + 1) ... (start + N - 1)."""
    return np.asarray(gammaln(start + counts) - gammaln(start))


def _sums(counts: Ints, first: Ints, more: int, size: int, cell: Floats, row: Floats) -> Floats:
    """Sums over the configurations that a variable of `more` states makes, for each variable."""
    found = np.zeros(len(first))
    if HAVE_NUMBA:
        _add_up(counts, first, more, size, cell, row, found)
        return found
    for state in range(more):
        table = counts[first + state].reshape(len(first), -1, size)
        found += cell[table].sum(axis=(1, 2)) - row[table.sum(axis=2)].sum(axis=1)
    return found


@compiled
def _add_up(
    counts: Ints, first: Ints, more: int, size: int, cell: Floats, row: Floats, found: Floats
) -> None:
    for i in range(len(first)):
        total = 0.0
        for s in range(first[i], first[i] + more):
            for start in range(0, counts.shape[1], size):
                rows = 0
                for c in range(start, start + size):
                    n = counts[s, c]
                    rows += n
                    total += cell[n]
                total -= row[rows]
        found[i] = total
