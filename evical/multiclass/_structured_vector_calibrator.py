"""Structured vector scaling: a temperature, and slopes per class that a ridge shrinks to 1.

A slope and an intercept per class are fitted as far as the sample supports them (Berta et al.
2025). With very few samples it is temperature scaling, with very many it is vector scaling (Guo et
al. 2017).
"""

from typing import Any

from numpy.typing import ArrayLike

from evical._typing import Floats
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._structured_scaling import StructuredScaling

__all__ = ["StructuredVectorCalibrator"]


class StructuredVectorCalibrator(StructuredScaling, BaseMulticlassCalibrator):
    """Calibration by structured vector scaling (SVS).

    Parameters
    ----------
    intercept_penalty, diagonal_penalty : float
        lambda of the intercepts, and of the slopes minus 1. Their squares, with the weights
        lambda K^rho / n^tau, are added to the mean log loss.
    rho, tau : float
        Exponents of the number K of classes and of the number n of samples.
    smooth : bool
        Whether Platt's targets, (n_k + 1) / (n_k + K) for the class of a sample and 1 / (n_k + K)
        for each other class, replace the labels. The paper uses labels, and so does the default:
        with many classes and few samples of each, the targets are far from the labels.
    model : {"bayesian", "quadratic"}
        "bayesian" is the method of the paper and gives probabilities. "quadratic" approximates the
        penalized log-likelihood by a quadratic in the coefficients and the logarithm of the
        temperature, and gives the belief function that follows from it.
    transform : {"log", None}
        "log" reads probabilities and takes their logarithms (at least -87.3, the logarithm of the
        smallest float32); None reads margins.

    Attributes
    ----------
    classes_ : (K,) array
    temperature_ : float
        The temperature of the first step.
    weights_ : (K, K) array
        Diagonal. Logits are ``x @ weights_.T + intercepts_`` with x the logarithms of the tempered
        probabilities.
    intercepts_ : (K,) array

    Notes
    -----
    The first step divides scores by the temperature with the smallest log loss, within exp(-16) and
    exp(16), and mixes the probabilities with the uniform distribution at the share 1 / (n + 1). So
    x is finite, and separable classes need no special care. The second step is convex, with one
    optimum.

    With the default parameters this is ``SVSCalibrator()`` of probmetrics. Its optimizer stops
    earlier: its probabilities differ by up to 1e-3. It also has other penalties (lasso and minimax
    concave).

    References
    ----------
    Berta, Holzmueller, Jordan & Bach (2025), Structured matrix scaling for multi-class calibration,
    arXiv 2511.03685. Xu, Davoine & Denoeux (2015), Evidential multinomial logistic regression for
    multiclass classifier calibration, FUSION.

    Examples
    --------
    All 32 samples with each of these forecasts are right, so the forecasts were underconfident.

    >>> p, y = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 32, ["a", "b", "c"] * 32
    >>> calibrator = StructuredVectorCalibrator().fit(p, y)
    >>> calibrator.predict_proba([[0.8, 0.1, 0.1]]).round(3)
    array([[0.996, 0.002, 0.002]])
    >>> bool(calibrator.temperature_ < 0.1)
    True
    """

    def contour(self, scores: Any, label: Any, probability: ArrayLike) -> Floats:
        """Plausibility that a class has these probabilities.

        Parameters
        ----------
        scores : (n, K) array
        label : label
            One of the classes.
        probability : (q,) array
            In [0, 1].

        Returns
        -------
        (n, q) array
            Largest relative likelihood of coefficients that give the class this probability; 0
            below 7e-10.

        Raises
        ------
        ValueError
            If the model is not "quadratic", the label is unknown, or a probability is not in
            [0, 1].

        Examples
        --------
        >>> p, y = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]] * 9, [0, 1, 2, 2, 1, 0] * 4
        >>> calibrator = StructuredVectorCalibrator(model="quadratic").fit(p[:24], y)
        >>> bool((calibrator.contour(p[:1], 0, [0.0, 1.0]) == 0).all())
        True
        """
        return self._contour(self._read(scores), label, probability)
