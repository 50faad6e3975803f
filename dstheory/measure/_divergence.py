"""Belief Jensen-Shannon divergence: how much two beliefs differ from their mean.

Masses are compared set by set like probabilities; the overlap of sets plays no role (Xiao 2019,
"Multi-sensor data fusion based on the belief divergence measure of evidences and the belief
entropy", Information Fusion 46).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.batches import scalar
from dstheory.mass import MassFunction
from dstheory.measure._inputs import align

__all__ = ["jensen_shannon"]


def jensen_shannon(m1: MassFunction, m2: MassFunction) -> Any:
    """Belief Jensen-Shannon divergence, in bits.

    Parameters
    ----------
    m1, m2 : MassFunction
        On one frame; batches broadcast. Subnormal ones are not normalized.

    Returns
    -------
    float, or array of the batch shape
        From 0 to 1 (no common focal set); its square root is a metric.

    Raises
    ------
    FrameError
        If frames differ.

    Notes
    -----
    Half the sum of m1 log2(2 m1 / (m1 + m2)) and m2 log2(2 m2 / (m1 + m2)) over all sets
    (Xiao 2019).

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> one, two = (MassFunction.from_dict(frame, {label: 1}) for label in frame)
    >>> jensen_shannon(one, one), jensen_shannon(one, two)
    (0.0, 1.0)
    """
    _, masses1, masses2 = align(m1, m2)
    one, two = (np.maximum(masses.astype(np.float64), 0) for masses in (masses1, masses2))
    total = one + two
    # Rounding can give -1e-17 for equal masses.
    return scalar(np.maximum((_gain(one, total) + _gain(two, total)) / 2, 0.0))


def _gain(masses: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    present = masses > 0
    ratio = np.where(present, 2 * masses / np.where(present, total, 1), 1)
    return np.asarray((masses * np.log2(ratio)).sum(axis=0))
