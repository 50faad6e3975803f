"""BIC of linear Gaussian networks, decomposed over nodes.

The score of y is the greatest log-likelihood of its linear regression on its parents, with an
intercept, up to a constant: ``-n/2 log(residual variance)``, less ``log(n)/2`` for each parent.
Data are centered first: without that, the regression has no intercept and means decide on edges.
Source: Schwarz (1978), Annals of Statistics 6; Chickering (2002), JMLR 3, section 4.

Scores of discrete networks, decomposed over nodes: BDeu and BIC.

Both have one form. With N_jk rows in configuration j of the parents and state k of y, and N_j rows
in configuration j, the score of y is the sum over j of ``sum_k cell(N_jk) - row(N_j)``, less a
penalty. For BIC both functions are N log N. For BDeu they are logarithms of rising factorials, with
the equivalent sample size spread over all cells, and there is no penalty. Sources: Heckerman,
Geiger & Chickering (1995), Learning Bayesian networks, Machine Learning 20, eq. 36 (BDeu: Buntine
1991); Schwarz (1978), Annals of Statistics 6 (BIC).

Counts of states: how many rows of a cell have each state of each variable.

A cell is a set of rows, such as those with one state of y and certain states of its parents. Few
cells are kept as bits, one per row, and so are the states of all variables: 64 rows are compared at
once. Many cells are small, and each row goes to its cell. Both run in NumPy, and faster in numba.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from dstheory.checks.arguments import check_above_zero
from dstheory.kernels.jit import HAVE_NUMBA, compiled
from evical._typing import Floats, Ints

Words = NDArray[np.uint64]

_BITS = 64
# Masks of the sum of bits side by side; numba takes a plain number as signed.
_ONES, _TWOS, _FOURS, _BYTE = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0xFF),
)
_SHIFTS = tuple(np.uint64(1 << k) for k in range(6))
_S1, _S2, _S4, _S8, _S16, _S32 = _SHIFTS


@dataclass(frozen=True, eq=False)
class States:
    """Discrete variables, by row and as bits.

    Parameters
    ----------
    codes : (V, n) array
        State of each variable in each row, from 0.
    sizes : (V,) array
        Number of states of each variable.
    first : (V + 1,) array
        Place of the first state of each variable among those of all.
    bits : (S, W) array
        Rows of each state, one bit each.

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> states.first.tolist(), states.bits[:, 0].tolist()
    ([0, 2, 5], [1, 6, 2, 4, 1])
    """

    codes: Ints
    sizes: Ints
    first: Ints
    bits: Words

    @classmethod
    def of(cls, codes: NDArray[Any], sizes: Sequence[int] | Ints) -> "States":
        """States from codes (V, n) and the number of states of each variable."""
        counts = np.asarray(sizes, dtype=np.int64)
        first = np.concatenate([[0], np.cumsum(counts)])
        bits = [
            packed(row == np.arange(size)[:, np.newaxis])
            for row, size in zip(codes, counts, strict=True)
        ]
        return cls(np.ascontiguousarray(codes, dtype=np.int64), counts, first, np.concatenate(bits))


def packed(rows: NDArray[np.bool_]) -> Words:
    """Flags (m, n) as bits, (m, W) words of 64 rows."""
    width = -(-rows.shape[1] // _BITS) * _BITS
    full = np.zeros((len(rows), width), dtype=bool)
    full[:, : rows.shape[1]] = rows
    return np.packbits(full, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def count_bits(states: States, cell: Ints, n_cells: int) -> Ints:
    """Rows of each cell in each state, by bits.

    Parameters
    ----------
    states : States
    cell : (n,) array
        Of each row.
    n_cells : int

    Returns
    -------
    (S, n_cells) array

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> count_bits(states, np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1], [1, 0], [0, 1], [1, 0]]
    """
    cells = packed(cell == np.arange(n_cells)[:, np.newaxis])
    if HAVE_NUMBA:
        found = np.empty((len(states.bits), n_cells), dtype=np.int64)
        _fill_bits(states.bits, cells, found)
        return found
    counts = [np.bitwise_count(states.bits & one).sum(axis=1, dtype=np.int64) for one in cells]
    return np.stack(counts, axis=1)


def count_rows(states: States, cell: Ints, n_cells: int) -> Ints:
    """Rows of each cell in each state, row by row.

    Parameters
    ----------
    states : States
    cell : (n,) array
        Of each row.
    n_cells : int

    Returns
    -------
    (S, n_cells) array

    Examples
    --------
    >>> states = States.of(np.array([[0, 1, 1], [2, 0, 1]]), [2, 3])
    >>> count_rows(states, np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1], [1, 0], [0, 1], [1, 0]]
    """
    found = np.zeros((len(states.bits), n_cells), dtype=np.int64)
    if HAVE_NUMBA:
        _fill_rows(states.codes, states.first, cell, found)
        return found
    for x, row in enumerate(states.codes):
        size = int(states.sizes[x])
        counts = np.bincount(row * n_cells + cell, minlength=size * n_cells)
        found[states.first[x] : states.first[x + 1]] = counts.reshape(size, n_cells)
    return found


@compiled
def _fill_bits(bits: Words, cells: Words, found: Ints) -> None:
    for s in range(len(bits)):
        for c in range(len(cells)):
            total = np.uint64(0)
            for w in range(bits.shape[1]):
                v = bits[s, w] & cells[c, w]
                v = v - ((v >> _S1) & _ONES)
                v = (v & _TWOS) + ((v >> _S2) & _TWOS)
                v = (v + (v >> _S4)) & _FOURS
                v = v + (v >> _S8)
                v = v + (v >> _S16)
                total += (v + (v >> _S32)) & _BYTE
            found[s, c] = total


@compiled
def _fill_rows(codes: Ints, first: Ints, cell: Ints, found: Ints) -> None:
    for x in range(len(codes)):
        start = first[x]
        for row in range(len(cell)):
            found[start + codes[x, row], cell[row]] += 1


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


# Share of a variance that a linear function of others leaves; less than this is rounding.
_LEAST = 1e-10


def _units(scale: Floats) -> Floats:
    """What columns are divided by: 1 for one that is constant, as in some bootstrap."""
    return np.where(scale > 0, scale, 1.0)


class GaussianBICScore:
    """A decomposable score of networks of continuous variables.

    Parameters
    ----------
    values : (n, V) array
    penalty : float
        Factor of the penalty.
    names : sequence, optional
        Of the variables, for messages.
    """

    def __init__(
        self, values: Floats, penalty: float = 1.0, names: Sequence[object] | None = None
    ) -> None:
        check_above_zero(penalty=penalty)
        self.penalty = penalty
        self.n_rows, self.n_variables = values.shape
        self.names = list(range(self.n_variables)) if names is None else list(names)
        standard = values / _units(np.abs(values).max(axis=0))  # whose squares are floats
        standard -= standard.mean(axis=0)
        standard /= _units(np.sqrt((standard**2).mean(axis=0)))
        self._correlation = standard.T @ standard / self.n_rows

    def local(self, y: int, parents: Sequence[int]) -> float:
        """Score of a node with its parents.

        Parameters
        ----------
        y : int
        parents : sequence of int

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If y is a linear function of its parents.
        """
        left = 1.0 - self._explained(list(parents), np.array([y]))
        self._refuse_exact(y, parents, float(left[0]))
        return float(self._score(left)[0]) - self._cost(len(parents))

    def gains(self, y: int, parents: Sequence[int]) -> Floats:
        """What each variable adds to the score as a further parent of a node.

        Parameters
        ----------
        y : int
        parents : sequence of int

        Returns
        -------
        (V,) array
            Minus infinity for y and its parents, and for linear functions of the parents.

        Raises
        ------
        ValueError
            If a variable determines y together with the parents.
        """
        known, c = list(parents), self._correlation
        every = np.arange(self.n_variables)
        rest = 1.0 - self._explained(known, every)
        cross = c[:, y].copy()
        if known:
            cross -= c[:, known] @ np.linalg.solve(c[known][:, known], c[known, y])
        usable = rest > _LEAST
        usable[[y, *known]] = False
        share = np.zeros(self.n_variables)
        share[usable] = cross[usable] ** 2 / (rest[usable] * rest[y])
        exact = np.flatnonzero((1.0 - share) * rest[y] <= _LEAST)
        if len(exact):
            self._refuse_exact(y, [*known, int(exact[0])], 0.0)
        found = self._score(1.0 - share) - (self._cost(len(known) + 1) - self._cost(len(known)))
        found[~usable] = -np.inf
        return np.asarray(found)

    def _explained(self, known: list[int], columns: NDArray[np.intp]) -> Floats:
        """Shares of variances of some columns that a regression on others explains."""
        if not known:
            return np.zeros(len(columns))
        c = self._correlation
        between = c[known][:, columns]
        return np.asarray((between * np.linalg.solve(c[known][:, known], between)).sum(axis=0))

    def _score(self, left: Floats) -> Floats:
        return np.asarray(-self.n_rows / 2 * np.log(left))

    def _cost(self, n_parents: int) -> float:
        return self.penalty * float(np.log(self.n_rows)) / 2 * n_parents

    def _refuse_exact(self, y: int, parents: Sequence[int], left: float) -> None:
        if left <= _LEAST:
            names = ", ".join(repr(self.names[x]) for x in parents)
            raise ValueError(
                f"column {self.names[y]!r} is a linear function of {names} in these "
                f"{self.n_rows} rows, so its likelihood is infinite; leave out one of them"
            )
