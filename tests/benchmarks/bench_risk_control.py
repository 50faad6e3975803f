"""How often promises of risk control fail, and how much is answered, by where tests begin.

Run with ``python -m tests.benchmarks.bench_risk_control [real]`` from the repository; `real` needs
the folder of the data sets in ``EVICAL_DATA``. A promise fails if the risk, known from 100,000
simulated samples or from all samples that a classifier was not trained on, is above the bound.
"""

import sys
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical import EvidentialClassifier
from evical.conformal import control
from evical.conformal.control import answered_promise, least_number
from evical.datasets import load
from examples.studies.conformal_validity.study import _MORE, _TWO
from tests.evical.conformal.test_risk_control import WORLDS

_TIMES, _N_KNOWN, _LEVEL = 300, 100_000, 0.9
_own = control._levels


def flat(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """2 % of errors everywhere."""
    return rng.uniform(0.5, 1, n), np.full(n, 0.98)


def single(below: np.ndarray, bound: float, error: float) -> dict[int, float]:
    """Tests begin once, with the fewest answers that could be promised for."""
    size = least_number(bound, error)
    return {int(np.searchsorted(below, size)): error} if size <= below[-1] else {}


def equal(below: np.ndarray, bound: float, error: float) -> dict[int, float]:
    """All beginnings have the same share of the level."""
    begins = list(_own(below, bound, error))
    return dict.fromkeys(begins, error / max(1, len(begins)))


WAYS = {"once": single, "equal shares": equal, "as it is": _own}


Samples = Iterator[tuple[np.ndarray, np.ndarray]]


def simulations(right: np.ndarray, doubt: np.ndarray, n: int) -> Samples:
    """Losses and doubts (n,) of new samples."""
    for number in range(_TIMES):
        rng = np.random.default_rng(number)
        rows = rng.integers(len(right), size=n)
        yield (rng.random(n) > right[rows]).astype(float), doubt[rows]


def hold_outs(wrong: np.ndarray, doubt: np.ndarray, n: int) -> Samples:
    """Losses and doubts (n,) of samples drawn without replacement."""
    for number in range(_TIMES):
        rows = np.random.default_rng(number).permutation(len(wrong))[:n]
        yield wrong[rows], doubt[rows]


def judged(
    samples: Samples, doubt: np.ndarray, risks: np.ndarray, bound: float
) -> tuple[float, float, float]:
    """Shares of failed promises, of no promise, and mean share that is answered."""
    failed, nothing, answered, times = 0, 0, 0.0, _TIMES
    for losses, doubts in samples:
        found = answered_promise(losses, doubts, bound, _LEVEL)
        size = int(np.searchsorted(doubt, found.limit))
        failed += size > 0 and risks[size - 1] > bound
        nothing += not found.kept
        answered += size / len(doubt)
    return failed / times, nothing / times, answered / times


def simulated() -> None:
    print("| world | n | bound | tests begin | failed, % | no promise, % | answered, % |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for world in (*WORLDS, flat):
        rng = np.random.default_rng(0)
        p, truth = world(rng, _N_KNOWN)
        right, doubt = np.where(p > 0.5, truth, 1 - truth), 1 - np.maximum(p, 1 - p)
        order = np.argsort(doubt, kind="stable")
        right, doubt = right[order], doubt[order]
        risks = np.cumsum(1 - right) / np.arange(1, _N_KNOWN + 1)
        for n in (300, 1000):
            for bound in (0.05, 0.1):
                for name, levels in WAYS.items():
                    control._levels = levels
                    found = judged(simulations(right, doubt, n), doubt, risks, bound)
                    cells = " | ".join(f"{100 * one:.1f}" for one in found)
                    print(f"| {world.__name__} | {n} | {bound} | {name} | {cells} |", flush=True)
    control._levels = _own


def real() -> None:
    """Hold-outs of at most 100 or 500 from the samples that a classifier has not seen."""
    print("| data | n | failed 5 % | answered | failed 10 % | answered | error of all |")
    print("| --- |" + " ---: |" * 6)
    every: dict[tuple[str, int], list[list[float]]] = {}
    for name in f"{_TWO} {_MORE}".split():
        wrong, doubt, risks = unseen(name)
        for most in (100, 500):
            n = min(len(wrong) // 2, most)
            for way, levels in WAYS.items():
                control._levels = levels
                found = [judged(hold_outs(wrong, doubt, n), doubt, risks, b) for b in (0.05, 0.1)]
                every.setdefault((way, most), []).append([*found[0], *found[1]])
                if way == "as it is":
                    cells = " | ".join(f"{100 * one[0]:.1f} | {100 * one[2]:.1f}" for one in found)
                    print(f"| {name} | {n} | {cells} | {100 * wrong.mean():.1f} |", flush=True)
    control._levels = _own
    print("means, in percent, of failed, no promise and answered at 5 %, and at 10 %:")
    for (way, most), rows in every.items():
        print(
            way,
            most,
            (100 * np.mean(rows, axis=0)).round(1),
            "largest",
            np.max(rows, axis=0)[[0, 3]],
        )


def unseen(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors and doubts of unseen samples, by doubt, and the error of all up to each doubt."""
    data = load(name)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(data.y))[:6000]
    rows = rows[np.isin(data.y[rows], np.flatnonzero(np.bincount(data.y) >= 15))]
    X, y = np.asarray(data.X, dtype=float)[rows], data.y[rows]
    head = min(len(y) // 3, 1000)
    base = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    clf = EvidentialClassifier(base).fit(X[:head], y[:head])
    known = np.isin(y, clf.classes_) & (np.arange(len(y)) >= head)
    p = clf.predict_proba(X[known])
    wrong = (clf.classes_[p.argmax(axis=1)] != y[known]).astype(float)
    doubt = 1 - p.max(axis=1)
    order = np.argsort(doubt, kind="stable")
    wrong, doubt = wrong[order], doubt[order]
    ends = np.searchsorted(doubt, doubt, side="right")  # ties are answered together
    return wrong, doubt, (np.cumsum(wrong) / np.arange(1, len(wrong) + 1))[ends - 1]


if __name__ == "__main__":
    (real if "real" in sys.argv[1:] else simulated)()
