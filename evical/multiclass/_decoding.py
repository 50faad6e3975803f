"""Decoding: the class whose row of the code is closest to the answers of the columns.

The sign of a margin is the answer of a binary problem, and its size is the confidence. Hamming
decoding counts wrong signs; loss-based decoding sums a loss of the margins, so confident columns
count more (Allwein, Schapire & Singer 2000; Zadrozny 2001, sec. 4). Neither gives probabilities;
couplings do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_floats, check_callable, check_choice
from evical._typing import Floats
from evical.multiclass.codes import check_code_matrix
from evical.scores.checks import refuse

Loss: TypeAlias = Literal["linear", "exponential", "hamming"] | Callable[[Floats], Floats]


def loss_decode(margins: ArrayLike, code: ArrayLike, loss: Loss = "linear") -> NDArray[np.intp]:
    """Class with the smallest sum over columns of L(M_kb f_b).

    Parameters
    ----------
    margins : (n, B) array
        f, positive for the positive side of a column; for probabilities r, use r - 1/2.
    code : (K, B) array of 1, -1 and 0
        M.
    loss : {"linear", "exponential", "hamming"} or callable
        L(y): -y, exp(-y), (1 - sign y) / 2, or a function of an array, element by element.
        "hamming" is Hamming decoding: the row that differs from the signs of the margins in the
        fewest columns, where a column that ignores the class, or a margin of 0, is half a
        difference.

    Returns
    -------
    (n,) array of int
        Indices of classes; ties go to the first one. A column that ignores
        the class contributes L(0).

    Raises
    ------
    ValueError
        If the code or a margin is not valid, or the loss is unknown.

    Notes
    -----
    For all pairs, equal weights and a linear loss, it is the class with the largest coupled
    probability (theorem 1 of [1]_).

    References
    ----------
    .. [1] B. Zadrozny (2001), "Reducing multiclass to binary by coupling probability
       estimates", eq. 1.

    Examples
    --------
    >>> code = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> loss_decode([[-0.1, 0.4, 0.1]], code), loss_decode([[-0.1, 0.4, 0.1]], code, "hamming")
    (array([0]), array([1]))
    """
    matrix = check_code_matrix(code)
    f = _checked(margins, matrix.shape[1])
    if isinstance(loss, str):
        check_choice("loss", loss, ("linear", "exponential", "hamming"), "a function, or ")
        if loss != "exponential":
            return _nearest(-(f if loss == "linear" else np.sign(f)) @ matrix.T)
        # A common factor for all losses of a sample changes no comparison and prevents overflow.
        largest = np.abs(f).max(axis=1, keepdims=True)
        parts = [np.exp(sign * f - largest) for sign in (-1, 0, 1)]
    else:
        check_callable("loss", loss, "a function, 'linear', 'exponential' or 'hamming'")
        parts = [np.asarray(loss(sign * f), dtype=np.float64) for sign in (1, 0, -1)]
        for part in parts:
            if part.shape != f.shape:
                raise ValueError(
                    f"loss gives shape {part.shape}, expected {f.shape}, one for each margin"
                )
    signs = [(matrix == sign).T.astype(np.float64) for sign in (1, 0, -1)]
    return _nearest(sum(part @ sign for part, sign in zip(parts, signs, strict=True)))


def _checked(margins: ArrayLike, n_columns: int) -> Floats:
    f = as_floats(margins, "margins")
    if f.ndim != 2 or f.shape[1] != n_columns:
        raise ValueError(
            f"margins have shape {f.shape}, expected (n, {n_columns}), a column for each of the "
            "code's"
        )
    refuse(f, ~np.isfinite(f), "margins", "a finite number")
    return f


def _nearest(distances: Floats) -> NDArray[np.intp]:
    return np.asarray(distances.argmin(axis=1))
