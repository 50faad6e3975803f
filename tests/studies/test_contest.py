"""Standings, against a table that is worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from examples.studies import Outcome
from examples.studies._contests_page import contests_text, overviews_text, standings
from examples.studies._study import Contest, Overview
from tests.support.toy_study import Toy, toy_study

CONTEST = Contest("Error in %", "error", "method", ("a", "b"), scale=100, digits=1)

# Errors of the methods in two repeats. Means of the references are 0.2 and 0.3 for size 1, where
# "a" is the best, and 0.4 and 0.1 for size 2, where "b" is.
ERRORS = {
    ("1", "a"): (0.1, 0.3),
    ("1", "b"): (0.2, 0.4),
    ("1", "new"): (0.2, 0.2),
    ("2", "a"): (0.4, 0.4),
    ("2", "b"): (0.1, 0.1),
    ("2", "new"): (0.2, 0.4),
}


def outcome(contest: Contest = CONTEST, overview: Overview | None = None, repeats: int = 2):
    rows = {
        ("one", *labels): np.array([(error, 0.0, 0.0) for error in errors[:repeats]])
        for labels, errors in ERRORS.items()
    }
    overviews = (overview,) if overview else ()
    study = replace(toy_study(), contests=(contest,), overviews=overviews)
    return Outcome(study, (Toy("one"),), repeats, 0, rows)


def test_each_setting_has_its_own_best_reference():
    (found,) = standings(outcome(), CONTEST).values()
    assert [one.option for one in found] == ["a", "b", "new"]
    a, b, new = found
    # Differences to the best: 0 in size 1, 30 and 30 in size 2.
    assert a.mean == pytest.approx(30)
    assert a.excess == pytest.approx(15)
    assert a.worst[0] == ("one", "2")
    assert (a.worse(1), a.better(1)) == (1, 0)
    # 10 in either repeat of size 1, 0 in size 2.
    assert b.excess == pytest.approx(5)
    assert (b.worse(2), b.better(2)) == (1, 0)
    # 10 and -10 in size 1: none, with a standard error of 10; 10 and 30 in size 2: 20 with 10.
    one, two = new.excesses["one", "1"], new.excesses["one", "2"]
    assert (one.mean, one.standard_error) == (pytest.approx(0), pytest.approx(10))
    assert (two.mean, two.standard_error) == (pytest.approx(20), pytest.approx(10))
    assert (new.worse(1), new.worse(2.1), new.better(1)) == (1, 0, 0)
    assert new.mean == pytest.approx(25)


def test_a_better_option_counts_as_better():
    (found,) = standings(outcome(), replace(CONTEST, references=("a",))).values()
    b = found[1]
    # Worse by 10 in both repeats of size 1, better by 30 in both of size 2.
    assert (b.worse(1), b.better(1), b.better(2)) == (1, 1, 1)
    assert b.excess == pytest.approx(-10)


def test_groups_are_told_apart():
    found = standings(outcome(), replace(CONTEST, by=("size",)))
    assert list(found) == [("1",), ("2",)]
    a = found["2",][0]
    assert list(a.excesses) == [("one", "2")]
    assert a.mean == pytest.approx(40)


def cells(text: str) -> dict[str, list[str]]:
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    return {first: rest for first, *rest in rows}


def test_the_table_is_sorted_by_mean():
    table = cells(contests_text(outcome())[-1])
    assert list(table)[2:] == ["b", "new", "a"]
    assert table["a"] == ["30.0", "+15.0", "1 (1)", "0 (0)", "+30.0 ± 0.0, one, 2"]
    assert table["new"] == ["25.0", "+10.0", "1 (0)", "0 (0)", "+20.0 ± 10.0, one, 2"]


def test_the_page_says_that_the_best_is_picked_by_the_same_rounds():
    explained = contests_text(outcome())[1]
    assert "a; b" in explained
    assert "picked by the same repeats" in explained
    assert "at least" not in explained.partition("picked by")[0]


def test_a_single_repeat_has_no_contest():
    assert contests_text(outcome(repeats=1)) == []
    (found,) = standings(outcome(repeats=1), CONTEST).values()
    assert math.isnan(found[0].worst[1].standard_error)
    assert found[0].worse(1) == 0


def test_an_overview_has_means_over_settings_and_rounds():
    columns = {"error": ("error %", 100, 1), "only_this": ("alone", 1, 0)}
    blocks = overviews_text(outcome(overview=Overview("All", "method", columns)))
    assert blocks[0] == "## All"
    table = cells(blocks[-1])
    assert table["method"] == ["error %", "alone"]
    assert [table[name][0] for name in "ab"] == ["30.0", "20.0"]
    assert table["new"] == ["25.0", "0"]
    apart = overviews_text(outcome(overview=Overview("All", "method", columns, by=("size",))))
    assert apart[2] == "**1**"
    assert cells(apart[3])["b"] == ["30.0", "0"]
    assert cells(apart[5])["b"] == ["10.0", "0"]


def test_an_overview_takes_the_rows_it_is_about():
    columns = {"error": ("error %", 100, 1)}
    of_two = Overview("All", "method", columns, where={"size": ("1",), "method": ("a", "b")})
    table = cells(overviews_text(outcome(overview=of_two))[-1])
    assert list(table)[2:] == ["a", "b"]
    assert table["b"] == ["30.0"]
    none = Overview("Nothing", "method", columns, where={"size": ("7",)})
    assert overviews_text(outcome(overview=none)) == []


def test_an_overview_takes_the_repeats_that_measured():
    columns = {"error": ("error", 1, 2)}
    made = outcome(overview=Overview("All", "method", columns))
    made.rows["one", "1", "a"][1, 0] = math.nan
    # (0.1 + 0.4) / 2
    assert cells(overviews_text(made)[-1])["a"] == ["0.25"]


def test_names_cannot_end_a_cell():
    made = outcome()
    rows = {(*labels[:2], f"{labels[2]}|_x_"): values for labels, values in made.rows.items()}
    contest = replace(CONTEST, references=("a|_x_", "b|_x_"))
    study = replace(made.study, contests=(contest,))
    hostile = Outcome(study, made.conditions, 2, 0, rows)
    table = contests_text(hostile)[-1]
    assert r"| new\|\_x\_ | 25.0 |" in table
