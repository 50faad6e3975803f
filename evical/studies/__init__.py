"""Studies of papers as data: one engine that runs them, and a folder for each paper."""

from evical.studies._page import study_files
from evical.studies._registry import STUDIES
from evical.studies._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from evical.studies._study import Curve, Finding, McNemar, PublishedTable, Study, repeat_rng
from evical.studies._tables import summary_csv
from evical.studies.demo._page import demo_page, differences_table, findings, results_table
from evical.studies.demo._pictures import CalibrationSample, calibration_samples, demo_pictures
from evical.studies.demo.study import demo_study
from evical.studies.parts.methods import Method
from evical.studies.parts.metrics import METRICS, Metric
from evical.studies.parts.shares import draw_halves, share_sizes
from evical.studies.quality.contenders import Contender, calibrator_contenders
from evical.studies.quality.study import optimum, quality_study

__all__ = [
    "METRICS",
    "STUDIES",
    "CalibrationSample",
    "Contender",
    "Curve",
    "Finding",
    "McNemar",
    "Method",
    "Metric",
    "Outcome",
    "Plan",
    "PublishedTable",
    "Study",
    "calibration_samples",
    "calibrator_contenders",
    "demo_page",
    "demo_pictures",
    "demo_study",
    "differences_table",
    "draw_halves",
    "findings",
    "optimum",
    "plan_study",
    "quality_study",
    "repeat_rng",
    "reproduce",
    "results_table",
    "run_plan",
    "share_sizes",
    "study_files",
    "summary_csv",
]
