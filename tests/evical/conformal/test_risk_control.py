"""Risk control: its definitions, MAPIE's thresholds, that promises are kept, and bad input."""

import itertools
import json
import math
import pickle
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from evical import EvidentialClassifier
from evical.conformal import RiskControl
from evical.conformal.control import (
    FIXED,
    answered_promise,
    p_values,
    rejected,
    sample_promise,
)
from evical.metrics import set_coverage
from evical.metrics.selective import relative_entropy
from evical.multiclass import AutoMulticlassCalibrator
from tests.naive import conformal as naive
from tests.support.each import each

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "risk.json").read_text("utf-8"))
NOTHING = -np.inf


class Table(LogisticRegression):
    """A fitted classifier whose samples are probabilities of the second of two classes."""

    def __init__(self, classes=(0, 1)):
        super().__init__()
        self.classes = classes
        self.classes_ = np.array(classes)

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0]
        return np.stack([1 - p, p], axis=1)


def frozen(*classes):
    return FrozenEstimator(Table(classes or (0, 1)))


# Definitions


@each("n", [1, 5, 59, 300])
@each("bound", [Fraction(1, 20), Fraction(1, 3)])
def test_p_values_of_errors_are_exact(n, bound):
    errors = np.arange(min(n, 20) + 1.0)
    found = p_values(errors, np.full(len(errors), float(n)), float(bound), whole=True)
    wanted = [float(naive.binomial_tail(int(k), n, bound)) for k in errors]
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@each("shares", [(0.6, 0.3, 0.1), (0.9, 0.0, 0.1), (0.0, 0.4, 0.6)])
def test_p_values_of_other_losses_are_valid(shares):
    """Over all samples of losses 0, 1/2 and 1, whose mean is just the bound."""
    n, mean = 9, shares[1] / 2 + shares[2]
    counts = [c for c in itertools.product(range(n + 1), repeat=3) if sum(c) == n]
    chances = np.array(
        [
            math.factorial(n)
            * math.prod(s**k / math.factorial(k) for s, k in zip(shares, c, strict=True))
            for c in counts
        ]
    )
    sums = np.array([c[1] / 2 + c[2] for c in counts])
    p = p_values(sums, np.full(len(sums), float(n)), mean, whole=False)
    assert chances.sum() == pytest.approx(1)
    for level in np.unique(p):
        assert chances[p <= level].sum() <= level + 1e-12
    assert p.min() < 1


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=60))
def test_limits_of_answers_are_those_of_the_definition(samples):
    losses, doubts = zip(*samples, strict=True)
    bound, error = Fraction(3, 10), Fraction(1, 4)
    found = answered_promise(
        np.array(losses, dtype=float), np.array(doubts, dtype=float), 0.3, 0.75
    )
    wanted = naive.answered_limit([int(one) for one in losses], doubts, bound, error)
    assert found.limit == (NOTHING if wanted is None else wanted)
    answered = [loss for loss, doubt in samples if doubt < found.limit]
    assert (found.n_samples, found.n_answered) == (len(samples), len(answered))
    assert not found.kept or found.n_needed is None


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=2, max_size=12),
    st.sampled_from([Fraction(1, 4), Fraction(1, 2)]),
)
def test_the_mean_over_held_out_samples_keeps_the_bound(samples, bound):
    """Law: with each of n + 1 samples as the new one, exactly; limits are the definition's."""
    ask = Fraction(1, 8)
    rows = [(max(Fraction(a, 4), ask), ask, d) for a, _, d in samples]
    losses = []
    for i, (answered, asked, doubt) in enumerate(rows):
        others = [
            np.array(part, dtype=float) for part in zip(*rows[:i], *rows[i + 1 :], strict=True)
        ]
        found = sample_promise(*others, float(bound), None)
        wanted = naive.mean_limit(*zip(*rows[:i], *rows[i + 1 :], strict=True), bound, 1)
        assert found.limit == (NOTHING if wanted is None else wanted)
        losses.append(answered if doubt < found.limit else asked)
    assert sum(losses) / len(losses) <= bound


def test_losses_of_all_samples_are_tested_on_a_grid():
    rng = np.random.default_rng(0)
    doubt = rng.random(400)
    wrong = (rng.random(400) < doubt / 2).astype(float)
    found = sample_promise(wrong, np.full(400, 0.05), doubt, 0.1, 0.9)
    means = [np.where(doubt < limit, wrong, 0.05).mean() for limit in FIXED]
    p = [p_values(np.array([400 * m]), np.array([400.0]), 0.1, whole=False)[0] for m in means]
    assert found.limit == FIXED[: np.argmax(np.array(p) > 0.1)][-1]
    assert 0 < found.risk < 0.1


