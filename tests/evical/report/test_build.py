"""Pages of results of every kind: whole, accessible, and with the numbers of the results."""

import re
from dataclasses import replace

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from evical.calibrators import LogisticCalibrator
from evical.evaluation import EnsembleEvaluation, Evaluation, compare
from evical.evaluation.other_rules import STACKED
from evical.report import build
from evical.report._comparison_page import _reliability, differences_table, ranking_table
from evical.report._ensemble_page import (
    contrasts_table,
    ensemble_page,
    rows_table,
    ways_table,
    weights_picture,
)
from evical.report._evaluation_page import evaluation_page
from evical.report._evaluation_tables import (
    coverage_table,
    measures_tables,
    reject_table,
    reliability_table,
    width_table,
)
from tests.evical.report.outline import check_page
from tests.evical.report.results import (
    KINDS,
    conformal,
    data_sets,
    ensemble,
    evaluation,
    methods,
    page_of,
    samples,
)
from tests.support.each import each

SCRIPT, BREAKOUT = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)></svg>'
MATH, WIDE = "$x$ is $5", "🎉 مرحبا " + "n" * 200


@each("kind", KINDS)
def test_every_page_is_whole_and_alone(kind):
    html = page_of(kind)
    page = check_page(html)
    assert page.count("svg") >= 1
    assert page.count("img") == 0
    assert "evical report &lt;x&gt;" in html
    for part in ("numpy 2", "How to read this"):
        assert part in page.text
    assert not re.search(r"\bnan\b|\bNone\b|array\(", page.text)
    assert len(html) < 300_000


@pytest.mark.parametrize("kind", ["evaluation", "data sets", "ensemble", "conformal"])
def test_the_same_results_give_the_same_page(kind):
    assert build(KINDS[kind](), command="evical report <x>") == page_of(kind)


# Two of the texts for each kind of page, all four for one.
HOSTILE = [
    *(("evaluation", texts) for texts in ((SCRIPT, MATH), (WIDE, BREAKOUT))),
    *((kind, (WIDE, BREAKOUT)) for kind in ("comparison", "ensemble")),
    *((kind, (SCRIPT, MATH)) for kind in ("data sets", "conformal")),
]


@each(("kind", "texts"), HOSTILE)
def test_hostile_names_show_as_text(kind, texts):
    first, second = texts
    two = ("a", f"b{first}")
    results = {
        "evaluation": lambda: evaluation(names=two, name=second),
        "comparison": lambda: methods(names=two, name=second, prefix=second),
        "data sets": lambda: data_sets(names=two, prefix=second),
        "ensemble": lambda: ensemble((*two, "c"), name=second, members=(first, second, "c")),
        "conformal": lambda: conformal((*two, "c"), name=second),
    }[kind]()
    html = build(results)
    page = check_page(html)
    assert second in page.text
    assert first[:20] in page.text or kind == "data sets"
    assert html.count("<script") == 1
    assert page.count("img") == 0
    assert "\\$" not in page.text.replace(MATH, "")


def test_pictures_hold_names_as_they_are():
    html = build(evaluation(names=("+", "<b> costs $1 or $2"), name="$x$"))
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", html)
    assert any("class &lt;b&gt; costs $1 or $2" in text for text in texts)
    assert any("$x$" in text for text in texts)


def test_other_results_are_refused():
    with pytest.raises(TypeError, match="results are a dict, expected a Page"):
        build({})


def test_an_evaluation_says_what_the_tests_say():
    scores, y = samples()
    true = Evaluation.from_predictions(y, 1 / (1 + np.exp(-2 * scores)), n_resamples=49)
    text = " ".join(evaluation_page(true, "").lead)
    assert "No sign of miscalibration was found" in text
    assert "may go undetected" in text
    sure = Evaluation.from_predictions(y, np.where(scores > 0, 0.99, 0.01), n_resamples=49)
    text = " ".join(evaluation_page(sure, "").lead)
    assert "The probabilities are not calibrated" in text
    assert "p < 0.0001, adjusted for 3 tests" in text


