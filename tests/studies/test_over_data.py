"""Ranks, gains and pairs over data sets: by hand, beside what a paper prints."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evical.significance import friedman, holm
from examples.studies import Outcome, Study, study_files
from examples.studies._over_data import Gains, Pairs, Ranking
from examples.studies._over_data_page import contenders, groups_of, over_data_text, values_of
from examples.studies._ranks_picture import ranking_svg
from tests.studies.test_page import svg_texts, tables

LOSS = {"loss": ("Loss", False)}
RANKING = Ranking(
    name="ranks",
    title="a beside b and c (table 1)",
    data="data",
    label="method",
    options=("b", "c", "a"),
    control="a",
    measures=LOSS,
    by=("classifier",),
    published={("LR",): {"loss": "2.0 3.0* 1.0"}},
    n_published=20,
    drawn=("loss",),
)
GAINS = Gains(
    title="Gains",
    data="data",
    label="method",
    options=("a", "c"),
    reference="b",
    measures=LOSS,
    by=("classifier",),
    published={("LR", "a"): {"loss": (-0.5, -0.1)}, ("LR", "c"): {"loss": (-0.3, -0.2)}},
)
PAIRS = Pairs(
    title="Pairs",
    data="data",
    label="method",
    pairs=(("b", "a"), ("c", "b")),
    measures=LOSS,
    by=("classifier",),
    published={("LR",): {"loss": "0.2 0.1 0.3"}},
    significant={("LR",): {"loss": (0,)}},
)
N = 12


def outcome_of(values, **parts):
    """An outcome with a loss for each data set and method, twice that of a mean over repeats."""
    rows = {
        (f"d{i}", "LR", method): np.array([[0.5 * x], [1.5 * x]])
        for i, line in enumerate(values)
        for method, x in zip("abc", line, strict=True)
    }
    study = Study(
        name="toy",
        title="Toy",
        source="A toy",
        labels=("data", "classifier", "method"),
        measures=("loss",),
        conditions=(),
        repeats=2,
        **parts,
    )
    return Outcome(study, (), 2, 0, rows)


@pytest.fixture(scope="module")
def values():
    """Losses of a, b and c: a is best but on two data sets, c is worst on all."""
    rng = np.random.default_rng(0)
    table = np.array([0.1, 0.2, 0.4]) + 0.02 * rng.random((N, 3))
    table[:2, 0] = 0.25
    return table


@pytest.fixture(scope="module")
def outcome(values):
    return outcome_of(values, rankings=(RANKING,), gains=(GAINS,), pairs=(PAIRS,))


def test_a_data_set_counts_with_its_mean_over_repeats(outcome, values):
    found = values_of(outcome, RANKING, ("LR",), "loss", ("b", "c", "a"))
    np.testing.assert_allclose(found, values[:, [1, 2, 0]])
    assert groups_of(outcome, RANKING) == [("LR",)]


def test_data_sets_below_the_least_are_left_out(outcome, values):
    above = replace(RANKING, least=("a", "loss", 0.15))
    found = values_of(outcome, above, ("LR",), "loss", ("a", "b"))
    np.testing.assert_allclose(found, values[:2, :2])
    assert groups_of(outcome, replace(RANKING, least=("a", "loss", 0.9))) == []


def test_the_page_says_that_too_few_data_sets_are_left(outcome):
    none = replace(RANKING, least=("a", "loss", 0.9))
    page = "\n\n".join(over_data_text(replace(outcome, study=replace_rankings(outcome, none))))
    assert "Fewer than two data sets have loss of 0.9 or more with a, so there are no" in page


def test_a_data_set_without_all_options_is_left_out(outcome):
    rows = {row: v for row, v in outcome.rows.items() if row != ("d3", "LR", "c")}
    found = values_of(replace(outcome, rows=rows), RANKING, ("LR",), "loss", ("a", "c"))
    assert len(found) == N - 1


def test_marks_are_those_of_holm_after_friedman(values):
    found, pvalue = contenders(values[:, [1, 2, 0]], RANKING, "loss")
    assert pvalue == pytest.approx(friedman(values, greater_is_better=False).pvalue)
    # Ranks by hand: a is second on two of twelve data sets.
    assert [one.rank for one in found] == pytest.approx([2 - 2 / N, 3, 1 + 2 / N])
    assert found[2].error == pytest.approx(np.std([2, 2] + [1] * 10, ddof=1) / np.sqrt(N))
    tested = holm(values, "method 0", greater_is_better=False)
    assert dict(zip(tested.methods, tested.rejected, strict=True)) == {
        "method 1": False,
        "method 2": True,
    }
    assert [one.mark for one in found] == ["", "*", ""]
    worst = replace(RANKING, control="c")
    assert [one.mark for one in contenders(values[:, [1, 2, 0]], worst, "loss")[0]] == [
        "#",
        "",
        "#",
    ]


def test_no_marks_where_all_may_be_equal():
    rng = np.random.default_rng(3)
    found, pvalue = contenders(rng.random((6, 3)), RANKING, "loss")
    assert pvalue > 0.05
    assert not any(one.mark for one in found)


def test_the_page_has_ours_and_theirs(outcome):
    page = study_files(outcome, "x")["toy.md"]
    ranks, gains, pairs = tables(page)
    assert ranks[0] == ["measure", "b", "c", "**a**", "p of F"]
    # 1.83 ± 0.11 and 2.0, with twelve data sets and twenty: 2 * 0.11 * sqrt(1.6) = 0.28.
    assert ranks[1][:4] == [
        "Loss",
        "1.83 ± 0.11 (2.0) ✓",
        r"3.00 ± 0.00\* (3.0\*) ✓",
        "1.17 ± 0.11 (1.0) ✓",
    ]
    assert "Of 3 printed ranks, 3 agree with ours; ours is greater for 0 and less for 0." in page
    assert "Of 1 differences that are significant in print, 1 are so here, 0 the other" in page
    assert gains[1][:2] == ["LR", "a"]
    assert re.fullmatch(r"\[−\d+\.\d, −\d+\.\d\] \(\[−50\.0, −10\.0\]\) ✓", gains[1][2])
    assert gains[2][2].endswith("([−30.0, −20.0]) ✗")
    assert pairs[0][-2:] == ["p, b : a", "p, c : b"]
    assert pairs[1][1].endswith(" (0.2)")
    assert re.fullmatch(r"0\.0\d+, a †", pairs[1][4])
    assert re.fullmatch(r"0\.000\d+, b", pairs[1][5])
    assert "of 1 that are not, 1 are significant here" in page


def test_ours_stand_alone_where_nothing_is_published(values):
    parts = {
        "rankings": (replace(RANKING, published={}, drawn=()),),
        "gains": (replace(GAINS, published={}),),
        "pairs": (replace(PAIRS, published={}, significant={}),),
    }
    page = study_files(outcome_of(values, **parts), "x")["toy.md"]
    ranks, gains, pairs = tables(page)
    assert ranks[1][:4] == ["Loss", "1.83 ± 0.11", r"3.00 ± 0.00\*", "1.17 ± 0.11"]
    assert re.fullmatch(r"\[−\d+\.\d, −\d+\.\d\]", gains[1][2])
    assert re.fullmatch(r"0\.\d{3}", pairs[1][1])
    assert "in print" not in page
    assert ".svg" not in page


def test_far_ranks_are_marked(outcome):
    far = replace(RANKING, published={("LR",): {"loss": "1.0 - 2.0*"}})
    page = "\n\n".join(over_data_text(replace(outcome, study=replace_rankings(outcome, far))))
    (line,) = [line for line in page.splitlines() if line.startswith("| Loss")][:1]
    assert r"(1.0) ▲" in line
    assert r"(–) |" in line
    assert r"(2.0\*) ▼" in line
    assert "Of 2 printed ranks, 0 agree with ours; ours is greater for 1 and less for 1." in page


def replace_rankings(outcome, *rankings):
    return replace(outcome.study, rankings=rankings, gains=(), pairs=())


def test_the_picture_has_a_diagram_for_each_group(outcome):
    files = study_files(outcome, "x")
    assert "![a beside b and c (table 1)](toy-ranks.svg)" in files["toy.md"]
    texts = svg_texts(files["toy-ranks.svg"])
    assert {"LR: Loss", "a  1.17", "3.00  c"} <= set(texts)
    wide = {
        (data, classifier, method): v
        for classifier in ("A", "B", "C", "D")
        for (data, _, method), v in outcome.rows.items()
    }
    many = ranking_svg(replace(outcome, rows=wide), replace(RANKING, published={}))
    assert {"A: Loss", "D: Loss"} <= set(svg_texts(many))
    assert ranking_svg(outcome, replace(RANKING, drawn=())) == ""


def test_a_single_data_set_has_neither_ranks_nor_gains(values):
    alone = outcome_of(values[:1], rankings=(RANKING,), gains=(GAINS,), pairs=(PAIRS,))
    assert over_data_text(alone) == []
    assert list(study_files(alone, "x")) == ["toy.csv", "toy.md"]


def test_no_ratio_to_a_reference_without_errors(values):
    perfect = values.copy()
    perfect[1:, 1] = 0
    page = study_files(outcome_of(perfect, gains=(GAINS,)), "x")["toy.md"]
    assert "| LR | a | – |" in page
