"""Several calibrators on the same scores, by repeated stratified cross-validation.

All methods use the same folds, so differences are paired. Each sample is predicted by calibrators
that were not fitted to it. The result has these out-of-fold beliefs, the measures of each fold, the
times of fitting, and a recommendation with reasons.

The folds of one data set are dependent, which a test must correct for. Data sets are independent,
so the mean over folds is all that tests over several data sets need from each (Demsar 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import (
    as_floats,
    as_sequence,
    check_callable,
    check_choice,
    check_count,
    check_instance,
    check_level,
    check_rows,
    shown,
)
from dstheory.notebook import ShownFields, html_table
from evical._fitting import as_random_state, check_jobs
from evical._typing import Floats, RandomState, Weights
from evical.evaluation._evaluation import Evaluation, two_labels
from evical.evaluation.methods import name_methods
from evical.evaluation.recommendation import Choice, Difference, Recommendation, differences
from evical.evaluation.validation import MEASURES, Fold, Tried, folds_of, is_splitter, try_methods
from evical.metrics.inputs import MOST_REPEATS, checked_weights
from evical.scores.checks import (
    check_column_order,
    check_labels,
    check_numbers,
    check_same_length,
    check_scores,
    warn_of_little_weight,
)
from evical.significance import Results, friedman, nemenyi
from evical.significance.ranks import FriedmanResult, NemenyiResult

Criterion = Literal["brier_score", "log_loss"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Result of a comparison of calibrators.

    Parameters
    ----------
    name : str
        Of the scores.
    scores : (n,) or (n, K) array
    y : (n,) array of 0 and 1, or of 0 to K - 1
    class_names : tuple of K str
        Of two classes the negative one and the positive one.
    methods : tuple of k str
    probability, bel, pl : (k, n) or (k, n, K) arrays
        Of the positive class, or of each of three and more, out of fold, in the first repetition.
    fold : (n,) array
        Number of the test fold of each sample in the first repetition.
    values : (k, J, 5) array
        `MEASURES` of each of the J folds of all repetitions.
    seconds : (k, J) array
        Time of fitting.
    n_folds, n_repeats : int
    criterion : str
        The measure that methods are compared by.
    differences : tuple of k - 1 Difference
        Each other method against the best, by ascending mean loss.
    recommendation : Recommendation
    failures : dict of str to str
        Methods that could not be fitted, and why; they are missing from all of the above.
    weight : (n,) array, or None
    """

    name: str
    scores: Floats
    y: NDArray[np.int64]
    class_names: tuple[str, ...]
    methods: tuple[str, ...]
    probability: Floats
    bel: Floats
    pl: Floats
    fold: NDArray[np.intp]
    values: Floats
    seconds: Floats
    n_folds: int
    n_repeats: int
    criterion: str
    differences: tuple[Difference, ...]
    recommendation: Recommendation
    failures: dict[str, str]
    weight: Floats | None = None

    def mean(self, method: str, measure: str) -> float:
        """Mean over folds.

        Parameters
        ----------
        method : str
        measure : str
            One of `MEASURES`.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is no such method or measure.
        """
        check_choice("measure", measure, MEASURES)
        return float(self.values[self._row(method), :, MEASURES.index(measure)].mean())

    def evaluation(self, method: str, **options: Any) -> Evaluation:
        """Evaluate the out-of-fold predictions of a method.

        Parameters
        ----------
        method : str
        **options
            Of `Evaluation.from_predictions`.

        Returns
        -------
        Evaluation

        Raises
        ------
        ValueError
            If the method did not take part, or there are more than two classes.
        """
        row = self._row(method)
        if len(self.class_names) > 2:
            raise ValueError(
                f"an Evaluation is of two classes, but there are {len(self.class_names)}; give "
                "probability and y to the functions of evical.metrics"
            )
        negative, positive = self.class_names
        options = {
            "name": method,
            "scores": self.scores,
            "pos_label": positive,
            "sample_weight": self.weight,
        } | options
        y = np.where(self.y == 1, positive, negative)
        return Evaluation.from_predictions(
            y, self.probability[row], bel=self.bel[row], pl=self.pl[row], **options
        )

    def ranking(self) -> tuple[str, ...]:
        """Methods by ascending mean loss."""
        return (self.recommendation.best, *(one.method for one in self.differences))

    def __str__(self) -> str:
        width = max(map(len, self.methods))
        head = " " * width + "   Brier  log loss    ECE    AUC  width"
        rows = [
            f"{name:<{width}}  {v[0]:.4f}    {v[1]:.4f}  {v[2]:.3f}  {v[3]:.3f}  {v[4]:.3f}"
            for name in self.ranking()
            for v in [self.values[self._row(name)].mean(axis=0)]
        ]
        lost = [f"{name} failed: {reason}" for name, reason in self.failures.items()]
        return "\n".join([head, *rows, *lost, str(self.recommendation)])

    def __repr__(self) -> str:
        counts = f"{len(self.y)} samples, {len(self.methods)} methods, {self.n_folds} folds"
        return f"Comparison({self.name}: {counts}; take {self.recommendation.method})"

    def _repr_html_(self) -> str:
        head = ["", "Brier", "log loss", "ECE", "AUC", "width"]
        rows = [
            [name, *(f"{v:.4f}" for v in self.values[self._row(name)].mean(axis=0)[:5])]
            for name in self.ranking()
        ]
        lost = [f"{name} failed: {reason}" for name, reason in self.failures.items()]
        return html_table(repr(self), [head, *rows], [*lost, *str(self.recommendation).split("\n")])

    def _row(self, method: str) -> int:
        check_choice("method", method, self.methods)
        return self.methods.index(method)


