"""Dempster's rule on logarithms of masses: no mass is ever too small to come back.

Products of masses are sums of logarithms, and sums are taken relative to their largest
term. Sets stay sparse; as nothing is subtracted, every mass keeps its relative accuracy.
"""

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._checks import refuse_total_conflict
from dstheory.combine._sources import batch_of, stretched
from dstheory.kernels import pairwise
from dstheory.mass import MassFunction

__all__ = ["log_dempster"]

# Sums held at once: 2^17 doubles are 1 MiB.
_BLOCK_VALUES = 1 << 17

_Part = tuple[NDArray[Any], NDArray[np.float64]]


def log_dempster(sources: tuple[MassFunction, ...]) -> MassFunction:
    """Dempster's rule for sources with floating-point masses."""
    batch = batch_of(*sources)
    with np.errstate(divide="ignore"):  # no mass is log 0 = -inf; -1e-17 is no mass
        parts = [(m.focal, np.log(np.maximum(stretched(m, batch), 0))) for m in sources]
    focal, logs = reduce(_met, parts)
    masses = np.exp(logs - np.logaddexp.reduce(logs, axis=0))
    return MassFunction.from_store(sources[0].frame, focal.copy(), np.array(masses, order="C"))


def _met(one: _Part, two: _Part) -> _Part:
    batch = one[1].shape[1:]
    n_rows = math.prod(batch)
    focal, index = pairwise.pair_targets(one[0], two[0], np.bitwise_and)
    left, right = (logs.reshape(len(logs), n_rows) for logs in (one[1], two[1]))
    order = np.argsort(index, kind="stable")
    i, j = np.divmod(order, len(right))
    logs = np.empty((len(focal), n_rows))
    step = max(1, _BLOCK_VALUES // len(index))
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        logs[:, rows] = _grouped_logaddexp(left[i, rows] + right[j, rows], index[order])
    first = int(focal[0] == 0)
    agreed = logs[first:].reshape(len(focal) - first, *batch)
    refuse_total_conflict(np.isfinite(agreed.max(axis=0, initial=-np.inf)).astype(np.float64))
    return focal[first:], agreed


def _grouped_logaddexp(logs: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """log of the sum of exp over the rows of each group; `group` ascends from 0."""
    starts = np.searchsorted(group, np.arange(group[-1] + 1))
    top = np.maximum.reduceat(logs, starts, axis=0)
    top = np.where(np.isneginf(top), 0, top)  # -inf - -inf is not a number
    with np.errstate(divide="ignore"):  # a group without mass
        return np.asarray(top + np.log(np.add.reduceat(np.exp(logs - top[group]), starts, axis=0)))
