"""The study of conformal validity: its measures by their definitions, and its ways of fusion."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import betabinom

from dstheory import Frame, consonant, dempster
from evical.conformal import lac_scores, p_values
from evical.conformal.contour import to_contour
from evical.datasets import Dataset
from evical.fusion import valid_mean, valid_minimum
from examples.studies._reproduce import Outcome
from examples.studies.conformal_validity.study import (
    ALPHAS,
    CONFORMAL_VALIDITY,
    WAYS,
    Sample,
    Splits,
    judged,
)
from tests.evical.conformal.samples import class_p_values


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    X = rng.normal(size=(120, 2)) + y[:, np.newaxis]
    return Sample(X, y, rng.normal(size=(30, 2)) + 1, n_trained=80, number=7)


def said(rng, n):
    return softmax(2 * rng.normal(size=(n, 3)), axis=1)


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(1)
    names = ("naive_bayes", "logistic_regression", "nearest_neighbors")
    return {name: (said(rng, 40), said(rng, 30)) for name in names}


def contour(sample, pair, by_class=False):
    y = sample.y[80:]
    seen, new = (lac_scores(part) for part in pair)
    own = seen[np.arange(40), y]
    p = class_p_values(own, y, new) if by_class else p_values(own, new)
    return to_contour(p, new)


def test_single_ways(sample, values):
    pair = values["logistic_regression"]
    np.testing.assert_array_equal(WAYS["split"](sample, values), contour(sample, pair))
    found = WAYS["split, by class"](sample, values)
    np.testing.assert_array_equal(found, contour(sample, pair, by_class=True))
    again = [WAYS["split, aps"](sample, values) for _ in range(2)]
    np.testing.assert_array_equal(*again)


def test_fused_ways(sample, values):
    masses = [consonant(Frame(range(3)), contour(sample, pair)) for pair in values.values()]
    for name, rule in (
        ("Dempster's rule", dempster),
        ("valid_mean", valid_mean),
        ("valid_minimum", valid_minimum),
    ):
        np.testing.assert_allclose(WAYS[name](sample, values), rule(*masses).contour())
    mean = tuple(np.mean(part, axis=0) for part in zip(*values.values(), strict=True))
    found = WAYS["vote, then conformal"](sample, values)
    np.testing.assert_array_equal(found, contour(sample, mean))
    assert WAYS["EvidentialEnsemble, then conformal"](sample, values) is None


def test_classifiers_see_the_first_part_only(sample):
    changed = Sample(
        np.vstack([sample.X[:80], sample.X[80:] + 5]), sample.y, sample.new, 80, number=0
    )
    for name, (seen, new) in sample.values().items():
        np.testing.assert_array_equal(changed.values()[name][1], new)
        assert seen.shape == (40, 3)
        assert (changed.values()[name][0] != seen).any()


def test_measures():
    table = np.array([[1.0, 0.05, 0.2], [0.05, 1.0, 0.3], [1.0, 0.5, 0.02], [1.0, 0.01, 0.01]])
    y, hard = np.array([1, 1, 2, 0]), np.array([True, True, False, False])
    missed, by_class, of_hard, size, over = judged(table, y, hard, alpha=0.1, n=19)
    assert missed == 0.5
    assert by_class == pytest.approx((0 + 0.5 + 1) / 3)
    assert of_hard == 0.5
    assert size == 7 / 4
    assert over == (betabinom(4, 2, 18).ppf(0.95) < 2)
    assert np.isnan(judged(None, y, hard, 0.1, 19)).all()
    assert judged(table, y, hard, alpha=0.03, n=19)[4] == 1  # no class can be rejected


def simulated(n=400):
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=n, p=[0.5, 0.4, 0.1])
    y[:3] = 3  # too few to be kept
    X = rng.normal(size=(n, 2)) + 2 * y[:, np.newaxis]
    return Dataset("sonar", X, y, ("a", "b"), ("p", "q", "r", "s"))


def test_a_repeat_depends_on_its_number_only():
    data = {"sonar": simulated()}
    records = Splits("sonar").run_repeat(data, 99, 0)
    np.testing.assert_equal(records, Splits("sonar").run_repeat(data, 99, 0))
    assert len(records) == len(WAYS) * len(ALPHAS)
    found = dict(records)
    sizes = [found["sonar", "split", f"{alpha:g}"][3] for alpha in ALPHAS]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= 3


def test_the_page_counts_what_breaks_the_promise():
    rows = {}
    for data in ("one", "two"):
        for way, missed in (("good", 0.09), ("bad", 0.2)):
            values = np.full((4, 5), missed) + np.linspace(0, 0.001, 4)[:, np.newaxis]
            for alpha in ALPHAS:
                rows[data, way, f"{alpha:g}"] = values
    page = CONFORMAL_VALIDITY.extra(Outcome(CONFORMAL_VALIDITY, (), 4, 0, rows))
    assert "| bad | 4 | 20.05 (2) | 20.05 (2) | 20.05 (2) | 20.05 (0) |" in page
    assert "| good | 4 | 9.05 (2) | 9.05 (2) | 9.05 (0) | 9.05 (0) |" in page
