"""Random mass functions, drawn by documented schemes.

The results of a simulation depend on what "random" means: Burger & Destercke (2013), How to
randomly generate mass functions, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 21,
645-673. Each call draws the focal sets once for the whole batch, and the masses for each row.
"""

import math
from collections.abc import Callable, Iterable, Set
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory.checks import masses as checks
from dstheory.checks.arguments import (
    as_sequence,
    as_shape,
    check_choice,
    check_count,
    check_degree,
    check_rng,
)
from dstheory.errors import DSTheoryError, MassError
from dstheory.frame import Frame
from dstheory.kernels import bits
from dstheory.kernels.limits import check_result
from dstheory.mass import MassFunction

RandomKind = Literal["uniform", "cardinality", "bayesian", "consonant", "simple"]


def random(
    frame: Frame,
    rng: np.random.Generator,
    *,
    size: int | tuple[int, ...] = (),
    n_focal: int | None = None,
    kind: RandomKind = "uniform",
    focal: Iterable[Any] | None = None,
    conflict: float = 0.0,
) -> MassFunction:
    """Random mass functions on shared random focal sets.

    Parameters
    ----------
    frame : Frame
        K labels.
    rng : numpy.random.Generator
    size : int or tuple of int
        Batch shape.
    n_focal : int, optional
        Number of focal sets; None takes all that `kind` allows.
    kind : {"uniform", "cardinality", "bayesian", "consonant", "simple"}
        How focal sets are drawn. ``uniform``: any non-empty sets, without replacement;
        ``cardinality``: the same, but the size of each is drawn first, so all sizes are equally
        frequent (needs `n_focal`); ``bayesian``: single labels; ``consonant``: sets of a random
        maximal chain; ``simple``: one set besides the frame (ignores `n_focal`).
    focal : iterable of events, optional
        Use these focal sets; `kind` and `n_focal` are ignored.
    conflict : float
        Mass of the empty set, from 0 to 1; the other masses share the rest.

    Returns
    -------
    MassFunction
        The masses of each row are uniform on the simplex over the focal sets (Dirichlet
        with all parameters 1).

    Raises
    ------
    DSTheoryError
        If `n_focal` exceeds the number of sets of this kind, or is required but missing;
        or if all subsets of more than 26 labels are requested.
    ValueError
        If `conflict` is not from 0 to 1.
    TypeError
        If `frame` is not a Frame, `rng` is not a Generator, or a number has the wrong type.

    References
    ----------
    Burger & Destercke (2013), How to randomly generate mass functions; Jousselme & Maupin
    (2012), Distances in evidence theory, Int. J. Approximate Reasoning 53, 118-145.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> m = random(Frame(["ant", "bee", "cat"]), rng, size=5, n_focal=2, kind="consonant")
    >>> m.batch_shape, len(m.focal), bool(m.is_consonant.all())
    ((5,), 2, True)
    """
    check_rng(rng)
    check_degree("conflict", conflict)
    if n_focal is not None:
        check_count("n_focal", n_focal, 1)
    if focal is not None:
        events = focal if isinstance(focal, Set) else as_sequence(focal, "focal", "events")
        masks = sorted({checks.as_frame(frame).mask(event) for event in events})
    else:
        masks = sorted(_draw(checks.as_frame(frame), rng, n_focal, kind))
    if not masks:
        raise DSTheoryError("focal has no focal set")
    if 0 in masks and conflict:
        raise MassError("the empty set is among the focal sets; give its mass by conflict only")
    shape = as_shape("size", size)
    check_result(len(masks), math.prod(shape), "give a smaller size, and draw again")
    store = _uniform_simplex(rng, len(masks), shape)
    if conflict:
        masks = [0, *masks]
        store = np.concatenate([np.full((1, *shape), float(conflict)), store * (1 - conflict)])
    return MassFunction.from_store(frame, bits.mask_array(masks, len(frame)), store)


def _uniform_simplex(
    rng: np.random.Generator, n_sets: int, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Dirichlet(1, ..., 1) samples, as normalized exponentials."""
    weights = rng.standard_exponential((n_sets, *shape))
    return np.asarray(weights / weights.sum(axis=0))


def _draw(frame: Frame, rng: np.random.Generator, n_focal: int | None, kind: str) -> set[int]:
    check_choice("kind", kind, _SCHEMES)
    available = frame.full if kind in ("uniform", "cardinality") else len(frame)
    if n_focal is not None and not 1 <= n_focal <= available:
        raise DSTheoryError(
            f"n_focal is {n_focal}, but kind {kind!r} has 1 to {available} focal sets here"
        )
    return _SCHEMES[kind](frame, rng, n_focal)


def _any_sets(frame: Frame, rng: np.random.Generator, n_focal: int | None) -> set[int]:
    size = len(frame)
    if n_focal is None or n_focal == frame.full:
        checks.check_table_size(size, "give n_focal")
        return set(range(1, 1 << size))
    if size <= bits.MAX_INT64_BITS:
        return {int(mask) + 1 for mask in rng.choice(frame.full, n_focal, replace=False)}
    n_bytes = math.ceil(size / 8)
    return _distinct(n_focal, lambda: int.from_bytes(rng.bytes(n_bytes), "little") & frame.full)


def _distinct(number: int, draw: Callable[[], int]) -> set[int]:
    """Non-empty sets, drawn until enough of them differ."""
    found: set[int] = set()
    while len(found) < number:
        found |= {draw()} - {0}
    return found


def _sets_by_size(frame: Frame, rng: np.random.Generator, n_focal: int | None) -> set[int]:
    if n_focal is None:
        raise DSTheoryError("kind 'cardinality' needs n_focal")
    size = len(frame)

    def draw() -> int:
        chosen = rng.permutation(size)[: rng.integers(1, size + 1)]
        return sum(1 << int(i) for i in chosen)

    return _distinct(n_focal, draw)


def _singletons(frame: Frame, rng: np.random.Generator, n_focal: int | None) -> set[int]:
    size = len(frame)
    return {1 << int(i) for i in rng.choice(size, n_focal or size, replace=False)}


def _chain(frame: Frame, rng: np.random.Generator, n_focal: int | None) -> set[int]:
    size = len(frame)
    order = [int(i) for i in rng.permutation(size)]
    lengths = rng.choice(size, n_focal or size, replace=False) + 1
    return {sum(1 << i for i in order[: int(length)]) for length in lengths}


def _one_set(frame: Frame, rng: np.random.Generator, n_focal: int | None) -> set[int]:
    if len(frame) == 1:
        return {frame.full}
    return {frame.full, *_distinct(1, lambda: _proper(frame, rng))}


def _proper(frame: Frame, rng: np.random.Generator) -> int:
    mask = next(iter(_any_sets(frame, rng, 1)))
    return 0 if mask == frame.full else mask


_SCHEMES: dict[str, Callable[[Frame, np.random.Generator, int | None], set[int]]] = {
    "uniform": _any_sets,
    "cardinality": _sets_by_size,
    "bayesian": _singletons,
    "consonant": _chain,
    "simple": _one_set,
}
