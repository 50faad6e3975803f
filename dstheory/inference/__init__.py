"""From data to belief: predictive belief functions of a future outcome.

`binomial` turns k successes in n trials into a mass function on {0, 1}, by any of six
models; `binomial_masses` is the same on plain arrays (Xu et al. 2016, section 4.1).
"""

from dstheory.inference._binomial import binomial, binomial_masses
from dstheory.inference._contour import LikelihoodContour
from dstheory.inference._goodman import goodman_intervals
from dstheory.inference._multinomial import multinomial, multinomial_bounds
from dstheory.inference._profiling import profile, profile_of

__all__ = [
    "LikelihoodContour",
    "binomial",
    "binomial_masses",
    "goodman_intervals",
    "multinomial",
    "multinomial_bounds",
    "profile",
    "profile_of",
]
