"""From a fitted calibrator to pieces: steps as they are, curves to a stated error.

Steps begin at the first float on their far side and have the value that Python gives, so that they
are equal to the last bit. Curves are polynomials on pieces, checked at other scores than those that
they were fitted to; where a check fails, it is repeated with the scores that failed.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evical.calibrators import BaseCalibrator
from evical.errors import ConvergenceError
from evical.export._floats import next_float, previous_float
from evical.export._pieces import Piece, constant_pieces, fit_pieces, joined, shortened
from evical.export._probes import domain, find_jumps, landmarks, probes
from evical.export._table import PieceTable

__all__ = ["ERROR", "compiled"]

Floats = NDArray[np.float64]

ERROR = 1e-7  # the greatest error of what is exported
_ROUNDS = 6
_AROUND = np.arange(-4, 5)  # floats
_JUMP, _TWINS = 1e-9, 8  # between neighboring floats; floats from a landmark to its other side
_CLOSE = 1e-7  # how far a bend may be moved, of the way to the next
_CHECKS = 20  # scores in each piece at which it is checked


def compiled(calibrator: BaseCalibrator, degree: int = 5) -> PieceTable:
    """The table of a fitted calibrator of one score, of polynomials up to a degree.

    Raises ConvergenceError if no polynomials are as accurate as they must be.
    """
    function, (low, high) = _columns(calibrator), domain(calibrator)
    marks = landmarks(calibrator)
    at = probes(marks, low, high)
    steps = _steps(function, marks, at)
    if steps is None:
        marks = np.union1d(marks, find_jumps(function, at))
        near = np.unique(next_float(marks[:, None], _AROUND))  # where rounding may go up and down
        at = np.union1d(at, near[(near >= at[0]) & (near <= at[-1])])
        steps = _steps(function, near[(near > at[0]) & (near <= at[-1])], at)
    if steps is not None:
        return _table(steps, 0.0)
    marks = _readable(function, marks)
    at = np.union1d(at, np.concatenate([marks, previous_float(marks)]))
    for _ in range(_ROUNDS):
        pieces = fit_pieces(function, marks, at, degree)
        table = _table(pieces, 0.0)
        checks = _checks(pieces, at)
        error = np.abs(table(checks) - function(checks)).max(axis=0)
        if error.max() <= ERROR:
            return replace(table, error=float(error.max()))
        at = np.union1d(at, checks[error > ERROR])
    raise ConvergenceError(
        f"polynomials still miss the predictions of {calibrator} by {error.max():.1e} at score "
        f"{checks[np.argmax(error)]!r}, and {ERROR:g} is permitted; use another calibrator"
    )


def _columns(calibrator: BaseCalibrator) -> Callable[[Floats], Floats]:
    """[Bel, Pl, BetP] (3, n) of the positive class, as Python gives them."""

    def columns(scores: Floats) -> Floats:
        ends, probability = calibrator.predict_interval(scores), calibrator.predict_proba(scores)
        return np.stack([ends[:, 0], ends[:, 1], probability[:, 1]])

    return columns


def _steps(function: Callable[[Floats], Floats], marks: Floats, at: Floats) -> list[Piece] | None:
    """Constant pieces, if all probes say that there are only steps, at landmarks."""
    starts = np.append(at[0], marks)
    values = function(starts)
    if (values[:, np.searchsorted(marks, at, side="right")] != function(at)).any():
        return None
    ends = np.append(previous_float(marks), at[-1])
    return constant_pieces(starts, ends, values)


def _readable(function: Callable[[Floats], Floats], marks: Floats) -> Floats:
    """Landmarks with few digits, but where predictions jump."""
    jump = np.abs(function(marks) - function(previous_float(marks))).max(axis=0) > _JUMP
    twin = np.append(False, next_float(marks[:-1], _TWINS) >= marks[1:])
    kept = np.flatnonzero(jump | ~twin)
    marks, jump = marks[kept], jump[kept]
    gaps = np.diff(marks, prepend=-np.inf, append=np.inf)
    near = np.minimum(gaps[1:], gaps[:-1])
    found = [
        mark if jumps else shortened(mark, _CLOSE * gap)
        for mark, gap, jumps in zip(marks.tolist(), near.tolist(), jump.tolist(), strict=True)
    ]
    return np.unique(found)


def _checks(pieces: list[Piece], at: Floats) -> Floats:
    """Scores at which to check pieces: between those of the fit, and all probes."""
    ends = np.array([(piece.low, piece.high) for piece in pieces])
    share = np.random.default_rng(0).random((len(ends), _CHECKS))
    within = ends[:, :1] * (1 - share) + ends[:, 1:] * share
    return np.union1d(np.clip(within, ends[:, :1], ends[:, 1:]).ravel(), at)


def _table(pieces: list[Piece], error: float) -> PieceTable:
    kept = joined(pieces)
    size = max(piece.coefficients.shape[1] for piece in kept)
    coefficients = np.zeros((3, size, len(kept)))
    for j, piece in enumerate(kept):
        coefficients[:, : piece.coefficients.shape[1], j] = piece.coefficients
    return PieceTable(
        low=kept[0].low,
        high=kept[-1].high,
        starts=np.array([piece.low for piece in kept[1:]]),
        centers=np.array([piece.center for piece in kept]),
        factors=np.array([piece.factor for piece in kept]),
        coefficients=coefficients,
        error=error,
    )
