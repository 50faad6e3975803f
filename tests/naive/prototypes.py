"""Networks of prototypes, as their papers define them: one mass function for each prototype."""

from math import exp, log

from tests.naive.learners import combined, of_features, squared


def prototype(x, center, gamma, alpha, shares):
    """What a prototype says: shares of a mass for classes, and the rest (Denoeux 2000)."""
    s = alpha * exp(-gamma * squared(x, center))
    found = {frozenset({k}): share * s for k, share in enumerate(shares)}
    return found | {frozenset(range(len(shares))): 1 - s}


def neural(x, centers, gammas, alphas, shares):
    """By Dempster's rule."""
    sources = zip(centers, gammas, alphas, shares, strict=True)
    return combined([prototype(x, *source) for source in sources])


def radial(x, centers, gammas, coef):
    """Sources of a radial basis function network: each prototype for and against each class."""
    rows = []
    for center, gamma, row in zip(centers, gammas, coef, strict=True):
        answer = exp(-gamma * squared(x, center))
        mean = sum(row) / len(row)
        rows.append([answer * (c - mean) for c in row])
    return of_features(rows)


def softmax(x, centers, gammas, coef):
    """Outputs of the network."""
    answers = [
        exp(-gamma * squared(x, center)) for center, gamma in zip(centers, gammas, strict=True)
    ]
    sums = [
        sum(s * row[k] for s, row in zip(answers, coef, strict=True)) for k in range(len(coef[0]))
    ]
    return [exp(value) / sum(map(exp, sums)) for value in sums]


def shared(m, n_classes, part):
    """m({k}) + part m(frame)."""
    frame = frozenset(range(n_classes))
    return [m.get(frozenset({k}), 0) + part * m.get(frame, 0) for k in range(n_classes)]


def squared_error(outputs, target):
    """Half the sum of squares."""
    return sum((a - b) ** 2 for a, b in zip(outputs, target, strict=True)) / 2


def log_error(outputs, target):
    """Minus the log of the mean plausibility of labels under outputs in proportion."""
    return -log(sum(a * b for a, b in zip(outputs, target, strict=True)) / sum(outputs))
