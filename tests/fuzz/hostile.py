"""Call the public names with arguments of a wrong kind: ``python -m tests.fuzz.hostile``.

The example of each docstring is run once and its calls are recorded; each is repeated with one
argument replaced by a hostile value. A refusal must come from a `raise` in the packages: an error
of Python or NumPy that shines through speaks of what its author never saw. Whatever passes must
not take long, warn, or take much memory.
"""

import argparse
import ast
import copy
import doctest
import functools
import importlib
import inspect
import linecache
import os
import re
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from multiprocessing import Pool
from types import TracebackType
from typing import Any

import numpy as np

from tests.support.public_objects import PACKAGES, ROOT, Public, callables

_MEMORY = 6 << 30
_RECORDED = 2  # calls of a name that are repeated

# Faults that are none of ours: a pattern of the printed line, and the reason.
_EXPECTED = {
    r"\(X=(nested|array of objects)\)": "the classifier that the user gave judges what it can read",
    r"get_params\(deep=": "the truth of `deep` is asked for by scikit-learn's own estimators",
    r"cannot pickle 'generator'": "scikit-learn clones parameters, which no generator allows",
    r"\(n_jobs=.*Loky-backed": "processes of a pool start no others",
}


def is_expected(outcome: "Outcome") -> bool:
    """Whether a fault has a reason that is not ours to mend."""
    return any(re.search(pattern, str(outcome)) for pattern in _EXPECTED)


class LateError(BaseException):
    """The budget is spent; no `except Exception` may stop it."""


class Opaque:
    """Something that nobody can take for data."""

    def __repr__(self) -> str:
        return "Opaque()"


def hostile_values() -> dict[str, Any]:
    """Values of a wrong kind, or out of any bound, by name."""
    return {
        "None": None,
        "True": True,
        "text": "hostile",
        "empty text": "",
        "bytes": b"hostile",
        "nan": float("nan"),
        "inf": float("inf"),
        "-1": -1,
        "0": 0,
        "1.5": 1.5,
        "1e308": 1e308,
        "10**400": 10**400,
        "complex": 1j,
        "object": Opaque(),
        "class": Opaque,
        "function": len,
        "date": date(2000, 1, 1),
        "empty list": [],
        "empty dict": {},
        "dict": {"hostile": 1},
        "set": {1, 2},
        "nested": [[1], [1, 2]],
        "list of None": [None, None],
        "list of text": ["a", "b"],
        "array of nan": np.full(3, np.nan),
        "array of text": np.array(["a", "b", "c"]),
        "array of dates": np.array(["2000-01-01"] * 3, dtype="datetime64[D]"),
        "array of objects": np.array([Opaque()] * 3),
        "array of complex": np.array([1j, 2j]),
        "0-d array": np.array(0.5),
        "cube": np.zeros((2, 2, 2)),
        "generator": (i for i in range(3)),
    }


