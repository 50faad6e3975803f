"""Evaluation sets among the arguments of `fit`: their labels become numbers where those of y do.

A booster stops early by what it predicts for an evaluation set. Trained on numbers of the classes,
or on one column of a code, it would read the labels of the set as numbers of other classes.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from dstheory.checks.arguments import shown
from evical.scores.checks import as_column

_PAIRS = "eval_set"  # of XGBoost, LightGBM, CatBoost and others
_LABELS = ("eval_y", "y_val", "Y_val")
_WEIGHTS = ("sample_weight_eval_set", "eval_sample_weight")  # one array a pair


def with_numbers(
    params: dict[str, Any], classes: NDArray[Any], numbers: NDArray[Any]
) -> dict[str, Any]:
    """Arguments of `fit` whose evaluation sets have numbers in place of labels.

    Parameters
    ----------
    params : dict
        Arguments of `fit`, those of a step of a pipeline as ``step__eval_set``.
    classes : (K,) array
        Sorted labels.
    numbers : (K,) array of int
        The number of each class; samples of a class with a negative one are left out.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If a set has a class that is none of these, no sample that stays, or is not a pair (X, y);
        if samples are to be left out of labels that come without their X.

    Examples
    --------
    >>> params = {"eval_set": [([[1.0], [2.0], [3.0]], ["b", "c", "a"])]}
    >>> with_numbers(params, np.array(["a", "b", "c"]), np.array([-1, 0, 1]))
    {'eval_set': [([[1.0], [2.0]], array([0, 1]))]}
    """
    found = dict(params)
    for name, value in params.items():
        start, last = name[: name.rfind("__") + 2] if "__" in name else "", name.split("__")[-1]
        if value is None or last not in (_PAIRS, *_LABELS):
            continue
        if last == _PAIRS:
            pairs, alone = _listed(name, value)
            codes = [_numbers(name, y, classes, numbers) for _, y in pairs]
            made = [
                (_kept(X, code), code[code >= 0]) for (X, _), code in zip(pairs, codes, strict=True)
            ]
            found[name] = made[0] if alone else made
            for weights in (start + one for one in _WEIGHTS):
                if params.get(weights) is not None:
                    parts = zip(params[weights], codes, strict=True)
                    found[weights] = [_kept(part, code) for part, code in parts]
        elif (numbers < 0).any() or isinstance(value, tuple):
            raise ValueError(
                f"{name} has labels, but this code trains the classifier on numbers of some of the "
                "classes; give eval_set=[(X, y)], if the classifier takes it"
            )
        else:
            found[name] = _numbers(name, value, classes, numbers)
    return found


def _listed(name: str, value: object) -> tuple[list[tuple[Any, Any]], bool]:
    """Pairs (X, y), and whether there was one alone, not in a list."""
    alone = isinstance(value, tuple) and not (value and isinstance(value[0], tuple))
    pairs = [value] if alone else value
    if not isinstance(pairs, list | tuple) or any(
        not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs
    ):
        raise ValueError(
            f"{name} is {shown(value)}, expected pairs (X, y), because the classifier is trained "
            "on numbers of the classes, and so are its labels"
        )
    return [(X, y) for X, y in pairs], alone


def _numbers(name: str, y: ArrayLike, classes: NDArray[Any], numbers: NDArray[Any]) -> NDArray[Any]:
    labels = as_column(y, name)
    place = dict(zip(classes.tolist(), numbers.tolist(), strict=True))
    strange = [label for label in labels.tolist() if label not in place]
    if strange:
        raise ValueError(
            f"class {strange[0]!r} of {name} is none of the classes that the classifier is trained "
            f"on, {classes.tolist()}"
        )
    found = np.array([place[label] for label in labels.tolist()], dtype=np.intp)
    if (found < 0).all():
        wanted = [label for label, number in place.items() if number >= 0]
        raise ValueError(
            f"{name} has no sample of the classes {wanted}, on which a column is trained"
        )
    return found


def _kept(array: object, codes: NDArray[Any]) -> Any:
    """The rows that are not left out."""
    if array is None or (codes >= 0).all():
        return array
    return _safe_indexing(array, np.flatnonzero(codes >= 0))
