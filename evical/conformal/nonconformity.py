"""Nonconformity scores of each class for a sample, from the values of a classifier.

Any function of the values serves, and none can break the guarantee; the better it ranks the
classes, the smaller the sets. Sources: Sadinle, Lei & Wasserman (2019), Least ambiguous set-valued
classifiers with bounded error levels, JASA 114; Romano, Sesia & Candes (2020), Classification with
valid and adaptive coverage, NeurIPS; Angelopoulos, Bates, Jordan & Malik (2021), Uncertainty sets
for image classifiers using conformal prediction, ICLR.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import as_floats, check_choice, check_count
from evical._fitting import NOT_NEGATIVE
from evical._typing import Floats
from evical.scores.checks import refuse

Score = Callable[..., Any]

# Sums of probabilities differ by rounding where they should be equal: by less than 1e-12, even of
# 1,000 classes. On this grid they are equal, and ranks decide, in half of its mesh.
_MESH = 2.0**-30
_MOST = 2.0**20  # scores that are no sums of probabilities stay as they are


def lac_scores(values: ArrayLike) -> Floats:
    """One minus the probability of each class ("least ambiguous set-valued classifier").

    Parameters
    ----------
    values : (n, K) array
        Probabilities, or any values that are greater for likelier classes.

    Returns
    -------
    (n, K) array

    Raises
    ------
    ValueError
        If a value is not finite, or the shape is wrong.

    References
    ----------
    Sadinle, Lei & Wasserman (2019), JASA 114, 223-234.

    Examples
    --------
    >>> lac_scores([[0.75, 0.25]])
    array([[0.25, 0.75]])
    """
    return 1 - _checked(values)


def margin_scores(values: ArrayLike) -> Floats:
    """The greatest value of another class minus the own one.

    Parameters
    ----------
    values : (n, K) array
        Probabilities, or any values that are greater for likelier classes.

    Returns
    -------
    (n, K) array

    Raises
    ------
    ValueError
        If a value is not finite, or the shape is wrong.

    Examples
    --------
    >>> margin_scores([[0.5, 0.25, 0.25]])
    array([[-0.25,  0.25,  0.25]])
    """
    table = _checked(values)
    second, first = np.partition(table, (-2, -1), axis=1)[:, -2:].T[..., np.newaxis]
    # A tie for the first place makes both equal, so that either is the rival of either.
    return np.asarray(np.where(table == first, second, first) - table)


def aps_scores(values: ArrayLike, u: ArrayLike | None = None) -> Floats:
    """Probability of all likelier classes, and a share of the own one ("adaptive sets").

    Parameters
    ----------
    values : (n, K) array
        Probabilities.
    u : (n,) array, optional
        Share of the own probability, drawn uniformly from [0, 1]; by default all of it.

    Returns
    -------
    (n, K) array
        Classes of equal probability have equal scores, and a less likely class a greater one.

    Raises
    ------
    ValueError
        If a value is negative or not finite, or a shape is wrong.

    Notes
    -----
    A classifier that is certain (1, 0, 0) has the sum 1 for each class, so that no set could leave
    one out. So sums are rounded to 2^-30, and of equal ones a class of a lower rank is more
    nonconforming, of equal ranks that of a lower probability. This adds 2^-31 at most. Any score
    keeps the guarantee.

    References
    ----------
    Romano, Sesia & Candes (2020), Classification with valid and adaptive coverage.

    Examples
    --------
    >>> aps_scores([[0.25, 0.5, 0.25]])
    array([[0.75, 0.5 , 0.75]])
    >>> aps_scores([[0.25, 0.5, 0.25]], u=[0.5])
    array([[0.625, 0.25 , 0.625]])
    """
    return _ranked(_adaptive(values, u))


def raps_scores(
    values: ArrayLike, u: ArrayLike | None = None, *, penalty: float = 0.01, n_free: int = 5
) -> Floats:
    """`aps_scores` with a penalty for low ranks ("regularized adaptive sets").

    Parameters
    ----------
    values : (n, K) array
        Probabilities.
    u : (n,) array, optional
        As in `aps_scores`.
    penalty : float
        Added for each rank below `n_free`; the lambda of the paper.
    n_free : int
        Number of classes without penalty; the k_reg of the paper.

    Returns
    -------
    (n, K) array
        The rank of a class is the number of classes that are at least as likely. It breaks ties, as
        in `aps_scores`.

    Raises
    ------
    ValueError
        If a value is negative or not finite, a shape is wrong, or the penalty is negative.

    References
    ----------
    Angelopoulos, Bates, Jordan & Malik (2021), Uncertainty sets for image classifiers using
    conformal prediction.

    Examples
    --------
    >>> raps_scores([[0.5, 0.25, 0.125, 0.125]], penalty=0.5, n_free=2)
    array([[0.5  , 0.75 , 1.875, 1.875]])
    """
    return _ranked(_regularized(values, u, penalty=penalty, n_free=n_free))


class _Sums(NamedTuple):
    """Scores (n, K) that may tie, and ranks and probabilities (n, K) of the classes."""

    scores: Floats
    rank: NDArray[np.intp]
    own: Floats


def _adaptive(values: ArrayLike, u: ArrayLike | None = None) -> _Sums:
    table = _probabilities(values)
    before, rank = _before(table)
    return _Sums(before + _shares(u, len(table)) * table, rank, table)


def _regularized(
    values: ArrayLike, u: ArrayLike | None = None, *, penalty: float = 0.01, n_free: int = 5
) -> _Sums:
    check_count("n_free", n_free)
    NOT_NEGATIVE("penalty", penalty)
    sums = _adaptive(values, u)
    return sums._replace(
        scores=sums.scores + float(penalty) * np.maximum(sums.rank - float(n_free), 0)
    )


def _ranked(sums: _Sums) -> Floats:
    """Scores on a grid, with ranks, and then probabilities, in half of its mesh."""
    unit = _MESH / 2 / 2.0 ** np.ceil(np.log2(sums.rank.shape[1]))
    inside = np.minimum(sums.scores, _MOST)
    stranger = sums.rank - np.minimum(sums.own, 1.0)
    broken = np.rint(inside / _MESH) * _MESH + unit * stranger
    return np.where(sums.scores < _MOST, broken, sums.scores)


ScoreName = Literal["lac", "aps", "raps", "margin"]
SCORES: dict[str, Score] = {
    "lac": lac_scores,
    "aps": aps_scores,
    "raps": raps_scores,
    "margin": margin_scores,
}
NEED_PROBABILITIES = ("aps", "raps")


def named_score(score: str | Callable[..., ArrayLike]) -> Score:
    """Nonconformity score by its name, or unchanged.

    Parameters
    ----------
    score : callable or str

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If there is no such name.

    Examples
    --------
    >>> named_score("lac") is lac_scores
    True
    """
    if callable(score):
        return score
    check_choice("nonconformity", score, SCORES, "a function of values (n, K), or ")
    return SCORES[score]


def tied_score(name: str) -> Score:
    """A score by name as it was before ranks broke its ties, for scores that were saved then.

    Parameters
    ----------
    name : str

    Returns
    -------
    callable

    Examples
    --------
    >>> tied_score("aps")([[1.0, 0.0, 0.0]]).tolist()
    [[1.0, 1.0, 1.0]]
    """
    sums = {"aps": _adaptive, "raps": _regularized}.get(name)
    if sums is None:
        return SCORES[name]
    return lambda values, u=None, **options: sums(values, u, **options).scores


def score_parameters(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a score by name, with defaults for those not given.

    Parameters
    ----------
    name : str
    given : mapping

    Returns
    -------
    dict

    Raises
    ------
    TypeError, ValueError
        If there is no such score or parameter, or a value is wrong.

    Examples
    --------
    >>> score_parameters("raps", {"penalty": 0.5})
    {'penalty': 0.5, 'n_free': 5}
    """
    check_choice("nonconformity", name, SCORES)
    keywords = inspect.signature(SCORES[name]).parameters.values()
    known = {one.name: one.default for one in keywords if one.kind is one.KEYWORD_ONLY}
    for key in given:
        if key not in known:
            names = f"parameters: {', '.join(known)}" if known else "it has none"
            raise ValueError(f"nonconformity {name!r} has no parameter {key!r}; {names}")
    SCORES[name]([[0.5, 0.5]], **given)
    return {key: type(default)(given.get(key, default)) for key, default in known.items()}


