"""Lines about the steps of a long fit, in the form of scikit-learn's own meta-estimators."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.utils._user_interface import _print_elapsed_time
from sklearn.utils.parallel import Parallel, delayed

from evical.scores.parameters import check_jobs

__all__ = ["Progress", "check_verbose"]

T = TypeVar("T")


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


def check_verbose(verbose: Any) -> None:
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
