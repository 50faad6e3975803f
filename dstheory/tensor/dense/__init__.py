"""Tables (..., 2^K) of all subsets of at most 12 labels, indexed by mask: label i is bit i."""

from dstheory.tensor.dense._tables import betp, conjunctive, convert_table, dempster, disjunctive

__all__ = ["betp", "conjunctive", "convert_table", "dempster", "disjunctive"]


def __dir__() -> list[str]:
    return __all__
