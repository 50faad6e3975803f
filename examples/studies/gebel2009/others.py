"""Gebel's calibrators of two classes on scores of a network and of a tree.

Source: Gebel (2009), sections 6.1.2 and 6.1.3, tables 6.4 and 6.6.
"""

from dataclasses import replace

from examples.studies._beside import read_prose
from examples.studies.gebel2009._sources import NETWORK, TREE
from examples.studies.gebel2009.study import DATASETS, GEBEL2009, GebelCondition, published_tables

__all__ = ["GEBEL2009_OTHERS"]

_PRINTED = {
    (NETWORK, "6.4", "the network"): """
.995 .899 .966 .701 .829 .189 .753 .561 .718 .556 .796 .661 .900 .700 .695 .561 .793 .675
.995 .982 .966 .939 .829 .083 .753 .600 .718 .569 .796 .676 .900 .829 .695 .584 .793 .669
.995 .990 .967 .933 .752 .126 .752 .602 .705 .543 .792 .659 .871 .798 .671 .558 .798 .658
.990 .980 .963 .936 .837 .069 .755 .617 .712 .557 .792 .681 .903 .827 .709 .600 .769 .602
.995 .971 .964 .939 .825 .080 .755 .623 .712 .560 .796 .684 .900 .843 .688 .583 .783 .668
.995 .974 .959 .936 .827 .077 .751 .618 .722 .575 .777 .675 .857 .799 .699 .598 .701 .549""",
    (TREE, "6.6", "the tree"): """
.985 .902 .935 .901 .964 .941 .665 .520 .683 .560 .707 .617 .891 .829 .707 .592 .701 .553
.985 .924 .938 .905 .967 .945 .659 .514 .679 .554 .714 .619 .891 .827 .712 .595 .701 .551
.500 .381 .918 .860 .954 .917 .597 .502 .647 .524 .692 .570 .871 .762 .710 .570 .721 .556
.920 .847 .379 .386 .961 .854 .667 .414 .712 .568 .685 .592 .888 .830 .696 .583 .716 .590
.960 .894 .869 .547 .946 .880 .667 .507 .689 .531 .659 .555 .866 .808 .709 .577 .725 .580
.540 .543 .434 .379 .965 .889 .679 .513 .673 .554 .688 .597 .894 .843 .701 .590 .663 .554""",
}

TEXT = read_prose(__file__)
GEBEL2009_OTHERS = replace(
    GEBEL2009,
    name="gebel2009-others",
    title="Calibrators of two classes: a network and a tree",
    source="Gebel (2009), Multivariate calibration of classifier scores into the probability "
    "space, sections 6.1.2 and 6.1.3, tables 6.4 and 6.6",
    conditions=tuple(GebelCondition(*names, (NETWORK, TREE)) for names in DATASETS.items()),
    published=tuple(published_tables(_PRINTED)),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("haberman",),
    extra=None,
)
