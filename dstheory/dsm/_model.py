"""`DSmModel`: overlapping elements, as a frame of the parts of their Venn diagram; and its rule.

n elements have 2^n - 1 parts, each inside some of them and outside all others. In the free model,
any part may contain the truth. A hybrid model drops the parts known to be empty; if all
intersections are empty, it is Shafer's model. Unions and intersections of elements (the hyper-power
set) are sets of parts. Source: J. Dezert, F. Smarandache, Combination of beliefs on hybrid DSm
models, Advances and Applications of DSmT for Information Fusion 1, 2004, ch. 4.

By the hybrid DSm rule (DSmH), conflict, and mass on sets found empty, goes to unions. The rule
needs, for each choice of sets, their intersection, their union, and the elements they
consist of. One mask has a field for each, two of them complemented, so intersecting masks gives all
three at once and no choices are listed (as in Dubois and Prade's rule).
"""

import ast
from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import combinations
from keyword import iskeyword
from typing import Any, final

import numpy as np

from dstheory._masses import check_mass, collect
from dstheory.checks.arguments import as_collection, check_instance, did_you_mean, shown
from dstheory.combine.sources import combination_rule
from dstheory.errors import FrameError, MassError
from dstheory.frame import Frame
from dstheory.kernels import bits, pairwise
from dstheory.kernels.batches import added_up
from dstheory.kernels.immutable import Immutable
from dstheory.mass import MassFunction

# 12 elements have 2^12 - 1 parts, so a focal set is an integer of 4095 bits.
MOST_ELEMENTS = 12


