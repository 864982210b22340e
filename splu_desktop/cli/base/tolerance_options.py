"""What `splu publish` and `splu plan` share for columns with a tolerance per value."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from splu_desktop.cli.base.help import several
from splu_desktop.cli.base.output import per_cent, print_rows, tell, told, whole
from splu_desktop.cli.base.sensitive_option import sensitive_named
from splu_desktop.core.draw import Draw, draw_from
from splu_desktop.core.draw.decoy_groups import plain_with_fakes
from splu_desktop.core.draw.joined import design as joined_design
from splu_desktop.core.draw.ways import GROUPS, by_gamma, by_tolerances, gamma_tolerances, with_declared
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.groups.design import BLOCK
from splu_desktop.core.groups.rules import linear, on_ladder
from splu_desktop.core.groups.rules import said as limit_of
from splu_desktop.core.groups.tolerances import NOT_SENSITIVE, Tolerances
from splu_desktop.core.messages import Figure, quoted, say
from splu_desktop.core.plan import DEFAULT_GAMMA
from splu_desktop.core.rationals import as_fraction
from splu_desktop.core.table import Column, Table
from splu_desktop.files.project.tolerances import combined, read_declared

OPTIONS = ("tolerance", "tolerance_rule", "tolerances", "fakes", "declared", "draw")
Rules = Mapping[str, Callable[[Column], Tolerances]]
_LISTED = 20
BY_GAMMA = "gamma"  # in place of a tolerance: that which follows from it


def add_tolerance_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that say tolerances."""
    group = parser.add_argument_group(
        say("tolerances"),
        say(
            "A column with tolerances is sensitive and has no gamma: each value says which share of the rows that "
            "show it may truly have it, on average, from 1 (not sensitive) down, and the group sizes follow."
        ),
    )
    several(
        group,
        "--tolerance COL:VALUE=F",
        "tolerance of one value, a number or none, low, medium, high; COL:*=F is for the values not named (1), "
        "COL:*=gamma for what --gamma makes of them; *:... is for every --sa, and so are *=... below",
    )
    several(group, "--tolerances COL=FILE.csv", "a CSV of value and tolerance")
    several(
        group,
        "--tolerance-rule COL=THETA,C",
        "values not named get min(1, THETA f + C), rounded down to 1, 1/2, 1/3, ...; f is the value's share",
    )
    several(
        group,
        "--fakes COL=N",
        "N fake values in each group of a sensitive column, with tolerances or gamma, against those who know the "
        "values of all other records of a group: they are sure of the last one with 1/(1+N) at most "
        "(not against those who know all other records of the table)",
    )
    several(
        group,
        "--declared COL=FILE.csv",
        "a list of all values that may occur in a sensitive column, one a row, as a code list has them: records "
        "are shown with each of them, whether or not somebody has it, against those who know all other records of "
        "the table; the column is drawn joined",
    )

    several(
        group,
        "--draw COL=DRAW",
        "groups (published shares stay true) or joined (counts in parts of the table are sharper for the same "
        "promise, published shares are not true; joined,leave=0.1 leaves a tenth of the bearers out); *=... for "
        "every sensitive column; any other draw by its name and settings: COL=NAME,SETTING=VALUE,...",
    )


class DrawWay(NamedTuple):
    """What --draw says of a column: groups or joined (None: what suits), and the share of bearers left out.

    `named` : whether it says so of this column, not of all of them.
    """

    way: str | None = None
    leave: Fraction = Fraction(0)
    named: bool = False


@dataclass
class _Said:
    given: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    rest: str | None = None
    rule: tuple[str, str] | None = None


def tolerance_rules(args: argparse.Namespace, table: Table) -> Rules:
    """Return, for each column with tolerances, what gives them for the column as generalised. Raises BadSetting."""
    said: dict[str, _Said] = {}
    for name, rest, text in _each(args.tolerance, args, table, ":", "--tolerance"):
        label, sign, limit = rest.rpartition("=")
        if not sign:
            raise BadSetting("“{text}” after --tolerance gives no tolerance; write COLUMN:VALUE=0.25.", text=text[:80])
        one = said.setdefault(name, _Said())
        if label == "*":
            if one.rest not in (None, limit):
                raise BadSetting("The values of “{name}” not named are given two tolerances; give one.", name=name)
            one.rest = limit
        elif one.given.setdefault(label, limit) != limit:
            raise BadSetting(
                "The value “{label}” of “{name}” has two tolerances, {one} and {limit}; give one.",
                label=label,
                name=name,
                one=one.given[label],
                limit=limit,
            )
    for name, path, _ in _each(args.tolerances, args, table, "=", "--tolerances"):
        one = said.setdefault(name, _Said())
        if one.file is not None:
            raise BadSetting("Column “{name}” has two files of tolerances; give one.", name=name)
        one.file = Path(path)
    for name, rest, _ in _each(args.tolerance_rule, args, table, "=", "--tolerance-rule"):
        theta, sign, offset = rest.partition(",")
        one = said.setdefault(name, _Said())
        if one.rule is not None or one.rest is not None:
            raise BadSetting("The values of “{name}” not named have two rules; give one.", name=name)
        one.rule = theta.strip(), offset.strip() if sign else "0.02"
    gamma = args.gamma if args.gamma is not None else DEFAULT_GAMMA
    return {name: _maker(one, gamma) for name, one in said.items()}


