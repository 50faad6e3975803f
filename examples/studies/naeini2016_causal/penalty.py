"""Table 33 with a search that finds as much as the thesis's: Naeini (2016), section 6.2.

The penalty of the search is chosen by the printed row of shares before calibration, on networks
that are not reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Overview, PublishedTable, Record, Study
from examples.studies.naeini2016_causal._published import TABLE_33
from examples.studies.naeini2016_causal.condition import LABELS, MEASURES, NetworkCondition

__all__ = ["CHOSEN", "METHODS", "NAEINI2016_CAUSAL_PENALTY", "REPORTED", "penalized", "printed"]

CHOICE, REPORTED = "choice", "reported"
PENALTIES, CHOSEN = (1.0, 1.5, 2.0, 2.5), 2.0
METHODS = ("SNN", "SNN, 200 steps", "SNN, 1,000 steps", "SNN, both directions", "evidential")
# The thesis has 200 bootstraps of ten networks, and 2,000 and 3,000 edges too.
CHOICE_BOOTSTRAPS, BOOTSTRAPS, DRAWS, NETWORKS, RUN = 10, 60, 5, 10, 4


@dataclass(frozen=True)
class PenalizedCondition:
    """A network of a part of the study, searched with one penalty.

    Parameters
    ----------
    part : {"choice", "reported"}
        Networks of different parts are different; those of one part are the same.
    network : NetworkCondition
    """

    part: str
    network: NetworkCondition

    @property
    def key(self) -> str:
        return f"{self.part}-{self.network.n_edges}-{self.network.penalty:g}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return ()

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        names = self.part, f"{self.network.penalty:g}"
        records = self.network.run_repeat(data, number, seed)
        return [((*names, *labels), values) for labels, values in records]


def penalized(part: str, penalty: float, n_edges: int = 1000) -> PenalizedCondition:
    """The networks of a part of the study: few bootstraps choose, all methods are reported."""
    condition = NetworkCondition(f"{part} networks", 1000, n_edges, penalty=penalty)
    if part == CHOICE:
        few = replace(condition, sizes=(40,), n_bootstraps=CHOICE_BOOTSTRAPS, methods=())
        return PenalizedCondition(part, few)
    reported = replace(condition, n_bootstraps=BOOTSTRAPS, methods=METHODS, n_draws=DRAWS)
    return PenalizedCondition(part, reported)


def printed(table: PublishedTable, edges: tuple[int, ...]) -> PublishedTable:
    """The numbers of networks with so many edges, beside those with the chosen penalty."""
    kept = {names: value for names, value in table.values.items() if int(names[1]) in edges}
    return replace(table, values=kept, where={"part": REPORTED, "penalty": f"{CHOSEN:g}"})


TEXT = read_prose(__file__)
NAEINI2016_CAUSAL_PENALTY = Study(
    name="naeini2016-causal-penalty",
    title="Causal networks by a search with a larger penalty",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 6.2, table 33, 1,000 edges",
    labels=("part", "penalty", *LABELS),
    measures=MEASURES,
    conditions=(
        *(penalized(CHOICE, penalty) for penalty in PENALTIES),
        penalized(REPORTED, CHOSEN),
    ),
    repeats=NETWORKS,
    comment_repeats=RUN,
    published=tuple(printed(table, (1000,)) for table in TABLE_33),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    overviews=(
        Overview(
            "Shares before calibration, by the penalty of the search",
            "penalty",
            {
                "precision": ("precision", 1, 2),
                "recall": ("recall", 1, 3),
                "mce": ("MCE", 1, 2),
            },
            by=("type",),
            where={"part": (CHOICE,), "type": ("directed", "undirected")},
        ),
    ),
    quick=("choice-1000-2.5",),
)
