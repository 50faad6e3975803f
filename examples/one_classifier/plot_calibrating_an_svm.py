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
# lower, but the intervals overlap: 229 patients are too few to be sure. After these 20 it is not.

positive = {"pos_label": "malignant"}
plain = Evaluation.from_predictions(y_rest[test], expit(scores[test]), **positive)
judged = {"score as log-odds": plain}
for name, fitted in {"20 patients": few, "240 patients": calibrator}.items():
    judged[name] = Evaluation.from_estimator(fitted, scores[test], y_rest[test])
print(f"on {len(y_rest[test])} other patients:")
for name, evaluation in judged.items():
    print(f"  {name:18}", evaluation["log_loss"])
loss = {name: evaluation["log_loss"].value for name, evaluation in judged.items()}
assert loss["240 patients"] < loss["score as log-odds"] < loss["20 patients"]
assert judged["240 patients"]["log_loss"].high > judged["score as log-odds"]["log_loss"].low

# %%
# Other 20 patients would have given another answer, and no probability would have shown it. The 240
# patients make twelve such groups: how often does the interval from 20 patients contain the
# estimate from all 240? The default interval, from the likelihood, is for combining and deciding.
# It is not a confidence interval; for that use model="confidence", which is wider.

wanted = calibrator.predict_proba(scores[test])[:, 1]
groups = np.arange(240).reshape(12, 20)
shares = {}
for model in ("likelihood", "confidence"):
    fits = [LogisticCalibrator(model=model).fit(scores[rows], y_rest[rows]) for rows in groups]
    bel, pl = np.array([fitted.predict_interval(scores[test]) for fitted in fits]).transpose(
        2, 0, 1
    )
    held = ((bel <= wanted) & (wanted <= pl)).mean(axis=1)
    print(f"{model:10} width {(pl - bel).mean():.2f}, holds {held.mean():.2f}", end="")
    print(f" ± {held.std(ddof=1) / np.sqrt(12):.2f} of the probabilities after 240")
    shares[model] = (pl - bel).mean(), held.mean()
assert shares["confidence"] > shares["likelihood"]
assert shares["likelihood"][1] < 0.8 < shares["confidence"][1]

# %%
# The gray lines are Platt's probabilities, the usual ones for an SVM: one line for each group of
# 20, and none of them shows that the others exist. The band, from the first group, does. Points are
# shares of malignant tumors.

grid = np.linspace(scores.min(), scores.max(), 200)
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharey=True)
platt = [LogisticCalibrator(model="bayesian").fit(scores[rows], y_rest[rows]) for rows in groups]
axes[0].plot(grid, np.transpose([p.predict_proba(grid)[:, 1] for p in platt]), "0.45", lw=0.7)
for ax, fitted, rows in ((axes[0], few, slice(0, 20)), (axes[1], calibrator, many)):
    BeliefBandDisplay.from_estimator(
        fitted, scores[rows], y_rest[rows], n_bins=4 if fitted is few else 8, ax=ax
    )
    ax.get_legend().remove()
    ax.set(xlabel="score of the SVM", xlim=(grid[0], grid[-1]), ylabel="")
axes[0].set_ylabel("malignant, from belief to plausibility")
axes[0].text(-1.55, 0.6, "Platt,\n12 times 20", color="0.45")
axes[0].set_title("After 20 patients the band is wide ...", loc="left")
axes[1].set_title("... and after 240 it is narrow", loc="left")
width = [np.ptp(fitted.predict_interval(grid), axis=1).mean() for fitted in (few, calibrator)]
assert width[1] < width[0] / 2
plt.show()

# %%
# Shares of malignant tumors against predicted probabilities. At each place, calibrated
# probabilities stay in the band 19 times out of 20. The score as log-odds does not: it is
# underconfident, because more of its high probabilities are right than it says. The calibrated
# probabilities do, except for the lowest: below 5 %, 9 % of the tumors are malignant.

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", sharey=True)
outside, excess = [], []
for ax, p in zip(axes, (expit(scores[test]), wanted), strict=True):
    display = ReliabilityDisplay.from_predictions(
        y_rest[test], p, strategy="corp", random_state=0, **positive, ax=ax
    )
    ax.get_legend().remove()
    ax.set(xlabel="predicted probability", ylabel="")
    place, low, high = display.band
    share = np.interp(place, *display.line_.get_data())
    outside.append(place[(share < low - 1e-9) | (share > high + 1e-9)])
    excess.append(np.mean((share - place)[place > 0.5]))
axes[0].set_ylabel("share of malignant tumors")
axes[0].set_title("Score as log-odds: underconfident", loc="left")
axes[1].set_title("Calibrated: reliable above 5 %", loc="left")
print("patients outside of the band:", *map(len, outside))
print(f"of low ones {share[place < 0.05].mean():.2f}, predicted {place[place < 0.05].mean():.2f}")
assert excess[0] > 0.2
assert len(outside[1]) < len(outside[0])
assert outside[1].max() < 0.05 < 0.08 < share[place < 0.05].mean()
plt.show()
