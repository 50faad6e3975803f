"""Views of features: who sees what, and an ensemble of members that see different features."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import AutoCalibrator
from evical.datasets import Dataset
from examples.studies.parts.fusion_condition import FeatureCondition
from examples.studies.parts.methods import CLASSIFIERS, Method, fuse
from examples.studies.parts.metrics import MEASURES
from examples.studies.parts.shares import draw_shares
from examples.studies.parts.views import N_MEMBERS, draw_columns, draw_views


@pytest.fixture(scope="module")
def toy():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 130)
    X = 3 + rng.normal(size=(260, 4)) * [1, 2, 3, 4] + 0.8 * y[:, np.newaxis]
    return Dataset("toy", X, y, ("a", "b", "c", "d"), ("0", "1"))


@pytest.mark.parametrize("n_features", [1, 6, 10, 13, 123])
def test_disjoint_parts_hold_each_feature_once(n_features):
    parts = draw_columns("disjoint", n_features, np.random.default_rng(0))
    assert len(parts) == min(N_MEMBERS, n_features)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n_features))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(("n_features", "size"), [(1, 1), (6, 3), (13, 7)])
def test_halves_are_rounded_up_and_differ(n_features, size):
    parts = draw_columns("halves", n_features, np.random.default_rng(0))
    assert len(parts) == N_MEMBERS
    assert all(len(set(part.tolist())) == size for part in parts)
    assert all((np.diff(part) > 0).all() for part in parts)
    assert len({tuple(part) for part in parts}) > 1 or n_features == 1


def test_a_wrong_kind_is_named():
    with pytest.raises(ValueError, match="kind is 'thirds'"):
        draw_columns("thirds", 6, np.random.default_rng(0))


def test_the_training_samples_are_those_of_the_shares(toy):
    views = draw_views([toy], 120, "halves", StandardScaler, np.random.default_rng(3))
    shares = draw_shares([toy], [12] * 10, StandardScaler, np.random.default_rng(3))
    assert np.array_equal(views.X, shares.X[:, :-1])
    assert np.array_equal(views.X_test, shares.X_test[:, :-1])
    assert np.array_equal(views.y_test, shares.y_test)
    assert views.sizes == [2] * 10


def test_the_stacked_way_is_the_default_of_an_ensemble(toy):
    drawn = draw_views([toy], 80, "disjoint", StandardScaler, np.random.default_rng(0))
    stacked, one = Method("automatic", "likelihood", "stacked"), Method("automatic", "likelihood")
    found = fuse(drawn, "linear_svm", [one, stacked])
    members = [
        make_pipeline(make_column_transformer(("passthrough", columns)), SVC(kernel="linear"))
        for columns in drawn.columns
    ]
    default = EvidentialEnsemble(members).fit(drawn.X, drawn.y)
    low, high = default.predict_interval(drawn.X_test).T
    assert found[stacked].bel == pytest.approx(low, abs=1e-9)
    assert found[stacked].pl == pytest.approx(high, abs=1e-9)
    joined = EvidentialEnsemble(members, rule="dempster").fit(drawn.X, drawn.y)
    assert found[one].bel == pytest.approx(joined.predict_interval(drawn.X_test)[:, 0], abs=1e-9)


def test_a_condition_has_a_row_for_one_classifier_of_all_features(toy):
    method = Method("automatic", "bayesian")
    condition = FeatureCondition(
        key="toy",
        datasets=("toy",),
        stream="toy",
        scenario="disjoint",
        n_train=80,
        classifier="linear_svm",
        scaler="standard",
        methods=((("toy", "dempster"), method),),
        whole=("toy", "all"),
        measures=("brier", "only_this"),
        every=2,
    )
    (first, (brier, _)), (labels, (whole, _)) = condition.run_repeat({"toy": toy}, 2, 0)
    assert (first, labels) == (("toy", "dempster"), ("toy", "all"))
    drawn = condition.draw({"toy": toy}, 2, 0)
    model = EvidentialClassifier(
        CLASSIFIERS["linear_svm"], calibrator=AutoCalibrator(model="bayesian"), ensemble="auto"
    )
    p = model.fit(drawn.X, drawn.y).predict_proba(drawn.X_test)[:, 1]
    assert whole == pytest.approx(((p - drawn.y_test) ** 2).mean())
    fused = fuse(drawn, "linear_svm", [method])[method]
    assert brier == pytest.approx(MEASURES["brier"](fused, fused))
    left_out = condition.run_repeat({"toy": toy}, 1, 0)
    assert [labels for labels, _ in left_out] == [first, labels]
    assert np.isnan([values for _, values in left_out]).all()
