"""How many calibration samples the p-values of a fitted `ConformalClassifier` share, if one number
says it: what a test of their promise has to know.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["calibration_of"]

_CROSS = (
    "Cross-conformal prediction promises 2 alpha and a little, and usually keeps alpha, with which "
    "these samples are compared."
)
_SHIFT = (
    "A density ratio weights the calibration samples: the promise is for samples of the other "
    "distribution, and the judged ones have to be such."
)
_WEIGHTS = "Calibration samples have weights, so the tests take them for very many samples."


def calibration_of(classifier: Any) -> tuple[dict[Any, int | None], tuple[str, ...]]:
    """Numbers of calibration samples, and what else the promise needs.

    Parameters
    ----------
    classifier : fitted ConformalClassifier

    Returns
    -------
    numbers : dict
        By class, group or None; None where ranks are not those of one unweighted sample.
    notes : tuple of str
    """
    totals = classifier.n_calibration_
    if classifier.method == "cross" and len(classifier.conformed_) > 1:
        return dict.fromkeys(totals), (_CROSS,)
    if classifier.density_ratio is not None:
        return dict.fromkeys(totals), (_SHIFT,)
    if not all(map(_unweighted, _parts(classifier.conformed_[0].calibration.samples))):
        return dict.fromkeys(totals), (_WEIGHTS,)
    return {name: round(total) for name, total in totals.items()}, ()


def _parts(samples: Any) -> list[Any]:
    """Calibration scores of each class or group, or of all."""
    inside = getattr(samples, "samples", [samples])
    return list(inside.values() if isinstance(inside, Mapping) else inside)


def _unweighted(sample: Any) -> bool:
    """Whether each score adds 1 to the weight from each one on."""
    return bool((np.diff(sample.tail) == -1).all())
