"""Table 33 with more edges, by the search of larger penalty: Naeini (2016), section 6.2."""

from dataclasses import replace

from examples.studies._beside import read_prose
from examples.studies._study import Finding
from examples.studies.naeini2016_causal._published import TABLE_33
from examples.studies.naeini2016_causal.condition import BEFORE
from examples.studies.naeini2016_causal.penalty import (
    CHOSEN,
    METHODS,
    NAEINI2016_CAUSAL_PENALTY,
    REPORTED,
    penalized,
    printed,
)
from examples.studies.naeini2016_causal.study import NAEINI2016_CAUSAL

__all__ = ["NAEINI2016_CAUSAL_EDGES"]

EDGES = (2000, 3000)
RUN = 4  # networks of 2,000 edges, of ten in the thesis


def _against_shares(method: str) -> Finding:
    return Finding(
        text=f"Not in the thesis: {method}, against shares of bootstraps (overall MCE)",
        measure="mce",
        label="method",
        first=method,
        second=BEFORE,
        by=("size",),
        where={"type": ("all",)},
    )


TEXT = read_prose(__file__)
NAEINI2016_CAUSAL_EDGES = replace(
    NAEINI2016_CAUSAL_PENALTY,
    name="naeini2016-causal-edges",
    title="Causal networks with more edges",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 6.2, table 33, 2,000 and 3,000 edges",
    conditions=tuple(penalized(REPORTED, CHOSEN, n_edges) for n_edges in EDGES),
    comment_repeats=RUN,
    comment_quick=True,
    published=tuple(printed(table, EDGES) for table in TABLE_33),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    overviews=(),
    comparisons=(*NAEINI2016_CAUSAL.comparisons, *map(_against_shares, METHODS[1:])),
    quick=("reported-2000-2",),
)
