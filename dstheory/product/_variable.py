"""A variable: a name and its possible values, of which exactly one is true.

Products of variables are frames whose labels are configurations, one value for each
variable (Shafer, Shenoy & Mellouli 1987, Propagating belief functions in qualitative
Markov trees, International Journal of Approximate Reasoning 1, 349-400).
"""

from collections.abc import Hashable, Iterable
from typing import Any

from dstheory._typing import Event
from dstheory.checks.arguments import check_instance
from dstheory.errors import FrameError
from dstheory.frame import Frame
from dstheory.kernels.immutable import Immutable
from dstheory.notebook import brief, html_table


class Variable(Immutable):
    """Immutable variable with a name and the frame of its values.

    Parameters
    ----------
    name : str
    values : sequence of hashable values, or Frame
        Its possible values, distinct and in order.

    Attributes
    ----------
    name : str
        It identifies the variable.
    frame : Frame
        The values as a plain frame.

    Raises
    ------
    TypeError
        If the name is not a string, or `values` is a string or an unordered set.
    FrameError
        If the name is empty, there is no value, or a value occurs twice.

    Examples
    --------
    >>> rain = Variable("rain", ["yes", "no"])
    >>> rain.name, rain.values, len(rain)
    ('rain', ('yes', 'no'), 2)
    >>> rain.frame
    Frame(['yes', 'no'])
    """

    __slots__ = ("_hash", "frame", "name")

    frame: Frame
    _hash: int
    name: str

    def __init__(self, name: str, values: Iterable[Hashable]) -> None:
        check_instance("the name of a variable", name, str, "a string")
        if not name:
            raise FrameError("a variable needs a name that is not empty")
        try:
            frame = values if type(values) is Frame else Frame(values)
        except (TypeError, FrameError) as error:
            raise type(error)(f"values of variable {name!r}: {error}") from error
        self._keep(name=name, frame=frame, _hash=hash(("Variable", name, frame)))

    @property
    def values(self) -> tuple[Any, ...]:
        """All values, in order."""
        return self.frame.labels

    def mask(self, event: Event) -> int:
        """Mask of a value or a collection of values.

        >>> Variable("rain", ["yes", "no"]).mask("no")
        2
        """
        try:
            return self.frame.mask(event)
        except FrameError as error:
            values = ", ".join(map(repr, self.values[:10])) + (", ..." if len(self) > 10 else "")
            raise FrameError(
                f"{event!r} is not a value of variable {self.name!r} and no collection of them "
                f"(values: {values})"
            ) from error

    def __len__(self) -> int:
        return len(self.frame)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        return (self.name, self.frame) == (other.name, other.frame)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Variable, (self.name, list(self.values))

    def __repr__(self) -> str:
        if len(self) <= 12:
            return f"Variable({self.name!r}, {list(self.values)!r})"
        head = ", ".join(repr(value) for value in self.values[:10])
        return f"Variable({self.name!r}, [{head}, ... {len(self)} values])"

    def _repr_html_(self) -> str:
        return html_table("Variable", [["name", "values"], [self.name, brief(self.values)]])
