"""Conformal beliefs judged: counts made by hand, exact tests, and how often they err."""

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from evical.conformal import ConformalClassifier, p_values
from evical.evaluation import ConformalEvaluation
from evical.evaluation._conformal_evaluation import misses_pvalue, promise_tests, small_pvalue
from tests.naive import conformal as naive
from tests.support.each import each

P = [[1.0, 0.04, 0.02], [0.3, 0.02, 0.9], [0.04, 0.6, 0.2], [0.08, 0.06, 0.07]]
Y = ["a", "b", "b", "c"]


def judged(**options):
    return ConformalEvaluation.from_p_values(Y, P, labels=["a", "b", "c"], **options)


def data(n=400, seed=0):
    return make_classification(
        n, n_features=6, n_informative=4, n_classes=3, class_sep=0.8, random_state=seed
    )


@each(("n", "m"), [(1, 1), (3, 4), (5, 3), (4, 5)])
@each("alpha", [0.2, 1 / 3, 0.5, 0.8])
def test_misses_have_their_exact_probability(n, m, alpha):
    level = int(alpha * (n + 1) + 1e-9)
    for k in range(m + 1):
        p = np.array([1 / (n + 1)] * k + [1.0] * (m - k))
        expected = naive.misses_tail(n, m, level, k) if level else 1
        got = misses_pvalue(p, n, alpha)
        assert got == pytest.approx(float(expected) if k and level else 1.0, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 4), (5, 3), (4, 4)])
def test_small_p_values_have_their_exact_probability(n, m):
    rng = np.random.default_rng(n)
    for _ in range(10):
        ranks = np.sort(rng.integers(1, n + 2, size=m))
        expected = float(naive.excess_tail(n, ranks.tolist()))
        assert small_pvalue(ranks / (n + 1), n) == pytest.approx(expected, rel=1e-9)


def test_tests_of_independent_p_values():
    p = np.array([0.01, 0.02, 0.5, 0.9])
    # Two or more of four at 0.05: 1 - 0.95^4 - 4 * 0.05 * 0.95^3.
    assert misses_pvalue(p, None, 0.05) == pytest.approx(1 - 0.95**4 - 0.2 * 0.95**3)
    # One of one: the excess 1 - p is as great with probability p.
    assert small_pvalue(np.array([0.3]), None) == pytest.approx(0.3)


@pytest.mark.parametrize("smoothed", [False, True])
def test_the_tests_keep_their_level_if_scores_tie(smoothed):
    rng, n, m, runs, levels = np.random.default_rng(2), 30, 300, 200, (0.02, 0.1, 0.2)
    rejected = np.zeros(len(levels) + 1)
    for _ in range(runs):
        old, new = np.round(2 * rng.normal(size=n)), np.round(2 * rng.normal(size=m))
        p = p_values(old, new, tau=rng.random(m) if smoothed else None)
        rejected += promise_tests(p, np.zeros(m, int), [n], levels) <= 0.05
    assert (rejected / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all()


@pytest.mark.parametrize("smoothed", [False, True])
def test_the_tests_keep_their_level_with_few_calibration_samples(smoothed):
    """400 judged samples share 30 of calibration: a binomial test would reject far more often."""
    rng, n, m, runs, levels = np.random.default_rng(0), 30, 400, 200, (0.02, 0.1, 0.2)
    rejected, plain = np.zeros(len(levels) + 1), 0
    for _ in range(runs):
        tau = rng.random(m) if smoothed else None
        p = p_values(rng.normal(size=n), rng.normal(size=m), tau=tau)
        rejected += promise_tests(p, np.zeros(m, int), [n], levels) <= 0.05
        plain += misses_pvalue(p, None, 0.1) <= 0.05
    assert (rejected / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all()
    assert plain / runs > 0.15


def test_many_samples_are_tested_at_their_level_too():
    rng, n, m, runs = np.random.default_rng(1), 700, 900, 300
    found = [small_pvalue(p_values(rng.normal(size=n), rng.normal(size=m)), n) for _ in range(runs)]
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    shifted = p_values(rng.normal(size=n), rng.normal(0.4, size=m))
    assert small_pvalue(shifted, n) < 1e-4


def test_levels_are_counted_by_hand():
    # At 0.07 the last sample has the set {a}, of its greatest p-value 0.08, and misses c.
    first, second = judged(levels=[0.3, 0.07]).at_levels()
    assert (first.alpha, first.n_missed, first.missed, first.mean_size) == (0.07, 2, 0.5, 1.5)
    # At 0.3 no p-value of the last sample is left; a belief keeps the class of the greatest.
    assert (second.n_missed, second.missed, second.mean_size) == (2, 0.5, 1.0)
    # Two of four: Clopper & Pearson's limits are quantiles of beta distributions.
    assert first.low == pytest.approx(beta.ppf(0.025, 2, 3))
    assert first.high == pytest.approx(beta.ppf(0.975, 3, 2))


def test_coverage_is_that_of_the_sets():
    by_class = judged(alpha=0.07).coverage("class")
    assert by_class.groups == ("a", "b", "c")
    np.testing.assert_array_equal(by_class.coverage, [1, 0.5, 0])
    by_size = judged(alpha=0.07).coverage("size")
    assert dict(zip(by_size.groups, by_size.n_samples.tolist(), strict=True)) == {1: 2, 2: 2}
    np.testing.assert_array_equal(judged().true_p, [1, 0.02, 0.6, 0.07])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smoothed": True},
        {"conditional": "class"},
        {"conditional": lambda X: X[:, 0] > 0},
        {"method": "cross", "cv": 3},
    ],
    ids=["split", "smoothed", "class", "group", "cross"],
)
def test_promises_of_all_kinds_hold_and_break(options):
    X, y = data(900)
    clf = ConformalClassifier(GaussianNB(), random_state=0, **options).fit(X[:500], y[:500])
    made = ConformalEvaluation.from_estimator(clf, X[500:], y[500:])
    assert not made.broken
    assert "The data are compatible with the guarantee" in made.verdict
    np.testing.assert_array_equal(made.p_values, clf.predict_p(X[500:]))
    np.testing.assert_array_equal(made.contour, clf.predict_contour(X[500:]))
    assert made.calibration_known == ("method" not in options)
    if made.calibration_known:
        assert sum(made.n_calibration) == sum(clf.n_calibration_.values())
    # Labels moved by one: nothing is as it was in calibration.
    other = ConformalEvaluation.from_estimator(clf, X[500:], (y[500:] + 1) % 3)
    assert other.broken
    known = "The guarantee was violated" in other.verdict
    assert known == made.calibration_known
    assert known or "a mean over such samples" in other.verdict


