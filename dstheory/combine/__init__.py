"""Combination rules: one belief from several sources, `rule(m1, m2, *more)`."""

from dstheory.combine._average import deng, mixing, murphy
from dstheory.combine._axis import combine_axis
from dstheory.combine._boolean import conjunctive, disjunctive, exclusive_or
from dstheory.combine._decombine import decombine
from dstheory.combine._dempster import dempster
from dstheory.combine._dubois_prade import dubois_prade
from dstheory.combine._fixsen_mahler import fixsen_mahler
from dstheory.combine._florea import florea
from dstheory.combine._global_conflict import inagaki, lefevre, yager
from dstheory.combine._learning import learn_tnorm
from dstheory.combine._lns import lns
from dstheory.combine._pcr import pcr5, pcr5_plus, pcr6, pcr6_plus
from dstheory.combine._pcr_first import pcr1, pcr2, pcr3, pcr4
from dstheory.combine._tnorm import bold, cautious, tnorm_conjunctive, tnorm_disjunctive

__all__ = [
    "bold",
    "cautious",
    "combine_axis",
    "conjunctive",
    "decombine",
    "dempster",
    "deng",
    "disjunctive",
    "dubois_prade",
    "exclusive_or",
    "fixsen_mahler",
    "florea",
    "inagaki",
    "learn_tnorm",
    "lefevre",
    "lns",
    "mixing",
    "murphy",
    "pcr1",
    "pcr2",
    "pcr3",
    "pcr4",
    "pcr5",
    "pcr5_plus",
    "pcr6",
    "pcr6_plus",
    "tnorm_conjunctive",
    "tnorm_disjunctive",
    "yager",
]


def __dir__() -> list[str]:
    return __all__
