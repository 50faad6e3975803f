"""Commands with model files of which one field is damaged: ``python -m tests.fuzz.damaged_models``.

The checksum is right each time, as that of a file from elsewhere may be. Each command ends with an
exit code and at most one line on standard error, never with a traceback.
"""

import argparse
import contextlib
import io
import json
import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.cli import main as evical
from evical.cli._model import checksum
from tests.fuzz.damaged_saves import cases
from tests.fuzz.damaged_saves import damaged as spoiled

# By model: how it is made, its options, and the tables.
MODELS = {
    "two": "fit train.csv --score s --target y --method logistic --weight w",
    "auto": "fit train.csv --score s --target y",
    "many": "fit many.csv --score pa=a --score pb=b --score pc=c --target y --method softmax",
    "conformal": "fit many.csv --score pa=a --score pb=b --score pc=c --target y --conformal",
    "fusion": "combine one.csv one.csv --fit y --rule discounted --positive 1",
}
_TWO = (
    "card {m}",
    "card {m} train.csv",
    "predict {m} train.csv",
    "evaluate {m} train.csv",
    "check {m} train.csv",
    "export {m} --to sql",
)
COMMANDS = {
    "two": _TWO,
    "auto": _TWO,
    "many": ("card {m}", "card {m} many.csv", "predict {m} many.csv", "evaluate {m} many.csv"),
    "conformal": ("card {m}", "card {m} many.csv", "predict {m} many.csv", "evaluate {m} many.csv"),
    "fusion": ("combine one.csv one.csv --rule {m} --positive 1",),
}


def prepare(names: Collection[str] = tuple(MODELS)) -> None:
    """Tables and models in this folder."""
    rng = np.random.default_rng(0)
    s = np.linspace(-2, 2, 40)
    y = (rng.random(40) < 1 / (1 + np.exp(-2 * s))).astype(int)
    _write("train.csv", {"s": s, "y": y, "w": 1.0 + y})
    _write("one.csv", {"y": y, "bel": 0.5 * (s > 0), "pl": 0.5 + 0.4 * (s > 0)})
    p, labels = rng.dirichlet([1, 1, 1], 60), rng.integers(0, 3, 60)
    p[np.arange(60), labels] += 1
    p /= p.sum(axis=1, keepdims=True)
    _write(
        "many.csv",
        {"pa": p[:, 0], "pb": p[:, 1], "pc": p[:, 2], "y": np.array(list("abc"))[labels]},
    )
    for name in names:
        code, err = run(f"{MODELS[name]} -o {name}.json")
        assert code == 0, err


def _write(name: str, columns: dict[str, NDArray[Any]]) -> None:
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    Path(name).write_text("\n".join(lines) + "\n")


def run(words: str) -> tuple[int, str]:
    """Exit code and standard error."""
    err = io.StringIO()
    with (
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        # Fields that are numbers, but not those that were fitted, may overflow on the way.
        warnings.simplefilter("ignore", RuntimeWarning)
        return evical(words.split()), err.getvalue()


def fault(words: str) -> str:
    """What is wrong with how a command ends; nothing, if it is refused or carried out."""
    try:
        code, err = run(words)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(where.filename).name}:{where.name}: {error}"
    if code not in (0, 1, 2) or (code == 2 and err.count("\n") != 1):
        return f"exit code {code}, {err[-200:]!r}"
    return ""


def damages(name: str) -> list[tuple[str, tuple[Any, ...], Any]]:
    """All damages to a model file: description, place, and what is there then."""
    return list(cases(_sound(name)))


def _sound(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(f"{name}.json").read_text())
    del content["checksum"]
    return content


def faults(name: str, what: str, place: tuple[Any, ...], value: Any) -> Iterator[str]:
    """Commands that end in a wrong way with a file of one damage and a right checksum."""
    data = spoiled(_sound(name), place, value)
    data["checksum"] = checksum(json.loads(json.dumps(data)))
    Path("damaged.json").write_text(json.dumps(data))
    for words in COMMANDS[name]:
        found = fault(words.format(m="damaged.json"))
        if found:
            yield f"{words.format(m=name)} with {what}: {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="name of a model")
    parser.add_argument("--every", type=int, default=1, help="every n-th damage only")
    args = parser.parse_args()
    wrong: Counter[str] = Counter()
    example: dict[str, str] = {}
    tried = 0
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for name in MODELS:
            if args.only not in name:
                continue
            for damage in damages(name)[:: args.every]:
                tried += len(COMMANDS[name])
                for text in faults(name, *damage):
                    key = text.split(": ", 1)[1][:70]
                    wrong[key] += 1
                    example.setdefault(key, text)
    print(f"commands tried: {tried}, wrong: {wrong.total()}")
    for key, n in wrong.most_common():
        print(f"{n:5d}  {example[key]}")
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
