"""Causal networks from data, and how far each of their edges can be believed."""

from evical.causal._bootstrap import BootstrappedEdges
from evical.causal._calibrated import CalibratedEdges
from evical.causal._fast_ges import FastGES
from evical.causal._graphs import EDGE_TYPES, edge_types
from evical.causal.networks import alarm_network

__all__ = [
    "EDGE_TYPES",
    "BootstrappedEdges",
    "CalibratedEdges",
    "FastGES",
    "alarm_network",
    "edge_types",
]


def __dir__() -> list[str]:
    return __all__