# Another package


@each("case", PEERS["controls"])
@each("number", range(5))
def test_thresholds_of_mapie(case, number):
    """Its number of errors is n times their share, rounded up: by rounding, often one too many.

    P-values are then larger. Where they are not, they are ours, and so are the procedures.
    """
    p, y, peer = np.array(case["p"]), np.array(case["y"]), case["controls"][number]
    grid, target = np.array(peer["grid"]), peer["target"]
    wrong = ((p > 0.5) != y).astype(float)
    if peer["risk"] == "error":
        doubt, limits, bound, kept = 1 - np.maximum(p, 1 - p), 1 - grid, target, p >= 0
    elif peer["risk"] == "precision":
        doubt, limits, bound, kept = 1 - p, 1 - grid, 1 - target, p > 0.5
    else:
        doubt, limits, bound, kept = p, grid, 1 - target, p < 0.5
    ascending = np.argsort(limits)
    limits = limits[ascending]
    below = doubt[kept, np.newaxis] < limits
    errors, n = wrong[kept] @ below, below.sum(axis=0).astype(float)
    found = p_values(errors, n, bound, whole=True)
    theirs = np.array(peer["p_values"])[ascending]
    hoeffding = np.exp(-n * relative_entropy(np.minimum(errors / n, bound), bound))
    more = np.minimum(p_values(errors + 1, n, bound, whole=True), hoeffding)
    same = np.isclose(theirs, found, rtol=1e-9)
    assert same.mean() > 0.6
    np.testing.assert_allclose(theirs[~same], more[~same], rtol=1e-9)
    name = "holm" if peer["way"] == "bonferroni_holm" else peer["way"]
    valid = np.isin(grid[ascending], peer["valid"])
    np.testing.assert_array_equal(rejected(theirs, name, {0: 0.1}), valid)
    loss = {"error": "error", "precision": "false_discovery"}.get(peer["risk"], "false_omission")
    options = {"loss": loss, "bound": bound, "level": 0.9, "doubts": limits, "procedure": name}
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        (promise,) = RiskControl(frozen(), **options).fit(p[:, np.newaxis], y).promises_
    accepted = rejected(found, name, {0: 0.1})
    largest = [max(limits[part], default=NOTHING) for part in (accepted, valid)]
    assert promise.limit == largest[0] >= largest[1]
    assert not (valid & ~accepted).any()


# Promises are kept


def sigmoid(rng, n):
    s = rng.normal(0, 2, n)
    return expit(s), expit(s)


def overconfident(rng, n):
    s = rng.normal(0, 2, n)
    return expit(2 * s), expit(s)


def noisy(rng, n):
    s = rng.normal(0, 3, n)
    return expit(s), 0.03 + 0.94 * expit(s)


def few_values(rng, n):
    p = rng.choice([0.1, 0.4, 0.6, 0.8, 0.9, 0.97], n)
    return p, p


def at_the_bound(rng, n):
    p = rng.uniform(0.5, 1, n)
    return p, np.full(n, 0.9 - 1e-9)


WORLDS = (sigmoid, overconfident, noisy, few_values, at_the_bound)


@each("world", WORLDS)
@each("n", [60, 300])
def test_promises_are_kept_in_simulations(world, n):
    """The risk, known by a large sample, is above the bound at most as often as allowed."""
    rng = np.random.default_rng(n)
    p, truth = world(rng, 100_000)
    right = np.where(p > 0.5, truth, 1 - truth)
    doubt = 1 - np.maximum(p, 1 - p)
    order = np.argsort(doubt)
    risks = np.cumsum(1 - right[order]) / np.arange(1, len(p) + 1)
    bad = kept = 0
    for _ in range(150):
        rows = rng.integers(len(p), size=n)
        losses = (rng.random(n) > right[rows]).astype(float)
        found = answered_promise(losses, doubt[rows], 0.1, 0.8)
        kept += found.kept
        size = np.searchsorted(doubt[order], found.limit)
        bad += size > 0 and risks[size - 1] > 0.1
    assert bad / 150 <= 0.2 + 3 * (0.2 * 0.8 / 150) ** 0.5
    assert kept > 0


