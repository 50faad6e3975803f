"""Which of two labels is the positive one."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.scores.checks import check_label


def two_labels(
    labels: NDArray[Any], pos_label: Hashable | None, ordered: bool = False
) -> NDArray[Any]:
    """The negative and the positive label of all that occur.

    Parameters
    ----------
    labels : (n,) array
    pos_label : label or None
        By default the greater one, or the second if they are `ordered` already.
    ordered : bool
        Whether `labels` are the two themselves.

    Returns
    -------
    (2,) array

    Raises
    ------
    ValueError
        If there are not two, or `pos_label` is none of them.

    Examples
    --------
    >>> two_labels(np.array(["no", "yes", "no"]), "no").tolist()
    ['yes', 'no']
    """
    check_label("pos_label", pos_label)
    found = labels if ordered else np.unique(labels)
    if len(found) == 1:
        raise ValueError(f"y has one class only (all {found[0]}); both classes are needed")
    if len(found) != 2:
        raise ValueError(f"y has {len(found)} classes {found[:5].tolist()}, expected two")
    if pos_label is None or pos_label == found[1]:
        return found
    if pos_label != found[0]:
        raise ValueError(f"pos_label is {pos_label!r}, but the classes are {found.tolist()}")
    return found[::-1]
