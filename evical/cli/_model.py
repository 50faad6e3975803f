"""Model files: a fitted calibrator with the names of its columns and classes, as JSON.

The calibrator inside is what its `to_dict` gives, so that Python reads it without the command:
``BaseCalibrator.from_dict(json.load(file)["calibrator"])``, or `BaseMulticlassCalibrator` or
`ConformalScores`. A file is data, never code.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.checks.arguments import check_level
from evical._typing import Floats
from evical._versions import version_of
from evical.calibrators import BaseCalibrator
from evical.cli._kinds import Kind
from evical.conformal import ConformalScores
from evical.conformal.control import Promise
from evical.estimators.calibrated import score_scale
from evical.multiclass import AutoMulticlassCalibrator, BaseMulticlassCalibrator
from evical.scores.names import class_in_name

FORMAT = "evical.model"
VERSION = 1
_MOST = 2.0**54  # of samples: twice what weights may add up to
_ROUNDING = 1e-9


Calibrator = BaseCalibrator | BaseMulticlassCalibrator | ConformalScores


@dataclass(frozen=True)
class Training:
    """What a model was learned from."""

    source: str
    rows: int
    missing: int  # rows without a score, in addition
    weights: dict[str, float]  # of the samples of each class
    # In nats a sample; none if one had probability zero, or the model is not about probabilities.
    log_loss: float | None
    # Of one score of two classes.
    distinct_scores: int = 0
    compressed: bool = False


@dataclass(frozen=True)
class Model:
    """A fitted calibrator, and its columns by class.

    One score of two classes is that of the positive one.
    """

    scores: dict[str, str]
    target: str
    calibrator: Calibrator
    training: Training
    # Of fit --answer-error: which rows are answered.
    answers: Promise | None = None

    @property
    def score(self) -> str:
        """The column of one score."""
        return next(iter(self.scores.values()))

    @property
    def labels(self) -> tuple[str, ...]:
        """Classes, in the order of the calibrator."""
        labels: list[str] = self.calibrator.classes_.tolist()
        return tuple(labels)


def is_conformal(calibrator: object) -> TypeGuard[ConformalScores]:
    """Whether a calibrator of a model is conformal."""
    return isinstance(calibrator, ConformalScores)


def score_kind(calibrator: Calibrator) -> Kind:
    """What the columns of scores of a calibrator hold; a wrong value is named with its row."""
    if is_conformal(calibrator):
        return "score" if calibrator.nonconformity == "margin" else "probability"
    if isinstance(calibrator, AutoMulticlassCalibrator):  # it has found out what scores are
        learned = getattr(calibrator, "learned_", None)
        return "probability" if learned is not None and learned.transform == "log" else "score"
    return "probability" if score_scale(calibrator) == "probability" else "score"


# How far apart from 1 sums of scores are that are meant as probabilities, and how far they may be.
_MEANT, _OFF = 0.1, 0.01


def tell_sums(name: str, values: Floats) -> bool:
    """Say on standard error that rows (n, K) look like probabilities, but do not add up to 1."""
    unit = values[((values >= 0) & (values <= 1)).all(axis=1)]
    apart = np.abs(unit.sum(axis=1) - 1)
    wrong = (apart > _OFF) & (apart < _MEANT)
    if values.shape[1] < 3 or len(unit) < len(values) or wrong.sum() <= len(values) / 2:
        return False
    typer.echo(
        f"evical: {name}: scores look like probabilities, but add up to "
        f"{unit[wrong][0].sum():.4g}, not 1; divide each row by its sum, unless they are scores of "
        "another kind",
        err=True,
    )
    return True


def check_score(column: str, label: str, classes: Sequence[str]) -> None:
    """Raise ValueError for a column of scores that is another class's by its name, as `p_no`."""
    named = class_in_name(column, classes)
    if named not in (None, label):
        raise ValueError(
            f"column {column!r} is about class {named!r}, but this score is to support {label!r}; "
            "name the column of that class, or rename it if it is none of evical predict"
        )


def two_classes(model: Model) -> BaseCalibrator:
    """The calibrator of a model, if it is of one score.

    Raises ValueError if it is of a score for each class, or conformal.
    """
    if is_conformal(model.calibrator):
        raise ValueError(
            "the model is conformal; this takes one of evical fit without --conformal, for one "
            "score of two classes"
        )
    if not isinstance(model.calibrator, BaseCalibrator):
        raise ValueError(
            f"the model has a score for each of {len(model.labels)} classes; this takes one score "
            "of two classes"
        )
    return model.calibrator


