"""What a calibrator owes to any sample: a valid answer, or an error of ours that says why not."""

import json
import linecache
import re
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dstheory
import evical
from evical.calibrators import BaseCalibrator
from evical.errors import WrongWayWarning
from evical.scores import ScoreCounts
from tests.fuzz.samples import GREATEST, Floats, Sample
from tests.protocols.calibrators_table import Entry

_OURS = tuple(str(Path(package.__file__).parent) for package in (dstheory, evical))
_NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?|\binf\b|\bnan\b")
# Weights, sums and orders of the same sample differ by rounding, which a method may enlarge.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Fault:
    """What is wrong, and where: `what` is the same for all faults of a kind."""

    what: str
    detail: str = ""


class RefusalError(Exception):
    """The sample was refused by an error that the package raises on purpose."""


def is_named(error: BaseException) -> bool:
    """Whether the package itself raised the error, and not Python or NumPy within it."""
    if not isinstance(error, ValueError | TypeError):
        return False
    frame = traceback.extract_tb(error.__traceback__)[-1]
    source = linecache.getline(frame.filename, frame.lineno or 0).strip()
    return frame.filename.startswith(_OURS) and source.startswith("raise ")


def message_kind(error: BaseException) -> str:
    """The message without its numbers."""
    text = _NUMBER.sub("#", str(error).splitlines()[0] if str(error) else "")
    return f"{type(error).__name__}: {text}"[:110]


def fitted(entry: Entry, sample: Sample) -> BaseCalibrator:
    try:
        return entry().fit(sample.scores, sample.y, sample_weight=sample.weights)
    except (ValueError, TypeError) as error:
        if is_named(error):
            raise RefusalError(message_kind(error)) from error
        raise


def faults(entry: Entry, sample: Sample) -> list[Fault]:
    """All that is wrong with a calibrator of the table on one sample.

    Raises
    ------
    RefusalError
        If the sample was refused for a stated reason.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", WrongWayWarning)  # samples are drawn so on purpose
        try:
            return list(_faults(entry, sample))
        except RefusalError:
            raise
        except Exception as error:  # whatever else is raised is what is looked for
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.name}"
            return [Fault(f"raises {message_kind(error)}", place)]


def _faults(entry: Entry, sample: Sample) -> Iterator[Fault]:
    calibrator = fitted(entry, sample)
    at = probes(sample.scores)
    if calibrator._takes_probabilities:  # as in training; others are refused
        at = np.clip(at, 0, 1)
    masses = calibrator.predict_mass(at).masses
    yield from invalid(calibrator, at)
    yield from _unsaved(calibrator, at, masses)
    if rises(entry):
        interval = calibrator.predict_interval(at)
        fall = float(-np.diff(interval, axis=0).min(initial=0.0))
        if fall > 1e-12:
            yield Fault("bel or pl falls", f"by {fall:.1e}")
    for name, other in variants(sample):
        counts = ScoreCounts.from_samples(other.scores, other.y, other.weights)
        pairs = zip(vars(counts).values(), vars(calibrator.counts_).values(), strict=True)
        if all(np.array_equal(one, two) for one, two in pairs):
            continue  # `fit` learns from nothing else
        try:
            difference = np.abs(fitted(entry, other).predict_mass(at).masses - masses).max()
        except RefusalError as error:
            yield Fault(f"is refused with {name}", str(error))
            continue
        if not difference <= max(_ROUNDING, entry.atol):
            yield Fault(f"differs with {name}", f"by {difference:.1e}")


def probes(scores: Floats) -> Floats:
    """Scores, between them and far from them, ascending."""
    seen = np.unique(scores)
    some = seen[np.unique(np.linspace(0, len(seen) - 1, 60).astype(int))]
    extremes = [-GREATEST, -1e150, -1.0, -5e-324, 0.0, 5e-324, 0.5, 1.0, 1e150, GREATEST]
    middles = some[:-1] / 2 + some[1:] / 2
    return np.unique(np.concatenate([some, middles, extremes]))


def invalid(calibrator: BaseCalibrator, at: Floats) -> Iterator[Fault]:
    """Predictions that are no beliefs, or contradict each other."""
    masses = calibrator.predict_mass(at).masses
    bel, pl = calibrator.predict_interval(at).T
    betp = calibrator.predict_proba(at)
    if not all(np.isfinite(part).all() for part in (masses, bel, pl, betp)):
        yield Fault("predictions are not finite")
        return
    if masses.min() < 0 or np.abs(masses.sum(axis=1) - 1).max() > 1e-12:
        yield Fault("masses are no masses", f"least {masses.min()}")
    eps = 1e-15
    ordered = (bel >= 0) & (bel <= betp[:, 1] + eps) & (betp[:, 1] <= pl + eps) & (pl <= 1)
    if not ordered.all():
        yield Fault("not 0 <= bel <= betp <= pl <= 1")


def _unsaved(calibrator: BaseCalibrator, at: Floats, masses: Floats) -> Iterator[Fault]:
    try:
        text = json.dumps(calibrator.to_dict(include_counts=True), allow_nan=False)
    except ValueError:
        yield Fault("state is not finite")
        return
    try:
        again = type(calibrator).from_dict(json.loads(text))
    except ValueError as error:
        yield Fault("is refused after saving", str(error))
        return
    if not np.array_equal(again.predict_mass(at).masses, masses, equal_nan=True):
        yield Fault("differs after saving")


def rises(entry: Entry) -> bool:
    """Whether bel and pl never fall along the scores, by what the class says of itself."""
    if entry.name == "IsotonicCalibrator":
        return bool(entry.options.get("envelope", True))
    if entry.name == "TemperatureCalibrator":
        return entry.options.get("model") in ("bayesian", "inverse_pignistic")
    return entry.name in ("VennAbersCalibrator", "NormalizingCalibrator")


def variants(sample: Sample) -> Iterator[tuple[str, Sample]]:
    """The same sample, told in other ways."""
    rng = np.random.default_rng(len(sample))
    yield "the order of samples", sample.take(rng.permutation(len(sample)))
    if sample.weights is not None and _few(sample.weights):
        rows = np.repeat(np.arange(len(sample)), sample.weights.astype(int))
        repeated: Any = sample.take(rows)
        yield "repetitions for weights", Sample(repeated.scores, repeated.y, None, sample.kind)


def _few(weights: Floats) -> bool:
    return bool((weights == np.round(weights)).all() and weights.sum() < 4000)
