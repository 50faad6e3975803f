"""Logarithmic pooling as defined: loss, prior, and samples left out one by one; no libraries."""

from math import exp, log

TOTAL, INTERCEPT = 0.1, 10.0  # precisions of the sum of the weights, and of an intercept


def evidence(probabilities, least):
    """Log-probabilities of one source about one sample, less their mean."""
    logs = [log(max(p, least)) for p in probabilities]
    return [x - sum(logs) / len(logs) for x in logs]


def logits(sample, weights, intercepts):
    """`sample[s][k]` is the evidence of source s for class k; `weights[s][k]` its weight."""
    return [
        intercepts[k] + sum(w[k] * x[k] for w, x in zip(weights, sample, strict=True))
        for k in range(len(intercepts))
    ]


def log_likelihood(sample, label, weights, intercepts):
    eta = logits(sample, weights, intercepts)
    top = max(eta)
    return eta[label] - top - log(sum(exp(x - top) for x in eta))


def pull(values, center, precision):
    """Half of the squared distances: of the sum, and of all from their mean distance."""
    moved = [v - c for v, c in zip(values, center, strict=True)]
    mean = sum(moved) / len(moved)
    return TOTAL / 2 * sum(moved) ** 2 + precision / 2 * sum((m - mean) ** 2 for m in moved)


def penalized_loss(samples, labels, counts, weights, intercepts, prior, precision, apart=None):
    """Minus the log posterior. Without `apart`, all classes have the weights of the first."""
    k = len(intercepts)
    means = [sum(w) / k for w in weights]
    loss = -sum(
        c * log_likelihood(x, y, weights, intercepts)
        for x, y, c in zip(samples, labels, counts, strict=True)
    )
    loss += pull(means, prior, precision) + INTERCEPT / 2 * sum(b * b for b in intercepts)
    if apart is not None:
        loss += (
            apart
            * precision
            / 2
            * sum((w[j] - m) ** 2 for w, m in zip(weights, means, strict=True) for j in range(k))
        )
    return loss


def best_convex(samples, labels, counts, shares, precision, parts):
    """Weights on a grid of the simplex, of two or three sources, with the least loss."""
    n_classes, n_sources = len(samples[0][0]), len(shares)
    grid = [
        [i / parts, (parts - i) / parts]
        if n_sources == 2
        else [i / parts, j / parts, (parts - i - j) / parts]
        for i in range(parts + 1)
        for j in range(1 if n_sources == 2 else parts - i + 1)
    ]

    def loss(weights):
        table = [[w] * n_classes for w in weights]
        zeros = [0.0] * n_classes
        return penalized_loss(samples, labels, counts, table, zeros, shares, precision)

    return min(grid, key=loss)


def usual_evidence(probabilities, codes, weights, least):
    """Of a source: the mean of its means in each class; None is a silent row.

    In each class, one sample more has the shares of the classes where the source speaks.
    """
    spoken = [i for i, p in enumerate(probabilities) if p is not None]
    rows, n_classes = spoken or range(len(codes)), max(codes) + 1
    counts = [0.5 + sum(weights[i] for i in rows if codes[i] == k) for k in range(n_classes)]
    frequent = evidence([c / sum(counts) for c in counts], 0.0)
    means = []
    for label in range(n_classes):
        own = [(weights[i], evidence(probabilities[i], least)) for i in spoken if codes[i] == label]
        own.append((1.0, frequent))
        total = sum(w for w, _ in own)
        means.append([sum(w * e[k] for w, e in own) / total for k in range(n_classes)])
    return [sum(mean[k] for mean in means) / n_classes for k in range(n_classes)]
