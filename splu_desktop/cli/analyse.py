"""`splu analyse`: shares, means, differences, ratios and regressions from a release alone."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from splu_desktop.cli.base.help import add_command, several, takes
from splu_desktop.cli.base.opening import ANSWERS, add_release, add_target, open_for_answers
from splu_desktop.cli.base.output import print_json, print_table, tell
from splu_desktop.core.answer.analyses import (
    COMPARISON,
    NUMBERS,
    OUTCOME,
    Analysis,
    Estimate,
    Result,
    analyse,
    analysis_kinds,
    outcome_asked,
    values_asked,
)
from splu_desktop.core.answer.conditions import Condition, column_named, parse_condition
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.published import Published
from splu_desktop.files.questions.results import write_result

_SHORT = {"risk ratio": "ratio", "logistic": "logit"}  # as they are typed, where not by their names


def add(commands: Any) -> None:
    """Add the command to the parser."""
    one = add_command(
        commands,
        "analyse",
        "shares, means, differences, ratios, regressions from a release",
        _analyse,
        "splu analyse RELEASE ratio 'Smoker=yes' 'Diagnosis=Heart failure'",
        "splu analyse RELEASE mean Stay 'Ward=Cardiology'",
        "splu analyse RELEASE logit 'Diagnosis=Heart failure' --on Age --on Sex",
    )
    add_release(one)
    kinds = one.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")

    for kind in analysis_kinds():
        name = _SHORT.get(kind.name, kind.name.replace(" ", "-"))
        parser = add_command(kinds, name, kind.words, _analyse, description=kind.words)
        several(parser, "--where COLUMN=VALUE", "only rows that meet this")
        add_target(parser, ANSWERS, required=False)
        parser.set_defaults(kind=kind)
        if kind.asks == COMPARISON:
            takes(parser, "first EXPOSED", "COLUMN=VALUE; or “COLUMN=VALUE; OUTCOME”, to be compared with the second")
            takes(parser, "second OUTCOME")
        elif kind.asks in (OUTCOME, NUMBERS):
            takes(parser, "outcome COLUMN=VALUE" if kind.asks == OUTCOME else "outcome COLUMN")
            takes(parser, "conditions COLUMN=VALUE", "only rows that meet this", nargs="*")
        else:
            takes(parser, "outcome OUTCOME", "COLUMN=VALUE, or COLUMN for its numbers")
            takes(parser, "--on COLUMN", "a column; may be repeated", action="append", required=True)


def _analyse(args: argparse.Namespace) -> None:
    release = open_for_answers(args)
    result = analyse(Reader(release.published), _analysis_asked(args, release.published))
    if args.out is not None:
        write_result(result, release.id, args.out)
    if args.json:
        print_json({**result_as_dict(result), "release": release.id})
        return
    heads = ("", say("Estimate"), say("95 % from"), say("to"), say("this table from"), say("to"))
    print_table(heads, [_row(each) for each in result.estimates], right=range(1, 6))
    for note in result.notes:
        tell(note)


def _row(each: Estimate) -> tuple[str, ...]:
    numbers = (each.estimate, each.low_alike, each.high_alike, each.low, each.high)
    return (each.name, *(Figure(f"{number:.4g}") for number in numbers))


def result_as_dict(result: Result) -> dict[str, Any]:
    """Return a result as plain data."""
    names = ("estimate", "low", "high", "low_alike", "high_alike")
    parts = {each.name: {name: getattr(each, name) for name in names} for each in result.estimates}
    return {
        "analysis": result.analysis.kind,
        **parts[result.first.name],
        "parts": parts,
        "notes": list(map(str, result.notes)),
    }


def _analysis_asked(args: argparse.Namespace, published: Published) -> Analysis:
    where = (*_conditions(getattr(args, "conditions", ()), published), *_conditions(args.where, published))
    if args.kind.asks == COMPARISON:
        return _comparison(args, published, where)
    on = tuple(column_named(text, published) for text in getattr(args, "on", ()))
    if args.kind.asks == NUMBERS:
        return Analysis(args.kind.name, column_named(args.outcome, published), where=where)
    return Analysis(args.kind.name, *outcome_asked(args.outcome, published), covariates=on, where=where)


def _comparison(args: argparse.Namespace, published: Published, where: tuple[Condition, ...]) -> Analysis:
    """Return what is compared: the outcome among who is exposed, with that among others or among a second group."""
    first, second = _several(args.first, published), _several(args.second, published)
    both = [each for each in first if each in second]
    own, other = ([each for each in group if each not in both] for group in (first, second))
    unexposed = None
    if not both and len(first) == len(second) == 1:
        both = second
    elif both and len(own) == len(other) == 1 and own[0].column == other[0].column:
        unexposed = values_asked(other[0])
    else:
        raise BadQuestion("Write EXPOSED and OUTCOME as one condition each, as in 'Smoker=yes' 'Diagnosis=Gout'.")
    outcome, *rest = both
    compared = own[0].column, values_asked(own[0]), unexposed
    return Analysis(args.kind.name, outcome.column, values_asked(outcome), *compared, where=(*where, *rest))


def _several(text: str, published: Published) -> list[Condition]:
    return [parse_condition(part.strip(), published) for part in text.split(";") if part.strip()]


def _conditions(texts: Sequence[str], published: Published) -> tuple[Condition, ...]:
    return tuple(each for text in texts for each in _several(text, published))
