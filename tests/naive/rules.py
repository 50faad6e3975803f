"""Combination rules as their papers define them: frozensets, dictionaries, exact numbers.

The companion of `tests.naive.mass`; only the standard library, slow and obvious on purpose.
"""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod, sqrt

from tests.naive.mass import (
    collect,
    complement,
    conjunctive,
    dempster,
    disjunctive,
    normalize,
    q,
    subsets,
)

EMPTY = frozenset()


def as_sets(m):
    """A mass function of the package as the dictionary of the definitions."""
    return {frozenset(event): mass for event, mass in m.to_dict().items() if mass != 0}


def tuples(sources):
    """All choices of one focal set a source, with their masses."""
    for term in product(*(m.items() for m in sources)):
        yield [event for event, _ in term], [mass for _, mass in term]


def exclusive_or(*sources):
    """Dubois & Prade 1986: the symmetric difference of all sets."""
    return collect(
        (reduce(frozenset.symmetric_difference, sets), prod(masses))
        for sets, masses in tuples(sources)
    )


def kappa(*sources):
    return conjunctive(*sources).get(EMPTY, Fraction(0))


def bayes(*distributions):
    """Posterior of independent distributions under a uniform prior."""
    return normalize(
        collect((event, prod(d.get(event, 0) for d in distributions)) for event in distributions[0])
    )


def yager(frame, *sources):
    """Yager 1987."""
    full = frozenset(frame)
    return collect((event or full, mass) for event, mass in conjunctive(*sources).items())


def inagaki(frame, *sources, k):
    """Inagaki 1991, as the formula stands."""
    full, agreed = frozenset(frame), conjunctive(*sources)
    conflict = agreed.pop(EMPTY, 0)
    grown = [(event, (1 + k * conflict) * mass) for event, mass in agreed.items()]
    return collect([*grown, (full, (1 + k * conflict - k) * conflict)])


def lefevre(*sources, share):
    """Lefevre, Colot & Vannoorenberghe 2002."""
    agreed = conjunctive(*sources)
    conflict = agreed.pop(EMPTY, 0)
    return collect([*agreed.items(), *((event, w * conflict) for event, w in share.items())])


def dubois_prade(*sources):
    """Dubois & Prade 1988: intersection, or union where it is empty."""
    return collect(
        (frozenset.intersection(*sets) or frozenset.union(*sets), prod(masses))
        for sets, masses in tuples(sources)
    )


def florea(*sources):
    """Florea et al. 2009, symmetric."""
    agreed, united, conflict = conjunctive(*sources), disjunctive(*sources), kappa(*sources)
    alpha = conflict / (1 - conflict + conflict**2)
    beta = (1 - conflict) / (1 - conflict + conflict**2)
    return collect(
        [
            *((event, beta * mass) for event, mass in agreed.items() if event),
            *((event, alpha * mass) for event, mass in united.items()),
        ]
    )


def keeping_index(event, conflict):
    """Dezert, Dezert & Smarandache 2021, eq. 23, as it stands."""
    distinct = set(conflict)
    contained = prod(
        int(small <= large)
        for large in distinct
        if len(large) >= len(event)
        for small in distinct
        if small != large and len(small) <= len(large)
    )
    return 1 - contained


def pcr(*sources, joint, improved):
    """Dezert, Dezert & Smarandache 2021, eq. 14-15 and 25-26; `joint` is prod or sum."""
    result = []
    for sets, masses in tuples(sources):
        if frozenset.intersection(*sets):
            result.append((frozenset.intersection(*sets), prod(masses)))
            continue
        claims = {
            event: joint([m for other, m in zip(sets, masses, strict=True) if other == event])
            * (keeping_index(event, sets) if improved else 1)
            for event in set(sets)
        }
        total = sum(claims.values())
        result += [(event, prod(masses) * claim / total) for event, claim in claims.items()]
    return collect(result)


def column(sources, event):
    return sum(m.get(event, 0) for m in sources)


def canonical(sets):
    """The sets of a partial conflict that contain no other one of it."""
    return {event for event in sets if not any(other < event for other in sets)}


def pcr1(*sources):
    """Smarandache & Dezert 2005: the conflict by column sums."""
    events = {event for m in sources for event in m}
    shares = {event: Fraction(column(sources, event), len(sources)) for event in events}
    return lefevre(*sources, share=shares)


def pcr2(*sources):
    """The same, among the sets that are involved in some conflict."""
    against = [sets for sets, _ in tuples(sources) if not frozenset.intersection(*sets)]
    events = {event for sets in against for event in canonical(sets)}
    total = sum(column(sources, event) for event in events)
    return lefevre(*sources, share={event: column(sources, event) / total for event in events})