@each("loader", [load_breast_cancer, load_digits])
@each(("loss", "bound"), [("error", 0.05), ("by_class", 0.15), ("wrong_answer", 0.04)])
def test_promises_are_kept_on_real_data(loader, loss, bound):
    """Of samples that a classifier was not trained on, as many as hold-outs draw from."""
    X, y = loader(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))
    X, y = X[rows], y[rows]
    fitted = FrozenEstimator(GaussianNB(var_smoothing=1e-3).fit(X[:150], y[:150]))
    rest, truth = X[150:750], y[150:750]
    table = fitted.predict_proba(rest)
    wrong = table.argmax(axis=1) != truth
    bad, times = 0, 40
    for number in range(times):
        held = np.random.default_rng(number).permutation(len(truth))[:200]
        control = RiskControl(fitted, loss=loss, bound=bound, level=0.8)
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            control.fit(rest[held], truth[held])  # the bound may not be promised
        known = control.predict(rest) != "ask"
        answers = table.argmax(axis=1)
        if loss == "wrong_answer":
            risks = [(wrong & known).mean()]
        elif loss == "error":
            risks = [wrong[known].mean() if known.any() else 0]
        else:
            risks = [
                wrong[known & (answers == k)].mean() if (known & (answers == k)).any() else 0
                for k in control.classes_
            ]
        bad += max(risks) > bound
    assert bad / times <= 0.2 + 3 * (0.2 * 0.8 / times) ** 0.5


# What it answers


def fitted_to(p, y, **options):
    return RiskControl(frozen(*np.unique(y).tolist()), **options).fit(np.c_[p], y)


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    p = expit(rng.normal(0, 3, 500))
    return p, (rng.random(500) < p).astype(int)


@each("text", [False, True])
def test_answers_and_the_reserved_one(sample, text):
    p, y = sample
    names = np.array(["no", "yes"]) if text else np.array([0, 1])
    control = fitted_to(p, names[y], bound=0.1)
    answers, sets = control.predict(np.c_[p]), control.predict_set(np.c_[p])
    (promise,) = control.promises_
    asked = answers == "ask"
    assert 0 < asked.sum() == 500 - promise.n_answered
    assert answers[~asked].tolist() == names[(p > 0.5).astype(int)][~asked].tolist()
    assert sets[asked].all()
    np.testing.assert_array_equal(sets[~asked, 1], p[~asked] > 0.5)
    assert (1 - np.maximum(p, 1 - p)[~asked]).max() < promise.limit == control.limits_[0]
    assert set_coverage(names[y], sets).coverage[0] == 1 - promise.risk * (~asked).mean()
    assert isinstance(answers[~asked][0], str if text else int)
    again = pickle.loads(pickle.dumps(control)).predict(np.c_[p])
    assert again.tolist() == clone(control).fit(np.c_[p], names[y]).predict(np.c_[p]).tolist()
    assert again.tolist() == answers.tolist()


@each("loss", ["error", "by_class", "wrong_answer", [[0, 1], [1, 0], [0.05, 0.05]]])
def test_weights_are_those_of_the_risk(sample, loss):
    p, y = sample
    X, w = np.c_[p], np.where(p < 0.5, 3.0, 2.0) * (np.arange(500) % 5 > 0)
    control = RiskControl(frozen(), loss=loss, bound=0.2, level=0.8)
    plain = control.fit(X[w > 0], y[w > 0]).promises_
    equal = control.fit(X, y, sample_weight=7.0 * (w > 0)).promises_
    assert [str(one) for one in equal] == [str(one) for one in plain]
    found = control.fit(X, y, sample_weight=w).promises_
    answer, wrong = (p > 0.5).astype(int), (p > 0.5) != y
    lost = np.where(
        1 - np.maximum(p, 1 - p) < found[0].limit, wrong, 0 if loss == "wrong_answer" else 0.05
    )
    for one, other in zip(found, plain, strict=True):
        assert one.kept
        assert one.n_answered <= other.n_answered  # weights add no certainty
        assert one.n_samples == other.n_samples
        known = 1 - np.maximum(p, 1 - p) < one.limit
        if loss == "by_class":
            known &= answer == one.of
        about = known if loss in ("error", "by_class") else slice(None)
        risk = np.average(
            (wrong if loss in ("error", "by_class") else lost)[about], weights=w[about]
        )
        assert one.risk == pytest.approx(risk, abs=1e-12)


def test_weights_that_cannot_count_are_named(sample):
    p, y = sample
    w = 1 + np.arange(500) % 2
    control = RiskControl(frozen(), loss="wrong_answer", level=None, bound=0.2)
    with pytest.raises(ValueError, match="sample_weight is given, but level is None"):
        control.fit(np.c_[p], y, sample_weight=w)
    neighbors = RiskControl(KNeighborsClassifier(), bound=0.4, random_state=0)
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
        neighbors.fit(np.c_[p], y, sample_weight=w)
    trained = RiskControl(LogisticRegression(), bound=0.4, random_state=0)
    plain = trained.fit(np.c_[p], y).estimator_.coef_
    assert (trained.fit(np.c_[p], y, sample_weight=w).estimator_.coef_ != plain).all()


