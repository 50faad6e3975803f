"""
Forecasting with belief functions
=================================

How far will diabetes have progressed after a year? A linear model on body mass index answers with
a random interval: its two distribution functions bracket the noise as well as what the data leave
open about the coefficients. From 12 patients the bracket is wide; from 442 it closes, and what
remains is the noise. Method: Kanjanatarakul, Sriboonchitta & Denoeux, Forecasting using belief
functions, International Journal of Approximate Reasoning 55, 2014.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from dstheory.inference import predict
from dstheory.plot.style import COLORS

# Body mass index in kg/m2, and a measure of disease progression one year later.
data = load_diabetes(scaled=False)
bmi, progression = data.data[:, 2], data.target
new_bmi = np.linspace(17, 43, 27)


def design(x):
    """A constant and the body mass index."""
    return np.column_stack([np.ones_like(x), x])


def forecast(rows):
    """Predict new patients from some of the old ones."""
    return predict(design(bmi[rows]), progression[rows], design(new_bmi))


few = np.random.default_rng(0).choice(len(bmi), 12, replace=False)
everyone = np.arange(len(bmi))

# %%
# The expected interval is dark blue; the interval that holds a new patient with a degree of belief
# of at least 0.9 is light blue. The dots are the patients that the model has seen. Of the patients
# not seen, at least 90 % should lie inside of the light interval.

rest = np.setdiff1d(everyone, few)
low, high = predict(design(bmi[few]), progression[few], design(bmi[rest])).belief_interval(0.9)
covered = np.mean((low <= progression[rest]) & (progression[rest] <= high))
print(f"from 12 patients, {covered:.0%} of the other {len(rest)} lie in their interval")
assert covered >= 0.9

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
widths = []
for axis, rows in zip(axes, (few, everyone), strict=True):
    result = forecast(rows)
    outer, inner = result.belief_interval(0.9), result.expectation()
    widths.append([np.mean(high - low) for low, high in (inner, outer)])
    axis.fill_between(new_bmi, *outer, color=COLORS["sky"], alpha=0.35, lw=0)
    axis.fill_between(new_bmi, *inner, color=COLORS["blue"], alpha=0.7, lw=0)
    axis.plot(bmi[rows], progression[rows], "k.", markersize=7 if len(rows) < 50 else 2.5)
    axis.set(xlabel="body mass index", ylim=(-150, 500))
assert widths[1][0] < widths[0][0] / 3
assert widths[1][0] < widths[1][1] / 10
axes[0].set_ylabel("progression after a year")
axes[0].set_title("12 patients: the mean is vague", loc="left")
axes[1].set_title("442: only the noise is left", loc="left")
axes[1].text(42, -75, "belief 0.9", color=COLORS["sky"], ha="right")
axes[1].text(42, -120, "expectation", color=COLORS["blue"], ha="right")
plt.show()

# %%
# For one new patient, of body mass index 35, lower and upper distribution functions.

y = np.linspace(0, 450, 91)
left_open = []
line = {"arrowstyle": "-", "color": COLORS["blue"]}
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for rows, color in ((few, COLORS["vermilion"]), (everyone, COLORS["blue"])):
    one = predict(design(bmi[rows]), progression[rows], design(np.array([35.0])))
    lower, upper = one.cdf(y)
    ax.fill_between(y, lower, upper, color=color, alpha=0.4, lw=0)
    left_open.append(np.mean(upper - lower))
assert left_open[1] < left_open[0] / 3
ax.text(180, 0.5, "12 patients", color=COLORS["vermilion"], ha="right")
ax.annotate("442 patients", (265, 0.6), (330, 0.45), color=COLORS["blue"], arrowprops=line)
ax.set(xlabel="progression y, body mass index 35", ylabel="belief and plausibility")
ax.set_title("At most y: what is left open closes with more patients", loc="left")
plt.show()
