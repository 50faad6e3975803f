"""What `Stacked` gains from samples about which some source is silent.

Run with ``python -m tests.benchmarks.bench_silent`` from the repository (five minutes).

Protocol: sources give log-odds of two classes that share evidence, calibrated or with a wrong slope
and level, and are silent at random. Error: mean Kullback-Leibler divergence, in thousandths, of the
fused probabilities from the true ones, given what the sources say, on 2,000 new samples; five draws
a setting. The first 32 settings served to choose, the last 24, with other numbers of sources,
other evidence and heavier silence, did not. "Complete": each pool learns only from samples about
which all its sources speak. "Even": silence is even odds.
"""

from itertools import product

import numpy as np
from scipy.special import expit, logit

from evical.fusion import Stacked, _stacked
from evical.fusion._log_pool import fit_pool
from tests.support.probabilities import fit_to_probabilities, fuse_probabilities

# Sources, correlation of their evidence, slope and shift of their log-odds.
CHOSEN_ON = ((2, 0.8, 1.0, 0.0), (6, 0.5, 1.0, 0.0), (3, 0.3, 0.5, 1.5), (3, 0.6, 2.0, -1.0))
CHECKED_ON = ((4, 0.0, 1.0, 0.0), (8, 0.7, 1.0, 0.0), (5, 0.4, 0.7, -1.0))
SETTINGS = [
    *product(CHOSEN_ON, (0.5, 0.15), (0.05, 0.3), (100, 400)),
    *product(CHECKED_ON, (0.5, 0.2), (0.15, 0.5), (150, 800)),
]


def draw(kind, rare, silent, n, seed):
    """Labels (n,), probabilities (S, n, 2) with NaN, and true probabilities (n,)."""
    n_sources, rho, slope, shift = kind
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < rare).astype(int)
    mixed = rho + (1 - rho) * np.eye(n_sources)
    x = rng.normal(size=(n, n_sources)) @ np.linalg.cholesky(mixed).T + 1.5 * (y[:, None] - 0.5)
    speaks = rng.uniform(size=x.shape) >= silent
    truth = np.full(n, logit(rare))
    for choice in np.unique(speaks, axis=0):
        rows = (speaks == choice).all(axis=1)
        weights = np.linalg.solve(mixed[np.ix_(choice, choice)], np.full(choice.sum(), 1.5))
        truth[rows] += x[rows][:, choice] @ weights
    p = expit(slope * (1.5 * x + logit(rare)) + shift).T
    table = np.stack([1 - p, p], axis=2)
    return y, np.where(speaks.T[..., np.newaxis], table, np.nan), expit(truth)


def error(told, y, new, truth):
    """Of a fusion, in thousandths."""
    fused = fuse_probabilities(fit_to_probabilities(Stacked(), told, y, [0, 1]), new).betp()[:, 1]
    apart = truth * np.log(truth / fused) + (1 - truth) * np.log((1 - truth) / (1 - fused))
    return 1e3 * apart.mean()


def complete_only(sample, shares, precision, filled):
    """As `fit_pool`, from complete samples."""
    return fit_pool(sample.part(~filled), shares, precision)


def errors(setting, draws=5):
    """Mean errors (3,): of all samples, complete ones, and even odds."""
    found = []
    for seed in range(draws):
        y, told, _ = draw(*setting, 100 + seed)
        if min(y.sum(), (1 - y).sum()) < 6:
            continue
        _, new, truth = draw(*setting[:3], 2000, 600 + seed)
        row = [error(told, y, new, truth)]
        _stacked.fit_pool = complete_only
        row.append(error(told, y, new, truth))
        _stacked.fit_pool = fit_pool
        row.append(error(np.nan_to_num(told, nan=0.5), y, np.nan_to_num(new, nan=0.5), truth))
        found.append(row)
    return np.mean(found, axis=0)


def main():
    table = np.array([errors(setting) for setting in SETTINGS])
    for title, part in (("chosen on", table[:32]), ("checked on", table[32:])):
        ratio = np.log(part[:, 0, np.newaxis] / part[:, 1:])
        print(
            f"{title:10} {len(part)} settings: all samples {part[:, 0].mean():5.1f}, complete ones "
            f"{part[:, 1].mean():5.1f}, even odds {part[:, 2].mean():5.1f}; log ratio to complete "
            f"{ratio[:, 0].mean():.2f} ± {ratio[:, 0].std() / len(part) ** 0.5:.2f} (worst "
            f"{ratio[:, 0].max():.2f}), to even {ratio[:, 1].mean():.2f} ± "
            f"{ratio[:, 1].std() / len(part) ** 0.5:.2f} (worst {ratio[:, 1].max():.2f})"
        )


if __name__ == "__main__":
    main()
