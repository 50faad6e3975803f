"""Construction of mass functions from events, probabilities, contours, tables and judgments."""

from dstheory.construct._elementary import bayesian, categorical, simple, vacuous
from dstheory.construct._intervals import (
    from_probability_intervals,
    lower_envelope,
    natural_extension,
)
from dstheory.construct._judgments import from_judgments
from dstheory.construct._labels import evidential_labels
from dstheory.construct._random import random
from dstheory.construct._stack import concatenate, stack
from dstheory.construct.chains import consonant, from_necessity, from_possibility, nested
from dstheory.construct.tables import from_table

__all__ = [
    "bayesian",
    "categorical",
    "concatenate",
    "consonant",
    "evidential_labels",
    "from_judgments",
    "from_necessity",
    "from_possibility",
    "from_probability_intervals",
    "from_table",
    "lower_envelope",
    "natural_extension",
    "nested",
    "random",
    "simple",
    "stack",
    "vacuous",
]


def __dir__() -> list[str]:
    return __all__
