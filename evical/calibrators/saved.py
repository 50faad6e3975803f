"""Saved calibrators: plain data with a format name and a version, never code.

Arrays become nested lists of numbers, which JSON keeps to the last bit. Loading refuses anything
else, with the reason.
"""

from abc import ABC
from inspect import isabstract
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory.errors import CostLimitError, TotalConflictError
from evical._fitting import Check, check_all_parameters
from evical._typing import Floats
from evical.calibrators.fields import (
    Field,
    SavedError,
    check_shape,
    checked_fields,
    owners,
    required,
    rising,
    weights,
)
from evical.scores import ScoreCounts
from evical.scores.checks import ReadsLabels, check_labels, check_unit
from evical.scores.scale import Extent, ScoreScale, restored_scale

FORMAT = "evical.calibrator"
VERSION = 1
_KEYS = ("format", "version", "class", "parameters", "classes", "state")


class SavedCalibrator(ReadsLabels, BaseEstimator, ABC):  # type: ignore[misc]  # sklearn is untyped
    """Abstract calibrator: its parameters are checked, and its fitted state can be saved."""

    classes_: NDArray[Any]
    # Range of the scores that a user gave to fit; a classifier reads its own, on one scale.
    _extent: Extent | None = None
    # How scores are read before anything else; by default as they are.
    transform: str | None = None
    _transforms: ClassVar[tuple[str | None, ...]]
    # Permitted values of parameters that are neither flags nor choices.
    _ranges: ClassVar[dict[str, Check]] = {}
    # What the saved state holds, by name; by default the fitted arrays.
    _state: ClassVar[dict[str, Field] | tuple[str, ...]]

    _check_all_parameters = check_all_parameters

    def _get_state(self) -> dict[str, Any]:
        """Arrays and numbers, nested in dicts if need be, from which predictions follow."""
        return {name: getattr(self, name) for name in owners(self._state)}

    def _set_state(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def _check_state(self) -> None:
        """Raise for restored arrays that do not fit each other."""


def kinds_of(cls: type[object]) -> dict[str, Any]:
    """Classes by name that are restored as one of a class: itself, unless abstract, and below."""
    below = [pair for child in cls.__subclasses__() for pair in kinds_of(child).items()]
    return dict([*([] if isabstract(cls) else [(cls.__name__, cls)]), *below])


def to_dict(calibrator: Any, include_counts: bool) -> dict[str, Any]:
    """Describe a fitted calibrator."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "class": type(calibrator).__name__,
        "parameters": {k: plain(v) for k, v in calibrator.get_params(deep=False).items()},
        "classes": plain(calibrator.classes_),
        "scale": _scale(calibrator._scale),
        **extent_data(calibrator),
        "state": plain(calibrator._get_state()),
    }
    if include_counts:
        counts = calibrator.counts_
        data["counts"] = [a.tolist() for a in (counts.scores, counts.negative, counts.positive)]
    return data


def extent_data(calibrator: SavedCalibrator) -> dict[str, Any]:
    """The range of the scores of `fit`, where it is known."""
    return {} if calibrator._extent is None else {"extent": list(calibrator._extent)}


def restored_extent(data: dict[str, Any]) -> Extent | None:
    """The range that was saved; None in files that have none."""
    if "extent" not in data:
        return None
    found = restored_arrays(data["extent"], "extent")
    if np.shape(found) != (2,) or not found[0] <= found[1]:
        raise SavedError(f"extent is {data['extent']!r}, expected two numbers in ascending order")
    low, high = found.tolist()
    return low, high


def _scale(scale: ScoreScale) -> dict[str, Any]:
    """The fields of a scale; those that it does not use are left out, but for knots."""
    unused = {"center", "unit"} if scale.kind != "standard" else set()
    unused |= set() if len(scale.ends) else {"ends"}
    return {k: plain(v) for k, v in vars(scale).items() if k not in unused}


def from_dict(data: Any, known: dict[str, Any]) -> Any:
    """Restore the calibrator; `known` lists the classes that it may have."""
    check_saved(data, known, FORMAT, (*_KEYS, "scale"))
    classes = restored_classes(data["classes"])
    if len(classes) != 2:
        raise ValueError(f"saved calibrator is damaged: classes are {data['classes']!r}, not two")
    calibrator = known[data["class"]](**data["parameters"])
    calibrator._check_all_parameters()
    calibrator.classes_ = classes
    calibrator._scale = restored_scale(data["scale"])
    if (len(calibrator._scale.ends) == 0) != bool(calibrator.extrapolate):
        raise ValueError("saved calibrator is damaged: its scale does not fit extrapolate")
    restore_state(calibrator, data["state"])
    if "counts" in data:
        calibrator.counts_ = _counts(data["counts"], calibrator.transform)
    calibrator.n_features_in_ = 1
    calibrator._ready = True
    calibrator._extent = restored_extent(data)
    check_trial(calibrator, np.array([0.0, 0.5, 1.0]))
    return calibrator


def check_shapes(owner: Any, **shapes: tuple[int, ...]) -> None:
    """Raise unless restored arrays, attributes of `owner`, have these shapes."""
    for name, shape in shapes.items():
        check_shape(name, np.shape(getattr(owner, name)), shape)


def check_saved(
    data: Any,
    known: dict[str, Any],
    name: str,
    keys: tuple[str, ...] = _KEYS,
    kind: str = "calibrator",
) -> None:
    """Raise unless data with this format name describe one of the known classes."""
    if not isinstance(data, dict) or data.get("format") != name:
        raise ValueError(f"this is not a saved {kind}: its format is not {name!r}")
    if data.get("version") != VERSION:
        raise ValueError(
            f"saved {kind} has version {data.get('version')!r}, but this release reads "
            f"version {VERSION}; update the package or fit again"
        )
    missing = sorted(set(keys) - data.keys())
    if missing:
        raise ValueError(f"saved {kind} is damaged: {', '.join(missing)} missing")
    if not isinstance(data["class"], str) or data["class"] not in known:
        raise ValueError(f"saved {kind} is a {data['class']!r}, expected {' or '.join(known)}")
    made = known[data["class"]]
    for part in ("parameters", "state"):
        if not isinstance(data[part], dict):
            raise ValueError(f"saved {kind} is damaged: {part} are {data[part]!r}, not a dict")
    foreign = sorted(set(data["parameters"]) - set(made._get_param_names()))
    if foreign:
        raise ValueError(f"saved {kind} is damaged: {', '.join(foreign)} is not a parameter")
    absent = [name for name in owners(required(made._state)) if name not in data["state"]]
    if absent:
        raise ValueError(f"saved {kind} is damaged: state {', '.join(absent)} missing")


def restore_state(calibrator: Any, state: dict[str, Any], **sizes: int) -> None:
    """Set the arrays and numbers of a saved state, and check them; some sizes are known."""
    owned = [name for name in owners(calibrator._state) if name in state]
    arrays = {name: restored_arrays(state[name], name) for name in owned}
    if isinstance(calibrator._state, dict):
        arrays = checked_fields(arrays, calibrator._state, sizes)
    try:
        calibrator._set_state(arrays)
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"saved calibrator is damaged: its state lacks {error}") from error
    calibrator._check_state()


def check_trial(calibrator: Any, scores: Floats) -> None:
    """Raise unless a restored calibrator predicts: valid fields may contradict each other."""
    try:
        with np.errstate(all="ignore"):
            masses = _trial(calibrator, scores)
    except TotalConflictError:  # an answer too, of parts that know for certain
        return
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(
            f"saved calibrator is damaged: it does not predict ({type(error).__name__}: {error})"
        ) from error
    if not (np.isfinite(masses).all() and masses.min() >= 0):
        raise ValueError("saved calibrator is damaged: its predictions are not masses")


def _trial(calibrator: Any, scores: Floats) -> Floats:
    """Masses; of more classes than can be listed in sets, Bel and Pl."""
    try:
        return np.asarray(calibrator.predict_mass(scores).masses)
    except CostLimitError:
        return np.asarray(calibrator.predict_interval(scores))


def restored_classes(labels: ArrayLike) -> NDArray[Any]:
    """Labels of a saved calibrator: different ones, of one kind."""
    if isinstance(labels, list) and all(_is_date(label) for label in labels):
        try:
            labels = list(np.array([label["date"] for label in labels], dtype="datetime64"))
        except ValueError as error:
            raise SavedError(f"classes are {labels!r}, expected dates") from error
    if not isinstance(labels, list) or len({type(label) for label in labels}) != 1:
        raise SavedError(f"classes are {labels!r}, not two or more of a kind")
    if not all(isinstance(label, str | int | float | np.datetime64) for label in labels):
        raise SavedError(f"classes are {labels!r}, expected labels")
    classes = np.asarray(labels)
    fractions = classes.dtype.kind == "f" and (classes != np.floor(classes)).any()
    if len(set(labels)) != len(labels) or classes.dtype.kind == "O" or fractions:
        raise SavedError(f"classes are {labels!r}, expected different labels")
    # Twice, because scikit-learn takes more than 20 labels without repetition for a regression.
    return check_labels(np.tile(classes, 2))[: len(classes)]


def _counts(columns: Any, transform: str | None) -> ScoreCounts:
    arrays = [restored_arrays(column, "counts") for column in columns] if _is_table(columns) else []
    if len(arrays) != 3 or len({array.shape for array in arrays}) != 1:
        raise ValueError("saved calibrator is damaged: counts are not three columns of one length")
    scores, negative, positive = arrays
    names = ("counts.scores", "counts.negative", "counts.positive")
    kinds = (rising("n"), weights("n"), weights("n"))
    checked_fields(dict(zip(names, arrays, strict=True)), dict(zip(names, kinds, strict=True)))
    if (negative + positive == 0).any():
        raise ValueError("saved calibrator is damaged: counts hold a score without weight")
    if transform == "logit":
        check_unit(scores)
    return ScoreCounts(scores, negative, positive)


def _is_date(label: object) -> bool:
    return isinstance(label, dict) and isinstance(label.get("date"), str)


def _is_table(columns: Any) -> bool:
    return isinstance(columns, list) and all(isinstance(column, list) for column in columns)


def plain(value: object) -> Any:
    """Arrays, at any depth, as nested lists of numbers, and dates as texts that show their unit."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.datetime64):
        return {"date": str(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind == "M":
        value = list(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def restored_arrays(value: object, name: str) -> Any:
    """Nested lists of finite numbers as arrays, in dicts at any depth."""
    if isinstance(value, dict):
        return {key: restored_arrays(item, f"{name}.{key}") for key, item in value.items()}
    try:
        array = np.asarray(value)
        numbers = array.dtype.kind in "iuf" or _all_numbers(array)
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise SavedError(f"state {name} is {value!r}") from error
    if not numbers:
        raise SavedError(f"state {name} is {value!r}, not numbers")
    if not np.isfinite(array).all():
        raise SavedError(f"state {name} is not finite")
    return array


def _all_numbers(array: NDArray[Any]) -> bool:
    """Whether an array of another dtype holds numbers: Python's whole ones beyond 2^63."""
    return array.dtype == object and all(type(item) in (int, float) for item in array.ravel())
