"""Predictions, learned weights and saved states, as they were: what no rewrite may change.

Each answer was computed once and stands in ``frozen.json``. What is refitted goes through solvers
that stop at a tolerance, and depends a little on the processor and on versions, so it is compared
to 1e-6; what follows from saved numbers by arithmetic, to 1e-12. On the machine that wrote the
file, ``FROZEN_ATOL=1e-12 python -m pytest tests/evical/test_frozen.py`` compares all so closely.
``python -m tests.evical.test_frozen`` writes the file again, where answers are meant to change.
"""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError
from evical.calibrators import AutoCalibrator, BaseCalibrator, LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.conformal import ConformalClassifier
from evical.ensemble import EvidentialEnsemble
from evical.fused import EvidentialFusion
from evical.fusion import Rule, Stacked
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
)
from evical.source import EvidentialSource
from tests.support.each import each

FILE = Path(__file__).parent / "frozen.json"
REFITTED = float(os.environ.get("FROZEN_ATOL", "1e-6"))
EXACT = 1e-12
ROWS = 4
RULES = (
    "dempster",
    "mixing",
    "yager",
    "disjunctive",
    "conjunctive",
    "cautious",
    "pcr6",
    "valid_mean",
    "size_mixture",
)
LEARNED = (
    "stacked",
    "likelihood_mixture",
    "discounted",
    "contextually_discounted",
    "learned_tnorm",
)


@cache
def samples(k):
    """Features (n, 4), missing here and there in the last one, and labels."""
    rng = np.random.default_rng(k)
    y = np.arange(max(60, 10 * k)) % k
    centers = rng.normal(size=(k, 4)) * 1.2
    X = np.round(centers[y] + rng.normal(size=(len(y), 4)), 3)
    X[::7, 3] = np.nan
    return X, y


def logistic(model="likelihood"):
    return LogisticCalibrator(model=model)


def bayes(**options):
    return EvidentialClassifier(GaussianNB(), **{"cv": 2, **options})


def source(inner, **options):
    return EvidentialSource(inner, **{"columns": [0, 1, 2], **options})


def members(k):
    """Classifiers of each kind by name, not fitted."""
    named = {
        "folds": source(bayes(calibrator=logistic(), ensemble=True)),
        "pooled": source(bayes(ensemble=False), columns=[0, 2]),
        "probabilities": source(bayes(calibrator=logistic("bayesian")), columns=[0, 1]),
        "silent": source(bayes(calibrator=logistic()), columns=[1, 3], silent_if_missing="any"),
        "latent": source(EvidentialClassifier(LogisticRegression(tol=1e-10), calibrator="latent")),
        "plausibility": source(bayes(calibrator=logistic(), probability="plausibility")),
        "nested": source(
            EvidentialEnsemble(
                [source(bayes(calibrator=logistic()), columns=[at]) for at in (0, 1)],
                rule="dempster",
            )
        ),
        "conformal": source(ConformalClassifier(GaussianNB(), random_state=0)),
    }
    if k == 2:
        return named
    if k == 18:
        return {name: named[name] for name in ("silent", "latent")}
    if k == 5:
        named = {name: named[name] for name in ("folds", "silent", "latent", "conformal")}
    named["merged"] = source(bayes(calibrator=logistic()), coarsening={0: 9, 1: 9})
    named["pairs"] = source(bayes(calibrator=logistic(), code="all_pairs"))
    if k == 5:
        return named
    named["coupled"] = source(
        bayes(calibrator=logistic(), code="all_pairs", coupling="wu_lin_weng")
    )
    named["pairwise"] = source(
        bayes(calibrator=logistic(), code="all_pairs", coupling="pairwise_belief")
    )
    named["default"] = source(bayes())
    named["multinomial"] = source(bayes(calibrator=MultinomialLogisticCalibrator()))
    return named


CHOSEN = {
    2: ("folds", "pooled", "silent"),
    3: ("folds", "latent", "silent"),
    5: ("folds", "silent", "latent"),
    18: ("latent", "silent"),
}


@cache
def fitted(k):
    X, y = samples(k)
    return {name: member.fit(X, y) for name, member in members(k).items()}


