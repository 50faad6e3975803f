"""Zadrozny (2001), and Zadrozny and Elkan (2002): many classes and calibration."""
