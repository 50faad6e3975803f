"""Calibration scores of one classifier, and the counts that p-values of new samples need.

All that a conformal p-value is made of is how many calibration scores lie above a score. Counts add
up: over the folds of a cross-conformal predictor, each with a classifier and scores of its own, as
over parts of one sample.

How many calibration samples the p-values of a fitted `ConformalClassifier` share, if one number
says it: what a test of their promise has to know.

Random numbers of predictions, which repeat: those of a row follow from a seed and its number.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import ceil
from operator import add
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.scores.checks import label_list


def new_seed(rng: np.random.RandomState) -> int:
    """A seed for predictions, whose random numbers must not be those of calibration.

    Parameters
    ----------
    rng : RandomState

    Returns
    -------
    int

    Examples
    --------
    >>> 0 <= new_seed(np.random.RandomState(0)) < 2**31
    True
    """
    return int(rng.randint(2**31 - 1))


def random_shares(seed: int, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Uniform numbers u, of a score, and tau, of ties, for rows of a table.

    Parameters
    ----------
    seed : int
    rows : (n,) array
        Numbers of the rows, from 0: parts of a table get the numbers of the whole.

    Returns
    -------
    u, tau : (n,) arrays

    Examples
    --------
    >>> whole, part = (random_shares(0, rows)[0] for rows in (np.arange(5), np.array([2, 4])))
    >>> np.array_equal(whole[[2, 4]], part)
    True
    """
    if not len(rows):
        return np.empty(0), np.empty(0)
    first, last = int(rows.min()), int(rows.max())
    bits: Any = np.random.PCG64(seed)
    found = np.random.Generator(bits.advance(2 * first)).uniform(size=(last + 1 - first, 2))
    u, tau = found[rows - first].T
    return u, tau


def numbered(groups: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Names of groups, sorted, and the number of the one of each sample.

    Parameters
    ----------
    groups : (n,) array

    Returns
    -------
    names : list
    codes : (n,) array

    Examples
    --------
    >>> numbered(np.array(["b", "a", "b"]))
    (['a', 'b'], array([1, 0, 1]))
    """
    names, codes = np.unique(groups, return_inverse=True)
    return label_list(names), codes


class Counts(NamedTuple):
    """Weight of the calibration scores compared with each of some scores.

    Parameters
    ----------
    above : array
        Weight of the scores that are greater; needed for smoothing only.
    at_least : array
        Weight of the scores that are greater or equal.
    total : array
        Weight of all scores, in a shape that broadcasts.
    """

    above: Floats
    at_least: Floats
    total: Floats

    @classmethod
    def of_parts(cls, parts: Iterable["Counts"]) -> "Counts":
        """Of all samples, from the counts of each part."""
        return cls(*(np.asarray(reduce(add, same)) for same in zip(*parts, strict=True)))

    def p_values(self, weight: Floats | float = 1.0, tau: Floats | None = None) -> Floats:
        """P-values, see `evical.conformal.p_values`; 0 / 0 is 1, which excludes nothing."""
        share = np.asarray(weight + self.at_least)
        if tau is not None:
            share = self.above + tau * (share - self.above)
        whole = weight + self.total
        if not (whole > 0).all():
            empty = np.broadcast_to(whole == 0, share.shape)
            share, whole = np.where(empty, 1, share), np.where(empty, 1, whole)
        share = np.divide(share, whole, out=share)
        # A sum of other weights in another order may exceed its whole by rounding.
        return np.asarray(np.minimum(share, 1, out=share))


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Calibration scores, in ascending order, with the weight from each one on.

    Parameters
    ----------
    scores : (n,) array
    tail : (n + 1,) array
        Weight of each score and all after it; the last entry is 0.
    """

    scores: Floats
    tail: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats | None = None) -> Self:
        """From scores in any order; scores of weight 0 are left out."""
        if weights is None:
            return cls(np.sort(scores), np.arange(len(scores), -1.0, -1.0))
        kept = np.flatnonzero(weights > 0)
        order = kept[np.argsort(scores[kept], kind="stable")]
        tail = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        return cls(scores[order], tail)

    def counts(self, new: Floats, *, ties: bool) -> Counts:
        """Compared with new scores of any shape; without ties, those above are not searched for."""
        at_least = self.tail[np.searchsorted(self.scores, new, side="left")]
        above = self.tail[np.searchsorted(self.scores, new, side="right")] if ties else at_least
        return Counts(above, at_least, np.asarray(self.tail[0]))


