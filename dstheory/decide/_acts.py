"""Names of acts: the best one, or those kept by a set-valued decision.

Ties go to the first act, so a decision is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Numbers
from dstheory.checks.arguments import as_array, as_sequence, shown
from dstheory.checks.masses import as_masses
from dstheory.kernels import bits
from dstheory.kernels.rounding import ROUNDING
from dstheory.kernels.rows import in_row

Acts: TypeAlias = Iterable[Any] | None
"""Names of the acts; None: their places, or labels without utilities."""


def best_act(values: Numbers, acts: Acts = None) -> Any:
    """Find the act with the largest value in each row, the first of ties up to rounding.

    Parameters
    ----------
    values : (*batch, A) array
        Value of each act, such as an expected utility.
    acts : sequence of A names, optional
        Names of the acts, such as a frame or a list of strings.

    Returns
    -------
    int or name for one row, array of `batch` for many
        The row index of the act, or its name where `acts` are given. An array of names
        has the type of ``np.asarray(acts)``, or object if they are mixed.

    Raises
    ------
    ValueError
        If a value is NaN, there is no act, or `acts` has another length.

    Examples
    --------
    >>> best_act([0.2, 0.7, 0.7])
    1
    >>> best_act([[0.2, 0.7], [0.5, 0.5]], acts=["stay", "go"])
    array(['go', 'stay'], dtype='<U4')
    """
    array = as_array(values, "values")
    if array.dtype.kind not in "biuf":
        as_masses(array)  # raises where a value is not a number
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"values have shape {array.shape}, expected (*batch, A) with A >= 1")
    bad = np.argwhere(np.asarray(array != array, dtype=bool).any(axis=-1))
    if len(bad):
        raise ValueError(f"a value is NaN{in_row(bad[0])}; there is no best act")
    return first_best(array, acts)


def first_best(values: NDArray[Any], acts: Acts) -> Any:
    """`best_act` of an array that is known to be valid."""
    names = None if acts is None else act_names(acts, values.shape[-1])
    if values.dtype.kind == "f":
        size = np.abs(values).max(axis=-1, keepdims=True, where=np.isfinite(values), initial=0)
        values = values >= values.max(axis=-1, keepdims=True) - ROUNDING * size
    index = np.argmax(values, axis=-1)
    if index.ndim == 0:
        return int(index) if names is None else names[int(index)]
    return index if names is None else name_array(names)[index]


def act_names(acts: Iterable[Any], n_acts: int) -> tuple[Any, ...]:
    """The names of the acts, one for each."""
    listed = acts.tolist() if isinstance(acts, np.ndarray) and acts.ndim else acts
    names = tuple(as_sequence(listed, "acts", "the names of the acts"))
    if len(names) != n_acts:
        raise ValueError(f"acts has {len(names)} names, but there are {n_acts} acts")
    return names


def name_array(names: tuple[Any, ...]) -> NDArray[Any]:
    """Names as an array of their own type, or as objects where NumPy would change them.

    >>> name_array(("a", "b")).dtype.kind, name_array(("a", 1)).dtype.kind
    ('U', 'O')
    """
    if len({type(name) for name in names}) == 1 and np.isscalar(names[0]):
        array = np.asarray(names)
        if array.tolist() == list(names):
            return array
    return np.fromiter(names, dtype=object, count=len(names))


def chosen_acts(kept: ArrayLike, acts: Iterable[Any]) -> Any:
    """Names of the acts that a set-valued decision keeps.

    Parameters
    ----------
    kept : (*batch, A) array of bool
        Such as the result of `interval_dominance`.
    acts : sequence of A names
        The frame itself, where the acts are its labels.

    Returns
    -------
    tuple of names for one row, object array of tuples for many
        In the order of the acts.

    Raises
    ------
    TypeError
        If `kept` is not of type bool.
    ValueError
        If `acts` has another length.

    Examples
    --------
    >>> chosen_acts(np.array([True, False, True]), ["ant", "bee", "cat"])
    ('ant', 'cat')
    >>> chosen_acts(np.array([[True, False], [True, True]]), ["ant", "bee"]).tolist()
    [('ant',), ('ant', 'bee')]
    """
    array = as_array(kept, "kept")
    if array.dtype != bool or array.ndim == 0:
        raise TypeError(f"kept is {shown(kept)}, expected an array of bool, (*batch, A)")
    n_acts = array.shape[-1]
    names = act_names(acts, n_acts)
    if array.ndim == 1:
        return _members(names, array)
    # Few of the 2^A sets occur, so each is built once.
    codes = array.reshape(-1, n_acts) @ bits.mask_array((1 << i for i in range(n_acts)), n_acts)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rows = array.reshape(-1, n_acts)[first]
    sets = np.fromiter((_members(names, row) for row in rows), dtype=object, count=len(rows))
    return sets[inverse.reshape(array.shape[:-1])]


def _members(names: tuple[Any, ...], row: NDArray[np.bool_]) -> tuple[Any, ...]:
    return tuple(name for name, inside in zip(names, row, strict=True) if inside)
