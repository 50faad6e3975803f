"""The six binomial models: definitions, laws of the paper, check values, and bad input."""

import math
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammainc

from dstheory import Frame, MassFunction
from dstheory.inference import binomial, binomial_masses, multinomial
from tests.naive import inference as naive
from tests.support.each import each

EXACT = ["bayesian", "laplace", "inverse_pignistic", "dempster"]
MODELS = [*EXACT, "confidence", "likelihood"]

any_model = st.sampled_from(MODELS)


@st.composite
def counts(draw, max_trials=40):
    """k successes in n >= 1 trials."""
    n = draw(st.integers(1, max_trials))
    return draw(st.integers(0, n)), n


@st.composite
def weighted_counts(draw):
    """Real k <= n, as sums of sample weights give them."""
    n = draw(st.floats(0.01, 1e12))
    return n * draw(st.floats(0, 1)), n


# --- definition ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", EXACT)
@given(k=st.fractions(0, 30), more=st.fractions(Fraction(1, 100), 30))
def test_definition_exact_on_fractions(model, k, more):
    n = k + more
    m1, m0 = binomial_masses(np.array(k, dtype=object), np.array([n], dtype=object), model)
    assert (m1[0], m0[0]) == getattr(naive, model)(k, n)
    assert isinstance(m1[0], Fraction)
    assert (
        sum(binomial(np.array(k, dtype=object), np.array([n], dtype=object), model).masses[0]) == 1
    )


@pytest.mark.parametrize("model", [*EXACT, "likelihood"])
@given(counts())
def test_definition_in_floating_point(model, pair):
    expected = [float(value) for value in getattr(naive, model)(*pair)]
    m1, m0 = binomial_masses(*pair, model)
    np.testing.assert_allclose([m1, m0], expected, rtol=1e-14, atol=0)


@given(counts(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_definition_of_the_clopper_pearson_limits(pair, confidence):
    """At the lower limit, k or more successes have probability (1 - confidence) / 2."""
    k, n = pair
    m1, m0 = binomial_masses(k, n, "confidence", confidence=confidence)
    for successes, mass in ((k, m1), (n - k, m0)):
        if successes == 0:
            assert mass == 0
        else:
            tail = naive.at_least(successes, n, float(mass / confidence))
            assert tail == pytest.approx((1 - confidence) / 2, rel=1e-11)


# --- oracle -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "m1", "m0"),
    [
        (6, 10, 0.406899350649351, 0.230656951644606),
        (2, 3, 0.333333333333333, 0.104166666666667),
        (5, 5, 0.833333333333333, 0),
        (333, 1000, 0.31455697999207, 0.648112190422768),
        (123456, 10**6, 0.123044212093333, 0.876131207977438),
    ],
)
def test_oracle_likelihood(k, n, m1, m0):
    np.testing.assert_allclose(binomial_masses(k, n), (m1, m0), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("k", "n", "m1"),
    [
        (1, 10**9, 2.81718171618377507e-10),
        (10, 10**9, 6.6672517823770281e-9),
        (3 * 10**8, 10**9, 0.29998183801933397),
        (5 * 10**8, 10**9, 0.49998018336352683),
        (10**9 - 1, 10**9, 0.999999997000000004),
    ],
)
def test_oracle_likelihood_at_a_billion(k, n, m1):
    """Values from quadrature in 40 digits."""
    assert binomial_masses(k, n)[0] == pytest.approx(m1, rel=3e-15)
    assert binomial_masses(n - k, n)[1] == pytest.approx(m1, rel=3e-15)


@pytest.mark.parametrize(
    ("k", "n"), [(1, 10**9), (3.5, 10**9), (3 * 10**8, 10**9), (704385, 18655261)]
)
def test_oracle_clopper_pearson_with_many_trials(k, n):
    """The beta distribution function at the lower limit, by quadrature in 40 digits."""
    limit = binomial_masses(k, n, "confidence", confidence=0.9)[0] / 0.9
    with mpmath.workdps(40):
        a, b, x = mpmath.mpf(k), mpmath.mpf(n - k + 1), mpmath.mpf(float(limit))
        log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)

        def density(u):
            return mpmath.exp((a - 1) * mpmath.log(u) + (b - 1) * mpmath.log1p(-u) - log_beta)

        start = max(x * 0, x - 25 * mpmath.sqrt(a * b / (a + b) ** 3))
        tail = mpmath.quad(density, mpmath.linspace(start, x, 13))
        error = (tail - 0.05) / density(x) / x
    assert abs(error) < 1e-12


