"""Classifiers that speak in beliefs by themselves, without calibration.

A neighbor is evidence for its class, and the last layer of a trained network is evidence for and
against each. Functions first: `latent_mass` reads what a fitted model already says.
"""

from evical.learners._evidence import WeightedEvidence
from evical.learners._latent import latent_evidence, latent_mass
from evical.learners._neighbors import EvidentialKNeighborsClassifier

__all__ = [
    "EvidentialKNeighborsClassifier",
    "WeightedEvidence",
    "latent_evidence",
    "latent_mass",
]
