"""Dependence between sources, learned from labeled samples.

The parameter of a t-norm rule minimizes the mean squared error between the pignistic probabilities
of the combination and the labels (Quost, Masson & Denoeux 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._masses import batch_of, indicators
from dstheory._typing import Numbers
from dstheory.checks.arguments import as_floats, as_sequence, check_choice
from dstheory.combine._norms import Family, extend_norm, t_norm
from dstheory.combine._weights import common_weights, joined_normalized
from dstheory.combine.sources import check_sources
from dstheory.mass import MassFunction
from dstheory.transform import betp

# Positions 0 to 1 to try first, because the error may have several minima. The search then refines
# the best one between its neighbors.
_GRID = np.linspace(0, 1, 17)


def learn_tnorm(
    sources: Sequence[MassFunction],
    labels: ArrayLike,
    *,
    family: Family = "frank",
    sample_weight: Numbers | None = None,
) -> float:
    """The parameter of `tnorm_conjunctive` that best fits sources to known labels.

    Parameters
    ----------
    sources : sequence of MassFunction
        Two or more non-dogmatic sources on one frame, with batch shape (n,) for n samples.
    labels : (n,) array
        The true label of each sample.
    family : {"frank", "sugeno_weber", "dubois_prade"}
        Frank and Dubois-Prade are searched from the minimum to the product, Sugeno-Weber from
        Łukasiewicz' norm to the product.
    sample_weight : (n,) array, optional
        Non-negative weights of the samples; a weight of 2 counts as two samples.

    Returns
    -------
    float
        The parameter with the smallest mean squared error of the pignistic probabilities; ties go
        to the one nearest the first end. Parameters that cause total conflict are skipped.

    Raises
    ------
    MassError
        If a source is dogmatic.
    ValueError
        If there are fewer than two sources or no samples, a sample does not have one label, weights
        are negative or all 0, or the family is unknown.
    FrameError
        If the frames differ, or a label is unknown.
    TypeError
        If a source is not a mass function.

    References
    ----------
    Quost, B., Masson, M.-H. & Denoeux, T. (2011). Classifier fusion in the Dempster-Shafer
    framework using optimized t-norm based combination rules. International Journal of
    Approximate Reasoning 52(3), 353-374.

    Examples
    --------
    A source and its copy carry no more than the source alone. Here it errs once in four samples,
    and treating the copy as independent would be overconfident.

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m = MassFunction(frame, [1, 3], [[0.5, 0.5]] * 4)
    >>> learn_tnorm([m, m], ["a", "a", "a", "b"], family="dubois_prade")
    0.0
    """
    from scipy.optimize import minimize_scalar  # the package loads without SciPy

    check_choice("family", family, _POSITIONS)
    targets = _targets(as_sequence(sources, "sources", "two or more mass functions"), labels)
    parameter_at = _POSITIONS[family]
    share = _shares(sample_weight, len(targets))
    kept = share > 0
    rows = [m if m.batch_shape != kept.shape else m[kept] for m in sources]
    targets, share = targets[kept], share[kept]
    sets, parts = common_weights(rows)  # once for all parameters

    def error(position: float) -> float:
        norm = extend_norm(t_norm(family, parameter_at(position)))
        agreed = joined_normalized(rows[0], sets, parts, norm)
        if agreed.conflict is not None:  # norms below the product can make weights 0
            return _WORST
        probabilities = betp(MassFunction.from_store(rows[0].frame, agreed.focal, agreed.masses))
        return float(share @ ((probabilities - targets) ** 2).sum(axis=-1))

    errors = [error(position) for position in _GRID]
    best = int(np.argmin(errors))
    around = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(_GRID) - 1)]
    found = minimize_scalar(error, bounds=around, method="bounded", options={"xatol": 1e-6})
    position = float(found.x) if found.fun < errors[best] - 1e-12 else float(_GRID[best])
    return parameter_at(position)


def _targets(sources: Sequence[MassFunction], labels: ArrayLike) -> NDArray[np.float64]:
    """Indicators (n, K) of the true label of each sample."""
    if len(sources) < 2:
        raise ValueError(f"there are {len(sources)} sources; a rule combines two or more")
    frame = check_sources(*sources)
    batch = batch_of(*sources)
    known = as_sequence(labels, "labels", "one label per sample")
    if len(batch) != 1 or len(known) != batch[0] or not known:
        raise ValueError(
            f"there are {len(known)} labels for sources of batch shape {batch}; "
            "expected one for each of n samples"
        )
    return indicators(frame, known).astype(np.float64)


def _shares(sample_weight: Numbers | None, n: int) -> NDArray[np.float64]:
    """Weights (n,) with sum 1."""
    weight = np.ones(n) if sample_weight is None else as_floats(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, expected ({n},)")
    bad = ~((weight >= 0) & np.isfinite(weight))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"sample_weight[{row}] is {weight[row]}, expected finite numbers from 0")
    if not weight.any():
        raise ValueError("all weights are zero; there is nothing to learn from")
    return np.asarray(weight / weight.sum())


# The squared error of a probability of 1 for a wrong label.
_WORST = 2.0
# Parameters at the positions 0 to 1. Frank's norm depends on ln s.
_POSITIONS: dict[str, Callable[[float], float]] = {
    "frank": lambda t: math.exp(1 - 1 / t) if t > 0 else 0.0,
    "sugeno_weber": lambda t: t / (1 - t) if t < 1 else math.inf,
    "dubois_prade": lambda t: t,
}
