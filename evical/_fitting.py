"""What every `fit` does: check parameters, learn all or nothing, by a seed, in jobs, with progress.

Lines about the steps of a long fit have the form of scikit-learn's own meta-estimators.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial, wraps
from inspect import get_annotations
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._user_interface import _print_elapsed_time
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from dstheory.checks.arguments import (
    as_real,
    check_choice,
    check_count,
    check_flag,
    check_instance,
    check_level,
    shown,
)
from evical._typing import Indices, SamplesLike

# Of LightGBM, and of scikit-learn's histogram boosting, TabNet and others.
_EVALUATED = {"eval_X", "eval_y", "X_val", "y_val", "Y_val", "sample_weight_val"}

__all__ = [
    "NOT_NEGATIVE",
    "POSITIVE",
    "Check",
    "Progress",
    "all_or_nothing",
    "as_random_state",
    "check_all_parameters",
    "check_declared",
    "check_jobs",
    "check_verbose",
    "number",
    "optional",
    "params_of_rows",
    "up_to",
]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[str, Any], object]
"""Of the name of a parameter and its value; it raises TypeError or ValueError."""


def number(expected: str, inside: Callable[[float], bool]) -> Check:
    """The check of a number; `expected` says in words what `inside` decides.

    Examples
    --------
    >>> number("a number from 1", lambda x: 1 <= x < np.inf)("rho", 0.5)
    Traceback (most recent call last):
    ValueError: rho is 0.5, expected a number from 1
    """

    def check(name: str, value: Any) -> None:
        if not inside(as_real(name, value, expected)):
            raise ValueError(f"{name} is {shown(value)}, expected {expected}")

    return check


NOT_NEGATIVE = number("a finite number from 0", lambda x: 0 <= x < np.inf)
POSITIVE = number("a finite number above 0", lambda x: 0 < x < np.inf)


def up_to(most: float, check: Check) -> Check:
    """The check of a number that another check has passed, and that is not too large.

    Examples
    --------
    >>> up_to(100, POSITIVE)("exponent", 1000)
    Traceback (most recent call last):
    ValueError: exponent is 1000, expected at most 100
    """

    def limited(name: str, value: Any) -> None:
        check(name, value)
        if float(value) > most:
            raise ValueError(f"{name} is {shown(value)}, expected at most {most:g}")

    return limited


def optional(check: Check) -> Check:
    """The same check, which None passes too."""
    return lambda name, value: None if value is None else check(name, value)


def check_declared(estimator: Any) -> None:
    """Raise unless the parameters of an estimator have the values that its class declares.

    The types of the fields declare flags and choices, its `_ranges` all else: by name, the check
    of a value. Confidence, iterations and jobs are the same everywhere.

    Parameters
    ----------
    estimator : dataclass
        Of others, nothing is declared.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> @dataclass
    ... class Counter:
    ...     side: Literal["left", "right"] = "left"
    ...     step: float = 1.0
    ...     _ranges: ClassVar = {"step": POSITIVE}
    >>> check_declared(Counter(side="top"))
    Traceback (most recent call last):
    ValueError: side is 'top', expected one of 'left', 'right'
    >>> check_declared(Counter(step=0))
    Traceback (most recent call last):
    ValueError: step is 0, expected a finite number above 0
    """
    ranges = {**_EVERYWHERE, **getattr(estimator, "_ranges", {})}
    types = declared_types(estimator.__class__)
    for field in fields(estimator) if is_dataclass(estimator) else ():
        kind = types.get(field.name)
        value, choices = getattr(estimator, field.name), _choices(kind)
        if kind is bool:
            check_flag(field.name, value)
        elif choices:
            check_choice(field.name, value, choices)
        elif field.name in ranges:
            ranges[field.name](field.name, value)


def check_all_parameters(calibrator: Any) -> None:
    """Raise unless the parameters of a calibrator have declared values, and fit each other.

    Parameters
    ----------
    calibrator : calibrator
    """
    check_choice("transform", calibrator.transform, calibrator._transforms)
    check_declared(calibrator)
    if hasattr(calibrator, "_check_parameters"):
        calibrator._check_parameters()


@cache
def declared_types(kind: Any) -> dict[str, Any]:
    """Types of the parameters of a function, or of the fields of a class and its bases.

    >>> from evical.calibrators import KDECalibrator
    >>> declared_types(KDECalibrator)["confidence"]
    <class 'float'>
    """
    found: dict[str, Any] = {}
    for one in reversed(getattr(kind, "__mro__", (kind,))):
        with suppress(AttributeError, NameError, SyntaxError, TypeError):  # for type checkers alone
            found |= get_annotations(one, eval_str=True)
    return found


@cache
def _choices(kind: Hashable) -> tuple[Any, ...]:
    """Those that a type lists, None among them; nothing, if it allows more."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    parts = [(None,) if part is NoneType else _choices(part) for part in get_args(kind)]
    return tuple(choice for part in parts for choice in part) if all(parts) else ()


