"""Conformal p-values and sets beside crepes and MAPIE, in one run.

Run with ``python -m tests.benchmarks.bench_conformal`` from the repository, in an environment that
has crepes and mapie. Times are CPU seconds of one thread (OMP_NUM_THREADS=1). The first row is the
whole way from 10^6 x 10 probabilities to plausibilities and sets; the others are sizes that the
peers can do, and check that results agree.
"""

import time
import timeit
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from evical.conformal import lac_scores, p_values
from evical.conformal.contour import prediction_sets, to_contour
from evical.conformal.nonconformity import aps_scores, margin_scores
from tests.benchmarks.timing import report
from tests.evical.conformal.samples import class_p_values

_ALPHA = 0.1


def best_seconds(function: Callable[[], Any], repeat: int = 3) -> float:
    """CPU seconds of the fastest of a few calls."""
    return min(timeit.repeat(function, timer=time.process_time, number=1, repeat=repeat))


def probabilities(n: int, k: int, rng: np.random.Generator) -> Any:
    return rng.dirichlet(np.ones(k), size=n)


def ours(own: Any, p: Any) -> Any:
    scores = lac_scores(p)
    return prediction_sets(to_contour(p_values(own, scores), scores), _ALPHA)


def large(rng: np.random.Generator) -> None:
    p, own, y = probabilities(10**6, 10, rng), rng.uniform(size=5000), rng.integers(0, 10, 5000)
    whole = best_seconds(lambda: ours(own, p))
    print(f"\n10^6 x 10, lac, p-values, contour and sets: {whole:.2f} s")
    for name, score in (("lac", lac_scores), ("margin", margin_scores), ("aps", aps_scores)):
        print(f"  scores {name}: {best_seconds(lambda score=score: score(p)):.2f} s")
    scores = lac_scores(p)
    by_class = best_seconds(lambda: class_p_values(own, y, scores))
    print(f"  p-values by class: {by_class:.2f} s")


def beside_crepes(rng: np.random.Generator) -> None:
    crepes, extras = import_module("crepes"), import_module("crepes.extras")
    p, own = probabilities(2000, 10, rng), rng.uniform(size=1000)
    peer = crepes.ConformalClassifier().fit(own)
    np.testing.assert_array_equal(
        p_values(own, lac_scores(p)), peer.predict_p(extras.hinge(p), smoothing=False)
    )
    fast = 1e3 * best_seconds(lambda: p_values(own, lac_scores(p)))
    slow = 1e3 * best_seconds(lambda: peer.predict_p(extras.hinge(p), smoothing=False))
    report("crepes, p-values of 2,000 x 10, 1,000 calibration scores", fast, slow)
    fast = 1e3 * best_seconds(lambda: margin_scores(p))
    slow = 1e3 * best_seconds(lambda: extras.margin(p), repeat=1)
    report("crepes, margin scores of 2,000 x 10", fast, slow)


def beside_mapie(rng: np.random.Generator) -> None:
    mapie = import_module("mapie.classification")
    table = import_module("tests.oracles.make_conformal").Table
    p = probabilities(101_000, 10, rng)
    y, rows = rng.integers(0, 10, 1000), np.arange(len(p))[:, np.newaxis]
    y[:10] = np.arange(10)
    clf = mapie.SplitConformalClassifier(
        table(p), confidence_level=1 - _ALPHA, conformity_score="lac", prefit=True
    ).conformalize(rows[:1000], y)
    own, new = 1 - p[np.arange(1000), y], p[1000:]
    sets = clf.predict_set(rows[1000:])[1][..., 0]
    plain = prediction_sets(p_values(own, lac_scores(new)), _ALPHA)
    np.testing.assert_array_equal(plain, sets)
    fast = 1e3 * best_seconds(lambda: prediction_sets(p_values(own, lac_scores(new)), _ALPHA))
    slow = 1e3 * best_seconds(lambda: clf.predict_set(rows[1000:]))
    report("MAPIE, sets of 100,000 x 10 at one level (ours: p-values, for all levels)", fast, slow)


def main() -> None:
    rng = np.random.default_rng(0)
    large(rng)
    beside_crepes(rng)
    beside_mapie(rng)


if __name__ == "__main__":
    main()
