"""Decisions from beliefs by name: acts, their costs, and a criterion of `dstheory.decide`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction, decide
from dstheory.checks.arguments import suggestion
from evical._names import criteria, plain
from evical._typing import Floats
from evical.cli._kinds import Kind
from evical.cli._tables import open_table, table_chunks
from evical.cli.arguments import BY_DEFAULT, Choices
from evical.conformal.control import ASK

REJECT = "reject"
# Between the acts that a set-valued criterion leaves.
_OR = "|"


@dataclass(frozen=True)
class Decision:
    """What is decided for each belief; call it."""

    acts: tuple[str, ...]
    utilities: Floats
    criterion: Callable[..., Any] = decide.maximize_expected_utility

    def __call__(self, m: MassFunction | decide.Expectations) -> NDArray[Any]:
        """Names (n,) of the acts for a batch (n,)."""
        chosen = np.asarray(self.criterion(m, self.utilities))
        if chosen.dtype != bool:
            return np.asarray(np.array(self.acts, dtype=object)[chosen])
        return joined(chosen, self.acts)

    def without_evidence(self) -> str:
        """What is decided where nothing is known: no act if only the order of the acts prefers one.

        >>> Decision(("no", "yes"), np.eye(2)).without_evidence()
        ''
        >>> Decision(("no", "yes"), np.array([[5, 0], [0, 1]])).without_evidence()
        'no'
        """
        k = self.utilities.shape[1]
        nothing = MassFunction(Frame(range(k)), [2**k - 1], [[1.0]])
        turned = replace(self, acts=self.acts[::-1], utilities=self.utilities[::-1])
        act, other = (str(one(nothing)[0]) for one in (self, turned))
        return act if set(act.split(_OR)) == set(other.split(_OR)) else ""


def joined(chosen: NDArray[np.bool_], names: tuple[str, ...]) -> NDArray[Any]:
    """Names (n,) of the chosen (n, A) acts or classes, as ``a|b``."""
    sets = decide.chosen_acts(chosen, names)
    return np.array([_OR.join(one) for one in sets], dtype=object)


def joined_names(text: str, names: Sequence[str]) -> bool:
    """Whether a text is some of the names, or the act "reject" or "ask", as `joined` writes them.

    >>> joined_names("no|yes", ["no", "yes"]), joined_names("no|ye", ["no", "yes"])
    (True, False)
    """
    # Names may hold the mark themselves, so they are taken off one after the other.
    acts = (*names, REJECT, ASK)
    return any(
        text == act or (text.startswith(act + _OR) and joined_names(text[len(act) + 1 :], names))
        for act in acts
    )


def new_decision(labels: tuple[str, ...], choices: Choices = BY_DEFAULT) -> Decision:
    """The decision between classes; of two, the negative and the positive one.

    Raises ValueError for options that exclude each other.
    """
    threshold, costs, reject = choices.threshold, choices.costs, choices.reject
    if threshold is not None and costs is not None:
        raise ValueError("--threshold and --costs set the same thing; give one")
    if len(labels) > 2 and (threshold is not None or costs is not None):
        raise ValueError(
            "--threshold and --costs are for two classes; for more, use --reject, or --cost-table"
        )
    if costs is not None:
        if not (min(costs) > 0 and np.isfinite(costs).all()):
            raise ValueError(f"--costs are {costs[0]:g} and {costs[1]:g}, expected two above 0")
        utilities = decide.utilities_from_costs([[0, costs[1]], [costs[0], 0]])
    else:
        utilities = np.eye(len(labels)) if threshold is None else _from_threshold(threshold)
    acts: tuple[str, ...] = labels
    if choices.cost_table is not None:
        if (threshold, costs, reject) != (None, None, None):
            raise ValueError(
                "--cost-table has all acts and costs; leave out --threshold, --costs and --reject"
            )
        acts, table = read_costs(choices.cost_table, labels)
        utilities = decide.utilities_from_costs(table)
    if reject is not None:
        if not (reject >= 0 and np.isfinite(reject)):
            raise ValueError(f"--reject is {reject:g}, expected a cost of 0 or more")
        if REJECT in labels:
            raise ValueError(f"a class is called {REJECT!r}, as is the act; rename the class")
        utilities, acts = decide.with_reject(utilities, reject), (*labels, REJECT)
    matrix = np.asarray(utilities, dtype=np.float64)
    name = plain(choices.criterion or "maximize_expected_utility")
    return Decision(acts, matrix, criteria()[name])


def read_costs(path: str, labels: tuple[str, ...]) -> tuple[tuple[str, ...], Floats]:
    """Acts, and their costs (A, K) for each class, of a table.

    Raises OSError or ValueError for what is wrong with it, or if its columns are not the classes.
    """
    with open_table(path) as table:
        first, *others = table.header
        for name in (*others, *labels):
            if name not in labels or name not in others:
                what = "is no class of the model" if name in others else "has no column"
                known = labels if name in others else others
                raise ValueError(
                    f"{table.name}: {name!r} {what}{suggestion(name, known, 'names')}; a table of "
                    "costs has a column of acts, and one of each class"
                )
        kinds: dict[str, Kind] = {first: "label", **dict.fromkeys(labels, "score")}
        parts = [chunk.columns for chunk in table_chunks(table, kinds)]
        acts = [str(act) for part in parts for act in part[first]]
        twice = [act for act in acts if acts.count(act) > 1]
        if twice:
            raise ValueError(f"{table.name}: the act {twice[0]!r} is there twice; remove one")
    costs = np.concatenate([np.stack([part[k] for k in labels], axis=1) for part in parts])
    return tuple(acts), costs


def masses(bel: Floats, pl: Floats, labels: tuple[str, ...]) -> MassFunction:
    """Mass functions (n,) with this belief and plausibility of the positive class."""
    store = np.stack([1 - pl, bel, pl - bel])
    return MassFunction.from_store(Frame(labels), np.array([1, 2, 3]), store)


def _from_threshold(threshold: float) -> NDArray[Any]:
    if not 0 <= threshold <= 1:
        raise ValueError(f"--threshold is {threshold:g}, expected a probability from 0 to 1")
    return decide.utilities_from_threshold(threshold)
