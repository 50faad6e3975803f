"""The page of one set of predictions: whether they are calibrated, and how certain that is.

The verdict follows the tests: miscalibrated if one of them rejects calibration at the level of 5 %
after Holm's correction. Otherwise the page says how large an error could have gone undetected,
because with few samples a test has little power.
"""

import numpy as np

from dstheory.checks.arguments import number_of
from evical._versions import all_versions
from evical.evaluation import Evaluation, check_promise
from evical.metrics.goodness import pvalue_text, share_limits
from evical.report._evaluation_pictures import answers_picture, evaluation_pictures
from evical.report._evaluation_tables import (
    LEVEL,
    PROBABILITY_TESTS,
    Answers,
    adjusted_tests,
    answers_table,
    beliefs,
    coverage_table,
    covered_bins,
    has_beliefs,
    measures_tables,
    reject_table,
    reliability_table,
    tests_table,
    width_table,
)
from evical.report._numbers import between, count, fixed, metric_name, named, percent
from evical.report.page import Page, Section, reading

# Fewer samples of a class say little about calibration: with 50 samples, the interval of a share of
# 1/2 is 0.28 wide.
_FEW = 50


def evaluation_page(evaluation: Evaluation, command: str) -> Page:
    """The page of one calibrator or classifier.

    Parameters
    ----------
    evaluation : Evaluation
    command : str
        The command or call that reproduces this page; left out if empty.

    Returns
    -------
    Page
    """
    pictures = tuple(evaluation_pictures(evaluation))
    first, rest = pictures[:1], pictures[1:]
    imprecise, texts = has_beliefs(evaluation), reading("evaluation")  # the third is on beliefs
    sections = [
        Section("Reliability", pictures=first, warnings=tuple(_warnings(evaluation))),
        Section("Along the scores", pictures=rest),
        Section("Measures", tables=measures_tables(evaluation)),
        Section(
            "Tests of calibration",
            tables=(tests_table(evaluation), reliability_table(evaluation)),
        ),
    ]
    if imprecise:
        tables = (width_table(evaluation), coverage_table(evaluation))
        sections.append(Section("Belief intervals", (_widest(evaluation),), tables=tables))
    sections += [
        answers_section(Answers.of(evaluation)),
        Section("Reject", tables=(reject_table(evaluation),)),
        Section("How to read this", items=texts if imprecise else texts[:2] + texts[3:]),
        made_by(command, evaluation.how),
    ]
    return Page(
        f"Calibration of {named(evaluation.name)}", tuple(_lead(evaluation)), tuple(sections)
    )


def _lead(evaluation: Evaluation) -> list[str]:
    n, positive = len(evaluation.y), int(evaluation.y.sum())
    name = named(evaluation.class_names[1])
    texts = [
        f"{count(n)} samples were evaluated, {count(positive)} of them ({percent(positive / n)}) "
        f"of the positive class, {name}. {_verdict(evaluation)}",
        _sharpness(evaluation),
    ]
    if has_beliefs(evaluation):
        texts.append(_beliefs(evaluation))
    return texts


def _verdict(evaluation: Evaluation) -> str:
    """Whether predictions are calibrated, by how much not, and with what certainty."""
    tests = adjusted_tests(evaluation, PROBABILITY_TESTS)
    worst, p = min(tests, key=lambda one: one[1])
    error = evaluation["debiased_calibration_error"]
    size = (
        f"the calibration error is {fixed(error.value)} "
        f"({evaluation.confidence:.0%} interval {between(error.low, error.high)})"
    )
    if p < LEVEL:
        return (
            f"The probabilities are not calibrated: {size}, and the {metric_name(worst.name)} "
            f"refutes calibration ({pvalue_text(p)}, adjusted for {len(tests)} tests)."
        )
    return (
        f"No sign of miscalibration was found: {size}, and none of {len(tests)} tests refutes "
        f"calibration (smallest adjusted {pvalue_text(p)}). With this number of samples an error "
        f"of up to {fixed(error.high)} may go undetected."
    )