def all_or_nothing(fit: F) -> F:
    """Decorator of methods that set attributes, all of them or none.

    Attributes of an unfinished fit would look fitted, and mix with those of an earlier one.
    Attributes must be set anew, never changed in place.

    Parameters
    ----------
    fit : method

    Returns
    -------
    method
        The same; if it raises, the object keeps the attributes that it had.

    Examples
    --------
    >>> class Half:
    ...     @all_or_nothing
    ...     def fit(self):
    ...         self.classes_ = [0, 1]
    ...         raise ValueError("too few samples")
    >>> half = Half()
    >>> half.fit()
    Traceback (most recent call last):
    ValueError: too few samples
    >>> hasattr(half, "classes_")
    False
    """

    @wraps(fit)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:  # an interrupt too
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast("F", whole)


def as_random_state(random_state: object) -> np.random.RandomState:
    """Random state of an estimator, from a seed, a `RandomState`, or None.

    Raises
    ------
    ValueError
        If it is none of them, or a seed beyond 32 bits.

    Examples
    --------
    >>> as_random_state(-1)
    Traceback (most recent call last):
    ValueError: random_state is -1, expected at least 0
    """
    if isinstance(random_state, int | np.integer):
        check_count("random_state", random_state, 0, 2**32 - 1)
    rng: np.random.RandomState = check_random_state(random_state)
    return rng


_MOST_JOBS = 9999


def check_jobs(n_jobs: Any) -> None:
    if n_jobs is None:
        return
    expected = "None, or a whole number other than 0"
    check_instance("n_jobs", n_jobs, (int, np.integer), expected)
    if n_jobs == 0 or not -_MOST_JOBS <= n_jobs <= _MOST_JOBS:
        raise ValueError(f"n_jobs is {shown(n_jobs)}, expected {expected}, of 4 digits at most")


_EVERYWHERE: Mapping[str, Check] = {
    "confidence": check_level,
    "max_iter": partial(check_count, least=1),
    "n_jobs": lambda _, value: check_jobs(value),
}


@dataclass(frozen=True)
class Progress:
    """Prints the progress of an estimator's `fit`.

    Parameters
    ----------
    source : str
        Name of the estimator.
    verbose : int
        0 prints nothing.

    Examples
    --------
    >>> Progress().each(max, [("fold 1", (2, 3)), ("fold 2", (5, 4))], n_jobs=None)
    [3, 5]
    """

    source: str = ""
    verbose: int = 0

    def each(
        self,
        work: Callable[..., T],
        tasks: Sequence[tuple[str, tuple[Any, ...]]],
        n_jobs: int | None,
        steps: int | None = None,
    ) -> list[T]:
        """The results of `work` for each named tuple of arguments, `n_jobs` at once."""
        check_jobs(n_jobs)
        total = len(tasks) if steps is None else steps
        return list(
            Parallel(n_jobs=n_jobs)(
                delayed(self._reported)(name, number, total, work, arguments)
                for number, (name, arguments) in enumerate(tasks, start=1)
            )
        )

    def _reported(
        self, name: str, number: int, total: int, work: Callable[..., T], arguments: tuple[Any, ...]
    ) -> T:
        with self.step(name, number, total):
            return work(*arguments)

    def step(self, name: str, number: int, total: int) -> AbstractContextManager[Any]:
        """A context that prints a line with its duration on exit."""
        message = f"({number} of {total}) Processing {name}" if self.verbose else None
        context: AbstractContextManager[Any] = _print_elapsed_time(self.source, message)
        return context


def check_verbose(verbose: object) -> None:
    """Raise unless `verbose` is a bool or a number of 0 or more.

    Parameters
    ----------
    verbose : object

    Raises
    ------
    TypeError, ValueError

    Examples
    --------
    >>> check_verbose(-1)
    Traceback (most recent call last):
    ValueError: verbose is -1, expected False, True or a whole number of at least 0
    """
    wrong = f"verbose is {verbose!r}, expected False, True or a whole number of at least 0"
    if not isinstance(verbose, int | np.integer | np.bool_):
        raise TypeError(wrong)
    if verbose < 0:
        raise ValueError(wrong)


def params_of_rows(X: SamplesLike, params: Mapping[str, Any], rows: Indices) -> dict[str, Any]:
    """Arguments of `fit` for some rows of X; evaluation sets stay whole, also those of n rows.

    >>> params_of_rows(np.eye(3), {"sample_weight": np.arange(3), "eval_y": np.arange(3)}, [0, 2])
    {'eval_y': array([0, 1, 2]), 'sample_weight': array([0, 2])}
    """
    whole = {name: value for name, value in params.items() if name.split("__")[-1] in _EVALUATED}
    own = {name: value for name, value in params.items() if name not in whole}
    cut: dict[str, Any] = _check_method_params(X, params=own, indices=rows)
    return whole | cut
