"""Codes, couplings and decodings by their definitions, one sample at a time, on Fractions.

A code is a list of rows, one a class. Nothing here is fast, and nothing is rounded but
logarithms. Standard library only.
"""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import inf, log, prod


def sides(code, b):
    """Classes on the positive and on the negative side of column b."""
    positive = [k for k, row in enumerate(code) if row[b] == 1]
    negative = [k for k, row in enumerate(code) if row[b] == -1]
    return positive, negative


def n_columns(code):
    return len(code[0])


def answers(p, code):
    """What class probabilities say to each column."""
    result = []
    for b in range(n_columns(code)):
        positive, negative = (sum(p[k] for k in side) for side in sides(code, b))
        result.append(positive / (positive + negative))
    return result


def complete(n_classes):
    """All columns with both signs, one of each pair of twins, as a set."""
    columns = set()
    for column in product((1, 0, -1), repeat=n_classes):
        twin = tuple(-x for x in column)
        if 1 in column and -1 in column and twin not in columns:
            columns.add(column)
    return columns


def sparse_code_probabilities(n_classes, n_columns):
    """That each column of random entries has both signs, and none is twice; Gebel's eq. 5.5."""
    quarters = {0: Fraction(1, 2), 1: Fraction(1, 4), -1: Fraction(1, 4)}
    chance = {
        column: prod(quarters[entry] for entry in column)
        for column in product(quarters, repeat=n_classes)
        if {1, -1} <= set(column)
    }
    exact = sum(
        (prod(map(chance.get, columns)) for columns in permutations(chance, n_columns)),
        Fraction(0),
    )
    both = sum(chance.values())
    return exact, prod(max(both - Fraction(b, 4**n_classes), 0) for b in range(n_columns))


def row_distance(u, v):
    return sum(Fraction(1 - x * y, 2) for x, y in zip(u, v, strict=True))


def divergence(p, r, code, weights):
    total = 0.0
    for weight, answer, said in zip(weights, r, answers(p, code), strict=True):
        for x, y in ((answer, said), (1 - answer, 1 - said)):
            if x:
                total += float(weight) * (float(x) * log(x / y) if y else inf)
    return total


def scaled(values):
    total = sum(values)
    return [v / total for v in values]


def votes(r, code):
    """Non-iterative estimates."""
    totals = []
    for row in code:
        total = 0
        for sign, answer in zip(row, r, strict=True):
            total += answer if sign == 1 else 1 - answer if sign == -1 else 0
        totals.append(total)
    return scaled(totals)


def zadrozny_step(p, r, code, weights):
    """The update printed in section 3."""
    said = answers(p, code)
    result = []
    for k, row in enumerate(code):
        observed = expected = 0
        for sign, answer, s, weight in zip(row, r, said, weights, strict=True):
            if sign == 1:
                observed, expected = observed + weight * answer, expected + weight * s
            if sign == -1:
                observed, expected = observed + weight * (1 - answer), expected + weight * (1 - s)
        result.append(p[k] * observed / expected)
    return scaled(result)


def minorize_step(p, r, code, weights):
    """The update of Huang, Weng and Lin, section 4."""
    result = []
    for k in range(len(code)):
        gain = cost = 0
        for b, weight in enumerate(weights):
            positive, negative = sides(code, b)
            inside, outside = sum(p[i] for i in positive), sum(p[i] for i in negative)
            if k in positive:
                gain += weight * r[b] / inside
            if k in negative:
                gain += weight * (1 - r[b]) / outside
            if k in positive + negative:
                cost += weight / (inside + outside)
        result.append(p[k] * gain / cost)
    return scaled(result)


def squares(p, r, code, weights):
    """What least squares minimizes."""
    total = 0
    for b, weight in enumerate(weights):
        inside, outside = (sum(p[k] for k in side) for side in sides(code, b))
        total += weight * (r[b] * (inside + outside) - inside) ** 2
    return total


def least_squares(r, code, weights):
    """Smallest sum of squares on the simplex, over all sets of classes that share the whole."""
    n_classes = len(code)
    quadratic = [
        [
            sum(
                w * coefficient(r[b], code[k][b]) * coefficient(r[b], code[j][b])
                for b, w in enumerate(weights)
            )
            for j in range(n_classes)
        ]
        for k in range(n_classes)
    ]
    best = None
    for size in range(1, n_classes + 1):
        for support in combinations(range(n_classes), size):
            p = stationary(quadratic, support)
            if p is not None and min(p) >= 0:
                value = squares(p, r, code, weights)
                best = value if best is None else min(best, value)
    return best


def coefficient(answer, sign):
    """Of a class in the equation P(I) = r P(I or J)."""
    return answer - 1 if sign == 1 else answer if sign == -1 else 0


def stationary(quadratic, support):
    """Stationary point of the sum of squares where only the support has probability."""
    size = len(support)
    rows = [[quadratic[i][j] for j in support] + [1, 0] for i in support]
    rows.append([1] * size + [0, 1])
    solution = solve(rows)
    if solution is None:
        return None
    p = [Fraction(0)] * len(quadratic)
    for k, value in zip(support, solution, strict=False):
        p[k] = value
    return p


def solve(rows):
    """Gauss and Jordan; None if singular."""
    rows = [[Fraction(x) for x in row] for row in rows]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def total_loss(margins, row, loss):
    """Equation 1 of Zadrozny 2001."""
    return sum(loss(sign * f) for sign, f in zip(row, margins, strict=True))


def hamming(margins, row):
    """A zero on either side is half a difference."""
    return sum(
        Fraction(1 - sign * ((f > 0) - (f < 0)), 2) for sign, f in zip(row, margins, strict=True)
    )
