"""From data to belief: predictive belief functions of a future outcome.

`binomial` turns k successes in n trials into a mass function on {0, 1}, by any of six
models; `binomial_masses` is the same on plain arrays (Xu et al. 2016, section 4.1).
"""

from dstheory.inference._binomial import binomial, binomial_masses
from dstheory.inference._contour import LikelihoodContour
from dstheory.inference._goodman import goodman_intervals
from dstheory.inference._grfn import GRFN
from dstheory.inference._grfn_combine import product_intersection, product_intersection_conflict
from dstheory.inference._models import (
    binomial_contour,
    exponential_contour,
    normal_contour,
    poisson_contour,
)
from dstheory.inference._multinomial import multinomial, multinomial_bounds
from dstheory.inference._profiling import profile, profile_of
from dstheory.inference._random_interval import RandomInterval
from dstheory.inference._regression import linear_contour, logistic_contour

__all__ = [
    "GRFN",
    "LikelihoodContour",
    "RandomInterval",
    "binomial",
    "binomial_contour",
    "binomial_masses",
    "exponential_contour",
    "goodman_intervals",
    "linear_contour",
    "logistic_contour",
    "multinomial",
    "multinomial_bounds",
    "normal_contour",
    "poisson_contour",
    "product_intersection",
    "product_intersection_conflict",
    "profile",
    "profile_of",
]
