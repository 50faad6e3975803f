"""Small results of every kind that a report can be built from, with any class names."""

from functools import cache

import numpy as np

from dstheory import Frame, MassFunction
from evical.calibrators import LogisticCalibrator
from evical.conformal import p_values
from evical.evaluation import (
    ConformalEvaluation,
    EnsembleEvaluation,
    Evaluation,
    compare,
    compare_data_sets,
)
from evical.report import build

__all__ = [
    "KINDS",
    "conformal",
    "data_sets",
    "ensemble",
    "evaluation",
    "methods",
    "page_of",
    "samples",
]


def samples(n=240, slope=2.0, names=("healthy", "sick"), seed=0):
    """Scores and labels for which the logistic model holds."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-slope * scores))
    return scores, np.where(y, names[1], names[0])


def evaluation(names=("healthy", "sick"), name="logistic", model="likelihood", **options):
    """A calibrator on samples that it has not seen."""
    scores, y = samples(names=names)
    fitted = LogisticCalibrator(model=model).fit(scores[:60], y[:60])
    return Evaluation.from_estimator(
        fitted, scores[60:], y[60:], name=name, n_resamples=49, **options
    )


def methods(names=("healthy", "sick"), name="scores", prefix=""):
    """Three calibrators by cross-validation."""
    scores, y = samples(names=names)
    tried = {
        f"{prefix}logistic": LogisticCalibrator(),
        f"{prefix}bayesian": LogisticCalibrator(model="bayesian"),
        f"{prefix}poor": LogisticCalibrator(transform="rank"),
    }
    return compare(scores, y, tried, cv=3, name=name)


def data_sets(names=("healthy", "sick"), prefix=""):
    """Three calibrators on three data sets."""
    parts = {f"{prefix}{i}": samples(90, 1.0 + i, names, i) for i in range(3)}
    return compare_data_sets(parts, ["logistic", "binning", "sbb"], cv=2)


def ensemble(names=("healthy", "sick", "odd"), name="three", members=("a", "b", "c"), n=120):
    """Three members with beliefs on three classes; the second is the best."""
    rng = np.random.default_rng(0)
    frame, y = Frame(names), rng.integers(len(names), size=n)
    masses = []
    for skill in (1.0, 2.0, 0.5):
        logits = rng.normal(size=(n, len(names))) + skill * np.eye(len(names))[y]
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        table = np.column_stack([0.8 * p, np.full(n, 0.2)])
        masks = [*(1 << k for k in range(len(names))), frame.full]
        masses.append(MassFunction(frame, masks, table))
    combined = masses[0] @ masses[1] @ masses[2]
    return EnsembleEvaluation.from_masses(
        [names[k] for k in y],
        masses,
        combined,
        members=members,
        rule="dempster",
        name=name,
        by_source={"weights_": np.array([0.2, 0.5, 0.3]), "rates_": np.full((3, len(names)), 0.1)},
    )


def conformal(names=("healthy", "sick", "odd"), name="conformal", n=120, shift=0.0):
    """P-values from ranks among 99 calibration scores; a shift makes all classes stranger."""
    rng = np.random.default_rng(0)
    y, calibration = rng.integers(len(names), size=n), rng.normal(size=99)
    scores = rng.normal(2.0, 1.0, size=(n, len(names)))
    scores[np.arange(n), y] -= 2.0 - shift
    return ConformalEvaluation.from_p_values(
        [names[k] for k in y],
        p_values(calibration, scores),
        labels=list(names),
        n_calibration=99,
        name=name,
    )


KINDS = {
    "evaluation": evaluation,
    "probabilities": lambda **options: evaluation(model="bayesian", **options),
    "comparison": methods,
    "data sets": data_sets,
    "ensemble": ensemble,
    "conformal": conformal,
}


@cache
def page_of(kind: str) -> str:
    """The page of plain results of a kind."""
    return build(KINDS[kind](), command="evical report <x>")