def test_an_impossible_outcome_is_named():
    y = [0, 1] * 40
    p = np.tile([0.2, 0.8], 40)
    p[1] = 0.0
    text = check_page(build(Evaluation.from_predictions(y, p, n_resamples=9))).text
    assert "1 sample had a class with predicted probability 0" in text
    assert "Only 40 samples of class" in text


def test_a_broken_promise_is_named():
    y = np.array([0, 1] * 60)
    for half, broken in ((0.05, True), (0.45, False)):
        p = np.full(120, 0.1 if broken else 0.5)
        bounds = {"bel": p - half, "pl": p + half}
        made = Evaluation.from_predictions(y, p, **bounds, n_resamples=9)
        assert ("fails to cover" in check_page(build(made)).text) is broken


def test_certain_right_and_constant_predictions_have_pages():
    y = np.array([0, 1] * 60)
    for p in (y.astype(float), np.full(120, 0.5)):
        made = Evaluation.from_predictions(y, p, scores=np.zeros(120), n_resamples=9)
        check_page(build(made))
    vacuous = Evaluation.from_predictions(y, bel=np.zeros(120), pl=np.ones(120), n_resamples=9)
    text = check_page(build(vacuous)).text
    assert "Belief intervals are 1.000 wide on average" in text


@pytest.mark.parametrize(
    "pair", [(1.0, np.nextafter(1, 2)), (0.0, 5e-324), (3.0, 3.0), (-1e-200, 1e-200)]
)
def test_scores_that_can_hardly_be_told_apart_have_a_page(pair):
    y = np.array([0, 1] * 30)
    p = np.full(60, 0.5) if pair[0] == pair[1] else np.tile([0.2, 0.8], 30)
    check_page(build(Evaluation.from_predictions(y, p, scores=np.tile(pair, 30), n_resamples=9)))


def test_members_may_have_the_names_of_other_ways():
    names = ("a", "mean of probabilities", "combined")
    made = ensemble(members=names)
    plain = " ".join(ensemble_page(ensemble(), "").lead)
    # The second member is the best.
    expected = plain.replace("the best member alone, b,", f"the best member alone, {names[1]},")
    lead = " ".join(ensemble_page(made, "").lead)
    assert lead == expected.replace("Against b ", f"Against {names[1]} ")


def test_tables_of_an_evaluation_hold_its_numbers():
    made = evaluation()
    first = measures_tables(made)[0].rows[0]
    brier = made["brier_score"]
    assert first.head == ("Brier score",)
    assert first.values == (brier.value, brier.low, brier.high)
    assert sum(row.values[0] for row in reliability_table(made).rows) == len(made.y)
    assert sum(row.values[2] for row in width_table(made).rows) == len(made.y)
    widths = [row.values[3] * row.values[2] for row in width_table(made).rows]
    assert sum(widths) / len(made.y) == pytest.approx(made["mean_imprecision"].value)
    assert {row.cells[4] for row in coverage_table(made).rows} <= {"yes", "but for chance", "no"}


def test_reject_counts():
    y = np.array([1, 1, 0, 0, 1])
    made = Evaluation.from_predictions(
        y, bel=[0.9, 0.2, 0.1, 0.5, 0.0], pl=[1.0, 0.9, 0.2, 0.5, 1.0], n_resamples=9
    )
    rows = {row.head[0]: row.values for row in reject_table(made).rows}
    # Of both classes at 1/2 and of the vacuous one nothing is decided; 0.9 and 0.8 remain.
    assert rows["0.5"][:7] == (2, 0.4, 0.6, 0, 0, 0, 0.0)
    assert rows["0.9"][:2] == (1, 0.2)
    assert rows["0.95"][0] == 0
    # Two of two right: 1 - 0.025 ** (1 / 2).
    assert rows["0.5"][8] == pytest.approx(1 - 0.025**0.5)


