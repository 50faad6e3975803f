"""From p-values to plausibilities, sets, and what a calibration sample of n can guarantee.

Source: Cella & Martin (2022), Validity, consonant plausibility measures, and conformal prediction,
Int. J. Approx. Reasoning 141; Vovk (2012), Conditional validity of inductive conformal predictors,
Proc. Mach. Learn. Res. 25.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_floats, check_count, check_level
from dstheory.inference.counts.quantiles import beta_quantile
from evical._typing import Floats
from evical.scores.checks import refuse


def to_contour(p_values: ArrayLike, scores: ArrayLike | None = None) -> Floats:
    """Turn p-values of all classes into a contour, with the largest of a row raised to 1.

    Parameters
    ----------
    p_values : (n, K) array
        In [0, 1].
    scores : (n, K) array, optional
        Nonconformity: of classes that tie for the greatest p-value, only the least nonconforming
        becomes 1 (the first of equal ones). Without scores, all of them do.

    Returns
    -------
    (n, K) array
        Plausibilities of single classes, for `dstheory.consonant`. No p-value is lowered, so
        validity stays: P(pl(Y) <= alpha) <= P(p(Y) <= alpha). Only the class of the greatest
        p-value gains. So the set at a level stays as it was, unless it was empty: then it holds
        this class. Where p-values of a sample are all small, a belief no longer shows it.

    Raises
    ------
    ValueError
        If a value is outside [0, 1], or a shape is wrong.

    References
    ----------
    Cella & Martin (2022), who need a contour with greatest value 1.

    Examples
    --------
    >>> to_contour([[0.5, 0.25, 0.1]])
    array([[1.  , 0.25, 0.1 ]])
    >>> to_contour([[0.2, 0.2, 0.1]], scores=[[0.6, 0.5, 0.9]])
    array([[0.2, 1. , 0.1]])
    """
    table = _checked(p_values)
    if scores is None:
        return np.where(table == table.max(axis=1, keepdims=True), 1.0, table)
    strange = as_floats(scores, "scores")
    if strange.shape != table.shape:
        raise ValueError(f"scores have shape {strange.shape}, expected {table.shape}")
    found = table.copy()
    found[np.arange(len(found)), least_strange(table, strange)] = 1.0
    return found


def least_strange(p_values: Floats, scores: Floats) -> NDArray[np.intp]:
    """Column (n,) of the largest p-value of each row, in ties that of the least score.

    Parameters
    ----------
    p_values, scores : (n, K) arrays

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> least_strange(np.array([[0.2, 0.2, 0.1]]), np.array([[0.6, 0.5, 0.9]]))
    array([1])
    """
    greatest = p_values == p_values.max(axis=1, keepdims=True)
    tied = np.flatnonzero(np.count_nonzero(greatest, axis=1) > 1)
    best = np.asarray(np.argmax(greatest, axis=1))
    best[tied] = np.argmin(np.where(greatest[tied], scores[tied], np.inf), axis=1)
    return best


def prediction_sets(p_values: ArrayLike, alpha: float) -> NDArray[np.bool_]:
    """Classes that a level does not reject, those with p-values above alpha.

    Parameters
    ----------
    p_values : (n, K) array
        Of `p_values`, which may give empty sets, or of `to_contour`, which never does.
    alpha : float
        In (0, 1): a set misses the true class with at most this probability.

    Returns
    -------
    (n, K) array of bool

    Raises
    ------
    ValueError
        If a value is outside [0, 1], or `alpha` outside (0, 1).

    References
    ----------
    Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World, ch. 2.

    Examples
    --------
    >>> prediction_sets([[0.5, 0.25, 0.1], [0.1, 0.1, 0.05]], 0.1)
    array([[ True,  True, False],
           [False, False, False]])
    """
    check_level("alpha", alpha)
    return np.asarray(_checked(p_values) > alpha)


def coverage_bound(n: int, alpha: float, confidence: float = 0.95) -> float:
    """Coverage that sets at a level have for almost all calibration samples.

    Parameters
    ----------
    n : int
        Number of calibration samples, from 1.
    alpha : float
        Level of the sets, in (0, 1).
    confidence : float
        Share of calibration samples for which the bound holds, in (0, 1).

    Returns
    -------
    float
        The coverage of 1 - alpha is a mean over calibration samples. Given the sample, coverage has
        the distribution Beta(n + 1 - l, l), with l the whole part of ``alpha (n + 1)``, if scores
        are without ties, and with ties it is no lower. This is the quantile ``1 - confidence``.

    Raises
    ------
    TypeError, ValueError
        If `n` is not a number from 1, or a level is not in (0, 1).

    References
    ----------
    Vovk (2012), Conditional validity of inductive conformal predictors.

    Examples
    --------
    >>> round(coverage_bound(1000, 0.1), 3)
    0.884
    >>> coverage_bound(5, 0.1)  # too few samples to reject any class
    1.0
    """
    check_count("n", n, 1)
    check_level("alpha", alpha)
    check_level("confidence", confidence)
    rejected = _whole_part(alpha, n)
    return float(beta_quantile(n + 1 - rejected, rejected, 1 - confidence)) if rejected else 1.0


def _whole_part(alpha: float, n: int) -> int:
    """Number of the n + 1 p-values i / (n + 1) that are at most alpha, in floats."""
    guess = int(alpha * (n + 1))
    return max(i for i in (guess - 1, guess, guess + 1) if i / (n + 1) <= alpha)


def _checked(p_values: ArrayLike) -> Floats:
    table = as_floats(p_values, "p_values")
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"p_values have shape {table.shape}, expected (n, K)")
    refuse(table, ~((table >= 0) & (table <= 1)), "p_values", "a number in [0, 1]")
    return table
