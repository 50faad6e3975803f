"""
How much do n calibration scores leave open?
============================================

Three intervals around the same probability: belief to plausibility of the likelihood model, of the
confidence model, and the two probabilities of Venn-Abers. All shrink with the number of scores, and
they promise different things. The scores are of a linear classifier that tells odd digits from even
ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from evical import LogisticCalibrator
from evical.calibrators import VennAbersCalibrator

X, y = load_digits(return_X_y=True)
odd = (y % 2).astype(int)
X_train, X_cal, odd_train, odd_cal = train_test_split(X, odd, train_size=150, random_state=0)
classifier = LogisticRegression(C=1e-3, max_iter=1000).fit(X_train, odd_train)
scores = classifier.decision_function(X_cal)

# %%
# Is the digit odd? The score 0 means that the classifier does not know. Calibration tells what it
# knows after all.

calibrators = {
    "likelihood": LogisticCalibrator(),
    "confidence": LogisticCalibrator(model="confidence"),
    "Venn-Abers": VennAbersCalibrator(),
}
sizes = [20, 50, 100, 200, 500, 1000, 1600]
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, (name, calibrator) in zip(axes, calibrators.items(), strict=True):
    ends = np.array(
        [calibrator.fit(scores[:n], odd_cal[:n]).predict_interval([0.0])[0] for n in sizes]
    )
    print(
        f"{name:11}",
        "  ".join(f"{n}: {a:.2f}-{b:.2f}" for n, (a, b) in zip(sizes, ends, strict=True)),
    )
    ax.fill_between(sizes, *ends.T, color="#9AD0F0")
    ax.plot(sizes, ends, "o-", color="#0072B2", ms=4)
    ax.set(xscale="log", title=name, xlabel="calibration scores", ylim=(0, 1))
axes[0].set_ylabel("probability of odd at score 0")
plt.show()
