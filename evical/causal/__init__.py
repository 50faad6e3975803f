"""Causal networks from data, and how far each of their edges can be believed."""

from evical.causal._bootstrap import BootstrappedEdges
from evical.causal._calibrated import CalibratedEdges
from evical.causal._fast_ges import FastGES
from evical.causal._graphs import EDGE_TYPES, dag_to_cpdag, edge_types
from evical.causal._networks import DiscreteNetwork, alarm_network, random_network

__all__ = [
    "EDGE_TYPES",
    "BootstrappedEdges",
    "CalibratedEdges",
    "DiscreteNetwork",
    "FastGES",
    "alarm_network",
    "dag_to_cpdag",
    "edge_types",
    "random_network",
]
