"""Scores in bins of equal width: how often the class occurs there, and what calibrations say.

The material of a reliability diagram with fitted curves.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from examples.studies._study import Curve

__all__ = ["FREQUENCY", "LABELS", "MEASURES", "curve_rows", "curves_of"]

LABELS = ("data", "classifier", "score", "line")
"""Names of a row; the score is the middle of a bin."""

MEASURES = ("probability", "gap", "samples", "scores")

FREQUENCY = "observed"


def curve_rows(
    score: Floats, y: NDArray[np.intp], lines: Mapping[str, Floats], width: float
) -> Iterator[tuple[tuple[str, str], tuple[float, float, float, float]]]:
    """Means over bins of a score between 0 and 1.

    Parameters
    ----------
    score : (n,) array
        What is outside [0, 1] falls into an end bin.
    y : (n,) array
        Labels 0 and 1.
    lines : mapping
        Name to probabilities (n,).
    width : float
        Of a bin; the last one ends at 1.

    Yields
    ------
    (score, line), (probability, gap, samples, scores)
        Samples and different scores are counted. The gap is the distance to the observed frequency,
        times the share of the samples and the number of bins: its mean over bins is the expected
        calibration error. The probability of an empty bin is NaN, its gap 0.

    Examples
    --------
    >>> score, y = np.array([0.1, 0.3, 0.9]), np.array([0, 1, 1])
    >>> for names, values in curve_rows(score, y, {"score": score}, 0.5):
    ...     print(*names, *(round(value, 3) for value in values))
    0.25 observed 0.5 0.0 2.0 2.0
    0.25 score 0.2 0.4 2.0 2.0
    0.75 observed 1.0 0.0 1.0 1.0
    0.75 score 0.9 0.067 1.0 1.0
    """
    edges = np.append(np.arange(0, 1 - 1e-9, width), 1.0)
    places = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
    sizes = np.bincount(places, minlength=len(edges) - 1)
    for place, (size, low, high) in enumerate(zip(sizes, edges[:-1], edges[1:], strict=True)):
        rows = places == place
        distinct = float(len(np.unique(score[rows])))
        observed = float(y[rows].mean()) if size else np.nan
        for name, p in {FREQUENCY: y.astype(np.float64), **lines}.items():
            mean = float(p[rows].mean()) if size else np.nan
            gap = abs(mean - observed) * size / len(y) * len(sizes) if size else 0.0
            yield (f"{(low + high) / 2:g}", name), (mean, float(gap), float(size), distinct)


def curves_of(names: Mapping[str, tuple[str, str]]) -> tuple[Curve, ...]:
    """A picture for each classifier, with a panel for each data set.

    Parameters
    ----------
    names : mapping
        Name of a picture to the classifier and the title.

    Returns
    -------
    tuple of Curve
    """
    return tuple(
        Curve(
            name=name,
            title=title,
            measure="probability",
            x="score",
            line="line",
            panel="data",
            where={"classifier": classifier},
            y_name="probability",
        )
        for name, (classifier, title) in names.items()
    )