def compare(
    scores: ArrayLike,
    y: ArrayLike,
    methods: Any = None,
    *,
    cv: Any = 10,
    repeats: int = 1,
    criterion: Criterion = "brier_score",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    name: str = "scores",
    pos_label: Hashable | None = None,
    sample_weight: Weights = None,
    on_fit: Callable[[], object] | None = None,
) -> Comparison:
    r"""Compare calibrators by cross-validation, and recommend one.

    Parameters
    ----------
    scores : (n,), (n, 1) or (n, K) array
        Of samples that the classifier was not trained on; of three and more classes one column for
        each, in the sorted order of the labels.
    y : (n,) array
        Labels of two or K classes, of any kind.
    methods : None, "all", sequence, or mapping of names to estimators
        Names such as "logistic", "logistic:bayesian" or "binning:n_bins=15", and estimators. By
        default six methods of different kinds, and the uncalibrated scores if all lie in [0, 1].
        Of three and more classes, those of two classes calibrate each against the rest, and scores
        are uncalibrated probabilities if rows sum to 1, up to rounding to two places.
    cv : int or splitter
        Number of stratified folds, or scikit-learn's way to make them.
    repeats : int
        Repetitions of cross-validation, each with different folds.
    criterion : "brier_score" or "log_loss"
        The loss by which methods are compared. The log loss clips probabilities at 1e-6.
    random_state : int, RandomState instance or None
        Of the folds; the folds of repetition i are those of ``random_state + i``.
    n_jobs : int, optional
        Number of folds in parallel, see `joblib.Parallel`.
    name : str
        Of the scores.
    pos_label : label, optional
        The class that high scores support, of two; by default the greater one.
    sample_weight : (n,) array, optional
        For fits and for the measures of each fold, in which a weight of 2 counts as two samples;
        folds count alike. Methods that take no weights fail.
    on_fit : callable, optional
        Called after each fit, to show progress.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there is one class, or no column for each of three and more, fewer samples of the rarest
        class than folds, no such method, or every method fails; scores and labels as in
        `LogisticCalibrator.fit`.
    TypeError
        If a method is neither a name nor an estimator.

    Notes
    -----
    Differences of losses are tested by the corrected resampled t test. Training samples of folds
    overlap, so the variance of a mean difference of J folds is
    :math:`(1/J + n_2/n_1) s^2`, with :math:`n_2/n_1` test samples per training sample, or weight
    of those per weight of these. Weights make no more folds, so they add no certainty. P-values are
    adjusted by Holm's procedure. The best method was selected on the same folds, so the
    p-values are a guide, not a proof.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.
    Niculescu-Mizil & Caruana (2005), Predicting good probabilities with supervised learning,
    ICML, 625-632.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, size=300)
    >>> found = compare(rng.normal(2 * y - 1), y, ["logistic", "binning"], cv=5)
    >>> found.ranking(), found.recommendation.method
    (('logistic', 'binning'), 'logistic')
    """
    check_rows(scores=scores, y=y, sample_weight=sample_weight)
    many = np.ndim(scores) == 2 and np.shape(scores)[1] > 2
    if many:
        columns = enumerate(as_floats(scores, "scores").T)
        values = np.stack([check_numbers(one, f"scores[:, {k}]") for k, one in columns], axis=1)
    else:
        values = check_scores(scores)
    labels = check_labels(y)
    check_same_length(scores=values, y=labels)
    classes = _all_labels(labels, values, pos_label) if many else two_labels(labels, pos_label)
    check_column_order(scores, classes, "scores")
    codes = (labels[:, np.newaxis] == classes).argmax(axis=1)
    _check_plan(cv, repeats, criterion)
    as_random_state(random_state)
    check_jobs(n_jobs)
    if on_fit is not None:
        check_callable("on_fit", on_fit, "a function without arguments")
    estimators = name_methods(methods, values)
    weight = checked_weights(sample_weight, len(codes))
    warn_of_little_weight(sample_weight, stacklevel=3)
    folds = folds_of(codes, cv, repeats, random_state, weight)
    results = try_methods(estimators, values, codes, weight, folds, n_jobs, on_fit)
    failures = _failures(results)
    kept = {name: one for name, one in estimators.items() if name not in failures}
    if not kept:
        method, reason = next(iter(failures.items()))
        raise ValueError(f"no method could be fitted; {method}: {reason}")
    return _collect(name, values, codes, weight, classes, kept, results, folds, criterion, failures)


