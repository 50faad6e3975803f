"""`BeliefIntervalDisplay`: belief, plausibility and pignistic probability of each sample.

Each sample has an interval from belief to plausibility with the pignistic probability inside;
samples are sorted by the latter. If an interval contains the threshold of a decision, the evidence
leaves the decision open. Shafer 1976; Smets & Kennes 1994 on the pignistic probability.

Beliefs of samples for displays: [Bel, Pl] and pignistic probability of each class.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, as_sequence
from dstheory.plot.style import (
    COLORS,
    UNIT,
    OnAxes,
    add_legend,
    axes_or_new,
    band_style,
    ink,
    keep_on_canvas,
    literal,
    names_of,
    new_axes,
    paper,
)
from dstheory.transform import betp
from evical import beliefs
from evical._fitting import number, optional
from evical._typing import Floats
from evical.beliefs.products import MAX_CLASSES
from evical.metrics.beliefs import class_intervals, normal
from evical.metrics.inputs import class_codes, is_positive
from evical.plot._density import shares_style
from evical.plot._inputs import display_name, positive_index, predictions
from evical.scores.checks import check_same_length


class Beliefs(NamedTuple):
    """Bel, Pl and BetP (n,) of a class or (n, c) of c, and whether samples belong to each."""

    bel: Floats
    pl: Floats
    betp: Floats
    hits: NDArray[np.bool_] | None

    def open(self, threshold: float) -> NDArray[np.intp]:
        """Places of the samples for which the evidence leaves the decision open."""
        return np.flatnonzero((self.bel <= threshold) & (self.pl > threshold))


def check_threshold(threshold: object) -> None:
    """Raise unless a threshold is a probability or None."""
    expected = "a probability, or None for no line"
    optional(number(expected, lambda x: 0 <= x <= 1))("threshold", threshold)


def class_beliefs(
    y_belief: ArrayLike | MassFunction | beliefs.Beliefs,
    pos_label: Hashable | None,
    y_true: ArrayLike | None,
) -> tuple[Beliefs, tuple[Any, ...]]:
    """Beliefs in the named class, or in the second of two; with more in all; and their labels.

    Rows [Bel, Pl] concern the named class; their pignistic probability is the middle.
    """
    hits: NDArray[np.bool_] | None = None
    if isinstance(y_belief, MassFunction | beliefs.Beliefs):
        labels = np.asarray(y_belief.frame.labels)
        chosen = _chosen(labels, pos_label)
        if isinstance(y_belief, MassFunction):
            bounds = class_intervals(y_belief)
            pignistic = np.asarray(betp(normal(y_belief)), dtype=np.float64)
        else:
            bounds, pignistic = y_belief.interval(), y_belief.betp()
        bounds, pignistic = bounds[:, chosen], pignistic[:, chosen]
        names = tuple(y_belief.frame.labels[k] for k in chosen)
        if y_true is not None:
            hits = np.asarray(class_codes(y_true, labels)[:, np.newaxis] == chosen)
    else:
        bounds = class_intervals(y_belief)
        if bounds.shape[1] != 1:
            raise ValueError(
                f"y_belief has intervals of {bounds.shape[1]} classes, expected rows [Bel, Pl] of "
                "one class, (n, 2), or a mass function"
            )
        pignistic, names = bounds.mean(axis=-1), (1 if pos_label is None else pos_label,)
        if y_true is not None:
            hits = np.asarray(is_positive(y_true, pos_label)[:, np.newaxis] == 1)
    if hits is not None:
        check_same_length(y_true=hits, y_belief=bounds)
    return Beliefs(bounds[..., 0], bounds[..., 1], pignistic, hits), names


def _chosen(labels: NDArray[Any], pos_label: Hashable | None) -> list[int]:
    if pos_label is None and len(labels) != 2:
        return list(range(len(labels)))
    return [positive_index(labels, pos_label)]


# With more samples, intervals would touch in a printed column, so a band is drawn.
_MAX_INTERVALS = 200
# Points of a band; more samples are grouped with their neighbors and drawn by their means.
_MAX_POINTS = 600
# Decided samples in view on each side of those that are open, at least.
_BESIDE = 5
# Number of groups of neighbors whose share of the class is drawn in a band.
_N_SHARES = 20
# Panels side by side; more panels take several rows.
_MAX_COLUMNS = 3
_FEW_PANELS = 9

# Samples of the class and others differ in shape and lightness.
_POINTS: dict[bool, dict[str, Any]] = {
    False: {"marker": "s", "color": COLORS["vermilion"], "ms": 4.5},
    True: {"marker": "o", "color": COLORS["blue"], "ms": 5},
}


@dataclass(eq=False, repr=False)
class BeliefIntervalDisplay(OnAxes):
    """Belief intervals of samples, sorted by pignistic probability.

    The view is on the samples that the evidence leaves open, and those beside them; decided ones
    further away are drawn, and appear with wider limits, such as ``ax_.set_xlim(0, n + 1)``.
    Usually made by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    bel, pl, betp : (n,) or (n, c) arrays
        Belief, plausibility and pignistic probability of one class, or of each of c.
    hits : (n,) or (n, c) array of bool, optional
        Whether a sample belongs to the class.
    class_names : sequence of c str
    threshold : float or None
        Probability above which the decision is for the class.
    name : str, optional
        For the legend.

    Attributes
    ----------
    axes_ : (c,) array of matplotlib Axes
    ax_ : matplotlib Axes
        The first of them.
    figure_ : matplotlib Figure
    intervals_ : list of LineCollection or PolyCollection
        For each class: lines for up to 200 samples, a band for more.
    points_ : list of lists of Line2D
        For each class: pignistic probabilities, split by class if labels are known, others first.
    shares_ : list of Line2D or None
        For each class: its share in twentieths of the samples, if labels are known and a band is
        drawn.
    threshold_ : list of Line2D

    Examples
    --------
    >>> beliefs = [[0.7, 0.9], [0.1, 0.4], [0.2, 0.8]]
    >>> display = BeliefIntervalDisplay.from_predictions([1, 0, 1], beliefs)
    >>> display.points_[0][1].get_ydata()
    array([0.5, 0.8])
    """

    bel: Floats
    pl: Floats
    betp: Floats
    _: KW_ONLY
    hits: NDArray[np.bool_] | None = None
    class_names: Sequence[str] = ("1",)
    threshold: float | None = 0.5
    name: str | None = None

    def __post_init__(self) -> None:
        self.class_names = tuple(as_sequence(self.class_names, "class_names", "names of classes"))

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        y_belief: ArrayLike | MassFunction | beliefs.Beliefs,
        *,
        pos_label: Hashable | None = None,
        threshold: float | None = 0.5,
        class_names: Sequence[str] | None = None,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> BeliefIntervalDisplay:
        """Draw the beliefs of samples.

        Parameters
        ----------
        y_true : (n,) array of labels, or None
            If given, samples of the class are marked differently from others.
        y_belief : MassFunction, Beliefs or (n, 2) array
            A batch (n,), which beliefs of an estimator are for any number of classes; or rows
            [Bel, Pl] of the class, whose pignistic probability is the middle.
        pos_label : label, optional
            The class to show; by default the second of two. By default, more than two classes have
            a panel each.
        threshold : float or None
            Probability above which the decision is for the class; None for no line.
        class_names : sequence of str, optional
            Of the classes that are shown; labels if not given.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, or as many as there are panels, optional

        Returns
        -------
        BeliefIntervalDisplay

        Raises
        ------
        ValueError
            If lengths differ, there is no sample, a label is not in the frame, Bel and Pl violate 0
            <= Bel <= Pl <= 1, the threshold lies outside [0, 1], or the numbers of axes or names
            and of classes differ.
        TypeError
            If the threshold is not a number.
        """
        check_threshold(threshold)
        (*shown, hits), labels = class_beliefs(y_belief, pos_label, y_true)
        given = map(str, labels) if class_names is None else class_names
        names = names_of(given, "class_names", len(labels))
        display = cls(*shown, hits=hits, class_names=names, threshold=threshold, name=name)
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: ArrayLike, y: ArrayLike | None = None, **options: Any
    ) -> BeliefIntervalDisplay:
        """Predict with a fitted evidential classifier or calibrator, and draw.

        Parameters
        ----------
        estimator : fitted estimator
            With ``predict_mass``.
        X : array
            Features, or the scores of a calibrator.
        y : (n,) array, optional
            Labels.
        **options
            As for `from_predictions`.

        Returns
        -------
        BeliefIntervalDisplay

        Raises
        ------
        ValueError
            As `from_predictions`.
        TypeError
            If the estimator predicts no mass functions.
        """
        many = len(getattr(estimator, "classes_", ())) > MAX_CLASSES and hasattr(
            estimator, "beliefs"
        )
        y_belief = predictions(estimator, "beliefs" if many else "predict_mass", X, y)
        options["name"] = display_name(estimator, options.get("name"))
        return cls.from_predictions(y, y_belief, **options)

    def plot(self, ax: Axes | Sequence[Axes] | NDArray[Any] | None = None) -> BeliefIntervalDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, or as many as there are panels, optional
            New ones by default.

        Returns
        -------
        BeliefIntervalDisplay
            Itself, with the artists as attributes.

        Raises
        ------
        ValueError
            If there are not as many axes as classes.
        """
        bel, pl, betp = (_columns(values) for values in (self.bel, self.pl, self.betp))
        hits = None if self.hits is None else _columns(self.hits)
        self.axes_ = _panels(ax, bel.shape[1])
        self.ax_: Axes = self.axes_[0]
        self.threshold_: list[Any] = []
        drawn = []
        for k, panel in enumerate(self.axes_):
            order = np.lexsort((bel[:, k], betp[:, k]))
            sides = None if hits is None else hits[order, k]
            sample = Beliefs(bel[order, k], pl[order, k], betp[order, k], sides)
            drawn.append((_intervals if len(order) <= _MAX_INTERVALS else _band)(panel, sample))
            if self.threshold is not None:
                label = f"threshold {self.threshold:g}: {len(sample.open(self.threshold))} open"
                line = panel.axhline(self.threshold, color=ink(), ls="--", lw=1, label=label)
                self.threshold_.append(line)
            self._label(panel, k, sample)
            self._add_legend(panel, k)
        self.intervals_, self.points_, self.shares_ = map(list, zip(*drawn, strict=True))
        keep_on_canvas(*self.axes_)
        return self

    def _add_legend(self, ax: Axes, k: int) -> None:
        """Full legend in the first panel; the others, if few, only count their open decisions.

        Many panels of a new figure have their legend above all.
        """
        many = len(self.axes_) > _FEW_PANELS
        if k and many:
            return
        handles = ax.get_legend_handles_labels()[0]
        title = None if k or self.name is None else literal(self.name)
        if many and ax.figure.get_layout_engine() is not None:
            texts = [str(handle.get_label()).partition(":")[0] for handle in handles]
            options = {"title": title, "alignment": "left", "frameon": False, "ncols": len(texts)}
            ax.figure.legend(handles, texts, loc="outside upper left", **options)
            return
        add_legend(
            ax, handles=handles[-1:] if k and self.threshold is not None else handles, title=title
        )

    def _label(self, ax: Axes, k: int, sample: Beliefs) -> None:
        n, left, right = len(sample.bel), 1, len(sample.bel)
        if self.threshold is not None and len(seen := sample.open(self.threshold)):
            beside = max(_BESIDE, int(0.1 * (seen[-1] - seen[0])))
            left, right = max(1, seen[0] + 1 - beside), min(n, seen[-1] + 1 + beside)
        margin = 0.01 * (right - left + 1) + 0.5
        ax.set(xlim=(left - margin, right + margin), ylim=UNIT)
        n_ticks = 4 if len(self.axes_) <= _FEW_PANELS else 2
        ax.xaxis.set_major_locator(MaxNLocator(n_ticks, integer=True))
        alone, name = len(self.axes_) == 1, literal(self.class_names[k])
        ax.set_xlabel(f"Rank by pignistic probability (n = {n:,})" if alone else f"Rank of {n:,}")
        ax.set_ylabel(f"Degree of belief in class {name}" if alone else f"Belief in {name}")


