"""What `splu publish` and `splu plan` share: the options that say a plan, and the plan they say."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.plan import DEFAULT_GAMMA, Plan, Thresholds
from splu_desktop.core.roles import Role, suggest_roles
from splu_desktop.core.table import Table


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that say roles, group sizes and thresholds."""
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
    parser.add_argument(
        "--epsilon", type=float, default=Thresholds.epsilon, help="relative error stated in the release"
    )
    parser.add_argument("--t-e", type=float, default=Thresholds.t_e, help="tolerated probability of it in large counts")
    parser.add_argument("--alpha", type=int, default=Thresholds.alpha, help="largest count that is to stay unreliable")


def plan_from(args: argparse.Namespace, table: Table) -> tuple[Plan, list[str]]:
    """Return the plan that these options say for a table, and notes for the user. Raises SpluError."""
    return make_plan(
        table,
        sensitive=args.sa,
        nsa=args.nsa,
        drop=args.drop,
        identifier=args.identifier,
        gamma=args.gamma,
        thresholds=Thresholds(epsilon=args.epsilon, t_e=args.t_e, alpha=args.alpha),
    )


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
