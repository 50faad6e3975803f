"""Belief functions (Dempster-Shafer theory), as easy to use as arrays.

The everyday names are imported here. Each stage has its own subpackage: `construct` builds mass
functions, `transform` computes tables and probabilities, `revise` changes one belief, `combine`
merges sources, `measure` quantifies uncertainty and conflict, `approximate` simplifies, `decide`
chooses acts, `product` works on joint frames of variables, `inference` learns beliefs from data,
and `interchange` reads and writes them.

>>> frame = Frame(["ant", "bee", "cat"])
>>> witness = simple(frame, ["ant", "bee"], mass=0.5)
>>> camera = MassFunction.from_dict(frame, {"ant": 0.25, "cat": 0.25, frame: 0.5})
>>> dempster(witness, camera).pl("ant")
0.8571428571428571
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dstheory import (
    approximate,
    combine,
    construct,
    decide,
    inference,
    interchange,
    measure,
    product,
    revise,
    transform,
)
from dstheory.combine import conjunctive, dempster, disjunctive
from dstheory.construct import bayesian, categorical, concatenate, consonant, simple, stack, vacuous
from dstheory.errors import DSTheoryError, FrameError, MassError, TotalConflictError
from dstheory.frame import Frame
from dstheory.mass import MassFunction
from dstheory.revise import condition, discount
from dstheory.transform import betp, plausibility_transform

__all__ = [
    "DSTheoryError",
    "Frame",
    "FrameError",
    "MassError",
    "MassFunction",
    "TotalConflictError",
    "approximate",
    "bayesian",
    "betp",
    "categorical",
    "combine",
    "concatenate",
    "condition",
    "conjunctive",
    "consonant",
    "construct",
    "decide",
    "dempster",
    "discount",
    "disjunctive",
    "inference",
    "interchange",
    "measure",
    "plausibility_transform",
    "product",
    "revise",
    "simple",
    "stack",
    "transform",
    "vacuous",
]

# Imported on first access: they need NetworkX, SymPy, Matplotlib, Hypothesis or array-api-compat.
_ROOMS = ("argumentation", "dsm", "exact", "network", "plot", "tensor", "testing")

if not TYPE_CHECKING:  # a type checker would take this function to define every name

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"dstheory.{name}")
        raise AttributeError(f"module 'dstheory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
