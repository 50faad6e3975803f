"""Mixture: weighted means, and weights of the largest likelihood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from dstheory import Frame, MassFunction
from dstheory.combine import mixing
from dstheory.transform import betp
from evical.fusion import Mixture
from evical.fusion._mixture import best_weights
from tests.evical.fusion.samples import sources
from tests.support.each import each

pytestmark = [
    # Random samples may point the wrong way.
    pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning"),
    # SLSQP of SciPy 1.15 may leave its bounds by a rounding error, and says so.
    pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning"),
]


def loss(weights, likelihood, counts):
    return -counts @ np.log(likelihood @ weights)


def brute_force(likelihood, counts):
    """The same optimum by a general solver."""
    n_sources = likelihood.shape[1]
    found = minimize(
        loss,
        np.full(n_sources, 1 / n_sources),
        args=(likelihood, counts),
        method="SLSQP",
        bounds=[(1e-12, 1)] * n_sources,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


@each("seed", range(5))
@each("n_sources", [2, 4, 9])
def test_weights_are_most_likely(seed, n_sources):
    rng = np.random.default_rng(seed)
    likelihood = rng.beta(2, 1, (80, n_sources)) ** rng.uniform(0.5, 3, n_sources)
    counts = rng.uniform(0.1, 3, 80)
    weights = best_weights(likelihood, counts)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    general = loss(brute_force(likelihood, counts), likelihood, counts)
    assert loss(weights, likelihood, counts) <= general + 1e-7
    # Karush, Kuhn and Tucker: no source has a mean ratio above 1.
    ratio = likelihood / (likelihood @ weights)[:, None]
    assert (counts @ ratio / counts.sum()).max() <= 1 + 1e-8


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=8)
)
def test_two_weights_by_a_grid(rows):
    likelihood = np.array(rows) / 4
    counts = np.ones(len(rows))
    with np.errstate(divide="ignore"):  # a weight of 0 may make a row impossible
        grid = [-loss(np.array([w, 1 - w]), likelihood, counts) for w in np.linspace(0, 1, 101)]
    found = best_weights(likelihood, counts)
    assert -loss(found, likelihood, counts) >= max(grid) - 1e-8 * len(rows)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fitted_weights_maximize_the_penalized_likelihood(n_classes):
    masses, y = sources(n_classes=n_classes)
    fusion = Mixture(weights="likelihood", shrinkage=5).fit(masses, y, [3, 2, 1])
    places = np.array([masses[0].frame.mask(label).bit_length() - 1 for label in y])
    truth = np.stack([betp(m)[np.arange(len(y)), places] for m in masses], axis=1)
    default = np.array([3, 2, 1]) / 6

    def objective(weights):
        return np.log(truth @ weights).sum() + 5 * default @ np.log(weights)

    best = objective(fusion.weights_)
    rng = np.random.default_rng(0)
    for _ in range(200):
        step = fusion.weights_ * np.exp(rng.normal(0, 0.1, 3))
        assert objective(step / step.sum()) <= best + 1e-8


def test_large_shrinkage_gives_weights_by_size():
    masses, y = sources()
    weights = Mixture(weights="likelihood", shrinkage=1e9).fit(masses, y, [3, 2, 1]).weights_
    np.testing.assert_allclose(weights, [1 / 2, 1 / 3, 1 / 6], atol=1e-6)


def test_a_useless_source_loses_its_weight():
    masses, y = sources(n=400, qualities=(2.0, 0.0))
    weights = Mixture(weights="likelihood", shrinkage=0).fit(masses, y).weights_
    assert weights[0] > 0.95


def test_impossible_samples_are_left_out():
    frame = Frame(["ant", "bee"])
    sure = MassFunction(frame, [1, 2], [[1, 0], [1, 0], [0, 1]])
    half = MassFunction(frame, [1, 2], [[0.5, 0.5], [1, 0], [0.5, 0.5]])
    fusion = Mixture(weights="likelihood", shrinkage=0).fit([sure, half], ["ant", "bee", "bee"])
    assert fusion.weights_.tolist() == [1, 0]
    wrong = MassFunction(frame, [1, 2], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="no weights are better than others"):
        Mixture(weights="likelihood", shrinkage=0).fit([wrong, wrong], ["ant", "bee"])


def test_is_the_mean():
    masses, _ = sources()
    weights = [1 / 2, 1 / 3, 1 / 6]
    expected = mixing(*masses, weights=weights)
    assert Mixture().fit(sizes=[30, 20, 10])(*masses).equals(expected)
    assert Mixture(weights=[3, 2, 1]).fit(sizes=[1, 1, 1])(*masses).equals(expected)
    assert Mixture(weights="equal").fit(sizes=[30, 20, 10])(*masses).equals(mixing(*masses))


def test_all_weight_on_one_source_is_that_source():
    masses, _ = sources()
    assert Mixture(weights=[0, 1, 0]).fit(sizes=[1, 1, 1])(*masses).equals(masses[1])


@each("seed", range(12))
def test_weights_of_probabilities_and_samples_of_many_orders(seed):
    rng = np.random.default_rng(seed)
    likelihood = 10.0 ** -rng.uniform(0, 200, (30, 12))
    likelihood[rng.uniform(size=likelihood.shape) < 0.3] = 0
    likelihood[~likelihood.any(axis=1), 0] = 1
    counts = 10.0 ** rng.uniform(-6, 6, 30)
    weights = best_weights(likelihood, counts)
    ratio = likelihood / (likelihood @ weights)[:, None]
    assert (counts @ ratio / counts.sum()).max() <= 1 + 1e-3
