"""Masses of binary calibrators for their columns of scores, in one array.

A code of many classes has hundreds of columns. Their scores are checked once, as a table, and the
masses are used as the calibrators compute them, without a mass function per column.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evical._typing import Floats
from evical.calibrators import BaseCalibrator

__all__ = ["witnesses"]


def witnesses(calibrators: Sequence[Any], scores: Floats) -> Floats:
    """Masses of the negative side, of the positive side, and of either.

    Parameters
    ----------
    calibrators : sequence of B fitted calibrators of two classes
    scores : (n, B) array of float64

    Returns
    -------
    (3, B, n) array

    Raises
    ------
    ValueError
        If a score is not usable, as in the `predict_mass` of a calibrator.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> binning = BinningCalibrator(1, model="dempster").fit([0.0, 1.0], [0, 1])
    >>> witnesses([binning, binning], np.array([[0.0, 1.0]])).round(3)[:, :, 0]
    array([[0.333, 0.333],
           [0.333, 0.333],
           [0.333, 0.333]])
    """
    usable = len(scores) > 0 and bool(np.isfinite(scores).all())
    columns = zip(calibrators, np.ascontiguousarray(scores.T), strict=True)
    return np.stack([_of_one(calibrator, column, usable) for calibrator, column in columns], axis=1)


def _of_one(calibrator: Any, column: Floats, usable: bool) -> Floats:
    if usable and _has_masses(calibrator):
        positive, negative = calibrator._predict_mass(calibrator._scale(column))
        return np.stack([negative, positive, 1 - (positive + negative)])
    m = calibrator.predict_mass(column)
    return np.stack([m.mass(mask=mask) for mask in (1, 2, 3)])


def _has_masses(calibrator: Any) -> bool:
    """Whether `predict_mass` checks that scores are finite, and nothing else."""
    if not isinstance(calibrator, BaseCalibrator) or not calibrator.__sklearn_is_fitted__():
        return False
    kind, base = type(calibrator), BaseCalibrator
    same = kind.predict_mass is base.predict_mass and kind._masses is base._masses
    return same and kind._checked is base._checked and not calibrator._takes_probabilities
