"""Pictures of credal partitions: who is where, in which color, and inside which hull."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_blobs

from dstheory import Frame, MassFunction
from evical.learners import EvidentialCMeans, EvidentialKNNClustering, rough_clusters
from evical.plot import CredalPartitionDisplay

X, _ = make_blobs(120, centers=3, cluster_std=0.9, random_state=3)
X = np.vstack([X, [[40.0, 40.0]]])
ECM = EvidentialCMeans(n_clusters=3, delta=4, random_state=0).fit(X[:-1])
MASS = ECM.predict_mass(X)  # the last is an outlier


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.mark.parametrize("rule", ["maximum_mass", "interval_dominance"])
def test_points_and_hulls(ax, rule):
    centers = ECM.cluster_centers_
    display = CredalPartitionDisplay.from_mass(MASS, X, centers=centers, rule=rule, ax=ax)
    lower, upper = rough_clusters(MASS, rule)
    assert display.ax_ is ax
    np.testing.assert_array_equal(display.outliers_.get_xydata(), X[~upper.any(axis=1)])
    assert [40, 40] in display.outliers_.get_xydata().tolist()
    for k, points in display.points_.items():
        rows = (ECM.predict(X) == k) & upper.any(axis=1)
        np.testing.assert_array_equal(points.get_offsets(), X[rows])
        belief = MASS.bel(k)[rows]
        assert np.all(np.diff(points.get_sizes()[np.argsort(belief)]) >= 0)
        corners = {tuple(corner) for corner in display.lower_[k].get_xy()}
        assert corners <= {tuple(x) for x in X[lower[:, k]]}
        assert display.upper_[k].get_xy()[:, 0].max() == X[upper[:, k], 0].max()
        assert to_hex(display.lower_[k].get_edgecolor()) == to_hex(points.get_facecolor()[0])
    np.testing.assert_array_equal(display.centers_.get_xydata(), centers)


def test_more_features_are_projected_and_centers_with_them(ax):
    iris = load_iris(as_frame=True).data
    ecm = EvidentialCMeans(n_clusters=3, random_state=0).fit(iris)
    display = CredalPartitionDisplay.from_estimator(ecm, iris, ax=ax)
    assert ax.get_xlabel() == "first component"
    near = np.abs(iris.to_numpy()[:, None] - ecm.cluster_centers_).sum(axis=2).argmin(axis=0)
    gap = display.places[near] - display.centers_.get_xydata()
    true = iris.to_numpy()[near] - ecm.cluster_centers_
    assert np.all(np.linalg.norm(gap, axis=1) <= np.linalg.norm(true, axis=1) + 1e-9)


def test_names_one_feature_and_no_centers(ax):
    two = load_iris(as_frame=True).data.iloc[:, :2]
    clusters = EvidentialKNNClustering(random_state=0).fit(two)
    display = CredalPartitionDisplay.from_estimator(clusters, two, ax=ax)
    assert ax.get_xlabel() == "sepal length (cm)"
    assert display.centers_ is None
    line = CredalPartitionDisplay.from_mass(MASS, X[:, :1], ax=Figure().subplots())
    assert set(line.places[:, 1]) == {0}
    assert line.lower_ == {}


def test_all_are_outliers_and_many_clusters(ax):
    empty = MassFunction(Frame([0, 1]), [0], np.ones((4, 1)))
    assert CredalPartitionDisplay.from_mass(empty, X[:4], ax=ax).points_ == {}
    many = MassFunction(Frame(range(14)), [1 << k for k in range(14)], np.eye(14))
    display = CredalPartitionDisplay.from_mass(many, X[:14], ax=Figure().subplots())
    looks = {
        (to_hex(points.get_facecolor()[0]), points.get_paths()[0].vertices.tobytes())
        for points in display.points_.values()
    }
    assert len(looks) == 14


@pytest.mark.parametrize("size", [0, 1e-300, 1e98])
def test_features_of_any_size(ax, size):
    X3 = size * np.column_stack([X, X[:, 0]])
    display = CredalPartitionDisplay.from_mass(MASS, X3, centers=np.empty((0, 3)), ax=ax)
    assert np.isfinite(display.places).all()
    assert display.centers_.get_xydata().shape == (0, 2)


def test_wrong_input():
    for many in (X * 1e200, np.sign(X) * 1.7e308):
        with pytest.raises(ValueError, match="X has numbers beyond 1e\\+100, up to"):
            CredalPartitionDisplay.from_mass(MASS, many)
    with pytest.raises(ValueError, match="expected two samples or more"):
        CredalPartitionDisplay.from_mass(MASS[:1], np.eye(3)[:1])
    with pytest.raises(TypeError, match="has no mass_; give a fitted clustering"):
        CredalPartitionDisplay.from_estimator(EvidentialCMeans(), X)
    with pytest.raises(ValueError, match="but there are 5 places"):
        CredalPartitionDisplay.from_estimator(ECM, X[:5])
    with pytest.raises(ValueError, match="interval_dominance"):
        CredalPartitionDisplay.from_estimator(ECM, X[:-1], rule="interval")
    with pytest.raises(ValueError, match="centers have 3 features, but X has 2"):
        CredalPartitionDisplay.from_mass(MASS, X, centers=np.eye(3))
    with pytest.raises(ValueError, match="expected two"):
        CredalPartitionDisplay(np.eye(3), ECM.mass_)
    with pytest.raises(ValueError, match=r"X\[2, \d\] is nan.*, expected a finite number"):
        CredalPartitionDisplay.from_mass(MASS, np.where(np.arange(121)[:, None] == 2, np.nan, X))
