"""Consensus: fusion without labels, by how far sources agree."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion
from evical.beliefs import as_beliefs
from evical.errors import WrongWayWarning
from evical.fusion import Consensus, Rule, Stacked, sources_from_long
from evical.fusion._agreement import one_factor
from evical.plot import FusionWeightsDisplay
from tests.naive import consensus as naive


def simulated(n=200, n_classes=3, skills=(2.0, 1.5, 1.0, 0.5), silent=0.2, seed=0):
    """Probabilities (S, n, K), NaN where a source is not available, and the truth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    p = []
    for skill in skills:
        logits = rng.normal(size=(n, n_classes)) * np.sqrt(skill) + skill * np.eye(n_classes)[y]
        share = np.exp(logits)
        share /= share.sum(axis=1, keepdims=True)
        share[rng.random(n) < silent] = np.nan
        p.append(share)
    return np.stack(p), y


def beliefs(p):
    return [as_beliefs(one, np.arange(p.shape[2])) for one in p]


def lists(p):
    return [[None if np.isnan(row[0]) else row.tolist() for row in one] for one in p]


@pytest.mark.parametrize(("n_classes", "dependence"), [(2, 0.5), (3, 0.5), (4, 0.0), (2, 0.2)])
def test_it_is_its_definition(n_classes, dependence):
    p, _ = simulated(40, n_classes, seed=n_classes)
    p[3] = np.where(np.isnan(p[3]), np.nan, 0.9 * p[2] + 0.1 * p[3])
    rule = Consensus(dependence=dependence).fit(beliefs(p))
    weights, prevalence, sharpness, *believed = naive.learned(lists(p), dependence)
    np.testing.assert_allclose(rule.weights_, weights, rtol=1e-9)
    np.testing.assert_allclose(rule.prevalence_, prevalence, rtol=1e-9)
    np.testing.assert_allclose(rule.sharpness_, sharpness, rtol=1e-6)
    for found, expected in zip(
        (rule.reliability_, rule.reliability_interval_), believed, strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    rows = [row for row in zip(*lists(p), strict=True) if any(row)]
    expected = [naive.fused(row, weights, prevalence, sharpness, dependence) for row in rows]
    found = rule.combine(beliefs(p))
    heard = ~np.isnan(p).all(axis=(0, 2))
    np.testing.assert_allclose(found.betp()[heard], expected, atol=1e-6)
    assert found.silent.tolist() == (~heard).tolist()
    lower, upper = np.moveaxis(found.interval(), 2, 0)
    assert (lower[heard] <= found.betp()[heard]).all()
    assert (found.betp() <= upper + 1e-12).all()


def test_three_sources_of_which_one_is_a_copy_are_their_definition():
    p, _ = simulated(60, 2, (2.0, 1.5, 1.0), silent=0.0)
    p[2] = 0.97 * p[1] + 0.03 * p[2]
    rule = Consensus().fit(beliefs(p))
    weights, _, sharpness, *_ = naive.learned(lists(p), 0.5)
    np.testing.assert_allclose(rule.weights_, weights, rtol=1e-9)
    np.testing.assert_allclose(rule.sharpness_, sharpness, rtol=1e-6)


def test_one_factor_is_exact_where_there_is_one():
    loadings = np.array([0.9, 0.7, 0.4, 0.1, -0.3])
    products = np.outer(loadings, loadings)
    for weight in (np.ones((5, 5)), (1 - products) ** 2):
        np.testing.assert_allclose(one_factor(products, weight), loadings, atol=1e-6)


def test_of_two_camps_of_equal_strength_neither_is_right():
    for camps in ([0.9, -0.9], [0.8, 0.8, -0.8, -0.8]):
        found = one_factor(np.outer(camps, camps), np.ones((len(camps), len(camps))))
        np.testing.assert_array_equal(found, np.zeros(len(camps)))
    one = np.arange(20) % 2
    votes = [as_beliefs(np.eye(2)[rows], np.arange(2)) for rows in (one, 1 - one)]
    with pytest.warns(WrongWayWarning, match="no source agrees with the others"):
        rule = Consensus().fit(votes)
    assert rule.reliability_.tolist() == [0, 0]
    np.testing.assert_allclose(rule.combine(votes).probability(), 0.5)


def test_intervals_of_reliability_hold_that_of_independent_voters():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(40):
        accuracy, truth = rng.uniform(0.55, 0.95, 7), rng.random(200) < 0.5
        votes = truth ^ (rng.random((7, 200)) > accuracy[:, np.newaxis])
        rule = Consensus(dependence=0).fit(beliefs(np.stack([~votes, votes], axis=2) * 1.0))
        low, high = rule.reliability_interval_.T
        held.append((low <= 2 * accuracy - 1) & (2 * accuracy - 1 <= high))
        assert (low <= rule.reliability_).all()
        assert (rule.reliability_ <= high).all()
    assert 0.9 < np.mean(held) < 0.99


def test_calibrated_independent_sources_are_as_sharp_as_they_deserve():
    """With calibrated sources, the expected pooled probability given a source is the source."""
    p, _y = simulated(20_000, 2, (1.0, 1.0, 1.0), silent=0.0)
    rule = Consensus(dependence=0).fit(beliefs(p))
    exact = np.exp(np.log(p).sum(axis=0))
    exact /= exact.sum(axis=1, keepdims=True)  # Bayes' rule: the prevalences are equal
    found = rule.combine(beliefs(p)).betp()
    assert abs(rule.sharpness_ - 3) < 0.3
    assert np.abs(found - exact).mean() < 0.01
    assert np.abs(found - exact).max() < 0.08


def test_copies_count_as_little_more_than_one():
    p, _ = simulated(400, 2, (1.0, 1.0, 1.0), silent=0.0)
    jitter = np.random.default_rng(1).normal(0, 1e-3, (7, 400, 1)) * [1, -1]
    copied = np.concatenate([p, np.clip(p[:1] + jitter, 1e-6, 1)])
    copied /= copied.sum(axis=2, keepdims=True)
    once, often = Consensus().fit(beliefs(p)), Consensus().fit(beliefs(copied))
    assert often.groups_.tolist() == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0]
    together = often.weights_[often.groups_ == 0].sum()
    assert abs(together - once.weights_[0]) < 0.1
    gap = often.combine(beliefs(copied)).betp() - once.combine(beliefs(p)).betp()
    assert np.abs(gap).max() < 0.06


