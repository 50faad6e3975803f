"""Warnings where nothing is wrong: ``python -m tests.joints.false_alarms --data FOLDER``.

On each data set of the folder usual classifiers are calibrated, combined, compared and checked as a
user would, with the default of everything. What then warns is printed with the job and the data:
either something is wrong there and the message names it, or the warning has to be mended.
"""

import argparse
import re
import sys
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, cross_val_mass
from evical.conformal import ConformalClassifier
from evical.datasets import load
from evical.evaluation import Evaluation, check_calibration, compare
from tests.protocols.calibrators_table import CALIBRATORS
from tests.protocols.multiclass_table import MULTICLASS

MOST = 400  # rows of a data set
LEAST = 8  # rows of a class; rarer ones are left out
CLASSIFIERS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "svm": make_pipeline(StandardScaler(), LinearSVC()),
    "bayes": GaussianNB(),
    "forest": RandomForestClassifier(50, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
    "neighbors": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(random_state=0),
}
Job = tuple[str, Callable[[], object]]


def jobs(X: Any, y: Any) -> Iterator[Job]:
    """What users do with a data set."""
    train, new, known, truth = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    few = len(np.unique(y)) <= 16  # as many as masses can be listed for

    def predicted(model: Any) -> None:
        model.fit(train, known)
        model.predict_proba(new)
        model.predict_interval(new)
        model.predict_set(new)
        if few:
            model.predict_mass(new)
        model.score(new, truth)

    def conformal(model: Any) -> None:
        model.fit(train, known).predict_set(new, alpha=0.1)

    def calibrated(calibrator: Any, scores: Any) -> None:
        calibrator.fit(scores, y).predict_proba(scores)

    for name, classifier in CLASSIFIERS.items():
        yield f"classifier {name}", partial(predicted, EvidentialClassifier(classifier))
        yield f"conformal {name}", partial(conformal, ConformalClassifier(classifier))
    members = [(name, CLASSIFIERS[name]) for name in ("logistic", "bayes", "forest")]
    yield "ensemble", partial(predicted, EvidentialEnsemble(members))
    yield "cross_val_mass", partial(cross_val_mass, EvidentialClassifier(GaussianNB()), X, y)

    scores = [
        cross_val_predict(CLASSIFIERS[name], X, y, cv=3, method="predict_proba")
        for name in ("logistic", "forest")
    ]
    yield "fusion", lambda: EvidentialFusion().fit(scores, y).predict_mass(scores)
    one = scores[0]
    if one.shape[1] == 2:
        margin = cross_val_predict(CLASSIFIERS["svm"], X, y, cv=3, method="decision_function")
        for entry in {entry.name: entry for entry in reversed(CALIBRATORS)}.values():
            yield entry.name, partial(calibrated, entry(), margin)
        yield "compare", partial(compare, margin, y)
        yield "check", lambda: check_calibration(Evaluation.from_predictions(y, one[:, 1]))
    else:
        for multi in {multi.name: multi for multi in reversed(MULTICLASS)}.values():
            if multi.scores == "pairs" and one.shape[1] > 3:
                continue
            yield multi.name, partial(calibrated, multi(), multi.read(np.log(one.clip(1e-6))))


def samples(name: str, folder: Path) -> tuple[Any, Any]:
    """At most MOST rows of a data set, of its frequent classes."""
    data = load(name, folder)
    rows = np.random.default_rng(0).permutation(len(data.y))[:MOST]
    rows = rows[np.bincount(data.y[rows], minlength=len(data.class_names))[data.y[rows]] >= LEAST]
    return data.X[rows], np.asarray(data.class_names)[data.y[rows]]


def heard(job: Callable[[], object]) -> list[str]:
    """What a job warns of, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            job()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            return [f"{type(error).__name__} in {Path(where.filename).name}: {error}"]
    return [
        f"{one.category.__name__}: {one.message}"
        for one in caught
        if not one.category.__module__.startswith(("sklearn", "scipy"))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of data sets")
    parser.add_argument("--only", default="", help="regular expression on names of data sets")
    args = parser.parse_args()
    names = {path.name.split(".")[0] for path in args.data.glob("*.csv*")}
    names = {re.sub("_(train|test)$", "", name) for name in names}
    tried, sets = 0, 0
    found: Counter[str] = Counter()
    where: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        if not re.search(args.only, name):
            continue
        try:
            X, y = samples(name, args.data)
        except ValueError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        sets += 1
        print(f"{name}: {len(y)} rows", file=sys.stderr, flush=True)
        for what, job in jobs(X, y):
            tried += 1
            for message in heard(job):
                kind = re.sub(r"\d[\d.]*", "#", message)[:160]
                found[kind] += 1
                where[kind].append(f"{name} {what}")
    print(f"{sets} data sets, {tried} jobs, {sum(found.values())} alarms")
    for kind, number in found.most_common():
        print(f"{number:4d}  {kind}\n      {', '.join(where[kind][:6])}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
