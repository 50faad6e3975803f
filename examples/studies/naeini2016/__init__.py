"""Naeini (2016): calibrators on simulated data, and on real data of two and of many classes."""
