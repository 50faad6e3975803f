"""`Stacked`: a weighted sum of evidence, learned from held-out beliefs.

Dempster's rule adds up the evidence of independent reliable sources. `Stacked` uses weights that
calibrate the sum: a source that errs, or repeats others, gets less weight. Belief and plausibility
reflect how well held-out samples determine the weights, so the fused belief is calibrated, not only
each source.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from dstheory import MassFunction
from dstheory.kernels.arguments import check_count
from dstheory.transform import betp
from evical.calibrators.fields import Field, positive
from evical.fusion._base import BaseFusion
from evical.fusion._held_out import HeldOut
from evical.fusion._pooling import Bend, Pool, fit_pool
from evical.multiclass import MAX_CLASSES, one_vs_rest_mass, without_total_conflict
from evical.scores.parameters import check_not_negative

__all__ = ["Stacked"]

Floats = NDArray[np.float64]

# Log-odds of one source beyond that are more than samples of thousands could support.
_SUREST = 10.0


class Stacked(BaseFusion):
    """Weighted sum of evidence, calibrated on held-out beliefs: the recommended fusion.

    Parameters
    ----------
    penalty : float
        Shrinkage of the weights to their default, ``sizes / max(sizes)``. The fit minimizes minus
        the log likelihood of held-out labels plus ``penalty / 2`` times the squared distance. 1 is
        a normal prior of standard deviation 1; for sources of equal size, the larger the penalty,
        the closer to Dempster's rule.

    Attributes
    ----------
    weights_ : (S,) array for two classes, else (S, K)
        Not negative.
    bend_, intercept_ : float for two classes, else (K,) array
    pools_ : list
        For each column of weights, an object with the `coefficients` (weights, bend and
        intercept) and their `covariance`.

    Notes
    -----
    The evidence x of a source for a class is its pignistic log-odds minus those of a vacuous
    source, clipped at 10. The log-odds of the fused belief are ::

        intercept + sum(weights * x) + bend * tanh((sum(default * x) - mean) / deviation)

    with mean and standard deviation over the held-out samples. The bend allows frequencies to
    deviate from a sigmoid; it is shrunk to 0. If it is not negative, more evidence of a source
    never lowers the log-odds. If the samples make it negative, more evidence may: slightly, from a
    source of weight 0, and generally if the sources are mostly wrong. Evidence far from that of all
    samples leaves more open, so probabilities may return toward 1/2.

    For Bayesian sources on two classes, weights of 1 without bend and intercept are Dempster's
    rule; Denoeux (2019) shows logistic regression to be Dempster's rule for weights of evidence.

    Belief and plausibility are those of a consonant likelihood-based belief function on the
    log-odds (Xu et al. 2016, eq. 22-23), whose contour is ``exp(-(x - x_best)**2 / (2 *
    error**2))``: the profile likelihood in its quadratic approximation, from the curvature of the
    penalized likelihood in all coefficients. The approximation ignores that weights are not
    negative, so Bel and Pl are slightly farther apart than with the exact profile.

    More than two classes are stacked one against the rest, and joined by Dempster's rule as
    in `evical.multiclass.one_vs_rest_mass`; samples on which columns exclude each other,
    which takes probabilities of 1 to all digits, are vacuous.

    References
    ----------
    Wolpert (1992), Stacked generalization, Neural Networks 5, 241-259; van der Laan, Polley
    & Hubbard (2007), Super learner, Statistical Applications in Genetics and Molecular
    Biology 6(1), 25; Breiman (1996), Stacked regressions, Machine Learning 24, 49-64 (weights
    that are not negative); Denoeux (2019), Logistic regression, neural networks and
    Dempster-Shafer theory: a new perspective, Knowledge-Based Systems 176, 54-67; Xu, Davoine,
    Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    The second source is as often wrong as right, and loses most of its weight:

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction(frame, [1, 2], [[0.8, 0.2], [0.2, 0.8]] * 20)
    >>> m2 = MassFunction(frame, [1, 2], [[0.8, 0.2]] * 20 + [[0.2, 0.8]] * 20)
    >>> fusion = Stacked().fit([m1, m2], ["a", "b"] * 20)
    >>> fusion.weights_.round(1)
    array([2.6, 0.3])
    """

    _by_source = ("weights_",)
    # Of each pool p: the bend, and coefficients c with their covariance.
    _state: ClassVar = {
        "bend_weights": Field(("p", "s")),
        "bend_center": Field(("p",)),
        "bend_scale": positive("p"),
        "coefficients": Field(("p", "s+2")),
        "covariance": Field(("p", "s+2", "s+2")),
    }

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    @property
    def needs_beliefs(self) -> bool:
        """Whether `fit` uses beliefs and labels, or sizes only."""
        return True

    def _check_parameters(self) -> None:
        check_not_negative(penalty=self.penalty)
        if self.penalty == 0:
            raise ValueError(
                "penalty is 0, expected a positive number: otherwise the weights of sources that "
                "agree are not determined"
            )

    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        assert held_out is not None  # beliefs are needed
        self._set_pools(self._fitted(held_out, sizes / sizes.max()))

    def _set_pools(self, pools: list[Pool]) -> None:
        self.pools_ = pools
        weights = np.stack([pool.weights for pool in self.pools_], axis=1)
        two = len(self.pools_) == 1
        self.weights_ = weights[:, 0] if two else weights
        bend, intercept = np.stack([pool.coefficients[-2:] for pool in self.pools_], axis=1)
        self.bend_ = float(bend[0]) if two else bend
        self.intercept_ = float(intercept[0]) if two else intercept

    def check_classes(self, n_classes: int) -> None:
        """Raise for more classes than a mass function can list sets of.

        Parameters
        ----------
        n_classes : int

        Raises
        ------
        ValueError
        """
        check_count("n_classes", n_classes, 1)
        if n_classes > MAX_CLASSES:
            raise ValueError(
                f"there are {n_classes} classes, but stacking gives masses to all sets "
                f"of up to {MAX_CLASSES}; take Mixture"
            )

    def _fitted(self, held_out: HeldOut, default: Floats) -> list[Pool]:
        self.check_classes(len(held_out.frame))
        missing = np.setdiff1d(np.arange(len(held_out.frame)), held_out.codes)
        if len(missing):
            raise ValueError(
                f"class {held_out.frame.labels[missing[0]]!r} is missing from y; stacking needs "
                "samples of all classes"
            )
        evidence = _log_odds(held_out.masses)
        columns = _columns(len(held_out.frame))
        return [
            fit_pool(evidence[..., k], held_out.codes == k, held_out.weight, default, self.penalty)
            for k in columns
        ]

    def _get_state(self) -> dict[str, Any]:
        bends = [pool.bend for pool in self.pools_]
        return {
            "bend_weights": np.stack([bend.weights for bend in bends]),
            "bend_center": np.array([bend.center for bend in bends]),
            "bend_scale": np.array([bend.scale for bend in bends]),
            "coefficients": np.stack([pool.coefficients for pool in self.pools_]),
            "covariance": np.stack([pool.covariance for pool in self.pools_]),
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        rows = zip(*(state[name] for name in self._state), strict=True)
        self._set_pools(
            [
                Pool(Bend(weights, float(center), float(scale)), coefficients, covariance)
                for weights, center, scale, coefficients, covariance in rows
            ]
        )

    def _check_state(self) -> None:
        super()._check_state()
        expected = 0 if self.frame_ is None else len(_columns(len(self.frame_)))
        if len(self.pools_) != expected:
            raise ValueError(f"saved fusion is damaged: it has {len(self.pools_)} pools of classes")
        for pool in self.pools_:
            values = np.linalg.eigvalsh(pool.covariance)
            symmetric = np.allclose(pool.covariance, pool.covariance.T, atol=0)
            if not symmetric or values[0] < -1e-9 * abs(values[-1]):
                raise ValueError("saved fusion is damaged: its covariance is no covariance matrix")

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        frame = masses[0].frame
        evidence = _log_odds(masses)
        columns = zip(_columns(len(frame)), self.pools_, strict=True)
        parts = np.stack([pool.masses(evidence[..., k]) for k, pool in columns], axis=1)
        if len(frame) == 2:
            return MassFunction.from_store(frame, np.array([1, 2, 3]), parts[:, 0].copy())
        return one_vs_rest_mass(without_total_conflict(parts, "vacuous"), frame)


def _columns(n_classes: int) -> list[int]:
    """Classes to stack against the rest; of two, the second says all."""
    return [1] if n_classes == 2 else list(range(n_classes))


def _log_odds(masses: Sequence[MassFunction]) -> Floats:
    """Pignistic log-odds (*batch, S, K) of each source and class; 0 where it is vacuous."""
    n_classes = len(masses[0].frame)
    probability = [np.asarray(betp(m), dtype=np.float64) for m in masses]
    with np.errstate(divide="ignore"):  # certainty is cut to the surest
        odds = logit(np.stack(np.broadcast_arrays(*probability), axis=-2))
    odds += np.log(n_classes - 1)
    return np.asarray(np.clip(odds, -_SUREST, _SUREST))
