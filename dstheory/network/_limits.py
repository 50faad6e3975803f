"""Limits of the cost of a computation, and the errors beyond them.

Configurations are known from the tree, before anything runs; pairs of focal sets before each
combination; memory while it is used, so that a network that is too large ends with an error and
not with the memory of the machine.
"""

from dataclasses import dataclass, fields

from dstheory.network._errors import CostLimitError

__all__ = ["BYTES_A_SET", "DEFAULT", "Limits"]

# An entry of a dictionary with a large integer and a float, without the bits of the set.
BYTES_A_SET = 150


@dataclass(frozen=True)
class Limits:
    """Limits of one network; no number of configurations means that of the kind.

    Four million pairs of small sets take a second or two as Python objects and 600 MB; sets of
    2^18 configurations have 32 KiB each, so that bytes are limited too.
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
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise TypeError(f"{name} is {value!r}, expected a number")
            if not value >= 1:
                raise ValueError(f"{name} is {value}, but a limit is 1 or more")

    def check_bytes(self, n_bytes: int, what: str) -> None:
        """Refuse to hold so much."""
        if n_bytes > self.max_bytes:
            raise CostLimitError(
                f"{what} take {n_bytes} bytes, more than max_bytes = {self.max_bytes}; approximate "
                "some valuations, try another order, ask for fewer variables at once, or raise "
                "the limit"
            )


DEFAULT = Limits()
