"""`FusionWeightsDisplay`: how much each member of an ensemble counts, and how sure that is.

Weights of evidence are drawn on a scale on which 0 is a member that says nothing, and 1 the weight
that Dempster's rule gives to independent members (Denoeux 2019). Those of many classes are a map of
colors, members by classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_floats, check_choice, check_level
from dstheory.notebook import short
from dstheory.plot.style import (
    COLORS,
    CURVES,
    OnAxes,
    add_legend,
    axes_or_new,
    ink,
    keep_on_canvas,
    literal,
    names_of,
    paper,
)
from evical._typing import Floats
from evical.fusion import Rule, as_rule
from evical.fusion.described import Learned, learned_from
from evical.scores.checks import refuse


class Kind(NamedTuple):
    """What numbers of sources mean.

    Parameters
    ----------
    label : str
        Of the axis.
    marks : tuple of two str
        What 0 and 1 mean.
    low, high : float
        What the numbers may be.
    """

    label: str
    marks: tuple[str, str]
    low: float = 0.0
    high: float = 1.0


_MARK_LINES = (":", "--")  # of 0 and 1
_MAX_LETTERS = 32  # of a name; longer ones are cut
# Share of the room for a row that letters fill, and their least size in points.
_FILLED, _LEAST_SIZE = 0.8, 5.0
# Width of a letter, as a share of its size.
_WIDTH = 0.6
# A map of weights that are all 0 needs a range too.
_LEAST_RANGE = 0.01


def fitting_letters(room: float) -> tuple[float, int]:
    """Size of letters for rows of so many points, and of how many rows one has a name.

    >>> fitting_letters(7.5), fitting_letters(2.0)
    ((6.0, 1), (5.0, 4))
    """
    size = min(float(mpl.rcParams["font.size"]), max(_FILLED * room, _LEAST_SIZE))
    return size, max(1, int(np.ceil(_LEAST_SIZE / (_FILLED * room))))


_HAVE_WEIGHTS = (
    '"stacked", "consensus", "discounted", "contextually_discounted", "size_mixture" and '
    '"likelihood_mixture" have weights'
)


_SILENT = "0: silent"
KINDS = {
    "evidence": Kind(
        "Weight of evidence", (_SILENT, "1: Dempster's rule, as if independent"), -np.inf, np.inf
    ),
    "reliability": Kind(
        "Reliability, 1 - discount rate", (_SILENT, "1: Dempster's rule, fully reliable")
    ),
    "correlation": Kind(
        "Correlation with the truth, by agreement", ("0: guessing", "1: always right")
    ),
    "share": Kind("Weight in the mean", (_SILENT, "1: nothing else counts")),
}


def learned_by(fusion: Rule) -> Learned:
    """Weights or reliabilities of a fitted fusion; an error if it has none."""
    if isinstance(fusion, type) or not callable(fusion):
        raise TypeError(f"fusion is {fusion!r}, expected a fitted fusion of evical.fusion")
    rule = fusion if hasattr(fusion, "learned") else as_rule(fusion)
    found: Learned | None = rule.learned()
    if found is None:
        raise ValueError(f"{rule.name} has no weights to show; {_HAVE_WEIGHTS}")
    return found


def checked_numbers(values: ArrayLike, name: str, kind: Kind) -> Floats:
    """Numbers (S, C) in the range of their kind; a column if there are none of classes."""
    array = as_floats(values, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{name} have shape {array.shape}, expected (S,) or (S, K)")
    wrong = ~(np.isfinite(array) & (array >= kind.low) & (array <= kind.high))
    refuse(array, wrong, name, "a finite number" if np.isinf(kind.high) else "a number in [0, 1]")
    return array.reshape(len(array), -1)


def checked_names(names: Sequence[str] | None, count: int, what: str, one: str) -> tuple[str, ...]:
    """As many different names as there are things; numbered by default."""
    if names is None:
        return tuple(f"{one} {i + 1}" for i in range(count))
    return names_of(names, what, count)


def checked_ends(
    standard_error: ArrayLike | None,
    interval: ArrayLike | None,
    columns: Floats,
    kind: Kind,
    confidence: float,
) -> Floats | None:
    """Ends (S, C, 2) of intervals, from standard errors in the shape of the columns or as given."""
    if standard_error is None and interval is None:
        return None
    if standard_error is not None and interval is not None:
        raise ValueError("standard_error and interval are both given; give one of them")
    if standard_error is None:
        ends = checked_numbers(interval, "interval", kind)  # type: ignore[arg-type]  # not None
        if ends.shape != (len(columns), 2) or columns.shape[1] > 1 or confidence != _LEVEL:
            raise ValueError(
                f"interval has shape {ends.shape} and confidence is {confidence}, expected "
                f"({len(columns)}, 2), an interval of level {_LEVEL} for each member"
            )
        return ends[:, np.newaxis]
    errors = checked_numbers(standard_error, "standard_error", KINDS["evidence"])
    if errors.shape != columns.shape or (errors < 0).any():
        raise ValueError(
            f"standard_error has shape {np.shape(standard_error)} and minimum {errors.min():g}, "
            "expected numbers from 0 in the shape of weights"
        )
    reach = ndtri((1 + confidence) / 2) * errors
    return np.stack([columns - reach, columns + reach], axis=-1)


def without_repeats(
    learned: Learned, class_names: Sequence[str] | None
) -> tuple[Floats, Floats | None, Sequence[str] | None]:
    """Without columns that only repeat the first, for weights that classes share."""
    values, errors = learned.values, learned.standard_error
    if values.ndim == 1:
        return values, errors, None
    tables = [values] if errors is None else [values, errors]
    if values.shape[1] > 1 and all((table == table[:, :1]).all() for table in tables):
        return values[:, 0], None if errors is None else errors[:, 0], None
    return values, errors, class_names


Order = Literal["given", "weight"]

_LEVEL = 0.95  # of intervals that come without standard errors
# Where brackets stand and how far they reach, as shares of the width, right of the axes.
_BRACKET, _TOOTH = 0.015, 0.012

# Of more classes, or more intervals, a map of colors.
_MAX_CLASSES, _MAX_INTERVALS = 4, 120
# Inches: a row, one of many, one of a class, the axis, a line above, a column, a letter.
_ROW, _LOW_ROW, _CLASS_ROW, _HEAD, _LINE, _COLUMN, _LETTER = 0.26, 0.12, 0.14, 0.8, 0.2, 0.3, 0.085
_FEW, _TALLEST, _WIDEST = 30, 12.0, 12.0
# Share of a row that the intervals of its classes fill.
_SPREAD = 0.6


class FusionWeightsDisplay(OnAxes):
    """Weights of the members of an ensemble, with intervals, from the first downwards.

    Usually made by `from_estimator` or `from_fusion`.

    Parameters
    ----------
    weights : (S,) or (S, K) array
        One for each member, or one for each member and class.
    standard_error : array like `weights`, optional
    interval : (S, 2) array, optional
        Ends of intervals of level 0.95, where there are no standard errors.
    alike : (S,) array of int, optional
        Members that repeat each other share a number; brackets join them.
    members : sequence of S str, optional
    class_names : sequence of K str, optional
    kind : {"evidence", "reliability", "correlation", "share"}
        What `weights` are: weights of evidence, of any sign; 1 minus the discount rates, or weights
        in a mean, both in [0, 1]; or estimated correlations with the truth.
    confidence : float
        Level of the normal intervals.
    order : {"given", "weight"}
        Of the members; by "weight", the largest mean over the classes comes first.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    intervals_ : list of ErrorbarContainer
        One for each class, or one; empty if a map was drawn.
    map_ : QuadMesh or None
        Members by classes: drawn for more than four classes or 120 intervals.
    doubtful_ : PathCollection or None
        Dots on the cells of the map whose interval includes 0.
    marks_ : list of Line2D
        At 0 and 1, those of them that the colors of a map reach.
    brackets_ : list of Line2D
        One for each set of members that repeat each other.

    Raises
    ------
    ValueError
        If shapes do not agree, or a number is not possible.

    References
    ----------
    Denoeux (2019), Logistic regression, neural networks and Dempster-Shafer theory: a new
    perspective, Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> display = FusionWeightsDisplay([0.9, 0.1], standard_error=[0.1, 0.2], members=["a", "b"])
    >>> display.interval.round(2).tolist()
    [[0.7, 1.1], [-0.29, 0.49]]
    """

    def __init__(
        self,
        weights: ArrayLike,
        *,
        standard_error: ArrayLike | None = None,
        interval: ArrayLike | None = None,
        alike: ArrayLike | None = None,
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        kind: Literal["evidence", "reliability", "correlation", "share"] = "evidence",
        confidence: float = 0.95,
        order: Order = "given",
    ) -> None:
        check_choice("kind", kind, tuple(KINDS))
        check_choice("order", order, ("given", "weight"))
        check_level("confidence", confidence)
        self._columns = checked_numbers(weights, "weights", KINDS[kind])
        self._ends = checked_ends(standard_error, interval, self._columns, KINDS[kind], confidence)
        count, classes = self._columns.shape
        self._alike = np.arange(count) if alike is None else np.asarray(alike)
        if self._alike.shape != (count,):
            raise ValueError(f"alike has shape {self._alike.shape}, expected ({count},)")
        self.weights = np.asarray(weights, dtype=np.float64)
        self.standard_error = standard_error
        self.members = checked_names(members, count, "members", "member")
        self.class_names = checked_names(class_names, classes, "class_names", "class")
        self.kind, self.confidence, self.order = kind, confidence, order

    @property
    def interval(self) -> Floats | None:
        """Ends (S, 2) or (S, K, 2) of the intervals; None without standard errors."""
        ends = self._ends
        return None if ends is None else ends.reshape(*np.shape(self.weights), 2)

    @property
    def label(self) -> str:
        """What the numbers are, and the intervals if there are any."""
        bars = "" if self._ends is None else f", {100 * self.confidence:g} % interval"
        return KINDS[self.kind].label + bars

    @property
    def marks(self) -> tuple[str, ...]:
        """What 0 and 1 mean."""
        return KINDS[self.kind].marks

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure with room for all members."""
        count, classes = self._columns.shape
        split = 0 if self._is_map() or classes == 1 else classes
        per_row = max(_ROW if count <= _FEW else _LOW_ROW, _CLASS_ROW * split)
        height = min(_HEAD + _LINE * (3 + split) + per_row * count, _TALLEST)
        letters = _LETTER * max(len(short(name, _MAX_LETTERS)) for name in self.members)
        width = 4.6 if not self._is_map() else max(3.0, _COLUMN * classes) + 1.2
        return min(letters + width, _WIDEST), height

    def _is_map(self) -> bool:
        count, classes = self._columns.shape
        return bool(classes > _MAX_CLASSES or (classes > 1 and count * classes > _MAX_INTERVALS))

    @classmethod
    def from_estimator(cls, ensemble: Any, **options: Any) -> FusionWeightsDisplay:
        """Draw what the fusion of a fitted ensemble has learned.

        Parameters
        ----------
        ensemble : fitted EvidentialEnsemble or EvidentialFusion
            With a fusion that has weights, such as the default one.
        **options
            As for `from_fusion`; members have the names of the ensemble.

        Returns
        -------
        FusionWeightsDisplay

        Raises
        ------
        TypeError
            If it is no ensemble.
        ValueError
            If its rule has no weights.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.linear_model import RidgeClassifier
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from evical import EvidentialEnsemble
        >>> members = [("bayes", GaussianNB()), ("ridge", RidgeClassifier())]
        >>> ensemble = EvidentialEnsemble(members, cv=3).fit(*load_breast_cancer(return_X_y=True))
        >>> display = FusionWeightsDisplay.from_estimator(ensemble)
        >>> display.members, bool(display.weights[1] > display.weights[0] > 0)
        (('bayes', 'ridge'), True)
        """
        if isinstance(ensemble, type) or not hasattr(ensemble, "_fitted_members"):
            raise TypeError(f"ensemble is {ensemble!r}, expected a fitted EvidentialEnsemble")
        check_is_fitted(ensemble)
        named = {
            "members": list(getattr(ensemble, "source_names_", []) or ensemble.named_estimators_),
            "class_names": list(map(str, ensemble.classes_)),
        }
        return cls.from_fusion(ensemble.fusion_, **(named | options))

    @classmethod
    def from_fusion(
        cls,
        fusion: Rule,
        *,
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        confidence: float = 0.95,
        order: Order = "given",
        ax: Axes | None = None,
    ) -> FusionWeightsDisplay:
        """Draw what a fitted fusion has learned.

        Parameters
        ----------
        fusion : fitted Stacked, Discounted or Mixture
            Of `evical.fusion`. Only `Stacked` knows standard errors.
        members : sequence of S str, optional
        class_names : sequence of K str, optional
            Those of its frame by default.
        confidence, order : as for `FusionWeightsDisplay`
        ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        FusionWeightsDisplay

        Raises
        ------
        TypeError
            If it is no fusion.
        ValueError
            If it has no weights, or names are not as many as members or classes.

        Examples
        --------
        >>> from evical.fusion import Discounted
        >>> fusion = Discounted(rates=[0.25, 1.0]).fit(sizes=[1, 1])
        >>> FusionWeightsDisplay.from_fusion(fusion, members=["camera", "radar"]).weights
        array([0.75, 0.  ])
        """
        learned = learned_by(fusion)
        if class_names is None and fusion.frame_ is not None:
            class_names = list(map(str, fusion.frame_.labels))
        options: dict[str, Any] = {"confidence": confidence, "order": order}
        return cls._of(learned, class_names, members=members, **options).plot(ax)

    @classmethod
    def of_sources(
        cls,
        by_source: Mapping[str, Any],
        *,
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> FusionWeightsDisplay | None:
        """What a fusion says `by_source`, not drawn yet.

        Parameters
        ----------
        by_source : mapping of str to array
        members, class_names : sequence of str, optional

        Returns
        -------
        FusionWeightsDisplay or None
            None if there are no weights.

        Raises
        ------
        ValueError
            If names are not as many as members or classes.

        Examples
        --------
        >>> display = FusionWeightsDisplay.of_sources({"rates_": [0.25, 1.0]})
        >>> display.label, display.weights.tolist()
        ('Reliability, 1 - discount rate', [0.75, 0.0])
        """
        learned = learned_from(by_source)
        return None if learned is None else cls._of(learned, class_names, members=members)

    @classmethod
    def _of(
        cls, learned: Learned, class_names: Sequence[str] | None, **options: Any
    ) -> FusionWeightsDisplay:
        values, errors, names = without_repeats(learned, class_names)
        return cls(
            values,
            standard_error=errors,
            interval=learned.interval,
            alike=learned.groups,
            class_names=names,
            kind=learned.kind,  # type: ignore[arg-type]  # of KINDS
            **options,
        )

    def plot(self, ax: Axes | None = None) -> FusionWeightsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, in a figure of `size`. In given axes, letters shrink to fit their
            rows; where they would be too small, only some members are named.

        Returns
        -------
        FusionWeightsDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax, self.size)
        rows = np.arange(len(self.members))
        if self.order == "weight":
            rows = np.argsort(-self._columns.mean(axis=1), kind="stable")
        self.intervals_: list[Any] = []
        self.marks_: list[Any] = []
        self.brackets_: list[Any] = []
        self.map_: QuadMesh | None = None
        self.doubtful_: PathCollection | None = None
        self._name_rows(ax, rows)
        (self._draw_map if self._is_map() else self._draw_intervals)(ax, rows)
        keep_on_canvas(ax)
        return self

    def _name_rows(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        height = ax.get_window_extent().height / ax.figure.dpi * 72 / len(rows)
        size, every = fitting_letters(height)
        shown = rows[::every]
        names = [literal(short(self.members[i], _MAX_LETTERS)) for i in shown]
        ax.set_yticks(np.arange(0, len(rows), every), names, fontsize=size)
        ax.set_ylim(len(rows) - 0.5, -0.5)

    def _draw_intervals(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        classes = self._columns.shape[1]
        places = np.linspace(-0.5, 0.5, classes) * _SPREAD if classes > 1 else np.zeros(1)
        self.marks_ = [
            ax.axvline(value, color=ink(), ls=line, lw=1, label=name, zorder=1)
            for value, (line, name) in enumerate(zip(_MARK_LINES, self.marks, strict=True))
        ]
        for k, place in enumerate(places):
            values = self._columns[rows, k]
            ends = None if self._ends is None else self._ends[rows, k].T
            self.intervals_.append(
                ax.errorbar(
                    values,
                    np.arange(len(rows)) + place,
                    xerr=None if ends is None else np.abs(ends - values),
                    fmt=CURVES[k][1],
                    color=CURVES[k][0],
                    ms=4 if classes == 1 and len(rows) <= _FEW else 3,
                    lw=1.3,
                    label=literal(self.class_names[k]) if classes > 1 else None,
                )
            )
        self._draw_brackets(ax, rows)
        ax.set_xlabel(self.label)
        add_legend(ax)

    def _draw_brackets(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        """Right of the axes, a line with a tooth at each member that repeats another one."""
        groups = self._alike[rows]
        numbers, counts = np.unique(groups, return_counts=True)
        for place, number in enumerate(numbers[counts > 1].tolist()):
            x = 1 + (place + 1) * (_BRACKET + _TOOTH)
            members = np.flatnonzero(groups == number)
            self.brackets_ += ax.plot(
                np.tile([x, x - _TOOTH, x], len(members)),
                np.repeat(members, 3),
                transform=ax.get_yaxis_transform(),
                clip_on=False,
                color=ink(),
                lw=1.2,
                label="_" if place else "joined: repeat each other, share one weight",
            )

    def _draw_map(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        """Weights in the order of the rows, where 0 has the color of the paper."""
        kind, shown = KINDS[self.kind], self._columns[rows]
        most = 1.0 if kind.high == 1 else max(float(np.abs(shown).max()), _LEAST_RANGE)
        low = max(-most, kind.low)
        ends = [COLORS["vermilion"], paper(), COLORS["blue"]][1 if low == 0 else 0 :]
        count, classes = shown.shape
        self.map_ = ax.pcolormesh(
            np.arange(classes + 1) - 0.5,
            np.arange(count + 1) - 0.5,
            shown,
            cmap=LinearSegmentedColormap.from_list("weights", ends),
            vmin=low,
            vmax=most,
        )
        bar = ax.figure.colorbar(self.map_, ax=ax, label=kind.label)
        self.marks_ = [
            bar.ax.axhline(value, color=ink(), ls=line, lw=1.4, label=name)
            for value, (line, name) in enumerate(zip(_MARK_LINES, kind.marks, strict=True))
            if value <= most
        ]
        handles = list(self.marks_)
        if self._ends is not None:
            low_ends, high_ends = np.moveaxis(self._ends[rows], -1, 0)
            row, column = np.nonzero((low_ends <= 0) & (high_ends >= 0))
            doubt = f"0 is in the {100 * self.confidence:g} % interval"
            self.doubtful_ = ax.scatter(column, row, s=9, color=ink(), linewidths=0, label=doubt)
            handles.append(self.doubtful_)
        self._name_columns(ax)
        add_legend(ax, handles=handles)
        keep_on_canvas(bar.ax)

    def _name_columns(self, ax: Axes) -> None:
        count = len(self.class_names)
        width = ax.get_window_extent().width / ax.figure.dpi * 72 / count
        size, every = fitting_letters(width)
        texts = [literal(short(name, _MAX_LETTERS)) for name in self.class_names[::every]]
        upright = max(map(len, texts)) * size * _WIDTH > width * every
        places = np.arange(0, count, every)
        ax.set_xticks(places, texts, fontsize=size, rotation=90 if upright else 0)
        ax.set_xlabel("Class")
