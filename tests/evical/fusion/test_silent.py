"""Stacked with sources that are silent on some rows: the definition, what it gains, and saving."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from dstheory import Frame, MassFunction, betp
from evical import EvidentialFusion
from evical.fusion import Rule, Stacked
from evical.fusion._rule import HeldOut
from evical.fusion._stacked import evidence, learnable, usual_evidence
from tests.evical.fusion.samples import sources
from tests.naive import pooling as naive
from tests.support.probabilities import fit_to_probabilities, fuse_probabilities, sources_of


def overlapping(n, rare, silent, seed, rho=0.8, sources=2):
    """Calibrated log-odds that share evidence, and what is known from those that speak."""
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < rare).astype(int)
    mixed = rho * np.ones((sources, sources)) + (1 - rho) * np.eye(sources)
    x = rng.normal(size=(n, sources)) @ np.linalg.cholesky(mixed).T + 1.5 * (y[:, None] - 0.5)
    gone = rng.uniform(size=(n, sources)) < silent
    truth = np.full(n, logit(rare))
    for choice in np.unique(~gone, axis=0):
        rows, k = (~gone == choice).all(axis=1), choice.sum()
        weights = np.linalg.solve(mixed[np.ix_(choice, choice)], np.full(k, 1.5))
        truth[rows] += x[rows][:, choice] @ weights
    p = expit(1.5 * x + logit(rare)).T
    table = np.where(gone.T[..., np.newaxis], np.nan, np.stack([1 - p, p], axis=2))
    return y, table, expit(truth)


@pytest.mark.parametrize("rare", [0.5, 0.1])
def test_what_is_left_unsaid_is_learned(rare):
    """As if it were even odds, it missed by .02 for even classes, and by .05 for a rare one."""
    y, p, _ = overlapping(2000, rare, 0.4, seed=0)
    _, new, truth = overlapping(4000, rare, 0.4, seed=1)
    beliefs = fuse_probabilities(
        fit_to_probabilities(Stacked(model="confidence"), p, y, [0, 1]), new
    )
    lower, upper = beliefs.interval()[:, 1].T
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.9
    fused = fuse_probabilities(fit_to_probabilities(Stacked(), p, y, [0, 1]), new).betp()[:, 1]
    assert np.abs(fused - truth).mean() < 0.01


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_choice_has_a_fusion_of_its_own(n_classes):
    """It is that of its sources alone."""
    masses, y = sources(n=240, n_classes=n_classes)
    p = np.stack([betp(m) for m in masses])
    p[2, ::5] = np.nan
    p[0, ::4] = np.nan
    classes = ["ant", "bee", "cat"][:n_classes]
    fused = fuse_probabilities(fit_to_probabilities(Stacked(), p, y, classes, [3, 2, 1]), p)
    speaks = ~np.isnan(p[:, :, 0])
    for choice in ([0, 1, 2], [0, 1], [1, 2]):
        told = speaks[choice].all(axis=0)
        rows = told & (speaks.sum(axis=0) == len(choice))
        sizes = np.array([3, 2, 1])[choice]
        alone = fit_to_probabilities(Stacked(), p[choice], y, classes, sizes)
        expected = fuse_probabilities(alone, p[choice][:, rows])
        np.testing.assert_allclose(fused.betp()[rows], expected.betp(), atol=1e-12)
        np.testing.assert_allclose(fused.interval()[rows], expected.interval(), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_with_a_silent_source_count(n_classes):
    """But not if the other sources err there, which their weights elsewhere do not show."""
    masses, y = sources(n=360, n_classes=n_classes)
    classes = ["ant", "bee", "cat"][:n_classes]
    p = np.stack([betp(m) for m in masses])
    p[2, 120:] = np.nan
    few = fit_to_probabilities(Stacked(), p[:, :120], y[:120], classes)
    more = fit_to_probabilities(Stacked(), p, y, classes)
    assert more.standard_error_[:2].mean() < few.standard_error_[:2].mean()
    lies = np.concatenate([y[:120], np.roll(y, 1)[120:]])
    wary = fit_to_probabilities(Stacked(), p, lies, classes)
    np.testing.assert_allclose(wary.weights_, few.weights_, atol=0.05)
    new = p[:, :120]
    found, expected = (fuse_probabilities(f, new).interval() for f in (wary, few))
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_fusions_learn_from_rows_with_silent_sources():
    """Of four biased sources that each leave out 40 %, all speak about one row in eight."""
    excess = []
    for seed in range(4):
        slope, shift = [(0.5, 1.5), (2.0, -1.0)][seed % 2]
        y, p, _ = overlapping(400, 0.5, 0.4, seed, rho=0.3, sources=4)
        _, new, truth = overlapping(2000, 0.5, 0.4, seed + 10, rho=0.3, sources=4)
        fusion = fit_to_probabilities(Stacked(), _moved(p, slope, shift), y, [0, 1])
        fused = fuse_probabilities(fusion, _moved(new, slope, shift)).betp()[:, 1]
        gain = truth * np.log(truth / fused) + (1 - truth) * np.log((1 - truth) / (1 - fused))
        excess.append(gain.mean())
    assert np.mean(excess) < 0.012  # 0.018 from rows about which all speak


def _moved(table, slope, shift):
    p = expit(slope * logit(table[..., 1]) + shift)
    return np.stack([1 - p, p], axis=2)


def test_a_new_silence_is_filled_by_the_usual():
    masses, y = sources(n=90, n_classes=3)
    p = np.stack([betp(m) for m in masses])[:, 30:]
    y = np.concatenate([y[30:89], ["cat"]])
    fusion = fit_to_probabilities(Stacked(), p, y, ["ant", "bee", "cat"])
    new = p[:, :5].copy()
    new[1] = np.nan
    codes = np.unique(y, return_inverse=True)[1].tolist()
    for row, found in enumerate(fuse_probabilities(fusion, new).betp()):
        says = [naive.evidence(p[s, row].tolist(), 1e-4) for s in range(3)]
        says[1] = naive.usual_evidence(p[1].tolist(), codes, [1] * 60, 1e-4)
        eta = naive.logits(says, fusion.weights_.tolist(), fusion.intercept_.tolist())
        share = np.exp(eta) / np.exp(eta).sum()
        np.testing.assert_allclose(found, share, atol=1e-9)


def test_the_usual_evidence_is_the_definition():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=(3, 40))
    p[0, ::2] = np.nan
    p[2] = np.nan  # never speaks
    codes, weight = np.arange(40) % 3, rng.integers(1, 4, 40)
    held_out = HeldOut.of(sources_of(p, range(3)), codes, weight)
    for source in range(3):
        rows = [None if np.isnan(row[0]) else row for row in p[source]]
        expected = naive.usual_evidence(rows, codes.tolist(), weight.tolist(), 1e-4)
        found = usual_evidence(held_out, evidence(held_out.probabilities, 1e-4))[:, source]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_vacuous_masses_are_silent():
    masses, y = sources(n=120)
    gone = np.arange(120) % 3 == 0
    table = np.where(gone[:, None], [0, 0, 1], np.moveaxis(masses[0].store, 0, 1))
    partly = MassFunction(masses[0].frame, masses[0].focal, table)
    p = np.stack([betp(m) for m in masses])
    p[0, gone] = np.nan
    fusion = Stacked().fit([partly, *masses[1:]], y)
    other = fit_to_probabilities(Stacked(), p, y, ["ant", "bee"])
    expected = fuse_probabilities(other, p).betp()
    np.testing.assert_allclose(betp(fusion(partly, *masses[1:])), expected, atol=1e-12)
    again = Rule.from_dict(json.loads(json.dumps(fusion.to_dict())))
    assert again(partly, *masses[1:]).equals(fusion(partly, *masses[1:]), atol=0)


def test_rows_about_which_nobody_speaks_have_the_share_of_the_classes():
    y, p, _ = overlapping(1000, 0.2, 0.3, seed=2)
    fused = fit_to_probabilities(Stacked(), p, y, [0, 1])
    nobody = fuse_probabilities(fused, np.full((2, 1, 2), np.nan)).betp()
    np.testing.assert_allclose(nobody[0, 1], y.mean(), atol=0.01)


def test_three_classes_about_which_nobody_speaks():
    """The prior of intercepts had drawn their shares together, 0.05 to 0.12 for 100 samples."""
    counts = np.array([80, 15, 5])
    y, share = np.repeat([0, 1, 2], counts), counts / 100
    p = np.random.default_rng(0).dirichlet(np.ones(3), (2, 100))
    p[:, ::3] = np.nan
    fusion, nobody = EvidentialFusion().fit(list(p), y), [np.full((1, 3), np.nan)] * 2
    np.testing.assert_allclose(fusion.predict_proba(nobody)[0], share, rtol=1e-12)
    error = norm.ppf(0.975) / np.sqrt(100 * share * (1 - share))
    expected = expit(logit(share)[:, np.newaxis] + np.outer(error, [-1, 1]))
    np.testing.assert_allclose(fusion.predict_interval(nobody, level=0.95)[0], expected, rtol=1e-6)


def test_nothing_is_known_of_weights_without_evidence():
    """Sources that were even in each sample of the fit may later be right, or wrong."""
    y, even = np.repeat([0, 1, 2], [80, 15, 5]), np.full((100, 3), 1 / 3)
    fusion, sure = EvidentialFusion().fit([even, even], y), np.array([[0.9, 0.05, 0.05]])
    lower, upper = fusion.predict_interval([sure, sure], level=0.95)[0].T
    assert (lower < 0.01).all()
    assert (upper > 0.99).all()


def test_sources_that_never_speak_together():
    y, p, _ = overlapping(600, 0.5, 0.0, seed=3)
    p[0, ::2], p[1, 1::2] = np.nan, np.nan
    fusion = fit_to_probabilities(Stacked(), p, y, [0, 1])
    for source in (0, 1):
        rows = ~np.isnan(p[source, :, 0])
        alone = fit_to_probabilities(Stacked(), p[[source]], y, [0, 1])
        expected = fuse_probabilities(alone, p[[source]][:, rows]).betp()
        found = fuse_probabilities(fusion, p[:, rows]).betp()
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert fusion.weights_.shape == (2,)


def test_weights_of_rows_are_repeated_rows():
    y, p, _ = overlapping(200, 0.3, 0.3, seed=4)
    times = np.random.default_rng(0).integers(1, 4, 200)
    weighted = fit_to_probabilities(Stacked(), p, y, [0, 1], sample_weight=times)
    repeated = fit_to_probabilities(Stacked(), np.repeat(p, times, 1), np.repeat(y, times), [0, 1])
    found, expected = (fuse_probabilities(f, p).betp() for f in (weighted, repeated))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_rare_choices_have_no_fusion():
    y, p, _ = overlapping(1000, 0.5, 0.0, seed=5)
    p[0, :9] = np.nan  # below one in a hundred
    assert not len(learnable(HeldOut.of(sources_of(p, range(2)), y, None))[:-1])
    p[0, :30] = np.nan
    p[1, y == 1] = np.nan  # speaks about one class only
    choices = learnable(HeldOut.of(sources_of(p, range(2)), y, None))
    assert choices.tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: {"parts": []}, "its parts are not those of its choices"),
        (lambda data: {"parts": {}}, r"parts are \{\}, not a list"),
        (lambda data: {"parts": [data["parts"][0]] * 9}, "its parts are not those of its choices"),
    ],
)
def test_damaged_parts_are_refused(change, message):
    y, p, _ = overlapping(300, 0.5, 0.3, seed=6)
    data = fit_to_probabilities(Stacked(), p, y, [0, 1]).to_dict()
    with pytest.raises(ValueError, match=f"saved fusion is damaged: {message}"):
        Rule.from_dict({**data, **change(data)})


def test_other_fusions_have_no_parts():
    y, p, _ = overlapping(300, 0.5, 0.3, seed=6)
    part = fit_to_probabilities(Stacked(), p, y, [0, 1]).to_dict()
    m = MassFunction(Frame([0, 1]), [1, 2], [[0.5, 0.5]])
    data = Rule.from_dict(part).to_dict() | {"parts": [part]}
    plain = json.loads(json.dumps(data)) | {"class": "Mixture", "parameters": {}}
    plain["state"] = {"weights_": [0.5, 0.5]}
    with pytest.raises(ValueError, match="Mixture has no parts"):
        Rule.from_dict(plain)
    assert Rule.from_dict(plain | {"parts": []})(m, m).equals(m)
