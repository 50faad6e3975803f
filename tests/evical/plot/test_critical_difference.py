"""Critical-difference diagrams: ranks, bars and labels."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from evical.plot import CriticalDifferenceDisplay
from evical.significance import Results, holm, nemenyi
from tests.support.each import each

RNG = np.random.default_rng(5)
NAMES = ["SVM", "a long name of a method", "$x$", "trees", "net", "Bayes"]
TABLE = Results(RNG.random((15, 6)) + np.array([0, 0.1, 0.2, 0.3, 0.35, 0.8]), NAMES)


@pytest.fixture
def ax():
    return Figure(figsize=(7, 3)).subplots()


def span(line):
    return tuple(line.get_xdata())


def boxes(display):
    """Places of the labels in pixels."""
    figure = display.ax_.figure
    figure.draw_without_rendering()
    return [text.get_window_extent() for text in display.labels_.values()]


def test_methods_hang_at_their_mean_ranks(ax):
    ax.figure.set_size_inches(9, 4)  # narrower ones cut the longest name
    display = CriticalDifferenceDisplay.from_results(TABLE, ax=ax)
    for name, rank in zip(NAMES, TABLE.mean_ranks, strict=True):
        x, y = display.lines_[name].get_data()
        assert x[0] == x[1] == rank
        assert y[0] == 0
        assert y[1] == y[2]
        text = display.labels_[name].get_text()
        assert f"{rank:.2f}" in text
        assert name.replace("$", r"\$") in text
    assert ax.get_xlim() == (1, 6)


def test_bars_are_the_groups_of_nemenyi(ax):
    result = nemenyi(TABLE)
    display = CriticalDifferenceDisplay.from_results(TABLE, ax=ax)
    assert display.groups == result.groups
    assert len(result.groups) > 1
    for bar, group in zip(display.bars_, result.groups, strict=True):
        ranks = [result.mean_ranks[result.methods.index(name)] for name in group]
        assert span(bar) == pytest.approx((min(ranks) - 0.06, max(ranks) + 0.06))
        assert np.ptp(ranks) < result.critical_difference
    ends = span(display.ruler_)
    assert ends[1] - ends[0] == pytest.approx(result.critical_difference)


def test_bars_do_not_cover_each_other(ax):
    table = RNG.random((20, 17)) + np.linspace(0, 1, 17)
    display = CriticalDifferenceDisplay.from_results(table, ax=ax)
    assert len(display.bars_) > 3
    for one, two in combinations(display.bars_, 2):
        if one.get_ydata()[0] == two.get_ydata()[0]:
            left, right = sorted([span(one), span(two)])
            assert left[1] < right[0]


def test_own_groups_come_in_any_order(ax):
    ranks = np.array([1.0, 1.5, 2.5, 5.0])
    groups = [["c", "d"], ["a", "b"], ["b", "c"]]
    display = CriticalDifferenceDisplay(list("abcd"), ranks, groups).plot(ax)
    heights = [bar.get_ydata()[0] for bar in display.bars_]
    assert heights[0] == heights[1] != heights[2]


def test_against_a_control(ax):
    result = holm(TABLE, "trees")
    display = CriticalDifferenceDisplay.from_results(TABLE, test="holm", control="trees", ax=ax)
    kept = {name for name, gone in zip(result.methods, result.rejected, strict=True) if not gone}
    assert set(display.groups[0]) == kept | {"trees"}
    np.testing.assert_allclose(display.mean_ranks, np.sort(TABLE.mean_ranks))
    assert display.ruler_ is None
    weights = {name: text.get_fontweight() for name, text in display.labels_.items()}
    assert [name for name, weight in weights.items() if weight == "bold"] == ["trees"]
    # Methods under the bar are those that do not differ: it holds no other.
    low, high = span(display.bars_[0])
    inside = {n for n, r in zip(NAMES, TABLE.mean_ranks, strict=True) if low <= r <= high}
    assert inside == kept | {"trees"}


@pytest.mark.parametrize("test", [nemenyi, holm])
def test_a_comparison_is_its_table(ax, test):
    one = CriticalDifferenceDisplay.from_results(test(TABLE), ax=ax)
    two = CriticalDifferenceDisplay.from_results(TABLE, test=test.__name__, ax=ax)
    assert one.methods == two.methods
    np.testing.assert_array_equal(one.mean_ranks, two.mean_ranks)
    assert one.groups == two.groups


def test_a_table_of_ranks(ax):
    one = CriticalDifferenceDisplay.from_results(TABLE, ax=ax)
    two = CriticalDifferenceDisplay.from_results(
        Results(TABLE.ranks, NAMES, greater_is_better=False), ax=ax
    )
    np.testing.assert_allclose(one.mean_ranks, two.mean_ranks)
    assert one.groups == two.groups


@each("k", [2, 3, 9, 26])
@each("size", [None, (6, 2.2), (9, 9)])
def test_labels_never_overlap(k, size):
    table = Results(RNG.random((12, k)), [f"method of number {j}" for j in range(k)])
    ax = None if size is None else Figure(figsize=size).subplots()
    display = CriticalDifferenceDisplay.from_results(table, ax=ax)
    assert len(display.labels_) == k
    assert not any(one.overlaps(two) for one, two in combinations(boxes(display), 2))
    if size is None:
        width, height = display.ax_.figure.get_size_inches() * display.ax_.figure.dpi
        for box in boxes(display):
            assert box.x0 >= 0
            assert box.x1 <= width
            assert box.y0 >= 0
            assert box.y1 <= height
        plt.close(display.ax_.figure)


def test_all_tied(ax):
    display = CriticalDifferenceDisplay.from_results(np.ones((4, 5)), ax=ax)
    assert display.mean_ranks.tolist() == [3] * 5
    assert len(display.groups) == 1
    assert not any(one.overlaps(two) for one, two in combinations(boxes(display), 2))


def test_no_group_no_bar(ax):
    table = np.tile([3.0, 2.0], (60, 1))
    assert CriticalDifferenceDisplay.from_results(table, ax=ax).bars_ == []
    assert CriticalDifferenceDisplay.from_results(table, test="holm", ax=ax).bars_ == []


@each(
    ("table", "options", "message"),
    [
        (TABLE, {"test": "tukey"}, "test is 'tukey', expected one of 'nemenyi', 'holm'"),
        (TABLE, {"control": "SVM"}, 'control is for test="holm"'),
        (TABLE, {"test": "holm", "control": "?"}, "control is '\\?', expected one of"),
        (TABLE, {"alpha": 0}, "alpha is 0"),
        ([[0.5, np.nan], [1, 2]], {}, "the result of 'method 1' in row 0 is nan"),
        ([[0.5, 0.6]], {}, "at least 2 data sets"),
    ],
)
def test_bad_tables_are_refused(ax, table, options, message):
    with pytest.raises(ValueError, match=message):
        CriticalDifferenceDisplay.from_results(table, ax=ax, **options)


def test_names_are_on_one_line_and_cut(ax):
    names = ["two\nlines", "x" * 200, "short"]
    display = CriticalDifferenceDisplay.from_results(Results(np.eye(3), names), ax=ax)
    texts = {name: label.get_text() for name, label in display.labels_.items()}
    assert "two lines" in texts["two\nlines"]
    assert len(texts["x" * 200]) < 50
    alone = CriticalDifferenceDisplay.from_results(Results(np.eye(3), names))
    assert alone.ax_.figure.get_figwidth() < 13
    plt.close(alone.ax_.figure)


def test_the_name_of_a_long_ruler_is_in_the_figure():
    display = CriticalDifferenceDisplay.from_results([[1.0, 2.0], [2.0, 1.0]])
    figure = display.ax_.figure
    figure.draw_without_rendering()
    (name,) = [text for text in display.ax_.texts if text.get_text().startswith("CD")]
    assert display.critical_difference > 1
    for artist in (name, display.ruler_):
        box = artist.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
    plt.close(figure)
