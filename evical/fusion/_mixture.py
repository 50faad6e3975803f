"""`Mixture`: the weighted mean of the mass functions.

One of the sources is right, and the weights are their probabilities. Agreement does not reinforce a
belief, and no source has a veto. Weights follow the amount of data behind each source, or make the
labels of held-out samples most probable, which is stacking with the log loss.

The log likelihood of a mixture is concave in its weights. Around a point it looks like a sum
of squares of ratios of likelihoods, whose minimum over the simplex is one problem of
non-negative least squares: Newton's method for mixtures (Wang 2007). Where probabilities
differ by so many orders that this square sum is all rounding, a step toward the one best
source, or one of expectation and maximization, gains more and is taken instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dstheory import MassFunction
from dstheory.checks.arguments import as_floats, check_choice, check_not_negative
from dstheory.combine import mixing
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.beliefs.composed import mean
from evical.calibrators.fields import Field
from evical.curves.newton import least_squares_on_simplex
from evical.fusion._rule import HeldOut, Needs, Reads, Rule
from evical.fusion.described import Formula


class Mixture(Rule):
    """Weighted mean of mass functions.

    Parameters
    ----------
    weights : {"size", "equal", "likelihood"} or (S,) array
        "size": proportional to the sizes of the sources. "equal": all equal. "likelihood": those
        under which the labels of held-out samples are most likely, by the pignistic probabilities
        of the mixture. An array: these, divided by their sum.
    shrinkage : float
        For "likelihood": the pull toward weights by size, as a number of samples. The weights
        maximize the log likelihood plus ``shrinkage * sum(size * log(weight))``, with sizes of sum
        1, as if in that many additional samples only one source had been right.

    Attributes
    ----------
    weights_ : (S,) array
        Non-negative, with sum 1.

    Notes
    -----
    Samples whose label has probability 0 for all sources carry no information about the weights,
    and are left out.

    References
    ----------
    Wolpert (1992), Stacked generalization, Neural Networks 5, 241-259; van der Laan, Polley
    & Hubbard (2007), Super learner, Statistical Applications in Genetics and Molecular
    Biology 6(1), 25.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> Mixture(weights="size").fit(sizes=[30, 10])(m1, m2).to_dict()
    {('a',): 0.75, ('b',): 0.125, ('a', 'b'): 0.125}
    """

    _by_source = ("weights_",)
    _state: ClassVar = {"weights_": Field(("s",), 0.0, 1.0, is_mass=True)}

    def __init__(self, *, weights: ArrayLike = "size", shrinkage: float = 1.0) -> None:
        self.weights = weights
        self.shrinkage = shrinkage

    @property
    def needs(self) -> Needs:
        """ "labels" if weights are learned by likelihood."""
        likely = isinstance(self.weights, str) and self.weights == "likelihood"
        return "labels" if likely else "sizes"

    def reads(self, n_classes: int) -> Reads:
        """Kind of predictions from which weights are learned, probabilities.

        Parameters
        ----------
        n_classes : int

        Returns
        -------
        {"probabilities"}
        """
        return "probabilities"

    def formula(self, n_classes: int, n_sources: int) -> Formula:
        """A mean.

        Parameters
        ----------
        n_classes, n_sources : int

        Returns
        -------
        Formula
        """
        return Formula("mean", self.weights_)

    def _check_parameters(self) -> None:
        check_not_negative(shrinkage=self.shrinkage)
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, ("size", "equal", "likelihood"), "an array, or ")
            return
        array = as_floats(self.weights, "weights")
        if array.ndim != 1 or not np.isfinite(array).all() or (array < 0).any() or not array.any():
            raise ValueError(
                f"weights are {array.tolist()}, expected finite numbers from 0, not all 0"
            )

    def _learn(self, held_out: HeldOut | None, sizes: Floats) -> None:
        share = sizes / sizes.sum()
        if held_out is not None:
            self.weights_ = _most_likely(held_out, share * self.shrinkage)
        elif isinstance(self.weights, str):
            self.weights_ = share if self.weights == "size" else np.full(len(sizes), 1 / len(sizes))
        else:
            given = as_floats(self.weights, "weights")
            if len(given) != len(sizes):
                raise ValueError(f"there are {len(given)} weights for {len(sizes)} sources")
            self.weights_ = given / given.sum()

    def _combine(self, sources: Sequence[Beliefs], total_conflict: str) -> Beliefs:
        return mean(sources, self.weights_.tolist())

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        if len(masses) == 1:
            return masses[0]
        return mixing(*masses, weights=self.weights_)


def _most_likely(held_out: HeldOut, prior: Floats) -> Floats:
    """Weights by likelihood; `prior` are samples in which one source alone was right."""
    seen = held_out.of_truth.T
    possible = seen.any(axis=1)
    alone = np.eye(len(prior))[prior > 0]
    rows = np.vstack([seen[possible], alone])
    if not len(rows):
        raise ValueError(
            "all sources gave all true labels probability 0, so that no weights are better than "
            "others; take weights='size'"
        )
    return best_weights(rows, np.concatenate([held_out.weight[possible], prior[prior > 0]]))


_STEPS = 200
_HALVINGS = 60
# Newton's steps gain a good part of what is missing, unless they are all rounding.
_STALLED = 0.01


def best_weights(likelihood: Floats, weight: Floats, atol: float = 1e-9) -> Floats:
    """Mixture weights of maximal likelihood.

    Parameters
    ----------
    likelihood : (n, S) array
        Probability that each source gave to what happened; not all zero in a row.
    weight : (n,) array
        Positive weights of the rows.
    atol : float
        Bound on what the mean log likelihood may fall short of its maximum, unless weights
        of many orders of magnitude leave it to rounding.

    Returns
    -------
    (S,) array
        Non-negative, with sum 1.

    References
    ----------
    Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of
    a mixing distribution. Journal of the Royal Statistical Society B 69, 185-198.

    Examples
    --------
    Two sources that were each right once, and sure of it, are equally good:

    >>> best_weights(np.eye(2), np.ones(2))
    array([0.5, 0.5])
    """
    share = weight / weight.sum()
    likelihood = likelihood / likelihood.max(axis=1, keepdims=True)  # leaves ratios as they are
    current = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(_STEPS):
        ratio = likelihood / (likelihood @ current)[:, np.newaxis]
        # The slope toward a source is its mean ratio - 1; what is missing is at most the largest.
        mean_ratio = share @ ratio
        missing = mean_ratio.max() - 1
        if missing <= atol:
            break
        root = np.sqrt(share)
        newton = least_squares_on_simplex(root[:, np.newaxis] * ratio, 2 * root)
        gain, step = _uphill(likelihood, share, current, newton)
        if gain < _STALLED * missing:
            ends = (np.eye(len(current))[mean_ratio.argmax()], current * mean_ratio)
            others = (_uphill(likelihood, share, current, end) for end in ends)
            gain, step = max([(gain, step), *others], key=lambda one: one[0])
        current = step
    return current


def _uphill(likelihood: Floats, share: Floats, start: Floats, end: Floats) -> tuple[float, Floats]:
    """Gain of the farthest of some halved steps from `start` to `end` that gains, and its end."""
    before = share @ np.log(likelihood @ start)
    for _ in range(_HALVINGS):
        mixed = likelihood @ end
        if mixed.min() > 0 and share @ np.log(mixed) >= before:
            return float(share @ np.log(mixed) - before), end
        end = (start + end) / 2
    return 0.0, start
