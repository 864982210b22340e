"""`--generalise COLUMN:WAY`: what the command line says about coarser values."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from splu_desktop.cli.base.help import RawHelp, several
from splu_desktop.core import generalise as g
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.generalise import Generalisation
from splu_desktop.core.messages import say
from splu_desktop.core.table import Column, Table
from splu_desktop.files.project.hierarchy import read_groups, read_hierarchy

WAYS_HELP = say(
    """ways to generalise a column, --generalise 'COLUMN:WAY' (several one after another: 'COLUMN:WAY;WAY'):
  auto                      what suits the column: intervals, or a part of the date
  clinical                  laboratory values and vital signs into intervals at the cut points that medicine uses
  width=10                  numbers into intervals of one width
  cuts=18,40,65             numbers into intervals with own cut points
  year, quarter, month, weekday    part of a date
  age=2024-12-31            dates into the age in years at a reference date
  prefix=3                  codes to their first 3 characters
  before=.                  codes to what stands before a mark
  droplast=3                codes without their last 3 characters
  chapter=icd10             diagnosis codes into chapters (icd9, icd10)
  groups=FILE.csv           values grouped by hand: value and group name in each row
  hierarchy=FILE.csv,2      values grouped by level 2 of an ARX hierarchy file
  rare=10  or  rare=10,Other wards    values of fewer than 10 records into one group
  missing=unknown           all marks for “no value” spelled alike
example: --generalise 'Birth date:age=2024-12-31;width=10' --generalise 'Diagnosis:prefix=3;rare=5'"""
)


def add_generalise_option(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    """Give a command the option --generalise (and the spelling --generalize), and its help the list of ways."""
    parser.epilog, parser.formatter_class = WAYS_HELP, RawHelp
    several(
        group,
        "--generalise|--generalize COL:WAY",
        "coarser values for a column, such as 'Age:width=10'; the ways are listed below; may be repeated",
    )


def generalisations_from(texts: Iterable[str], table: Table) -> dict[str, g.Steps]:
    """Return the steps of each column named. Raises UnknownColumn, BadSetting, FileFault."""
    found: dict[str, g.Steps] = {}
    for text in texts:
        name, ways = _split(text, table)
        if name in found:
            raise BadSetting(
                "Column “{name}” is given with --generalise twice; write its steps in one, with “;” between.",
                name=name,
            )
        column = table[name]
        steps: list[Generalisation] = []
        for way in ways.split(";"):
            made = _steps(way.strip(), column)
            column = g.column_after(column, made)
            steps.extend(made)
        found[name] = tuple(steps)
    return found


def _split(text: str, table: Table) -> tuple[str, str]:
    """Return column and ways; a column's name may hold colons, so the longest known name counts."""
    for at in reversed([i for i, mark in enumerate(text) if mark == ":"]):
        for name in (text[:at], text[:at].strip()):
            if name in table:
                return name, text[at + 1 :]
    if ":" not in text:
        raise BadSetting(
            "“{text}” after --generalise has no “:” between column and way, as in Age:width=10.", text=text[:80]
        )
    raise UnknownColumn(text.partition(":")[0], table.names)


def _steps(text: str, column: Column) -> g.Steps:
    """Return the steps that one way means for a column."""
    way, _, setting = text.partition("=")
    way = way.strip().lower()
    if way == "auto":
        suggested = g.suggest(column)
        if not suggested:
            raise g.CannotGeneralise(
                "Nothing is suggested for column “{name}”; say how to generalise it.", name=column.name
            )
        return suggested
    if way == "clinical":
        return (g.clinical(column),)
    if way in {part.value for part in g.Part}:
        return (g.DatePart(g.Part(way)),)
    if way not in _WITH_SETTING:
        raise BadSetting(
            "“{text}” is no way to generalise column “{name}”; the ways are auto, clinical, {parts}, {known}.",
            text=text[:40],
            name=column.name,
            parts=", ".join(part.value for part in g.Part),
            known=", ".join(f"{known}=…" for known in _WITH_SETTING),
        )
    if not setting.strip():
        raise BadSetting(
            "“{way}” for column “{name}” lacks its setting, as in {example}.",
            way=way,
            name=column.name,
            example=_EXAMPLES[way],
        )
    return (_WITH_SETTING[way](setting, column),)


def _whole(text: str, column: Column) -> int:
    try:
        return int(text.strip()[:20])
    except ValueError:
        raise BadSetting(
            "“{text}” for column “{name}” must be a whole number.", text=text[:40], name=column.name
        ) from None


def _rare(text: str, column: Column) -> Generalisation:
    k, comma, label = text.partition(",")
    return g.Rare(_whole(k, column), label.strip()) if comma else g.Rare(_whole(k, column))


def _hierarchy(text: str, column: Column) -> Generalisation:
    path, comma, level = text.rpartition(",")
    if comma and level.strip().isdigit():
        return read_hierarchy(Path(path).expanduser(), int(level))
    return read_hierarchy(Path(text).expanduser())


_WITH_SETTING: dict[str, Callable[[str, Column], Generalisation]] = {
    "width": lambda text, column: g.by_width(column, text),
    "cuts": lambda text, column: g.by_cuts([cut for cut in text.split(",") if cut.strip()]),
    "age": lambda text, column: g.Age(g.reference_date(text)),
    "prefix": lambda text, column: g.Prefix(length=_whole(text, column)),
    "before": lambda text, column: g.Prefix(before=text),
    "droplast": lambda text, column: g.Prefix(drop_last=_whole(text, column)),
    "chapter": lambda text, column: g.Chapter(text.strip().lower()),
    "groups": lambda text, column: read_groups(Path(text).expanduser()),
    "hierarchy": _hierarchy,
    "rare": _rare,
    "missing": lambda text, column: g.OneMissing(text),
}
_EXAMPLES = {
    "width": "width=10",
    "cuts": "cuts=18,40,65",
    "age": "age=2024-12-31",
    "prefix": "prefix=3",
    "before": "before=.",
    "droplast": "droplast=3",
    "chapter": "chapter=icd10",
    "groups": "groups=FILE.csv",
    "hierarchy": "hierarchy=FILE.csv,2",
    "rare": "rare=10",
    "missing": "missing=unknown",
}
