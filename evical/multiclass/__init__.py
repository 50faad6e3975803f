"""Multiclass problems: reductions to binary problems, couplings, multiclass calibrators."""

from evical.multiclass._auto_multiclass_calibrator import AutoMulticlassCalibrator
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._codes import check_code_matrix, code_matrix, row_distances
from evical.multiclass._coupling import (
    coupling_divergence,
    hastie_tibshirani,
    hastie_tibshirani_steps,
    normalize,
)
from evical.multiclass._decoding import hamming_decode, loss_decode
from evical.multiclass._dirichlet_calibrator import DirichletCalibrator
from evical.multiclass._least_squares import least_squares, wu_lin_weng
from evical.multiclass._multinomial_calibrator import MultinomialLogisticCalibrator
from evical.multiclass._one_vs_rest_calibrator import OneVsRestCalibrator
from evical.multiclass._pairwise import MAX_PAIRWISE, pairwise_belief
from evical.multiclass._reduction import (
    MAX_CLASSES,
    column_evidence,
    one_vs_rest_betp,
    one_vs_rest_interval,
    one_vs_rest_mass,
    without_total_conflict,
)
from evical.multiclass._shallow_net import ShallowNetCalibrator
from evical.multiclass._softmax_calibrator import SoftmaxCalibrator
from evical.multiclass._structured import StructuredMatrixCalibrator, StructuredVectorCalibrator
from evical.multiclass.coded import code_betp, code_interval, code_mass
from evical.multiclass.contours import code_contour, code_without_conflict

__all__ = [
    "MAX_CLASSES",
    "MAX_PAIRWISE",
    "AutoMulticlassCalibrator",
    "BaseMulticlassCalibrator",
    "DirichletCalibrator",
    "MultinomialLogisticCalibrator",
    "OneVsRestCalibrator",
    "ShallowNetCalibrator",
    "SoftmaxCalibrator",
    "StructuredMatrixCalibrator",
    "StructuredVectorCalibrator",
    "check_code_matrix",
    "code_betp",
    "code_contour",
    "code_interval",
    "code_mass",
    "code_matrix",
    "code_without_conflict",
    "column_evidence",
    "coupling_divergence",
    "hamming_decode",
    "hastie_tibshirani",
    "hastie_tibshirani_steps",
    "least_squares",
    "loss_decode",
    "normalize",
    "one_vs_rest_betp",
    "one_vs_rest_interval",
    "one_vs_rest_mass",
    "pairwise_belief",
    "row_distances",
    "without_total_conflict",
    "wu_lin_weng",
]
