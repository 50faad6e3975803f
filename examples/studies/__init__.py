"""Studies of papers as data: one engine that runs them, and a folder for each paper."""

from examples.studies._page import study_files
from examples.studies._registry import STUDIES
from examples.studies._reproduce import Outcome, Plan, plan_study, reproduce, run_plan
from examples.studies._study import Curve, Finding, McNemar, PublishedTable, Study, repeat_rng

__all__ = [
    "STUDIES",
    "Curve",
    "Finding",
    "McNemar",
    "Outcome",
    "Plan",
    "PublishedTable",
    "Study",
    "plan_study",
    "repeat_rng",
    "reproduce",
    "run_plan",
    "study_files",
]
