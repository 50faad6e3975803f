"""Stacked: the optimum, belief and plausibility by quadrature, laws, and honesty."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction, betp, dempster
from evical.beliefs import as_beliefs
from evical.beliefs.bounded import half_widths
from evical.calibrators import AutoCalibrator
from evical.fusion import Discounted, Stacked
from evical.fusion._log_pool import Labeled, LogPool, _flat, fit_pool
from evical.fusion._stacked import among_classes
from evical.metrics import brier_score, coverage_test
from examples.studies.parts.no_penalty import NO_PENALTY
from tests.evical.fusion.samples import sources
from tests.naive import pooling as naive
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities, fuse_probabilities


def evidence(masses, least=1e-4):
    """(n, K, S), by the definition."""
    table = [[naive.evidence(p, least) for p in betp(m).tolist()] for m in masses]
    return np.array(table).transpose(1, 2, 0)


def codes(y):
    return np.unique(y, return_inverse=True)[1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_those_of_a_pool(n_classes):
    masses, y = sources(n_classes=n_classes)
    fusion = Stacked().fit(masses, y, [4, 2, 2])
    pool = fit_pool(Labeled(evidence(masses), codes(y), np.ones(60)), np.array([0.5, 0.25, 0.25]))
    expected = pool.weights if n_classes == 2 else pool.weights.T
    np.testing.assert_allclose(fusion.weights_, expected, atol=1e-9)
    if n_classes == 3:
        np.testing.assert_allclose(fusion.intercept_, pool.intercepts, atol=1e-9)
    assert fusion.standard_error_.shape == fusion.weights_.shape
    m, (p, odds) = fusion(*masses), pool.log_odds(evidence(masses))
    error = pool.errors(evidence(masses))
    if n_classes == 3:
        np.testing.assert_allclose(betp(m), p, atol=1e-9)
        half = half_widths(p, odds, error)
        widths = np.stack([m.pl(label) - m.bel(label) for label in ("ant", "bee", "cat")], axis=1)
        assert (widths >= 2 * half - 1e-9).all()
        np.testing.assert_allclose(np.median(widths / half), 2, atol=1e-6)


def test_two_classes_are_calibrated():
    masses, y = sources(n=300)
    fusion = Stacked().fit(masses, y)
    pool = fit_pool(Labeled(evidence(masses), codes(y), np.ones(300)), np.full(3, 1 / 3))
    _, odds = pool.log_odds(evidence(masses))
    calibrator = AutoCalibrator().fit(odds[:, 1], codes(y))
    np.testing.assert_allclose(
        betp(fusion(*masses))[:, 1], betp(calibrator.predict_mass(odds[:, 1]))[:, 1], atol=1e-9
    )
    # The weights are uncertain too.
    alone, fused = calibrator.predict_mass(odds[:, 1]), fusion(*masses)
    assert (fused.mass(["ant", "bee"]) >= alone.mass([0, 1]) - 1e-12).all()


@each("model", ["likelihood", "confidence", "bayesian"])
@each("n_classes", [2, 3])
def test_models(model, n_classes):
    masses, y = sources(n_classes=n_classes)
    m = Stacked(model=model, confidence=0.8).fit(masses, y)(*masses)
    frame = m.frame.labels
    if model == "bayesian":
        assert m.is_bayesian.all()
    else:
        assert (m.mass(frame) > 0).any() or n_classes == 3
    if model == "confidence":
        assert (m.mass(frame) >= 0.2 - 1e-12).all()
    np.testing.assert_allclose(m.store.sum(axis=0), 1, atol=1e-9)


def test_names_of_classes_do_not_matter():
    masses, y = sources()
    swapped = [
        MassFunction(Frame(["bee", "ant"]), [1, 2, 3], m.masses[:, [1, 0, 2]]) for m in masses
    ]
    one, other = (Stacked().fit(ms, y)(*ms) for ms in (masses, swapped))
    for label in ("ant", "bee"):
        np.testing.assert_allclose(one.bel(label), other.bel(label), atol=1e-5)
        np.testing.assert_allclose(one.pl(label), other.pl(label), atol=1e-5)


def test_more_samples_leave_less_open():
    widths = []
    for n in (20, 80, 320):
        masses, y = sources(n=n)
        m = Stacked().fit(masses, y)(*masses)
        widths.append((m.pl("bee") - m.bel("bee")).mean())
    assert widths[0] > widths[1] > widths[2]


def test_certain_sources_are_cut():
    frame = Frame([0, 1])
    sure = MassFunction(frame, [1, 2], [[1, 0], [0, 1]] * 10)
    m = Stacked().fit([sure] * 3, [0, 1] * 10)(*[sure] * 3)
    assert np.isfinite(m.store).all()
    assert ((m.bel(1) < 1) & (m.pl(1) > 0)).all()


def test_where_no_class_is_possible_all_are():
    frame = Frame([0, 1, 2])
    sure = MassFunction(frame, [1, 2, 4], np.repeat(np.eye(3), 50, axis=0))
    fusion = Stacked(penalty=1e-6).fit([sure] * 8, np.repeat([0, 1, 2], 50))
    odd = MassFunction(frame, [1, 2, 4], [[1 / 3, 1 / 3, 1 / 3], [1, 0, 0]])
    m = fusion(*[odd] * 8)
    np.testing.assert_allclose(m.store.sum(axis=0), 1, atol=1e-9)


@each("tied", [True, False])
def test_a_class_without_samples_is_as_the_others_on_average(tied):
    pool = _pool(4, 2, tied)
    present, k = np.array([0, 2, 3, 5]), 6
    found = among_classes(pool, k, present)
    rng = np.random.default_rng(1)
    says = rng.normal(size=(50, k, 2))
    # The classes that are there keep their logits and covariances.
    np.testing.assert_allclose(found.logits(says)[:, present], pool.logits(says[:, present]))
    spread, origin = found.spread(says, np.zeros(50, dtype=int)), np.zeros(50, dtype=int)
    own = pool.spread(says[:, present], origin)
    np.testing.assert_allclose(spread[:, present][:, :, present], own, atol=1e-12)
    # Logits of another one, from draws of coefficients and of how it differs from their mean.
    draws = rng.multivariate_normal(_flat(pool), pool.covariance, 200_000)
    free = draws[:, -4:, None] if tied else draws.reshape(-1, 4, 3)
    center = _flat(pool)[-4:, None] if tied else _flat(pool).reshape(4, 3)
    apart = np.cov(center.T).reshape(len(center.T), -1) + np.mean(
        [np.cov(free[:, i].T).reshape(len(center.T), -1) for i in range(4)], axis=0
    )
    new = free.mean(axis=1) + rng.multivariate_normal(np.zeros(len(apart)), apart, len(draws))
    weights = draws[:, :2] if tied else new[:, :2]
    logit = weights @ says[0, 1] + new[:, -1]
    first = draws[:, :2] if tied else free[:, 0, :2]
    logit -= first @ says[0, 0] + free[:, 0, -1]
    np.testing.assert_allclose(np.std(logit), np.sqrt(spread[0, 1, 1]), rtol=0.01)
    np.testing.assert_allclose(
        np.mean(logit), np.diff(found.logits(says)[0, :2])[0], atol=0.02 * np.std(logit)
    )


def _pool(k, s, tied):
    rng = np.random.default_rng(0)
    size = s + k if tied else k * (s + 1)
    root = rng.normal(size=(size, size))
    weights = rng.normal(size=s if tied else (k, s))
    return LogPool(weights, rng.normal(size=k), root @ root.T / size)


def test_a_class_without_samples_is_fused():
    masses, y = sources(n=600, n_classes=3)
    rows = y != "cat"
    parts = [m[rows] for m in masses]
    fusion = Stacked().fit(parts, y[rows])
    p = betp(fusion(*masses))
    assert (p.argmax(axis=1) == codes(y)).mean() > 0.9 * (
        betp(Stacked().fit(masses, y)(*masses)).argmax(axis=1) == codes(y)
    ).mean()
    np.testing.assert_allclose(
        fusion.weights_[:, 2], fusion.weights_[:, :2].mean(axis=1), atol=1e-12
    )
    again = Stacked.from_dict(fusion.to_dict())
    np.testing.assert_array_equal(betp(again(*masses)), p)
    # Silent sources do not keep the choices of the others from being learned.
    gap = np.arange(len(p)) % 2 == 0
    silent = as_beliefs(np.where(gap[:, None], np.nan, betp(masses[0])), np.array(list("abc")))
    some = [silent[rows], *(as_beliefs(betp(m)[rows], silent.classes) for m in masses[1:])]
    learned = Stacked().fit(some, silent.classes[codes(y)[rows]])
    assert len(learned._choices) == 1


def test_all_vacuous_sources_leave_the_share_of_the_classes():
    frame = Frame([0, 1])
    nothing = MassFunction(frame, [3], np.ones((200, 1)))
    m = Stacked().fit([nothing, nothing], [0, 0, 0, 1] * 50)(nothing, nothing)
    np.testing.assert_allclose(betp(m)[:, 1], 0.25, atol=0.01)


def test_is_honest_where_dempsters_rule_is_not():
    """Ten sources that share most of their evidence, as classifiers do."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2300)
    shared = rng.normal(size=2300) + np.where(truth == 1, 0.5, -0.5)
    frame, masses = Frame([0, 1]), []
    for _ in range(10):
        p = expit(shared + 0.3 * rng.normal(size=2300))
        masses.append(
            MassFunction(frame, [1, 2, 3], np.stack([0.9 * (1 - p), 0.9 * p, 0 * p + 0.1], 1))
        )
    held, new = ([m[part] for m in masses] for part in (slice(0, 300), slice(300, None)))
    y, y_new = truth[:300], truth[300:]
    stacked, plain = Stacked().fit(held, y)(*new), dempster(*new)
    assert coverage_test(y_new, stacked).share > 0.7
    assert coverage_test(y_new, plain).share < 0.1
    assert brier_score(y_new, betp(stacked)[:, 1]) < brier_score(y_new, betp(plain)[:, 1]) - 0.05


