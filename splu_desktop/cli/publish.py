"""`splu publish`: a table in, a release folder out."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from splu_desktop.cli.output import add_json, print_json
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.plan import DEFAULT_GAMMA, Plan, Thresholds
from splu_desktop.core.roles import Role, suggest_roles
from splu_desktop.core.table import Table


def add(commands: Any) -> None:
    """Add the command to the parser."""
    from splu_desktop.cli.import_options import add_import_options

    parser = commands.add_parser(
        "publish",
        help="publish a table with its sensitive columns re-drawn",
        description="Publish FILE as a new release folder. Columns not named take the role that splu inspect suggests.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--sa", action="append", default=[], metavar="COL[:GAMMA]", help="a sensitive column, re-drawn; may be repeated"
    )
    parser.add_argument("--nsa", action="append", default=[], metavar="COL,...", help="columns published unchanged")
    parser.add_argument("--drop", action="append", default=[], metavar="COL,...", help="columns left out")
    parser.add_argument(
        "--identifier", action="append", default=[], metavar="COL,...", help="columns that name a person; left out"
    )
    parser.add_argument(
        "--gamma",
        type=int,
        default=None,
        metavar="G",
        help=f"group size of every --sa without its own ({DEFAULT_GAMMA})",
    )
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
    parser.add_argument(
        "--epsilon", type=float, default=Thresholds.epsilon, help="relative error stated in the release"
    )
    parser.add_argument("--t-e", type=float, default=Thresholds.t_e, help="tolerated probability of it in large counts")
    parser.add_argument("--alpha", type=int, default=Thresholds.alpha, help="largest count that is to stay unreliable")
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Publish. Raises SpluError; nothing is written then."""
    from splu_desktop.cli.import_options import choices_from
    from splu_desktop.core import sanitise
    from splu_desktop.files.importer import read
    from splu_desktop.files.release import write_release
    from splu_desktop.files.whole import check_new_folder

    check_new_folder(args.out)
    thresholds = Thresholds(epsilon=args.epsilon, t_e=args.t_e, alpha=args.alpha)
    imported = read(args.file, choices_from(args))
    plan, notes = make_plan(
        imported.table,
        sensitive=args.sa,
        nsa=args.nsa,
        drop=args.drop,
        identifier=args.identifier,
        gamma=args.gamma,
        thresholds=thresholds,
    )
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


def make_plan(
    table: Table,
    *,
    sensitive: Iterable[str],
    nsa: Iterable[str] = (),
    drop: Iterable[str] = (),
    identifier: Iterable[str] = (),
    gamma: int | None = None,
    thresholds: Thresholds | None = None,
) -> tuple[Plan, list[str]]:
    """Return the plan that the options say, and notes for the user. Raises UnknownColumn, BadSetting."""
    gammas: dict[str, int] = {}
    for text in sensitive:
        for name, own in _sensitive(text, table):
            if name in gammas:
                raise BadSetting(f"Column “{name}” is given with --sa twice; name it once.")
            gammas[name] = own if own is not None else (gamma if gamma is not None else DEFAULT_GAMMA)
    roles: dict[str, Role] = dict.fromkeys(gammas, Role.SA)
    for option, role, texts in (
        ("--nsa", Role.NSA, nsa),
        ("--drop", Role.DROPPED, drop),
        ("--identifier", Role.IDENTIFIER, identifier),
    ):
        for name in (name for text in texts for name in _names(text, table)):
            if roles.setdefault(name, role) is not role:
                raise BadSetting(
                    f"Column “{name}” is given two roles, {roles[name].value} and {option[2:]}; give it one."
                )
    notes = []
    for name, suggestion in suggest_roles(table, sensitive=tuple(gammas)).items():
        if name in roles:
            continue
        roles[name] = suggestion.role
        if suggestion.role is Role.SA:
            gammas[name] = gamma if gamma is not None else DEFAULT_GAMMA
        if suggestion.role is not Role.NSA or suggestion.reason.startswith("looks sensitive"):
            notes.append(f"“{name}” was taken as {suggestion.role.value}: {suggestion.reason}")
    ordered = {name: roles[name] for name in table.names}
    return Plan(roles=ordered, gammas=gammas, thresholds=thresholds or Thresholds()), notes


def _names(text: str, table: Table) -> list[str]:
    """Split a comma-separated list of columns whose names may hold commas themselves. Raises UnknownColumn."""
    if text in table:
        return [text]
    names: list[str] = []
    parts = text.split(",")
    while parts:
        for length in range(len(parts), 0, -1):
            name = ",".join(parts[:length])
            found = next((known for known in (name, name.strip()) if known in table), None)
            if found is not None:
                names.append(found)
                del parts[:length]
                break
        else:
            raise UnknownColumn(parts[0].strip(), table.names)
    return names


def _sensitive(text: str, table: Table) -> list[tuple[str, int | None]]:
    """Split ``COL``, ``COL:GAMMA`` or a comma-separated list of them. Raises UnknownColumn, BadSetting."""
    if text in table:
        return [(text, None)]
    name, colon, number = text.rpartition(":")
    if colon and name in table:
        try:
            return [(name, int(number))]
        except ValueError:
            raise BadSetting(
                f"The group size gamma of column “{name}” must be a whole number from 2, not “{number}”."
            ) from None
    if "," in text:
        return [entry for part in text.split(",") for entry in _sensitive(part.strip(), table)]
    raise UnknownColumn(name if colon and number.strip().lstrip("+-").isdigit() else text, table.names)
