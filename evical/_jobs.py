"""Results of many tasks as they come: what takes hours is kept as soon as it is there."""

import itertools
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import joblib

__all__ = ["results"]

T = TypeVar("T")


@contextmanager
def results(
    work: Callable[..., T], tasks: Iterable[tuple[Any, ...]], jobs: int | None
) -> Iterator[Generator[T, None, None]]:
    """The results of some work, each as soon as it is there, or after a few of them.

    Leaves none to go on in the background, if an OSError or a ValueError is raised inside.

    Parameters
    ----------
    work : callable
    tasks : iterable of tuple
        Arguments of each call.
    jobs : int or None
        Calls at once, by joblib; its backend may be chosen by ``joblib.parallel_config``.

    Yields
    ------
    generator
        Results in any order.

    Examples
    --------
    >>> with results(max, [(2, 3), (5, 4)], jobs=1) as found:
    ...     sorted(found)
    [3, 5]
    """
    wanted = _Tasks(tasks)
    found = _computed(work, wanted, jobs)
    try:
        yield found
    except (OSError, ValueError):
        # The few under way are waited for: to cancel them is a race in joblib's own threads.
        wanted.wanted = False
        for _ in found:
            pass
        raise
    finally:
        with warnings.catch_warnings():
            # That they are canceled is what is wanted of an interrupt.
            warnings.filterwarnings("ignore", r"\d+ tasks (which were|have been) ", UserWarning)
            found.close()


class _Tasks:
    """Tasks one by one, as long as they are wanted."""

    def __init__(self, tasks: Iterable[tuple[Any, ...]]) -> None:
        self._tasks = iter(tasks)
        self.wanted = True

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        if not self.wanted:
            raise StopIteration
        return next(self._tasks)


def _computed(work: Callable[..., T], tasks: _Tasks, jobs: int | None) -> Generator[T, None, None]:
    # One task a batch, because a batch that is killed loses all its results.
    parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, **_as_they_come())
    calls = (joblib.delayed(work)(*arguments) for arguments in tasks)
    if parallel.return_generator:
        yield from parallel(calls)
        return
    # A backend that gives all at the end gets a few at a time.
    while batch := list(itertools.islice(calls, 4 * joblib.effective_n_jobs(jobs))):
        yield from parallel(batch)


def _as_they_come() -> dict[str, str]:
    """Ask for each result as soon as it is there, of backends that can."""
    backend, _ = joblib.parallel.get_active_backend()
    if backend.supports_return_generator:
        return {"return_as": "generator_unordered"}
    return {}
