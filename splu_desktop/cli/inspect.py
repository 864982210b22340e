"""`splu inspect`: what a file holds and which roles its columns suggest."""

from __future__ import annotations

import argparse
from typing import Any

from splu_desktop.cli.import_options import add_import_options, choices_from, source_of
from splu_desktop.cli.output import add_json, print_json, print_table

_LISTED = 20


def add(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "inspect", help="show columns, types, missing values, problems and suggested roles of a file"
    )
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, XLSX, XLS, ODS and others")
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print what the file holds."""
    from splu_desktop.files.importer import inspect_file

    found = inspect_file(source_of(args.file), choices_from(args))
    if args.json:
        print_json(found.as_dict())
        return
    imported, choices = found.imported, found.imported.choices
    details = [choices.format or "", choices.encoding or "", f"sheet “{choices.sheet}”" if choices.sheet else ""]
    if choices.delimiter is not None:
        details.append(f"delimiter {choices.delimiter!r}")
    details.append(f"header in row {choices.header_row}" if choices.header_row else "no header")
    print(f"{imported.source.name}: {', '.join(d for d in details if d)}; {imported.table.n} records")
    print()
    print_table(
        ("column", "type", "distinct", "missing", "most frequent", "share", "largest gamma", "role", "reason"),
        (
            (
                _short(c.name),
                c.type,
                str(c.distinct),
                str(c.missing),
                _short(c.most_frequent),
                f"{100 * c.most_frequent_share:.1f} %",
                str(c.largest_gamma),
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
            print(f"  {token.column}: “{token.token}” in {token.count} records, {state} ({token.reason})")
    if imported.problems:
        print(f"\nProblems ({len(imported.problems)}):")
        for problem in imported.problems[:_LISTED]:
            print(f"  {problem.sentence}")
        if len(imported.problems) > _LISTED:
            print(f"  … and {len(imported.problems) - _LISTED} more; --json lists them all.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 28 else line[:27] + "…"
