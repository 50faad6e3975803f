"""Many variables: product frames, extension, marginalization, relations, conditional beliefs."""

from dstheory.product._combine import combine
from dstheory.product._frame import ProductFrame
from dstheory.product._marginal import extend, marginalize, on, project
from dstheory.product._variable import Variable

__all__ = [
    "ProductFrame",
    "Variable",
    "combine",
    "extend",
    "marginalize",
    "on",
    "project",
]
