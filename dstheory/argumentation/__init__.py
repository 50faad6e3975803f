"""Probabilistic argumentation: from rules with uncertain assumptions to arguments and support."""

from dstheory.argumentation._system import ArgumentationSystem

__all__ = [
    "ArgumentationSystem",
]


def __dir__() -> list[str]:
    return __all__
