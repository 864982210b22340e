"""`splu crosstab`: all counts of a column by others, from a release alone."""

from __future__ import annotations

import argparse
import math
from typing import Any

from splu_desktop.cli.base.help import add_command, several, takes
from splu_desktop.cli.base.opening import ANSWERS, add_release, add_target, open_for_answers
from splu_desktop.cli.base.output import print_json, print_table, say_written, tell
from splu_desktop.core.answer.answer import HIDDEN, ROUGH
from splu_desktop.core.answer.conditions import column_named, parse_condition
from splu_desktop.core.answer.crosstab import Cell, CrossTable, crosstab
from splu_desktop.core.answer.reader import ESTIMATORS, Reader
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Figure, in_words
from splu_desktop.files.questions.results import write_cells

_WIDE = 8  # columns of values that a terminal holds
_TALL = 60


def add(commands: Any) -> None:
    """Add the command to the parser."""
    example = "splu crosstab RELEASE --by Ward --by Sex --sa Diagnosis --out cells.xlsx"
    one = add_command(commands, "crosstab", "count all cells of a table from a release", _crosstab, example)
    add_release(one)
    takes(one, "--by COLUMN", "a column; may be repeated", action="append", required=True)
    takes(one, "--sa COLUMN", "the secret column that is counted, where there are several")
    several(one, "--where COLUMN=VALUE", "only rows that meet this")
    takes(one, "--method", "estimator (%(default)s)", choices=ESTIMATORS[:2], default=ESTIMATORS[0])
    add_target(one, ANSWERS, required=False)


def _crosstab(args: argparse.Namespace) -> None:
    release = open_for_answers(args)
    published = release.published
    if args.sa is None and len(published.sensitive) > 1:
        raise BadSetting("Add {names}.", names=f"--sa {'|'.join(published.sensitive)}")
    column = column_named(args.sa or published.sensitive[0], published)
    by = [column_named(name, published) for name in args.by]
    where = [parse_condition(text, published) for text in args.where]
    found = crosstab(Reader(published), by, column, where, args.method)
    if args.out is not None:
        write_cells(found, release.id, args.out)
    if args.json:
        print_json({**table_as_dict(found), "release": release.id})
    elif args.out is not None:
        tell(say_written(args.out))
    else:
        _print(found)


def table_as_dict(found: CrossTable) -> dict[str, Any]:
    """Return a table as plain data, a cell each."""
    cells = [{"values": list(line), "value": label, **dict(zip(Cell._fields[2:], figures, strict=True))}
             for line, label, *figures in found.cells()]  # fmt: skip
    return {"by": list(found.by), "column": found.column, "cells": cells}


def _print(found: CrossTable) -> None:
    rows = []
    for i, line in enumerate(found.lines[:_TALL]):
        cells = []
        for j in range(min(len(found.labels), _WIDE)):
            low, high = math.floor(found.low[i, j]), math.ceil(found.high[i, j])
            rough = found.trust(i, j) in (ROUGH, HIDDEN)
            cells.append(Figure(f"{low:,}-{high:,}" if rough else f"{round(found.estimate[i, j]):,}"))
        rows.append((*map(in_words, line), *cells))
    sides, heads = len(found.by), map(in_words, found.labels[:_WIDE])
    print_table((*found.by, *heads), rows, right=range(sides, sides + _WIDE))
    if len(found.labels) > _WIDE or len(found.lines) > _TALL:
        tell("There is more; --json or --out holds every cell.")
