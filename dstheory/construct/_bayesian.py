"""Probabilities as mass functions: all mass on single labels."""

from typing import Any

import numpy as np

from dstheory.checks import masses as checks
from dstheory.construct.arguments import check_masks, check_nonnegative, row_numbers
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.mass import MassFunction

__all__ = ["bayesian"]


def bayesian(frame: Frame, probabilities: Any) -> MassFunction:
    """Bayesian mass function: a probability for each label.

    Parameters
    ----------
    frame : Frame
        K labels.
    probabilities : (*batch, K) array
        Rows sum to 1; those of float32 and float16 may be off by a few units of rounding for each
        label, and are divided by their sum.

    Returns
    -------
    MassFunction
        Focal sets are all K singletons, also where a probability is zero.

    Raises
    ------
    MassError
        If a probability is negative or not finite, a row does not sum to 1 within 1e-9,
        or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a probability is not a number.
    CostLimitError
        If the sets take more than 4 GiB: a singleton of K labels takes up to K bits.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2 (Bayesian belief functions).

    Examples
    --------
    >>> bayesian(Frame(["ant", "bee"]), [0.75, 0.25])
    MassFunction on {ant, bee}
      {ant}  0.75
      {bee}  0.25
    """
    numbers = row_numbers(probabilities, frame, "probabilities")
    size = len(frame)
    check_masks(size * (size + 1) // 2, f"a Bayesian mass function on {size:,} labels")
    check_nonnegative(numbers, "probability")
    rows = checks.as_distribution(numbers, "probabilities")
    focal = bits.mask_array((1 << i for i in range(size)), size)
    return MassFunction.from_store(frame, focal, np.array(np.moveaxis(rows, -1, 0), order="C"))
