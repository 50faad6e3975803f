"""`ConformalClassifier`: any classifier, with beliefs that are valid for any number of samples.

The p-values of the classes of a sample, with the greatest raised to 1, are the contour of a
consonant belief function. A class that is true has plausibility alpha or less with probability at
most alpha, whatever the classifier, the data and their number, if samples are exchangeable (Vovk,
Gammerman & Shafer 2005; Cella & Martin 2022).

A calibration part drawn at random from all samples is exchangeable with new samples. One with the
shares of the classes fixed is so within each class only, which is what a promise for each class
needs; and so it is for groups.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from dstheory.checks.arguments import as_array, as_floats, check_choice, check_level, shown
from evical._fitting import Progress, all_or_nothing, check_declared, check_verbose
from evical._typing import Floats, Indices, RandomState, SamplesLike, Weights
from evical.beliefs.consonant import Consonant
from evical.classifier import EvidentialClassifier
from evical.conformal.calibration import (
    Calibration,
    Conformed,
    Counts,
    new_seed,
    numbered,
    random_shares,
    too_few,
)
from evical.conformal.contour import least_strange, prediction_sets, to_contour
from evical.conformal.nonconformity import NEED_PROBABILITIES, ScoreName, named_score, score_table
from evical.estimators.folds import make_folds
from evical.estimators.predictor import ClassifierWrapper, asking_for_weights, neighbors
from evical.estimators.responses import class_values, frozen_classes, trained_on
from evical.scores.checks import check_groups, check_samples, refuse

# Rows for training and rows for calibration.
Fold = tuple[Indices, Indices]


@dataclass(eq=False, repr=False)
class ConformalClassifier(ClassifierWrapper, BaseEstimator):  # type: ignore[misc]  # untyped base
    """Classifier whose prediction sets have guaranteed coverage for any classifier and sample size.

    Parameters
    ----------
    estimator : classifier, optional
        With `predict_proba`, or else `decision_function`, such as an `EvidentialEnsemble`. Default:
        `EvidentialClassifier()`. One in `sklearn.frozen.FrozenEstimator` is only calibrated, on all
        samples of `fit`, which must not be its training data.
    nonconformity : {"lac", "aps", "raps", "margin"} or callable
        Nonconformity of a class, from the values (n, K) of the classifier; see
        `evical.conformal.lac_scores` and its like. A function of values returns scores (n, K); with
        a parameter ``u`` it gets uniform random numbers (n,) if `smoothed`. "lac" has the smallest
        sets on average, "aps" sets that are larger for harder samples.
    conditional : None, "class" or callable
        For what the guarantee holds: None, on average over samples; "class", for each class; a
        function of samples ``X`` that gives their groups (n,), for each group.
    method : {"split", "cross"}
        "split": a share of the samples is held out for calibration. "cross": each sample serves
        both, in folds, which is cross-conformal prediction and, for classes, the same as CV+.
    held_out : float
        For "split": the share of samples for calibration, in (0, 1).
    cv : int, splitter, iterable of (train, test) or None
        For "cross": folds that test each sample once; see `EvidentialClassifier`.
    smoothed : bool
        Whether random numbers break ties, so that p-values are exactly uniform, not only valid.
        "aps" and "raps" then are the randomized ones of their papers.
    density_ratio : callable, optional
        Function of samples ``X`` that gives the ratio (n,) of the density of new samples to that
        of the training samples, up to a factor. The guarantee then holds for the new ones.
    random_state : int, RandomState instance or None
        For the split and smoothing. Predictions repeat until the next `fit`.
    n_jobs : int, optional
        Number of folds fitted in parallel.
    verbose : int or bool
        Above 0, `fit` prints a line for each fold.

    Attributes
    ----------
    classes_ : (K,) array
    conformed_ : list
        One object for each fold, or a single one, with `estimator` and `calibration`.
    n_calibration_ : dict
        Number (or weight) of calibration samples: of each class or group, or under None.
    n_features_in_, feature_names_in_
        Those of the fitted classifier, if it has them.

    See Also
    --------
    ConformalScores : without the classifier, for tables of its values, and to save.
    evical.fusion.valid_mean : fuses conformal beliefs and keeps the guarantee.
    EvidentialClassifier : beliefs about the probability of a class, without this guarantee.

    Notes
    -----
    "split" guarantees P(pl(Y) <= alpha) <= alpha for the true class Y of a new sample, so that a
    set A with Bel(A) >= 1 - alpha misses Y with at most this probability. It holds on average over
    samples, calibration samples included; `coverage_bound` shows what most calibration samples
    reach. It does not hold given the sample: among hard samples, a set may miss more often.

    "cross" usually attains alpha, and for K folds guarantees ``2 alpha + 2 (1 - 1/K) / (n/K + 1)``
    (Barber et al. 2021).

    Samples of weight 0 are left out, and a weight of 2 counts as two samples in calibration. With
    ``groups`` in `fit`, groups are held out as a whole. A class that the training part lacks counts
    as the least likely one. Under ``conditional="class"`` a class without calibration samples has
    plausibility 1 for every sample.

    References
    ----------
    Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World. Cella & Martin (2022),
    Int. J. Approx. Reasoning 141, 110-130. Vovk (2015), Cross-conformal predictors, Annals of Math.
    and Artificial Intelligence 74, 9-28. Romano, Sesia & Candes (2020), Classification with valid
    and adaptive coverage. Barber, Candes, Ramdas & Tibshirani (2021), Predictive inference with the
    jackknife+, Annals of Statistics 49, 486-507.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ConformalClassifier(GaussianNB(), random_state=0).fit(X[::2], y[::2])
    >>> clf.predict_set(X[1::50], alpha=0.1)
    array([[ True, False, False],
           [False,  True, False],
           [False, False,  True]])
    """

    _ranges: ClassVar = {"held_out": check_level}

    estimator: BaseEstimator | None = None
    _: KW_ONLY
    nonconformity: ScoreName | Callable[..., ArrayLike] = "lac"
    conditional: Any = None
    method: Literal["split", "cross"] = "split"
    held_out: float = 0.3
    cv: Any = None
    smoothed: bool = False
    density_ratio: Any = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    @all_or_nothing
    def fit(
        self,
        X: SamplesLike,
        y: ArrayLike,
        sample_weight: Weights = None,
        **fit_params: Any,
    ) -> Self:
        """Train on some samples and calibrate on others.

        Parameters
        ----------
        X : (n, n_features) array, data frame or sparse matrix
        y : (n,) array
            Labels of two or more classes, of any kind.
        sample_weight : (n,) array, optional
            Non-negative weights, for calibration and, if it accepts them, the classifier.
        **fit_params
            As for `EvidentialClassifier.fit`: ``groups`` that no split separates, and others.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If `nonconformity` needs probabilities and the classifier has none.
        ValueError
            If `y` has one class only, or the samples for training; if a frozen classifier does not
            know a class; if a parameter is not usable.
        """
        return self._fit_and_warn(X, y, sample_weight, fit_params)

    def _fit(
        self,
        X: SamplesLike,
        y: ArrayLike,
        sample_weight: Weights = None,
        **fit_params: object,
    ) -> None:
        self._check_parameters()
        X, y, weight = check_samples(X, y, sample_weight, fit_params.get("groups"))
        fit_params, split_params = self._routed(weight, fit_params)
        rng = check_random_state(self.random_state)
        estimator = self._resolved_estimator()
        if isinstance(estimator, FrozenEstimator):
            self.classes_ = frozen_classes(estimator, y)
            trained = [(estimator, np.arange(len(y)))]
        else:
            self.classes_ = np.unique(y)
            folds = self._folds(X, y, weight, split_params, rng)
            tasks = [
                (f"fold {number}", (estimator, X, y, train, fit_params))
                for number, (train, _) in enumerate(folds)
            ]
            found = Progress(type(self).__name__, self.verbose).each(trained_on, tasks, self.n_jobs)
            trained = [(one, test) for one, (_, test) in zip(found, folds, strict=True)]
        # Predictions are scored like the calibration, whatever `set_params` changes later.
        self._settings = type(self)(**self.get_params(deep=False))
        self._settings.classes_ = self.classes_
        u = rng.uniform(size=len(y))
        self.conformed_ = [self._conformed(*part, X, y, weight, u) for part in trained]
        self._seed = new_seed(rng)
        self.n_calibration_ = self._totals()
        self._take_features(self.conformed_[0].estimator)

    def _check_parameters(self) -> None:
        if self.estimator is not None and not hasattr(self.estimator, "fit"):
            raise TypeError(f"estimator is {shown(self.estimator)}, expected a classifier")
        named_score(self.nonconformity)
        if not callable(self.conditional):
            check_choice("conditional", self.conditional, (None, "class"), "a function of X, or ")
        check_declared(self)
        if self.method == "split" and self.cv is not None:
            raise ValueError("cv is for method='cross'; a split has the share held_out")
        if self.density_ratio is not None and not callable(self.density_ratio):
            raise TypeError(f"density_ratio is {shown(self.density_ratio)}, expected a function")
        check_verbose(self.verbose)

    def _resolved_estimator(self) -> Any:
        return (
            asking_for_weights(EvidentialClassifier()) if self.estimator is None else self.estimator
        )

    def _folds(self, X: Any, y: Indices, weight: Any, split_params: Any, rng: Any) -> list[Fold]:
        if self.method == "cross":
            return counting_folds(self.cv, X, y, weight, split_params)
        strata = y if isinstance(self.conditional, str) else self._groups(X)
        return [split_rows(y, weight, self.held_out, rng, strata, split_params.get("groups"))]

    def _groups(self, X: SamplesLike) -> NDArray[Any] | None:
        if not callable(self.conditional):
            return None
        groups = _one_each("conditional", as_array(self.conditional(X), "groups"), X)
        return check_groups(groups, len(groups))

    def _ratio(self, X: SamplesLike) -> Floats | None:
        if self.density_ratio is None:
            return None
        ratio = _one_each("density_ratio", as_floats(self.density_ratio(X), "density_ratio"), X)
        wrong = ~((ratio >= 0) & (ratio < np.inf))
        refuse(ratio, wrong, "density_ratio(X)", "a finite number from 0")
        return ratio

    def _scores(self, estimator: BaseEstimator, X: SamplesLike, u: Floats) -> Floats:
        unit = isinstance(self.nonconformity, str) and self.nonconformity in NEED_PROBABILITIES
        values = class_values(estimator, X, self.classes_, unit=unit)
        return score_table(named_score(self.nonconformity), values, u if self.smoothed else None)

    def _conformed(
        self,
        estimator: BaseEstimator,
        rows: Indices,
        X: SamplesLike,
        y: NDArray[Any],
        weight: Floats | None,
        u: Floats,
    ) -> Conformed:
        """A fitted classifier, calibrated on some rows by uniform random numbers (n,)."""
        own, counted = _safe_indexing(X, rows), None if weight is None else weight[rows]
        ratio = self._ratio(own)
        if ratio is not None:
            counted = ratio if counted is None else ratio * counted
        calibration = Calibration.of(
            self._scores(estimator, own, u[rows]),
            np.searchsorted(self.classes_, y[rows]),
            counted,
            by_class=isinstance(self.conditional, str),
            groups=self._groups(own),
        )
        return Conformed(estimator, calibration)

    def _totals(self) -> dict[Any, float]:
        """Weight of the calibration samples of all parts, by class, group or None."""
        found: dict[Any, float] = {}
        for part in self.conformed_:
            for name, total in part.calibration.totals(self.classes_).items():
                found[name] = found.get(name, 0.0) + total
        return found

    def _p_and_scores(self, X: SamplesLike) -> tuple[Floats, Floats]:
        """P-values (n, K), and the mean scores (n, K) over the parts."""
        check_is_fitted(self)
        of = self._settings
        u, tau = random_shares(self._seed, np.arange(_num_samples(X)))
        groups, ratio = of._groups(X), of._ratio(X)
        scores = [of._scores(part.estimator, X, u) for part in self.conformed_]
        counts = [
            part.calibration.counts(own, groups, ties=bool(of.smoothed))
            for part, own in zip(self.conformed_, scores, strict=True)
        ]
        weight = 1.0 if ratio is None else ratio[:, np.newaxis]
        p = Counts.of_parts(counts).p_values(weight, tau[:, np.newaxis] if of.smoothed else None)
        return p, np.mean(scores, axis=0)

    def predict_p(self, X: SamplesLike) -> Floats:
        """P-value of each class, which small ones reject.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array
            As `evical.conformal.p_values` gives them; all may be small.
        """
        return self._p_and_scores(X)[0]

    def predict_contour(self, X: SamplesLike) -> Floats:
        """Return the plausibility of each class, with the largest p-value raised to 1.

        Of tied classes, the least nonconforming one gets plausibility 1.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array
            P-values, the greatest of each sample raised to 1: valid like these, but a sample that
            is like no class no longer shows it.
        """
        return to_contour(*self._p_and_scores(X))

    def beliefs(self, X: SamplesLike) -> Consonant:
        """Belief about the class of each sample, consonant with the contour.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            Their guarantee is about the class, and does not bound its probability.
        """
        contour = self.predict_contour(X)
        return Consonant(self.classes_, contour)

    def predict(self, X: SamplesLike) -> NDArray[Any]:
        """Predict the class of plausibility 1, the least nonconforming one of several.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n,) array of labels
        """
        best = least_strange(*self._p_and_scores(X))
        return np.asarray(self.classes_[best])

    def predict_set(
        self,
        X: SamplesLike,
        utilities: ArrayLike | None = None,
        criterion: str | Callable[..., Any] = "interval_dominance",
        *,
        ordered: bool = False,
        alpha: float | None = None,
    ) -> NDArray[np.bool_]:
        """Classes that a level does not reject, or acts that the belief does not rule out.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        utilities, criterion, ordered
            As in `EvidentialClassifier.predict_set`, without `alpha`.
        alpha : float, optional
            In (0, 1): the classes of plausibility above alpha, the smallest set of belief
            1 - alpha or more. It is never empty; ``predict_p(X) > alpha`` may be.

        Returns
        -------
        (n, A) array of bool
            The acts are the classes, unless there are utilities.

        Raises
        ------
        TypeError
            If a level is given in the place of utilities.
        ValueError
            If `alpha` comes with utilities or is outside (0, 1); else as in
            `EvidentialClassifier.predict_set`.

        Warns
        -----
        UserWarning
            If there are too few calibration samples to reject a class at this level.
        """
        if isinstance(utilities, float):
            raise TypeError(
                f"utilities are {utilities}, expected a matrix; write alpha={utilities}"
            )
        if alpha is None:
            kept: NDArray[np.bool_] = super().predict_set(X, utilities, criterion, ordered=ordered)
            return kept
        if utilities is not None:
            raise ValueError("predict_set takes either alpha or utilities, not both")
        check_level("alpha", alpha)
        check_is_fitted(self)
        of = self._settings
        few = too_few(self.n_calibration_, alpha, of.conditional)
        if few is not None and of.density_ratio is None and not of.smoothed:
            warnings.warn(few, stacklevel=2)
        sets = prediction_sets(self.predict_contour(X), alpha)
        return neighbors(sets) if ordered else sets


def _one_each(name: str, values: NDArray[Any], X: SamplesLike) -> NDArray[Any]:
    n = _num_samples(X)
    if values.shape != (n,):
        raise ValueError(f"{name} gives shape {values.shape} for {n} samples, expected ({n},)")
    return np.asarray(values)


def split_rows(
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    held_out: float,
    rng: np.random.RandomState,
    strata: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> Fold:
    """Rows for training, and rows that are held out, without those of weight 0.

    Parameters
    ----------
    y : (n,) array
    weight : (n,) array or None
    held_out : float
        Share that is held out.
    rng : RandomState
    strata : (n,) array, optional
        The share is held out of each stratum; a single sample is for training.
    groups : (n,) array, optional
        Of samples that no split separates; strata are then left out of account.

    Returns
    -------
    train, calibration : index arrays, sorted

    Raises
    ------
    ValueError
        If no sample is left for one of them.

    Examples
    --------
    >>> y, rng = np.repeat([0, 1], 5), np.random.RandomState(0)
    >>> train, calibration = split_rows(y, None, 0.3, rng)
    >>> len(train), len(calibration)
    (7, 3)
    """
    kept = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=held_out, random_state=rng)
        own = check_groups(groups, len(y))[kept]
        if len(np.unique(own)) < 2:
            raise ValueError("all samples are of one group; two or more are needed to hold one out")
        train, test = next(splitter.split(np.empty((len(kept), 0)), groups=own))
        return np.sort(kept[train]), np.sort(kept[test])
    _, which = numbered((np.zeros(len(y)) if strata is None else strata)[kept])
    parts = [rng.permutation(kept[which == number]) for number in range(which.max() + 1)]
    cuts = [round(held_out * len(part)) if len(part) > 1 else 0 for part in parts]
    held = np.concatenate([part[:cut] for part, cut in zip(parts, cuts, strict=True)])
    if not 0 < len(held) < len(kept):
        raise ValueError(
            f"held_out={held_out:g} of {len(kept)} samples leaves {len(kept) - len(held)} for "
            f"training and {len(held)} for calibration, but both need some; take more samples"
        )
    return np.setdiff1d(kept, held), np.sort(held)


def counting_folds(
    cv: Any, X: SamplesLike, y: NDArray[Any], weight: NDArray[np.float64] | None, split_params: Any
) -> list[Fold]:
    """Folds of `make_folds`, whose test parts hold each sample once, without weights of 0.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
    X, y, weight : samples, labels, and weights or None
    split_params : dict

    Returns
    -------
    list of (train, test) index arrays

    Raises
    ------
    ValueError
        As `make_folds`.
    """
    folds, _ = make_folds(cv, X, y, weight, split_params, ensemble=None)
    if weight is None:
        return folds
    cut = [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in folds]
    return [(train, test) for train, test in cut if len(test)]
