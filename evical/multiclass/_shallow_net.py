"""Calibration by shallow neural networks: Platt's method with nonlinear boundaries.

The softmax of a linear function of the scores separates each pair of classes by a hyperplane. One
hidden layer of a few units relaxes that. Averaging ten such nets with random sizes and starting
weights reduces the variance (Naeini 2016, section 6.1).
"""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from dstheory.checks.arguments import as_sequence, check_count, shown
from evical._fitting import NOT_NEGATIVE, as_random_state, up_to
from evical._typing import Floats, RandomState
from evical.calibrators import fields
from evical.calibrators.models import check_size
from evical.calibrators.saved import check_shapes
from evical.multiclass._base import BaseMulticlassCalibrator

_HEAVIEST = 1e100  # penalty whose product with squared weights does not overflow


@dataclass(kw_only=True, eq=False, repr=False)
class ShallowNetCalibrator(BaseMulticlassCalibrator):
    """Probabilistic calibration by the mean of small neural networks.

    Parameters
    ----------
    n_nets : int
    hidden : (int, int)
        Smallest and largest number of hidden units; each net draws its own.
    penalty : float
        Weight of the squares of the weights (`alpha` of scikit-learn's `MLPClassifier`).
    max_iter : int
        Iterations of the optimizer, limited-memory BFGS; stopping early does no harm.
    random_state : int, RandomState or None
        For sizes and starting weights.
    transform : {None, "log"}
        Take unchanged scores, or the logarithms of probabilities.

    Attributes
    ----------
    classes_ : (K,) array
    center_, scale_ : (K,) arrays
        Mean and standard deviation of each training score; nets see standardized scores.
    hidden_weights_, hidden_biases_ : (n_nets, K, H), (n_nets, H) arrays
        H is the largest number of units; smaller nets have units with weight 0.
    output_weights_, output_biases_ : (n_nets, H, K), (n_nets, K) arrays

    Notes
    -----
    The thesis trains with Adagrad (rate 0.1, batches of ten) in a discontinued library;
    scikit-learn has no Adagrad, and for so few parameters full batches with BFGS need no learning
    rate. The thesis does not name the activation; here it is tanh. Sample weights are
    scikit-learn's: a weight of 2 equals two samples, except for the relative size of the penalty.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 6.1.

    Examples
    --------
    >>> scores, y = [[1.0, 0.0], [0.0, 1.0]] * 20, ["a", "b"] * 20
    >>> calibrator = ShallowNetCalibrator(random_state=0).fit(scores, y)
    >>> calibrator.predict([[0.9, 0.1], [0.2, 0.6]]).tolist()
    ['a', 'b']
    >>> calibrator.hidden_weights_.shape
    (10, 2, 7)
    """

    _ranges: ClassVar = {"n_nets": check_size, "penalty": up_to(_HEAVIEST, NOT_NEGATIVE)}
    _state: ClassVar = {
        "center_": fields.product("k"),
        "scale_": fields.positive("k"),
        "hidden_weights_": fields.product("b", "k", "h"),
        "hidden_biases_": fields.product("b", "h"),
        "output_weights_": fields.product("b", "h", "k"),
        "output_biases_": fields.product("b", "k"),
    }

    n_nets: int = 10
    hidden: tuple[int, int] = (4, 7)
    penalty: float = 1e-2
    max_iter: int = 200
    random_state: RandomState = None
    transform: str | None = None

    def _check_parameters(self) -> None:
        expected = "the least and greatest number"
        sizes = as_sequence(self.hidden, "hidden", expected)
        if len(sizes) != 2:
            raise ValueError(f"hidden is {shown(self.hidden)}, expected {expected}")
        least, most = (check_count(f"hidden[{k}]", size, 1) for k, size in enumerate(sizes))
        if least > most:
            raise ValueError(f"hidden is {self.hidden}, but the first must not exceed the second")

    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        rng = as_random_state(self.random_state)
        center = np.average(scores, axis=0, weights=weight)
        scale = np.sqrt(np.average((scores - center) ** 2, axis=0, weights=weight))
        scale[scale == 0] = 1.0
        standard = (scores - center) / scale
        nets = [self._net(rng, standard, codes, weight) for _ in range(self.n_nets)]
        self.center_, self.scale_ = center, scale
        parts = [np.stack(part) for part in zip(*nets, strict=True)]
        self.hidden_weights_, self.hidden_biases_ = parts[:2]
        self.output_weights_, self.output_biases_ = parts[2:]

    def _net(self, rng: Any, standard: Floats, codes: NDArray[np.intp], weight: Floats) -> Any:
        """Weights and biases of one net, padded to full size."""
        from sklearn.neural_network import MLPClassifier  # a tenth of all that is imported

        low, high = self.hidden
        size = int(rng.randint(low, high + 1))
        net = MLPClassifier(
            size,
            activation="tanh",
            solver="lbfgs",
            alpha=self.penalty,
            max_iter=self.max_iter,
            random_state=int(rng.randint(2**31 - 1)),
        )
        # Early stopping by max_iter is intended.
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            net.fit(standard, codes, **_weighted(net, weight))
        (first, last), (bias, out) = net.coefs_, net.intercepts_
        if len(out) == 1:  # two classes have one logit, that of the second
            last, out = np.hstack([0 * last, last]), np.concatenate([0 * out, out])
        spare = high - size
        return (
            np.pad(first, ((0, 0), (0, spare))),
            np.pad(bias, (0, spare)),
            np.pad(last, ((0, spare), (0, 0))),
            out,
        )

    def _predict_single(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore"):  # tanh of infinity is 1
            standard = (scores - self.center_) / self.scale_
        total = np.zeros((len(scores), len(self.classes_)))
        for first, bias, last, out in zip(
            self.hidden_weights_,
            self.hidden_biases_,
            self.output_weights_,
            self.output_biases_,
            strict=True,
        ):
            total += softmax(np.tanh(standard @ first + bias) @ last + out, axis=1)
        return np.asarray(total / len(self.hidden_weights_))

    def _check_state(self) -> None:
        nets, k, _ = self.hidden_weights_.shape
        check_shapes(self, hidden_weights_=(nets, k, self.hidden[1]))


def _weighted(net: object, weight: Floats) -> dict[str, Floats]:
    """Weights as networks of scikit-learn take them from 1.7 on; equal ones need none."""
    if has_fit_parameter(net, "sample_weight"):
        return {"sample_weight": weight}
    if (weight != weight[0]).any():
        raise ValueError(
            "sample weights differ, but networks take them from scikit-learn 1.7 on; "
            "update scikit-learn, or repeat samples"
        )
    return {}
