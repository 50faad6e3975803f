"""Probabilistic argumentation: from rules with uncertain assumptions to arguments and support."""

from dstheory.argumentation._system import Argument, ArgumentationSystem

__all__ = ["Argument", "ArgumentationSystem"]
