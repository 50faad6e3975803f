"""A session of DuckDB within limits, and its errors in one line."""

import json
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import TaskProgressColumn

from dstheory.optional import install_hint
from evical.cli._show import progress_bar

__all__ = ["EngineError", "Limits", "Session", "literal", "new_limits", "open_session", "quoted"]

_SIZE = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?)?B", re.IGNORECASE)
# Of errors in other threads, the message is a text of JSON.
_INNER = re.compile(r'"exception_message":\s*("(?:[^"\\]|\\.)*")')
_BATCH = 2**17  # rows
_POLL = 0.1  # seconds


class EngineError(ValueError):
    """What DuckDB refuses, in one line."""


@dataclass(frozen=True)
class Limits:
    """What DuckDB may use; None is what it takes by itself."""

    memory: str | None = None
    threads: int | None = None


def new_limits(engine: str, memory: str | None, threads: int | None) -> Limits | None:
    """The limits of DuckDB; None if another engine was chosen.

    Raises ValueError for limits of another engine, a size that is none, or if DuckDB is missing.
    """
    if engine != "duckdb":
        if memory is not None or threads is not None:
            option = "--threads" if memory is None else "--memory-limit"
            raise ValueError(f"{option} is for --engine duckdb; chunks take little memory")
        return None
    if memory is not None and not _SIZE.fullmatch(memory.strip()):
        raise ValueError(f"--memory-limit is {memory!r}, expected a size such as 2GB or 500MB")
    _load()
    return Limits(memory, threads)


def _load() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ValueError(f"--engine duckdb needs duckdb; {install_hint('duckdb')}") from error
    return duckdb


class Session:
    """A connection; call `run` for work that takes long, `rows` and `batches` for results."""

    def __init__(self, connection: Any, worker: Executor, limits: Limits) -> None:
        self._connection = connection
        self._worker = worker
        self._limits = limits

    def run(self, statement: str, text: str) -> None:
        """Execute a statement, with a progress bar; an interrupt ends it.

        It runs in another thread, for only between its steps Python would hear an interrupt.
        """
        with progress_bar(TaskProgressColumn()) as bar, self._errors():
            # Before 1.2, DuckDB does not tell how far it is.
            progress = getattr(self._connection, "query_progress", None)
            task = bar.add_task(text, total=None if progress is None else 100)
            future = self._worker.submit(self._connection.execute, statement)
            while not wait([future], timeout=_POLL).done:
                bar.update(task, completed=0 if progress is None else max(0.0, progress()))
            future.result()

    def row(self, query: str) -> tuple[Any, ...]:
        """The first row of a result."""
        with self._errors():
            found: tuple[Any, ...] = self._connection.execute(query).fetchone()
        return found

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        with self._errors():
            found: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return found

    def batches(self, query: str) -> Iterator[Any]:
        """Record batches of Arrow, one after the other."""
        with self._errors():
            relation = self._connection.sql(query)
            # The former name, which later versions warn of.
            former = "fetch_arrow_reader"
            read = getattr(relation, "to_arrow_reader", None) or getattr(relation, former)
            yield from read(_BATCH)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        duckdb = _load()
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            given = self._limits.memory
            what = "less memory than DuckDB needs" if given is None else f"{given} is too little"
            raise EngineError(
                f"--memory-limit: {what}, or the disk is full ({_first_line(error)}); give more, "
                "or write to a larger disk"
            ) from error
        except duckdb.Error as error:
            raise EngineError(f"DuckDB: {_first_line(error)}") from error


@contextmanager
def open_session(limits: Limits, beside: Path) -> Iterator[Session]:
    """A session whose temporary files are beside an output, and are gone when it ends."""
    duckdb = _load()
    folder = Path(tempfile.mkdtemp(dir=beside.resolve().parent, prefix=f".{beside.name}."))
    config: dict[str, Any] = {"temp_directory": str(folder)}
    if limits.memory is not None:
        config["memory_limit"] = limits.memory
    if limits.threads is not None:
        config["threads"] = limits.threads
    try:
        with duckdb.connect(config=config) as connection, _worker(connection) as worker:
            connection.execute("SET enable_progress_bar = true")
            connection.execute("SET enable_progress_bar_print = false")
            yield Session(connection, worker, limits)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _worker(connection: Any) -> Iterator[Executor]:
    """One thread for statements; when it is left, what still runs is interrupted."""
    threads: list[threading.Thread] = []
    pool = ThreadPoolExecutor(1, initializer=lambda: threads.append(threading.current_thread()))
    pool.submit(int).result()  # so that the thread is there, whenever an interrupt comes
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        while threads[0].is_alive():
            connection.interrupt()
            threads[0].join(_POLL)


def quoted(name: str) -> str:
    """A name of a column.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    """The message of DuckDB without its advice, which is for those who write SQL."""
    text = str(error)
    inner = _INNER.search(text)
    if inner is not None:
        text = json.loads(inner[1])
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in lines if line), type(error).__name__)
