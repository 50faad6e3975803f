"""`ProductFrame`: the frame of all configurations of some variables.

A configuration is a tuple of values, one per variable, with the last variable varying fastest (C
order). So bit *i* of a mask is cell *i* of an array with the shape of the product. Nothing of the
size of the product is built before it is needed. Shafer, Shenoy & Mellouli 1987, International
Journal of Approximate Reasoning 1, 349-400.

Short texts for sets of configurations of any size.

Most sets in use are rectangles, such as ``{rain=yes}``, or complements of rectangles, such as
implications. Of others, the first few configurations are listed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Event
from dstheory.checks.arguments import as_sequence, check_instance, did_you_mean
from dstheory.errors import FrameError
from dstheory.frame import Frame
from dstheory.kernels import bits, bitsets
from dstheory.notebook import brief, html_table
from dstheory.product._variable import Variable

_MAX_LISTED = 4
_MAX_VALUES = 5
_MAX_VARIABLES = 6


def event_text(variables: Sequence[Variable], cells: NDArray[np.bool_]) -> str:
    """A set of configurations, given as an array of the shape of the product.

    Examples
    --------
    >>> pair = [Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])]
    >>> event_text(pair, np.array([[True, True], [False, False]]))
    '{rain=yes}'
    >>> event_text(pair, np.array([[True, False], [True, True]]))
    'not {rain=yes, wet=0}'
    >>> event_text(pair, np.array([[True, False], [False, True]]))
    '{(yes, 1), (no, 0)}'
    """
    if cells.all():
        return "{all}"
    if not cells.any():
        return "{}"
    sides = _sides(cells)
    if _is_rectangle(sides, cells):
        return _rectangle(variables, sides)
    outside = _sides(~cells)
    if _is_rectangle(outside, ~cells):
        return "not " + _rectangle(variables, outside)
    return _listed(variables, cells)


def title(variables: Sequence[Variable]) -> str:
    """The product, such as ``rain × wet``."""
    names = [variable.name for variable in variables]
    if len(names) <= _MAX_VARIABLES:
        return " × ".join(names)
    return " × ".join(names[:_MAX_VARIABLES]) + f" × ... ({len(names)} variables)"


def _sides(cells: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Projections on each axis."""
    axes = range(cells.ndim)
    return [np.asarray(cells.any(axis=tuple(a for a in axes if a != axis))) for axis in axes]


def _is_rectangle(sides: list[NDArray[np.bool_]], cells: NDArray[np.bool_]) -> bool:
    return math.prod(int(side.sum()) for side in sides) == int(cells.sum())


def _rectangle(variables: Sequence[Variable], sides: list[NDArray[np.bool_]]) -> str:
    parts = [
        f"{variable.name}={_alternatives(variable.values, side)}"
        for variable, side in zip(variables, sides, strict=True)
        if not side.all()
    ]
    more = f", ... {len(parts)} variables" if len(parts) > _MAX_VARIABLES else ""
    return "{" + ", ".join(parts[:_MAX_VARIABLES]) + more + "}"


def _alternatives(values: tuple[Any, ...], side: NDArray[np.bool_]) -> str:
    places = np.flatnonzero(side)
    more = f"|... {len(places)} values" if len(places) > _MAX_VALUES else ""
    return "|".join(str(values[i]) for i in places[:_MAX_VALUES]) + more


def _listed(variables: Sequence[Variable], cells: NDArray[np.bool_]) -> str:
    places = np.flatnonzero(cells)
    columns = np.unravel_index(places[:_MAX_LISTED], cells.shape)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    shown = [
        "(" + ", ".join(str(v.values[i]) for v, i in zip(variables, row, strict=True)) + ")"
        for row in rows
    ]
    more = f", ... {len(places)} configurations" if len(places) > _MAX_LISTED else ""
    return "{" + ", ".join(shown) + more + "}"


# A focal set of 2^24 configurations takes 2 MiB, and 16 MiB while it is projected.
MAX_CONFIGURATIONS = 1 << 24
# NumPy's arrays have 64 axes; only products with one-valued variables get that far.
MAX_VARIABLES = 60


