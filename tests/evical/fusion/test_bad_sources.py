"""Sources that are alike, perfect, constant, wrong or silent, under each fusion: what comes out."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, betp
from dstheory.errors import MassError, TotalConflictError
from evical.beliefs import as_beliefs
from evical.fusion import Stacked, as_rule
from tests.support.each import each

LEARNED = ["stacked", "likelihood_mixture", "discounted", "contextually_discounted"]
RULES = [*LEARNED, "size_mixture", "learned_tnorm", "dempster", "cautious", "mixing"]
N = 240


def masses(p, doubt=0.1):
    k = p.shape[1]
    table = np.hstack([p * (1 - doubt), np.full((len(p), 1), doubt)])
    return MassFunction(Frame(list("abc")[:k]), [*(1 << i for i in range(k)), 2**k - 1], table)


def skilled(k, skill, seed):
    scores = np.random.default_rng(seed).normal(size=(N, k)) + skill * np.eye(k)[truth(k)]
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def truth(k):
    return np.arange(N) % k


def fused(rule, sources, k):
    """The fusion, fitted if it has parameters, and probabilities that it gives."""
    y = np.array(list("abc"))[truth(k)[: len(sources[0])]]
    fusion = as_rule(rule).fit(sources, y)
    p = fusion.combine([as_beliefs(m, np.array(m.frame.labels)) for m in sources]).betp()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    assert (p >= 0).all()
    return fusion, p


def right(p):
    return np.mean(p.argmax(axis=1) == truth(p.shape[1])[: len(p)])


under_each = each("rule", RULES)
both = each("k", [2, 3])


@under_each
@both
def test_one(rule, k):
    source = masses(skilled(k, 2, 0))
    _, p = fused(rule, [source], k)
    assert right(p) > right(betp(source)) - 0.02
    if rule != "stacked":  # which calibrates, too
        np.testing.assert_allclose(p, betp(source), atol=0.02)


@under_each
@both
def test_all_alike(rule, k):
    """As good as one; Dempster's rule counts it again, and contextual rates allow that."""
    source = masses(skilled(k, 2, 0))
    _, p = fused(rule, [source] * 4, k)
    _, one = fused(rule, [source], k)
    assert abs(right(p) - right(one)) < 0.02
    if rule == "stacked":
        np.testing.assert_allclose(p, one, atol=0.02)
    elif rule in ("likelihood_mixture", "size_mixture", "mixing", "cautious"):
        np.testing.assert_allclose(p, one, atol=1e-9)


@under_each
@both
def test_one_perfect(rule, k):
    good, perfect = masses(skilled(k, 2, 0)), masses(np.eye(k)[truth(k)], 0.01)
    assert right(fused(rule, [good, perfect], k)[1]) == 1
    sure = masses(np.eye(k)[truth(k)], 0.0)
    if rule in ("learned_tnorm", "cautious"):
        with pytest.raises(MassError, match="source 2 is dogmatic"):
            fused(rule, [good, sure], k)
    else:
        assert right(fused(rule, [good, sure], k)[1]) == 1


@under_each
@both
@each("kind", ["even", "silent", "sure"])
def test_one_constant(rule, k, kind):
    good = masses(skilled(k, 2, 0))
    row = np.eye(k)[0] if kind == "sure" else np.full(k, 1 / k)
    constant = masses(np.tile(row, (N, 1)), {"even": 0.1, "silent": 1.0, "sure": 0.1}[kind])
    fusion, p = fused(rule, [good, constant], k)
    _, one = fused(rule, [good], k)
    if rule == "stacked":
        np.testing.assert_array_equal(fusion.weights_[1], np.zeros_like(fusion.weights_[1]))
        np.testing.assert_array_equal(fusion.standard_error_[1] * 0, fusion.standard_error_[1])
        np.testing.assert_allclose(p, one, atol=1e-6)
    elif rule == "likelihood_mixture":
        assert fusion.weights_[1] < 0.02
    elif rule == "discounted" and kind != "silent":
        assert fusion.rates_[1] > 0.8
    elif kind == "silent" and rule not in ("size_mixture", "mixing"):
        np.testing.assert_allclose(p, one, atol=1e-6)
    elif kind != "sure":
        assert right(p) > right(one) - 0.02