def score_table(score: Score, values: Floats, u: Floats | None) -> Floats:
    """Scores (n, K) of all classes, those of a user's function checked.

    Parameters
    ----------
    score : callable
    values : (n, K) array
    u : (n,) array or None
        For a score that takes it.

    Returns
    -------
    (n, K) array

    Raises
    ------
    ValueError
        If the function gives another shape, or NaN.

    Examples
    --------
    >>> score_table(lambda values: -values, np.array([[0.75, 0.25]]), None)
    array([[-0.75, -0.25]])
    """
    randomized = u is not None and "u" in inspect.signature(score).parameters
    found = as_floats(score(values, u=u) if randomized else score(values), "scores")
    if found.shape != values.shape:
        raise ValueError(
            f"nonconformity gives shape {found.shape} for values of shape {values.shape}, "
            "expected one score for each class"
        )
    refuse(found, np.isnan(found), "nonconformity(values)", "a number")
    return found


def _checked(values: ArrayLike) -> Floats:
    table = as_floats(values, "values")
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"values have shape {table.shape}, expected (n, K) with K from 2")
    refuse(table, ~np.isfinite(table), "values", "a finite number")
    return table


def _probabilities(values: ArrayLike) -> Floats:
    table = _checked(values)
    refuse(table, table < 0, "values", "a probability; lac and margin take any values")
    return table


def _shares(u: ArrayLike | None, n: int) -> Any:
    if u is None:
        return 1.0
    array = as_floats(u, "u")
    if array.shape != (n,):
        raise ValueError(f"u has shape {array.shape}, expected ({n},), one for each row")
    refuse(array, ~((array >= 0) & (array <= 1)), "u", "a number in [0, 1]")
    return array[:, np.newaxis]


def _before(table: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Sum of the values (n, K) of a row that are strictly greater, and number that are no less."""
    k = table.shape[1]
    order = np.argsort(-table, axis=1, kind="stable")
    falling = np.take_along_axis(table, order, axis=1)
    falls = falling[:, 1:] < falling[:, :-1]
    start, end = np.zeros(table.shape, dtype=np.intp), np.full(table.shape, k)
    start[:, 1:] = np.where(falls, np.arange(1, k), 0)
    end[:, :-1] = np.where(falls, np.arange(1, k), k)
    np.maximum.accumulate(start, axis=1, out=start)
    last = np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1]
    sums = np.zeros_like(falling)
    np.cumsum(falling[:, :-1], axis=1, out=sums[:, 1:])
    before, rank = np.empty_like(falling), np.empty_like(start)
    np.put_along_axis(before, order, np.take_along_axis(sums, start, axis=1), axis=1)
    np.put_along_axis(rank, order, last, axis=1)
    return before, rank
