"""One vocabulary: a parameter's name means the same, and is of the same kind, wherever it occurs.

All public signatures are read. What a parameter takes is put into few kinds (numbers, text, a
function, a class of ours, ...); all that share a name have a kind in common, and texts to choose
from have choices in common. SEVERAL names those that do not, with the reason.
"""

import inspect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, SupportsFloat, TypeVar, Union, get_args, get_origin

import numpy as np

from evical._fitting import declared_types
from tests.support.public_objects import PACKAGES, callables

# What a name means where it has several kinds, or choices that have nothing in common.
SEVERAL = {
    "calibrator": "of one score or of many, where both are taken by name; of a kind where not",
    "contour": "a likelihood contour, or the plausibilities of labels",
    "counts": "a sufficient statistic: `ScoreCounts` of scores, numbers of categories",
    "criterion": "what is best: of decisions, of structures, of penalties, of methods",
    "data": "what is saved, or the numbers or the place of a sample",
    "empty": "impossible sets of a model; whether the empty set may have mass",
    "event": "labels; of a product, values by variables",
    "family": "distributions of a future observation, or t-norms by name",
    "first": "an operand",
    "focal": "focal sets, or the name of a family of them",
    "frame": "a frame; of a product, one of variables",
    "graph": "a graph of networkx, or what one is made from",
    "interval": "a random interval, or the name of a confidence interval",
    "intervals": "of events by label, or of each sample",
    "kind": "which one of several, as the docstring lists them",
    "labels": "of a frame; new ones by old ones; of classes",
    "loss": "mass that may be lost, or the name of a loss of predictions",
    "mass": "a number, or beliefs in place of probabilities",
    "masses": "numbers, by event or in order; of sources, made when they are asked for",
    "measure": "which one of several, as the docstring lists them",
    "method": "which one of several, as the docstring lists them",
    "model": "what counts say, by name; of hybrid rules, what is impossible",
    "one": "an operand",
    "onto": "a coarser model or a finer frame",
    "order": "of labels, of variables, of a series; which order of inclusion",
    "parameters": "of a score, by name; which ones are learned",
    "prior": "what is believed before: masses, probabilities, or none by name",
    "probabilities": "of assumptions by name; otherwise in order",
    "probability": "numbers, or which transform gives them",
    "products": "how many products a source has, in order or by name",
    "reliabilities": "of sources in order, of labels by name",
    "rule": "what combines, revises or decides: by name, as a function or as a `Rule`",
    "scale": "a factor, or how a measure is printed",
    "score": "a column, a number, or what judges a graph or a forecast",
    "second": "an operand",
    "show": "which one, or which ones of several",
    "smoothing": "saved under this name: a pseudo-count of ENIR, what BBQ smooths by",
    "source": "a belief about a number to draw, or a table to convert from",
    "table": "rows of data, conditional masses, or the name of a table of a database",
    "test": "a test that ran, or the name of one",
    "values": "numbers; of variables, by name",
    "weight": "numbers, or the column that has them",
}

# Options of one meaning whose default, a word or a flag, depends on the class.
DEFAULTS = {
    **dict.fromkeys(("criterion", "loss", "method", "parameters"), "each class has its own"),
    "code": "a classifier is calibrated class by class, Dirichlet's method reads all at once",
    "model": "what the source of the method describes; of many classes, the closed form",
    "probability": "as in the papers of the two networks",
    "smooth": "as published; structured scaling has penalties instead",
    "transform": "'auto' where the method depends on the scale of scores, as its source says",
}

# What is wrapped comes first, without its name.
WRAPPED = {"estimator", "estimators", "calibrator", "edges", "discovery", "rule"}

ARRAYS = (bool, int, float, complex, bytes, str)
NUMBERS = (bool, int, float, complex, Fraction, np.ndarray, np.number)


