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
    low, high = (TNorm("dubois_prade", p).fit(sizes=[1] * 3) for p in (0, 1))
    assert low(*masses).equals(cautious(*masses).normalize(), atol=1e-12)
    separable = [m.__class__(m.frame, m.focal, np.abs(m.masses)) for m in masses]
    expected = tnorm_conjunctive(*separable, family="dubois_prade", parameter=1).normalize()
    assert high(*separable).equals(expected, atol=1e-12)


def test_on_simple_sources_the_product_is_dempsters_rule():
    one, two = (
        MassFunction(Frame(["a", "b"]), [focal, 3], [[0.6, 0.4], [0.1, 0.9]]) for focal in (1, 2)
    )
    assert TNorm("frank", 1.0).fit(sizes=[1, 1])(one, two).equals(dempster(one, two), atol=1e-12)


@pytest.mark.parametrize("family", ["frank", "sugeno_weber", "dubois_prade"])
def test_the_parameter_is_the_learned_one(family):
    masses, y = sources(qualities=(1.0, 0.5))
    fusion = TNorm(family).fit(masses, y)
    assert fusion.parameter_ == learn_tnorm(masses, y.tolist(), family=family)
    expected = tnorm_conjunctive(*masses, family=family, parameter=fusion.parameter_)
    assert fusion(*masses).equals(expected.normalize())


def test_copies_are_told_from_distinct_sources():
    (m, other), y = sources(n=200, qualities=(1.0, 1.0))
    copies = TNorm("dubois_prade").fit([m] * 4, y).parameter_
    distinct = TNorm("dubois_prade").fit([m, other], y).parameter_
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
