"""Naeini's logistic regression with and without an intercept, which liblinear leaves out.

Source: Naeini (2016), sections 4.2.2.2, 4.3.2 and 4.4.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TypeVar

from examples.studies._beside import read_prose
from examples.studies._over_data import Labels
from examples.studies._study import Study
from examples.studies.naeini2016._published_real import ELITE_FIGURES, GAINS
from examples.studies.naeini2016.real import (
    BBQ,
    ELITE,
    ENIR,
    HISTOGRAM,
    ISOTONIC,
    LARGE,
    NAEINI2016_REAL,
    NONE,
    PLATT,
    SETS,
)
from examples.studies.parts.cross_validated import OF_FOLDS, POOLED, CrossValidated

__all__ = ["NAEINI2016_LIBLINEAR"]

_Lines = TypeVar("_Lines")

_WAYS = ("LR", "LR, no intercept", "LR, no intercept, -1 to 1")
_METHODS = (NONE, HISTOGRAM, PLATT, ISOTONIC, BBQ, ENIR, ELITE)


def _each_way(printed: Mapping[Labels, _Lines]) -> dict[Labels, _Lines]:
    """What is printed of logistic regression, beside each way to train it."""
    return {
        (way, *rest): lines
        for (classifier, *rest), lines in printed.items()
        if classifier == "LR"
        for way in _WAYS
    }


(_GAINED,) = NAEINI2016_REAL.gains
(_ELITE,) = (one for one in NAEINI2016_REAL.rankings if one.name == "elite")

TEXT = read_prose(__file__)
NAEINI2016_LIBLINEAR = Study(
    name="naeini2016-liblinear",
    title="Calibrators of two classes: logistic regression without intercept",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "sections 4.2.2.2, 4.3.2 and 4.4; tables 20 and 22; figures 11 to 15",
    labels=NAEINI2016_REAL.labels,
    measures=(*OF_FOLDS, *POOLED, "seconds"),
    conditions=tuple(
        CrossValidated(LARGE, source, way, _METHODS) for source, way in product(SETS, _WAYS)
    ),
    repeats=2,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    gains=(replace(_GAINED, options=("ENIR", "ELiTE"), published=_each_way(GAINS)),),
    rankings=(replace(_ELITE, published=_each_way(ELITE_FIGURES), drawn=("rmse",)),),
    quick=("ten_folds-heart-lr", "ten_folds-heart-lr_no_intercept"),
)
