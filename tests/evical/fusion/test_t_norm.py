"""TNorm: the rules at its ends, and the learned parameter."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, betp
from dstheory.combine import cautious, dempster, learn_tnorm, tnorm_conjunctive
from dstheory.errors import MassError
from evical.fusion import TNorm
from tests.evical.fusion.samples import sources


def test_the_ends_are_the_cautious_rule_and_dempsters():
    masses, _ = sources()
    low, high = (TNorm(family="dubois_prade", parameter=p).fit(sizes=[1] * 3) for p in (0, 1))
    assert low(*masses).equals(cautious(*masses).normalize(), atol=1e-12)
    separable = [m.__class__(m.frame, m.focal, np.abs(m.masses)) for m in masses]
    expected = tnorm_conjunctive(*separable, family="dubois_prade", parameter=1).normalize()
    assert high(*separable).equals(expected, atol=1e-12)


def test_on_simple_sources_the_product_is_dempsters_rule():
    one, two = (
        MassFunction(Frame(["a", "b"]), [focal, 3], [[0.6, 0.4], [0.1, 0.9]]) for focal in (1, 2)
    )
    assert (
        TNorm(family="frank", parameter=1.0)
        .fit(sizes=[1, 1])(one, two)
        .equals(dempster(one, two), atol=1e-12)
    )


@pytest.mark.parametrize("family", ["frank", "sugeno_weber", "dubois_prade"])
def test_the_parameter_is_the_learned_one(family):
    masses, y = sources(qualities=(1.0, 0.5))
    fusion = TNorm(family=family).fit(masses, y)
    assert fusion.parameter_ == learn_tnorm(masses, y.tolist(), family=family)
    expected = tnorm_conjunctive(*masses, family=family, parameter=fusion.parameter_)
    assert fusion(*masses).equals(expected.normalize())


def test_copies_are_told_from_distinct_sources():
    (m, other), y = sources(n=200, qualities=(1.0, 1.0))
    copies = TNorm(family="dubois_prade").fit([m] * 4, y).parameter_
    distinct = TNorm(family="dubois_prade").fit([m, other], y).parameter_
    assert copies < distinct


def test_any_weights_will_do():
    (m,), y = sources(qualities=(1.0,))
    masses = [m] * 4
    weight = np.where(betp(m)[:, 0] > 0.5, 0.3, 1.7) * np.where(y == "ant", 0.3, 1.7)
    fusion = TNorm().fit(masses, y, sample_weight=weight)
    assert fusion.parameter_ == learn_tnorm(masses, y.tolist(), sample_weight=weight)
    assert fusion.parameter_ != TNorm().fit(masses, y).parameter_


def test_probabilities_have_no_weights():
    masses, y = sources(ignorance=0.0)
    with pytest.raises(MassError, match="dogmatic"):
        TNorm().fit(masses, y)


FRAME = Frame(["a", "b", "c"])


@pytest.mark.parametrize("family", ["frank", "dubois_prade"])
def test_a_row_that_is_certain_wins(family):
    certain = MassFunction(FRAME, [1, 2, 7], [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    other = MassFunction(FRAME, [2, 6, 7], [[0.5, 0.25, 0.25]] * 2)
    fused = TNorm(family=family, parameter=0.5).fit(sizes=[1, 1])(certain, other)
    assert fused.mass("a")[0] == pytest.approx(1, abs=1e-15)
    plain = tnorm_conjunctive(certain[1], other[1], family=family, parameter=0.5).normalize()
    assert fused[1].equals(plain, atol=1e-12)


@pytest.mark.parametrize(("family", "parameter"), [("frank", 0.5), ("dubois_prade", 0.25)])
def test_dogmatic_rows_are_the_limit_of_discounted_ones(family, parameter):
    """Of probabilities the limit is their product, as a t-norm is near x y c at 0."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet([1, 1, 1], (2, 5))
    one, two = (MassFunction(FRAME, [1, 2, 4], rows) for rows in (p, q))
    found = TNorm(family=family, parameter=parameter).fit(sizes=[1, 1])(one, two)
    expected = p * q / (p * q).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.contour(), expected, rtol=1e-12)


def test_rows_certain_of_different_classes_share_alike():
    one, two = (MassFunction(FRAME, [focal], [[1.0]] * 2) for focal in (1, 4))
    fused = TNorm(family="frank", parameter=0.5).fit(sizes=[1, 1])(one, two)
    np.testing.assert_allclose(betp(fused), [[0.5, 0, 0.5]] * 2, atol=1e-15)


def test_one_dogmatic_sample_does_not_keep_it_from_learning():
    masses, y = sources(qualities=(1.0, 0.5))
    sure = np.array(masses[0].masses)
    sure[3] = np.arange(sure.shape[1]) == 0
    first = MassFunction(masses[0].frame, masses[0].focal, sure)
    fusion = TNorm().fit([first, masses[1]], y)
    assert 0 <= fusion.parameter_ < np.inf
    assert np.isfinite(fusion(first, masses[1]).masses).all()


def test_probabilities_are_refused_with_what_to_do():
    masses, y = sources(ignorance=0.0)
    with pytest.raises(MassError, match=r"source 1 is dogmatic in all \d+ samples.* 'stacked'"):
        TNorm().fit(masses, y)
