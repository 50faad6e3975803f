"""Write docs/svc_probabilities.md and .csv: support vector machines with probabilities.

Run ``python -m docs.make_multiclass``, which takes ten minutes, or with ``--page`` to write the
page from the numbers that are there. Each split of a data set into two stratified halves
trains all methods on the one and tests them on the other.
"""

import argparse
import csv
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical import EvidentialClassifier, LogisticCalibrator

TABLE = Path(__file__).with_name("svc_probabilities.csv")
PAGE = Path(__file__).with_name("svc_probabilities.md")
COLUMNS = (
    "data",
    "method",
    "log_loss",
    "log_loss_error",
    "wrong_percent",
    "wrong_percent_error",
    "excess",
    "excess_error",
)
MEASURED = ("log_loss", "excess", "wrong_percent")
HEAD = """# Probabilities of support vector machines

Written by `docs/make_multiclass.py`; the numbers are in
[svc_probabilities.csv](svc_probabilities.csv).

scikit-learn 1.9 deprecates `SVC(probability=True)`, which is Platt's calibration of each pair of
classes and a coupling of the pairs. This compares it with what can take its place: twenty random
splits of three data sets that come with scikit-learn into stratified halves, one to train on and
one to test, features standardized, support vector machines with default parameters.

* **log loss** of the predicted probabilities; **excess** is its mean difference to
  `SVC(probability=True)` on the same splits;
* **wrong**, the share of samples whose predicted label is wrong. `SVC.predict` goes by the votes of
  the pairs and not by the probabilities;
* `±` is the standard deviation over splits divided by the root of their number. Splits share
  samples, so that it describes these splits rather than new data.

"Platt" is `LogisticCalibrator("bayesian")`, "likelihood" `LogisticCalibrator("likelihood")`,
judged by its pignistic probabilities. All of "all pairs" have `code="all_pairs"` and
`ensemble=False`.

"""
DATA = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
SPLITS = StratifiedShuffleSplit(n_splits=20, test_size=0.5, random_state=0)


def pairs(coupling: str | None, model: str) -> EvidentialClassifier:
    return EvidentialClassifier(
        SVC(),
        calibrator=LogisticCalibrator(model),
        code="all_pairs",
        coupling=coupling,
        ensemble=False,
    )


METHODS = {
    "SVC(probability=True)": SVC(probability=True, random_state=0),
    "CalibratedClassifierCV(SVC(), ensemble=False)": CalibratedClassifierCV(SVC(), ensemble=False),
    "all pairs, Platt, wu_lin_weng": pairs("wu_lin_weng", "bayesian"),
    "all pairs, Platt, hastie_tibshirani": pairs("hastie_tibshirani", "bayesian"),
    "all pairs, likelihood, wu_lin_weng": pairs("wu_lin_weng", "likelihood"),
    "all pairs, likelihood, Dempster's rule": pairs(None, "likelihood"),
}


def losses(method: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Log loss and error rate of each split."""
    found = []
    for train, test in SPLITS.split(X, y):
        model = make_pipeline(StandardScaler(), clone(method))
        with warnings.catch_warnings():
            # scikit-learn 1.9 deprecates SVC(probability=True), the subject of this table.
            warnings.simplefilter("ignore", FutureWarning)
            model.fit(X[train], y[train])
        p = model.predict_proba(X[test])
        error = np.mean(model.predict(X[test]) != y[test])
        found.append((log_loss(y[test], p, labels=model.classes_), error))
    log, error = np.array(found).T
    return log, error


def mean_and_error(values: np.ndarray, digits: int) -> list[str]:
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return [f"{values.mean():.{digits}f}", f"{error:.{digits}f}"]


def rows() -> Iterator[list[str]]:
    for name, load in DATA.items():
        X, y = load(return_X_y=True)
        first = None
        for label, method in METHODS.items():
            log, error = losses(method, X, y)
            first = log if first is None else first
            # The spread over splits, which share samples: of this comparison, not of new data.
            half = [
                np.std(values, ddof=1) / np.sqrt(len(log)) for values in (log, error, log - first)
            ]
            yield [
                name,
                label,
                *(f"{log.mean():.4f} {half[0]:.4f}".split()),
                *(f"{100 * error.mean():.2f} {100 * half[1]:.2f}".split()),
                *(f"{(log - first).mean():.4f} {half[2]:.4f}".split()),
            ]


def page() -> str:
    """The page, from the table."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    lines = []
    for name in DATA:
        lines += [
            f"## {name}",
            "",
            "| method | log loss | excess | wrong, % |",
            "|---|---|---|---|",
        ]
        for row in found:
            if row["data"] == name:
                numbers = [f"{row[c]} ± {row[c + '_error']}" for c in MEASURED]
                lines.append(f"| {row['method']} | {' | '.join(numbers)} |")
        lines.append("")
    return HEAD + "\n".join(lines)


def main() -> None:
    """Run the comparison and write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the page only")
    if not parser.parse_args().page:
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for row in rows():
                writer.writerow(row)
                file.flush()  # to see how far it is
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
