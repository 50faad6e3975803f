"""Who takes part in the study of quality: every calibrator of this package, and any other."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from inspect import isabstract
from typing import Any

import numpy as np

from evical import calibrators
from evical._typing import Floats

__all__ = ["Contender", "calibrator_contenders"]


# What calibrators are also tried with, besides their defaults.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "BinningCalibrator": (
        {"n_bins": 15, "strategy": "quantile"},
        {"n_bins": 15, "strategy": "quantile", "model": "bayesian"},
    ),
    "IsotonicCalibrator": (
        {"model": "bayesian"},
        {"envelope": False},
        {"model": "bayesian", "centered": True},
    ),
    "KDECalibrator": (
        {"kernel": "boxcar"},
        {"bandwidth": "per_class"},
        {"model": "likelihood"},
        {"bandwidth": "per_class", "transform": "logit"},
    ),
    "LogisticCalibrator": ({"model": "bayesian"}, {"model": "bayesian", "transform": "logit"}),
    "TemperatureCalibrator": ({"transform": None},),
    "SplineCalibrator": ({"transform": "logit"}, {"transform": "rank"}),
    "DPMCalibrator": ({"transform": "logit"},),
}


@dataclass(frozen=True)
class Contender:
    """A method that takes part.

    Parameters
    ----------
    name : str
    make : callable
        Without arguments; gives an object with ``fit(scores, y)`` and ``predict_proba(scores)``,
        which returns (n, 2), or (n,) probabilities of the positive class.
    """

    name: str
    make: Callable[..., Any] = field(repr=False)

    def predictions(self, calibrator: Any, at: Floats) -> Floats:
        """Probabilities of the positive class.

        Parameters
        ----------
        calibrator : object
            What `make` gave, after ``fit``.
        at : (n,) array
            Scores.

        Returns
        -------
        (n,) array

        Raises
        ------
        ValueError
            If a number is no probability.
        """
        proba = np.asarray(calibrator.predict_proba(at), dtype=np.float64)
        q = proba[:, 1] if proba.ndim == 2 else proba
        if not ((q >= 0) & (q <= 1)).all():  # NaN too
            raise ValueError(f"{self.name} predicts what is no probability")
        return np.asarray(q)


def calibrator_contenders() -> list[Contender]:
    """Every calibrator of this package, by default and with some further options.

    Returns
    -------
    list of Contender
        Found through ``evical.calibrators.__all__``, so that none can be forgotten.

    Examples
    --------
    >>> [c.name for c in calibrator_contenders() if c.name.startswith("Isotonic")]
    ['Isotonic', 'Isotonic (model=bayesian)', 'Isotonic (envelope=False)', \
'Isotonic (model=bayesian, centered=True)']
    """
    found = []
    for name in calibrators.__all__:
        kind = getattr(calibrators, name)
        if isabstract(kind):
            continue
        for options in ({}, *VARIANTS.get(name, ())):
            detail = ", ".join(f"{key}={value}" for key, value in options.items())
            label = name.removesuffix("Calibrator") + (f" ({detail})" if detail else "")
            found.append(Contender(label, partial(kind, **options)))
    return found
