"""Inference from data: belief functions on parameters and on future outcomes.

`binomial` (Xu et al. 2016, section 4.1) and `multinomial` turn counts into mass functions. In
general, a likelihood or an expert gives a contour on a parameter (`LikelihoodContour`);
`combine_contours` combines contours; `predictive` and `predict` give beliefs about a future
outcome. A `GRFN` describes belief about a real number by three parameters.
"""

from dstheory.inference.contours._combination import combine_contours
from dstheory.inference.contours._models import (
    binomial_contour,
    gaussian_contour,
    normal_contour,
    poisson_contour,
    trapezoidal_contour,
)
from dstheory.inference.contours._profiling import profile, profile_of
from dstheory.inference.contours.likelihood_contour import LikelihoodContour
from dstheory.inference.contours.regression import linear_contour, logistic_contour
from dstheory.inference.counts._binomial import binomial, binomial_masses
from dstheory.inference.counts._multinomial import multinomial, multinomial_bounds
from dstheory.inference.counts._opinion import Opinion
from dstheory.inference.fuzzy_numbers._grfn import (
    GRFN,
    product_intersection,
)
from dstheory.inference.prediction._forecast import predict
from dstheory.inference.prediction._mass import (
    predictive,
    predictive_binary,
    predictive_ordered,
    predictive_sampled,
)
from dstheory.inference.prediction._random_interval import RandomInterval
from dstheory.inference.prediction.sampled_interval import SampledInterval

__all__ = [
    "GRFN",
    "LikelihoodContour",
    "Opinion",
    "RandomInterval",
    "SampledInterval",
    "binomial",
    "binomial_contour",
    "binomial_masses",
    "combine_contours",
    "gaussian_contour",
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
    "profile",
    "profile_of",
    "trapezoidal_contour",
]


def __dir__() -> list[str]:
    return __all__
