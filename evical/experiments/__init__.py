"""Experiments as data: a protocol, one runner, and the summary of its rounds."""

from evical.experiments._describe import describe
from evical.experiments._example import CalibrationSample, calibration_samples
from evical.experiments._metrics import METRICS, Metric
from evical.experiments._protocol import TEN_CLASSIFIERS, Method, Protocol
from evical.experiments._runner import Results, Round, check_dataset, run, run_round
from evical.experiments._split import draw_halves, share_sizes
from evical.experiments._summary import Estimate, estimates, paired_difference, reliability_data

__all__ = [
    "METRICS",
    "TEN_CLASSIFIERS",
    "CalibrationSample",
    "Estimate",
    "Method",
    "Metric",
    "Protocol",
    "Results",
    "Round",
    "calibration_samples",
    "check_dataset",
    "describe",
    "draw_halves",
    "estimates",
    "paired_difference",
    "reliability_data",
    "run",
    "run_round",
    "share_sizes",
]
