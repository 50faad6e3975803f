"""Classifiers and clusterings that predict beliefs by themselves, without calibration.

Neighbors and prototypes are evidence for their classes, and the last layer of a trained network is
evidence for and against each. Samples between clusters belong to sets of them. Functions first:
`latent_evidence` reads what a fitted model already says.
"""

from evical.learners._boot_clusters import BootClus
from evical.learners._c_means import EvidentialCMeans
from evical.learners._constrained_c_means import ConstrainedEvidentialCMeans
from evical.learners._credal_partition import credal_rand_index, rough_clusters, summarize_clusters
from evical.learners._knn_clusters import EvidentialKNNClustering
from evical.learners._neighbors import EvidentialKNeighborsClassifier
from evical.learners._neural import EvidentialNeuralClassifier
from evical.learners._rbf import EvidentialRBFClassifier
from evical.learners._regressor import EvidentialRegressor
from evical.learners.latent_model import latent_evidence

__all__ = [
    "BootClus",
    "ConstrainedEvidentialCMeans",
    "EvidentialCMeans",
    "EvidentialKNNClustering",
    "EvidentialKNeighborsClassifier",
    "EvidentialNeuralClassifier",
    "EvidentialRBFClassifier",
    "EvidentialRegressor",
    "credal_rand_index",
    "latent_evidence",
    "rough_clusters",
    "summarize_clusters",
]


def __dir__() -> list[str]:
    return __all__
