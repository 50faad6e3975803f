"""From data to belief: belief functions on parameters and on future outcomes.

Counts become mass functions at once: `binomial` (Xu et al. 2016, section 4.1) and
`multinomial`. In general a likelihood, or an expert, gives a contour on a parameter
(`LikelihoodContour`), contours are combined (`combine_contours`), and a future outcome follows
(`predictive`, `predict`). `GRFN` is belief about a real number in three parameters.
"""

from dstheory.inference._binomial import binomial, binomial_masses
from dstheory.inference._combine_contours import combine_contour_values, combine_contours
from dstheory.inference._contour import LikelihoodContour
from dstheory.inference._expert_contour import (
    gaussian_contour,
    trapezoidal_contour,
    triangular_contour,
)
from dstheory.inference._forecast import predict
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
from dstheory.inference._predictive import predictive
from dstheory.inference._predictive_interval import PredictiveInterval
from dstheory.inference._predictive_mass import (
    predictive_binary,
    predictive_ordered,
    predictive_sampled,
)
from dstheory.inference._profiling import profile, profile_of
from dstheory.inference._random_interval import RandomInterval
from dstheory.inference._regression import linear_contour, logistic_contour
from dstheory.inference._sampled_interval import SampledInterval

__all__ = [
    "GRFN",
    "LikelihoodContour",
    "PredictiveInterval",
    "RandomInterval",
    "SampledInterval",
    "binomial",
    "binomial_contour",
    "binomial_masses",
    "combine_contour_values",
    "combine_contours",
    "exponential_contour",
    "gaussian_contour",
    "goodman_intervals",
    "linear_contour",
    "logistic_contour",
    "multinomial",
    "multinomial_bounds",
    "normal_contour",
    "poisson_contour",
    "predict",
    "predictive",
    "predictive_binary",
    "predictive_ordered",
    "predictive_sampled",
    "product_intersection",
    "product_intersection_conflict",
    "profile",
    "profile_of",
    "trapezoidal_contour",
    "triangular_contour",
]
