"""Belief about future outcomes, from a contour."""
