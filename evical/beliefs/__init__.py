"""Beliefs about samples: one type, whatever it stores, between calibrators, rules and users."""

from evical.beliefs._base import Beliefs
from evical.beliefs.composed import as_beliefs

__all__ = [
    "Beliefs",
    "as_beliefs",
]


def __dir__() -> list[str]:
    return __all__
