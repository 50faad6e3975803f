"""The demo's page: what follows, in sentences that are computed from the numbers, and tables.

A difference is called clear beyond two standard errors of its paired mean; otherwise the sentence
says that it is not. The winner is named, whether it is the paper's proposal or not.
"""

import math

from evical._versions import all_versions
from evical.evaluation.estimate import Estimate
from evical.report.page import Page, Picture, Row, Section, Table
from evical.studies._reproduce import Outcome
from evical.studies.demo.study import RECOMMENDED, STACKED, TITLE
from evical.studies.parts.methods import Method
from evical.studies.parts.metrics import METRICS, Metric

__all__ = ["demo_page", "differences_table", "findings", "results_table", "written"]

_LIKELIHOOD = Method("logistic", "likelihood")
_BAYESIAN = Method("logistic", "bayesian")

# Lower is better. The other metrics describe, and do not rank.
_LOSSES = [metric for metric in METRICS if metric.key in ("error_rate", "brier", "log_loss")]


def demo_page(outcome: Outcome, pictures: list[Picture], command: str) -> Page:
    """The page of a demo run.

    Parameters
    ----------
    outcome : Outcome
        Of a `demo_study`.
    pictures : list of Picture
    command : str
        That makes this page again.

    Returns
    -------
    Page
    """
    study = outcome.study
    made_by = f"Seed {outcome.seed}; {all_versions()}. The same command gives the same numbers:"
    return Page(
        title=study.title,
        lead=(*_headline(outcome), _summary(outcome), *findings(outcome)),
        sections=(
            Section("Results", tables=(results_table(outcome), differences_table(outcome))),
            Section("Pictures", pictures=tuple(pictures)),
            Section("Protocol", (f"{study.source}.",), items=study.protocol),
            Section("Made by", (made_by,), code=command),
        ),
    )


def _headline(outcome: Outcome) -> list[str]:
    """What is gained, for a reader who knows none of the words."""
    rates = {method: _estimate(outcome, method, "error_rate").mean for method in _methods(outcome)}
    if not {RECOMMENDED, _BAYESIAN} <= set(rates):
        return []
    others = {
        "the model with the most data alone": ("largest",),
        "their average": ("size_mixture",),
    }
    simple = [
        f"{name} is wrong on {_of_hundred(rates[method])}"
        for name, fusions in others.items()
        for method in rates
        if method.fusion in fusions
    ]
    also = f"; {', '.join(simple)}" if simple else ""
    return [
        "Ten models give their opinion on each new case, and most of them have seen very little "
        f"data. Combined as this package recommends, they are wrong on "
        f"{_of_hundred(rates[RECOMMENDED])} of 100 new cases{also}, and all of them taken at "
        f"their word are wrong on {_of_hundred(rates[_BAYESIAN])}."
    ]


def _of_hundred(rate: float) -> str:
    return f"{100 * rate:.1f}"


def _summary(outcome: Outcome) -> str:
    data = outcome.study.title.removeprefix(f"{TITLE}, combined: ")
    splits = f"{outcome.repeats} random split{'s' if outcome.repeats > 1 else ''}"
    return (
        f"Ten classifiers were trained on very unequal shares of {data}, and each was calibrated "
        f"into beliefs about the class. The beliefs were combined in {len(outcome.rows)} ways, on "
        f"{splits}."
    )


def _methods(outcome: Outcome) -> list[Method]:
    return [Method(*labels) for labels in outcome.rows]


def _estimate(outcome: Outcome, method: Method, measure: str) -> Estimate:
    return Estimate.of(outcome.values(_labels(method), measure))


def _difference(outcome: Outcome, first: Method, second: Method, measure: str) -> Estimate:
    """Mean difference within repeats."""
    one, other = (outcome.values(_labels(method), measure) for method in (first, second))
    return Estimate.of(one - other)


def _labels(method: Method) -> tuple[str, ...]:
    return method.calibrator, method.model, method.fusion


def written(estimate: Estimate, metric: Metric, *, sign: bool = False) -> str:
    """An estimate in the units of its metric, with its standard error if it has one.

    >>> written(Estimate(0.1234, 0.0056), METRICS[0])
    '12.3 ± 0.6'
    """
    digits = metric.digits
    text = f"{estimate.mean * metric.factor:{'+' if sign else ''}z.{digits}f}"
    if math.isnan(estimate.standard_error):  # of one repeat
        return text
    return f"{text} ± {estimate.standard_error * metric.factor:.{digits}f}"


