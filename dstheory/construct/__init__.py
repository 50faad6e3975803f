"""Ways to make mass functions: from certainty, shares, probabilities, contours and tables."""

from dstheory.construct._bayesian import bayesian
from dstheory.construct._consonant import consonant, nested
from dstheory.construct._elementary import categorical, negative_simple, simple, vacuous
from dstheory.construct._random import random
from dstheory.construct._tables import from_bel, from_implicability, from_masses, from_pl, from_q

__all__ = [
    "bayesian",
    "categorical",
    "consonant",
    "from_bel",
    "from_implicability",
    "from_masses",
    "from_pl",
    "from_q",
    "negative_simple",
    "nested",
    "random",
    "simple",
    "vacuous",
]
