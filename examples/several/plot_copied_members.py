"""
Five copies of one member
=========================

A committee in which one classifier sits five times has no more evidence than without the copies.
Dempster's rule takes them for independent sources and becomes too sure; learned weights divide the
evidence among the copies.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dstheory.plot.style import COLORS
from evical import EvidentialEnsemble
from evical.plot import FusionWeightsDisplay

data = load_breast_cancer()
X, y = data.data[:, :4], data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
neighbors = make_pipeline(StandardScaler(), KNeighborsClassifier(25))

# %%
# One naive Bayes classifier and one of nearest neighbors; then naive Bayes again and again.

copies = (1, 2, 3, 5)
losses = {"Dempster's rule": [], "learned weights": []}
for n in copies:
    members = [(f"bayes {i + 1}", GaussianNB()) for i in range(n)] + [("neighbors", neighbors)]
    for name, options in zip(losses, ({"rule": "dempster"}, {}), strict=True):
        fusion = EvidentialEnsemble(members, **options).fit(X_train, y_train)
        p = fusion.predict_proba(X_test)
        losses[name].append(log_loss(y_test, p, labels=fusion.classes_))
for name, values in losses.items():
    print(f"{name:16} log loss", "  ".join(f"{v:.3f}" for v in values), f"for {copies} copies")

dempster, learned = losses.values()
assert dempster == sorted(dempster)
assert dempster[-1] > 2 * dempster[0]
assert max(learned) - min(learned) < 0.001
assert max(learned) < dempster[0]

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for name, color, style in (
    ("Dempster's rule", "vermilion", "s--"),
    ("learned weights", "blue", "o-"),
):
    axes[0].plot(copies, losses[name], style, color=COLORS[color])
axes[0].text(3.1, 0.5, "Dempster's rule", color=COLORS["vermilion"], ha="right")
axes[0].text(5, 0.16, "learned weights", color=COLORS["blue"], ha="right")
axes[0].set(xlabel="copies of naive Bayes", ylabel="log loss on other patients", ylim=(0, None))
axes[0].set_xticks(copies)
axes[0].set_title("Copies make Dempster's rule too sure", loc="left", fontsize="medium")
display = FusionWeightsDisplay.from_estimator(fusion, ax=axes[1])
axes[1].get_legend().remove()
axes[1].set_xticks([0, 1], ["0\nsilent", "1\nas if independent"])
axes[1].set_xlabel("weight of evidence, 95 % interval")
axes[1].set_title("Learned weights divide the evidence", loc="left", fontsize="medium")
weights = display.weights
assert np.ptp(weights[:5]) < 0.001
assert 0 < weights[:5].sum() < 1
plt.show()
