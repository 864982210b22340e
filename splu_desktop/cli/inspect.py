"""`splu inspect`: what a file holds and which roles its columns suggest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.import_options import add_recipe_options, import_table
from splu_desktop.cli.base.output import print_json, print_rows, tell, translate, whole
from splu_desktop.core.messages import Phrase, percent_of, say
from splu_desktop.core.roles import Role
from splu_desktop.files.importer import write_problems
from splu_desktop.files.project.inspection import inspect_columns, inspection
from splu_desktop.files.project.recipe import Recipe, write_recipe

_LISTED = 20


def add(commands: Any) -> None:
    """Add the command."""
    words = say("show columns, types, missing values, problems and suggested roles of a file")
    parser = add_command(commands, "inspect", words, run)
    takes(parser, "file FILE", type=Path)
    add_recipe_options(parser)
    takes(parser, "--problems P.csv", "write the list of problems as CSV", type=Path)


def run(args: argparse.Namespace) -> None:
    """Print what the file holds."""
    imported = import_table(args, args.file.expanduser(), allow_empty=True)
    if args.save_recipe is not None:
        write_recipe(Recipe(imported.choices, None, imported.source, columns=imported.table.names), args.save_recipe)
    if args.problems is not None:
        write_problems(imported.problems, args.problems)
    if args.json:
        print_json(inspection(imported))
        return
    choices = imported.choices
    joined = tuple(sheet.name for sheet in imported.sheets if sheet.chosen) if choices.sheets else ()
    read = {name: getattr(choices, name) for name in ("encoding", "sheet", "delimiter", "header_row", "header_rows")}
    read |= {"sheets": ",".join(joined), "header_row": None if joined else read["header_row"] or 0}
    details = [choices.format or "", *(f"{name}={value}" for name, value in read.items() if value not in (None, ""))]
    listing = ", ".join(details).replace("\t", "tab")
    tell("{name}: {details}; {n} records", name=imported.source.name, details=listing, n=imported.table.n)
    print()
    print_rows(
        inspect_columns(imported),
        (say("column"), "l", lambda column: _short(column["name"])),
        (say("type"), "l", lambda column: translate(column["type"])),
        (say("distinct"), "r", lambda column: whole(column["distinct"])),
        (say("missing"), "r", lambda column: whole(column["missing"])),
        (say("most frequent"), "l", lambda column: _short(column["most_frequent"])),
        (say("share"), "r", lambda column: percent_of(column["most_frequent_share"])),
        (say("role"), "l", lambda column: translate(Role(column["role"]).words)),
        (say("reason"), "l", lambda column: translate(column["reason"])),
    )
    for words, applied in ((say("Taken as missing:"), True), (say("May mean missing, and was kept:"), False)):
        if tokens := [each for each in imported.missing_tokens if each.applied is applied]:
            tell(words, "\n")
        for token in tokens:
            text = say("“{name}”", name=token.token)
            facts = {"column": token.column, "text": text, "n": token.count, "reason": say(token.reason)}
            tell(Phrase("{column}: {text} {n} ({reason})", facts), "  ")
    if imported.problems:
        tell("Problems ({n}):", "\n", n=str(len(imported.problems)))
        for problem in imported.problems[:_LISTED]:
            tell(problem.sentence, "  ")
        if len(imported.problems) > _LISTED:
            tell("… and {n} more; --json lists them all.", "  ", n=str(len(imported.problems) - _LISTED))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 28 else line[:27] + "…"
