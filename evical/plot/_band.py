"""`BeliefBandDisplay`: belief and plausibility along the scores, with the data.

A probabilistic calibrator draws a line; an evidential one draws the band between belief and
plausibility, which is wide where there are few samples. Xu et al. 2016, figures 4, 5 and 7.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from dstheory import MassFunction
from dstheory.checks.arguments import check_flag, check_level, check_rows
from dstheory.plot.style import (
    UNIT,
    OnAxes,
    axes_or_new,
    band_style,
    finish,
    ink,
    literal,
    next_curve,
)
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.metrics.binned_curve import share_intervals
from evical.metrics.bins import bin_numbers, check_bins
from evical.plot._density import draw_rug, shares_style
from evical.plot._inputs import display_name, known_classes, positive_outcomes, predictions
from evical.plot._interval import class_beliefs
from evical.scores.checks import check_same_length, check_scores

# Scores at which a curve is evaluated: finer than the pixels of a printed column.
_N_GRID = 601
# With more scores, vector formats embed a bitmap: a million would take 50 MB.
_MAX_VECTOR = 10_000


@dataclass(eq=False, repr=False)
class BeliefBandDisplay(OnAxes):
    """Calibration curve with its band from belief to plausibility.

    Usually made by `from_estimator`.

    Parameters
    ----------
    scores : (g,) array
        Ascending scores at which the curve is known.
    bel, pl : (g,) arrays
        Belief and plausibility of the positive class.
    sample : tuple of two arrays, optional
        Scores and labels (0 and 1) of the calibration sample, drawn as a rug: positive
        samples above, negative ones below.
    frequencies : tuple of four (b,) arrays, optional
        For bins of the sample: mean score, share of positives, and ends of its interval.
    name : str, optional
        For the legend.
    class_name : str
        Name of the positive class; for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    band_ : PolyCollection or None
        The band, if it is filled.
    lines_ : list of Line2D
        Belief and plausibility; a single line if they are the same.
    rug_ : list of Line2D
        Marks of the negative and of the positive samples; empty without a sample.
    frequencies_ : Line2D or None
        Shares of positives.
    intervals_ : LineCollection or None
        Intervals of these shares.

    Examples
    --------
    >>> from evical.calibrators import LogisticCalibrator
    >>> scores, y = [-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1]
    >>> calibrator = LogisticCalibrator().fit(scores, y)
    >>> display = BeliefBandDisplay.from_estimator(calibrator, scores, y)
    >>> display.ax_.get_ylabel()
    'Degree of belief in class 1'
    """

    scores: Floats
    bel: Floats
    pl: Floats
    _: KW_ONLY
    sample: tuple[Floats, NDArray[Any]] | None = None
    frequencies: tuple[Floats, Floats, Floats, Floats] | None = None
    name: str | None = None
    class_name: str = "1"

    @classmethod
    def from_estimator(
        cls,
        calibrator: BaseCalibrator,
        scores: ArrayLike,
        y: ArrayLike | None = None,
        *,
        n_bins: int | None = None,
        confidence: float = 0.95,
        name: str | None = None,
        class_name: str | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> BeliefBandDisplay:
        """Draw a fitted calibrator over the range of some scores.

        Parameters
        ----------
        calibrator : fitted calibrator
        scores : (n,) array
            Their range, with a margin, is shown.
        y : (n,) array, optional
            Labels; with them the scores are drawn as a rug.
        n_bins : int, optional
            Also draw the share of positives in this many bins of equal frequency.
        confidence : float
            Level of their Clopper-Pearson intervals.
        name : str, optional
            For the legend; the calibrator's model if it has one.
        class_name : str, optional
            Name of the positive class; its label if not given.
        ax : matplotlib Axes, optional
        **style
            As for `plot`.

        Returns
        -------
        BeliefBandDisplay

        Raises
        ------
        ValueError
            If there are no scores, one is not finite, lengths differ, a label is not the
            calibrator's, or bins are requested without labels.
        TypeError
            If the calibrator is not fitted, or predicts no intervals.
        """
        check_rows(scores=scores, y=y)
        values = check_scores(scores)
        classes = known_classes(calibrator)
        hits = None if y is None else positive_outcomes(y, classes, 1)
        frequencies = _frequencies(values, hits, n_bins, confidence)
        margin = 0.05 * (np.ptp(values) or 1.0)
        grid = np.linspace(values.min() - margin, values.max() + margin, _N_GRID)
        bel, pl = predictions(calibrator, "predict_interval", grid, None).T
        model = getattr(calibrator, "model", None)
        display = cls(
            grid,
            bel,
            pl,
            sample=None if hits is None else (values, hits),
            frequencies=frequencies,
            name=display_name(calibrator, model if name is None else name),
            class_name=str(classes[1]) if class_name is None else class_name,
        )
        return display.plot(ax, **style)

    @classmethod
    def from_predictions(
        cls,
        scores: ArrayLike,
        y_belief: ArrayLike | MassFunction,
        y_true: ArrayLike | None = None,
        *,
        pos_label: Hashable | None = None,
        n_bins: int | None = None,
        confidence: float = 0.95,
        name: str | None = None,
        class_name: str | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> BeliefBandDisplay:
        """Draw beliefs given at some scores.

        Parameters
        ----------
        scores : (n,) array
            In any order; between them the band is interpolated.
        y_belief : MassFunction or (n, 2) array
            Beliefs there; rows are [Bel, Pl] of the class.
        y_true : (n,) array, optional
            Labels.
        pos_label : label, optional
            The class to show; by default the second of two.
        n_bins : int, optional
        confidence : float
        name : str, optional
        class_name : str, optional
        ax : matplotlib Axes, optional
        **style
            All as for `from_estimator`.

        Returns
        -------
        BeliefBandDisplay

        Raises
        ------
        ValueError
            As `from_estimator`, or if Bel and Pl do not satisfy 0 <= Bel <= Pl <= 1.
        """
        values = check_scores(scores)
        beliefs, labels = class_beliefs(y_belief, pos_label, y_true)
        if len(labels) != 1:
            raise ValueError(f"name one of the classes {list(labels)} by pos_label")
        check_same_length(scores=values, y_belief=beliefs.bel)
        hits = None if beliefs.hits is None else beliefs.hits[:, 0].astype(int)
        frequencies = _frequencies(values, hits, n_bins, confidence)
        order = np.argsort(values, kind="stable")
        display = cls(
            values[order],
            beliefs.bel[order, 0],
            beliefs.pl[order, 0],
            sample=None if hits is None else (values, hits),
            frequencies=frequencies,
            name=name,
            class_name=str(labels[0]) if class_name is None else class_name,
        )
        return display.plot(ax, **style)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        color: str | None = None,
        linestyle: str | None = None,
        fill: bool = True,
    ) -> BeliefBandDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.
        color, linestyle : str, optional
            Of belief and plausibility; by default different from those of other displays on the
            axes.
        fill : bool
            Fill the band; set it to False if several bands overlap.

        Returns
        -------
        BeliefBandDisplay
            Itself, with the artists as attributes.
        """
        check_flag("fill", fill)
        self.ax_ = ax = axes_or_new(ax)
        own = next_curve(ax, "belief")
        color, linestyle = color or own[0], linestyle or own[2]
        many = len(self.scores) > _MAX_VECTOR
        style: dict[str, Any] = {"color": color, "linestyle": linestyle, "rasterized": many}
        self.band_ = None
        if np.allclose(self.bel, self.pl, rtol=0, atol=1e-12):
            self.lines_ = ax.plot(self.scores, self.bel, label=self._label(), **style)
        else:
            edges = np.stack([self.bel, self.pl], axis=1)
            self.lines_ = ax.plot(self.scores, edges, lw=1.4, **style)
            self.lines_[0].set_label(self._label("Bel and Pl"))
            if fill:
                self.band_ = ax.fill_between(
                    self.scores, self.bel, self.pl, rasterized=many, **band_style(color, 0.22)
                )
        self.lines_[0].set_gid("belief")
        self._draw_data(ax)
        low, high = self.scores[0], self.scores[-1]
        ends = (low, high) if low < high else (low - 0.5, low + 0.5)
        belief = f"Degree of belief in class {literal(self.class_name)}"
        finish(ax, xlabel="Score of the classifier", ylabel=belief, xlim=ends, ylim=UNIT)
        return self

    def _label(self, part: str | None = None) -> str | None:
        texts = [text for text in (self.name and literal(self.name), part) if text is not None]
        return ": ".join(texts) or None

    def _draw_data(self, ax: Axes) -> None:
        """Draw marks at 1 for positive and at 0 for negative samples, and shares of bins."""
        self.rug_: list[Any] = []
        if self.sample is not None:
            scores, y = self.sample
            self.rug_ = [draw_rug(ax, scores[y == side], float(side)) for side in (0, 1)]
        self.frequencies_ = self.intervals_ = None
        if self.frequencies is not None:
            place, share, low, high = self.frequencies
            self.intervals_ = ax.vlines(place, low, high, color=ink(), lw=1)
            (self.frequencies_,) = ax.plot(
                place, share, label="share of positives", **shares_style()
            )


def _frequencies(
    scores: Floats, hits: NDArray[Any] | None, n_bins: int | None, confidence: float
) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Mean score and share of positives of bins of equal frequency, with intervals."""
    if hits is not None:
        check_same_length(scores=scores, y=hits)
    if n_bins is None:
        return None
    if hits is None:
        raise ValueError(f"n_bins is {n_bins}, but there are no labels to count")
    check_bins(n_bins, "quantile")
    check_level("confidence", confidence)
    number = bin_numbers(scores, None, n_bins, "quantile")
    counts = np.bincount(number, minlength=n_bins).astype(np.float64)
    some = np.flatnonzero(counts)
    sums, positives = (np.bincount(number, v, n_bins)[some] for v in (scores, hits))
    ends = share_intervals(positives, counts[some], "clopper_pearson", confidence)
    return sums / counts[some], positives / counts[some], *ends
