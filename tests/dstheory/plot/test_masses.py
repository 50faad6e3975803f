"""Pictures of mass functions: bars are masses, lines the covering relation."""

from fractions import Fraction
from itertools import combinations, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from dstheory import Frame, MassFunction, vacuous
from dstheory.plot import HasseDisplay, MassDisplay
from dstheory.plot._hasse import place_in_layers
from dstheory.plot._sets import wrap
from dstheory.testing import frames, masses
from tests.naive import mass as naive
from tests.support.each import each
from tests.support.images import picture

FRAME = Frame(["ant", "bee", "$cat$"])
WITNESS = MassFunction.from_dict(
    FRAME, {"ant": 0.3, ("ant", "bee"): 0.25, ("bee", "$cat$"): 0.1, FRAME: 0.35}
)
CAMERA = MassFunction.from_dict(FRAME, {"ant": 0.1, "$cat$": 0.5, ("ant", "$cat$"): 0.4})
MANY = MassFunction(Frame(range(5)), range(1, 32), np.arange(1, 32) / 496)


@pytest.fixture
def ax():
    return Figure().subplots()


def widths(display, name="m"):
    return [bar.get_width() for bar in display.bars_[name]]


# -- bars ------------------------------------------------------------------------------------------


@given(frames(max_size=4).flatmap(lambda frame: masses(frame, empty=True)))
def test_bars_are_masses(m):
    ax = Figure().subplots()
    display = MassDisplay.from_mass(m, show=["bel", "pl", "q"], ax=ax)
    dense = {frozenset(event): mass for event, mass in m.to_dict().items()}
    names = {event: "{" + ", ".join(str(w) for w in m.frame if w in event) + "}" for event in dense}
    names = {name if event else "∅": event for event, name in names.items()}
    assert set(display.sets) == set(names)
    for i, name in enumerate(display.sets):
        assert widths(display)[i] == float(dense[names[name]])
        for kind, measure in {"bel": naive.bel, "pl": naive.pl, "q": naive.q}.items():
            drawn = display.marks_["m", kind].get_xdata()[i]
            assert drawn == pytest.approx(float(measure(dense, names[name])))