def _all_labels(labels: NDArray[Any], scores: Floats, pos_label: Hashable) -> NDArray[Any]:
    """The labels of the columns, of more than two."""
    classes = np.unique(labels)
    if len(classes) != scores.shape[1]:
        raise ValueError(
            f"scores have {scores.shape[1]} columns, but y has {len(classes)} "
            f"{'classes' if len(classes) > 1 else 'class'}; give one column for each"
        )
    if pos_label is not None:
        raise ValueError(f"pos_label is of two classes, but there are {len(classes)}; leave it out")
    return classes


def _check_plan(cv: Any, repeats: Any, criterion: Any) -> None:
    if not is_splitter(cv):
        check_count("cv", cv, 2, MOST_REPEATS)
    check_count("repeats", repeats, 1, MOST_REPEATS)
    if is_splitter(cv) and repeats > 1:
        raise ValueError("repeats need different folds each time; give cv as a number of folds")
    check_choice("criterion", criterion, get_args(Criterion))


def _failures(results: dict[str, list[Tried]]) -> dict[str, str]:
    """First reason of each method that failed on a fold."""
    reasons = {
        name: [one.failure for one in found if one.failure] for name, found in results.items()
    }
    return {name: found[0] for name, found in reasons.items() if found}


def _collect(
    name: str,
    scores: Floats,
    y: NDArray[np.int64],
    weight: Floats | None,
    classes: NDArray[Any],
    estimators: dict[str, Any],
    results: dict[str, list[Tried]],
    folds: list[Fold],
    criterion: str,
    failures: dict[str, str],
) -> Comparison:
    first = [fold for fold in folds if fold.repetition == 0]
    order = np.argsort(np.concatenate([fold.test for fold in first]))
    number = np.repeat(np.arange(len(first)), [len(fold.test) for fold in first])[order]

    def out_of_fold(what: str) -> Floats:
        parts = [[getattr(one, what) for one in results[key][: len(first)]] for key in estimators]
        return np.stack([np.concatenate(part)[order] for part in parts])

    values = np.array([[one.values for one in results[key]] for key in estimators])
    losses = values[:, :, MEASURES.index(criterion)]
    w = np.ones(len(y)) if weight is None else weight
    share = float(np.mean([w[fold.test].sum() / w[fold.train].sum() for fold in folds]))
    found = differences(list(estimators), losses, share)
    choice = Choice(estimators, values, found, criterion, scores, y, weight)
    bounds = out_of_fold("bounds")
    return Comparison(
        name=name,
        scores=scores,
        y=y,
        class_names=tuple(map(str, classes)),
        methods=tuple(estimators),
        probability=out_of_fold("probability"),
        bel=bounds[..., 0],
        pl=bounds[..., 1],
        fold=number,
        values=values,
        seconds=np.array([[one.seconds for one in results[key]] for key in estimators]),
        n_folds=len(first),
        n_repeats=folds[-1].repetition + 1,
        criterion=criterion,
        differences=found,
        recommendation=choice.recommendation(),
        failures=failures,
        weight=weight,
    )