def test_each_class_has_its_limit(sample):
    p, y = sample
    both = fitted_to(p, y, loss="by_class", bound=[0.05, 0.2], level=0.9)
    assert [(one.of, one.bound) for one in both.promises_] == [(0, 0.05), (1, 0.2)]
    for number, loss in enumerate(["false_omission", "false_discovery"]):
        alone = fitted_to(p, y, loss=loss, bound=(0.05, 0.2)[number], level=0.95)
        assert alone.promises_[0].limit == both.limits_[number]  # half of the level each
        assert alone.limits_[1 - number] == np.inf
        asked = alone.predict(np.c_[p]) == "ask"
        assert ((p[asked] > 0.5) == number).all()


def test_costs_of_asking_and_functions(sample):
    p, y = sample
    table = np.array([[0, 1.0], [0.5, 0]])
    (promise,) = fitted_to(p, y, loss=table, bound=0.1).promises_
    costs = lambda truth, answer: table[answer, truth]  # noqa: E731  # as short as it is
    assert fitted_to(p, y, loss=costs, bound=0.1).promises_ == [promise]
    (errors,) = fitted_to(p, y, bound=0.1).promises_
    for wrong in (lambda truth, answer: truth != answer, 1 - np.eye(2)):
        (same,) = fitted_to(p, y, loss=wrong, bound=0.1).promises_
        assert same == replace(errors, what="mean loss of the answers")
    weaker = fitted_to(p, y, loss=lambda truth, answer: 1.0 * (truth != answer), bound=0.1)
    assert weaker.promises_[0].n_answered < errors.n_answered
    asking = np.vstack([table, [0.05, 0.1]])
    (of_all,) = fitted_to(p, y, loss=asking, bound=0.12).promises_
    (on_average,) = fitted_to(
        p, y, loss=np.maximum(asking, asking[-1]), bound=0.13, level=None
    ).promises_
    assert "mean loss of all samples at most 0.12 with a confidence of 0.95: " in str(of_all)
    assert "mean loss of all samples at most 0.13 on average" in str(on_average)
    assert of_all.n_answered > on_average.n_answered > 0
    assert on_average.risk * 500 + 1 <= 0.13 * 501
    wrong = fitted_to(p, y, loss="wrong_answer", bound=0.02, level=None)
    assert wrong.promises_[0].risk <= 0.02


def test_doubts_by_beliefs():
    X, y = load_iris(return_X_y=True)
    clf = EvidentialClassifier(GaussianNB())
    for by in ("width", "plausibility"):
        control = RiskControl(clf, by=by, bound=0.05, level=0.8, random_state=0).fit(X, y)
        assert control.predict_set(X).any(axis=1).all()
        assert all(control.predict(X) == control.set_params(by="probability").predict(X))
    with pytest.raises(TypeError, match="by='width' needs beliefs, but GaussianNB has no predict"):
        RiskControl(GaussianNB(), by="width").fit(X, y)


def test_answers_are_the_estimated_classes_whatever_is_doubted():
    X, y = load_iris(return_X_y=True)
    clf = EvidentialClassifier(
        GaussianNB(), calibrator=AutoMulticlassCalibrator(model="confidence")
    ).fit(X[::10], y[::10])
    control = RiskControl(FrozenEstimator(clf), by="width", bound=0.5).fit(X, y)
    pignistic = clf.classes_[clf.beliefs(X).betp().argmax(axis=1)]
    assert (clf.predict(X) != pignistic).any()  # middles of intervals say another class
    assert control.predict(X).tolist() == clf.predict(X).tolist()