def _sharpness(evaluation: Evaluation) -> str:
    brier = evaluation["brier_score"]
    base = evaluation.report["uncertainty"]
    gain = 1 - brier.value / base if base else np.nan
    text = (
        f"The Brier score is {fixed(brier.value)} ({between(brier.low, brier.high)}); always "
        f"predicting the share of the positive class would give {fixed(base)}; the predictions "
        f"save {percent(gain)} of that."
    )
    if "roc_auc" in evaluation.report.to_dict():
        area = evaluation["roc_auc"]
        text += (
            f" {percent(area.value)} ({percent(area.low)} to {percent(area.high)}) of the pairs "
            "with one sample per class are ranked correctly."
        )
    return text


def _beliefs(evaluation: Evaluation) -> str:
    width, bins = evaluation["mean_imprecision"], covered_bins(evaluation)
    p = evaluation.report["interval_calibration_test"]
    verdict = (
        "the intervals are compatible with calibrated probabilities"
        if p >= LEVEL
        else "the intervals are not compatible with calibrated probabilities"
    )
    return (
        f"Belief intervals are {fixed(width.value)} wide on average "
        f"({between(width.low, width.high)}). Of {len(bins.size)} bins of equal frequency, the "
        f"observed share lies within the mean interval in {int(bins.covered.sum())}, and misses "
        f"it significantly in {int((bins.adjusted < LEVEL).sum())}; {verdict} "
        f"({pvalue_text(p)})."
    )


def _warnings(evaluation: Evaluation) -> list[str]:
    texts = []
    counts = np.bincount(evaluation.y, minlength=2)
    rare = int(counts.argmin())
    if counts[rare] < _FEW:
        texts.append(
            f"Only {number_of(counts[rare], 'sample')} of class "
            f"{named(evaluation.class_names[rare])}: with fewer than {_FEW} of a class, even large "
            "calibration errors go undetected."
        )
    p = evaluation.probability
    wrong = int((((p == 0) & (evaluation.y == 1)) | ((p == 1) & (evaluation.y == 0))).sum())
    if wrong:
        texts.append(
            f"{wrong} sample{'s' if wrong > 1 else ''} had a class with predicted probability 0: "
            "the log loss is infinite, and every test refutes calibration."
        )
    promise = check_promise(evaluation)
    if promise is not None and promise.warning:
        texts.append(promise.warning)
    if evaluation.weight is not None:
        texts.append(
            "The samples have weights; sizes of bins are effective numbers, the squared sum of "
            "weights divided by the sum of squared weights."
        )
    return texts


def _widest(evaluation: Evaluation) -> str:
    bel, pl = beliefs(evaluation)
    widths = pl - bel
    row = int(widths.argmax())
    where = (
        f"probability {fixed(float(evaluation.probability[row]))}"
        if evaluation.scores is None
        else f"score {evaluation.scores[row]:.4g}"
    )
    return (
        f"The widest interval, {between(float(bel[row]), float(pl[row]))}, "
        f"is at {where}; half of all intervals are narrower than "
        f"{fixed(float(np.median(widths)))}."
    )


def answers_section(answers: Answers) -> Section:
    """What could be answered, what is guaranteed for the answers, and whether it was met."""
    return Section(
        "Answer or ask",
        (_answers(answers),),
        tables=(answers_table(answers),),
        pictures=(answers_picture(answers),),
    )


def _answers(answers: Answers) -> str:
    promise = answers.promise
    if promise is None:
        return (
            "These predictions come without a guarantee. The table shows what these samples "
            "would guarantee for new ones, if they served as held-out samples."
        )
    answered = answers.doubt < promise.limit
    n, wrong = int(answered.sum()), int(answers.wrong[answered].sum())
    text = f"The model guarantees: {promise}."
    if not n:
        return f"{text} Of these samples it answers none."
    low, high = (float(one) for one in share_limits(wrong, n, answers.level))
    broken = low > promise.bound
    verdict = "The guarantee is violated" if broken else "The data are compatible with it"
    return (
        f"{text} Of these {count(len(answered))} samples it answers {count(n)} "
        f"({percent(n / len(answered))}), of which {count(wrong)} wrongly, {percent(wrong / n)} "
        f"({answers.level:.0%} limits {percent(low)} to {percent(high)}). {verdict}."
    )


def made_by(command: str, *facts: str) -> Section:
    """Versions, and how to reproduce the page."""
    texts = [f"Intervals: {fact}." for fact in facts]
    return Section("Made by", (*texts, f"{all_versions()}."), code=command)