def test_agreement_where_all_agree_is_no_sign_of_copies():
    """Voters that are nearly always right vote alike, without repeating each other."""
    truth = np.tile([0.0, 1.0], 100)
    votes = np.tile(truth, (6, 1))
    for voter in range(3):
        votes[voter, 7 * voter] = 1 - truth[7 * voter]
    right = Consensus().fit(beliefs(np.stack([1 - votes, votes], axis=2)))
    assert np.corrcoef(votes[3], votes[0])[0, 1] > 0.97
    assert (right._agreement.copies - np.eye(6)).max() < 0.5
    assert right.weights_ == pytest.approx(np.full(6, 1 / 6), abs=0.03)
    noisy = np.where(np.random.default_rng(0).random((3, 200)) < 0.7, truth, 1 - truth)
    votes = np.vstack([noisy, noisy[:1], noisy[:1]])
    copied = Consensus().fit(beliefs(np.stack([1 - votes, votes], axis=2)))
    assert copied.groups_.tolist() == [0, 1, 2, 0, 0]
    assert copied._agreement.copies[0, 3] > 0.85
    assert copied.weights_[0] < 0.7 * copied.weights_[1]


def test_a_source_that_contradicts_the_others_is_named_and_has_no_weight():
    p, y = simulated(200, 2, (2.0, 1.5, 1.0, 1.0), silent=0.1)
    p[3] = p[3, :, ::-1]
    named = dict(zip(["lab", "scan", "nurse", "swapped"], p, strict=True))
    with pytest.warns(WrongWayWarning, match=r"source 'swapped' contradicts .* -0\.\d\d") as caught:
        fusion = EvidentialFusion().fit(named)
    assert [one.filename for one in caught] == [__file__]
    assert fusion.fusion_by_name_["weights_"]["swapped"] == 0
    with pytest.warns(WrongWayWarning, match="source 4 contradicts") as caught:
        rule = Consensus().fit(beliefs(p))
    assert [one.filename for one in caught] == [__file__]
    assert rule.contradicts_.tolist() == [False, False, False, True]
    low, high = rule.agreement_interval_.T
    assert ((low < rule.agreement_) & (rule.agreement_ < high)).all()
    assert fusion.score(named, y) > 0.8


