"""How often a promise counts as broken, kept or not: size and power of `check_promise`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset
from evical.evaluation import Evaluation, check_promise
from examples.studies._study import Record, repeat_rng
from examples.studies.interval_coverage.maps import draw
from examples.studies.interval_coverage.measured import SIZES, broken
from examples.studies.parts.quiet import fit_quietly

__all__ = ["JUDGED", "PromiseCondition"]


JUDGED = (200, 1000, 10_000)
"""Numbers of new samples by which a promise is judged."""


@dataclass(frozen=True)
class PromiseCondition:
    """Logistic calibration of one map, judged by new samples.

    Parameters
    ----------
    map_name : str
        In `MAPS`.
    model : {"likelihood", "confidence"}
    sizes : tuple of int
        Of the samples to calibrate with.
    draws : int
        In each repeat.
    """

    map_name: str
    model: Literal["confidence", "likelihood"]
    sizes: tuple[int, ...] = SIZES
    draws: int = 9

    @property
    def key(self) -> str:
        return f"promise-{self.map_name}-{self.model}".replace(" ", "-")

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        found = {}
        for n in self.sizes:
            rng = repeat_rng(f"promise-{self.map_name}-{n}", number, seed)
            found[n] = np.mean([self._verdicts(n, rng) for _ in range(self.draws)], axis=0)
        return [
            broken(
                f"{self.map_name}, judged by {size:,}",
                f"logistic, {self.model}",
                {n: float(shares[i]) for n, shares in found.items()},
            )
            for i, size in enumerate(JUDGED)
        ]

    def _verdicts(self, n: int, rng: np.random.Generator) -> list[bool]:
        """Whether the promise counts as broken, by each number of new samples."""
        fitted = fit_quietly(LogisticCalibrator(model=self.model), *draw(self.map_name, n, rng))
        return [_is_broken(fitted, *draw(self.map_name, size, rng)) for size in JUDGED]


def _is_broken(fitted: LogisticCalibrator, scores: Floats, y: NDArray[np.int64]) -> bool:
    bel, pl = fitted.predict_interval(scores).T
    promise = check_promise(Evaluation.from_predictions(y, (bel + pl) / 2, bel=bel, pl=pl))
    return promise is not None and promise.broken