class ProductFrame(Frame):
    """Frame of the configurations of some variables.

    Everything that a `Frame` does, and every rule on it, works here: a label is a tuple of
    values. Events may also be given as a mapping of names to values, such as
    ``{"rain": "yes", "grass": ["wet", "damp"]}``: all configurations with these values,
    whatever the other variables are.

    Parameters
    ----------
    variables : sequence of Variable
        One or more, with different names.

    Attributes
    ----------
    variables : tuple of Variable
        In order.
    names : tuple of str
        Names of the variables.
    shape : tuple of int
        Number of values of each variable.

    Raises
    ------
    TypeError
        If an entry is not a Variable.
    FrameError
        If there is no variable, a name occurs twice, or the product has more than 2^24
        configurations or 60 variables.

    Notes
    -----
    The cost of making one does not grow with the product; `labels` is built on demand.

    Examples
    --------
    >>> rain = Variable("rain", ["yes", "no"])
    >>> grass = Variable("grass", ["wet", "dry"])
    >>> frame = ProductFrame([rain, grass])
    >>> frame.labels
    (('yes', 'wet'), ('yes', 'dry'), ('no', 'wet'), ('no', 'dry'))
    >>> frame.names, frame.shape, len(frame)
    (('rain', 'grass'), (2, 2), 4)
    >>> frame.mask({"rain": "no"}), frame.mask(("yes", "wet")), frame.mask(frame)
    (12, 1, 15)
    """

    __slots__ = ("_axes", "names", "shape", "variables")

    _axes: dict[str, int]
    names: tuple[str, ...]
    shape: tuple[int, ...]
    variables: tuple[Variable, ...]

    def __init__(self, variables: Iterable[Variable]) -> None:
        listed = tuple(as_sequence(variables, "variables", "a sequence of Variable"))
        axes: dict[str, int] = {}
        for axis, variable in enumerate(listed):
            check_instance(f"variable {axis}", variable, Variable, "a Variable")
            if variable.name in axes:
                raise FrameError(f"variable {variable.name!r} occurs twice in one product")
            axes[variable.name] = axis
        if not axes:
            raise FrameError("a product needs at least one variable")
        shape = tuple(len(variable) for variable in listed)
        _check_size(shape)
        self._keep(variables=listed, names=tuple(axes), shape=shape, _axes=axes)
        self._keep(_hash=hash(("ProductFrame", listed)))

    @property
    def labels(self) -> tuple[Any, ...]:
        """All configurations in order, built at each call."""
        return tuple(self)

    def variable(self, name: str | Variable) -> Variable:
        """The variable with this name.

        >>> ProductFrame([Variable("rain", ["yes", "no"])]).variable("rain")
        Variable('rain', ['yes', 'no'])
        """
        return self.variables[self.axis(name)]

    def axis(self, name: str | Variable) -> int:
        """Position of a variable.

        >>> ProductFrame([Variable("rain", [1, 0]), Variable("wet", [1, 0])]).axis("wet")
        1
        """
        if isinstance(name, Variable):
            axis = self.axis(name.name)
            if self.variables[axis] != name:
                raise FrameError(f"{name!r} is another variable than {self.variables[axis]!r}")
            return axis
        try:
            return self._axes[name]
        except (KeyError, TypeError):
            known, meant = ", ".join(map(repr, self.names)), did_you_mean(name, self.names)
            raise FrameError(
                f"{name!r} is not a variable here; the variables are {known}{meant}"
            ) from None

    def mask(self, event: Event) -> int:
        """Mask of an event.

        Parameters
        ----------
        event : configuration, mapping of names to values, collection of these, or this frame
            A mapping stands for all configurations whose named variables have the given value, or
            one of the given values. With a single variable, bare values are allowed too.

        Returns
        -------
        int

        Raises
        ------
        FrameError
            If a variable or a value is unknown, or another frame is given.

        Examples
        --------
        >>> frame = ProductFrame([Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])])
        >>> frame.mask({"wet": 1}), frame.mask(("yes", 0)), frame.mask([("yes", 0), {"wet": 1}])
        (5, 2, 7)
        """
        try:
            return super().mask(event)
        except FrameError as error:
            if self._is_meant_as_configuration(event):
                raise self._unknown(event) from error
            raise

    def where(self, event: Event) -> tuple[Any, ...]:
        """Configurations of an event, as a tuple that can be a dictionary key.

        Parameters
        ----------
        event : mapping of name to value or values, configuration, or collection of these

        Returns
        -------
        tuple of configurations, in the order of the frame

        Examples
        --------
        >>> frame = ProductFrame([Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])])
        >>> frame.where({"rain": "no"})
        (('no', 1), ('no', 0))
        """
        return self.event(self.mask(event))

    def event(self, mask: int) -> tuple[Any, ...]:
        """Configurations of a mask, in the order of the frame.

        Parameters
        ----------
        mask : int, from 0 to `full`

        Returns
        -------
        tuple of configurations

        Raises
        ------
        FrameError
            If the mask lies outside the frame.

        Examples
        --------
        >>> ProductFrame([Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])]).event(6)
        (('yes', 0), ('no', 1))
        """
        places = np.flatnonzero(self._cells(mask))
        columns = np.unravel_index(places, self.shape)
        values = [
            map(variable.values.__getitem__, column.tolist())
            for variable, column in zip(self.variables, columns, strict=True)
        ]
        return tuple(zip(*values, strict=True))

    def _cells(self, mask: int) -> NDArray[np.bool_]:
        """Membership of each configuration, flat."""
        masks = bits.mask_array([self.check_mask(mask)], len(self))
        return bits.members(masks, len(self))[:, 0]

    def _bit(self, label: object) -> int | None:
        """Mask of an item of an event: a configuration, a mapping, or a bare value."""
        if isinstance(label, Mapping):
            return self._cylinder(label)
        index = self._index(label)
        if index is None and len(self.variables) == 1:
            return self.variables[0].frame._bit(label)
        return None if index is None else 1 << index

    def _union(self, event: Iterable[Any]) -> int:
        mask = 0
        for label in event:
            bit = self._bit(label)
            if bit is None:
                raise self._unknown(label)
            mask |= bit
        return mask

    def _index(self, label: object) -> int | None:
        """Position of a configuration; None for anything else."""
        if not isinstance(label, tuple) or len(label) != len(self.variables):
            return None
        index = 0
        for variable, value in zip(self.variables, label, strict=True):
            position = variable.frame._position(value)
            if position is None:
                return None
            index = index * len(variable) + position
        return index

    def _cylinder(self, values: Mapping[Any, Any]) -> int:
        """Mask of all configurations whose named variables have one of the given values."""
        sides = np.ones((), dtype=bool)
        masks = {self.axis(key): self.variable(key).mask(event) for key, event in values.items()}
        for axis, variable in enumerate(self.variables):
            mask = masks.get(axis, variable.frame.full)
            side = bits.members(bits.mask_array([mask], len(variable)), len(variable))[:, 0]
            sides = np.logical_and.outer(sides, side)
        return int(bitsets.pack_masks(sides.reshape(1, -1))[0])

    def _is_meant_as_configuration(self, event: Event) -> bool:
        """Whether a tuple has the length of a configuration and is not a collection of them."""
        if not isinstance(event, tuple) or len(event) != len(self.variables):
            return False
        return not any(isinstance(item, tuple | Mapping) for item in event)

    def _unknown(self, label: object) -> FrameError:
        if isinstance(label, tuple) and len(label) == len(self.variables):
            for variable, value in zip(self.variables, label, strict=True):
                if variable.frame._position(value) is None:
                    return FrameError(
                        f"{value!r} in {label!r} is not a value of variable {variable.name!r} "
                        f"(values: {', '.join(map(repr, variable.values[:10]))})"
                    )
        return FrameError(
            f"{label!r} is not a configuration: give a tuple of the values of "
            f"{', '.join(self.names)}, or a dict of names to values"
        )

    def _text(self, mask: int) -> str:
        return event_text(self.variables, self._cells(mask).reshape(self.shape))

    def _title(self) -> str:
        return title(self.variables)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __iter__(self) -> Iterator[Any]:
        return product(*(variable.values for variable in self.variables))

    def __contains__(self, label: object) -> bool:
        return self._index(label) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return isinstance(other, ProductFrame) and self.variables == other.variables

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return ProductFrame, (self.variables,)

    def __repr__(self) -> str:
        if len(self.variables) <= 4:
            return f"ProductFrame({list(self.variables)!r})"
        head = ", ".join(self.names[:10]) + (", ..." if len(self.names) > 10 else "")
        return f"ProductFrame({head}: {len(self.names)} variables, {len(self)} configurations)"

    def _repr_html_(self) -> str:
        rows = [[one.name, brief(one.values)] for one in self.variables]
        caption = f"ProductFrame, {len(self)} configurations"
        return html_table(caption, [["variable", "values"], *rows])


def union_frame(frames: Iterable[ProductFrame]) -> ProductFrame:
    """Product of all variables of some products, in the order of first appearance."""
    found: dict[str, Variable] = {}
    for frame in frames:
        for variable in frame.variables:
            if found.setdefault(variable.name, variable) != variable:
                raise FrameError(
                    f"variable {variable.name!r} has different values: {variable!r} and "
                    f"{found[variable.name]!r}; rename one of them"
                )
    return ProductFrame(found.values())


def _check_size(shape: tuple[int, ...]) -> None:
    size = math.prod(shape)
    if len(shape) > MAX_VARIABLES >= size.bit_length():
        raise FrameError(
            f"a product has at most {MAX_VARIABLES} variables, not {len(shape)}; leave out those "
            "with one value only"
        )
    if size > MAX_CONFIGURATIONS:
        count = f"{size}" if size < 10**15 else f"about 10^{math.log10(size):.0f}"
        raise FrameError(
            f"a product of {len(shape)} variables has {count} configurations, at most "
            f"2^24 are allowed; work with fewer variables at a time (a valuation network does)"
        )
