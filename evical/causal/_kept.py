"""Finished bootstraps in a folder: a small file each, and one for what they were made from."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from evical._files import write_whole
from evical._typing import Ints

__all__ = ["KeptBootstraps"]


class KeptBootstraps:
    """Finished bootstraps in a folder; without a folder, none is kept.

    Parameters
    ----------
    folder : str, Path or None
    discovery : callable
    seed : int
    names, columns : sequence
        Of the table.

    Raises
    ------
    ValueError
        If the folder holds bootstraps of something else, or what it holds is damaged.
    """

    def __init__(
        self,
        folder: str | Path | None,
        discovery: Any,
        seed: int,
        names: Sequence[Any],
        columns: Sequence[NDArray[Any]],
    ) -> None:
        self._folder = None if folder is None else Path(folder)
        self._n_variables = len(names)
        if self._folder is None:
            return
        data = [[repr(name), column.tolist()] for name, column in zip(names, columns, strict=True)]
        now = {
            "data": joblib.hash(data),
            "discovery": _described(discovery),
            "random_state": seed,
        }
        path = self._folder / "made_from.json"
        if not path.exists():
            write_whole(path, json.dumps(now, indent=1) + "\n")
        kept = _read(path)
        other = [key for key in now if kept.get(key) != now[key]]
        if other:
            raise ValueError(
                f"folder {str(folder)!r} holds bootstraps of other {other[0]} "
                f"({kept.get(other[0])!r}, now {now[other[0]]!r}); choose another folder, or "
                "delete this one to compute anew"
            )

    def load(self, numbers: Iterable[int]) -> dict[int, Ints]:
        """Number to edges (m, 3) of the bootstraps that are there."""
        if self._folder is None:
            return {}
        paths = {number: self._path(self._folder, number) for number in numbers}
        return {
            number: _edges(path, self._n_variables)
            for number, path in paths.items()
            if path.exists()
        }

    def save(self, number: int, edges: Ints) -> None:
        """Keep a finished bootstrap."""
        if self._folder is not None:
            content = {"edges": edges.ravel().tolist()}
            text = json.dumps(content, separators=(",", ":"))
            write_whole(self._path(self._folder, number), text)

    @staticmethod
    def _path(folder: Path, number: int) -> Path:
        return folder / f"{number:05d}.json"


def _described(discovery: Any) -> str:
    """A text that is the same in another process."""
    if isinstance(discovery, BaseEstimator):
        return f"{type(discovery).__name__}({discovery.get_params()})"
    name = getattr(discovery, "__qualname__", None)
    if name is not None:
        return f"{discovery.__module__}.{name}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(discovery))


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path) from error
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _edges(path: Path, v: int) -> Ints:
    """Edges (m, 3) from a file, if they can be edges among V columns."""
    edges = _read(path).get("edges")
    if not isinstance(edges, list) or len(edges) % 3 or any(type(x) is not int for x in edges):
        raise _damaged(path)
    rows = np.array(edges, dtype=np.int64).reshape(-1, 3)
    i, j, kind = rows.T
    if not ((i >= 0) & (i < j) & (j < v) & (kind >= 1) & (kind <= 3)).all():
        raise _damaged(path)
    return rows


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{str(path)!r} is damaged; delete it, and it is computed again")
