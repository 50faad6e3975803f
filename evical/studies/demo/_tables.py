"""Results of an experiment as tables: for people (rounded, mean ± error) and as CSV."""

import csv
import io

from evical.evaluation import Estimate
from evical.report.page import Row, Table
from evical.studies.parts.metrics import METRICS, Metric
from evical.studies.parts.protocol import Method
from evical.studies.parts.runner import Results
from evical.studies.parts.summary import estimates, paired_difference

__all__ = [
    "RECOMMENDED",
    "compared_calibrators",
    "differences_table",
    "results_table",
    "simple_methods",
    "to_csv",
    "written",
]

RECOMMENDED = Method("logistic", "likelihood", "stacked")
"""What the study of fusions recommends: beliefs, combined by learned weights of evidence."""

# The less, the better; the other metrics describe and do not rank.
_LOSSES = ("error_rate", "brier", "log_loss")


def written(estimate: Estimate, metric: Metric, *, sign: bool = False) -> str:
    """An estimate in the units of its metric, with its standard error if it has one.

    >>> written(Estimate(0.1234, 0.0056), METRICS[0])
    '12.3 ± 0.6'
    """
    digits = metric.digits
    text = f"{estimate.mean * metric.factor:{'+' if sign else ''}z.{digits}f}"
    if estimate.standard_error == estimate.standard_error:  # NaN after one repeat
        text += f" ± {estimate.standard_error * metric.factor:.{digits}f}"
    return text


def results_table(results: Results) -> Table:
    """Every method with every metric.

    Parameters
    ----------
    results : Results

    Returns
    -------
    Table
    """
    values = estimates(results)
    best = {key: min(estimate[key].mean for estimate in values.values()) for key in _LOSSES}
    rows = []
    for method, row in values.items():
        marks = [
            i for i, metric in enumerate(METRICS) if row[metric.key].mean == best.get(metric.key)
        ]
        cells = tuple(written(row[metric.key], metric) for metric in METRICS)
        rows.append(Row(_heading(method), cells, frozenset(marks)))
    return Table(
        caption=f"Means over {_repeats(results)} of random splits; ± is their standard error. The "
        "lowest error rate, Brier score and log loss are underlined.",
        head=("Calibrator", "Model"),
        columns=tuple(metric.name for metric in METRICS),
        rows=tuple(rows),
        notes=(*((metric.name, metric.meaning) for metric in METRICS), *_reference_note(results)),
    )


def differences_table(results: Results) -> Table:
    """Likelihood minus Bayesian model, paired within repeats, for each calibrator.

    Parameters
    ----------
    results : Results

    Returns
    -------
    Table
    """
    losses = [metric for metric in METRICS if metric.key in _LOSSES]
    rows = []
    for calibrator in compared_calibrators(results):
        pair = Method(calibrator, "likelihood"), Method(calibrator, "bayesian")
        cells = tuple(
            written(paired_difference(results, *pair, metric.key), metric, sign=True)
            for metric in losses
        )
        rows.append(Row((calibrator,), cells))
    return Table(
        caption="Likelihood minus Bayesian model, both combined by Dempster's rule: mean "
        "difference within repeats, with its standard error. Negative: likelihood is better.",
        head=("Calibrator",),
        columns=tuple(metric.name for metric in losses),
        rows=tuple(rows),
    )


def simple_methods(results: Results) -> list[Method]:
    """Ways that neither use Dempster's rule nor learn how to combine."""
    others = (RECOMMENDED.fusion, "dempster")
    return [method for method in results.protocol.methods if method.fusion not in others]


def compared_calibrators(results: Results) -> list[str]:
    """Calibrators that occur with both models under Dempster's rule."""
    methods = results.protocol.methods
    return [
        name
        for name in dict.fromkeys(method.calibrator for method in methods)
        if {Method(name, "likelihood"), Method(name, "bayesian")} <= set(methods)
    ]


def to_csv(results: Results) -> str:
    """The table with all digits: a row a method, a mean and a standard error a metric.

    Parameters
    ----------
    results : Results

    Returns
    -------
    str
        CSV with the columns ``calibrator``, ``model``, ``fusion``, and for each metric
        ``<metric>`` and ``<metric>_se`` (empty after a single repeat).
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name for metric in METRICS for name in (metric.key, f"{metric.key}_se")]
    writer.writerow(["calibrator", "model", "fusion", *names])
    for method, row in estimates(results).items():
        numbers = [value for metric in METRICS for value in _numbers(row[metric.key])]
        writer.writerow([method.calibrator, method.model, method.fusion, *numbers])
    return text.getvalue()


def _numbers(estimate: Estimate) -> tuple[float | str, float | str]:
    return (
        estimate.mean,
        estimate.standard_error if estimate.standard_error == estimate.standard_error else "",
    )


def _heading(method: Method) -> tuple[str, str]:
    if method.fusion == "dempster":
        return method.calibrator, method.model_name
    if method == RECOMMENDED:
        return f"{method.calibrator}, stacked", method.model_name
    return "reference", method.fusion_name


def _reference_note(results: Results) -> list[tuple[str, str]]:
    """What the rows without Dempster's rule are."""
    simple = simple_methods(results)
    if not simple:
        return []
    kinds = dict.fromkeys(f"{m.calibrator} calibration, {m.model_name} model" for m in simple)
    return [("reference", f"simpler ways without Dempster's rule ({'; '.join(kinds)})")]


def _repeats(results: Results) -> str:
    n = len(results.repeats)
    return f"{n} repeat{'s' if n > 1 else ''}"
