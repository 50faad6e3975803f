"""Samples of two classes, counted: what every binary calibrator is fitted to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.scores import ScoreCounts
from evical.scores.checks import check_weights

__all__ = ["check_both", "check_two", "counted"]


def counted(
    values: Floats, labels: NDArray[Any], classes: NDArray[Any], sample_weight: Any
) -> ScoreCounts:
    """Counts of samples with these labels, the second class being positive.

    Raises
    ------
    ValueError
        If a label is none of the classes; or as `ScoreCounts.from_samples`.
    """
    strange = ~np.isin(labels, classes)
    if strange.any():
        row = int(np.argmax(strange))
        raise ValueError(f"y[{row}] is {labels[row]!r}, but the classes are {classes.tolist()}")
    weights = check_weights(sample_weight, len(values))
    return ScoreCounts.from_samples(values, labels == classes[1], weights)


def check_both(counts: ScoreCounts, classes: NDArray[Any], detail: str = "") -> None:
    """Raise unless both classes have some weight."""
    if not (counts.n_negative and counts.n_positive):
        raise ValueError(_one_class_message(classes[int(counts.n_positive > 0)], detail))


def check_two(classes: NDArray[Any]) -> None:
    """Raise unless there are two classes."""
    if len(classes) == 1:
        raise ValueError(_one_class_message(classes[0]))
    if len(classes) != 2:
        raise ValueError(
            # The words in the middle are what scikit-learn's checks look for.
            f"y has {len(classes)} classes {classes[:5].tolist()}. Only binary classification is "
            "supported here; for more classes, wrap the classifier in EvidentialClassifier"
        )


def _one_class_message(only: Any, detail: str = "") -> str:
    value = only.item() if isinstance(only, np.generic) else only
    return f"y has one class only{detail} (all {value!r}); a calibrator needs both"
