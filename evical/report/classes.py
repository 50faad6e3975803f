"""The page of predictions of three or more classes: all together, then each against the others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from evical._typing import Floats
from evical.conformal.control import Promise
from evical.evaluation import Evaluation
from evical.metrics.report import CalibrationReport
from evical.report._evaluation_page import answers_section, made_by
from evical.report._evaluation_pictures import reliability_picture
from evical.report._evaluation_tables import (
    BELIEF_TESTS,
    LEVEL,
    PROBABILITY_TESTS,
    Answers,
    adjusted_tests,
    beliefs,
    has_beliefs,
    measures_table,
)
from evical.report._numbers import (
    between,
    count,
    fixed,
    listed,
    named,
    p_cell,
    percent,
)
from evical.report.page import Page, Row, Section, Table, notes, reading
from evical.significance import holm_adjusted

# Classes that have a picture, and a column in the table of decisions.
_MOST = 12


def classes_page(
    name: str,
    y: NDArray[np.integer],
    probability: Floats,
    report: CalibrationReport,
    evaluations: Sequence[Evaluation],
    command: str,
    answers: Promise | None = None,
) -> Page:
    """The page of predictions of several classes.

    Parameters
    ----------
    name : str
    y : (n,) array
        Positions of the true classes.
    probability : (n, K) array
    report : CalibrationReport
        Measures of all classes together.
    evaluations : sequence of K Evaluation
        Each class against all others, which is its positive class.
    command : str
        The command that reproduces this page.
    answers : Promise, optional
        What the model promised for the samples that it answers.

    Returns
    -------
    Page
    """
    names = [one.class_names[1] for one in evaluations]
    tests = [(k, test, p) for k, one in enumerate(evaluations) for test, p in _tests(one)]
    adjusted = holm_adjusted([p for _, _, p in tests])
    least = [
        min(p for (k, *_), p in zip(tests, adjusted, strict=True) if k == at)
        for at in range(len(names))
    ]
    rejected = [names[k] for k, p in enumerate(least) if p < LEVEL]
    k, p = min(enumerate(least), key=lambda pair: pair[1])
    verdict = (
        f"The probabilities of class {listed(map(named, rejected))} are not calibrated (smallest "
        f"adjusted p-value {p_cell(p)}, {named(names[k])})."
        if rejected
        else f"No sign of miscalibration was found in any class (smallest adjusted p-value "
        f"{p_cell(p)}, {named(names[k])})."
    )
    wrong = probability.argmax(axis=1) != y
    asked = Answers(
        wrong.astype(np.float64), 1 - probability.max(axis=1), evaluations[0].confidence, answers
    )
    counts = confusion_matrix(y, probability.argmax(axis=1), labels=np.arange(len(names)))
    shown = _with_most_errors(counts)
    some = (f"Of the {len(shown)} classes with most errors.",) if len(shown) < len(names) else ()
    lead = (
        f"{count(len(y))} samples of {len(names)} classes were evaluated. The most probable class "
        f"is wrong for {percent(float(wrong.mean()))} of them. {verdict}"
    )
    pictures = tuple(reliability_picture(evaluations[at]) for at in shown)
    measures = measures_table(f"Measures of {count(len(y))} samples.", report.measures, {})
    sections = (
        Section("All classes together", tables=(measures,)),
        Section("Each class against all others", tables=(_by_class(evaluations, least),)),
        Section("Decisions", tables=(_decisions(counts, shown, names),)),
        answers_section(asked),
        Section("Reliability of each class", some, pictures=pictures),
        Section("How to read this", items=reading("classes")),
        made_by(command, evaluations[0].how),
    )
    return Page(f"Calibration of {named(name)}", (lead,), sections)


def _tests(evaluation: Evaluation) -> list[tuple[str, float]]:
    families = [PROBABILITY_TESTS, *([BELIEF_TESTS] if has_beliefs(evaluation) else [])]
    return [
        (test.name, test.value) for one in families for test, _ in adjusted_tests(evaluation, one)
    ]


def _by_class(evaluations: Sequence[Evaluation], least: Sequence[float]) -> Table:
    rows = []
    for one, p in zip(evaluations, least, strict=True):
        error, (bel, pl) = one["debiased_calibration_error"], beliefs(one)
        text = f"{fixed(error.value)} ({between(error.low, error.high)})"
        shares = one.y.mean(), one.probability.mean()
        cells = (one.y.sum(), *shares, (text, error.value), (pl - bel).mean(), p)
        rows.append((one.class_names[1], cells))
    return Table.of(
        f"Each class against all others, with {evaluations[0].confidence:.0%} intervals of the "
        "calibration error.",
        "Class",
        {
            "Samples": count,
            "Observed": percent,
            "Predicted": percent,
            "Calibration error": str,
            "Pl - Bel": fixed,
            "Smallest p": p_cell,
        },
        rows,
        notes("columns: classes"),
    )


def _with_most_errors(counts: NDArray[np.intp]) -> list[int]:
    """Classes with most samples that are taken for others, or others for them, in their order."""
    errors = counts.sum(axis=0) + counts.sum(axis=1) - 2 * counts.diagonal()
    return sorted(np.argsort(-errors, kind="stable")[:_MOST].tolist())


def _decisions(counts: NDArray[np.intp], chosen: list[int], names: Sequence[str]) -> Table:
    """How often each class was taken for each other, with columns of the chosen classes."""
    k, rows = len(names), []
    for at, name in enumerate(names):
        values = tuple(float(counts[at, other]) for other in chosen)
        best = frozenset({chosen.index(at)} if at in chosen else ())
        rows.append(Row((name,), tuple(count(value) for value in values), best, values))
    return Table(
        "Samples of the class in each row, by the most probable class; right ones are underlined."
        + (f" The {_MOST} of {k} classes with most errors have a column." if k > _MOST else ""),
        ("True class",),
        tuple(names[other] for other in chosen),
        tuple(rows),
    )