def _intervals(ax: Axes, sample: Beliefs) -> tuple[Any, list[Any], None]:
    """A line for each sample, and points for each class, those of others first."""
    x, hits = np.arange(1, len(sample.bel) + 1), sample.hits
    if hits is None:
        sides = {True: (np.ones(len(x), dtype=bool), "pignistic probability")}
        colors = [COLORS["gray"]]
    else:
        sides = {False: (~hits, "other class"), True: (hits, "of the class")}
        colors = [_POINTS[bool(hit)]["color"] for hit in hits]
    lines = ax.vlines(x, sample.bel, sample.pl, colors=colors, lw=1.4, alpha=0.8)
    points = []
    for side, (mask, label) in sides.items():
        face = _POINTS[side]["color"] if side else paper()
        style = {"ls": "", "label": label, "markerfacecolor": face, **_POINTS[side]}
        points += ax.plot(x[mask], sample.betp[mask], **style)
    return lines, points, None


def _band(ax: Axes, sample: Beliefs) -> tuple[Any, list[Any], Any]:
    """A band, a line, and shares of the class, which lie within the band if beliefs are valid."""
    x = np.arange(1, len(sample.bel) + 1, dtype=np.float64)
    place, low, high, middle = (_grouped(values, _MAX_POINTS) for values in (x, *sample[:3]))
    band = ax.fill_between(place, low, high, label="Bel to Pl", **band_style(COLORS["sky"], 0.6))
    lines = ax.plot(place, middle, color=COLORS["blue"], lw=1.6, label="pignistic probability")
    if sample.hits is None:
        return band, lines, None
    points = (_grouped(values, _N_SHARES) for values in (x, sample.hits.astype(np.float64)))
    (shares,) = ax.plot(*points, label="share of the class, in twentieths", **shares_style())
    return band, lines, shares


