"""Reduction of many classes to two by any code, as the definitions say it, on frozensets.

Only the standard library. A column is a triple of masses: of its negative side, of its
positive side, of either; a code is a list of rows, one for each class.
"""

from itertools import combinations

from tests.naive import mass as naive


def witness(column, signs):
    """What one column says about all classes: its sides, and whatever it never saw."""
    negative, positive, both = column
    frame = frozenset(range(len(signs)))
    not_negative = frozenset(k for k in frame if signs[k] != -1)
    not_positive = frozenset(k for k in frame if signs[k] != 1)
    return naive.collect([(not_positive, negative), (not_negative, positive), (frame, both)])


def combined(columns, code):
    """Dempster's rule over all columns, or None in total conflict."""
    joint = None
    for b, column in enumerate(columns):
        source = witness(column, [row[b] for row in code])
        joint = source if joint is None else naive.conjunctive(joint, source)
    return naive.normalize(joint) if any(joint) else None


def contour(m, n_classes):
    return [naive.pl(m, frozenset([k])) for k in range(n_classes)]


def pairs(n_classes):
    """Code of all pairs, the first of each pair positive."""
    listed = list(combinations(range(n_classes), 2))
    return [[(k == i) - (k == j) for i, j in listed] for k in range(n_classes)]


def conditional(m, event):
    """What is believed given an event, unnormalized: the mass of A goes to A and the event."""
    return naive.collect((focal & event, mass) for focal, mass in m.items())