def log_loss(probability: NDArray[Any], weights: NDArray[Any]) -> float | None:
    """Mean of -log of the pignistic probability (n, K) of the true class; None if infinite.

    `weights` (n, K) are those of the samples of each class.
    """
    used = weights > 0
    if (probability[used] <= 0).any():
        return None
    return float(-(weights[used] @ np.log(probability[used])) / weights.sum())


# Entries of trainings in files: of one score of two classes, and of others.
_SIDES = ("negative", "positive")
_OF_ONE = ("source", "rows", "missing", *_SIDES, "distinct_scores", "compressed", "log_loss")
_OF_MANY = ("source", "rows", "missing", "weights", "log_loss")


def training_data(model: Model) -> dict[str, Any]:
    """What a model was learned from, as files have it."""
    training = model.training
    values = vars(training) | dict(zip(_SIDES, training.weights.values(), strict=False))
    names = _OF_ONE if isinstance(model.calibrator, BaseCalibrator) else _OF_MANY
    return {name: values[name] for name in names}


def model_text(model: Model) -> str:
    """The content of a model file."""
    one = isinstance(model.calibrator, BaseCalibrator)
    scores = {"score": model.score} if one else {"scores": model.scores}
    return file_text(
        FORMAT,
        columns={**scores, "target": model.target},
        training=training_data(model),
        calibrator=model.calibrator.to_dict(),
        **answers_data(model),
    )


# Limits of doubt that are no number of JSON.
_LIMITS = {"all": float("inf"), "none": float("-inf")}


def answers_data(model: Model) -> dict[str, Any]:
    """What is promised for the answers, if anything, as files have it."""
    promise, names = model.answers, {limit: name for name, limit in _LIMITS.items()}
    if promise is None:
        return {}
    data = {
        "error": promise.bound,
        "confidence": promise.level,
        "doubt_below": names.get(promise.limit, promise.limit),
        "held_out": promise.n_samples,
        "answered": promise.n_answered,
        "wrong": round(promise.risk * promise.n_answered) if promise.n_answered else 0,
        "held_out_needed": promise.n_needed,
    }
    return {"answers": data}


def _promise(data: object) -> Promise | None:
    """A promise that was saved, each number of which is what it should be."""
    if data is None:
        return None
    if not isinstance(data, dict):
        raise ValueError(f"its answers are {data!r}")
    limit, counts = data["doubt_below"], [data[name] for name in ("wrong", "answered", "held_out")]
    limit = _LIMITS[limit] if isinstance(limit, str) else limit
    needed = data["held_out_needed"]
    whole = all(map(_is_count, counts)) and (needed is None or _is_count(needed))
    if not whole or counts != sorted(counts) or not isinstance(limit, int | float):
        raise ValueError(f"its answers are {data!r}")
    for name in ("error", "confidence"):
        check_level(name, data[name])
    wrong, answered, held_out = counts
    risk = wrong / answered if answered else float("nan")
    return Promise(limit, data["error"], data["confidence"], held_out, answered, risk, needed)


def file_text(kind: str, **content: Any) -> str:
    """The text of a file of this format, as `reading` reads it."""
    data = {"format": kind, "version": VERSION, "evical": version_of("evical"), **content}
    return json.dumps({**data, "checksum": checksum(data)}, indent=1, allow_nan=False) + "\n"


def load_model(path: str | Path) -> Model:
    """The model in a file.

    Raises OSError if it cannot be read, and ValueError if it is damaged, foreign, of a later
    version, or changed by hand.
    """
    with reading(path, FORMAT, "evical fit", "fit the model") as data:
        return _model(data)


