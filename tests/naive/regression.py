"""Prototypes as evidence about a response (ENNreg), as the paper defines them: one by one.

Only the standard library. A prototype is (center, intercept, slopes, sigma, h, gamma), and a
prediction (mu, sigma, h), as in `tests.naive.grfn`.
"""

from math import exp, log, sqrt
from statistics import NormalDist

from tests.naive.grfn import bel, pl


def evidence(x, prototype):
    """What one prototype says of a sample."""
    center, intercept, slopes, sigma, h, gamma = prototype
    squared = sum((a - b) ** 2 for a, b in zip(x, center, strict=True))
    line = intercept + sum(a * b for a, b in zip(x, slopes, strict=True))
    return line, sigma, h * exp(-(gamma**2) * squared)


def combine(one, two):
    """The product-intersection rule with hard normalization."""
    h = one[2] + two[2]
    a, b = one[2] / h, two[2] / h
    return a * one[0] + b * two[0], sqrt((a * one[1]) ** 2 + (b * two[1]) ** 2), h


def predict(x, prototypes):
    """All of them, in turn."""
    found = evidence(x, prototypes[0])
    for prototype in prototypes[1:]:
        found = combine(found, evidence(x, prototype))
    return found


def loss(y, number, epsilon, pessimism):
    """Minus log belief and log plausibility of the interval around a response."""
    low, high = y - epsilon, y + epsilon
    return -pessimism * log(bel(low, high, number)) - (1 - pessimism) * log(pl(low, high, number))


def loss_of_evreg(y, number, epsilon, pessimism):
    """As the R package evreg has it since version 1.1.1, by normal distribution functions."""
    mu, sigma, h = number
    z = sqrt(1 + h * sigma**2)
    inside, tilted = NormalDist(mu, sigma), NormalDist(mu, sigma * z)
    ends = [y - epsilon, y + epsilon]
    first, second = (exp(-h * (end - mu) ** 2 / (2 * z**2)) / z for end in ends)
    within = inside.cdf(ends[1]) - inside.cdf(ends[0])
    plausible = within + first * tilted.cdf(ends[0]) + second * (1 - tilted.cdf(ends[1]))
    believed = plausible - first * tilted.cdf(y) - second * (1 - tilted.cdf(y))
    return -pessimism * log(believed) - (1 - pessimism) * log(plausible)


def objective(X, y, prototypes, epsilon, pessimism, xi, rho, ridge):
    """Mean loss and penalties."""
    total = sum(
        loss(target, predict(x, prototypes), epsilon, pessimism)
        for x, target in zip(X, y, strict=True)
    )
    h = sum(prototype[4] for prototype in prototypes)
    gamma2 = sum(prototype[5] ** 2 for prototype in prototypes)
    slopes = sum(b**2 for prototype in prototypes for b in prototype[2])
    return (total + ridge * slopes) / len(y) + (xi * h + rho * gamma2) / len(prototypes)


def believed(number, half):
    """Belief in an interval around mu."""
    return bel(number[0] - half, number[0] + half, number)
