"""Beliefs of samples for displays: [Bel, Pl] and pignistic probability of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.transform import betp
from evical._typing import Floats
from evical.metrics.beliefs import class_intervals, normal
from evical.metrics.inputs import class_codes, is_positive
from evical.plot._inputs import positive_index

__all__ = ["Beliefs", "check_threshold", "class_beliefs", "outcomes"]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Bel, Pl and BetP (n, c) of c classes, and their labels."""

    bel: Floats
    pl: Floats
    betp: Floats
    labels: tuple[Any, ...]


def check_threshold(threshold: Any) -> None:
    """Raise unless a threshold is a probability or None."""
    if threshold is None:
        return
    if not isinstance(threshold, int | float | np.number):
        raise TypeError(f"threshold is {threshold!r}, expected a probability, or None for no line")
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold is {threshold!r}, expected a probability in [0, 1]")


def class_beliefs(y_belief: Any, pos_label: Any) -> Beliefs:
    """Beliefs in the named class, or in the second of two; with more classes, in all of them.

    Rows [Bel, Pl] concern the named class; their pignistic probability is the middle.
    """
    bounds = class_intervals(y_belief)
    if not isinstance(y_belief, MassFunction):
        if bounds.shape[1] != 1:
            raise ValueError(
                f"y_belief has intervals of {bounds.shape[1]} classes, expected rows [Bel, Pl] of "
                "one class, (n, 2), or a mass function"
            )
        label = 1 if pos_label is None else pos_label
        return Beliefs(bounds[..., 0], bounds[..., 1], bounds.mean(axis=-1), (label,))
    labels = np.asarray(y_belief.frame.labels)
    chosen = _chosen(labels, pos_label)
    pignistic = np.asarray(betp(normal(y_belief)), dtype=np.float64)
    return Beliefs(
        bounds[:, chosen, 0],
        bounds[:, chosen, 1],
        pignistic[:, chosen],
        tuple(y_belief.frame.labels[k] for k in chosen),
    )


def outcomes(y_true: Any, y_belief: Any, pos_label: Any) -> NDArray[np.bool_]:
    """Whether each sample (n, c) belongs to each class of `class_beliefs`."""
    if not isinstance(y_belief, MassFunction):
        return np.asarray(is_positive(y_true, pos_label)[:, np.newaxis] == 1)
    labels = np.asarray(y_belief.frame.labels)
    codes = class_codes(y_true, labels)
    return np.asarray(codes[:, np.newaxis] == _chosen(labels, pos_label))


def _chosen(labels: NDArray[Any], pos_label: Any) -> list[int]:
    if pos_label is None and len(labels) != 2:
        return list(range(len(labels)))
    return [positive_index(labels, pos_label)]
