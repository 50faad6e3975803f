"""Pictures of mass functions, of belief about quantities, and of networks (by matplotlib).

A class method makes each display from its data; `plot` draws it and stores the artists as
attributes that end in an underscore.
"""

from dstheory.optional import require

require("matplotlib", "dstheory.plot")

from dstheory.plot._bounds import BoundsDisplay
from dstheory.plot._credal import credal_vertices
from dstheory.plot._hasse import HasseDisplay
from dstheory.plot._level_set import LevelSetDisplay
from dstheory.plot._mass import MassDisplay
from dstheory.plot._network import JoinTreeDisplay, NetworkDisplay
from dstheory.plot._parameter import ParameterContourDisplay

__all__ = [
    "BoundsDisplay",
    "HasseDisplay",
    "JoinTreeDisplay",
    "LevelSetDisplay",
    "MassDisplay",
    "NetworkDisplay",
    "ParameterContourDisplay",
    "credal_vertices",
]


def __dir__() -> list[str]:
    return __all__
