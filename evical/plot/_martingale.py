"""`MartingaleDisplay`: the capital of a test of exchangeability or calibration, sample by sample.

On a logarithmic scale, capital that grows steadily is a straight line upwards, and its slope the
evidence of a sample. Above the dashed line the test rejects at its level (Ville's inequality).
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_floats, check_level
from dstheory.plot.style import OnAxes, axes_or_new, finish, ink, literal, next_curve
from evical.conformal.martingale import Capital

_SIZE = (5.4, 3.4)


class MartingaleDisplay(OnAxes):
    """Capital of a test martingale after each sample, from 1 at the beginning.

    Usually made by `from_test`.

    Parameters
    ----------
    log_values : (n,) array
        Natural logarithm of the capital after each p-value.
    level : float
        Of the dashed line at capital ``1 / level``, in (0, 1).
    name : str, optional
        Of the curve in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : Line2D
    limit_ : Line2D
    first_ : int or None
        Number of the first sample at which the test rejects, from 1.

    Raises
    ------
    ValueError
        If a value is not finite, or the level is outside (0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> MartingaleDisplay(np.log([1.5, 4, 25, 19]), level=0.05).plot().first_
    3
    """

    def __init__(
        self, log_values: ArrayLike, *, level: float = 0.01, name: str | None = None
    ) -> None:
        check_level("level", level)
        values = as_floats(log_values, "log_values")
        if values.ndim != 1 or not np.isfinite(values).all():
            raise ValueError(f"log_values of shape {values.shape}, expected finite numbers (n,)")
        self.log_values, self.level, self.name = values, level, name

    @classmethod
    def from_test(
        cls,
        test: Capital,
        *,
        level: float = 0.01,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> MartingaleDisplay:
        """Draw the capital of a test.

        Parameters
        ----------
        test : ExchangeabilityTest or CalibrationMonitor
        level : float
            As for `MartingaleDisplay`.
        name : str, optional
            Of the curve in the legend.
        ax : matplotlib Axes, optional
            As for `plot`.

        Returns
        -------
        MartingaleDisplay

        Raises
        ------
        TypeError
            If it is no test.

        Examples
        --------
        >>> from evical.conformal import ExchangeabilityTest
        >>> test = ExchangeabilityTest().update([0.01] * 20)
        >>> MartingaleDisplay.from_test(test).first_
        15
        """
        if isinstance(test, type) or not hasattr(test, "log_values"):
            raise TypeError(
                f"test is {test!r}, expected an ExchangeabilityTest or a CalibrationMonitor"
            )
        return cls(test.log_values, level=level, name=name).plot(ax)

    def plot(self, ax: Axes | None = None) -> MartingaleDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default. On axes with other curves, this one gets another color.

        Returns
        -------
        MartingaleDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax, _SIZE)
        color, _, style = next_curve(ax, "martingale")
        steps = np.concatenate([[0.0], self.log_values]) / np.log(10)
        (self.line_,) = ax.plot(
            np.arange(len(steps)), steps, color=color, ls=style, lw=1.4, gid="martingale"
        )
        self.line_.set_label("capital" if self.name is None else literal(self.name))
        limit = -np.log10(self.level)
        above = np.flatnonzero(self.log_values >= -np.log(self.level))
        self.first_ = int(above[0]) + 1 if len(above) else None
        name = f"rejected at {100 * self.level:g} %"
        drawn = name in ax.get_legend_handles_labels()[1]
        self.limit_ = ax.axhline(limit, color=ink(), ls=":", lw=1, label=None if drawn else name)
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.yaxis.set_major_formatter(FuncFormatter(_power))
        finish(ax, xlabel="Sample", ylabel="Capital")
        return self


def _power(exponent: float, _: object) -> str:
    """10^exponent, in full where it is short."""
    if exponent == round(exponent) and abs(exponent) <= 3:
        return f"{10**exponent:g}"
    return f"$10^{{{exponent:g}}}$"
