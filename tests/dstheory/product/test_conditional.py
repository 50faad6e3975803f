"""Conditional beliefs: Smets' embedding by its definition, and probabilities as a case of it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, conjunctive, vacuous
from dstheory.errors import DSTheoryError, FrameError, MassError
from dstheory.product import (
    ProductFrame,
    Variable,
    balloon,
    combine,
    conditional,
    marginalize,
    observe,
    on,
    probability_table,
)
from dstheory.revise import decondition
from dstheory.testing import masses
from tests.dstheory.product.strategies import beliefs, events, naive, named, products
from tests.naive import product as naive_product
from tests.naive.rules import as_sets
from tests.support.each import each

RAIN, GRASS = Variable("rain", ["yes", "no"]), Variable("grass", ["wet", "damp", "dry"])
CHILD = Variable("child", ["p", "q", "r"])


def configured(frame, label):
    """A configuration as an event."""
    return dict(zip(frame.variables, label, strict=True))


@given(m=beliefs(max_variables=2), condition=events())
def test_ballooning_is_its_definition(m, condition):
    if not all(condition.values()):
        with pytest.raises(FrameError, match="condition cannot hold"):
            balloon(m, condition)
        return
    given_ = naive(ProductFrame(condition))
    wanted, variables = naive_product.balloon(as_sets(m), naive(m.frame), named(condition), given_)
    found = balloon(m, condition)
    assert list(found.frame.names) == list(variables)
    assert as_sets(found) == wanted


@given(data=st.data())
def test_ballooning_then_conditioning_gives_the_belief_back(data):
    """Smets 1993: the extension is the least committed belief that does so."""
    m = data.draw(masses(ProductFrame([CHILD]), empty=True))
    condition = data.draw(events().filter(lambda event: all(event.values())))
    found = combine(balloon(m, condition), observe(condition), rule=conjunctive)
    assert marginalize(found, ["child"]) == m


@given(data=st.data())
def test_ballooning_is_deconditioning(data):
    m = data.draw(masses(ProductFrame([CHILD]), empty=True))
    condition = observe({RAIN: "yes"})
    wide = combine(m, condition, rule=conjunctive)
    inside = marginalize(wide, ["rain", "child"])
    assert decondition(inside, {"rain": "yes"}) == balloon(m, {RAIN: "yes"})


@st.composite
def tables(draw):
    parents = draw(products(max_variables=2, pool=("x", "y", "z")))
    beliefs_ = masses(CHILD.frame, empty=True, max_focal=2)
    return parents, {label: draw(beliefs_) for label in parents}


@given(case=tables())
def test_table_is_its_definition(case):
    parents, table = case
    found = conditional(CHILD, parents.variables, table)
    rows = {label: as_sets(on(CHILD, m)) for label, m in table.items()}
    wanted, variables = naive_product.conditional({"child": CHILD.values}, naive(parents), rows)
    assert list(found.frame.names) == list(variables) == [*parents.names, "child"]
    assert as_sets(found) == wanted
    assert (np.diff(found.focal) > 0).all()


@given(case=tables())
def test_each_row_comes_back(case):
    parents, table = case
    found = conditional(CHILD, parents.variables, table)
    for label, row in table.items():
        seen = combine(found, observe(configured(parents, label)), rule=conjunctive)
        assert marginalize(seen, "child") == row


def probabilities(draw, shape):
    weights = np.array(draw(st.lists(st.integers(1, 9), min_size=6, max_size=6)), dtype=object)
    rows = np.resize(weights, shape)
    totals = rows.sum(axis=-1, keepdims=True)
    return np.vectorize(Fraction, otypes=[object])(rows, totals)


@pytest.mark.parametrize("prior", ["none", "uniform"])
@given(data=st.data())
def test_probability_tables_give_exact_joints(prior, data):
    """With probabilities of the parents Dempster's rule is the product of probabilities."""
    parents = data.draw(products(max_variables=2, pool=("x", "y")))
    child = Variable("child", ["p", "q"])
    rows = probabilities(data.draw, (*parents.shape, 2))
    roots = [probabilities(data.draw, (len(v),)) for v in parents.variables]
    table = probability_table(child, parents.variables, rows, prior=prior)
    priors = [probability_table(v, [], p) for v, p in zip(parents.variables, roots, strict=True)]
    joint = combine(*priors, table)
    assert joint.is_bayesian
    for place in product(*(range(n) for n in joint.frame.shape)):
        label = tuple(v.values[i] for v, i in zip(joint.frame.variables, place, strict=True))
        wanted = rows[place]
        for i, p in zip(place, roots, strict=False):
            wanted = wanted * p[i]
        assert joint.mass(label) == wanted


def test_a_table_says_nothing_about_its_parents():
    table = probability_table(GRASS, RAIN, [[0.5, 0.25, 0.25], [0, 0.5, 0.5]])
    assert marginalize(table, "rain").is_vacuous
    assert len(table.focal) == 6  # rows with a zero have fewer sets
    uniform = probability_table(GRASS, RAIN, [[0.5, 0.25, 0.25], [0, 0.5, 0.5]], prior="uniform")
    assert marginalize(uniform, "rain").to_dict() == {("yes",): 0.5, ("no",): 0.5}


