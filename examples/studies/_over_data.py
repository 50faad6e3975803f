"""What a study says over its data sets, as data: mean ranks, relative gains, pairs of options.

A data set counts once: its value of a measure is the mean over repeats. What is random is then
which data sets there are, so errors and tests are over data sets (Demsar 2006).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Gains", "Labels", "Pairs", "Ranking"]

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of options, their tests, and the mean ranks of the paper.

    Parameters
    ----------
    name : str
        Safe in the name of a file; unique in the study.
    title : str
    data, label : str
        Labels whose values are data sets, and options.
    options : tuple of str
    control : str
        The option that all others are compared with.
    measures : mapping
        Measure to its heading, and whether greater is better.
    by : tuple of str
        Labels with a table for each combination of values; these labels, `data`, `label` and those
        of `where` are all labels of the study.
    where : mapping
        Label to value.
    left_out : mapping
        Measure to options that do not take part in it.
    least : (str, str, float), optional
        Only data sets on which this option has at least this value of a measure.
    published : mapping
        Values of `by` to measure to the numbers as printed, in the order of the options that take
        part, such as ``"1.96 2.23* 1.81"``: the control is superior to what has a star, inferior
        to what has a hash; "-" is a rank that is not printed.
    n_published : int
        Data sets of the paper.
    drawn : tuple of str
        Measures of the picture, of the groups that are published, or of all if none is.
    """

    name: str
    title: str
    data: str
    label: str
    options: Labels
    control: str
    measures: Mapping[str, tuple[str, bool]]
    by: Labels
    where: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, Labels] = field(default_factory=dict)
    least: tuple[str, str, float] | None = None
    published: Mapping[Labels, Mapping[str, str]] = field(default_factory=dict)
    n_published: int = 0
    drawn: Labels = ()

    def taking_part(self, measure: str) -> Labels:
        """The options of a measure."""
        return tuple(one for one in self.options if one not in self.left_out.get(measure, ()))


@dataclass(frozen=True)
class Gains:
    """Relative gains of options over one of them, and the intervals of the paper.

    Parameters
    ----------
    title : str
    data, label : str
        As in `Ranking`.
    options : tuple of str
    reference : str
        What they are compared with.
    measures : mapping
        Measure to its heading, and whether greater is better.
    by : tuple of str
    where, least
        As in `Ranking`.
    published : mapping
        Values of `by`, then option, to measure to the ends of a 95 % confidence interval.
    """

    title: str
    data: str
    label: str
    options: Labels
    reference: str
    measures: Mapping[str, tuple[str, bool]]
    by: Labels
    where: Mapping[str, str] = field(default_factory=dict)
    least: tuple[str, str, float] | None = None
    published: Mapping[Labels, Mapping[str, tuple[float, float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """Means of options, with Wilcoxon's test of pairs of them, and those of the paper.

    Parameters
    ----------
    title : str
    data, label : str
        As in `Ranking`.
    pairs : tuple of (str, str) pairs
        Options that are compared.
    measures : mapping
        As in `Ranking`.
    by : tuple of str
    where : mapping
        As in `Ranking`.
    published : mapping
        Values of `by` to measure to the means as printed, in the order in which options first
        occur in `pairs`.
    significant : mapping
        Values of `by` to measure to the pairs that differ significantly in the paper, by number;
        the better one is the second of a pair.
    """

    title: str
    data: str
    label: str
    pairs: tuple[tuple[str, str], ...]
    measures: Mapping[str, tuple[str, bool]]
    by: Labels
    where: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[Labels, Mapping[str, str]] = field(default_factory=dict)
    significant: Mapping[Labels, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)

    @property
    def options(self) -> Labels:
        """All options, in the order of the pairs."""
        return tuple(dict.fromkeys(one for pair in self.pairs for one in pair))
