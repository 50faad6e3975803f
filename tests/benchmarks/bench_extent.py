"""False alarms of the warning of another scale, and how often it finds one.

Run with ``python -m tests.benchmarks.bench_extent [alarms|real|found]`` from the repository.
"""

import sys
import warnings
from collections import Counter

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.datasets import load
from evical.errors import WrongWayWarning
from evical.scores.scale import extent_of, warn_of_scale

SIZES = (10, 30, 100, 1000)
KINDS = {  # scores of labels y whose classes are m apart
    "normal": lambda rng, y, m: rng.normal(m * (y - 0.5), 1),
    "log-odds": lambda rng, y, m: rng.normal((2 * y - 1) * m / 2, np.sqrt(m)),
    "probability": lambda rng, y, m: expit(KINDS["log-odds"](rng, y, m)),
    "percent": lambda rng, y, m: 100 * KINDS["probability"](rng, y, m),
    "votes": lambda rng, y, m: (
        np.round(100 * np.clip(1.1 * KINDS["probability"](rng, y, m) - 0.05, 0, 1)) / 100
    ),
    "credit": lambda rng, y, m: np.clip(
        580 + 60 * m * (y - 0.5) + rng.normal(0, 80, len(y)), 300, 850
    ).round(),
    "uniform": lambda rng, y, m: rng.uniform(-3, 3, len(y)) + m * (y - 0.5),
    "t, 3 degrees": lambda rng, y, m: m * (y - 0.5) + rng.standard_t(3, len(y)),
    "lognormal": lambda rng, y, m: np.exp(rng.normal(m * y / 2, 1)),
}
MISTAKES = {  # from log-odds: scores of fit, and of predictions
    "percent, then proportion": (lambda z: 100 * expit(z), expit),
    "proportion, then percent": (expit, lambda z: 100 * expit(z)),
    "log-odds, then probability": (lambda z: z, expit),
    "probability, then log-odds": (expit, lambda z: z),
    "log-odds, then percent": (lambda z: z, lambda z: 100 * expit(z)),
    "probability, then its negative": (expit, lambda z: -expit(z)),
    "600 - 50 z, then probability": (lambda z: 600 - 50 * z, expit),
    "log-odds, then their negative": (lambda z: z, lambda z: -z),
    "probability, then 1 - p": (expit, lambda z: 1 - expit(z)),
}


def warns(fit: np.ndarray, scores: np.ndarray) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", WrongWayWarning)
        if extent := extent_of(np.unique(fit)):
            warn_of_scale(scores, extent)
    return bool(caught)


def batches(rng, draw, pool, prevalence, spread, n):
    """Batches of n rows as they may come; `pool` are many scores."""
    start = rng.integers(0, len(pool) - n)
    some, part = pool[start : start + n], np.sort(pool[: 10 * n])
    tenth = rng.integers(10) * n
    yield "random", some
    yield "next to each other", np.sort(pool)[start : start + n]
    yield "tenth of a sorted table", part[tenth : tenth + n]
    yield "highest of 20,000", np.sort(pool)[-n:]
    yield "positive", draw(np.ones(n))
    yield "negative", draw(np.zeros(n))
    yield "other prevalence", draw((rng.random(n) < 0.5).astype(float))
    yield "2 sd up", some + 2 * spread
    yield "2 sd down", some - 2 * spread


def alarms() -> None:
    rng, found, names = np.random.default_rng(0), Counter(), []
    for kind, scores in KINDS.items():
        for _ in range(300):
            m, prevalence = rng.choice([0.5, 1, 2, 4, 8]), rng.choice([0.5, 0.1, 0.01])

            def draw(y, scores=scores, m=m):
                return scores(rng, y, m)

            y = np.append([0.0, 1.0], rng.random(rng.choice([30, 50, 200, 2000])) < prevalence)
            fit, pool = draw(y), draw((rng.random(20_000) < prevalence).astype(float))
            for n in SIZES:
                for name, batch in batches(rng, draw, pool, prevalence, fit.std(), n):
                    found[kind, name] += warns(fit, batch)
                    names += [name] * (name not in names)
    print("| false alarms of 1,200 |", " | ".join(KINDS), "|")
    for name in names:
        print(f"| {name} |", " | ".join(str(found[kind, name]) for kind in KINDS), "|")


def real() -> None:
    digits, cancer = load_digits(), load_breast_cancer()
    data = {"cancer": (cancer.data, cancer.target), "digits": (digits.data, digits.target > 4)}
    for name in ("banknote", "diabetes", "heart", "ionosphere", "mammography", "sonar"):
        try:
            one = load(name)
        except (OSError, ValueError) as error:
            print(f"{name}: {error}")
            continue
        data[name] = (np.nan_to_num(np.asarray(one.X, dtype=float)), one.y)
    total, found = Counter(), Counter()
    models = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        make_pipeline(StandardScaler(), SVC()),
        GaussianNB(),
        RandomForestClassifier(50, random_state=0),
        GradientBoostingClassifier(n_estimators=30, random_state=0),
    )
    for X, labels in data.values():
        y = np.unique(labels, return_inverse=True)[1]
        for seed in range(5):
            a, b, ya, _ = train_test_split(X, y, test_size=0.6, stratify=y, random_state=seed)
            for model in models:
                model.fit(a, ya)
                margin = hasattr(model, "decision_function")
                s = model.decision_function(b) if margin else model.predict_proba(b)[:, 1]
                fit, rest = s[: len(s) // 2], s[len(s) // 2 :]
                for scale in (1.0, 100.0):
                    for n in (10, 30, len(rest)):
                        for name, batch in {
                            "next rows": rest[:n],
                            "sorted": np.sort(rest)[:n],
                            "sorted, middle": np.sort(rest)[len(rest) // 2 :][:n],
                            "sorted, top": np.sort(rest)[-n:],
                            "positive": rest[rest > np.median(rest)][:n],
                        }.items():
                            total[name] += 1
                            found[name] += warns(scale * fit, scale * batch)
    print({name: f"{found[name]} of {total[name]}" for name in total})


def mistakes() -> None:
    rng = np.random.default_rng(1)

    def drawn(n, m, share):
        y = rng.random(n) < share
        return rng.normal((2 * y - 1) * m / 2, np.sqrt(m)) + np.log(share / (1 - share))

    shapes = [(m, n) for m in (1, 4, 9) for n in (10, 100, 1000)]
    print("| found in % |", " | ".join(f"{m}, {n}" for m, n in shapes), "|")
    for name, (before, after) in MISTAKES.items():
        cells = []
        for m, n in shapes:
            rates = [
                sum(
                    warns(before(drawn(500, m, share)), after(drawn(n, m, share)))
                    for _ in range(100)
                )
                for share in (0.5, 0.1)
            ]
            cells.append("{} / {}".format(*rates))
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    parts = {"alarms": alarms, "real": real, "found": mistakes}
    for part in sys.argv[1:] or parts:
        parts[part]()
