"""The contest of the demo: ten classifiers of very unequal size, combined in eighteen ways.

Scenario (c) of Xu et al. (2016), section 5.2, on data of two or more classes. Samples that are too
few for ten classifiers are shared among fewer. A calibrator needs all classes, and so does a
classifier; a share of five samples drawn blindly often lacks one, so each half of each share first
gets one sample of each class.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from dstheory import MassFunction
from dstheory.transform import betp
from evical._typing import Floats, Indices
from evical.calibrators import (
    AutoCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from evical.datasets import Dataset
from evical.ensemble import EvidentialEnsemble
from evical.errors import WrongWayWarning
from evical.evaluation.estimate import Estimate
from evical.metrics import brier_score, log_loss, mean_imprecision

# Training and calibration samples of each share, as each half needs all classes.
Halves = list[tuple[Indices, Indices]]

BIN_EDGES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
"""Bins one wide (Xu et al. 2016, figure 1); scores outside fall into the end bins."""

CALIBRATORS: dict[str, Callable[..., Any]] = {
    "binning": partial(BinningCalibrator, n_bins=BIN_EDGES),
    "isotonic": IsotonicCalibrator,
    "logistic": LogisticCalibrator,
    "automatic": AutoCalibrator,
}
"""Name to a function that makes a calibrator of an evidential model."""

SHARES = (Fraction(2, 3), Fraction(1, 5), *[Fraction(1, 60)] * 8)
"""Shares of the training samples (Xu et al. 2016, figure 12 c)."""

_MOST_CLASSES = 10  # of 16, isotonic beliefs alone take a minute a repeat
_FEWEST = 5  # classifiers, of which three are small
# The squares of a hundred million such values still have a finite sum.
_LARGEST = 1e150


@dataclass(frozen=True)
class Method:
    """A calibrator with its evidential model, and a way to combine.

    Parameters
    ----------
    calibrator : {"binning", "isotonic", "logistic", "automatic"}
    model : str
    fusion : str
        The `rule` of `EvidentialEnsemble`; "largest", the classifier with the largest share alone;
        or "default", all of `EvidentialEnsemble` with default settings.
    """

    calibrator: str
    model: str
    fusion: str = "dempster"

    @property
    def model_name(self) -> str:
        """The model in words."""
        proper = {"bayesian": "Bayesian", "dempster": "Dempster"}
        return proper.get(self.model, self.model.replace("_", " "))


_MODELS = ("bayesian", "inverse_pignistic", "dempster", "confidence", "likelihood")
STACKED = Method("logistic", "likelihood", "stacked")
RECOMMENDED = Method("automatic", "likelihood", "default")
LARGEST = Method("logistic", "bayesian", "largest")
WEIGHTED_MEAN = Method("logistic", "bayesian", "size_mixture")
METHODS = (
    *(
        Method(calibrator, model)
        for calibrator in ("binning", "isotonic", "logistic")
        for model in _MODELS
        # Dempster's model is one of a binomial proportion; a sigmoid has none.
        if (calibrator, model) != ("logistic", "dempster")
    ),
    *(STACKED, RECOMMENDED, LARGEST, WEIGHTED_MEAN),
)
"""Rows of the table: those of the paper, stacking, the default, and two baselines."""
LIKELIHOOD, BAYESIAN = Method("logistic", "likelihood"), Method("logistic", "bayesian")
WAYS = {
    RECOMMENDED: "EvidentialEnsemble, default",
    STACKED: "Beliefs, learned weights",
    LIKELIHOOD: "Beliefs (likelihood), Dempster's rule",
    Method("logistic", "confidence"): "Beliefs (confidence), Dempster's rule",
    BAYESIAN: "Probabilities, Dempster's rule",
    WEIGHTED_MEAN: "Probabilities, mean weighted by size",
    LARGEST: "Largest classifier alone",
}
"""What the picture compares, in words."""


@dataclass(frozen=True)
class Metric:
    """A measure of a repeat, with its name, meaning, unit and decimal places in tables."""

    key: str
    name: str
    meaning: str
    factor: float
    digits: int


_BRIER = "mean squared distance of probability and label; of three and more classes, their sum"
METRICS = (
    Metric("error_rate", "Error %", "share of errors; a tie of two is half of one", 100, 1),
    Metric("brier", "Brier", _BRIER, 1, 3),
    Metric("log_loss", "Log loss", "mean -log of the true class's probability, at most 36", 1, 2),
    Metric("imprecision", "Pl - Bel", "mean of what the evidence leaves open", 1, 3),
    Metric(
        "total_conflict",
        "Conflict %",
        "share on which classifiers exclude each other: taken as vacuous",
        100,
        1,
    ),
)
"""Columns of the table; of the first three, lower is better."""


@dataclass(frozen=True, eq=False)
class Contest:
    """All methods on the same random splits of a data set.

    Parameters
    ----------
    dataset : Dataset
    seed : int
    values : dict of Method to (repeats, n_metrics) array
    predictions : dict of Method to list of pairs
        Labels (n,) and probabilities (n, K) of the test samples of each repeat.
    """

    dataset: Dataset
    seed: int
    values: Mapping[Method, Floats]
    predictions: Mapping[Method, Sequence[tuple[Indices, Floats]]]

    @property
    def repeats(self) -> int:
        """Number of random splits."""
        return len(next(iter(self.values.values())))

    def estimate(self, method: Method, key: str) -> Estimate:
        """Mean of a metric over repeats."""
        return Estimate.of(self._column(method, key))

    def mean(self, method: Method, key: str) -> float:
        """The same without its standard error."""
        return self.estimate(method, key).mean

    def difference(self, method: Method, other: Method, key: str) -> Estimate:
        """Mean of the difference within repeats."""
        return Estimate.of(self._column(method, key) - self._column(other, key))

    def _column(self, method: Method, key: str) -> Floats:
        return self.values[method][:, [metric.key for metric in METRICS].index(key)]


def sizes_of(dataset: Dataset) -> list[int]:
    """Numbers of samples for the classifiers.

    >>> from evical.datasets.loaders import load_breast_cancer
    >>> sizes_of(load_breast_cancer())
    [189, 57, 5, 5, 5, 5, 5, 5, 4, 4]
    """
    n_classes = len(dataset.class_names)
    n = min(150 * n_classes, len(dataset) // 2)
    for rest in range(len(SHARES) - 2, _FEWEST - 2, -1):
        with suppress(ValueError):
            if min(dataset.class_counts) > 2 * (rest + 2):
                return share_sizes(n, _shares(rest), n_classes)
    return share_sizes(n, _shares(_FEWEST - 2), n_classes)


def _shares(n_small: int) -> list[Fraction]:
    """Those of the two largest and, in equal parts, of the others."""
    return [*SHARES[:2], *[sum(SHARES[2:], Fraction()) / n_small] * n_small]


IN_WORDS = dict(enumerate(["five", "six", "seven", "eight", "nine", "ten"], _FEWEST))
"""Numbers of classifiers."""


def shown_class(dataset: Dataset) -> int:
    """The positive class of two; of more, the most frequent one, which pictures compare."""
    counts = dataset.class_counts
    return 1 if len(counts) == 2 else counts.index(max(counts))


def check_data(dataset: Dataset) -> None:
    """Find out whether the contest can run, before anything is computed.

    Parameters
    ----------
    dataset : Dataset

    Raises
    ------
    ValueError
        If there is one class, or more than ten, or too few samples of one, or values whose variance
        is not a number.
    """
    n_classes = len(dataset.class_names)
    if not 2 <= n_classes <= _MOST_CLASSES:
        names = ", ".join(dataset.class_names[:5])
        raise ValueError(
            f"{dataset.name}: the target has {n_classes} class{'es' if n_classes > 1 else ''} "
            f"({names}{', ...' if n_classes > 5 else ''}), but this experiment takes 2 to "
            f"{_MOST_CLASSES}; choose another target or merge classes"
        )
    largest = np.abs(dataset.X).max(axis=0)
    if largest.max() > _LARGEST:
        column = int(np.argmax(largest))
        raise ValueError(
            f"{dataset.name}: feature {dataset.feature_names[column]!r} reaches "
            f"{largest[column]:.0e}, too large to be standardized (at most {_LARGEST:.0e}); "
            "rescale it"
        )
    try:
        # A dry run of the draw finds out whether all classes suffice.
        sizes = sizes_of(dataset)
        draw_training(dataset.y, sum(sizes), 2 * len(sizes), np.random.default_rng(0))
    except ValueError as error:
        raise ValueError(f"{dataset.name} has {len(dataset)} samples: {error}") from error


def run_contest(
    dataset: Dataset,
    repeats: int,
    seed: int,
    methods: Iterable[Method] = METHODS,
    on_repeat: Callable[[int], object] = lambda done: None,
) -> Contest:
    """Train, calibrate and combine on random splits.

    Parameters
    ----------
    dataset : Dataset
        That passes `check_data`.
    repeats, seed : int
        A repeat depends on its number and the seed only.
    methods : iterable of Method
    on_repeat : callable
        Called with the number of finished repeats after each.

    Returns
    -------
    Contest
    """
    methods = tuple(methods)
    predictions: dict[Method, list[tuple[Indices, Floats]]] = {method: [] for method in methods}
    values: dict[Method, list[tuple[float, ...]]] = {method: [] for method in methods}
    for number in range(repeats):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, number)))
        # One thread, because sums of several are rounded differently.
        with (
            threadpool_limits(1),
            warnings.catch_warnings(action="ignore", category=WrongWayWarning),
        ):
            for method, y, mass, conflict in _repeat(dataset, rng, methods):
                p = betp(mass)
                predictions[method].append((y, p))
                values[method].append(_measured(y, p, mass, conflict))
        on_repeat(number + 1)
    arrays = {method: np.array(rows) for method, rows in values.items()}
    return Contest(dataset, seed, arrays, predictions)


def _repeat(
    dataset: Dataset, rng: np.random.Generator, methods: Iterable[Method]
) -> Iterator[tuple[Method, Indices, MassFunction, float]]:
    """Each method on one split, with the share of test samples in total conflict."""
    sizes = sizes_of(dataset)
    train, test = draw_training(dataset.y, sum(sizes), 2 * len(sizes), rng)
    halves = draw_halves(dataset.y[train], sizes, rng)
    # By all training samples: scaled by the two or three of a small share alone, every other
    # sample would lie so far off that kernel values vanish.
    scaler = StandardScaler().fit(dataset.X[train])
    X, y = scaler.transform(dataset.X[train]), dataset.y[train]
    X_test = scaler.transform(dataset.X[test])
    trained = [FrozenEstimator(SVC().fit(X[half], y[half])) for half, _ in halves]
    for method in methods:
        ensemble, rows = _ensemble(method, trained, halves)
        mass = ensemble.fit(X[rows], y[rows]).predict_mass(X_test)
        vacuous = mass.is_vacuous
        # Beliefs that leave all open do not conflict, and are vacuous too.
        conflict = vacuous & (ensemble.conflict(X_test) > 0.5) if vacuous.any() else vacuous
        yield method, dataset.y[test], mass, conflict.mean()


def _ensemble(
    method: Method, trained: list[FrozenEstimator], halves: Halves
) -> tuple[EvidentialEnsemble, Indices]:
    """An ensemble for a method, and the rows that it is fitted on."""
    if method.fusion == "default":
        subsets = [np.concatenate(pair) for pair in halves]
        rows = np.arange(sum(map(len, subsets)))
        return EvidentialEnsemble([SVC()] * len(halves), subsets=subsets), rows
    alone = method.fusion == "largest"
    own = [half for _, half in halves][: 1 if alone else None]
    ends = np.cumsum([len(half) for half in own])
    rule: Any = "dempster" if alone else method.fusion
    ensemble = EvidentialEnsemble(
        trained[: len(own)],
        calibrator=CALIBRATORS[method.calibrator](model=method.model),
        rule=rule,
        subsets=np.split(np.arange(ends[-1]), ends[:-1]),
        total_conflict="vacuous",
    )
    return ensemble, np.concatenate(own)


def _measured(y: Indices, p: Floats, mass: MassFunction, conflict: float) -> tuple[float, ...]:
    """The values of `METRICS`."""
    # Even probabilities decide nothing; of two, half an error, whichever class is called positive.
    top = p == p.max(axis=1, keepdims=True)
    rows, labels = np.arange(len(y)), range(p.shape[1])
    return (
        float(np.mean(1 - top[rows, y] / top.sum(axis=1))),
        brier_score(y, p, labels=labels),
        log_loss(y, p, labels=labels, eps=float(np.finfo(np.float64).eps)),
        mean_imprecision(mass),
        conflict,
    )


def share_sizes(n_samples: int, shares: Sequence[Fraction], n_classes: int = 2) -> list[int]:
    """Whole numbers of samples, as near to the shares as the total allows.

    Parameters
    ----------
    n_samples : int
        Number of samples to share out.
    shares : sequence of Fraction
        Parts that sum to 1.
    n_classes : int

    Returns
    -------
    list of int
        Rounded by largest remainders, but at least one sample of each class in either half, which
        the largest pays for.

    Raises
    ------
    ValueError
        If that would leave the largest with less than half of its share.

    Examples
    --------
    >>> share_sizes(30, [Fraction(2, 3), Fraction(1, 3)])
    [20, 10]
    >>> share_sizes(30, [Fraction(9, 10), Fraction(1, 10)])
    [26, 4]
    """
    exact = [share * n_samples for share in shares]
    sizes = [int(size) for size in exact]
    rest = n_samples - sum(sizes)
    by_remainder = sorted(range(len(sizes)), key=lambda i: sizes[i] - exact[i])
    for i in by_remainder[:rest]:
        sizes[i] += 1
    least = 2 * n_classes
    sizes = [max(size, least) for size in sizes]
    largest = int(np.argmax(sizes))
    sizes[largest] -= sum(sizes) - n_samples
    if 2 * sizes[largest] < exact[largest]:
        raise ValueError(
            f"{n_samples} training samples are too few to share among {len(shares)} classifiers: "
            f"each needs {least}, and the largest at least half of its share; give more data"
        )
    return sizes


def draw_training(
    y: NDArray[np.intp], size: int, least: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Training and test samples, in random order, in the class proportions of `y`.

    At least `least` samples of each class are drawn for training, and at least one is left for the
    test.
    """
    counts = np.bincount(y)
    if min(counts) <= least or not least * len(counts) <= size <= len(y) - len(counts):
        raise ValueError(
            f"the classes have {', '.join(map(str, counts[:-1]))} and {counts[-1]} samples, but "
            f"{least} of each are needed for training (of {size} in all) and 1 for the test"
        )
    drawn = np.clip(np.rint(size * counts / len(y)).astype(int), least, counts - 1)
    while (step := np.sign(size - drawn.sum())) != 0:  # rounding and limits moved the sum
        free = drawn < counts - 1 if step > 0 else drawn > least
        drawn[np.argmax(np.where(free, step * (size * counts / len(y) - drawn), -np.inf))] += step
    order = rng.permutation(len(y))
    parts = [np.split(order[y[order] == k], [drawn[k]]) for k in reversed(range(len(counts)))]
    train, test = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return rng.permutation(train), rng.permutation(test)