def test_a_source_that_always_says_the_same_has_no_weight():
    for seed in range(20):
        p, _ = simulated(100 + 97 * seed, 2 + seed % 3, (1.5, 1.0, 1.0), silent=0.0, seed=seed)
        share = np.random.default_rng(seed).dirichlet(np.ones(p.shape[2]))
        constant = np.broadcast_to(share, p[:1].shape)
        rule = Consensus().fit(beliefs(np.concatenate([p, constant])))
        assert rule.weights_[3] == 0
        assert not rule.contradicts_.any()


def test_batches_and_new_sources_lead_to_the_same():
    p, _ = simulated(12_000, 2)
    p[3, :5000] = np.nan  # comes later
    whole, parts = Consensus().fit(beliefs(p)), Consensus()
    for rows, number in ((slice(0, 5000), 3), (slice(5000, 9000), 4), (slice(9000, None), 4)):
        parts.partial_fit(beliefs(p[:number, rows]))
    np.testing.assert_allclose(parts.weights_, whole.weights_, rtol=1e-12)
    np.testing.assert_allclose(parts.sharpness_, whole.sharpness_, rtol=1e-8)
    np.testing.assert_allclose(
        parts.combine(beliefs(p)).betp(), whole.combine(beliefs(p)).betp(), atol=1e-9
    )
    with pytest.raises(ValueError, match="there are 3 sources, but there were 4"):
        parts.partial_fit(beliefs(p[:3]))
    again = Rule.from_dict(json.loads(json.dumps(parts.to_dict())))
    for name in ("weights_", "reliability_", "agreement_", "groups_", "contradicts_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(parts, name))
    np.testing.assert_array_equal(
        again.combine(beliefs(p)).interval(), parts.combine(beliefs(p)).interval()
    )
    with pytest.raises(ValueError, match="read from a file, which has no samples"):
        again.partial_fit(beliefs(p))


def test_weights_of_samples_are_repeated_samples():
    p, _ = simulated(150)
    times = np.random.default_rng(0).integers(0, 4, 150)
    weighted = Consensus().fit(beliefs(p), sample_weight=times)
    repeated = Consensus().fit(beliefs(np.repeat(p, times, axis=1)))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-10)
    np.testing.assert_allclose(weighted.sharpness_, repeated.sharpness_, rtol=1e-6)


