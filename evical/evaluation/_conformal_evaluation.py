"""Whether conformal sets cover labeled samples, and how large they are.

The promise P(pl(Y) <= alpha) <= alpha is a mean over calibration samples. What is judged shares one
calibration sample, so the tests take the ranks among it, and an excess that its chance explains
does not count against the guarantee.

Did p-values keep P(p <= alpha) <= alpha on new samples, given that they share calibration?

All p-values of new samples come from the same n calibration scores, so they are not independent:
if these happen to be small, all new samples miss more often. What exchangeable samples give is
known all the same, because ranks among n + m scores are uniform: tests of two samples are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom, hypergeom, ks_1samp, ks_2samp, uniform

from dstheory.checks.arguments import (
    as_array,
    as_floats,
    as_sequence,
    check_count,
    check_instance,
    check_level,
    check_rows,
    shown,
)
from dstheory.notebook import ShownFields, html_table
from evical._typing import Floats, SamplesLike
from evical.conformal.calibration import calibration_of, numbered
from evical.conformal.contour import prediction_sets, to_contour
from evical.metrics import set_coverage
from evical.metrics.goodness import pvalue_text
from evical.metrics.inputs import class_codes, class_labels
from evical.metrics.sets import SetCoverage
from evical.scores.checks import check_column_order, check_same_length, refuse
from evical.significance import holm_adjusted

# Of a rank, in ranks: far more than rounding, far less than the step from one to the next.
_ROUNDING = 1e-6
# Rows whose p-values do not all sum to 1 by chance, and by how much sums of probabilities differ.
_FEW_ROWS, _UNIT = 10, 1e-6
# Samples up to which the distribution of the distance is counted; beyond, it is approximated.
_MOST_COUNTED = 1000


@dataclass(frozen=True)
class LevelCoverage(ShownFields):
    """What the sets at one level did, beside their promise.

    Parameters
    ----------
    alpha : float
        The guaranteed highest share of sets that miss the class.
    n_missed : int
        Sets that missed it.
    missed, low, high : float
        Their share, with exact confidence limits for this classifier and calibration sample.
    mean_size : float
        Classes in a set.
    pvalue : float
        Probability of as many p-values at or below alpha, or more, if the guarantee holds.
    adjusted : float
        The same by Holm's procedure for all levels and the test of small p-values.
    """

    alpha: float
    n_missed: int
    missed: float
    low: float
    high: float
    mean_size: float
    pvalue: float
    adjusted: float


def promise_tests(
    p: Floats,
    groups: NDArray[np.intp],
    n_calibration: Sequence[int | None],
    alphas: Sequence[float],
) -> Floats:
    """P-values of the promise at each level, then of `small_pvalue`.

    Parameters
    ----------
    p : (m,) array
        P-values of the true classes.
    groups : (m,) array of int
    n_calibration : sequence of int or None
        Of each group.
    alphas : sequence of L floats

    Returns
    -------
    (L + 1,) array
        The smallest of all groups times their number (Bonferroni): a promise for each group is
        broken if it is broken for one.

    Examples
    --------
    >>> promise_tests(np.array([0.5, 1.0]), np.array([0, 0]), [1], [0.5]).round(3)
    array([0.667, 0.667])
    """
    parts = [(p[groups == g], n) for g, n in enumerate(n_calibration) if (groups == g).any()]
    found = [
        *(min(misses_pvalue(part, n, alpha) for part, n in parts) for alpha in alphas),
        min(small_pvalue(part, n) for part, n in parts),
    ]
    return np.asarray(np.minimum(np.array(found) * len(parts), 1))


def misses_pvalue(p: Floats, n: int | None, alpha: float) -> float:
    """Whether more p-values are at most alpha than exchangeable samples give.

    Parameters
    ----------
    p : (m,) array
        P-values of the true classes.
    n : int or None
        Number of calibration samples; None takes p-values for independent, as of very many.
    alpha : float

    Returns
    -------
    float
        Probability of as many or more: k of m new scores beyond the l-th of n old ones mean that
        the first k + l - 1 of all have l - 1 old ones or fewer, which is hypergeometric.

    Examples
    --------
    One calibration score, one new: it is the stranger one half of the time.

    >>> misses_pvalue(np.array([0.5]), 1, 0.5)
    0.5
    """
    m = len(p)
    if n is None:
        return float(binom.sf(np.count_nonzero(p <= alpha) - 1, m, alpha))
    least = int(np.floor(alpha * (n + 1) + _ROUNDING))
    # Below the first rank are smoothed p-values only, at most as many as have this rank.
    k = int(np.count_nonzero(_ranks(p, n) <= least if least else p <= alpha))
    least = max(least, 1)
    return float(hypergeom.cdf(least - 1, n + m, n, k + least - 1)) if k else 1.0


def small_pvalue(p: Floats, n: int | None) -> float:
    """Whether small p-values are more frequent than guaranteed, at whatever level.

    Parameters
    ----------
    p : (m,) array
    n : int or None
        As for `misses_pvalue`.

    Returns
    -------
    float
        P-value of the one-sided test of Kolmogorov & Smirnov of new ranks against old ones; of one
        sample if n is None.

    Examples
    --------
    >>> round(small_pvalue(np.full(5, 0.01), None), 6)
    0.0
    """
    if n is None:
        return float(ks_1samp(p, uniform.cdf, alternative="greater").pvalue)
    if n == 0:
        return 1.0
    # A new score of rank r has r - 1 old ones before it.
    new, old = _ranks(p, n) - 0.5, np.arange(1.0, n + 1)
    counted = n + len(p) <= _MOST_COUNTED
    found = ks_2samp(new, old, alternative="greater", method="exact" if counted else "asymp")
    return float(found.pvalue)


def _ranks(p: Floats, n: int) -> Floats:
    """Rank of each score among those of calibration, 1 for the strangest; ties count as worse."""
    return np.asarray(np.ceil(p * (n + 1) - _ROUNDING), dtype=np.float64)


def unit_table(values: ArrayLike, name: str) -> Floats:
    """A table (n, K) of numbers in [0, 1].

    >>> unit_table([[0.5, 1.5]], "p_values")
    Traceback (most recent call last):
    ValueError: p_values[0, 1] is 1.5, expected a number in [0, 1]
    """
    table = as_floats(values, name)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"{name} have shape {table.shape}, expected (n, K) with two classes")
    if len(table) == 0:
        raise ValueError(f"{name} have no row; at least one sample is needed")
    refuse(table, ~((table >= 0) & (table <= 1)), name, "a number in [0, 1]")
    return table


def _check_p_values(table: NDArray[Any]) -> None:
    """Refuse what predictions have besides p-values: sets, and probabilities."""
    if table.dtype == bool:
        raise TypeError(
            "p_values hold bool values, whether sets have a class; count those by "
            "metrics.set_coverage, or give predict_p(X)"
        )
    sums = np.asarray(table, dtype=np.float64).sum(axis=1)
    if len(table) >= _FEW_ROWS and (np.abs(sums - 1) < _UNIT).all() and len(np.unique(table)) > 5:
        raise ValueError(
            f"all {len(table)} rows of p_values sum to 1, as probabilities do; give p-values, "
            "such as predict_p(X)"
        )


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Levels in ascending order, each once.

    >>> checked_levels([0.2, 0.1, 0.2])
    (0.1, 0.2)
    """
    found = as_sequence(levels, "levels", "levels inside (0, 1)")
    if not found:
        raise ValueError("levels is empty, expected at least one inside (0, 1)")
    for i, level in enumerate(found):
        check_level(f"levels[{i}]", level)
    return tuple(sorted({float(level) for level in found}))


