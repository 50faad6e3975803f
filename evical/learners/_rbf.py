"""`EvidentialRBFClassifier`: prototypes support and contradict classes.

Source: Denoeux (2019), Logistic regression, neural networks and Dempster-Shafer theory: a new
perspective, Knowledge-Based Systems 176, 54-67; Huang, Ruan, Decazes & Denoeux (2022), Lymphoma
segmentation from 3D PET-CT images using a deep evidential network, Int. J. Approx. Reasoning 149,
39-60.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evical._fitting import optional
from evical._typing import Floats, SamplesLike
from evical.learners._evidence import EvidencePredictor, WeightedEvidence, log_loss
from evical.learners._prototype_classifier import (
    MODERATE,
    Fitted,
    Linear,
    Loss,
    Network,
    Probability,
    PrototypeClassifier,
    TrainingSamples,
    start_rate,
)

_RIDGE = 1e-3
"""Added to mean squared answers: those of prototypes close to each other are nearly the same."""


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialRBFClassifier(EvidencePredictor, PrototypeClassifier):
    """Radial basis function network, read as evidence for and against classes.

    The answer of a prototype, exp(-gamma d(x, p)^2), times its coefficient for a class is the
    weight of evidence for that class, or if negative, against it. Dempster's rule combines them,
    and the relative plausibilities are the softmax outputs of the network.

    Parameters
    ----------
    n_prototypes : int, optional
        In all, or of each class if `per_class`; fewer if there are fewer distinct samples. By
        default 10 a class, but at most one for four samples.
    per_class : bool
        Start from prototypes of each class by itself.
    probability : {"plausibility", "pignistic"}
        What `predict_proba` returns: relative plausibilities, which the fit is about, or BetP.
    regularization : float, optional
        Factor of the sum of squared coefficients, beside the mean loss. By default 0.1 over the
        number of samples, or the sum of their weights.
    optimize_prototypes : bool
        Else they stay where k-means puts them.
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : (K,) array
    prototypes_ : (R, n_features) array
    gamma_ : (R,) array
        How fast evidence fades, in 1 / (unit of the features)^2.
    coef_ : (R, K) array
        Weight of the evidence of a prototype at distance 0; rows have mean 0, the least committed
        choice.
    cost_ : float
    n_iter_ : int
        Of the start that was taken.
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    EvidentialNeuralClassifier : prototypes support classes only.
    latent_evidence : the same for other networks.

    Notes
    -----
    Distances are Euclidean, so features should have comparable scales; see
    `sklearn.preprocessing.StandardScaler`. Far from all prototypes beliefs are vacuous. There is
    no intercept, which would be evidence everywhere.

    The fit ends in a local minimum. Labels may be uncertain: a batch of mass functions as y. Their
    contours count: the fit maximizes the product over samples of the mean plausibility of labels.

    References
    ----------
    Denoeux (2019), Knowledge-Based Systems 176, 54-67. Huang, Ruan, Decazes & Denoeux (2022), Int.
    J. Approx. Reasoning 149, 39-60.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialRBFClassifier(n_prototypes=6, random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    >>> clf.predict_interval([[50, 30, 10, 0]])[0].round(2)  # far from all it has seen
    array([[0., 1.],
           [0., 1.],
           [0., 1.]])
    """

    _ranges: ClassVar = {**PrototypeClassifier._ranges, "regularization": optional(MODERATE)}

    probability: Probability = "plausibility"

    def _loss(self, n_classes: int) -> Loss:
        return partial(log_loss, part=None)

    def _factor(self, size: float) -> float:
        return 0.1 / size if self.regularization is None else float(self.regularization)

    def _start(
        self, samples: TrainingSamples, prototypes: Floats, nearest: NDArray[np.int64]
    ) -> Network:
        """Coefficients that fit labels by ridge regression."""
        rate = start_rate(samples.X, samples.weight, prototypes, nearest)
        n, n_classes = len(prototypes), len(samples.target)
        start = Network(prototypes, np.full(n, np.sqrt(2 * rate)), Linear(np.zeros((n, n_classes))))
        square, right = _RIDGE * np.eye(n), np.zeros((n, n_classes))
        for rows in start.rows(len(samples.X)):
            answers = start.layer.answers(samples.X[rows])[1]
            weighted = answers * samples.weight[rows]
            square += weighted @ answers.T
            right += weighted @ samples.target[:, rows].T
        return start.with_output(Linear(np.asarray(np.linalg.solve(square, right), dtype=float)))

    def _keep(self, best: Fitted) -> None:
        super()._keep(best)
        coef = best.network.output.vector().reshape(len(self.prototypes_), -1)
        self.coef_ = coef - coef.mean(axis=1, keepdims=True)

    def evidence(self, X: SamplesLike) -> WeightedEvidence:
        """Weights of the evidence of the prototypes.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        WeightedEvidence
        """
        X, network = self._standardized(X), self._network
        both = np.concatenate([np.maximum(self.coef_, 0), np.maximum(-self.coef_, 0)], axis=1)
        weights = network.with_output(Linear(both)).weights(X).T
        n_classes = len(self.classes_)
        return WeightedEvidence(self.classes_, weights[:, :n_classes], weights[:, n_classes:])
