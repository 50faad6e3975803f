"""Units: utilities and data in any unit, from any origin, have the same answers in that unit."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, construct, decide
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])


@each("criterion", ["interval_dominance", "strong_dominance", "weak_dominance", "maximality"])
def test_the_unit_of_utilities_changes_no_decision(criterion):
    """Margins against rounding follow the utilities: 1e-12 was a tie, 1e12 no tie at all."""
    rng = np.random.default_rng(0)
    m = construct.random(FRAME, rng, size=3, n_focal=4)
    utilities = rng.normal(size=(5, 3))
    wide = decide.CredalSet.from_intervals(FRAME, [0.1, 0.2, 0.1], [0.5, 0.5, 0.6])
    for belief in (m, wide):
        criteria = [getattr(decide, criterion), decide.e_admissibility]
        wanted = [choose(belief, utilities) for choose in criteria]
        assert not all(kept.all() for kept in wanted)
        for unit in (1e-12, 1e-6, 1e9, 1e12):
            for choose, kept in zip(criteria, wanted, strict=True):
                np.testing.assert_array_equal(choose(belief, unit * utilities), kept, f"{unit:g}")


def test_ties_stay_ties_in_any_unit():
    """0.1 + 0.2 is not 0.3: the sums differ by rounding alone, whatever the unit."""
    m = MassFunction(FRAME, [1, 2, 4], [0.1, 0.2, 0.7])
    for unit in (1e-9, 1, 1e9):
        utilities = unit * np.array([[1, 1, 0], [3, 0, 0]])  # both are worth 0.3
        for criterion in (decide.interval_dominance, decide.maximality, decide.e_admissibility):
            assert criterion(m, utilities).all(), (unit, criterion)


def test_an_act_of_huge_utilities_does_not_blur_the_others():
    m = MassFunction(FRAME, [1, 3], [0.6, 0.4])
    utilities = [[1, 1, 0], [0.5, 0.5, 0], [-1e13, -1e13, 1e13]]
    for criterion in (decide.interval_dominance, decide.maximality, decide.strong_dominance):
        assert criterion(m, utilities).tolist() == [True, False, False], criterion
    assert decide.maximality(m, utilities, atol=0.75).tolist() == [True, True, False]
    with pytest.raises(ValueError, match="atol is -1"):
        decide.maximality(m, utilities, atol=-1)
