"""All studies, by name; a new study is a new line."""

from evical.studies._study import Study
from evical.studies.automatic.study import AUTOMATIC_CALIBRATION
from evical.studies.calarena_small.study import CALARENA_SMALL
from evical.studies.conformal_validity.study import CONFORMAL_VALIDITY
from evical.studies.default_classifier.study import DEFAULT_CLASSIFIER
from evical.studies.fusion_benchmark.study import FUSION_BENCHMARK
from evical.studies.gebel2009.study import GEBEL2009
from evical.studies.interval_coverage.study import INTERVAL_COVERAGE
from evical.studies.naeini2016.study import NAEINI2016_SIMULATED
from evical.studies.quality.study import CALIBRATOR_QUALITY
from evical.studies.svc_probabilities.study import SVC_PROBABILITIES
from evical.studies.which_fusion.study import WHICH_FUSION, WHICH_FUSION_PAPER
from evical.studies.xu2016.ten import XU2016_TEN
from evical.studies.xu2016.three import XU2016_THREE
from evical.studies.zadrozny.calibration_2002 import ZADROZNY2002
from evical.studies.zadrozny.couplings_2001 import ZADROZNY2001

__all__ = ["STUDIES"]

_ALL: tuple[Study, ...] = (
    XU2016_THREE,
    XU2016_TEN,
    NAEINI2016_SIMULATED,
    ZADROZNY2001,
    ZADROZNY2002,
    GEBEL2009,
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
)

STUDIES: dict[str, Study] = {study.name: study for study in _ALL}
"""Name to study, for the command `evical reproduce`."""