def test_rejects_tell_false_alarms_from_misses():
    y = np.array([0, 0, 0, 1, 1, 1])
    bel = np.array([0.9, 0.8, 0.1, 0.1, 0.9, 0.6])
    made = Evaluation.from_predictions(y, bel=bel, pl=np.minimum(bel + 0.05, 1), n_resamples=9)
    table = reject_table(made)
    rows = {row.head[0]: dict(zip(table.columns, row.values, strict=True)) for row in table.rows}
    assert [rows["0.5"][name] for name in ("False alarms", "Misses", "Errors")] == [2, 1, 3]
    assert [rows["0.8"][name] for name in ("False alarms", "Misses", "Errors")] == [2, 1, 3]
    assert [rows["0.9"][name] for name in ("False alarms", "Misses", "Errors")] == [1, 0, 1]


def test_a_rare_class_has_one_account_of_coverage():
    """What the lead, the measure and the table say of 6 % positives is about the same bins."""
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.06).astype(int)
    scores = rng.normal(size=3000) + 1.5 * y
    fitted = LogisticCalibrator().fit(scores[:1500], y[:1500])
    made = Evaluation.from_estimator(fitted, scores[1500:], y[1500:], n_resamples=9)
    within = [row.cells[4] for row in coverage_table(made).rows]
    assert len(within) == 10
    assert made.report["belief_coverage"] == pytest.approx(within.count("yes") / 10)
    text = check_page(build(made)).text
    assert (
        "Of 10 bins of equal frequency, the observed share lies within the mean interval in "
        f"{within.count('yes')}, and misses it significantly in {within.count('no')};"
    ) in text
    assert "belief_coverage" not in [one.name for one in made.intervals]


def test_predictions_of_folds_are_points_and_many_marks_are_pixels():
    scores, y = samples(600)
    made = compare(scores, y, ["isotonic"], cv=3).evaluation("isotonic", n_resamples=9)
    page = check_page(build(made))
    assert "They lie on several curves" in page.text
    assert page.count("image") == 1  # the points
    fitted = LogisticCalibrator().fit(scores, y)
    curve = Evaluation.from_estimator(fitted, scores, y, n_resamples=9)
    page = check_page(build(curve))
    assert "They lie on several curves" not in page.text
    assert page.count("image") >= 1  # the rug


def test_weights_are_named_and_give_effective_numbers():
    made = evaluation(sample_weight=np.tile([1.0, 3.0], 90))
    text = check_page(build(made)).text
    assert "the samples have weights" in text.lower()
    assert sum(row.values[0] for row in reliability_table(made).rows) < 0.9 * len(made.y)


def test_a_comparison_shows_means_differences_and_advice():
    made = methods()
    ranked = made.ranking()
    table = ranking_table(made)
    assert table.rows[0].head[0].startswith(ranked[0])
    assert table.rows[0].values[0] == made.mean(ranked[0], "brier_score")
    assert 0 in table.rows[0].best
    (first, *_) = differences_table(made).rows
    line = made.differences[0]
    assert first.values[0] == line.difference
    # Two degrees of freedom.
    assert first.values[1] == pytest.approx(line.difference - 4.302653 * line.standard_error)
    text = check_page(build(made)).text
    assert "which was selected on the same folds" in text
    assert f"Recommended: {made.recommendation.method}" in text
    for reason in made.recommendation.reasons:
        assert reason[1:] in text


def test_failures_and_warnings_of_a_comparison_are_shown():
    made = replace(methods(), failures={"broken": "it does not <fit>"})
    html = build(made)
    assert "broken could not be fitted and is left out: it does not &lt;fit&gt;" in html
    assert html.count('class="warning"') >= 1


