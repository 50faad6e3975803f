"""EvidentialFusion: sources given as mass functions, probabilities or scores."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dstheory import Frame, MassFunction, betp, dempster
from dstheory.combine import cautious
from dstheory.errors import FrameError, TotalConflictError
from dstheory.revise import refine
from evical import EvidentialFusion
from evical.calibrators import AutoCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.errors import WrongWayWarning
from evical.fusion import Consensus, Discounted, Mixture, Stacked
from tests.evical.fusion.samples import LABELS, sources
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities, fuse_probabilities

RNG = np.random.default_rng(0)
Y = np.arange(200) % 2
SCORES = [RNG.normal(size=200) + shift * Y for shift in (2.0, 1.0)]
PLAIN = ["size_mixture", "dempster", "cautious"]
LEARNED = [
    "stacked",
    "likelihood_mixture",
    "discounted",
    "contextually_discounted",
    "learned_tnorm",
]


@each("rule", [*LEARNED, *PLAIN])
@each("n_classes", [2, 3])
def test_mass_functions_are_fused_as_by_the_fusion(rule, n_classes):
    masses, y = sources(n_classes=n_classes)
    given = EvidentialFusion(rule).fit(masses, y)
    assert given.classes_.tolist() == list(LABELS[:n_classes])
    rule = given.fusion_
    expected = (clone(rule).fit(masses, y) if hasattr(rule, "fit") else rule)(*masses)
    np.testing.assert_allclose(given.predict_proba(masses), betp(expected), atol=1e-9)
    assert given.predict_mass(masses).equals(expected, atol=1e-9)
    assert given.predict_interval(masses).shape == ((60, 2) if n_classes == 2 else (60, 3, 2))
    assert given.predict_set(masses).shape == (60, n_classes)
    assert given.conflict(masses).shape == (60,)
    assert given.score(masses, y) > 0.5
    again = pickle.loads(pickle.dumps(given))
    np.testing.assert_array_equal(again.predict_proba(masses), given.predict_proba(masses))


def test_probabilities_are_fused_as_by_the_fusion():
    masses, y = sources(n_classes=3)
    p = np.stack([betp(m) for m in masses])
    p[1, ::4] = np.nan
    given = EvidentialFusion().fit(list(p), y)
    expected = fuse_probabilities(fit_to_probabilities(Stacked(), p, y, LABELS), p)
    np.testing.assert_allclose(given.predict_proba(list(p)), expected.betp(), atol=1e-9)
    np.testing.assert_allclose(given.predict_interval(p), expected.interval(), atol=1e-9)
    assert given.predict_masses(p)[1].is_vacuous.tolist() == (np.arange(60) % 4 == 0).tolist()


def test_scores_are_calibrated():
    given = EvidentialFusion().fit(SCORES, Y)
    masses = [AutoCalibrator().fit(scores, Y).predict_mass(scores) for scores in SCORES]
    for found, expected in zip(given.predict_masses(SCORES), masses, strict=True):
        assert found.equals(expected, atol=1e-12)
    fused = Stacked().fit(masses, Y)(*masses)
    np.testing.assert_allclose(given.predict_proba(SCORES), betp(fused), atol=1e-9)
    assert list(given.fusion_by_name_["weights_"]) == ["source0", "source1"]


def test_other_calibrators_are_refitted_without_each_fold():
    """Isotonic regression is certain of its own samples: a source of noise looked worth hearing."""
    noise = RNG.normal(size=200)
    options = {"calibrator": IsotonicCalibrator(model="likelihood")}
    given = EvidentialFusion(**options).fit({"good": SCORES[0], "noise": noise}, Y)
    weights = given.fusion_by_name_["weights_"]
    assert abs(weights["noise"]) < 0.35 < weights["good"]
    groups = np.arange(200) // 2
    grouped = EvidentialFusion(**options).fit([SCORES[0], noise], Y, groups=groups)
    assert grouped.score([SCORES[0], noise], Y) > 0.7


def test_all_kinds_together_silent_on_some_rows():
    p = expit(2 * SCORES[0] - 2)
    table = np.stack([1 - p, p], axis=1)
    table[::5] = np.nan
    score = SCORES[1].copy()
    score[1::5] = np.nan
    m = MassFunction(Frame([1, 0]), [1, 2, 3], np.tile([0.1, 0.2, 0.7], (200, 1)))
    named = {"expert": table, "score": score, "masses": m}
    given = EvidentialFusion().fit(named, Y)
    expert, calibrated, masses = given.predict_masses(named)
    assert expert.is_vacuous.tolist() == (np.arange(200) % 5 == 0).tolist()
    assert calibrated.is_vacuous.tolist() == (np.arange(200) % 5 == 1).tolist()
    assert masses.frame == Frame([0, 1])
    np.testing.assert_allclose(masses.bel(1), 0.1)
    assert given.score(named, Y) > 0.8
    whole = {**named, "score": score.round()}
    nullable = pd.Series(score.round(), dtype="Int64"), pd.DataFrame(table, dtype="Float64")
    np.testing.assert_array_equal(
        given.predict_proba({**named, "score": nullable[0], "expert": nullable[1]}),
        given.predict_proba(whole),
    )
    shuffled = {name: named[name] for name in ("masses", "expert", "score")}
    np.testing.assert_array_equal(given.predict_proba(shuffled), given.predict_proba(named))


def test_a_data_frame_has_a_score_in_each_column():
    frame = pd.DataFrame({"svm": SCORES[0], "lab": SCORES[1]})
    given = EvidentialFusion(calibrator=LogisticCalibrator()).fit(frame, Y)
    expected = EvidentialFusion(calibrator=LogisticCalibrator()).fit(SCORES, Y)
    np.testing.assert_array_equal(given.predict_proba(frame), expected.predict_proba(SCORES))
    assert given.source_names_ == ["svm", "lab"]


def test_weights_of_samples_are_repeated_samples():
    times = RNG.integers(1, 4, 200)
    options = {"calibrator": LogisticCalibrator(model="likelihood"), "rule": "discounted"}
    masses, y = sources(n=200)
    one = EvidentialFusion("discounted").fit(masses, y, sample_weight=times)
    rows = np.repeat(np.arange(200), times)
    other = EvidentialFusion("discounted").fit([m[rows] for m in masses], y[rows])
    np.testing.assert_allclose(one.predict_proba(masses), other.predict_proba(masses), atol=1e-5)
    assert EvidentialFusion(**options).fit(SCORES, Y, sample_weight=times).score(SCORES, Y) > 0.7


def test_without_labels_the_default_is_a_consensus_and_rules_are_taken_by_name():
    masses, _ = sources()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = EvidentialFusion().fit(masses)
        assert isinstance(given.fusion_, Consensus)
        expected = Consensus().fit(masses)(*masses)
        assert given.predict_mass(masses).equals(expected, atol=1e-12)
        for name, rule in {"cautious": cautious, "dempster": dempster}.items():
            found = EvidentialFusion(name).fit(masses).predict_mass(masses)
            assert found.equals(rule(*masses), atol=1e-12)
        EvidentialFusion("size_mixture").fit(masses)
        EvidentialFusion(Discounted(rates=[0.5, 0.5, 0])).fit(masses)
        alone = EvidentialFusion().fit(masses[:1])
    np.testing.assert_array_equal(alone.predict_proba(masses[:1]), betp(masses[0]))


def test_coarser_sources_are_refined_by_the_user():
    masses, y = sources(n_classes=3)
    coarse = MassFunction(Frame(["insect", "cat"]), [1, 2, 3], np.tile([0.6, 0.2, 0.2], (60, 1)))
    with pytest.raises(FrameError, match=r"'source1' is on .*; carry its belief there by .*refine"):
        EvidentialFusion().fit([masses[0], coarse], y)
    events = {"insect": ["ant", "bee"], "cat": "cat"}
    fine = refine(coarse, masses[0].frame, events)
    assert EvidentialFusion().fit([masses[0], fine], y).score([masses[0], fine], y) > 0.5


@pytest.mark.parametrize("rule", [None, "dempster", "size_mixture", "likelihood_mixture"])
def test_probabilities_of_twenty_six_classes(rule):
    y = np.arange(260) % 26
    p = RNG.dirichlet(np.ones(26), size=(2, 260)) + 0.5 * np.eye(26)[y]
    p /= p.sum(axis=2, keepdims=True)
    p[0, ::7] = np.nan
    given = EvidentialFusion(rule).fit(p, y)
    assert given.score(p, y) > 0.9
    assert given.predict_interval(p).shape == (260, 26, 2)


def test_total_conflict_may_be_vacuous():
    sure = [np.tile([1.0, 0.0], (2, 1)), np.array([[0.0, 1.0], [0.5, 0.5]])]
    given = EvidentialFusion("dempster", classes=[0, 1]).fit(sure)
    with pytest.raises(TotalConflictError, match=r"first: row 0"):
        given.predict_mass(sure)
    given = EvidentialFusion("dempster", classes=[0, 1], total_conflict="vacuous").fit(sure)
    assert given.predict_mass(sure).is_vacuous.tolist() == [True, False]


def test_wrong_way_scores_give_one_warning():
    with pytest.warns(WrongWayWarning) as caught:
        EvidentialFusion(calibrator=IsotonicCalibrator()).fit([-SCORES[0], -SCORES[1]], Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


P = np.tile([0.4, 0.6], (200, 1))


@each(
    ("given", "y", "options", "error", "message"),
    [
        (SCORES[0], Y, {}, ValueError, "source 'source0' has shape|sources"),
        (7, Y, {}, TypeError, "sources are 7, expected a list of sources, a dict"),
        ([], Y, {}, ValueError, "sources are empty; a fusion needs a source"),
        ([P, P[:9]], Y, {}, ValueError, "'source1' is about 9 samples, but .*'source0' about 200"),
        ([P], Y[:9], {}, ValueError, "about 200 samples, but there are 9 labels"),
        (
            [P * 2],
            Y,
            {},
            ValueError,
            r"probabilities \[0.8, 1.2\] in row 0, with sum 2,",
        ),
        ([P], Y * 2, {"classes": [0, 1]}, ValueError, r"y has label 2, but .* about \[0, 1\]"),
        ([P], np.arange(200) % 3, {}, ValueError, r"shape \(200, 2\), expected \(n, 3\)"),
        (
            [SCORES[0]],
            np.arange(200) % 3,
            {},
            ValueError,
            r"has 0\.\d+ in row 0, .*\(n, 3\)",
        ),
        ([P], Y * 0, {}, ValueError, "y has one class only"),
        ([P], Y * 0, {"classes": [0, 1]}, ValueError, "y has one class only"),
        (
            [pd.DataFrame(P, columns=list(names)) for names in ("ab", "cd")],
            None,
            {},
            ValueError,
            r"sources do not name their classes, .* EvidentialFusion\(classes=",
        ),
        ([SCORES[0]], None, {"classes": [0, 1]}, ValueError, "or labels y to calibrate scores"),
        (
            [SCORES[0]],
            None,
            {},
            ValueError,
            r"has scores, such as 0\.1.* but y is None",
        ),
        ([P], None, {"classes": [0, 1], "rule": "stacked"}, ValueError, "learns from labels"),
        ([P], Y, {"rule": "stackd"}, ValueError, "rule is 'stackd'"),
        ([P], Y, {"total_conflict": "no"}, ValueError, "total_conflict is 'no'"),
        ([["a"] * 200], Y, {}, (TypeError, ValueError), "source 'source0'"),
        (
            [SCORES[0] * np.nan],
            Y,
            {},
            ValueError,
            "class 0 has 100 samples, but the source is",
        ),
    ],
)
def test_bad_input(given, y, options, error, message):
    with pytest.raises(error, match=message):
        EvidentialFusion(**options).fit(given, y)


def test_new_sources_are_those_of_fit():
    given = EvidentialFusion().fit({"a": SCORES[0], "b": P}, Y)
    silent = np.full_like(P, np.nan)
    np.testing.assert_array_equal(
        given.predict_interval({"a": SCORES[0]}),
        given.predict_interval({"a": SCORES[0], "b": silent}),
    )
    np.testing.assert_array_equal(
        given.predict_interval({"b": P}),
        given.predict_interval({"a": np.full(len(P), np.nan), "b": P}),
    )
    with pytest.raises(ValueError, match=r"are \['B'\], but .* to \['a', 'b'\]; did you mean 'b'"):
        given.predict({"B": P})
    with pytest.raises(ValueError, match="give a dict from names, where sources that it lacks are"):
        EvidentialFusion("dempster").fit([P, P], Y).predict([P])
    with pytest.raises(ValueError, match=r"source 'a' has beliefs, but had scores \(n,\) in fit"):
        given.predict({"a": P, "b": P})
    with pytest.raises(ValueError, match="batch shape"):
        given.predict({"a": SCORES[0], "b": MassFunction(Frame([0, 1]), [3], [1.0])})
    with pytest.raises(NotFittedError):
        EvidentialFusion().predict([P])


def test_a_class_without_samples():
    p = np.tile([0.3, 0.5, 0.2], (200, 1))
    learned = EvidentialFusion(classes=[0, 1, 2]).fit([p, p], Y)
    assert learned.predict_proba([p, p]).shape == (200, 3)
    found = EvidentialFusion("size_mixture", classes=[0, 1, 2]).fit([p, p], Y).predict_proba([p, p])
    np.testing.assert_allclose(found, p, atol=1e-12)
    assert isinstance(EvidentialFusion("size_mixture").rule, str)
    assert isinstance(EvidentialFusion(Mixture()).fit([P], Y).fusion_, Mixture)


def test_minus_one_beside_zero_and_one_is_doubted():
    votes = {"a": [0, 1, -1, 1], "b": [0, 1, 1, -1], "c": [0, 1, 1, 1]}
    with pytest.warns(UserWarning, match="-1 is taken for a class, like 0 and 1"):
        assert EvidentialFusion().fit(votes).classes_.tolist() == [-1, 0, 1]
    EvidentialFusion(classes=[-1, 0, 1]).fit(votes)
    EvidentialFusion().fit({name: ["abc"[vote] for vote in them] for name, them in votes.items()})


def test_a_table_of_votes_names_its_sources():
    votes = {"a": ["x", "y", None], "b": ["x", "y", "y"], "c": ["x", "x", "y"]}
    expected = EvidentialFusion().fit(votes).predict_proba(votes)
    for table in (pd.DataFrame(votes), pl.DataFrame(votes), pa.table(votes)):
        fusion = EvidentialFusion().fit(table)
        assert fusion.source_names_ == ["a", "b", "c"]
        np.testing.assert_array_equal(fusion.predict_proba(table), expected)
    with pytest.raises(ValueError, match=r"an array of shape \(3, 4\), whose rows or columns may"):
        EvidentialFusion().fit(np.ones((3, 4), dtype=int))
