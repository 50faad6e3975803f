"""The page: its parts put together, and the numbers of a calibrator that it shows.

All that is computed in the browser is in ``logic.mjs``, which knows no page, so that other programs
of JavaScript can import it, and tests compare it with `dstheory`.
"""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_floats, check_instance
from evical._typing import Floats, Indices
from evical.calibrators import BaseCalibrator
from evical.conformal.control import Promise
from evical.metrics.inputs import class_codes
from evical.multiclass import BaseMulticlassCalibrator
from evical.report._html import content_policy
from evical.report.page import read_template
from evical.scores import ScoreCounts
from evical.scores.checks import check_same_length, check_scores

_N_CURVE = 401
# Distinct scores of held-out samples: their numbers take up to 100 bytes each.
_MAX_SCORES = 1200
_N_EXAMPLES = 5
_MOST_CLASSES = 4  # whose sets the page lists
# Scores of all sizes, to find where a calibrator changes if there are no samples.
_ALL_SIZES = np.sinh(np.linspace(-16, 16, 4001))
# A change by less is not seen.
_VISIBLE = 0.01
_MADE_BY = (
    '<section aria-labelledby="made-title"><h2 id="made-title">Made by</h2>'
    "<pre><code>{}</code></pre></section>"
)


def build_explorer(
    calibrator: BaseCalibrator | BaseMulticlassCalibrator | None = None,
    scores: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    score_name: str = "score",
    command: str = "",
    answers: Promise | None = None,
) -> str:
    """A self-contained HTML page to explore beliefs, rules of combination, and decisions.

    Parameters
    ----------
    calibrator : fitted calibrator, optional
        Of one score; its band and decisions are a part of the page. Of three or four classes, the
        page needs samples.
    scores : (n,) or (n, K) array, optional
        Of samples on which it was not fitted; the page begins with beliefs about some of them.
    y : (n,) array, optional
        Their classes; both or none are given.
    score_name : str
        What the score is called on the page.
    command : str
        The command or call that makes this page again, shown at its end.
    answers : Promise, optional
        Guarantee of the calibrator's model for its answers; the page begins with this bound.

    Returns
    -------
    str
        HTML of at most 300 kB with style and script inside; it loads nothing. More than 1,200
        distinct scores are merged into as many groups of neighbors, with a note on the page.

    Raises
    ------
    TypeError
        If `calibrator` is not a calibrator of one score, or a name is not a text.
    ValueError
        If only one of `scores` and `y` is given, or they come without a calibrator, or a calibrator
        of more than two classes without them; if there are no samples, or a class is not one of
        the calibrator; if there are more than four classes.
    sklearn.exceptions.NotFittedError
        If the calibrator is not fitted.

    Examples
    --------
    >>> page = build_explorer()
    >>> page.count("<script"), len(page.encode()) < 300_000
    (2, True)
    """
    check_instance("score_name", score_name, str, "a text")
    check_instance("command", command, str, "a text")
    if (scores is None) != (y is None):
        raise ValueError("scores and y come together; give both or neither")
    if calibrator is None and scores is not None:
        raise ValueError("scores and y are for a calibrator; give one")
    fitted: dict[str, Any] | None = None
    if isinstance(calibrator, BaseMulticlassCalibrator):
        fitted = _many(calibrator, scores, y)
    elif calibrator is not None:
        fitted = _fitted(calibrator, scores, y, score_name)
    if fitted is not None and answers is not None:
        asking = {"bound": answers.bound, "confidence": answers.level}
        fitted |= {"asking": asking, "promise": str(answers)}
    # Between the tags stands a line end, which belongs to the script.
    script = "\n" + "".join(map(_part, ("logic.mjs", "beliefs.js", "fitted.js")))
    parts = {
        "policy": content_policy(script),
        "style": read_template("page.css") + _part("explorer.css"),
        "made_by": _MADE_BY.format(html.escape(command)) if command else "",
        # So that no name of a class ends the element.
        "data": json.dumps(fitted, allow_nan=False).replace("<", "\\u003c"),
        "script": script[1:],
    }
    template = _part("explorer.html")
    template = template if calibrator is None else _model_first(template)
    return re.sub(r"\{(\w+)\}", lambda name: parts[name[1]], template)


def _model_first(template: str) -> str:
    """The template with the section of the model before the others."""
    first, model = template.index("<section"), template.index('<section id="classifier"')
    end = template.index("{made_by}")
    return template[:first] + template[model:end] + template[first:model] + template[end:]


def _part(name: str) -> str:
    return (files("evical.report") / "explorer" / name).read_text(encoding="utf-8")


