"""False alarms of the monitor, and its delay after a change beside the exchangeability test.

Run with ``python -m tests.benchmarks.bench_monitor [alarms|delays]`` from the repository. An alarm
is a capital of 100. Predictions are probabilities of the second of two classes, or of three.
"""

import sys

import numpy as np
from scipy.special import expit, softmax

from evical.conformal import ExchangeabilityTest, online_p_values
from evical.evaluation import CalibrationMonitor

_LIMIT = np.log(100)
_LONG, _STREAMS, _AFTER = 100_000, 100, 10_000
STREAMS = {
    "log-odds N(0, 1)": lambda rng, n: expit(rng.normal(0, 1, n)),
    "log-odds N(0, 3)": lambda rng, n: expit(rng.normal(0, 3, n)),
    "2 % positive": lambda rng, n: expit(rng.normal(-4.2, 1, n)),
    "always 1/2": lambda rng, n: np.full(n, 0.5),
    "three classes": lambda rng, n: softmax(rng.normal(0, 1.5, (n, 3)), axis=1),
}
CHANGES = {
    "none": lambda z: z,
    "log-odds + 0.3": lambda z: z + 0.3,
    "log-odds + 1": lambda z: z + 1,
    "log-odds / 2": lambda z: z / 2,
    "log-odds * 2": lambda z: 2 * z,
    "labels swapped": lambda z: -z,
}


def seen(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Classes with these probabilities."""
    if p.ndim == 1:
        return (rng.random(len(p)) < p).astype(int)
    return (rng.random(len(p))[:, np.newaxis] > p.cumsum(axis=1)[:, :-1]).sum(axis=1)


def first(log_values: np.ndarray, start: int) -> float:
    """Samples after the start until the alarm; infinite if there is none, NaN if it was before."""
    alarms = np.flatnonzero(log_values >= _LIMIT)
    if not len(alarms):
        return np.inf
    return float(alarms[0] + 1 - start) if alarms[0] >= start else np.nan


def alarms() -> None:
    print("| predictions | streams | samples each | false alarms | smallest capital |")
    print("| --- | ---: | ---: | ---: | ---: |")
    total = 0
    for name, draw in STREAMS.items():
        found, least = 0, np.inf
        for number in range(_STREAMS):
            rng = np.random.default_rng(number)
            p = draw(rng, _LONG)
            values = CalibrationMonitor().update(p, seen(p, rng)).log_values
            found += bool((values >= _LIMIT).any())
            least = min(least, float(np.exp(values.min())))
        total += found
        print(f"| {name} | {_STREAMS} | {_LONG} | {found} | {least:.2g} |", flush=True)
    print(f"all: {total} of {len(STREAMS) * _STREAMS}")


def delays(streams: int = 20) -> None:
    print("| change | after | monitor | exchangeability |")
    print("| --- | ---: | ---: | ---: |")
    for name, change in CHANGES.items():
        for start in (0, 1000, 10_000, 100_000):
            found = []
            for number in range(streams if start < 100_000 else streams // 2):
                rng = np.random.default_rng(number)
                z = rng.normal(0, 1.5, start + _AFTER)
                p, truth = expit(z), expit(np.r_[z[:start], change(z[start:])])
                y = seen(truth, rng)
                strange = np.where(y == 1, 1 - p, p)
                steps = online_p_values(strange, rng)
                found.append(
                    [
                        first(CalibrationMonitor().update(p, y).log_values, start),
                        first(ExchangeabilityTest().update(steps).log_values, start),
                    ]
                )
            median = np.nanmedian(found, axis=0)
            cells = " | ".join("-" if one == np.inf else f"{one:.0f}" for one in median)
            print(f"| {name} | {start} | {cells} |", flush=True)


if __name__ == "__main__":
    if "delays" not in sys.argv[1:]:
        alarms()
    if "alarms" not in sys.argv[1:]:
        delays()