def draw_halves(y: NDArray[np.intp], sizes: Sequence[int], rng: np.random.Generator) -> Halves:
    """Share samples out at random, each share in two halves that hold all classes.

    Parameters
    ----------
    y : (n,) array of 0, 1, ...
        Labels of the samples to be shared out.
    sizes : sequence of int
        Sizes of the shares, at least two per class each; they sum to n.
    rng : numpy.random.Generator

    Returns
    -------
    list of (training, calibration) pairs of index arrays
        The second half is the larger one where the size is odd.

    Raises
    ------
    ValueError
        If there are too few samples of a class.

    Examples
    --------
    >>> halves = draw_halves(np.array([0, 0, 1, 1]), [4], np.random.default_rng(0))
    >>> [sorted(half.tolist()) for half in halves[0]] in ([[0, 2], [1, 3]], [[0, 3], [1, 2]])
    True
    """
    halves = [half for size in sizes for half in (size // 2, size - size // 2)]
    counts = np.bincount(y, minlength=2)
    if counts.min() < len(halves):
        raise ValueError(f"each class needs {len(halves)} samples, one in each half of each share")
    order = rng.permutation(len(y))
    first = np.stack([order[y[order] == label][: len(halves)] for label in range(len(counts))])
    others = order[~np.isin(order, first)]
    ends = np.cumsum(np.array(halves) - len(counts))
    dealt = np.split(others, ends[:-1])
    full = [np.concatenate(pair) for pair in zip(first.T, dealt, strict=True)]
    return list(zip(full[::2], full[1::2], strict=True))
