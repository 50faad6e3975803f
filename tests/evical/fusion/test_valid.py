"""Fusions of conformal beliefs: their definitions, and the promise that they keep."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, MassFunction, consonant, dempster
from evical import EvidentialEnsemble
from evical.conformal import ConformalClassifier
from evical.fusion import as_rule, valid_mean, valid_minimum
from evical.fusion._valid import merge_p_values

FRAME = Frame(["a", "b", "c"])


def test_definitions():
    p = np.array([[[0.25, 0.5, 0.125]], [[0.125, 0.5, 0.5]], [[1.0, 0.0, 0.25]]])
    np.testing.assert_allclose(merge_p_values(p), np.minimum(2 * p.sum(axis=0) / 3, 1))
    np.testing.assert_array_equal(merge_p_values(p, "minimum"), [[0.375, 0.0, 0.375]])
    for how in ("mean", "minimum"):
        np.testing.assert_array_equal(merge_p_values(p[:1], how), p[0])


@pytest.mark.parametrize(("rule", "how"), [(valid_mean, "mean"), (valid_minimum, "minimum")])
def test_beliefs(rule, how):
    contours = np.random.default_rng(0).uniform(size=(4, 6, 3))
    contours[np.arange(4), :, [0, 1, 2, 0]] = 1
    fused = rule(*(consonant(FRAME, rows) for rows in contours))
    merged = merge_p_values(contours, how)
    top = merged == merged.max(axis=1, keepdims=True)
    np.testing.assert_allclose(fused.contour(), np.where(top, 1, merged), atol=1e-12)
    assert fused.is_consonant.all()
    one = consonant(FRAME, contours[0])
    np.testing.assert_allclose(rule(one).contour(), one.contour(), atol=1e-15)
    assert as_rule(f"valid_{how}").function is rule


def test_only_plausibilities_of_single_classes_count():
    bayesian = MassFunction(FRAME, [1, 2, 4], [0.5, 0.25, 0.25])
    same = valid_mean(bayesian, consonant(FRAME, [1, 0.25, 0.5]))
    assert same.contour().tolist() == [1, 0.5, 0.75]


def test_bad_sources():
    one = consonant(FRAME, [1, 0.5, 0.5])
    with pytest.raises(ValueError, match="expected one shape"):
        valid_mean(one, consonant(FRAME, [[1, 0.5, 0.5]]))
    with pytest.raises(ValueError, match="source 2 is on"):
        valid_mean(one, consonant(Frame(["a", "b"]), [1, 0.5]))
    with pytest.raises(ValueError, match=r"p_values hold 1\.5, expected numbers in \[0, 1\]"):
        merge_p_values([0.5, 1.5])
    with pytest.raises(ValueError, match=r"p_values have shape \(0,\), expected \(S, ...\)"):
        merge_p_values([])
    with pytest.raises(ValueError, match="how is 'median'"):
        merge_p_values([0.5], "median")


def test_as_the_rule_of_an_ensemble():
    X, y = make_classification(200, n_classes=3, n_informative=4, random_state=0)
    members = [
        ("nb", ConformalClassifier(GaussianNB(), random_state=0)),
        ("lr", ConformalClassifier(LogisticRegression(), random_state=0)),
    ]
    for name, rule in (("valid_mean", valid_mean), ("valid_minimum", valid_minimum)):
        ensemble = EvidentialEnsemble(members, rule=name).fit(X, y)
        assert ensemble.predict_mass(X).equals(rule(*ensemble.predict_masses(X)))
        assert ensemble.score(X, y) > 0.5


def test_many_classes():
    labels = list(range(40))
    contours = np.random.default_rng(0).uniform(size=(2, 3, 40))
    contours[..., 0] = 1
    fused = valid_mean(*(consonant(Frame(labels), rows) for rows in contours))
    np.testing.assert_allclose(fused.contour(), np.minimum(contours.sum(axis=0), 1), atol=1e-12)


def dependent(n, rng):
    """P-values of the true class by two sources, each valid, whose errors are shared."""
    common, own = rng.normal(size=n), rng.normal(size=(2, n))
    ranks = np.argsort(np.argsort(np.sqrt(0.9) * common + np.sqrt(0.1) * own, axis=1), axis=1)
    return (ranks + 1) / n


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.2])
def test_the_promise_is_kept_where_dempsters_rule_breaks_it(alpha):
    """Vovk & Wang (2020), for sources that depend; each alone rejects a share alpha."""
    p = dependent(5000, np.random.default_rng(1))
    assert (p <= alpha).mean() == pytest.approx(alpha)
    pair = Frame(["true", "other"])
    masses = [consonant(pair, np.stack([row, np.ones(len(row))], axis=1)) for row in p]
    for rule in (valid_mean, valid_minimum):
        assert (rule(*masses).pl("true") <= alpha).mean() <= alpha
    assert (dempster(*masses).pl("true") <= alpha).mean() > 1.3 * alpha