def test_sets_stand_by_mass_then_size_and_label_order(ax):
    m = MassFunction(Frame(range(4)), [0, 6, 8, 9, 15, 1], [0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    display = MassDisplay.from_mass(m, ax=ax)
    assert display.sets == ["{3}", "{0, 3}", "{1, 2}", "{0, 1, 2, 3}", "∅", "{0}"]
    assert ax.yaxis_inverted()
    assert 0.2 < ax.get_xlim()[1] < 0.25  # up to the largest


def test_long_names_are_cut(ax):
    frame = Frame(["a label of more than twenty-four letters", *range(70)])
    m = MassFunction(frame, [1, frame.full], [0.5, 0.5])
    display = MassDisplay.from_mass(m, ax=ax)
    assert display.sets[0] == "{a label of more… letters}"
    assert display.sets[1].endswith(", 0, 1, 2, 3, 4, 5, 64 more}")


def test_a_few_sources_share_the_sets(ax):
    display = MassDisplay.from_mass({"witness": WITNESS, "camera": CAMERA}, show="bel", ax=ax)
    ax.figure.draw_without_rendering()  # dollar signs are no formula
    of = {
        name: dict(zip(display.sets, widths(display, name), strict=True)) for name in display.bars_
    }
    assert (of["witness"]["{ant}"], of["witness"]["{$cat$}"]) == (0.3, 0)
    assert (of["camera"]["{ant}"], of["camera"]["{$cat$}"]) == (0.1, 0.5)
    assert display.sets[0] == "{$cat$}"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["witness", "camera", "Bel"]
    one, two = (display.bars_[name].patches[0] for name in ("witness", "camera"))
    assert one.get_y() + one.get_height() == pytest.approx(two.get_y())
    assert one.get_hatch() != two.get_hatch()


def test_one_source_has_a_legend_if_more_than_bars_is_shown(ax):
    assert MassDisplay.from_mass(WITNESS, ax=ax).ax_.get_legend() is None
    marked = MassDisplay.from_mass(WITNESS, show="bel", ax=ax)
    assert [text.get_text() for text in marked.ax_.get_legend().get_texts()][-1] == "Bel"


def test_of_many_sets_the_rest_is_summed(ax):
    display = MassDisplay.from_mass(MANY, show=["pl"], max_sets=3, ax=ax)
    assert display.sets[-1] == "28 more sets together"
    assert widths(display) == pytest.approx([31 / 496, 30 / 496, 29 / 496, 406 / 496])
    assert np.isnan(display.marks_["m", "pl"].get_xdata()).tolist() == [False] * 3 + [True]
    assert ax.get_title() == "the 3 largest of 31 focal sets"


def test_as_many_sets_as_fit_have_no_rest(ax):
    display = MassDisplay.from_mass(MANY, max_sets=31, ax=ax)
    assert len(display.sets) == 31
    assert ax.get_title() == ""


def test_a_batch_shows_means_and_quantiles(ax):
    rng = np.random.default_rng(0)
    values = rng.dirichlet(np.ones(7), (5, 8))
    batch = MassFunction(FRAME, range(1, 8), values)
    display = MassDisplay.from_mass(batch, show=["bel"], max_sets=2, ax=ax)
    flat = values.reshape(-1, 7)
    order = np.argsort(-flat.mean(axis=0), kind="stable")[:2]
    shown = np.column_stack([flat[:, order], 1 - flat[:, order].sum(axis=1)])
    np.testing.assert_allclose(widths(display), shown.mean(axis=0))
    low, high = np.quantile(shown, [0.05, 0.95], axis=0)
    segments = display.spread_["m"].lines[2][0].get_segments()
    np.testing.assert_allclose([[s[0][0], s[1][0]] for s in segments], np.stack([low, high], 1))
    assert "5 % to 95 % of the rows" in [t.get_text() for t in ax.get_legend().get_texts()]


@each(
    ("m", "options", "error", "message"),
    [
        ({}, {}, ValueError, "m holds 0 mass functions"),
        (dict.fromkeys("abcde", WITNESS), {}, ValueError, "m holds 5 mass functions"),
        ({"a": WITNESS, "b": MANY}, {}, ValueError, "frame"),
        ({"a": WITNESS, "b": 3}, {}, TypeError, r"m\['b'\] is \d+, expected a MassFunction"),
        (3, {}, TypeError, "m is 3, expected a MassFunction"),
        (WITNESS, {"show": ["betp"]}, ValueError, "show is 'betp', expected one of 'bel'"),
        (WITNESS, {"max_sets": 0}, ValueError, "max_sets is 0"),
        (WITNESS, {"max_sets": "all"}, TypeError, "max_sets is 'all', expected a whole number"),
        (MassFunction(FRAME, [7], np.ones((0, 1))), {}, ValueError, r"shape \(0,\) has no row"),
    ],
)
def test_bars_refuse(m, options, error, message):
    with pytest.raises(error, match=message):
        MassDisplay.from_mass(m, **options)


def test_symbols_have_no_length():
    import sympy

    x = sympy.Symbol("x")
    with pytest.raises(TypeError, match="masses with symbols cannot be drawn"):
        MassDisplay.from_mass(MassFunction(FRAME, [1, 7], [x, 1 - x]))


# -- Hasse diagram ---------------------------------------------------------------------------------


def covering(masks):
    """By definition: A below B, and no C between them."""
    below = {(a, b) for a in masks for b in masks if a != b and a | b == b}
    return {(a, b) for a, b in below if not any((a, c) in below and (c, b) in below for c in masks)}


@given(
    frames(max_size=4).flatmap(lambda frame: masses(frame, empty=True)),
    st.sampled_from(["mass", "bel", "pl", "q"]),
)
def test_the_whole_lattice(m, show):
    display = HasseDisplay.from_mass(m, show=show, ax=Figure().subplots())
    assert set(display.degrees) == set(range(m.frame.full + 1))
    assert set(display.edges) == covering(display.degrees)
    assert all((b ^ a).bit_count() == 1 for a, b in display.edges)
    for mask, degree in display.degrees.items():
        assert degree == float(getattr(m, show)(mask=mask))
    areas = dict(zip(display.degrees, display.nodes_.get_sizes(), strict=True))
    largest = max(display.degrees.values()) or 1
    scale = max(areas.values()) / (900 if any(display.degrees.values()) else 14)
    assert scale <= 1  # as letters are in small axes
    for mask, degree in display.degrees.items():  # linear in the degree
        assert areas[mask] == pytest.approx(scale * (14 + 886 * degree / largest))


@given(
    st.sets(st.integers(1, 2**8 - 1), min_size=1, max_size=4),
    st.integers(6, 9),
)
def test_of_large_frames_the_closure(focal, size):
    frame = Frame(range(max(size, 8)))
    m = MassFunction(frame, focal, np.full(len(focal), 1 / len(focal)))
    expected = {0, frame.full, *focal}
    while True:
        more = {op for a, b in combinations(expected, 2) for op in (a | b, a & b)} - expected
        if not more:
            break
        expected |= more
    display_or_error = (
        HasseDisplay.from_mass(m, ax=Figure().subplots()) if len(expected) <= 64 else None
    )
    if display_or_error is None:
        with pytest.raises(ValueError, match="are more than 64 sets"):
            HasseDisplay.from_mass(m)
        return
    assert set(display_or_error.degrees) == expected
    assert set(display_or_error.edges) == covering(expected)


def test_levels_are_sizes(ax):
    display = HasseDisplay.from_mass(WITNESS, ax=ax)
    heights = {display.places_[mask][1] for mask in (1, 2, 4)}
    assert len(heights) == 1
    assert display.places_[0][1] < heights.pop() < display.places_[3][1] < display.places_[7][1]
    ax.figure.draw_without_rendering()
    assert display.names_[7].get_text() == "{ant, bee, \\$cat\\$}\n0.35"
    assert display.names_[2].get_text() == "{bee}"  # no focal set
    assert display.names_[0].get_text() == "∅"


@pytest.mark.parametrize(
    "m",
    [
        WITNESS,
        vacuous(Frame(["one"])),
        vacuous(Frame(["Monday", "Tuesday", "Wednesday", "Thursday"])),
        MANY,
        MassFunction(Frame(range(10)), [1, 3, 7, 24, 1023, 769], np.full(6, 1 / 6)),
    ],
    ids=["three", "one", "long names", "five", "closure"],
)
def test_no_name_covers_another_or_a_line(m):
    display = HasseDisplay.from_mass(m, show="pl")
    figure = display.ax_.figure
    figure.draw_without_rendering()
    plt.close(figure)
    boxes = [text.get_window_extent() for text in display.names_.values()]
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    assert all(figure.bbox.contains(*b.min) and figure.bbox.contains(*b.max) for b in boxes)
    for line in display.edges_:
        corners = display.ax_.transData.transform(line.get_xydata())
        for start, end in pairwise(corners):
            # ends touch a name's frame or a disk only
            inner = start + np.linspace(0.02, 0.98, 99)[:, None] * (end - start)
            assert not any(box.contains(x, y) for box in boxes for x, y in inner)


def test_lines_pass_levels_beside_their_nodes():
    places, lines = place_in_layers({1: 0, 2: 1, 3: 2}, [(1, 2), (2, 3), (1, 3)], sort=True)
    (x, height) = lines[2][1]
    assert height == 1
    assert x != places[2][0]
    assert [line[0] for line in lines] == [places[1], places[2], places[1]]


@pytest.mark.parametrize(
    ("m", "options", "error", "message"),
    [
        (MassFunction(FRAME, [7], np.ones((4, 1))), {}, ValueError, r"batch of shape \(4,\)"),
        (WITNESS, {"show": "betp"}, ValueError, "show is 'betp', expected one of 'mass'"),
        (vacuous(Frame(range(7))), {"whole": True}, ValueError, "7 labels has 128 sets"),
        ("m", {}, TypeError, "m is 'm', expected a MassFunction"),
    ],
)
def test_a_lattice_refuses(m, options, error, message):
    with pytest.raises(error, match=message):
        HasseDisplay.from_mass(m, **options)


def test_fractions_are_drawn(ax):
    m = MassFunction(FRAME, [1, 7], [Fraction(1, 3), Fraction(2, 3)])
    assert HasseDisplay.from_mass(m, ax=ax).degrees[1] == pytest.approx(1 / 3)


# -- pictures --------------------------------------------------------------------------------------


def test_picture_of_bars():
    with picture("masses", 5.4, 3.2) as figure:
        figure.subplots_adjust(left=0.28, right=0.75, bottom=0.15)
        sources = {"witness": WITNESS, "camera": CAMERA}
        MassDisplay.from_mass(sources, show=["bel", "pl"], ax=figure.subplots())


def test_picture_of_a_lattice():
    with picture("hasse", 4.0, 4.4) as figure:
        figure.subplots_adjust(0.02, 0.02, 0.98)
        HasseDisplay.from_mass(WITNESS, ax=figure.subplots())


def test_a_label_wider_than_the_line_follows_its_brace():
    assert wrap(["caterpillar", "bee"], 5) == "{caterpillar,\nbee}"
