"""From the repeats of a study to what its page shows: means, published cells, comparisons, tests.

All verdicts rest on standard errors over repeats: of a mean, or of a paired difference of rows
within each repeat.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evical._typing import Floats
from evical.evaluation.estimate import Estimate
from evical.significance import mcnemar
from examples.studies._reproduce import Outcome
from examples.studies._study import Finding, McNemar, PublishedTable

__all__ = [
    "CLEAR",
    "Cell",
    "Difference",
    "Share",
    "estimate",
    "find_differences",
    "mcnemar_shares",
    "published_cells",
    "summary_csv",
]

Labels = tuple[str, ...]

# Differences of this many standard errors count as clear.
CLEAR = 2.0


@dataclass(frozen=True)
class Cell:
    """A cell of a published table: ours and the paper's, on the paper's scale.

    Parameters
    ----------
    ours : Estimate, or None
        None if that row was not run.
    published : float, or None
        None if the paper does not print it.
    verdict : {"", "within", "higher", "lower"}
        Ours against the published number; empty if there is nothing to judge.
    """

    ours: Estimate | None
    published: float | None
    verdict: str


@dataclass(frozen=True)
class Difference:
    """A paired difference, for some values of labels.

    Parameters
    ----------
    by : tuple of str
        Values of the labels that the comparison tells apart.
    estimate : Estimate
    verdict : {"", "confirmed", "opposite", "different", "not clear"}
        Empty if nothing is expected, or a single repeat says nothing of chance.
    """

    by: Labels
    estimate: Estimate
    verdict: str


@dataclass(frozen=True)
class Share:
    """How often a McNemar test of a single split finds a difference.

    Parameters
    ----------
    by : tuple of str
        Values of the labels that the tests tell apart.
    value : str
        Compared with the reference.
    worse, better : float
        Share of splits in which it is significantly worse, or better, than the reference.
    """

    by: Labels
    value: str
    worse: float
    better: float


def summary_csv(outcome: Outcome) -> str:
    """Mean, standard error and number of repeats of each row, as CSV.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Six digits, of which the last may depend on the machine; an empty value is NaN.
    """
    study = outcome.study
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = [name for measure in study.measures for name in (measure, f"{measure}_se")]
    writer.writerow([*study.labels, "repeats", *names])
    for labels, values in outcome.rows.items():
        estimates = [estimate(column) for column in values.T]
        numbers = [number for one in estimates for number in (one.mean, one.standard_error)]
        measured = int((~np.isnan(values)).any(axis=1).sum())
        texts = ["" if math.isnan(number) else f"{number:.6g}" for number in numbers]
        writer.writerow([*labels, measured, *texts])
    return file.getvalue()


def published_cells(outcome: Outcome, table: PublishedTable) -> dict[Labels, Cell]:
    """Ours and the paper's for each cell.

    Parameters
    ----------
    outcome : Outcome
    table : PublishedTable

    Returns
    -------
    dict
        (row labels..., column labels...) to `Cell`: those that are published in their order, then
        those that only we have.
    """
    study = outcome.study
    measure = study.measures.index(table.measure)
    names = (*table.rows, *table.columns)
    ours: dict[Labels, Floats] = {}
    for labels, values in outcome.rows.items():
        row = dict(zip(study.labels, labels, strict=True))
        if all(row[name] == value for name, value in table.where.items()):
            ours[tuple(row[name] for name in names)] = table.scale * values[:, measure]
    return {
        key: _cell(ours.get(key), table.values.get(key), table)
        for key in dict.fromkeys([*table.values, *ours])
    }


def _cell(values: Floats | None, published: float | None, table: PublishedTable) -> Cell:
    if values is None:
        return Cell(None, published, "")
    ours = estimate(values)
    if published is None or math.isnan(ours.standard_error):
        return Cell(ours, published, "")
    # The published number is rounded, and the mean of few splits if the table says so.
    chance = ours.standard_error**2 * (
        1 if table.repeats is None else 1 + _count(values) / table.repeats
    )
    allowed = CLEAR * math.sqrt(chance) + 0.5 * 10**-table.digits
    difference = ours.mean - published
    verdict = "within" if abs(difference) <= allowed else "higher" if difference > 0 else "lower"
    return Cell(ours, published, verdict)


def find_differences(outcome: Outcome, comparison: Finding) -> list[Difference]:
    """The paired differences of a comparison.

    Parameters
    ----------
    outcome : Outcome
    comparison : Finding

    Returns
    -------
    list of Difference
        For the values of its labels `by`, in the order of the rows; empty if no rows match.
    """
    study = outcome.study
    measure = study.measures.index(comparison.measure)
    groups: dict[Labels, list[Floats]] = {}
    for row, values in _matching(outcome, comparison.where):
        if row[comparison.label] != comparison.first:
            continue
        other = row | {comparison.label: comparison.second}
        seconds = outcome.rows.get(tuple(other[name] for name in study.labels))
        if seconds is not None:
            difference = comparison.scale * (values[:, measure] - seconds[:, measure])
            by = tuple(row[name] for name in comparison.by)
            groups.setdefault(by, []).append(difference)
    estimates = {by: estimate(np.mean(columns, axis=0)) for by, columns in groups.items()}
    return [
        Difference(by, one, _verdict(one, comparison.expected, comparison.margin))
        for by, one in estimates.items()
    ]


def _verdict(difference: Estimate, expected: str, margin: float) -> str:
    if not expected or math.isnan(difference.standard_error):
        return ""
    if expected == "equal":
        # That no difference is seen is no proof that there is none: few repeats see nothing.
        size, doubt = abs(difference.mean), CLEAR * difference.standard_error
        if size + doubt <= margin:
            return "confirmed"
        return "different" if size - doubt > margin else "not clear"
    if not difference.is_clear(CLEAR):
        return "not clear"
    return "confirmed" if (difference.mean > 0) == (expected == "higher") else "opposite"


def mcnemar_shares(outcome: Outcome, tests: McNemar) -> list[Share]:
    """How often McNemar's test on a single split tells a value from the reference.

    Parameters
    ----------
    outcome : Outcome
    tests : McNemar

    Returns
    -------
    list of Share
    """
    measures = outcome.study.measures
    columns = [measures.index(name) for name in (tests.only_this, tests.only_reference)]
    shares = []
    for row, values in _matching(outcome, {name: (v,) for name, v in tests.where.items()}):
        if row[tests.label] == tests.reference:
            continue
        counts = values[:, columns]
        significant = np.array([_pvalue(*pair) < tests.level for pair in counts.tolist()])
        worse, better = counts[:, 0] < counts[:, 1], counts[:, 0] > counts[:, 1]
        shares.append(
            Share(
                tuple(row[name] for name in tests.by),
                row[tests.label],
                float(np.mean(significant & worse)),
                float(np.mean(significant & better)),
            )
        )
    return shares


def _pvalue(only_this: float, only_reference: float) -> float:
    """McNemar's test from its two counts, which are all that it looks at."""
    first, second = round(only_this), round(only_reference)
    this_right = np.repeat([1, 0], [first, second + 1])
    reference_right = np.repeat([0, 1, 0], [first, second, 1])
    return float(mcnemar(np.ones_like(this_right), this_right, reference_right).pvalue)


def _matching(
    outcome: Outcome, where: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[dict[str, str], Floats]]:
    """Rows whose labels are among those wanted, with the names of their labels."""
    for labels, values in outcome.rows.items():
        row = dict(zip(outcome.study.labels, labels, strict=True))
        if all(row[name] in wanted for name, wanted in where.items()):
            yield row, values


def estimate(values: Floats) -> Estimate:
    """Mean and standard error of the repeats that measured."""
    measured = values[~np.isnan(values)]
    return Estimate.of(measured) if len(measured) else Estimate(math.nan, math.nan)


def _count(values: Floats) -> int:
    return int((~np.isnan(values)).sum())
