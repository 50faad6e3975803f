"""Exchange of mass functions with other programs: JSON, CSV, LaTeX, the R package dst."""

from dstheory.interchange._csv import from_csv, to_csv
from dstheory.interchange._foreign import from_dst_matrix
from dstheory.interchange._json import from_json, to_json
from dstheory.interchange.display import to_latex

__all__ = [
    "from_csv",
    "from_dst_matrix",
    "from_json",
    "to_csv",
    "to_json",
    "to_latex",
]


def __dir__() -> list[str]:
    return __all__
