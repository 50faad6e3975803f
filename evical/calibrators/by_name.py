"""Calibrators by the short names of commands and comparisons: `venn_abers`, `elite`."""

import re

from evical import calibrators
from evical.calibrators import BaseCalibrator

__all__ = ["by_name", "short_name"]


def by_name() -> dict[str, type[BaseCalibrator]]:
    """Classes of all calibrators by the words of their names, in lower case.

    >>> by_name()["venn_abers"].__name__, by_name()["elite"].__name__
    ('VennAbersCalibrator', 'ELiTECalibrator')
    """
    return {
        short_name(title): getattr(calibrators, title)
        for title in calibrators.__all__
        if title != "BaseCalibrator"
    }


def short_name(title: str) -> str:
    """The words of the name of a class, each begun by a capital between small letters.

    >>> short_name("MultinomialLogisticCalibrator")
    'multinomial_logistic'
    """
    words = title.removesuffix("Calibrator")
    return re.sub("(?<=[a-z])(?=[A-Z][a-z])", "_", words).lower()
