"""Tables larger than memory: fit and predict by the command, join and combine by DuckDB.

Run with ``python -m tests.benchmarks.bench_large 1e7``, the number of rows and of scores.
Files go to a temporary folder; 1e8 rows take some 10 GB there.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

EVICAL = [sys.executable, "-c", "import sys; from evical.cli import main; sys.exit(main())"]
NORMAL = "sqrt(-2 * ln(random() + 1e-12)) * cos(2 * pi() * random())"
FUSED = """
SELECT id, (a.bel * b.pl + a.pl * b.bel - a.bel * b.bel) / agreement AS bel,
    1 - ((1 - a.pl) * (1 - b.bel) + (a.pl - a.bel) * (1 - b.pl)) / agreement AS pl
FROM (
    SELECT id, a, b, 1 - a.bel * (1 - b.pl) - (1 - a.pl) * b.bel AS agreement
    FROM 'one.parquet' a JOIN 'two.parquet' b USING (id)
)
"""


def timed(what: str, run: Callable[[], object]) -> None:
    start = time.perf_counter()
    run()
    print(f"{what}: {time.perf_counter() - start:.0f} s", flush=True)


def bench(n: int, folder: Path) -> None:
    base = duckdb.connect()
    base.execute("SET memory_limit = '2GB'; SET threads = 2; SET preserve_insertion_order = false")
    base.execute(f"SET temp_directory = '{folder}'; SET file_search_path = '{folder}'")

    def write(query: str, name: str) -> None:
        base.execute(f"COPY ({query}) TO '{folder / name}'")

    def command(*words: str) -> None:
        subprocess.run([*EVICAL, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    scores = f"SELECT i AS id, {NORMAL} AS score FROM range({n}) t(i)"
    write(f"SELECT *, random() < 1 / (1 + exp(-1.5 * score)) AS y FROM ({scores})", "s.parquet")
    options = ("--score", "score", "--target", "y", "-o", "model.json")
    timed("fit", lambda: command("fit", "s.parquet", *options))
    timed("predict", lambda: command("predict", "model.json", "s.parquet", "-o", "made.parquet"))
    write("SELECT id, bel, pl FROM 'made.parquet'", "one.parquet")
    write(f"SELECT (id * 7919) % {n} AS id, bel, pl FROM 'made.parquet'", "two.parquet")
    timed("join and combine", lambda: write(FUSED, "fused.parquet"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        bench(int(float(sys.argv[1])), Path(folder))
