"""Sources of a fusion whose joint probability is known, and the coverage of what is fused.

Three sources each see a score of their own. As the members of an ensemble do, each is calibrated by
`AutoCalibrator` on the samples from which the fusion learns its weights.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import t

from dstheory.combine import dempster
from evical._typing import Floats
from evical.beliefs import as_beliefs
from evical.calibrators import AutoCalibrator
from evical.datasets import Dataset
from evical.fusion import Stacked
from examples.studies._study import Record, repeat_rng
from examples.studies.interval_coverage.maps import coverage
from examples.studies.interval_coverage.measured import SIZES, Found, record
from examples.studies.interval_coverage.methods import LEVEL
from examples.studies.parts.quiet import fit_quietly

__all__ = ["FUSIONS", "SOURCES", "SourcesCondition", "drawn"]

Labels = NDArray[np.int64]

FUSIONS = (
    "stacked, level 95 %",
    "stacked, confidence 95 %",
    "stacked, likelihood",
    "Dempster's rule",
)
"""Names of the ways to fuse."""

_MEANS = np.array([0.8, 0.6, 0.4])  # of the scores, to either side of 0
_TAIL_MEANS, _FREEDOM = np.array([1.0, 0.8, 0.5]), 2
_HIT_RATES = np.array([0.8, 0.7, 0.6])
_N_TEST = 500


def _normal(correlation: float = 0.0, means: Floats = _MEANS) -> Callable[..., tuple[Floats, ...]]:
    """Normal scores of one correlation, given the class."""
    within = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    factor, weights = np.linalg.cholesky(within), 2 * np.linalg.solve(within, means)

    def made(side: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        scores = side[:, np.newaxis] * means + rng.normal(size=(len(side), 3)) @ factor.T
        return scores, scores @ weights

    return made


def _heavy(side: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    scores = side[:, np.newaxis] * _TAIL_MEANS + rng.standard_t(_FREEDOM, size=(len(side), 3))
    logs = t.logpdf(scores - _TAIL_MEANS, _FREEDOM) - t.logpdf(scores + _TAIL_MEANS, _FREEDOM)
    return scores, logs.sum(axis=1)


def _discrete(side: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    right = rng.random((len(side), 3)) < _HIT_RATES
    scores = np.where(right, 1.0, -1.0) * side[:, np.newaxis]
    return scores, scores @ np.log(_HIT_RATES / (1 - _HIT_RATES))


SOURCES: dict[str, Callable[..., tuple[Floats, ...]]] = {
    "independent": _normal(),
    "correlated 0.5": _normal(0.5),
    "correlated 0.8": _normal(0.8),
    "heavy tails": _heavy,
    "discrete": _discrete,
    "one useless": _normal(means=np.array([0.8, 0.6, 0.0])),
    "one adversarial": _normal(),
}
"""Name to a function from sides of -1 and 1 to scores (n, 3) and the log-odds of the truth (n,)."""


def drawn(name: str, n: int, rng: np.random.Generator) -> tuple[Floats, Labels, Floats]:
    """Scores, labels of both classes, and the true probability of class 1.

    Parameters
    ----------
    name : str
        In `SOURCES`.
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    scores : (n, 3) array
    y, truth : (n,) arrays

    Examples
    --------
    >>> scores, y, truth = drawn("discrete", 400, np.random.default_rng(0))
    >>> len(set(truth.round(6).tolist())), bool(abs(truth.mean() - y.mean()) < 0.1)
    (8, True)
    """
    while True:
        y = rng.integers(0, 2, n)
        if 0 < y.sum() < n:
            scores, log_odds = SOURCES[name](2.0 * y - 1, rng)
            return scores, y, np.asarray(expit(log_odds))


@dataclass(frozen=True)
class SourcesCondition:
    """Three sources of a kind, fused in each way from the same samples.

    Parameters
    ----------
    name : str
        In `SOURCES`.
    sizes : tuple of int
        Of the samples.
    every, largest_every : int
        Of so many repeats the last is run, and the last with the largest size.
    """

    name: str
    sizes: tuple[int, ...] = (*SIZES, 100_000)
    every: int = 2
    largest_every: int = 10

    @property
    def key(self) -> str:
        return "-".join(["sources", *re.findall(r"\w+", self.name)]).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        found: dict[str, dict[int, Found]] = {fusion: {} for fusion in FUSIONS}
        for n in self.sizes:
            if (number + 1) % (self.every if n < max(self.sizes) else self.largest_every):
                continue
            rng = repeat_rng(f"sources-{self.name}-{n}", number, seed)
            for fusion, one in zip(FUSIONS, self._fused(n, rng), strict=True):
                found[fusion][n] = one
        return [record(f"sources, {self.name}", fusion, of) for fusion, of in found.items()]

    def _fused(self, n: int, rng: np.random.Generator) -> list[Found]:
        scores, y, _ = drawn(self.name, n, rng)
        at, _, truth = drawn(self.name, _N_TEST, rng)
        told = np.stack([y] * 3)
        if self.name == "one adversarial":
            told[2] = 1 - y  # it has learned to say the opposite
        members = [
            fit_quietly(AutoCalibrator(), x, labels)
            for x, labels in zip(scores.T, told, strict=True)
        ]
        known, new = (
            np.stack([one.predict_proba(x) for one, x in zip(members, of.T, strict=True)])
            for of in (scores, at)
        )
        seen, asked = ([as_beliefs(p, np.arange(2)) for p in part] for part in (known, new))
        fusion = Stacked(model="confidence").fit(seen, y)
        fused = fusion.combine(asked)
        interval, certain = fused.interval()[:, 1], fused.confidence_interval(LEVEL)[:, 1]
        fusion.set_params(model="likelihood")  # learned alike; only [Bel, Pl] differs
        narrow = fusion.combine(asked).interval()[:, 1]
        m = dempster(*(one.predict_mass(x) for one, x in zip(members, at.T, strict=True)))
        joined = np.stack([m.bel(1), m.pl(1)], axis=1)
        return [coverage(one, truth) for one in (certain, interval, narrow, joined)]
