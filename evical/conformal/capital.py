"""`Capital`: what fair bets have won, sample by sample, which is evidence against a hypothesis.

Whoever bets with fair odds under a hypothesis multiplies the capital by C at any time with
probability at most 1 / C (Ville's inequality). Several gamblers share it. Before each sample some
of their capital changes hands, so that bets which begin to win later are still made.
"""

import numpy as np
from numpy.typing import NDArray

from dstheory.notebook import ShownFields
from evical._typing import Floats


class Capital(ShownFields):
    """Capital of gamblers who bet with fair odds.

    Parameters
    ----------
    shares : (S,) array
        Of each gambler at the beginning; their sum is 1.
    transfers : (S, S) array
        What changes hands of the capital of each gambler (row), as a multiple of a rate; rows sum
        to 0.
    """

    def __init__(self, shares: Floats, transfers: Floats) -> None:
        self._shares, self._transfers = shares, transfers
        self._log_values: list[Floats] = []
        self._log_capital, self._n, self._best = 0.0, 0, 0.0

    def _bets(self, odds: Floats, rates: Floats) -> Floats:
        """Log capital (n,) after each of n samples, by odds (n, S) and rates (n,) of transfers."""
        totals = np.empty(len(odds))
        for i, (factors, rate) in enumerate(zip(odds, rates, strict=True)):
            capital = (self._shares + rate * (self._shares @ self._transfers)) * factors
            totals[i] = total = capital.sum()
            self._shares = capital / total
        return np.asarray(self._log_capital + np.cumsum(np.log(totals)))

    def _add(self, log_values: Floats) -> None:
        """Note the log capital (n,) after each of n more samples."""
        self._log_values.append(log_values)
        self._log_capital = float(log_values[-1])
        self._n += len(log_values)
        self._best = max(self._best, float(log_values.max()))

    @property
    def log_values(self) -> NDArray[np.float64]:
        """Natural logarithm (n,) of the capital after each sample."""
        return np.concatenate(self._log_values) if self._log_values else np.empty(0)

    @property
    def value(self) -> float:
        """Capital now, from 1 at the beginning, infinite if it is too large for a float."""
        with np.errstate(over="ignore"):
            return float(np.exp(self._log_capital))

    @property
    def p_value(self) -> float:
        """Probability that this capital or more is reached at some time under the hypothesis."""
        return float(np.exp(-self._best))
