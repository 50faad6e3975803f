"""Candidates of a calibration curve, and their average by what they say about samples left out.

A candidate has a posterior distribution of the log-odds at each score. Its predictive probability
is the posterior mean. What it would predict for a sample without that sample needs no other fit: a
normal posterior moves by one Newton step (Rad & Maleki), and an average over step functions is the
harmonic mean of the likelihood, 1 / E[1 / p(y)] (Gelfand, Dey & Chang). So nothing is drawn at
random, and a weight of 2 is two samples. Candidates count by the likelihood of left-out samples,
and less the more degrees of freedom they take (pseudo-BMA, Yao et al., section 3.4); in an
interval they count more. Where they disagree, the variance of the average says so.

Sources: Gelfand, Dey & Chang, "Model determination using predictive distributions", Bayesian
Statistics 4 (1992); Rad & Maleki, "A scalable estimate of the out-of-sample prediction error via
approximate leave-one-out cross-validation", J. R. Stat. Soc. B 82 (2020), 965-996; Yao, Vehtari,
Simpson & Gelman, "Using stacking to average Bayesian predictive distributions", Bayesian Analysis
13 (2018), 917-1007.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from evical._typing import Floats
from evical.scores.counts import ScoreCounts

# Log of the weight that a degree of freedom costs beyond what leaving out a sample tells, for the
# chance that a flexible curve only looks best. Chosen on ten simulated maps, checked on ten others.
_PRICE = 0.4
# Log of the weight that a degree of freedom gains in an interval. Of prices from -0.5 to 0.4 this
# one keeps the interval of a sigmoid within 1.5 times that of logistic calibration, and covers most
# of the twenty-six maps of two studies.
_GAIN = 0.3
_LEAST_REST = 1e-6  # of the curvature, when a sample is left out
_TINY = 1e-300
_MOST = 100.0  # log-odds, far beyond the flat ends of the sigmoid
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(9)
_SHARES = _SHARES / _SHARES.sum()


class Candidate(NamedTuple):
    """One way to see the calibration curve, with its uncertainty.

    Parameters
    ----------
    name : str
    prior : float
        Weight among the candidates before samples are seen.
    probability, log_odds, variance : (t,) arrays
        Posterior mean of the probability, and mean and variance of the log-odds, at the table's
        scores.
    left_out : float
        Log-likelihood of the samples, each under the posterior without it.
    degrees : float
        Effective number of parameters.
    """

    name: str
    prior: float
    probability: Floats
    log_odds: Floats
    variance: Floats
    left_out: float
    degrees: float


@dataclass(frozen=True, eq=False)
class AveragedCurve:
    """A calibration curve at the scores of a table.

    Parameters
    ----------
    scores : (t,) array
        Ascending.
    probability : (t,) array
        Posterior mean.
    log_odds, error : (t,) arrays
        Mean and standard deviation of the log-odds, for intervals.
    names : tuple of str
    weights : (c,) array
        Of the candidates in the probability, in the order of `names`.
    """

    scores: Floats
    probability: Floats
    log_odds: Floats
    error: Floats
    names: tuple[str, ...]
    weights: Floats


def mean_probability(log_odds: Floats, variance: Floats) -> Floats:
    """Expectation of the probability for normally distributed log-odds, by quadrature.

    Parameters
    ----------
    log_odds, variance : arrays of one shape

    Returns
    -------
    array of that shape

    Examples
    --------
    >>> mean_probability(np.array([0.0, 2.0]), np.array([1.0, 1.0])).round(4)
    array([0.5   , 0.8445])
    """
    deviation = np.sqrt(variance)
    total = np.zeros_like(log_odds)
    for node, share in zip(_NODES, _SHARES, strict=True):
        eta = log_odds + node * deviation
        small = np.exp(-np.abs(eta))
        total += np.where(eta < 0.0, small, 1.0) * (share / (1.0 + small))
    return total


def gaussian_candidates(
    names: Sequence[str],
    priors: Sequence[float],
    table: tuple[Floats, Floats],
    sample: tuple[Floats, Floats],
    counts: ScoreCounts,
    degrees: Floats,
) -> list[Candidate]:
    """Candidates with normally distributed log-odds.

    Parameters
    ----------
    names : sequence of c str
    priors : sequence of c numbers
    table, sample : pairs of arrays
        Means and variances of the log-odds at the scores of the table (c, t), and of `counts`
        (c, m).
    counts : ScoreCounts
    degrees : (c,) array

    Returns
    -------
    list of Candidate
        Without a sample the posterior is one Newton step away, and as normal (Rad & Maleki 2020).

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([0.0, 1.0], [0, 1])
    >>> certain = np.array([[-1.0, 1.0]]), np.zeros((1, 2))
    >>> (found,) = gaussian_candidates(["line"], [1.0], certain, certain, counts, np.full(1, 2.0))
    >>> round(found.left_out, 4), round(float(2 * np.log(expit(1.0))), 4)
    (-0.6265, -0.6265)
    """
    mean, variance = sample
    p = expit(mean)
    left_out = np.zeros(len(names))
    for weight, pull, sign in ((counts.positive, 1.0 - p, 1.0), (counts.negative, -p, -1.0)):
        one = np.minimum(weight, 1.0)  # a sample that weighs less is left out as a whole
        wider = variance / np.maximum(1.0 - one * p * (1.0 - p) * variance, _LEAST_REST)
        without = mean - one * wider * pull
        likely = mean_probability(sign * without, wider)
        left_out += np.log(np.maximum(likely, _TINY)) @ weight
    probability = mean_probability(*table)
    curves = zip(probability, *table, strict=True)
    parts = zip(names, priors, curves, left_out.tolist(), degrees.tolist(), strict=True)
    return [
        Candidate(name, prior, *curve, left, taken) for name, prior, curve, left, taken in parts
    ]


def average(scores: Floats, candidates: list[Candidate]) -> AveragedCurve:
    """The average of candidates, for predictions and for intervals.

    Parameters
    ----------
    scores : (t,) array
        The table's scores.
    candidates : list of Candidate

    Returns
    -------
    AveragedCurve
        Weights are proportional to prior exp(left_out - 0.4 degrees), and give the probability.
        The log-odds and their error are those of weights proportional to prior exp(left_out + 0.3
        degrees): an interval around the smoothest curve that predicts well misses what that curve
        smooths away; one around a rougher curve is wider, and misses less (Hall 1992).

    References
    ----------
    Hall (1992), Effect of bias estimation on coverage accuracy of bootstrap confidence intervals
    for a probability density, Annals of Statistics 20, 675-694.

    Examples
    --------
    >>> flat = Candidate("flat", 1.0, np.full(1, 0.5), np.zeros(1), np.ones(1), -1.0, 2.0)
    >>> rough = flat._replace(name="rough", log_odds=np.full(1, 2.0), degrees=12.0)
    >>> curve = average(np.zeros(1), [flat, rough])
    >>> curve.weights.round(2), curve.log_odds.round(2), curve.error.round(2)
    (array([0.98, 0.02]), array([1.91]), array([1.09]))
    """
    weights, rough = (
        softmax([np.log(c.prior) + c.left_out + gain * c.degrees for c in candidates])
        for gain in (-_PRICE, _GAIN)
    )
    # Within what floats can square.
    log_odds = np.clip([c.log_odds for c in candidates], -_MOST, _MOST)
    variance = np.minimum([c.variance for c in candidates], _MOST**2)
    center = rough @ log_odds
    return AveragedCurve(
        scores,
        np.clip(weights @ np.stack([c.probability for c in candidates]), 0.0, 1.0),
        center,
        np.sqrt(rough @ (variance + (log_odds - center) ** 2)),
        tuple(c.name for c in candidates),
        np.minimum(weights, 1.0),
    )
