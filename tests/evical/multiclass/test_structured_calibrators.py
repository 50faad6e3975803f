"""Structured scaling against its definition, the authors' package, limits, and its uncertainty."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax
from scipy.stats import norm
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from evical import EvidentialClassifier
from evical.curves.softmax import Problem, minimize_softmax, platt_target_matrix
from evical.multiclass import (
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)
from evical.multiclass._scaling import Ridge, below_best, fit_learned
from tests.naive import structured as naive
from tests.support.each import each

PEER = json.loads((Path(__file__).parents[2] / "oracles" / "probmetrics.json").read_text("utf-8"))
BOTH = each("kind", [StructuredMatrixCalibrator, StructuredVectorCalibrator])
PENALTIES = ("intercept_penalty", "diagonal_penalty", "off_diagonal_penalty")
WEAK = {
    "intercept_penalty": 0.1,
    "diagonal_penalty": 0.2,
    "off_diagonal_penalty": 0.3,
    "rho": 0.5,
    "tau": 0.9,
}


def simulated(n=120, k=3, seed=0):
    """Overconfident probabilities, and classes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, k))
    y = np.array([rng.choice(k, p=softmax(row * np.linspace(0.5, 1.5, k))) for row in z])
    y[:k] = np.arange(k)
    return softmax(2.5 * z, axis=1), y


# ---- the probabilities


@each("case", PEER["many"], ids=lambda case: f"n={len(case['y'])}")
@each("name", ["sms", "svs", "sms_weak"])
def test_equal_to_probmetrics(case, name):
    """Up to its optimizer and float32; classes that are separable, and probabilities 0, too."""
    kind = StructuredVectorCalibrator if name == "svs" else StructuredMatrixCalibrator
    calibrator = kind(**(WEAK if name == "sms_weak" else {})).fit(case["p"], case["y"])
    np.testing.assert_allclose(calibrator.predict_proba(case["at"]), case[name], atol=6e-4)


@BOTH
@pytest.mark.parametrize("smooth", [False, True])
def test_equal_to_its_definition(kind, smooth):
    """Both steps, weighted, by general optimizers of the naive objectives."""
    p, y = simulated(20)
    weights = (1.0 + np.arange(20) % 3).tolist()
    options = {} if kind is StructuredVectorCalibrator else {"off_diagonal_penalty": 0.7}
    ours = kind(intercept_penalty=0.5, diagonal_penalty=0.2, smooth=smooth, **options)
    ours.fit(p, y, weights)
    totals = np.bincount(y, weights)
    targets = (platt_target_matrix(totals) if smooth else np.eye(3))[y].tolist()
    logs = np.log(p).tolist()
    inverse = minimize_scalar(
        lambda t: naive.temperature_loss(float(np.exp(t)), logs, targets, weights),
        bracket=(-1.0, 0.0),
        options={"xtol": 1e-10},
    )
    assert 1 / ours.temperature_ == pytest.approx(np.exp(inverse.x), rel=1e-6)
    x = naive.tempered(1 / ours.temperature_, logs, sum(weights))
    free = kind is StructuredMatrixCalibrator

    def split(v):
        return (v[:9].reshape(3, 3) if free else np.diag(v[:3])), v[-3:]

    def objective(v):
        matrix, b = split(v)
        penalties = (0.5, 0.2, 0.7)
        return naive.objective(
            x, targets, weights, matrix.tolist(), b.tolist(), penalties, 1.0, 1.0
        )

    start = np.append(np.eye(3).ravel() if free else np.ones(3), np.zeros(3))
    wanted = minimize(objective, start, method="BFGS", options={"gtol": 1e-8})
    own = np.append(ours.weights_.ravel() if free else np.diag(ours.weights_), ours.intercepts_)
    assert objective(own) <= wanted.fun + 1e-12
    np.testing.assert_allclose(own, wanted.x, atol=1e-5)
    matrix, b = split(own)
    np.testing.assert_allclose(
        ours.predict_proba(p), naive.probabilities(x, matrix.tolist(), b.tolist()), rtol=1e-9
    )