def results_table(outcome: Outcome) -> Table:
    """Every method with every metric.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    Table
    """
    values = {
        method: [_estimate(outcome, method, metric.key) for metric in METRICS]
        for method in _methods(outcome)
    }
    ranked = [METRICS.index(metric) for metric in _LOSSES]
    best = {i: min(row[i].mean for row in values.values()) for i in ranked}
    rows = [
        Row(
            _heading(method),
            tuple(map(written, row, METRICS)),
            frozenset(i for i in ranked if row[i].mean == best[i]),
        )
        for method, row in values.items()
    ]
    repeats = f"{outcome.repeats} repeat{'s' if outcome.repeats > 1 else ''}"
    return Table(
        caption=f"Means over {repeats} of random splits; ± is their standard error. The lowest "
        "error rate, Brier score and log loss are underlined.",
        head=("Calibrator", "Model"),
        columns=tuple(metric.name for metric in METRICS),
        rows=tuple(rows),
        notes=(*((metric.name, metric.meaning) for metric in METRICS), *_reference_note(outcome)),
    )


def _heading(method: Method) -> tuple[str, str]:
    if method.fusion == "dempster":
        return method.calibrator, method.model_name
    if method == STACKED:
        return f"{method.calibrator}, stacked", method.model_name
    if method == RECOMMENDED:
        return "EvidentialEnsemble", "default"
    return "reference", method.fusion_name


def _reference_note(outcome: Outcome) -> list[tuple[str, str]]:
    kinds = [f"{m.calibrator} calibration, {m.model_name} model" for m in _simple(outcome)]
    listed = "; ".join(dict.fromkeys(kinds))
    return [("reference", f"simpler ways without Dempster's rule ({listed})")] if kinds else []


def _simple(outcome: Outcome) -> list[Method]:
    """Ways that neither use Dempster's rule nor learn how to combine."""
    others = (RECOMMENDED.fusion, STACKED.fusion, "dempster")
    return [method for method in _methods(outcome) if method.fusion not in others]


def differences_table(outcome: Outcome) -> Table:
    """Likelihood minus Bayesian model, paired within repeats, for each calibrator.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    Table
    """
    rows = []
    for name in _compared(outcome):
        pair = Method(name, "likelihood"), Method(name, "bayesian")
        differences = [_difference(outcome, *pair, metric.key) for metric in _LOSSES]
        cells = [written(*one, sign=True) for one in zip(differences, _LOSSES, strict=True)]
        rows.append(Row((name,), tuple(cells)))
    return Table(
        caption="Likelihood minus Bayesian model, both combined by Dempster's rule: mean "
        "difference within repeats, with its standard error. Negative: likelihood is better.",
        head=("Calibrator",),
        columns=tuple(metric.name for metric in _LOSSES),
        rows=tuple(rows),
    )


def _compared(outcome: Outcome) -> list[str]:
    """Calibrators that occur with both models under Dempster's rule."""
    methods = _methods(outcome)
    return [
        name
        for name in dict.fromkeys(method.calibrator for method in methods)
        if {Method(name, "likelihood"), Method(name, "bayesian")} <= set(methods)
    ]


def findings(outcome: Outcome) -> list[str]:
    """What the numbers say, in a few sentences.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    list of str
        One for each question that the methods can answer.
    """
    texts = []
    if {_LIKELIHOOD, _BAYESIAN} <= set(_methods(outcome)):
        texts += [_evidential(outcome), *_recommended(outcome), *_simpler(outcome)]
    return [*texts, *_conflict(outcome), *_taken(outcome)]


def _evidential(outcome: Outcome) -> str:
    """Likelihood against Bayesian, logistic calibration."""
    likelihood, bayesian = (
        _estimate(outcome, m, "error_rate").mean for m in (_LIKELIHOOD, _BAYESIAN)
    )
    difference = _difference(outcome, _LIKELIHOOD, _BAYESIAN, "error_rate")
    verdict = _verdict(difference, "the evidential way helps here", "the evidential way harms here")
    return (
        "With logistic calibration and Dempster's rule, the likelihood model errs on "
        f"{likelihood:.1%} of the test samples and the Bayesian model, which is plain "
        f"probabilities, on {bayesian:.1%}: {verdict}."
    )


