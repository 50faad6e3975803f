"""
Clusters, and what lies between them
====================================

Samples between two clusters belong to either, and some belong to none. Three ways to cluster say so
in three ways: evidential c-means by distances to centers, EK-NNclus by neighbors, and BootClus by
what bootstrapped mixtures disagree about.
"""

# %%
# Four clusters with heavy tails, as in the four-class data of Denoeux's papers. Points have the
# color of the most probable cluster, and are the larger, the more it is believed. Solid hulls hold
# samples that surely belong to a cluster, dashed ones those that possibly do.
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from dstheory import Frame, MassFunction, betp
from dstheory.measure import nonspecificity
from evical.learners import (
    BootClus,
    EvidentialCMeans,
    EvidentialKNNClustering,
    summarize_clusters,
)
from evical.plot import CredalPartitionDisplay

rng = np.random.default_rng(1)
centers = np.array([[0, 0], [0, 4], [4, 0], [4, 4]])
X = centers[np.repeat(range(4), 60)] + rng.standard_t(5, (240, 2))

clusterings = {
    "evidential c-means": EvidentialCMeans(n_clusters=4, delta=3.5, random_state=0),
    "EK-NNclus": EvidentialKNNClustering(random_state=0),
    "BootClus": BootClus(
        n_clusters=4, covariance_type="spherical", n_bootstraps=100, random_state=0
    ),
}


def matched(m):
    """The clusters in the order of the true centers, so that the pictures share colors."""
    means = [X[betp(m).argmax(axis=1) == k].mean(axis=0) for k in range(4)]
    place = linear_sum_assignment(cdist(means, centers))[1]
    focal = [sum(1 << place[k] for k in range(4) if mask >> k & 1) for mask in m.focal.tolist()]
    order = np.argsort(focal)
    return MassFunction(Frame(range(4)), np.array(focal)[order], m.masses[:, order])


findings = "names outliers", "is nearly sure", "doubts where groups meet"
figure, axes = plt.subplots(1, 3, figsize=(8, 3.6), layout="constrained", sharey=True)
for ax, (name, clustering), finding in zip(axes, clusterings.items(), findings, strict=True):
    CredalPartitionDisplay.from_mass(matched(clustering.fit(X).mass_), X, ax=ax)
    ax.get_legend().remove()
    ax.set_title(f"{name}\n{finding}", loc="left", fontsize="medium")
    ax.set(xlabel="", ylabel="")
handles = {h.get_label(): h for ax in axes for h in ax.get_legend_handles_labels()[0]}
shown = [handles[name] for name in ("surely", "possibly", "outliers")]
figure.legend(handles=shown, loc="outside lower left", ncols=3, frameon=False)
plt.show()

# %%
# Evidential c-means names outliers, by the distance ``delta``. EK-NNclus found the number of
# clusters by itself, and is nearly sure, as many neighbors agree. BootClus doubts where its
# mixtures disagree: at most samples they do not, and those that it leaves open lie nearer to the
# middle between two groups.
for name, clustering in clusterings.items():
    summary = summarize_clusters(clustering.mass_)
    print(
        f"{name:18}  clusters {summary.n_clusters}, surely in one {sum(summary.surely)}, "
        f"outliers {summary.n_outliers}, nonspecificity {summary.nonspecificity:.2f}"
    )

of = {name: summarize_clusters(clustering.mass_) for name, clustering in clusterings.items()}
assert of["evidential c-means"].n_outliers > 0
assert of["EK-NNclus"].n_outliers == of["BootClus"].n_outliers == 0
assert of["EK-NNclus"].n_clusters == 4
assert min(of, key=lambda name: of[name].nonspecificity) == "EK-NNclus"
assert of["EK-NNclus"].nonspecificity < 0.01
doubt = nonspecificity(clusterings["BootClus"].mass_)
first, second = np.sort(cdist(X, centers), axis=1)[:, :2].T
assert np.median(doubt) < 0.1
assert np.median((second - first)[doubt > 0.5]) < np.median(second - first) / 2