@BOTH
def test_strong_penalties_leave_the_temperature_alone(kind):
    p, y = simulated()
    ours = kind(intercept_penalty=1e9, diagonal_penalty=1e9).fit(p, y)
    share = 1 / 121
    tempered = softmax(np.log(p) / ours.temperature_, axis=1)
    wanted = (1 - share) * tempered + share / 3
    if kind is StructuredVectorCalibrator:
        np.testing.assert_allclose(ours.predict_proba(p), wanted, atol=1e-8)
    free = StructuredMatrixCalibrator(**dict.fromkeys(PENALTIES, 1e9)).fit(p, y)
    np.testing.assert_allclose(free.predict_proba(p), wanted, atol=1e-8)
    plain = SoftmaxCalibrator(parameters="temperature").fit(np.log(p), y)
    assert 1 / plain.weights_[0, 0] == pytest.approx(ours.temperature_, rel=0.15)  # its targets


def test_without_penalty_it_is_multinomial_regression():
    """Of the logarithms of tempered probabilities."""
    p, y = simulated(400)
    ours = StructuredMatrixCalibrator(**dict.fromkeys(PENALTIES, 1e-9)).fit(p, y)
    share = 1 / 401
    x = np.log((1 - share) * softmax(np.log(p) / ours.temperature_, axis=1) + share / 3)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        peer = LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(p), peer.predict_proba(x), atol=1e-5)


@BOTH
def test_margins_are_logarithms_of_probabilities_up_to_what_classes_share(kind):
    p, y = simulated()
    wanted = kind().fit(p, y).predict_proba(p)
    margins = np.log(p) + np.linspace(-5, 5, len(p))[:, None]
    for unit in (1.0, 1e-100, 1e100):
        read = kind(transform=None).fit(unit * margins, y).predict_proba(unit * margins)
        np.testing.assert_allclose(read, wanted, atol=1e-9)


@BOTH
def test_many_parameters_are_fitted_by_another_optimizer(kind):
    """Of 27 classes a matrix has 756 parameters: limited-memory BFGS, whose gradient is 0 too."""
    p, y = simulated(600, 27)
    ours = kind(transform="log").fit(p, y)
    x = np.log((600 * softmax(np.log(p) / ours.temperature_, axis=1) + 1 / 27) / 601)
    gap = (ours.predict_proba(p) - np.eye(27)[y]) / 600
    slope = gap.T @ x
    off = np.eye(27) == 0
    pull = 2 * 27 / 600 * (ours.weights_ - np.eye(27))
    pull[off] = 2 * 27 * 26 / 600 * ours.weights_[off]
    seen = np.ones((27, 27), bool) if kind is StructuredMatrixCalibrator else ~off
    np.testing.assert_allclose((slope + pull)[seen], 0, atol=1e-6)
    np.testing.assert_allclose(gap.sum(axis=0) + 2 * 27 / 600 * ours.intercepts_, 0, atol=1e-6)


def test_diagonal_penalties_are_penalties():
    """As matrices and as their diagonals, by both optimizers."""
    p, y = simulated(60)
    squares = np.random.default_rng(0).uniform(0.1, 1.0, (3, 4))
    plain = Problem.of(np.hstack([np.log(p), np.ones((60, 1))]), y, np.ones(60))
    matrices = plain._replace(penalty=squares[:, :, None] * np.eye(4))
    wanted = minimize_softmax(matrices)
    np.testing.assert_allclose(
        matrices.hessian(wanted), plain._replace(penalty=squares).hessian(wanted), atol=1e-14
    )
    np.testing.assert_allclose(
        np.diag(matrices.hessian(wanted)).reshape(3, 4),
        matrices.diagonal(matrices.at(wanted)[2]),
        rtol=1e-12,
    )
    for newton in (True, False):
        found = minimize_softmax(plain._replace(penalty=squares), newton, np.ones((3, 4)))
        np.testing.assert_allclose(found, wanted, atol=1e-6)