def _columns(values: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    return array[:, np.newaxis] if array.ndim == 1 else array


def _panels(ax: Axes | Sequence[Axes] | NDArray[Any] | None, count: int) -> NDArray[Any]:
    """One pair of axes per class: the given ones, or new ones in rows."""
    if ax is None and count > 1:
        rows = -(-count // (_MAX_COLUMNS if count <= _FEW_PANELS else 2 * _MAX_COLUMNS))
        columns = -(-count // rows)
        size = (min(4.0 * columns, 8.0), min(4.2 * rows, 10.0))
        grid = new_axes(size, nrows=rows, ncols=columns, sharey=True)
        for unused in grid.ravel()[count:]:
            unused.remove()
        return np.asarray(grid.ravel()[:count])
    given = [ax] if ax is None or isinstance(ax, Axes) else np.ravel(as_array(ax, "ax"))
    if len(given) != count:  # before a figure is opened
        raise ValueError(
            f"there are {len(given)} axes for {count} classes; give one for each class"
        )
    return np.array([axes_or_new(one) for one in given], dtype=object)


def _grouped(values: Floats, most: int) -> Floats:
    """Means of neighbors, to limit the number of points."""
    if len(values) <= most:
        return values
    starts = np.linspace(0, len(values), most + 1).astype(np.intp)
    return np.asarray(np.add.reduceat(values, starts[:-1]) / np.diff(starts))