def test_votes_of_texts_and_numbers_and_long_tables():
    rng = np.random.default_rng(0)
    truth = rng.choice(["ham", "spam"], 300)
    other = np.where(truth == "ham", "spam", "ham")
    votes = {
        name: np.where(rng.random(300) < right, truth, other).astype(object)
        for name, right in {"a": 0.9, "b": 0.8, "c": 0.75, "guess": 0.5}.items()
    }
    votes["b"][::3] = None
    fusion = EvidentialFusion().fit(votes)
    assert fusion.classes_.tolist() == ["ham", "spam"]
    assert fusion.score(votes, truth) > 0.9
    assert fusion.fusion_by_name_["weights_"]["guess"] < 0.05
    numbers = {
        name: [{"ham": 0, "spam": 1}.get(v, np.nan) for v in one] for name, one in votes.items()
    }
    np.testing.assert_array_equal(
        EvidentialFusion().fit(numbers).predict_proba(numbers), fusion.predict_proba(votes)
    )
    item, source, vote = zip(
        *((i, name, v) for name, one in votes.items() for i, v in enumerate(one) if v is not None),
        strict=True,
    )
    items, table = sources_from_long(item, source, vote)
    assert items.tolist() == list(range(300))
    assert list(table) == list(votes)
    names = ["guess", "c", "later", "b", "a"]
    assert list(sources_from_long(item, source, vote, sources=names)[1]) == names
    with pytest.raises(ValueError, match=r"'guess' votes, but is not .*; did you mean 'guesser'\?"):
        sources_from_long(item, source, vote, sources=["a", "b", "c", "guesser"])
    names = ["guess", "c", "later", "b", "a"]
    assert list(sources_from_long(item, source, vote, sources=names)[1]) == names
    with pytest.raises(ValueError, match=r"'guess' votes, but is not .*; did you mean 'guesser'\?"):
        sources_from_long(item, source, vote, sources=["a", "b", "c", "guesser"])
    np.testing.assert_array_equal(fusion.predict_proba(table), fusion.predict_proba(votes))


def test_nothing_to_learn_is_equal_weights_and_never_an_error():
    same = np.tile([0.7, 0.3], (3, 20, 1))
    rule = Consensus().fit(beliefs(same))
    np.testing.assert_allclose(rule.weights_, 1 / 3)
    np.testing.assert_allclose(rule.combine(beliefs(same)).betp(), same[0])
    one, _ = simulated(30, 2, (1.0,))
    alone = Consensus().fit(beliefs(one))
    np.testing.assert_array_equal(alone.combine(beliefs(one)).betp(), beliefs(one)[0].betp())
    sure = np.stack([np.eye(2)[[0, 1, 0, 1]], np.eye(2)[[1, 0, 1, 0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WrongWayWarning)
        found = Consensus().fit(beliefs(sure)).combine(beliefs(sure)).betp()
    np.testing.assert_allclose(found, 0.5)
    nobody = np.full((2, 5, 2), np.nan)
    assert Consensus().fit(beliefs(nobody)).combine(beliefs(nobody)).silent.all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dependence": 1}, "dependence is 1, expected 'auto' or a number from 0 to less"),
        ({"dependence": "high"}, "dependence is 'high', expected 'auto' or a number"),
        ({"model": "best"}, "model is 'best', expected"),
        ({"confidence": 1}, "confidence is 1"),
    ],
)
def test_parameters_are_refused(options, message):
    p, _ = simulated(30)
    with pytest.raises(ValueError, match=message):
        Consensus(**options).fit(beliefs(p))


def test_votes_and_scores_that_cannot_be_are_refused():
    for sources, message in (
        ({"a": ["x", "y"], "b": ["x", "Y"]}, None),
        ({"a": [0.3, 1.0], "b": [1.0, 0.0]}, "'a' has scores, such as 0.3, .* but y is None"),
    ):
        if message is None:
            assert EvidentialFusion().fit(sources).classes_.tolist() == ["Y", "x", "y"]
            continue
        with pytest.raises(ValueError, match=message):
            EvidentialFusion().fit(sources)
    with pytest.raises(ValueError, match=r"'b' votes for 'Y' in row 1.*did you mean 'y'\?"):
        EvidentialFusion(classes=["x", "y"]).fit({"a": ["x", "y"], "b": ["x", "Y"]})
    with pytest.raises(ValueError, match="sources have 40 different numbers; if these"):
        EvidentialFusion().fit([list(range(40)), list(range(40))])
    with pytest.raises(ValueError, match="y is None; give y, or rule='consensus'"):
        EvidentialFusion("stacked").fit({"a": ["x", "y"], "b": ["x", "y"]})
    assert issubclass(Stacked, Rule)


def test_labels_of_some_samples_lead_to_stacking_without_a_jump():
    p, y = simulated(200, 3, (2.0, 1.0, 0.5), silent=0.0)
    labels = y.astype(object)
    found, gaps, none = [], [], Consensus().fit(beliefs(p)).combine(beliefs(p)).betp()
    stacked = Stacked().fit(beliefs(p), y).combine(beliefs(p)).betp()
    for number in (0, 3, 30, 200):
        some = labels.copy()
        some[number:] = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rule = Consensus().fit(beliefs(p), some)
        few = "labels are ignored: 2 of each class are needed to learn from them, but class 0 has"
        assert [str(one.message)[: len(few)] for one in caught] == [few] * (number == 3)
        fused = rule.combine(beliefs(p)).betp()
        found.append(rule.label_share_)
        gaps.append((np.abs(fused - none).mean(), np.abs(fused - stacked).mean()))
    assert found[:2] == [0, 0]
    assert found == sorted(found)
    assert found[-1] > 0.8
    np.testing.assert_allclose(gaps[0][0], 0, atol=1e-12)
    assert gaps[-1][1] < 0.2 * gaps[0][1]
    partly = EvidentialFusion().fit(list(p), np.where(np.arange(200) < 30, y, np.nan))
    some = labels.copy()
    some[30:] = None
    rule = Consensus().fit(beliefs(p), some)
    np.testing.assert_allclose(
        partly.predict_proba(list(p)), rule.combine(beliefs(p)).betp(), atol=1e-7
    )
    again = Rule.from_dict(json.loads(json.dumps(rule.to_dict())))
    np.testing.assert_array_equal(
        again.combine(beliefs(p)).interval(), rule.combine(beliefs(p)).interval()
    )
    with pytest.raises(
        ValueError, match=r"Stacked.* labels of all samples, but y\[30\] is missing"
    ):
        EvidentialFusion("stacked").fit(list(p), some)
    two, y = simulated(50, 2)
    with pytest.raises(ValueError, match=r"'source0' has scores, .* but y\[0\] is missing"):
        EvidentialFusion().fit([two[0][:, 1]], [None, *y[1:].tolist()])
    with pytest.raises(ValueError, match="50 samples, but there are 3 labels"):
        Consensus().fit(beliefs(two), [None, 1, 0])


def test_an_ensemble_takes_it_by_name():
    X, y = load_wine(return_X_y=True)
    members = [GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())]
    ensemble = EvidentialEnsemble(members, rule="consensus", cv=2).fit(X[::2], y[::2])
    assert isinstance(ensemble.fusion_, Consensus)
    assert ensemble.score(X[1::2], y[1::2]) > 0.9
    display = FusionWeightsDisplay.from_estimator(ensemble)
    assert display.ax_.get_xlabel().startswith("Correlation with the truth")


