"""What functions of mass functions ask of them: the right kind, one frame, a common batch."""

from typing import Any

import numpy as np

from dstheory import _checks
from dstheory.mass import MassFunction

__all__ = ["batch_of", "check_mass", "check_masses"]


def check_mass(m: Any, name: str = "m") -> MassFunction:
    """The mass function, if it is one."""
    if not isinstance(m, MassFunction):
        raise TypeError(f"{name} is a MassFunction, not {type(m).__name__}")
    return m


def check_masses(*masses: MassFunction) -> None:
    """Refuse what is no mass function, and mass functions on different frames."""
    for number, m in enumerate(masses, start=1):
        check_mass(m, f"argument {number}")
        _checks.same_frame(masses[0].frame, m.frame)


def batch_of(*masses: MassFunction) -> tuple[int, ...]:
    """Batch shape to which all of them broadcast."""
    shapes = [m.batch_shape for m in masses]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        listed = ", ".join(map(str, shapes))
        raise ValueError(f"batch shapes {listed} do not broadcast together") from error
