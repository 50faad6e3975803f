"""Is the sample large enough? Rules of thumb with their source, and measurements of our own.

The rules forbid nothing: each gives a sentence about what is known for samples this small.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.evaluation.methods import complexity

# Squared error E(q - p)^2 of training samples of 200, by that of LogisticCalibrator, where the true
# map is monotone: means of the kinds "monotone" and "overconfident" in docs/calibrator_quality.csv.
# At 1000 samples the order reverses if the true map is not logistic.
TIMES_LOGISTIC = {
    "ABBCalibrator": 2.0,
    "AdaptiveCalibrator": 1.7,
    "BBQCalibrator": 2.4,
    "BinningCalibrator": 2.7,
    "DPMCalibrator": 2.0,
    "ENIRCalibrator": 1.7,
    "IsotonicCalibrator": 2.0,
    "PiecewiseLogisticCalibrator": 1.5,
    "SBBCalibrator": 3.1,
}
FEW = 1000  # where isotonic regression catches up: Niculescu-Mizil & Caruana 2005, figure 8
SMALLEST_MEASURED = 200
PER_PARAMETER = 10  # Peduzzi et al. 1996
TO_JUDGE = 100  # Collins, Ogundimu & Altman 2016

_DENSITIES = ("KDECalibrator", "DPMCalibrator", "GaussianCalibrator", "AsymmetricLaplaceCalibrator")
_FOR_ANY_SIZE = ("AutoCalibrator",)  # docs/reproductions/automatic_calibration.md has 50
_DISTINCT = 20  # below, a density mostly describes the gaps between a few distinct values


def general_warnings(y: NDArray[np.int64]) -> list[str]:
    """Warnings that hold for any method.

    Parameters
    ----------
    y : (n,) array of 0 and 1

    Returns
    -------
    list of str

    Examples
    --------
    >>> general_warnings(np.repeat([0, 1], 200))
    []
    >>> print(general_warnings(np.repeat([0, 1], [200, 30]))[0])
    the rarer class has 30 samples: measures of calibration need at least 100 of it, better 200 \
(Collins, Ogundimu & Altman 2016)
    """
    rarer = int(np.bincount(y, minlength=2).min())
    if rarer >= TO_JUDGE:
        return []
    return [
        f"the rarer class has {rarer} samples: measures of calibration need at least {TO_JUDGE} of "
        "it, better 200 (Collins, Ogundimu & Altman 2016)"
    ]


def method_warnings(
    name: str, method: Any, scores: NDArray[np.float64], y: NDArray[np.int64]
) -> list[str]:
    """Warnings about a method on these samples.

    Parameters
    ----------
    name : str
    method : estimator
    scores : (n,) array
    y : (n,) array of 0 and 1

    Returns
    -------
    list of str
    """
    kind, n = type(method).__name__, len(y)
    distinct, rarer = len(np.unique(scores)), int(np.bincount(y, minlength=2).min())
    found = [_few_for_a_curve(name, kind, complexity(method), n)]
    parameters = complexity(method)
    if 0 < parameters < 100 and rarer < PER_PARAMETER * parameters:
        found.append(
            f"{name} fits {parameters} parameters, but the rarer class has {rarer} samples, fewer "
            f"than {PER_PARAMETER} for each (Peduzzi et al. 1996)"
        )
    if kind in _DENSITIES and distinct < _DISTINCT:
        found.append(
            f"{name} fits densities, but there are {distinct} distinct scores; isotonic or "
            "binning takes them as they are"
        )
    elif distinct <= parameters < 100:
        found.append(f"{name} fits {parameters} parameters to {distinct} distinct scores")
    return [text for text in found if text]


def _few_for_a_curve(name: str, kind: str, level: int, n: int) -> str:
    if n >= FEW:
        return ""
    if kind in TIMES_LOGISTIC:
        source = "; Niculescu-Mizil & Caruana 2005" if kind == "IsotonicCalibrator" else ""
        return (
            f"{name} is very flexible, and {n} samples are fewer than {FEW}: with "
            f"{SMALLEST_MEASURED} its squared error was {TIMES_LOGISTIC[kind]:.1f} times that of "
            f"logistic (docs/calibrator_quality.md{source})"
        )
    if level >= 100 and n < SMALLEST_MEASURED and kind not in _FOR_ANY_SIZE:
        return (
            f"{name} is flexible, and {n} samples are fewer than the {SMALLEST_MEASURED} it was "
            "tested with (docs/calibrator_quality.md)"
        )
    return ""
