"""Approximations by fewer focal sets or by sampling, with measures of their error."""

from dstheory.approximate._clusters import inner_approximation, outer_approximation
from dstheory.approximate._consonant import inner_consonant, outer_consonant
from dstheory.approximate._d1 import d1
from dstheory.approximate._monte_carlo import monte_carlo_dempster
from dstheory.approximate._selection import k_l_x, rank_level, summarize

__all__ = [
    "d1",
    "inner_approximation",
    "inner_consonant",
    "k_l_x",
    "monte_carlo_dempster",
    "outer_approximation",
    "outer_consonant",
    "rank_level",
    "summarize",
]
