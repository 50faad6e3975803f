"""Pictures of probabilities and beliefs about three and four classes, and of couplings."""

from itertools import combinations, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dstheory import Frame, MassError, MassFunction, betp, vacuous
from dstheory.plot import credal_vertices
from evical.multiclass import OneVsRestCalibrator
from evical.plot import SimplexDisplay
from evical.plot._corners import TETRAHEDRON, TRIANGLE, facets
from tests.support.each import each
from tests.support.images import picture

THREE = Frame(["ant", "bee", "$cat$"])
FOUR = Frame(["ant", "bee", "cat", "dog"])
WITNESS = MassFunction.from_dict(
    THREE, {"ant": 0.3, ("ant", "bee"): 0.25, ("bee", "$cat$"): 0.1, THREE: 0.35}
)
CAMERA = MassFunction.from_dict(THREE, {"ant": 0.1, "$cat$": 0.6, ("ant", "$cat$"): 0.3})
FOURFOLD = MassFunction.from_dict(
    FOUR, {"ant": 0.1, "cat": 0.3, ("ant", "cat"): 0.15, ("bee", "dog"): 0.2, FOUR: 0.25}
)


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def ax3():
    return Figure().add_subplot(projection="3d")


def random_mass(frame, rng, n_focal):
    focal = rng.choice(frame.full, n_focal, replace=False) + 1
    return MassFunction(frame, focal, rng.dirichlet(np.ones(n_focal)))


def area(polygon):
    x, y = polygon.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


# -- geometry --------------------------------------------------------------------------------------


@pytest.mark.parametrize("corners", [TRIANGLE, TETRAHEDRON])
def test_corners_are_one_apart(corners):
    for one, two in combinations(corners, 2):
        assert np.linalg.norm(one - two) == pytest.approx(1)


def test_a_polygon_is_the_hull_of_its_corners():
    """In order, so that the area of the outline is that of the hull."""
    rng = np.random.default_rng(0)
    for n_focal in (1, 2, 3, 4, 7) * 5:
        m = random_mass(THREE, rng, n_focal)
        points = credal_vertices(m) @ TRIANGLE
        outline = points[facets(3)[0]]
        if np.linalg.matrix_rank(points - points[0], tol=1e-9) < 2:
            assert area(outline) == pytest.approx(0, abs=1e-12)
        else:
            assert area(outline) == pytest.approx(ConvexHull(points).volume)


def test_sides_of_a_polyhedron_are_the_hull_of_its_corners():
    rng = np.random.default_rng(1)
    solid = 0
    for n_focal in (2, 3, 4, 6, 15) * 4:
        points = credal_vertices(random_mass(FOUR, rng, n_focal)) @ TETRAHEDRON
        sides = [points[side] for side in facets(4)]
        if np.linalg.matrix_rank(points - points[0], tol=1e-9) < 3:
            continue
        solid += 1
        hull = ConvexHull(points)
        assert sum(map(surface, sides)) == pytest.approx(hull.area)
        for side in sides:  # each lies in one plane of the hull, with all corners behind it
            distances = hull.equations[:, :3] @ side.T + hull.equations[:, 3:]
            assert np.abs(distances).max(axis=1).min() < 1e-9
    assert solid > 5


def surface(polygon):
    """Area of a plane polygon in space: half the length of the sum of cross products."""
    ends = zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    return np.linalg.norm(sum(np.cross(a, b) for a, b in ends)) / 2


@pytest.mark.parametrize(("frame", "size"), [(THREE, 3), (FOUR, 4)])
def test_neighbors_on_a_side_differ_by_a_swap(frame, size):
    """So that the lines of an outline are edges: masses move between two labels only."""
    rng = np.random.default_rng(2)
    points = credal_vertices(random_mass(frame, rng, frame.full))
    for side in facets(size):
        for one, two in pairwise(points[[*side, side[0]]]):
            assert np.sum(np.abs(one - two) > 1e-12) == 2


# -- triangle --------------------------------------------------------------------------------------


