"""
One positive in ten: do not balance, move the threshold
=======================================================

If a miss costs ten times a false alarm, that is a matter of the decision and not of the training
data. Copies of the rare class raise all probabilities; calibration on the data as they are keeps
them honest, and the costs then choose the threshold. Which of ten digits is an 8?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dstheory import decide
from dstheory.plot.style import COLORS
from evical import EvidentialClassifier
from evical.plot import ReliabilityDisplay

X, digit = load_digits(return_X_y=True)
y = np.where(digit == 8, "8", "other")
X = X[:, ::3]  # a third of the pixels, or it would be too easy
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.6, random_state=0)
linear = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# One classifier sees each 8 nine times, the other the data as they are; the latter is calibrated by
# cross-validation.

copies = np.concatenate([np.flatnonzero(y_train == "8")] * 8 + [np.arange(len(y_train))])
balanced = linear.fit(X_train[copies], y_train[copies]).predict_proba(X_test)[:, 0]
model = EvidentialClassifier(linear).fit(X_train, y_train)
honest = model.predict_proba(X_test)[:, 0]
truth = y_test == "8"
print(
    f"share of 8s {truth.mean():.3f}, balanced says {balanced.mean():.3f}, ours {honest.mean():.3f}"
)

# %%
# A false alarm costs 1, a miss costs 10.

utilities = decide.utilities_from_costs([[0, 1], [10, 0]])  # say 8, say other; is 8, is other
acts = ["8", "other"]
said = {
    "the more probable class": model.predict(X_test),
    "costs decide": decide.maximize_expected_utility(
        model.predict_mass(X_test), utilities, acts=acts
    ),
    "costs, with caution": decide.maximin(model.predict_mass(X_test), utilities, acts=acts),
}
costs = {}
for name, answer in said.items():
    missed, alarms = (truth & (answer != "8")).sum(), (~truth & (answer == "8")).sum()
    costs[name] = 10 * missed + alarms
    print(f"{name:24} missed {missed:3}, false alarms {alarms:3}, cost {costs[name]}")

# %%
# The copies claim almost twice as many 8s as there are. Costs that choose the threshold save over
# 40 % of the cost.

assert balanced.mean() > 1.5 * truth.mean()
assert abs(honest.mean() - truth.mean()) < 0.02
assert costs["costs decide"] < 0.6 * costs["the more probable class"]

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for p in (balanced, honest):
    ReliabilityDisplay.from_predictions(truth, p, n_bins=8, ax=axes[0])
axes[0].get_legend().remove()
axes[0].text(1, 0.16, "balanced\nby copies", color=COLORS["blue"], ha="right")
axes[0].text(0.47, 0.75, "as they are,\ncalibrated", color=COLORS["vermilion"], ha="right")
axes[0].set(xlabel="predicted probability", ylabel="share of 8s")
axes[0].set_title("Copies claim too many 8s", loc="left")
axes[1].barh(list(costs), list(costs.values()), color=["0.7", COLORS["blue"], COLORS["orange"]])
axes[1].invert_yaxis()
axes[1].set_title("Costs choose the threshold", loc="left")
axes[1].set(xlabel=f"cost on {len(truth)} digits")
plt.show()
