"""A session of DuckDB within limits, and its errors in one line."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from rich.progress import TaskProgressColumn

from dstheory.optional import install_hint
from evical._files import hidden_beside
from evical.cli._show import progress_bar
from evical.cli.arguments import Engine

_SIZE = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?)?B", re.IGNORECASE)
# Of errors in other threads, the message is a text of JSON.
_INNER = re.compile(r'"exception_message":\s*("(?:[^"\\]|\\.)*")')
_BATCH = 2**17  # rows
_POLL = 0.1  # seconds

T = TypeVar("T")


class EngineError(ValueError):
    """What DuckDB refuses, in one line."""


def limits_of(engine: Engine) -> Engine | None:
    """What DuckDB may use, where None is what it takes by itself; None for another engine.

    Raises ValueError for limits of another engine, a size that is none, or if DuckDB is missing.
    """
    memory = engine.memory_limit
    if engine.engine != "duckdb":
        if memory is not None or engine.threads is not None:
            option = "--threads" if memory is None else "--memory-limit"
            raise ValueError(f"{option} is for --engine duckdb; chunks take little memory")
        return None
    if memory is not None and not _SIZE.fullmatch(memory.strip()):
        raise ValueError(f"--memory-limit is {memory!r}, expected a size such as 2GB or 500MB")
    _load()
    return engine


def _load() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ValueError(f"--engine duckdb needs duckdb; {install_hint('duckdb')}") from error
    return duckdb


class Session:
    """A connection; call `run` for work that takes long, `rows` and `batches` for results.

    All of it runs in another thread, for only between its steps Python would hear a signal.
    """

    def __init__(self, connection: Any, worker: Executor, limits: Engine) -> None:
        self._connection = connection
        self._worker = worker
        self._limits = limits

    def run(self, statement: str, text: str) -> None:
        """Execute a statement, with a progress bar."""
        # Before 1.2, DuckDB does not tell how far it is.
        progress = getattr(self._connection, "query_progress", None)
        with progress_bar(TaskProgressColumn()) as bar:
            task = bar.add_task(text, total=None if progress is None else 100)

            def show() -> None:
                bar.update(task, completed=0 if progress is None else max(0.0, progress()))

            self._done(lambda: self._connection.execute(statement), show)

    def found(self, query: str, text: str) -> tuple[Any, ...]:
        """The first row of a result that takes long, with a progress bar."""
        self.run(f"CREATE OR REPLACE TEMP TABLE found AS {query}", text)
        return self.rows("FROM found")[0]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        found: list[tuple[Any, ...]] = self._done(
            lambda: self._connection.execute(query).fetchall()
        )
        return found

    def batches(self, query: str) -> Iterator[Any]:
        """Record batches of Arrow, one after the other."""
        former = "fetch_arrow_reader"  # which later versions warn of

        def reader() -> Any:
            relation = self._connection.sql(query)
            return (getattr(relation, "to_arrow_reader", None) or getattr(relation, former))(_BATCH)

        read = iter(self._done(reader))
        while (batch := self._done(lambda: next(read, None))) is not None:
            yield batch

    def _done(self, work: Callable[[], T], show: Callable[[], None] = lambda: None) -> T:
        """The result of some work; what interrupts it returns only when it has ended.

        Otherwise files that the engine is about to make would be made after they are removed.
        """
        with self._errors():
            try:
                future = self._worker.submit(work)
                while not wait([future], timeout=_POLL).done:
                    show()
                return future.result()
            except BaseException:
                # One thread does all, so this one comes last.
                _end(self._connection, self._worker.submit(int))
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        duckdb = _load()
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            given = self._limits.memory_limit
            what = "less memory than DuckDB needs" if given is None else f"{given} is too little"
            raise EngineError(
                f"--memory-limit: {what}, or the disk is full ({_first_line(error)}); give more, "
                "or write to a larger disk"
            ) from error
        except duckdb.Error as error:
            raise EngineError(f"DuckDB: {_first_line(error)}") from error


@contextmanager
def open_session(limits: Engine, beside: Path) -> Iterator[Session]:
    """A session whose temporary files are beside an output, and are gone when it ends."""
    duckdb = _load()
    folder = hidden_beside(beside.resolve())
    config: dict[str, Any] = {"temp_directory": str(folder)}
    if limits.memory_limit is not None:
        config["memory_limit"] = limits.memory_limit
    if limits.threads is not None:
        config["threads"] = limits.threads
    try:
        folder.mkdir(0o700)
        with ThreadPoolExecutor(1) as worker, duckdb.connect(config=config) as connection:
            worker.submit(int).result()  # so that the one thread is there before signals matter
            connection.execute("SET enable_progress_bar = true")
            connection.execute("SET enable_progress_bar_print = false")
            yield Session(connection, worker, limits)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder; a signal that interrupts it ends the command later, and only once."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _end(connection: Any, last: Future[Any]) -> None:
    """Interrupt statements until the last piece of work is done."""
    while not wait([last], timeout=_POLL).done:
        connection.interrupt()


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
