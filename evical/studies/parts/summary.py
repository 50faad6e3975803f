"""Means over repeats with their standard errors, and paired differences of methods.

All methods see the same splits, so the difference of two methods within a repeat cancels what
makes repeats differ; its standard error is the one to judge a difference by.
"""

import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.arguments import check_choice
from evical.evaluation.estimate import Estimate
from evical.studies.parts.metrics import METRICS
from evical.studies.parts.protocol import Method
from evical.studies.parts.runner import Results

__all__ = ["estimates", "paired_difference", "reliability_data"]

Floats = NDArray[np.float64]


def estimates(results: Results) -> dict[Method, dict[str, Estimate]]:
    """Every metric of every method.

    Parameters
    ----------
    results : Results

    Returns
    -------
    dict
        Method to metric key to `Estimate`, in the order of the protocol.
    """
    values = results.metrics
    return {
        method: {metric.key: Estimate.of(values[:, i, j]) for j, metric in enumerate(METRICS)}
        for i, method in enumerate(results.protocol.methods)
    }


def paired_difference(results: Results, first: Method, second: Method, metric: str) -> Estimate:
    """Mean difference `first` minus `second` within repeats.

    Parameters
    ----------
    results : Results
    first, second : Method
        Two methods of the protocol.
    metric : str
        Key of a metric.

    Returns
    -------
    Estimate
        Negative where `first` is lower.

    Raises
    ------
    ValueError
        If the protocol does not have a method, or there is no such metric.
    """
    keys = [one.key for one in METRICS]
    check_choice("metric", metric, keys)
    rows = [_row(results, method) for method in (first, second)]
    values = results.metrics[:, rows, keys.index(metric)]
    return Estimate.of(values[:, 0] - values[:, 1])


def reliability_data(results: Results, method: Method) -> tuple[NDArray[np.intp], Floats]:
    """Test labels and fused probabilities of a method, pooled over all repeats.

    Parameters
    ----------
    results : Results
    method : Method

    Returns
    -------
    y, probability : (n,) arrays
        A sample occurs as often as it was in a test set.

    Raises
    ------
    ValueError
        If the protocol does not have the method.
    """
    row = _row(results, method)
    y = np.concatenate([one.y for one in results.repeats])
    return y, np.concatenate([one.probability[row] for one in results.repeats])


def _row(results: Results, method: Method) -> int:
    """Position of a method in the protocol."""
    if method not in results.protocol.methods:
        raise ValueError(f"'{method}' is no method of this protocol")
    return results.protocol.methods.index(method)
