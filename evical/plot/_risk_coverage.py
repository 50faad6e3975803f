"""`RiskCoverageDisplay`: risk of the answered samples over the share answered, with its limits.

The curve rises to the error of the classifier where all are answered. The lower it runs before, the
better the classifier knows what it does not know; Geifman & El-Yaniv (2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import check_flag, check_instance
from dstheory.plot.style import OnAxes, axes_or_new, band_style, finish, literal, next_curve
from evical._typing import Labels, SamplesLike, Weights
from evical.metrics import risk_coverage_curve
from evical.metrics.beliefs import class_intervals
from evical.metrics.inputs import Predicted, assigned_classes
from evical.metrics.selective import Doubt, RiskCoverageCurve, doubts
from evical.plot._inputs import display_name, evenly, known_classes, predictions

_SIZE = (5.4, 3.8)
# Points of a line: more than its width in pixels.
_MOST = 2000


@dataclass(eq=False, repr=False)
class RiskCoverageDisplay(OnAxes):
    """Risk-coverage curve with its confidence band.

    Usually made by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curve : RiskCoverageCurve
        As `evical.metrics.risk_coverage_curve` gives it.
    name : str, optional
        For the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : Line2D
        Mean loss of the answered over the share answered.
    band_ : PolyCollection or None
        Confidence limits, for each share on its own.

    Examples
    --------
    >>> display = RiskCoverageDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.7, 0.3, 0.6])
    >>> display.line_.get_xdata()
    array([0.25, 0.75, 1.  ])
    """

    curve: RiskCoverageCurve
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: SamplesLike,
        y: ArrayLike,
        *,
        loss: ArrayLike | None = None,
        by: Doubt | ArrayLike = "probability",
        confidence: float = 0.95,
        sample_weight: Weights = None,
        name: str | None = None,
        ax: Axes | None = None,
        band: bool = True,
    ) -> RiskCoverageDisplay:
        """Draw the curve of a fitted classifier on samples that it has not seen.

        Parameters
        ----------
        estimator : fitted classifier
            With `predict_proba`, whose most probable class is the answer; for doubts by width or
            plausibility, with `predict_mass`.
        X : (n, n_features) array or data frame
        y : (n,) array
            Labels.
        loss, by, confidence, sample_weight
            All as for `evical.metrics.risk_coverage_curve`.
        name : str, optional
            For the legend; the estimator's class by default.
        ax : matplotlib Axes, optional
        band : bool
            As for `plot`.

        Returns
        -------
        RiskCoverageDisplay

        Raises
        ------
        TypeError, ValueError
            As `evical.metrics.risk_coverage_curve`, or if the estimator is not fitted.
        """
        p = np.asarray(predictions(estimator, "predict_proba", X, y))
        if isinstance(by, str) and by in ("width", "plausibility"):
            bounds = class_intervals(predictions(estimator, "predict_mass", X, y))
            by = doubts(p, assigned_classes(p), bounds, by)
        return cls.from_predictions(
            y,
            p,
            loss=loss,
            by=by,
            confidence=confidence,
            labels=known_classes(estimator),
            sample_weight=sample_weight,
            name=display_name(estimator, name),
            ax=ax,
            band=band,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: Predicted,
        *,
        loss: ArrayLike | None = None,
        by: Doubt | ArrayLike = "probability",
        confidence: float = 0.95,
        labels: Labels = None,
        sample_weight: Weights = None,
        name: str | None = None,
        ax: Axes | None = None,
        band: bool = True,
    ) -> RiskCoverageDisplay:
        """Draw the curve of predictions.

        Parameters
        ----------
        y_true : (n,) array of labels
        y_prob : (n,) or (n, K) array, or MassFunction
        loss, by, confidence, labels, sample_weight
            All as for `evical.metrics.risk_coverage_curve`.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
        band : bool
            As for `plot`.

        Returns
        -------
        RiskCoverageDisplay

        Raises
        ------
        TypeError, ValueError
            As `evical.metrics.risk_coverage_curve`.
        """
        curve = risk_coverage_curve(
            y_true,
            y_prob,
            loss=loss,
            by=by,
            confidence=confidence,
            labels=labels,
            sample_weight=sample_weight,
        )
        return cls(curve, name).plot(ax, band=band)

    def plot(self, ax: Axes | None = None, *, band: bool = True) -> RiskCoverageDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default. On axes with other curves, this one gets another color.
        band : bool
            Draw the limits; set it to False if several bands overlap.

        Returns
        -------
        RiskCoverageDisplay
            Itself, with the artists as attributes.
        """
        check_flag("band", band)
        check_instance("curve", self.curve, RiskCoverageCurve, "a risk-coverage curve")
        first = ax is None or not any(line.get_gid() == "risk" for line in ax.lines)
        self.ax_ = ax = axes_or_new(ax, _SIZE)
        color, _, style = next_curve(ax, "risk")
        curve, last = self.curve, len(self.curve.risk) - 1
        rows = evenly(last + 1, _MOST)
        x, risk = curve.coverage[rows], curve.risk[rows]
        (self.line_,) = ax.plot(x, risk, color=color, ls=style, lw=1.6, gid="risk")
        named = "" if self.name is None else f"{literal(self.name)}, "
        self.line_.set_label(f"{named}AURC {curve.aurc:.3g}")
        self.band_ = None
        if band:
            low, high = curve.lower[rows], curve.upper[rows]
            self.band_ = ax.fill_between(x, low, high, **band_style(color, 0.2))
        # Limits of the first few answers reach 1, and would press the curve to the axis.
        middle = curve.upper[np.minimum(np.searchsorted(curve.coverage, [0.1, 1.0]), last)]
        top = 1.1 * max(float(risk[x >= 0.02].max()), float(middle.max()), 1e-3)
        ax.set(xlim=(0, 1), ylim=(0, top if first else max(top, ax.get_ylim()[1])))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        finish(ax, xlabel="Answered", ylabel="Risk of the answered")
        return self
