"""The measures of Gebel's comparison of calibrators: correctness, effectiveness, calibration.

Source: Gebel (2009), section 2.4, equations 2.3-2.6.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["calibration_measure", "correctness", "effectiveness", "well_calibration"]

Floats = NDArray[np.float64]


def correctness(positive: Floats, y: NDArray[np.intp]) -> float:
    """Correctness rate CR (eq. 2.3); 1/2 is assigned to class 0.

    >>> correctness(np.array([0.2, 0.6]), np.array([0, 0]))
    0.5
    """
    return float(np.mean((positive > 0.5) == (y == 1)))


def effectiveness(positive: Floats, y: NDArray[np.intp]) -> float:
    """1 - RMSE (eq. 2.4): the mean over samples of a root each, |P(true class) - 1| for two.

    >>> effectiveness(np.array([0.25, 0.75]), np.array([0, 0]))
    0.5
    """
    return float(1 - np.mean(np.abs(y - positive)))


def well_calibration(positive: Floats, y: NDArray[np.intp]) -> float:
    """Well-calibration ratio WCR (eq. 2.5).

    In each part, of the samples assigned to one class, mean probability and share of each class
    are compared; for two classes both differences are the same. A part without samples, for
    which the thesis says nothing, is left out.

    >>> well_calibration(np.array([0.25, 0.25, 0.75, 0.75]), np.array([0, 1, 1, 1]))
    0.75
    """
    parts = [positive > 0.5, positive <= 0.5]
    gaps = [abs(float(np.mean(positive[part] - y[part]))) for part in parts if part.any()]
    return 1 - float(np.mean(gaps))


def calibration_measure(positive: Floats, y: NDArray[np.intp]) -> float:
    """Calibration measure Cal (eq. 2.6): geometric mean of effectiveness and WCR.

    >>> calibration_measure(np.array([0.0, 1.0]), np.array([0, 1]))
    1.0
    """
    return float(np.sqrt(effectiveness(positive, y) * well_calibration(positive, y)))
