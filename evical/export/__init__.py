"""Exports: predictions in tables of any kind, and where Python ends as SQL, ONNX and JavaScript.

A fitted calibrator is a function of one score. It is compiled to one table of pieces, steps exactly
and curves to an error of at most 1e-7, and written for databases, services and browsers.
"""

from evical.export._columns import predict_table
from evical.export._javascript import to_javascript
from evical.export._onnx import register_converters, to_onnx
from evical.export._sql import to_sql
from evical.export.dempster_sql import fusion_to_sql

__all__ = [
    "fusion_to_sql",
    "predict_table",
    "register_converters",
    "to_javascript",
    "to_onnx",
    "to_sql",
]


def __dir__() -> list[str]:
    return __all__
