"""`Frame`: the set of possible answers to one question, in a fixed order.

Bit *i* of a mask is label *i*. An *event* is a label, a collection of labels, or the
frame itself; a label of the frame always wins over being read as a collection.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Set
from typing import Any

import numpy as np

from dstheory._typing import Event, Numbers
from dstheory.checks.arguments import as_array, did_you_mean, shown
from dstheory.errors import FrameError
from dstheory.kernels import bits
from dstheory.kernels.immutable import Immutable
from dstheory.notebook import html_table

__all__ = ["Frame"]

# Of those that a notebook shows.
_MAX_LABELS = 20


class Frame(Immutable):
    """An immutable, ordered, finite frame of discernment.

    Parameters
    ----------
    labels : sequence of hashable labels, or (K,) array
        The possible answers, distinct. NumPy scalars become Python values.

    Raises
    ------
    TypeError
        If `labels` is a string or an unordered set, or a label is not hashable.
    FrameError
        If there is no label, a label occurs twice, or a label is not equal to itself (NaN).

    Examples
    --------
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> len(frame), "bee" in frame, frame.full
    (3, True, 7)
    >>> frame.mask(["ant", "cat"]), frame.event(5)
    (5, ('ant', 'cat'))
    """

    __slots__ = ("_hash", "_labels", "_positions")

    _labels: tuple[Any, ...]
    _positions: dict[Any, int]  # not bits, which would take K^2 / 16 bytes for K labels
    _hash: int

    def __init__(self, labels: Iterable[Hashable]) -> None:
        values = tuple(_python_value(label) for label in _ordered(labels))
        positions: dict[Any, int] = {}
        for position, label in enumerate(values):
            if not isinstance(label, Hashable) or not _is_hashable(label):
                raise TypeError(f"label {label!r} at position {position} is not hashable")
            if label != label:
                raise FrameError(f"label {label!r} at position {position} is not equal to itself")
            if label in positions:
                raise FrameError(
                    f"label {label!r} at position {position} repeats position {positions[label]}"
                )
            positions[label] = position
        if not positions:
            raise FrameError("a frame needs at least one label")
        # Without `_keep`, which every fused prediction would enter for this alone.
        object.__setattr__(self, "_labels", values)
        object.__setattr__(self, "_positions", positions)
        object.__setattr__(self, "_hash", hash(("Frame", values)))

    @classmethod
    def from_array(cls, values: Numbers) -> Frame:
        """Frame of the distinct values of an array, such as a column of class labels.

        Parameters
        ----------
        values : array of any shape
            Labels, possibly repeated.

        Returns
        -------
        Frame
            Its labels are in ascending order, like the `classes_` of a classifier; the order of
            categories of pandas is kept by ``Frame(values.categories)``.

        Raises
        ------
        FrameError
            If there is no value, or one is NaN.
        TypeError
            If values cannot be sorted.

        Examples
        --------
        >>> Frame.from_array(["bee", "ant", "bee", "cat"])
        Frame(['ant', 'bee', 'cat'])
        """
        array = as_array(values, "values")
        if array.ndim == 0:
            raise TypeError(f"values are {shown(values)}, expected an array of labels")
        if array.dtype.kind in "US" and isinstance(values, list | tuple):  # may hold numbers too
            array = as_array(np.asarray(values, dtype=object), "values")
        try:
            return cls(np.unique(array))
        except TypeError as error:
            raise TypeError(
                f"values cannot be sorted ({error}); give the labels in order to Frame"
            ) from error

    @property
    def labels(self) -> tuple[Any, ...]:
        """All labels, in order."""
        return self._labels

    @property
    def full(self) -> int:
        """Mask of the whole frame, 2^K - 1."""
        return (1 << len(self)) - 1

    def mask(self, event: Event) -> int:
        """Mask of an event.

        Parameters
        ----------
        event : label, collection of labels, or this frame
            An empty collection is the impossible event, mask 0.

        Returns
        -------
        int

        Raises
        ------
        FrameError
            If a label is unknown, or another frame is given.

        Examples
        --------
        >>> frame = Frame(["a", "b", "ad"])
        >>> frame.mask("ad"), frame.mask({"a", "b"}), frame.mask([]), frame.mask(frame)
        (4, 3, 0, 7)
        """
        if isinstance(event, Frame):
            if event == self:
                return self.full
            raise FrameError(f"{event!r} is another frame than {self!r}")
        event = _python_value(event)
        bit = self._bit(event)
        if bit is not None:
            return bit
        if isinstance(event, str | bytes) or not isinstance(event, Iterable):
            raise self._unknown(event)
        return self._union(event)

    def event(self, mask: int) -> tuple[Any, ...]:
        """Labels of a mask, in the order of the frame.

        Parameters
        ----------
        mask : int, from 0 to `full`

        Returns
        -------
        tuple of labels

        Raises
        ------
        FrameError
            If the mask lies outside the frame.

        Examples
        --------
        >>> Frame(["a", "b", "c"]).event(6)
        ('b', 'c')
        """
        value = self.check_mask(mask)
        return tuple(self._labels[i] for i in bits.positions(value))

    def check_mask(self, mask: int) -> int:
        """The mask as a Python integer, if it lies within the frame.

        Parameters
        ----------
        mask : int

        Returns
        -------
        int

        Raises
        ------
        FrameError
            If the mask lies outside the frame.

        Examples
        --------
        >>> Frame(["a", "b"]).check_mask(4)
        Traceback (most recent call last):
        dstheory.errors.FrameError: mask 4 is outside Frame(['a', 'b']), \
