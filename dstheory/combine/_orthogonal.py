"""Dempster's rule of any sources, and what to return where it has no result.

Rules that normalize share the option `total_conflict`: in a batch of a million rows, one total
conflict need not cost the others their result.
"""

import math
from typing import Literal

import numpy as np

from dstheory.combine.sources import any_exact
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.kernels.limits import fold_order
from dstheory.kernels.orthogonal import Agreed, orthogonal_sum
from dstheory.mass import MassFunction

TotalConflict = Literal["error", "vacuous", "nan"]


def combined(
    rule: str,
    sources: tuple[MassFunction, ...],
    total_conflict: TotalConflict,
    *,
    log: bool = False,
) -> MassFunction:
    """Dempster's rule of sources on one frame, naming `rule` if it costs too much."""
    frame = sources[0].frame
    focals = [m.focal for m in sources]
    order = fold_order(rule, focals, len(frame), exact=any_exact(sources))
    agreed = orthogonal_sum([(focals[i], sources[i].store) for i in order], log=log)
    return settled(frame, agreed, total_conflict)


def settled(frame: Frame, agreed: Agreed, total_conflict: TotalConflict) -> MassFunction:
    """The result, with rows without one refused, vacuous or not a number."""
    focal, masses = agreed.focal, agreed.masses
    if agreed.conflict is None and agreed.lost is None:
        return MassFunction.from_store(frame, focal, masses)
    if total_conflict == "error":
        agreed.refuse()
    if not len(focal) or focal[-1] != frame.full:
        focal = np.concatenate([focal, bits.mask_array([frame.full], len(frame))])
        masses = np.concatenate([masses, np.zeros_like(masses, shape=(1, *masses.shape[1:]))])
    none = agreed.without_result
    masses[:, none] = 0 if total_conflict == "vacuous" else math.nan
    masses[-1, none] = 1 if total_conflict == "vacuous" else math.nan
    return MassFunction.from_store(frame, focal, masses)