def fakes_from(args: argparse.Namespace, table: Table) -> dict[str, int]:
    """Return the fake values per group of each column that has some. Raises BadSetting."""
    found: dict[str, int] = {}
    for name, number, text in _each(args.fakes, args, table, "=", "--fakes"):
        if not number.strip().isdigit():
            raise BadSetting("“{text}” after --fakes gives no whole number; write COLUMN=1.", text=text[:80])
        if found.setdefault(name, int(number)) != int(number):
            raise BadSetting("Column “{name}” is given two numbers of fake values; give one.", name=name)
    return found


def declared_from(args: argparse.Namespace, table: Table) -> dict[str, Path]:
    """Return the file that lists the values declared for each column that has some. Raises BadSetting."""
    found: dict[str, Path] = {}
    for name, path, _ in _each(args.declared, args, table, "=", "--declared"):
        if found.setdefault(name, Path(path)) != Path(path):
            raise BadSetting("Column “{name}” has two lists of declared values; give one.", name=name)
    return found


def _each(
    texts: list[str], args: argparse.Namespace, table: Table, mark: str, option: str
) -> Iterator[tuple[str, str, str]]:
    """Give name, what stands behind it, and the whole text; for every column of --sa where a text begins with "*"."""
    for text in texts:
        if text.startswith("*" + mark) and "*" not in table:
            if not args.sa:
                raise BadSetting("“*” after {option} stands for the columns of --sa; name some.", option=option)
            yield from ((name, text[2:], text) for name, _ in sensitive_named(args.sa, table))
        else:
            yield (*_column(text, table, mark, option), text)


def _column(text: str, table: Table, mark: str, option: str) -> tuple[str, str]:
    names = [name for name in table.names if text.startswith(name + mark)]
    if not names and mark in text:
        raise UnknownColumn(text.partition(mark)[0].strip(), table.names)
    if not names:
        raise BadSetting(
            "“{text}” after {option} names no column of the table; begin with COLUMN{mark}.",
            text=text[:80],
            option=option,
            mark=mark,
        )
    name = max(names, key=len)
    return name, text[len(name) + 1 :]


def _maker(said: _Said, gamma: int) -> Callable[[Column], Tolerances]:
    def make(column: Column) -> Tolerances:
        rest: Tolerances | Any
        if said.rest == BY_GAMMA:
            rest = gamma_tolerances(column, gamma)
        else:
            rest = NOT_SENSITIVE if said.rest is None else limit_of("*", said.rest)
        if said.rule is not None:
            rest = on_ladder(column, linear(column, *said.rule, block=BLOCK))
        return combined(column, said.given, said.file, rest)

    return make


def designed(
    rules: Rules,
    gammas: Mapping[str, int],
    fakes: Mapping[str, int],
    ways: Mapping[str, DrawWay],
    table: Table,
    declared: Mapping[str, Path],
) -> dict[str, Draw]:
    """Return the draw of every sensitive column. Raises BadSetting, Infeasible."""
    found: dict[str, Draw] = {}
    for name, make in rules.items():
        column, (way, leave, _) = table[name], ways.get(name, DrawWay())
        if leave:
            found[name] = joined_design(column, make(column), leave=leave)
        else:
            found[name] = by_tolerances(column, make(column), way, fakes=fakes.get(name, 0))
    for name, number in fakes.items():
        if name not in found and name not in gammas:
            raise BadSetting("Column “{name}” is not sensitive, so it has no groups for fake values.", name=name)
        if name in gammas and name not in rules and number:
            found[name] = plain_with_fakes(table[name], gammas[name], number)
    for name, gamma in gammas.items():
        if name not in found:
            way, leave, _ = ways.get(name, DrawWay())
            if leave:
                found[name] = joined_design(table[name], gamma_tolerances(table[name], gamma), leave=leave)
            else:
                found[name] = by_gamma(table[name], gamma, way)
    for name, (way, _, named) in ways.items():
        if way == GROUPS and named and name in found and not found[name].true_shares:
            raise BadSetting(
                "No groups keep what “{name}” is promised; leave --draw of it away for a joined draw, or choose "
                "another gamma or other tolerances.",
                name=name,
            )
    for name, path in declared.items():
        if name not in found:
            raise BadSetting("Column “{name}” is not drawn by itself, so it has no declared values.", name=name)
        way, leave, _ = ways.get(name, DrawWay())
        if way == GROUPS or fakes.get(name):
            raise BadSetting(
                "Values declared for “{name}” are shown by a joined draw alone, which has neither groups nor fake "
                "values in them; leave these away.",
                name=name,
            )
        found[name] = with_declared(table[name], found[name], read_declared(path, table[name]), leave)
    return found


