"""`evical report`: write a page about predictions or an ensemble."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from evical._names import check_rule
from evical.cli import arguments
from evical.cli._output import check_page, command_line, user_input, write_page

if TYPE_CHECKING:
    from evical.evaluation import EnsembleEvaluation, Evaluation
    from evical.fusion import Consensus

# Options that have an effect, by the subject of the page.
_COLUMNS = ("target", "positive")
_MEANT = {
    "predictions": ("probability", "bel", "pl", "prefix", "score", "seed", *_COLUMNS),
    "an ensemble": ("bel", "pl", "prefix", "key", "rule", *_COLUMNS),
}


def report(
    context: typer.Context,
    tables: arguments.Given[list[str]],
    output: Path,
    columns: arguments.Columns,
    reading: arguments.Reading,
    key: str | None = None,
    rule: str | None = None,
    seed: arguments.Seed = 0,
    force: bool = False,
) -> None:
    """Write a page about predictions or an ensemble.

    One file of predictions, or a model with data: are they calibrated?
    Several files of beliefs: what does combining them gain? By default they
    are weighted by how far they agree, without the true classes.
    evical compare -o writes the page that compares calibrators.

    Parameters
    ----------
    tables : FILES
        Predictions; or MODEL.json and DATA; or predictions of several classifiers, row by row.
    key : COLUMN (by default by position)
        Match rows of several predictions by this column.
    rule : NAME (by default by agreement, as of evical combine)
        Rule that combines several predictions, or FUSION.json of evical combine --fit.

    Examples
    --------
    evical report out.csv --target income -o report.html
    evical report out.csv other.csv --target income -o ensemble.html
    """
    with user_input(), reading:
        check_page(output)
        _check_options(context, tables)
        if rule is not None and not _is_model(rule):
            check_rule(rule, learns=False)
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._judged import ClassPredictions, judge
        from evical.cli._model import is_conformal, load_model, two_classes
        from evical.cli._rules import tell_rule

        data = tables[1] if len(tables) == 2 and _is_model(tables[0]) else None
        selection = arguments.Selection(predictions=tables[0], data=data, **vars(columns))
        found: Evaluation | EnsembleEvaluation | ClassPredictions
        more: dict[str, Any]
        agreement = None
        if len(selection.inputs) == len(tables):
            if data is not None and is_conformal((model := load_model(tables[0])).calibrator):
                two_classes(model)  # refuses it
            found = judge(selection, random_state=seed)
            more = {"seed": seed}
        else:
            found, agreement = _ensemble(selection, tables, key, rule)
            more = {"key": key, "rule": rule}
        options = {**selection.given, **more, "output": output}
        command = command_line("report", *tables, **options)
        page = found.page(command) if isinstance(found, ClassPredictions) else found
        write_page(output, page, command)
        if agreement is not None:
            tell_rule(agreement, tables)
    typer.echo(f"page: {output}")


def _check_options(context: typer.Context, tables: list[str]) -> None:
    """Raise for a model among tables, or an option without effect."""
    if any(map(_is_model, tables)) and not (len(tables) == 2 and _is_model(tables[0])):
        raise ValueError("a model needs a table to be evaluated on: MODEL.json DATA")
    one = len(tables) == 1 or _is_model(tables[0])
    kind = "predictions" if one else "an ensemble"
    for name in sorted({option for options in _MEANT.values() for option in options}):
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT" and name not in _MEANT[kind]:
            raise ValueError(f"--{name} has no effect on {kind}; leave it out")


def _is_model(name: str) -> bool:
    return name.lower().endswith(".json")


def _ensemble(
    selection: arguments.Selection, tables: list[str], key: str | None, rule: str | None
) -> "tuple[EnsembleEvaluation, Consensus | None]":
    """What combining gains, and the weights by agreement if no rule is named."""
    from evical.cli._combining import Inputs, read_with_classes
    from evical.cli._rules import Combiner, RowError, combiner_of
    from evical.evaluation import EnsembleEvaluation
    from evical.evaluation.other_rules import other_rules
    from evical.fusion import Consensus, Rule

    target = selection.needed_target
    named = None if rule is None else combiner_of(rule, [], vacuous=True, tables=tables)
    known = None if named is None else named.classes
    inputs = Inputs(tables, selection.naming, key, selection.missing)
    members = read_with_classes(inputs, target, known)
    beliefs, labels = members.beliefs, members.labels
    agreement = Consensus().partial_fit(beliefs) if named is None else None
    combiner = Combiner(agreement, vacuous=True) if agreement is not None else named
    assert combiner is not None  # one of both
    try:
        combined, conflict = combiner(beliefs)
    except RowError as error:
        raise ValueError(f"{tables[0]}, data row {error.row + 1}: {error}") from error
    name, fused = rule or "consensus", combiner.rule
    evaluation = EnsembleEvaluation.from_masses(
        labels,
        beliefs,
        combined,
        members=[Path(name).stem for name in tables],
        rule=name,
        name=f"{len(tables)} classifiers",
        by_source=fused.by_source() if isinstance(fused, Rule) else None,
        others=other_rules(name, beliefs, labels),
        conflict=conflict,
    )
    return evaluation, agreement
