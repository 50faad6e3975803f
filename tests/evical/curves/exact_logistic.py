"""Logistic regression with 80 digits: Newton's method of mpmath, the oracle for nasty inputs."""

from mpmath import lu_solve, matrix, mp, mpf


def exact_log_odds(columns, against, favor, intercept=True):
    """Log-odds at each score, for columns of features and weights of targets of both classes."""
    with mp.workdps(80):
        design = orthogonal([[mpf(float(v)) for v in c] for c in columns], intercept * len(against))
        u, v = ([mpf(float(w)) for w in part] for part in (against, favor))
        theta = [mpf(0)] * len(design)
        for _ in range(2000):
            gradient, hessian, value = derivatives(design, theta, u, v)
            step = lu_solve(matrix(hessian), matrix(gradient))
            decrement = sum(g * s for g, s in zip(gradient, step, strict=True))
            if decrement < mpf(10) ** -50:
                break
            length = mpf(1)
            while derivatives(design, [t - length * s for t, s in zip(theta, step, strict=True)],
                              u, v)[2] > value - length * decrement / 10**4:  # fmt: skip
                length /= 2
            theta = [t - length * s for t, s in zip(theta, step, strict=True)]
        else:
            raise AssertionError("the oracle found no optimum")
        return [float(sum(t * c[i] for t, c in zip(theta, design, strict=True)))
                for i in range(len(u))]  # fmt: skip


def orthogonal(columns, ones):
    """A constant of that length, if any, and orthogonal columns: no unit costs digits."""
    found = [[mpf(1)] * ones] if ones else []
    for column in columns:
        for other in found:
            share = sum(a * b for a, b in zip(column, other, strict=True))
            share /= sum(b * b for b in other)
            column = [a - share * b for a, b in zip(column, other, strict=True)]
        size = mp.sqrt(sum(a * a for a in column))
        found.append([a / size for a in column])
    return found


def derivatives(design, theta, against, favor):
    """Gradient, second derivative and value of the negative log-likelihood."""
    d, rows = len(design), range(len(against))
    eta = [sum(theta[j] * design[j][i] for j in range(d)) for i in rows]
    p = [1 / (1 + mp.exp(-e)) for e in eta]
    q = [1 / (1 + mp.exp(e)) for e in eta]
    value = -sum(against[i] * mp.log(q[i]) + favor[i] * mp.log(p[i]) for i in rows)
    slope = [against[i] * p[i] - favor[i] * q[i] for i in rows]
    bent = [(against[i] + favor[i]) * p[i] * q[i] for i in rows]
    gradient = [sum(slope[i] * design[j][i] for i in rows) for j in range(d)]
    hessian = [
        [sum(bent[i] * design[j][i] * design[k][i] for i in rows) for k in range(d)]
        for j in range(d)
    ]
    return gradient, hessian, value
