"""Options `key=value` of methods and rules, checked against the signature that they are for."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from dstheory.checks.arguments import did_you_mean

__all__ = ["parse_options", "settable", "suggestion"]

_WORDS = {"true": True, "false": False}
# More names than this do not help on one line.
_SHOWN = 12
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def suggestion(name: str, known: Iterable[str], kind: str, shown: int = _SHOWN) -> str:
    """The end of a message about an unknown name: what was probably meant, and what is there.

    >>> suggestion("scroe", ["id", "score"], "columns")
    "; did you mean 'score'? columns: id, score"
    """
    names = list(known)
    meant = did_you_mean(name, names) or ";"
    more = ", ..." if len(names) > shown else ""
    return f"{meant} {kind}: {', '.join(names[:shown])}{more}"


def settable(function: Callable[..., Any], skipped: Sequence[str] = ()) -> dict[str, Any]:
    """Parameters that an option can set, with their annotations.

    >>> def rule(m1, *more, atol: float = 0): ...
    >>> settable(rule, ["m1"])
    {'atol': <class 'float'>}
    """
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name: parameter.annotation
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in kinds and name not in skipped
    }


def parse_options(texts: Sequence[str], known: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Values of `key=value` texts; `owner` is what they are options of.

    Raises ValueError for a text without =, an unknown or repeated key, or a value of another
    type than the parameter has.

    >>> parse_options(["atol=1e-3"], {"atol": float}, "rule 'x'")
    {'atol': 0.001}
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"option {text!r} is not of the form key=value")
        if name not in known:
            hint = suggestion(name, known, "options") if known else "; it has none"
            raise ValueError(f"{owner} has no option {name!r}{hint}")
        if name in values:
            raise ValueError(f"option {name} is given twice")
        values[name] = _value(name, value.strip(), known[name], owner)
    return values


def _value(name: str, text: str, annotation: Any, owner: str) -> Any:
    if annotation is Any or annotation is inspect.Parameter.empty:
        if text.lower() == "none":
            return None
        return next(v for kind in (bool, int, float, str) if (v := _read(text, kind)) is not None)
    if get_origin(annotation) is Literal:
        if text not in get_args(annotation):
            choices = get_args(annotation)
            raise ValueError(
                f"{owner}: option {name} is {text!r}, expected one of "
                f"{', '.join(map(str, choices))}{did_you_mean(text, choices)}"
            )
        return text
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = get_args(annotation) if is_union else (annotation,)
    if NoneType in kinds and text.lower() == "none":
        return None
    kinds = tuple(kind for kind in kinds if kind in _KINDS)
    if not kinds:
        raise ValueError(f"{owner}: option {name} cannot be given as text")
    for kind in kinds:
        if (value := _read(text, kind)) is not None:
            return value
    expected = " or ".join(_KINDS[kind] for kind in kinds)
    raise ValueError(f"{owner}: option {name} is {text!r}, expected {expected}")


def _read(text: str, kind: type) -> Any:
    """The value that a text is as this type, or None."""
    if kind is bool:
        return _WORDS.get(text.lower())
    if kind is not str and "_" in text:  # which Python would skip between digits
        return None
    try:
        return kind(text)
    except ValueError:
        return None
