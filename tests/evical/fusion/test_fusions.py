"""What all fusions have in common."""

import pickle
from typing import get_args

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from dstheory import Frame, MassFunction
from dstheory.combine import cautious
from dstheory.errors import FrameError
from evical._typing import RuleName
from evical.beliefs import as_beliefs
from evical.fusion import Discounted, Mixture, Stacked, TNorm, as_rule
from tests.evical.fusion.samples import sources
from tests.support.each import each

FUSIONS = {
    "stacked": Stacked(),
    "size_mixture": Mixture(),
    "equal_mixture": Mixture(weights="equal"),
    "likelihood_mixture": Mixture(weights="likelihood"),
    "given_mixture": Mixture(weights=[3, 2, 1]),
    "discounted": Discounted(),
    "given_rates": Discounted(rates=[0.1, 0.5, 0.9]),
    "contextually_discounted": Discounted(contextual=True),
    "learned_tnorm": TNorm(),
    "given_tnorm": TNorm(family="dubois_prade", parameter=0.5),
}
SIZES = [30, 20, 10]
every = each("fusion", FUSIONS.values(), ids=FUSIONS)
each_number = each("n_classes", [2, 3])
learning = each("fusion", [f for f in FUSIONS.values() if f.needs == "labels"], ids=repr)


def fitted(fusion, n_classes=2, **options):
    masses, y = sources(n_classes=n_classes)
    return clone(fusion).fit(masses, y, SIZES, **options), masses


@every
@each_number
def test_gives_a_mass_function_for_each_sample(fusion, n_classes):
    rule, masses = fitted(fusion, n_classes)
    m = rule(*masses)
    assert m.batch_shape == (60,)
    assert m.frame == masses[0].frame
    assert m.is_normalized.all()
    assert m.store.min() >= 0
    np.testing.assert_allclose(m.store.sum(axis=0), 1, atol=1e-9)
    assert (m.bel("ant") <= m.pl("ant") + 1e-12).all()


@every
@each_number
def test_a_row_is_what_it_is_alone(fusion, n_classes):
    rule, masses = fitted(fusion, n_classes)
    together, alone = rule(*masses)[7], rule(*(m[7] for m in masses))
    assert alone.batch_shape == ()
    assert together.equals(alone, atol=1e-12)


@each("fusion", [f for name, f in FUSIONS.items() if not name.startswith("given")], ids=repr)
def test_the_order_of_sources_does_not_matter(fusion):
    masses, y = sources()
    one = clone(fusion).fit(masses, y, SIZES)(*masses)
    other = clone(fusion).fit(masses[::-1], y, SIZES[::-1])(*masses[::-1])
    assert one.equals(other, atol=1e-5)


@learning
@each_number
def test_weights_are_repetitions(fusion, n_classes):
    masses, y = sources(n_classes=n_classes)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = clone(fusion).fit(masses, y, SIZES, sample_weight=weight)
    longer = clone(fusion).fit([m[rows] for m in masses], y[rows], SIZES)
    assert weighted(*masses).equals(longer(*masses), atol=1e-5)


@every
def test_is_an_estimator(fusion):
    rule, masses = fitted(fusion)
    copy = clone(rule)
    assert copy.get_params() == fusion.get_params()
    with pytest.raises(NotFittedError):
        copy(*masses)
    with pytest.raises(NotFittedError):
        copy.by_source()
    restored = pickle.loads(pickle.dumps(rule))
    assert restored(*masses) == rule(*masses)
    name, value = next(iter(fusion.get_params().items()))
    assert copy.set_params(**{name: value}) is copy


@every
def test_fitting_anew_forgets(fusion):
    rule, masses = fitted(fusion)
    before = rule(*masses)
    others, y = sources(seed=5)
    rule.fit(others, y, SIZES).fit(*sources(), SIZES)
    assert rule(*masses).equals(before, atol=1e-12)


@every
def test_tells_what_it_learned_of_each_source(fusion):
    rule, masses = fitted(fusion)
    for name, values in rule.by_source().items():
        assert name.endswith("_")
        assert len(values) == len(masses)


@every
def test_asks_for_the_sources_it_was_fitted_to(fusion):
    rule, masses = fitted(fusion)
    with pytest.raises(ValueError, match=r"there are 2 mass functions, but .* 3 sources"):
        rule(*masses[:2])
    with pytest.raises(TypeError, match="source 2 is 5, expected a MassFunction"):
        rule(masses[0], 5, masses[2])
    strange = MassFunction(Frame(["x", "y"]), [3], np.ones((60, 1)))
    with pytest.raises(FrameError, match="source 3 is on"):
        rule(masses[0], masses[1], strange)
    if fusion.needs == "labels":
        with pytest.raises(FrameError, match=r"sources are on .*fitted to"):
            rule(strange, strange, strange)


@pytest.mark.parametrize(
    "fusion", [Stacked(), Mixture(weights="likelihood"), Discounted(), TNorm()]
)
def test_one_source_is_enough(fusion):
    masses, y = sources(qualities=(2.0,))
    m = clone(fusion).fit(masses, y)(*masses)
    assert m.batch_shape == (60,)


@pytest.mark.parametrize("fusion", [f for f in FUSIONS.values() if f.needs != "labels"], ids=repr)
def test_sizes_alone_are_enough_for_what_is_not_learned(fusion):
    rule, masses = fitted(fusion)
    assert clone(fusion).fit(sizes=SIZES)(*masses) == rule(*masses)
    with pytest.raises(ValueError, match="neither masses nor sizes"):
        clone(fusion).fit()


