"""Write docs/calibrator_speed.md: how long each calibrator takes, beside those of other packages.

Run ``python -m docs.make_speed``; peers take part if they are installed. Every calibrator in
``evical.calibrators.__all__`` is found by itself. A method whose last fit took so long that ten
times the samples would exceed the limit is not run on them.
"""

import argparse
import platform
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dstheory.kernels.jit import HAVE_NUMBA
from evical.datasets import simulated_scores
from examples.studies.quality.contenders import Contender, calibrator_contenders
from examples.studies.quality.peers import installed

PAGE = Path(__file__).with_name("calibrator_speed.md")
SIZES = (1_000, 10_000, 100_000, 1_000_000)

HEAD = """# How long calibrators take

Written by `docs/make_speed.py`, in one run of

    python -m docs.make_speed --limit {limit:g} --cpu "{machine}"

on {machine}, Python {python}, {packages}, {numba}.

Scores are simulated with a known, monotone map (`evical.datasets.simulated_scores`), all
distinct. Times are seconds of CPU on one thread, which other programs hardly change: of a fit on
N samples, and of the probabilities of as many other samples after the largest fit, the best of
three, or of one if that took more than a second. `-` means that ten times as many samples would
have taken more than {limit:g} s. Methods with a version are other packages; in their rows nothing
is ours.

| method | {sizes} | prediction |
|---|{rules}---|
"""


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the longest fit")
    parser.add_argument("--cpu", default=platform.processor() or platform.machine())
    options = parser.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    head = HEAD.format(
        limit=options.limit,
        machine=options.cpu,
        python=platform.python_version(),
        packages=packages,
        numba=f"numba {version('numba')}" if HAVE_NUMBA else "without numba",
        sizes=" | ".join(f"{n:,}" for n in SIZES),
        rules="---|" * len(SIZES),
    )
    with threadpool_limits(1):
        rows = [line(contender, options.limit) for contender in [*contenders(), *installed()]]
    PAGE.write_text(head + "\n".join(rows) + "\n", encoding="utf-8", newline="\n")


def contenders() -> list[Contender]:
    """One of each class, with its default options."""
    return [c for c in calibrator_contenders() if "(" not in c.name]


def line(contender: Contender, limit: float) -> str:
    """A row of the table."""
    warm = simulated_scores("monotone", 100, np.random.default_rng(2))
    contender.make().fit(warm.scores, warm.y)  # whatever is compiled or loaded once
    cells: list[str] = []
    prediction, seconds = "-", 0.0
    for n in SIZES:
        if 10 * seconds > limit:
            cells.append("-")
            continue
        scores, y, _ = simulated_scores("monotone", n, np.random.default_rng(0))
        model = contender.make()
        seconds = best(lambda m=model, s=scores, y=y: m.fit(s, y))
        new = simulated_scores("monotone", n, np.random.default_rng(1)).scores
        predict = best(lambda m=model, new=new: m.predict_proba(new))
        cells.append(shown(seconds))
        prediction = f"{shown(predict)} for {n:,}"
    print(contender.name, *cells, prediction, sep="  ", flush=True)
    return f"| {contender.name} | {' | '.join(cells)} | {prediction} |"


def best(call: Any) -> float:
    """CPU seconds of the fastest of three calls, or of one that takes more than a second."""
    times = []
    for _ in range(3):
        start = process_time()
        call()
        times.append(process_time() - start)
        if times[-1] > 1:
            break
    return min(times)


def shown(seconds: float) -> str:
    """Two digits."""
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


if __name__ == "__main__":
    main()
