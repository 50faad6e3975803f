"""Approximations by fewer focal sets or by sampling, with measures of their error."""

from dstheory.approximate._clusters import cluster
from dstheory.approximate._consonant import consonant_approximation
from dstheory.approximate._d1 import d1
from dstheory.approximate._monte_carlo import monte_carlo_dempster
from dstheory.approximate._selection import k_l_x, rank_level, summarize

__all__ = [
    "cluster",
    "consonant_approximation",
    "d1",
    "k_l_x",
    "monte_carlo_dempster",
    "rank_level",
    "summarize",
]


def __dir__() -> list[str]:
    return __all__