def asked(k):
    """Rows to predict, one of them with a missing number."""
    return samples(k)[0][[0, 1, 5, 10][:ROWS]]


def listed(m):
    """Masses by mask, without those that are nothing."""
    return [
        {str(mask): float(mass) for mask, mass in zip(m.focal, row, strict=True) if mass > 0}
        for row in np.asarray(m.masses, dtype=float)
    ]


def answers(predictor, X):
    """What a fitted predictor says, as plain data."""
    k = len(predictor.classes_)
    acts = np.vstack([np.eye(k), np.full(k, 0.6), np.linspace(0, 1, k)])
    found = {
        "p": predictor.predict_proba(X).tolist(),
        "interval": predictor.predict_interval(X).tolist(),
        "classes": predictor.predict_set(X).astype(int).tolist(),
        "acts": predictor.predict_set(X, acts, criterion="maximality").astype(int).tolist(),
    }
    try:
        found["mass"] = listed(predictor.predict_mass(X))
    except CostLimitError as error:
        found["mass"] = str(error)
    if hasattr(predictor, "conflict"):
        found["conflict"] = predictor.conflict(X).tolist()
    if hasattr(predictor, "fusion_by_name_"):
        found["learned"] = predictor.fusion_by_name_
    return found


def of_member(k, name):
    return answers(fitted(k)[name], asked(k))


def ensemble(k, rule, names=None):
    # A penalty learned from few samples of many classes jumps where rounding differs.
    rule = Stacked(penalty=2.0) if rule == "firm" else rule
    chosen = [(name, FrozenEstimator(fitted(k)[name])) for name in names or CHOSEN[k]]
    return EvidentialEnsemble(chosen, rule=rule, total_conflict="vacuous").fit(*samples(k))


def of_rule(k, rule, *names):
    return answers(ensemble(k, rule, names), asked(k))


def of_trained(k, rule):
    """An ensemble whose members are trained in it, so that beliefs are held out."""
    kinds = members(k)
    chosen = [(name, kinds[name]) for name in ("latent", "silent", "merged") if name in kinds]
    model = EvidentialEnsemble(chosen, rule=rule, total_conflict="vacuous").fit(*samples(k))
    return answers(model, asked(k))


def of_subsets(k, rule):
    """Members that share the rows, so that each predicts those of the others."""
    X, y = samples(k)
    X, parts = X[:, :3], [np.arange(len(y))[y.cumsum() % 2 == at] for at in (0, 1)]
    pair = [bayes(calibrator=logistic()), GaussianNB()]
    model = EvidentialEnsemble(pair, rule=rule, cv=2, subsets=parts).fit(X, y)
    return answers(model, X[:ROWS])


def of_given(k, rule):
    """Sources that come as beliefs, as probabilities, and of two classes as scores."""
    X, y = samples(k)
    rows = X[:, :3]
    beliefs = fitted(k)["folds"].predict_mass(X)
    probability = GaussianNB().fit(rows[:, :2], y).predict_proba(rows[:, :2])
    probability[3] = np.nan
    sources = {"beliefs": beliefs, "probability": probability}
    if k == 2:
        sources["score"] = np.where(np.arange(len(y)) % 9 == 0, np.nan, rows[:, 2])
    new = {name: one[:ROWS] for name, one in sources.items()}
    model = EvidentialFusion(rule, total_conflict="vacuous").fit(sources, y)
    return answers(model, new)