def kinds(annotation):
    """Few words for what is accepted; nothing, where anything is. Sequences count as numbers."""
    annotation = getattr(annotation, "__value__", annotation)  # of an alias, in NumPy 2.5
    parts = get_args(annotation)
    if get_origin(annotation) in (Union, UnionType):
        if any("_SupportsArray" in str(part) for part in parts):  # all that arrays are made of
            own = [one for one in parts if "numpy" not in str(one) and one not in ARRAYS]
            return {"numbers"}.union(*map(kinds, own))
        return set().union(*map(kinds, parts))
    if get_origin(annotation) is Literal:
        return {"flag" if isinstance(part, bool) else "text" for part in parts if part is not None}
    made_of = get_origin(annotation) or annotation
    if made_of in (None, NoneType):
        return set()
    if made_of is bool:
        return {"flag"}
    if made_of is SupportsFloat or (inspect.isclass(made_of) and issubclass(made_of, NUMBERS)):
        return {"numbers"}
    if made_of in (Any, object, inspect.Parameter.empty) or isinstance(made_of, TypeVar):
        return set()
    if made_of is str:
        return {"text"}
    if made_of is Hashable:
        return {"label"}
    if made_of is Callable:
        return {"function"}
    if inspect.isclass(made_of) and issubclass(made_of, Mapping):
        return {"mapping"}
    if inspect.isclass(made_of) and issubclass(made_of, Iterable):
        return {made_of.__name__ if made_of.__module__.startswith(PACKAGES) else "numbers"}
    return {getattr(made_of, "__name__", str(made_of))}


def choices(annotation):
    """Texts to choose from, where there is no other."""
    if get_origin(annotation) is Literal:
        return {part for part in get_args(annotation) if isinstance(part, str)}
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) in (Union, UnionType) and str not in parts:
        return set().union(*map(choices, parts))
    return set()


def is_record(value):
    """A class that users make by a method `from_...` or get as a result; its fields are its own."""
    if not inspect.isclass(value) or hasattr(value, "get_params") or hasattr(value, "fit"):
        return False
    made = {name for name in vars(value) if name.startswith("from_")} - {"from_dict"}
    return bool(made) or is_dataclass(value)


@cache
def parameters():
    """Annotations by the names of parameters, with where each occurs."""
    found = defaultdict(list)
    for public in callables():
        functions = {} if is_record(public.value) else {public.path: public.value}
        if inspect.isclass(public.value):
            functions |= {
                f"{public.path}.{name}": method
                for name, method in inspect.getmembers(public.value, inspect.isroutine)
                if not name.startswith("_")
                and callable(method)  # from Python 3.13 on, cached properties are among these
                and str(getattr(method, "__module__", "")).startswith(PACKAGES)
            }
        for path, function in functions.items():
            try:
                signature = inspect.signature(function)
            except ValueError:  # an exception of Python has none
                continue
            made = declared_types(function.__init__) if inspect.isclass(function) else {}
            types = made | declared_types(function)
            for name, one in signature.parameters.items():
                if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) and name != "self":
                    found[name].append((path, types.get(name, one.annotation)))
    return found


def joined(sets):
    """Unions of the sets that have something in common, directly or by way of others."""
    found = []
    for one in sets:
        apart = [other for other in found if not one & other]
        found = [*apart, one.union(*(other for other in found if one & other))]
    return found


def test_a_name_has_one_kind_and_one_choice():
    several = {
        name
        for name, uses in parameters().items()
        if (known := [found for _, annotation in uses if (found := kinds(annotation))])
        and not set.intersection(*known)
    }
    several |= {
        name
        for name, uses in parameters().items()
        if len(joined([found for _, annotation in uses if (found := choices(annotation))])) > 1
    }
    assert several == set(SEVERAL), "mend the name, or give the reason; or the reason is gone"


def test_options_of_constructors_have_names():
    """What an estimator, a calibrator or a rule wraps may come first without one."""
    learners = [public for public in callables() if hasattr(public.value, "fit")]
    assert len(learners) > 40
    for public in learners:
        named = inspect.signature(public.value).parameters.values()
        positional = {one.name for one in named if one.kind is one.POSITIONAL_OR_KEYWORD}
        assert positional <= WRAPPED, f"{public.path} takes {positional} by position"
        assert len(positional) <= 1, f"{public.path} takes {positional} by position"


def test_defaults_differ_for_a_reason():
    defaults = defaultdict(set)
    for public in callables():
        if hasattr(public.value, "fit"):
            for name, one in inspect.signature(public.value).parameters.items():
                if isinstance(one.default, bool | str):
                    defaults[name].add(one.default)
    differ = {name for name, found in defaults.items() if len(found) > 1}
    assert differ == set(DEFAULTS)