@BOTH
def test_hostile_samples_have_an_answer(kind):
    """One sample a class, all alike, all right, all wrong, a class of a million."""
    one = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    cases = {
        "one": (one, [0, 1, 2], None),
        "alike": (np.full((9, 3), 1 / 3), np.arange(9) % 3, None),
        "right": (np.tile(np.eye(3), (5, 1)), np.tile([0, 1, 2], 5), None),
        "wrong": (np.tile(np.eye(3), (5, 1)), np.tile([1, 2, 0], 5), None),
        "heavy": (one, [0, 1, 2], [1e12, 1.0, 1e-6]),
    }
    for model in ("bayesian", "quadratic"):
        for name, (p, y, weight) in cases.items():
            calibrator = kind(model=model).fit(p, y, weight)
            interval = calibrator.predict_interval(np.vstack([p[:3], np.eye(3)]))
            assert ((interval >= 0) & (interval <= 1)).all(), name
            again = kind.from_dict(json.loads(json.dumps(calibrator.to_dict())))
            np.testing.assert_array_equal(again.predict_interval(p), calibrator.predict_interval(p))
    wrong = kind().fit(*cases["wrong"][:2]).predict_proba(np.eye(3))
    np.testing.assert_allclose(wrong, 1 / 3, atol=1e-5)


def test_a_saved_calibrator_fits_its_classes():
    data = StructuredMatrixCalibrator(model="quadratic").fit(*simulated()).to_dict()
    for damage in (
        {"weights": [[1.0]], "intercepts": [0.0]},
        {"steps": [[1.0]]},
        {"steps": []},
        {"inverse": 0.0},
        {"share": 2.0},
    ):
        with pytest.raises(ValueError, match="damaged"):
            StructuredMatrixCalibrator.from_dict({**data, "state": {**data["state"], **damage}})


# ---- what the sample leaves open


@BOTH
def test_the_interval_is_that_of_the_information(kind):
    """For two classes log-odds have a normal likelihood, whose mean half-width is known."""
    p, y = simulated(300, 2)
    ours = kind(model="quadratic").fit(p, y)
    free = kind is StructuredMatrixCalibrator
    best = np.concatenate(
        [
            ours.weights_.ravel() if free else np.diag(ours.weights_),
            ours.intercepts_,
            [-np.log(ours.temperature_)],
        ]
    )

    def log_odds(v, rows):
        w = v[:4].reshape(2, 2) if free else np.diag(v[:2])
        tempered = softmax(np.exp(v[-1]) * np.log(rows), axis=1)
        x = np.log((1 - 1 / 301) * tempered + 1 / 301 / 2)
        eta = x @ w.T + v[-3:-1]
        return eta[:, 1] - eta[:, 0]

    def derivatives(rows):
        steps = 1e-5 * np.eye(len(best))
        return np.stack(
            [(log_odds(best + s, rows) - log_odds(best - s, rows)) / 2e-5 for s in steps], axis=1
        )

    q = expit(log_odds(best, p))
    j = derivatives(p)
    ridge = np.diag([4.0] * (len(best) - 1) + [0.0])  # twice lambda K, and K (K - 1) = K here
    information = (j.T * (q * (1 - q))) @ j + ridge
    at = np.array([[0.9, 0.1], [0.4, 0.6], [0.05, 0.95]])
    h, mle = derivatives(at), log_odds(best, at)
    deviation = np.sqrt(np.einsum("ij,jk,ik->i", h, np.linalg.inv(information), h))
    r = np.linspace(0, 8, 4001)
    density = r * np.exp(-r * r / 2)
    for row, (center, spread) in enumerate(zip(mle, deviation, strict=True)):
        low = np.trapezoid(expit(center - spread * r) * density, r)
        high = np.trapezoid(expit(center + spread * r) * density, r)
        np.testing.assert_allclose(ours.predict_interval(at)[row, 1], [low, high], atol=1e-5)
        tau = np.array([0.2, 0.5, 0.7])
        wanted = np.exp(-(((logit(tau) - center) / spread) ** 2) / 2)
        np.testing.assert_allclose(ours.contour(at, 1, tau)[row], wanted, atol=1e-5)


@BOTH
def test_more_samples_leave_less_open(kind):
    at = softmax(np.array([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]]), axis=1)
    widths = []
    for n in (30, 300, 3000):
        calibrator = kind(model="quadratic").fit(*simulated(n))
        interval = calibrator.predict_interval(at)
        p = softmax(calibrator._fit.logits(np.log(at)), axis=1)
        assert (interval[..., 0] <= p).all()
        assert (p <= interval[..., 1]).all()
        widths.append(np.ptp(interval, axis=2).mean())
    assert widths[0] > 1.5 * widths[1] > 3 * widths[2]


