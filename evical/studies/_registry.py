"""All studies, by name; a new study is a new line."""

from evical.studies._study import Study
from evical.studies.automatic.study import AUTOMATIC_CALIBRATION
from evical.studies.calarena_small.study import CALARENA_SMALL
from evical.studies.conformal_validity.study import CONFORMAL_VALIDITY
from evical.studies.default_classifier.study import DEFAULT_CLASSIFIER
from evical.studies.fusion_benchmark.study import FUSION_BENCHMARK
from evical.studies.gebel2009.multiclass import GEBEL2009_MULTICLASS
from evical.studies.gebel2009.study import GEBEL2009
from evical.studies.interval_coverage.study import INTERVAL_COVERAGE
from evical.studies.learners.study import LEARNERS
from evical.studies.naeini2016.classes import NAEINI2016_CLASSES
from evical.studies.naeini2016.real import NAEINI2016_REAL
from evical.studies.naeini2016.study import NAEINI2016_SIMULATED
from evical.studies.naeini2016_causal.large import NAEINI2016_CAUSAL_LARGE
from evical.studies.naeini2016_causal.study import NAEINI2016_CAUSAL
from evical.studies.quality.study import CALIBRATOR_QUALITY
from evical.studies.svc_probabilities.study import SVC_PROBABILITIES
from evical.studies.which_fusion.study import WHICH_FUSION, WHICH_FUSION_PAPER
from evical.studies.xu2016.ten import XU2016_TEN
from evical.studies.xu2016.three import XU2016_THREE
from evical.studies.zadrozny.calibration_2002 import ZADROZNY2002
from evical.studies.zadrozny.couplings_2001 import ZADROZNY2001
from evical.studies.zadrozny.newsgroups_2002 import ZADROZNY2002_NEWSGROUPS

__all__ = ["STUDIES"]

_ALL: tuple[Study, ...] = (
    XU2016_THREE,
    XU2016_TEN,
    NAEINI2016_SIMULATED,
    NAEINI2016_CAUSAL,
    NAEINI2016_CAUSAL_LARGE,
    NAEINI2016_REAL,
    NAEINI2016_CLASSES,
    ZADROZNY2001,
    ZADROZNY2002,
    ZADROZNY2002_NEWSGROUPS,
    GEBEL2009,
    GEBEL2009_MULTICLASS,
    INTERVAL_COVERAGE,
    WHICH_FUSION,
    WHICH_FUSION_PAPER,
    CALIBRATOR_QUALITY,
    AUTOMATIC_CALIBRATION,
    SVC_PROBABILITIES,
    DEFAULT_CLASSIFIER,
    CALARENA_SMALL,
    FUSION_BENCHMARK,
    CONFORMAL_VALIDITY,
    LEARNERS,
)

STUDIES: dict[str, Study] = {study.name: study for study in _ALL}
"""Name to study, for the command `evical reproduce`."""
