"""Studies of papers as data: one engine that runs them, and a folder for each paper."""

from evical.studies._page import study_files
from evical.studies._registry import STUDIES
from evical.studies._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from evical.studies._study import Curve, Finding, McNemar, PublishedTable, Study, repeat_rng
from evical.studies._tables import summary_csv
from evical.studies.parts.methods import Method
from evical.studies.parts.metrics import METRICS
from evical.studies.quality.contenders import Contender, calibrator_contenders
from evical.studies.quality.study import optimum, quality_study

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