def test_only_the_quadratic_model_has_a_contour():
    p, y = simulated()
    with pytest.raises(ValueError, match="model is 'bayesian'; a contour function needs"):
        StructuredVectorCalibrator().fit(p, y).contour(p[:1], 0, 0.5)
    fitted = StructuredMatrixCalibrator(model="quadratic").fit(p, y)
    with pytest.raises(ValueError, match="label is 7"):
        fitted.contour(p[:1], 7, 0.5)


# ---- in a classifier


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
def test_in_a_classifier(kind, n_classes):
    X, y = load_wine(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    forest = RandomForestClassifier(10, random_state=0)
    fitted = EvidentialClassifier(forest, calibrator=kind(), cv=3).fit(X[::2], y[::2])
    p = fitted.predict_proba(X[1::2])
    assert p.shape == (len(X[1::2]), n_classes)
    assert (p.argmax(axis=1) == y[1::2]).mean() > 0.9
    margins = EvidentialClassifier(
        LinearDiscriminantAnalysis(), calibrator=kind(transform=None), cv=3
    ).fit(X[::2], y[::2])
    np.testing.assert_allclose(margins.predict_proba(X).sum(axis=1), 1)


def test_the_tempered_logs_are_log_probabilities():
    p, y = simulated()
    fit = StructuredMatrixCalibrator().fit(p, y)._fit
    x = fit.tempered(np.log(p))
    np.testing.assert_allclose(x, log_softmax(x, axis=1), atol=1e-12)


# ---- learned penalties


def drawn(n, k=4, seed=0):
    """Log-probabilities whose classes have scales and offsets of their own, and one takes another.

    The last class is told by the first one, too.
    """
    rng = np.random.default_rng(seed)
    z = 2.0 * rng.normal(size=(n, k))
    y = (z + rng.gumbel(size=z.shape)).argmax(axis=1)
    y[:k] = np.arange(k)
    shown = z * np.linspace(0.4, 1.6, k) + np.linspace(-2, 2, k)
    shown[:, -1] += 0.8 * z[:, 0]
    return log_softmax(shown, axis=1), y


def test_penalties_are_where_their_evidence_is_stationary():
    """The fixed point of each group, by its definition, at the coefficients that are found."""
    scores, y = drawn(800)
    n, k = scores.shape
    first = Ridge(k / n, k / n, k * (k - 1) / n)
    fit, ridge, center, variances = fit_learned(scores, y, np.ones(n), first, 1.0)
    x = fit.tempered(scores) - center
    features = np.hstack([x, np.ones((n, 1))])
    w = np.column_stack([fit.weights, fit.intercepts + fit.weights @ center])
    moved = w - np.column_stack([np.eye(k), center])
    problem = Problem.toward(features, np.eye(k)[y], np.ones(n))
    _, slope, p = problem.at(w)
    curvature = problem.diagonal(p)
    off = ~np.eye(k, k + 1, dtype=bool)
    off[:, -1] = False
    seen = (curvature * moved - slope)[off]
    penalty = naive.most_evident(curvature[off], seen, n, 2 * first.off_diagonal, 500)
    assert 2 * ridge.off_diagonal == pytest.approx(penalty, rel=0.1)
    assert ridge.off_diagonal < first.off_diagonal  # the samples ask for weights between classes
    # Under the penalties that are found, no coefficients are more probable.
    table = np.full((k, k + 1), 2 * ridge.off_diagonal)
    table[range(k), range(k)], table[:, -1] = 2 * ridge.diagonal, 2 * ridge.intercept
    np.testing.assert_allclose(slope + table * moved, 0, atol=1e-7)
    np.testing.assert_allclose(variances, 1 / (n * (curvature + table)), rtol=1e-9)


@pytest.mark.parametrize("kind", [StructuredMatrixCalibrator, StructuredVectorCalibrator])
def test_learned_penalties_lose_less_than_given_ones(kind):
    """On other samples; and nothing where a temperature says all."""
    losses = {"own scales": {}, "one temperature": {}}
    for seed in range(4):
        (x, y), (at, new) = drawn(400, k=8, seed=seed), drawn(4000, k=8, seed=100 + seed)
        rng = np.random.default_rng(seed)
        z = 2.0 * rng.normal(size=(4400, 8))
        c = (z + rng.gumbel(size=z.shape)).argmax(axis=1)
        plain = log_softmax(2.0 * z, axis=1)
        for case, (first, labels, then, others) in {
            "own scales": (x, y, at, new),
            "one temperature": (plain[:400], c[:400], plain[400:], c[400:]),
        }.items():
            for learned in (False, True):
                calibrator = kind(learned=learned).fit(np.exp(first), labels)
                p = calibrator.predict_proba(np.exp(then))
                loss = -np.log(p[np.arange(len(others)), others]).mean()
                losses[case].setdefault(learned, []).append(loss)
    means = {case: {k: np.mean(v) for k, v in found.items()} for case, found in losses.items()}
    assert means["own scales"][True] < 0.97 * means["own scales"][False]
    assert means["one temperature"][True] < 1.005 * means["one temperature"][False]


def test_the_share_of_what_scores_call_impossible_is_the_most_likely_one():
    """A tenth of the labels is any class; probabilities of other classes are 0, as in a leaf."""
    rng = np.random.default_rng(0)
    n, k = 3000, 5
    truth = softmax(2.0 * rng.normal(size=(n, k)), axis=1)
    p = np.where(truth < 0.1, 0.0, truth)
    p /= p.sum(axis=1, keepdims=True)
    y = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=k - 1)
    y = np.where(rng.random(n) < 0.1, rng.integers(k, size=n), y)
    calibrator = StructuredMatrixCalibrator(learned=True).fit(p, y)
    z = below_best(np.log(np.maximum(p, np.finfo(np.float32).tiny)))

    def loss(v):
        q = softmax(np.exp(v[0]) * z, axis=1)
        return -np.log((1 - expit(v[1])) * q + expit(v[1]) / k)[np.arange(n), y].mean()

    best = minimize(loss, [0.0, -2.0], method="Nelder-Mead", options={"xatol": 1e-5})
    fit = calibrator._fit
    assert loss([np.log(fit.inverse), logit(fit.share)]) == pytest.approx(best.fun, abs=1e-5)
    assert fit.share == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("kind", [StructuredMatrixCalibrator, StructuredVectorCalibrator])