def test_too_few_samples_are_an_answer(sample):
    p, y = sample
    rows = np.argsort(-np.abs(p - 0.5))[:40]
    with pytest.warns(
        UserWarning,
        match=r"error of the answers at most 0.05 with a confidence of 0.95 cannot be guaranteed "
        r"by 40 held-out samples; about (59|[6-9]\d|1\d\d) would do, if they were like these",
    ):
        control = fitted_to(p[rows], y[rows])
    assert set(control.predict(np.c_[p])) == {"ask"}
    many = control.promises_[0].n_needed
    copies = np.tile(rows, 1 + many // 40)[:many]
    assert not np.isin(p[rows].round() != y[rows], 1).any()
    assert fitted_to(p[copies], y[copies]).promises_[0].kept
    with pytest.warns(UserWarning, match="more that are like these would not do either"):
        fitted_to(np.full(100, 0.9), np.arange(100) % 2)
    with pytest.warns(UserWarning, match="on average cannot be guaranteed by 40 .* about 99 would"):
        fitted_to(p[rows], y[rows], loss="wrong_answer", bound=0.01, level=None)


def test_training_and_held_out_samples_are_apart():
    X, y = load_breast_cancer(return_X_y=True)
    control = RiskControl(GaussianNB(), held_out=0.4, random_state=1).fit(X, y)
    assert control.promises_[0].n_samples == round(0.4 * len(y))
    assert control.estimator_.class_count_.sum() == len(y) - round(0.4 * len(y))
    groups = np.arange(len(y)) // 10
    grouped = RiskControl(GaussianNB(), random_state=1).fit(X, y, groups=groups)
    with pytest.raises(TypeError):  # the third argument is that of weights elsewhere
        RiskControl(GaussianNB()).fit(X, y, groups)
    with pytest.raises(ValueError, match="all samples are of one group"):
        RiskControl(GaussianNB()).fit(X, y, groups=groups * 0)
    assert grouped.promises_[0].n_samples % 10 in (0, 9)  # the last group is of nine


ERRORS = [
    ({"bound": 0}, "bound is 0"),
    ({"bound": 1.5}, "bound is 1.5"),
    ({"bound": [0.1, 0.1]}, "only loss='by_class' has several"),
    (
        {"bound": [0.1, 0.1, 0.2], "loss": "by_class"},
        r"bound has shape \(3,\), expected a number or",
    ),
    ({"level": 1}, "level is 1"),
    ({"level": np.nan}, "level is nan"),
    ({"level": None}, "nothing is guaranteed on average; give a level, or loss='wrong_answer'"),
    ({"loss": "errors"}, "loss is 'errors', expected losses, a function"),
    ({"loss": [[0, 2], [1, 0]]}, r"loss\[0, 1\] is 2"),
    ({"loss": [[0, 1], [1, 0], [1.1, 0]]}, r"loss\[2, 0\] is 1.1"),
    ({"loss": [0, 1]}, r"loss has shape \(2,\), expected \(2, 2\)"),
    ({"loss": lambda y, a: (y != a) * 1.5}, r"loss\[.*\] is 1.5"),
    ({"loss": lambda y, a: [1]}, r"loss gives shape \(1,\)"),
    ({"loss": [[0, 1], [1, 0], [0.2, 0.3]], "bound": 0.1}, "asking costs at least 0.2, not below"),
    (
        {"loss": [[0, 1], [1, 0], [0.1, 0.1]], "bound": 0.2, "level": None},
        r"loss\[0, 0\] is 0, below",
    ),
    ({"by": "entropy"}, "by is 'entropy'"),
    ({"doubts": [0.2, 0.1]}, "doubts are not ascending"),
    ({"doubts": [0.2, np.nan]}, r"doubts\[1\] is nan"),
    ({"procedure": "bonferroni"}, "procedure is 'bonferroni'"),
]


@each(("options", "message"), ERRORS)
def test_bad_parameters(options, message):
    p, y = np.linspace(0.01, 0.99, 100), np.arange(100) % 3 // 2
    with pytest.raises(ValueError, match=message):
        fitted_to(p, y, **options)


def test_bad_samples(sample):
    p, y = sample
    with pytest.raises(ValueError, match=r"y has one class only \(all 1\)"):
        fitted_to(p, np.ones(500, dtype=int))
    with pytest.raises(ValueError, match="a class is called 'ask'"):
        fitted_to(p, np.where(y, "ask", "no"))
    with pytest.raises(ValueError, match=r"\[7, 0\] is nan"):
        fitted_to(np.where(np.arange(500) == 7, np.nan, p), y)
    with pytest.raises(TypeError, match="Perceptron has no predict_proba, by which samples are"):
        RiskControl(Perceptron()).fit(np.c_[p], y)
    with pytest.raises(TypeError, match="estimator is 3, expected a classifier"):
        RiskControl(3).fit(np.c_[p], y)
    with pytest.raises(
        ValueError, match="loss='false_omission' is about two classes, but there are 3"
    ):
        RiskControl(GaussianNB(), loss="false_omission").fit(*load_iris(return_X_y=True))
    rare = np.r_[1, np.zeros(99, dtype=int)]
    X = np.r_[np.c_[p[:99]], [[5.0]]]
    with pytest.raises(ValueError, match="one class only"):
        RiskControl(GaussianNB(), random_state=0).fit(X, rare)
