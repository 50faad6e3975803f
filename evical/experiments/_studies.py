"""All studies of papers, by name; a new study is a new line."""

from evical.experiments._naeini2016 import NAEINI2016_SIMULATED
from evical.experiments._study import Study
from evical.experiments._which_fusion import WHICH_FUSION, WHICH_FUSION_PAPER
from evical.experiments._xu2016_ten import XU2016_TEN
from evical.experiments._xu2016_three import XU2016_THREE
from evical.experiments._zadrozny2001 import ZADROZNY2001
from evical.experiments._zadrozny2002 import ZADROZNY2002

__all__ = ["STUDIES"]

_ALL: tuple[Study, ...] = (
    XU2016_THREE,
    XU2016_TEN,
    NAEINI2016_SIMULATED,
    ZADROZNY2001,
    ZADROZNY2002,
    WHICH_FUSION,
    WHICH_FUSION_PAPER,
)

STUDIES: dict[str, Study] = {study.name: study for study in _ALL}
"""Name to study, for the command `evical reproduce`."""
