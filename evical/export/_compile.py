"""From a fitted calibrator to pieces: steps as they are, curves to a stated error.

Steps begin at the first float on their far side and have the value that Python gives, so that they
are equal to the last bit. Curves are polynomials on pieces, checked at other scores than those that
they were fitted to; where a check fails, it is repeated with the scores that failed.

Where a prediction is looked at before it is compiled, and where it jumps.

A calibrator names its landmarks: the scores at which it may jump or bend, or around which it
changes. Probes lie at them, between them, and at all orders of magnitude. Where two neighboring
probes differ, halving the floats between them ends at a jump or shows that there is none.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.errors import ConvergenceError
from evical.export._pieces import MOST, Piece, constant_pieces, fit_pieces, joined, shortened
from evical.export._table import (
    PieceTable,
    first_floats,
    midpoint_floats,
    next_float,
    polyline,
    previous_float,
)

Function = Callable[[Floats], Floats]

_GREATEST = float(np.finfo(np.float64).max)
_BETWEEN = 6  # probes between two landmarks
_SAME = 1e-12  # predictions that differ by less are left to the polynomials
_JUMP_ROUNDS = 8  # of looking for jumps; each finds one between any two probes


def domain(calibrator: BaseCalibrator) -> tuple[float, float]:
    """Least and greatest score that a calibrator takes."""
    return (0.0, 1.0) if calibrator._takes_probabilities else (-_GREATEST, _GREATEST)


def landmarks(calibrator: BaseCalibrator) -> Floats:
    """Landmarks of a fitted calibrator, as scores before they are read, with both sides of each."""
    low, high = domain(calibrator)
    scale, read = calibrator._scale, np.unique(calibrator._landmarks())
    if scale.kind != "identity" or len(scale.ends):
        read = first_floats(scale, read, low, high)
    own = np.concatenate([read, scale.turns, [0.0]])
    found = np.unique(np.concatenate([own, next_float(own)]))
    return found[(found > low) & (found <= high)]


def probes(marks: Floats, low: float, high: float) -> Floats:
    """Ascending scores at which to look, the landmarks and the floats before them included."""
    share = np.arange(1, _BETWEEN + 1) / (_BETWEEN + 1)
    gaps = marks[:-1, None] * (1 - share) + marks[1:, None] * share
    powers = 10.0 ** np.arange(-310, 308, 0.25)
    unit = max(float(marks[-1] / 2 - marks[0] / 2), float(np.abs(marks).max()) * 1e-12, 1e-300)
    with np.errstate(over="ignore"):
        far = unit * 2.0 ** np.arange(-30, 31)
        around = np.concatenate([marks[0] - far, marks[-1] + far])
    ends = np.array([low, high])
    parts = [marks, previous_float(marks), gaps.ravel(), powers, -powers, around, ends]
    found: Floats = np.unique(np.concatenate(parts))
    return found[(found >= low) & (found <= high)]


def find_jumps(function: Function, at: Floats) -> Floats:
    """First floats past the jumps between ascending scores."""
    found = np.empty(0)
    for _ in range(_JUMP_ROUNDS):
        points = np.unique(np.concatenate([at, found, previous_float(found)]))
        new = np.setdiff1d(_one_round(function, points), found)
        if not len(new):
            break
        found = np.union1d(found, new)
    return found


def _one_round(function: Function, at: Floats) -> Floats:
    values = function(at)
    low, high, left, right = at[:-1], at[1:], values[:, :-1], values[:, 1:]
    jumps = []
    while True:
        apart = np.abs(right - left).max(axis=0) > _SAME
        done = next_float(low) >= high
        jumps.append(high[apart & done])
        kept = apart & ~done
        low, high, left, right = low[kept], high[kept], left[:, kept], right[:, kept]
        if not len(low):
            break
        middle = midpoint_floats(low, high)
        value = function(middle)
        lower = np.abs(value - left).max(axis=0) > np.abs(right - value).max(axis=0)
        high, right = np.where(lower, middle, high), np.where(lower, value, right)
        low, left = np.where(lower, low, middle), np.where(lower, left, value)
    return np.concatenate(jumps)


ERROR = 1e-7  # the greatest error of what is exported
_ROUNDING = 1e-14  # of a line, or of an interval without width, computed in two ways
_INSIDE = 0.4  # of one half: probabilities with all digits of their log-odds
_LEAST = 1e-30, 1e-8  # probabilities, of probabilities alone and of intervals
_ROUNDS = 6
_AROUND = np.arange(-4, 5)  # floats
_JUMP, _TWINS = 1e-9, 8  # between neighboring floats; floats from a landmark to its other side
# How far a bend may be moved: of a change of predictions, and of the way to the next one.
_NANO, _CLOSE, _FARTHEST = 1e-9, 1e-7, 1 / 16
_CHECKS = 20  # scores in each piece at which it is checked


def compiled(
    calibrator: BaseCalibrator,
    degree: int = 5,
    *,
    lines: bool = False,
    level: float | None = None,
) -> PieceTable:
    """The table of [Bel, Pl, probability] of a fitted calibrator of one score.

    With a level it has both ends of the confidence interval, too.

    Polynomials have at most that degree. Under `lines`, what is a line between any two landmarks is
    kept with all digits; probabilities are polynomials of their log-odds if these are fewer.
    Raises ConvergenceError if no polynomials are as accurate as they must be.
    """

    calibrator = calibrator._unwatched()

    def columns(scores: Floats) -> Floats:
        beliefs = calibrator.beliefs(scores)
        negative, positive, rest = beliefs.store
        p = beliefs.probability()[:, 1] if calibrator._gives_ends else positive + rest / 2
        found = np.stack([positive, np.maximum(1 - negative, positive), p])
        if level is None:
            return found
        return np.concatenate([found, beliefs.confidence_interval(level)[:, 1].T])

    seen = _look(calibrator, columns, lines=lines)
    exact = seen.table
    if exact is None and lines and level is None:
        exact = _line_of_log_odds(columns, seen.at)
    if exact is not None:
        return exact
    table = _curves(calibrator, columns, seen, degree)
    many = 2 * len(table)  # of which neighbors may be joined
    odds = _as_log_odds(calibrator, degree, many) if lines and table.is_probability else None
    return table if odds is None or len(table) <= len(odds) else odds


def compiled_sides(calibrator: BaseCalibrator, degree: int, most: int = MOST) -> PieceTable:
    """The table of the probabilities of the negative and the positive class, or of their log-odds.

    These are one column. Sums of evidence need them: an error of log-odds is a share of the smaller
    probability. Probabilities are raised to 1e-30; to 1e-8 if they are in the middle of an interval
    that is an integral over a likelihood, of which less is rounding. Raises ConvergenceError if
    they take more than so many polynomials.
    """
    calibrator = calibrator._unwatched()
    ends = calibrator.predict_interval(probes(landmarks(calibrator), *domain(calibrator)))
    least = _LEAST[int((ends[:, 1] - ends[:, 0]).max() > _ROUNDING)]

    def sides(scores: Floats) -> Floats:
        return np.asarray(calibrator.predict_proba(scores).T)

    def log_odds(scores: Floats) -> Floats:
        negative, positive = np.log(np.maximum(sides(scores), least))
        return np.asarray(positive - negative)[np.newaxis]

    seen = _look(calibrator, sides, lines=True)
    if seen.table is not None:
        return seen.table
    line = _line_of_log_odds(lambda scores: sides(scores)[1:], seen.at)
    if line is not None:
        return replace(line, is_log_odds=False)
    return _curves(calibrator, log_odds, _look(calibrator, log_odds), degree, most)


def compiled_silence(calibrator: BaseCalibrator) -> PieceTable | None:
    """The table of where a calibrator says nothing, 1 or 0; None if it always says something."""

    calibrator = calibrator._unwatched()

    def silence(scores: Floats) -> Floats:
        vacuous = np.asarray(calibrator.predict_mass(scores).is_vacuous)
        return vacuous[np.newaxis].astype(np.float64)

    table = _look(calibrator, silence).table
    if table is None:
        raise ConvergenceError(
            f"predictions of {calibrator} are vacuous at scores that are too close to each other; "
            "use another calibrator"
        )
    return table if table.coefficients.any() else None


class _Seen(NamedTuple):
    """Where a function was looked at, its landmarks, and its table if that is exact."""

    table: PieceTable | None
    marks: Floats
    at: Floats


def _look(calibrator: BaseCalibrator, function: Function, *, lines: bool = False) -> _Seen:
    marks = landmarks(calibrator)
    at = probes(marks, *domain(calibrator))
    found = _steps(function, marks, at)
    if found is None and lines:
        found = _lines(function, marks, at)
    if found is None:
        marks = np.union1d(marks, find_jumps(function, at))
        near = np.unique(next_float(marks[:, None], _AROUND))  # where rounding may go up and down
        near = near[(near >= at[0]) & (near <= at[-1])]
        # Between them, where a slope that is steep for floats would pass for steps.
        at = np.unique(np.concatenate([at, near, near[:-1] / 2 + near[1:] / 2]))
        found = _steps(function, near[near > at[0]], at)
    return _Seen(found, marks, at)


def _curves(
    calibrator: BaseCalibrator, function: Function, seen: _Seen, degree: int, most: int = MOST
) -> PieceTable:
    """The table of polynomials."""
    marks = _readable(function, seen.marks)
    at = np.union1d(seen.at, np.concatenate([marks, previous_float(marks)]))
    for _ in range(_ROUNDS):
        pieces = fit_pieces(function, marks, at, degree, most)
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


def _steps(function: Function, marks: Floats, at: Floats) -> PieceTable | None:
    """The table of a function that has only steps, at landmarks, as all probes say."""
    starts = np.append(at[0], marks)
    values = function(starts)
    if (values[:, np.searchsorted(marks, at, side="right")] != function(at)).any():
        return None
    ends = np.append(previous_float(marks), at[-1])
    return _table(constant_pieces(starts, ends, values), 0.0)


def _lines(function: Function, marks: Floats, at: Floats) -> PieceTable | None:
    """The same of a function that has only lines between landmarks."""
    table = polyline(np.append(at[0], _apart(function, marks)), float(at[-1]), function)
    error = float(np.abs(table(at) - function(at)).max())
    return replace(table, error=error) if error <= _ROUNDING else None


def _line_of_log_odds(function: Function, at: Floats) -> PieceTable | None:
    """The table of probabilities, in all columns alike, whose log-odds are a line everywhere."""
    p = function(at)[-1]
    first, second = (int(np.abs(p - share).argmin()) for share in (0.25, 0.75))
    ends = p[[first, second]]
    if at[0] == 0.0 or (np.abs(ends - 0.5) > _INSIDE).any() or at[first] == at[second]:
        return None
    low, high = np.log(ends) - np.log1p(-ends)
    slope = float((high - low) / (at[second] - at[first]))
    line = np.array([[[low - slope * at[first]], [slope]]])
    one, none = np.ones(1), np.empty(0)
    table = PieceTable(float(at[0]), float(at[-1]), none, 0 * one, one, line, 0.0, True)
    with np.errstate(over="ignore"):
        error = float(np.abs(table(at) - function(at)).max())
    return replace(table, error=error) if error <= _ROUNDING else None


def _as_log_odds(calibrator: BaseCalibrator, degree: int, most: int) -> PieceTable | None:
    """Probabilities as polynomials of their log-odds, if these can be had."""
    try:
        odds = compiled_sides(calibrator, degree, most)
    except ConvergenceError:
        return None
    # A probability errs by a quarter of its log-odds at most.
    steep = len(odds.coefficients) == 1
    return replace(odds, is_log_odds=True, error=odds.error / 4) if steep else None


def _jumps(function: Function, marks: Floats) -> NDArray[np.bool_]:
    jump = np.abs(function(marks) - function(previous_float(marks))).max(axis=0) > _JUMP
    return np.asarray(jump)


def _apart(function: Function, marks: Floats) -> Floats:
    """Landmarks without the other side of each, but where predictions jump."""
    twin = np.append(False, next_float(marks[:-1], _TWINS) >= marks[1:])
    return np.asarray(marks[_jumps(function, marks) | ~twin])


def _readable(function: Function, marks: Floats) -> Floats:
    """The same with few digits, but where predictions jump.

    A bend may be moved as far as that changes no prediction by more than a nano.
    """
    marks = _apart(function, marks)
    jump = _jumps(function, marks)
    gaps = np.diff(marks, prepend=-np.inf, append=np.inf)
    near = np.nan_to_num(np.minimum(gaps[1:], gaps[:-1]), posinf=0.0)  # a single one stays
    allowed = _NANO / np.maximum(_bends(function, marks), 1e-300)
    steps = np.clip(allowed, _CLOSE * near, _FARTHEST * near)
    found = [
        mark if jumps else shortened(mark, step)
        for mark, step, jumps in zip(marks.tolist(), steps.tolist(), jump.tolist(), strict=True)
    ]
    return np.unique(found)


def _bends(function: Function, marks: Floats) -> Floats:
    """By how much the slope changes at each landmark, from lines between them."""
    rise = np.diff(function(marks))
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.pad(rise / np.diff(marks), ((0, 0), (1, 1)))
        bends = np.abs(np.diff(slopes)).max(axis=0)
    return np.asarray(np.nan_to_num(bends, nan=np.inf), dtype=np.float64)


def _checks(pieces: list[Piece], at: Floats) -> Floats:
    """Scores at which to check pieces: between those of the fit, and all probes."""
    ends = np.array([(piece.low, piece.high) for piece in pieces])
    share = np.random.default_rng(0).random((len(ends), _CHECKS))
    within = ends[:, :1] * (1 - share) + ends[:, 1:] * share
    return np.union1d(np.clip(within, ends[:, :1], ends[:, 1:]).ravel(), at)


def _table(pieces: list[Piece], error: float) -> PieceTable:
    kept = joined(pieces)
    size = max(piece.coefficients.shape[1] for piece in kept)
    coefficients = np.zeros((len(kept[0].coefficients), size, len(kept)))
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
