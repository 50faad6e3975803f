"""`ReliabilityDisplay`: do events that are given a probability of p happen in p of the cases?

Predictions are gathered in bins; the share of positives in a bin is drawn against the mean
prediction. How many samples a bin has is part of the picture, because a bin of three samples
proves nothing. DeGroot & Fienberg 1983; Murphy & Winkler 1977.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from evical.plot._style import COLORS, axes_or_new, limit_to_unit
from evical.scores._checks import check_binary, check_same_length, check_scores

__all__ = ["ReliabilityDisplay"]

Floats = NDArray[np.float64]


class ReliabilityDisplay:
    """Reliability diagram, with the number of samples in each bin.

    Usually made by `from_predictions` or `from_estimator`.

    Parameters
    ----------
    edges : (n_bins + 1,) array
    counts : (n_bins,) array
        Samples in each bin.
    prob_pred, prob_true : (n_bins,) arrays
        Mean prediction and share of positives of each bin; NaN where it is empty.
    name : str, optional
        For the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    line_ : Line2D
        Share of positives over mean prediction.
    counts_ax_ : matplotlib Axes or None
    bars_ : StepPatch or None
        The counts.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9], n_bins=2)
    >>> display.counts, display.prob_true
    (array([3, 1]), array([0.33333333, 1.        ]))
    """

    def __init__(
        self,
        edges: Floats,
        counts: NDArray[np.intp],
        prob_pred: Floats,
        prob_true: Floats,
        *,
        name: str | None = None,
    ) -> None:
        self.edges = edges
        self.counts = counts
        self.prob_pred = prob_pred
        self.prob_true = prob_true
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        n_bins: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        counts_ax: Axes | None = None,
        **style: Any,
    ) -> "ReliabilityDisplay":
        """Gather predictions in bins of equal width, and draw.

        Parameters
        ----------
        y_true : (n,) array of 0 and 1
        y_prob : (n,) array
            Probabilities of class 1.
        n_bins : int
        name : str, optional
            For the legend.
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
            If lengths differ, a label is neither 0 nor 1, or a probability not in [0, 1].
        """
        y, p = check_binary(y_true), check_scores(y_prob)
        check_same_length(y_true=y, y_prob=p)
        outside = (p < 0) | (p > 1)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(f"y_prob[{row}] is {p[row]}, expected a probability in [0, 1]")
        if n_bins < 1:
            raise ValueError(f"n_bins is {n_bins}, expected at least 1")
        bins = np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
        counts = np.bincount(bins, minlength=n_bins)
        some = np.where(counts > 0, counts, np.nan)
        display = cls(
            np.linspace(0, 1, n_bins + 1),
            counts,
            np.bincount(bins, p, n_bins) / some,
            np.bincount(bins, y, n_bins) / some,
            name=name,
        )
        return display.plot(ax, counts_ax=counts_ax, **style)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, **options: Any
    ) -> "ReliabilityDisplay":
        """Predict with a fitted classifier or calibrator of two classes, and draw.

        Parameters
        ----------
        estimator : fitted estimator
            With ``predict_proba`` and ``classes_``.
        X : array
            Features, or the scores of a calibrator.
        y : (n,) array
            Labels.
        **options
            As for `from_predictions`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ValueError
            As `from_predictions`.
        """
        labels = (np.asarray(y) == estimator.classes_[1]).astype(int)
        name = options.pop("name", type(estimator).__name__)
        return cls.from_predictions(labels, estimator.predict_proba(X)[:, 1], name=name, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        counts_ax: Axes | None = None,
        color: str = COLORS["blue"],
        marker: str = "o",
        linestyle: str = "-",
    ) -> "ReliabilityDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones if not given.
        counts_ax : matplotlib Axes, optional
            For the counts; without it they are not drawn.
        color, marker, linestyle : str

        Returns
        -------
        ReliabilityDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        if not any(line.get_gid() == "diagonal" for line in ax.lines):
            ax.plot([0, 1], [0, 1], ":", color=COLORS["gray"], gid="diagonal", label="reliable")
        (self.line_,) = ax.plot(
            self.prob_pred,
            self.prob_true,
            color=color,
            marker=marker,
            linestyle=linestyle,
            label=self.name,
        )
        ax.set_xlabel("Predicted probability, mean of a bin")
        ax.set_ylabel("Share of the positive class")
        limit_to_unit(ax, x=True)
        # Above the axes: points may lie anywhere in the square.
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)
        self.counts_ax_, self.bars_ = counts_ax, None
        if counts_ax is not None:
            self.bars_ = counts_ax.stairs(
                self.counts, self.edges, color=color, linestyle=linestyle, lw=1.6, label=self.name
            )
            counts_ax.set_ylabel("Samples")
            counts_ax.set_xlabel("Predicted probability")
        return self
