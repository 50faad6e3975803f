"""Beliefs about samples: one type, whatever it stores, between calibrators, rules and users."""

from evical.beliefs._base import Beliefs
from evical.beliefs._composed import as_beliefs, conflict, joined, mean, placed

__all__ = ["Beliefs", "as_beliefs", "conflict", "joined", "mean", "placed"]
