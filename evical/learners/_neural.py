"""`EvidentialNeuralClassifier`: prototypes commit masses to classes, and fade with distance.

Source: Denoeux (2000), A neural network classifier based on Dempster-Shafer theory, IEEE Trans.
Systems, Man, and Cybernetics A 30(2), 131-150.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_degree, shown
from evical._fitting import optional
from evical._typing import Floats, SamplesLike
from evical.beliefs.products import Products
from evical.learners._evidence import WeightedEvidence, log_loss, squared_loss
from evical.learners._prototype_classifier import (
    MODERATE,
    Committed,
    Fitted,
    Loss,
    Network,
    PrototypeClassifier,
    TrainingSamples,
    start_rate,
)

_HARD = "loss is 'squared', which needs hard labels; take 'log' for mass functions"

_FLOOR = 0.01
"""Added to starting shares: at 0 their gradient vanishes, and they would stay there."""


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialNeuralClassifier(PrototypeClassifier):
    """Evidential neural network of prototypes, whose evidence fades with distance.

    A prototype p commits the mass alpha exp(-gamma d(x, p)^2), shared among classes by its
    membership, and leaves the rest to the frame. Dempster's rule combines the prototypes.

    Parameters
    ----------
    n_prototypes : int, optional
        In all, or of each class if `per_class`; fewer if there are fewer distinct samples. By
        default 10 a class, but at most one for four samples.
    per_class : bool
        Start from prototypes of each class by itself.
    probability : {"pignistic", "plausibility"}
        What `predict_proba` returns, and the loss fits: BetP or relative plausibilities.
    regularization : float
        Factor of the sum of `alpha_`, beside the mean loss.
    optimize_prototypes : bool
        Else they stay where k-means puts them.
    n_init : int
        Starts from k-means with different seeds, of which the least cost counts.
    max_iter : int
    tol : float
        Ends when the cost falls by less than this.
    random_state : int, RandomState or None
    loss : {"log", "squared"}
        What the fit minimizes: minus the log-likelihood of labels; or the squared error of
        probabilities, as in the paper.
    frame_share : float, optional
        Of the squared loss: how much of the mass of the frame counts for each class, in [0, 1]. 0
        compares belief with labels, and 1 plausibility. By default that of `probability`: 1/K for
        BetP.

    Attributes
    ----------
    classes_ : (K,) array
    prototypes_ : (R, n_features) array
    gamma_ : (R,) array
        How fast evidence fades, in 1 / (unit of the features)^2.
    alpha_ : (R,) array
        Mass that a prototype commits at distance 0, below 0.99.
    membership_ : (R, K) array
        How it is shared among classes; rows sum to 1.
    cost_ : float
    n_iter_ : int
        Of the start that was taken.
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    EvidentialRBFClassifier : weights of evidence for and against classes.
    EvidentialKNeighborsClassifier : all training samples are prototypes.

    Notes
    -----
    Distances are Euclidean, so features should have comparable scales; see
    `sklearn.preprocessing.StandardScaler`. Far from all prototypes beliefs are vacuous. Masses are
    those of single classes and of the frame, for any number of classes.

    The fit ends in a local minimum. Labels may be uncertain: a batch of mass functions as y. Their
    contours count, in the log loss only.

    References
    ----------
    Denoeux (2000), IEEE Trans. SMC A 30(2), 131-150.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = EvidentialNeuralClassifier(n_prototypes=6, random_state=0).fit(X[::2], y[::2])
    >>> clf.score(X[1::2], y[1::2]) > 0.9
    True
    >>> clf.predict_interval([[50, 30, 10, 0]])[0].round(2)  # far from all it has seen
    array([[0., 1.],
           [0., 1.],
           [0., 1.]])
    """

    _ranges: ClassVar = {
        **PrototypeClassifier._ranges,
        "regularization": MODERATE,
        "frame_share": optional(check_degree),
    }

    regularization: float = 0.0
    loss: Literal["log", "squared"] = "log"
    frame_share: float | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.frame_share is not None and self.loss != "squared":
            raise ValueError(
                f"frame_share is {shown(self.frame_share)}, but loss is {self.loss!r}; it is of "
                "loss='squared'"
            )

    def _refusal(self) -> str | None:
        return _HARD if self.loss == "squared" else None

    def _loss(self, n_classes: int) -> Loss:
        share = 1 / n_classes if self.probability == "pignistic" else 1.0
        if self.loss == "log":
            return partial(log_loss, part=share)
        return partial(
            squared_loss, part=share if self.frame_share is None else float(self.frame_share)
        )

    def _factor(self, size: float) -> float:
        return float(self.regularization)

    def _start(
        self, samples: TrainingSamples, prototypes: Floats, nearest: NDArray[np.int64]
    ) -> Network:
        rate = start_rate(samples.X, samples.weight, prototypes, nearest)
        n = len(prototypes)
        total = np.maximum(samples.target.sum(axis=0), np.finfo(np.float64).tiny)
        share = samples.target / total * samples.weight
        member = np.array([np.bincount(nearest, row, n) for row in share]).T
        member /= np.maximum(member.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        output = Committed(np.zeros(n), np.sqrt(member + _FLOOR))
        return Network(prototypes, np.full(n, np.sqrt(2 * rate)), output)

    def _keep(self, best: Fitted) -> None:
        super()._keep(best)
        output = cast("Committed", best.network.output)
        self.alpha_, self.membership_ = output.alpha, output.shares

    def beliefs(self, X: SamplesLike) -> Products:
        """Combined evidence of the prototypes, of which nothing is computed before it is asked.

        Parameters
        ----------
        X : (n, n_features) array

        Returns
        -------
        Beliefs
            Their masses are of single classes and of the frame.
        """
        X = self._standardized(X)
        weights = self._network.weights(X).T
        return WeightedEvidence(self.classes_, weights, np.zeros_like(weights)).beliefs()
