"""Fusion of opinions as subjective logic defines it: products of uncertainties, exact numbers.

An opinion is a dict from frozenset to mass; that of the frame is the uncertainty. Formulas of van
der Heijden, Kopp & Kargl (2018), sections III to V, and Josang (2016), chapter 12.
"""

from fractions import Fraction
from itertools import product
from math import prod

from tests.naive.mass import collect


def _others(values, i):
    return prod(value for j, value in enumerate(values) if j != i)


def _certain(opinions, frame):
    return [one for one in opinions if one.get(frame, 0) == 0]


def _mean(opinions):
    share = Fraction(1, len(opinions))
    return collect((event, mass * share) for one in opinions for event, mass in one.items())


def _from_products(opinions, frame, factors, below, unsure):
    """Masses b = sum b_i factor_i prod u_j / below, and the uncertainty."""
    u = [one.get(frame, 0) for one in opinions]
    beliefs = [
        (event, mass * factors[i] * _others(u, i) / below)
        for i, one in enumerate(opinions)
        for event, mass in one.items()
        if event != frame
    ]
    return collect([*beliefs, (frame, unsure)])


def cumulative(frame, *opinions):
    if _certain(opinions, frame):
        return _mean(_certain(opinions, frame))
    u, n = [one[frame] for one in opinions], len(opinions)
    below = sum(_others(u, i) for i in range(n)) - (n - 1) * prod(u)
    return _from_products(opinions, frame, [1] * n, below, prod(u) / below)


def averaging(frame, *opinions):
    if _certain(opinions, frame):
        return _mean(_certain(opinions, frame))
    u, n = [one[frame] for one in opinions], len(opinions)
    below = sum(_others(u, i) for i in range(n))
    return _from_products(opinions, frame, [1] * n, below, n * prod(u) / below)


def weighted(frame, *opinions):
    if _certain(opinions, frame):
        return _mean(_certain(opinions, frame))
    u, n = [one[frame] for one in opinions], len(opinions)
    if set(u) == {1}:
        return {frame: Fraction(1)}
    below = sum(_others(u, i) for i in range(n)) - n * prod(u)
    unsure = (n - sum(u)) * prod(u) / below
    return _from_products(opinions, frame, [1 - one for one in u], below, unsure)


def compromise(frame, *opinions):
    """Of masses on single labels and the frame."""
    labels = [frozenset([x]) for x in frame]
    u = [one.get(frame, 0) for one in opinions]
    consensus = {x: min(one.get(x, 0) for one in opinions) for x in labels}
    residue = [{x: one.get(x, 0) - consensus[x] for x in labels} for one in opinions]
    alone = [(x, r[x] * _others(u, i)) for i, r in enumerate(residue) for x in labels]
    together = [
        (frozenset.union(*events), prod(r[x] for r, x in zip(residue, events, strict=True)))
        for events in product(labels, repeat=len(opinions))
    ]
    found = collect([*alone, *together])
    agreed, total = sum(consensus.values()), sum(found.values())
    scale = (1 - agreed - prod(u)) / total if total else 0
    events = [(event, scale * mass) for event, mass in found.items() if event != frame]
    beliefs = collect([*events, *consensus.items()])
    return collect([*beliefs.items(), (frame, 1 - sum(beliefs.values()))])


def probability(opinion, base_rate):
    """Projected probability of each label: relative base rates share the masses."""
    return {
        x: sum(
            mass * (base_rate[x] / sum(base_rate[y] for y in event))
            for event, mass in opinion.items()
            if x in event
        )
        for x in base_rate
    }
