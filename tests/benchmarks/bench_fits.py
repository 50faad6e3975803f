"""What each calibrator takes with each of its models: CPU time of a fit, and of a prediction.

Run with ``python -m tests.benchmarks.bench_fits``, or with a part of a name (``... bench_fits
Gaussian``). Times are milliseconds of CPU, the best of five after one to warm up: a fit of 100, 300
and 1,000 probabilities, all distinct and rounded to two digits, and the mass functions of 1,000
others; in parentheses the ratio to the same of scikit-learn's sigmoid, in the same run. Linear
algebra has one thread, as threads that wait for each other take CPU time. Where betacal is
installed, it is timed beside `BetaCalibrator`.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract
from time import process_time
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.calibration import _SigmoidCalibration
from threadpoolctl import threadpool_limits

from evical import calibrators

SIZES = (100, 300, 1000)
MODELS = ("bayesian", "laplace", "inverse_pignistic", "dempster", "confidence", "likelihood")
Floats = Any


def sample(n: int, digits: int | None) -> tuple[Floats, Floats]:
    """Probabilities that are too near to 1/2, and labels."""
    rng = np.random.default_rng(0)
    margins = rng.normal(size=n)
    p = expit(margins)
    y = (rng.random(n) < expit(2 * margins)).astype(int)
    return p if digits is None else p.round(digits), y


class Betacal:
    """The package of that name, which fits the probability alone."""

    def fit(self, p: Floats, y: Floats) -> "Betacal":
        with warnings.catch_warnings():  # it changes the filters of the whole process
            self.model = import_module("betacal").BetaCalibration("abm").fit(p[:, None], y)
        return self

    def predict_mass(self, p: Floats) -> Floats:
        return self.model.predict(p[:, None])


def contenders(part: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each calibrator with each model that it takes."""
    if find_spec("betacal") and part in "BetaCalibrator":
        yield "betacal", Betacal
    for name in calibrators.__all__:
        cls = getattr(calibrators, name)
        if part not in name or not name.endswith("Calibrator") or isabstract(cls):
            continue
        if "model" not in cls._get_param_names():
            yield name, cls
            continue
        for model in MODELS:
            try:
                cls(model=model).fit(*sample(20, None))
            except ValueError:
                continue  # has no such model
            yield f"{name}({model})", lambda cls=cls, model=model: cls(model=model)


def cpu_ms(call: Callable[[], Any]) -> float:
    """CPU milliseconds of the fastest of five calls, of two if they are long, after another."""
    call()
    times: list[float] = []
    while len(times) < (5 if sum(times) < 1 else 2):
        start = process_time()
        call()
        times.append(process_time() - start)
    return 1e3 * min(times)


def row(make: Callable[[], Any], predict: str) -> list[float]:
    """Six fits, and a prediction."""
    samples = [sample(n, digits) for digits in (None, 2) for n in SIZES]
    fits = [cpu_ms(lambda part=part: make().fit(*part)) for part in samples]
    model, new = make().fit(*samples[2]), sample(1000, None)[0]
    return [*fits, cpu_ms(lambda: getattr(model, predict)(new))]


def main() -> None:
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    base = row(_SigmoidCalibration, "predict")
    heads = [f"fit {n}{kind}" for kind in ("", ", rounded") for n in SIZES]
    print(" " * 40, *(f"{head:>18}" for head in [*heads, "predict 1000"]))
    for name, make in [("scikit-learn: sigmoid", None), *contenders(part)]:
        times = base if make is None else row(make, "predict_mass")
        cells = (f"{a:9.2f} ({a / b:6.2f})" for a, b in zip(times, base, strict=True))
        print(f"{name:40}", *cells, flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
