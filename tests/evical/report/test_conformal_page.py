"""The page of conformal beliefs: its sentences follow the tests, its tables hold the counts."""

import numpy as np
import pytest
from scipy.stats import beta

from evical.conformal.contour import prediction_sets
from evical.evaluation import ConformalEvaluation
from evical.report import build
from evical.report._conformal_page import conformal_page, levels_table
from tests.evical.report.outline import check_page
from tests.evical.report.results import conformal


def table(page, title):
    (found,) = [section.tables[0] for section in page.sections if section.title == title]
    return {row.head[0]: row.cells for row in found.rows}


def test_a_promise_that_held_and_one_that_did_not():
    held = " ".join(conformal_page(conformal(), "").lead)
    assert "120 samples of 3 classes were evaluated, after calibration with 99." in held
    assert "The data are compatible with the guarantee" in held
    broken = conformal_page(conformal(shift=1.5), "")
    assert "The guarantee was violated on these samples" in " ".join(broken.lead)
    assert "Small p-values are more frequent than guaranteed" in broken.sections[0].paragraphs[0]
    check_page(build(conformal(shift=1.5)))


def test_the_lead_names_a_class_that_sets_clearly_miss():
    """Class "a" is in 71 of 100 sets, the others in 98 of 100: 92.6 % on average at alpha = 0.1."""
    p = np.ones((5, 100, 5))
    p[0, :29, 0] = p[range(1, 5), :2, range(1, 5)] = 0.1
    y = np.repeat(list("abcde"), 100)
    made = ConformalEvaluation.from_p_values(y, p.reshape(500, 5), n_calibration=99)
    assert not made.broken
    lead = conformal_page(made, "").lead[0]
    assert "contain a in only 71.0% of its 100 samples" in lead
    assert lead.count("in only") == 1
    assert "in only" not in conformal_page(conformal(), "").lead[0]


def test_the_tables_hold_the_counts():
    made = conformal()
    page = conformal_page(made, "")
    sets = prediction_sets(made.contour, made.alpha)
    right = sets[np.arange(120), made.y]
    row = levels_table(made).rows[made.levels.index(made.alpha)]
    k = int((~right).sum())
    assert row.values[:4] == (
        k / 120,
        pytest.approx(beta.ppf(0.025, k, 121 - k)),
        pytest.approx(beta.ppf(0.975, k + 1, 120 - k)),
        pytest.approx(sets.sum(axis=1).mean()),
    )
    by_size = table(page, "Sizes of the sets")
    for size in np.unique(sets.sum(axis=1)):
        inside = sets.sum(axis=1) == size
        cells = by_size[str(size)]
        assert cells[0] == str(inside.sum())
        assert cells[2] == f"{100 * right[inside].mean():.1f}%"
    by_class = table(page, "Coverage by class")
    assert by_class["odd"][:2] == (
        str((made.y == 2).sum()),
        f"{100 * right[made.y == 2].mean():.1f}%",
    )
    assert 'class="warning"' not in build(made)


def test_a_page_tells_what_the_tests_do_not_know():
    plain = conformal()
    made = ConformalEvaluation.from_p_values(
        plain.labels[plain.y],
        plain.p_values,
        labels=plain.labels,
        levels=[0.001, 0.1],
        notes=["A."],
    )
    warnings = conformal_page(made, "").sections[0].warnings
    assert warnings[0] == "A."
    assert "rejected at alpha = 0.001, because the smallest of all p-values is 0.01" in warnings[1]
    assert "treat the calibration sample as a very large one" in warnings[2]


def test_groups_and_their_numbers_are_told():
    plain = conformal()
    y = plain.labels[plain.y]
    made = ConformalEvaluation.from_p_values(
        y,
        plain.p_values,
        labels=plain.labels,
        groups=y,
        n_calibration={"healthy": 30, "sick": 40, "odd": 29},
    )
    assert "with 99, in 3 groups of 29 to 40" in conformal_page(made, "").lead[0]


def test_many_classes_of_which_some_have_no_sample():
    rng = np.random.default_rng(0)
    y = rng.integers(50, size=90)
    made = ConformalEvaluation.from_p_values(y, rng.random((90, 60)), labels=range(60))
    page = check_page(build(made))
    assert "the 40 least covered ones" in page.text
    assert "nan" not in page.text


def test_one_sample_and_sets_of_all_classes_have_a_page():
    check_page(build(ConformalEvaluation.from_p_values([0], [[1.0, 1.0]])))
    text = check_page(build(ConformalEvaluation.from_p_values([1], [[0.5, 0.0]]))).text
    assert "100.0% of the sets miss the class" in text
