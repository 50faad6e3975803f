"""`PValuesDisplay`: p-values of the true classes as a histogram, beside what the promise allows.

Conformal p-values of true classes are uniform, up to ties, which make them greater. So bars above
the line at the left end break the promise: at the levels there, sets miss the class too often.
"""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy.stats import betabinom, binom
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import as_floats, check_count, check_instance
from dstheory.plot.style import (
    COLORS,
    add_legend,
    axes_or_new,
    band_style,
    ink,
    keep_on_canvas,
    literal,
)
from evical._typing import Floats, SamplesLike
from evical.conformal.calibration import calibration_of
from evical.metrics.inputs import class_codes, class_labels
from evical.plot._inputs import known_classes, predictions
from evical.scores.checks import check_same_length

_SIZE = (5.4, 3.4)
_COLORS = ("blue", "vermilion", "green", "orange")
# Of the band of chance.
_TAIL = 0.025
# A last bar so many times as high as all others is cut.
_TIE = 2.0
# Of a rank, in ranks, and of a bin, in bins: far more than rounding.
_ROUNDING = 1e-6


class PValuesDisplay:
    """Histogram of p-values of the true classes, with the line of uniform ones.

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
    bars_ : StepPatch
    line_ : StepPatch
        Expected density, if p-values are uniform: 1, or the share of the possible ranks in a bin.
    band_ : StepPatch
        Where 95 % of the bars would be, each for itself.
    counts_ : (n_bins,) array of int
        P-values in each bin.
    limits_ : (2, n_bins) array
        Of the band, as densities.

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
        wrong = ~((p >= 0) & (p <= 1))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"p_values[{row}] is {p[row]:g}, expected a number in [0, 1]")
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
    ) -> "PValuesDisplay":
        """Draw the p-values of a fitted conformal classifier for the true classes.

        Parameters
        ----------
        classifier : fitted ConformalClassifier
        X : (m, n_features) array or data frame
        y : (m,) array
            True classes of samples that it has not seen.
        n_bins, name
            As for `PValuesDisplay`.
        ax : matplotlib Axes, optional
            As for `plot`.

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
        p = predictions(classifier, "predict_p", X)
        return cls.from_p_values(
            y,
            p,
            labels=known_classes(classifier),
            n_calibration=calibration_of(classifier)[0].get(None) or None,
            n_bins=n_bins,
            name=name,
            ax=ax,
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
    ) -> "PValuesDisplay":
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
        ax : matplotlib Axes, optional
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
        codes = class_codes(y_true, class_labels(y_true, labels, table.shape[1]))
        check_same_length(y_true=codes, p_values=table)
        true = table[np.arange(len(codes)), codes]
        return cls(true, n_calibration=n_calibration, n_bins=n_bins, name=name).plot(ax)

    def plot(self, ax: Axes | None = None) -> "PValuesDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default. On axes with other histograms, this one gets another color.

        Returns
        -------
        PValuesDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax, _SIZE)
        m, n_bins = len(self.p_values), self.n_bins
        edges = np.linspace(0, 1, n_bins + 1)
        self.counts_ = np.bincount(self._bins(), minlength=n_bins)
        expected, limits = self._chance()
        self.limits_ = limits * n_bins / m
        number = sum(patch.get_gid() == "p-values" for patch in ax.patches)
        first, color = number == 0, COLORS[_COLORS[number % len(_COLORS)]]
        heights = self.counts_ * n_bins / m
        top = 1.06 * max(float(heights.max()), float(self.limits_[1].max()))
        rest = 1.06 * max(
            float(heights[:-1].max(initial=0)), float(self.limits_[1][:-1].max(initial=0))
        )
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
            **band_style(COLORS["gray"] if first else color, 0.25 if first else 0.12),
            zorder=0.5,
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
        ax.set_xlim(0, 1)
        ax.set_xlabel("P-value of the true class")
        ax.set_ylabel("Density")
        add_legend(ax)
        keep_on_canvas(ax)
        return self

    def _bins(self) -> NDArray[np.intp]:
        """Number of the bin of each p-value."""
        place = np.ceil(self.p_values * self.n_bins - _ROUNDING) - 1
        return np.asarray(np.clip(place, 0, self.n_bins - 1), dtype=np.intp)

    def _chance(self) -> tuple[Floats, Floats]:
        """Expected share of each bin, and limits (2, n_bins) of its number of p-values."""
        m, n, uniform = (
            len(self.p_values),
            self.n_calibration,
            np.full(self.n_bins, 1 / self.n_bins),
        )
        tails = np.array([[_TAIL], [1 - _TAIL]])
        if n is None:
            return uniform, np.asarray(binom.ppf(tails, m, uniform))
        ranks = uniform * (n + 1)
        if self._whole_ranks(n):
            upper = np.floor(np.arange(1, self.n_bins + 1) * (n + 1) / self.n_bins + _ROUNDING)
            ranks = np.diff(upper, prepend=0.0)
        # Of a bin with all ranks, or none, the number is certain.
        inside = np.clip(ranks, 1e-9, n + 1 - 1e-9)
        return ranks / (n + 1), np.asarray(betabinom.ppf(tails, m, inside, n + 1 - inside))

    def _whole_ranks(self, n: int) -> bool:
        """Whether p-values are shares of n + 1, not smoothed ones."""
        ranks = self.p_values * (n + 1)
        return bool((np.abs(ranks - np.round(ranks)) < _ROUNDING).all())
