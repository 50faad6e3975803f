"""How much may be answered so that a risk stays below a bound: tests of limits of doubt.

A sample is answered if its doubt is below a limit. Each limit is a hypothesis, that the risk is
above the bound, with a p-value from held-out samples; limits are tested from a cautious one on,
each at the level of the one before, until one is not rejected (fixed sequence), or together by
Holm's procedure. So no limit of too high a risk is accepted, with this confidence (Learn then Test,
Angelopoulos, Bates, Candes, Jordan & Lei 2025, Annals of Applied Statistics 19, 1641-1662).

In expectation a limit needs no test: of losses that do not fall when more is answered, the mean
that one more sample of the largest loss would have is bounded (conformal risk control,
Angelopoulos, Bates, Fisch, Lei & Schuster 2024, ICLR).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, e, log, log1p

import numpy as np
from scipy.special import betainc, logsumexp, xlogy

from dstheory.notebook import ShownFields
from evical._typing import Flags, Floats, Indices
from evical.metrics.selective import relative_entropy
from evical.significance import holm_adjusted

ASK = "ask"
# Limits for a loss of each sample: squares, so that small doubts have fine steps. A fixed sequence
# costs nothing for more of them.
FIXED = np.linspace(0, 1, 1001) ** 2
_ROUNDING = 1e-9
# Tests begin with as many answers as could be promised for, which get most of the level, and anew
# with four times as many, and so on, and with all; these share the rest. Without them, an error
# among the first answers ends all. `bench_risk_control.py` has what other shares answer.
_LATER, _FIRST = 4, 0.8
# Rates, as shares of the bound, by which a weighted risk is bet to be smaller.
_BETS = np.linspace(0, 0.9, 10)
# How many times as many samples are tried where nothing can be promised.
_MORE = 1.2 ** np.arange(1, 51)


@dataclass(frozen=True)
class Promise(ShownFields):
    """A limit of doubt below which samples are answered, and its guarantee.

    Parameters
    ----------
    limit : float
        Infinite if all are answered, minus infinity if none is, because nothing can be guaranteed.
    bound : float
        Of the risk.
    level : float or None
        Confidence that the risk is below the bound; None for a guarantee in expectation.
    n_samples, n_answered : int
        Held-out samples that the guarantee is about, and those below the limit.
    risk : float
        Their mean loss; NaN for none.
    n_needed : int or None
        If nothing can be guaranteed, how many held-out samples would do if they were like these;
        None if no number would, or it can be guaranteed.
    what : str
        The risk, in words.
    of : object
        The class whose answers it is about; None for all answers.
    """

    limit: float
    bound: float
    level: float | None
    n_samples: int
    n_answered: int
    risk: float
    n_needed: int | None = None
    what: str = "error of the answers"
    of: object = None

    @property
    def kept(self) -> bool:
        """Whether there is a limit at all."""
        return self.limit > -np.inf

    def __str__(self) -> str:
        """The guarantee, or why it fails, in a sentence."""
        sure = "on average" if self.level is None else f"with a confidence of {self.level:.12g}"
        about = self.what if self.of is None else f"{self.what} {self.of!r}"
        head = f"{about} at most {self.bound:g} {sure}"
        if self.kept:
            return (
                f"{head}: {self.n_answered} of {self.n_samples} held-out samples are answered, "
                f"observed {self.risk:.4g}"
            )
        more = (
            "more that are like these would not do either"
            if self.n_needed is None
            else f"about {self.n_needed} would do, if they were like these"
        )
        return f"{head} cannot be guaranteed by {self.n_samples} held-out samples; {more}"


def p_values(losses: Floats, n: Floats, bound: float, *, whole: bool) -> Floats:
    """P-value of each hypothesis that a mean loss is above a bound, of sums of n losses in [0, 1].

    Exact (binomial) if losses are 0 or 1 (`whole`); otherwise the smaller one of Hoeffding's
    and Bentkus' (Angelopoulos et al. 2025, Hoeffding-Bentkus p-values). 1 for no sample.

    >>> p_values(np.array([0.0, 1.0]), np.array([59.0, 59.0]), 0.05, whole=True).round(4)
    array([0.0485, 0.1991])
    """
    sums = np.round(losses) if whole else np.ceil(losses - _ROUNDING)
    with np.errstate(invalid="ignore"):  # of n samples out of n, and of none
        tail = np.where(sums < n, betainc(np.maximum(n - sums, 1), sums + 1, 1 - bound), 1.0)
    if whole:
        return np.asarray(tail)
    means = np.minimum(losses / np.maximum(n, 1), bound)
    hoeffding = np.exp(-n * relative_entropy(means, bound))
    return np.asarray(np.minimum(np.minimum(hoeffding, e * tail), 1.0))


def weighted_p_values(losses: Floats, total: Floats, bound: float) -> Floats:
    """P-value of each hypothesis that a weighted mean loss is above a bound b.

    It is 1 / E with the mean E over r of (r / b)^losses ((1 - r) / (1 - b))^(total - losses), from
    sums of weighted losses and of weights, each weight in [0, 1]. The factor of one sample is
    convex in its weight w and in its loss l in [0, 1], so at most 1 - c w (l - b) with c > 0, whose
    mean is at most 1 under the hypothesis, even if weights depend on losses (Waudby-Smith &
    Ramdas 2024, Estimating means of bounded random variables by betting, JRSS B 86, 1-27).

    >>> weighted_p_values(np.array([0.0, 1.0]), np.array([59.0, 59.0]), 0.05).round(4)
    array([0.1318, 0.5809])
    """
    rates = bound * _BETS[:, np.newaxis]
    logs = xlogy(losses, _BETS[:, np.newaxis])
    logs = logs + (total - losses) * (np.log1p(-rates) - log1p(-bound))
    return np.exp(np.minimum(log(len(_BETS)) - logsumexp(logs, axis=0), 0.0))


def rejected(p: Floats, procedure: str, levels: Mapping[int, float]) -> Flags:
    """Hypotheses, in the order of the tests, that are rejected; `levels` are those of some.

    "fixed_sequence" tests a hypothesis at its own level and that of the one before, if this was
    rejected (Wiens & Dmitrienko 2005, the fallback procedure). "holm" tests all at the sum.

    >>> p = np.array([0.01, 0.04, 0.3, 0.02])
    >>> rejected(p, "fixed_sequence", {0: 0.05}), rejected(p, "holm", {0: 0.05})
    (array([ True,  True, False, False]), array([ True, False, False, False]))
    >>> rejected(p, "fixed_sequence", {0: 0.03, 3: 0.02})
    array([ True, False, False,  True])
    """
    found = np.zeros(len(p), dtype=bool)
    if procedure == "holm":
        return np.asarray(holm_adjusted(p) <= sum(levels.values())) if len(p) else found
    level = 0.0
    for begin, end in pairwise([*levels, len(p)]):
        level += levels[begin]
        found[begin:end] = np.logical_and.accumulate(p[begin:end] <= level)
        level = level if found[end - 1] else 0.0
    return found


def answered_promise(
    losses: Floats,
    doubt: Floats,
    bound: float,
    level: float,
    *,
    error: float | None = None,
    grid: Floats | None = None,
    procedure: str = "fixed_sequence",
    whole: bool = True,
    weight: Floats | None = None,
    usual: float = 1.0,
) -> Promise:
    """Guarantee of the mean loss of answered samples, with confidence.

    Parameters
    ----------
    losses, doubt : (n,) arrays
    bound, level : float
    error : float, optional
        Probability of a wrong guarantee if it is one of several; default: 1 - level.
    grid : (g,) array, optional
        Limits to test, ascending, chosen without these samples. Default: the doubts of the samples,
        with tests that begin at several numbers of answers.
    procedure : {"fixed_sequence", "holm"}
    whole : bool
        Whether no other losses than 0 and 1 are possible, not only none was seen: two tests, of
        which the losses choose, would fail more often than each.
    weight : (n,) array, optional
        In (0, 1], for a weighted mean loss; 1 is the largest that is possible.
    usual : float
        A usual weight, chosen without these samples; tests begin with more answers if it is small.

    Returns
    -------
    Promise

    Notes
    -----
    With a grid nothing is assumed. Without it, given that the limit is the m-th smallest doubt, the
    m - 1 samples below are independent draws from all below it, so each p-value is valid; the
    first limit that is too large has as many samples below it as there are below the doubt at
    which the risk passes the bound. It is tested at the sum of the levels up to it at most, and
    those beyond begin with theirs, so the guarantee holds if the risk passes the bound once.
    """
    allowed = 1 - level if error is None else error
    order = np.argsort(doubt, kind="stable")
    limits = np.append(np.unique(doubt), np.inf) if grid is None else grid
    below = np.searchsorted(doubt[order], limits)
    sums, total = _running(losses[order], None if weight is None else weight[order])[:, below]

    def accepted(factor: float) -> Indices:
        """Limits that are accepted if there are this many times as many samples like these."""
        size = np.round(factor * below)
        p = (
            p_values(factor * sums, size, bound, whole=whole)
            if weight is None
            else weighted_p_values(factor * sums, factor * total, bound)
        )
        levels = {0: allowed} if grid is not None else _levels(size, bound, allowed, usual)
        return np.flatnonzero(rejected(p, procedure, levels))

    found, n = accepted(1.0), len(doubt)
    if not len(found):
        more = (ceil(n * one) for one in _MORE if len(accepted(one)))
        return Promise(-np.inf, bound, level, n, 0, np.nan, next(more, None))
    best = int(found[-1])
    risk = float(sums[best] / total[best]) if below[best] else 0.0
    return Promise(float(limits[best]), bound, level, n, int(below[best]), risk)


def _running(losses: Floats, weight: Floats | None) -> Floats:
    """Sums (2, n + 1) of weighted losses, and of weights, over the first 0 to n samples."""
    terms = (losses, np.ones_like(losses)) if weight is None else (losses * weight, weight)
    return np.pad(np.cumsum(terms, axis=1), ((0, 0), (1, 0)))


def least_number(bound: float, error: float) -> int:
    """Fewest samples n without a loss that guarantee a bound, as (1 - bound)^n <= error.

    >>> least_number(0.05, 0.05), least_number(0.02, 0.05)
    (59, 149)
    """
    return ceil(log(error) / log1p(-bound) - _ROUNDING)


def _levels(below: Floats, bound: float, error: float, usual: float) -> dict[int, float]:
    """Levels of the limits at which tests begin, chosen by numbers of answers alone.

    >>> levels = _levels(np.arange(1001), 0.05, 0.1, 1.0)  # (1 - 0.05)^50 is below 0.08
    >>> {size: round(level, 12) for size, level in levels.items()}
    {50: 0.08, 200: 0.01, 1000: 0.01}
    """
    n, first = below[-1], ceil(least_number(bound, _FIRST * error) / usual)
    sizes, size = [], first
    while 1.5 * size < n:
        sizes.append(size)
        size *= _LATER
    if not sizes:
        size = ceil(least_number(bound, error) / usual)
        return {int(np.searchsorted(below, size)): error} if size <= n else {}
    found = {int(np.searchsorted(below, first)): _FIRST * error}
    for size in [*sizes[1:], n]:
        begin = int(np.searchsorted(below, size))
        found[begin] = found.get(begin, 0.0) + (1 - _FIRST) * error / len(sizes)
    return found


def sample_promise(
    answered: Floats,
    asked: Floats,
    doubt: Floats,
    bound: float,
    level: float | None,
    *,
    most: float = 1.0,
    grid: Floats | None = None,
    procedure: str = "fixed_sequence",
    whole: bool = False,
    weight: Floats | None = None,
) -> Promise:
    """Guarantee of the mean loss of all samples, those of asking included.

    Parameters
    ----------
    answered, asked : (n,) arrays
        Loss of each sample if it is answered, and if it is not.
    doubt : (n,) array
    bound : float
    level : float or None
        None: in expectation, for `answered` that is nowhere below `asked`.
    most : float
        Largest possible loss.
    grid, procedure, whole, weight
        As in `answered_promise`; by default the limits are `FIXED`. Weights need a level.

    Returns
    -------
    Promise
    """
    n, order = len(doubt), np.argsort(doubt, kind="stable")
    w = np.ones(n) if weight is None else weight
    total, base = float(w.sum()), float(w @ asked)
    sums = base + _running((answered - asked)[order], w[order])[0]
    limits = (
        (np.append(np.unique(doubt), np.inf) if level is None else FIXED) if grid is None else grid
    )
    below = np.searchsorted(doubt[order], limits)
    if level is None:
        accepted = np.flatnonzero((sums[below] + most) / (n + 1) <= bound + _ROUNDING * bound)
    else:
        sizes = np.full(len(below), total)
        p = (
            p_values(sums[below], sizes, bound, whole=whole)
            if weight is None
            else weighted_p_values(sums[below], sizes, bound)
        )
        accepted = np.flatnonzero(rejected(p, procedure, {0: 1 - level}))
    if not len(accepted):
        needed = _needed_of_all(base / total, bound, level, most, total / n)
        return Promise(-np.inf, bound, level, n, 0, base / total, needed)
    best = int(accepted[-1])
    size = int(below[best])
    return Promise(float(limits[best]), bound, level, n, size, float(sums[size] / total))


def _needed_of_all(
    asked: float, bound: float, level: float | None, most: float, weight: float
) -> int | None:
    """How many samples would do to ask about each; None if that costs too much."""
    if asked >= bound:
        return None
    if level is None:
        return ceil((most - bound) / (bound - asked) - _ROUNDING)
    rate = weight * float(relative_entropy(asked, bound))
    return ceil(-log(1 - level) / rate - _ROUNDING)
