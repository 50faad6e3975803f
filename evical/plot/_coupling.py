"""`CouplingDisplay`: how fast the iterations of a coupling converge to the least divergence.

Coupling finds the class probabilities whose answers to all columns of a code are closest to the
given ones (`evical.multiclass.hastie_tibshirani`). Zadrozny 2001, fig. 1, shows the mean squared
error of the iterates, which need not decrease with their divergence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import Any, Literal, TypeAlias, final, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_mapping, as_sequence, check_choice, check_count
from dstheory.plot.style import COLORS, OnAxes, axes_or_new, finish, ink
from evical._typing import Floats
from evical.metrics.inputs import MOST_REPEATS, class_sample, indicators
from evical.multiclass import hastie_tibshirani
from evical.multiclass.coupling import coupling_divergence, hastie_tibshirani_steps

Update: TypeAlias = Literal["minorize", "zadrozny", "scoring"]
Measure: TypeAlias = Literal["gap", "divergence", "mse"]

_LABELS = {
    "gap": "Mean divergence above the least one",
    "divergence": "Mean Kullback-Leibler divergence",
    "mse": "Mean squared error",
}
# Color, marker and line of each update.
_STYLES: dict[str, tuple[str, str, str]] = {
    "minorize": (COLORS["blue"], "o", "-"),
    "zadrozny": (COLORS["vermilion"], "s", "--"),
    "scoring": (COLORS["orange"], "^", "-."),
}
# Divergences are sums of logarithms; below this there is only rounding error.
_FLOOR = 1e-14
_N_MARKERS = 12


@final
@dataclass(eq=False, repr=False)
class CouplingDisplay(OnAxes):
    """Mean divergence, or mean squared error, of the samples at each iteration.

    Usually made by `from_predictions`.

    Parameters
    ----------
    values : mapping of str to (n_steps + 1,) array
        By update; the non-iterative estimates come first.
    optimum : float
        Value at the smallest divergence that was found.
    measure : {"gap", "divergence", "mse"}

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to Line2D
        By update.
    optimum_ : Line2D or None
        None for gaps, where it is 0.

    Examples
    --------
    >>> code = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    >>> display = CouplingDisplay.from_predictions([[0.9, 0.6, 0.6]], code, n_steps=3)
    >>> [round(value, 4) for value in display.values["minorize"].tolist()]
    [0.0326, 0.0064, 0.0014, 0.0003]
    """

    values: Mapping[Update, Floats]
    optimum: float
    _: KW_ONLY
    measure: Measure = "gap"

    def __post_init__(self) -> None:
        self.values = as_mapping(self.values, "values", "a mapping of updates to values")

    @classmethod
    def from_predictions(
        cls,
        r: ArrayLike,
        code: ArrayLike,
        y_true: ArrayLike | None = None,
        *,
        measure: Measure | None = None,
        updates: Sequence[Update] = ("minorize",),
        n_steps: int = 30,
        weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> CouplingDisplay:
        """Iterate from the answers of binary problems, and draw.

        Parameters
        ----------
        r : (n, B) array
            Probability of the positive side of each column, given that the class is on either side.
        code : (K, B) array of 1, -1 and 0
        y_true : (n,) array of labels, optional
            For the mean squared error.
        measure : {"gap", "divergence", "mse"}, optional
            "gap": the divergence minus the least one, on a logarithmic axis. "divergence": the
            divergence. "mse": the sum over classes of squared errors. By default "mse" with labels,
            otherwise "gap".
        updates : sequence of {"minorize", "zadrozny", "scoring"}
            As `evical.multiclass.hastie_tibshirani`.
        n_steps : int
            Number of iterations.
        weights : (B,) array, optional
            Sizes of the training samples of the columns.
        labels : sequence of K labels, optional
            Of the rows of `code`, if they are not those of `y_true` in sorted order.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        CouplingDisplay

        Raises
        ------
        ValueError
            If an argument is not valid, or labels are missing for the mean squared error.

        Notes
        -----
        For codes other than all pairs, updates may end at different divergences. The smallest one
        of each sample is that of the best iterate, including 500 more steps by "scoring".
        """
        if measure is None:
            measure = "gap" if y_true is None else "mse"
        updates = as_sequence(updates, "updates", "a list such as ['minorize']")
        _check(measure, updates, n_steps, y_true)
        best = hastie_tibshirani(r, code, weights, atol=1e-13)
        if not len(best):
            raise ValueError("r has no rows; there is nothing to couple")
        target = None
        if measure == "mse" and y_true is not None:
            target = indicators(class_sample(y_true, best, labels, None))
        least = coupling_divergence(best, r, code, weights)
        values: dict[Update, list[float]] = {update: [] for update in updates}
        for update in updates:
            for p in islice(hastie_tibshirani_steps(r, code, weights, update), n_steps + 1):
                divergence = coupling_divergence(p, r, code, weights)
                values[update].append(_value(p, divergence, target))
                better = divergence < least
                best[better], least[better] = p[better], divergence[better]
        optimum = _value(best, least, target)
        start = optimum if measure == "gap" else 0.0
        curves = {update: np.array(means) - start for update, means in values.items()}
        return cls(curves, optimum - start, measure=measure).plot(ax)

    def plot(self, ax: Axes | None = None) -> CouplingDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        CouplingDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self.lines_ = {update: self._line(ax, update) for update in self.values}
        self.optimum_ = None
        if self.measure == "gap":
            ax.set_yscale("log", nonpositive="mask")
        else:
            label = "at the least divergence"
            self.optimum_ = ax.axhline(self.optimum, color=ink(), ls=":", lw=1.2, label=label)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        finish(ax, xlabel="Iteration", ylabel=_LABELS[self.measure])
        return self

    def _line(self, ax: Axes, update: Update) -> Any:
        color, marker, style = _STYLES[update]
        values = self.values[update]
        every = max(2, len(values) // _N_MARKERS)
        shown = np.where(values > _FLOOR, values, np.nan) if self.measure == "gap" else values
        return ax.plot(
            np.arange(len(values)),
            shown,
            color=color,
            marker=marker,
            linestyle=style,
            # next to those of the others, which may lie on the same curve
            markevery=(list(self.values).index(update) % every, every),
            ms=4.5,
            lw=1.5,
            label=f"update: {update}",
        )[0]


def _check(measure: str, updates: Sequence[str], n_steps: int, y_true: ArrayLike | None) -> None:
    check_choice("measure", measure, _LABELS)
    if not as_sequence(updates, "updates", "a list such as ['minorize']"):
        raise ValueError(f"updates are {updates!r}, expected a list such as ['minorize']")
    for update in updates:
        check_choice("update", update, get_args(Update))
    check_count("n_steps", n_steps, 1, MOST_REPEATS)
    if measure == "mse" and y_true is None:
        raise ValueError("y_true is missing; measure='mse' needs it")


def _value(p: Floats, divergence: Floats, target: Floats | None) -> float:
    """Mean over samples of the squared error, or without a target of the divergence."""
    values = divergence if target is None else ((p - target) ** 2).sum(axis=1)
    return float(values.mean())