def test_frozen_members_are_fused_without_labels():
    X, y = load_wine(return_X_y=True)
    y = np.array(["x", "z", "a"])[y]
    rows, new = slice(0, None, 3), np.flatnonzero(np.arange(len(y)) % 3)
    scaled = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[rows], y[rows])
    known = EvidentialClassifier(LinearDiscriminantAnalysis(), cv=3).fit(X[rows], y[rows])
    fitted = {"nb": GaussianNB().fit(X[rows], y[rows]), "lr": scaled, "lda": known}
    members = [(name, FrozenEstimator(one)) for name, one in fitted.items()]
    ensemble = EvidentialEnsemble(members, rule="consensus").fit(X[new])
    given = {name: one.predict_proba(X[new]) for name, one in fitted.items()}
    fusion = EvidentialFusion(classes=np.unique(y)).fit(given)
    gap = ensemble.predict_interval(X[new]) - fusion.predict_interval(given)
    assert np.abs(gap).max() < 1e-12
    weights = fusion.fusion_by_name_["weights_"]
    assert ensemble.fusion_by_name_["weights_"] == pytest.approx(weights)
    assert ensemble.score(X[new], y[new]) > 0.9
    some = y[new].astype(object)
    some[::2] = None
    partly = EvidentialEnsemble(members, rule="consensus").fit(X[new], some)
    assert partly.fusion_.label_share_ > 0.1
    two = np.isin(y, ["x", "z"])
    pair = {
        n: GaussianNB(var_smoothing=s).fit(X[two], y[two])
        for n, s in {"a": 0, "b": 0.1, "c": 1}.items()
    }
    swapped = GaussianNB().fit(X[two], np.where(y[two] == "x", "z", "x"))
    named = [(name, FrozenEstimator(one)) for name, one in {**pair, "bad": swapped}.items()]
    with pytest.warns(WrongWayWarning, match="'bad' contradicts the other sources"):
        EvidentialEnsemble(named, rule="consensus").fit(X[two])


