"""Pictures of belief about parameters and quantities; matplotlib is needed here only.

Each display is made by a class method from what it shows, draws with `plot`, and keeps the artists
as attributes that end in an underscore.
"""

from dstheory.plot._bounds import BoundsDisplay
from dstheory.plot._level_set import LevelSetDisplay
from dstheory.plot._parameter import ParameterContourDisplay

__all__ = ["BoundsDisplay", "LevelSetDisplay", "ParameterContourDisplay"]