CASES = {
    **{f"{k} {name}": (of_member, k, name) for k in (2, 3, 5, 18) for name in members(k)},
    **{f"{k} rule {rule}": (of_rule, k, rule) for k in (2, 3) for rule in RULES},
    **{f"{k} rule {rule}": (of_rule, k, rule) for k in (2, 3) for rule in LEARNED},
    **{
        f"{k} rule {rule}": (of_rule, k, rule)
        for k in (5, 18)
        for rule in ("dempster", "mixing", "firm", "discounted")
    },
    "2 one stacked": (of_rule, 2, "stacked", "silent"),
    **{f"{k} one dempster": (of_rule, k, "dempster", "silent") for k in (2, 3)},
    **{
        f"3 {other} {rule}": (of_rule, 3, rule, "silent", other)
        for other in ("merged", "pairs", "default", "nested", "coupled")
        for rule in ("dempster", "firm")
    },
    **{f"{k} trained stacked": (of_trained, k, "stacked") for k in (2, 3)},
    "2 trained learned_tnorm": (of_trained, 2, "learned_tnorm"),
    **{f"2 subsets {rule}": (of_subsets, 2, rule) for rule in LEARNED},
    **{f"3 subsets {rule}": (of_subsets, 3, rule) for rule in ("stacked",)},
    **{f"{k} given {rule}": (of_given, k, rule) for k in (2, 3) for rule in (None, "dempster")},
}


def saved():
    """Fitted calibrators and rules as plain data."""
    rng, y = np.random.default_rng(0), np.arange(60) % 3
    table = np.round(np.eye(3)[y] + rng.normal(size=(60, 3)), 2)
    made = {
        "2 logistic": logistic().fit(table[:, 0], y == 0),
        "2 automatic": AutoCalibrator().fit(table[:, 0], y == 0),
        "3 multinomial": MultinomialLogisticCalibrator().fit(table, y),
        "3 automatic": AutoMulticlassCalibrator().fit(table, y),
        "3 each": OneVsRestCalibrator(logistic()).fit(table, y),
        **{f"{k} {rule}": ensemble(k, rule).fusion_ for k in (2, 3) for rule in LEARNED},
    }
    return {name: one.to_dict() for name, one in made.items()}


def of_state(name, state):
    """What a restored calibrator or rule says, which is arithmetic alone."""
    k = int(name[0])
    if state["format"] == "evical.fusion":
        fusion = Rule.from_dict(state)
        kept = np.array([0.0, 0.3, 0.6])
        sources = [
            MassFunction(Frame(range(k)), [1, 2, 2**k - 1], np.stack([a, 0.1 + 0 * a, 0.9 - a], 1))
            for a in (kept, kept[::-1], kept / 2)[: fusion.n_sources_]
        ]
        return listed(fusion(*sources))
    base = BaseCalibrator if k == 2 else BaseMulticlassCalibrator
    scores = np.array([-1.0, 0.25, 2.0])
    calibrator = base.from_dict(state)
    scores = scores if k == 2 else np.stack([scores, scores[::-1], 0.3 * scores], axis=1)
    return {
        "p": calibrator.predict_proba(scores).tolist(),
        "interval": calibrator.predict_interval(scores).tolist(),
        "mass": listed(calibrator.predict_mass(scores)),
    }


@cache
def frozen():
    return json.loads(FILE.read_text(encoding="utf-8"))


def check(found, known, atol):
    """Equal shape, texts and choices, and numbers within a tolerance; a mass left out is 0."""
    if isinstance(known, dict):
        masses = all(key.isdigit() for key in known)
        for key in {**known, **found} if masses else known:
            check(found.get(key, 0.0) if masses else found[key], known.get(key, 0.0), atol)
    elif isinstance(known, list):
        assert len(found) == len(known)
        for one, other in zip(found, known, strict=True):
            check(one, other, atol)
    elif isinstance(known, float):
        assert abs(found - known) <= atol * max(1.0, abs(known)), (found, known)
    else:
        assert found == known


@each("name", CASES)
def test_predictions(name):
    make, *arguments = CASES[name]
    check(make(*arguments), frozen()["predictions"][name], REFITTED)


def test_saved_states():
    """What is saved has the same form, and numbers."""
    check(saved(), frozen()["states"], 100 * REFITTED)


@each("name", frozen()["states"] if FILE.exists() else [""])
def test_restored_states(name):
    """Models that were saved before say what they said."""
    check(of_state(name, frozen()["states"][name]), frozen()["restored"][name], EXACT)


if __name__ == "__main__":
    states = saved()
    now = {
        "predictions": {name: make(*given) for name, (make, *given) in CASES.items()},
        "states": states,
        "restored": {name: of_state(name, state) for name, state in states.items()},
    }
    FILE.write_text(json.dumps(now) + "\n", encoding="utf-8")
