"""Naeini and Cooper (2016): calibrators on simulated data."""
