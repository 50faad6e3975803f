"""Multiclass problems: reductions to binary problems, couplings, multiclass calibrators."""

from evical.multiclass._auto_multiclass_calibrator import AutoMulticlassCalibrator
from evical.multiclass._base import BaseMulticlassCalibrator
from evical.multiclass._decoding import loss_decode
from evical.multiclass._dirichlet_calibrator import DirichletCalibrator
from evical.multiclass._least_squares import least_squares, wu_lin_weng
from evical.multiclass._multinomial_calibrator import MultinomialLogisticCalibrator
from evical.multiclass._one_vs_rest_calibrator import OneVsRestCalibrator
from evical.multiclass._shallow_net import ShallowNetCalibrator
from evical.multiclass._softmax_calibrator import SoftmaxCalibrator
from evical.multiclass._structured import StructuredMatrixCalibrator, StructuredVectorCalibrator
from evical.multiclass.coded import code_beliefs
from evical.multiclass.codes import code_matrix, sparse_code_probability
from evical.multiclass.coupling import hastie_tibshirani, normalize
from evical.multiclass.pairwise import pairwise_belief

__all__ = [
    "AutoMulticlassCalibrator",
    "BaseMulticlassCalibrator",
    "DirichletCalibrator",
    "MultinomialLogisticCalibrator",
    "OneVsRestCalibrator",
    "ShallowNetCalibrator",
    "SoftmaxCalibrator",
    "StructuredMatrixCalibrator",
    "StructuredVectorCalibrator",
    "code_beliefs",
    "code_matrix",
    "hastie_tibshirani",
    "least_squares",
    "loss_decode",
    "normalize",
    "pairwise_belief",
    "sparse_code_probability",
    "wu_lin_weng",
]


def __dir__() -> list[str]:
    return __all__
