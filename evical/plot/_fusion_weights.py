"""`FusionWeightsDisplay`: how much each member of an ensemble counts, and how sure that is.

Weights of evidence are drawn on a scale on which 0 is a member that says nothing, and 1 the weight
that Dempster's rule gives to independent members (Denoeux 2019).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_choice, check_level
from evical._typing import Floats
from evical.plot._fusion_weights_data import (
    KINDS,
    Learned,
    checked_errors,
    checked_names,
    checked_numbers,
    learned_by,
    learned_from,
    without_repeats,
)
from evical.plot._fusion_weights_map import MARK_LINES, MAX_LETTERS, draw_map, fitting_letters
from evical.plot.style import COLORS, axes_or_new, ink, legend_above, literal, short

__all__ = ["FusionWeightsDisplay", "fusion_weights"]

Order = Literal["given", "weight"]

# Of more classes, or more intervals, a map of colors.
_MAX_CLASSES, _MAX_INTERVALS = 4, 120
# Inches: a row, one of many, one of a class, the axis, a line above, a column, a letter.
_ROW, _LOW_ROW, _CLASS_ROW, _HEAD, _LINE, _COLUMN, _LETTER = 0.26, 0.12, 0.14, 0.8, 0.2, 0.3, 0.085
_FEW, _TALLEST, _WIDEST = 30, 12.0, 12.0
# Share of a row that the intervals of its classes fill.
_SPREAD = 0.6
_MARKERS = ("o", "s", "^", "D")
_POINTS = ("blue", "vermilion", "green", "orange")


class FusionWeightsDisplay:
    """Weights of the members of an ensemble, with intervals, from the first downwards.

    Usually made by `from_estimator` or `from_fusion`.

    Parameters
    ----------
    weights : (S,) or (S, K) array
        One for each member, or one for each member and class.
    standard_error : array like `weights`, optional
    members : sequence of S str, optional
    class_names : sequence of K str, optional
    kind : {"evidence", "reliability", "share"}
        What `weights` are: weights of evidence, of any sign; 1 minus the discount rates, or weights
        in a mean, both in [0, 1].
    confidence : float
        Level of the normal intervals.
    order : {"given", "weight"}
        Of the members; by "weight", the largest mean over the classes comes first.

    Attributes
    ----------
    ax_ : matplotlib Axes
    intervals_ : list of ErrorbarContainer
        One for each class, or one; empty if a map was drawn.
    map_ : QuadMesh or None
        Members by classes: drawn for more than four classes or 120 intervals.
    doubtful_ : PathCollection or None
        Dots on the cells of the map whose interval includes 0.
    marks_ : list of Line2D
        At 0 and 1, those of them that the colors of a map reach.

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
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        kind: Literal["evidence", "reliability", "share"] = "evidence",
        confidence: float = 0.95,
        order: Order = "given",
    ) -> None:
        check_choice("kind", kind, tuple(KINDS))
        check_choice("order", order, ("given", "weight"))
        check_level("confidence", confidence)
        self._columns = checked_numbers(weights, "weights", KINDS[kind])
        self._errors = checked_errors(standard_error, self._columns)
        count, classes = self._columns.shape
        self.weights = np.asarray(weights, dtype=np.float64)
        self.standard_error = standard_error
        self.members = checked_names(members, count, "members", "member")
        self.class_names = checked_names(class_names, classes, "class_names", "class")
        self.kind, self.confidence, self.order = kind, confidence, order

    @property
    def interval(self) -> Floats | None:
        """Ends (S, 2) or (S, K, 2) of the intervals; None without standard errors."""
        if self._errors is None:
            return None
        reach = self._reach()
        ends = np.stack([self._columns - reach, self._columns + reach], axis=-1)
        return ends.reshape(*np.shape(self.weights), 2)

    @property
    def label(self) -> str:
        """What the numbers are, and the intervals if there are any."""
        bars = "" if self._errors is None else f", {100 * self.confidence:g} % interval"
        return KINDS[self.kind].label + bars

    @property
    def marks(self) -> tuple[str, ...]:
        """What 0 and 1 mean."""
        return tuple(KINDS[self.kind].marks)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure with room for all members."""
        count, classes = self._columns.shape
        split = 0 if self._is_map() or classes == 1 else classes
        per_row = max(_ROW if count <= _FEW else _LOW_ROW, _CLASS_ROW * split)
        height = min(_HEAD + _LINE * (3 + split) + per_row * count, _TALLEST)
        letters = _LETTER * max(len(short(name, MAX_LETTERS)) for name in self.members)
        width = 4.6 if not self._is_map() else max(3.0, _COLUMN * classes) + 1.2
        return min(letters + width, _WIDEST), height

    def _is_map(self) -> bool:
        count, classes = self._columns.shape
        return bool(classes > _MAX_CLASSES or (classes > 1 and count * classes > _MAX_INTERVALS))

    def _reach(self) -> Floats:
        assert self._errors is not None
        return np.asarray(ndtri((1 + self.confidence) / 2) * self._errors)

    @classmethod
    def from_estimator(cls, ensemble: Any, **options: Any) -> "FusionWeightsDisplay":
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
        fusion: Any,
        *,
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        confidence: float = 0.95,
        order: Order = "given",
        ax: Axes | None = None,
    ) -> "FusionWeightsDisplay":
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
        return cls._of(learned, members, class_names, confidence, order).plot(ax)

    @classmethod
    def of_sources(
        cls,
        by_source: Mapping[str, Any],
        *,
        members: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> "FusionWeightsDisplay | None":
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
        return None if learned is None else cls._of(learned, members, class_names, 0.95, "given")

    @classmethod
    def _of(
        cls,
        learned: Learned,
        members: Sequence[str] | None,
        class_names: Sequence[str] | None,
        confidence: float,
        order: Order,
    ) -> "FusionWeightsDisplay":
        values, errors, names = without_repeats(learned, class_names)
        return cls(
            values,
            standard_error=errors,
            members=members,
            class_names=names,
            kind=learned.kind,  # type: ignore[arg-type]  # of KINDS
            confidence=confidence,
            order=order,
        )

    def plot(self, ax: Axes | None = None) -> "FusionWeightsDisplay":
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
        self.map_: Any = None
        self.doubtful_: Any = None
        self._name_rows(ax, rows)
        (self._draw_map if self._is_map() else self._draw_intervals)(ax, rows)
        return self

    def _name_rows(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        height = ax.get_window_extent().height / ax.figure.dpi * 72 / len(rows)
        size, every = fitting_letters(height)
        shown = rows[::every]
        names = [literal(short(self.members[i], MAX_LETTERS)) for i in shown]
        ax.set_yticks(np.arange(0, len(rows), every), names, fontsize=size)
        ax.set_ylim(len(rows) - 0.5, -0.5)

    def _draw_intervals(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        classes = self._columns.shape[1]
        places = np.linspace(-0.5, 0.5, classes) * _SPREAD if classes > 1 else np.zeros(1)
        kind = KINDS[self.kind]
        self.marks_ = [
            ax.axvline(value, color=ink(), ls=line, lw=1, label=name, zorder=1)
            for line, (name, value) in zip(MARK_LINES, kind.marks.items(), strict=True)
        ]
        for k, place in enumerate(places):
            self.intervals_.append(
                ax.errorbar(
                    self._columns[rows, k],
                    np.arange(len(rows)) + place,
                    xerr=None if self._errors is None else self._reach()[rows, k],
                    fmt=_MARKERS[k],
                    color=COLORS[_POINTS[k]],
                    ms=4 if classes == 1 and len(rows) <= _FEW else 3,
                    lw=1.3,
                    label=literal(self.class_names[k]) if classes > 1 else None,
                )
            )
        ax.set_xlabel(self.label)
        legend_above(ax)

    def _draw_map(self, ax: Axes, rows: NDArray[np.intp]) -> None:
        reach = None if self._errors is None else self._reach()[rows]
        self.map_, self.marks_, self.doubtful_ = draw_map(
            ax,
            self._columns[rows],
            reach,
            KINDS[self.kind],
            self.class_names,
            f"0 is in the {100 * self.confidence:g} % interval",
        )


def fusion_weights(fitted: Any, **options: Any) -> FusionWeightsDisplay:
    """Draw how much each member of an ensemble counts, with intervals.

    Parameters
    ----------
    fitted : fitted EvidentialEnsemble or EvidentialFusion, or fitted fusion of `evical.fusion`
    **options
        As for `FusionWeightsDisplay.from_fusion`.

    Returns
    -------
    FusionWeightsDisplay

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If there are no weights to show.

    Examples
    --------
    >>> from evical.fusion import Mixture
    >>> display = fusion_weights(Mixture("size").fit(sizes=[30, 10]), order="weight")
    >>> display.members, display.weights.tolist()
    (('member 1', 'member 2'), [0.75, 0.25])
    """
    if hasattr(fitted, "_fitted_members"):
        return FusionWeightsDisplay.from_estimator(fitted, **options)
    return FusionWeightsDisplay.from_fusion(fitted, **options)
