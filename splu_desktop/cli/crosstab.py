"""`splu crosstab`: all counts of one or two columns against a sensitive one, from a release folder alone."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.opening import add_release, opened
from splu_desktop.cli.base.output import Shown, add_json, one_line, print_json, tell, told
from splu_desktop.core.analyse import two_sensitive
from splu_desktop.core.analyse.two_sensitive import are_two_sensitive
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import counted, say
from splu_desktop.core.persons import NARROW
from splu_desktop.core.progress import Silent
from splu_desktop.core.published import Published
from splu_desktop.core.query.answer import Answer, sentence
from splu_desktop.core.query.condition import column_named, parse_condition
from splu_desktop.core.query.crosstab_grid import CrosstabGrid, Side, Wanted, check, compute, records_of
from splu_desktop.core.query.reader import DEFAULT, Method, Reader
from splu_desktop.files.questions.batch import check_answers_path
from splu_desktop.files.questions.crosstab_file import write_cells

_SHOWN = 14  # characters of a heading in the terminal
_DIGITS = 20  # of a number of intervals
_WIDE = 8  # columns of values that a terminal holds


def add(commands: Any) -> None:
    """Add the command to the parser."""
    one = commands.add_parser(
        "crosstab",
        help=say("count all cells of a cross-table from a release"),
        description=say(
            "Estimate how many records of the source have each value of a sensitive column, for each value (or "
            "interval) of one or two columns published unchanged, from the release alone. The cells keep the margins: "
            "each line adds up to its records, each value to its estimate over all lines."
        ),
        epilog=say(
            "examples: splu crosstab RELEASE --by Ward --sa Diagnosis; "
            "splu crosstab RELEASE --by Age:10 --by Sex --sa Diagnosis --where Ward=Cardiology --out cells.xlsx"
        ),
    )
    add_release(one)
    takes(
        one,
        "--by COLUMN[:N]",
        "column of the lines, its values in N intervals of about equally many records; at most twice; one "
        "published unchanged, or drawn together with the sensitive one; or one other sensitive column",
        action="append",
        required=True,
    )
    several(
        one,
        "--where COLUMN=VALUE",
        "count only records that meet this; unchanged columns, written as for “splu query”; may be repeated",
    )
    takes(one, "--sa COLUMN", "sensitive column (needed where the release has several)")
    takes(
        one,
        "--method",
        "estimator of each cell ({usual}; of two sensitive columns unbiased); “unbiased” is not fitted to margins",
        usual=DEFAULT.value,
        choices=[method.value for method in Method],
    )
    takes(one, "--out FILE", "write every cell to FILE.csv or FILE.xlsx", type=Path)
    switch(one, "--overwrite", "replace the file if it exists")
    add_json(one)
    one.set_defaults(run=_crosstab)


def _crosstab(args: argparse.Namespace) -> None:
    belong(args, "--out", "overwrite")
    if args.out is not None:
        check_answers_path(args.out, overwrite=args.overwrite, release=args.release)
    release = opened(args)
    published = release.published
    wanted = _wanted(args, published)
    both = are_two_sensitive(published, wanted)
    if both:
        # The default estimator has no cross-table of two columns drawn apart.
        wanted = wanted if args.method else replace(wanted, method=Method.UNBIASED)
    else:
        check(published, wanted)
    with Shown(quiet=args.json) as shown:
        reader = Reader(published)
        grid = two_sensitive.compute(reader, wanted) if both else compute(reader, wanted, shown)
    if args.out is not None:
        write_cells(grid, np.arange(grid.answers.size), release.facts["id"] or "", args.out, Silent())
    if args.json:
        print_json(
            _as_dict(grid)
            | {"release": release.facts["id"]}
            | ({"file": str(args.out)} if args.out is not None else {})
        )
        return
    counts = Counter(answer.badge.value for answer in grid.answers.ravel())
    trust = ", ".join(told(say("{n} {name}", n=count, name=told(name))) for name, count in counts.most_common())
    if args.out is not None:
        tell("{n} cells written to {out}.", n=grid.answers.size, out=str(args.out))
    else:
        if wanted.within:
            tell(sentence(wanted.within))
        _print(grid)
    if trust:
        tell("Trust: {each}.", each=trust)
    if published.by_person:
        tell(NARROW)
    if grid.left_out:
        tell(
            counted(
                grid.left_out,
                "{n} line without any record is left out.",
                "{n} lines without any record are left out.",
            )
        )


def _wanted(args: argparse.Namespace, published: Published) -> Wanted:
    if len(args.by) > 2:
        raise BadQuestion("A cross-table has one or two columns for its lines; give --by at most twice.")
    sa = args.sa
    if sa is None:
        if len(published.sensitive) != 1:
            raise BadQuestion(
                "The release has several sensitive columns; name one with --sa: {columns}.",
                columns=", ".join(published.sensitive),
            )
        sa = published.sensitive[0]
    within = tuple(parse_condition(text, published) for text in args.where)
    return Wanted(
        tuple(_side(text, published) for text in args.by),
        column_named(sa, published),
        within,
        Method.named(args.method or DEFAULT.value),
    )


def _side(text: str, published: Published) -> Side:
    """Read COLUMN or COLUMN:N; a name may hold a colon itself."""
    name, _, number = text.rpartition(":")
    if text in published.table or not name or not number.strip().isdecimal() or len(number) > _DIGITS:
        return Side(column_named(text, published))
    intervals = int(number)
    if intervals < 2:
        raise BadQuestion("“{text}” asks for fewer than 2 intervals.", text=text)
    return Side(column_named(name, published), intervals)


def _print(grid: CrosstabGrid) -> None:
    """Print lines down and values across, or turned round where there are more values than a terminal holds."""
    across, down = list(grid.values), list(grid.names)
    cells: list[list[Answer]] = [list(row) for row in grid.answers]
    ends, lines = [total.shown for total in grid.totals], [line.shown for line in grid.lines]
    empty, every = told(say("(empty)")), told(say("All"))
    corner = " × ".join(side.column for side in grid.wanted.sides)
    if len(across) > _WIDE and len(down) < len(across):
        across, down, cells = down, across, [list(row) for row in grid.answers.T]
        ends, lines, corner = lines, ends, grid.wanted.sa
    head = [_short(corner), *(_short(name or empty) for name in across), every]
    rows = [
        [_short(name or empty), *(told(cell.shown) for cell in row), told(line)]
        for name, row, line in zip(down, cells, lines, strict=True)
    ]
    rows.append([every, *(told(shown) for shown in (*ends, grid.all.shown))])
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    for row in (head, *rows):
        texts = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *texts[1:]]).rstrip())


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _as_dict(grid: CrosstabGrid) -> dict[str, Any]:
    def figures(answer: Answer) -> dict[str, Any]:
        low, high = answer.ends
        return {
            "published": answer.published,
            "estimate": answer.stated[0],
            "low": low,
            "high": high,
            "interval_by": answer.interval_by,
            "badge": answer.badge.value,
        }

    return {
        "by": [{"column": side.column, "intervals": side.intervals or None} for side in grid.wanted.sides],
        "sa": grid.wanted.sa,
        "method": grid.wanted.method.value,
        "fitted": grid.wanted.method.bounded,
        "conditions": [str(condition) for condition in grid.wanted.within],
        "values": list(grid.values),
        "lines": [
            {"values": list(parts), "records": records_of(line), "cells": [figures(cell) for cell in row]}
            for parts, line, row in zip(grid.parts, grid.lines, grid.answers, strict=True)
        ],
        "totals": [figures(total) for total in grid.totals],
        "records": records_of(grid.all),
        "lines_left_out": grid.left_out,
    }
