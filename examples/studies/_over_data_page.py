"""Ranks, gains and pairs over data sets in Markdown, beside those of the paper."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from evical._typing import Floats
from evical.significance import Results, friedman, holm, relative_gain, wilcoxon
from examples.studies._markdown import markdown_table, plain
from examples.studies._over_data import Gains, Labels, Pairs, Ranking
from examples.studies._reproduce import Outcome
from examples.studies._tables import CLEAR

__all__ = ["LEVEL", "Ranked", "contenders", "groups_of", "over_data_text", "values_of"]

_Spec: TypeAlias = Ranking | Gains | Pairs

LEVEL = 0.05
_VERDICTS = (" ✓", " ▲", " ▼")
_LEGEND = (
    "Ranks: mean over data sets of the rank in the mean over repeats, 1 for the best, ± standard "
    "error over data sets; then the paper's in parentheses, which are of more and other data sets. "
    "As in the paper, a star marks methods to which the bold one is superior, and # those to which "
    f"it is inferior, by Holm's procedure at {LEVEL:.0%} where Iman and Davenport's F rejects that "
    "all are equal. ✓: the paper's rank is within two standard errors of the difference; ▲ ours is "
    "a greater rank, thus worse; ▼ ours is less."
)


@dataclass(frozen=True)
class Ranked:
    """One option in one measure.

    Parameters
    ----------
    name : str
    rank, error : float
        Mean over data sets and its standard error.
    mark : {"", "*", "#"}
        The control is superior, or inferior, to it.
    """

    name: str
    rank: float
    error: float
    mark: str


def values_of(
    outcome: Outcome, spec: _Spec, group: Labels, measure: str, options: Labels
) -> Floats:
    """Means over repeats, (data sets, options), of data sets on which all options were measured.

    Parameters
    ----------
    outcome : Outcome
    spec : Ranking, Gains or Pairs
    group : tuple of str
        Values of its labels `by`.
    measure : str
    options : tuple of str

    Returns
    -------
    array
    """
    found: dict[str, dict[str, float]] = {}
    at = outcome.study.measures.index(measure)
    for row, values in _rows(outcome, spec, group):
        found.setdefault(row[spec.data], {})[row[spec.label]] = float(values[:, at].mean())
    kept = _kept(outcome, spec, group)
    table = [
        [of_data[one] for one in options]
        for name, of_data in found.items()
        if name in kept and not set(options) - set(of_data)
    ]
    return np.array(table).reshape(-1, len(options))


def _rows(outcome: Outcome, spec: _Spec, group: Labels) -> list[tuple[dict[str, str], Floats]]:
    wanted = {**spec.where, **dict(zip(spec.by, group, strict=True))}
    named = [
        (dict(zip(outcome.study.labels, labels, strict=True)), values)
        for labels, values in outcome.rows.items()
    ]
    return [(row, v) for row, v in named if wanted.items() <= row.items()]


def _kept(outcome: Outcome, spec: _Spec, group: Labels) -> set[str]:
    """Data sets that the paper would not have left out."""
    rows = _rows(outcome, spec, group)
    least = None if isinstance(spec, Pairs) else spec.least
    if least is None:
        return {row[spec.data] for row, _ in rows}
    option, measure, value = least
    at = outcome.study.measures.index(measure)
    return {
        row[spec.data]
        for row, values in rows
        if row[spec.label] == option and values[:, at].mean() >= value
    }


def groups_of(outcome: Outcome, spec: _Spec) -> list[Labels]:
    """Values of the labels `by` for which there are two data sets at least.

    Parameters
    ----------
    outcome : Outcome
    spec : Ranking, Gains or Pairs

    Returns
    -------
    list of tuples of str
    """
    named = [dict(zip(outcome.study.labels, labels, strict=True)) for labels in outcome.rows]
    rows = [row for row in named if spec.where.items() <= row.items()]
    groups = dict.fromkeys(tuple(row[name] for name in spec.by) for row in rows)
    measure = next(iter(spec.measures))
    return [
        group
        for group in groups
        if len(values_of(outcome, spec, group, measure, spec.options[:2])) > 1
    ]


def contenders(values: Floats, ranking: Ranking, measure: str) -> tuple[list[Ranked], float]:
    """The options of a measure with their marks, and the p-value of Iman and Davenport's F.

    Parameters
    ----------
    values : (data sets, options) array
    ranking : Ranking
    measure : str

    Returns
    -------
    list of Ranked, float
    """
    names = ranking.taking_part(measure)
    results = Results(values, names, greater_is_better=ranking.measures[measure][1])
    pvalue = friedman(results).pvalue
    marks = dict.fromkeys(names, "")
    if pvalue < LEVEL:
        tested = holm(results, ranking.control, alpha=LEVEL)
        for name, gap, rejected in zip(
            tested.methods, tested.differences, tested.rejected, strict=True
        ):
            marks[name] = ("*" if gap > 0 else "#") if rejected else ""
    errors = results.ranks.std(axis=0, ddof=1) / np.sqrt(len(values))
    found = zip(names, results.mean_ranks, errors, strict=True)
    return [Ranked(name, float(r), float(e), marks[name]) for name, r, e in found], pvalue


def over_data_text(outcome: Outcome, pictures: Sequence[str] = ()) -> list[str]:
    """Blocks of Markdown for all rankings, gains and pairs of a study.

    Parameters
    ----------
    outcome : Outcome
    pictures : sequence of str
        Names of the rankings that have a picture.

    Returns
    -------
    list of str
    """
    study = outcome.study
    rankings = [block for one in study.rankings for block in _ranking(outcome, one, pictures)]
    blocks = ["## Ranks over data sets", _LEGEND, *rankings] if rankings else []
    for gains in study.gains:
        blocks += _gains(outcome, gains)
    for pairs in study.pairs:
        blocks += _pairs(outcome, pairs)
    return blocks


class _Tally:
    """How ranks and significant differences of the paper compare with ours."""

    def __init__(self) -> None:
        self.ranks = Counter[str]()
        self.tests = Counter[str]()

    def test(self, ours: object, theirs: object) -> None:
        """Count a comparison; what is false is not significant."""
        if ours == theirs:
            self.tests["same" if ours else "neither"] += 1
        else:
            self.tests["theirs" if not ours else "ours" if not theirs else "opposite"] += 1

    @property
    def tests_text(self) -> str:
        found = self.tests
        if not found:
            return ""
        return (
            f"Of {found['same'] + found['theirs'] + found['opposite']} differences that are "
            f"significant in print, {found['same']} are so here, {found['opposite']} the other way "
            f"round; of {found['neither'] + found['ours']} that are not, {found['ours']} are "
            "significant here."
        )

    @property
    def ranks_text(self) -> str:
        found = self.ranks
        if not any(found[mark] for mark in _VERDICTS):
            return ""
        return (
            f"Of {sum(found[mark] for mark in _VERDICTS)} printed ranks, {found[' ✓']} agree with "
            f"ours; ours is greater for {found[' ▲']} and less for {found[' ▼']}."
        )


def _ranking(outcome: Outcome, ranking: Ranking, pictures: Sequence[str]) -> list[str]:
    groups, tally = groups_of(outcome, ranking), _Tally()
    if not groups:
        return _too_few(outcome, ranking)
    names = [plain(x) if x != ranking.control else f"**{plain(x)}**" for x in ranking.options]
    head = ["measure", *names, "p of F"]
    blocks = [f"### {ranking.title}"]
    for group in groups:
        rows = [_ranked(outcome, ranking, group, one, tally) for one in ranking.measures]
        blocks += [_named(outcome, ranking, group), markdown_table(head, rows, 1)]
    told = f"{tally.ranks_text} {tally.tests_text}".strip()
    blocks += [told] if told else []
    if ranking.name in pictures:
        blocks.append(f"![{ranking.title}]({outcome.study.name}-{ranking.name}.svg)")
    return blocks


def _too_few(outcome: Outcome, ranking: Ranking) -> list[str]:
    """Say so where a limit leaves too few of several data sets."""
    if ranking.least is None or not groups_of(outcome, replace(ranking, least=None)):
        return []
    option, measure, value = ranking.least
    return [
        f"### {ranking.title}",
        f"Fewer than two data sets have {plain(measure)} of {value:g} or more with "
        f"{plain(option)}, so there are no ranks.",
    ]


def _named(outcome: Outcome, spec: _Spec, group: Labels) -> str:
    n = len(values_of(outcome, spec, group, next(iter(spec.measures)), spec.options[:1]))
    return f"**{', '.join(map(plain, group))}**, {n} data sets"


def _ranked(
    outcome: Outcome, ranking: Ranking, group: Labels, measure: str, tally: _Tally
) -> list[str]:
    """A line of a table."""
    names = ranking.taking_part(measure)
    values = values_of(outcome, ranking, group, measure, names)
    found, pvalue = contenders(values, ranking, measure)
    line = ranking.published.get(group, {}).get(measure, "").split()
    printed = dict(zip(names, line, strict=True)) if line else {}
    cells = dict.fromkeys(ranking.options, "–")
    for one in found:
        theirs = printed.get(one.name, "")
        verdict = _verdict(one, theirs.rstrip("*#-"), len(values), ranking.n_published)
        tally.ranks[verdict] += 1
        if theirs and one.name != ranking.control:
            tally.test(one.mark, theirs[-1] if theirs[-1] in "*#" else "")
        shown = f" ({plain(theirs.replace('-', '–'))})" if theirs else ""
        cells[one.name] = f"{one.rank:.2f} ± {one.error:.2f}{plain(one.mark)}{shown}{verdict}"
    return [ranking.measures[measure][0], *cells.values(), f"{pvalue:.1g}"]


def _verdict(one: Ranked, theirs: str, n: int, n_published: int) -> str:
    if not theirs:
        return ""
    # The spread of ranks over the paper's data sets is taken to be that over ours.
    allowed = CLEAR * one.error * np.sqrt(1 + n / n_published)
    gap = one.rank - float(theirs)
    return " ✓" if abs(gap) <= allowed + 0.005 else " ▲" if gap > 0 else " ▼"


def _gains(outcome: Outcome, gains: Gains) -> list[str]:
    body = []
    for group in groups_of(outcome, gains):
        for option in gains.options:
            theirs = gains.published.get((*group, option), {})
            cells = [
                _interval(outcome, gains, group, measure, option, theirs.get(measure))
                for measure in gains.measures
            ]
            body.append([*map(plain, (*group, option)), *cells])
    if not body:
        return []
    head = [*gains.by, gains.label, *(heading for heading, _ in gains.measures.values())]
    said = (
        f"Mean of (value − value of {plain(gains.reference)}) / value of "
        f"{plain(gains.reference)} over data sets, its 95 % confidence interval in percent, and "
        "the paper's in parentheses. ✓: both are on the same side of zero, or both include it."
    )
    return [f"## {gains.title}", said, markdown_table(head, body, len(gains.by) + 1)]


def _interval(
    outcome: Outcome,
    gains: Gains,
    group: Labels,
    measure: str,
    option: str,
    theirs: tuple[float, float] | None,
) -> str:
    values = values_of(outcome, gains, group, measure, (option, gains.reference))
    values = values[values[:, 1] > 0]  # no ratio to a reference without any error
    if len(values) < 2:
        return "–"
    found = relative_gain(*values.T)
    ours = _percent((found.lower, found.upper))
    if theirs is None:
        return ours
    mark = "✓" if _side((found.lower, found.upper)) == _side(theirs) else "✗"
    return f"{ours} ({_percent(theirs)}) {mark}"


def _percent(ends: tuple[float, float]) -> str:
    low, high = (f"{100 * end:z.1f}".replace("-", "−") for end in ends)
    return f"[{low}, {high}]"


def _side(ends: tuple[float, float]) -> int:
    return 1 if ends[0] > 0 else -1 if ends[1] < 0 else 0


def _pairs(outcome: Outcome, pairs: Pairs) -> list[str]:
    groups, tally = groups_of(outcome, pairs), _Tally()
    if not groups:
        return []
    head = ["measure", *map(plain, pairs.options)]
    head += [f"p, {plain(a)} : {plain(b)}" for a, b in pairs.pairs]
    blocks = []
    for group in groups:
        rows = [_paired(outcome, pairs, group, measure, tally) for measure in pairs.measures]
        blocks += [_named(outcome, pairs, group), markdown_table(head, rows, 1)]
    said = (
        "Means over data sets, the paper's in parentheses; then p-values of Wilcoxon's signed-rank "
        f"test of pairs, with the better one of a pair where p < {LEVEL:g}. †: in the paper the "
        f"second of the pair is significantly better. {tally.tests_text}"
    )
    return [f"## {pairs.title}", said.strip(), *blocks]


def _paired(
    outcome: Outcome, pairs: Pairs, group: Labels, measure: str, tally: _Tally
) -> list[str]:
    """A line of a table."""
    heading, greater = pairs.measures[measure]
    values = values_of(outcome, pairs, group, measure, pairs.options)
    line = pairs.published.get(group, {}).get(measure, "").split()
    cells = [f"{mean:.3f}" for mean in values.mean(axis=0)]
    if line:
        cells = [f"{ours} ({theirs})" for ours, theirs in zip(cells, line, strict=True)]
    significant = pairs.significant.get(group, {}).get(measure, ())
    for number, pair in enumerate(pairs.pairs):
        first, second = (values[:, pairs.options.index(name)] for name in pair)
        p = wilcoxon(first, second).pvalue
        better = pair[int((second.mean() > first.mean()) == greater)] if p < LEVEL else ""
        theirs = pair[1] if number in significant else ""
        if line:
            tally.test(better, theirs)
        told = f", {plain(better)}" if better else ""
        cells.append(f"{p:.2g}{told}{' †' if theirs else ''}")
    return [heading, *cells]
