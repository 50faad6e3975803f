"""Calibration scores of one classifier, and the counts that p-values of new samples need.

How many calibration samples the p-values of a fitted `ConformalClassifier` share, if one number
says it: what a test of their promise has to know.

Random numbers of predictions, which repeat: those of a row follow from a seed and its number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.conformal._counts import ClassSamples, Counts, GroupSamples, ScoreSample


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


@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibration scores of all samples, by class, or by group.

    Parameters
    ----------
    samples : ScoreSample, ClassSamples or GroupSamples
    """

    samples: ScoreSample | ClassSamples | GroupSamples

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
        if by_class:
            return cls(ClassSamples.of(own, codes, scores.shape[1], weight))
        if groups is not None:
            return cls(GroupSamples.of(own, groups, weight))
        return cls(ScoreSample.of(own, weight))

    def counts(self, scores: Floats, groups: NDArray[Any] | None, *, ties: bool) -> Counts:
        """For the scores (m, K) of new samples."""
        if isinstance(self.samples, GroupSamples):
            assert groups is not None
            return self.samples.counts(scores, groups, ties=ties)
        return self.samples.counts(scores, ties=ties)

    def totals(self, classes: NDArray[Any]) -> dict[Any, float]:
        """Weight of the samples of each of the classes (K,) or groups; of all, under None."""
        if isinstance(self.samples, ClassSamples):
            named: dict[Any, ScoreSample] = dict(
                zip(classes.tolist(), self.samples.samples, strict=True)
            )
        elif isinstance(self.samples, GroupSamples):
            named = dict(self.samples.samples)
        else:
            named = {None: self.samples}
        return {name: float(sample.tail[0]) for name, sample in named.items()}


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
    if not all(map(_unweighted, _parts(classifier.conformed_[0].calibration.samples))):
        return dict.fromkeys(totals), (_WEIGHTS,)
    return {name: round(total) for name, total in totals.items()}, ()


def _parts(samples: ScoreSample | ClassSamples | GroupSamples) -> list[ScoreSample]:
    """Calibration scores of each class or group, or of all."""
    inside = getattr(samples, "samples", [samples])
    return list(inside.values() if isinstance(inside, Mapping) else inside)


def _unweighted(sample: ScoreSample) -> bool:
    """Whether each score adds 1 to the weight from each one on."""
    return bool((np.diff(sample.tail) == -1).all())
