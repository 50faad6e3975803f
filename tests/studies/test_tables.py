"""What a page shows of repeats, against numbers that are worked out by hand."""

import csv
import io
import math

import numpy as np
import pytest

from examples.studies import Finding, McNemar, Outcome, PublishedTable
from examples.studies._tables import find_differences, mcnemar_shares, published_cells, summary_csv
from tests.support.each import each
from tests.support.toy_study import Toy, toy_study

NAN = math.nan


def outcome(rows: dict[tuple[str, ...], list[tuple[float, float, float]]]) -> Outcome:
    """Repeats as given, of rows (data, size, method) and measures (error, only_this, only_a)."""
    arrays = {labels: np.array(values) for labels, values in rows.items()}
    repeats = len(next(iter(arrays.values())))
    return Outcome(toy_study(), (Toy("one"),), repeats, 0, arrays)


TWO = outcome(
    {
        ("one", "1", "a"): [(0.1, 0, 0), (0.3, 0, 0)],
        ("one", "1", "b"): [(0.2, 2, 20), (0.5, 9, 9)],
        ("one", "2", "a"): [(0.1, 0, 0), (0.1, 0, 0)],
        ("one", "2", "b"): [(0.4, 30, 1), (NAN, NAN, NAN)],
    }
)


def test_the_csv_has_means_standard_errors_and_rounds():
    rows = list(csv.DictReader(io.StringIO(summary_csv(TWO))))
    assert list(rows[0])[:6] == ["data", "size", "method", "repeats", "error", "error_se"]
    first, second, _, last = rows
    assert (first["repeats"], first["error"], first["error_se"]) == ("2", "0.2", "0.1")
    assert (second["error"], second["error_se"], second["only_a"]) == ("0.35", "0.15", "14.5")
    # Of the repeat that was not measured nothing is said, and of chance neither.
    assert (last["repeats"], last["error"], last["error_se"]) == ("1", "0.4", "")


def table(printed: dict[str, float], repeats: int | None = None, digits: int = 2) -> PublishedTable:
    where = {"data": "one", "size": "1"}
    values = {(name,): value for name, value in printed.items()}
    options = {"scale": 100, "repeats": repeats, "digits": digits}
    return PublishedTable("Table", "error", ("method",), (), where, values, **options)


@each(
    ("printed", "repeats", "digits", "verdict"),
    [
        # Ours is 20 with a standard error of 10, that is 14.1 a repeat.
        (40.0, None, 2, "within"),
        (40.1, None, 2, "lower"),
        (-0.1, None, 2, "higher"),
        # A printed number stands for all that are rounded to it.
        (40.4, None, 0, "within"),
        (40.6, None, 0, "lower"),
        # Two standard errors of the difference to one other repeat: 2 sqrt(100 + 200) = 34.6.
        (54.5, 1, 2, "within"),
        (54.7, 1, 2, "lower"),
    ],
)
def test_a_printed_number_is_judged_by_two_standard_errors(printed, repeats, digits, verdict):
    cells = published_cells(TWO, table({"a": printed}, repeats, digits))
    assert cells["a",].verdict == verdict
    assert cells["a",].ours.mean == pytest.approx(20)


def test_cells_that_only_one_side_has():
    cells = published_cells(TWO, table({"c": 1.0, "a": 20.0}))
    assert list(cells) == [("c",), ("a",), ("b",)]
    assert cells["c",].ours is None
    assert cells["b",].published is None
    assert cells["c",].verdict == cells["b",].verdict == ""


def test_after_one_repeat_nothing_is_judged():
    one = outcome({("one", "1", "a"): [(0.1, 0, 0)], ("one", "1", "b"): [(0.2, 0, 0)]})
    assert published_cells(one, table({"a": 500.0}))["a",].verdict == ""
    (found,) = find_differences(one, Finding("", "error", "method", "b", "a", expected="lower"))
    assert found.verdict == ""


