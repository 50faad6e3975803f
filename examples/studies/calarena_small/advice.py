"""What `compare` recommends on calibration samples, judged on test samples beside other rules."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from evical._typing import Floats
from evical.datasets import Dataset
from evical.evaluation import Comparison, compare
from evical.evaluation.methods import complexity, name_methods
from examples.studies._study import Record, repeat_rng
from examples.studies.calarena_small.experiment import Experiment, losses
from examples.studies.parts.quiet import fit_quietly

__all__ = [
    "FORMER",
    "LEAST",
    "RECOMMENDED",
    "TRUTH",
    "Advice",
    "is_near",
    "near_by_luck",
    "simplest_near",
]

Rows = NDArray[np.intp]

RECOMMENDED = "recommended by compare"
LEAST = "least loss in cross-validation"
FORMER = "simplest within one standard error"
TRUTH = "Auto, if it were true"
_RATIO = 0.02
_DRAWS = 20


@dataclass(frozen=True)
class Advice:
    """`compare` on the probabilities of a classifier of two classes.

    Parameters
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    @property
    def key(self) -> str:
        return f"advice-{self.experiment.key}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.experiment.datasets

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        p_cal, y_cal, p_test, y_test = self.experiment.samples(data, number, seed)
        scores, at = p_cal[:, 1], p_test[:, 1]
        found = compare(scores, y_cal, cv=min(10, int(np.bincount(y_cal).min())))
        made = name_methods(None, scores)
        p = {
            name: np.asarray(fit_quietly(clone(made[name]), scores, y_cal).predict_proba(at))
            for name in found.methods
        }
        loss = {name: losses(one, y_test)[0] for name, one in p.items()}
        rules = {
            RECOMMENDED: found.recommendation.method,
            LEAST: found.recommendation.best,
            FORMER: simplest_near(found),
            **{f"always {name}": name for name in found.methods},
        }
        near = {name: float(is_near(loss, name)) for name in loss}
        rows = [
            (self._labels(rule), (loss[name].mean(), np.nan, np.nan, np.nan, near[name]))
            for rule, name in rules.items()
        ]
        luck = near_by_luck(p, repeat_rng(self.key, number, seed))
        return [*rows, (self._labels(TRUTH), (np.nan, np.nan, np.nan, np.nan, luck))]

    def _labels(self, rule: str) -> tuple[str, ...]:
        return "advice", self.experiment.source.name, self.experiment.classifier, rule


def is_near(loss: Mapping[str, Floats], name: str) -> bool:
    """Whether a method is within noise of the best: one paired standard error, or 2 %.

    Parameters
    ----------
    loss : mapping of str to (n,) array
        Log loss of each test sample.
    name : str

    Returns
    -------
    bool

    Examples
    --------
    >>> loss = {"a": np.array([0.1, 0.3]), "b": np.array([0.2, 0.4])}
    >>> is_near(loss, "a"), is_near(loss, "b")
    (True, False)
    """
    least = min(loss.values(), key=lambda one: float(one.mean()))
    gaps = loss[name] - least
    error = gaps.std(ddof=1) / np.sqrt(len(gaps))
    return bool(gaps.mean() <= max(error, _RATIO * least.mean()))


def near_by_luck(p: Mapping[str, Floats], rng: np.random.Generator) -> float:
    """How often "auto" is near the best where labels follow its own probabilities.

    Parameters
    ----------
    p : mapping of str to (n, 2) array
        Probabilities of the test samples, of "auto" too.
    rng : numpy.random.Generator

    Returns
    -------
    float
        Nobody can do better, but for luck.
    """
    found = []
    for _ in range(_DRAWS):
        y = (rng.random(len(p["auto"])) < p["auto"][:, 1]).astype(np.intp)
        found.append(is_near({name: losses(one, y)[0] for name, one in p.items()}, "auto"))
    return float(np.mean(found))


def simplest_near(found: Comparison) -> str:
    """The rule of one standard error: the simplest method that is so near the best.

    Parameters
    ----------
    found : Comparison

    Returns
    -------
    str
        What `compare` recommended once.
    """
    best = found.recommendation.best
    near = [one.method for one in found.differences if one.difference <= one.standard_error]
    made = name_methods(None, found.scores)
    return min([best, *near], key=lambda name: complexity(made[name]))
