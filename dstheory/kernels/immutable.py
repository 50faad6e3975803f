"""Base class of immutable values: attributes cannot be set, and copies are the value itself."""

from typing import Self

import numpy as np


class Immutable:
    """Base of values that set their slots once, by `_keep`.

    Examples
    --------
    >>> from copy import deepcopy
    >>> value = Immutable()
    >>> deepcopy(value) is value
    True
    >>> value.name = "one"
    Traceback (most recent call last):
    AttributeError: Immutable is immutable; 'name' cannot be set
    """

    __slots__ = ()

    def _keep(self, **values: object) -> None:
        """Set slots, when a value is made; its arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; {name!r} cannot be set")

    def __setstate__(self, state: object) -> None:
        own, slots = state if isinstance(state, tuple) else (state, None)
        self._keep(**(own or {}), **(slots or {}))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
