"""Robust combination rules: the conflict chooses between the conjunctive and disjunctive rules.

m = α(κ) m∪ + β(κ) m∩ with α + (1 - κ) β = 1. Without conflict this is the conjunctive rule, under
total conflict the disjunctive one. Florea, Jousselme, Bosse & Grenier 2009. A known package swaps α
and β and combines sources without conflict disjunctively.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import collect
from dstheory.combine._boolean import conjunctive, disjunctive
from dstheory.combine.sources import combination_rule, nonempty, refuse_subnormal
from dstheory.mass import MassFunction


@combination_rule
def florea(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    form: Literal["symmetric", "logarithmic"] = "symmetric",
) -> MassFunction:
    """Robust combination rule of Florea et al., with κ the conflict of all sources.

    m(A) = α m∪(A) + β m∩(A) for A not empty.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.
    form : {"symmetric", "logarithmic"}
        Symmetric: α = κ / (1 - κ + κ²), β = (1 - κ) / (1 - κ + κ²).
        Logarithmic, with x = 0.9: β = log((1 + x) / (κ + x)) / log((1 + x) / x) and
        α = 1 - (1 - κ) β; it needs floating point.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    ValueError
        If `form` is unknown.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function, or exact masses meet the logarithmic form.

    Notes
    -----
    Commutative, not associative: combine all sources in one call.

    References
    ----------
    Florea, M. C., Jousselme, A.-L., Bosse, E. & Grenier, D. (2009). Robust combination
    rules for evidence theory. Information Fusion 10(2), 183-197.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"a": 0.5, "b": 0.5})
    >>> result = florea(m1, m2)  # κ = 1/2, α = β = 2/3
    >>> round(result.mass("a"), 12), round(result.mass(frame), 12)
    (0.666666666667, 0.333333333333)
    """
    frame = m1.frame
    refuse_subnormal("the robust rule", m1, m2, *more)
    agreed, united = conjunctive(m1, m2, *more), disjunctive(m1, m2, *more)
    focal, store = nonempty(agreed)
    alpha, beta = _weights(form, agreed.mass(mask=0), store.sum(axis=0))
    return collect(frame, (focal, store, beta), (united.focal, united.store, alpha))


def _weights(form: str, kappa: Any, kept: Any) -> tuple[Any, Any]:
    """α and β for conflict `kappa`; `kept` = 1 - kappa is computed as a sum."""
    if form == "symmetric":
        scale = kappa + kept * kept
        return kappa / scale, kept / scale
    return _logarithmic(np.asarray(kappa), np.asarray(kept))


def _logarithmic(kappa: NDArray[Any], kept: NDArray[Any]) -> tuple[Any, Any]:
    if kappa.dtype == object or kept.dtype == object:
        raise TypeError("the logarithmic form has no exact value; use form='symmetric'")
    x = 0.9  # Florea et al.'s choice
    # (1 + x) / (kappa + x) is 1 + kept / (kappa + x).
    beta = np.log1p(kept / (kappa + x)) / np.log1p(1 / x)
    return 1 - kept * beta, beta
