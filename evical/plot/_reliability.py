"""`ReliabilityDisplay`: the share of positives against the predicted probability.

Predictions are grouped into bins, or pooled by isotonic regression (CORP). The picture also shows
the number of samples, because a bin with three samples proves nothing. Murphy & Winkler 1977;
DeGroot & Fienberg 1983; Dimitriadis, Gneiting & Jordan 2021.

Data of reliability diagrams: bins with intervals, or the isotonic curve with its band.

Bins give the share of positives against the mean prediction. CORP is isotonic regression of
outcomes on predictions (PAV), which chooses the bins itself; its band contains such curves for
outcomes drawn with the predicted probabilities. Dimitriadis, Gneiting & Jordan 2021; Broecker &
Smith 2007.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory import MassFunction
from dstheory.checks.arguments import (
    check_choice,
    check_count,
    check_flag,
    check_instance,
    check_level,
)
from dstheory.plot.style import (
    COLORS,
    UNIT,
    OnAxes,
    add_legend,
    axes_or_new,
    band_style,
    keep_on_canvas,
    literal,
    new_axes,
    next_curve,
)
from evical._fitting import as_random_state
from evical._typing import Floats, RandomState
from evical.metrics.binned_curve import INTERVALS, curve_of
from evical.metrics.bins import isotonic, summed_bins
from evical.metrics.inputs import MOST_REPEATS, BinarySample, binary_sample, counted
from evical.plot._density import DENSITIES, draw_density
from evical.plot._inputs import (
    display_name,
    evenly,
    known_classes,
    positive_index,
    positive_outcomes,
    predictions,
)

# Maximum number of distinct predictions for the band. With more, neighbors are merged: isotonic
# regression of n samples pools about n^(2/3), far more than a 5000th of them.
_MAX_DISTINCT = 5000
# Predictions at which the band is computed: finer than the pixels of a printed column.
_N_BAND = 400
# Inches of new axes for the curve and, below them, the density.
_PAIR_SIZE = (5.2, 6.8)


def uncertainty_name(strategy: str, interval: str | None, confidence: float) -> str | None:
    """Name of intervals or band."""
    if strategy == "corp":
        return f"{confidence:.3g} consistency band"
    names = {
        "clopper_pearson": f"{confidence:.3g} Clopper-Pearson interval",
        "likelihood": "Bel and Pl of the next sample",
    }
    return None if interval is None else names[interval]


def binned(
    sample: BinarySample, n_bins: int, strategy: str, interval: str | None, confidence: float
) -> dict[str, Any]:
    """Bins of equal width or of equal frequency; with weights, of effective sizes."""
    curve = curve_of(sample, n_bins, strategy, interval, confidence)

    def spread(values: NDArray[Any], empty: float = np.nan) -> NDArray[Any]:
        """Values of all bins."""
        full = np.full(n_bins, empty, dtype=np.result_type(values, type(empty)))
        full[curve.number] = values
        return full

    ends = None
    if curve.lower is not None and curve.upper is not None:
        ends = (spread(curve.lower), spread(curve.upper))
    return {
        "prob_pred": spread(curve.centers),
        "prob_true": spread(curve.frequencies),
        "counts": spread(curve.counts, 0),
        "edges": np.linspace(0, 1, n_bins + 1) if strategy == "uniform" else None,
        "interval": ends,
    }


def corp(
    sample: BinarySample, n_resamples: int, confidence: float, random_state: RandomState
) -> dict[str, Any]:
    """Isotonic curve at each distinct prediction, with its consistency band."""
    check_count("n_resamples", n_resamples, 0, MOST_REPEATS)
    values, place, counts = np.unique(sample.p, return_inverse=True, return_counts=True)
    bins = summed_bins(sample, place, len(values))
    band = None
    if n_resamples:
        band = _band(sample, values, place, n_resamples, confidence, random_state)
    curve = isotonic(bins.true, bins.weight)
    return {"prob_pred": values, "prob_true": curve, "counts": counts, "band": band}


def _band(
    sample: BinarySample,
    values: Floats,
    place: NDArray[np.intp],
    n_resamples: int,
    level: float,
    random_state: RandomState,
) -> tuple[Floats, Floats, Floats]:
    """Quantiles of isotonic curves of outcomes drawn with the predicted probabilities."""
    random = as_random_state(random_state)
    if len(values) > _MAX_DISTINCT:
        starts = np.linspace(0, len(values), _MAX_DISTINCT + 1).astype(np.intp)[:-1]
        place = np.searchsorted(starts, place, side="right") - 1
        values = summed_bins(sample, place, _MAX_DISTINCT).prob
    weight = np.bincount(place, sample.weight)
    shown = evenly(len(values), _N_BAND)

    def positives() -> NDArray[Any]:
        if sample.weight is None:
            return np.asarray(random.binomial(weight, values))
        happened = random.random_sample(len(sample.p)) < sample.p
        return np.bincount(place, sample.weight * happened)

    curves = np.stack([isotonic(positives() / weight, weight)[shown] for _ in range(n_resamples)])
    low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return values[shown], low, high


Strategy = Literal["uniform", "quantile", "corp"]
Interval = Literal["clopper_pearson", "likelihood"] | None
Density = Literal["histogram", "classes", "rug"] | None


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(OnAxes):
    """Reliability diagram, with the number of samples.

    Usually made by `from_predictions` or `from_estimator`.

    Parameters
    ----------
    prob_pred, prob_true : (b,) arrays
        Mean prediction and share of positives of each bin, NaN for empty bins; or the isotonic
        curve at each distinct prediction.
    counts : (b,) array
        Number of samples of each.
    strategy : "uniform", "quantile" or "corp"
        Origin of the points.
    edges : (b + 1,) array, optional
        Edges of bins of equal width, used for the histogram too.
    interval : pair of (b,) arrays, optional
        Ends of an interval for the share of each bin.
    band : triple of (c,) arrays, optional
        Predictions, and the ends of the consistency band there.
    uncertainty_name : str, optional
        Name of intervals or band, for the legend.
    y_true, y_prob : (n,) arrays, optional
        The sample, for its density.
    sample_weight : (n,) array, optional
        Weights of the sample; the density is then that of the weight.
    name : str, optional
        For the legend.
    class_name : str, optional
        Of the positive class; for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : Line2D
        Share of positives over prediction.
    intervals_ : LineCollection or None
    band_ : PolyCollection or None
    counts_ax_ : matplotlib Axes or None
    density_ : list of artists
        Histograms or rugs, of all or of the negative and the positive samples.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9], n_bins=2)
    >>> display.counts, display.prob_true
    (array([3, 1]), array([0.33333333, 1.        ]))
    """

    prob_pred: Floats
    prob_true: Floats
    counts: NDArray[np.int64]
    _: KW_ONLY
    strategy: Strategy = "uniform"
    edges: Floats | None = None
    interval: tuple[Floats, Floats] | None = None
    band: tuple[Floats, Floats, Floats] | None = None
    uncertainty_name: str | None = None
    y_true: Floats | None = None
    y_prob: Floats | None = None
    sample_weight: Floats | None = None
    name: str | None = None
    class_name: str | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike | MassFunction,
        *,
        n_bins: int | None = None,
        strategy: Strategy | None = None,
        interval: Interval = None,
        confidence: float = 0.95,
        n_resamples: int = 200,
        random_state: RandomState = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Hashable | None = None,
        name: str | None = None,
        class_name: str | None = None,
        ax: Axes | None = None,
        counts_ax: Axes | None = None,
        **style: Any,
    ) -> ReliabilityDisplay:
        """Bin predictions, and draw.

        Parameters
        ----------
        y_true : (n,) array of labels
            Two labels: 0 and 1 or -1 and 1, unless `pos_label` names the positive one.
        y_prob : (n,) or (n, 2) array, or MassFunction
            Probabilities of the positive class; mass functions stand for their pignistic
            probabilities.
        n_bins : int, optional
            Number of bins, 10 by default; ignored by "corp".
        strategy : "uniform", "quantile" or "corp", optional
            Bins of equal width, or of equal frequency; or isotonic regression, which needs no bins,
            with a band that contains its curve if predictions are calibrated. By default "corp",
            or "uniform" if a number of bins or an interval is given.
        interval : "clopper_pearson", "likelihood" or None
            For the share of each bin: confidence interval, or belief and plausibility that the
            next sample is positive.
        confidence : float
            Level of the Clopper-Pearson intervals, and of the consistency band at each prediction.
        n_resamples : int
            Number of curves for the consistency band; 0 for no band.
        random_state : int, RandomState or None
            For the band.
        sample_weight : (n,) array, optional
            Weights for the shares. Intervals use the effective size of a bin, the squared sum of
            its weights divided by the sum of their squares.
        pos_label : label, optional
        name : str, optional
            For the legend.
        class_name : str, optional
            Of the positive class, for the axis; `pos_label` if not given.
        ax, counts_ax : matplotlib Axes, optional
            As for `plot`.
        **style
            As for `plot`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ValueError
            If lengths differ, there is no sample, there are not two labels, a probability is not in
            [0, 1], or the strategy or interval is unknown.
        TypeError
            If a number that must be whole is not.

        Notes
        -----
        For the band, each of `n_resamples` curves is the isotonic regression of outcomes drawn with
        the predicted probabilities. The level holds at each prediction separately, so even a
        calibrated curve may leave the band somewhere.

        References
        ----------
        Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic
        classifiers, Proceedings of the National Academy of Sciences 118, e2016191118.
        Clopper & Pearson (1934), Biometrika 26, 404-413. Xu, Davoine, Zha & Denoeux (2016),
        section 4.1, on the likelihood.
        """
        sample = counted(binary_sample(y_true, y_prob, pos_label, sample_weight))
        if strategy is None:
            strategy = "corp" if n_bins is None and interval is None else "uniform"
        check_choice("strategy", strategy, ("uniform", "quantile", "corp"))
        check_choice("interval", interval, (*INTERVALS, None))
        check_level("confidence", confidence)
        if strategy == "corp":
            if interval is not None:
                raise ValueError(f'interval is {interval!r}, but strategy="corp" has a band')
            drawn = corp(sample, n_resamples, confidence, random_state)
        else:
            n_bins = 10 if n_bins is None else n_bins
            drawn = binned(sample, n_bins, strategy, interval, confidence)
        if class_name is None and pos_label is not None:
            class_name = str(pos_label)
        display = cls(
            **drawn,
            strategy=strategy,
            uncertainty_name=uncertainty_name(strategy, interval, confidence),
            y_true=sample.y,
            y_prob=sample.p,
            sample_weight=sample.weight,
            name=name,
            class_name=class_name,
        )
        return display.plot(ax, counts_ax=counts_ax, **style)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pos_label: Hashable | None = None,
        **options: Any,
    ) -> ReliabilityDisplay:
        """Predict with a fitted classifier or calibrator, and draw.

        Parameters
        ----------
        estimator : fitted estimator
            With ``predict_proba`` and ``classes_``.
        X : array
            Features, or the scores of a calibrator.
        y : (n,) array
            Labels.
        pos_label : label, optional
            The class to show; by default the second of two.
        **options
            As for `from_predictions`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ValueError
            As `from_predictions`, or if the estimator does not know a label.
        TypeError
            If the estimator is not fitted, or predicts no probabilities.
        """
        classes = known_classes(estimator)
        index = positive_index(classes, pos_label)
        prob = np.asarray(predictions(estimator, "predict_proba", X, y))[:, index]
        options.setdefault("class_name", str(classes[index]))
        options["name"] = display_name(estimator, options.get("name"))
        return cls.from_predictions(positive_outcomes(y, classes, index), prob, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        counts_ax: Axes | None = None,
        density: Density = "histogram",
        ref_line: bool = True,
        color: str | None = None,
        marker: str | None = None,
        linestyle: str | None = None,
    ) -> ReliabilityDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, with another pair below them for the density.
        counts_ax : matplotlib Axes, optional
            For the density of predictions; with `ax` alone it is not drawn.
        density : "histogram", "classes", "rug" or None
            Number of samples in bins, of all or of each class (positive samples upwards,
            negative ones downwards); or a mark for each sample, positive ones above.
        ref_line : bool
            Draw the diagonal where there are predictions, once on the same axes.
        color, marker, linestyle : str, optional
            By default different from those of the displays already on the axes; isotonic curves
            have no marker.

        Returns
        -------
        ReliabilityDisplay
            Itself, with the artists as attributes.

        Raises
        ------
        ValueError
            If the density is unknown.
        """
        check_choice("density", density, DENSITIES)
        check_flag("ref_line", ref_line)
        if counts_ax is not None:
            check_instance("counts_ax", counts_ax, Axes, "matplotlib Axes")
        if ax is None and counts_ax is None and density is not None and self.y_prob is not None:
            ax, counts_ax = new_axes(_PAIR_SIZE, nrows=2, sharex=True, height_ratios=(4, 1))
        self.ax_ = ax = axes_or_new(ax)
        if ref_line:
            self._draw_diagonal(ax)
        own = next_curve(ax, "reliability")
        color, linestyle = color or own[0], linestyle or own[2]
        self._draw_uncertainty(ax, color)
        (self.line_,) = ax.plot(
            *self._curve(),
            color=color,
            marker=self._marker(own[1]) if marker is None else marker,
            ms=5,
            linestyle=linestyle,
            label=self._label(),
            gid="reliability",
        )
        share = f"Share of {self._class_text()}"
        ax.set(xlabel="Predicted probability", ylabel=share, xlim=UNIT, ylim=UNIT)
        add_legend(ax)
        self.counts_ax_, self.density_ = counts_ax, []
        if counts_ax is not None and density is not None and self.y_prob is not None:
            self.density_ = self._draw_density(counts_ax, density, color, linestyle)
            if ax.get_shared_x_axes().joined(ax, counts_ax):
                ax.set_xlabel("")
        keep_on_canvas(ax, counts_ax)
        return self

    def _marker(self, own: str) -> str:
        """Marker of bins, and of an isotonic curve with a single prediction."""
        return "" if self.strategy == "corp" and len(self.prob_pred) > 1 else own

    def _draw_diagonal(self, ax: Axes) -> None:
        """The diagonal over the range of the predictions, of those of other displays too."""
        ends = [np.nanmin(self.prob_pred), np.nanmax(self.prob_pred)]
        if self.y_prob is not None:
            ends += [self.y_prob.min(), self.y_prob.max()]
        drawn = [line for line in ax.lines if line.get_gid() == "diagonal"]
        if not drawn:
            drawn = ax.plot([], [], ":", color=COLORS["gray"], gid="diagonal", label="reliable")
        ends += np.asarray(drawn[0].get_xdata()).tolist()
        drawn[0].set_data([min(ends), max(ends)], [min(ends), max(ends)])

    def _label(self) -> str:
        size = f"n = {int(np.sum(self.counts)):,}"
        return size if self.name is None else f"{literal(self.name)} ({size})"

    def _curve(self) -> tuple[Floats, Floats]:
        """Points of the line; for an isotonic curve only where it bends."""
        if self.strategy != "corp":
            return self.prob_pred, self.prob_true
        flat = np.diff(self.prob_true) == 0
        kept = ~(np.append(False, flat) & np.append(flat, False))
        return self.prob_pred[kept], self.prob_true[kept]

    def _draw_uncertainty(self, ax: Axes, color: str) -> None:
        """Draw intervals or band in the color of the curve, with one entry in the legend."""
        self.intervals_ = self.band_ = None
        known = ax.get_legend_handles_labels()[1]
        label = "" if self.uncertainty_name in known else self.uncertainty_name
        if self.interval is not None:
            some = ~np.isnan(self.prob_pred)
            self.intervals_ = ax.vlines(
                self.prob_pred[some],
                self.interval[0][some],
                self.interval[1][some],
                color=color,
                lw=1.2,
                label=label or "",
            )
        if self.band is not None:
            self.band_ = ax.fill_between(*self.band, label=label, **band_style(color, 0.2))

    def _draw_density(self, ax: Axes, density: str, color: str, linestyle: Any) -> list[Any]:
        assert self.y_prob is not None
        positive = None if self.y_true is None else self.y_true == 1
        n_bins = None if self.edges is None else len(self.edges) - 1
        drawn = draw_density(
            ax, density, self.y_prob, positive, self.sample_weight, n_bins, color, linestyle
        )
        ax.set(xlabel="Predicted probability", xlim=UNIT)
        return drawn

    def _class_text(self) -> str:
        name = self.class_name
        return "the positive class" if name is None else f"class {literal(name)}"
