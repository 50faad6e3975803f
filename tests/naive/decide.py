"""Decisions as the books define them: dictionaries and loops, exact, standard library only.

A mass function is a dict from frozenset to number, an act a dict from class to utility.
"""

from fractions import Fraction
from itertools import combinations, pairwise, permutations


def normalized(m):
    rest = {event: v for event, v in m.items() if event}
    return {event: Fraction(v) / sum(rest.values()) for event, v in rest.items()}


def lower(m, act):
    return sum(v * min(act[w] for w in event) for event, v in normalized(m).items())


def upper(m, act):
    return sum(v * max(act[w] for w in event) for event, v in normalized(m).items())


def pignistic(m, act):
    cells = [(v / len(event), act[w]) for event, v in normalized(m).items() for w in event]
    return sum(share * utility for share, utility in cells)


def mixed(m, act, alpha):
    return alpha * lower(m, act) + (1 - alpha) * upper(m, act)


def first_best(values):
    return max(range(len(values)), key=lambda i: (values[i], -i))


def interval_dominance(m, acts):
    return [
        not any(lower(m, other) > upper(m, act) for other in acts if other is not act)
        for act in acts
    ]


def strong_dominance(m, acts):
    def at_least(f, g):
        return lower(m, f) >= upper(m, g)

    return [not any(at_least(f, g) and not at_least(g, f) for f in acts) for g in acts]


def weak_dominance(m, acts):
    def at_least(f, g):
        return lower(m, f) >= lower(m, g) and upper(m, f) >= upper(m, g)

    return [not any(at_least(f, g) and not at_least(g, f) for f in acts) for g in acts]


def maximality(m, acts):
    return [not any(lower(m, {w: f[w] - g[w] for w in g}) > 0 for f in acts) for g in acts]


def regret(acts):
    return [{w: max(f[w] for f in acts) - act[w] for w in act} for act in acts]


def belief(m, event):
    return sum(v for focal, v in normalized(m).items() if focal <= event)


def plausibility(m, event):
    return sum(v for focal, v in normalized(m).items() if focal & event)


def choquet(measure, m, act):
    """Integral of the measure of {act >= u} over u, from the smallest utility on."""
    levels = sorted(set(act.values()))
    total = Fraction(levels[0])
    for low, high in pairwise(levels):
        total += (high - low) * measure(m, frozenset(w for w in act if act[w] >= high))
    return total


def sugeno(measure, m, act):
    def level(u):
        return frozenset(w for w in act if act[w] >= u)

    return max(min(u, measure(m, level(u))) for u in act.values())


def vertices(m, frame):
    """Extreme probabilities: every focal set gives its mass to its first label in an order."""
    for order in permutations(frame):
        p = dict.fromkeys(frame, Fraction(0))
        for event, v in normalized(m).items():
            p[next(w for w in order if w in event)] += v
        yield p


def polytope_vertices(n_labels, constraints):
    """Extreme points of the probabilities p with g p <= limit for each (g, limit), exactly.

    All ways to make n - 1 of the inequalities equations, solved by elimination.
    """
    whole = [([Fraction(1)] * n_labels, Fraction(1))]
    signs = [([-Fraction(i == k) for i in range(n_labels)], Fraction(0)) for k in range(n_labels)]
    limits = [*constraints, *signs]
    found = set()
    for chosen in combinations(limits, n_labels - 1):
        point = _solved([[*map(Fraction, g), Fraction(c)] for g, c in [*whole, *chosen]])
        if point and all(expectation(g, point) <= c for g, c in limits):
            found.add(tuple(point))
    return sorted(found)


def _solved(rows):
    """The only solution of equations [coefficients..., value], or None."""
    size = len(rows)
    for column in range(size):
        pivot = next((i for i in range(column, size) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for i in range(size):
            if i != column:
                factor = rows[i][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[-1] for row in rows]


def expectation(gamble, probability):
    return sum(g * p for g, p in zip(gamble, probability, strict=True))


def is_e_admissible(n_labels, constraints, acts, act):
    """Whether some probability within the constraints makes no other act better."""
    better = [([g - f for f, g in zip(act, other, strict=True)], 0) for other in acts]
    return bool(polytope_vertices(n_labels, [*constraints, *better]))