@dataclass(frozen=True, eq=False)
class DataSetComparison(ShownFields):
    """Comparisons on several data sets.

    Parameters
    ----------
    comparisons : dict of str to Comparison
        By the name of the data set.
    results : Results
        Mean losses: a row for each data set, a column for each method that failed nowhere.
    friedman : FriedmanResult
        Do methods differ at all?
    nemenyi : NemenyiResult
        Which ones do?
    """

    comparisons: dict[str, Comparison]
    results: Results
    friedman: FriedmanResult
    nemenyi: NemenyiResult

    def __str__(self) -> str:
        return f"{self.friedman}\n{self.nemenyi}"


def compare_data_sets(
    samples: Mapping[str, tuple[Any, ...]],
    methods: Any = None,
    *,
    alpha: float = 0.05,
    on_data_set: Callable[[Comparison], object] | None = None,
    **options: Any,
) -> DataSetComparison:
    """Compare calibrators on several data sets, and test whether their ranks differ.

    Parameters
    ----------
    samples : mapping of str to tuple of arrays
        Scores and labels of each data set, and weights if there are any.
    methods : None, "all", sequence, or mapping of names to estimators
        As in `compare`; by default those that suit all data sets.
    alpha : float
        Level of Nemenyi's critical difference.
    on_data_set : callable, optional
        Called with each `Comparison` as it is finished.
    **options
        Of `compare`.

    Returns
    -------
    DataSetComparison

    Raises
    ------
    ValueError
        As `compare`; or if there are fewer than two data sets, or fewer than two methods that
        fail nowhere.

    Examples
    --------
    Three data sets are too few to separate three methods:

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> samples = {name: (rng.normal(y), y) for name in "abc"}
    >>> found = compare_data_sets(samples, ["logistic", "binning", "sbb"], cv=2)
    >>> found.nemenyi.groups
    [('binning', 'logistic', 'sbb')]
    """
    if on_data_set is not None:
        check_callable("on_data_set", on_data_set, "a function of a Comparison")
    check_level("alpha", alpha)
    check_instance("samples", samples, Mapping, "a mapping of names to scores and labels")
    if len(samples) < 2:
        raise ValueError("ranks need at least two data sets; for one there is compare()")
    pairs = {
        name: as_sequence(pair, str(name), "scores and labels") for name, pair in samples.items()
    }
    for name, pair in pairs.items():
        if len(pair) not in (2, 3):
            raise ValueError(
                f"{name} is {shown(pair)}, expected scores and labels, or with weights"
            )
    if options.get("sample_weight") is not None:
        raise ValueError(
            "sample_weight is of one data set; give scores, labels and weights of each"
        )
    comparisons = {}
    for name, (scores, y, *weight) in pairs.items():
        given = options | dict(zip(["sample_weight"], weight, strict=False))
        comparisons[name] = compare(scores, y, methods, name=name, **given)
        if on_data_set is not None:
            on_data_set(comparisons[name])
    kept = _everywhere(list(comparisons.values()))
    criterion = next(iter(comparisons.values())).criterion
    losses = np.array(
        [[one.mean(method, criterion) for method in kept] for one in comparisons.values()]
    )
    results = Results(losses, kept, greater_is_better=False)
    return DataSetComparison(comparisons, results, friedman(results), nemenyi(results, alpha=alpha))


def _everywhere(comparisons: list[Comparison]) -> list[str]:
    """Methods that every comparison has, in the order of the first."""
    kept = [m for m in comparisons[0].methods if all(m in one.methods for one in comparisons)]
    if len(kept) < 2:
        raise ValueError(
            f"only {len(kept)} methods could be fitted on every data set; ranks need two"
        )
    return kept
