"""BIC of linear Gaussian networks, decomposed over nodes.

The score of y is the greatest log-likelihood of its linear regression on its parents, with an
intercept, up to a constant: ``-n/2 log(residual variance)``, less ``log(n)/2`` for each parent.
Data are centered first: without that, the regression has no intercept and means decide on edges.
Source: Schwarz (1978), Annals of Statistics 6; Chickering (2002), JMLR 3, section 4.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_above_zero
from evical._typing import Floats

__all__ = ["GaussianBICScore"]


# Share of a variance that a linear function of others leaves; less than this is rounding.
_LEAST = 1e-10


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
        standard = values - values.mean(axis=0)
        standard /= np.sqrt((standard**2).mean(axis=0))
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
