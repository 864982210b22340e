"""`splu inspect`: what a file holds and which roles its columns suggest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.import_options import add_import_options, check_columns, choices_from, source_of
from splu_desktop.cli.base.output import add_json, print_json, print_table
from splu_desktop.files.importer import describe, read, write_problems
from splu_desktop.files.project.import_recipe import load_import_recipe, save_import_recipe

_LISTED = 20


def add(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "inspect", help="show columns, types, missing values, problems and suggested roles of a file"
    )
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, XLSX, XLS, ODS and others")
    add_import_options(parser)
    parser.add_argument(
        "--import-recipe",
        type=Path,
        metavar="R.toml",
        help="read as a saved import recipe says; its columns must be there",
    )
    parser.add_argument(
        "--save-import-recipe", type=Path, metavar="R.toml", help="save how the file was read, for next month's file"
    )
    parser.add_argument("--problems", type=Path, metavar="P.csv", help="write the list of problems as CSV")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print what the file holds."""
    path = source_of(args.file)
    if args.import_recipe is not None:
        imported = load_import_recipe(args.import_recipe).read(path, allow_empty=True)
    else:
        asked = choices_from(args)
        imported = read(path, asked, allow_empty=True)
        check_columns(asked, imported.table.names)
    found = describe(imported)
    if args.save_import_recipe is not None:
        save_import_recipe(imported, args.save_import_recipe)
    if args.problems is not None:
        write_problems(imported.problems, args.problems)
    if args.json:
        print_json(found.as_dict())
        return
    imported, choices = found.imported, found.imported.choices
    joined = [sheet.name for sheet in imported.sheets if sheet.chosen] if choices.sheets else []
    details = [choices.format or "", choices.encoding or "", f"sheet “{choices.sheet}”" if choices.sheet else ""]
    if joined:
        details.append(f"sheets {', '.join(f'“{name}”' for name in joined)} as one table")
    if choices.delimiter is not None:
        details.append(f"delimiter {choices.delimiter!r}")
    last, rows = choices.header_row or 0, choices.header_rows or 1
    where = f"rows {last - rows + 1} to {last}" if rows > 1 else f"row {last}"
    if not joined:
        details.append(f"header in {where}" if last else "no header")
    print(f"{imported.source.name}: {', '.join(d for d in details if d)}; {imported.table.n:,} records")
    print()
    print_table(
        ("column", "type", "distinct", "missing", "most frequent", "share", "largest gamma", "role", "reason"),
        (
            (
                _short(c.name),
                c.type,
                f"{c.distinct:,}",
                f"{c.missing:,}",
                _short(c.most_frequent),
                f"{100 * c.most_frequent_share:.1f} %",
                f"{c.largest_gamma:,}",
                c.role,
                c.reason,
            )
            for c in found.columns
        ),
        right=(2, 3, 5, 6),
    )
    tokens = imported.missing_tokens
    if tokens:
        print("\nMissing values:")
        for token in tokens:
            state = "taken as missing" if token.applied else "proposed, not applied"
            print(f"  {token.column}: “{token.token}” in {token.count:,} records, {state} ({token.reason})")
    if imported.problems:
        print(f"\nProblems ({len(imported.problems)}):")
        for problem in imported.problems[:_LISTED]:
            print(f"  {problem.sentence}")
        if len(imported.problems) > _LISTED:
            print(f"  … and {len(imported.problems) - _LISTED} more; --json lists them all.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 28 else line[:27] + "…"
