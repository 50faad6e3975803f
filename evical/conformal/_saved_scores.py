"""Saved `ConformalScores`: plain data with a format name and a version, never code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_choice, check_count
from evical._typing import Floats
from evical.calibrators.saved import restored_arrays, restored_classes
from evical.conformal._calibration import Calibration
from evical.conformal._counts import ClassSamples, ScoreSample
from evical.conformal.nonconformity import score_parameters

__all__ = ["FORMAT", "restored", "to_dict"]

_Parts = tuple[NDArray[Any], str, dict[str, Any], str | None, Calibration, int | None, str]

FORMAT = "evical.conformal"
# Version 1 is that of models without random numbers, and with what ranks do not decide.
_LATEST = 2
_RANKED = ("aps", "raps")
_KEYS = ("classes", "nonconformity", "parameters", "conditional", "samples")
_MOST = 2.0**53  # of a sum of weights, see `check_weights`


def to_dict(scores: Any) -> dict[str, Any]:
    """Describe `ConformalScores`."""
    samples = scores.calibration.samples
    parts = samples.samples if isinstance(samples, ClassSamples) else [samples]
    ranked = scores.nonconformity in _RANKED and scores.ties == "ranks"
    more = {} if scores.seed is None else {"seed": scores.seed}
    return {
        "format": FORMAT,
        "version": _LATEST if ranked or more else 1,
        "classes": scores.classes_.tolist(),
        "nonconformity": scores.nonconformity,
        "parameters": dict(scores.parameters),
        "conditional": scores.conditional,
        "samples": [_of_sample(part) for part in parts],
        **more,
    }


def restored(data: Any) -> _Parts:
    """What `ConformalScores` is made of; raises ValueError for anything else."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"these are not saved conformal scores: the format is not {FORMAT!r}")
    if data.get("version") not in (1, _LATEST):
        raise ValueError(
            f"saved conformal scores have version {data.get('version')!r}, but this release reads "
            f"versions up to {_LATEST}; update the package or fit again"
        )
    missing = [name for name in _KEYS if name not in data]
    if missing:
        raise ValueError(f"saved conformal scores are damaged: {', '.join(missing)} missing")
    try:
        return _content(data)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = str(error).removeprefix("saved calibrator is damaged: ")
        raise ValueError(f"saved conformal scores are damaged: {reason}") from error


def _content(data: dict[str, Any]) -> _Parts:
    classes = restored_classes(data["classes"])
    if len(classes) < 2:
        raise ValueError(f"classes are {data['classes']!r}, not two or more")
    name, conditional, given = data["nonconformity"], data["conditional"], data["parameters"]
    check_choice("conditional", conditional, (None, "class"))
    if not isinstance(given, dict):
        raise ValueError(f"parameters are {given!r}, not a dict")
    parameters = score_parameters(name, given)
    if parameters.keys() != given.keys():
        raise ValueError(f"parameters lack {', '.join(sorted(parameters.keys() - given.keys()))}")
    samples = _samples(data["samples"], len(classes) if conditional else 1)
    one = ClassSamples(samples) if conditional else samples[0]
    seed = data.get("seed")
    if seed is not None:
        check_count("seed", seed)
    ties = "equal" if name in _RANKED and data["version"] == 1 else "ranks"
    return classes, name, parameters, conditional, Calibration(one), seed, ties


def _samples(parts: Any, n: int) -> list[ScoreSample]:
    if not isinstance(parts, list) or len(parts) != n:
        raise ValueError(f"samples are not a list of {n}")
    samples = [_sample(part) for part in parts]
    if not any(len(sample.scores) for sample in samples):
        raise ValueError("samples hold no score")
    return samples


def _of_sample(sample: ScoreSample) -> dict[str, Any]:
    """Scores, and the weight from each one on, unless all weights are 1."""
    plain = np.array_equal(sample.tail, _plain_tail(len(sample.scores)))
    tail = None if plain else sample.tail.tolist()
    return {"scores": sample.scores.tolist(), "weight_from": tail}


def _sample(part: Any) -> ScoreSample:
    if not isinstance(part, dict) or part.keys() != {"scores", "weight_from"}:
        raise ValueError("a sample is not one of scores and weight_from")
    scores = _listed(part["scores"], "scores")
    if (np.diff(scores) < 0).any():
        raise ValueError("scores are not in ascending order")
    if part["weight_from"] is None:
        return ScoreSample(scores, _plain_tail(len(scores)))
    tail = _listed(part["weight_from"], "weight_from")
    if len(tail) != len(scores) + 1:
        raise ValueError(f"weight_from has {len(tail)} numbers for {len(scores)} scores")
    if tail[-1] != 0 or (np.diff(tail) > 0).any() or not (tail[:-1] > 0).all() or tail[0] > _MOST:
        raise ValueError("weight_from does not fall from a weight to 0")
    return ScoreSample(scores, tail)


def _listed(value: Any, name: str) -> Floats:
    array = restored_arrays(value, name) if isinstance(value, list) else None
    if array is None or array.ndim != 1:
        raise ValueError(f"{name} are not a list of numbers")
    return np.asarray(array, dtype=np.float64)


def _plain_tail(n: int) -> Floats:
    return np.arange(n, -1.0, -1.0)
