"""Results of many tasks as they come, and files that are there in full or not at all.

What takes hours must survive a kill: each result is kept as soon as it is there.
"""

import itertools
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import joblib

__all__ = ["results", "write_whole"]

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


def write_whole(path: Path, text: str) -> None:
    """Write a file at once: whoever reads it finds all of it, or nothing.

    Parameters
    ----------
    path : Path
        Its folder is made.
    text : str

    Raises
    ------
    OSError
        If it cannot be written; nothing is left behind then.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "new" / "one.txt", "text")
    ...     (Path(folder) / "new" / "one.txt").read_text()
    'text'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            # A full disk does not say of itself which file it has no room for.
            error.filename = str(path)
        raise
