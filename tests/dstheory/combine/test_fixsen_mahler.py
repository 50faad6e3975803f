from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, fixsen_mahler
from dstheory.errors import MassError, TotalConflictError
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules
from tests.support.each import each

THREE = {"min_labels": 3, "max_labels": 3}


def chances(counts):
    return [Fraction(n, sum(counts)) for n in counts]


priors = st.tuples(*[st.integers(1, 9)] * 3).map(chances)


@given(ms=sources(size=st.integers(2, 3), **THREE), prior=priors)
def test_equals_its_definition(ms, prior):
    sets = list(map(naive_rules.as_sets, ms))
    assume(naive_rules.kappa(*sets) != 1)
    expected = naive_rules.fixsen_mahler(*sets, prior=dict(zip("abc", prior, strict=True)))
    assert naive_rules.as_sets(fixsen_mahler(*ms, prior=prior)) == expected


@given(ms=sources(size=3, **THREE), prior=priors)
def test_associates_and_vacuous_is_neutral(ms, prior):
    one, two, three = ms
    assume(naive_rules.kappa(*map(naive_rules.as_sets, ms)) != 1)
    whole = fixsen_mahler(one, two, three, prior=prior)
    assert fixsen_mahler(one, fixsen_mahler(two, three, prior=prior), prior=prior) == whole
    ignorance = MassFunction.from_dict(one.frame, {one.frame: Fraction(1)})
    assert fixsen_mahler(one, ignorance, prior=prior) == one


@given(counts=st.tuples(*[st.integers(1, 9)] * 6))
def test_uniform_prior_on_singletons_is_dempster(counts):
    frame = Frame(list("abc"))
    ms = [MassFunction(frame, [1, 2, 4], chances(part)) for part in (counts[:3], counts[3:])]
    assert fixsen_mahler(*ms) == dempster(*ms)


def test_posteriors_under_the_prior_are_fused_as_bayes():
    prior = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    likelihoods = [[1, 2, 3], [4, 1, 1]]
    frame = Frame(list("abc"))

    def posterior(*rows):
        joint = [p * r for p, r in zip(prior, rows[0], strict=True)]
        for row in rows[1:]:
            joint = [p * r for p, r in zip(joint, row, strict=True)]
        return MassFunction(frame, [1, 2, 4], [p / sum(joint) for p in joint])

    fused = fixsen_mahler(*(posterior(row) for row in likelihoods), prior=prior)
    assert fused == posterior(*likelihoods)


def test_many_sources_do_not_underflow():
    frame = Frame(list("ab"))
    m = MassFunction(frame, [1, 2, 3], [0.001, 0.002, 0.997])
    assert fixsen_mahler(*[m] * 400).masses.sum() == pytest.approx(1)


def test_errors():
    frame = Frame(list("ab"))
    one = MassFunction.from_dict(frame, {"a": 1})
    two = MassFunction.from_dict(frame, {"b": 1})
    with pytest.raises(TotalConflictError):
        fixsen_mahler(one, two)
    with pytest.raises(MassError, match=r"source 2 gives mass to \('b',\), which is impossible"):
        fixsen_mahler(one, two, prior=[1, 0])
    with pytest.raises(MassError, match="source 1 gives mass to the empty set"):
        fixsen_mahler(MassFunction.from_dict(frame, {(): 1}), two)
    for prior, message in [
        ([1], "prior probabilities have shape"),
        ([0.5, 0.4], "sum to 0.9"),
        ([1.5, -0.5], "non-negative"),
        ([float("nan"), 1], "non-negative"),
    ]:
        with pytest.raises(ValueError, match=message):
            fixsen_mahler(one, one, prior=prior)


@each("power", [80, 150, 300])
@each("n_sources", [2, 3, 5])
def test_tiny_prior_probabilities_follow_the_definition(power, n_sources):
    """Quotients of masses by chances of 1e-300 exceed every float."""
    frame, tiny = Frame(list("abc")), Fraction(1, 10**power)
    prior = [tiny, Fraction(1, 3), Fraction(2, 3) - tiny]
    quarter = Fraction(1, 4)
    sure = {"a": tiny, "b": 1 - tiny}
    mixed = {"a": quarter, "b": quarter, ("a", "c"): quarter, frame: quarter}
    ms = [MassFunction.from_dict(frame, row) for row in [sure, mixed] * 3][:n_sources]
    floating = [MassFunction(frame, m.focal, m.masses.astype(float)) for m in ms]
    fused = fixsen_mahler(*floating, prior=[float(p) for p in prior])
    for event, mass in naive_rules.as_sets(fixsen_mahler(*ms, prior=prior)).items():
        assert fused.mass(event) == pytest.approx(float(mass), rel=1e-12, abs=1e-300)
    apart = [MassFunction.from_dict(frame, {label: 1.0}) for label in "ab"]
    with pytest.raises(TotalConflictError):
        fixsen_mahler(*apart, prior=[float(p) for p in prior])
