"""Smooth calibration error: residuals smoothed by a kernel instead of bins.

A Gaussian kernel, reflected at 0 and 1, smooths the residuals along the axis of predictions. The
error is the mean absolute result, at the kernel width that equals it. It changes continuously with
the predictions and has no parameter. Blasiok & Nakkiran 2024.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct, idct
from scipy.optimize import brentq

from evical._fitting import POSITIVE, optional
from evical._typing import Floats, Label, Weights
from evical.metrics.inputs import BinarySample, Predicted, binary_sample

# Cells of the axis. Splitting residuals between two neighbors has an error of the order of (cell /
# width)^2: below 1e-4 of the result for widths of 0.005 or more.
_CELLS = 1 << 13
_WIDEST = 1e6  # only the mean remains long before


def smooth_calibration_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    width: float | None = None,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> float:
    r"""Smooth calibration error smECE of the positive class, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    width : float, optional
        Standard deviation of the kernel; by default the one that equals the error itself.
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All others as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if `width` is not positive.

    Notes
    -----
    With the kernel K of standard deviation s reflected at 0 and 1,
    :math:`\mathrm{smECE}_s = \int_0^1 |\frac1n \sum_i K_s(t, p_i) (y_i - p_i)| dt`, which decreases
    in s; smECE is where it equals s. The reflected kernel is diagonal in the cosine basis, so after
    one count into 8192 cells, each s costs a cosine transform. The Gaussian is replaced by its
    discrete analog, the kernel of a random walk, which is non-negative even if narrow.

    References
    ----------
    Blasiok & Nakkiran (2024), Smooth ECE: principled reliability diagrams via kernel
    smoothing, ICLR.

    Examples
    --------
    Five positive samples with predictions of 1/2: smoothing only moves the residual of 1/2:

    >>> round(smooth_calibration_error([1] * 5, [0.5] * 5), 6)
    0.5
    >>> round(smooth_calibration_error([0, 1], [0.5, 0.5]), 6)
    0.0
    """
    optional(POSITIVE)("width", width)
    waves = _cosines(binary_sample(y_true, y_prob, pos_label, sample_weight))
    if width is not None:
        return _smoothed(waves, width)
    most = _smoothed(waves, 0.0)
    if most < 1e-12:  # nothing but rounding
        return most
    # At width 0 the error is at least the width. At width `most` it is at most `most`, and equal to
    # it if no residuals cancel.
    if _smoothed(waves, most) >= most:
        return most
    return float(brentq(lambda s: _smoothed(waves, s) - s, 0.0, most, xtol=1e-9))


def _cosines(sample: BinarySample) -> Floats:
    """Cosine transform of the residuals along the axis."""
    residuals = sample.weighted(sample.y - sample.p)
    place = sample.p * _CELLS + 0.5  # centers of cells are whole numbers, after one cell below 0
    cell = place.astype(np.intp)
    upper = residuals * (place - cell)
    sums = np.bincount(cell, residuals - upper, _CELLS + 2)
    sums[1:] += np.bincount(cell, upper, _CELLS + 1)[: _CELLS + 1]
    # Reflect the half cells beyond the ends.
    sums[1] += sums[0]
    sums[-2] += sums[-1]
    return np.asarray(dct(sums[1:-1] / sample.total_weight, norm="ortho"))


def _smoothed(waves: Floats, width: float) -> float:
    """Mean absolute smoothed residual."""
    # A sampled Gaussian narrower than a cell would oscillate and increase the error.
    halves = np.sin(np.pi / (2 * _CELLS) * np.arange(_CELLS))
    width = min(width, _WIDEST)
    damping = np.exp(-2 * (width * _CELLS * halves) ** 2)
    total = float(np.abs(idct(waves * damping, norm="ortho")).sum())
    return min(total, 1.0)  # rounding of the transforms
