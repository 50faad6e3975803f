"""One algebra for all kinds of valuations: combination, marginalization and totals.

Local computation needs only three axioms: combination is commutative and associative; marginals can
be taken in any order; and valuations that do not involve a variable can be combined after the
variable is marginalized out. Shenoy, P. P. & Shafer, G. (1990), Axioms for probability and
belief-function propagation.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from numbers import Rational
from typing import Any, Generic, TypeVar

from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._limits import Limits

# Products below 2.2e-308 lose digits. Above this, products with numbers near 1 are far from it.
SMALL_TOTAL = 1e-290
SMALL_LOG = math.log(SMALL_TOTAL)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be too small for a float: `value` times exp(`log_scale`).

    Exact numbers are never scaled.
    """

    value: Any
    log_scale: float = 0.0

    @property
    def log(self) -> Any:
        """Natural logarithm, -inf for zero."""
        if hasattr(self.value, "free_symbols") and self.value.free_symbols:
            raise NetworkError(f"{self.value} is symbolic and has no logarithm as a number")
        log = log_of(self.value)
        return log + self.log_scale if self.log_scale else log

    def over(self, other: "Amount") -> "Amount":
        """The quotient."""
        return Amount(self.value / divisor(other.value), self.log_scale - other.log_scale)

    @property
    def missing(self) -> Any:
        """1 minus the number, with all digits even if that is small."""
        if isinstance(self.value, float) and self.value == 1:
            return 0.0 - math.expm1(self.log_scale)  # never -0.0
        return 1 - self.number

    @property
    def number(self) -> Any:
        """The number itself, 0.0 below the range of floats."""
        return self.value * math.exp(self.log_scale) if self.log_scale else self.value


class Part(ABC):
    """Operand of an algebra: numbers on a scope, up to a factor of exp(log_scale).

    Floats are scaled, so that the largest is moderate. If another falls below 1e-290, `logs`
    says that all are kept as logarithms: later evidence may support what has become unlikely.
    """

    __slots__ = ()

    scope: Scope
    log_scale: float
    logs: bool


P = TypeVar("P", bound=Part)


class Algebra(ABC, Generic[P]):
    """Combination and marginalization of one kind of part.

    A scope is a tuple of positions of variables, ascending. Configurations are numbered with the
    last variable of a scope varying fastest.
    """

    sizes: tuple[int, ...]
    limits: Limits

    @abstractmethod
    def combine(self, one: P, two: P) -> P:
        """The combination of two parts, on the union of their scopes."""

    @abstractmethod
    def marginalize(self, part: P, scope: Sequence[int]) -> P:
        """The marginal of a part on some of its variables."""

    @abstractmethod
    def total(self, part: P) -> Amount:
        """Weight of a part, unchanged by marginalization and zero in total conflict."""

    @abstractmethod
    def entries(self, part: P) -> int:
        """Numbers that a part holds."""

    @abstractmethod
    def n_bytes(self, part: P) -> int:
        """Approximate memory of a part."""

    def n_configurations(self, scope: Sequence[int]) -> int:
        """Configurations of a scope."""
        return math.prod(self.sizes[v] for v in scope)


def together(algebra: Algebra[P], parts: Iterable[P]) -> P:
    """All parts combined, the smallest first."""
    ascending = sorted(parts, key=lambda part: (len(part.scope), algebra.entries(part)))
    return reduce(algebra.combine, ascending)


def eliminated(
    algebra: Algebra[P], parts: Iterable[P], order: Iterable[int]
) -> tuple[list[P], dict[int, P]]:
    """Parts without some variables, and from what each variable that occurs was eliminated."""
    left, steps = list(parts), {}
    for variable in order:
        holding = [part for part in left if variable in part.scope]
        if holding:
            left = [part for part in left if variable not in part.scope]
            steps[variable] = whole = together(algebra, holding)
            left.append(algebra.marginalize(whole, [v for v in whole.scope if v != variable]))
    return left, steps


def log_of(value: Any) -> float:
    """Natural logarithm of a float or an exact number of any size, -inf for zero."""
    if not value:
        return -math.inf
    if isinstance(value, Rational):  # integers of any length have a logarithm
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def divisor(total: Any) -> Any:
    """A number to divide by, such that quotients of integers are fractions, never floats."""
    return Fraction(total) if isinstance(total, int) else total


def is_exact(value: object) -> bool:
    """Whether a number is a fraction, an integer or symbolic, and so never scaled."""
    return isinstance(value, Rational) or hasattr(value, "free_symbols")
