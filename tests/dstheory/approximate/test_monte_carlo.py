from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction, dempster
from dstheory.approximate import monte_carlo_dempster
from dstheory.construct import random
from dstheory.errors import FrameError, MassError, TotalConflictError
from dstheory.measure import conflict
from tests.support.each import each

FRAME = Frame(list("abcd"))
both_methods = each("method", ["importance", "rejection"])


def sources(count=3, size=None, seed=0):
    rng = np.random.default_rng(seed)
    return [random(FRAME, rng, n_focal=5, **({"size": size} if size else {})) for _ in range(count)]


@both_methods
def test_standard_errors_cover_the_truth(method):
    """Of 300 independent estimates of beliefs, about 95% lie within two standard errors."""
    ms = sources()
    truth, kappa = dempster(*ms), conflict(*ms)
    rows = [MassFunction(FRAME, m.focal, np.tile(m.masses, (300, 1))) for m in ms]
    result = monte_carlo_dempster(rows, 2000, np.random.default_rng(1), method=method)
    for event in ("a", ["b", "c"], ["a", "b", "d"]):
        for estimate, error, exact in [
            (*result.bel(event), truth.bel(event)),
            (*result.pl(event), truth.pl(event)),
        ]:
            z = (estimate - exact) / np.where(error > 0, error, 1)
            assert abs(z.mean()) < 0.25
            assert 0.9 < (abs(z) < 1.96).mean() <= 1
    z = (result.kappa - kappa) / result.kappa_error
    assert abs(z.mean()) < 0.25
    assert 0.9 < (abs(z) < 1.96).mean() < 0.99
    masses = np.array([result.mass_function.mass(mask=int(mask)) for mask in truth.focal])
    assert abs(masses.mean(axis=1) - truth.masses).max() < 0.005


@both_methods
def test_standard_errors_of_masses_are_those_of_beliefs(method):
    result = monte_carlo_dempster(sources(), 500, np.random.default_rng(2), method=method)
    m = result.mass_function
    singles = [i for i, mask in enumerate(m.focal) if int(mask).bit_count() == 1]
    assert singles
    for i in singles:
        estimate, error = result.bel(FRAME.event(int(m.focal[i])))
        assert (estimate, error) == pytest.approx((m.masses[i], result.standard_errors[i]))


def test_rejection_has_binomial_errors():
    result = monte_carlo_dempster(sources(), 5000, np.random.default_rng(3), method="rejection")
    kept = 5000 * (1 - result.kappa)
    share = result.mass_function.masses
    np.testing.assert_allclose(result.standard_errors, np.sqrt(share * (1 - share) / kept))
    assert result.effective_samples == pytest.approx(kept)


def test_importance_survives_high_conflict():
    """Zadeh's example: of independent draws one in 10^18 is not empty."""
    eps = 1e-9
    one = MassFunction.from_dict(FRAME, {"a": 1 - eps, "c": eps})
    two = MassFunction.from_dict(FRAME, {"b": 1 - eps, "c": eps})
    vague = MassFunction.from_dict(FRAME, {"c": 0.5, FRAME: 0.5})
    result = monte_carlo_dempster([one, vague], 4000, np.random.default_rng(4))
    estimate, error = result.bel("c")
    assert abs(estimate - dempster(one, vague).bel("c")) <= 5 * max(error, 1e-8)
    with pytest.raises(TotalConflictError, match="no sample has a non-empty intersection"):
        monte_carlo_dempster([one, two], 1000, np.random.default_rng(4), method="rejection")


def test_many_sources_do_not_underflow():
    ms = [MassFunction(FRAME, [1, 2, 15], [0.06, 0.04, 0.9])] * 500
    weak = monte_carlo_dempster(ms, 200, np.random.default_rng(5))
    assert weak.mass_function.masses.sum() == pytest.approx(1)
    assert 0 < weak.effective_samples <= 200
    opposed = [MassFunction(FRAME, [1, 2, 15], [0.5, 0.25, 0.25])] * 2600
    strong = monte_carlo_dempster(opposed, 40, np.random.default_rng(6))
    assert strong.kappa == 1  # 0.75^2600 is 1e-325
    assert strong.mass_function.masses.sum() == pytest.approx(1)


