"""What every `fit` of an estimator does: all or nothing, by a seed, in so many jobs, with progress.

Lines about the steps of a long fit have the form of scikit-learn's own meta-estimators.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._user_interface import _print_elapsed_time
from sklearn.utils.parallel import Parallel, delayed

from dstheory.checks.arguments import check_count, check_instance, shown

__all__ = ["Progress", "all_or_nothing", "as_random_state", "check_jobs", "check_verbose"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


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
                delayed(self._told)(name, number, total, work, arguments)
                for number, (name, arguments) in enumerate(tasks, start=1)
            )
        )

    def _told(
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
