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
figure, axes = plt.subplots(1, 3, figsize=(13, 5), layout="constrained")
for ax, (name, clustering) in zip(axes, clusterings.items(), strict=True):
    CredalPartitionDisplay.from_estimator(clustering.fit(X), X, ax=ax)
    ax.set_xlabel(name)
plt.show()

# %%
# Evidential c-means names outliers, by the distance ``delta``. EK-NNclus found the number of
# clusters by itself, and is nearly sure, as many neighbors agree. BootClus doubts where its
# mixtures do, and only there.
for name, clustering in clusterings.items():
    summary = summarize_clusters(clustering.mass_)
    print(
        f"{name:18}  clusters {summary.n_clusters}, surely in one {sum(summary.surely)}, "
        f"outliers {summary.n_outliers}, nonspecificity {summary.nonspecificity:.2f}"
    )
