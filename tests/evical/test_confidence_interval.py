"""`predict_interval(level=)`: a confidence interval around `predict_proba`, whatever the model."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, calibrators
from evical.beliefs.bounded import quantile_over_mean
from evical.calibrators import AutoCalibrator, BaseCalibrator, BinningCalibrator
from evical.fusion import Consensus
from evical.multiclass import (
    AutoMulticlassCalibrator,
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
)
from evical.source import EvidentialSource
from tests.support.each import each

LEVELS = (0.5, 0.95)
AT = np.array([0.02, 0.3, 0.5, 0.81, 0.99])
ALL = {
    name: getattr(calibrators, name)
    for name in calibrators.__all__
    if issubclass(getattr(calibrators, name), BaseCalibrator) and name != "BaseCalibrator"
}
# Their model "confidence" has the same interval, discounted by its level.
WITH_CONFIDENCE = {
    name: kind for name, kind in ALL.items() if "confidence" in kind._get_param_names()
}
AVERAGES = ("ABBCalibrator", "BBQCalibrator", "ENIRCalibrator")
OF_PROFILES = ("GaussianCalibrator", "PiecewiseLogisticCalibrator")
UNKNOWN = set(ALL) - set(WITH_CONFIDENCE) - set(OF_PROFILES)


@cache
def sample(n=300):
    rng = np.random.default_rng(3)
    scores = np.round(rng.random(n), 2)
    return scores, (rng.random(n) < scores**2).astype(int)


@cache
def of_three(n=240):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    return X, np.digitize(X @ [1.0, 1.0, 0.0, 0.0] + rng.normal(size=n), [-0.7, 0.7])


@each("name", [name for name in WITH_CONFIDENCE if name not in AVERAGES])
def test_it_is_the_interval_of_the_model_confidence_without_discount(name):
    for level in LEVELS:
        scores, y = sample()
        sure = WITH_CONFIDENCE[name](model="confidence", confidence=level).fit(scores, y)
        bel, pl = sure.predict_interval(AT).T
        found = sure.predict_interval(AT, level=level)
        np.testing.assert_allclose(found, np.stack([bel, pl - (1 - level)], 1) / level, atol=1e-9)


@each("name", list(WITH_CONFIDENCE))
def test_it_does_not_depend_on_the_model_and_contains_the_estimate(name):
    kind, known = WITH_CONFIDENCE[name], {}
    scores, y = sample()
    models = ("likelihood", "confidence", "bayesian")
    for model in models:
        # What ACP calls a bin follows from the level.
        fitted = kind(model=model).fit(scores, y)
        narrow, wide = (fitted.predict_interval(AT, level=level) for level in LEVELS)
        p = fitted.predict_proba(AT)[:, 1]
        for low, high in (narrow.T, wide.T):
            assert ((low <= p) & (p <= high) & (low >= 0) & (high <= 1)).all()
        assert (wide[:, 0] <= narrow[:, 0]).all()
        assert (narrow[:, 1] <= wide[:, 1]).all()
        known[model] = wide, p
    for model in models[1:]:
        inside = np.abs(known[model][0] - known["likelihood"][0]) < 1e-9
        # An estimate beyond an end moves it.
        assert (inside | np.isclose(known[model][0], known[model][1][:, np.newaxis])).all()


def test_bins_have_clopper_pearson_limits():
    scores, y = sample()
    fitted = BinningCalibrator(n_bins=4).fit(scores, y)
    bins = np.clip(np.searchsorted(fitted.edges_, AT, side="right") - 1, 0, 3)
    for level in LEVELS:
        exact = [
            binomtest(int(fitted.positive_[b]), int(fitted.total_[b])).proportion_ci(level)
            for b in bins
        ]
        found = fitted.predict_interval(AT, level=level)
        np.testing.assert_allclose(found, [[one.low, one.high] for one in exact], atol=1e-9)


def test_an_empty_bin_knows_nothing():
    fitted = BinningCalibrator(n_bins=[0.0, 0.4, 0.6, 1.0]).fit([0.1, 0.2, 0.8, 0.9], [0, 1, 0, 1])
    assert fitted.predict_interval([0.5], level=0.9).tolist() == [[0.0, 1.0]]


@each("name", AVERAGES)
def test_averages_of_binnings_have_limits_of_average_counts(name):
    """With few samples there is one binning at most scores: the limits are those of its bin."""
    scores, y = np.repeat([0.2, 0.8], 30), np.tile(np.r_[[0] * 24, [1] * 6], 2)
    y[30:] = 1 - y[30:]
    fitted = ALL[name]().fit(scores, y)
    k, n = fitted.counts_behind_[:, 0]
    assert 5.9 < k < 16
    assert 29 < n < 46
    low, high = fitted.predict_interval([0.2], level=0.9)[0]
    exact = binomtest(6, 30).proportion_ci(0.9)
    assert abs(low - exact.low) < 0.06
    assert abs(high - exact.high) < 0.06
    saved = fitted.to_dict()
    again = BaseCalibrator.from_dict(json.loads(json.dumps(saved)))
    np.testing.assert_array_equal(
        again.predict_interval(AT, level=0.9), fitted.predict_interval(AT, level=0.9)
    )
    del saved["state"]["counts_behind_"]  # as before there were such intervals
    with pytest.raises(ValueError, match="saved without the counts of its bins"):
        BaseCalibrator.from_dict(saved).predict_interval(AT, level=0.9)


@each("name", OF_PROFILES)
def test_profiles_have_level_sets_by_the_theorem_of_wilks(name):
    scores, y = sample()
    fitted = ALL[name](model="likelihood").fit(scores, y)
    sets = fitted.level_set(AT, float(np.exp(-chi2.ppf(0.9, 1) / 2)))
    np.testing.assert_allclose(fitted.predict_interval(AT, level=0.9), sets, atol=1e-12)
    with pytest.raises(ValueError, match="needs model='likelihood'"):
        ALL[name]().fit(scores, y).predict_interval(AT, level=0.9)


@each("name", sorted(UNKNOWN))
def test_a_method_without_an_error_says_so(name):
    fitted = ALL[name]().fit(*sample(60))
    with pytest.raises(ValueError, match=f"{name} does not know the error of its probabilities"):
        fitted.predict_interval(AT, level=0.9)


@each("level", [0, 1, 1.5, float("nan"), True, "0.9"])
def test_a_level_is_inside_0_and_1(level):
    fitted = AutoCalibrator().fit(*sample())
    with pytest.raises((ValueError, TypeError), match=r"level is .*expected a level inside"):
        fitted.predict_interval(AT, level=level)


def test_the_default_is_a_normal_interval_of_the_log_odds_near_the_mean():
    fitted = AutoCalibrator().fit(*sample())
    at = fitted.knots_[1:-1:7]
    inside = np.isin(fitted.knots_, at)
    odds, error = fitted.log_odds_[inside], fitted.standard_error_[inside]
    z = np.sqrt(chi2.ppf(0.95, 1))
    expected = np.stack([expit(odds - z * error), expit(odds + z * error)], axis=1)
    p = fitted.predict_proba(at)[:, 1]
    assert (expected[:, 1] > 11.46 * p).any()  # where there are no events
    lower = np.maximum(expected[:, 0], 1 - quantile_over_mean(0.95) * (1 - p))
    upper = np.minimum(expected[:, 1], quantile_over_mean(0.95) * p)
    expected = np.stack([np.minimum(lower, p), np.maximum(upper, p)], axis=1)
    np.testing.assert_allclose(fitted.predict_interval(at, level=0.95), expected, atol=1e-12)


@each("name", ["AutoCalibrator", "LogisticCalibrator", "SplineCalibrator", "BetaCalibrator"])
def test_the_estimate_of_an_interval_is_the_fitted_probability(name):
    scores, y = sample()
    sure, p = (ALL[name](model=model).fit(scores, y) for model in ("confidence", "bayesian"))
    np.testing.assert_allclose(sure.predict_proba(AT), p.predict_proba(AT), atol=1e-12)
    np.testing.assert_array_equal(sure.predict(AT), p.predict(AT))
    beliefs = sure.beliefs(AT)
    assert np.abs(beliefs.betp() - sure.predict_proba(AT)).max() > 0.01
    np.testing.assert_array_equal(beliefs.probability(), sure.predict_proba(AT))
    np.testing.assert_array_equal(beliefs[1:3].probability(), sure.predict_proba(AT)[1:3])
    np.testing.assert_array_equal(
        beliefs[1:3].confidence_interval(0.9)[:, 1], sure.predict_interval(AT, level=0.9)[1:3]
    )


def test_a_band_has_its_own_level_only():
    scores, y = sample()
    fitted = calibrators.IsotonicCalibrator(model="band", confidence=0.9).fit(scores, y)
    np.testing.assert_allclose(
        fitted.predict_interval(AT, level=0.9), fitted.predict_interval(AT), atol=0.2
    )
    with pytest.raises(ValueError, match=r"level is 0\.8, but the band was fitted at 0\.9"):
        fitted.predict_interval(AT, level=0.8)


@each("kind", [AutoMulticlassCalibrator, MultinomialLogisticCalibrator, OneVsRestCalibrator])
def test_many_classes_have_one_class_against_the_rest(kind):
    X, y = of_three()
    table = np.stack([-X[:, 0], 0 * X[:, 0], X[:, 0]], axis=1) + X[:, 1:4] / 2
    fitted = kind().fit(table, y)
    narrow, wide = (fitted.predict_interval(table[:9], level=level) for level in LEVELS)
    p = fitted.predict_proba(table[:9])
    assert wide.shape == (9, 3, 2)
    assert (wide[..., 0] <= narrow[..., 0]).all()
    assert (narrow[..., 1] <= wide[..., 1]).all()
    assert ((narrow[..., 0] <= p) & (p <= narrow[..., 1])).all()
    if kind is OneVsRestCalibrator:
        one = fitted.calibrators_[2].predict_interval(table[:9, 2], level=0.95)
        np.testing.assert_array_equal(wide[:, 2].clip(*one.T[:, :, np.newaxis]), one)


def test_level_sets_of_two_classes_are_those_of_logistic_regression():
    """The same model in one and in two columns, whose level sets are searched."""
    scores, y = sample()
    both = np.stack([-scores, scores], axis=1)
    many = MultinomialLogisticCalibrator().fit(both, y)
    one = calibrators.LogisticCalibrator().fit(scores, y)
    found = many.predict_interval(np.stack([-AT, AT], axis=1), level=0.9)[:, 1]
    np.testing.assert_allclose(found, one.predict_interval(AT, level=0.9), atol=0.01)


def test_what_has_no_errors_says_so():
    X, y = of_three()
    p = np.full((len(y), 3), 0.25) + 0.25 * np.eye(3)[y]
    for kind in (SoftmaxCalibrator, StructuredMatrixCalibrator):
        with pytest.raises(ValueError, match="these beliefs have no confidence interval"):
            kind().fit(p, y).predict_interval(p[:3], level=0.9)
    learned = StructuredMatrixCalibrator(learned=True).fit(p, y)
    assert learned.predict_interval(p[:3], level=0.9).shape == (3, 3, 2)
    rule = EvidentialEnsemble([GaussianNB(), LogisticRegression()], rule="dempster").fit(X, y)
    with pytest.raises(ValueError, match="no rule that combines masses"):
        rule.predict_interval(X[:3], level=0.9)


@each("n_classes", [2, 3])
def test_folds_have_the_mean_of_both_ends(n_classes):
    X, y = of_three()
    y = y if n_classes == 3 else y > 0
    model = EvidentialClassifier(GaussianNB(), cv=3, ensemble=True).fit(X, y)
    parts = [part.beliefs(X[:9]) for part in model.calibrated_classifiers_]
    expected = np.mean([part.confidence_interval(0.9) for part in parts], axis=0)
    found = model.predict_interval(X[:9], level=0.9)
    np.testing.assert_allclose(found, expected if n_classes == 3 else expected[:, 1], atol=1e-12)
    np.testing.assert_allclose(
        model.predict_proba(X[:9]), np.mean([part.probability() for part in parts], 0), atol=1e-12
    )


def test_fused_probabilities_have_their_own_error():
    X, y = of_three()
    for model in ("likelihood", "confidence", "bayesian"):
        rule = Consensus(model=model)
        sure = np.eye(3)[y]
        given = {"one": sure * 0.6 + 0.4 / 3, "two": np.roll(sure, 1, 0) * 0.4 + 0.2}
        fused = EvidentialFusion(rule=rule).fit(given)
        p, bounds = fused.predict_proba(given), fused.predict_interval(given, level=0.95)
        assert ((bounds[..., 0] <= p) & (p <= bounds[..., 1])).all()
        assert (np.ptp(bounds, axis=2) > 0).all()
    ensemble = EvidentialEnsemble([GaussianNB(), LogisticRegression()]).fit(X, y > 0)
    low, high = ensemble.predict_interval(X, level=0.95).T
    p = ensemble.predict_proba(X)[:, 1]
    assert ((low <= p) & (p <= high) & (low < high)).all()


def test_a_source_that_is_silent_leaves_everything_open():
    X, y = of_three()
    X = X.copy()
    X[:40, 0] = np.nan
    source = EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any")
    fitted = source.fit(X, y > 0)
    bounds = fitted.predict_interval(X[38:42], level=0.9)
    assert bounds[:2].tolist() == [[0.0, 1.0]] * 2
    assert (np.ptp(bounds[2:], axis=1) < 1).all()
    assert fitted.predict_proba(X[:2]).tolist() == [[0.5, 0.5]] * 2
