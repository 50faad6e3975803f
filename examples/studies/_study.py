"""A study of a paper, as data: the conditions to run, and the contents of its page.

A condition is one data set under one setting; it turns the number of a repeat into rows of numbers.
Everything else is the same for all studies and needs only the names given here: kept repeats,
means, standard errors, tables beside those of the paper, and pictures.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from dstheory.checks.arguments import check_count, check_instance
from evical.datasets import Dataset, load
from examples.studies._over_data import Gains, Pairs, Ranking

__all__ = [
    "Condition",
    "Curve",
    "Finding",
    "McNemar",
    "PublishedTable",
    "Record",
    "Study",
    "repeat_rng",
]

Record = tuple[tuple[str, ...], tuple[float, ...]]
"""A row of a repeat: values of the study's labels, and of its measures (NaN: not measured)."""


class Condition(Protocol):
    """One data set under one setting; a frozen dataclass, so that its repr is its fingerprint."""

    @property
    def key(self) -> str:
        """Safe in the name of a file and unique in the study, such as ``australian-c``."""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names for `evical.datasets.load`; none for simulated data."""

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        """Carry out one repeat; it depends on the condition, data, number and seed only.

        Parameters
        ----------
        data : mapping
            Name of each data set of the condition to the data set.
        number : int
            Of the repeat, from 0.
        seed : int
            Of the study.

        Returns
        -------
        list of Record
            Of the same labels in all repeats.
        """


def repeat_rng(key: str, number: int, seed: int) -> np.random.Generator:
    """Generator of one repeat of one condition, independent of all others.

    Parameters
    ----------
    key : str
        Of the condition; conditions that are to see the same splits give the same text.
    number : int
        Of the repeat, from 0.
    seed : int
        Of the study.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> first, again = (repeat_rng("iris", 3, seed=0).random() for _ in range(2))
    >>> first == again
    True
    """
    check_instance("key", key, str, "a text")
    check_count("number", number, 0, 2**32 - 1)
    check_count("seed", seed, 0, 2**64 - 1)
    spawn_key = (zlib.crc32(key.encode()), number)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))


@dataclass(frozen=True)
class PublishedTable:
    """A table of the paper, put beside ours.

    Parameters
    ----------
    title : str
        Such as ``Table 2``.
    measure : str
        One of the study's measures.
    rows, columns : tuple of str
        Names of the labels that name its rows, and its columns.
    where : mapping
        Label to value, for each other label of the study.
    values : mapping
        (row labels..., column labels...) to the number as printed, for the cells that are.
    scale : float
        What a measure is multiplied by to be as printed, such as 100 for percent.
    digits : int
        Decimal places, as printed.
    repeats : int, optional
        Random splits behind a printed number, such as 1. Its chance is then assumed to be as large
        as ours; by default it counts as exact.
    """

    title: str
    measure: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    where: Mapping[str, str]
    values: Mapping[tuple[str, ...], float]
    scale: float = 1.0
    digits: int = 2
    repeats: int | None = None


@dataclass(frozen=True)
class Curve:
    """A picture: a measure against a label that is a number.

    Parameters
    ----------
    name : str
        Safe in the name of a file; unique in the study.
    title : str
        Put over the picture in the page.
    measure : str
    x : str
        Label whose values are numbers.
    line : str
        Label; a line for each value.
    panel : str
        Label; a panel for each value.
    where : mapping
        Label to value, for each other label of the study.
    scale : float
        What the measure is multiplied by, such as 100 for percent.
    x_name, y_name : str
        Of the axes.
    """

    name: str
    title: str
    measure: str
    x: str
    line: str
    panel: str
    where: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    x_name: str = ""
    y_name: str = ""


@dataclass(frozen=True)
class Finding:
    """Paired difference of two values of a label, within repeats.

    Rows that differ in this label only are subtracted repeat by repeat. Differences are averaged
    over all labels that are not in `by`, and judged by their standard error over repeats.

    Parameters
    ----------
    text : str
        What is asked, or what the paper says.
    measure : str
    label : str
        Whose values are compared.
    first, second : str
        Two values of it; the difference is first minus second.
    where : mapping
        Label to the values that are taken; every value of a label that is absent.
    by : tuple of str
        Labels with a difference for each value.
    expected : {"", "lower", "higher", "equal"}
        What the paper says of the first; the page says whether it holds.
    scale : float
        As in `PublishedTable`.
    digits : int
        Decimal places.
    margin : float
        On this scale: "equal" holds if the difference, and two standard errors more, stay within
        the margin.
    """

    text: str
    measure: str
    label: str
    first: str
    second: str
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    expected: Literal["", "lower", "higher", "equal"] = ""
    scale: float = 1.0
    digits: int = 2
    margin: float = 0.0


@dataclass(frozen=True)
class McNemar:
    """McNemar tests on single splits, of each value of a label against one of them.

    Parameters
    ----------
    label : str
        Whose values are compared.
    reference : str
        The value that all others are compared with.
    only_this, only_reference : str
        Two measures: the numbers of test samples that only this row, and only the row of the
        reference, classifies correctly. They are 0 in the row of the reference.
    by : tuple of str
        Labels with tests for each value; every other label must have one value, or be in
        `where`.
    where : mapping
        Label to value.
    level : float
        Of the test.
    """

    label: str
    reference: str
    only_this: str
    only_reference: str
    by: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.05


@dataclass(frozen=True)
class Contest:
    """Options against the best of some of them, in every setting.

    Parameters
    ----------
    title : str
    measure : str
        The lower the better.
    label : str
        Whose values are the options; the values of all other labels are a setting.
    references : tuple of str
        Values of it, the best of which is found for each setting.
    by : tuple of str
        Labels with a table for each value.
    scale : float
        What the measure is multiplied by, such as 100 for percent.
    digits : int
        Decimal places.
    """

    title: str
    measure: str
    label: str
    references: tuple[str, ...]
    by: tuple[str, ...] = ()
    scale: float = 1.0
    digits: int = 2


@dataclass(frozen=True)
class Overview:
    """Means over all settings, a line for each value of a label.

    Parameters
    ----------
    title : str
    label : str
    columns : mapping
        Measure to its heading, scale and number of decimal places.
    by : tuple of str
        Labels with a table for each value.
    where : mapping
        Label to the values that are taken; every value of a label that is absent.
    order : str, optional
        Measure by which the lines are ordered, the least first. Lines within two standard errors
        of the least are bold.
    """

    title: str
    label: str
    columns: Mapping[str, tuple[str, float, int]]
    by: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: str = ""


@dataclass(frozen=True)
class Study:
    """A study of a paper.

    Parameters
    ----------
    name : str
        For the command line and files, such as ``xu2016-ten``.
    title : str
    source : str
        Paper, section, tables.
    labels : tuple of str
        Columns that name a row, such as ``("data", "scenario", "model")``.
    measures : tuple of str
        Columns of numbers, such as ``("error", "brier", "log_loss")``.
    conditions : tuple of Condition
    repeats : int
        Of the full study.
    published : tuple of PublishedTable
    protocol : tuple of str
        Paragraphs: what is done, and what the paper leaves open and how it was decided.
    comment : str
        Markdown: what agrees, what differs and the best-supported explanation, advice. Shown
        under what it is about only (by default all conditions and repeats, seed 0).
    comment_repeats : int, optional
        Repeats that the comment is about, if they are fewer than those of the full study.
    comment_quick : bool
        Whether it is about the conditions of the quick variant only.
    curves : tuple of Curve
    comparisons : tuple of Finding
    mcnemar : tuple of McNemar
    contests : tuple of Contest
    overviews : tuple of Overview
    rankings : tuple of Ranking
    gains : tuple of Gains
    pairs : tuple of Pairs
    quick : tuple of str
        Keys of the conditions of the quick variant; all if empty.
    extra : callable, optional
        From an `Outcome` to Markdown of its own, which the page shows before the tables.
    load : callable
        From the name of a data set and a folder, or None, to the data set.
    """

    name: str
    title: str
    source: str
    labels: tuple[str, ...]
    measures: tuple[str, ...]
    conditions: tuple[Condition, ...]
    repeats: int
    published: tuple[PublishedTable, ...] = ()
    protocol: tuple[str, ...] = ()
    comment: str = ""
    comment_repeats: int | None = None
    comment_quick: bool = False
    curves: tuple[Curve, ...] = ()
    comparisons: tuple[Finding, ...] = ()
    mcnemar: tuple[McNemar, ...] = ()
    contests: tuple[Contest, ...] = ()
    overviews: tuple[Overview, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    gains: tuple[Gains, ...] = ()
    pairs: tuple[Pairs, ...] = ()
    quick: tuple[str, ...] = ()
    extra: Callable[[Any], str] | None = None
    load: Callable[[str, str | Path | None], Dataset] = load
