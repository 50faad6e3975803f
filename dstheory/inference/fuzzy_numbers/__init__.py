"""Gaussian random fuzzy numbers."""
