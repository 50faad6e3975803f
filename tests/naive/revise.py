"""Revision as the books define it: frozensets, dictionaries, exact numbers.

The companion of `tests.naive.mass`; only the standard library, slow and obvious on purpose.
"""

from fractions import Fraction
from itertools import product
from math import prod

from tests.naive.mass import bel, collect, conjunctive, disjunctive, normalize, pl, subsets

EMPTY = frozenset()


def condition(m, event):
    return collect((a & event, v) for a, v in m.items())


def condition_geometric(m, event):
    return normalize(collect((a, v) for a, v in m.items() if a <= event))


def focusing_bel(m, a, event):
    """Fagin & Halpern 1991; 1 where no focal set has a part in the event outside A."""
    inside, outside = bel(m, a & event), pl(m, event - a)
    if not a & event:
        return Fraction(0)
    return inside / (inside + outside) if inside + outside else Fraction(1)


def selections(m):
    """Probabilities that give each focal set's mass to one of its labels."""
    sets = [a for a in m if a]
    for choice in product(*(sorted(a) for a in sets)):
        yield collect((label, m[a]) for label, a in zip(choice, sets, strict=True))


def envelope(m, a, event):
    """Lowest and highest P(A | B) over the extreme probabilities with P(B) > 0."""
    values = []
    for p in selections(m):
        total = sum(v for label, v in p.items() if label in event)
        if total:
            values.append(sum(v for label, v in p.items() if label in a & event) / total)
    return min(values), max(values)


def decondition(m, event, frame):
    return collect((a | (frame - event), v) for a, v in m.items())


def jeffrey(prior, evidence, rule):
    """Ma, Liu, Dubois & Prade 2011: average of conditionals, the event where there is none."""
    terms = []
    for event, v in evidence.items():
        possible = pl(prior, event) if rule == "outer" else bel(prior, event)
        given = {event: Fraction(1)}
        if possible and rule == "outer":
            given = normalize(condition(prior, event))
        elif possible:
            given = condition_geometric({a: w for a, w in prior.items() if a}, event)
        terms += [(a, v * w) for a, w in given.items()]
    return collect(terms)


def discount(m, rate, frame):
    return collect([*((a, v * (1 - rate)) for a, v in m.items()), (frozenset(frame), rate)])


def negate(m, rate, frame):
    pairs = [((a, v * (1 - rate)), (frozenset(frame) - a, v * rate)) for a, v in m.items()]
    return collect(term for pair in pairs for term in pair)


def contextual(m, rates, change):
    """Each context moves a share of each mass from B to change(B, A)."""
    for context, rate in rates.items():
        m = collect(
            term
            for b, v in m.items()
            for term in ((b, v * (1 - rate)), (change(b, context), v * rate))
        )
    return m


def generalized_bayes(likelihoods):
    """Smets 1993: product of likelihoods in A, and of one minus the likelihood outside."""
    return collect(
        (a, prod((p if h in a else 1 - p for h, p in likelihoods.items()), start=Fraction(1)))
        for a in subsets(likelihoods)
    )


def disjunctive_rule(prior, conditionals):
    terms = []
    for hypotheses, v in prior.items():
        given = disjunctive({EMPTY: Fraction(1)}, *(conditionals[h] for h in hypotheses))
        terms += [(a, v * w) for a, w in given.items()]
    return collect(terms)


def posterior_by_embedding(prior, conditionals, observed, frame, space):
    """Joint belief on pairs, from each conditional deconditioned on its hypothesis."""
    pairs = frozenset(product(frame, space))
    parts = [{frozenset(p for p in pairs if p[0] in a): v for a, v in prior.items()}]
    for h, m in conditionals.items():
        others = frozenset(p for p in pairs if p[0] != h)
        parts.append({others | {(h, x) for x in a}: v for a, v in m.items()})
    joint = condition(conjunctive(*parts), frozenset(p for p in pairs if p[1] in observed))
    return collect((frozenset(h for h, _ in a), v) for a, v in joint.items())


def coarsen(m, mapping, reduction):
    """`mapping` takes coarse labels to frozensets of fine labels."""

    def reduced(a):
        if reduction == "outer":
            return frozenset(c for c, block in mapping.items() if a & block)
        return frozenset(c for c, block in mapping.items() if block <= a)

    return collect((reduced(a), v) for a, v in m.items())


def refine(m, mapping):
    return collect((EMPTY.union(*(mapping[c] for c in a)), v) for a, v in m.items())


def contour_error(contours, truth):
    """E_pl: squared differences of contours (dicts) and the true labels."""
    return sum(
        (v - (label == true)) ** 2
        for contour, true in zip(contours, truth, strict=True)
        for label, v in contour.items()
    )
