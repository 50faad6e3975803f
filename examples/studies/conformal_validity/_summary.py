"""Tables of the study: rejected true classes and sizes of sets, over data sets."""

import numpy as np
from scipy.stats import norm, t

from evical._typing import Floats
from examples.studies._markdown import markdown_table, plain
from examples.studies._reproduce import Outcome

__all__ = ["summary"]


_LEGEND = (
    "Share of test samples whose true class has plausibility alpha or less, in percent: the mean "
    "over data sets, and in brackets the number of data sets in which the mean over splits is "
    "more than three standard errors above alpha (by the t distribution, more if splits are few)."
)
_SIZES = (
    "At alpha = 0.1, means over data sets. Size: classes in a set; same splits: in the first ones, "
    "which all ways have. By class: rejected true classes "
    "in percent, each class with the same weight. Hard: the same among the quarter of samples "
    "whose likeliest class has the least probability. Over: splits in percent in which more are "
    "rejected than in 95 % of calibration samples, by the beta-binomial distribution (Vovk 2012); "
    "it is meant for split conformal prediction on average over samples."
)


def summary(outcome: Outcome) -> str:
    """A table of what is rejected at each level, and one of sizes and of what is not promised.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    str
        Markdown.
    """
    data, ways, alphas = (list(dict.fromkeys(row[i] for row in outcome.rows)) for i in range(3))
    table = np.array([[[outcome.rows[d, way, a] for a in alphas] for way in ways] for d in data])
    names = [plain(way) for way in ways]
    return "\n\n".join(
        [
            f"## Rejected true classes, {len(data)} data sets",
            _LEGEND,
            _rejected(table[..., 0], names, [float(alpha) for alpha in alphas]),
            "## Sizes, and what is not promised",
            _SIZES,
            _sizes(table[:, :, alphas.index("0.1")], names),
        ]
    )


def _rejected(missed: Floats, names: list[str], levels: list[float]) -> str:
    """From shares (data, ways, levels, splits)."""
    mean, count = np.nanmean(missed, axis=3), (~np.isnan(missed)).sum(axis=3)
    error = np.nanstd(missed, axis=3, ddof=1 if count.min() > 1 else 0) / np.sqrt(count)
    # As rare as three standard errors of a normal mean, for any number of splits.
    limit = t.isf(norm.sf(3), np.maximum(count - 1, 1)) * error
    over = (mean > np.array(levels) + limit).sum(axis=0)
    body = [
        [name, str(splits)]
        + [f"{100 * share:.2f} ({broken})" for share, broken in zip(shares, broke, strict=True)]
        for name, splits, shares, broke in zip(
            names, count[0, :, 0], mean.mean(axis=0), over, strict=True
        )
    ]
    head = ["way", "splits", *(f"alpha {100 * level:g} %" for level in levels)]
    return markdown_table(head, body, 1)


def _sizes(table: Floats, names: list[str]) -> str:
    """From measures (data, ways, splits, measures) at one level."""
    size = table[..., 3]
    same = size[..., ~np.isnan(size).any(axis=(0, 1))].mean(axis=(0, 2))
    means = np.nanmean(table, axis=2).mean(axis=0)
    body = [
        [name, f"{mean[3]:.3f}", f"{one:.3f}", *(f"{100 * mean[j]:.2f}" for j in (1, 2, 4))]
        for name, mean, one in zip(names, means, same, strict=True)
    ]
    return markdown_table(["way", "size", "same splits", "by class", "hard", "over"], body, 1)
