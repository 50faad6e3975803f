from functools import partial

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.combine import combine_axis, conjunctive, dempster
from tests.support.each import each

FRAME = Frame(list("abc"))


@pytest.fixture
def batch():
    masses = np.random.default_rng(7).dirichlet(np.ones(4), (3, 2, 5))
    return MassFunction(FRAME, [1, 3, 6, 7], masses)


@each("axis", [0, 1, 2, -1, -2, -3])
def test_any_axis_equals_combining_its_entries(batch, axis):
    fused = combine_axis(batch, dempster, axis)
    entries = [
        MassFunction(FRAME, batch.focal, masses)
        for masses in np.moveaxis(batch.masses, axis if axis >= 0 else axis - 1, 0)
    ]
    assert fused.equals(dempster(*entries))
    assert fused.batch_shape == tuple(np.delete(batch.batch_shape, axis))


def test_first_axis_is_the_default(batch):
    assert combine_axis(batch, conjunctive) == conjunctive(*batch)


def test_the_rule_sees_all_sources_at_once(batch):
    seen = []

    def spy(*sources, scale):
        seen.append((len(sources), scale))
        return sources[0]

    combine_axis(batch, partial(spy, scale=2), axis=-1)
    assert seen == [(5, 2)]


def test_one_source_is_returned_as_it_is(batch):
    single = batch[:1]
    assert combine_axis(single, dempster) == batch[0]


def test_one_axis_only_gives_a_single_mass_function(batch):
    assert combine_axis(batch[0, 0], dempster).batch_shape == ()


def test_errors(batch):
    with pytest.raises(ValueError, match=r"axis 3 is out of range for batch shape \(3, 2, 5\)"):
        combine_axis(batch, dempster, 3)
    with pytest.raises(ValueError, match="out of range"):
        combine_axis(batch[0, 0, 0], dempster)
    with pytest.raises(ValueError, match="holds no source"):
        combine_axis(batch[:0], dempster)
    with pytest.raises(TypeError, match="MassFunction with a batch axis"):
        combine_axis([batch], dempster)
    with pytest.raises(TypeError, match=r"rule is .*, expected a function"):
        combine_axis(batch, "dempster")
    with pytest.raises(TypeError):
        combine_axis(batch, dempster, 0.5)