def test_differences_are_paired_within_rounds():
    where = {"size": ("1",)}
    (found,) = find_differences(TWO, Finding("", "error", "method", "b", "a", where, scale=100))
    # 10 and 20, whereas the errors themselves vary much more.
    assert found.by == ()
    assert found.estimate.mean == pytest.approx(15)
    assert found.estimate.standard_error == pytest.approx(5)


def test_differences_are_told_apart_or_averaged():
    apart = find_differences(TWO, Finding("", "error", "method", "b", "a", by=("size",)))
    assert [one.by for one in apart] == [("1",), ("2",)]
    (both,) = find_differences(TWO, Finding("", "error", "method", "b", "a"))
    # Only the first repeat has measured all: (0.1 + 0.3) / 2.
    assert both.estimate.mean == pytest.approx(0.2)
    assert find_differences(TWO, Finding("", "error", "method", "b", "z")) == []
    assert find_differences(TWO, Finding("", "error", "method", "b", "a", {"data": ("two",)})) == []


@each(
    ("differences", "expected", "verdict"),
    [
        ((1.0, 1.2), "higher", "confirmed"),
        ((1.0, 1.2), "lower", "opposite"),
        ((1.0, 1.2), "equal", "different"),
        ((1.0, 1.2), "", ""),
        ((-1.0, 1.2), "higher", "not clear"),
        # Chance hides here what there may be.
        ((-1.0, 1.2), "equal", "not clear"),
        ((-1.0, -1.2), "lower", "confirmed"),
        ((-1.0, -1.2), "higher", "opposite"),
        ((0.0, 0.0), "equal", "confirmed"),
    ],
)
def test_verdicts(differences, expected, verdict):
    rows = {
        ("one", "1", "a"): [(5.0, 0, 0)] * 2,
        ("one", "1", "b"): [(5.0 + d, 0, 0) for d in differences],
    }
    (found,) = find_differences(
        outcome(rows), Finding("", "error", "method", "b", "a", expected=expected)
    )
    assert found.verdict == verdict


def test_equal_is_what_differs_by_no_more_than_the_margin_beyond_chance():
    # 0.45 with a standard error of 0.05: from 0.35 to 0.55.
    rows = {
        ("one", "1", "a"): [(5.0, 0, 0)] * 2,
        ("one", "1", "b"): [(5.4, 0, 0), (5.5, 0, 0)],
    }
    for margin, verdict in ((0.56, "confirmed"), (0.54, "not clear"), (0.34, "different")):
        finding = Finding("", "error", "method", "b", "a", expected="equal", margin=margin)
        assert find_differences(outcome(rows), finding)[0].verdict == verdict
        mirrored = Finding("", "error", "method", "a", "b", expected="equal", margin=margin)
        assert find_differences(outcome(rows), mirrored)[0].verdict == verdict
    higher = Finding("", "error", "method", "b", "a", expected="higher", margin=0.5)
    assert find_differences(outcome(rows), higher)[0].verdict == "confirmed"


def test_mcnemar_counts_the_splits_that_are_significant():
    tests = McNemar("method", "a", "only_this", "only_a", by=("data",), where={"size": "1"})
    (share,) = mcnemar_shares(TWO, tests)
    # 2 against 20: p = 0.0001; 9 against 9: p = 1.
    assert (share.by, share.value, share.worse, share.better) == (("one",), "b", 0.5, 0.0)


def test_mcnemar_uses_the_exact_test_for_few_and_takes_none_for_no_difference():
    tests = McNemar("method", "a", "only_this", "only_a", by=(), where={"size": "1"})
    counts = [(0.5, 6, 0), (0.5, 5, 0), (0.5, 0, 0), (0.5, 0, 6)]
    rows = {("one", "1", "a"): [(0.5, 0, 0)] * 4, ("one", "1", "b"): counts}
    (share,) = mcnemar_shares(outcome(rows), tests)
    # 6 to 0 has p = 2/64 = 0.031; 5 to 0 has 2/32 = 0.0625.
    assert (share.better, share.worse) == (0.25, 0.25)
