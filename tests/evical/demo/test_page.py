"""The page of the demo, its tables and its sentences, from results made by hand."""

import csv
import io

import numpy as np
import pytest

from evical.datasets import Dataset
from evical.datasets.loaders import load_breast_cancer
from evical.demo.contest import LARGEST, METHODS, METRICS, RECOMMENDED, STACKED, Contest, Method
from evical.demo.page import demo_page, findings, protocol, table_csv
from evical.report import build

LIKELIHOOD, BAYESIAN = Method("logistic", "likelihood"), Method("logistic", "bayesian")
HOSTILE = "<script>alert('x')</script>"


def make_results(errors, conflicts=(0.0, 0.0, 0.0), names=("n", "p")) -> Contest:
    """A row of error rates (likelihood, Bayesian, largest) for each repeat; others guess."""
    data = Dataset("toy", np.zeros((400, 1)), np.arange(400) % 2, ("a",), names)
    rows = {method: np.zeros((len(errors), len(METRICS))) for method in METHODS}
    for values in rows.values():
        values[:, :3] = 0.5
    for i, method in enumerate((LIKELIHOOD, BAYESIAN, LARGEST)):
        rows[method][:, 0], rows[method][:, -1] = [row[i] for row in errors], conflicts[i]
    return Contest(data, 0, rows, {})


def results(contest):
    """Rows of the table by their heads."""
    [table] = demo_page(contest, [], "x").sections[1].tables
    return {row.head: row for row in table.rows}


DATA = load_breast_cancer()
BETTER = make_results([(0.10, 0.20, 0.05), (0.12, 0.23, 0.06), (0.11, 0.20, 0.05)])


def test_the_page_tells_command_seed_versions_and_protocol():
    html = build(demo_page(BETTER, [], "evical demo --repeats 3 --output 'a b'"))
    for part in (
        "evical demo --repeats 3 --output &#39;a b&#39;",
        "Seed 0",
        "numpy 2",
        "200 samples",
    ):
        assert part in html


def test_class_names_are_escaped_on_the_page():
    html = build(demo_page(make_results([(0.1, 0.2, 0.1)], names=("a", HOSTILE)), [], "x"))
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html


def test_the_table_marks_the_lowest_and_explains_all_columns():
    table = demo_page(BETTER, [], "x").sections[1].tables[0]
    assert len(table.rows) == len({row.head for row in table.rows}) == 18
    rows = results(BETTER)
    assert rows["reference", "largest alone"].cells[0] == "5.3 ± 0.3"
    assert [head for head, row in rows.items() if 0 in row.best] == [("reference", "largest alone")]
    assert all(1 in row.best for row in rows.values())  # of equal Brier scores
    assert {name for name, _ in table.notes} == {*table.columns, "reference"}


def test_after_one_repeat_there_is_no_standard_error():
    single = make_results([(0.1, 0.11, 0.3)])
    assert results(single)["logistic", "likelihood"].cells[0] == "10.0"
    (first, *_) = csv.DictReader(io.StringIO(table_csv(single)))
    assert first["error_rate_se"] == ""
    rows = list(csv.DictReader(io.StringIO(table_csv(BETTER))))
    assert len(rows) == 18
    (row,) = [
        one for one in rows if tuple(one.values())[:3] == ("logistic", "bayesian", "dempster")
    ]
    assert float(row["error_rate"]) == pytest.approx(0.21)


def test_findings_follow_the_numbers():
    text = " ".join(findings(BETTER))
    assert "errs on 11.0% of the test samples" in text
    # -10, -11 and -9 points: their standard error is 1 / sqrt(3).
    assert "-10.0 ± 0.6 points, beliefs are better here" in text
    assert "largest classifier alone errs on 5.3% (-5.7 ± 0.3 points, better)" in text
    worse = make_results([(0.20, 0.10, 0.25), (0.23, 0.12, 0.28), (0.20, 0.11, 0.26)])
    text = " ".join(findings(worse))
    assert "+10.0 ± 0.6 points, beliefs are worse here" in text
    assert "points, worse)" in text