@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibration scores of all samples, by class, or by group.

    Parameters
    ----------
    by : {"all", "class", "group"}
    samples : dict
        Those of all under None, of the class at a place, or of a group.
    """

    by: Literal["all", "class", "group"]
    samples: dict[Any, ScoreSample]

    @classmethod
    def of(
        cls,
        scores: Floats,
        codes: NDArray[np.intp],
        weight: Floats | None,
        *,
        by_class: bool,
        groups: NDArray[Any] | None,
    ) -> Self:
        """From the scores (n, K) of n samples, of which the column of the true class counts."""
        own = scores[np.arange(len(codes)), codes]
        if not by_class and groups is None:
            return cls("all", {None: ScoreSample.of(own, weight)})
        names: Iterable[Any] = range(scores.shape[1])
        if not by_class and groups is not None:
            names, codes = numbered(groups)
        parts = {name: codes == number for number, name in enumerate(names)}
        samples = {
            name: ScoreSample.of(own[rows], None if weight is None else weight[rows])
            for name, rows in parts.items()
        }
        return cls("class" if by_class else "group", samples)

    def counts(self, scores: Floats, groups: NDArray[Any] | None, *, ties: bool) -> Counts:
        """For the scores (m, K) of new samples; those of unknown groups are compared with none."""
        if self.by == "all":
            return self.samples[None].counts(scores, ties=ties)
        if self.by == "class":
            columns = zip(self.samples.values(), scores.T, strict=True)
            each = [sample.counts(column, ties=ties) for sample, column in columns]
            return Counts(*(np.stack(same, axis=-1) for same in zip(*each, strict=True)))
        found = Counts(*np.zeros((3, *scores.shape)))
        names, codes = numbered(np.asarray(groups))
        for number, name in enumerate(names):
            rows = codes == number
            part = self.samples.get(name, _NONE).counts(scores[rows], ties=ties)
            for all_rows, values in zip(found, part, strict=True):
                all_rows[rows] = values
        return found

    def totals(self, classes: NDArray[Any]) -> dict[Any, float]:
        """Weight of the samples of each of the classes (K,) or groups; of all, under None."""
        names = label_list(classes) if self.by == "class" else self.samples
        weights = [float(sample.tail[0]) for sample in self.samples.values()]
        return dict(zip(names, weights, strict=True))


_NONE = ScoreSample(np.empty(0), np.zeros(1))


@dataclass(frozen=True, eq=False)
class Conformed:
    """A fitted classifier with the calibration scores that it gave.

    Parameters
    ----------
    estimator : fitted classifier
    calibration : Calibration
    """

    estimator: Any
    calibration: Calibration


def too_few(totals: Mapping[Any, float], alpha: float, conditional: Any) -> str | None:
    """Warning that the least p-value, 1 / (n + 1), is above a level, or None.

    Parameters
    ----------
    totals : mapping
        Number of calibration samples by class, group or None.
    alpha : float
    conditional : None, "class" or callable

    Returns
    -------
    str or None

    Examples
    --------
    >>> too_few({None: 99}, 0.01, None)
    >>> print(too_few({"a": 99, "b": 98}, 0.01, "class"))
    alpha = 0.01 can reject nothing with 98 calibration samples of class 'b', so class 'b' is in \
each set; at least 99 are needed
    """
    few = {name: n for name, n in totals.items() if 1 / (n + 1) > alpha}
    if not few:
        return None
    name, n = next(iter(few.items()))
    kind = "class" if conditional == "class" else "group"
    whose = "" if name is None else f" of {kind} {name!r}"
    which = f"class {name!r}" if conditional == "class" else "every class"
    return (
        f"alpha = {alpha:g} can reject nothing with {n:g} calibration samples{whose}, so {which} "
        f"is in each set; at least {ceil(1 / alpha - 1 - 1e-9)} are needed"
    )


_CROSS = (
    "Cross-conformal prediction guarantees slightly more than 2 alpha, and usually attains alpha, "
    "with which these samples are compared."
)
_SHIFT = (
    "A density ratio weights the calibration samples: the guarantee is for samples of the "
    "other distribution, to which the evaluated ones must belong."
)
_WEIGHTS = "Calibration samples have weights, so the tests treat them as very many samples."


def calibration_of(classifier: Any) -> tuple[dict[Any, int | None], tuple[str, ...]]:
    """Numbers of calibration samples, and what else the promise needs.

    Parameters
    ----------
    classifier : fitted ConformalClassifier

    Returns
    -------
    numbers : dict
        By class, group or None; None where ranks are not those of one unweighted sample.
    notes : tuple of str
    """
    totals = classifier.n_calibration_
    if classifier.method == "cross" and len(classifier.conformed_) > 1:
        return dict.fromkeys(totals), (_CROSS,)
    if classifier.density_ratio is not None:
        return dict.fromkeys(totals), (_SHIFT,)
    # Each score of samples without weights adds 1 to the weight from each one on.
    samples = classifier.conformed_[0].calibration.samples.values()
    if not all((np.diff(sample.tail) == -1).all() for sample in samples):
        return dict.fromkeys(totals), (_WEIGHTS,)
    return {name: round(total) for name, total in totals.items()}, ()
