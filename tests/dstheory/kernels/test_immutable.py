"""A copy of what is immutable is the thing itself, and no attribute is set again."""

import copy

import numpy as np
import pytest

from dstheory.inference import RandomInterval, normal_contour, predict
from dstheory.inference.prediction.sampled_interval import SampledInterval

FORECAST = predict(np.ones((4, 1)), [0, 1, 1, 2], [[1.0]], sigma=1.0)
CONTOUR = normal_contour([1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    "value",
    [CONTOUR, RandomInterval(CONTOUR), SampledInterval([0.0], [1.0]), FORECAST],
    ids=lambda value: type(value).__name__,
)
def test_a_copy_is_the_same(value):
    assert copy.copy(value) is value
    assert copy.deepcopy([value])[0] is value
    with pytest.raises(AttributeError, match="is immutable; 'rate' cannot be set"):
        value.rate = 0.5