@both_methods
def test_same_generator_same_result(method):
    one, two = (
        monte_carlo_dempster(sources(), 100, np.random.default_rng(7), method=method)
        for _ in range(2)
    )
    assert one.mass_function == two.mass_function
    assert one.effective_samples == two.effective_samples


@both_methods
def test_batches_broadcast(method):
    one, two = sources(2, size=4)
    two = MassFunction(FRAME, two.focal, two.masses[:3, np.newaxis])
    result = monte_carlo_dempster([one, two], 3000, np.random.default_rng(8), method=method)
    assert result.mass_function.batch_shape == (3, 4)
    assert result.standard_errors.shape == result.mass_function.masses.shape
    assert result.kappa.shape == result.effective_samples.shape == (3, 4)
    exact = dempster(one, two)
    for event in ("a", ["b", "c"]):
        estimate, error = result.bel(event)
        assert (abs(estimate - exact.bel(event)) <= 5 * error + 1e-3).all()
    empty = monte_carlo_dempster([one[:0]], 10, np.random.default_rng(0), method=method)
    assert empty.mass_function.batch_shape == (0,)


@both_methods
def test_other_masses(method):
    exact = MassFunction(FRAME, [0, 1, 2], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    result = monte_carlo_dempster([exact], 2000, np.random.default_rng(9), method=method)
    estimate, error = result.bel("a")
    assert abs(estimate - 0.5) < 5 * error
    assert result.kappa == pytest.approx(0.5, abs=0.06)
    large = Frame(range(100))
    m = MassFunction.from_dict(large, {(0, 99): 0.5, (5, 99): 0.5})
    found = monte_carlo_dempster([m, m], 400, np.random.default_rng(10), method=method)
    assert found.pl(99) == (1, 0)


@both_methods
def test_rounding_below_zero_is_never_drawn(method):
    m = MassFunction(FRAME, [1, 2, 4], [0.5, -1e-12, 0.5 + 1e-12])
    found = monte_carlo_dempster([m, m], 200, np.random.default_rng(11), method=method)
    assert found.bel("b") == (0, 0)


def test_wrong_arguments_are_refused():
    m, rng = sources(1)[0], np.random.default_rng(0)
    one, two = (MassFunction.from_dict(FRAME, {label: 1}) for label in "ab")
    rows = MassFunction(FRAME, [1, 2], [[1, 0], [0, 1]])
    with pytest.raises(TotalConflictError, match="no sample has"):
        monte_carlo_dempster([one, two], 10, rng)
    with pytest.raises(TotalConflictError, match=r"no sample has a .* \(first: row 1\)"):
        monte_carlo_dempster([one, rows], 10, rng)
    with pytest.raises(MassError, match="no source"):
        monte_carlo_dempster([], 10, rng)
    with pytest.raises(TypeError, match="sequence of mass functions"):
        monte_carlo_dempster(m, 10, rng)
    with pytest.raises(TypeError, match="MassFunction"):
        monte_carlo_dempster([m, None], 10, rng)
    with pytest.raises(TypeError, match="Generator"):
        monte_carlo_dempster([m], 10, 0)
    with pytest.raises(ValueError, match="n_samples is 0"):
        monte_carlo_dempster([m], 0, rng)
    with pytest.raises(ValueError, match="method is 'gibbs'"):
        monte_carlo_dempster([m], 10, rng, method="gibbs")
    with pytest.raises(FrameError, match="frames differ"):
        monte_carlo_dempster([m, MassFunction(Frame(list("xy")), [1], [1.0])], 10, rng)