def _recommended(outcome: Outcome) -> list[str]:
    """The stacked fusion against Dempster's rule, of the same beliefs; and the default."""
    texts = []
    if STACKED in _methods(outcome):
        texts.append(
            "The recommended fusion, stacking, learns from held-out beliefs how far to trust each "
            f"classifier. On the same beliefs {_against(outcome, STACKED, _LIKELIHOOD)}."
        )
    if RECOMMENDED in _methods(outcome):
        texts.append(
            "EvidentialEnsemble as it comes also trains and calibrates on the same samples, by "
            "scores out of fold, and chooses the calibrator itself: "
            f"{_against(outcome, RECOMMENDED, _LIKELIHOOD)}."
        )
    return texts


def _against(outcome: Outcome, method: Method, other: Method) -> str:
    """How a method does beside Dempster's rule on beliefs, in error rate and Brier score."""
    errors, briers = (
        [_estimate(outcome, one, key).mean for one in (method, other)]
        for key in ("error_rate", "brier")
    )
    difference = _difference(outcome, method, other, "error_rate")
    return (
        f"it errs on {errors[0]:.1%} and Dempster's rule on {errors[1]:.1%} "
        f"({_verdict(difference, 'better', 'worse')}), with Brier scores of {briers[0]:.3f} and "
        f"{briers[1]:.3f}"
    )


def _taken(outcome: Outcome) -> list[str]:
    """What to take: the default, unless a simpler way has a clearly lower Brier score."""
    if RECOMMENDED not in _methods(outcome):
        return []
    better = [
        method
        for method in (*_simple(outcome), _LIKELIHOOD)
        if (gain := _difference(outcome, method, RECOMMENDED, "brier")).is_clear() and gain.mean < 0
    ]
    if not better:
        return [
            "Take EvidentialEnsemble([...]) as it comes: no other way here has a clearly lower "
            "Brier score."
        ]
    best = min(better, key=lambda method: _estimate(outcome, method, "brier").mean)
    score, ours = (_estimate(outcome, one, "brier").mean for one in (best, RECOMMENDED))
    return [
        f"On these data take {_named(best)}: its Brier score is {score:.3f}, and that of the "
        f"default of EvidentialEnsemble {ours:.3f}."
    ]


def _named(method: Method) -> str:
    return {
        "largest": "the largest classifier alone",
        "dempster": 'Dempster\'s rule on beliefs, rule="dempster"',
    }.get(method.fusion, f"the {method.fusion_name} of the probabilities")


def _simpler(outcome: Outcome) -> list[str]:
    """Ways without Dempster's rule against the likelihood model."""
    parts = []
    for method in _simple(outcome):
        difference = _difference(outcome, method, _LIKELIHOOD, "error_rate")
        rate = _estimate(outcome, method, "error_rate").mean
        parts.append(
            f"{_named(method)} errs on {rate:.1%} ({_verdict(difference, 'better', 'worse')})"
        )
    if not parts:
        return []
    text = " and ".join(parts)
    return [f"Measured against the likelihood model, {text}. A combination has to earn its keep."]


def _verdict(difference: Estimate, lower: str, higher: str) -> str:
    points = f"{100 * difference.mean:+z.1f}"
    if math.isnan(difference.standard_error):
        return f"{points} points in a single repeat, which says nothing about chance"
    size = f"{points} ± {100 * difference.standard_error:.1f} points"
    if not difference.is_clear():
        return f"{size}, no clear difference"
    return f"{size}, {lower if difference.mean < 0 else higher}"


def _conflict(outcome: Outcome) -> list[str]:
    """Total conflict by calibrator, Bayesian against likelihood."""
    bayesian, likelihood = (
        {
            name: _estimate(outcome, Method(name, model), "total_conflict").mean
            for name in _compared(outcome)
        }
        for model in ("bayesian", "likelihood")
    )
    worst = {name: share for name, share in bayesian.items() if share > 0}
    if not worst:
        return []
    shares = " and ".join(
        f"on {share:.1%} with {name} calibration" for name, share in worst.items()
    )
    kept = max(likelihood[name] for name in worst)
    return [
        "In the Bayesian model, probabilities of 0 and 1 exclude each other on part of the test "
        f"samples, {shares}: there Dempster's rule has no result. With the likelihood model, that "
        + ("never happened." if kept == 0 else f"happened on at most {kept:.1%}.")
    ]