def test_members_that_cannot_do_without_labels_are_named():
    X, y = load_wine(return_X_y=True)
    nb = FrozenEstimator(GaussianNB().fit(X, y))
    some = y.astype(float)
    some[7] = np.nan
    for members, labels, options, message in [
        (
            [nb, GaussianNB()],
            None,
            {},
            "'classifier1' is not frozen, but y is None, .*samples with",
        ),
        ([nb, GaussianNB()], some, {}, r"'classifier1' is not frozen, but y\[7\] is missing"),
        (
            [FrozenEstimator(RidgeClassifier().fit(X, y))],
            None,
            {},
            "has no predict_proba, and y is",
        ),
        ([FrozenEstimator(GaussianNB())], None, {}, "not fitted"),
        ([nb], None, {"subsets": [[0, 1]]}, "members are not trained; leave out subsets"),
        ([nb, FrozenEstimator(GaussianNB().fit(X, y % 2))], None, {}, r"'classifier1' has classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            EvidentialEnsemble(members, rule="consensus", **options).fit(X, labels)
    with pytest.raises(ValueError, match="fit requires y to be passed"):
        EvidentialEnsemble([nb]).fit(X)


def test_votes_are_fused_as_the_probabilities_that_they_are():
    """By sums of votes, without a table of all sources and items."""
    rng = np.random.default_rng(0)
    truth, n = rng.integers(0, 3, 150), 150
    votes = np.where(rng.random((5, n)) < 0.7, truth, rng.integers(0, 3, (5, n))).astype(float)
    votes[rng.random(votes.shape) < 0.4] = np.nan
    votes[:, :4] = np.nan
    p = np.where(np.isnan(votes)[..., np.newaxis], np.nan, votes[..., np.newaxis] == np.arange(3))
    given = dict(zip("abcde", np.where(np.isnan(votes), None, votes), strict=True))
    some = truth.astype(object)
    some[40:] = None
    weight = rng.random(n)
    for y in (None, some):
        fusions = [EvidentialFusion(classes=[0, 1, 2]).fit(one, y, weight) for one in (p, given)]
        first, second = (
            fusion.predict_interval(one) for fusion, one in zip(fusions, (p, given), strict=True)
        )
        np.testing.assert_allclose(first, second, atol=1e-9)
        assert fusions[1].beliefs(given).silent[:4].all()
    source, item = np.nonzero(~np.isnan(votes))
    names = np.array(list("abcde"))[source]
    items, long = sources_from_long(item, names, votes[source, item].astype(int))
    known = {name: one[items] for name, one in given.items()}
    first, second = EvidentialFusion().fit(long), EvidentialFusion().fit(known)
    np.testing.assert_allclose(first.predict_proba(long), second.predict_proba(known), atol=1e-9)
    texts = np.array(["x", "y", "z"])[votes[source, item].astype(int)]
    _, named = sources_from_long(item - 7, names, texts)
    assert EvidentialFusion().fit(named).classes_.tolist() == ["x", "y", "z"]


def test_a_source_that_never_votes_changes_no_class():
    votes = {"a": [1, 2, None], "b": [1, 2, 2], "never": [None, None, None]}
    assert EvidentialFusion().fit(votes).classes_.dtype.kind == "i"
    for one, message in (
        ([None, None], "votes are for nothing"),
        (["x", "x"], r"for \['x'\], but"),
    ):
        with pytest.raises(ValueError, match=message):
            EvidentialFusion().fit({"a": one, "b": one})