def test_corners_and_center(ax):
    p = np.vstack([np.eye(3), np.full((1, 3), 1 / 3)])
    display = SimplexDisplay.from_predictions(["a", "b", "c", "a"], p, ax=ax)
    top = np.sqrt(3) / 2
    np.testing.assert_allclose(display.points_["a"].get_xydata(), [[0, 0], [0.5, top / 3]])
    np.testing.assert_allclose(display.points_["b"].get_xydata(), [[0.5, top]])
    np.testing.assert_allclose(display.points_["c"].get_xydata(), [[1, 0]])
    looks = {(line.get_color(), line.get_marker()) for line in display.points_.values()}
    assert len(looks) == 3
    assert display.regions_ == {}


def test_boundaries_are_where_two_classes_are_equally_probable(ax):
    display = SimplexDisplay.from_predictions([0, 1, 2], np.eye(3), ax=ax)
    for k, line in enumerate(display.boundaries_):
        system = np.vstack([TRIANGLE.T, np.ones(3)])
        for x, y in line.get_xydata():
            p = np.linalg.solve(system, [x, y, 1])
            one, two = np.delete(p, k)
            assert one == pytest.approx(two)
            assert p[k] <= one + 1e-12


def test_values_beside_the_triangle_are_those_of_their_line(ax):
    """A text stands where a line of one probability leaves the triangle, going on its way."""
    display = SimplexDisplay.from_predictions([0, 1, 2], np.eye(3), ax=ax)
    system = np.vstack([TRIANGLE.T, np.ones(3)])
    texts = [text for text in display.ax_.texts if text.get_text().startswith("0.")]
    assert len(texts) == 12
    for number, text in enumerate(texts):
        p = np.linalg.solve(system, [*text.get_position(), 1])
        assert p[number // 4] == pytest.approx(float(text.get_text()))
        assert p[(number // 4 + 1) % 3] < 0  # outside


def test_a_belief_is_a_polygon_around_its_pignistic_point(ax):
    display = SimplexDisplay.from_mass({"witness": WITNESS, "camera": CAMERA}, ax=ax)
    ax.figure.draw_without_rendering()
    for number, (name, m) in enumerate({"witness": WITNESS, "camera": CAMERA}.items()):
        drawn = display.regions_[number].get_xy()
        expected = {tuple(p) for p in (credal_vertices(m) @ TRIANGLE).round(9)}
        assert {tuple(p) for p in drawn.round(9)} == expected
        np.testing.assert_allclose(display.points_[name].get_xydata()[0], betp(m) @ TRIANGLE)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["witness", "camera"]


def test_ignorance_is_the_whole_triangle_and_a_probability_a_point(ax):
    display = SimplexDisplay.from_mass(vacuous(THREE), ax=ax)
    assert area(display.regions_[0].get_xy()) == pytest.approx(np.sqrt(3) / 4)
    p = MassFunction(THREE, [1, 2, 4], [0.1, 0.2, 0.7])
    display = SimplexDisplay.from_mass(p, ax=ax)
    assert display.regions_ == {}
    np.testing.assert_allclose(display.points_[""].get_xydata(), [[0.1, 0.2, 0.7] @ TRIANGLE])


def test_of_many_samples_some_credal_sets_are_drawn(ax):
    rng = np.random.default_rng(0)
    batch = MassFunction(Frame(range(3)), range(1, 8), rng.dirichlet(np.ones(7), 21))
    y = rng.integers(0, 3, 21)
    display = SimplexDisplay.from_predictions(y, batch, max_regions=5, ax=ax)
    assert list(display.regions_) == [0, 5, 10, 15, 20]
    assert ax.get_title() == "credal sets of 5 of 21 samples"
    assert sum(len(line.get_xdata()) for line in display.points_.values()) == 21
    for row, region in display.regions_.items():
        assert region.get_edgecolor()[:3] == pytest.approx(
            plt.matplotlib.colors.to_rgb(display.points_[str(y[row])].get_color())
        )
    without = SimplexDisplay.from_predictions(y, batch, max_regions=0, ax=Figure().subplots())
    assert without.regions_ == {}
    assert without.ax_.get_title() == ""


def test_estimators(ax):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.repeat(["a", "b", "c"], 10)
    X[np.arange(30), np.repeat([0, 1, 2], 10)] += 1
    model = LogisticRegression().fit(X, y)
    display = SimplexDisplay.from_estimator(model, X, y, ax=ax)
    expected = model.predict_proba(X) @ TRIANGLE
    np.testing.assert_allclose(display.points_["b"].get_xydata(), expected[10:20])
    calibrator = OneVsRestCalibrator().fit(X, y)
    display = SimplexDisplay.from_estimator(calibrator, X, y, ax=ax)
    expected = betp(calibrator.predict_mass(X)) @ TRIANGLE
    np.testing.assert_allclose(display.points_["b"].get_xydata(), expected[10:20])
    assert len(display.regions_) == 12


def test_a_class_without_a_sample_has_its_corner(ax):
    p = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]
    display = SimplexDisplay.from_predictions(["a", "b"], p, labels=["a", "b", "c"], ax=ax)
    assert list(display.points_) == ["a", "b"]
    assert display.labels == ["a", "b", "c"]


def test_long_names_are_folded_and_many_points_small(ax):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 500)
    y = np.array(["a class with a long name", "b", "c"])[p.argmax(axis=1)]
    display = SimplexDisplay.from_predictions(y, p, ax=ax)
    assert "a class with a\nlong name" in [text.get_text() for text in ax.texts]
    assert display.points_["b"].get_markersize() == 2
    assert ax.get_legend().legend_handles[0].get_markersize() == 6


@each(
    ("y", "p", "message"),
    [
        ([0, 1], np.eye(2), "there are 2 classes, .* take BeliefBandDisplay"),
        ([0, 1], [0.5, 0.5], "there are 2 classes, and SimplexDisplay has 3 or 4"),
        (range(5), np.eye(5), "there are 5 classes, .* or coarsen the frame"),
        ([0, 1], np.eye(3)[:2], "y_true has 2 labels, but there are 3 columns"),
        ([0, 1, 2], np.eye(3)[:2], "y_true has 3 rows"),
        ([0, 1, 2], np.eye(3) / 2, "row 0 of y_prob sums to 0.5"),
        ([0, 1, 2], np.full((3, 3), np.nan), "nan"),
        (range(4), MassFunction(FOUR, [15], np.ones((4, 1))), "one of"),
    ],
)
def test_predictions_that_are_refused(y, p, message):
    with pytest.raises(ValueError, match=message):
        SimplexDisplay.from_predictions(list(y), p)


@each(
    ("m", "error", "message"),
    [
        (vacuous(Frame(range(5))), ValueError, "there are 5 classes.* coarsen the frame"),
        (MassFunction(THREE, [0, 7], [0.2, 0.8]), MassError, r"m\(empty\) is 0.2, .*normalize"),
        (MassFunction(THREE, [7], np.ones((2, 1))), ValueError, r"m is a batch of shape \(2,\)"),
        ({"a": WITNESS, "b": FOURFOLD}, ValueError, r"m\['b'\] is on Frame"),
        ({"a": WITNESS, "b": 3}, TypeError, r"m\['b'\] is \d+, expected a MassFunction"),
        ({}, ValueError, "m holds 0 mass functions"),
    ],
)
def test_masses_that_are_refused(m, error, message):
    with pytest.raises(error, match=message):
        SimplexDisplay.from_mass(m)


# -- tetrahedron -----------------------------------------------------------------------------------


def test_corners_and_center_in_space(ax3):
    p = np.vstack([np.eye(4), np.full((1, 4), 1 / 4)])
    display = SimplexDisplay.from_predictions([0, 1, 2, 3, 3], p, ax=ax3)
    drawn = np.hstack([line.get_data_3d() for line in display.points_.values()]).T
    np.testing.assert_allclose(drawn, np.vstack([TETRAHEDRON, TETRAHEDRON.mean(axis=0)]))
    assert display.regions_ == {}


def test_a_belief_is_a_polyhedron(ax3):
    display = SimplexDisplay.from_mass(FOURFOLD, ax=ax3)
    assert list(display.regions_) == [0]
    sides = display.sides()[0]
    assert len(sides) == 14
    corners = {tuple(p) for side in sides for p in side.round(9)}
    assert corners == {tuple(p) for p in credal_vertices(FOURFOLD).round(9)}
    probability = MassFunction(FOUR, [1, 2, 4, 8], [0.1, 0.2, 0.3, 0.4])
    assert SimplexDisplay.from_mass(probability, ax=ax3).regions_ == {}


def test_a_flat_belief_is_drawn(ax3):
    flat = MassFunction.from_dict(FOUR, {("ant", "bee"): 0.5, "cat": 0.5})
    display = SimplexDisplay.from_mass({"flat": flat, "all": vacuous(FOUR)}, ax=ax3)
    assert list(display.regions_) == [0, 1]
    ax3.figure.draw_without_rendering()


def test_other_numbers_of_classes_have_no_corners():
    with pytest.raises(ValueError, match="there are 5 classes, and SimplexDisplay has 3 or 4"):
        SimplexDisplay(list("abcde"), np.eye(5), np.arange(5), list("abcde"))


def test_a_tetrahedron_needs_three_dimensions(ax):
    with pytest.raises(TypeError, match="two dimensions; make it with projection='3d'"):
        SimplexDisplay.from_mass(FOURFOLD, ax=ax)


def test_new_axes_have_three_dimensions():
    display = SimplexDisplay.from_mass(FOURFOLD)
    assert display.ax_.name == "3d"
    plt.close(display.ax_.figure)


# -- pictures --------------------------------------------------------------------------------------


def test_picture_of_beliefs_in_a_triangle():
    with picture("simplex_beliefs", 4.4, 3.6) as figure:
        figure.subplots_adjust(0.02, 0.02, 0.98, 0.98)
        sources = {"witness": WITNESS, "camera": CAMERA}
        SimplexDisplay.from_mass(sources, ax=figure.subplots())


def test_picture_of_samples_in_a_triangle():
    rng = np.random.default_rng(0)
    y = np.arange(36) % 3
    masses = rng.dirichlet(np.full(7, 0.4), 36) * 0.4
    masses[np.arange(36), 2**y - 1] += 0.6
    beliefs = MassFunction(Frame(["ant", "bee", "cat"]), range(1, 8), masses)
    with picture("simplex_samples", 4.4, 3.6) as figure:
        figure.subplots_adjust(0.02, 0.02, 0.98)
        labels = np.array(["ant", "bee", "cat"])[y]
        SimplexDisplay.from_predictions(labels, beliefs, max_regions=6, ax=figure.subplots())


def test_picture_of_a_tetrahedron():
    with picture("tetrahedron", 4.0, 3.6) as figure:
        ax = figure.add_axes((0, 0, 1, 1), projection="3d")
        certain = MassFunction(FOUR, [2, 10, 15], [0.7, 0.2, 0.1])
        SimplexDisplay.from_mass({"witness": FOURFOLD, "camera": certain}, ax=ax)


def test_long_names_are_folded_as_they_are(ax):
    """A fold between the backslash and the dollar sign that it guards would show the former."""
    long = "abcdefghijklmno$x$ " + "and so on " * 20
    display = SimplexDisplay.from_predictions(
        ["a", "b", long], np.eye(3), labels=["a", "b", long], ax=ax
    )
    texts = [text.get_text() for text in ax.texts]
    (corner,) = [text for text in texts if text.startswith("abcdefghijklmno")]
    assert corner.split("\n")[:2] == [r"abcdefghijklmno\$", r"x\$ and so on and"]
    assert len(corner.split("\n")) == 4
    assert corner.endswith("…")
    assert r"P(abcdefghij…so on) →" in texts
    assert display.points_[long].get_label().endswith("…")
    ax.figure.draw_without_rendering()


def test_very_many_points_are_a_bitmap(ax):
    p = np.random.default_rng(0).dirichlet(np.ones(3), 10_001)
    y = np.arange(10_001) % 3
    many = SimplexDisplay.from_predictions(y, p, ax=ax)
    few = SimplexDisplay.from_predictions(y[:90], p[:90], ax=ax)
    assert many.points_["0"].get_rasterized()
    assert not few.points_["0"].get_rasterized()


def test_what_predicts_nothing_is_refused():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba; give a fitted estimator"):
        SimplexDisplay.from_estimator(LinearSVC(), [[0.0]], [0])
    with pytest.raises(ValueError, match=r"there is 1 class, and .* corners; it is certain"):
        SimplexDisplay.from_mass(vacuous(Frame(["a"])))
