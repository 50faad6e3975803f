"""`PValuesDisplay`: how often sets miss the class, and p-values of the true classes as a histogram.

The classes with p-values above a level miss the true one where its p-value is at most the level.
Conformal p-values of true classes are uniform, up to ties, which make them greater. So misses above
the diagonal, and bars above the line at the left end, violate the guarantee. Sets of `predict_set`
have at least one class, so they may miss less often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from scipy.stats import betabinom, binom
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import as_floats, check_count, check_instance
from dstheory.plot.style import (
    COLORS,
    OnAxes,
    add_legend,
    axes_or_new,
    band_style,
    ink,
    keep_on_canvas,
    literal,
    new_axes,
    next_curve,
)
from evical._typing import Floats, SamplesLike
from evical.conformal.calibration import calibration_of
from evical.metrics.inputs import class_codes, class_labels
from evical.plot._inputs import known_classes, predictions
from evical.scores.checks import check_column_order, check_same_length, refuse

_SIZE, _PAIR_SIZE = (5.4, 3.4), (8.0, 3.4)
# Levels of the misses, those at which sets are used, and of their band, whose limits take longer.
_LEVELS, _BAND_LEVELS = np.linspace(0, 0.25, 251), np.linspace(0, 0.25, 26)
# Of the band of chance.
_TAIL = 0.025
# A last bar so many times as high as all others is cut.
_TIE = 2.0
# Of a rank, in ranks, of a bin, in bins, and of a level: far more than rounding.
_ROUNDING = 1e-6


class PValuesDisplay(OnAxes):
    """Misses of sets by level, and the histogram of p-values of the true classes.

    Usually made by `from_estimator` or `from_p_values`.

    Parameters
    ----------
    p_values : (m,) array
        Of the true class of each sample, in [0, 1].
    n_calibration : int, optional
        Number of calibration samples that all p-values share. The band of chance then is as wide
        as their chance makes it; without it, it is that of independent p-values.
    n_bins : int
        Of equal width; a bin includes its upper limit, as a level does.
    name : str, optional
        Of the histogram in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : StepPatch
    line_ : StepPatch
        Expected density, if p-values are uniform: 1, or the share of the possible ranks in a bin.
    band_ : StepPatch
        Where 95 % of the bars would be, each for itself.
    counts_ : (n_bins,) array of int
        P-values in each bin.
    limits_ : (2, n_bins) array
        Of the band, as densities.
    misses_ax_ : matplotlib Axes or None
    misses_line_ : Line2D or None
        Share of the p-values at or below each level up to 0.25.
    misses_band_ : PolyCollection or None
        Where 95 % of the shares would be by chance, at each level for itself.

    Raises
    ------
    TypeError
        If a number is none.
    ValueError
        If there is no p-value, one is outside [0, 1], or a number is too small.

    Examples
    --------
    >>> PValuesDisplay([0.1, 0.2, 0.5, 0.9], n_bins=2).plot().counts_
    array([3, 1])
    """

    def __init__(
        self,
        p_values: ArrayLike,
        *,
        n_calibration: int | None = None,
        n_bins: int = 20,
        name: str | None = None,
    ) -> None:
        p = as_floats(p_values, "p_values")
        if p.ndim != 1 or not len(p):
            raise ValueError(f"p_values have shape {p.shape}, expected (m,) with at least one")
        refuse(p, ~((p >= 0) & (p <= 1)), "p_values", "a number in [0, 1]")
        if n_calibration is not None:
            check_count("n_calibration", n_calibration, 1)
        check_count("n_bins", n_bins, 1)
        if name is not None:
            check_instance("name", name, str, "a text")
        self.p_values, self.n_calibration, self.n_bins, self.name = p, n_calibration, n_bins, name

    @classmethod
    def from_estimator(
        cls,
        classifier: BaseEstimator,
        X: SamplesLike,
        y: ArrayLike,
        *,
        n_bins: int = 20,
        name: str | None = None,
        ax: Axes | None = None,
        misses_ax: Axes | None = None,
    ) -> PValuesDisplay:
        """Draw the p-values of a fitted conformal classifier for the true classes.

        Parameters
        ----------
        classifier : fitted ConformalClassifier
        X : (m, n_features) array or data frame
        y : (m,) array
            True classes of samples that it has not seen.
        n_bins, name, ax, misses_ax
            As for `from_p_values`.

        Returns
        -------
        PValuesDisplay
            Its `n_calibration` is None for cross-conformal prediction, weighted samples, and a
            promise for each class or group.

        Raises
        ------
        TypeError
            If it has no p-values.
        ValueError
            If a label is unknown, or as `PValuesDisplay`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from evical.conformal import ConformalClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = ConformalClassifier(GaussianNB(), random_state=0).fit(X[::2], y[::2])
        >>> int(PValuesDisplay.from_estimator(clf, X[1::2], y[1::2]).counts_.sum())
        75
        """
        p = predictions(classifier, "predict_p", X, y)
        known = calibration_of(classifier)[0].get(None) or None
        labels = known_classes(classifier)
        return cls.from_p_values(
            y,
            p,
            labels=labels,
            n_calibration=known,
            n_bins=n_bins,
            name=name,
            ax=ax,
            misses_ax=misses_ax,
        )

    @classmethod
    def from_p_values(
        cls,
        y_true: ArrayLike,
        p_values: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        n_calibration: int | None = None,
        n_bins: int = 20,
        name: str | None = None,
        ax: Axes | None = None,
        misses_ax: Axes | None = None,
    ) -> PValuesDisplay:
        """Draw the p-values of the true classes, of a table with all classes.

        Parameters
        ----------
        y_true : (m,) array
            True classes.
        p_values : (m, K) array
            As `evical.conformal.p_values` gives them.
        labels : sequence of K labels, optional
            Of the columns. Default: those of `y_true`, sorted.
        n_calibration, n_bins, name
            As for `PValuesDisplay`.
        ax, misses_ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        PValuesDisplay

        Raises
        ------
        ValueError
            If a label is unknown or lengths differ, or as `PValuesDisplay`.

        Examples
        --------
        >>> p = [[0.9, 0.1], [0.3, 0.8]]
        >>> PValuesDisplay.from_p_values(["a", "b"], p, n_bins=2).counts_
        array([0, 2])
        """
        table = as_floats(p_values, "p_values")
        if table.ndim != 2:
            raise ValueError(f"p_values have shape {table.shape}, expected (m, K)")
        names = class_labels(y_true, labels, table.shape[1])
        check_column_order(p_values, names, "p_values")
        codes = class_codes(y_true, names)
        check_same_length(y_true=codes, p_values=table)
        true = table[np.arange(len(codes)), codes]
        display = cls(true, n_calibration=n_calibration, n_bins=n_bins, name=name)
        return display.plot(ax, misses_ax=misses_ax)

    def plot(self, ax: Axes | None = None, *, misses_ax: Axes | None = None) -> PValuesDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            For the histogram. New ones by default, with another pair to their left for the
            misses. On axes with other histograms, this one gets another color.
        misses_ax : matplotlib Axes, optional
            For the misses; with `ax` alone they are not drawn.

        Returns
        -------
        PValuesDisplay
            Itself, with the artists as attributes.
        """
        if misses_ax is not None:
            check_instance("misses_ax", misses_ax, Axes, "matplotlib Axes")
        elif ax is None:
            misses_ax, ax = new_axes(_PAIR_SIZE, ncols=2)
        self.ax_ = ax = axes_or_new(ax, _SIZE)
        first = not any(patch.get_gid() == "p-values" for patch in ax.patches)
        color = next_curve(ax, "p-values")[0]
        band = band_style(COLORS["gray"] if first else color, 0.25 if first else 0.12)
        band["zorder"] = 0.5
        self._draw_histogram(ax, color, band, first=first)
        self.misses_ax_ = misses_ax
        self.misses_line_: Line2D | None = None
        self.misses_band_: PolyCollection | None = None
        if misses_ax is not None:
            self._draw_misses(misses_ax, color, band, first=first)
        keep_on_canvas(misses_ax, ax)
        return self

    def _draw_misses(self, ax: Axes, color: str, band: dict[str, Any], *, first: bool) -> None:
        """Share of p-values of true classes up to each level, beside the level."""
        m = len(self.p_values)
        missed = np.searchsorted(np.sort(self.p_values), _LEVELS + _ROUNDING, side="right") / m
        limits = self._limits(self._ranks(_BAND_LEVELS)) / m
        self.misses_band_ = ax.fill_between(_BAND_LEVELS, *limits, **band)
        (self.misses_line_,) = ax.plot(
            _LEVELS,
            missed,
            color=color,
            lw=1.6,
            drawstyle="steps-post",
            label="p-values up to alpha",
        )
        if first:
            ax.plot(_LEVELS, _LEVELS, color=ink(), ls=":", lw=1, label="guaranteed at most")
        top = 1.06 * max(_LEVELS[-1], float(missed[-1]), float(limits[1, -1]))
        ax.set(xlim=(0, _LEVELS[-1]), ylim=(0, top if first else max(top, ax.get_ylim()[1])))
        ax.set(xlabel="Level alpha", ylabel="Share of true classes")
        if first:
            add_legend(ax)

    def _draw_histogram(self, ax: Axes, color: str, band: dict[str, Any], *, first: bool) -> None:
        """Bars of the p-values, their band and the line of uniform ones."""
        m, n_bins = len(self.p_values), self.n_bins
        edges = np.linspace(0, 1, n_bins + 1)
        self.counts_ = np.bincount(self._bins(), minlength=n_bins)
        expected, limits = self._chance()
        self.limits_ = limits * n_bins / m
        heights = self.counts_ * n_bins / m
        tops = 1.06 * np.maximum(heights, self.limits_[1])
        top, rest = float(tops.max()), float(tops[:-1].max(initial=0))
        if heights[-1] > _TIE * rest > 0:  # ties at 1 would press the left end to the axis
            top = 1.25 * rest
            ax.annotate(
                f"{heights[-1]:.3g} ↑",
                (1 - 1 / n_bins, 0.98),
                (-3, 0),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="right",
                va="top",
                color=color,
            )
        ax.set_ylim(0, top if first else max(top, ax.get_ylim()[1]))
        self.band_ = ax.stairs(
            self.limits_[1],
            edges,
            baseline=self.limits_[0],
            fill=True,
            **band,
            label="95 % of bars by chance" if first else None,
        )
        self.bars_ = ax.stairs(
            heights,
            edges,
            color=color,
            lw=1.6,
            gid="p-values",
            label="p-values of true classes" if self.name is None else literal(self.name),
        )
        self.line_ = ax.stairs(
            expected * n_bins,
            edges,
            baseline=None,
            color=ink(),
            ls=":",
            lw=1,
            label="uniform" if first else None,
        )
        ax.set(xlim=(0, 1), xlabel="P-value of the true class", ylabel="Density")
        add_legend(ax)

    def _bins(self) -> NDArray[np.intp]:
        """Number of the bin of each p-value."""
        place = np.ceil(self.p_values * self.n_bins - _ROUNDING) - 1
        return np.asarray(np.clip(place, 0, self.n_bins - 1), dtype=np.intp)

    def _chance(self) -> tuple[Floats, Floats]:
        """Expected share of each bin, and limits (2, n_bins) of its number of p-values."""
        ranks = np.diff(self._ranks(np.linspace(0, 1, self.n_bins + 1)))
        return ranks / self._possible, self._limits(ranks)

    @property
    def _possible(self) -> int:
        """Number of the ranks that a p-value may have; 1 if they are not known."""
        return 1 if self.n_calibration is None else self.n_calibration + 1

    def _ranks(self, levels: Floats) -> Floats:
        """Ranks of p-values up to each level, a share of one where smoothed or not known."""
        ranks = levels * self._possible
        if self.n_calibration is not None and self._whole_ranks(self.n_calibration):
            return np.asarray(np.floor(ranks + _ROUNDING))
        return np.asarray(ranks)

    def _limits(self, ranks: Floats) -> Floats:
        """Between which 95 % of the numbers of p-values with so many ranks are by chance."""
        m, n = len(self.p_values), self._possible
        tails = np.array([[_TAIL], [1 - _TAIL]])
        if self.n_calibration is None:
            return np.asarray(binom.ppf(tails, m, ranks))
        # Of no rank, or all of them, the number is certain.
        inside, place = np.unique(np.clip(ranks, 1e-9, n - 1e-9), return_inverse=True)
        return np.asarray(betabinom.ppf(tails, m, inside, n - inside))[:, place]

    def _whole_ranks(self, n: int) -> bool:
        """Whether p-values are shares of n + 1, not smoothed ones."""
        ranks = self.p_values * (n + 1)
        return bool((np.abs(ranks - np.round(ranks)) < _ROUNDING).all())
