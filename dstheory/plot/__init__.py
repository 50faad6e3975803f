"""Pictures of belief about quantities, and of networks; matplotlib is needed here only.

Each display is made by a class method from what it shows, draws with `plot`, and keeps the artists
as attributes that end in an underscore.
"""

from dstheory.plot._bounds import BoundsDisplay
from dstheory.plot._join_tree import JoinTreeDisplay
from dstheory.plot._level_set import LevelSetDisplay
from dstheory.plot._network import NetworkDisplay
from dstheory.plot._parameter import ParameterContourDisplay

__all__ = [
    "BoundsDisplay",
    "JoinTreeDisplay",
    "LevelSetDisplay",
    "NetworkDisplay",
    "ParameterContourDisplay",
]
