"""Samples that a calibrator meets once in a lifetime: extremes, ties, jitter, odd weights."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rng = np.random.Generator

GREATEST, DENORMAL = float(np.finfo(float).max), 5e-324


@dataclass(frozen=True)
class Sample:
    """Scores, labels of both classes and weights, with how they were made."""

    scores: Floats
    y: NDArray[np.int64]
    weights: Floats | None
    kind: str

    def take(self, rows: Any) -> "Sample":
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, scores=self.scores[rows], y=self.y[rows], weights=weights)

    def __len__(self) -> int:
        return len(self.scores)

    def call(self) -> str:
        """The arguments of `fit`, as code."""
        parts = [repr(self.scores.tolist()), repr(self.y.tolist())]
        return ", ".join(parts + ([] if self.weights is None else [repr(self.weights.tolist())]))


def jittered(rng: Rng, n: int) -> Floats:
    """One number with rounding noise, at all samples or at one."""
    size = 10.0 ** -rng.integers(11, 18)
    noise = rng.normal(size=n) if rng.random() < 0.5 else (np.arange(n) == rng.integers(n)) * 1.0
    return rng.choice([0.0, 0.5, 0.7, 1.0, -3.0, 1e9]) * (1 + size * noise) + size * noise


def across_scales(rng: Rng, n: int) -> Floats:
    """Numbers of either sign from 1e-300 to 1e300, or from a part of that range."""
    reach = rng.choice([3, 20, 150, 300])
    return rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(-reach, reach, n)


def at_the_ends(rng: Rng, n: int) -> Floats:
    """Numbers whose range exceeds the greatest float."""
    return rng.choice([-GREATEST, -1e308, 0.0, 1.0, 1e308, GREATEST], n) * rng.choice([1.0, 0.9], n)


SCORES: dict[str, Callable[[Rng, int], Floats]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(-2, 3, n) / rng.choice([1.0, 3.0, 10.0]),
    "probabilities": lambda rng, n: rng.beta(0.1, 0.1, n),
    "ends of [0, 1]": lambda rng, n: rng.choice([0.0, DENORMAL, 1e-300, 0.5, 1 - 2**-53, 1.0], n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** rng.choice([1, 3, 9]),
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 0.3, 1.0, -1e300, DENORMAL, 1e-300])),
    "jittered": jittered,
    "denormal": lambda rng, n: rng.integers(-9, 10, n) * DENORMAL,
    "across scales": across_scales,
    "at the ends": at_the_ends,
    "neighbors": lambda rng, n: 1.0 + rng.integers(0, 4, n) * 2.0**-52,
    "one outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 10.0 ** rng.integers(3, 300)),
}


def _one_of(rng: Rng, scores: Floats) -> NDArray[np.int64]:
    """One sample of one of the classes."""
    single = (np.arange(len(scores)) == rng.integers(len(scores))).astype(np.int64)
    return single if rng.random() < 0.5 else 1 - single


LABELS: dict[str, Callable[[Rng, Floats], NDArray[np.int64]]] = {
    "at random": lambda rng, s: (rng.random(len(s)) < rng.choice([0.02, 0.5, 0.9])).astype(int),
    "noisy": lambda rng, s: (s + rng.normal(size=len(s)) > np.median(s)).astype(int),
    "separable": lambda rng, s: (s > np.median(s)).astype(int),
    "wrong way": lambda rng, s: (s < np.median(s)).astype(int),
    "one of a class": _one_of,
}

WEIGHTS: dict[str, Callable[[Rng, int], Floats | None]] = {
    "none": lambda rng, n: None,
    "whole": lambda rng, n: rng.integers(1, 5, n).astype(float),
    "fractions": lambda rng, n: rng.random(n),
    "1e-12 to 1e12": lambda rng, n: 10 ** rng.uniform(-12, 12, n),
    "two sizes": lambda rng, n: rng.choice([1e-12, 1e12], n),
    "tiny": lambda rng, n: np.full(n, 10.0 ** -rng.integers(1, 300)),
    "huge": lambda rng, n: np.full(n, 10.0 ** rng.integers(1, 300)),
    "1e-300 to 1e300": lambda rng, n: 10 ** rng.uniform(-300, 300, n),
    "at the ends": lambda rng, n: rng.choice([DENORMAL, 1.0, GREATEST], n),
    "zeros": lambda rng, n: rng.choice([0.0, 1.0], n),
}
_USUAL = 0.4  # share of samples without weights
_SIZES = (2, 3, 4, 7, 20, 60, 300, 1000)
_HOW_OFTEN = (4, 3, 3, 3, 3, 3, 2, 1)


def draw(rng: Rng) -> Sample:
    """A sample that holds both classes with positive weight."""
    n = int(rng.choice(_SIZES, p=np.array(_HOW_OFTEN) / sum(_HOW_OFTEN)))
    kinds = [str(rng.choice(list(table))) for table in (SCORES, LABELS, WEIGHTS)]
    if rng.random() < _USUAL:
        kinds[2] = "none"
    with np.errstate(all="ignore"):
        scores = np.clip(SCORES[kinds[0]](rng, n), -GREATEST, GREATEST)
        y = np.asarray(LABELS[kinds[1]](rng, scores), dtype=np.int64)
        weights = WEIGHTS[kinds[2]](rng, n)
    counted = np.ones(n, dtype=bool) if weights is None else weights > 0
    if len(set(y[counted])) < 2:
        y[:2] = 0, 1
        weights = None if weights is None else np.where(np.arange(n) < 2, 1.0, weights)
    return Sample(scores + 0.0, y, weights, ", ".join(kinds))


def halves(sample: Sample, fails: Callable[[Sample], bool], tries: int = 60) -> Sample:
    """A smaller sample that fails too: pieces are left out for as long as it does."""
    piece = len(sample) // 2
    while piece and tries:
        for start in range(0, len(sample), piece):
            rest = sample.take(np.delete(np.arange(len(sample)), slice(start, start + piece)))
            tries -= 1
            if tries <= 0:
                return sample
            if len(set(rest.y.tolist())) == 2 and fails(rest):
                sample = rest
                break
        else:
            piece //= 2
    return sample
