"""Studies of papers as data: one engine that runs them, and a folder for each paper."""

from examples.studies._page import study_files
from examples.studies._registry import STUDIES
from examples.studies._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from examples.studies._study import Curve, Finding, McNemar, PublishedTable, Study, repeat_rng
from examples.studies._tables import summary_csv
from examples.studies.parts.methods import Method
from examples.studies.parts.metrics import METRICS
from examples.studies.quality.contenders import Contender, calibrator_contenders
from examples.studies.quality.study import optimum, quality_study

__all__ = [
    "METRICS",
    "STUDIES",
    "Contender",
    "Curve",
    "Finding",
    "McNemar",
    "Method",
    "Outcome",
    "Plan",
    "PublishedTable",
    "Study",
    "calibrator_contenders",
    "optimum",
    "plan_study",
    "quality_study",
    "repeat_rng",
    "reproduce",
    "run_plan",
    "study_files",
    "summary_csv",
]