# --- law ----------------------------------------------------------------------------------


@each("model", MODELS)
@given(pair=counts(10**9))
def test_law_successes_and_failures_are_alike(model, pair):
    k, n = pair
    np.testing.assert_allclose(
        binomial_masses(k, n, model), binomial_masses(n - k, n, model)[::-1], rtol=1e-14
    )


@each("model", MODELS)
@given(pair=weighted_counts())
def test_law_masses_are_masses(model, pair):
    m1, m0 = binomial_masses(*pair, model)
    assert m1 >= 0
    assert m0 >= 0
    assert 1 - (m1 + m0) >= 0
    masses = binomial(*pair, model).masses
    assert masses.min() >= 0
    assert masses.sum() == pytest.approx(1, abs=1e-15)
    assert masses[2] == pytest.approx(float(1 - (m1 + m0)), abs=1e-15)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "laplace"])
@given(pair=weighted_counts())
def test_law_bel_and_pl_enclose_the_proportion(model, pair):
    k, n = pair
    m = binomial(k, n, model)
    assert m.bel(1) <= k / n + 1e-15
    assert m.pl(1) >= k / n - 1e-15


@given(pair=weighted_counts())
def test_law_inverse_pignistic_is_consonant_with_pignistic_probability_p(pair):
    """The least committed isopignistic mass function (Dubois, Prade and Smets 2008)."""
    k, n = pair
    m0, m1, both = binomial(k, n, "inverse_pignistic").masses
    assert m1 + both / 2 == pytest.approx(k / n, abs=1e-15)
    assert min(m0, m1) == 0


@given(st.floats(0, 1e15))
def test_law_likelihood_equals_dempster_at_the_ends(n):
    """Xu et al., section 4.1, after figure 4."""
    ends = [0, n], n
    np.testing.assert_allclose(
        binomial_masses(*ends), binomial_masses(*ends, "dempster"), rtol=5e-15, atol=1e-15
    )


def test_law_dempster_and_likelihood_converge_to_the_proportion():
    n = 10.0 ** np.arange(1, 16)
    for model in ("dempster", "likelihood"):
        width = binomial(0.3 * n, n, model).masses[:, 2]
        assert (np.diff(width) < 0).all()
        assert width[-1] < 1e-7