@under_each
@both
def test_all_constant_or_silent(rule, k):
    even = masses(np.full((N, k), 1 / k))
    silent = masses(np.full((N, k), 1 / k), 1.0)
    for sources in ([even, even], [silent, silent], [even, silent]):
        np.testing.assert_allclose(fused(rule, sources, k)[1], 1 / k, atol=0.02)


@under_each
@both
def test_all_wrong(rule, k):
    """Stacked turns them round, discounting ignores them; others cannot be better than they are."""
    sources = [masses(skilled(k, -2, 0)), masses(skilled(k, -1.5, 1))]
    fusion, p = fused(rule, sources, k)
    if rule == "stacked":
        assert right(p) > 0.85
        assert (fusion.weights_ < 0).all()
    elif rule == "discounted":
        np.testing.assert_allclose(p, 1 / k, atol=0.01)
    else:
        assert right(p) < 0.2


@under_each
@both
def test_a_label_that_nobody_predicts(rule, k):
    p = [skilled(k, 2, seed) for seed in (0, 1)]
    for one in p:
        one[:, -1] = 0
        one /= one.sum(axis=1, keepdims=True)
    _, found = fused(rule, [masses(one, 0.05) for one in p], k)
    if rule == "stacked":
        loss = -np.log(found[np.arange(N), truth(k)]).mean()
        assert loss < np.log(k) + 0.01
        if k == 3:
            assert right(found) > 0.6
    else:
        assert right(found) > 1 / k - 0.01


@under_each
@both
def test_a_hundred(rule, k):
    """More than there are rows."""
    _, p = fused(rule, [masses(skilled(k, 0.4, seed)[:60]) for seed in range(100)], k)
    assert right(p) > 0.6


@under_each
@both
def test_two_that_contradict_each_other(rule, k):
    good, bad = (masses(np.eye(k)[(truth(k) + more) % k], 0.0) for more in (0, 1))
    if rule == "dempster":
        with pytest.raises(TotalConflictError, match="kappa = 1"):
            fused(rule, [good, bad], k)
    elif rule in ("learned_tnorm", "cautious"):
        with pytest.raises(MassError, match="dogmatic"):
            fused(rule, [good, bad], k)
    else:
        fusion, p = fused(rule, [good, bad], k)
        assert right(p) == (1 if rule in LEARNED else right(p))
        if rule == "likelihood_mixture":
            assert fusion.weights_[0] > 0.99


@pytest.mark.parametrize("rule", LEARNED)
def test_a_class_without_labels(rule):
    sources = [masses(skilled(3, 2, seed))[truth(3) < 2] for seed in (0, 1)]
    y = np.array(list("abc"))[truth(3)][truth(3) < 2]
    fusion = as_rule(rule)
    assert np.isfinite(betp(fusion.fit(sources, y)(*sources))).all()
    with pytest.raises(ValueError, match="y has one class only"):
        fusion.fit([m[y == "a"] for m in sources], y[y == "a"])
    with pytest.raises(ValueError, match=r"'d' is not a label"):
        fusion.fit(sources, np.full(len(y), "d"))


@each("rule", [*LEARNED, "learned_tnorm"])
@both
def test_weights_of_rows_are_repeated_rows(rule, k):
    times = np.random.default_rng(0).integers(0, 4, N)
    sources = [masses(skilled(k, 1, seed)) for seed in (0, 1)]
    y = np.array(list("abc"))[truth(k)]
    weighted = as_rule(rule).fit(sources, y, sample_weight=times)
    rows = np.repeat(np.arange(N), times)
    repeated = as_rule(rule).fit([m[rows] for m in sources], y[rows])
    found, expected = (betp(fusion(*sources)) for fusion in (weighted, repeated))
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_source_that_begins_to_speak_is_not_heard():
    """Nothing could be learned about it."""
    good, silent = masses(skilled(2, 2, 0)), masses(np.full((N, 2), 0.5), 1.0)
    fusion = Stacked().fit([good, silent], np.array(list("ab"))[truth(2)])
    new = masses(skilled(2, 3, 1))
    np.testing.assert_allclose(betp(fusion(good, new)), betp(fusion(good, silent)), atol=1e-2)
