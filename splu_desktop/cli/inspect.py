"""`splu inspect`: what a file holds and which roles its columns suggest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.import_options import add_recipe_options, imported_from, recipe_from
from splu_desktop.cli.base.output import add_json, per_cent, print_json, print_rows, tell, told, whole
from splu_desktop.core.messages import say
from splu_desktop.files.importer import write_problems
from splu_desktop.files.importer.inspection import describe
from splu_desktop.files.project.recipe import Recipe, write_recipe

_LISTED = 20


def add(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "inspect", help=say("show columns, types, missing values, problems and suggested roles of a file")
    )
    takes(parser, "file FILE", "CSV, TSV, XLSX, XLS, ODS and others", type=Path)
    add_recipe_options(parser)
    takes(parser, "--problems P.csv", "write the list of problems as CSV", type=Path)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print what the file holds."""
    imported = imported_from(args, args.file.expanduser(), recipe_from(args), allow_empty=True)
    found = describe(imported)
    if args.save_recipe is not None:
        write_recipe(Recipe(imported.choices, None, imported.source, columns=imported.table.names), args.save_recipe)
    if args.problems is not None:
        write_problems(imported.problems, args.problems)
    if args.json:
        print_json(found.as_dict())
        return
    imported, choices = found.imported, found.imported.choices
    joined = [sheet.name for sheet in imported.sheets if sheet.chosen] if choices.sheets else []
    details = [choices.format or "", choices.encoding or ""]
    if choices.sheet:
        details.append(say("sheet “{name}”", name=choices.sheet))
    if joined:
        names = ", ".join(say("“{name}”", name=name) for name in joined)
        details.append(say("sheets {names} as one table", names=names))
    if choices.delimiter is not None:
        details.append(say("delimiter {mark}", mark=repr(choices.delimiter)))
    last, rows = choices.header_row or 0, choices.header_rows or 1
    where = (
        say("header in rows {first} to {last}", first=str(last - rows + 1), last=str(last))
        if rows > 1
        else say("header in row {last}", last=str(last))
    )
    if not joined:
        details.append(where if last else say("no header"))
    tell(
        "{name}: {details}; {n} records",
        name=imported.source.name,
        details=", ".join(told(d) for d in details if d),
        n=imported.table.n,
    )
    print()
    print_rows(
        found.columns,
        (say("column"), "l", lambda column: _short(column.name)),
        (say("type"), "l", lambda column: told(column.type)),
        (say("distinct"), "r", lambda column: whole(column.distinct)),
        (say("missing"), "r", lambda column: whole(column.missing)),
        (say("most frequent"), "l", lambda column: _short(column.most_frequent)),
        (say("share"), "r", lambda column: per_cent(column.most_frequent_share)),
        (say("role"), "l", lambda column: column.role),
        (say("reason"), "l", lambda column: told(column.reason)),
    )
    tokens = imported.missing_tokens
    if tokens:
        tell("Missing values:", "\n")
        for token in tokens:
            state = say("taken as missing") if token.applied else say("proposed, not applied")
            tell(
                "{column}: “{token}” in {n} records, {state} ({reason})",
                "  ",
                column=token.column,
                token=token.token,
                n=token.count,
                state=state,
                reason=told(token.reason),
            )
    if imported.problems:
        tell("Problems ({n}):", "\n", n=str(len(imported.problems)))
        for problem in imported.problems[:_LISTED]:
            tell(problem.sentence, "  ")
        if len(imported.problems) > _LISTED:
            tell("… and {n} more; --json lists them all.", "  ", n=str(len(imported.problems) - _LISTED))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 28 else line[:27] + "…"
