"""Contours on parameters, from likelihoods and from experts."""
