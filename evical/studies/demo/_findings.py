"""Findings in plain sentences, computed from the numbers.

A difference is called clear beyond two standard errors of its paired mean; otherwise the
sentence says that it is not. Whoever wins is named, be it the paper's proposal or not.
"""

from evical.evaluation import Estimate
from evical.studies.demo._tables import RECOMMENDED, compared_calibrators, simple_methods
from evical.studies.parts.protocol import Method
from evical.studies.parts.runner import Results
from evical.studies.parts.summary import estimates, paired_difference

__all__ = ["findings"]

_LIKELIHOOD = Method("logistic", "likelihood")
_BAYESIAN = Method("logistic", "bayesian")


def findings(results: Results) -> list[str]:
    """Two or three sentences of plain reading.

    Parameters
    ----------
    results : Results

    Returns
    -------
    list of str
        One for each question that the protocol's methods can answer.
    """
    texts = []
    if {_LIKELIHOOD, _BAYESIAN} <= set(results.protocol.methods):
        texts += [_evidential(results), *_recommended(results), *_simpler(results)]
    return texts + _conflict(results)


def _evidential(results: Results) -> str:
    """Likelihood against Bayesian, logistic calibration."""
    rates = estimates(results)
    likelihood, bayesian = (rates[m]["error_rate"].mean for m in (_LIKELIHOOD, _BAYESIAN))
    difference = paired_difference(results, _LIKELIHOOD, _BAYESIAN, "error_rate")
    verdict = _verdict(difference, "the evidential way helps here", "the evidential way harms here")
    return (
        "With logistic calibration and Dempster's rule, the likelihood model errs on "
        f"{likelihood:.1%} of the test samples and the Bayesian model, which is plain "
        f"probabilities, on {bayesian:.1%}: {verdict}."
    )


def _recommended(results: Results) -> list[str]:
    """The stacked fusion against Dempster's rule, of the same beliefs."""
    if RECOMMENDED not in results.protocol.methods:
        return []
    rates = estimates(results)
    stacked, product = rates[RECOMMENDED], rates[_LIKELIHOOD]
    difference = paired_difference(results, RECOMMENDED, _LIKELIHOOD, "error_rate")
    return [
        "The recommended fusion, stacking, learns from held-out beliefs how far each classifier is "
        f"to be trusted. On the same beliefs it errs on {stacked['error_rate'].mean:.1%} and "
        f"Dempster's rule on {product['error_rate'].mean:.1%} "
        f"({_verdict(difference, 'better', 'worse')}), with Brier scores of "
        f"{stacked['brier'].mean:.3f} and {product['brier'].mean:.3f}."
    ]


def _simpler(results: Results) -> list[str]:
    """Ways without Dempster's rule against the likelihood model."""
    simple = simple_methods(results)
    if not simple:
        return []
    rates = estimates(results)
    parts = []
    for method in simple:
        difference = paired_difference(results, method, _LIKELIHOOD, "error_rate")
        name = {"largest": "the largest classifier alone"}.get(
            method.fusion, f"the {method.fusion_name} of the probabilities"
        )
        rate = rates[method]["error_rate"].mean
        parts.append(f"{name} errs on {rate:.1%} ({_verdict(difference, 'better', 'worse')})")
    text = " and ".join(parts)
    return [f"Measured against the likelihood model, {text}. A combination has to earn its keep."]


def _verdict(difference: Estimate, lower: str, higher: str) -> str:
    points = f"{100 * difference.mean:+z.1f}"
    if difference.standard_error != difference.standard_error:
        return f"{points} points in a single repeat, which says nothing about chance"
    size = f"{points} ± {100 * difference.standard_error:.1f} points"
    if not difference.is_clear():
        return f"{size}, no clear difference"
    return f"{size}, {lower if difference.mean < 0 else higher}"


def _conflict(results: Results) -> list[str]:
    """Total conflict by calibrator, Bayesian against likelihood."""
    rates = estimates(results)
    parts = {
        name: rates[Method(name, "bayesian")]["total_conflict"].mean
        for name in compared_calibrators(results)
    }
    worst = {name: share for name, share in parts.items() if share > 0}
    if not worst:
        return []
    shares = " and ".join(
        f"on {share:.1%} with {name} calibration" for name, share in worst.items()
    )
    kept = max(rates[Method(name, "likelihood")]["total_conflict"].mean for name in worst)
    return [
        "In the Bayesian model probabilities of 0 and 1 exclude each other on part of the test "
        f"samples, {shares}: there Dempster's rule has no result. With the likelihood model that "
        + ("never happened." if kept == 0 else f"happened on at most {kept:.1%}.")
    ]
