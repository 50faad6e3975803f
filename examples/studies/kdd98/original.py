"""The files of KDD-98 as they were published: donors, and what they gave.

`cup98LRN.txt` has 95,412 records with the answers, `cup98VAL.txt` 96,367 without; these are in
`valtargt.txt`, by number of the record. Each file has its field names in the first line and commas
between fields. A blank, or a period among numbers, is missing. No data are in this repository.
"""

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dstheory.checks.arguments import check_choice
from evical.datasets import Dataset
from evical.datasets.loaders import VARIABLE

__all__ = ["AMOUNT", "FEATURES", "TEST", "TRAIN", "load_donors", "read_donors"]

TRAIN, TEST = "kdd98_train", "kdd98_test"
AMOUNT = "TARGET_D"
"""Column of the amount, which is the last one and no feature; 0 of those who gave nothing."""

_RECORD, _LABEL = "CONTROLN", "TARGET_B"
_FILES = {TRAIN: "cup98LRN.txt", TEST: "cup98VAL.txt"}
_ANSWERS = "valtargt.txt"
_SIZES = {TRAIN: (95_412, 4_843), TEST: (96_367, 4_873)}


def _number(text: str) -> float:
    return float("nan" if text == "." else text)


def _months(text: str) -> float:
    """Months since 1900 of a year and month such as 9512."""
    year, month = divmod(int(text), 100)
    return 12.0 * year + month


FEATURES: dict[str, Callable[[str], float]] = {
    **dict.fromkeys(("AGE", "INCOME", "WEALTH1", "WEALTH2", "HIT"), _number),
    **dict.fromkeys(("NUMPROM", "CARDPROM", "NGIFTALL", "CARDGIFT"), _number),
    **dict.fromkeys(("RAMNTALL", "MINRAMNT", "MAXRAMNT", "LASTGIFT", "AVGGIFT"), _number),
    **dict.fromkeys(("FISTDATE", "LASTDATE"), _months),
    "TIMELAG": _number,
    "RFA_2F": _number,
    "RFA_2A": lambda text: float("ABCDEFG".index(text)),
    "PEPSTRFL": lambda text: float(text == "X"),
}
"""Fields that are used, and how their texts become numbers; letters of RFA_2A have an order."""

_FLAGS = {"PEPSTRFL"}  # where blank is an answer


def load_donors(name: str, data: str | Path | None = None) -> Dataset:
    """The training or the test set, complete.

    Parameters
    ----------
    name : {"kdd98_train", "kdd98_test"}
    data : str or Path, optional
        Folder with the files; by default that of the environment variable ``EVICAL_DATA``.

    Returns
    -------
    Dataset
        As `read_donors`.

    Raises
    ------
    OSError
        If there is no folder or file.
    ValueError
        If there are more or fewer records or donors than there should be, or as `read_donors`.
    """
    check_choice("name", name, tuple(_FILES))
    folder = os.environ.get(VARIABLE) if data is None else data
    if not folder:
        raise FileNotFoundError(
            f"{name} is read from a folder with {_FILES[name]}; name it by data, or by the "
            f"environment variable {VARIABLE}"
        )
    found = read_donors(name, folder)
    size = len(found), int(found.y.sum())
    if size != _SIZES[name]:
        raise ValueError(
            f"{_FILES[name]} has {size[0]} records and {size[1]} donors, expected "
            f"{_SIZES[name][0]} and {_SIZES[name][1]}; is it complete?"
        )
    return found


def read_donors(name: str, folder: str | Path) -> Dataset:
    """Read the training or the test set, of any size.

    Parameters
    ----------
    name : {"kdd98_train", "kdd98_test"}
    folder : str or Path

    Returns
    -------
    Dataset
        Features are `FEATURES`, with 0 for what is missing; for each a column ``FIELD=missing``
        of 0 and 1; and the amount, `AMOUNT`. Class 1 gave something.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a field is absent, a record has no answer, or a value is not of its field.
    """
    path = Path(folder) / _FILES[name]
    answers = None if name == TRAIN else _answers(Path(folder) / _ANSWERS)
    own = (_LABEL, AMOUNT) if answers is None else (_RECORD,)
    rows, targets = [], []
    for line, (*texts, found) in _fields(path, (*FEATURES, *own), len(own)):
        rows.append([_value(path, line, *one) for one in zip(FEATURES, texts, strict=True)])
        if answers is None:
            targets.append(_target(path, line, *found))
        elif found[0] in answers:
            targets.append(answers[found[0]])
        else:
            raise ValueError(f"{path.name}, line {line}: record {found[0]} is not in {_ANSWERS}")
    X = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
    y = np.array([label for label, _ in targets], dtype=np.intp)
    absent = np.isnan(X)
    return Dataset(
        name=name,
        X=np.column_stack([np.where(absent, 0.0, X), absent, [gift for _, gift in targets]]),
        y=y,
        feature_names=(*FEATURES, *(f"{field}=missing" for field in FEATURES), AMOUNT),
        class_names=("0", "1"),
    )


def _fields(path: Path, names: tuple[str, ...], n_own: int) -> Iterator[tuple[int, list[Any]]]:
    """Line number and texts of the fields of each record; the last `n_own` as one tuple."""
    with path.open(encoding="latin-1", newline="") as file:
        reader = csv.reader(file)
        header = [text.strip() for text in next(reader, [])]
        for name in names:
            if name not in header:
                raise ValueError(f"{path.name} has no field {name!r} in its first line")
        places = [header.index(name) for name in names]
        for record in reader:
            if len(record) != len(header):
                raise ValueError(
                    f"{path.name}, line {reader.line_num}: {len(record)} fields, expected "
                    f"{len(header)}"
                )
            texts = [record[place].strip() for place in places]
            yield reader.line_num, [*texts[:-n_own], tuple(texts[-n_own:])]


def _answers(path: Path) -> dict[str, tuple[int, float]]:
    """Number of each record to its label and amount."""
    found = _fields(path, (_RECORD, _LABEL, AMOUNT), 3)
    return {record: _target(path, line, *target) for line, ((record, *target),) in found}


def _target(path: Path, line: int, label: str, amount: str) -> tuple[int, float]:
    """The label and the amount, which is 0 of those who gave nothing."""
    try:
        return {"0": (0, 0.0), "1": (1, float(amount))}[label]
    except (KeyError, ValueError):
        raise ValueError(
            f"{path.name}, line {line}: {_LABEL} {label!r} with {AMOUNT} {amount!r}, expected 0, "
            "or 1 and an amount"
        ) from None


def _value(path: Path, line: int, field: str, text: str) -> float:
    if not text and field not in _FLAGS:
        return float("nan")
    try:
        return FEATURES[field](text)
    except ValueError:
        raise ValueError(f"{path.name}, line {line}: {text!r} is not a {field}") from None
