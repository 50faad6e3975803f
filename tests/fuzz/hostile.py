"""Call the public names with arguments of a wrong kind: ``python -m tests.fuzz.hostile``.

The example of each docstring is run once and its calls are recorded; each is repeated with one
argument replaced by a hostile value. A refusal must come from a `raise` in the packages: an error
of Python or NumPy that shines through speaks of what its author never saw. Whatever passes must
not take long, warn, or take much memory.
"""

import argparse
import ast
import functools
import importlib
import inspect
import linecache
import re
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from multiprocessing import Pool
from types import TracebackType
from typing import Any

import numpy as np

from tests.fuzz.recorder import Call, calls_of
from tests.support.public_objects import PACKAGES, ROOT, Public, callables

_MEMORY = 6 << 30
_MOST_STEPS = 100  # of an iterator, which may be endless
_REFUSALS = (ValueError, TypeError, KeyError, IndexError, ModuleNotFoundError, FileNotFoundError)

# Faults that are none of ours: a pattern of the printed line, and the reason.
_EXPECTED = {
    r"\(X=(nested|array of objects)\)": "the classifier that the user gave judges what it can read",
    r"get_params\(deep=": "the truth of `deep` is asked for by scikit-learn's own estimators",
    r"cannot pickle 'generator'": "scikit-learn clones parameters, which no generator allows",
    r"\(n_jobs=.*Loky-backed": "processes of a pool start no others",
    r"MassFunction.from_store\((focal|store)=": "wraps valid arrays, documented as unchecked",
    r"\.plot\((color|marker|linestyle)=": "matplotlib judges its own colors, marks and lines",
    r"\.compare(_data_sets)?\(methods=None\): late": "tries all methods, for more than 5 seconds",
    r"(No such file or directory|Is a directory):": "a missing file, in Python's words",
    r"cross_val_mass\(params=dict\)": "the arguments are those of the estimator's own fit",
    r"\(on_data_set=function\)": "the user's own function fails",
    r"=(class|function)\): TypeError: (Opaque|len)\(\) takes": "the user's own function fails",
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
class Outcome:
    """What came of one hostile call; `fault` is empty where nothing is wrong."""

    path: str
    place: str
    hostile: str
    answer: str
    fault: str

    @property
    def refused(self) -> bool:
        return bool(self.fault) or self.answer.startswith("refused")

    def __str__(self) -> str:
        return f"{self.path}({self.place}={self.hostile}): {self.fault or self.answer}"


def attempts(call: Call, budget: float) -> Iterator[Outcome]:
    """Every argument of a call replaced by every hostile value."""
    for place in call.places():
        for name in hostile_values():
            yield attempt(call, place, name, budget)


def attempt(call: Call, place: int | str, name: str, budget: float) -> Outcome:
    """One hostile call."""
    return tried(call, place, name, hostile_values()[name], budget)


def misspellings(call: Call, budget: float) -> Iterator[Outcome]:
    """Every text of a call misspelled: a refusal says what was probably meant."""
    for place in call.places():
        wrong = misspelled(call.value_at(place))
        if wrong is None or tried(call, place, "as it is", call.value_at(place), budget).refused:
            continue
        outcome = tried(call, place, repr(wrong), wrong, budget)
        if outcome.refused and "did you mean" not in outcome.answer:
            outcome = replace(outcome, fault=f"no hint in {outcome.answer}")
        yield outcome


def misspelled(value: Any) -> Any:
    """A name, or the first of several, without its second letter; None if there is none."""
    if isinstance(value, str) and len(value) > 3 and value.isidentifier():
        return value[0] + value[2:]
    if isinstance(value, list | tuple) and value and (wrong := misspelled(value[0])):
        return type(value)([wrong, *value[1:]]) if type(value) in (list, tuple) else None
    return None


def tried(call: Call, place: int | str, name: str, value: Any, budget: float) -> Outcome:
    """A call with one argument replaced."""
    args, kwargs = call.with_value(place, value)
    answer, fault = "", ""
    _close_figures()
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, budget)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call.function(*args, **kwargs)
            if inspect.isgenerator(result):
                list(islice(result, _MOST_STEPS))
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
    opened = _close_figures()
    if opened and answer.startswith("refused"):
        answer, fault = "", f"a figure stays open after {answer}"
    return Outcome(call.path, str(call.name_of(place)), name, answer, fault.replace("\n", " "))


def _close_figures() -> bool:
    """Whether a call left a figure of pyplot open; an accepted one may."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not pyplot.get_fignums():
        return False
    pyplot.close("all")
    return True


def _judged(error: Exception) -> tuple[str, str]:
    """Refused by us, or an error that shines through."""
    where = _last_frame(error.__traceback__)
    text = f"{type(error).__name__}: {error}"
    if where is not None and isinstance(error, _REFUSALS):
        file, line = where
        if _is_ours(file) and _raises(file, line):
            return f"refused: {text}"[:900], ""
        if "/sklearn/" in file and _raises(file, line):  # scikit-learn's own checks of estimators
            return f"refused by scikit-learn: {text}"[:150], ""
        if _is_call_error(error, file):
            return f"refused: {text}"[:900], ""
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
        return path, [
            one
            for call in calls_of(public)
            for one in (*attempts(call, budget), *misspellings(call, budget))
        ]


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