def pcr3(*sources):
    """Each partial conflict by column sums."""
    return _partial(sources, lambda events: {event: column(sources, event) for event in events})


def pcr4(*sources):
    """Each partial conflict by conjunctive masses, by column sums if one of them is 0."""
    agreed = conjunctive(*sources)

    def claims(events):
        if all(agreed.get(event, 0) for event in events):
            return {event: agreed[event] for event in events}
        return {event: column(sources, event) for event in events}

    return _partial(sources, claims)


def _partial(sources, claims):
    result = [(event, mass) for event, mass in conjunctive(*sources).items() if event]
    for sets, masses in tuples(sources):
        if not frozenset.intersection(*sets):
            shares = claims(canonical(sets))
            total = sum(shares.values())
            result += [(event, prod(masses) * c / total) for event, c in shares.items()]
    return collect(result)


def mixing(*sources, weights):
    return collect(
        (event, weight * mass)
        for source, weight in zip(sources, weights, strict=True)
        for event, mass in source.items()
    )


def murphy(*sources):
    """Murphy 2000."""
    average = mixing(*sources, weights=[Fraction(1, len(sources))] * len(sources))
    return dempster(*[average] * len(sources))


def jousselme_square(one, two):
    """Jousselme, Grenier & Bosse 2001, squared."""
    events = set(one) | set(two)
    difference = {event: one.get(event, 0) - two.get(event, 0) for event in events}
    return (
        sum(
            difference[a] * difference[b] * (Fraction(len(a & b), len(a | b)) if a | b else 1)
            for a in events
            for b in events
        )
        / 2
    )


def deng(*sources):
    """Deng, Shi, Zhu & Liu 2004 (in floating point: distances are square roots)."""
    support = [
        sum(1 - sqrt(jousselme_square(one, two)) for j, two in enumerate(sources) if i != j)
        for i, one in enumerate(sources)
    ]
    average = mixing(*sources, weights=[s / sum(support) for s in support])
    return dempster(*[average] * len(sources))


def fixsen_mahler(*sources, prior):
    """Fixsen & Mahler 1997; `prior` maps labels to probabilities."""

    def chance(event):
        return sum(prior[label] for label in event)

    met = collect(
        (
            frozenset.intersection(*sets),
            prod(masses)
            * chance(frozenset.intersection(*sets))
            / prod(chance(event) for event in sets),
        )
        for sets, masses in tuples(sources)
    )
    return normalize(met)


def conjunctive_weights(m, frame):
    """Smets 1995; Denoeux 2008: the product over all supersets, as it stands."""
    return {
        event: prod(
            q(m, larger) ** (-1 if (len(larger) - len(event)) % 2 == 0 else 1)
            for larger in subsets(frame)
            if larger >= event
        )
        for event in subsets(frame)
        if event != frozenset(frame)
    }


def from_weights(weights, frame):
    """Conjunctive combination of the (generalized) simple mass functions."""
    full = frozenset(frame)
    simple = ({event: 1 - w, full: w} for event, w in weights.items())
    return reduce(conjunctive, simple, {full: Fraction(1)})


def by_weights(frame, *sources, operation):
    """Denoeux 2008: combine the weights of each set."""
    tables = [conjunctive_weights(m, frame) for m in sources]
    return from_weights({a: reduce(operation, (t[a] for t in tables)) for a in tables[0]}, frame)


def by_dual_weights(frame, *sources, operation):
    """The same on disjunctive weights, which are the weights of the complements."""
    negated = (complement(m, frame) for m in sources)
    return complement(by_weights(frame, *negated, operation=operation), frame)


def extended(norm, x, y):
    """Denoeux 2008: the t-norm below 1, its dual above, else the smaller."""
    if x <= 1 and y <= 1:
        return norm(x, y)
    if x > 1 and y > 1:
        return 1 / (1 - norm(1 - 1 / x, 1 - 1 / y))
    return min(x, y)


def sugeno_weber(parameter, x, y):
    return max(Fraction(0), (x + y - 1 + parameter * x * y) / (1 + parameter))


def dubois_prade_norm(gamma, x, y):
    return x * y / max(x, y, gamma)


def lns(frame, *sources, eta=0, approximate=False):
    """Zhou, Martin & Pan 2018."""
    tables = [conjunctive_weights(m, frame) for m in sources]
    count = {a: sum(t[a] != 1 for t in tables) for a in tables[0]}
    emphasis = {a: Fraction(len(frame), len(a)) ** eta if a and eta else 1 for a in count}
    total = sum(emphasis[a] * count[a] for a in count) or 1
    weights = {}
    for a in count:
        alpha = Fraction(emphasis[a] * count[a], total)
        group = 0 if approximate else prod(t[a] for t in tables)
        weights[a] = 1 - alpha + alpha * group
    return from_weights(weights, frame)
