"""How far calibrators are from the truth, on simulated scores whose probability is known.

Each contender learns from the same samples; its losses are then expectations over the true
distribution of scores and labels, by quadrature and without a test sample. What is left of
chance is the draw of the training samples, and its standard error is reported.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import isabstract
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.arguments import as_sequence, check_count, check_instance
from evical import calibrators
from evical.datasets import (
    SIMULATIONS,
    simulated_probability,
    simulated_quantiles,
    simulated_scores,
)
from evical.evaluation.estimate import Estimate
from evical.metrics.inputs import MOST_REPEATS

__all__ = ["Contender", "Quality", "calibrator_contenders", "optimum", "quality_study"]

Floats = NDArray[np.float64]

CLIP = 1e-6  # the log loss of a probability of 0 would be infinite
KINDS = ("monotone", "nonmonotone", "overconfident")
SIZES = (200, 1000, 10_000)

# What calibrators are also tried with, besides their defaults.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "BinningCalibrator": (
        {"n_bins": 15, "strategy": "quantile"},
        {"n_bins": 15, "strategy": "quantile", "model": "bayesian"},
    ),
    "IsotonicCalibrator": (
        {"model": "bayesian"},
        {"envelope": False},
        {"model": "bayesian", "centered": True},
    ),
    "KDECalibrator": (
        {"kernel": "boxcar"},
        {"bandwidth": "per_class"},
        {"model": "likelihood"},
        {"bandwidth": "per_class", "transform": "logit"},
    ),
    "LogisticCalibrator": ({"model": "bayesian"}, {"model": "bayesian", "transform": "logit"}),
    "TemperatureCalibrator": ({"transform": "logit"},),
    "SplineCalibrator": ({"transform": "logit"}, {"transform": "rank"}),
    "DPMCalibrator": ({"transform": "logit"},),
}


@dataclass(frozen=True)
class Contender:
    """A method that takes part.

    Parameters
    ----------
    name : str
    make : callable
        Without arguments; gives an object with ``fit(scores, y)`` and ``predict_proba(scores)``,
        which returns (n, 2), or (n,) probabilities of the positive class.
    """

    name: str
    make: Callable[[], Any]


@dataclass(frozen=True)
class Quality:
    """The results of a contender on one kind of scores, for samples of one size.

    Parameters
    ----------
    contender, kind : str
    n : int
        Size of the training samples.
    log_loss, brier, squared_error : Estimate
        Expected losses, and E(q - p)^2 between prediction and truth; standard errors are over
        draws of the training sample. The Brier score is the optimum plus the squared error.
    extreme : Estimate
        Share of predictions that are exactly 0 or 1.
    width : Estimate
        Mean of Pl - Bel, 0 for probabilities.
    seconds : float
        Median time of fitting.
    """

    contender: str
    kind: str
    n: int
    log_loss: Estimate
    brier: Estimate
    squared_error: Estimate
    extreme: Estimate
    width: Estimate
    seconds: float


@dataclass
class _Tally:
    """Values of one contender, a list of draws each."""

    values: dict[str, list[float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def add(self, values: dict[str, float], seconds: float) -> None:
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)
        self.seconds.append(seconds)


def calibrator_contenders() -> list[Contender]:
    """Every calibrator of this package, by default and with some further options.

    Returns
    -------
    list of Contender
        Found through ``evical.calibrators.__all__``, so that none can be forgotten.

    Examples
    --------
    >>> [c.name for c in calibrator_contenders() if c.name.startswith("Isotonic")]
    ['Isotonic', 'Isotonic (model=bayesian)', 'Isotonic (envelope=False)', \
'Isotonic (model=bayesian, centered=True)']
    """
    found = []
    for name in calibrators.__all__:
        kind = getattr(calibrators, name)
        if isabstract(kind):
            continue
        for options in ({}, *VARIANTS.get(name, ())):
            detail = ", ".join(f"{key}={value}" for key, value in options.items())
            label = name.removesuffix("Calibrator") + (f" ({detail})" if detail else "")
            found.append(Contender(label, partial(kind, **options)))
    return found


def optimum(kind: str, n_quantiles: int = 20_000) -> dict[str, float]:
    """Expected losses of the true probability: what no calibrator can beat.

    Parameters
    ----------
    kind : str
        Of `evical.datasets.simulated_scores`.
    n_quantiles : int
        Nodes of the quadrature.

    Returns
    -------
    dict
        ``log_loss`` and ``brier``.

    Examples
    --------
    >>> round(optimum("monotone")["brier"], 4)
    0.1799
    """
    p = simulated_probability(kind, simulated_quantiles(kind, n_quantiles))
    losses = _losses(p, p)
    return {name: losses[name] for name in ("log_loss", "brier")}


def quality_study(
    contenders: Iterable[Contender] | None = None,
    kinds: Sequence[str] = KINDS,
    sizes: Sequence[int] = SIZES,
    draws: int = 10,
    seed: int = 0,
    n_quantiles: int = 20_000,
) -> list[Quality]:
    """Compare calibrators by their expected losses on scores of known probability.

    Parameters
    ----------
    contenders : iterable of Contender, optional
        All calibrators of this package by default.
    kinds : sequence of str
        Of `evical.datasets.simulated_scores`.
    sizes : sequence of int
        Sizes of the training samples.
    draws : int
        Training samples of each kind and size; all contenders get the same.
    seed : int
    n_quantiles : int
        Nodes of the quadrature over scores.

    Returns
    -------
    list of Quality
        By kind, size and contender.

    Examples
    --------
    >>> few = [c for c in calibrator_contenders() if c.name == "Logistic"]
    >>> (row,) = quality_study(few, kinds=["monotone"], sizes=[100], draws=2, n_quantiles=100)
    >>> row.contender, row.n, row.brier.mean > optimum("monotone", 100)["brier"]
    ('Logistic', 100, True)
    """
    if contenders is None:
        contenders = calibrator_contenders()
    chosen = as_sequence(contenders, "contenders", "Contenders")
    for one in chosen:
        check_instance("a contender", one, Contender, "a Contender")
    check_count("draws", draws, 1, MOST_REPEATS)
    check_count("seed", seed, 0, 2**64 - 1)
    sizes = [
        check_count("a size", n, 1, MOST_REPEATS)
        for n in as_sequence(sizes, "sizes", "numbers of samples")
    ]
    rows = []
    for kind in as_sequence(kinds, "kinds", f"kinds out of {', '.join(SIMULATIONS)}"):
        at = simulated_quantiles(kind, n_quantiles)
        truth = simulated_probability(kind, at)
        for n in sizes:
            tallies = {c.name: _Tally() for c in chosen}
            for draw in range(draws):
                # The seed of a draw depends on nothing else that is studied.
                rng = np.random.default_rng([seed, n, draw])
                scores, y, _ = simulated_scores(kind, n, rng)
                for contender in chosen:
                    tallies[contender.name].add(*_tried(contender, scores, y, at, truth))
            rows += [_quality(c.name, kind, n, tallies[c.name]) for c in chosen]
    return rows


def _tried(
    contender: Contender, scores: Floats, y: NDArray[np.int64], at: Floats, truth: Floats
) -> tuple[dict[str, float], float]:
    start = perf_counter()
    calibrator = contender.make()
    calibrator.fit(scores, y)
    seconds = perf_counter() - start
    proba = np.asarray(calibrator.predict_proba(at), dtype=np.float64)
    q = proba[:, 1] if proba.ndim == 2 else proba
    if not ((q >= 0) & (q <= 1)).all():  # NaN too
        raise ValueError(f"{contender.name} predicts what is no probability")
    values = _losses(q, truth)
    values["width"] = 0.0
    if hasattr(calibrator, "predict_interval"):
        values["width"] = float(np.diff(calibrator.predict_interval(at)).mean())
    return values, seconds


def _losses(q: Floats, p: Floats) -> dict[str, float]:
    """Expectations over scores, and over labels given scores."""
    clipped = np.clip(q, CLIP, 1 - CLIP)
    log_loss = -(p * np.log(clipped) + (1 - p) * np.log1p(-clipped))
    squared = (q - p) ** 2
    return {
        "log_loss": float(log_loss.mean()),
        "brier": float((squared + p * (1 - p)).mean()),
        "squared_error": float(squared.mean()),
        "extreme": float(((q == 0) | (q == 1)).mean()),
    }


def _quality(name: str, kind: str, n: int, tally: _Tally) -> Quality:
    found = {key: Estimate.of(np.array(values)) for key, values in tally.values.items()}
    return Quality(name, kind, n, seconds=float(np.median(tally.seconds)), **found)