@learning
@each(
    ("change", "error", "message"),
    [
        ({"sources": None}, TypeError, "masses is a list of mass functions"),
        ({"sources": []}, ValueError, "masses is empty"),
        ({"sources": [1]}, TypeError, "source 1 is 1, expected a MassFunction"),
        ({"y": None}, ValueError, "y is None"),
        ({"y": ["ant"] * 60}, ValueError, "one class only .*'ant'"),
        ({"y": ["ant", "bee"]}, ValueError, "source 1 has batch shape .* 2 labels"),
        ({"y": ["ant", "dog"] * 30}, FrameError, "'dog'"),
        ({"sizes": [1, 2]}, ValueError, "2 sizes for 3 sources"),
        ({"sizes": [1, -2, 3]}, ValueError, "expected positive finite numbers"),
        ({"sample_weight": np.zeros(60)}, ValueError, "all weights are zero"),
        ({"sample_weight": [1, 2]}, ValueError, "sample_weight has shape"),
    ],
)
def test_wrong_input_is_refused(fusion, change, error, message):
    masses, y = sources()
    with pytest.raises(error, match=message):
        clone(fusion).fit(**{"sources": masses, "y": y, "sizes": SIZES, **change})


@pytest.mark.parametrize("fusion", [f for f in FUSIONS.values() if f.needs != "labels"], ids=repr)
def test_labels_are_not_asked_for_where_they_are_not_needed(fusion):
    masses, _ = sources()
    one = clone(fusion).fit(masses, sizes=SIZES)
    assert one.frame_ == masses[0].frame
    assert one(*masses) == clone(fusion).fit(masses, ["ant"] * 60, SIZES)(*masses)


def test_sources_of_other_frames_are_refused():
    masses, y = sources()
    other, _ = sources(n_classes=3)
    with pytest.raises(FrameError, match=r"source 2 is on .*but source 1 on"):
        Stacked().fit([masses[0], other[0]], y)


@each(
    ("fusion", "message"),
    [
        (Mixture(weights="best"), "weights is 'best'"),
        (Mixture(weights=[1, -1, 1]), "expected finite numbers from 0"),
        (Mixture(weights=[0, 0, 0]), "not all 0"),
        (Mixture(weights=[1, 1]), "2 weights for 3 sources"),
        (Mixture(shrinkage=-1), "shrinkage is -1"),
        (Discounted(rates="all"), "rates is 'all'"),
        (Discounted(rates=[0, 0.5, 2]), "numbers between 0 and 1"),
        (Discounted(rates=[0.5, 0.5]), "rates for 2 sources, but 3"),
        (Discounted(rates=[0.5] * 3, contextual=True), "rates have shape"),
        (Discounted(shrinkage=np.inf), "shrinkage is inf"),
        (TNorm(family="lukasiewicz"), "family is 'lukasiewicz', expected one of 'frank'"),
        (TNorm(parameter=-1), "parameter of frank is at least 0, not -1"),
        (TNorm(parameter="best"), "parameter is 'best'"),
        (Stacked(penalty=-1), "penalty is -1"),
        (Stacked(penalty=0), "penalty is 0"),
        (Stacked(penalty=1e15), r"penalty is 1e\+15, expected a number from 1e-09 to 1e\+09"),
    ],
)
def test_wrong_parameters_are_refused(fusion, message):
    with pytest.raises(ValueError, match=message):
        fusion.fit(*sources(), SIZES)


def test_names():
    for name in ("stacked", "size_mixture", "likelihood_mixture", "discounted"):
        assert repr(as_rule(name)) == repr(FUSIONS[name])
    assert as_rule("contextually_discounted").contextual
    assert isinstance(as_rule("learned_tnorm"), TNorm)
    assert as_rule("cautious").function is cautious
    assert as_rule(cautious).function is cautious
    with pytest.raises(ValueError, match=r"rule is 'best', expected .*stacked.*cautious"):
        as_rule("best")
    with pytest.raises(ValueError, match=r"rule is 'dempstr', .*; did you mean 'dempster'"):
        as_rule("dempstr")
    with pytest.raises(ValueError, match=r"rule is 'staked', .*; did you mean 'stacked'"):
        as_rule("staked")
    with pytest.raises(ValueError, match="rule is 5"):
        as_rule(5)
    with pytest.raises(TypeError, match=r"rule is the class Stacked, expected .*Stacked\(\)"):
        as_rule(Stacked)


def test_type_checkers_know_the_names_of_rules():
    """As the error for an unknown name lists them."""
    with pytest.raises(ValueError, match="rule is 'dempstr'") as caught:
        as_rule("dempstr")
    listed = str(caught.value).partition("or one of ")[2].partition(";")[0]
    assert sorted(listed.split(", ")) == sorted(get_args(RuleName))


def test_beliefs_to_combine_are_checked():
    p = np.full((2, 2), 0.5)
    classes = np.array(["ant", "bee"])
    one, two = as_beliefs(p, classes), as_beliefs(p[:1], classes)
    other = as_beliefs(p, np.array(["ant", "cat"]))
    rule = as_rule("dempster")
    with pytest.raises(FrameError, match=r"source 2 is on .*cat.*, but source 1 on .*bee"):
        rule.combine([one, other])
    with pytest.raises(ValueError, match="source 2 is about 1 sample, but source 1 about 2"):
        rule.combine([one, two])
    with pytest.raises(TypeError, match="source 2 is 5, expected Beliefs"):
        rule.combine([one, 5])
    masses, y = sources()
    fitted = Mixture(weights="likelihood").fit(masses, y)
    with pytest.raises(FrameError, match=r"cat.*, but the fusion was fitted to .*bee"):
        fitted.combine([other] * 3)
    with pytest.raises(ValueError, match="are 1 beliefs, but the fusion was fitted to 3 sources"):
        fitted.combine([one])
