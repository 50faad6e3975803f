"""What to take for `discounting`, `alpha` and `n_neighbors` of evidential neighbors.

Run with ``python -m tests.benchmarks.bench_neighbor_defaults``, and the folder of the data sets in
the environment variable ``EVICAL_DATA``. They are not those of the study ``learners``, which
confirms the choice. Numbers are means over data sets, of three random halves each; features are
standardized.
"""

from itertools import product

import numpy as np

from evical.datasets import load
from evical.learners import EvidentialKNeighborsClassifier
from examples.studies.learners.measures import Told, judged
from examples.studies.learners.study import Split

SETS = [
    "haberman",
    "liver_disorders",
    "balance_scale",
    "fourclass",
    "zoo",
    "banknote",
    "digits",
    "breast_cancer",
    "pendigits_test",
    "svmguide1_train",
    "spect_test",
    "page_blocks",
    "bbq_circular_train",
    "soybean_train",
]
OPTIONS = (("uniform", "contextual"), (0.5, 0.7, 0.8, 0.95), (5, 10))
MEASURES = ("log_loss", "error", "brier", "u65", "broken")
_SEED, _REPEATS = 7, 3


def main() -> None:
    splits = [[Split.of(load(name), r, _SEED) for r in range(_REPEATS)] for name in SETS]
    print("| discounting | alpha | neighbors |", " | ".join(MEASURES), "|")
    print("| --- |", " ---: |" * (2 + len(MEASURES)))
    for discounting, alpha, count in product(*OPTIONS):
        clf = EvidentialKNeighborsClassifier(
            n_neighbors=count, discounting=discounting, alpha=alpha
        )
        found = []
        for of_set in splits:
            for split in of_set:
                told = Told.by(clf.fit(split.X, split.y), split.new)
                found.append([judged(told, split.truth)[name] for name in MEASURES])
        cells = " | ".join(f"{value:.3f}" for value in np.mean(found, axis=0))
        print(f"| {discounting} | {alpha} | {count} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
