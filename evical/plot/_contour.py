"""`ContourDisplay`: the contour function of a probability, and the masses that follow.

The contour function pl(tau) divides the unit square into three regions, whose areas are the
predictive masses of the next label: m({0, 1}) under the curve, m({1}) above it to the left of its
mode, m({0}) to the right. Xu et al. 2016, equations 22 and 23, figures 3 and 6b.
"""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import expit

from dstheory.plot.style import OnAxes, axes_or_new, fill_regions, finish, ink, literal, names_of
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.plot._inputs import known_classes

# Equally spaced probabilities resolve a flat curve, and equally spaced log-odds one close to 0 or
# 1.
_GRID = np.union1d(np.linspace(0, 1, 401), expit(np.linspace(-30, 30, 601)))


@dataclass(eq=False, repr=False)
class ContourDisplay(OnAxes):
    """Contour function of a probability with the areas of the predictive masses.

    Usually made by `from_estimator`.

    Parameters
    ----------
    probability : (g,) array
        Ascending values of the unknown probability, from 0 to 1.
    plausibility : (g,) array
        Contour function there; its maximum is 1.
    score : float, optional
        Score at which it was evaluated; for the title.
    class_names : tuple of two str
        The negative and the positive class; for the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : Line2D
    regions_ : dict of str to PolyCollection
        By focal set: ``"1"``, ``"0"`` and ``"01"``.
    masses_ : dict of str to float
        Areas of the regions.

    Examples
    --------
    >>> from evical.calibrators import LogisticCalibrator
    >>> calibrator = LogisticCalibrator().fit([-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1])
    >>> display = ContourDisplay.from_estimator(calibrator, 2.0)
    >>> round(display.masses_["1"], 3)
    0.367
    >>> calibrator.predict_mass([2.0]).mass(1).round(3)
    array([0.367])
    """

    probability: Floats
    plausibility: Floats
    _: KW_ONLY
    score: float | None = None
    class_names: tuple[str, str] = ("0", "1")

    @classmethod
    def from_estimator(
        cls,
        calibrator: BaseCalibrator,
        score: float,
        *,
        class_names: tuple[str, str] | None = None,
        ax: Axes | None = None,
    ) -> "ContourDisplay":
        """Evaluate the contour function of a fitted calibrator at a score, and draw it.

        Parameters
        ----------
        calibrator : fitted calibrator
            With a method ``contour(score, probability)``.
        score : float
        class_names : tuple of two str, optional
            The labels if not given.
        ax : matplotlib Axes, optional

        Returns
        -------
        ContourDisplay

        Raises
        ------
        TypeError
            If the calibrator has no contour function, or is not fitted, or the score is not a
            number.
        """
        if not hasattr(calibrator, "contour"):
            raise TypeError(
                f"{type(calibrator).__name__} has no contour function; use a LogisticCalibrator "
                "with model='likelihood'"
            )
        if not isinstance(score, Real):
            raise TypeError(f"score is {score!r}, expected one number")
        names = known_classes(calibrator) if class_names is None else class_names
        negative, positive = names_of(names, "class_names", 2)
        contour = np.asarray(calibrator.contour(score, _GRID))
        return cls(_GRID, contour, score=score, class_names=(negative, positive)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "ContourDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        ContourDisplay
            Itself, with the artists as attributes.
        """
        self.ax_ = ax = axes_or_new(ax)
        self.masses_ = self._areas()
        self.regions_ = self._fill(ax)
        (self.line_,) = ax.plot(self.probability, self.plausibility, color=ink(), lw=1.6)
        if self.score is not None:
            ax.set_title(f"Score s = {self.score:g}")
        tau = f"Probability τ of class {literal(self.class_names[1])}"
        # The legend is below the axes, because the regions fill the whole square.
        finish(ax, "below", xlabel=tau, ylabel="Plausibility of τ", xlim=(0, 1), ylim=(0, 1))
        return self

    def _areas(self) -> dict[str, float]:
        """Areas of the regions by the trapezoidal rule, exact for the drawn polygons."""
        top = int(np.argmax(self.plausibility))
        tau, above = self.probability, 1 - self.plausibility
        areas = {
            "1": float(np.trapezoid(above[: top + 1], tau[: top + 1])),
            "0": float(np.trapezoid(above[top:], tau[top:])),
        }
        return {**areas, "01": 1 - areas["1"] - areas["0"]}

    def _fill(self, ax: Axes) -> dict[str, Any]:
        negative, positive = map(literal, self.class_names)
        names = {"1": positive, "0": negative, "01": f"{negative}, {positive}"}
        one, zero, both = (
            f"m({{{name}}}) = {self.masses_[key]:.2f}" for key, name in names.items()
        )
        regions = fill_regions(ax, self.probability, self.plausibility, (one, zero, both))
        return dict(zip(names, regions, strict=True))
