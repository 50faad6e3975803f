"""Studies of papers as data: one engine that runs them, and a folder for each paper."""

from evical.studies._page import study_files
from evical.studies._registry import STUDIES
from evical.studies._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from evical.studies._study import (
    Curve,
    Finding,
    McNemar,
    PublishedTable,
    Study,
    repeat_rng,
)
from evical.studies.demo._findings import findings
from evical.studies.demo._page import demo_page
from evical.studies.demo._pictures import demo_pictures
from evical.studies.demo._tables import differences_table, results_table, to_csv
from evical.studies.gebel2009.study import (
    GEBEL_DATASETS,
    GebelProtocol,
    GebelRow,
    load_gebel,
    run_gebel,
)
from evical.studies.parts.description import describe
from evical.studies.parts.example import CalibrationSample, calibration_samples
from evical.studies.parts.metrics import METRICS, Metric
from evical.studies.parts.protocol import TEN_CLASSIFIERS, Method, Protocol
from evical.studies.parts.runner import Repeat, Results, check_dataset, run, run_repeat
from evical.studies.parts.split import draw_halves, share_sizes
from evical.studies.parts.summary import estimates, paired_difference, reliability_data
from evical.studies.quality.study import (
    Contender,
    Quality,
    calibrator_contenders,
    optimum,
    quality_study,
)

__all__ = [
    "GEBEL_DATASETS",
    "METRICS",
    "STUDIES",
    "TEN_CLASSIFIERS",
    "CalibrationSample",
    "Contender",
    "Curve",
    "Finding",
    "GebelProtocol",
    "GebelRow",
    "McNemar",
    "Method",
    "Metric",
    "Outcome",
    "Plan",
    "Protocol",
    "PublishedTable",
    "Quality",
    "Repeat",
    "Results",
    "Study",
    "calibration_samples",
    "calibrator_contenders",
    "check_dataset",
    "demo_page",
    "demo_pictures",
    "describe",
    "differences_table",
    "draw_halves",
    "estimates",
    "findings",
    "load_gebel",
    "optimum",
    "paired_difference",
    "plan_study",
    "quality_study",
    "reliability_data",
    "repeat_rng",
    "reproduce",
    "results_table",
    "run",
    "run_gebel",
    "run_plan",
    "run_repeat",
    "share_sizes",
    "study_files",
    "to_csv",
]
