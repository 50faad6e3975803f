"""`MassDisplay`: masses of focal sets as bars, optionally with degrees of belief."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

import numpy as np
from matplotlib.axes import Axes

from dstheory._masses import check_mass
from dstheory._typing import Floats
from dstheory.checks.arguments import as_mapping, as_sequence, check_choice, check_count
from dstheory.frame import same_frame
from dstheory.kernels import setwise
from dstheory.mass import MassFunction
from dstheory.plot._sets import by_size, set_name
from dstheory.plot.style import (
    COLORS,
    OnAxes,
    add_legend,
    axes_or_new,
    ink,
    keep_on_canvas,
    literal,
    paper,
)

_FILLS: tuple[dict[str, Any], ...] = (
    {"facecolor": (COLORS["blue"], 0.5)},  # pale, for black marks on it
    {"facecolor": COLORS["orange"], "hatch": "///"},
    {"facecolor": "none", "hatch": "..."},
    {"facecolor": COLORS["vermilion"], "hatch": "xx"},
)
_MARKS: dict[str, dict[str, Any]] = {
    "bel": {"marker": ">", "label": "Bel"},
    "pl": {"marker": "<", "label": "Pl"},
    "q": {"marker": "D", "color": COLORS["gray"], "label": "commonality", "ms": 5},
}
# Inches per bar and per letter of a name.
_INCHES = (0.2, 0.075)
_QUANTILES = (0.05, 0.95)


@final
@dataclass(eq=False, repr=False)
class MassDisplay(OnAxes):
    """Masses as bars, one for each focal set, small sets first.

    Usually made by `from_mass`.

    Parameters
    ----------
    sets : sequence of str
        Names of the sets, one per bar.
    masses : mapping of str to (S,) array
        Masses of each source.
    spread : mapping of str to (2, S) array, optional
        Lower and upper quantile of the masses of a source that is a batch.
    marks : mapping of (str, str) to (S,) array, optional
        By source and kind, such as "bel"; NaN is left out.
    note : str
        Note for the reader, shown as the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : dict of str to BarContainer
        By source.
    marks_ : dict of (str, str) to Line2D
        By source and kind.
    spread_ : dict of str to ErrorbarContainer

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])
    >>> display = MassDisplay.from_mass(m, show=["pl"])
    >>> display.sets
    ['{ant}', '{ant, bee}']
    >>> [float(bar.get_width()) for bar in display.bars_["m"]]
    [0.75, 0.25]
    """

    sets: Sequence[str]
    masses: Mapping[str, Floats]
    _: KW_ONLY
    spread: Mapping[str, Floats] = field(default_factory=dict)
    marks: Mapping[tuple[str, str], Floats] = field(default_factory=dict)
    note: str = ""

    def __post_init__(self) -> None:
        self.sets = as_sequence(self.sets, "sets", "names of sets")
        self.masses = as_mapping(self.masses, "masses", "a mapping of names to masses")
        self.spread = as_mapping(self.spread, "spread", "a mapping of names to spreads")
        self.marks = as_mapping(self.marks, "marks", "a mapping of names to marks")

    @classmethod
    def from_mass(
        cls,
        m: MassFunction | Mapping[str, MassFunction],
        *,
        show: Iterable[str] = (),
        max_sets: int = 15,
        ax: Axes | None = None,
    ) -> "MassDisplay":
        """Draw the masses of one or a few sources.

        Parameters
        ----------
        m : MassFunction, or mapping of str to MassFunction
            Up to four, on one frame. A batch is shown by its means, with a line from the 5 % to the
            95 % quantile of its rows.
        show : sequence of "bel", "pl" and "q"
            What to mark besides the masses.
        max_sets : int
            If there are more focal sets, only those with the largest masses are shown, plus one bar
            for the rest.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        MassDisplay

        Raises
        ------
        ValueError
            If there are no or too many sources, their frames differ, a batch is empty, or `show` or
            `max_sets` has another value.
        TypeError
            If a source is not a mass function, or its masses or `max_sets` are not numbers.
        """
        sources = _sources(m)
        kinds = _kinds(show)
        frame = next(iter(sources.values())).frame
        check_count("max_sets", max_sets, 1)
        masks, n_rest = _largest(list(sources.values()), max_sets)
        rows = {name: _row(source, masks, kinds, n_rest > 0) for name, source in sources.items()}
        rest = [f"{n_rest} more sets together"] if n_rest else []
        display = cls(
            [set_name(frame, mask) for mask in masks] + rest,
            {name: mass for name, (mass, _, _) in rows.items()},
            spread={name: ends for name, (_, ends, _) in rows.items() if ends is not None},
            marks={(name, kind): of[kind] for name, (_, _, of) in rows.items() for kind in kinds},
            note=f"the {len(masks)} largest of {len(masks) + n_rest} focal sets" if n_rest else "",
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> "MassDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default, high enough for the bars.

        Returns
        -------
        MassDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax, self._size())
        height = 0.8 / len(self.masses)
        places = np.arange(len(self.sets))
        self.bars_: dict[str, Any] = {}
        self.marks_: dict[tuple[str, str], Any] = {}
        self.spread_: dict[str, Any] = {}
        for number, name in enumerate(self.masses):
            y = np.asarray(
                places + (number - (len(self.masses) - 1) / 2) * height, dtype=np.float64
            )
            self.bars_[name] = self._bars(ax, y, height, number, name)
            if name in self.spread:
                self.spread_[name] = self._errors(ax, y, name)
            self._mark(ax, y, name)
        ax.set_yticks(places, [literal(name) for name in self.sets])
        longest = 1.03 if self.marks else min(1.08 * self._longest(), 1.03)
        ax.set(ylim=(len(self.sets) - 0.4, -0.6), xlim=(0, longest))
        ax.set_xlabel("Mass" if not self.marks else "Mass, degree of belief")
        if self.note:
            ax.set_title(self.note, fontsize="medium")
        if self._has_legend:
            bars, lines = list(self.bars_.values()), list(self.marks_.values())
            handles = [*bars, *list(self.spread_.values())[:1], *lines[: len(lines) // len(bars)]]
            add_legend(ax, "right", handles=handles)
        keep_on_canvas(ax)
        return self

    def _longest(self) -> float:
        """The longest bar, with its line."""
        ends = [*self.masses.values(), *(high for _, high in self.spread.values())]
        return max((float(np.max(end, initial=0.0)) for end in ends), default=0.0) or 1.0

    @property
    def _has_legend(self) -> bool:
        return len(self.masses) > 1 or bool(self.marks or self.spread)

    def _size(self) -> tuple[float, float]:
        """Size in inches in which each bar and each name has room."""
        bars = len(self.sets) * max(1.5, len(self.masses))
        letters = max(map(len, self.sets), default=0)
        beside = 4.0 + 1.6 * self._has_legend
        return min(beside + letters * _INCHES[1], 14.0), min(max(2.0, 1 + bars * _INCHES[0]), 30.0)

    def _bars(self, ax: Axes, y: Floats, height: float, number: int, name: str) -> Any:
        kind = f"{literal(name)}: mean" if name in self.spread else literal(name)
        return ax.barh(
            y,
            self.masses[name],
            height,
            edgecolor=ink(),
            lw=0.6,
            label=kind,
            zorder=2,
            **_FILLS[number],
        )

    def _errors(self, ax: Axes, y: Floats, name: str) -> Any:
        low, high = self.spread[name]
        return ax.errorbar(
            (low + high) / 2,
            y,
            xerr=(high - low) / 2,
            fmt="none",
            ecolor=ink(),
            elinewidth=1.2,
            capsize=3,
            label="5 % to 95 % of the rows",
            zorder=3,
        )

    def _mark(self, ax: Axes, y: Floats, name: str) -> None:
        kinds = {kind: values for (source, kind), values in self.marks.items() if source == name}
        if {"bel", "pl"} <= set(kinds):
            ax.hlines(y, kinds["bel"], kinds["pl"], color=ink(), lw=0.8, zorder=3)
        for kind, values in kinds.items():
            style = {"ms": 6.5, "linestyle": "none", "color": ink(), **_MARKS[kind]}
            if kind == "pl":
                style["markerfacecolor"] = paper()
            # a degree of belief of 0 or 1 lies on the edge
            (line,) = ax.plot(values, y, clip_on=False, zorder=4, **style)
            self.marks_[name, kind] = line


def _sources(m: MassFunction | Mapping[str, MassFunction]) -> dict[str, MassFunction]:
    """Sources by name, all on one frame."""
    sources = dict(m) if isinstance(m, Mapping) else {"m": m}
    if not 1 <= len(sources) <= len(_FILLS):
        raise ValueError(
            f"m holds {len(sources)} mass functions, and bars tell 1 to {len(_FILLS)} apart"
        )
    frame = check_mass(next(iter(sources.values()))).frame
    for name, source in sources.items():
        same_frame(frame, check_mass(source, f"m[{name!r}]").frame)
        if 0 in source.batch_shape:
            raise ValueError(f"the batch {name!r} of shape {source.batch_shape} has no row")
    return {str(name): source for name, source in sources.items()}


def _kinds(show: Iterable[str]) -> list[str]:
    kinds = [show] if isinstance(show, str) else as_sequence(show, "show", "a text, or several")
    for kind in kinds:
        check_choice("show", kind, _MARKS)
    return kinds


def _largest(sources: list[MassFunction], max_sets: int) -> tuple[list[int], int]:
    """Focal sets of the largest (mean) masses, and how many others have mass."""
    largest: dict[int, float] = {}
    for source in sources:
        for mask, mean in zip(source.focal.tolist(), _numbers(source).mean(axis=1), strict=True):
            largest[mask] = max(largest.get(mask, 0.0), float(mean))
    used = by_size(sources[0].frame, (mask for mask, mass in largest.items() if mass > 0))
    kept = sorted(used, key=lambda mask: -largest[mask])[:max_sets]
    return kept, len(used) - len(kept)


def _numbers(source: MassFunction) -> Floats:
    """Masses (F, n) of all rows."""
    try:
        store = source.store.astype(np.float64)
    except TypeError as error:  # sympy's, for symbols
        raise TypeError(f"masses with symbols cannot be drawn: {error}") from error
    return np.asarray(store.reshape(len(store), -1))


def _row(
    source: MassFunction, masks: list[int], kinds: list[str], has_rest: bool
) -> tuple[Floats, Floats | None, dict[str, Floats]]:
    """Masses (S,), their spread (2, S) in a batch, and marks by kind; the last is of the rest."""
    store = _numbers(source)
    mass = np.stack([setwise.mass(source.focal, store, mask) for mask in masks])
    if has_rest:
        mass = np.concatenate([mass, 1 - mass.sum(axis=0, keepdims=True)])
    measures = {"bel": setwise.belief, "pl": setwise.plausibility, "q": setwise.commonality}
    marks = {
        kind: np.array([measures[kind](source.focal, store, mask).mean() for mask in masks])
        for kind in kinds
    }
    none = np.full(int(has_rest), np.nan)  # the rest is not a single event
    spread = np.quantile(mass, _QUANTILES, axis=1) if source.batch_shape else None
    marks = {kind: np.concatenate([values, none]) for kind, values in marks.items()}
    return mass.mean(axis=1), spread, marks
