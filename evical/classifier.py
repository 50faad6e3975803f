"""`EvidentialClassifier`: any scikit-learn classifier, with belief functions as predictions.

The classifier is trained on one part of the data, and a calibrator turns the scores of another part
into mass functions (Xu et al. 2016, section 4). A code reduces more than two classes to binary
problems; Dempster's rule or a coupling joins the results. Folds and frozen classifiers are handled
as in scikit-learn's `CalibratedClassifierCV`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dstheory.checks.arguments import as_array, check_choice, shown
from dstheory.errors import CostLimitError
from evical._fitting import Progress, all_or_nothing, check_declared, check_verbose
from evical._typing import Floats, SamplesLike, Weights
from evical.beliefs import Beliefs
from evical.beliefs.composed import mean
from evical.calibrators import AutoCalibrator
from evical.estimators.calibrated import COUPLINGS, Calibrated, Decoder
from evical.estimators.columns import column_weights, fit_columns, resolved_code
from evical.estimators.folds import Fold, FoldFitter, Scored, make_folds, n_folds
from evical.estimators.predictor import ClassifierWrapper, asking_for_weights, check_fitted
from evical.estimators.responses import frozen_classes, trained_on
from evical.fusion import Rule
from evical.learners.latent_model import LatentModel
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
)
from evical.multiclass.by_name import CalibratorChoice, named_calibrator
from evical.multiclass.reduction import MAX_CLASSES
from evical.scores.checks import check_samples
from evical.scores.direction import Direction

__all__ = ["EvidentialClassifier"]


# Models of binary calibrators that leave something open.
_EVIDENTIAL = ("confidence", "dempster", "inverse_pignistic", "likelihood")
CODES = ("one_vs_rest", "all_pairs", "sparse", "complete")


@dataclass(eq=False, repr=False)
class EvidentialClassifier(ClassifierWrapper, BaseEstimator):  # type: ignore[misc]  # untyped base
    """Classifier whose predictions are belief functions.

    Parameters
    ----------
    estimator : classifier, optional
        With `decision_function` or `predict_proba`, which give the scores; see `calibrator`. One
        that refuses the labels, such as XGBoost's, is trained on the numbers of classes. Default:
        `sklearn.svm.LinearSVC`. Wrap a fitted one in `sklearn.frozen.FrozenEstimator`; `fit` then
        only calibrates it, and must not get its training data. A class that it knows and `y` lacks
        keeps its column: the default calibrator and structured scaling calibrate its scores as
        those of the other classes are on average, with a wider interval.
    calibrator : calibrator or str, optional
        Any of `evical.calibrators`, or its name as on the command line, with a model or options
        after colons: "isotonic", "logistic:bayesian". Default, "auto": `AutoCalibrator`, and of
        more than two classes `AutoMulticlassCalibrator`, which choose by themselves; they read the
        decision function, or else (of more classes first) unchanged probabilities. Others read
        the decision function, or else log-odds of probabilities; with ``transform="logit"`` or
        "log" they get `predict_proba`. A calibrator of two classes is fitted to each class against
        the rest. A multiclass calibrator, of `evical.multiclass`, uses the scores of all classes
        together.
        "latent": none; a linear classifier or a network, trained on all samples, is read as the
        evidence that it is (`evical.learners.latent_evidence`). The default is then
        `sklearn.linear_model.LogisticRegression`.
    code : {"one_vs_rest", "all_pairs", "sparse", "complete"} or (K, B) array
        How to reduce more than two classes to binary problems. "one_vs_rest" trains one classifier
        and calibrates its score of each class against all others. Any other code trains and
        calibrates a binary classifier for each column, on samples of the classes that take part. A
        matrix has entries 1, -1 and 0, and a row for each class in sorted order. See
        `evical.multiclass.code_matrix`; "sparse" uses seed 0.
    coupling : None, str or callable
        How to join the columns of more than two classes. None: as evidence, by Dempster's rule.
        "normalize" (for one-vs-rest), "least_squares", "hastie_tibshirani" or "wu_lin_weng" (for
        all pairs): to probabilities, from the pignistic ones of the columns. "pairwise_belief" (for
        all pairs): to the belief with the nearest conditionals. A function takes the probabilities
        (n, B) of the positive sides and the code, and returns probabilities (n, K).
    cv : int, splitter, iterable of (train, test) or None
        Folds. A number means stratified folds; None means 5 of them, or as many as the rarest class
        has samples, if fewer. The training part trains, and the test part calibrates.
    ensemble : {"shared", "auto"} or bool
        "shared": each fold keeps its classifier, the pooled scores of all test parts calibrate
        them, and their mass functions are averaged. False: the pooled scores calibrate one
        classifier, trained again on all data, which predicts faster. "auto": the same, unless
        Smirnov's test at 5 % finds scores of a fold unlike the others, by a mean distance of .06 or
        more over the classes; then as "shared". True: each fold is calibrated on its own. If the
        test parts overlap or leave out samples, "shared" and "auto" are True. A frozen classifier
        needs no folds, unless True.
    total_conflict : {"error", "vacuous"}
        What to do if the columns of more than two classes are in total conflict: raise, or predict
        the vacuous mass function (in that fold). Only calibrators that give masses of exactly 0 and
        1 can cause it. With a coupling there is no total conflict.
    probability : {"pignistic", "plausibility"}
        What `predict_proba` returns: pignistic probabilities, or relative plausibilities, of
        several folds their means. The latter are faster, and work for more than 16 classes under
        codes other than one-vs-rest without a coupling.
    n_jobs : int, optional
        Number of folds, or columns of a code, fitted in parallel, see `joblib.Parallel`.
    verbose : int or bool
        Above 0, `fit` prints a line for each fold or column.

    Attributes
    ----------
    classes_ : (K,) array
    code_ : (K, B) array
        The code matrix; one column for two classes.
    calibrated_classifiers_ : list
        One object for each fold, or a single one, with `estimator` and `calibrators`; with
        `estimators` if each column of the code has its own.
    n_features_in_, feature_names_in_
        Those of the fitted classifier, if it has them.

    See Also
    --------
    EvidentialEnsemble : several classifiers, combined by a fusion that it learns.

    Notes
    -----
    The folds share training data, so they are not independent. Dempster's rule would count the same
    samples several times; the mean of the mass functions counts them once. The columns of a code
    are not independent either, least of all under codes with many columns. Dempster's rule is then
    overconfident, and a coupling less so.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70. Zadrozny (2001),
    Reducing multiclass to binary by coupling probability estimates.

    Examples
    --------
    A pipeline goes inside; one that ends in an `EvidentialClassifier` has no `predict_mass`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = EvidentialClassifier(make_pipeline(StandardScaler(), GaussianNB()), cv=3)
    >>> clf.fit(X[::2], y[::2]).predict_mass(X[1:2]).is_normalized
    array([ True])
    >>> clf.predict_interval(X[1:3]).shape
    (2, 2)
    """

    estimator: BaseEstimator | None = None
    _: KW_ONLY
    calibrator: CalibratorChoice | Literal["latent"] = None
    code: Any = "one_vs_rest"
    coupling: Any = None
    cv: Any = None
    ensemble: bool | Literal["shared", "auto"] = "shared"
    total_conflict: Literal["error", "vacuous"] = "error"
    probability: Literal["pignistic", "plausibility"] = "pignistic"
    n_jobs: int | None = None
    verbose: int = 0

    @all_or_nothing
    def fit(
        self, X: SamplesLike, y: ArrayLike, sample_weight: Weights = None, **fit_params: Any
    ) -> Self:
        """Train and calibrate the classifier.

        Reversed scores give one `WrongWayWarning`.

        Parameters
        ----------
        X : (n, n_features) array, data frame or sparse matrix
            Whatever the classifier takes.
        y : (n,) array
            Labels of two or more classes, of any kind.
        sample_weight : (n,) array, optional
            Non-negative weights, for the calibrators and, if it accepts them, the classifier.
        **fit_params
            ``groups`` (n,) of samples that the folds keep together: if `cv` is a number, by
            `sklearn.model_selection.StratifiedGroupKFold`; a splitter such as `GroupKFold` gets
            them. All other arguments go to the classifier's `fit`. With scikit-learn's metadata
            routing enabled, what the classifier and the splitter request.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If `y` has one class only, or a class is missing from a fold (the message names both);
            if the code does not fit the classes, or the coupling the code; if a multiclass
            calibrator comes with a code or coupling; if a frozen classifier comes with a code other
            than one-vs-rest, or knows a class that `y` lacks and the calibrator needs.
        """
        return self._fit_and_warn(X, y, sample_weight, fit_params)

    def _fit(
        self, X: SamplesLike, y: ArrayLike, sample_weight: Weights = None, **fit_params: object
    ) -> Scored | None:
        """Fit without warnings; scores of all samples, if one calibrator was trained on them."""
        self._check_parameters()
        X, y, weight = check_samples(X, y, sample_weight, fit_params.get("groups"))
        estimator = self._resolved_estimator()
        frozen = isinstance(estimator, FrozenEstimator)
        self.classes_ = frozen_classes(estimator, y) if frozen else np.unique(y)
        by_column = self._check_code()
        fit_params, split_params = self._routed(weight, fit_params)
        parts: list[Calibrated | LatentModel]
        scored, folds = None, list[Fold]()
        way: bool | str = self.ensemble
        if self._is_latent():
            rows = np.arange(len(y))
            fitted = estimator if frozen else trained_on(estimator, X, y, rows, fit_params)
            parts = [LatentModel.of(fitted, X, self.probability)]
        else:
            fitter = self._fitter(estimator, X, y, weight, fit_params)
            if by_column and frozen:
                raise ValueError(
                    "a frozen classifier has one score for each class, which fits "
                    "code='one_vs_rest' only; take that code, or a classifier without "
                    "FrozenEstimator"
                )
            if not frozen or way is True:
                folds, way = make_folds(self.cv, X, y, weight, split_params, ensemble=way)
            if by_column:
                parts = [*fit_columns(fitter, way, folds)]
            else:
                pairs, scored = fitter.fit(way, folds)
                parts = [*pairs]
        self.calibrated_classifiers_ = parts
        self._take_features(parts[0].estimator)
        return scored

    def _recalibrate(self, X: SamplesLike, y: NDArray[Any], weight: Floats | None) -> None:
        """Calibrate the trained classifiers on samples that are new to all of them.

        Only the default calibrator is: it is smooth, so that its own samples are as good as new.
        """
        frozen = isinstance(self._resolved_estimator(), FrozenEstimator)
        calibrator = self._given_calibrator(len(self.classes_))
        smooth = calibrator is None or isinstance(calibrator, AutoCalibrator)
        if frozen or not smooth or not self._is_plain():
            return
        fitter = self._fitter(None, X, y, weight, {})
        parts = self.calibrated_classifiers_
        self.calibrated_classifiers_ = [
            fitter.again(part) for part in parts if not isinstance(part, LatentModel)
        ]

    def _check_code(self) -> bool:
        """Resolve the code; whether each of its columns has a classifier."""
        k, plain = len(self.classes_), self._has_scores_of_classes()
        named = plain or (k == 2 and isinstance(self.code, str))
        self._code: Any = self.code if named else resolved_code(self.code, k)
        return k > 2 and not plain

    def _fitter(
        self,
        estimator: object,
        X: SamplesLike,
        y: NDArray[Any],
        weight: Any,
        fit_params: dict[str, Any],
    ) -> FoldFitter:
        return FoldFitter(
            estimator,
            self._resolved_calibrator(),
            X,
            y,
            weight,
            fit_params,
            self._decoder(y, weight),
            self.n_jobs,
            Progress(type(self).__name__, self.verbose),
        )

    def _check_parameters(self) -> None:
        if self.estimator is not None and not hasattr(self.estimator, "fit"):
            raise TypeError(f"estimator is {shown(self.estimator)}, expected a classifier")
        if isinstance(self.code, str):
            check_choice("code", self.code, CODES)
        elif as_array(self.code, "code").ndim == 0:
            names = ", ".join(map(repr, CODES))
            raise TypeError(f"code is {self.code!r}, expected {names} or a matrix")
        if self.coupling is not None and not callable(self.coupling):
            check_choice("coupling", self.coupling, COUPLINGS)
        check_verbose(self.verbose)
        check_choice("ensemble", self.ensemble, (True, False, "shared", "auto"))
        check_declared(self)
        latent = self._is_latent()
        one = self._given_calibrator(2)
        if not (latent or one is None or hasattr(one, "predict_mass")):
            raise TypeError(
                f"calibrator is {self.calibrator!r}, which has no predict_mass; "
                'take one of evical.calibrators, or "latent"'
            )
        together = latent or isinstance(one, BaseMulticlassCalibrator)
        if together and not self._is_plain():
            name = "'latent'" if latent else type(one).__name__
            raise ValueError(
                f"{name} calibrates all classes together, without code "
                "or coupling; leave them out, or take one of evical.calibrators"
            )

    def _is_latent(self) -> bool:
        return isinstance(self.calibrator, str) and self.calibrator == "latent"

    def _is_plain(self) -> bool:
        """Whether one classifier gives the scores of all classes, and nothing couples them."""
        return self._has_scores_of_classes() and self.coupling is None

    def _has_scores_of_classes(self) -> bool:
        return isinstance(self.code, str) and self.code == "one_vs_rest"

    @property
    def code_(self) -> NDArray[np.int8]:
        """The code matrix (K, B)."""
        return resolved_code(self._code, len(self.classes_))

    def _column_weights(self, y: NDArray[Any], weight: Floats | None) -> Floats | None:
        """Weights (B,) of the columns, for the coupling that takes them."""
        if not isinstance(self.coupling, str) or self.coupling != "hastie_tibshirani":
            return None
        return column_weights(self.code_, self.classes_, y, weight)

    def _decoder(self, y: NDArray[Any], weight: Floats | None) -> Decoder:
        return Decoder(
            self.classes_,
            self._code,
            coupling=self.coupling,
            weights=self._column_weights(y, weight),
            total_conflict=self.total_conflict,
            probability=self.probability,
        )

    def _given_calibrator(self, n_classes: int) -> Any:
        """The calibrator, made if it is named; None for the default one."""
        if self.calibrator == "auto":
            return None
        if not isinstance(self.calibrator, str) or self._is_latent():
            return self.calibrator
        return named_calibrator(self.calibrator, together=n_classes > 2 and self._is_plain())

    def _resolved_calibrator(self) -> Any:
        k = len(self.classes_)
        default = AutoMulticlassCalibrator() if k > 2 and self._is_plain() else AutoCalibrator()
        given = self._given_calibrator(k)
        return default if given is None else given

    def _resolved_estimator(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        latent = self._is_latent()
        return asking_for_weights(LogisticRegression() if latent else LinearSVC(random_state=0))

    def _n_products_for(
        self, name: str, rule: Rule, X: SamplesLike, y: NDArray[Any], groups: ArrayLike
    ) -> int | None:
        n_classes = len(np.unique(y))
        if rule.reads(n_classes) == "masses":
            if self._lists_all_sets(n_classes):
                raise rule.all_sets(name, n_classes)
            return None
        if self.coupling == "pairwise_belief" or not (
            self.coupling is not None or self._has_scores_of_classes()
        ):
            raise CostLimitError(
                f"{name!r} has code {self.code!r}, under which beliefs about {n_classes} classes "
                f"list all sets (at most {MAX_CLASSES} classes), so they cannot be combined; take "
                "code='one_vs_rest', or a coupling"
            )
        return self._n_folds(X, y, groups) * self._n_sets(n_classes)

    def _lists_all_sets(self, n_classes: int) -> bool:
        """Whether the masses, once fitted, are sure to be on all sets of classes."""
        one = self._given_calibrator(n_classes)
        together = isinstance(one, BaseMulticlassCalibrator)
        model = "likelihood" if one is None else getattr(one, "model", None)
        return self.coupling is None and not together and model in _EVIDENTIAL

    def _n_folds(self, X: Any, y: NDArray[Any], groups: Any) -> int:
        """Number of classifiers with calibrators of their own."""
        if hasattr(self, "calibrated_classifiers_"):
            return len(self.calibrated_classifiers_)
        frozen = isinstance(self.estimator, FrozenEstimator)
        ensemble = not frozen if isinstance(self.ensemble, str) else self.ensemble
        return n_folds(self.cv, X, y, groups) if ensemble and self.coupling is None else 1

    def _n_sets(self, n_classes: int) -> int:
        """Number of products in the belief of one fold: of a calibrator of all classes, sets."""
        one = self._given_calibrator(n_classes)
        together = one is None or isinstance(one, BaseMulticlassCalibrator)
        if self.coupling is not None or not together or isinstance(one, OneVsRestCalibrator):
            return 1
        return 1 if getattr(one, "model", "likelihood") == "bayesian" else n_classes + 1

    def _wrong_ways(self) -> list[Direction]:
        parts = [part for part in self.calibrated_classifiers_ if part.calibrators]
        own = {id(part.calibrators[0]): part for part in parts}
        return [found for part in own.values() for found in part.wrong_ways()]

    def beliefs(self, X: SamplesLike) -> Beliefs:
        """Belief about the class of each sample, of which nothing is computed before it is asked.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            Their masses are, of the default calibrator, of single classes and pairs, of a coupling
            of single classes, else of all sets, which has to be at most 16 classes.

        Raises
        ------
        TotalConflictError
            See `total_conflict`.
        """
        check_fitted(self)
        return mean([part.beliefs(X) for part in self.calibrated_classifiers_])

    def predict_proba(self, X: SamplesLike) -> Floats:
        """Pignistic probability of each class, or its share of all plausibilities.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array
            See `probability`.
        """
        check_fitted(self)
        parts = self.calibrated_classifiers_
        if parts[0].probability == "pignistic":  # the parameter may have changed since
            return super().predict_proba(X)
        shares = (part.beliefs(X).contour() for part in parts)
        return np.asarray(np.mean([p / p.sum(axis=1, keepdims=True) for p in shares], axis=0))
