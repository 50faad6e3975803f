"""Common base of the triangle of three classes and the tetrahedron of four.

A probability is the weighted center of the corners, one for each class (barycentric
coordinates: Gebel 2009, sec. 2.1). A belief is the set of the probabilities that agree with it, a
polytope. Its vertices correspond to orders of the classes, its edges to swaps of neighbors in an
order, and its facets to events: first the classes of the event, then the others.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import permutations
from textwrap import fill
from typing import Any, ClassVar, Literal, Self

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory import MassFunction, betp
from dstheory.checks.arguments import as_mapping, as_sequence, check_count, check_instance
from dstheory.plot import credal_vertices
from evical._typing import Floats, SamplesLike
from evical.metrics.inputs import MOST_REPEATS, class_sample
from evical.plot._inputs import known_classes, predictions
from evical.plot.style import COLORS, literal

# Color and marker of each class, distinguishable in grayscale.
MARKS = (
    (COLORS["blue"], "o"),
    (COLORS["orange"], "^"),
    (COLORS["green"], "s"),
    (COLORS["vermilion"], "D"),
)
_OTHERS = {
    1: "it is certain",
    2: "the probability of one of two classes is a line: take BeliefBandDisplay",
    3: "take SimplexDisplay, which draws a triangle",
    4: "take TetrahedronDisplay",
}
# Number of points, and their maximum size.
_SIZES = ((40, 7.0), (400, 4.0), (np.inf, 2.0))
# Letters per line beside a corner and in a legend, and number of lines.
_MAX_LETTERS, _LEGEND_LETTERS, _MAX_LINES = 16, 28, 4
# With more points, vector formats embed a bitmap: a million would take 140 MB.
_MAX_VECTOR = 10_000
# Vertices that differ by rounding are merged.
_ATOL = 1e-9


class BaseCornersDisplay(ABC):
    """Abstract display of probabilities and beliefs between corners, one per class.

    Parameters
    ----------
    labels : sequence of str
        Names of the classes.
    points : (n, K) array
        Probabilities.
    groups : (n,) array of int
        Group of each point; it has a color and a marker.
    names : sequence of str
        Of the groups, for the legend; at most four.
    corners : mapping of int to (K!, K) array, optional
        Corners of the credal set of some points, by row, in the order of `credal_vertices`.
    legend : str
        Title of the legend.
    note : str
        Title.
    """

    n_corners: ClassVar[int]
    # Where the corners are, and the order of points among what is drawn.
    _places: ClassVar[Floats]
    _above: ClassVar[int]

    def __init__(
        self,
        labels: Sequence[str],
        points: Floats,
        groups: NDArray[np.intp],
        names: Sequence[str],
        *,
        corners: Mapping[int, Floats] | None = None,
        legend: str = "",
        note: str = "",
    ) -> None:
        self.labels = as_sequence(labels, "labels", "names of classes")
        self.points = points
        self.groups = groups
        self.names = as_sequence(names, "names", "names of mass functions")
        self.corners = as_mapping({} if corners is None else corners, "corners", "corners by name")
        self.legend = legend
        self.note = note

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike | MassFunction,
        *,
        labels: ArrayLike | None = None,
        max_regions: int = 12,
        ax: Axes | None = None,
    ) -> Self:
        """Draw predicted probabilities, or beliefs with their pignistic probabilities.

        Parameters
        ----------
        y_true : (n,) array of labels
        y_prob : (n, K) array, or MassFunction
            Probability of each label in sorted order, or a batch of beliefs.
        labels : sequence of K labels, optional
            Of the columns, if they are not those of `y_true` in sorted order.
        max_regions : int
            Number of samples, chosen evenly, whose credal set is drawn.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        display

        Raises
        ------
        ValueError
            If there are more or fewer classes than corners, a label or a probability is invalid, or
            m(empty) > 0 in a belief.
        """
        check_count("max_regions", max_regions, 0, MOST_REPEATS)
        sample = class_sample(y_true, y_prob, labels, None)
        cls._check_number(sample.p.shape[1])
        corners: dict[int, Floats] = {}
        if isinstance(y_prob, MassFunction):
            rows = _chosen(len(sample.p), max_regions)
            points = np.asarray(credal_vertices(y_prob[rows]), dtype=np.float64)
            corners = dict(zip(rows, points, strict=True))
        note = f"credal sets of {len(corners)} of {len(sample.p)} samples"
        names = [str(label) for label in sample.labels.tolist()]
        return cls(
            names,
            sample.p,
            sample.codes,
            names,
            corners=corners,
            legend="true class",
            note=note if 0 < len(corners) < len(sample.p) else "",
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: SamplesLike, y: ArrayLike, **options: Any
    ) -> Self:
        """Predict with a fitted classifier or multiclass calibrator, and draw.

        Parameters
        ----------
        estimator : fitted estimator
            With `classes_`, and `predict_mass` or `predict_proba`.
        X : array
            Features, or the scores of a calibrator.
        y : (n,) array of labels
        **options
            As for `from_predictions`, but for `labels`.

        Returns
        -------
        display

        Raises
        ------
        ValueError
            As `from_predictions`.
        TypeError
            If the estimator predicts neither beliefs nor probabilities.
        """
        if hasattr(estimator, "predict_mass"):
            return cls.from_predictions(y, predictions(estimator, "predict_mass", X), **options)
        probabilities = predictions(estimator, "predict_proba", X)
        labels = known_classes(estimator)
        return cls.from_predictions(y, probabilities, labels=labels, **options)

    @classmethod
    def from_mass(
        cls, m: MassFunction | Mapping[str, MassFunction], *, ax: Axes | None = None
    ) -> Self:
        """Draw the credal sets of one or a few mass functions around their pignistic probabilities.

        Parameters
        ----------
        m : MassFunction, or mapping of str to MassFunction
            Up to four, on one frame.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        display

        Raises
        ------
        ValueError
            If the frame has more or fewer labels than there are corners, m(empty) > 0, or there
            are too many mass functions, or a batch.
        """
        sources = dict(m) if isinstance(m, Mapping) else {"": m}
        if not 1 <= len(sources) <= len(MARKS):
            raise ValueError(
                f"m holds {len(sources)} mass functions, and marks tell 1 to {len(MARKS)} apart"
            )
        for name, source in sources.items():
            _check_single(source, name, next(iter(sources.values())))
        labels = next(iter(sources.values())).frame.labels
        cls._check_number(len(labels))
        corners = {row: credal_vertices(one) for row, one in enumerate(sources.values())}
        return cls(
            [str(label) for label in labels],
            np.array([betp(source) for source in sources.values()], dtype=np.float64),
            np.arange(len(sources)),
            [str(name) for name in sources],
            corners={row: np.asarray(c, dtype=np.float64) for row, c in corners.items()},
        ).plot(ax)

    @classmethod
    def _check_number(cls, number: int) -> None:
        if number != cls.n_corners:
            hint = _OTHERS.get(number, "show some of them, or coarsen the frame")
            there = "is 1 class" if number == 1 else f"are {number} classes"
            raise ValueError(
                f"there {there}, and {cls.__name__} has {cls.n_corners} corners; {hint}"
            )

    def sides(self) -> dict[int, list[Floats]]:
        """Facets of each credal set (v, K), vertices in cyclic order; none for a single point."""
        return {
            row: [corners[side] for side in facets(self.n_corners)]
            for row, corners in self.corners.items()
            if np.ptp(corners, axis=0).max() > _ATOL
        }

    def _corner_names(self) -> list[str]:
        """Labels, on several lines if they are long."""
        return [literal(_folded(label, _MAX_LETTERS)) for label in self.labels]

    def _marker_size(self) -> float:
        """Size of markers: many points are small, because they overlap."""
        return next(size for most, size in _SIZES if len(self.points) <= most)

    def _point_style(self, number: int) -> dict[str, Any]:
        """Color, marker and name of a group."""
        color, marker = MARKS[number]
        size = self._marker_size()
        return {
            "color": color,
            "marker": marker,
            "linestyle": "none",
            "markeredgecolor": "black",
            "markeredgewidth": 0.08 * size,
            "ms": size,
            "label": literal(_folded(self.names[number], _LEGEND_LETTERS)),
            "rasterized": len(self.points) > _MAX_VECTOR,
        }

    @abstractmethod
    def _region(self, ax: Axes, sides: list[Floats], color: str) -> Any:
        """Draw a credal set, of which these are the facets."""

    def _draw_groups(
        self, ax: Axes, side: Literal["left", "right"], anchor: tuple[float, float]
    ) -> None:
        """Credal sets and points, with a legend whose markers are large enough to tell apart."""
        self.regions_ = {}
        for row, sides in self.sides().items():
            color = MARKS[self.groups[row]][0]
            self.regions_[row] = self._region(ax, [side @ self._places for side in sides], color)
        self.points_ = {}
        for number, name in enumerate(self.names):
            points = self.points[self.groups == number] @ self._places
            if len(points):
                style = self._point_style(number)
                (self.points_[name],) = ax.plot(*points.T, zorder=self._above, **style)
        if self.names != [""]:
            ax.legend(
                loc="upper left" if side == "left" else "upper right",
                bbox_to_anchor=anchor,
                frameon=False,
                title=self.legend or None,
                markerscale=max(1.0, 6 / self._marker_size()),
            )


def _folded(name: str, letters: int) -> str:
    """A name on a few lines."""
    return fill(name, letters, max_lines=_MAX_LINES, placeholder="…")


def facets(size: int) -> list[list[int]]:
    """Facets of a credal set on 3 or 4 labels: indices of permutations, in cyclic order.

    For three labels it is the polygon itself; for four, the facet P(A) = Bel(A) of every event A,
    from the orders that begin with the other labels.

    >>> facets(3)
    [[0, 1, 4, 5, 3, 2]]
    >>> [len(side) for side in facets(4)]
    [6, 6, 4, 6, 4, 4, 6, 6, 4, 4, 6, 4, 6, 6]
    """
    orders = list(permutations(range(size)))
    if size == 3:
        return [[orders.index(order) for order in _circle((0, 1, 2))]]
    events = [[i for i in range(size) if mask >> i & 1] for mask in range(1, (1 << size) - 1)]
    return [[orders.index(order) for order in _orders_of_side(event, size)] for event in events]


def _orders_of_side(event: list[int], size: int) -> list[tuple[int, ...]]:
    rest = [i for i in range(size) if i not in event]
    if len(event) == 2:
        (a, b), (c, d) = event, rest
        return [(a, b, c, d), (a, b, d, c), (b, a, d, c), (b, a, c, d)]
    if len(event) == 1:
        return [(*event, *order) for order in _circle((rest[0], rest[1], rest[2]))]
    return [(*order, *rest) for order in _circle((event[0], event[1], event[2]))]


def _circle(labels: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Orders of three labels, each a swap of neighbors away from the previous one."""
    a, b, c = labels
    return [(a, b, c), (a, c, b), (c, a, b), (c, b, a), (b, c, a), (b, a, c)]


def _chosen(n: int, most: int) -> list[int]:
    """Evenly chosen rows."""
    return [int(row) for row in np.unique(np.linspace(0, n - 1, min(n, most)).round())]


def _check_single(source: MassFunction, name: str, first: MassFunction) -> None:
    owner = f"m[{name!r}]" if name else "m"
    check_instance(owner, source, MassFunction, "a MassFunction")
    if source.batch_shape:
        raise ValueError(
            f"{owner} is a batch of shape {source.batch_shape}; give one of its rows, or "
            "from_predictions all of them with their labels"
        )
    if source.frame != first.frame:
        raise ValueError(f"{owner} is on {source.frame!r}, the first one on {first.frame!r}")