def ways_said(args: argparse.Namespace, table: Table) -> dict[str, DrawWay]:
    """Return the columns for which --draw says groups or joined. Raises BadSetting."""
    found: dict[str, DrawWay] = {}
    for name, said, text in _each(args.draw, args, table, "=", "--draw"):
        way, _, setting = said.partition(",")
        if way.strip() not in ("groups", "joined"):
            continue
        if name in found:
            raise BadSetting("Column “{name}” is given two draws; give one.", name=name)
        key, _, number = setting.partition("=")
        try:
            leave = as_fraction(number) if setting else Fraction(0)
        except (ValueError, ZeroDivisionError):
            leave = Fraction(-1)
        if not 0 <= leave <= Fraction(1, 2) or (setting and (key.strip() != "leave" or way.strip() != "joined")):
            raise BadSetting("“{text}” after --draw is not understood; write COLUMN=joined,leave=0.1.", text=text[:80])
        found[name] = DrawWay(way.strip(), leave, not text.startswith("*=") or "*" in table)
    return found


def draws_said(args: argparse.Namespace, table: Table) -> dict[str, Draw]:
    """Return the draws given by name with --draw. Raises BadSetting."""
    found: dict[str, Draw] = {}
    ways = ways_said(args, table)
    for name, said, _ in _each(args.draw, args, table, "=", "--draw"):
        if name in ways:
            continue
        if name in found:
            raise BadSetting("Column “{name}” is given two draws; give one.", name=name)
        found[name] = draw_said(said)
    return found


def draw_said(text: str) -> Draw:
    """Return the draw that a text NAME,SETTING=VALUE,... means. Raises BadSetting."""
    name, *settings = text.split(",")
    said: dict[str, Any] = {"draw": name.strip()}
    for each in settings:
        key, _, value = each.partition("=")
        said[key.strip()] = int(value) if value.strip().isdigit() else value.strip()
    try:
        return draw_from(said)
    except BadSetting:
        if settings:
            raise
        raise BadSetting("There is no draw “{text}”; write groups or joined.", text=text[:40]) from None


def print_tolerant(alike: Mapping[str, dict[str, Any]]) -> None:
    """Print the figures of draws for people; of several columns of which the same is said, the sentences once."""
    (name, found), *others = alike.items()
    tell("Sensitive column “{column}”, {words}", column=name, words=told(found["words"]))
    for line in found["sentences"]:
        tell(line, "  ")
    if found.get("mse") is not None:
        tell(
            "Loss (MSE) {mse}; smallest eigenvalue of the transition {least}.",
            "  ",
            mse=Figure(f"{found['mse']:.2f}"),
            least=Figure(f"{found['condition']:.3f}"),
        )
    if "one_size" in found:
        one = found["one_size"]
        tell(
            "One size only: groups of {size}, MSE {mse}, signal {signal}.",
            "  ",
            size=one["size"],
            mse=Figure(f"{one['mse']:.2f}"),
            signal=Figure(f"{one['signal']:.3f}"),
        )
    if others:
        tell(
            "The same is said of {columns}, each with its own figures: below, and in --json.",
            "  ",
            columns=quoted([other for other, _ in others], len(others)),
        )
    print()
    rows = [{**row, "column": of} for of, each in alike.items() for row in each["values"][:_LISTED]]
    whose = [(say("column"), "l", lambda row: row["column"][:40])] if others else []
    print_rows(
        rows,
        *whose,
        (say("value"), "l", lambda row: row["value"][:40] or say("(empty)")),
        (say("count"), "r", lambda row: whole(row["count"])),
        (say("tolerance"), "r", lambda row: Figure(f"{row['tolerance']:.3g}")),
        ("T_P", "r", lambda row: Figure(f"{row['t_p']:.4f}")),
        (say("keeps its value"), "r", lambda row: per_cent(row["keeps"])),
        (say("signal a - b"), "r", lambda row: Figure(f"{row['signal']:.3f}")),
    )
    if len(found["values"]) > _LISTED:
        tell("… and {n} more values; --json lists them all.", n=len(found["values"]) - _LISTED)
