"""`CredalPartitionDisplay`: clusters, what lies between them, and outliers.

Points have the color of their pignistic cluster, and are the larger, the more it is believed. Solid
hulls hold the samples that surely belong to a cluster, dashed ones those that possibly do. Source:
Masson & Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
Recognition 41(4), 1384-1397.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA

from dstheory import MassFunction, betp
from dstheory.checks.arguments import as_floats, check_instance
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, finish, ink, literal, names_of
from evical._typing import ClusterRule, Floats, SamplesLike
from evical.learners import rough_clusters
from evical.metrics.inputs import numbers
from evical.scores.checks import refuse_huge

# Clusters beyond the sixth repeat colors with another marker.
_COLORS = ("blue", "orange", "green", "vermilion", "sky", "purple")
_MARKERS = ("o", "^", "s", "D", "v", "P")
_LARGEST, _SMALLEST = 36.0, 3.0  # area of points, in square points
_MOST_NAMED = 12
_MAX_VECTOR = 5000
_GREATEST = 1e100  # squares of features are floats


@final
class CredalPartitionDisplay(OnAxes):
    """Samples in a plane with their clusters.

    Usually made by `from_estimator` or `from_mass`.

    Parameters
    ----------
    places : (n, 2) array
    partition : MassFunction
        Batch (n,) on the frame of clusters.
    centers : (c, 2) array, optional
    names : (str, str)
        Of the axes.
    rule : {"maximum_mass", "interval_dominance"}
        Of the hulls, as of `evical.learners.rough_clusters`.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    points_ : dict of cluster to PathCollection
        Samples by their pignistic cluster, without outliers.
    lower_, upper_ : dict of cluster to Polygon
        Hulls of the samples that surely and possibly belong to a cluster, of three or more.
    outliers_ : Line2D
    centers_ : Line2D or None

    Examples
    --------
    >>> from evical.learners import EvidentialCMeans
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [3, 3], [6, 6], [6, 5], [5, 6]])
    >>> ecm = EvidentialCMeans(n_clusters=2, random_state=0).fit(X)
    >>> display = CredalPartitionDisplay.from_estimator(ecm, X)
    >>> [len(hull.get_xy()) - 1 for hull in display.lower_.values()]  # (3, 3) is in neither
    [3, 3]
    """

    def __init__(
        self,
        places: ArrayLike,
        partition: MassFunction,
        *,
        centers: ArrayLike | None = None,
        names: tuple[str, str] = ("", ""),
        rule: ClusterRule = "maximum_mass",
    ) -> None:
        self.places = _plane(places, "places")
        check_instance("partition", partition, MassFunction, "a batch of mass functions")
        if partition.batch_shape != (len(self.places),):
            raise ValueError(
                f"partition has the batch shape {partition.batch_shape}, but there are "
                f"{len(self.places)} places; give a mass function for each"
            )
        self.centers = None if centers is None else _plane(centers, "centers")
        self.names = names_of(names, "names", 2)
        self.partition, self.rule = partition, rule
        self._rough = rough_clusters(partition, rule)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: SamplesLike,
        *,
        rule: ClusterRule = "maximum_mass",
        ax: Axes | None = None,
    ) -> CredalPartitionDisplay:
        """Draw the training samples of a fitted clustering, with its `mass_`.

        Parameters
        ----------
        estimator : fitted clustering
            Of `evical.learners`, or any with an attribute `mass_`.
        X : (n, n_features) array or data frame
            The training samples; of distances, give any features that place them. Of more than
            two features, the first two principal components are drawn.
        rule
            As for `CredalPartitionDisplay`.
        ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        CredalPartitionDisplay

        Raises
        ------
        TypeError
            If the estimator has no `mass_`.
        ValueError
            If X are not as many samples as it was fitted to.
        """
        if isinstance(estimator, type) or not isinstance(
            getattr(estimator, "mass_", None), MassFunction
        ):
            name = getattr(estimator, "__name__", type(estimator).__name__)
            raise TypeError(f"{name} has no mass_; give a fitted clustering")
        centers = getattr(estimator, "cluster_centers_", None)
        return cls.from_mass(estimator.mass_, X, centers=centers, rule=rule, ax=ax)

    @classmethod
    def from_mass(
        cls,
        partition: MassFunction,
        X: SamplesLike,
        *,
        centers: ArrayLike | None = None,
        rule: ClusterRule = "maximum_mass",
        ax: Axes | None = None,
    ) -> CredalPartitionDisplay:
        """Draw a credal partition.

        Parameters
        ----------
        partition : MassFunction
            Batch (n,) on the frame of clusters.
        X : (n, n_features) array or data frame
            Of more than two features, the first two principal components are drawn; of one, it
            and 0.
        centers : (c, n_features) array, optional
        rule
            As for `CredalPartitionDisplay`.
        ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        CredalPartitionDisplay

        Raises
        ------
        ValueError
            If there are not as many samples as mass functions, or centers have other features.
        """
        columns = [str(name) for name in getattr(X, "columns", [])]
        table = _table(X, "X")
        axes, names = _axes_of(table, columns)
        if centers is not None:
            centers = _table(centers, "centers")
            if centers.shape[1] != table.shape[1]:
                raise ValueError(
                    f"centers have {centers.shape[1]} features, but X has {table.shape[1]}"
                )
            centers = axes(centers)
        return cls(axes(table), partition, centers=centers, names=names, rule=rule).plot(ax)

    def plot(self, ax: Axes | None = None) -> CredalPartitionDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        CredalPartitionDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        lower, upper = self._rough
        outlier = ~upper.any(axis=1)
        labels = self._labels()
        self.points_ = {
            k: self._draw_points(ax, k, (labels == k) & ~outlier)
            for k in np.unique(labels[~outlier]).tolist()
        }
        self.upper_ = self._hulls(ax, upper, "--")
        self.lower_ = self._hulls(ax, lower, "-")
        (self.outliers_,) = ax.plot(
            *self.places[outlier].T, "x", color=ink(), ms=5, label=_LABELS[bool(outlier.any())]
        )
        self.centers_ = None
        if self.centers is not None:
            style = {"color": ink(), "marker": "+", "ms": 11, "mew": 2.2, "ls": ""}
            (self.centers_,) = ax.plot(*self.centers.T, label="centers", zorder=4, **style)
        few = len(self.points_) <= _MOST_NAMED and ax.get_legend_handles_labels()[0]
        across, up = map(literal, self.names)
        finish(ax, "above" if few else None, xlabel=across, ylabel=up)
        return self

    def _labels(self) -> NDArray[np.intp]:
        """Pignistic cluster; of total conflict, any: an outlier is not colored."""
        partition = self.partition
        labels = np.zeros(len(self.places), dtype=np.intp)
        some = self._rough[1].any(axis=1)
        if some.any():
            labels[some] = np.argmax(betp(partition[some]), axis=1)
        return labels

    def _draw_points(self, ax: Axes, k: int, rows: NDArray[np.bool_]) -> Any:
        name = self.partition.frame.labels[k]
        belief = np.asarray(self.partition[rows].bel(name), dtype=np.float64)
        color, marker = _mark(k)
        return ax.scatter(
            self.places[rows, 0],
            self.places[rows, 1],
            s=_SMALLEST + (_LARGEST - _SMALLEST) * np.clip(belief, 0, 1),
            c=color,
            marker=marker,
            linewidths=0,
            label=literal(f"cluster {name}"),
            rasterized=bool(rows.sum() > _MAX_VECTOR),
            zorder=2,
        )

    def _hulls(self, ax: Axes, member: NDArray[np.bool_], line: str) -> dict[int, Polygon]:
        found = {}
        for k, rows in enumerate(member.T):
            corners = _hull(self.places[rows])
            if corners is not None:
                color = _mark(k)[0]
                face = (color, 0.12) if line == "-" else "none"
                hull = Polygon(corners, facecolor=face, edgecolor=color, ls=line, lw=1.5, zorder=1)
                ax.add_patch(hull)
                found[k] = hull
        if found:
            ax.plot([], [], color=ink(), ls=line, lw=1.5, label=_HULLS[line])
        return found


_LABELS = {True: "outliers", False: None}
_HULLS = {"-": "surely", "--": "possibly"}


def _mark(k: int) -> tuple[str, str]:
    """Color and marker of a cluster."""
    n = len(_COLORS)
    return COLORS[_COLORS[k % n]], _MARKERS[(k + k // n) % n]


def _hull(places: Floats) -> Floats | None:
    """Corners of the convex hull, of three points or more that are on no line."""
    if len(places) < 3:
        return None
    try:
        return np.asarray(places[ConvexHull(places).vertices])
    except QhullError:
        return None


def _axes_of(X: Floats, columns: list[str]) -> tuple[Any, tuple[str, str]]:
    """The projection to a plane, and the names of its axes."""
    p = X.shape[1]
    if p <= 2:
        first, second = columns if len(columns) == 2 else [*columns, "", ""][:2]
        return (lambda table: np.pad(table, ((0, 0), (0, 2 - p)))), (first, second)
    if len(X) < 2:
        raise ValueError(
            f"X has the shape {X.shape}, expected two samples or more: of more than two features, "
            "principal components are drawn"
        )
    with np.errstate(invalid="ignore"):  # of equal samples, shares of the variance are 0 / 0
        found = PCA(2).fit(X)
    mean, components = found.mean_, found.components_
    return (lambda table: (table - mean) @ components.T), ("first component", "second component")


def _table(values: SamplesLike, name: str) -> Floats:
    table = numbers(as_floats(values, name), name)
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError(f"{name} has the shape {table.shape}, expected (n, n_features)")
    refuse_huge(table, name, _GREATEST)
    return table


def _plane(values: ArrayLike, name: str) -> Floats:
    table = _table(values, name)
    if table.shape[1] != 2:
        raise ValueError(f"{name} has {table.shape[1]} columns, expected two")
    return table
