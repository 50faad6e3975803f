"""All studies, by name; a new study is a new line."""

from examples.studies._study import Study
from examples.studies.automatic.study import AUTOMATIC_CALIBRATION
from examples.studies.calarena_small.study import CALARENA_SMALL
from examples.studies.conformal_validity.study import CONFORMAL_VALIDITY
from examples.studies.default_classifier.study import DEFAULT_CLASSIFIER
from examples.studies.fusion_benchmark.study import FUSION_BENCHMARK
from examples.studies.gebel2009.figures import GEBEL2009_FIGURES
from examples.studies.gebel2009.multiclass import GEBEL2009_MULTICLASS
from examples.studies.gebel2009.others import GEBEL2009_OTHERS
from examples.studies.gebel2009.study import GEBEL2009
from examples.studies.interval_coverage.study import INTERVAL_COVERAGE
from examples.studies.kdd98.study import KDD98
from examples.studies.label_free.study import LABEL_FREE
from examples.studies.learners.study import LEARNERS
from examples.studies.naeini2016.adagrad import NAEINI2016_ADAGRAD
from examples.studies.naeini2016.classes import NAEINI2016_CLASSES
from examples.studies.naeini2016.liblinear import NAEINI2016_LIBLINEAR
from examples.studies.naeini2016.real import NAEINI2016_REAL
from examples.studies.naeini2016.study import NAEINI2016_SIMULATED
from examples.studies.naeini2016.table5 import NAEINI2016_TABLE5
from examples.studies.naeini2016_causal.default import CAUSAL_PENALTY
from examples.studies.naeini2016_causal.edges import NAEINI2016_CAUSAL_EDGES
from examples.studies.naeini2016_causal.large import NAEINI2016_CAUSAL_LARGE
from examples.studies.naeini2016_causal.penalty import NAEINI2016_CAUSAL_PENALTY
from examples.studies.naeini2016_causal.study import NAEINI2016_CAUSAL
from examples.studies.quality.study import CALIBRATOR_QUALITY
from examples.studies.svc_probabilities.study import SVC_PROBABILITIES
from examples.studies.which_fusion.study import WHICH_FUSION, WHICH_FUSION_PAPER
from examples.studies.xu2016.ten import XU2016_TEN
from examples.studies.xu2016.three import XU2016_THREE
from examples.studies.zadrozny.calibration_2002 import ZADROZNY2002
from examples.studies.zadrozny.couplings_2001 import ZADROZNY2001
from examples.studies.zadrozny.figures_2002 import ZADROZNY2002_FIGURES
from examples.studies.zadrozny.newsgroups_2002 import ZADROZNY2002_NEWSGROUPS

__all__ = ["STUDIES"]

_ALL: tuple[Study, ...] = (
    XU2016_THREE,
    XU2016_TEN,
    NAEINI2016_SIMULATED,
    NAEINI2016_CAUSAL,
    NAEINI2016_CAUSAL_LARGE,
    NAEINI2016_CAUSAL_PENALTY,
    NAEINI2016_CAUSAL_EDGES,
    NAEINI2016_REAL,
    NAEINI2016_LIBLINEAR,
    NAEINI2016_TABLE5,
    NAEINI2016_CLASSES,
    NAEINI2016_ADAGRAD,
    ZADROZNY2001,
    ZADROZNY2002,
    ZADROZNY2002_NEWSGROUPS,
    ZADROZNY2002_FIGURES,
    KDD98,
    GEBEL2009,
    GEBEL2009_OTHERS,
    GEBEL2009_FIGURES,
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
    LABEL_FREE,
    CAUSAL_PENALTY,
)

STUDIES: dict[str, Study] = {study.name: study for study in _ALL}
"""Name to study, for the command `python -m examples.studies`."""
