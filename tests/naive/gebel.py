"""Definitions of Gebel (2009), chapters 2 and 4, as they are printed; standard library only."""

from itertools import pairwise
from math import exp, log, pi, sqrt

__all__ = [
    "accuracy",
    "assignment_moments",
    "e_calibration",
    "gaussian_posterior",
    "hat_log_odds",
    "knot_pairs",
    "laplace_density",
    "laplace_fit",
    "measure_table",
    "normalized",
    "piecewise_objective",
]


def normalized(score, scores, rho):
    """Eq. 4.1."""
    largest = max(abs(s) for s in scores)
    return (score + rho * largest) / (2 * rho * largest)


def e_calibration(scores, alphas):
    """Eq. 4.2 with a sum over classes in the denominator: scores and alphas of all classes."""
    powers = [exp(a * s) for a, s in zip(alphas, scores, strict=True)]
    return [power / sum(powers) for power in powers]


def hat_log_odds(score, knots, weights):
    """Eq. 4.5, with the last area closed."""
    total = 0
    for j, (knot, weight) in enumerate(zip(knots, weights, strict=True)):
        if score == knot:
            total += weight
        elif j > 0 and knots[j - 1] < score < knot:
            total += weight * (score - knots[j - 1]) / (knot - knots[j - 1])
        elif j + 1 < len(knots) and knot < score < knots[j + 1]:
            total += weight * (score - knots[j + 1]) / (knot - knots[j + 1])
    return total


def knot_pairs(negative, positive, both):
    """Pairs of quantiles inside: of section 4.2.2, or (both) of Naeini, section 2.1.1.4."""

    def quantiles(scores, n):
        found = {sorted(scores)[-(-len(scores) * i // n) - 1] for i in range(1, n)}
        return sorted(found - {min(negative + positive), max(negative + positive)})

    lower, upper = (negative, positive) if both else (positive, positive)
    n = 10 if both else 20
    return [(a, b) for a in quantiles(lower, n) for b in quantiles(upper, n) if a < b]


def piecewise_objective(scores, targets, knots, weights, penalty):
    """O_plr,reg, with targets in [0, 1] in place of labels."""
    loss = 0.0
    for score, target in zip(scores, targets, strict=True):
        eta = hat_log_odds(score, knots, weights)
        loss += log(1 + exp(-abs(eta))) + max(eta, 0) - target * eta
    slopes = [
        (weights[j + 1] - weights[j]) / (knots[j + 1] - knots[j]) for j in range(len(knots) - 1)
    ]
    return loss + penalty * sum((b - a) ** 2 for a, b in pairwise(slopes))


def gaussian_posterior(score, negative, positive):
    """Section 4.3.2: P(C = +1 | s) from the scores of both classes."""
    parts = []
    for own in (negative, positive):
        mean = sum(own) / len(own)
        sigma = sqrt(sum((s - mean) ** 2 for s in own) / (len(own) - 1))
        density = exp(-(((score - mean) / sigma) ** 2) / 2) / (sigma * sqrt(2 * pi))
        parts.append(len(own) / (len(negative) + len(positive)) * density)
    return parts[1] / sum(parts)


def laplace_density(score, theta, beta, gamma):
    """f of section 4.3.3."""
    height = beta * gamma / (beta + gamma)
    return height * (
        exp(-beta * (theta - score)) if score <= theta else exp(-gamma * (score - theta))
    )


def laplace_fit(own, candidates):
    """The candidate of greatest likelihood 4.8 and its scales; None for a side without any."""
    best = None
    for theta in candidates:
        left = sum(theta - s for s in own if s <= theta)
        right = sum(s - theta for s in own if s > theta)
        if left == 0 or right == 0:
            continue
        beta = len(own) / (left + sqrt(left * right))
        gamma = len(own) / (right + sqrt(left * right))
        likelihood = sum(log(laplace_density(s, theta, beta, gamma)) for s in own)
        if best is None or likelihood > best[0]:
            best = likelihood, theta, beta, gamma
    return best


def assignment_moments(values):
    """p and N of the assignment values of a part (section 4.4.3)."""
    mean = sum(values) / len(values)
    variance = sum((a - mean) ** 2 for a in values) / (len(values) - 1)
    return mean, mean * (1 - mean) / variance - 1


def accuracy(probabilities, labels):
    """Ac of eq. 4.12: probability vectors and positions of the true classes."""
    k = len(probabilities[0])
    roots = [
        sqrt(sum(((j == label) - p) ** 2 for j, p in enumerate(row)))
        for row, label in zip(probabilities, labels, strict=True)
    ]
    return 1 - k / (k - 1) * sum(roots) / len(roots)


def measure_table(positive, labels):
    """CR, 1 - RMSE and WCR (eq. 2.3-2.5) of two classes."""
    rows = [(1 - p, p) for p in positive]
    assigned = [int(p > 0.5) for p in positive]
    n = len(labels)
    correct = sum(a == c for a, c in zip(assigned, labels, strict=True)) / n
    rmse = 0.0
    for row, label in zip(rows, labels, strict=True):
        rmse += sqrt(sum(((k == label) - p) ** 2 for k, p in enumerate(row)) / 2) / n
    gaps = []
    for k in (0, 1):
        part = [i for i in range(n) if assigned[i] == k]
        for j in (0, 1):
            if part:
                confidence = sum(rows[i][j] for i in part) / len(part)
                gaps.append(abs(confidence - sum(labels[i] == j for i in part) / len(part)))
    return correct, 1 - rmse, 1 - sum(gaps) / len(gaps)
