"""What the thesis concludes about many classes, judged over its data sets.

Two calibrations are compared on each data set. The mean of these differences and its standard error
over data sets tell whether a conclusion holds, for the printed numbers as for ours. The conclusions
are in the TOML file beside the study.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from evical._typing import Floats
from evical.evaluation.estimate import Estimate
from examples.studies._markdown import markdown_table
from examples.studies._reproduce import Outcome
from examples.studies._tables import CLEAR, estimate
from examples.studies.gebel2009._printed import SETS, TABLES, printed_numbers

__all__ = ["CLAIMS", "GROUPS", "Claim", "conclusions", "gaps", "judged"]

# (reduction, calibration)
Option = tuple[str, str]

GROUPS = {
    "all": SETS,
    "unbalanced": ("Balance", "Ecoli", "Glass", "Zoo"),
    "balanced": ("B3", "Iris", "Segment", "Vehicle", "Wine"),
}
"""As tables 6.8 and 6.9 divide them."""

PRINTED = "printed"
_COLUMNS = {PRINTED: PRINTED, "training": "training scores", "cross_fit": "cross-fitted scores"}
_MEASURES = {"correctness": "CR", "product": "Cal", "brier": "Brier score"}


@dataclass(frozen=True)
class Claim:
    """A comparison of two options of one classifier.

    Parameters
    ----------
    text : str
        What the thesis says, or what is asked.
    classifier : str
    first, second : (str, str)
        Reduction and calibration.
    measure : {"correctness", "product", "brier"}
    expected : {"higher", "lower", ""}
        What the thesis says of the first.
    group : str
        In `GROUPS`.
    """

    text: str
    classifier: str
    first: Option
    second: Option
    measure: str
    expected: str
    group: str


def _read(path: Path) -> Iterator[Claim]:
    """A claim for each pair of options and each measure of a table of the file."""
    for one in tomllib.loads(path.read_text(encoding="utf-8"))["claim"]:
        first, second = (
            [(one.get(f"reduction_{side}") or one["reduction"], name) for name in one[side]]
            for side in ("first", "second")
        )
        rest = one.get("expected", ""), one.get("group", "all")
        for pair in product(first, second):
            for measure in one["measures"]:
                yield Claim(one["text"], one["classifier"], *pair, measure, *rest)


CLAIMS = tuple(_read(Path(__file__).with_name("multiclass.toml")))
"""All comparisons."""


def gaps(outcome: Outcome, claim: Claim, column: str) -> Floats:
    """First minus second on each data set of the claim that has both.

    Parameters
    ----------
    outcome : Outcome
    claim : Claim
    column : {"printed", "training", "cross_fit"}

    Returns
    -------
    (n_sets,) array
    """
    sides = [_numbers(outcome, claim, option, column) for option in (claim.first, claim.second)]
    both = [data for data in GROUPS[claim.group] if all(data in side for side in sides)]
    return np.array([sides[0][data] - sides[1][data] for data in both])


def _numbers(outcome: Outcome, claim: Claim, option: Option, column: str) -> dict[str, float]:
    """Data set to the number of an option."""
    reduction, calibration = option
    if column == PRINTED:
        if claim.measure == "brier":
            return {}
        table = printed_numbers(claim.classifier, reduction, claim.measure)
        return {data: value for (name, data), value in table.items() if name == calibration}
    at = outcome.study.measures.index(claim.measure)
    rows = {data: (data, claim.classifier, reduction, column, calibration) for data in SETS}
    return {
        data: estimate(outcome.rows[row][:, at]).mean
        for data, row in rows.items()
        if row in outcome.rows
    }


def judged(values: Floats, claim: Claim) -> str:
    """Mean of the differences with its standard error, and whether the claim holds.

    Parameters
    ----------
    values : (n_sets,) array
    claim : Claim

    Returns
    -------
    str
        Empty without data sets; a single one has no standard error.
    """
    if len(values) < 2:
        return f"{values[0]:+.3f}" if len(values) else ""
    found = Estimate.of(values)
    text = f"{found.mean:+.3f} ± {found.standard_error:.3f}"
    if not claim.expected:
        return text
    if not found.is_clear(CLEAR):
        return f"{text} ?"
    return f"{text} {'✓' if (found.mean > 0) == (claim.expected == 'higher') else '✗'}"


def conclusions(outcome: Outcome) -> str:
    """Each conclusion beside the printed numbers and ours, then means of all tables.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    body: list[list[str]] = []
    said: set[str] = set()
    for claim in CLAIMS:
        cells = [judged(gaps(outcome, claim, column), claim) for column in _COLUMNS]
        text = "" if claim.text in said else claim.text
        said.add(claim.text)
        compared = f"{_named(claim.first, claim.second)} : {_named(claim.second, claim.first)}"
        body.append([text, _where(claim), compared, _MEASURES[claim.measure], *cells])
    head = ["conclusion", "of", "first : second", "measure", *_COLUMNS.values()]
    return "\n\n".join([_INTRODUCTION, markdown_table(head, body, 4), *_means(outcome)])


_INTRODUCTION = (
    "## Whether the conclusions hold\n\n"
    "First minus second, as a mean over data sets with its standard error over data sets. "
    f"Differences of {CLEAR:g} standard errors count: ✓ holds, ? not clear, ✗ does not. Unlike the "
    "standard errors over repeats, these say how far other data may differ."
)


def _named(option: Option, other: Option) -> str:
    reduction, calibration = option
    return calibration if reduction == other[0] else f"{calibration} ({_words(reduction)})"


def _words(reduction: str) -> str:
    return {"one_vs_rest": "one against rest", "all_pairs": "all pairs"}.get(reduction, reduction)


def _where(claim: Claim) -> str:
    words = [claim.classifier]
    if claim.first[0] == claim.second[0]:
        words.append(_words(claim.first[0]))
    if claim.group != "all":
        words.append(f"{claim.group} sets")
    return ", ".join(words)


def _means(outcome: Outcome) -> Iterator[str]:
    """Means over data sets of each table, printed and ours."""
    yield "## Means over the nine data sets\n\nEach cell: printed, training, cross-fitted."
    done = {condition.key for condition in outcome.conditions}
    for (classifier, reduction), number in TABLES.items():
        names = dict.fromkeys(row[4] for row in outcome.rows if row[1:3] == (classifier, reduction))
        sets = [data for data in SETS if f"{data}-{classifier}".lower() in done]
        body = [
            [
                name,
                *(_mean_cell(outcome, (classifier, reduction, name), m, sets) for m in _MEASURES),
            ]
            for name in names
        ]
        if body:
            title = f"**Tables {number}: {classifier}, {_words(reduction)}**"
            yield f"{title}\n\n{markdown_table(['calibration', *_MEASURES.values()], body, 1)}"


def _mean_cell(outcome: Outcome, where: tuple[str, str, str], measure: str, sets: list[str]) -> str:
    classifier, reduction, name = where
    claim = Claim("", classifier, (reduction, name), (reduction, name), measure, "", "all")
    texts = []
    for column in _COLUMNS:
        numbers = _numbers(outcome, claim, claim.first, column)
        values = [numbers[data] for data in sets if data in numbers]
        texts.append(f"{np.mean(values):.3f}" if values else "–")
    return ", ".join(texts)