def test_findings_do_not_make_much_of_noise():
    noise = make_results([(0.10, 0.11, 0.10), (0.12, 0.10, 0.11), (0.10, 0.10, 0.10)])
    text = " ".join(findings(noise))
    assert text.count("no clear difference") == 2  # of the likelihood model and the largest
    assert "says nothing about chance" in " ".join(findings(make_results([(0.1, 0.2, 0.3)])))


def test_findings_mention_total_conflict_where_there_is_some():
    assert not any("exclude" in text for text in findings(BETTER))
    text = findings(make_results([(0.1, 0.2, 0.3)] * 2, conflicts=(0, 0.25, 0)))[-1]
    assert "on 25.0% with logistic calibration" in text
    assert "never happened" in text
    text = findings(make_results([(0.1, 0.2, 0.3)] * 2, conflicts=(0.125, 0.25, 0)))[-1]
    assert "at most 12.5%" in text


def with_default(errors, briers) -> Contest:
    """Error rates and Brier scores of likelihood, Bayesian, largest, and the default."""
    made = make_results([(0.1, 0.2, 0.05)] * 2)
    for method, error, brier in zip(
        (LIKELIHOOD, BAYESIAN, LARGEST, RECOMMENDED), errors, briers, strict=True
    ):
        made.values[method][:, 0], made.values[method][:, 1] = error, [brier, brier + 1e-6]
    return made


def test_the_page_starts_for_readers_who_know_no_word_of_it():
    contest = with_default((0.1, 0.2, 0.05, 0.04), (0.1, 0.2, 0.05, 0.04))
    contest.values[STACKED][:, 0] = 0.03
    html = build(demo_page(contest, [], "x"))
    assert (
        "<p>Ten models, most trained on very little data, classify each new case. Combined by "
        "learned weights of their beliefs, they are wrong on 3.0 of 100 new cases; the model with "
        "the most data alone is wrong on 5.0, the mean of all probabilities, weighted by size, on "
        "50.0, and Dempster&#39;s rule, which takes the same probabilities for independent "
        "evidence, on 20.0. These four calibrate on the same half of the samples, in 2 random "
        "splits. EvidentialEnsemble with default settings trains and calibrates on both halves, "
        "and is wrong on 4.0.</p>"
    ) in html
    title = "toy: ten classifiers combined are wrong on 3.0 of 100 cases, the largest alone on 5.0"
    assert f"<title>{title}</title>" in html


@pytest.mark.parametrize(
    ("briers", "sentence", "code"),
    [
        (
            (0.1, 0.2, 0.05, 0.04),
            "Take EvidentialEnsemble with default settings: no simpler way",
            "SVC(gamma=0.01)])",
        ),
        (
            (0.1, 0.2, 0.03, 0.04),
            "On these data take the largest classifier alone: its Brier",
            "= EvidentialClassifier(SVC())",
        ),
        (
            (0.02, 0.2, 0.03, 0.04),
            "On these data take Dempster's rule on beliefs, rule=",
            'rule="dempster")',
        ),
    ],
)
def test_it_says_what_to_take(briers, sentence, code):
    contest = with_default((0.1, 0.2, 0.05, 0.04), briers)
    values = contest.values[RECOMMENDED]
    values[1, 1] += 1e-6  # so that differences have an error
    page = demo_page(contest, [], "x")
    assert page.lead[-1].startswith(sentence)
    assert code in page.sections[0].code
    namespace = {"X": DATA.X[::4], "y": DATA.y[::4], "X_new": DATA.X[:3]}
    exec(page.sections[0].code, namespace)
    assert len(namespace["model"].predict_mass(DATA.X[:3])) == 3


def test_the_protocol_tells_the_sizes_and_the_encoding():
    text = " ".join(protocol(load_breast_cancer(), repeats=7))
    for part in ("7 repeats", "284 samples", "other 285", "189, 57, 6 times 5, 2 times 4"):
        assert part in text
    assert "one-hot" not in text
    y = np.arange(400) % 2
    data = Dataset("toy", np.zeros((400, 2)), y, ("c=a", "c=b"), ("n", "p"), encoded=("c",))
    assert "one-hot encoded: c." in " ".join(protocol(data, 7))