whose masks are 0 to 3
        """
        if not isinstance(mask, int | np.integer) or isinstance(mask, bool):
            raise TypeError(
                f"a mask is {mask!r}, expected an int, as Frame.mask makes it of an event"
            )
        value = int(mask)
        if not 0 <= value <= self.full:
            raise FrameError(f"mask {value} is outside {self!r}, whose masks are 0 to {self.full}")
        return value

    def _position(self, label: object) -> int | None:
        try:
            return self._positions.get(label)
        except TypeError:  # not hashable, hence no label
            return None

    def _bit(self, label: object) -> int | None:
        """Mask of a label of an event."""
        position = self._position(label)
        return None if position is None else 1 << position

    def _union(self, event: Iterable[Any]) -> int:
        places, listed = [], [_python_value(label) for label in event]
        if len(listed) == len(self) > 1 and self._are_flags(listed):
            raise FrameError(
                f"event {listed} has a flag for each label of {self!r}; write the labels instead"
            )
        for label in listed:
            position = self._position(label)
            if position is None:
                raise self._unknown(label)
            places.append(position)
        return bits.mask_of(places)

    def _are_flags(self, listed: list[Any]) -> bool:
        """Whether these are truth values that are no labels, even where 1 equals True."""
        known = {label for label in self._labels if isinstance(label, bool)}
        return all(isinstance(value, bool | np.bool_) for value in listed) and not known.issuperset(
            listed
        )

    def _unknown(self, label: object) -> FrameError:
        """Error for something that is not a label."""
        advice = ""
        if isinstance(label, str):
            found = [p for p in (re.findall(r"\w+", label), list(label)) if self._are(p)]
            for parts in found[:1]:
                listed = ", ".join(f'"{part}"' for part in parts)
                advice = f"; for the set of these labels write ({listed})"
        meant = (
            "" if advice else did_you_mean(label, [one for one in self.labels if len(str(one)) > 2])
        )
        return FrameError(f"{_python_value(label)!r} is not a label of {self!r}{advice}{meant}")

    def _are(self, parts: list[str]) -> bool:
        """Whether these are two or more labels."""
        return len(parts) > 1 and all(part in self._positions for part in parts)

    def _text(self, mask: int) -> str:
        """A set as text, such as ``{ant, bee}``."""
        return "{" + ", ".join(str(label) for label in self.event(mask)) + "}"

    def _title(self) -> str:
        """Title of the frame in the text of its mass functions."""
        return self._text(self.full) if len(self) <= 12 else f"{len(self)} labels"

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._labels)

    def __contains__(self, label: object) -> bool:
        return self._bit(label) is not None

    def __eq__(self, other: object) -> bool:
        return self._labels == other._labels if isinstance(other, Frame) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Frame, (list(self._labels),)

    def __repr__(self) -> str:
        if len(self) <= 12:
            return f"Frame({list(self._labels)!r})"
        head = ", ".join(repr(label) for label in self._labels[:10])
        return f"Frame([{head}, ... {len(self)} labels])"

    def _repr_html_(self) -> str:
        rows = [[str(label), str(1 << bit)] for bit, label in enumerate(self._labels[:_MAX_LABELS])]
        more = [f"... {len(self)} labels in all"] if len(self) > len(rows) else []
        return html_table("Frame", [["label", "mask"], *rows], more)


def _ordered(labels: Iterable[Hashable]) -> Iterable[Any]:
    if isinstance(labels, str):
        raise TypeError(f"labels are a sequence of labels, not the string {labels!r}")
    if isinstance(labels, Set) and not isinstance(labels, dict):
        raise TypeError("labels need an order: give a list or a tuple, not a set")
    if not isinstance(labels, Iterable) or (isinstance(labels, np.ndarray) and not labels.ndim):
        raise TypeError(f"labels are {shown(labels)}, expected a sequence of labels")
    return labels


def _python_value(label: object) -> Any:
    """The value of a scalar of NumPy, torch or JAX; anything else as it is."""
    if getattr(label, "ndim", None) != 0:
        return label
    value = label[()] if isinstance(label, np.ndarray) else label
    # Python has no nanoseconds: `item()` of such a date is a bare integer.
    if isinstance(value, np.datetime64 | np.timedelta64):
        return value
    return value.item() if hasattr(value, "item") else value


def _is_hashable(label: Hashable) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def same_frame(one: Frame, two: Frame) -> Frame:
    """The common frame of two operands."""
    if one != two:
        if type(one) is not Frame or type(two) is not Frame:
            how = "combine them by dstheory.product.combine, or extend both to one product"
        elif set(one) == set(two):
            how = "their labels have other orders: use MassFunction.from_dict(frame, m.to_dict())"
        else:
            how = "bring both to one frame, by dstheory.revise.refine"
        raise FrameError(f"frames differ: {one!r} and {two!r}; {how}")
    return one
