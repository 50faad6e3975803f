"""
Five doctors, 45 patients
=========================

Five anesthetists judged from medical histories how fit 45 patients were for anesthesia, and nobody
knows who was right. The model that Dawid and Skene made for them in 1979 is almost certain about
every patient. The consensus names the same class for 43, and leaves the class open for 12 on whom
the doctors disagree.

Data: Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM
algorithm, Applied Statistics 28, 20-28, Table 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from dstheory.plot.style import COLORS
from evical import EvidentialFusion

# %%
# One number per patient. Its digits are classes from 1, fit, to 4: three judgments of the first
# doctor on different days, then one of each other doctor.

PATIENTS = (
    "1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 "
    "2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 "
    "2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 "
    "2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 "
    "2222222"
)
votes = np.array([list(patient) for patient in PATIENTS.split()])
judged = (votes[:, :, np.newaxis] == ["1", "2", "3", "4"]).astype(float)
doctors = {"doctor 1": judged[:, :3].mean(axis=1)}
doctors |= {f"doctor {number}": judged[:, number + 1] for number in range(2, 6)}

# %%
# The model of 1979: each doctor has a table of errors, and errs independently of the others. It is
# fitted by expectation and maximization, from the shares of the judgments.

counts = np.stack([judged[:, :3].sum(axis=1), *(judged[:, place] for place in range(3, 7))])
posterior = judged.mean(axis=1)
for _ in range(500):
    prevalence = posterior.mean(axis=0)
    errors = np.einsum("nk,snj->skj", posterior, counts) + 1e-10
    errors /= errors.sum(axis=2, keepdims=True)
    log_posterior = np.log(prevalence + 1e-10) + np.einsum("snj,skj->nk", counts, np.log(errors))
    posterior = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
assert prevalence.round(2).tolist() == [0.4, 0.42, 0.11, 0.07]  # as published
assert posterior.max(axis=1).min() > 0.94

# %%
# The consensus counts the three judgments of the first doctor as one source. Where belief in one
# class exceeds the plausibility of all others, one class remains.

fusion = EvidentialFusion(classes=["1", "2", "3", "4"]).fit(doctors)
best = fusion.predict_proba(doctors).argmax(axis=1)
bel, pl = fusion.predict_interval(doctors)[np.arange(45), best].T
remaining = fusion.predict_set(doctors)
is_open = remaining.sum(axis=1) > 1
unanimous = (votes == votes[:, :1]).all(axis=1)
print(
    f"{is_open.sum()} patients are open; {(best == posterior.argmax(axis=1)).sum()} classes agree"
)
assert is_open.sum() == 12
assert (best == posterior.argmax(axis=1)).sum() == 43
assert not (is_open & unanimous).any()
assert remaining[np.arange(45), posterior.argmax(axis=1)].all()  # the model's class is possible

# %%
# Both patients about whom they differ are among the 12, and the class of the model remains possible
# there. That the doctors' errors are independent is an assumption: they read the same histories.
# With it, ``Consensus(dependence=0)`` is as certain as the model.

figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
order = np.lexsort([-bel, is_open])
place = np.empty(45)
place[order] = np.arange(45)
for rows, color, x, text in (
    (~is_open, COLORS["blue"], 20, "belief to plausibility:\none class remains"),
    (is_open, COLORS["orange"], 31, "two classes\nor more remain"),
):
    ax.vlines(place[rows], bel[rows], pl[rows], color=color, linewidth=4)
    ax.text(x, 0.3 if x < 30 else 0.08, text, color=color, ha="center")
ax.plot(place, posterior.max(axis=1), "k.", markersize=5)
ax.text(22, 1.05, "probability by the model of 1979", ha="center")
ax.set(xlabel="patients, sorted", ylabel="most probable class", ylim=(0, 1.15))
ax.set_title("Where doctors disagree, the consensus is open and the model is certain", loc="left")
plt.show()
