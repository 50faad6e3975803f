"""One argument: assumptions that together decide a hypothesis."""

from dataclasses import dataclass, field
from typing import Any

from dstheory.notebook import ShownFields

__all__ = ["Argument"]


@dataclass(frozen=True)
class Argument(ShownFields):
    """A conjunction of assumptions and of negated assumptions.

    Attributes
    ----------
    literals : tuple of (str, bool)
        Assumptions, each with the truth value that the argument gives it.
    probability : number, array or None
        Probability that all of them hold; None if one of them has no probability.
    """

    literals: tuple[tuple[str, bool], ...]
    probability: Any = field(compare=False)  # == of arrays is not a single truth value

    @property
    def formula(self) -> str:
        """The argument as text: ``a & ~b``; the empty one is ``true``.

        >>> Argument((("a", True), ("b", False)), 0.5).formula
        'a & ~b'
        """
        signed = (name if holds else f"~{name}" for name, holds in self.literals)
        return " & ".join(signed) or "true"

    def __str__(self) -> str:
        return self.formula if self.probability is None else f"{self.formula}: {self.probability}"
