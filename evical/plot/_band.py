"""`BeliefBandDisplay`: belief, plausibility and pignistic probability along the scores.

A probabilistic calibrator draws a line; an evidential one draws the band between belief and
plausibility, which widens where the sample says little. Xu et al. 2016, figures 4, 5 and 7.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from evical.plot._style import COLORS, axes_or_new, limit_to_unit, literal
from evical.scores._checks import check_same_length, check_scores

__all__ = ["BeliefBandDisplay"]

Floats = NDArray[np.float64]

# Scores at which a curve is evaluated: finer than the pixels of a printed column.
_N_GRID = 601


class BeliefBandDisplay:
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
    name : str, optional
        For the legend.
    class_name : str
        Name of the positive class; for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    band_ : PolyCollection or None
        The band, if it is filled.
    lines_ : list of Line2D
        Belief, plausibility and pignistic probability.
    rug_ : list of Line2D
        Of the negative and of the positive samples; empty without a sample.

    Examples
    --------
    >>> from evical.calibrators import LogisticCalibrator
    >>> scores, y = [-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1]
    >>> calibrator = LogisticCalibrator().fit(scores, y)
    >>> display = BeliefBandDisplay.from_estimator(calibrator, scores, y)
    >>> display.ax_.get_ylabel()
    'Degree of belief in class 1'
    """

    def __init__(
        self,
        scores: Floats,
        bel: Floats,
        pl: Floats,
        *,
        sample: tuple[Floats, NDArray[Any]] | None = None,
        name: str | None = None,
        class_name: str = "1",
    ) -> None:
        self.scores = scores
        self.bel = bel
        self.pl = pl
        self.sample = sample
        self.name = name
        self.class_name = class_name

    @classmethod
    def from_estimator(
        cls,
        calibrator: Any,
        scores: ArrayLike,
        y: ArrayLike | None = None,
        *,
        name: str | None = None,
        class_name: str | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> "BeliefBandDisplay":
        """Evaluate a fitted calibrator over the range of some scores, and draw it.

        Parameters
        ----------
        calibrator : fitted calibrator
        scores : (n,) array
            Their range, with a margin, is shown.
        y : (n,) array, optional
            Labels; with them the scores are drawn as a rug.
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
            If there are no scores, one is not finite, or lengths differ.
        """
        values = check_scores(scores)
        if y is not None:
            check_same_length(scores=values, y=np.asarray(y))
        margin = 0.05 * (np.ptp(values) or 1.0)
        grid = np.linspace(values.min() - margin, values.max() + margin, _N_GRID)
        bel, pl = calibrator.predict_interval(grid).T
        positive = calibrator.classes_[1]
        display = cls(
            grid,
            bel,
            pl,
            sample=None if y is None else (values, (np.asarray(y) == positive).astype(int)),
            name=name or getattr(calibrator, "model", type(calibrator).__name__),
            class_name=str(positive) if class_name is None else class_name,
        )
        return display.plot(ax, **style)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        color: str = COLORS["blue"],
        linestyle: str = "-",
        fill: bool = True,
    ) -> "BeliefBandDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones if not given.
        color, linestyle : str
            Of belief and plausibility.
        fill : bool
            Fill the band; better not where several bands overlap.

        Returns
        -------
        BeliefBandDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self.band_ = None
        if np.allclose(self.bel, self.pl, atol=1e-12):
            self.lines_ = ax.plot(
                self.scores, self.bel, color=color, linestyle=linestyle, label=self.name
            )
        else:
            edges = np.stack([self.bel, self.pl], axis=1)
            self.lines_ = ax.plot(self.scores, edges, color=color, linestyle=linestyle, lw=1.4)
            self.lines_[0].set_label(f"{self.name}: Bel and Pl")
            if fill:
                self.band_ = ax.fill_between(
                    self.scores, self.bel, self.pl, color=color, alpha=0.22, lw=0
                )
        self.rug_ = [] if self.sample is None else self._plot_rug(ax, *self.sample)
        ax.set_xlabel("Score of the classifier")
        ax.set_ylabel(f"Degree of belief in class {literal(self.class_name)}")
        ax.set_xlim(self.scores[0], self.scores[-1])
        limit_to_unit(ax)
        ax.legend(loc="best", framealpha=0.9)
        return self

    def _plot_rug(self, ax: Axes, scores: Floats, y: NDArray[Any]) -> list[Any]:
        """Marks at 1 for positive and at 0 for negative samples."""
        return [
            ax.plot(
                scores[y == side],
                np.full(np.sum(y == side), float(side)),
                "|",
                color=COLORS["gray"],
                ms=9,
                mew=0.9,
                alpha=0.8,
                clip_on=False,
            )[0]
            for side in (0, 1)
        ]