def test_weights_and_shifts_are_not_taken_for_plain_samples():
    X, y = data()
    doubled = ConformalClassifier(LogisticRegression(), random_state=0)
    doubled.fit(X[:200], y[:200], sample_weight=np.full(200, 2.0))
    made = ConformalEvaluation.from_estimator(doubled, X[200:], y[200:])
    assert not made.calibration_known
    assert "weights" in made.notes[0]
    plain = ConformalClassifier(LogisticRegression(), random_state=0)
    plain.fit(X[:200], y[:200], sample_weight=np.ones(200))
    assert ConformalEvaluation.from_estimator(plain, X[200:], y[200:]).n_calibration == (60,)
    shifted = ConformalClassifier(
        LogisticRegression(), density_ratio=lambda X: np.ones(len(X)), random_state=0
    ).fit(X[:200], y[:200])
    made = ConformalEvaluation.from_estimator(shifted, X[200:], y[200:])
    assert "density ratio" in made.notes[0]


def test_groups_have_their_own_numbers():
    made = judged(groups=[1, 1, 2, 2], n_calibration={1: 19})
    assert made.n_calibration == (19, 0)
    # The only group with calibration samples has misses; two groups double the p-value.
    alone = misses_pvalue(made.true_p[:2], 19, 0.05)
    assert made.at_levels()[1].pvalue == pytest.approx(min(1, 2 * alone))


def test_it_is_shown_as_text_and_table():
    made = judged(name="<mine>")
    lines = str(made).splitlines()
    assert lines[0] == "<mine>: 3 classes, 4 samples"
    assert " ".join(lines[6:]) == f"{made.verdict}."
    assert max(map(len, lines)) <= 88
    assert repr(made) == "ConformalEvaluation(<mine>: 3 classes, 4 samples)"
    assert "&lt;mine&gt;" in made._repr_html_()


@each(
    ("options", "error", "message"),
    [
        ({"levels": [0.1, 1.0]}, ValueError, r"levels\[1\] is 1.0, expected a level inside"),
        ({"levels": []}, ValueError, "levels is empty"),
        ({"levels": 0.1}, TypeError, "levels is 0.1"),
        ({"alpha": 0}, ValueError, "alpha is 0"),
        ({"confidence": "high"}, TypeError, "confidence is 'high'"),
        ({"name": 3}, TypeError, "name is 3, expected a text"),
        ({"n_calibration": -1}, ValueError, "n_calibration is -1"),
        ({"n_calibration": 9.5}, TypeError, "n_calibration is 9.5"),
        ({"n_calibration": {"a": 3}}, TypeError, "there are no groups"),
        ({"groups": [1, 2]}, ValueError, r"groups have shape \(2,\), expected \(4,\)"),
        ({"groups": [1, 1, 2, 2], "n_calibration": 5}, TypeError, "expected a mapping"),
        ({"contour": [[0.5, 1.0]]}, ValueError, r"contour has shape \(1, 2\)"),
        ({"contour": np.full((4, 3), np.nan)}, ValueError, r"contour\[0, 0\] is nan"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        judged(**options)


def test_bad_values():
    of = ConformalEvaluation.from_p_values
    with pytest.raises(ValueError, match=r"p_values\[1, 1\] is 1.5"):
        of(["a", "b"], [[0.5, 0.5], [0.5, 1.5]])
    with pytest.raises(ValueError, match=r"p_values have shape \(2,\)"):
        of(["a", "b"], [0.5, 0.5])
    with pytest.raises(TypeError, match="expected real numbers"):
        of(["a", "b"], [["x", "y"]] * 2)
    with pytest.raises(ValueError, match=r"y_true\[1\] is 'd', expected one of"):
        of(["a", "d"], [[0.5, 0.5]] * 2, labels=["a", "b"])
    with pytest.raises(ValueError, match="length"):
        of(["a", "b", "a"], [[0.5, 0.5]] * 2)
    with pytest.raises(ValueError, match="no row"):
        of([], np.empty((0, 2)), labels=[0, 1])
    with pytest.raises(TypeError, match="expected a fitted ConformalClassifier"):
        ConformalEvaluation.from_estimator(GaussianNB(), [[1.0]], [0])
    with pytest.raises(TypeError, match="expected a fitted ConformalClassifier"):
        ConformalEvaluation.from_estimator(ConformalClassifier, [[1.0]], [0])
