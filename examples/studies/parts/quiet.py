"""`fit_quietly`: no warning where a study draws samples so few that they may mislead."""

import warnings
from typing import Any

from evical.errors import WrongWayWarning

__all__ = ["fit_quietly"]


def fit_quietly(estimator: Any, *sample: Any) -> Any:
    """Fit, without the warning that scores point the wrong way.

    Parameters
    ----------
    estimator : estimator
    *sample : X, y

    Returns
    -------
    fitted estimator
    """
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        return estimator.fit(*sample)
