"""Tables larger than memory: fit, predict and combine by the command, in chunks or by DuckDB.

Run with ``python -m tests.benchmarks.bench_large 1e7``, the number of rows and of scores, and maybe
``duckdb 2GB``, the engine and its limit of memory; or ``tables``, for `fit_table` and
`predict_table` of relations of DuckDB and data frames of Dask, read from and written to Parquet.
Files go to a temporary folder; 1e8 rows take some 15 GB there.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

EVICAL = """
import resource, sys
from evical.cli import main
code = main()
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""
TABLES = """
import resource, sys, time
from evical.calibrators import AutoCalibrator
from evical.export import predict_table
from evical.scores import fit_table

def report(name, start):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    took, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    print(f"{name}: {took:.0f} s, {cpu:.0f} s of CPU, {peak:.1f} GB", flush=True)

engine = sys.argv[1]
if engine == "DuckDB":
    import duckdb
    base = duckdb.connect()
    base.execute("SET memory_limit = '2GB'; SET threads = 2; SET preserve_insertion_order = false")
    base.execute("SET enable_progress_bar = false")
    table = base.read_parquet("s.parquet")
else:
    import dask, dask.dataframe
    dask.config.set(scheduler="threads", num_workers=2)
    table = dask.dataframe.read_parquet("s.parquet", split_row_groups=8)
start = time.perf_counter(), time.process_time()
calibrator = fit_table(AutoCalibrator(), table, "score", "y")
report(f"{engine} fit_table", start)
start = time.perf_counter(), time.process_time()
made = predict_table(calibrator, table, "score")
made.write_parquet("p.parquet") if engine == "DuckDB" else made.to_parquet("p")
report(f"{engine} predict_table", start)
"""
NORMAL = "sqrt(-2 * ln(random() + 1e-12)) * cos(2 * pi() * random())"


def bench(n: int, folder: Path, *engine: str) -> None:
    base = duckdb.connect()
    base.execute("SET memory_limit = '2GB'; SET threads = 2; SET preserve_insertion_order = false")
    base.execute(f"SET temp_directory = '{folder}'; SET file_search_path = '{folder}'")

    def write(query: str, name: str) -> None:
        base.execute(f"COPY ({query}) TO '{folder / name}'")

    def command(*words: str) -> None:
        start = time.perf_counter()
        words = (*words, *engine)
        done = subprocess.run(
            [sys.executable, "-c", EVICAL, *words], cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(done.stderr)
        took = time.perf_counter() - start
        peak, cpu = map(float, done.stderr.split()[-2:])
        print(f"{words[0]}: {took:.0f} s, {cpu:.0f} s of CPU, {peak / 1e6:.1f} GB", flush=True)

    scores = f"SELECT i AS id, {NORMAL} AS score FROM range({n}) t(i)"
    write(f"SELECT *, random() < 1 / (1 + exp(-1.5 * score)) AS y FROM ({scores})", "s.parquet")
    command("fit", "s.parquet", "--score", "score", "--target", "y", "-o", "model.json")
    command("predict", "model.json", "s.parquet", "-o", "one.parquet")
    write(
        f"SELECT (id * 7919) % {n} AS id, COLUMNS('(bel|pl)_.*') FROM 'one.parquet'", "two.parquet"
    )
    base.close()
    command("combine", "one.parquet", "two.parquet", "--key", "id", "-o", "fused.parquet")


def tables(n: int, folder: Path) -> None:
    """Scores of four digits, as one file."""
    base = duckdb.connect()
    base.execute("SET memory_limit = '2GB'; SET threads = 2; SET preserve_insertion_order = false")
    scores = f"SELECT i AS id, round({NORMAL}, 4) AS score FROM range({n}) t(i)"
    labeled = f"SELECT *, (random() < 1 / (1 + exp(-1.5 * score)))::INT AS y FROM ({scores})"
    base.execute(f"COPY ({labeled}) TO '{folder / 's.parquet'}'")
    base.close()
    for engine in ("DuckDB", "Dask"):
        subprocess.run([sys.executable, "-c", TABLES, engine], cwd=folder, check=True)


if __name__ == "__main__":
    rows, *chosen = sys.argv[1:]
    if chosen == ["tables"]:
        with tempfile.TemporaryDirectory() as folder:
            tables(int(float(rows)), Path(folder))
        raise SystemExit
    names = ("--engine", "--memory-limit")
    options = [word for pair in zip(names, chosen, strict=False) for word in pair]
    with tempfile.TemporaryDirectory() as folder:
        bench(int(float(rows)), Path(folder), *options)