def numbered_groups(
    groups: ArrayLike | None, n_calibration: Any, n: int
) -> tuple[NDArray[np.intp], tuple[int | None, ...]]:
    """Number (n,) of the group of each sample, and of calibration samples of each group.

    >>> numbered_groups(["b", "a", "b"], {"a": 9}, 3)
    (array([1, 0, 1]), (9, 0))
    """
    if groups is None:
        if isinstance(n_calibration, Mapping):
            raise TypeError("n_calibration is a mapping, but there are no groups; give a number")
        return np.zeros(n, dtype=np.intp), (_number("n_calibration", n_calibration),)
    labels = as_array(groups, "groups")
    if labels.shape != (n,):
        raise ValueError(f"groups have shape {labels.shape}, expected ({n},)")
    names, members = numbered(labels)
    if n_calibration is None:
        return members, (None,) * len(names)
    if not isinstance(n_calibration, Mapping):
        raise TypeError(
            f"n_calibration is {shown(n_calibration)}, expected a mapping of groups to numbers"
        )
    return members, tuple(
        _number(f"n_calibration[{name!r}]", n_calibration.get(name, 0)) for name in names
    )


def _number(name: str, value: object) -> int | None:
    return None if value is None else check_count(name, value)


_LEVELS = (0.01, 0.05, 0.1, 0.2)
# Of the verdict, after Holm's correction.
_LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class ConformalEvaluation:
    """Conformal beliefs, judged on labeled samples that neither training nor calibration has seen.

    Usually made by `from_estimator` or `from_p_values`.

    Parameters
    ----------
    name : str
    labels : (K,) array
        Classes, in the order of the columns.
    y : (n,) array of int
        Columns of the true classes.
    p_values, contour : (n, K) arrays
        P-values, and plausibilities, whose sets are judged.
    groups : (n,) array of int
        For which the guarantee holds apart; 0 if it holds on average over all.
    n_calibration : tuple of int or None
        Of each group. None if unknown: tests then take the calibration sample for a very large one.
    levels : tuple of float
    alpha : float
        Level of the sets that are shown by class and by size.
    confidence : float
        Of each interval.
    notes : tuple of str
        Notes on the guarantee.

    See Also
    --------
    evical.report.build : writes it as a page.
    evical.metrics.set_coverage : the coverage of any sets.

    Notes
    -----
    With n calibration samples and m judged ones, all exchangeable and without ties, the number of
    p-values of true classes at or below alpha has a negative hypergeometric distribution, and the
    ranks are those of two samples of one distribution. Ties make p-values greater. So the tests
    are exact or err towards the guarantee. They also need judged samples to be independent.

    References
    ----------
    Vovk (2012), Conditional validity of inductive conformal predictors, Proc. Mach. Learn. Res. 25.
    Clopper & Pearson (1934), Biometrika 26, 404-413.
    """

    name: str
    labels: NDArray[Any]
    y: NDArray[np.intp]
    p_values: Floats
    contour: Floats
    groups: NDArray[np.intp]
    n_calibration: tuple[int | None, ...]
    levels: tuple[float, ...] = _LEVELS
    alpha: float = 0.1
    confidence: float = 0.95
    notes: tuple[str, ...] = ()

    @classmethod
    def from_p_values(
        cls,
        y_true: ArrayLike,
        p_values: ArrayLike,
        *,
        contour: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        n_calibration: int | Mapping[Any, int | None] | None = None,
        groups: Any = None,
        levels: Sequence[float] = _LEVELS,
        alpha: float = 0.1,
        confidence: float = 0.95,
        name: str = "conformal beliefs",
        notes: Sequence[str] = (),
    ) -> ConformalEvaluation:
        """Judge p-values of all classes from any source, or plausibilities that are valid.

        Parameters
        ----------
        y_true : (n,) array
            True classes.
        p_values : (n, K) array
            In [0, 1].
        contour : (n, K) array, optional
            Plausibilities. Default: the p-values, the greatest of a row raised to 1.
        labels : sequence of K labels, optional
            Of the columns. Default: those of `y_true`, sorted.
        n_calibration : int or mapping of groups to int, optional
            Number of calibration samples without weights. Without it, tests take them for very
            many, and say less about the promise.
        groups : (n,) array, optional
            If the promise holds for each group (or class) of samples, their groups.
        levels : sequence of float
        alpha, confidence : float
            In (0, 1).
        name : str
        notes : sequence of str
            Sentences for the page.

        Returns
        -------
        ConformalEvaluation

        Raises
        ------
        TypeError
            If a number is none, or the numbers of calibration samples do not fit the groups.
        ValueError
            If a value is outside its range, a label unknown, or shapes differ.

        Examples
        --------
        >>> p = [[1, 0.04], [0.3, 0.02], [0.04, 0.6], [0.08, 0.9]]
        >>> judged = ConformalEvaluation.from_p_values(["a", "a", "a", "b"], p, levels=[0.05])
        >>> judged.at_levels()[0].missed
        0.25
        """
        table = unit_table(p_values, "p_values")
        check_rows(y_true=y_true, p_values=p_values, groups=groups)
        _check_p_values(as_array(p_values, "p_values"))
        plausible = to_contour(table) if contour is None else unit_table(contour, "contour")
        names = class_labels(y_true, labels, table.shape[1])
        codes = class_codes(y_true, names)
        check_same_length(y_true=codes, p_values=table)
        for what, given in (("p_values", p_values), ("contour", contour)):
            check_column_order(given, names, what)
        if plausible.shape != table.shape:
            raise ValueError(f"contour has shape {plausible.shape}, expected {table.shape}")
        for label, value in (("alpha", alpha), ("confidence", confidence)):
            check_level(label, value)
        check_instance("name", name, str, "a text")
        members, numbers = numbered_groups(groups, n_calibration, len(codes))
        return cls(
            name=name,
            labels=names,
            y=codes,
            p_values=table,
            contour=plausible,
            groups=members,
            n_calibration=numbers,
            levels=checked_levels(levels),
            alpha=alpha,
            confidence=confidence,
            notes=tuple(notes),
        )

    @classmethod
    def from_estimator(
        cls,
        classifier: Any,
        X: SamplesLike,
        y: ArrayLike,
        *,
        levels: Sequence[float] = _LEVELS,
        alpha: float = 0.1,
        confidence: float = 0.95,
        name: str | None = None,
    ) -> ConformalEvaluation:
        """Judge a fitted conformal classifier on new samples.

        Parameters
        ----------
        classifier : fitted ConformalClassifier
        X : (n, n_features) array or data frame
        y : (n,) array
            True classes, of the classifier.
        levels, alpha, confidence
            As for `from_p_values`.
        name : str, optional
            Default: that of the class of the classifier.

        Returns
        -------
        ConformalEvaluation

        Raises
        ------
        TypeError
            If it is no conformal classifier.
        ValueError
            As `from_p_values`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from evical.conformal import ConformalClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = ConformalClassifier(GaussianNB(), random_state=0).fit(X[::2], y[::2])
        >>> judged = ConformalEvaluation.from_estimator(clf, X[1::2], y[1::2])
        >>> judged.broken
        False
        """
        if isinstance(classifier, type) or not hasattr(classifier, "predict_p"):
            raise TypeError(
                f"classifier is {shown(classifier)}, expected a fitted ConformalClassifier"
            )
        check_rows(X=X, y=y)
        table = classifier.predict_p(X)
        numbers, notes = calibration_of(classifier)
        conditional = classifier.conditional
        groups = conditional(X) if callable(conditional) else y if conditional else None
        return cls.from_p_values(
            y,
            table,
            contour=classifier.predict_contour(X),
            labels=classifier.classes_,
            n_calibration=numbers[None] if groups is None else numbers,
            groups=groups,
            levels=levels,
            alpha=alpha,
            confidence=confidence,
            name=type(classifier).__name__ if name is None else name,
            notes=notes,
        )

    @cached_property
    def true_p(self) -> Floats:
        """P-values (n,) of the true classes."""
        return np.asarray(self.p_values[np.arange(len(self.y)), self.y])

    @property
    def calibration_known(self) -> bool:
        """Whether tests know how many calibration samples there are."""
        return None not in self.n_calibration

    def coverage(self, by: str = "all", alpha: float | None = None) -> SetCoverage:
        """How often sets at a level hold the class, of all samples, by class or by size.

        Parameters
        ----------
        by : {"all", "class", "size"}
        alpha : float, optional
            Default: that of the evaluation.

        Returns
        -------
        SetCoverage
        """
        sets = prediction_sets(self.contour, self.alpha if alpha is None else alpha)
        return set_coverage(
            self.labels[self.y], sets, by=by, labels=self.labels, confidence=self.confidence
        )

    def at_levels(self) -> tuple[LevelCoverage, ...]:
        """Misses of the sets at each level, with their tests."""
        return tuple(
            self._at(alpha, pvalue, adjusted)
            for alpha, pvalue, adjusted in zip(self.levels, *self._tests, strict=False)
        )

    @property
    def small(self) -> tuple[float, float]:
        """Adjusted p-value of the test that small p-values are no more frequent than guaranteed."""
        return float(self._tests[0][-1]), float(self._tests[1][-1])

    @property
    def broken(self) -> bool:
        """Whether a test finds more misses than the guarantee allows, at 5 % after Holm."""
        return bool(self._tests[1].min() < _LEVEL)

    @property
    def verdict(self) -> str:
        """Whether the guarantee was met on these samples, and what follows, in a sentence."""
        one = self._most_telling()
        figure = (
            f"at alpha = {one.alpha:g}, {one.missed:.1%} of the sets miss the class "
            f"({self.confidence:.0%} limits {one.low:.1%} to {one.high:.1%})"
        )
        if not self.broken:
            return (
                f"The data are compatible with the guarantee: {figure}; for this calibration "
                f"sample, a miss rate of up to {one.high:.1%} remains possible"
            )
        where = (
            f" in at least one of {len(self.n_calibration)} groups"
            if len(self.n_calibration) > 1
            else ""
        )
        test = (
            f"more than chance explains{where} ({pvalue_text(one.adjusted)}, adjusted)"
            if one.adjusted < _LEVEL
            else f"and small p-values are too frequent{where} "
            f"({pvalue_text(self.small[1])}, adjusted)"
        )
        if self.calibration_known:
            return (
                f"The guarantee was violated on these samples: {figure}, {test}; they "
                "are unlikely to be exchangeable with those of calibration"
            )
        return (
            f"Sets miss the class more often than alpha allows: {figure}, {test}; this concerns "
            "one calibration sample, and the guarantee is a mean over such samples"
        )

    def _most_telling(self) -> LevelCoverage:
        """The level of the smallest p-value if something is wrong, else that of the sets shown."""
        found = self.at_levels()
        if self.broken:
            return min(found, key=lambda one: one.pvalue)
        return min(found, key=lambda one: abs(one.alpha - self.alpha))

    @cached_property
    def _tests(self) -> tuple[Floats, Floats]:
        """P-values of the tests at all levels, then of the whole distribution; adjusted ones."""
        pvalues = promise_tests(self.true_p, self.groups, self.n_calibration, self.levels)
        return pvalues, holm_adjusted(pvalues)

    def _at(self, alpha: float, pvalue: float, adjusted: float) -> LevelCoverage:
        found = self.coverage(alpha=alpha)
        low, high = found.interval[0]
        n_missed = round(float(1 - found.coverage[0]) * len(self.y))
        return LevelCoverage(
            alpha,
            n_missed,
            n_missed / len(self.y),
            float(1 - high),
            float(1 - low),
            float(found.mean_size[0]),
            float(pvalue),
            float(adjusted),
        )

    def __repr__(self) -> str:
        return f"ConformalEvaluation({self._head()})"

    def __str__(self) -> str:
        """The verdict, and a line for each level."""
        lines = ["  ".join(f"{cell:>9}" for cell in row) for row in self._rows()]
        return "\n".join([self._head(), *lines, fill(f"{self.verdict}.", 88)])

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), [f"{self.verdict}."])

    def _head(self) -> str:
        return f"{self.name}: {len(self.labels)} classes, {len(self.y)} samples"

    def _rows(self) -> list[list[str]]:
        return [
            ["alpha", "missed", "at least", "at most", "mean size"],
            *(
                [
                    f"{one.alpha:g}",
                    *(f"{value:.3f}" for value in (one.missed, one.low, one.high)),
                    f"{one.mean_size:.2f}",
                ]
                for one in self.at_levels()
            ),
        ]