def test_errors_of_learned_coefficients(kind):
    """By the delta method from independent coefficients, written out."""
    scores, y = drawn(300)
    calibrator = kind(learned=True).fit(np.exp(scores), y)
    at = scores[:5]
    p = calibrator.predict_proba(np.exp(at))
    found = calibrator._errors(at, p)
    k = at.shape[1]
    x = calibrator._fit.tempered(at) - calibrator._center
    v = calibrator._variances
    for row in range(5):
        if v.shape[1] == 2:
            own = [x[row, j] ** 2 * v[j, 0] + v[j, 1] for j in range(k)]
        else:
            own = [(x[row] ** 2 * v[j, :-1]).sum() + v[j, -1] for j in range(k)]
        for j in range(k):
            slopes = [1.0 if i == j else -p[row, i] / (1 - p[row, j]) for i in range(k)]
            wanted = sum(s * s * o for s, o in zip(slopes, own, strict=True))
            assert found[row, j] ** 2 == pytest.approx(wanted, rel=1e-9)
    ends = calibrator.predict_interval(np.exp(at), level=0.9)
    wide = expit(logit(p)[..., np.newaxis] + norm.ppf([0.05, 0.95]) * found[..., np.newaxis])
    np.testing.assert_allclose(ends, wide, atol=1e-12)


def test_learned_penalties_take_no_soft_targets():
    p, y = simulated()
    with pytest.raises(ValueError, match="smooth and learned are both True"):
        StructuredVectorCalibrator(smooth=True, learned=True).fit(p, y)


def test_learned_scaling_is_saved_whole():
    p, y = simulated(200)
    for model in ("bayesian", "quadratic"):
        calibrator = StructuredMatrixCalibrator(learned=True, model=model).fit(p, y)
        again = StructuredMatrixCalibrator.from_dict(calibrator.to_dict())
        np.testing.assert_array_equal(
            again.predict_interval(p[:9]), calibrator.predict_interval(p[:9])
        )
        shown = calibrator._read(p)
        np.testing.assert_array_equal(again._errors(shown, p), calibrator._errors(shown, p))
