"""Tables written by DuckDB: complete, or not there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evical._files import atomic_path
from evical.cli._sinks import delimiter_of
from evical.cli.engine._source import text_table
from evical.cli.engine.session import Session, literal

__all__ = ["check_target", "written"]


def check_target(output: str) -> None:
    """Raise ValueError unless the output is a file."""
    path = Path(output)
    if output == "-" or (path.exists() and not path.is_file()):
        raise ValueError("--engine duckdb writes files; name one with --output")


@contextmanager
def written(
    session: Session, query: str, output: str, names: Sequence[str], text: str
) -> Iterator[str]:
    """Write the rows of a query, whose columns have these names.

    Yields what stands after FROM to read them again; the file takes its name only then.
    """
    delimiter = delimiter_of(output)
    packed = output.lower().endswith(".gz")
    if delimiter is None:
        form = "FORMAT parquet"
    else:
        compression = "gzip" if packed else "none"
        form = f"FORMAT csv, HEADER, DELIMITER {literal(delimiter)}, COMPRESSION '{compression}'"
    with atomic_path(Path(output)) as path:
        session.run(f"COPY ({query}) TO {literal(str(path))} ({form}, USE_TMP_FILE false)", text)
        if delimiter is None:
            yield f"read_parquet({literal(str(path))})"
        else:
            yield text_table(str(path), delimiter, names, packed)
