"""Units: utilities and data in any unit, from any origin, have the same answers in that unit."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, construct, decide
from dstheory.inference import (
    LikelihoodContour,
    SampledInterval,
    combine_contours,
    gaussian_contour,
    linear_contour,
    normal_contour,
)
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


DATA = np.array([2.25, 5.5, 4.0, 1.5])


@each("unit", [1e-150, 1e-12, 1.0, 1e12, 1e150])
def test_contours_in_any_unit(unit):
    """The search for a maximum began around 0 on a scale of 1, whatever its sources were."""
    normal = gaussian_contour(1e6 * unit, 1e-3 * unit)
    joint, conflict = combine_contours(normal, gaussian_contour((1e6 + 2e-3) * unit, 2e-3 * unit))
    assert conflict == pytest.approx(1 - np.exp(-0.4), rel=1e-6)  # 2^2 / (1 + 2^2) / 2
    assert joint.mode / unit - 1e6 == pytest.approx(4e-4, abs=1e-9)
    joint, conflict = combine_contours(normal_contour(unit * DATA), gaussian_contour(unit, unit))
    wanted, expected = combine_contours(normal_contour(DATA), gaussian_contour(1, 1))
    assert conflict == pytest.approx(expected, rel=1e-9)
    ends = np.array([1.5, 3.0])
    np.testing.assert_allclose(joint.bel(*unit * ends), wanted.bel(*ends), rtol=1e-6)
    plain = LikelihoodContour(lambda x: -((x / unit - 3) ** 2) / 2, (-np.inf, np.inf))
    assert plain.mode / unit == pytest.approx(3, rel=1e-12)
    assert plain.bel(2 * unit, 4 * unit) == pytest.approx(1 - np.exp(-0.5), rel=1e-9)


def test_the_higher_of_two_peaks_is_the_mode():
    """Two samples far apart: their product has a peak near each, found from wherever one looks."""
    one, two = normal_contour([0, 1e-3, 2e-3]), normal_contour([100, 100.01, 100.02, 100.005])
    x = np.concatenate([np.linspace(0, 0.01, 10001), np.linspace(100, 100.02, 10001)])
    log = one.log_contour(x) + two.log_contour(x)
    for sources in ((one, two), (two, one)):
        joint, conflict = combine_contours(*sources)
        assert joint.mode == pytest.approx(x[log.argmax()], abs=1e-5)
        assert 1 - conflict == pytest.approx(np.exp(log.max()), abs=1e-15)
    bumps = LikelihoodContour(
        lambda x: np.logaddexp(-(x**2) / 2, 3 - 50 * (x - 8) ** 2), (-np.inf, np.inf)
    )
    assert bumps.mode == pytest.approx(8, abs=1e-6)
    assert bumps.contour(0.0) == pytest.approx(np.exp(-3), rel=1e-6)


def test_data_far_from_zero_and_of_extreme_units():
    """Squares of the data, or of their offset, said nothing about the residuals."""
    design = np.column_stack([np.ones(4), range(4)])
    wanted = linear_contour(design, DATA, (0, 1))
    for offset in (1e6, 1e12):
        found = linear_contour(design, DATA + offset, (0, 1))
        assert found.mode == pytest.approx(wanted.mode, rel=1e-3)
        assert found.bel(-3, 1) == pytest.approx(wanted.bel(-3, 1), rel=1e-3)
        with pytest.raises(ValueError, match="fits all 4 observations exactly"):
            linear_contour(design, design @ [offset, 3], (0, 1))
    for unit in (1e-300, 1e300):
        found = normal_contour(unit * DATA)
        assert found.bel(unit, 5 * unit) == pytest.approx(normal_contour(DATA).bel(1, 5))


@each("unit", [1e-12, 1.0, 1e12])
def test_functions_of_intervals_in_any_unit(unit):
    one, two = SampledInterval([0.1 * unit], [0.9 * unit]), SampledInterval([0.0], [0.3 * unit])
    y = SampledInterval.from_function(lambda a, b: (a - unit / 2) ** 2 / unit + b, one, two)
    np.testing.assert_allclose([*y.low / unit, *y.high / unit], [0, 0.46], atol=1e-7)