def test_an_ensemble_is_measured_with_its_members():
    made = ensemble()
    rows = {row.head[1]: row.values for row in ways_table(made).rows}
    assert list(rows) == ["a", "b", "c", "combined", "mean of probabilities"]
    assert rows["combined"][0] == made.losses()["error_rate"][3].mean()
    (first, *_) = rows_table(made).rows
    assert first.values[0] == made.conflict.max()
    assert len(contrasts_table(made).rows) == 4
    text = check_page(build(made)).text
    assert "Discount rate, odd" in text
    assert "The conflict is" in text


def judged(learned, joined, rule="Stacked()"):
    """Two members, fused by learned weights and by Dempster's rule to given probabilities."""
    frame, n = Frame(["a", "b"]), 40
    right = np.arange(n) % 8 > 0  # of the positive class

    def told(p):
        chance = np.where(right, p, 0.5)
        return MassFunction(frame, [1, 2], np.stack([1 - chance, chance], axis=1))

    names = {
        "Stacked()": ("Dempster's rule", learned, joined),
        "dempster": (STACKED, joined, learned),
        "consensus": (STACKED, joined, learned),
    }
    other, own, beside = names[rule]
    return EnsembleEvaluation.from_masses(
        ["b"] * n,
        [told(0.6), told(0.7)],
        told(own),
        rule=rule,
        others={other: told(beside)},
        by_source={"weights_": np.array([0.4, 0.9]), "standard_error_": np.array([0.1, 0.2])},
    )


@pytest.mark.parametrize("rule", ["Stacked()", "dempster", "consensus"])
def test_the_page_of_an_ensemble_says_which_fusion_to_take(rule):
    other = "the consensus without labels" if rule == "consensus" else "Dempster's rule"
    better = ensemble_page(judged(0.9, 0.8, rule), "").lead[-1]
    # (1 - 0.9)^2 * 7/8 + 1/4 * 1/8 = 0.04, and 0.06625 with 0.8.
    assert better.startswith(
        'Take the fusion with learned weights (rule="stacked" in Python, evical combine --fit on'
    )
    assert f"its Brier score is 0.0400, that of {other} 0.0662 (-0.0262 ±" in better
    assert "no clear difference" not in better
    worse = ensemble_page(judged(0.8, 0.9, rule), "").lead[-1]
    assert worse.startswith(f"Take {other} here, not the fusion with learned weights")
    equal = ensemble_page(judged(0.8, 0.8, rule), "").lead[-1]
    assert equal.startswith("Take the fusion with learned weights")
    assert "(+0.0000 ± 0.0000, no clear difference)" in equal


def test_the_page_of_an_ensemble_draws_its_weights():
    made = judged(0.9, 0.8)
    picture = weights_picture(made)
    assert "member 1 0.400; member 2 0.900" in picture.alt
    assert "95 % interval" in picture.alt
    text = check_page(build(made)).text
    assert "Weights of evidence in Dempster's rule (Denoeux 2019)" in text
    assert "1: Dempster's rule, as if independent" in text
    # Names that mean nothing to the display have a table, and no picture.
    assert weights_picture(ensemble()) is None


def test_beliefs_from_elsewhere_have_no_advice():
    made = ensemble()
    assert not any(text.startswith("Take") for text in ensemble_page(made, "").lead)


def test_many_members_are_counted():
    made = ensemble()
    many = replace(
        made,
        members=tuple("abcdefghi"),
        beliefs=made.beliefs * 3,
        by_source={},
    )
    table = rows_table(many)
    assert table.columns == ("Conflict", "True class", "Combined", "Votes")
    assert "Weights of the fusion" not in check_page(build(many)).text


def test_titles_of_panels_are_inside_the_picture():
    made = methods()
    title = re.search(rf' y="([\d.]+)"[^>]*>{made.ranking()[0]}</text>', _reliability(made).svg)
    assert title is not None
    assert float(title[1]) > 12  # the base of letters that are 10 high, and higher on pages
