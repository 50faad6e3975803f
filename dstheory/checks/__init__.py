"""Checks of what users hand in; each is asked where a value enters, and nowhere else."""
