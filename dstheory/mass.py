"""`MassFunction`: one belief function, or a batch of them over shared focal sets.

A mass function assigns a part of belief to each subset of the frame. Bel(A) sums the masses of sets
that imply A, and Pl(A) those of sets that do not contradict it (Shafer 1976, A Mathematical Theory
of Evidence, ch. 2; Xu et al. 2016, eq. 5-10). Masses are stored set-major, (F, *batch), with the
batch last in memory, so every sum over sets is a sum of contiguous rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory import notebook
from dstheory._typing import Event, Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import (
    check_atol,
    check_choice,
    check_instance,
    check_label_order,
    last_labels,
)
from dstheory.errors import MassError
from dstheory.frame import Frame, same_frame
from dstheory.kernels import bits, orthogonal, pairwise, predicates, setwise
from dstheory.kernels.batches import placed, scalar
from dstheory.kernels.exact import exact_together
from dstheory.kernels.immutable import Immutable
from dstheory.optional import require

__all__ = ["MassFunction"]

# Default of `event`, because None may be a label.
_NOTHING: Any = object()


class MassFunction(Immutable):
    """An immutable mass function, or a batch of mass functions over shared focal sets.

    Parameters
    ----------
    frame : Frame
        The possible answers, K of them.
    focal : sequence of int
        Masks of the focal sets (bit *i* is label *i*), distinct, in any order.
    masses : (*batch, F) array
        Masses in the order of `focal`; float64, or objects such as
        `fractions.Fraction` and sympy expressions, which stay exact. Copied.

    Raises
    ------
    MassError
        If masses are not finite, below -1e-9, or a row does not sum to 1 within 1e-9
        (exactly, for rationals), or if a focal set occurs twice. Masses that come in float32 or
        float16 may be off by a few units of rounding for each set, and are divided by their sum.
    FrameError
        If a mask lies outside the frame.
    TypeError
        If `frame` is not a Frame, or masses are not numbers.

    See Also
    --------
    MassFunction.from_dict : the same, from events instead of masks.

    Notes
    -----
    m(empty) > 0 is allowed and means conflict, or an open world (Smets & Kennes 1994).
    Operators: ``m1 @ m2`` Dempster's rule, ``m1 & m2`` conjunctive rule (unnormalized),
    ``m1 | m2`` disjunctive rule, ``~m`` complement of every focal set.

    Examples
    --------
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction(frame, [1, 7], [0.75, 0.25])
    >>> m.bel("ant"), m.pl("bee")
    (0.75, 0.25)
    >>> batch = MassFunction(frame, [1, 7], [[0.75, 0.25], [0.5, 0.5]])
    >>> batch.batch_shape, batch.bel("ant")
    ((2,), array([0.75, 0.5 ]))
    """

    __slots__ = {
        "focal": "Masks (F,) of the focal sets, ascending; read-only.",
        "frame": "The frame of discernment.",
        "masses": "Masses (*batch, F); read-only.",
        "store": "Masses set-major, (F, *batch), as they lie in memory; read-only.",
    }
    __array_ufunc__ = None  # NumPy must not broadcast over a mass function

    frame: Frame
    focal: NDArray[Any]
    store: NDArray[Any]
    masses: NDArray[Any]

    def __init__(self, frame: Frame, focal: Iterable[int], masses: Numbers = ()) -> None:
        checks.as_frame(frame)
        if isinstance(focal, Mapping) and isinstance(masses, tuple) and not masses:
            raise TypeError("focal is a mapping; MassFunction.from_dict(frame, ...) reads one")
        numbers = checks.as_numbers(masses)
        if last_labels(masses):  # as `to_frame` names them, or labels
            focal = list(focal)
            texts = [frame._text(mask) for mask in focal]
            for names in texts, [text[1:-1] for text in texts]:
                check_label_order(masses, names, "masses")
        self._check_and_set(frame, focal, numbers)

    def _check_and_set(
        self,
        frame: Frame,
        focal: Iterable[int],
        numbers: NDArray[Any],
        dtype: np.dtype[Any] | None = None,
    ) -> None:
        masks, numbers = checks.sorted_focal(frame, focal, numbers)
        masses = checks.as_distribution(numbers, dtype=dtype)
        self._set(frame, masks, np.array(np.moveaxis(masses, -1, 0), order="C"))

    def _set(self, frame: Frame, focal: NDArray[Any], store: NDArray[Any]) -> None:
        focal.flags.writeable = False
        store.flags.writeable = False
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "focal", focal)
        object.__setattr__(self, "store", store)
        object.__setattr__(self, "masses", np.moveaxis(store, 0, -1))

    @classmethod
    def from_store(cls, frame: Frame, focal: NDArray[Any], store: NDArray[Any]) -> MassFunction:
        """Wrap valid arrays without copying or checking them; for rules with valid results.

        `focal` (F,) ascending and distinct, `store` (F, *batch) set-major. Both become
        read-only and must not be used elsewhere.

        >>> MassFunction.from_store(Frame([0, 1]), np.array([1]), np.array([1.0])).bel(0)
        1.0
        """
        self = cls.__new__(cls)
        self._set(frame, focal, store)
        return self

    @classmethod
    def from_dict(cls, frame: Frame, masses: Mapping[Any, Any]) -> MassFunction:
        """Mass function from a mapping of events to masses.

        Parameters
        ----------
        frame : Frame
        masses : mapping of event to mass
            An event is a label, a tuple or frozenset of labels, or the frame; a mass is a
            number, or an array of the batch shape (shapes broadcast).

        Returns
        -------
        MassFunction

        Raises
        ------
        MassError, FrameError, TypeError
            As the constructor.

        Examples
        --------
        >>> frame = Frame(["ant", "bee", "cat"])
        >>> MassFunction.from_dict(frame, {"ant": 0.5, ("ant", "bee"): 0.3, frame: 0.2})
        MassFunction on {ant, bee, cat}
          {ant}            0.5
          {ant, bee}       0.3
          {ant, bee, cat}  0.2
        """
        checks.as_frame(frame)
        check_instance("masses", masses, Mapping, "a mapping of events to masses")
        focal = [frame.mask(event) for event in masses]
        if not focal:
            raise MassError("there is no mass; a vacuous belief is {frame: 1}")
        self = cls.__new__(cls)
        self._check_and_set(frame, focal, *checks.side_by_side(masses.values()))
        return self

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch, () for a single mass function."""
        return self.store.shape[1:]

    def _mask(self, event: Event, mask: int | None) -> int:
        if (event is _NOTHING) == (mask is None):
            raise TypeError("give either an event or mask=")
        return self.frame.mask(event) if mask is None else self.frame.check_mask(mask)

    def mass(self, event: Event = _NOTHING, *, mask: int | None = None) -> Any:
        """Mass of exactly this event, m(A), as a scalar or an array of the batch shape.

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).mass(["a", "b"])
        0.25
        """
        return scalar(setwise.mass(self.focal, self.store, self._mask(event, mask)))

    def bel(self, event: Event = _NOTHING, *, mask: int | None = None) -> Any:
        """Belief in an event, the sum over its non-empty focal subsets (Xu et al., eq. 8).

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).bel("a")
        0.75
        """
        return scalar(setwise.belief(self.focal, self.store, self._mask(event, mask)))

    def pl(self, event: Event = _NOTHING, *, mask: int | None = None) -> Any:
        """Plausibility of an event, the sum over focal sets that meet it (Xu et al., eq. 8).

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).pl("b")
        0.25
        """
        return scalar(setwise.plausibility(self.focal, self.store, self._mask(event, mask)))

    def q(self, event: Event = _NOTHING, *, mask: int | None = None) -> Any:
        """Commonality of an event, the sum over the focal sets that contain it.

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).q("a")
        1.0
        """
        return scalar(setwise.commonality(self.focal, self.store, self._mask(event, mask)))

    def b(self, event: Event = _NOTHING, *, mask: int | None = None) -> Any:
        """Implicability of an event, the sum over all its focal subsets, the empty one too.

        >>> MassFunction(Frame("a b".split()), [0, 1], [0.25, 0.75]).b("b")
        0.25
        """
        return scalar(setwise.implicability(self.focal, self.store, self._mask(event, mask)))

    def contour(self) -> NDArray[Any]:
        """Plausibility of each label, (*batch, K) (Xu et al., eq. 10).

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).contour()
        array([1.  , 0.25])
        """
        return np.moveaxis(setwise.contour(self.focal, self.store, len(self.frame)), 0, -1)

    def normalize(self) -> MassFunction:
        """Drop m(empty) and divide by the sum of the other masses (never by 1 - kappa).

        >>> MassFunction(Frame("a b".split()), [0, 1], [0.75, 0.25]).normalize().bel("a")
        1.0

        Raises `TotalConflictError`, with the rows, if all mass of a row is on the empty set.
        """
        if len(self.focal) == 0 or self.focal[0] != 0:
            return self
        store = self.store[1:]
        total = np.asarray(store.sum(axis=0))
        pairwise.refuse_total_conflict(total)
        return MassFunction.from_store(self.frame, self.focal[1:], np.asarray(store / total))

    def __and__(self, other: MassFunction) -> MassFunction:
        return self._paired(other, np.bitwise_and)

    def __or__(self, other: MassFunction) -> MassFunction:
        return self._paired(other, np.bitwise_or)

    def __matmul__(self, other: MassFunction) -> MassFunction:
        return self._paired(other, None)

    def _paired(self, other: MassFunction, operation: np.ufunc | None) -> MassFunction:
        """Combination over pairs of focal sets by an operation; None is Dempster's rule."""
        if not isinstance(other, MassFunction):
            return NotImplemented
        frame = same_frame(self.frame, other.frame)
        left, right = exact_together([self.store, other.store])
        one, two = (self.focal, left), (other.focal, right)
        if operation is None:
            agreed = orthogonal.orthogonal_sum((one, two))
            agreed.refuse()
            return MassFunction.from_store(frame, agreed.focal, agreed.masses)
        return MassFunction.from_store(frame, *pairwise.combine_pairs(*one, *two, operation))

    def __invert__(self) -> MassFunction:
        # Complements in reversed order are ascending again.
        focal = (self.frame.full - self.focal)[::-1].copy()
        return MassFunction.from_store(self.frame, focal, self.store[::-1].copy())

    def __getitem__(self, index: Any) -> MassFunction:
        if not self.batch_shape:
            raise TypeError("a single mass function has no rows; use .mass(event) for a mass")
        store = setwise.take_rows(self.store, index)
        return self.from_store(self.frame, self.focal, store)

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single mass function has no length; len(m.focal) counts focal sets")
        return self.batch_shape[0]

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[MassFunction]:
        if not self.batch_shape:
            raise TypeError(
                "a single mass function is not iterable; m.to_dict() has its masses, and "
                "m.to_frame() is a table, of a batch with a row for each sample"
            )
        return (self[row] for row in range(len(self)))

    def reshape(self, *shape: int) -> MassFunction:
        """The same masses with another batch shape.

        >>> MassFunction(Frame([0, 1]), [1, 2], [[1, 0], [0, 1]]).reshape(2, 1).batch_shape
        (2, 1)
        """
        lengths = checks.as_batch_shape(shape, self.batch_shape)
        store = self.store.reshape(len(self.focal), *lengths)
        return MassFunction.from_store(self.frame, self.focal, store.copy())

    def to_dict(self) -> dict[Any, Any]:
        """Masses by event (a tuple of labels), as scalars or arrays of the batch shape.

        >>> MassFunction(Frame("a b".split()), [1, 3], [0.75, 0.25]).to_dict()
        {('a',): 0.75, ('a', 'b'): 0.25}
        """
        events = [self.frame.event(mask) for mask in self.focal]
        # A tuple that is itself a label would be read back as that label, not as a set.
        keys = [frozenset(event) if event in self.frame else event for event in events]
        return {key: scalar(row) for key, row in zip(keys, self.store.copy(), strict=True)}

    def to_frame(
        self,
        kind: Literal["sets", "labels", "events"] = "sets",
        backend: Literal["pandas", "polars", "pyarrow"] = "pandas",
    ) -> Any:
        """Make a data frame with a row for each row of the batch, and one row without a batch.

        Parameters
        ----------
        kind : {"sets", "labels", "events"}
            "sets": a column of masses for each focal set. "labels": belief, plausibility and
            pignistic probability of each label, as ``bel_a``, ``pl_a`` and ``p_a``, the names of
            columns that the command ``evical`` reads and writes. "events": without a batch, a row
            for each focal set instead, with its mass, belief, plausibility and commonality.
        backend : {"pandas", "polars", "pyarrow"}

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Raises
        ------
        ImportError
            If the backend is not installed.
        ValueError
            If the batch has several axes (any, for "events"), two columns would have the same
            name (labels 1 and "1"), or `kind` or `backend` is another text.

        Examples
        --------
        >>> m = MassFunction(Frame(["a", "b"]), [1, 3], [[0.75, 0.25], [0.5, 0.5]])
        >>> m.to_frame()
            {a}  {a, b}
        0  0.75    0.25
        1  0.50    0.50
        >>> m.to_frame("labels")
           bel_a  pl_a    p_a  bel_b  pl_b    p_b
        0   0.75   1.0  0.875    0.0  0.25  0.125
        1   0.50   1.0  0.750    0.0  0.50  0.250
        >>> m[0].to_frame("events")
                event  mass   bel   pl     q
        0         {a}  0.75  0.75  1.0  1.00
        1      {a, b}  0.25  1.00  1.0  0.25
        """
        check_choice("kind", kind, ("sets", "labels", "events"))
        check_choice("backend", backend, ("pandas", "polars", "pyarrow"))
        if len(self.batch_shape) > 1:
            raise ValueError(f"the batch has the shape {self.batch_shape}; reshape it to one axis")
        if kind == "events":
            if self.batch_shape:
                raise ValueError(f"the batch has {len(self)} rows; take one, as in m[0]")
            columns: dict[str, Any] = {"event": list(self._events())}
            for name in ("mass", "bel", "pl", "q"):
                columns[name] = [getattr(self, name)(mask=mask) for mask in self.focal]
        elif kind == "sets":
            columns = _named_apart(list(self._events()), self.store)
        else:
            found, certain = [], self.normalize()
            sizes = np.array([len(self.frame.event(mask)) for mask in certain.focal])
            for label in self.frame:
                inside = [bool(mask & self.frame.mask(label)) for mask in certain.focal]
                shares = certain.store[inside].T / sizes[inside]
                found += [self.bel(label), self.pl(label), shares.sum(axis=-1)]
            named = [f"{name}_{label}" for label in self.frame for name in ("bel", "pl", "p")]
            columns = _named_apart(named, found)
        require(backend, "to_frame")
        module = import_module(backend)
        make = module.table if backend == "pyarrow" else module.DataFrame
        return make({name: np.atleast_1d(column) for name, column in columns.items()})

    def prune(self, atol: float = 0.0) -> MassFunction:
        """Drop focal sets whose mass is at most `atol` in every row, and rescale each row.

        Raises `MassError` if nothing of a row would remain.

        >>> MassFunction(Frame([0, 1]), [1, 2, 3], [0.5, 0, 0.5]).prune().focal
        array([1, 3])
        """
        check_atol(atol)
        rows = tuple(range(1, self.store.ndim))
        kept = ~predicates.small(self.store, atol).all(axis=rows)
        if self.store.size == 0 or kept.all():
            return self
        store = self.store[kept]
        if atol > 0:
            store = store / checks.kept_sum(store, atol)
        return MassFunction.from_store(self.frame, self.focal[kept], store)

    def equals(self, other: MassFunction, atol: float = 1e-12) -> bool:
        """Whether frames, batch shapes and all masses (within `atol`) agree.

        >>> one = MassFunction(Frame([0, 1]), [1, 3], [0.5, 0.5])
        >>> one.equals(MassFunction(Frame([0, 1]), [1, 2, 3], [0.5, 0, 0.5]))
        True
        """
        check_atol(atol)
        check_instance("other", other, MassFunction, "a mass function")
        if (self.frame, self.batch_shape) != (other.frame, other.batch_shape):
            return False
        masks = bits.distinct(np.concatenate([self.focal, other.focal]))
        mine, theirs = (placed(masks, m.focal, m.store) for m in (self, other))
        return bool(predicates.small(mine - theirs, atol).all())

    def __eq__(self, other: object) -> bool:
        return self.equals(other, atol=0) if isinstance(other, MassFunction) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.frame, self.batch_shape))

    @property
    def is_normalized(self) -> Any:
        """Whether m(empty) = 0, for each row."""
        return scalar(predicates.small(self.mass(mask=0), 0))

    @property
    def is_vacuous(self) -> Any:
        """Whether all mass is on the frame, which is total ignorance."""
        return scalar(predicates.is_vacuous(self.focal, self.store, self.frame.full))

    @property
    def is_categorical(self) -> Any:
        """Whether all mass is on one set."""
        return scalar(predicates.is_categorical(self.focal, self.store))

    @property
    def is_simple(self) -> Any:
        """Whether at most one set besides the frame has mass."""
        return scalar(predicates.is_simple(self.focal, self.store, self.frame.full))

    @property
    def is_bayesian(self) -> Any:
        """Whether only single labels have mass, as in a probability distribution."""
        return scalar(predicates.is_bayesian(self.focal, self.store))

    @property
    def is_consonant(self) -> Any:
        """Whether the focal sets are nested, as in a possibility distribution."""
        return scalar(predicates.is_consonant(self.focal, self.store))

    @property
    def is_dogmatic(self) -> Any:
        """Whether the frame itself has no mass."""
        return scalar(predicates.small(self.mass(mask=self.frame.full), 0))

    def __reduce__(self) -> tuple[Any, ...]:
        return MassFunction.from_store, (self.frame, self.focal, self.store)

    def __repr__(self) -> str:
        return notebook.mass_text(self.frame._title(), self._events(), self.store)

    def _repr_html_(self) -> str:
        return notebook.mass_html(self.frame._title(), self._events(), self.store)

    def _events(self) -> Iterator[str]:
        return map(self.frame._text, self.focal)


def _named_apart(names: list[str], columns: Iterable[Any]) -> dict[str, Any]:
    """Columns by their names, which must differ."""
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise ValueError(
            f"two columns would have the name {repeated!r}, as labels have the same text; rename "
            "labels by dstheory.revise.rename"
        )
    return dict(zip(names, columns, strict=True))
