"""Sets in pictures: their names, and their order by size and then by labels."""

from collections.abc import Iterable, Sequence
from typing import Any

from dstheory._masses import check_mass
from dstheory.frame import Frame
from dstheory.mass import MassFunction
from dstheory.notebook import short

# Names with more labels, and longer labels, are abbreviated to fit on an axis.
_MAX_NAMED = 8
_MAX_LETTERS = 24


def by_size(frame: Frame, masks: Iterable[Any]) -> list[int]:
    """Masks of sets, small ones first, and in the order of their labels within a size.

    >>> by_size(Frame("abcd"[i] for i in range(4)), [12, 9, 6, 1, 0])
    [0, 1, 9, 6, 12]
    """

    def key(mask: int) -> tuple[int, list[int]]:
        places = [i for i in range(len(frame)) if mask >> i & 1]
        return len(places), places

    return sorted((int(mask) for mask in masks), key=key)


def set_lines(frame: Frame, mask: int) -> list[str]:
    """Labels of a set for display; for a large set the first few and the number of the others.

    >>> set_lines(Frame(["ant", "bee"]), 3), set_lines(Frame(range(60)), 2**20 - 1)[-2:]
    (['ant', 'bee'], ['6', '13 more'])
    """
    labels = [short(str(label), _MAX_LETTERS) for label in frame.event(mask)]
    if len(labels) <= _MAX_NAMED:
        return labels or ["∅"]
    kept = labels[: _MAX_NAMED - 1]
    return [*kept, f"{len(labels) - len(kept)} more"]


def set_name(frame: Frame, mask: int) -> str:
    """Name of a set on one line.

    >>> set_name(Frame(["ant", "bee"]), 3), set_name(Frame(["ant", "bee"]), 0)
    ('{ant, bee}', '∅')
    """
    return "{" + ", ".join(set_lines(frame, mask)) + "}" if mask else "∅"


def wrap(labels: Sequence[str], width: int) -> str:
    """Labels in braces, on lines of at most `width` characters where labels allow it.

    >>> wrap(["ant", "bee", "cat"], 10).split("\\n")
    ['{ant, bee,', 'cat}']
    """
    if list(labels) == ["∅"]:
        return "∅"
    lines = ["{"]
    for number, label in enumerate(labels, start=1):
        piece = label + ("}" if number == len(labels) else ", ")
        if len(lines[-1]) > 1 and len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def value_text(value: float) -> str:
    """A degree of belief as short text; only 0 is written as 0.

    >>> [value_text(value) for value in (0.25, 0.0004, 0.0)]
    ['0.25', '0.0004', '0']
    """
    return f"{value:.2f}" if value >= 0.01 else f"{value:.1g}"


def check_single(m: object) -> MassFunction:
    """A single mass function whose masses are numbers."""
    one = check_mass(m)
    if one.batch_shape:
        raise ValueError(
            f"m is a batch of shape {one.batch_shape}; draw one of its rows, such as m[0]"
        )
    return one
