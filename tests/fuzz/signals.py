"""End commands by signals at random moments: ``python -m tests.fuzz.signals --runs 200``.

Real processes, by DuckDB and by chunks, each ended by SIGTERM, SIGINT or SIGHUP at some moment of
its work, sometimes twice. Afterwards the folder holds what it held before, or the complete output,
and standard error is empty.
"""

import argparse
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np

from evical.cli import _combining, _fitting, _predicting
from evical.cli import main as evical

ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Imported before the fork, so that most moments are those of work.
COMMANDS = _combining, _fitting, _predicting
JOBS = {
    "duckdb to csv": "predict model.json new.parquet -o out.csv --engine duckdb --threads 2",
    "duckdb to parquet": "predict model.json new.parquet -o out.parquet --engine duckdb",
    "duckdb to gz": "predict model.json small.parquet -o out.csv.gz --engine duckdb",
    "duckdb in little memory": "predict model.json new.parquet -o out.csv --engine duckdb "
    "--memory-limit 200MB --threads 1",
    "counts by duckdb": "fit train.parquet --score s --target y -o new.json --engine duckdb",
    "join by duckdb": "combine one.parquet two.parquet --key id --positive 1 -o out.parquet "
    "--engine duckdb",
    "chunks to csv": "predict model.json new.parquet -o out.csv",
    "chunks to parquet": "predict model.json new.parquet -o out.parquet",
}
FIT = "fit train.csv --score s --target y --method logistic -o model.json"
TABLES = {
    "train.parquet": "SELECT s, random() < s AS y FROM (SELECT random() AS s FROM range(300000))",
    "small.parquet": "SELECT random() AS s FROM range(100000)",
    "new.parquet": "SELECT random() AS s FROM range(600000)",
    "one.parquet": "SELECT range AS id, 0.2 AS bel, 0.6 AS pl FROM range(300000)",
    "two.parquet": "SELECT range AS id, 0.3 AS bel, 0.9 AS pl FROM range(300000)",
}


def prepare() -> int:
    """A model and tables."""
    with duckdb.connect() as base:
        for name, query in TABLES.items():
            base.execute(f"COPY ({query}) TO '{name}'")
    Path("train.csv").write_text(
        "s,y\n" + "".join(f"{s!r},{int(s > 0)}\n" for s in np.linspace(-1, 1.1, 30).tolist())
    )
    return evical(FIT.split())


def child(
    work: Callable[[], int], moments: Sequence[float] = (), number: int = 0
) -> tuple[int, float, str]:
    """Exit code, seconds and standard error of a process that gets signals at these moments."""
    read, write = os.pipe()
    start = time.monotonic()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    process = os.fork()
    if not process:
        os._exit(_in_child(write, work))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
    os.close(write)
    for moment in moments:
        time.sleep(moment)
        os.kill(process, number)  # a zombie takes it too
    with open(read) as pipe:
        err = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, time.monotonic() - start, err


def _in_child(err: int, work: Callable[[], int]) -> int:
    """Exit code of some work."""
    os.dup2(err, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # A shell that runs this in the background lets it ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        code = work()
    except KeyboardInterrupt:  # before the command began
        code = 130
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    return code


def faults(folder: Path, before: set[str], target: str, code: int, err: str) -> list[str]:
    """What an ended command left that it should not have."""
    left = {path.name for path in folder.iterdir()} - before - {target}
    found = [f"leaves {', '.join(sorted(left))}"] if left else []
    if err:
        found.append(f"says {err[-300:]!r}")
    # Before the command has begun, a signal ends the process.
    if code not in (0, *(128 + number for number in ENDINGS), *(-number for number in ENDINGS)):
        found.append(f"exit code {code}")
    if code == 0 and not (folder / target).exists():
        found.append("no output with exit code 0")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    wrong = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        # Not here, since threads do not survive a fork.
        assert child(prepare)[0] == 0
        before = {path.name for path in folder.iterdir()}
        for job, words in JOBS.items():
            target = words.split(" -o ")[1].split()[0]
            work = partial(evical, words.split())
            code, seconds, err = child(work)
            assert code == 0, err
            (folder / target).unlink()
            codes: Counter[int] = Counter()
            for _ in range(args.runs):
                number = rng.choice(ENDINGS)
                moments = [rng.random() * seconds * 1.1]
                if rng.random() < 0.3:
                    moments.append(rng.random() * 0.02)
                code, _, err = child(work, moments, number)
                codes[code] += 1
                found = faults(folder, before, target, code, err)
                wrong += bool(found)
                if found:
                    print(f"{job}: {number.name} after {moments}: {'; '.join(found)}", flush=True)
                for path in folder.iterdir():
                    if path.name not in before:
                        _clear(path)
            print(f"{job}: {seconds:.2f} s, exit codes {dict(codes)}", flush=True)
    return int(wrong > 0)


def _clear(path: Path) -> None:
    if path.is_dir():
        for inner in path.iterdir():
            _clear(inner)
        path.rmdir()
    else:
        path.unlink()


if __name__ == "__main__":
    sys.exit(main())
