"""Relations only: what is certain follows by the same messages, as in constraint networks."""

from itertools import combinations, permutations

import pytest

from dstheory import MassFunction
from dstheory.network import NetworkConflictError, Table, ValuationNetwork
from dstheory.product import ProductFrame, Variable

HOUSES = range(1, 6)
GROUPS = [
    "red green ivory yellow blue",
    "english spanish ukrainian norwegian japanese",
    "coffee tea milk juice water",
    "old_gold kools chesterfields lucky_strike parliaments",
    "dog snails fox horse zebra",
]
SAME = [
    ("english", "red"),
    ("spanish", "dog"),
    ("coffee", "green"),
    ("ukrainian", "tea"),
    ("old_gold", "snails"),
    ("kools", "yellow"),
    ("lucky_strike", "juice"),
    ("japanese", "parliaments"),
]
NEXT = [("chesterfields", "fox"), ("kools", "horse"), ("norwegian", "blue")]


def relation(one, two, holds):
    frame = ProductFrame([one, two])
    pairs = [pair for pair in frame if holds(*pair)]
    return MassFunction(frame, [frame.mask(pairs)], [1.0])


def zebra():
    """Who owns the zebra? Life International, 17 December 1962."""
    where = {name: Variable(name, HOUSES) for group in GROUPS for name in group.split()}
    clues = {("same", *pair): relation(*map(where.get, pair), lambda x, y: x == y) for pair in SAME}
    for pair in NEXT:
        clues["next", *pair] = relation(*map(where.get, pair), lambda x, y: abs(x - y) == 1)
    clues["right"] = relation(where["green"], where["ivory"], lambda x, y: x == y + 1)
    for group in GROUPS:
        for pair in combinations(group.split(), 2):
            clues["other", *pair] = relation(*map(where.get, pair), lambda x, y: x != y)
    return ValuationNetwork(where.values(), clues).observe({"milk": 3, "norwegian": 1})


def test_the_zebra_puzzle():
    network = zebra()
    houses = {name: m.frame.event(int(m.focal[0])) for name, m in network.marginals().items()}
    assert houses["zebra"] == houses["japanese"] == (5,)
    assert houses["water"] == houses["norwegian"] == (1,)
    assert network.most_plausible().values == {name: house for name, (house,) in houses.items()}
    assert network.kappa() == 0


def test_one_clue_too_many():
    network = zebra().observe({"zebra": 2})
    with pytest.raises(NetworkConflictError) as raised:
        network.marginal("water")
    keys = raised.value.keys
    assert ("observed", "zebra") in keys
    for key in keys:
        assert network.retract(*(set(network.valuations) - set(keys)), key).conflicting() == ()


@pytest.mark.parametrize("tnorm", ["product", "min"])
def test_colorings_as_possibilities(tnorm):
    """Three colors on a cycle of five: which are possible, counted by hand over permutations."""
    names = [f"v{i}" for i in range(5)]
    differ = [[float(a != b) for b in range(3)] for a in range(3)]
    tables = [Table([names[i], names[(i + 1) % 5]], differ) for i in range(5)]
    network = ValuationNetwork(
        {name: range(3) for name in names}, tables, kind="possibility", tnorm=tnorm
    ).observe({"v0": 0, "v2": 0})
    expected = {pair for pair in permutations(range(3), 2) if 0 not in pair}
    both = network.marginal(["v3", "v4"])
    assert {(a, b) for a in range(3) for b in range(3) if both[a, b]} == expected
