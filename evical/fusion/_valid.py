"""Fusions that keep the guarantee of conformal beliefs under any dependence of sources.

A p-value is a plausibility with P(pl(Y) <= alpha) <= alpha. Dempster's rule multiplies
plausibilities, and the product of valid ones is not valid. Twice their mean is, and so is their
minimum times their number, for any dependence (Vovk & Wang 2020, Combining p-values via averaging,
Biometrika 107, 791-808). Both are wide: to fuse first and to calibrate the fused belief is sharper.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory import MassFunction, consonant
from dstheory.checks.arguments import as_floats, check_choice
from evical._typing import Floats
from evical.fusion._rule import as_list, common_frame

_MERGED: dict[str, Callable[[Floats], Any]] = {
    "mean": lambda p: min(len(p), 2) * p.mean(axis=0),
    "minimum": lambda p: len(p) * p.min(axis=0),
}


def merge_p_values(p_values: ArrayLike, how: str = "mean") -> Floats:
    """One p-value from those of several sources, valid for any dependence.

    Parameters
    ----------
    p_values : (S, ...) array
        Of S sources, in [0, 1].
    how : {"mean", "minimum"}
        Twice the mean; or the minimum times S (Bonferroni), better if one source knows much more
        than the others. One source alone stays as it is.

    Returns
    -------
    (...) array
        At most 1.

    Raises
    ------
    ValueError
        If there is no source, or a value is outside [0, 1].

    References
    ----------
    Vovk & Wang (2020), Combining p-values via averaging, Biometrika 107, 791-808.

    Examples
    --------
    >>> merge_p_values([[0.02, 0.5], [0.06, 0.9]])
    array([0.08, 1.  ])
    >>> merge_p_values([[0.02, 0.5], [0.06, 0.9]], "minimum")
    array([0.04, 1.  ])
    """
    check_choice("how", how, _MERGED)
    table = as_floats(p_values, "p_values")
    if table.ndim == 0 or len(table) == 0:
        raise ValueError(f"p_values have shape {table.shape}, expected (S, ...) of S sources")
    wrong = ~((table >= 0) & (table <= 1))
    if wrong.any():
        raise ValueError(f"p_values hold {table[wrong][0]}, expected numbers in [0, 1]")
    return np.asarray(np.minimum(_MERGED[how](table), 1.0))


def valid_mean(*masses: MassFunction) -> MassFunction:
    """Belief with twice the mean plausibility of each class, the greatest raised to 1.

    Parameters
    ----------
    *masses : MassFunction
        Beliefs of the sources, such as `ConformalClassifier.predict_mass` gives them, batches of
        one shape on one frame. Only the plausibilities of single classes count.

    Returns
    -------
    MassFunction
        Consonant. If P(pl(Y) <= alpha) <= alpha for the true class under each source, it is so
        under the result, however the sources depend on each other.

    Raises
    ------
    TypeError, ValueError
        If there is no source, a source is not a mass function, or frames or batches differ.

    See Also
    --------
    valid_minimum : if one source knows much more than the others.
    evical.conformal.ConformalClassifier : of an `EvidentialEnsemble`, valid and sharper.

    References
    ----------
    Vovk & Wang (2020), Combining p-values via averaging, Biometrika 107, 791-808.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> one, two = consonant(frame, [1, 0.125]), consonant(frame, [1, 0.25])
    >>> valid_mean(one, two).contour()
    array([1.   , 0.375])
    """
    return _fused("mean", masses)


def valid_minimum(*masses: MassFunction) -> MassFunction:
    """Belief with the minimum plausibility times the number of sources, the greatest raised to 1.

    Parameters
    ----------
    *masses : MassFunction
        As in `valid_mean`.

    Returns
    -------
    MassFunction
        Consonant, and valid as in `valid_mean`.

    Raises
    ------
    TypeError, ValueError
        As `valid_mean`.

    References
    ----------
    Vovk & Wang (2020), Combining p-values via averaging, Biometrika 107, 791-808.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> one, two = consonant(frame, [1, 0.125]), consonant(frame, [1, 0.25])
    >>> valid_minimum(one, two).contour()
    array([1.  , 0.25])
    """
    return _fused("minimum", masses)


def _fused(how: str, masses: Any) -> MassFunction:
    sources = as_list(masses)
    frame = common_frame(sources)
    contours = [np.minimum(np.asarray(m.contour(), dtype=np.float64), 1) for m in sources]
    shapes = sorted({contour.shape[:-1] for contour in contours})
    if len(shapes) > 1:
        raise ValueError(f"sources have batches {shapes[0]} and {shapes[1]}, expected one shape")
    merged = merge_p_values(np.stack(contours), how)
    greatest = merged == merged.max(axis=-1, keepdims=True)
    return consonant(frame, np.where(greatest, 1.0, merged))
