"""`splu analyse` and `splu crosstab`: shares, ratios, regressions, and all counts of a table, from a release alone."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

from splu_desktop.cli.base.help import add_command, several, takes
from splu_desktop.cli.base.opening import ANSWERS, add_release, add_target, open_for_answers
from splu_desktop.cli.base.output import print_json, print_table, say_written, tell
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
from splu_desktop.core.answer.answer import HIDDEN, ROUGH
from splu_desktop.core.answer.conditions import Condition, column_named, parse_condition
from splu_desktop.core.answer.crosstab import Cell, CrossTable, crosstab
from splu_desktop.core.answer.reader import ESTIMATORS, Reader
from splu_desktop.core.errors import BadQuestion, BadSetting
from splu_desktop.core.messages import Figure, in_words, say
from splu_desktop.core.published import Published
from splu_desktop.files.questions.results import write_cells, write_result

_SHORT = {"risk ratio": "ratio", "logistic": "logit"}  # as they are typed, where not by their names
_WIDE = 8  # columns of values that a terminal holds
_TALL = 60


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    example = "splu crosstab RELEASE --by Ward --by Sex --sa Diagnosis --out cells.xlsx"
    one = add_command(commands, "crosstab", "count all cells of a table from a release", _crosstab, example)
    add_release(one)
    takes(one, "--by COLUMN", "a column; may be repeated", action="append", required=True)
    takes(one, "--sa COLUMN", "the secret column that is counted, where there are several")
    several(one, "--where COLUMN=VALUE", "only rows that meet this")
    takes(one, "--method", "estimator (%(default)s)", choices=ESTIMATORS[:2], default=ESTIMATORS[0])
    add_target(one, ANSWERS, required=False)

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
    a = result.analysis
    outcome, group = (f"{name}={'|'.join(each)}" if each else name
                      for name, each in ((a.outcome, a.value), (a.exposure, a.exposed)))  # fmt: skip
    others = "|".join(a.unexposed or ()) or say("all others")
    tell(say("{outcome}: {group} against {others}", outcome=outcome, group=group, others=others) if group else outcome)
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
    one, other = ([each for each in group if each not in both] for group in (first, second))
    unexposed = None
    if not both and len(first) == len(second) == 1:
        both = second
    elif both and len(one) == len(other) == 1 and one[0].column == other[0].column:
        unexposed = values_asked(other[0])
    else:
        raise BadQuestion("Write EXPOSED and OUTCOME as one condition each, as in 'Smoker=yes' 'Diagnosis=Gout'.")
    outcome, *rest = both
    compared = one[0].column, values_asked(one[0]), unexposed
    return Analysis(args.kind.name, outcome.column, values_asked(outcome), *compared, where=(*where, *rest))


def _several(text: str, published: Published) -> list[Condition]:
    return [parse_condition(part.strip(), published) for part in text.split(";") if part.strip()]


def _conditions(texts: Sequence[str], published: Published) -> tuple[Condition, ...]:
    return tuple(each for text in texts for each in _several(text, published))


def _crosstab(args: argparse.Namespace) -> None:
    release = open_for_answers(args)
    published = release.published
    if args.sa is None and len(published.sensitive) > 1:
        raise BadSetting("Add {names}.", names=f"--sa {'|'.join(published.sensitive)}")
    column = column_named(args.sa or published.sensitive[0], published)
    by = [column_named(name, published) for name in args.by]
    where = [parse_condition(text, published) for text in args.where]
    table = crosstab(Reader(published), by, column, where, args.method)
    if args.out is not None:
        write_cells(table, release.id, args.out)
    if args.json:
        print_json({**table_as_dict(table), "release": release.id})
    elif args.out is not None:
        tell(say_written(args.out))
    else:
        _print(table)


def table_as_dict(table: CrossTable) -> dict[str, Any]:
    """Return a table as plain data, a cell each."""
    cells = [{"values": list(line), "value": label, **dict(zip(Cell._fields[2:], figures, strict=True))}
             for line, label, *figures in table.cells()]  # fmt: skip
    return {"by": list(table.by), "column": table.column, "cells": cells}


def _print(table: CrossTable) -> None:
    rows = []
    for i, line in enumerate(table.lines[:_TALL]):
        cells = []
        for j in range(min(len(table.labels), _WIDE)):
            low, high = math.floor(table.low[i, j]), math.ceil(table.high[i, j])
            rough = table.trust(i, j) in (ROUGH, HIDDEN)
            cells.append(Figure(f"{low:,}-{high:,}" if rough else f"{round(table.estimate[i, j]):,}"))
        rows.append((*map(in_words, line), *cells))
    sides, heads = len(table.by), map(in_words, table.labels[:_WIDE])
    print_table((*table.by, *heads), rows, right=range(sides, sides + _WIDE))
    if len(table.labels) > _WIDE or len(table.lines) > _TALL:
        tell("There is more; --json or --out holds every cell.")
