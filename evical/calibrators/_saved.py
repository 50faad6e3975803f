"""Saved calibrators: plain data with a format name and a version, never code.

Arrays become nested lists of numbers, which JSON keeps to the last bit. Whatever is not
exactly what was written is refused with the reason.
"""

from typing import Any

import numpy as np

from evical.scores import ScoreCounts
from evical.scores._scale import restored_scale

__all__ = [
    "FORMAT",
    "VERSION",
    "check_bins",
    "check_saved",
    "check_shapes",
    "from_dict",
    "plain",
    "restore_state",
    "to_dict",
]

FORMAT = "evical.calibrator"
VERSION = 1
_KEYS = ("format", "version", "class", "parameters", "classes", "state")


def to_dict(calibrator: Any, include_counts: bool) -> dict[str, Any]:
    """Describe a fitted calibrator."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "class": type(calibrator).__name__,
        "parameters": {k: plain(v) for k, v in calibrator.get_params(deep=False).items()},
        "classes": calibrator.classes_.tolist(),
        "scale": plain(vars(calibrator._scale)),
        "state": plain(calibrator._get_state()),
    }
    if include_counts:
        counts = calibrator.counts_
        data["counts"] = [a.tolist() for a in (counts.scores, counts.negative, counts.positive)]
    return data


def from_dict(data: Any, known: dict[str, Any]) -> Any:
    """Rebuild the calibrator; `known` holds the classes that may come out."""
    check_saved(data, known, FORMAT, (*_KEYS, "scale"))
    if not isinstance(data["classes"], list) or len(data["classes"]) != 2:
        raise ValueError(f"saved calibrator is damaged: classes are {data['classes']!r}, not two")
    calibrator = known[data["class"]](**data["parameters"])
    calibrator._check_all_parameters()
    calibrator.classes_ = np.asarray(data["classes"])
    calibrator._scale = restored_scale(data["scale"])
    restore_state(calibrator, data["state"])
    if "counts" in data:
        calibrator.counts_ = _counts(data["counts"])
    calibrator.n_features_in_ = 1
    calibrator._ready = True
    return calibrator


def check_shapes(owner: Any, **shapes: tuple[int, ...]) -> None:
    """Raise unless restored arrays, attributes of `owner`, have these shapes."""
    for name, shape in shapes.items():
        found = np.shape(getattr(owner, name))
        if found != shape:
            raise ValueError(
                f"saved calibrator is damaged: state {name} has shape {found}, but the rest "
                f"calls for {shape}"
            )


def check_bins(calibrator: Any, limits: str) -> None:
    """Raise unless bins, from limits to masses, can be what was saved.

    `limits` is the name of the ascending limits; all other names are those of bins.
    """
    ascending, masses = getattr(calibrator, limits), calibrator.masses_
    if not (np.diff(ascending) >= 0).all():
        raise ValueError(f"saved calibrator is damaged: state {limits} does not ascend")
    if masses.min() < 0 or masses.sum(axis=0).max() > 1 + 1e-9:
        raise ValueError("saved calibrator is damaged: state masses_ are no masses")


def check_saved(data: Any, known: dict[str, Any], name: str, keys: tuple[str, ...] = _KEYS) -> None:
    """Raise unless data with this format name describe one of the known classes."""
    if not isinstance(data, dict) or data.get("format") != name:
        raise ValueError(f"this is no saved calibrator: its format is not {name!r}")
    if data.get("version") != VERSION:
        raise ValueError(
            f"saved calibrator has version {data.get('version')!r}, but this release reads "
            f"version {VERSION}; update the package or fit again"
        )
    missing = sorted(set(keys) - data.keys())
    if missing:
        raise ValueError(f"saved calibrator is damaged: {', '.join(missing)} missing")
    if data["class"] not in known:
        raise ValueError(f"saved calibrator is a {data['class']!r}, expected {' or '.join(known)}")
    kind = known[data["class"]]
    for part in ("parameters", "state"):
        if not isinstance(data[part], dict):
            raise ValueError(f"saved calibrator is damaged: {part} are {data[part]!r}, not a dict")
    foreign = sorted(set(data["parameters"]) - set(kind._get_param_names()))
    if foreign:
        raise ValueError(f"saved calibrator is damaged: {', '.join(foreign)} is no parameter")
    absent = [name for name in kind._state if name not in data["state"]]
    if absent:
        raise ValueError(f"saved calibrator is damaged: state {', '.join(absent)} missing")


def restore_state(calibrator: Any, state: dict[str, Any]) -> None:
    """Give a calibrator the arrays of a saved state, and let it check them."""
    try:
        calibrator._set_state({name: _arrays(state[name], name) for name in calibrator._state})
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"saved calibrator is damaged: its state lacks {error}") from error
    calibrator._check_state()


def _counts(columns: Any) -> ScoreCounts:
    arrays = [_arrays(column, "counts") for column in columns]
    if len(arrays) != 3 or len({array.shape for array in arrays}) != 1:
        raise ValueError("saved calibrator is damaged: counts are not three columns of one length")
    return ScoreCounts(*arrays)


def plain(value: Any) -> Any:
    """Arrays, at any depth, as nested lists of numbers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _arrays(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _arrays(item, f"{name}.{key}") for key, item in value.items()}
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"saved calibrator is damaged: state {name} is {value!r}") from error
    if not np.isfinite(array).all():
        raise ValueError(f"saved calibrator is damaged: state {name} is not finite")
    return array