@final
class DSmModel(Immutable):
    """Model of elements that may overlap, with expressions known to be empty.

    Parameters
    ----------
    elements : iterable of str
        At most 12 names, each an identifier, so that expressions can be parsed.
    empty : str, or iterable of str
        Expressions known to be empty, such as ``"a & b"``; none for the free model.

    Attributes
    ----------
    elements : tuple of str
    frame : Frame
        The possible parts. A label is the tuple of the elements that contain the part.

    Raises
    ------
    FrameError
        If there is no element, an element occurs twice, no part is left, or an expression
        names an unknown element.
    ValueError
        If there are more than 12 elements, or an expression cannot be read.
    TypeError
        If an element or expression is not a string.

    Notes
    -----
    Expressions join elements by ``&`` (and), ``|`` (or) and parentheses. The hyper-power set on n
    elements grows like Dedekind's numbers (4, 18, 166, 7579 for n = 2 ... 5) and is never listed.

    References
    ----------
    Dezert & Smarandache (2004), Advances and Applications of DSmT for Information Fusion 1, ch. 4.

    Examples
    --------
    >>> model = DSmModel(["a", "b"])
    >>> model.frame
    Frame([('a',), ('b',), ('a', 'b')])
    >>> model.event("a & b"), model.event("a")
    ((('a', 'b'),), (('a',), ('a', 'b')))
    >>> DSmModel(["a", "b"], empty="a & b").frame
    Frame([('a',), ('b',)])
    """

    __slots__ = ("_masks", "_parts", "elements", "frame")

    elements: tuple[str, ...]
    frame: Frame
    _parts: tuple[int, ...]
    _masks: dict[str, int]

    def __init__(self, elements: Iterable[str], empty: str | Iterable[str] = ()) -> None:
        names = _checked_names(elements)
        self._set(names, tuple(range(1, 1 << len(names))))
        self._set(names, self._left(empty))

    def _set(self, names: tuple[str, ...], parts: tuple[int, ...]) -> None:
        labels = [tuple(names[i] for i in bits.positions(part)) for part in parts]
        masks = {
            name: bits.mask_of(i for i, part in enumerate(parts) if part >> place & 1)
            for place, name in enumerate(names)
        }
        self._keep(elements=names, frame=Frame(labels), _parts=parts, _masks=masks)

    @classmethod
    def shafer(cls, elements: Iterable[str]) -> "DSmModel":
        """Shafer's model, whose elements exclude each other.

        >>> DSmModel.shafer(["a", "b", "c"]).frame
        Frame([('a',), ('b',), ('c',)])
        """
        names = _checked_names(elements)
        return cls(names, [f"{one} & {two}" for one, two in combinations(names, 2)])

    def constrained(self, empty: str | Iterable[str]) -> "DSmModel":
        """The model in which one or more further expressions are empty.

        >>> DSmModel(["a", "b"]).constrained("a").frame
        Frame([('b',)])
        """
        return _rebuilt(self.elements, self._left(empty))

    def _left(self, empty: str | Iterable[str]) -> tuple[int, ...]:
        """Parts that remain under further constraints."""
        if isinstance(empty, np.ndarray) or not isinstance(empty, Iterable):
            raise TypeError(f"empty is {shown(empty)}, expected an expression, or a list of them")
        gone = 0
        for expression in [empty] if isinstance(empty, str) else empty:
            gone |= self.mask(expression)
        kept = tuple(part for i, part in enumerate(self._parts) if not gone >> i & 1)
        if not kept:
            raise FrameError("no part is left; at least one element must be possible")
        return kept

    def mask(self, expression: str) -> int:
        """Mask, in the frame, of an expression.

        >>> DSmModel(["a", "b"]).mask("a | b")
        7
        """
        check_instance("an expression", expression, str, "a string such as 'a & b'")
        try:
            tree = ast.parse(expression.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ValueError(_unread(expression)) from error
        return self._evaluated(tree, expression)

    def _evaluated(self, tree: ast.expr, expression: str) -> int:
        if isinstance(tree, ast.Name):
            if tree.id not in self._masks:
                known = ", ".join(self.elements)
                raise FrameError(
                    f"{tree.id!r} in {expression!r} is not an element; they are {known}"
                    f"{did_you_mean(tree.id, self.elements)}"
                )
            return self._masks[tree.id]
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitAnd | ast.BitOr):
            one = self._evaluated(tree.left, expression)
            two = self._evaluated(tree.right, expression)
            return one & two if isinstance(tree.op, ast.BitAnd) else one | two
        raise ValueError(_unread(expression))

    def event(self, expression: str) -> tuple[tuple[str, ...], ...]:
        """Parts of an expression, as an event of the frame (for ``m.bel`` etc.).

        >>> DSmModel(["a", "b"]).event("b")
        (('b',), ('a', 'b'))
        """
        return self.frame.event(self.mask(expression))

    def mass_function(self, masses: Mapping[str, Any]) -> MassFunction:
        """Mass function on the frame of the model, given masses of expressions.

        Parameters
        ----------
        masses : mapping of str to number or array
            Masses of equivalent expressions add up.

        Returns
        -------
        MassFunction

        Raises
        ------
        MassError
            If masses are negative, do not sum to 1, or are on an expression that is empty in the
            model. State such masses before the constraint and let `dsm_hybrid` move them.
        FrameError, ValueError, TypeError
            As `mask`.

        Examples
        --------
        >>> model = DSmModel(["a", "b"])
        >>> model.mass_function({"a": 0.5, "a & b": 0.25, "a | b": 0.25}).bel(model.event("a"))
        0.75
        """
        check_instance("masses", masses, Mapping, "a mapping of expressions to masses")
        events: dict[Any, Any] = {}
        for expression, mass in masses.items():
            event = frozenset(self.event(expression))
            if not event:
                raise MassError(
                    f"{expression!r} is empty in this model; state the mass in the model "
                    "before the constraint, and let dsm_hybrid move it"
                )
            events[event] = events[event] + mass if event in events else mass
        return MassFunction.from_dict(self.frame, events)

    def expression(self, mask: int) -> str:
        """Canonical form of a set of parts, the union of its minimal intersections.

        Parameters
        ----------
        mask : int
            Mask in the frame; 0 is the empty expression.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If the set is not a union of intersections of elements, because it involves a
            complement.

        Examples
        --------
        >>> model = DSmModel(["a", "b", "c"])
        >>> model.expression(model.mask("(a | b) & (a | c)"))
        'a | b & c'
        """
        least = self.least_parts(mask)
        closed = bits.mask_of(
            i for i, part in enumerate(self._parts) if any(part & one == one for one in least)
        )
        if closed != mask:
            raise ValueError(
                f"{self.frame.event(mask)!r} is not a union of intersections of elements; "
                "read it as an event of the frame"
            )
        terms = [" & ".join(self.elements[i] for i in bits.positions(one)) for one in least]
        return " | ".join(terms)

    def least_parts(self, mask: int) -> list[int]:
        """Element sets (masks of elements) of the minimal parts in a set, smallest first.

        >>> DSmModel(["a", "b"]).least_parts(7)
        [1, 2]
        """
        inside = [self._parts[i] for i in bits.positions(self.frame.check_mask(mask))]
        least: list[int] = []
        for part in sorted(inside, key=lambda part: (part.bit_count(), part)):
            if not any(part & one == one for one in least):
                least.append(part)
        return least

    def to_dict(self, m: MassFunction) -> dict[str, Any]:
        """Masses by expression in canonical form, with ``""`` for the empty set.

        >>> model = DSmModel(["a", "b"])
        >>> model.to_dict(model.mass_function({"a & b": 0.25, "b": 0.75}))
        {'a & b': 0.25, 'b': 0.75}
        """
        if check_mass(m).frame != self.frame:
            raise FrameError(f"the mass function is on {m.frame!r}, the model on {self.frame!r}")
        events = [int(mask) for mask in m.focal]
        return {self.expression(mask): m.mass(mask=mask) for mask in events}

    def projected(self, mask: int, onto: "DSmModel") -> int:
        """The same set of parts in a model with fewer parts.

        >>> free = DSmModel(["a", "b"])
        >>> free.projected(free.mask("a"), free.constrained("a & b"))
        1
        """
        check_instance("onto", onto, DSmModel, "a DSmModel")
        self.frame.check_mask(mask)
        places = {part: i for i, part in enumerate(onto._parts)}
        inside = (self._parts[i] for i in bits.positions(mask))
        return bits.mask_of(places[part] for part in inside if part in places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DSmModel):
            return NotImplemented
        return (self.elements, self._parts) == (other.elements, other._parts)

    def __hash__(self) -> int:
        return hash((self.elements, self._parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.elements, self._parts)

    def __repr__(self) -> str:
        n_free = (1 << len(self.elements)) - 1
        return f"DSmModel({', '.join(self.elements)}; {len(self._parts)} of {n_free} parts)"


def _rebuilt(elements: tuple[str, ...], parts: tuple[int, ...]) -> DSmModel:
    model = object.__new__(DSmModel)
    model._set(elements, parts)
    return model


def _checked_names(elements: Iterable[str]) -> tuple[str, ...]:
    names = tuple(as_collection(elements, "elements", "several names"))
    for name in names:
        check_instance("an element", name, str, "a name")
        if not name.isidentifier() or iskeyword(name):
            raise ValueError(f"element {name!r} is not an identifier, as expressions need")
    if not names:
        raise FrameError("there is no element; give at least one")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FrameError(f"element {twice!r} occurs twice")
    if len(names) > MOST_ELEMENTS:
        raise ValueError(
            f"{len(names)} elements have 2^{len(names)} - 1 parts, at most {MOST_ELEMENTS} "
            "elements are taken; coarsen, or use a Frame if the elements exclude each other"
        )
    return names


def _unread(expression: str) -> str:
    return f"cannot read {expression!r}; join elements by & and |, as in '(a | b) & c'"


@combination_rule
def dsm_hybrid(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    model: DSmModel,
    empty: str | Iterable[str] = (),
) -> MassFunction:
    """Combine beliefs on elements that overlap, of which some intersections are empty.

    The product of masses goes to the intersection of the chosen sets, one from each source. If that
    is empty, it goes to their union; if all of them are empty, to the union of the elements they
    consist of; and if that is empty too, to the frame.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on the frame of `model`; their batch shapes broadcast.
    model : DSmModel
        The model of the sources: free, hybrid, or Shafer's.
    empty : str, or iterable of str
        Expressions found to be empty since then (dynamic fusion).

    Returns
    -------
    MassFunction
        On the frame of ``model.constrained(empty)``; normalized.

    Raises
    ------
    FrameError
        If a source is not on the frame of the model, an expression names an unknown element, or
        everything is empty.
    TypeError
        If a source is not a mass function, or `model` is not a DSmModel.

    See Also
    --------
    dstheory.combine.conjunctive : the classic DSm rule, DSmC, on a free model.
    dstheory.combine.dubois_prade : the same in Shafer's model, without new constraints.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The three cases are the sums S1,
    S3 and S2 of the reference. The elements of a set are those in its canonical form,
    ``model.expression``.

    References
    ----------
    Dezert & Smarandache (2004), Combination of beliefs on hybrid DSm models, Advances and
    Applications of DSmT for Information Fusion 1, ch. 4.

    Examples
    --------
    Two sources on three suspects, the third of whom turns out to have an alibi:

    >>> model = DSmModel.shafer(["a", "b", "c"])
    >>> m1 = model.mass_function({"a": 0.5, "c": 0.5})
    >>> m2 = model.mass_function({"b": 0.5, "c": 0.5})
    >>> m = dsm_hybrid(m1, m2, model=model, empty="c")
    >>> model.constrained("c").to_dict(m)
    {'a': 0.25, 'b': 0.25, 'a | b': 0.5}
    """
    frame = m1.frame
    check_instance("model", model, DSmModel, "a DSmModel")
    if frame != model.frame:
        raise FrameError(f"the sources are on {frame!r}, the model on {model.frame!r}")
    after = model.constrained(empty)
    joint, store = reduce(pairwise.met, (_coded(m, model, after) for m in (m1, m2, *more)))
    sets = [_target(code, after) for code in joint.tolist()]
    return collect(after.frame, (bits.mask_array(sets, len(after.frame)), store))


def _coded(m: MassFunction, model: DSmModel, after: DSmModel) -> pairwise.Part:
    """The remaining part of each set, its complement, and that of its elements if it is empty."""
    size, full, everything = len(after.frame), after.frame.full, (1 << len(model.elements)) - 1
    codes = []
    for mask in m.focal.tolist():
        left = model.projected(mask, after)
        made_of = 0 if left else reduce(int.__or__, model.least_parts(mask), 0)
        codes.append(left | (full - left) << size | (everything - made_of) << 2 * size)
    array = bits.mask_array(codes, 2 * size + len(model.elements))
    return added_up((array, m.store))


def _target(code: int, after: DSmModel) -> int:
    """The first that is not empty: intersection, union, union of the elements, frame."""
    size, full = len(after.frame), after.frame.full
    intersection, union = code & full, full - (code >> size & full)
    if intersection or union:
        return intersection or union
    named = ~(code >> 2 * size)
    elements = (e for place, e in enumerate(after.elements) if named >> place & 1)
    return reduce(int.__or__, map(after.mask, elements), 0) or full
