"""`CriticalDifferenceDisplay`: mean ranks of methods, and which of them do not differ.

Methods are placed on an axis of mean ranks, with the best on the left. A bar joins those that do
not differ significantly: among all pairs (Nemenyi), or from a control (Holm). Demsar 2006, figure
1.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from dstheory.checks.arguments import as_sequence, check_choice
from dstheory.notebook import short
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, ink, keep_on_canvas, literal
from evical._typing import Floats
from evical.significance import holm, nemenyi
from evical.significance.ranks import HolmResult, NemenyiResult

# Inches per row of labels, above the axis, and per character of the longest label.
_ROW, _HEAD, _CHARACTER = 0.24, 1.0, 0.085
_MAX_TICKS = 16
# Maximum number of letters of a label; longer names are cut.
_MAX_LETTERS = 40
# In given axes: share of the canvas for the labels of a side, and width of a letter in its size.
_SIDE, _LETTER = 0.36, 0.62
# Share of the height of a row that letters may fill.
_FILLED = 0.7
# Rows per bar, and the share of the axis by which a bar extends beyond its ranks.
_LEVEL, _OVERHANG = 0.45, 0.012
# Of a text beside a point.
_BESIDE: dict[str, Any] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}


@dataclass(eq=False, repr=False)
class CriticalDifferenceDisplay(OnAxes):
    """Mean ranks of methods over data sets, with bars across methods that do not differ.

    Usually made by `from_results`.

    Parameters
    ----------
    methods : sequence of k str
    mean_ranks : (k,) array
        1 is the best.
    groups : sequence of sequences of str
        Methods that do not differ from each other, or not from the control.
    critical_difference : float, optional
        Drawn as a ruler.
    control : str, optional
        Method that the others are compared with; printed in bold.
    alpha : float
        Level of the tests; for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    labels_ : dict of str to Text
        Name and mean rank, by method.
    lines_ : dict of str to Line2D
        From the axis to the label, by method.
    bars_ : list of Line2D
        In the order of `groups`.
    ruler_ : Line2D or None

    Examples
    --------
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.6, 0.5, 0.4]]
    >>> display = CriticalDifferenceDisplay.from_results(table)
    >>> display.methods, display.mean_ranks
    (('method 0', 'method 1', 'method 2'), array([1.  , 2.25, 2.75]))
    >>> display.groups
    [('method 0', 'method 1'), ('method 1', 'method 2')]
    """

    methods: Sequence[str]
    mean_ranks: Floats
    groups: Sequence[Sequence[str]]
    _: KW_ONLY
    critical_difference: float | None = None
    control: str | None = None
    alpha: float = 0.05

    def __post_init__(self) -> None:
        self.methods = tuple(as_sequence(self.methods, "methods", "names of methods"))
        self.groups = [
            tuple(as_sequence(group, "groups", "groups of methods"))
            for group in as_sequence(self.groups, "groups", "groups of methods")
        ]

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        test: Literal["nemenyi", "holm"] = "nemenyi",
        control: Any = None,
        greater_is_better: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
    ) -> "CriticalDifferenceDisplay":
        """Compare methods, and draw.

        Parameters
        ----------
        results : pandas.DataFrame, (N, k) array, Results, NemenyiResult or HolmResult
            A row for each data set, a column for each method; or a finished comparison, for which
            the options below are ignored. For a table of ranks, set `greater_is_better` to False.
        test : "nemenyi" or "holm"
            All pairs, or all methods against one.
        control : str or column label, optional
            The control; by default the best method.
        greater_is_better : bool
            False for losses and ranks; a `Results` object has its own setting.
        alpha : float
            Level of the family of tests.
        ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        CriticalDifferenceDisplay

        Raises
        ------
        ValueError
            If the table is too small or has gaps, the test or control is unknown, a control is
            given for all pairs, or `alpha` is not inside (0, 1).

        References
        ----------
        Demsar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
        Machine Learning Research 7, 1-30.

        Examples
        --------
        Ranks of three methods on four data sets, against the first:

        >>> ranks = [[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]]
        >>> display = CriticalDifferenceDisplay.from_results(
        ...     ranks, test="holm", control="method 0", greater_is_better=False
        ... )
        >>> display.groups
        [('method 0', 'method 1')]
        """
        check_choice("test", test, ("nemenyi", "holm"))
        if isinstance(results, NemenyiResult | HolmResult):
            result = results
        elif test == "nemenyi":
            if control is not None:
                raise ValueError('control is for test="holm"; Nemenyi compares all pairs')
            result = nemenyi(results, greater_is_better, alpha)
        else:
            result = holm(results, control, greater_is_better, alpha)
        if isinstance(result, HolmResult):
            return _of_holm(cls, result).plot(ax)
        cd, alpha = result.critical_difference, result.alpha
        shown = result.methods, result.mean_ranks, result.groups
        return cls(*shown, critical_difference=cd, alpha=alpha).plot(ax)

    def plot(self, ax: Axes | None = None) -> "CriticalDifferenceDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, in a figure with room for all labels. In given axes, letters shrink
            to fit their rows, and long names are cut.

        Returns
        -------
        CriticalDifferenceDisplay
            Itself, with the artists as attributes.
        """
        order = np.argsort(self.mean_ranks, kind="stable").tolist()
        left = order[: (len(order) + 1) // 2]
        overhangs = 2 * _OVERHANG * (len(self.methods) - 1)
        levels = _levels([self._span(group) for group in self.groups], 2 * overhangs)
        depth = 0.5 + _LEVEL * (max(levels, default=-1) + 1)
        rows = depth + len(left)
        self.ax_ = ax = axes_or_new(ax, self._size(rows))
        size = _font_size(ax, rows + 2.0)
        self._letters = _MAX_LETTERS
        if ax.figure.get_layout_engine() is None:
            room = ax.figure.bbox.width / ax.figure.dpi * 72 * _SIDE / (size * _LETTER)
            self._letters = min(_MAX_LETTERS, max(3, int(room) - 6))
        self._draw_axis(ax, rows, size)
        self.lines_: dict[str, Any] = {}
        self.labels_: dict[str, Any] = {}
        for row, j in enumerate(left):
            self._hang(ax, j, -depth - row - 0.5, "right", size)
        for row, j in enumerate(reversed(order[len(left) :])):
            self._hang(ax, j, -depth - row - 0.5, "left", size)
        self.bars_ = [
            self._bar(ax, self._span(group), -0.5 - _LEVEL * level)
            for group, level in zip(self.groups, levels, strict=True)
        ]
        self.ruler_ = self._draw_ruler(ax, size)
        keep_on_canvas(ax)
        return self

    def _size(self, rows: float) -> tuple[float, float]:
        longest = max(len(short(name, _MAX_LETTERS)) for name in self.methods) + 6
        return 4.2 + 2 * _CHARACTER * longest, _HEAD + _ROW * (rows + 2.0)

    def _span(self, group: Sequence[str]) -> tuple[float, float]:
        ranks = [float(self.mean_ranks[self.methods.index(name)]) for name in group]
        return min(ranks), max(ranks)

    def _draw_axis(self, ax: Axes, rows: float, size: float) -> None:
        k = len(self.methods)
        # With few data sets, the critical difference can exceed the range of the ranks.
        ax.set(xlim=(1, max(k, 1 + (self.critical_difference or 0.0))), ylim=(-rows, 2.0))
        for side in ("left", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.spines["top"].set_position(("data", 0))
        ax.spines["top"].set_bounds(1, k)
        ax.xaxis.tick_top()
        ax.set_xticks(range(1, k + 1, 1 + k // _MAX_TICKS))
        ax.tick_params(labelsize=size)
        ax.set_yticks([])
        bars = "bars: not significantly different"
        if self.control is not None:
            bars = "bar: not significantly different from bold"
        ax.set_xlabel(f"Mean rank (1 is the best)\n{bars} ({self.alpha:g})", fontsize=size)

    def _hang(
        self, ax: Axes, j: int, height: float, side: Literal["left", "right"], size: float
    ) -> None:
        """The label of a method, and the line to it."""
        name, rank, k = self.methods[j], float(self.mean_ranks[j]), len(self.methods)
        end = 1 - 0.02 * (k - 1) if side == "right" else k + 0.02 * (k - 1)
        strong = name == self.control
        (self.lines_[name],) = ax.plot(
            [rank, rank, end],
            [0, height, height],
            color=ink(),
            lw=1.6 if strong else 0.9,
            clip_on=False,
        )
        shown = literal(short(name, self._letters))
        text = f"{shown}  {rank:.2f}" if side == "right" else f"{rank:.2f}  {shown}"
        self.labels_[name] = ax.annotate(
            text,
            (end, height),
            xytext=(-4 if side == "right" else 4, 0),
            ha=side,
            fontsize=size,
            fontweight="bold" if strong else "normal",
            **_BESIDE,
        )

    def _bar(self, ax: Axes, span: tuple[float, float], height: float) -> Any:
        more = _OVERHANG * (len(self.methods) - 1)
        return ax.plot(
            [span[0] - more, span[1] + more],
            [height, height],
            color=COLORS["vermilion"],
            lw=4,
            solid_capstyle="butt",
            clip_on=False,
            zorder=3,
        )[0]

    def _draw_ruler(self, ax: Axes, size: float) -> Any:
        """The critical difference, above the axis."""
        if self.critical_difference is None:
            return None
        ends = [1, 1 + self.critical_difference]
        (line,) = ax.plot(ends, [1.9, 1.9], color=ink(), marker="|", ms=7, lw=1.4, clip_on=False)
        text = f"CD = {self.critical_difference:.3g}"
        ax.annotate(text, (ends[0], 1.9), (-6, 0), ha="right", fontsize=size, **_BESIDE)
        return line


def _of_holm(cls: type[CriticalDifferenceDisplay], result: HolmResult) -> CriticalDifferenceDisplay:
    """Display of Holm's tests: p-values depend on the size of differences only."""
    k = len(result.methods) + 1
    # Each data set assigns ranks 1 to k, so mean ranks sum to k (k + 1) / 2.
    control = (k + 1) / 2 - float(np.sum(result.differences)) / k
    ranks = np.concatenate([[control], control + result.differences])
    names = (result.control, *result.methods)
    group = [result.control, *np.asarray(result.methods, dtype=object)[~result.rejected]]
    order = np.argsort(ranks, kind="stable")
    position = {names[j]: i for i, j in enumerate(order.tolist())}
    return cls(
        [names[j] for j in order],
        ranks[order],
        [tuple(sorted(group, key=position.__getitem__))] if len(group) > 1 else [],
        control=result.control,
        alpha=result.alpha,
    )


def _levels(spans: list[tuple[float, float]], gap: float) -> list[int]:
    """Lowest free level of each bar, such that bars of one level are a gap apart.

    >>> _levels([(1.0, 2.0), (2.5, 4.0), (1.5, 3.0)], 0.2)
    [0, 0, 1]
    """
    reached: list[float] = []
    levels = [0] * len(spans)
    for i in sorted(range(len(spans)), key=spans.__getitem__):
        start, end = spans[i]
        free = [level for level, last in enumerate(reached) if last + gap < start]
        levels[i] = free[0] if free else len(reached)
        reached[levels[i] : levels[i] + 1] = [end]
    return levels


def _font_size(ax: Axes, rows: float) -> float:
    """Font size of letters that fit into their rows, at most that of the figure."""
    import matplotlib as mpl

    height = ax.get_window_extent().height / ax.figure.dpi * 72 / rows
    return float(min(mpl.rcParams["font.size"], _FILLED * height))