@dataclass(frozen=True)
class Call:
    """A recorded call of a public name: one that is right."""

    path: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def places(self) -> list[int | str]:
        """Arguments by position or name; `self` stays."""
        return [*range(len(self.args)), *self.kwargs]

    def with_value(self, place: int | str, value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = list(copy.deepcopy(self.args)), copy.deepcopy(self.kwargs)
        if isinstance(place, int):
            args[place] = value
        else:
            kwargs[place] = value
        return tuple(args), kwargs


@dataclass(frozen=True)
class Outcome:
    """What came of one hostile call; `fault` is empty where nothing is wrong."""

    path: str
    place: str
    hostile: str
    answer: str
    fault: str

    def __str__(self) -> str:
        return f"{self.path}({self.place}={self.hostile}): {self.fault or self.answer}"


def recorded(public: Public) -> list[Call]:
    """Calls of a function, or of a class and its methods, in the example of its docstring."""
    calls: list[Call] = []
    value = public.value
    module = sys.modules[value.__module__]
    example = doctest.DocTestFinder(recurse=False).find(
        value, public.name, module, dict(vars(module))
    )
    for test in example:
        if inspect.isclass(value):
            with _WatchedClass(value, public.path, calls):
                _run(test)
        else:
            watched = _watched(value, public.path, value, calls)
            test.globs.update({k: watched for k, v in list(test.globs.items()) if v is value})
            _run(test, {value: watched})
    kept: Counter[str] = Counter()
    return [c for c in calls if (kept.update([c.path]) or kept[c.path] <= _RECORDED)]


def _watched(function: Any, path: str, original: Any, calls: list[Call]) -> Any:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        with suppress(Exception):  # what cannot be copied cannot be repeated
            calls.append(Call(path, original, copy.deepcopy(args), copy.deepcopy(kwargs)))
        return function(*args, **kwargs)

    return call


class _WatchedClass:
    """Record the constructor and the public methods of a class while an example runs."""

    def __init__(self, kind: type, path: str, calls: list[Call]) -> None:
        self.kind, self.path, self.calls = kind, path, calls
        self.kept: dict[str, Any] = {}

    def __enter__(self) -> None:
        for name, value in inspect.getmembers(self.kind, inspect.isfunction):
            if name.startswith("_") and name not in ("__init__", "__call__"):
                continue
            if not (value.__module__ or "").startswith(PACKAGES):
                continue
            self.kept[name] = self.kind.__dict__.get(name)
            original: Any = value
            if name == "__init__":
                continue
            setattr(self.kind, name, _watched(value, f"{self.path}.{name}", original, self.calls))

    def __exit__(self, *_: Any) -> None:
        for name, value in self.kept.items():
            if value is None:
                if name in self.kind.__dict__:
                    delattr(self.kind, name)
            else:
                setattr(self.kind, name, value)


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


def constructed(public: Public) -> list[Call]:
    """The constructor of a class with no arguments, or those of a recorded instance."""
    kind = public.value
    if not hasattr(kind, "get_params"):
        return []
    defaults = {
        name: p.default
        for name, p in inspect.signature(kind).parameters.items()
        if p.default is not p.empty and p.kind is not p.VAR_KEYWORD
    }
    fits = [c for c in recorded(public) if c.path.endswith(".fit")]
    if not fits:
        return []
    fit = fits[0]
    return [
        Call(
            f"{public.path}(...).fit",
            _construct_and_fit(kind, fit),
            (),
            defaults | _given(fit.args[0]),
        )
    ]


def _given(estimator: Any) -> dict[str, Any]:
    return dict(estimator.get_params(deep=False))


def _construct_and_fit(kind: type, fit: Call) -> Callable[..., Any]:
    def construct_and_fit(**params: Any) -> Any:
        return kind(**params).fit(*copy.deepcopy(fit.args[1:]), **copy.deepcopy(fit.kwargs))

    return construct_and_fit


def attempts(call: Call, budget: float) -> Iterator[Outcome]:
    """Every argument of a call replaced by every hostile value."""
    for place in replaceable(call):
        for name in hostile_values():
            yield attempt(call, place, name, budget)


def replaceable(call: Call) -> list[int | str]:
    """The places of a call but `self`."""
    method = call.path.count(".") and inspect.isfunction(call.function) and _is_method(call)
    return [place for place in call.places() if not method or place != 0]


def calls_of(public: Public) -> list[Call]:
    """What can be repeated of a public name."""
    calls = recorded(public)
    return calls + constructed(public) if inspect.isclass(public.value) else calls


def _is_method(call: Call) -> bool:
    parameters = list(inspect.signature(call.function).parameters)
    return bool(parameters) and parameters[0] in ("self", "cls")


def attempt(call: Call, place: int | str, name: str, budget: float) -> Outcome:
    """One hostile call."""
    args, kwargs = call.with_value(place, hostile_values()[name])
    answer, fault = "", ""
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, budget)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call.function(*args, **kwargs)
            if inspect.isgenerator(result):
                list(result)
        answer = "accepted"
    except LateError:
        fault = "late"
    except MemoryError:
        fault = "memory"
    except Warning as warning:
        ours = type(warning).__module__.startswith(PACKAGES)
        answer, fault = ("warned", "") if ours else ("", f"warning {warning}")
    except Exception as error:
        answer, fault = _judged(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return Outcome(call.path, str(_parameter(call, place)), name, answer, fault.replace("\n", " "))


def _parameter(call: Call, place: int | str) -> int | str:
    if isinstance(place, str):
        return place
    names = list(inspect.signature(call.function).parameters)
    return names[min(place, len(names) - 1)]


def _judged(error: Exception) -> tuple[str, str]:
    """Refused by us, or an error that shines through."""
    where = _last_frame(error.__traceback__)
    text = f"{type(error).__name__}: {error}"
    if where is not None and isinstance(error, ValueError | TypeError | KeyError | IndexError):
        file, line = where
        if _is_ours(file) and _raises(file, line):
            return f"refused: {text}"[:150], ""
        if "/sklearn/" in file and _raises(file, line):  # scikit-learn's own checks of estimators
            return f"refused by scikit-learn: {text}"[:150], ""
        if _is_call_error(error, file):
            return f"refused: {text}"[:150], ""
    return "", f"{text[:150]} at {_entrance(error.__traceback__)}"


def _entrance(trace: TracebackType | None) -> str:
    """The last line of the packages on the way to an error."""
    ours = [frame for frame in traceback.extract_tb(trace) if _is_ours(frame.filename)]
    return f"{ours[-1].filename.removeprefix(f'{ROOT}/')}:{ours[-1].lineno}" if ours else "the call"


def _is_ours(file: str) -> bool:
    return any(file.startswith(f"{ROOT}/{package}/") for package in PACKAGES)


def _is_call_error(error: Exception, file: str) -> bool:
    return isinstance(error, TypeError) and file == __file__  # unexpected keyword and the like


def _last_frame(trace: TracebackType | None) -> tuple[str, int] | None:
    frames = traceback.extract_tb(trace)
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


@functools.cache
def _raise_lines(file: str) -> frozenset[int]:
    tree = ast.parse("".join(linecache.getlines(file)))
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)


def _raises(file: str, line: int) -> bool:
    return line in _raise_lines(file)


def _late(*_: Any) -> None:
    raise LateError


def _tried(path: str, budget: float) -> tuple[str, list[Outcome]]:
    """All hostile calls of one public name."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    module, _, name = path.rpartition(".")
    public = Public(module, name, getattr(importlib.import_module(module), name))
    with np.errstate(all="warn", under="ignore"):
        return path, [one for call in calls_of(public) for one in attempts(call, budget)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--budget", type=float, default=5.0, help="CPU seconds of a call")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="show every outcome")
    options = parser.parse_args()
    paths = [public.path for public in callables() if options.only in public.path]
    total: Counter[str] = Counter()
    unrecorded = []
    tried = functools.partial(_tried, budget=options.budget)
    with Pool(options.jobs, maxtasksperchild=5) as pool:
        for path, outcomes in pool.imap(tried, paths):
            faults = [one for one in outcomes if one.fault and not is_expected(one)]
            total.update(calls=len(outcomes), faults=len(faults))
            for one in outcomes if options.all else faults:
                print(one, flush=True)
            if not outcomes:
                unrecorded.append(path)
    print("without a call in their example:", ", ".join(unrecorded))
    print(dict(total))


if __name__ == "__main__":
    main()
