"""
Predicting a quantity by a random fuzzy number
==============================================

A line is fitted to a few noisy measurements. What will the next one be, far from the data? Two
kinds of uncertainty answer. The noise of the measurement is a probability: a normal distribution
of known variance. What the data leave open about the line is its relative likelihood, a
possibility: exp(-h (x - m)^2 / 2) with h = 1 / (standard error)^2. Together they are a Gaussian
random fuzzy number, and it shows which kind of uncertainty there is where. An expert who knows
more about the far end is combined with the data by the product-intersection rule.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.inference import GRFN, product_intersection
from dstheory.plot.style import COLORS

# %%
# Fifteen measurements on the left, with noise of standard deviation 1.
rng = np.random.default_rng(4)
noise = 1.0
x = np.sort(rng.uniform(0, 4, 15))
y = 2 + 1.5 * x + noise * rng.standard_normal(x.size)

# %%
# The prediction at each point of a grid: its mode is the fitted line plus noise, its precision
# falls as the standard error of the line grows. As the noise is known and normal, this is the
# predictive belief function of the likelihood, exactly.
design = np.column_stack([np.ones_like(x), x])
covariance = noise**2 * np.linalg.inv(design.T @ design)
coefficients = covariance @ design.T @ y / noise**2

grid = np.linspace(-1, 12, 200)
rows = np.column_stack([np.ones_like(grid), grid])
squared_error = np.einsum("ij,jk,ik->i", rows, covariance, rows)
prediction = GRFN(rows @ coefficients, noise**2, 1 / squared_error)

# %%
# At x = 11 an expert expects 19, give or take 1 or 2. That this comes from an independent
# source is what the rule assumes; the degree of conflict says how far both disagree.
place = int(np.argmin(abs(grid - 11)))
data = prediction[place]
expert = GRFN(19, 0.5, 0.5)
joint = product_intersection(data, expert)
print(f"degree of conflict: {data.conflict(expert):.2f}")

# %%
# Intervals of belief 0.5 and 0.9 are wider than those of the noise alone (dotted), the more so
# the farther the data are. On the right: plausibility of each value at x = 11.
width = np.ptp(prediction.belief_interval(0.9), axis=0)
assert width[-1] > 1.5 * width.min()
assert data.mu < joint.mu < expert.mu
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for level, shade in ((0.9, 0.2), (0.5, 0.4)):
    low, high = prediction.belief_interval(level)
    left.fill_between(grid, low, high, color=COLORS["blue"], alpha=shade, lw=0)
    left.text(12.2, high[-1], f"{level}", color=COLORS["blue"], va="center")
low, high = GRFN(prediction.mu, noise**2, np.inf).belief_interval(0.9)
left.plot(grid, low, ":", grid, high, ":", color=COLORS["gray"])
left.plot(grid, prediction.mu, color=COLORS["blue"])
left.plot(x, y, "o", color="black", ms=4)
left.text(0.5, -1.8, "measurements")
left.text(-0.8, 21, "belief 0.9 and 0.5;\ndotted: noise alone, 0.9", color=COLORS["blue"])
left.axvline(grid[place], color=COLORS["vermilion"], lw=1)
left.set(xlabel="x", ylabel="y", xlim=(-1.5, 13.8))
left.set_title("Far from the data, less is known", loc="left")

values = np.linspace(8, 28, 400)
for number, color, name, at in (
    (data, COLORS["blue"], "data", 12.9),
    (expert, COLORS["vermilion"], "expert", 21),
    (joint, "black", "both", 17.6),
):
    right.plot(values, number.contour(values), color=color)
    side = {"data": "right", "expert": "left", "both": "center"}[name]
    right.text(at, 0.55 if name != "both" else 0.92, name, color=color, ha=side)
low, high = joint.belief_interval(0.9)
assert high - low < 0.85 * min(np.ptp(number.belief_interval(0.9)) for number in (data, expert))
right.plot([low, high], [0, 0], color="black", lw=4, solid_capstyle="butt")
right.text(24, 0.03, "belief 0.9")
right.set(xlabel="y at x = 11", ylabel="plausibility", ylim=(-0.03, 1.02))
right.set_title("Together they leave less open", loc="left")
plt.show()
