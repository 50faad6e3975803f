"""A copy of what is immutable is the thing itself, and no attribute is set again."""

import copy
import pickle

import numpy as np
import pytest

from dstheory import Frame
from dstheory.decide import CredalSet
from dstheory.inference import Opinion, RandomInterval, SampledInterval, normal_contour, predict

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


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (SampledInterval([0.0, 1.0], [1.0, 2.0], [0.25, 0.75]), "weights"),
        (Opinion.from_beliefs(["a", "b"], [0.5, 0.25], 0.25, base_rate=[0.2, 0.8]), "base_rate"),
        (CredalSet.from_intervals(Frame(["a", "b"]), [0.1, 0.2], [1, 1]), "upper"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_pickle_has_the_same_values_read_only(value, name):
    same = pickle.loads(pickle.dumps(value))
    assert repr(same) == repr(value)
    np.testing.assert_array_equal(getattr(same, name), getattr(value, name))
    assert not getattr(same, name).flags.writeable
    with pytest.raises(AttributeError, match="is immutable"):
        setattr(same, name, 0)
