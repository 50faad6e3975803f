"""How much may be answered so that a risk stays below a bound: tests of limits of doubt.

A sample is answered if its doubt is below a limit. Each limit is a hypothesis, that the risk is
above the bound, with a p-value from held-out samples; limits are tested from a cautious one on,
each at the whole level, until one is not rejected (fixed sequence), or together by Holm's
procedure. So no limit of too high a risk is accepted, with this confidence (Learn then Test,
Angelopoulos, Bates, Candes, Jordan & Lei 2025, Annals of Applied Statistics 19, 1641-1662).

In expectation a limit needs no test: of losses that do not fall when more is answered, the mean
that one more sample of the largest loss would have is bounded (conformal risk control,
Angelopoulos, Bates, Fisch, Lei & Schuster 2024, ICLR).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, log1p

import numpy as np
from scipy.special import betainc

from dstheory.notebook import ShownFields
from evical._typing import Flags, Floats, Indices
from evical.metrics.selective import relative_entropy
from evical.significance import holm_adjusted

ASK = "ask"
# Limits for a loss of each sample: squares, so that small doubts have fine steps. A fixed sequence
# costs nothing for more of them.
FIXED = np.linspace(0, 1, 1001) ** 2
_ROUNDING = 1e-9
# Sequences begin with as many answers as could be promised for, four times as many, and so on, and
# with all, and share the level. With the first alone, an error among the first answers ends all;
# `bench_risk_control.py` has the shares that are answered by other starts.
_LATER = 4
# How many times as many samples are tried where nothing can be promised.
_MORE = 1.2 ** np.arange(1, 51)


@dataclass(frozen=True)
class Promise(ShownFields):
    """A limit of doubt below which samples are answered, and what it promises.

    Parameters
    ----------
    limit : float
        Infinite if all are answered, minus infinity if none is, because nothing can be promised.
    bound : float
        Of the risk.
    level : float or None
        Confidence that the risk is below the bound; None for a promise in expectation.
    n_samples, n_answered : int
        Held-out samples that the promise is about, and those below the limit.
    risk : float
        Their mean loss; NaN for none.
    n_needed : int or None
        If nothing can be promised, how many held-out samples would do if they were like these;
        None if no number would, or it can be promised.
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
        """The promise, or why there is none, in a sentence."""
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
        return f"{head} cannot be promised from {self.n_samples} held-out samples; {more}"


