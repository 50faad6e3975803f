"""
What does the score of an SVM say?
==================================

A support vector machine returns a score: 1.3, say, so malignant. How probable is that? A calibrator
learns the answer from patients with known diagnosis on whom the machine was not trained. An
*evidential* calibrator also shows its uncertainty: its answer is an interval from the degree of
belief to the plausibility, wide after 20 patients and narrow after 240.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical import LogisticCalibrator
from evical.evaluation import Evaluation
from evical.plot import BeliefBandDisplay, ReliabilityDisplay

data = load_breast_cancer()
X, y = data.data[:, :2], data.target_names[data.target]  # two features only, for a harder task
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=100, random_state=0)
svm = make_pipeline(StandardScaler(), SVC()).fit(X_train, y_train)

# %%
# In five lines: scores of new patients, a calibrator, an interval for each score. Classes are in
# sorted order, so the interval is that of "malignant", the class of positive scores.

scores = svm.decision_function(X_rest)
many, test = slice(0, 240), slice(240, None)
calibrator = LogisticCalibrator().fit(scores[many], y_rest[many])
for score, (bel, pl) in zip((-1, 0, 1), calibrator.predict_interval([-1, 0, 1]), strict=True):
    print(f"score {score:2}: malignant with belief {bel:.2f}, plausibility {pl:.2f}")
print(calibrator.predict_mass([1]))

# %%
# The mass of {benign, malignant} is what the sample leaves open. It is larger if the calibrator has
# seen only 20 patients, here the first 20.

few = LogisticCalibrator().fit(scores[:20], y_rest[:20])
print("after 20 patients, score 1:", few.predict_interval([1]).round(2)[0])

# %%
# Was calibration worth the trouble? We evaluate it on the remaining patients, with 95 % bootstrap
# intervals. The plain alternative reads the score as log-odds. After 240 patients the loss is
# lower, as far as the few remaining patients can tell; after these 20 it is not.

positive = {"pos_label": "malignant"}
plain = Evaluation.from_predictions(y_rest[test], expit(scores[test]), **positive)
judged = {"score as log-odds": plain}
for name, fitted in {"20 patients": few, "240 patients": calibrator}.items():
    judged[name] = Evaluation.from_estimator(fitted, scores[test], y_rest[test])
print(f"on {len(y_rest[test])} other patients:")
for name, evaluation in judged.items():
    print(f"  {name:18}", evaluation["log_loss"])

# %%
# The first 20 were not a lucky draw, and no probability would have shown it. The 240 patients make
# twelve such groups: how often does the interval from 20 patients contain the estimate from all
# 240? The default interval, from the likelihood, is for combining and deciding. It is not a
# confidence interval; for that use model="confidence", which is wider.

wanted = calibrator.predict_proba(scores[test])[:, 1]
groups = np.arange(240).reshape(12, 20)
for model in ("likelihood", "confidence"):
    fits = [LogisticCalibrator(model=model).fit(scores[rows], y_rest[rows]) for rows in groups]
    bel, pl = np.array([fitted.predict_interval(scores[test]) for fitted in fits]).transpose(
        2, 0, 1
    )
    held = ((bel <= wanted) & (wanted <= pl)).mean(axis=1)
    print(f"{model:10} width {(pl - bel).mean():.2f}, holds {held.mean():.2f}", end="")
    print(f" ± {held.std(ddof=1) / np.sqrt(12):.2f} of the probabilities after 240")

# %%
# The gray lines are Platt's probabilities, the usual ones for an SVM: one line for each group, and
# none of them shows that the others exist. The band, from the first group, does.

gray = {"color": "0.45", "lw": 0.7}
figure, axes = plt.subplots(2, 2, figsize=(11, 8.4), layout="constrained", height_ratios=[3, 2])
grid = np.linspace(scores.min(), scores.max(), 200)
for number, rows in enumerate(groups):
    platt = LogisticCalibrator(model="bayesian").fit(scores[rows], y_rest[rows])
    label = None if number else "Platt's probability, twelve times 20"
    axes[0, 0].plot(grid, platt.predict_proba(grid)[:, 1], **gray, label=label)
for ax, fitted, rows in ((axes[0, 0], few, slice(0, 20)), (axes[0, 1], calibrator, many)):
    shown = {"n_bins": 4 if fitted is few else 8, "name": f"{len(scores[rows])} patients"}
    BeliefBandDisplay.from_estimator(fitted, scores[rows], y_rest[rows], ax=ax, **shown)
    ax.set(xlabel="score of the SVM", xlim=(grid[0], grid[-1]))

# %%
# Below, shares of malignant cases against predicted probabilities. At each place, perfect
# predictions would stay in the band 19 times out of 20. The score as log-odds does not: it is
# underconfident.

for ax, p, name in (
    (axes[1, 0], expit(scores[test]), "score as log-odds"),
    (axes[1, 1], wanted, "calibrated by 240"),
):
    ReliabilityDisplay.from_predictions(
        y_rest[test], p, strategy="corp", random_state=0, **positive, name=name, ax=ax
    )
plt.show()
