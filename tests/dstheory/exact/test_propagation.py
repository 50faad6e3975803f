"""Symbols and fractions through products and networks: formulas of a chain, equal to the joint."""

import sympy

from dstheory import MassFunction
from dstheory.exact import as_function, sensitivity, share, simplified, symbolic
from dstheory.network import ValuationNetwork
from dstheory.product import ProductFrame, Variable, combine, extend, marginalize

A, B, C = (Variable(name, [True, False]) for name in "abc")


def implies(one, two, name):
    """If `one` then `two`, with a symbol as support."""
    frame = ProductFrame([one, two])
    event = frame.where({one.name: False}) + frame.where({two.name: True})
    return symbolic(frame, [event, frame], [name])


RULES = [implies(A, B, "s"), implies(B, C, "t")]


def test_formula_of_a_chain():
    """Support is passed on as a product: Bel(c) = r s t for evidence r for a."""
    evidence = symbolic(ProductFrame([A]), [[(True,)], ProductFrame([A])], ["r"])
    network = ValuationNetwork([A, B, C], [*RULES, evidence])
    belief = simplified(network.marginal("c")).bel(True)
    r, s, t = map(share, "rst")
    assert belief == r * s * t
    assert as_function(belief)(r=0.5, s=0.5, t=[0, 1]).tolist() == [0, 0.25]


def test_local_computation_gives_the_formulas_of_the_joint():
    against = symbolic(ProductFrame([C]), [[(False,)], ProductFrame([C])], ["u"])
    network = ValuationNetwork([A, B, C], [*RULES, against])
    joint = combine(*RULES, against)
    for name in "abc":
        local, whole = network.marginal(name), marginalize(joint, name)
        for value in (True, False):
            assert sympy.cancel(local.bel(value) - whole.bel(value)) == 0
    u, s, t = share("u"), share("s"), share("t")
    assert sympy.expand(network.marginal("a").bel(False) - u * s * t) == 0


def test_sensitivity_on_products():
    """Each link of a chain matters by the product of the others: d(s t)/d(rate) = -s t."""
    frame = ProductFrame([A, B, C])
    sure = MassFunction.from_dict(frame, {frame.where({"a": True}): 1})
    sources = [*(extend(rule, frame) for rule in RULES), sure]
    found = sensitivity(sources, {"c": True})
    s, t = share("s"), share("t")
    assert sympy.expand(found.value - s * t) == 0
    assert [sympy.expand(d + s * t) for d in found.derivatives] == [0, 0, 0]
