"""`splu publish`: a table in, a release folder out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from splu_desktop.cli.output import add_json, print_json
from splu_desktop.cli.planning import add_plan_options, table_and_plan
from splu_desktop.core.roles import Role


def add(commands: Any) -> None:
    """Add the command to the parser."""
    from splu_desktop.cli.import_options import add_import_options

    parser = commands.add_parser(
        "publish",
        help="publish a table with its sensitive columns re-drawn",
        description="Publish FILE as a new release folder. Columns not named take the role that splu inspect suggests.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    add_plan_options(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the release folder; must not exist yet")
    parser.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="NAME,...",
        help="besides CSV, which is always written: xlsx, parquet",
    )
    parser.add_argument("--xlsx", action="append_const", const="xlsx", dest="format", help="same as --format xlsx")
    parser.add_argument(
        "--parquet", action="append_const", const="parquet", dest="format", help="same as --format parquet"
    )
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Publish. Raises SpluError; nothing is written then."""
    from splu_desktop.core import sanitise
    from splu_desktop.files.release import write_release
    from splu_desktop.files.whole import check_new_folder

    check_new_folder(args.out)
    imported, plan, notes = table_and_plan(args)
    sanitise.check(imported.table, plan)
    formats = [name.strip() for text in args.format for name in text.split(",") if name.strip()]
    opened = write_release(sanitise.run(imported.table, plan), args.out, formats=formats)
    roles = {role.value: list(plan.named(role)) for role in Role}
    if args.json:
        print_json(
            {
                "out": str(args.out),
                "records": opened.published.n,
                "gammas": dict(plan.gammas),
                "roles": roles,
                "files": opened.facts["files"],
                "notes": notes,
            }
        )
        return
    print(f"Published {opened.published.n} records to {args.out}")
    for name in plan.sensitive:
        print(f"  re-drawn (SA):        {name}, gamma {plan.gammas[name]}")
    for title, role in (
        ("unchanged (NSA)", Role.NSA),
        ("left out, identifier", Role.IDENTIFIER),
        ("left out", Role.DROPPED),
    ):
        if roles[role.value]:
            print(f"  {title + ':':<21} {', '.join(roles[role.value])}")
    for entry in opened.facts["files"]:
        print(f"  {entry['name']}: {entry['bytes']} bytes, SHA-256 {entry['sha256']}")
    for note in notes:
        print(f"Note: {note}")
