"""Learned fusions as model files: which source is how much worth, from samples with classes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from evical.calibrators.by_name import suggestion
from evical.cli._model import check_content, file_text, read_json, refuse_damage
from evical.cli._rules import Combiner, new_combiner
from evical.fusion import Rule, as_rule

FORMAT = "evical.fusion_model"
# Names of fusions that learn from beliefs and classes.
FUSIONS = (
    "stacked",
    "discounted",
    "contextually_discounted",
    "likelihood_mixture",
    "learned_tnorm",
)
# The default of them.
LEARNED = "stacked"


def learned(rule: str, sources: Sequence[MassFunction], labels: NDArray[Any]) -> Rule:
    """A fusion by name, fitted; raises ValueError for an unknown name or unusable beliefs."""
    name = rule.lower().replace("-", "_")
    if name not in FUSIONS:
        raise ValueError(f"rule {rule!r} learns nothing{suggestion(name, FUSIONS, 'rules')}")
    return as_rule(name).fit(sources, labels)


def fusion_text(fusion: Rule, sources: Sequence[str], rows: int) -> str:
    """The content of a file of a fusion; `sources` are the names of its tables."""
    training = {"sources": list(sources), "rows": rows}
    return file_text(FORMAT, training=training, fusion=fusion.to_dict())


def load_fusion(path: str) -> Rule:
    """The fusion in a file; raises OSError or ValueError as `load_model`."""
    name = Path(path).name
    data = check_content(read_json(Path(path)), name, FORMAT, "evical combine --fit")
    with refuse_damage(name, "learn it"):
        fusion: Rule = Rule.from_dict(data["fusion"])
        if fusion.frame_ is None or len(fusion.frame_) != 2:
            raise ValueError("it is not for two classes")
    return fusion


def by_source(fusion: Rule, sources: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What was learned about each table, by the name of the attribute."""
    return {
        name.rstrip("_"): dict(zip(sources, np.asarray(values).tolist(), strict=True))
        for name, values in fusion.by_source().items()
    }


def combiner_of(rule: str, options: list[str], vacuous: bool, n_tables: int) -> Combiner:
    """A rule by name, or a fusion in a file; raises ValueError if it does not fit the tables."""
    if not rule.lower().endswith(".json"):
        return new_combiner(rule, options, vacuous)
    if options:
        raise ValueError("--option is for rules by name; a fusion has been learned")
    fusion = load_fusion(rule)
    if fusion.n_sources_ != n_tables:
        raise ValueError(
            f"{rule!r} was learned for {fusion.n_sources_} tables, but there are {n_tables}; give "
            "the same ones in the same order"
        )
    return Combiner(fusion, vacuous)