@contextmanager
def reading(path: str | Path, kind: str, maker: str, remedy: str) -> Iterator[dict[str, Any]]:
    """The content of a file of this format; `maker` is what writes it.

    Raises OSError if it cannot be read, and ValueError for what is no such file, or whatever
    reading its content raises.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path.name} is not a model file, or truncated: it is not JSON ({error})"
        ) from error
    content = _checked(data, path.name, kind, maker)
    try:
        yield content
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = f"there is no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path.name} is damaged: {reason}; {remedy} again") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _checked(data: object, name: str, kind: str, maker: str) -> dict[str, Any]:
    """The content of a file of this format, without its checksum; `maker` is what writes it.

    Raises ValueError if it is of another format or version, or was changed.
    """
    if not isinstance(data, dict) or data.get("format") != kind:
        found = data.get("format") if isinstance(data, dict) else None
        what = f"its format is {found!r}" if isinstance(found, str) else "it names no format"
        raise ValueError(
            f"{name} is not a model file of evical: {what}, not {kind!r}; make one with {maker}"
        )
    version = data.get("version")
    if type(version) is int and version > VERSION:
        raise ValueError(
            f"{name} has version {version} of the format, but this evical reads up to "
            f"{VERSION}; upgrade evical"
        )
    if type(version) is not int or version != VERSION:  # True is 1
        raise ValueError(f"{name} is damaged: its version is {version!r}; fit the model again")
    stated = data.pop("checksum", None)
    if stated != checksum(data):
        raise ValueError(
            f"{name} is damaged or changed by hand: its content does not match its checksum; "
            "fit the model again"
        )
    return data


def _model(data: dict[str, Any]) -> Model:
    columns, saved = data["columns"], data["calibrator"]
    one = "scores" not in columns
    calibrator = _kind(saved, one).from_dict(saved)
    labels = [_text(label) for label in calibrator.classes_.tolist()]
    if one and labels[0] == labels[1]:
        raise ValueError(f"both classes are {labels[0]!r}")
    named = {labels[1]: columns["score"]} if one else columns["scores"]
    scores = {_text(label): _text(column) for label, column in named.items()}
    single = one or (len(scores) == 1 and len(labels) == 2 and is_conformal(calibrator))
    # Keys of JSON come in any order.
    in_order = {label: scores[label] for label in (labels[1:] if single else labels)}
    if len(scores) != len(in_order) or len(set(scores.values())) != len(scores):
        raise ValueError("its columns are not those of its classes")
    training = _training(data["training"], labels, one)
    answers = _promise(data.get("answers"))
    return Model(in_order, _text(columns["target"]), calibrator, training, answers)


def _kind(saved: Mapping[str, Any], one: bool) -> Any:
    """The class of a saved calibrator."""
    if one:
        return BaseCalibrator
    conformal = saved["format"] == "evical.conformal"
    return ConformalScores if conformal else BaseMulticlassCalibrator


def _training(data: object, labels: Sequence[str], one: bool) -> Training:
    """The record of a training, each entry of which is what it should be."""
    names = _OF_ONE if one else _OF_MANY
    if not isinstance(data, dict) or set(data) != set(names):
        raise ValueError(f"its training lacks the entries {', '.join(names)}")
    sides = dict(zip(labels, (data.get(side) for side in _SIDES), strict=False))
    weights = sides if one else data["weights"]
    if not isinstance(weights, dict) or not weights.keys() <= set(labels):
        raise ValueError(f"training weights are {weights!r}, expected those of {', '.join(labels)}")
    for label, weight in weights.items():
        if not _is_weight(weight):
            raise ValueError(
                f"the training weight of {label} is {weight!r}, expected a number from 0"
            )
    others = {name: value for name, value in data.items() if name in _ENTRIES}
    for name, value in others.items():
        holds, expected = _ENTRIES[name]
        if not holds(value):
            raise ValueError(f"training {name} is {value!r}, expected {expected}")
    return Training(weights=weights, **others)


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_weight(value: object) -> bool:
    return _is_number(value, 0.0, _MOST)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and _is_weight(value)


def _is_loss(value: object) -> bool:
    return value is None or _is_number(value, -_ROUNDING, sys.float_info.max)


_COUNT = "a whole number from 0"
_ENTRIES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "source": (lambda value: isinstance(value, str), "a text"),
    "rows": (_is_count, _COUNT),
    "missing": (_is_count, _COUNT),
    "distinct_scores": (_is_count, _COUNT),
    "compressed": (lambda value: isinstance(value, bool), "true or false"),
    "log_loss": (_is_loss, "a number from 0, or null if it is infinite"),
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a name")
    return value


def checksum(data: dict[str, Any]) -> str:
    """The checksum of the content, whatever its layout."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


_SAME = 1e-9  # relative difference of two log losses that is rounding


def on_table(
    model: Model, table: str, codes: NDArray[np.integer], right: NDArray[np.float64]
) -> str:
    """Name of what is judged: a model on a table, and whether it was fitted to that table.

    A model file keeps no samples. They are taken for the same if there are as many of each class
    and the log loss is the same; this overlooks merged scores. `codes` (n,) are places of the true
    classes among the labels of the model, and `right` (n,) their probabilities.
    """
    name = f"{type(model.calibrator).__name__} on {table}"
    return f"{name}, which it was fitted to" if _seen(model, codes, right) else name


def _seen(model: Model, codes: NDArray[np.integer], right: NDArray[np.float64]) -> bool:
    weights = [model.training.weights.get(label, 0.0) for label in model.labels]
    if np.bincount(codes, minlength=len(weights)).tolist() != weights:
        return False
    found = log_loss(right, np.ones_like(right))
    known = model.training.log_loss
    return found is not None and known is not None and isclose(found, known, rel_tol=_SAME)