def p_values(losses: Floats, n: Floats, bound: float, *, whole: bool) -> Floats:
    """P-value of each hypothesis that a mean loss is above a bound, of sums of n losses in [0, 1].

    Exact (binomial) if losses are 0 or 1, as `whole` says; otherwise the smaller one of Hoeffding's
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
    return np.asarray(np.minimum(np.minimum(hoeffding, np.e * tail), 1.0))


def rejected(p: Floats, error: float, procedure: str, starts: Sequence[int] = (0,)) -> Flags:
    """Hypotheses, in the order of the tests, that are rejected at a level of all together.

    A fixed sequence may have several starts, which share the level.

    >>> p = np.array([0.01, 0.04, 0.3, 0.02])
    >>> rejected(p, 0.05, "fixed_sequence"), rejected(p, 0.05, "holm")
    (array([ True,  True, False, False]), array([ True, False, False, False]))
    >>> rejected(p, 0.05, "fixed_sequence", [0, 3])
    array([ True, False, False,  True])
    """
    if procedure == "holm":
        return np.asarray(holm_adjusted(p) <= error) if len(p) else np.zeros(0, dtype=bool)
    found = np.zeros(len(p), dtype=bool)
    for start in starts:
        found[start:] |= np.logical_and.accumulate(p[start:] <= error / len(starts))
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
) -> Promise:
    """Promise of the mean loss of answered samples, with confidence.

    Parameters
    ----------
    losses, doubt : (n,) arrays
    bound, level : float
    error : float, optional
        Probability of a wrong promise if it is one of several; default: 1 - level.
    grid : (g,) array, optional
        Limits to test, ascending, chosen without these samples. Default: the doubts of the samples
        from several starts on, with their own share of `error`.
    procedure : {"fixed_sequence", "holm"}

    Returns
    -------
    Promise

    Notes
    -----
    With a grid nothing is assumed. Without it, given that the limit is the m-th smallest doubt, the
    m - 1 samples below are independent draws from all below it, so each p-value is valid; the
    first limit that is too large has as many samples below it as there are below the doubt at
    which the risk passes the bound. So the promise holds if it does so once.
    """
    allowed = 1 - level if error is None else error
    order = np.argsort(doubt, kind="stable")
    limits = np.append(np.unique(doubt), np.inf) if grid is None else grid
    below = np.searchsorted(doubt[order], limits).astype(np.float64)
    sums = np.concatenate([[0.0], np.cumsum(losses[order])])[below.astype(np.intp)]
    whole = bool(np.isin(losses, (0, 1)).all())

    def accepted(factor: float) -> Indices:
        """Limits that are accepted if there are this many times as many samples like these."""
        size = np.round(factor * below)
        p = p_values(factor * sums, size, bound, whole=whole)
        starts = [0] if grid is not None else _starts(size, bound, allowed)
        return np.flatnonzero(rejected(p, allowed, procedure, starts))

    found, n = accepted(1.0), len(doubt)
    if not len(found):
        more = (ceil(n * one) for one in _MORE if len(accepted(one)))
        return Promise(-np.inf, bound, level, n, 0, np.nan, next(more, None))
    best, size = int(found[-1]), int(below[found[-1]])
    return Promise(float(limits[best]), bound, level, n, size, float(sums[best] / max(size, 1)))


def least_number(bound: float, error: float) -> int:
    """Fewest samples without a loss that promise a bound: (1 - bound)^n is at most the error.

    >>> least_number(0.05, 0.05), least_number(0.02, 0.05)
    (59, 149)
    """
    return ceil(log(error) / log1p(-bound) - _ROUNDING)


def _starts(below: Floats, bound: float, error: float) -> list[int]:
    """First limits of the sequences, chosen by numbers of answers alone.

    >>> _starts(np.arange(1001), 0.05, 0.1)  # (1 - 0.05)^67 is below 0.1 / 3
    [67, 268, 1000]
    """
    n, number, sizes = int(below[-1]), 0, [0, 0]
    while len(sizes) > number:  # more sequences have less of the level each, and start later
        number += 1
        first = least_number(bound, error / number)
        sizes = [first * _LATER**i for i in range(number) if 1.5 * first * _LATER**i < n]
        sizes += [n] if first <= n else []
    return [int(one) for one in np.searchsorted(below, sizes)]


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
) -> Promise:
    """Promise of the mean loss of all samples, those of asking included.

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
    grid, procedure
        As in `answered_promise`; by default `FIXED`.

    Returns
    -------
    Promise
    """
    n, order = len(doubt), np.argsort(doubt, kind="stable")
    sums = asked.sum() + np.concatenate([[0.0], np.cumsum((answered - asked)[order])])
    limits = (
        (np.append(np.unique(doubt), np.inf) if level is None else FIXED) if grid is None else grid
    )
    below = np.searchsorted(doubt[order], limits)
    if level is None:
        accepted = np.flatnonzero((sums[below] + most) / (n + 1) <= bound + _ROUNDING * bound)
    else:
        whole = bool(np.isin([answered, asked], (0, 1)).all())
        p = p_values(sums[below], np.full(len(below), float(n)), bound, whole=whole)
        accepted = np.flatnonzero(rejected(p, 1 - level, procedure))
    if not len(accepted):
        needed = _needed_of_all(float(asked.mean()), bound, level, most)
        return Promise(-np.inf, bound, level, n, 0, float(asked.mean()), needed)
    best = int(accepted[-1])
    size = int(below[best])
    return Promise(float(limits[best]), bound, level, n, size, float(sums[size] / n))


def _needed_of_all(asked: float, bound: float, level: float | None, most: float) -> int | None:
    """How many samples would do to ask about each; None if that costs too much."""
    if asked >= bound:
        return None
    if level is None:
        return ceil((most - bound) / (bound - asked) - _ROUNDING)
    return ceil(-log(1 - level) / float(relative_entropy(asked, bound)) - _ROUNDING)
