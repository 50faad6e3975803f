"""Polynomials on pieces of the line, as few as an error permits.

A piece is tried with polynomials of degree 0 to 5, fitted at Chebyshev points. It is kept if they
miss no value there, nor at any probe inside, by more than the tolerance; else it is cut at the
landmark in its middle, or where there is none, toward where the polynomial misses most.

Polynomials within the tolerance of beliefs could leave [0, 1], or cross. So belief and width of the
interval are raised by a little more than the tolerance, and scaled back by as much: what is
exported is a belief function.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evical._typing import Floats
from evical.errors import ConvergenceError
from evical.export._table import midpoint_floats, next_float, previous_float

Function = Callable[[Floats], Floats]

TOLERANCE = 2e-8  # of belief and width; with the shift, all columns err by less than 9e-8
_SHIFT = 2.2e-8
_DEGREES = (0, 1, 2, 3, 5)
_NO_WIDTH = 1e-12  # of [Bel, Pl], which is rounding
_DIGIT = 1e-9  # to which the terms of a polynomial are rounded, for short programs
_NODES = np.cos(np.pi * np.arange(33) / 32)[::-1]
_FITS = {d: np.linalg.pinv(_NODES[:, None] ** np.arange(d + 1)).T for d in _DEGREES}
_AT_NODES = {d: fit @ _NODES ** np.arange(d + 1)[:, None] for d, fit in _FITS.items()}
_PLANNED = 1e-9  # how far nodes may lie from where they should
_EDGE = 1 / 16  # of a piece: a polynomial that misses most there needs much shorter pieces
_MANY = 1e6  # a ratio of ends that is halved on the scale of its logarithm
MOST = 20000  # pieces, of some megabytes
_NEAR, _BLUR = 1 << 16, 1e-7  # floats between which rounding decides, and by how much it may
_FAR = 1e30  # scores are scaled where their powers might leave the floats


@dataclass(frozen=True, eq=False)
class Piece:
    """Polynomials (c, d + 1) of ``(score - center) * factor`` from `low` to `high`."""

    low: float
    high: float
    center: float
    factor: float
    coefficients: Floats

    @property
    def is_constant(self) -> bool:
        """Whether the values are the same everywhere."""
        return bool(self.coefficients.shape[1] == 1)


def constant_pieces(starts: Floats, ends: Floats, values: Floats) -> list[Piece]:
    """Pieces with constant columns (c, p)."""
    return [
        Piece(a, b, 0.0, 1.0, column[:, None])
        for a, b, column in zip(starts.tolist(), ends.tolist(), values.T, strict=True)
    ]


def joined(pieces: list[Piece]) -> list[Piece]:
    """The same with one piece instead of neighbors that have the same constants."""
    kept: list[Piece] = []
    for piece in pieces:
        last = kept[-1] if kept else None
        if last is not None and _same_constants(last, piece):
            kept[-1] = replace(last, high=piece.high)
        else:
            kept.append(piece)
    return kept


def _same_constants(one: Piece, other: Piece) -> bool:
    both = one.is_constant and other.is_constant
    return both and bool((one.coefficients == other.coefficients).all())


def fit_pieces(
    function: Function, marks: Floats, at: Floats, degree: int, most: int = MOST
) -> list[Piece]:
    """Pieces from the first to the last of ascending probes, or a ConvergenceError if too many."""
    degrees = tuple(d for d in _DEGREES if d <= degree)
    values = function(at)
    waiting, done = [(float(at[0]), float(at[-1]))], []
    while waiting:
        cuts = []
        fits = _fits(function, waiting, at, values, degrees)
        for (a, b), (piece, worst) in zip(waiting, fits, strict=True):
            if piece is not None:
                done.append(piece)
            else:
                cut = _cut(a, b, worst, marks)
                cuts += [(a, float(previous_float(np.array(cut)))), (cut, b)]
        waiting = cuts
        if len(waiting) + len(done) > most:
            raise ConvergenceError(
                f"polynomials need more than {most} pieces, since predictions change at too many "
                f"scores, one of them {waiting[0][0]!r}"
            )
    pieces = sorted(done, key=lambda piece: piece.low)
    return _wider(function, pieces, at, values, degrees)


def _wider(
    function: Function,
    pieces: list[Piece],
    at: Floats,
    values: Floats,
    degrees: tuple[int, ...],
) -> list[Piece]:
    """Polynomials that serve two neighbors as well take their place."""
    first, idle = 0, 0
    while idle < 2:
        pairs = [
            j
            for j in range(first, len(pieces) - 1, 2)
            if not (pieces[j].is_constant or pieces[j + 1].is_constant)
        ]
        ends = [(pieces[j].low, pieces[j + 1].high) for j in pairs]
        fits = _fits(function, ends, at, values, degrees) if pairs else []
        used = {j: piece for j, (piece, _) in zip(pairs, fits, strict=True) if piece is not None}
        idle, first = 0 if used else idle + 1, 1 - first
        pieces = [used.get(j, piece) for j, piece in enumerate(pieces) if j - 1 not in used]
    return pieces


def _fits(
    function: Function,
    intervals: list[tuple[float, float]],
    at: Floats,
    values: Floats,
    degrees: tuple[int, ...],
) -> list[tuple[Piece | None, float]]:
    """Pieces on intervals, or none and where polynomials miss most."""
    low, high = np.array(intervals).T
    nodes = _nodes(low, high)
    found = function(nodes.ravel()).reshape(-1, *nodes.shape)
    missed = _missed(low, high, nodes, found, degrees[-1])
    first = np.searchsorted(at, low)
    last = np.searchsorted(at, high, side="right")
    return [
        _fit(
            interval,
            np.concatenate([nodes[row], at[first[row] : last[row]]]),
            np.concatenate([found[:, row], values[:, first[row] : last[row]]], axis=1),
            degrees,
        )
        if np.isnan(missed[row])
        else (None, float(missed[row]))
        for row, interval in enumerate(intervals)
    ]


def _missed(low: Floats, high: Floats, nodes: Floats, found: Floats, degree: int) -> Floats:
    """The node (k,) of each interval that polynomials miss most, NaN where they may serve.

    Most intervals are too long, which their nodes say, all at once.
    """
    half = np.maximum(high / 4 - low / 4, 5e-324)
    place = (nodes / 2 - (low / 4 + high / 4)[:, None]) / half[:, None]
    clear = (np.abs(place - _NODES) < _PLANNED).all(axis=1) & (next_float(low, _NEAR) < high)
    target = found.copy()
    if len(found) > 1:
        target[1::3] -= target[::3]  # widths, as `_target` has them
    misses = np.abs(target @ _AT_NODES[degree] - target)
    if len(found) == 3:
        misses[2, np.abs(found[2] - (found[0] + found[1]) / 2).max(axis=1) <= _NO_WIDTH] = 0
    misses = misses.max(axis=0)
    worst = nodes[np.arange(len(nodes)), misses.argmax(axis=1)]
    return np.where(clear & (misses.max(axis=1) > TOLERANCE), worst, np.nan)


def _nodes(low: Floats, high: Floats) -> Floats:
    """Chebyshev points (k, 33) of intervals, both ends included."""
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    with np.errstate(over="ignore"):  # by a last place, at the greatest float
        nodes = middle[:, None] + half[:, None] * _NODES
    return np.clip(nodes, low[:, None], high[:, None])


def _fit(
    ends: tuple[float, float], x: Floats, f: Floats, degrees: tuple[int, ...]
) -> tuple[Piece | None, float]:
    """The piece with the polynomials of least degree, or none and where they miss most."""
    low, high = ends
    if (f == f[:, :1]).all():
        return Piece(low, high, 0.0, 1.0, f[:, :1]), low
    least, most = f.min(axis=1), f.max(axis=1)
    if (most - least).max() < _BLUR and next_float(np.array(low), _NEAR) >= high:
        return Piece(low, high, 0.0, 1.0, (least / 2 + most / 2)[:, None]), low
    center, factor = _origin(low, high)
    t = (x - center) * factor
    reach = float(np.abs(t).max())
    if not 0.0 < reach < np.inf:
        return None, low
    target = _target(f)
    half = max(high / 4 - low / 4, 5e-324)
    place = (x / 2 - (low / 4 + high / 4)) / half
    degree, misses = _degree(place, target, degrees)
    if degree is not None:
        solution = _solved(t[: len(_NODES)] / reach, target[:, : len(_NODES)], degree)
        columns = _beliefs(solution) if len(f) > 1 else solution
        return Piece(low, high, center, factor, _rounded(columns, reach)), low
    return None, float(x[misses])


def _solved(t: Floats, target: Floats, degree: int) -> Floats:
    """Coefficients (k, degree + 1) of the polynomials nearest to values (k, n)."""
    powers = t ** np.arange(degree + 1)[:, None]
    return np.asarray(np.linalg.lstsq(powers.T, target.T)[0].T, dtype=np.float64)


def _degree(place: Floats, target: Floats, degrees: tuple[int, ...]) -> tuple[int | None, int]:
    """The least degree that serves values (k, n) at places in [-1, 1], nodes first.

    Or none, and the number of the value that the greatest degree misses most.
    """
    most = degrees[-1]
    powers = np.ones((most + 1, len(place)))
    powers[1:] = place
    np.multiply.accumulate(powers, axis=0, out=powers)  # powers of floats take ten times
    count = len(_NODES)
    as_planned = bool((np.abs(place[:count] - _NODES) < _PLANNED).all())

    def error(degree: int) -> Floats:
        if as_planned:
            solution = target[:, :count] @ _FITS[degree]
        else:  # floats lie too far apart
            solution = _solved(place[:count], target[:, :count], degree)
        return np.asarray(np.abs(solution @ powers[: degree + 1] - target).max(axis=0))

    last = error(most)
    if last.max() > TOLERANCE:
        return None, int(np.argmax(last))
    return next(d for d in degrees if d == most or error(d).max() <= TOLERANCE), 0


def _target(f: Floats) -> Floats:
    """What polynomials are fitted to: the only column, or the lower ends and widths of intervals.

    The intervals are [Bel, Pl], whose width may be none, and [lower, upper]; the probability comes
    between them, unless it is in the middle of [Bel, Pl] and there is nothing else.
    """
    if len(f) == 1:
        return f
    target = f.copy()
    target[1] -= target[0]
    if len(f) == 3 and np.abs(f[2] - (f[0] + f[1]) / 2).max() <= _NO_WIDTH:
        return target[:2] if (np.abs(target[1]) > _NO_WIDTH).any() else f[:1]
    if len(f) > 3:
        target[4] -= target[3]
    return target


def _beliefs(solution: Floats) -> Floats:
    """Coefficients (c, d + 1) of the columns, from those of what polynomials are fitted to."""
    raised = solution.copy()
    raised[:, 0] += _SHIFT
    raised /= 1 + 4 * _SHIFT
    belief = raised[0]
    width = raised[1] if len(raised) > 1 else np.zeros_like(belief)
    if len(raised) < 3:
        return np.stack([belief, belief + width, belief + width / 2])
    ends = [raised[3], raised[3] + raised[4]] if len(raised) > 3 else []
    return np.stack([belief, belief + width, raised[2], *ends])


def _rounded(columns: Floats, reach: float) -> Floats:
    """Coefficients of powers, from those of shares of the reach; no more digits than show."""
    units = np.asarray(reach ** np.arange(columns.shape[1], dtype=np.float64))
    texts = [
        [f"{c / u:.{_digits(c)}e}" for c, u in zip(row, units, strict=True)]
        for row in columns.tolist()
    ]
    return np.array(texts, dtype=np.float64)


def _digits(term: float) -> int:
    """Digits after the first, for a term of this size."""
    return max(math.ceil(math.log10(max(abs(term), _DIGIT) / _DIGIT)), 0)


def _origin(low: float, high: float) -> tuple[float, float]:
    """A number with few digits near the middle, and a power of ten to scale with, mostly 1."""
    half = high / 2 - low / 2
    near = 1 / _FAR < half < _FAR
    factor = 1.0 if near else 10.0 ** -float(np.floor(np.log10(max(half, 1e-300))))
    return shortened(low / 2 + high / 2, half / 4), factor


def shortened(value: float, step: float) -> float:
    """A number with few digits, about `step` from the value at most."""
    digits = math.log10(max(abs(value), 1e-300)) - math.log10(max(step, 1e-300))
    return float(f"{value:.{min(max(math.ceil(digits), 0), 16)}e}")


def _cut(low: float, high: float, worst: float, marks: Floats) -> float:
    """Where the second part begins, after `low`."""
    first, last = np.searchsorted(marks, [low, high], side="right")
    if first < last:
        return float(marks[(first + last) // 2])
    share = (worst / 2 - low / 2) / (high / 2 - low / 2)
    if low < 0 < high:
        cut = 0.0
    elif (share < _EDGE and high / _MANY > low > 0) or (
        share > 1 - _EDGE and low / _MANY < high < 0
    ):
        cut = float(midpoint_floats(np.array([low]), np.array([high]))[0])
        cut = shortened(cut, abs(cut) / 16)
    else:
        place = _EDGE if share < _EDGE else 1 - _EDGE if share > 1 - _EDGE else 0.5
        cut = low + place * (high - low)
        cut = shortened(cut, (high - low) / 64)
    return min(max(cut, float(next_float(np.array(low)))), high)
