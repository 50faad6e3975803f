"""`RiskControl`: a classifier that answers, or asks, so that its answers keep a bound.

What a doctor is not asked about must be right often enough. How doubtful a sample may be is learned
from held-out samples, with a guarantee for any classifier and any number of samples; too few of
them promise nothing, and then all is asked.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame
from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_choice,
    check_label_order,
    check_level,
    shown,
)
from evical._fitting import all_or_nothing, check_declared
from evical._typing import Floats, Indices, RandomState, SamplesLike, Weights
from evical.classifier import EvidentialClassifier
from evical.conformal._classifier import split_rows
from evical.conformal.control import (
    ASK,
    Promise,
    answered_promise,
    sample_promise,
)
from evical.estimators.predictor import asking_for_weights, routing_to, weightless
from evical.estimators.responses import class_values, frozen_classes, trained_on
from evical.metrics.beliefs import class_intervals
from evical.metrics.inputs import assigned_classes, numbers
from evical.metrics.selective import Doubt, check_loss_order, doubts, losses_of
from evical.scores.checks import check_samples, label_list, refuse

Loss = Literal["error", "by_class", "false_discovery", "false_omission", "wrong_answer"]
_LOSSES = ("error", "by_class", "false_discovery", "false_omission", "wrong_answer")
_OF_TWO = {"false_discovery": 1, "false_omission": 0}


@dataclass(eq=False, repr=False)
class RiskControl(BaseEstimator):  # type: ignore[misc]  # untyped base
    """Classifier that answers only as many samples as a bound of their risk allows, and asks else.

    Parameters
    ----------
    estimator : classifier, optional
        With `predict_proba`, such as an `EvidentialEnsemble`. Default: `EvidentialClassifier()`.
        One in `sklearn.frozen.FrozenEstimator` is not trained, and all samples of `fit` are held
        out, which must not be its training data.
    loss : str, array or callable
        What is bounded. Of the answered samples: "error", the share of wrong answers; "by_class",
        this share among the answers of each class, for all of them at once; "false_discovery",
        among the answers ``classes_[1]`` of two, 1 - precision; "false_omission", among the answers
        ``classes_[0]``; (K, K) losses of each answer (row) under each true class; or a function of
        true classes (n,) and answers (n,) that gives losses (n,), bool if they are 0 or 1. Of all
        samples: "wrong_answer", the share that is answered and wrong; or (K + 1, K) losses, the
        last row of asking. In [0, 1].
    bound : float or (K,) array
        Largest risk, in (0, 1); of "by_class" one for each class, or the same.
    level : float or None
        Confidence that the held-out samples lead to a risk of at most `bound`. None: the risk keeps
        the bound on average over held-out samples, for losses of all samples that are nowhere
        smaller for an answer than for asking.
    by : {"probability", "width", "plausibility"}
        What is doubted, as in `evical.metrics.risk_coverage_curve`; the last two need beliefs.
    doubts : (g,) array, optional
        Limits of doubt to test, ascending, chosen without the held-out samples. Default: the
        doubts of these, or for losses of all samples a fine grid.
    procedure : {"fixed_sequence", "holm"}
        How the tests share the level: in order, where a test that succeeds hands its level on, or
        all at once. The first is more powerful unless risks rise and fall.
    held_out : float
        Share of the samples that is held out, in (0, 1).
    random_state : int, RandomState instance or None
        For the split.

    Attributes
    ----------
    classes_ : (K,) array
    estimator_ : fitted classifier
    limits_ : (K,) array
        Of each class, the doubt below which it is answered.
    promises_ : list of Promise
        One, or of "by_class" one for each class: limit, answered and held-out samples, their risk,
        and how many samples would do if nothing can be guaranteed. Print them.

    See Also
    --------
    evical.metrics.risk_coverage_curve : the risk for each share that is answered.
    ConformalClassifier : sets of classes that contain the true one often enough.

    Notes
    -----
    A limit is accepted if a test refutes that its risk is above the bound: the exact binomial one
    for losses of 0 and 1, otherwise Hoeffding's and Bentkus'. Tests in a fixed sequence, or Holm's
    procedure, let a limit of too high a risk pass with probability 1 - level at most (Learn then
    Test), over held-out samples that are independent and like new ones.

    If `doubts` are given, nothing else is assumed. By default, limits are doubts of the held-out
    samples, and tests begin with the fewest answers that can be guaranteed (with 4/5 of the
    level), with four times as many, and so on, and with all. The guarantee then holds if the risk
    passes the bound once as more is answered; if it does so twice, with twice the probability of
    failure.

    With weights that differ, the risk is a weighted mean loss, tested by betting against losses
    above the bound. No new sample may have a larger weight than the held-out ones. A held-out
    sample counts as its share of that weight, so that weights never make the guarantee more
    certain; tests begin with as many answers as would do for the mean weight of the training
    samples (of the held-out ones, if none were trained on).

    With a level of None, the largest limit is taken at which the mean loss keeps the bound with one
    more sample of the largest loss (conformal risk control).

    References
    ----------
    Angelopoulos, Bates, Candes, Jordan & Lei (2025), Learn then Test: calibrating predictive
    algorithms to achieve risk control, Annals of Applied Statistics 19, 1641-1662. Angelopoulos,
    Bates, Fisch, Lei & Schuster (2024), Conformal risk control, ICLR. Wiens & Dmitrienko
    (2005), The fallback procedure for evaluating a single family of hypotheses, J.
    Biopharmaceutical Statistics 15, 929-942.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> control = RiskControl(GaussianNB(), bound=0.05, random_state=0).fit(X[:500], y[:500])
    >>> print(control.promises_[0])  # doctest: +NORMALIZE_WHITESPACE
    error of the answers at most 0.05 with a confidence of 0.95: 117 of 150 held-out samples are
    answered, observed 0.008547
    >>> control.predict(X[500:508])
    array(['ask', 'ask', 1, 0, 'ask', 'ask', 1, 1], dtype=object)
    """

    _ranges: ClassVar = {"held_out": check_level}

    estimator: BaseEstimator | None = None
    _: KW_ONLY
    loss: Loss | ArrayLike | Callable[..., ArrayLike] = "error"
    bound: float | ArrayLike = 0.05
    level: float | None = 0.95
    by: Doubt = "probability"
    doubts: ArrayLike | None = None
    procedure: Literal["fixed_sequence", "holm"] = "fixed_sequence"
    held_out: float = 0.3
    random_state: RandomState = None

    @all_or_nothing
    def fit(
        self,
        X: SamplesLike,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        sample_weight: Weights = None,
    ) -> Self:
        """Train on some samples, and find on others how doubtful an answer may be.

        Parameters
        ----------
        X : (n, n_features) array, data frame or sparse matrix
        y : (n,) array
            Labels of two or more classes.
        groups : (n,) array, optional
            Samples of a group are held out together. They are then not independent, which the
            promise needs.
        sample_weight : (n,) array, optional
            How many new samples each stands for, in any unit, as in a survey; used in training and
            for the risk. Unlike repeated rows, they do not make the guarantee more certain.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If a parameter is not usable, or `loss` not in [0, 1]; if asking alone costs more than
            the bound; if the held-out samples have one class only.

        Warns
        -----
        UserWarning
            If the bound cannot be guaranteed, with the number of held-out samples that would do.
            Then all samples are asked. If the classifier takes no weights.
        """
        X, y, weight = check_samples(X, y, sample_weight, groups)
        if weight is not None:  # of mean 1, since training counts samples by them
            weight = weight / weight[weight > 0].mean()
        self._check_parameters()
        estimator = self._resolved_estimator()
        if isinstance(estimator, FrozenEstimator):
            self.classes_ = frozen_classes(estimator, y)
            rows, held = np.arange(0), np.arange(len(y))
            self.estimator_ = estimator
        else:
            self.classes_ = np.unique(y)
            rng = check_random_state(self.random_state)
            own = None if groups is None else np.asarray(groups)
            rows, held = split_rows(y, weight, self.held_out, rng, None, own)
            self.estimator_ = trained_on(estimator, X, y, rows, self._routed(estimator, weight))
        if weight is not None:
            held = held[weight[held] > 0]
        check_loss_order(self.loss, self.classes_)
        if np.ndim(self.bound) == 1:
            check_label_order(self.bound, self.classes_.tolist(), "bound")
        if ASK in self.classes_.tolist():
            raise ValueError(f"a class is called {ASK!r}, as is the reserved answer; rename it")
        if len(np.unique(y[held])) < 2:
            raise ValueError(
                f"the {len(held)} held-out samples have one class only (all "
                f"{y[held][0].item()!r}), so they are unlike the others; hold out more of them"
            )
        truth = np.searchsorted(self.classes_, y[held])
        self._by = self.by  # of the limits, whatever `set_params` changes later
        answer, doubt = self._answers(_safe_indexing(X, held))
        weights: dict[str, Any] = {}
        if weight is not None and (weight[held] != weight[held][0]).any():
            most, others = weight[held].max(), weight[rows] if len(rows) else weight[held]
            usual = min(float(others.mean()) / (2 * most), 1.0)  # betting needs about twice as many
            weights = {"weight": weight[held] / most, "usual": usual}
        self.promises_ = self._promises(truth, answer, doubt, weights)
        self.limits_ = self._limits()
        for one in self.promises_:
            if not one.kept:
                warnings.warn(str(one), stacklevel=3)
        return self

    def _resolved_estimator(self) -> Any:
        return (
            asking_for_weights(EvidentialClassifier()) if self.estimator is None else self.estimator
        )

    def _routed(self, estimator: BaseEstimator, weight: Floats | None) -> dict[str, Any]:
        """Arguments of `fit` for a classifier, which takes weights or not."""
        if weight is None:
            return {}
        if weightless(estimator):
            warnings.warn(
                f"{type(estimator).__name__} takes no sample_weight; the weights count in the risk"
                ", not in training",
                stacklevel=4,  # beyond `fit` and its decorator
            )
            return {}
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", sample_weight=weight).estimator.fit)
        return {"sample_weight": weight}

    def get_metadata_routing(self) -> Any:
        """Return the routing of the metadata of `fit` to the classifier.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        return routing_to(self._resolved_estimator(), self)

    def _check_parameters(self) -> None:
        if self.estimator is not None and not hasattr(self.estimator, "fit"):
            raise TypeError(f"estimator is {shown(self.estimator)}, expected a classifier")
        if isinstance(self.loss, str):
            check_choice("loss", self.loss, _LOSSES, "losses, a function, or ")
        check_declared(self)
        if self.level is not None:
            check_level("level", self.level)
        for one in np.ravel(as_floats(self.bound, "bound")):
            check_level("bound", float(one))
        if np.ndim(self.bound) and not (isinstance(self.loss, str) and self.loss == "by_class"):
            raise ValueError(f"bound is {shown(self.bound)}, but only loss='by_class' has several")
        if self.doubts is not None:
            grid = numbers(self.doubts, "doubts")
            if grid.ndim != 1 or not len(grid) or (np.diff(grid) <= 0).any():
                raise ValueError("doubts are not ascending numbers (g,); sort them")

    def _answers(self, X: SamplesLike) -> tuple[Indices, Floats]:
        """Answered class and doubt (n,)."""
        inner: Any = self.estimator_
        inner = inner.estimator if isinstance(inner, FrozenEstimator) else inner
        if not hasattr(inner, "predict_proba"):
            raise TypeError(
                f"{type(inner).__name__} has no predict_proba, by which samples are doubted; wrap "
                f"it, EvidentialClassifier({type(inner).__name__}(...))"
            )
        if self._by == "probability":
            p = class_values(self.estimator_, X, self.classes_, unit=True)
            bounds = None
        else:
            p, bounds = self._beliefs(inner, X)
        refuse(p, ~np.isfinite(p), "the probability of the classifier", "a finite number")
        answer = assigned_classes(p)
        return answer, doubts(p, answer, bounds, self._by)

    def _beliefs(self, inner: Any, X: SamplesLike) -> tuple[Floats, Floats]:
        """Probabilities (n, K) and [Bel, Pl] (n, K, 2)."""
        if hasattr(inner, "beliefs"):
            return inner.predict_proba(X), inner.beliefs(X).interval()
        if not hasattr(inner, "predict_mass"):
            raise TypeError(
                f"by={self._by!r} needs beliefs, but {type(inner).__name__} has no predict_mass; "
                "wrap it in EvidentialClassifier, or take by='probability'"
            )
        return inner.predict_proba(X), class_intervals(inner.predict_mass(X))

    def _promises(
        self, truth: Indices, answer: Indices, doubt: Floats, weights: dict[str, Any]
    ) -> list[Promise]:
        k, level = len(self.classes_), self.level
        if level is None and weights:
            raise ValueError(
                "sample_weight is given, but level is None: on average, the weight of the new "
                "sample would be needed; give a level"
            )
        grid = None if self.doubts is None else numbers(self.doubts, "doubts")
        asking = self._asking(k)
        options: dict[str, Any] = {"grid": grid, "procedure": self.procedure}
        if asking is not None:
            table, ask = asking[:-1], asking[-1]
            bound = self._bounds(1)[0]
            _check_asking(table, ask, bound, level)
            options |= {"most": float(asking.max()), "whole": _binary(asking)}
            options["weight"] = weights.get("weight")
            found = sample_promise(table[answer, truth], ask[truth], doubt, bound, level, **options)
            what = (
                "share answered wrongly"
                if isinstance(self.loss, str)
                else "mean loss of all samples"
            )
            return [replace(found, what=what)]
        if level is None:
            raise ValueError(
                f"loss={shown(self.loss)} is about the answered samples, for which nothing is "
                "guaranteed on average; give a level, or loss='wrong_answer'"
            )
        options |= weights
        losses, options["whole"] = self._losses(truth, answer, k)
        if isinstance(self.loss, str) and self.loss != "error":
            return self._of_classes(losses, answer, doubt, level, options)
        found = answered_promise(losses, doubt, self._bounds(1)[0], level, **options)
        plain = isinstance(self.loss, str)
        return [found if plain else replace(found, what="mean loss of the answers")]

    def _of_classes(
        self, losses: Floats, answer: Indices, doubt: Floats, level: float, options: dict[str, Any]
    ) -> list[Promise]:
        """Promises for the answers of one class or of each, which share the level."""
        k = len(self.classes_)
        if self.loss in _OF_TWO and k != 2:
            raise ValueError(f"loss={self.loss!r} is about two classes, but there are {k}")
        numbers_of = range(k) if self.loss == "by_class" else [_OF_TWO[str(self.loss)]]
        weight = options.pop("weight", None)
        labels, error = label_list(self.classes_), (1 - level) / len(numbers_of)
        return [
            replace(
                answered_promise(
                    losses[answer == one],
                    doubt[answer == one],
                    bound,
                    level,
                    error=error,
                    weight=None if weight is None else weight[answer == one],
                    **options,
                ),
                of=labels[one],
            )
            for one, bound in zip(numbers_of, self._bounds(len(numbers_of)), strict=True)
        ]

    def _bounds(self, size: int) -> list[float]:
        bounds = as_floats(self.bound, "bound")
        if bounds.shape not in ((), (size,)):
            raise ValueError(f"bound has shape {bounds.shape}, expected a number or ({size},)")
        return [float(one) for one in np.broadcast_to(bounds, (size,))]

    def _asking(self, k: int) -> Floats | None:
        """Losses (K + 1, K) of all samples, of asking in the last row; None for other losses."""
        if isinstance(self.loss, str):
            return np.vstack([1 - np.eye(k), np.zeros(k)]) if self.loss == "wrong_answer" else None
        if callable(self.loss) or np.shape(self.loss) != (k + 1, k):
            return None
        table = numbers(self.loss, "loss")
        refuse(table, (table < 0) | (table > 1), "loss", "a loss in [0, 1]; divide by the largest")
        return table

    def _losses(self, truth: Indices, answer: Indices, k: int) -> tuple[Floats, bool]:
        """Loss (n,) of each answer, and whether there are no others than 0 and 1."""
        if isinstance(self.loss, str):
            return losses_of(None, truth, answer, self.classes_), True
        if not callable(self.loss):
            if np.shape(self.loss) != (k, k):
                raise ValueError(
                    f"loss has shape {np.shape(self.loss)}, expected ({k}, {k}), of each answered "
                    f"class under each true class, or ({k + 1}, {k}) with a last row of asking"
                )
            losses = losses_of(self.loss, truth, answer, self.classes_)
            return losses, _binary(np.asarray(self.loss, dtype=np.float64))
        given = as_array(self.loss(self.classes_[truth], self.classes_[answer]), "loss")
        found = as_floats(given, "loss")
        if found.shape != truth.shape:
            raise ValueError(f"loss gives shape {found.shape}, expected ({len(truth)},)")
        return losses_of(found, truth, answer, self.classes_), given.dtype == bool

    def _limits(self) -> Floats:
        """A limit for the answers of each class; of classes without a promise, none."""
        first = self.promises_[0]
        if first.of is None:
            return np.full(len(self.classes_), first.limit)
        limits = {one.of: one.limit for one in self.promises_}
        return np.array([limits.get(label, np.inf) for label in label_list(self.classes_)])

    def _decided(self, X: SamplesLike) -> tuple[Indices, NDArray[np.bool_]]:
        check_is_fitted(self)
        answer, doubt = self._answers(X)
        return answer, doubt < self.limits_[answer]

    def predict(self, X: SamplesLike) -> NDArray[Any]:
        """Class of each sample, or "ask".

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n,) array of labels
            Of texts, if labels are; otherwise of objects.
        """
        answer, known = self._decided(X)
        text = self.classes_.dtype.kind == "U"
        names = Frame(self.classes_).labels
        labels = self.classes_ if text else np.fromiter(names, object, len(names))
        return np.where(known, labels[answer], ASK if text else np.array(ASK, dtype=object))

    def predict_set(self, X: SamplesLike) -> NDArray[np.bool_]:
        """The class of an answered sample, and all classes of one that is to be asked.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array of bool
        """
        answer, known = self._decided(X)
        own = answer[:, np.newaxis] == np.arange(len(self.classes_))
        return np.asarray(own | ~known[:, np.newaxis])


def _binary(losses: Floats) -> bool:
    return bool(np.isin(losses, (0, 1)).all())


def _check_asking(table: Floats, ask: Floats, bound: float, level: float | None) -> None:
    if ask.min() >= bound:
        raise ValueError(
            f"asking costs at least {ask.min():g}, not below the bound {bound:g}, which so cannot "
            "be met; raise the bound, or measure asking in the same unit"
        )
    cheaper = np.argwhere(table < ask)
    if level is None and len(cheaper):
        row, column = cheaper[0].tolist()
        raise ValueError(
            f"loss[{row}, {column}] is {table[row, column]:g}, below that of asking, "
            f"{ask[column]:g}; on average only losses can be bounded that no answer reduces: "
            "give a level, or subtract what a right answer saves"
        )
