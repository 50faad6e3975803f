"""The order of evidence never matters, not even where products leave the range of floats.

Each case has a right value by logarithms, from sums by hand.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.combine import combine_axis, dempster, tnorm_conjunctive
from dstheory.network import Table, ValuationNetwork
from dstheory.product import ProductFrame, Variable
from tests.joints.seeds import every_seed

X = Variable("x", ["a", "b"])
KINDS = ("belief", "probability", "possibility")


def valuation(kind, pair):
    """Numbers for a and b as a valuation on x: Bayesian masses, or a table."""
    if kind == "belief":
        return MassFunction(ProductFrame([X]), [1, 2], pair)
    return Table("x", np.array(pair) / (max(pair) if kind == "possibility" else 1))


def evidence(rng, count, final=0.25):
    """Pairs of numbers for a and b, hundreds of them for each, whose products are as 1 to 3.

    Each pair comes with its mirror image, and the odds of what is left are known.
    """
    shares = rng.beta(0.5, 0.5, count).clip(1e-12, 1 - 1e-12)
    pairs = [(p, 1 - p) for p in shares.tolist()]
    return [*pairs, *((q, p) for p, q in pairs), (final, 1 - final)]


def orders(pairs, rng):
    """All for one first, all for the other first, and by chance."""
    ascending = sorted(pairs)
    shuffled = [pairs[i] for i in rng.permutation(len(pairs))]
    return {"b first": ascending, "a first": ascending[::-1], "chance": shuffled}


@pytest.mark.parametrize("kind", KINDS)
@every_seed
def test_eight_hundred_valuations(kind, seed):
    rng = np.random.default_rng(seed)
    pairs = evidence(rng, 400)
    scales = [max(pair) if kind == "possibility" else 1 for pair in pairs]
    logs = [
        math.fsum(math.log(pair[i] / s) for pair, s in zip(pairs, scales, strict=True))
        for i in (0, 1)
    ]
    top = max(logs)
    total = top + math.log(math.fsum(math.exp(log - top) for log in logs))
    total = top if kind == "possibility" else total
    for name, listed in orders(pairs, rng).items():
        network = ValuationNetwork([X], [valuation(kind, pair) for pair in listed], kind=kind)
        found = network.marginal("x"), network.fuse("x")
        if kind == "belief":
            found = tuple(m.masses for m in found)
        wanted = np.exp(np.array(logs) - total)
        for values in found:
            np.testing.assert_allclose(values, wanted, rtol=1e-8, err_msg=name)
        assert network.log_normalization() == pytest.approx(total, rel=1e-12), name
        best = network.most_plausible()
        assert (best.values["x"], best.log_degree) == (
            "b",
            pytest.approx(top - total, abs=1e-8),
        ), name


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_for_each(kind):
    """The case of the issue: certainty for whoever came first."""
    for_a, for_b = [(0.98, 0.02)] * 200, [(0.02, 0.98)] * 200
    share = 1 if kind == "possibility" else 0.5
    for listed in ([*for_a, *for_b], [*for_b, *for_a]):
        network = ValuationNetwork([X], [valuation(kind, pair) for pair in listed], kind=kind)
        for m in (network.marginal("x"), network.fuse("x")):
            values = m.masses if kind == "belief" else m
            np.testing.assert_allclose(values, [share, share], rtol=1e-10)
        assert network.most_plausible().log_degree == pytest.approx(math.log(share), abs=1e-10)
        scale = 0.98 if kind == "possibility" else 1
        wanted = 200 * math.log(0.98 * 0.02 / scale**2) - math.log(share)
        assert network.log_normalization() == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@every_seed
def test_naive_bayes_of_four_hundred_children(kind, seed):
    """Half of the children speak for one class, half for the other; two routes and logarithms."""
    rng = np.random.default_rng(seed)
    children = [Variable(f"y{i}", ["t", "f"]) for i in range(400)]
    likely = rng.uniform(0.98, 0.995, 200)  # whose products are no floats
    likely = np.concatenate([likely, likely])
    valuations = {}
    for child, p in zip(children, likely.tolist(), strict=True):
        table = np.array([[p, 1 - p], [1 - p, p]])
        if kind == "belief":
            frame = ProductFrame([X, child])
            masks = [frame.mask(cell) for cell in frame]
            valuations[child.name] = MassFunction(frame, masks, (table / 2).ravel())
        else:
            valuations[child.name] = Table(["x", child.name], table)
    network = ValuationNetwork([X, *children], valuations, kind=kind)
    seen = {child.name: "t" if i < 200 else "f" for i, child in enumerate(children)}
    network = network.observe(seen).add(valuation(kind, (0.25, 0.75)))
    wanted = np.array([1, 3]) / (3 if kind == "possibility" else 4)
    for m in (network.marginal("x"), network.fuse("x")):
        np.testing.assert_allclose(m.masses if kind == "belief" else m, wanted, rtol=1e-9)


def test_exact_valuations_meet_floats():
    """Products of fractions may be smaller than all floats, and what they exclude is conflict."""
    tiny = Fraction(1, 10**400)
    conflict = {("a",): Fraction(1, 2), ("b",): Fraction(1, 4), (): Fraction(1, 4)}
    frame = ProductFrame([X])
    exact = [
        MassFunction(frame, [1, 2], [1 - tiny, tiny]),
        MassFunction(frame, [1, 2], [tiny, 1 - tiny]),
    ]
    half = MassFunction(frame, [1, 2], [0.25, 0.75])
    for listed in ([*exact, half], [half, *exact], [exact[0], half, exact[1]]):
        network = ValuationNetwork([X], listed)
        assert network.marginal("x").mass("b") == pytest.approx(0.75, rel=1e-9)
        assert network.log_normalization() == pytest.approx(-400 * math.log(10), rel=1e-12)
    tables = [Table("x", m.masses) for m in (*exact, half)]
    for listed in (tables, tables[::-1]):
        network = ValuationNetwork([X], listed, kind="probability")
        np.testing.assert_allclose(network.marginal("x"), [0.25, 0.75], rtol=1e-9)
    left = MassFunction.from_dict(ProductFrame([X]), conflict)
    network = ValuationNetwork([X], [left, half])
    assert network.log_normalization() == pytest.approx(math.log(5 / 16), rel=1e-12)
    assert network.kappa() == pytest.approx(11 / 16, rel=1e-12)


@every_seed
def test_simple_sources_by_dempster_and_by_weights(seed):
    """600 sources that support a or b partly; of the frame nothing is left but a trace."""
    rng = np.random.default_rng(seed)
    frame = Frame(["a", "b"])
    shares = rng.uniform(0.5, 0.97, 300)  # nothing is left, by any float
    masses = np.zeros((600, 3))
    masses[:300, 0] = masses[300:, 1] = shares
    masses[:, 2] = 1 - masses.sum(axis=1)
    wanted = np.array([0.5, 0.5, 0])
    for order in (np.arange(600), np.arange(600)[::-1], rng.permutation(600)):
        batch = MassFunction(frame, [1, 2, 3], masses[order])
        for m in (
            combine_axis(batch, dempster),
            tnorm_conjunctive(*batch, family="dubois_prade", parameter=1, normalize=True),
            ValuationNetwork(
                [X], [MassFunction(ProductFrame([X]), [1, 2, 3], row) for row in masses[order]]
            ).marginal("x"),
        ):
            np.testing.assert_allclose([m.mass(mask=k) for k in (1, 2, 3)], wanted, atol=1e-9)
