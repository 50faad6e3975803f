"""Right calls of public names, recorded while the examples of their docstrings run.

A class is watched as a whole: its constructor, its methods and its class methods, in its own
example and in those of its methods.
"""

import copy
import doctest
import functools
import inspect
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import MethodType
from typing import Any

from tests.support.public_objects import PACKAGES, Public

_RECORDED = 2  # calls of a name that are repeated

# Operators that are public though their names are not.
_OPERATORS = ("__call__", "__getitem__", "__contains__", "__and__", "__or__", "__matmul__")


@dataclass(frozen=True)
class Call:
    """A recorded call of a public name: one that is right."""

    path: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def places(self) -> list[int | str]:
        """Arguments by position or name, those left to their default too; `self` stays."""
        return [*range(self._first(), len(self.args)), *self.kwargs, *self.defaults()]

    def _first(self) -> int:
        """1 for a method, recorded with the object it is called on."""
        if not inspect.isfunction(self.function):
            return 0
        return int(next(iter(inspect.signature(self.function).parameters), "") == "self")

    def with_value(self, place: int | str, value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = list(copied(self.args)), copied(self.kwargs)
        if isinstance(place, int):
            args[place] = value
        else:
            kwargs[place] = value
        return tuple(args), kwargs

    def name_of(self, place: int | str) -> int | str:
        """The parameter that an argument is given to."""
        if isinstance(place, str):
            return place
        names = list(inspect.signature(self.function).parameters)
        return names[min(place, len(names) - 1)] if names else place

    def value_at(self, place: int | str) -> Any:
        if isinstance(place, int):
            return self.args[place]
        return self.kwargs[place] if place in self.kwargs else self.defaults()[place]

    def defaults(self) -> dict[str, Any]:
        """What the arguments that are not given are by default."""
        parameters = inspect.signature(self.function).parameters
        taken = {self.name_of(place) for place in range(len(self.args))} | set(self.kwargs)
        return {
            name: p.default
            for name, p in parameters.items()
            if name not in taken and p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY
        }


def calls_of(public: Public) -> list[Call]:
    """What can be repeated of a public name."""
    calls = recorded(public)
    return calls + constructed(public, calls) if inspect.isclass(public.value) else calls


def recorded(public: Public) -> list[Call]:
    """Calls of a function, or of a class and its methods, in their examples."""
    calls: list[Call] = []
    value = public.value
    module = sys.modules[value.__module__]
    is_class = inspect.isclass(value)
    finder = doctest.DocTestFinder(recurse=is_class)
    for test in finder.find(value, public.name, module, dict(vars(module))):
        if is_class:
            with _WatchedClass(value, public.path, calls):
                _run(test)
        else:
            watched = _watched(value, public.path, value, calls)
            test.globs.update({k: watched for k, v in list(test.globs.items()) if v is value})
            _run(test, {value: watched})
    kept: Counter[str] = Counter()
    return [c for c in calls if (kept.update([c.path]) or kept[c.path] <= _RECORDED)]


def _watched(function: Any, path: str, original: Any, calls: list[Call]) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        _note(calls, path, original, args, kwargs)
        return function(*args, **kwargs)

    return call


def _watched_class_method(function: Any, path: str, calls: list[Call]) -> Any:
    @functools.wraps(function)
    def call(cls: type, *args: Any, **kwargs: Any) -> Any:
        _note(calls, path, MethodType(function, cls), args, kwargs)
        return function(cls, *args, **kwargs)

    return classmethod(call)


def _watched_constructor(function: Any, kind: type, path: str, calls: list[Call]) -> Any:
    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self) is kind:
            _note(calls, path, kind, args, kwargs)
        function(self, *args, **kwargs)

    return call


