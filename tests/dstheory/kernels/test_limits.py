"""Refusals beside what the combination would list; what is allowed beside bounds that are not."""

from functools import reduce
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.errors import CostLimitError
from dstheory.kernels import bits, limits

OPERATIONS = {
    np.bitwise_and: lambda a, b: a & b,
    np.bitwise_or: lambda a, b: a | b,
    np.bitwise_xor: lambda a, b: a ^ b,
}


@given(
    size=st.sampled_from([3, 30, 70]),
    data=st.data(),
    operation=st.sampled_from(list(OPERATIONS)),
)
def test_counted_sets_are_those_of_all_choices(size, data, operation):
    sets = st.lists(st.integers(0, (1 << size) - 1), min_size=1, max_size=4, unique=True)
    listed = data.draw(st.lists(sets, min_size=2, max_size=4))
    focals = [bits.mask_array(sorted(own), size) for own in listed]
    found, _ = limits._counted("a rule", focals, size, operation, False)
    assert found == len({reduce(OPERATIONS[operation], choice) for choice in product(*listed)})
    most, pairs = limits._bounds(len(listed[0]), [len(own) for own in listed[1:]], size)
    assert found <= most
    assert pairs >= sum(len(own) for own in listed[1:])
    limits.check_fold("a rule", focals, size, operation)


def test_many_sources_of_few_sets_are_no_explosion():
    """10,000 sources of three sets each have bounds of 2^60, and six sets in all."""
    rng = np.random.default_rng(0)
    some = [np.sort(rng.choice([1, 3, 7, 1 << 58], 3, replace=False)) for _ in range(6)]
    limits.check_fold("a rule", [some[i % 6] for i in range(10_000)], 60)


@pytest.mark.parametrize(("size", "exact"), [(40, False), (40, True), (100, False)])
def test_what_grows_is_refused(size, exact, monkeypatch):
    for budget in ("_COUNTED", "_COUNTED_LONG"):  # less counting, the same answers
        monkeypatch.setattr(limits, budget, 1 << 16)
    full = (1 << size) - 1
    simple = [bits.mask_array([full - (1 << i), full], size) for i in range(30)]
    with pytest.raises(CostLimitError, match=r"a rule of 30 sources takes .* at most.*approximate"):
        limits.check_fold("a rule", simple, size, exact=exact)
    limits.check_fold("a rule", simple[:15], size, exact=exact)


def test_results_with_too_many_rows():
    limits.check_result(1 << 11, 1 << 20)
    with pytest.raises(
        CostLimitError, match="takes 32 GiB, more than 16; combine the batch in parts"
    ):
        limits.check_result(1 << 11, 1 << 21)
