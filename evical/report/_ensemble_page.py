"""The page of an ensemble: its members, what combining gains, and where they disagree.

Pictures of an ensemble: losses of members and combination, and the conflict.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from dstheory.plot.style import COLORS
from evical._typing import Floats
from evical.evaluation import EnsembleEvaluation
from evical.evaluation.estimate import Estimate
from evical.evaluation.other_rules import DEMPSTER, STACKED, is_stacked, rule_name
from evical.metrics.goodness import share_limits
from evical.plot import FusionWeightsDisplay
from evical.report._evaluation_page import made_by
from evical.report._evaluation_pictures import lined_up
from evical.report._evaluation_tables import equal_groups
from evical.report._numbers import (
    count,
    fixed,
    listed,
    metric_name,
    named,
    p_cell,
    percent,
    plus_minus,
)
from evical.report.page import Cell, Page, Picture, Row, Section, Table, notes, reading
from evical.report.svg import shorten, svg_of

_N_BINS = 20
# Members whose weights are listed one by one to those who do not see the picture.
_MOST_LISTED = 12


def weights_picture(evaluation: EnsembleEvaluation) -> Picture | None:
    """What the fusion has learned of each member.

    Parameters
    ----------
    evaluation : EnsembleEvaluation

    Returns
    -------
    Picture or None
        None if there are no weights to draw.
    """
    display = FusionWeightsDisplay.of_sources(
        evaluation.by_source,
        members=[shorten(name) for name in evaluation.members],
        class_names=[shorten(name) for name in evaluation.class_names],
    )
    if display is None:
        return None
    figure = Figure(figsize=(8, display.size[1]), layout="constrained")
    display.plot(figure.subplots())
    listed = "in the table"
    if display.weights.ndim == 1 and len(display.weights) <= _MOST_LISTED:
        pairs = zip(evaluation.members, display.weights, strict=True)
        listed = "; ".join(f"{named(name)} {fixed(float(weight))}" for name, weight in pairs)
    return Picture(
        "Weights of the members",
        alt=f"{display.label} of each member: {listed}.",
        caption=f"{display.label} of each member; {'; '.join(display.marks)}.",
        svg=svg_of(figure),
    )


def _scores(evaluation: EnsembleEvaluation) -> Picture:
    """One line per way: its mean Brier score, with two standard errors to each side."""
    values = evaluation.losses()["brier_score"]
    n, means = values.shape[1], values.mean(axis=1)
    errors = values.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(means), np.nan)
    figure, ax = lined_up(evaluation.ways)
    heights, own = -np.arange(len(means)), len(evaluation.members)
    for rows, color, marker in (
        (slice(0, own), COLORS["blue"], "o"),
        (slice(own, None), COLORS["vermilion"], "s"),
    ):
        ax.errorbar(
            means[rows], heights[rows], xerr=2 * errors[rows], fmt=marker, color=color, capsize=3
        )
    ax.axhline(0.5 - own, color=COLORS["gray"], lw=0.8, linestyle=":")
    ax.set_xlabel("Brier score, mean and two standard errors")
    parts = [
        f"{named(way)} {plus_minus(mean, error)}"
        for way, mean, error in zip(evaluation.ways, means, errors, strict=True)
    ]
    return Picture(
        "Brier scores of members and combination",
        alt=f"Mean Brier scores with standard errors: {'; '.join(parts)}.",
        caption=f"Brier scores on {count(n)} samples, lower is better; bars are two standard "
        "errors to each side. Overlapping bars do not mean that there is no difference: the "
        "samples are the same, and the table below has the paired differences.",
        svg=svg_of(figure),
    )


def _conflict(evaluation: EnsembleEvaluation) -> Picture:
    kappa = evaluation.conflict
    wrong = evaluation.losses()["error_rate"][len(evaluation.members)] > 0.5
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    ax = figure.subplots()
    edges = np.linspace(0, max(float(kappa.max()), 1e-9), _N_BINS + 1)
    for rows, name, style in (
        (~wrong, "right", {"color": COLORS["blue"], "fill": True, "alpha": 0.35}),
        (wrong, "wrong", {"color": COLORS["vermilion"], "linestyle": "--"}),
    ):
        shares = np.histogram(kappa[rows], edges)[0] / max(int(rows.sum()), 1)
        ax.stairs(shares, edges, lw=1.6, label=f"{name}, n = {count(rows.sum())}", **style)
    ax.set_xlabel("Conflict of the members")
    ax.set_ylabel("Share of samples")
    ax.legend(title="The combination is", loc="best")
    return Picture(
        "Distribution of the conflict",
        alt="Histograms of the conflict where the combination is right and where it is wrong. "
        f"The median is {fixed(float(np.median(kappa)))}, the maximum {fixed(kappa.max())}.",
        caption="Conflict of the members, separately for samples that the combination decides "
        "rightly and wrongly; each histogram sums to one.",
        svg=svg_of(figure),
    )


# Attributes of fusions that the page explains.
_LEARNED = ("standard_error_", "reliability_")
# Decisions of this many members fit side by side into a table; of more, votes are counted.
_SIDE_BY_SIDE = 6
_N_ROWS = 12
_N_GROUPS = 4


def ensemble_page(evaluation: EnsembleEvaluation, command: str) -> Page:
    """The page of an ensemble.

    Parameters
    ----------
    evaluation : EnsembleEvaluation
    command : str
        The command or call that reproduces this page; left out if empty.

    Returns
    -------
    Page
    """
    sections = [
        Section(
            "Members and combination",
            tables=(ways_table(evaluation),),
            pictures=(_scores(evaluation),),
            warnings=tuple(_warnings(evaluation)),
        ),
        Section("What combining gains", tables=(contrasts_table(evaluation),)),
    ]
    if evaluation.by_source:
        drawn = weights_picture(evaluation)
        sections.append(
            Section(
                "Weights of the fusion",
                tuple(
                    text
                    for name in _LEARNED
                    if name in evaluation.by_source
                    for text in reading(name)
                ),
                tables=(sources_table(evaluation),),
                pictures=() if drawn is None else (drawn,),
            )
        )
    sections += [
        Section(
            "Conflict",
            (_conflict_text(evaluation),),
            tables=(conflict_table(evaluation), rows_table(evaluation)),
            pictures=(_conflict(evaluation),),
        ),
        Section("How to read this", items=reading("ensemble")),
        made_by(command),
    ]
    title = f"Classifiers combined: {named(evaluation.name)}"
    return Page(title, tuple(_lead(evaluation)), tuple(sections))


def _lead(evaluation: EnsembleEvaluation) -> list[str]:
    own = len(evaluation.members)
    rates = evaluation.losses()["error_rate"].mean(axis=1)
    best = int(rates[:own].argmin())
    contrasts = evaluation.contrasts()  # by position, because names may be anything
    mean, member = contrasts[-1], contrasts[best]
    name = named(evaluation.members[best])
    return [
        f"{own} member{'s' if own > 1 else ''} combined by {named(evaluation.rule)} err on "
        f"{percent(rates[own])} of {count(len(evaluation.y))} samples, the best member alone, "
        f"{name}, on {percent(rates[best])}, and the mean of the members' probabilities on "
        f"{percent(rates[-1])}.",
        f"Against {name} the combination {_verdict(member.error_rate, 'error rate', 100)}, and "
        f"{_verdict(member.brier_score, 'Brier score')}. Against the mean of probabilities it "
        f"{_verdict(mean.error_rate, 'error rate', 100)}, and "
        f"{_verdict(mean.brier_score, 'Brier score')}.",
        *_advice(evaluation),
    ]


def _advice(evaluation: EnsembleEvaluation) -> list[str]:
    """Which fusion to take: the one that learns from labels, or what needs none.

    By the Brier scores of the recommended one, and of Dempster's rule or the consensus.
    """
    combined = len(evaluation.members)
    places = {name: combined + i for i, name in enumerate(evaluation.others, start=1)}
    learned = places.get(STACKED, combined if is_stacked(evaluation.rule) else None)
    if learned is None or not {DEMPSTER, STACKED} & places.keys():
        return []
    joined, other = places.get(DEMPSTER, combined), "Dempster's rule"
    if rule_name(evaluation.rule).lower().startswith("consensus"):
        joined, other = combined, "the consensus without labels"
    losses = evaluation.losses()["brier_score"]
    found = Estimate.of(losses[learned] - losses[joined])
    size = plus_minus(found.mean, found.standard_error, sign=True)
    figures = (
        f"its Brier score is {fixed(float(losses[learned].mean()), 4)}, that of {other} "
        f"{fixed(float(losses[joined].mean()), 4)} "
        f"({size}{'' if found.is_clear() else ', no clear difference'})"
    )
    if found.is_clear() and found.mean > 0:
        return [f"Take {other} here, not the fusion with learned weights: {figures}."]
    how = 'rule="stacked" in Python, evical combine --fit on the command line'
    return [f"Take the fusion with learned weights ({how}): {figures}."]


def _verdict(difference: Estimate, what: str, scale: int = 1) -> str:
    """A difference in words: clear beyond two standard errors."""
    digits, unit = (1, " points") if scale == 100 else (4, "")
    mean, error = scale * difference.mean, scale * difference.standard_error
    size = plus_minus(mean, error, digits, sign=True) + unit
    if not difference.is_clear():
        return f"shows no clear difference in {what} ({size})"
    return f"has a {'lower' if difference.mean < 0 else 'higher'} {what} ({size})"


def _warnings(evaluation: EnsembleEvaluation) -> list[str]:
    texts = []
    dead = int(evaluation.undecided.sum())
    if dead:
        texts.append(
            f"In {count(dead)} of {count(len(evaluation.y))} samples the members are in total "
            f"conflict, the first in row {int(evaluation.undecided.argmax())}: the combination "
            "there is a convention, not evidence."
        )
    absent = [
        named(name)
        for k, name in enumerate(evaluation.class_names)
        if not (evaluation.y == k).any()
    ]
    if absent:
        texts.append(f"There are no samples of class {listed(absent)}.")
    return texts


def ways_table(evaluation: EnsembleEvaluation) -> Table:
    """Losses of the members, the combination, other rules and the mean of probabilities."""
    losses, widths = evaluation.losses(), evaluation.imprecision
    rows = []
    for i, way in enumerate(evaluation.ways):
        cells = [_with_error(Estimate.of(values[i]), key) for key, values in losses.items()]
        width = widths[i].mean() if i < len(widths) else 0.0
        kind = "member" if i < len(evaluation.members) else "combination"
        rows.append(((kind, way), (*cells, width)))
    meanings = dict(notes("other rules"))
    return Table.of(
        f"Means over {count(len(evaluation.y))} samples, ± standard error. The lowest of a column "
        "is underlined.",
        ("Kind", "Name"),
        {**dict.fromkeys(_LOSSES, str), "Pl - Bel": fixed},
        rows,
        (
            *notes("columns: ensemble"),
            *((name, meanings[name]) for name in evaluation.others if name in meanings),
        ),
        dict.fromkeys(_LOSSES, min),
    )


_LOSSES = ("Error", "Brier score", "Log loss")


def _with_error(estimate: Estimate, key: str, *, sign: bool = False) -> tuple[str, float]:
    """A mean with its standard error, error rates in percent; and the mean."""
    scale, digits, unit = (100, 1, "%") if key == "error_rate" else (1, 4, "")
    mean, error = scale * estimate.mean, scale * estimate.standard_error
    return plus_minus(mean, error, digits, sign=sign) + unit, estimate.mean


def contrasts_table(evaluation: EnsembleEvaluation) -> Table:
    """Differences of the combination from each other way."""
    rows = []
    for one in evaluation.contrasts():
        keys = ("error_rate", "brier_score", "log_loss")
        cells: list[Cell] = [_with_error(getattr(one, key), key, sign=True) for key in keys]
        rows.append((one.other, [*cells, one.pvalue, one.adjusted]))
    return Table.of(
        "Loss of the combination minus that of each other way, paired within samples: mean ± "
        "standard error; negative where combining is better. p is McNemar's for the decisions, "
        "adjusted by Holm's procedure for all rows.",
        "Against",
        {**dict.fromkeys(_LOSSES, str), **dict.fromkeys(("p", "Adjusted p"), p_cell)},
        rows,
    )


# Attributes of fusions in words, where these are not their own.
_WORDS = {
    "weights": "Weight",
    "groups": "Group",
    "rates": "Discount rate",
    "reliability_interval": "Reliability",
}


def sources_table(evaluation: EnsembleEvaluation) -> Table:
    """What the fusion learned about each member."""
    columns: dict[str, Floats] = {}
    for key, array in evaluation.by_source.items():
        plain = key.rstrip("_")
        name = _WORDS.get(plain, metric_name(plain))
        if np.ndim(array) == 1:
            columns[name] = np.asarray(array)
            continue
        classes: Sequence[str] = evaluation.class_names
        classes = ("from", "to") if plain.endswith("interval") else classes
        for k, part in enumerate(np.reshape(array, (len(array), -1)).T):
            label = classes[k] if np.shape(array)[1:] == (len(classes),) else str(k)
            columns[f"{name}, {named(label)}"] = part
    return Table.of(
        f"What {named(evaluation.rule)} learned about each member.",
        "Member",
        {name: count if name == _WORDS["groups"] else fixed for name in columns},
        zip(evaluation.members, zip(*columns.values(), strict=True), strict=True),
    )


def _conflict_text(evaluation: EnsembleEvaluation) -> str:
    kappa = evaluation.conflict
    wrong = evaluation.losses()["error_rate"][len(evaluation.members)] > 0.5
    text = f"The conflict is {fixed(float(kappa.mean()))} on average"
    if wrong.any() and not wrong.all():
        text += (
            f": {fixed(float(kappa[~wrong].mean()))} where the combination is right, "
            f"{fixed(float(kappa[wrong].mean()))} where it errs"
        )
    return f"{text}; the largest is {fixed(float(kappa.max()))}."


def conflict_table(evaluation: EnsembleEvaluation) -> Table:
    """Error rate of the combination in groups of increasing conflict."""
    kappa = evaluation.conflict
    wrong = evaluation.losses()["error_rate"][len(evaluation.members)]
    rows = []
    for i, inside in enumerate(equal_groups(kappa, _N_GROUPS), 1):
        size, errors = len(inside), float(wrong[inside].sum())
        limits = map(float, share_limits(errors, size))
        ends = kappa[inside].min(), kappa[inside].max()
        rows.append((str(i), (*ends, size, errors / size, *limits)))
    return Table.of(
        "Errors of the combination in groups of increasing conflict; limits are Clopper & "
        "Pearson's at 95%.",
        "Group",
        {"Conflict from": fixed, "to": fixed, "Samples": count}
        | dict.fromkeys(("Error", "At least", "At most"), percent),
        rows,
    )


def rows_table(evaluation: EnsembleEvaluation) -> Table:
    """The samples with the largest conflict, and the decisions of all members."""
    order = np.argsort(-evaluation.conflict, kind="stable")[:_N_ROWS]
    p = evaluation.probabilities
    own = len(evaluation.members)
    apart = own <= _SIDE_BY_SIDE
    rows = []
    for i in order:
        texts = [_decision(evaluation, p[s, i]) for s in range(own)] if apart else []
        if not apart:
            texts = [_votes(evaluation, p[:own, i])]
        cells = (
            fixed(float(evaluation.conflict[i])),
            named(evaluation.class_names[evaluation.y[i]]),
            _decision(evaluation, p[own, i]),
            *texts,
        )
        values = (float(evaluation.conflict[i]), *(None for _ in cells[1:]))
        rows.append(Row((str(i),), cells, values=values))
    return Table(
        f"The {len(rows)} samples with the largest conflict, rows counted from 0; decisions with "
        "their pignistic probability.",
        ("Row",),
        ("Conflict", "True class", "Combined", *(evaluation.members if apart else ("Votes",))),
        tuple(rows),
    )


def _decision(evaluation: EnsembleEvaluation, p: Floats) -> str:
    top = int(p.argmax())
    return f"{named(evaluation.class_names[top])} ({p[top]:.2f})"


def _votes(evaluation: EnsembleEvaluation, p: Floats) -> str:
    votes = np.bincount(p.argmax(axis=1), minlength=p.shape[1])
    order = np.argsort(-votes, kind="stable")
    return ", ".join(f"{votes[k]} {named(evaluation.class_names[k])}" for k in order if votes[k])
