"""A study small enough to know every number of, for the tests of what all studies share."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evical.datasets import Dataset
from examples.studies import Curve, Finding, McNemar, PublishedTable, Study, repeat_rng
from examples.studies._study import Record

__all__ = ["Toy", "toy_study"]


@dataclass(frozen=True)
class Toy:
    """Method "b" errs 0.1 more than "a"; each computed repeat leaves a line in `log`."""

    data: str
    log: str = ""
    shift: float = 0.0
    uses: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.data

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.uses

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(f"{self.key} {number}\n")
        error = repeat_rng(self.key, number, seed).random() + self.shift
        return [
            ((self.data, "1", "a"), (error, 0.0, 0.0)),
            ((self.data, "2", "a"), (error / 2, 0.0, 0.0)),
            ((self.data, "1", "b"), (error + 0.1, 2.0, 20.0)),
            ((self.data, "2", "b"), (error / 2 + 0.1, 1.0, float("nan") if number else 1.0)),
        ]


def toy_study(*conditions: Toy) -> Study:
    """A study of two data sets, or of these conditions."""
    return Study(
        name="toy",
        title="A toy",
        source="Nobody (2000)",
        labels=("data", "size", "method"),
        measures=("error", "only_this", "only_a"),
        conditions=conditions or (Toy("one"), Toy("two")),
        repeats=4,
        published=(
            PublishedTable(
                "Table 1",
                "error",
                rows=("method",),
                columns=("data", "size"),
                where={},
                values={("a", "one", "1"): 50.0, ("b", "one", "1"): 500.0, ("c", "one", "1"): 1.0},
                scale=100,
                digits=1,
            ),
        ),
        protocol=("Numbers are drawn.",),
        comment="All of it is as it must be.",
        curves=(Curve("figure1", "Figure 1", "error", x="size", line="method", panel="data"),),
        comparisons=(
            Finding("b errs more", "error", "method", "b", "a", by=("data",), expected="higher"),
            Finding("b_errs less", "error", "method", "b", "a", expected="lower"),
            Finding("size matters", "error", "size", "1", "2", where={"method": ("a",)}),
        ),
        mcnemar=(McNemar("method", "a", "only_this", "only_a", by=("data",), where={"size": "1"}),),
        quick=(conditions[0].key,) if conditions else ("two",),
    )
