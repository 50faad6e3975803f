"""Limits on the cost of a computation, and the errors if they are exceeded.

Numbers of configurations follow from the tree before anything runs; numbers of pairs of focal sets
are known before each combination; memory is checked while it is used. So a network that is too
large ends with an error before it exhausts the memory of the machine.
"""

from dataclasses import dataclass, fields

from dstheory.checks.arguments import as_real
from dstheory.errors import CostLimitError

# Dictionary entry of a large integer and a float, without the bits of the set.
BYTES_A_SET = 150


@dataclass(frozen=True)
class Limits:
    """Limits of one network, where by default the kind sets the number of configurations.

    Four million pairs of small sets take a second or two as Python objects, and 600 MB. Sets of
    2^18 configurations take 32 KiB each, so bytes are limited too.
    """

    max_configurations: int | None = None
    max_pairs: int = 4_000_000
    max_cost: float | None = None
    max_bytes: int = 1 << 31

    def __post_init__(self) -> None:
        for field in fields(self):
            value, name = getattr(self, field.name), field.name
            if value is None and field.default is None:
                continue
            if not as_real(name, value) >= 1:
                raise ValueError(f"{name} is {value}, but a limit is 1 or more")

    def check_bytes(self, n_bytes: int, what: str) -> None:
        """Raise if memory exceeds the limit."""
        if n_bytes > self.max_bytes:
            raise CostLimitError(
                f"{what} take {n_bytes} bytes, more than max_bytes = {self.max_bytes}; approximate "
                "some valuations, try another order, query fewer variables at once, or raise "
                "the limit"
            )


DEFAULT = Limits()
