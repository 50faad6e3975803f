"""Learned parameters of t-norm rules."""

import math

import numpy as np
import pytest

from dstheory import Frame, MassFunction, betp
from dstheory.combine import learn_tnorm, tnorm_conjunctive
from dstheory.errors import FrameError, MassError
from tests.support.each import each

FRAME = Frame(list("ab"))
# The parameters of the least and the most that agreement can count for.
ENDS = {"frank": (0, 1), "sugeno_weber": (math.inf, 0), "dubois_prade": (0, 1)}
every_family = each("family", ENDS)


def source(n, label=1, mass=0.5):
    return MassFunction(FRAME, [label, 3], [[mass, 1 - mass]] * n)


def error(family, parameter, sources, labels):
    joined = tnorm_conjunctive(*sources, family=family, parameter=parameter)
    if (joined.contour().sum(axis=-1) == 0).any():
        return math.inf
    targets = [[label == "a", label == "b"] for label in labels]
    return ((betp(joined) - np.array(targets)) ** 2).sum(axis=-1).mean()


@every_family
def test_no_parameter_of_a_fine_grid_is_better(family):
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 40)
    sources = []
    for _ in range(3):
        masses = rng.dirichlet([1, 1, 1], 40)
        masses[:, 0] += labels == "a"
        sources.append(MassFunction(FRAME, [1, 2, 3], masses / masses.sum(axis=1, keepdims=True)))
    found = learn_tnorm(sources, labels, family=family)
    grid = np.logspace(-12, 6, 60) if family == "sugeno_weber" else np.linspace(0, 1, 60)
    others = [error(family, float(s), sources, labels) for s in grid]
    assert error(family, found, sources, labels) <= min(others) + 1e-6


@every_family
def test_agreement_that_is_right_counts_fully_and_that_is_wrong_least(family):
    sources = [source(8), source(8)]
    least, most = ENDS[family]
    assert learn_tnorm(sources, ["a"] * 8, family=family) == most
    assert learn_tnorm(sources, ["a", "b"] * 4, family=family) == least


def test_the_parameter_behind_the_labels_is_found():
    """With betp(a) = 3/4 + x/4 for m(ab) = 1 - x, the error is least where it is the share of a."""
    sources = [source(100), source(100)]
    labels = ["a"] * 85 + ["b"] * 15
    found = learn_tnorm(sources, labels, family="dubois_prade")
    joined = tnorm_conjunctive(*sources, family="dubois_prade", parameter=found)
    assert betp(joined)[0, 0] == pytest.approx(0.85, abs=1e-4)


def test_wrong_arguments_are_refused():
    two = [source(2), source(2)]
    with pytest.raises(ValueError, match="there are 1 sources"):
        learn_tnorm(two[:1], ["a", "b"])
    with pytest.raises(ValueError, match=r"there are 3 labels for sources of batch shape \(2,\)"):
        learn_tnorm(two, ["a", "b", "a"])
    with pytest.raises(ValueError, match="there are 0 labels"):
        learn_tnorm([m[:0] for m in two], [])
    with pytest.raises(ValueError, match="is not a label"):
        learn_tnorm(two, ["a", ("a", "b")])
    with pytest.raises(FrameError, match="'c' is not a label"):
        learn_tnorm(two, ["a", "c"])
    with pytest.raises(ValueError, match="family is 'hamacher', expected one of 'frank'"):
        learn_tnorm(two, ["a", "b"], family="hamacher")
    with pytest.raises(MassError, match="source 1 is dogmatic"):
        learn_tnorm([source(2, mass=1), source(2)], ["a", "b"])


@every_family
def test_weights_are_repetitions(family):
    rng = np.random.default_rng(2)
    labels, weight = np.array(["a", "b"] * 10), rng.integers(0, 4, 20)
    rows = np.repeat(np.arange(20), weight)
    sources = []
    for _ in range(2):
        masses = rng.dirichlet([1, 1, 1], 20)
        sources.append(MassFunction(FRAME, [1, 2, 3], masses))
    weighted = learn_tnorm(sources, labels, family=family, sample_weight=weight / 3)
    longer = learn_tnorm([m[rows] for m in sources], labels[rows], family=family)
    if family == "sugeno_weber":  # its parameter has no bound
        weighted, longer = 1 / (1 + weighted), 1 / (1 + longer)
    assert weighted == pytest.approx(longer, abs=1e-5)


def test_a_single_mass_function_says_the_same_of_all_samples():
    one, many = source(1)[0], source(4)
    found = learn_tnorm([one, many], ["a", "a", "a", "b"], sample_weight=[1, 2, 0, 1])
    assert found == learn_tnorm([many, many], ["a", "a", "a", "b"])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, 1], r"sample_weight has shape \(3,\), expected \(2,\)"),
        ([1, -1], r"sample_weight\[1\] is -1.0, expected finite"),
        ([np.nan, 1], r"sample_weight\[0\] is nan"),
        ([0, 0], "all weights are zero"),
    ],
)
def test_wrong_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        learn_tnorm([source(2), source(2)], ["a", "b"], sample_weight=weight)