def test_kinds_of_rows():
    """Dicts, plain mass functions and lifted ones; values for a single parent."""
    sure = {"wet": Fraction(1, 2), GRASS.frame: Fraction(1, 2)}
    plain = MassFunction.from_dict(GRASS.frame, sure)
    wanted = conditional(GRASS, [RAIN], {("yes",): plain, ("no",): vacuous(GRASS.frame)})
    assert conditional(GRASS, RAIN, {"no": vacuous(GRASS.frame), "yes": sure}) == wanted
    assert conditional(GRASS, RAIN, {"yes": on(GRASS, plain)}, missing="vacuous") == wanted
    assert wanted == balloon(on(GRASS, plain), {RAIN: "yes"})
    assert wanted.store.tolist() == [Fraction(1, 2)] * 2  # exact, though vacuous() has floats


def test_batches():
    rows = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    batch = MassFunction(GRASS.frame, [1, 7], rows)
    table = conditional(GRASS, RAIN, {"yes": batch, "no": {"dry": 1.0}})
    assert table.batch_shape == (3,)
    for i in range(3):
        single = conditional(GRASS, RAIN, {"yes": batch[i], "no": {"dry": 1.0}})
        assert table[i].equals(single)


def test_long_tables():
    parents = [Variable(f"v{i}", range(4)) for i in range(3)]
    table = {label: {"wet": 1.0} for label in ProductFrame(parents)}
    table[1, 2, 3] = {"damp": 0.5, GRASS.frame: 0.5}
    m = conditional(GRASS, parents, table)
    assert len(m.focal) == 2
    assert m.focal.dtype == object
    seen = combine(m, observe(dict(zip(parents, (1, 2, 3), strict=True))))
    assert seen.bel({"grass": "damp"}) == 0.5
    with pytest.raises(DSTheoryError, match=r"about 10\^19 focal sets, more than 1,048,576"):
        probability_table(RAIN, parents, np.full((4, 4, 4, 2), 0.5))


@each(
    ("call", "error", "message"),
    [
        (lambda: conditional(GRASS, RAIN, {"yes": {"wet": 1}}), FrameError, r"for \('no',\); give"),
        (
            lambda: conditional(RAIN, [GRASS, CHILD], {}),
            FrameError,
            r"for \('wet', 'p'\), .* and 6 more",
        ),
        (lambda: conditional(GRASS, RAIN, {"snow": {"wet": 1}}), FrameError, "'snow' is not"),
        (
            lambda: conditional(GRASS, RAIN, {"yes": {"wet": 1}, ("yes",): {"wet": 1}}),
            FrameError,
            "occurs twice",
        ),
        (
            lambda: conditional(GRASS, RAIN, {("yes", "no"): {"wet": 1}}),
            FrameError,
            "stands for 2 configurations of rain",
        ),
        (
            lambda: conditional(GRASS, RAIN, {"yes": vacuous(RAIN.frame)}),
            FrameError,
            "expected the values of .*'grass'",
        ),
        (
            lambda: conditional(GRASS, RAIN, {"yes": {"wet": 0.5}}),
            MassError,
            "the belief for .yes.: masses sum to 0.5",
        ),
        (lambda: conditional(GRASS, RAIN, {"yes": 0.5}), TypeError, "the belief for 'yes'"),
        (
            lambda: conditional(GRASS, RAIN, [1, 2]),
            TypeError,
            r"table is \[1, 2\], expected a mapping",
        ),
        (lambda: conditional("grass", RAIN, {}), TypeError, "child is 'grass', expected"),
        (
            lambda: conditional(GRASS, "rain", {}),
            TypeError,
            "parents is 'rain', expected a",
        ),
        (
            lambda: conditional(GRASS, 5, {}),
            TypeError,
            "parents is 5, expected a Variable",
        ),
        (
            lambda: probability_table(GRASS, None, []),
            TypeError,
            "parents is None, expected a",
        ),
        (lambda: conditional(GRASS, [RAIN, GRASS], {}), FrameError, "'grass' occurs twice"),
        (lambda: conditional(GRASS, [], {}), FrameError, "at least one variable"),
        (lambda: conditional(GRASS, RAIN, {}, missing="zero"), ValueError, "missing is 'zero'"),
        (
            lambda: probability_table(GRASS, RAIN, [[1, 0, 0]]),
            MassError,
            r"shape \(1, 3\), expected \(2, 3\): an axis for each of rain, grass",
        ),
        (
            lambda: probability_table(GRASS, RAIN, [[1, 0, 0], [0.5, 0, 0]]),
            MassError,
            "probabilities sum to 0.5 in row 1",
        ),
        (
            lambda: probability_table(GRASS, [], [0.5, 0.75, -0.25]),
            MassError,
            "-0.25.* is negative",
        ),
        (
            lambda: probability_table(GRASS, [], [1, 0, 0], prior="flat"),
            ValueError,
            "prior is 'flat'",
        ),
        (lambda: balloon(vacuous(Frame([1])), {RAIN: "yes"}), TypeError, "lift it with on"),
        (lambda: balloon(observe({GRASS: "wet"}), {}), FrameError, "condition names no variable"),
        (lambda: balloon(observe({GRASS: "wet"}), {RAIN: 1}), FrameError, "1 is not a value"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