def copied(value: Any) -> Any:
    """A deep copy; what is ours and refuses to be copied, as being immutable, stays itself."""
    if type(value) in (list, tuple):
        return type(value)(copied(one) for one in value)
    if type(value) is dict:
        return {key: copied(one) for key, one in value.items()}
    try:
        return copy.deepcopy(value)
    except Exception:
        if type(value).__module__.startswith(PACKAGES):
            return value
        raise


def _note(calls: list[Call], path: str, function: Any, args: Any, kwargs: Any) -> None:
    with suppress(Exception):  # what cannot be copied cannot be repeated
        calls.append(Call(path, function, copied(args), copied(kwargs)))


class _WatchedClass:
    """Record the constructor and the public methods of a class while an example runs."""

    def __init__(self, kind: type, path: str, calls: list[Call]) -> None:
        self.kind, self.path, self.calls = kind, path, calls
        self.kept: dict[str, Any] = {}

    def __enter__(self) -> None:
        for name in methods_of(self.kind):
            path = f"{self.path}.{name}"
            static = inspect.getattr_static(self.kind, name)
            if isinstance(static, classmethod):
                watched = _watched_class_method(static.__func__, path, self.calls)
            elif isinstance(static, staticmethod):
                inner = static.__func__
                watched = staticmethod(_watched(inner, path, inner, self.calls))
            elif name == "__init__":
                watched = _watched_constructor(static, self.kind, self.path, self.calls)
            else:
                watched = _watched(static, path, static, self.calls)
            self.kept[name] = self.kind.__dict__.get(name)
            setattr(self.kind, name, watched)

    def __exit__(self, *_: Any) -> None:
        for name, value in self.kept.items():
            if value is None:
                delattr(self.kind, name)
            else:
                setattr(self.kind, name, value)


def methods_of(kind: type) -> list[str]:
    """What users call of a class of ours: methods, operators, and the constructor.

    An estimator's constructor checks nothing, by the rules of scikit-learn: `fit` does.
    """
    found = []
    for name in dir(kind):
        if name.startswith("_") and name not in (*_OPERATORS, "__init__"):
            continue
        if name == "__init__" and hasattr(kind, "get_params"):
            continue
        static = inspect.getattr_static(kind, name)
        function = getattr(static, "__func__", static)
        ours = (getattr(function, "__module__", None) or "").startswith(PACKAGES)
        if inspect.isfunction(function) and ours:
            found.append(name)
    return found


def _run(test: doctest.DocTest, swaps: dict[Any, Any] | None = None) -> None:
    """Run an example; names that it imports are swapped as they come in."""
    for example in test.examples:
        for name, value in list(test.globs.items()):
            for old, new in (swaps or {}).items():
                if value is old:
                    test.globs[name] = new
        try:
            with warnings.catch_warnings(), open(os.devnull, "w") as nothing:
                warnings.simplefilter("ignore")
                stdout, sys.stdout = sys.stdout, nothing
                try:
                    exec(compile(example.source, "<example>", "single"), test.globs)
                finally:
                    sys.stdout = stdout
        except Exception:  # an example that shows an error
            continue


def constructed(public: Public, calls: list[Call]) -> list[Call]:
    """An estimator's constructor, with its defaults and what an example gives, and then `fit`."""
    kind = public.value
    fits = [call for call in calls if call.path.endswith(".fit")]
    if not hasattr(kind, "get_params") or not fits:
        return []
    defaults = {
        name: p.default
        for name, p in inspect.signature(kind).parameters.items()
        if p.default is not p.empty and p.kind is not p.VAR_KEYWORD
    }
    given = dict(fits[0].args[0].get_params(deep=False))
    path = f"{public.path}(...).fit"
    return [Call(path, _construct_and_fit(kind, fits[0]), (), defaults | given)]


def _construct_and_fit(kind: type, fit: Call) -> Callable[..., Any]:
    def construct_and_fit(**params: Any) -> Any:
        return kind(**params).fit(*copy.deepcopy(fit.args[1:]), **copy.deepcopy(fit.kwargs))

    return construct_and_fit
