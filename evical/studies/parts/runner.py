"""One runner for every protocol: split, train once, calibrate and fuse in each way.

The classifiers of a repeat are trained and evaluated once and serve all methods, so that
methods differ in nothing else and differences between them are paired. A repeat depends on
the seed and its number only, so repeats may run in any order, or be kept and resumed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from evical.datasets import Dataset
from evical.studies.parts._fusion import LEARNED
from evical.studies.parts.evaluate import fuse_all, train_source
from evical.studies.parts.held_out import fuse_learned, train_learning_source
from evical.studies.parts.metrics import METRICS
from evical.studies.parts.protocol import Protocol
from evical.studies.parts.split import draw_halves, draw_training, share_sizes

__all__ = ["Repeat", "Results", "check_dataset", "run", "run_repeat"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# The squares of a hundred million such values still have a finite sum.
_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class Repeat:
    """Outcome of one random split.

    Parameters
    ----------
    number : int
    y : (n_test,) array
        Labels of the test samples.
    probability : (n_methods, n_test) array
        Fused pignistic probability of the positive class.
    metrics : (n_methods, n_metrics) array
        In the order of the protocol's methods and of `METRICS`.
    """

    number: int
    y: Indices
    probability: Floats
    metrics: Floats


@dataclass(frozen=True, eq=False)
class Results:
    """All repeats of a protocol on a data set.

    Parameters
    ----------
    protocol : Protocol
    dataset : Dataset
    repeats : tuple of Repeat
    """

    protocol: Protocol
    dataset: Dataset
    repeats: tuple[Repeat, ...]

    @property
    def metrics(self) -> Floats:
        """Every measurement: (n_rounds, n_methods, n_metrics)."""
        return np.stack([one.metrics for one in self.repeats])


def run(
    protocol: Protocol, dataset: Dataset, on_repeat: Callable[[Repeat], object] | None = None
) -> Results:
    """Carry out all repeats.

    Parameters
    ----------
    protocol : Protocol
    dataset : Dataset
    on_repeat : callable, optional
        Called with each `Repeat` as it is finished, to show progress or keep it.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If the data set does not have two classes, or too few samples.
    """
    check_dataset(protocol, dataset)
    repeats = []
    for number in range(protocol.repeats):
        repeats.append(run_repeat(protocol, dataset, number))
        if on_repeat is not None:
            on_repeat(repeats[-1])
    return Results(protocol, dataset, tuple(repeats))


def run_repeat(protocol: Protocol, dataset: Dataset, number: int) -> Repeat:
    """Carry out one repeat; it depends on the seed and this number only.

    Parameters
    ----------
    protocol : Protocol
    dataset : Dataset
    number : int
        From 0; may exceed ``protocol.repeats``.

    Returns
    -------
    Repeat

    Raises
    ------
    ValueError
        As `run`.
    """
    sizes = check_dataset(protocol, dataset)
    rng = np.random.default_rng(np.random.SeedSequence(protocol.seed, spawn_key=(0, number)))
    train, test = draw_training(dataset.y, sum(sizes), 2 * len(sizes), rng)
    halves = draw_halves(dataset.y[train], sizes, rng)
    # By all training samples: scaled by the two or three of a small share alone, every other
    # sample would lie so far off that kernel values vanish.
    scaler = StandardScaler().fit(dataset.X[train])
    known, unknown = scaler.transform(dataset.X[train]), scaler.transform(dataset.X[test])
    y, y_known = dataset.y[test], dataset.y[train]
    sources = [train_source(protocol.classifier, known, y_known, pair, unknown) for pair in halves]
    plain = [method for method in protocol.methods if method.fusion not in LEARNED]
    learned = [method for method in protocol.methods if method.fusion in LEARNED]
    found = dict(zip(plain, fuse_all(sources, plain, sizes, y), strict=True))
    if learned:
        learning = [
            train_learning_source(protocol.classifier, known, y_known, pair, unknown)
            for pair in halves
        ]
        found |= {one: fuse_learned(learning, one, y_known, sizes, y) for one in learned}
    fused = [found[method] for method in protocol.methods]
    metrics = [[metric.measure(one) for metric in METRICS] for one in fused]
    probability = np.stack([one.probability for one in fused])
    return Repeat(number, y, probability, np.array(metrics))


def check_dataset(protocol: Protocol, dataset: Dataset) -> list[int]:
    """Find out whether a protocol can run on a data set, before anything is computed.

    Parameters
    ----------
    protocol : Protocol
    dataset : Dataset

    Returns
    -------
    list of int
        Sizes of the classifiers' shares.

    Raises
    ------
    ValueError
        If the data set does not have two classes, or too few samples of one, or values whose
        variance is not a number.
    """
    n_classes = len(dataset.class_names)
    if n_classes != 2:
        names = ", ".join(dataset.class_names[:5])
        raise ValueError(
            f"{dataset.name}: the target has {n_classes} class{'es' if n_classes > 1 else ''} "
            f"({names}{', ...' if n_classes > 5 else ''}), but this experiment takes two; "
            "choose another target or drop classes"
        )
    _check_magnitude(dataset)
    try:
        sizes = share_sizes(protocol.train_size(len(dataset)), protocol.shares)
        # A dry run of the draw finds out whether both classes suffice.
        draw_training(dataset.y, sum(sizes), 2 * len(sizes), np.random.default_rng(0))
    except ValueError as error:
        raise ValueError(f"{dataset.name} has {len(dataset)} samples: {error}") from error
    return sizes


def _check_magnitude(dataset: Dataset) -> None:
    largest = np.abs(dataset.X).max(axis=0)
    if largest.max() > _LARGEST:
        column = int(np.argmax(largest))
        raise ValueError(
            f"{dataset.name}: feature {dataset.feature_names[column]!r} reaches "
            f"{largest[column]:.0e}, too large to be standardized (at most {_LARGEST:.0e}); "
            "rescale it"
        )
