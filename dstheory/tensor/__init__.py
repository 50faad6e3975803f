"""Belief functions on tensors with gradients: NumPy, torch, JAX, CuPy, by their array API.

Functions take masses (..., K + 1) of K classes and, last, of the frame, and cost O(K): networks
with a thousand classes are no problem. `dense` has those for tables of all subsets of at most 12
labels. Types and devices are kept: float32 stays float32. Needs array-api-compat (the extra
`tensor`). Two modules of torch, `PrototypeHead` and `LogitHead`, are imported when asked for; with
JAX, call the functions on a dictionary of parameters.

>>> import numpy as np
>>> fused = dempster(np.array([0.5, 0.0, 0.5]), np.array([0.25, 0.25, 0.5]))
>>> betp(fused).round(3)
array([0.714, 0.286])
"""

from typing import TYPE_CHECKING, Any

from dstheory.optional import require
from dstheory.tensor import dense
from dstheory.tensor._heads import (
    dirichlet_mass,
    initial_prototypes,
    logit_bounds,
    logit_mass,
    prototype_mass,
)
from dstheory.tensor._losses import brier_loss, log_loss, utility_loss
from dstheory.tensor._masses import (
    bel,
    betp,
    cautious,
    conjunctive,
    contextual_discount,
    dempster,
    discount,
    expectations,
    mean,
    normalize,
    pl,
    plausibility_transform,
)

__all__ = [
    "bel",
    "betp",
    "brier_loss",
    "cautious",
    "conjunctive",
    "contextual_discount",
    "dempster",
    "dense",
    "dirichlet_mass",
    "discount",
    "expectations",
    "initial_prototypes",
    "log_loss",
    "logit_bounds",
    "logit_mass",
    "mean",
    "normalize",
    "pl",
    "plausibility_transform",
    "prototype_mass",
    "utility_loss",
]

_MODULES = ("LogitHead", "PrototypeHead")

if not TYPE_CHECKING:  # a type checker would take this function to define every name

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            require("torch", name)
            from dstheory.tensor import _torch

            return getattr(_torch, name)
        raise AttributeError(f"module 'dstheory.tensor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