def test_a_great_penalty_is_a_log_opinion_pool_by_size():
    masses, y = sources(ignorance=0.0)
    fusion = Stacked(penalty=1e9).fit(masses, y, [2, 2, 1])
    shares = fusion.weights_ / fusion.weights_.sum()
    np.testing.assert_allclose(
        fusion.weights_ - fusion.weights_.sum() / 3, np.array([0.4, 0.4, 0.2]) - 1 / 3, atol=1e-6
    )
    assert shares[2] < shares[0]


def test_weights_of_one_are_dempsters_rule():
    """Of Bayesian sources, by the formula of the docstring."""
    masses, _ = sources(ignorance=0.0)
    pool = LogPool(np.ones(3), np.zeros(2), np.zeros((5, 5)))
    p, _ = pool.log_odds(evidence(masses))
    np.testing.assert_allclose(p, betp(dempster(*masses)), atol=1e-9)


def test_samples_that_do_not_follow_a_sigmoid():
    """Labels that are wrong one time in ten, whatever the score: no sigmoid of the score."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-4, 4, 4000)
    p = 0.5 + 0.4 * np.tanh(x)
    truth = (rng.uniform(size=4000) < p).astype(int)
    m = MassFunction(Frame([0, 1]), [1, 2], np.stack([expit(-x), expit(x)], 1))
    straight = (
        LogisticRegression(C=NO_PENALTY).fit(x[:, None], truth).predict_proba(x[:, None])[:, 1]
    )
    fused = Stacked(model="confidence").fit([m], truth)(m)
    bent = betp(Stacked().fit([m], truth)(m))[:, 1]
    assert np.abs(bent - p).mean() < 0.7 * np.abs(straight - p).mean()
    assert ((fused.bel(1) <= p) & (p <= fused.pl(1))).mean() > 0.93


def test_a_vacuous_belief_favors_no_class():
    masses, y = sources(n_classes=3)
    nothing = MassFunction(masses[0].frame, [7], np.ones((60, 1)))
    fusion = Stacked().fit(masses, y)
    p = betp(fusion(*masses[:2], nothing))
    x = evidence(masses)
    x[:, :, 2] = np.mean([x[codes(y) == k, :, 2].sum(axis=0) / 21 for k in range(3)], axis=0)
    eta = np.einsum("nks,sk->nk", x, fusion.weights_) + fusion.intercept_
    share = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, share, atol=1e-9)


def test_an_adversary_speaks_against_what_it_says():
    masses, y = sources(qualities=(1.0, -2.0), n=200)
    fusion = Stacked().fit(masses, y)
    assert fusion.weights_[0] > 0.3
    assert fusion.weights_[1] < -0.3


def test_probabilities_of_twenty_classes():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 20
    p = rng.dirichlet(np.ones(20), size=(3, 400)) + np.eye(20)[y] * np.array(
        [[[0.5]], [[0.2]], [[0]]]
    )
    p /= p.sum(axis=2, keepdims=True)
    fusion = fit_to_probabilities(Stacked(), p, y, np.arange(20))
    beliefs = fuse_probabilities(fusion, p)
    found = beliefs.betp()
    assert (found.argmax(axis=1) == y).mean() > (p[0].argmax(axis=1) == y).mean() - 0.02
    lower, upper = np.moveaxis(beliefs.interval(), 2, 0)
    assert ((lower <= found + 1e-12) & (found <= upper + 1e-12)).all()
    m = beliefs.mass()
    np.testing.assert_allclose(m.contour(), upper, atol=1e-12)
    np.testing.assert_allclose(betp(m), found, atol=1e-12)


def test_probabilities_are_the_same_as_beliefs():
    masses, y = sources(n_classes=3)
    p = np.stack([betp(m) for m in masses])
    one = Stacked().fit(masses, y, [3, 2, 1])
    other = fit_to_probabilities(Stacked(), p, y, ["ant", "bee", "cat"], [3, 2, 1])
    assert one(*masses).equals(other(*masses), atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:, :-1], r"source 1 has batch shape \(59,\), but there are 60 labels"),
        (lambda p: p[0], r"probabilities have shape \(2,\), expected \(n, 2\)"),
        (lambda p: p * 2, r"probabilities\[0\] is .*, expected numbers from 0 with sum 1"),
        (
            lambda p: np.where(np.arange(120).reshape(60, 2) == 14, np.nan, p),
            r"probabilities\[7\] is .*nan",
        ),
    ],
)
def test_wrong_probabilities(change, message):
    masses, y = sources()
    p = np.stack([betp(m) for m in masses])
    with pytest.raises(ValueError, match=message):
        fit_to_probabilities(Stacked(), change(p), y, ["ant", "bee"])


def test_all_fusions_learn_from_beliefs_what_they_learn_from_masses():
    masses, y = sources()
    beliefs = [as_beliefs(m, np.array(m.frame.labels)) for m in masses]
    rates = Discounted().fit(beliefs, y).rates_
    np.testing.assert_array_equal(rates, Discounted().fit(masses, y).rates_)


SHIFTS = {
    "independent": ([0.8, 0.6, 0.4], 0.0),
    "correlated": ([0.8, 0.6, 0.4], 0.8),
    "useless": ([0.8, 0.0, 0.0], 0.0),
    "adversarial": ([0.8, -0.6, 0.3], 0.0),
}


@pytest.mark.parametrize("kind", SHIFTS)
@pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")
def test_intervals_of_calibrated_sources_hold_the_probability(kind):
    """Normal scores with these shifts and this correlation, each calibrated, then fused."""
    shift, correlation = SHIFTS[kind]
    covariance = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    slopes = 2 * np.linalg.solve(covariance, shift)
    held = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 3000)
        noise = rng.normal(size=(3000, 3)) @ np.linalg.cholesky(covariance).T
        x = np.where(y, 1, -1)[:, np.newaxis] * np.array(shift) + noise
        said = []
        for scores in x.T:
            calibrator = AutoCalibrator().fit(scores[:1000], y[:1000])
            said.append(calibrator.predict_proba(scores))
        p = np.stack(said)
        fusion = fit_to_probabilities(Stacked(model="confidence"), p[:, :1000], y[:1000], [0, 1])
        lower, upper = fuse_probabilities(fusion, p[:, 1000:]).interval()[:, 1].T
        true = expit(x[1000:] @ slopes)
        held.append(((lower <= true) & (true <= upper)).mean())
    assert np.mean(held) > 0.93


@each("n_classes", [2, 3])
@each("penalty", [1e-9, 1e-6, 1e6, 1e9])
def test_any_penalty_has_an_optimum(penalty, n_classes):
    for seed in range(3):
        masses, y = sources(n_classes=n_classes, ignorance=0.0, seed=seed)
        fusion = Stacked(penalty=penalty).fit(masses, y, [2, 2, 1])
        assert np.isfinite(fusion.weights_).all()
        assert (fusion.standard_error_ >= 0).all()


def test_probabilities_to_fuse_are_checked():
    masses, y = sources()
    p = np.stack([betp(m) for m in masses])
    fusion = Stacked().fit(masses, y)
    with pytest.raises(ValueError, match="are 2 beliefs, but the fusion was fitted to 3 sources"):
        fuse_probabilities(fusion, p[:2])
    with pytest.raises(ValueError, match=r"probabilities\[5\] is"):
        fuse_probabilities(fusion, np.where(np.arange(180).reshape(3, 60, 1) == 65, -1, p))
    with pytest.raises(NotFittedError):
        fuse_probabilities(Stacked(), p)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_belief_and_none(n_classes):
    masses, y = sources(n_classes=n_classes)
    fusion = Stacked().fit(masses, y)
    whole = fusion(*masses)
    assert fusion(*(m[3] for m in masses)).equals(whole[3], atol=1e-12)
    assert fusion(*(m[:0] for m in masses)).batch_shape == (0,)
