"""Saved fusions: plain data with a format name and a version, never code."""

from typing import Any

from dstheory import Frame
from evical.calibrators.fields import checked_fields
from evical.calibrators.saved import VERSION, check_saved, plain, restored_arrays, restored_classes

__all__ = ["from_dict", "to_dict"]

FORMAT = "evical.fusion"
_KEYS = ("format", "version", "class", "parameters", "n_sources", "classes", "state", "parts")


def to_dict(fusion: Any) -> dict[str, Any]:
    """Describe a fitted fusion."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "class": type(fusion).__name__,
        "parameters": {k: plain(v) for k, v in fusion.get_params(deep=False).items()},
        "n_sources": fusion.n_sources_,
        "classes": None if fusion.frame_ is None else list(fusion.frame_.labels),
        "state": plain(fusion._get_state()),
        "parts": [to_dict(part) for part in fusion._parts()],
    }


def from_dict(data: Any, known: dict[str, Any]) -> Any:
    """Rebuild the fusion; `known` holds the classes that may come out."""
    try:
        check_saved(data, known, FORMAT, _KEYS)
        fusion = known[data["class"]](**data["parameters"])
        fusion._check_parameters()
        n_sources, labels = data["n_sources"], data["classes"]
        if type(n_sources) is not int or n_sources < 1:
            raise ValueError(f"saved calibrator is damaged: it has {n_sources!r} sources")
        if labels is not None and (not isinstance(labels, list) or len(labels) < 2):
            raise ValueError(f"saved calibrator is damaged: classes are {labels!r}")
        fusion.n_sources_ = n_sources
        fusion.frame_ = None if labels is None else Frame(restored_classes(labels).tolist())
        state = {name: restored_arrays(data["state"][name], name) for name in fusion._state}
        fusion._set_state(checked_fields(state, fusion._state))
        fusion._set_parts([from_dict(part, known) for part in _listed(data["parts"])])
        fusion._check_state()
    except (TypeError, ValueError) as error:
        raise ValueError(str(error).replace("saved calibrator", "saved fusion")) from error
    return fusion


def _listed(parts: Any) -> list[Any]:
    if not isinstance(parts, list):
        raise ValueError(f"saved fusion is damaged: parts are {parts!r}, not a list")
    return parts
