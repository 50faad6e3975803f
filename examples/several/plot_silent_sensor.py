"""
A sensor that falls silent
==========================

One instrument is out of order for every third wine. Filling in the mean pretends that it spoke;
leaving these wines out wastes what the others measured. A source may be silent instead: its belief
is then vacuous, and the fusion rests on the sources that speak. Wine from three growers, thirteen
chemical measurements.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dstheory.plot.style import COLORS
from evical import EvidentialEnsemble, EvidentialSource

X, y = load_wine(return_X_y=True)
rng = np.random.default_rng(0)
silent = rng.random(len(X)) < 1 / 3
X[np.ix_(silent, range(6, 13))] = np.nan

# %%
# One source sees all columns, and is silent about a wine of which some are missing. The other sees
# only the first six columns, and always speaks.

linear = make_pipeline(StandardScaler(), LogisticRegression())
everything = EvidentialSource(linear, silent_if_missing="any")
first_six = EvidentialSource(linear, columns=list(range(6)))
ways = {
    "silent source": EvidentialEnsemble([("everything", everything), ("first six", first_six)]),
    "filled with means": make_pipeline(SimpleImputer(), linear),
    "first six only": linear,
}
p = {name: np.empty((len(y), 3)) for name in ways}
for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
    for name, model in ways.items():
        columns = slice(6) if name == "first six only" else slice(None)
        p[name][test] = model.fit(X[train, columns], y[train]).predict_proba(X[test, columns])

# %%
# The fusion is near the better of the two where all is measured, and where it is not. Standard
# errors are those of the mean over wines; for the 51 wines whose measurements are missing they are
# too large to tell the three apart.

figure, axes = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained", sharey=True)
parts = {"All is measured": ~silent, "Seven measurements are missing": silent}
losses = {name: -np.log(q[np.arange(len(y)), y]) for name, q in p.items()}


def clear(one, other, rows):
    """By how many standard errors of the paired difference the first loss is lower."""
    difference = (losses[other] - losses[one])[rows]
    return difference.mean() / (difference.std(ddof=1) / np.sqrt(len(difference)))


assert clear("silent source", "first six only", ~silent) > 2
assert abs(clear("silent source", "filled with means", ~silent)) < 2
assert abs(clear("silent source", "filled with means", silent)) < 2
assert abs(clear("silent source", "first six only", silent)) < 2

for ax, (title, rows) in zip(axes, parts.items(), strict=True):
    for place, (name, loss) in enumerate(losses.items()):
        mean, error = loss[rows].mean(), loss[rows].std(ddof=1) / np.sqrt(rows.sum())
        print(f"{title:31} {name:18} log loss {mean:.3f} ± {error:.3f}")
        color = COLORS["blue"] if name == "silent source" else COLORS["gray"]
        ax.errorbar(mean, place, xerr=error, fmt="o", color=color, ms=7, lw=2, capsize=4)
    ax.set_title(f"{title} ({rows.sum()} wines)", loc="left", fontsize="medium")
    ax.set(xlim=(0, None), xlabel="log loss ± standard error")
axes[0].set_yticks(range(len(losses)), losses)
axes[0].set_ylim(2.5, -0.5)
figure.suptitle("A source that may be silent is near the best in both cases", x=0.01, ha="left")
plt.show()
