"""Gebel (2009): calibrators of two classes on nine data sets."""
