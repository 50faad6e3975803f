"""Belief functions (Dempster-Shafer theory), as ordinary as arrays."""

from dstheory.frame import Frame
from dstheory.mass import MassFunction

__all__ = ["Frame", "MassFunction"]
