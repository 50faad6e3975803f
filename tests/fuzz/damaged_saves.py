"""Load saved things of which one field is damaged: ``python -m tests.fuzz.damaged_saves``.

Calibrators of two and of many classes, mass functions, networks: whatever is loaded must give valid
beliefs; all else must be refused by an error of ours.
"""

import argparse
import copy
import json
import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dstheory import Frame, MassFunction, interchange, network
from dstheory.product import ProductFrame, Variable
from evical.calibrators import BaseCalibrator
from evical.multiclass import BaseMulticlassCalibrator
from tests.fuzz.checks import Fault, invalid, is_named, message_kind, probes
from tests.protocols.calibrators_table import CALIBRATORS, samples
from tests.protocols.multiclass_table import MULTICLASS

NAN, INF = float("nan"), float("inf")
_MISSING: Any = object()
_SCALARS = [None, "text", NAN, INF, -INF, 10**39, -1, -1.0, 0, 1e308, 0.5, 2, True, [], {}, [1.0]]
Path_ = tuple[Any, ...]
Load = Callable[[Any], Iterator[Fault]]


def nodes(data: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Paths of all fields, and of the first, a middle and the last entry of each list."""
    if path:
        yield path
    if isinstance(data, dict):
        for name, value in data.items():
            yield from nodes(value, (*path, name))
    if isinstance(data, list) and data:
        for place in sorted({0, len(data) // 2, len(data) - 1}):
            yield from nodes(data[place], (*path, place))


def damages(value: Any) -> Iterator[tuple[str, Any]]:
    """What may have become of a value."""
    yield "missing", _MISSING
    for other in _SCALARS:
        yield repr(other), other
    yield "nested", [value]
    if isinstance(value, list) and value:
        yield "too long", [*value, value[-1]]
        yield "too short", value[:-1]
        yield "backward", value[::-1]
        yield "doubled", [value[0], *value[:-1]]
        yield "flat", list(np.ravel(np.array(value, dtype=object)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield "negative", -value
        yield "as text", str(value)
        yield "tiny", 5e-324


def damaged(data: dict[str, Any], path: Path_, value: Any) -> dict[str, Any]:
    """A copy with another value at a path."""
    result = copy.deepcopy(data)
    owner: Any = result
    for step in path[:-1]:
        owner = owner[step]
    if value is _MISSING:
        del owner[path[-1]]
    else:
        owner[path[-1]] = value
    return result


def cases(data: dict[str, Any]) -> Iterator[tuple[str, Path_, Any]]:
    """All damages to one saved thing: description, place, and what is there then."""
    for path in nodes(data):
        value: Any = data
        for step in path:
            value = value[step]
        for name, other in damages(value):
            where = ".".join(map(str, path))
            yield f"{where} {name}", path, other


def faults(data: Any, load: Load) -> list[Fault]:
    """What is wrong with loading such data: nothing, if it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return list(load(data))
    except Exception as error:
        if is_named(error):
            return []
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [Fault(f"raises {message_kind(error)}", f"{Path(where.filename).name}:{where.name}")]


def load_calibrator(data: dict[str, Any]) -> Iterator[Fault]:
    calibrator = BaseCalibrator.from_dict(data)
    yield from invalid(calibrator, probes(np.linspace(-3, 3, 25)))
    if "counts" in data:
        calibrator.partial_fit([0.25, 0.75], calibrator.classes_)


def load_multiclass(data: dict[str, Any]) -> Iterator[Fault]:
    calibrator = BaseMulticlassCalibrator.from_dict(data)
    k = calibrator.n_features_in_
    at = np.stack([np.full(k, 1 / k), np.eye(k)[0], np.linspace(0.1, 0.2, k)])
    proba, masses = calibrator.predict_proba(at), calibrator.predict_mass(at).masses
    if not (np.isfinite(proba).all() and np.isfinite(masses).all()):
        yield Fault("predictions are not finite")
    elif masses.min() < 0 or np.abs(proba.sum(axis=1) - 1).max() > 1e-9:
        yield Fault("masses are no masses")


def load_mass(data: dict[str, Any]) -> Iterator[Fault]:
    m = interchange.from_json(json.dumps(data))
    if not np.isfinite(np.asarray(m.masses, dtype=float)).all():
        yield Fault("masses are not finite")


def load_network(data: dict[str, Any]) -> Iterator[Fault]:
    solved = network.from_json(json.dumps(data))
    for variable in solved.variables:
        marginal = solved.marginal(variable)
        if not np.isfinite(np.asarray(getattr(marginal, "masses", 0), dtype=float)).all():
            yield Fault("marginals are not finite")


def a_network() -> network.ValuationNetwork:
    rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
    both = ProductFrame([rain, wet])
    rule = MassFunction(both, [0b1011, 0b1111], [0.9, 0.1])
    return network.ValuationNetwork([rain, wet], [rule]).add({"yes": 0.3, "no": 0.7}, on="rain")


def things(*, once: bool = False) -> Iterator[tuple[str, Any, Load]]:
    """All that can be saved, or one of each class: name, data, and how it is loaded and used."""
    first = {entry.name: entry for entry in (*MULTICLASS[::-1], *CALIBRATORS[::-1])}
    for entry in CALIBRATORS:
        if once and entry is not first[entry.name]:
            continue
        data = entry().fit(*samples(20)).to_dict(include_counts=True)
        yield entry.id, data, load_calibrator
    for multi in MULTICLASS:
        if once and multi is not first[multi.name]:
            continue
        yield multi.id, multi().fit(*multi.samples(30)).to_dict(), load_multiclass
    frame = Frame(["a", "b", "c"])
    for masses in ([0.5, 0.25, 0.25], [Fraction(1, 3)] * 3):
        m = MassFunction(frame, [1, 3, 7], masses)
        yield f"mass-{type(masses[0]).__name__}", json.loads(interchange.to_json(m)), load_mass
    yield "network", json.loads(network.to_json(a_network())), load_network


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="regular expression on names")
    parser.add_argument("--every", type=int, default=1, help="every n-th damage only")
    args = parser.parse_args()
    kinds: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    tried = wrong = 0
    for name, data, load in things():
        if not re.search(args.only, name):
            continue
        for damage, path, other in list(cases(data))[:: args.every]:
            tried += 1
            found = faults(damaged(data, path, other), load)
            wrong += bool(found)
            for fault in found:
                key = name.split("-")[0], fault.what
                kinds[key] += 1
                example.setdefault(key, f"{name}: {damage} {fault.detail}")
    print(f"damages tried: {tried}, wrong: {wrong}")
    for key, n in sorted(kinds.items()):
        print(f"wrong {n:5d}  {key[0]}: {key[1]}\n      {example[key]}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
