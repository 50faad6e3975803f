"""Load saved calibrators of which one field is damaged: ``python -m tests.fuzz.damaged_saves``.

Whatever is loaded must predict valid beliefs; all else must be refused by an error of ours.
"""

import argparse
import copy
import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evical.calibrators import BaseCalibrator
from tests.calibrators_table import CALIBRATORS, Entry, samples
from tests.fuzz.checks import Fault, invalid, is_named, message_kind, probes

NAN, INF = float("nan"), float("inf")
_MISSING: Any = object()
_SCALARS = [None, "text", NAN, INF, -INF, 10**39, -1, -1.0, 0, 1e308, 0.5, 2, True, [], {}, [1.0]]
Path_ = tuple[Any, ...]


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


def cases(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All damages to one saved thing, each with its description."""
    for path in nodes(data):
        value: Any = data
        for step in path:
            value = value[step]
        for name, other in damages(value):
            where = ".".join(map(str, path))
            yield f"{where} {name}", damaged(data, path, other)


def faults(data: dict[str, Any]) -> list[Fault]:
    """What is wrong with loading such data; the first entry is empty if it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            calibrator = BaseCalibrator.from_dict(data)
            found = list(invalid(calibrator, probes(np.linspace(-3, 3, 25))))
            if "counts" in data:
                calibrator.partial_fit([0.25, 0.75], calibrator.classes_)
        return found
    except Exception as error:
        if is_named(error):
            return []
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [Fault(f"raises {message_kind(error)}", f"{Path(where.filename).name}:{where.name}")]


def saved(entry: Entry) -> dict[str, Any]:
    return entry().fit(*samples(20)).to_dict(include_counts=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="regular expression on entries")
    parser.add_argument("--every", type=int, default=1, help="every n-th damage only")
    args = parser.parse_args()
    kinds: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    tried = wrong = 0
    for entry in CALIBRATORS:
        if not re.search(args.only, entry.id):
            continue
        for name, data in list(cases(saved(entry)))[:: args.every]:
            tried += 1
            found = faults(data)
            wrong += bool(found)
            for fault in found:
                kinds[entry.name, fault.what] += 1
                example.setdefault((entry.name, fault.what), f"{entry.id}: {name} {fault.detail}")
    print(f"damages tried: {tried}, wrong: {wrong}")
    for key, n in sorted(kinds.items()):
        print(f"wrong {n:5d}  {key[0]}: {key[1]}\n      {example[key]}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
