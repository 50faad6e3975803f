"""Ensembles judged: losses by hand, paired differences, conflict, and refusals."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive
from evical import EvidentialEnsemble
from evical.calibrators import IsotonicCalibrator
from evical.evaluation import EnsembleEvaluation
from evical.fusion import Mixture
from evical.metrics import brier_score, log_loss
from evical.report import build
from evical.significance import mcnemar
from tests.support.each import each

FRAME = Frame(["a", "b"])


def beliefs(*rows):
    """Masses of a, b and either."""
    return MassFunction(FRAME, [1, 2, 3], rows)


ONE = beliefs((0.5, 0, 0.5), (0, 0.6, 0.4), (0, 0, 1))
TWO = beliefs((0.4, 0.2, 0.4), (0.8, 0, 0.2), (0, 0.5, 0.5))
MADE = EnsembleEvaluation.from_masses(["a", "b", "b"], [ONE, TWO], ONE @ TWO, members=["x", "y"])


def test_losses_by_hand():
    losses = MADE.losses()
    # Probabilities of a: .75, .2, .5 of the first, .6, .9, .25 of the second; their means.
    assert MADE.probabilities[0, :, 0] == pytest.approx([0.75, 0.2, 0.5])
    assert MADE.probabilities[3, :, 0] == pytest.approx([0.675, 0.55, 0.375])
    assert losses["error_rate"][[0, 1, 3]].tolist() == [[0, 0, 0.5], [0, 1, 0], [0, 1, 0]]
    assert losses["brier_score"][0] == pytest.approx([0.0625, 0.04, 0.25])
    assert losses["log_loss"][1] == pytest.approx(-np.log([0.6, 0.1, 0.75]))
    assert MADE.imprecision[0] == pytest.approx([0.5, 0.4, 1])
    assert MADE.conflict == pytest.approx([0.5 * 0.2, 0.6 * 0.8, 0])
    assert MADE.ways == ("x", "y", "combined", "mean of probabilities")


def test_mean_losses_are_those_of_the_metrics():
    y = np.array([0, 1, 1])
    p = MADE.probabilities[1, :, 1]
    assert MADE.losses()["brier_score"][1].mean() == pytest.approx(brier_score(y, p))
    assert MADE.losses()["log_loss"][1].mean() == pytest.approx(log_loss(y, p))


def test_more_classes_than_sets_can_be_listed_of():
    rng = np.random.default_rng(0)
    y = np.arange(18 * 8) % 18
    X = 2 * np.eye(18)[y] + rng.normal(size=(len(y), 18))
    members = [GaussianNB(), NearestCentroid()]
    ensemble = EvidentialEnsemble(members, calibrator=IsotonicCalibrator(), cv=2).fit(X, y)
    made = EnsembleEvaluation.from_estimator(ensemble, X, y)
    assert made.ways[2:] == ("combined", "Dempster's rule", "mean of probabilities")
    members = [member.predict_proba(X) for member in ensemble.estimators_]
    np.testing.assert_allclose(made.probabilities[:2], members, atol=1e-12)
    np.testing.assert_allclose(made.probabilities[2], ensemble.predict_proba(X), atol=1e-12)
    widths = np.diff(ensemble.predict_interval(X), axis=2)[..., 0].mean(axis=1)
    np.testing.assert_allclose(made.imprecision[2], widths, atol=1e-12)
    np.testing.assert_allclose(made.conflict, ensemble.conflict(X), atol=1e-12)
    assert "144 samples" in build(made)


def test_contrasts_are_paired():
    contrasts = MADE.contrasts()
    assert [one.other for one in contrasts] == ["x", "y", "mean of probabilities"]
    losses = MADE.losses()["brier_score"]
    gaps = losses[2] - losses[0]
    assert contrasts[0].brier_score.mean == pytest.approx(gaps.mean())
    assert contrasts[0].brier_score.standard_error == pytest.approx(gaps.std(ddof=1) / 3**0.5)
    decisions = MADE.probabilities.argmax(axis=2)
    assert contrasts[1].pvalue == mcnemar(MADE.y, decisions[2], decisions[1]).pvalue
    assert all(one.pvalue <= one.adjusted <= 1 for one in contrasts)


def test_one_sample_has_no_standard_error():
    made = EnsembleEvaluation.from_masses(["a"], [ONE[:1]], ONE[:1])
    assert np.isnan(made.contrasts()[0].brier_score.standard_error)
    assert made.contrasts()[0].brier_score.mean == 0
    assert made.members == ("member 1",)


def test_where_members_exclude_each_other():
    sure, other = beliefs((1, 0, 0), (0, 1, 0)), beliefs((0, 1, 0), (0, 1, 0))
    combined = beliefs((0, 0, 1), (0, 1, 0))
    made = EnsembleEvaluation.from_masses(["a", "b"], [sure, other], combined)
    assert made.undecided.tolist() == [True, False]
    assert made.conflict.tolist() == [1, 0]
    assert made.losses()["error_rate"][2].tolist() == [0.5, 0]


def test_an_unnormalized_combination_is_normalized():
    open_world = EnsembleEvaluation.from_masses(["a", "b", "b"], [ONE, TWO], conjunctive(ONE, TWO))
    assert open_world.probabilities[2] == pytest.approx(MADE.probabilities[2])


@pytest.mark.parametrize("rule", ["dempster", Mixture(weights=[1, 3])], ids=["rule", "fusion"])
def test_from_a_fitted_ensemble(rule):
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[rng.integers(2, size=120)]
    X = rng.normal(size=(120, 2)) + (y == "yes")[:, np.newaxis]
    members = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    ensemble = EvidentialEnsemble(members, rule=rule, cv=2).fit(X[:60], y[:60])
    made = EnsembleEvaluation.from_estimator(ensemble, X[60:], y[60:], name="e")
    assert made.members == ("nb", "lr")
    assert made.class_names == ("no", "yes")
    assert np.array_equal(made.probabilities[2], ensemble.predict_proba(X[60:]))
    assert made.conflict == pytest.approx(ensemble.conflict(X[60:]))
    assert (made.losses()["error_rate"][2] == (ensemble.predict(X[60:]) != y[60:])).all()
    if rule == "dempster":
        assert made.rule == "dempster"
        assert made.by_source == {}
    else:
        assert made.by_source["weights_"] == pytest.approx([0.25, 0.75])
    assert "2 members" in str(made)
    assert {"Dempster's rule", "stacked, cross-fitted"} & set(made.ways) == set(made.others)
    assert len(made.others) == (1 if rule == "dempster" else 2)


def test_other_rules_are_measured_alike():
    made = EnsembleEvaluation.from_masses(
        ["a", "b", "b"], [ONE, TWO], ONE @ TWO, others={"both": TWO, "unnormalized": ONE & TWO}
    )
    assert made.ways[2:] == ("combined", "both", "unnormalized", "mean of probabilities")
    assert made.probabilities[3] == pytest.approx(MADE.probabilities[1])
    assert made.probabilities[4] == pytest.approx(MADE.probabilities[2])
    assert made.probabilities[5] == pytest.approx(MADE.probabilities[3])
    assert made.imprecision[3] == pytest.approx(MADE.imprecision[1])
    assert [one.other for one in made.contrasts()][2:4] == ["both", "unnormalized"]
    assert made.contrasts()[3].brier_score.mean == pytest.approx(0)


@each(
    ("change", "kind", "message"),
    [
        ({"masses": []}, ValueError, "masses is empty"),
        ({"members": ["x"]}, ValueError, "expected 2 different names"),
        ({"members": ["x", "x"]}, ValueError, "expected 2 different names"),
        ({"y": ["a", "b", "c"]}, ValueError, r"y\[2\] is 'c', expected one of"),
        ({"y": ["a", "b"]}, ValueError, r"shape \(3,\), expected \(2,\)"),
        ({"masses": [ONE, "x"]}, TypeError, "belief of member 2 is 'x'"),
        ({"combined": MassFunction(FRAME, [3], [[1.0]] * 2)}, ValueError, "of shape"),
        ({"others": [ONE]}, TypeError, "others is"),
        ({"others": {"third": ONE[:2]}}, ValueError, r"third has beliefs of shape \(2,\)"),
        (
            {"combined": MassFunction(Frame(["x", "y"]), [3], [[1.0]] * 3)},
            ValueError,
            "has the frame",
        ),
    ],
    ids=range(10),
)
def test_wrong_input_is_named(change, kind, message):
    options = {"y": ["a", "b", "b"], "masses": [ONE, TWO], "combined": ONE @ TWO} | change
    with pytest.raises(kind, match=message):
        EnsembleEvaluation.from_masses(**options)
