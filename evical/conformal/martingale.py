"""`ExchangeabilityTest`: whether samples stay exchangeable, one by one.

Smoothed conformal p-values of exchangeable samples are independent and uniform (Vovk, Gammerman &
Shafer 2005, ch. 2; its ch. 7 tests with them). Whoever bets against this with fair odds gets rich
with small probability only: the capital exceeds C at any time with probability at most 1 / C
(Ville's inequality). So the capital measures the evidence against exchangeability, and one may stop
at any time.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaln, hyp1f1

from dstheory.checks.arguments import as_floats, check_choice, check_level, check_rng
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.scores.checks import refuse


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


_SLOPES = np.array([-1.0, 0.0, 1.0])


def online_p_values(scores: ArrayLike, rng: np.random.Generator) -> Floats:
    """Smoothed p-value of each score among all up to it.

    Parameters
    ----------
    scores : (n,) array
        Nonconformity of samples with their true classes, in the order of time, from a classifier
        that was not trained on them.
    rng : numpy.random.Generator
        Breaks ties.

    Returns
    -------
    (n,) array
        Independent and uniform, if the samples are exchangeable.

    Raises
    ------
    TypeError
        If `rng` is not a generator.
    ValueError
        If a score is NaN, or the shape is wrong.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World, ch. 2.

    Examples
    --------
    >>> p = online_p_values([0.1, 0.2, 0.3], np.random.default_rng(0))
    >>> (p <= [1, 1 / 2, 1 / 3]).tolist()
    [True, True, True]
    """
    check_rng(rng)
    values = as_floats(scores, "scores")
    if values.ndim != 1:
        raise ValueError(f"scores have shape {values.shape}, expected (n,)")
    refuse(values, np.isnan(values), "scores", "a number")
    above, equal = _counts_before(values)
    tau = 1 - rng.uniform(size=len(values))  # in (0, 1], so that no p-value is 0
    return np.asarray((above + tau * (equal + 1)) / np.arange(1, len(values) + 1))


def _counts_before(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of earlier scores above, and equal to, each one.

    Blocks of sorted scores are doubled: earlier ones are in one block for each power of two of the
    position, so n log n searches of n log n numbers serve all.
    """
    n = len(values)
    above, equal = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
    size = 1
    while size < n:
        for start in range(0, n - size, 2 * size):
            block = np.sort(values[start : start + size])
            later = slice(start + size, min(start + 2 * size, n))
            right = np.searchsorted(block, values[later], side="right")
            above[later] += size - right
            equal[later] += right - np.searchsorted(block, values[later], side="left")
        size *= 2
    return above, equal


class ExchangeabilityTest(Capital):
    """Test martingale whose capital is the evidence against exchangeability.

    Parameters
    ----------
    bet : {"jumper", "mixture"}
        "jumper": on small and on great p-values, and it follows changes. "mixture": on small ones,
        the mean of all power martingales, for samples that grow less conforming from the start.
    jump : float
        For "jumper": the share of the capital that changes sides at each p-value, in (0, 1).

    Attributes
    ----------
    log_values : (n,) array
        Natural logarithm of the capital after each p-value.

    See Also
    --------
    online_p_values : of scores in the order of time.
    evical.plot.MartingaleDisplay : its picture.

    Notes
    -----
    "mixture" is the integral of ``prod(e p_i^(e - 1))`` over e from 0 to 1, in closed form.
    "jumper" bets ``1 + e (p - 1/2)`` with e of -1, 0 and 1.

    References
    ----------
    Vovk, Nouretdinov & Gammerman (2003), Testing exchangeability on-line, ICML (simple mixture).
    Vovk, Petej, Nouretdinov, Ahlberg, Carlsson & Gammerman (2021), Retrain or not retrain:
    conformal test martingales for change-point detection, Proc. Mach. Learn. Res. 152 (simple
    jumper).

    Examples
    --------
    >>> test = ExchangeabilityTest("mixture").update(0.5)
    >>> round(test.value, 4)  # the integral of e / 2^(e - 1)
    0.6387
    >>> test.update([0.01] * 5).p_value < 0.01
    True
    """

    _shown = ("bet", "value", "p_value")

    def __init__(self, bet: str = "jumper", *, jump: float = 0.01) -> None:
        check_choice("bet", bet, ("jumper", "mixture"))
        check_level("jump", jump)
        size = len(_SLOPES)
        super().__init__(np.full(size, 1 / size), np.full((size, size), 1 / size) - np.eye(size))
        self.bet = bet
        self.jump = jump
        self._surprise = 0.0

    def __repr__(self) -> str:
        return f"ExchangeabilityTest({self.bet!r}): capital {self.value:.3g} after {self._n}"

    def update(self, p: ArrayLike) -> Self:
        """Bet on the next p-values.

        Parameters
        ----------
        p : float or (n,) array
            Smoothed conformal p-values in (0, 1], in the order of time.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a p-value is outside (0, 1], or the shape is wrong. Nothing is then bet.
        """
        values = np.atleast_1d(as_floats(p, "p"))
        if values.ndim != 1:
            raise ValueError(f"p has shape {values.shape}, expected one p-value or (n,)")
        refuse(values, ~((values > 0) & (values <= 1)), "p", "a number in (0, 1]")
        if len(values):
            odds = 1 + _SLOPES * (values[:, np.newaxis] - 0.5)
            jumps = np.full(len(values), self.jump)
            self._add(self._mixed(values) if self.bet == "mixture" else self._bets(odds, jumps))
        return self

    def _mixed(self, p: Floats) -> Floats:
        surprises = self._surprise - np.cumsum(np.log(p))
        self._surprise = float(surprises[-1])
        return _log_mixture(self._n + np.arange(1, len(p) + 1), surprises)


def _log_mixture(n: NDArray[np.intp], surprise: Floats) -> Floats:
    """Logarithm of the integral of e^n exp((1 - e) L) over [0, 1].

    It is exp(L) L^-(n + 1) times the lower incomplete gamma function of n + 1 at L, and for small
    L, where that is lost in rounding, M(1, n + 2, L) / (n + 1) with Kummer's function.
    """
    a = n + 1.0
    small = surprise < a
    found = np.empty(len(a))
    found[small] = np.log(hyp1f1(1.0, a[small] + 1, surprise[small]) / a[small])
    b, big = a[~small], surprise[~small]
    found[~small] = big - b * np.log(big) + gammaln(b) + np.log(gammainc(b, big))
    return found