def test_law_likelihood_lies_between_dempster_and_clopper_pearson():
    """Figure 4a: sample sizes with proportion 2/3."""
    k = 2 * np.arange(1, 200)
    dempster, likelihood, confidence = (
        binomial(k, 3 * k // 2, model) for model in ("dempster", "likelihood", "confidence")
    )
    assert (confidence.bel(1) < likelihood.bel(1)).all()
    assert (likelihood.bel(1) < dempster.bel(1)).all()
    assert (dempster.pl(1) < likelihood.pl(1)).all()
    assert (likelihood.pl(1) < confidence.pl(1)).all()


@each("model", MODELS)
def test_law_belief_grows_with_successes(model):
    m1, m0 = binomial_masses(np.linspace(0, 100, 201), 100, model)
    slack = 0 if model != "inverse_pignistic" else -1e-300  # constant on either half
    assert (np.diff(m1) > slack).all()
    assert (np.diff(m0) < -slack).all()


@given(counts())
def test_law_more_confidence_widens_the_interval(pair):
    levels = np.array([0.5, 0.8, 0.95, 0.999])
    masses = np.array([binomial_masses(*pair, "confidence", confidence=level) for level in levels])
    limits = masses / levels[:, None]
    for successes, limit in zip((pair[0], pair[1] - pair[0]), limits.T, strict=True):
        assert (np.diff(limit) < 0).all() if successes else (limit == 0).all()


def test_confidence_with_hardly_any_success():
    """Less than a thousandth of a success leaves a lower limit below 1e-300."""
    assert binomial_masses(5e-324, 1, "confidence")[0] == 0
    assert 0 < binomial_masses(0.0101, 1, "confidence")[0] < 1e-150


# --- no trials ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["inverse_pignistic", "dempster", "confidence", "likelihood"])
def test_no_trials_are_vacuous(model):
    assert binomial([0, 1], [0, 2], model)[0].is_vacuous
    if model in EXACT:
        masses = binomial(np.array(Fraction(0)), 0, model).masses.tolist()
        assert masses == [0, 0, 1]
        assert all(isinstance(mass, Fraction) for mass in masses)


def test_no_trials_leave_laplace_its_prior():
    assert binomial_masses(0, 0, "laplace") == (0.5, 0.5)


def test_no_trials_have_no_proportion():
    with pytest.raises(ValueError, match=r"trials are 0 in row 1.*'bayesian'"):
        binomial([1, 0, 0], [1, 0, 0], "bayesian")


# --- protocol -----------------------------------------------------------------------------


@each("model", MODELS)
def test_protocol_batch_equals_rows_and_input_stays(model):
    k, n = np.array([[0], [1], [2.5]]), np.array([3, 40, 500, 10**9])
    before = k.copy(), n.copy()
    batch = binomial(k, n, model)
    assert isinstance(batch, MassFunction)
    assert batch.batch_shape == (3, 4)
    assert batch.frame == Frame((0, 1))
    assert batch.focal.tolist() == [1, 2, 3]
    for i in range(3):
        for j in range(4):
            assert batch[i, j].equals(binomial(k[i, 0], n[j], model), atol=0)
    np.testing.assert_array_equal(k, before[0])
    np.testing.assert_array_equal(n, before[1])
    assert binomial(1, 2, model).batch_shape == ()
    assert [m.shape for m in binomial_masses(1, 2, model)] == [(), ()]
    assert [m.dtype for m in binomial_masses(1, 2, model)] == [np.float64, np.float64]


@each("model", MODELS)
def test_routes_fractions_equal_floats(model):
    k, n = [0, 1, 7, 10], 10
    exact = binomial([Fraction(v) for v in k], n, model).masses.astype(float)
    np.testing.assert_allclose(exact, binomial(k, n, model).masses, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("model", ["bayesian", "laplace"])
def test_bayesian_models_have_no_mass_on_the_frame(model):
    m = binomial(np.arange(1, 100), 100, model)
    assert (m.masses[:, 2] == 0).all()


def test_numpy_integers_in_objects_do_not_overflow():
    m1, _ = binomial_masses(np.array([np.int64(2**62)], dtype=object), [2**62], "dempster")
    assert m1[0] == Fraction(2**62, 2**62 + 1)


@each(
    ("k", "n", "message"),
    [
        ([1, 5], [4, 4], r"5\.0 successes in 4\.0 trials in row 1"),
        (5, 4, r"5\.0 successes in 4\.0 trials: "),
        ([[1, 2], [3, 9]], 4, r"9\.0 successes .* in row \(1, 1\)"),
        ([0, -1], 3, r"successes -1\.0 in row 1"),
        (0, [3, 2, -2], r"trials -2\.0 in row 2"),
        ([0, np.nan], 3, "successes nan in row 1"),
        ([0, 1], [1, np.nan], "trials nan in row 1"),
        (1, [2, np.inf], "trials inf in row 1"),
        ([], 3, "successes are empty"),
        (0, np.zeros((2, 0)), "trials are empty"),
        ([0, 1], [1, 2, 3], r"shapes \(2,\), \(3,\) do not"),
        ([Fraction(1), Fraction(5)], 3, "5 successes in 3 trials in row 1"),
    ],
)
@each("function", [binomial, binomial_masses])
def test_refuses_values(function, k, n, message):
    with pytest.raises(ValueError, match=message):
        function(k, n, "dempster")


@pytest.mark.parametrize(
    ("k", "n", "message"),
    [
        (["1", "2"], 3, r"successes have dtype str\d*, expected real numbers"),
        ([True], 3, "successes have dtype bool, expected real numbers"),
        (1j, 3, "successes have dtype complex128, expected real numbers"),
        ([1, None], 3, "successes None in row 1 is not rational"),
        (0, [Fraction(1), 0.5], r"trials 0\.5 in row 1 is not rational"),
    ],
)
def test_refuses_kinds(k, n, message):
    with pytest.raises(TypeError, match=message):
        binomial(k, n)


@each("confidence", [0, 1, -0.5, 95, float("nan"), float("inf")])
def test_refuses_confidence_outside(confidence):
    with pytest.raises(ValueError, match=f"confidence is {confidence}, expected"):
        binomial(1, 2, "confidence", confidence=confidence)


@pytest.mark.parametrize("confidence", ["0.95", None, True, [0.9]])
def test_refuses_confidence_of_wrong_kind(confidence):
    with pytest.raises(TypeError, match=r"confidence is .*, expected a level"):
        binomial(1, 2, "confidence", confidence=confidence)


def test_refuses_models():
    with pytest.raises(ValueError, match="model is 'likelyhood', expected one of 'bayesian'"):
        binomial(1, 2, "likelyhood")
    with pytest.raises(ValueError, match="model is None, expected one of"):
        binomial(1, 2, None)


def test_refuses_more_trials_than_a_quantile_can_resolve():
    assert 0.28 < binomial_masses(3e14, 1e15, "confidence")[0] < 0.95 * 0.3
    with pytest.raises(ValueError, match=r"trials 1e\+16 in row 1: this model takes up to 1e\+15"):
        binomial([1, 1], [2, 1e16], "confidence")


def test_import_does_not_load_scipy():
    code = "import dstheory.inference, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@each("failures", [0, 0.5, 7, 1e6, 1e9, 1e14])
@each("successes", [2e-3, 0.01, 0.02, 0.1, 0.5, 1, 3])
def test_tiny_limits_are_right_or_zero_only_below_1e_323(successes, failures):
    """Clopper-Pearson's lower limit x solves x^a / (a B(a, b + 1)) = 0.025 as x tends to 0."""
    found, _ = binomial_masses(successes, successes + failures, model="confidence")
    failures = (successes + failures) - successes  # as it was rounded
    with mpmath.workdps(60):
        a, b = mpmath.mpf(successes), mpmath.mpf(failures)
        tail = (1 - mpmath.mpf(0.95)) / 2
        x = mpmath.exp(mpmath.log(tail * a * mpmath.beta(a, b + 1)) / a)
        if x * (b + 1) < 1e-9:
            # One step of Newton's method on the series I_x = x^a / (a B) (1 - a b x / (a + 1))
            x *= 1 + b * x / (a + 1)
            assert found == pytest.approx(float(0.95 * x), rel=1e-11, abs=5e-323)
        else:
            share = mpmath.betainc(a, b + 1, 0, mpmath.mpf(float(found)) / 0.95, regularized=True)
            assert float(share) == pytest.approx(0.025, rel=1e-8)


@each("trials", [1e19, 1e160, 1e300, 1.7e308])
@each("model", ["bayesian", "laplace", "inverse_pignistic", "dempster", "likelihood"])
def test_counts_near_the_end_of_floats(model, trials):
    """Rare successes are Poisson: the area of e^-x (x / k)^k e^k over [0, k]."""
    masses = binomial([0, 1, 5, 0.3 * trials, trials], trials, model=model).masses
    assert np.isfinite(masses).all()
    np.testing.assert_allclose(masses.sum(axis=1), 1, rtol=1e-12)
    if model == "likelihood":
        below = 5 - 120 * (math.e / 5) ** 5 * gammainc(6, 5)
        assert masses[2, 1] == pytest.approx(below / trials, rel=1e-12)


@each("model", ["bayesian", "laplace", "dempster", "goodman", "likelihood"])
@each("ordered", [True, False])
def test_categories_with_counts_near_the_end_of_floats(model, ordered):
    for size in (1e160, 1e300, 5e307):
        masses = multinomial([size, size / 2, 0, 1, size / 8], model=model, ordered=ordered).masses
        assert np.isfinite(masses).all()
        assert masses.sum() == pytest.approx(1, abs=1e-12)