def _fitted(
    calibrator: BaseCalibrator, scores: ArrayLike | None, y: ArrayLike | None, score_name: str
) -> dict[str, Any]:
    """What the page shows of a calibrator, ready for JSON."""
    check_instance("calibrator", calibrator, BaseCalibrator, "a calibrator of one score")
    check_is_fitted(calibrator)
    counts, merged, examples = None, None, dict[str, Any]()
    if scores is not None and y is not None:
        values = check_scores(scores)
        codes = class_codes(y, calibrator.classes_, "y")
        check_same_length(scores=values, y=codes)
        counts = ScoreCounts.from_samples(values, codes == 1)
        merged = counts.compress(_MAX_SCORES)
        shown = _spread(len(values), _MAX_SCORES)
        betp = calibrator.predict_proba(values[shown])
        examples = _examples(calibrator, values, codes, shown, betp)
    calibrator = calibrator._unwatched()  # the samples have warned; the curve may reach far
    negative, positive = map(str, calibrator.classes_.tolist())
    text = f"{calibrator!r} turns {score_name} into beliefs about {positive}, against {negative}."
    if counts is not None and merged is not None and len(merged) < len(counts):
        text += (
            f" The {len(counts):,} distinct scores of the samples are merged into {len(merged):,}."
        )
    grid = _grid(calibrator, merged)
    return {
        "classes": [negative, positive],
        "score": score_name,
        "text": text,
        "examples": examples,
        "curve": _beliefs(calibrator, grid),
        "held": None
        if merged is None
        else _beliefs(calibrator, merged.scores)
        | {"negative": merged.negative.tolist(), "positive": merged.positive.tolist()},
    }


def _many(
    calibrator: BaseMulticlassCalibrator, scores: ArrayLike | None, y: ArrayLike | None
) -> dict[str, Any]:
    """Beliefs about some samples, and pignistic probabilities of up to 1,200."""
    check_is_fitted(calibrator)
    names = list(map(str, calibrator.classes_.tolist()))
    if len(names) > _MOST_CLASSES:
        raise ValueError(
            f"the model has {len(names)} classes, but the page shows up to {_MOST_CLASSES}; evical "
            "predict writes beliefs and decisions about any number, evical report a page about them"
        )
    if scores is None or y is None:
        raise ValueError(f"the page of {len(names)} classes needs samples; name a labeled table")
    table = as_floats(scores, "scores")
    codes = class_codes(y, calibrator.classes_, "y")
    check_same_length(scores=table, y=codes)
    shown = _spread(len(table), _MAX_SCORES)
    betp = calibrator.predict_proba(table[shown])
    text = f"{calibrator!r} was evaluated on {len(table):,} samples"
    text += f", of which {len(shown):,} are counted." if len(shown) < len(table) else "."
    rows = {"betp": betp.round(6).tolist(), "truth": codes[shown].tolist()}
    return {
        "classes": names,
        "text": text,
        "examples": _examples(calibrator, table, codes, shown, betp),
        "rows": rows,
    }


def _spread(n: int, most: int) -> Indices:
    """Places of n in even steps, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, most).astype(np.intp))


def _examples(
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    scores: Floats,
    codes: Indices,
    shown: Indices,
    betp: Floats,
) -> dict[str, Any]:
    """Beliefs about a few of the samples shown, from the most certain one to the least."""
    names = list(map(str, calibrator.classes_.tolist()))
    order = np.argsort(-betp.max(axis=1), kind="stable")
    chosen = shown[order[_spread(len(shown), _N_EXAMPLES)]]
    mass = calibrator.predict_mass(scores[chosen])
    examples = {}
    for row, masses in zip(chosen.tolist(), mass.masses.tolist(), strict=True):
        truth = names[codes[row]]
        examples[f"sample{row + 1}"] = {
            "title": f"Sample {row + 1}, truly {truth}",
            "labels": names,
            "masses": [
                dict(zip(mass.focal.tolist(), masses, strict=True)),
                {2 ** len(names) - 1: 1},
            ],
            "text": f"What the model believes about sample {row + 1}, of class {truth}. The "
            "second source is yours; it is vacuous until you move its masses.",
        }
    return examples


def _beliefs(calibrator: BaseCalibrator, scores: Floats) -> dict[str, list[float]]:
    bel, pl = calibrator.predict_interval(scores).T
    return {"score": scores.tolist(), "bel": bel.tolist(), "pl": pl.tolist()}


def _grid(calibrator: BaseCalibrator, counts: ScoreCounts | None) -> Floats:
    """Scores of the curve, ascending: the range of the samples, or where beliefs change."""
    if calibrator._takes_probabilities:
        low, high = 0.0, 1.0
    elif counts is not None:
        margin = 0.05 * (np.ptp(counts.scores) or 1.0)
        low, high = counts.scores[0] - margin, counts.scores[-1] + margin
    else:
        low, high = _changing(calibrator)
    return np.linspace(low, high, _N_CURVE)


def _changing(calibrator: BaseCalibrator) -> tuple[float, float]:
    """Scores between which belief or plausibility is not yet that of extreme scores."""
    bounds = calibrator.predict_interval(_ALL_SIZES)
    away = [np.abs(bounds - bounds[end]).max(axis=1) > _VISIBLE for end in (0, -1)]
    inside = np.flatnonzero(away[0] & away[1])
    if not len(inside):
        return -1.0, 1.0
    low, high = _ALL_SIZES[inside[0]], _ALL_SIZES[inside[-1]]
    margin = 0.05 * (high - low or 1.0)
    return float(low - margin), float(high + margin)
