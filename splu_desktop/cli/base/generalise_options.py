"""`--generalise COLUMN:WAY`: what the command line says about coarser values."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from splu_desktop.cli.base.effects import misfit
from splu_desktop.cli.base.help import add_below, rows_of, several
from splu_desktop.core import generalise as g
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.generalise import Generalisation
from splu_desktop.core.messages import none_of, say
from splu_desktop.core.table import Column, Table
from splu_desktop.files.project.hierarchy import read_groups, read_hierarchy


class Way(NamedTuple):
    """A way to generalise: as it is typed for example, what it means, and the steps that it makes of a column.

    The steps are those of what stands behind "=", or of the name where nothing does; ValueError where it means nothing.
    """

    usage: str
    words: str
    steps: Callable[[str, Column], g.Steps]


def _suggest(_: str, column: Column) -> g.Steps:
    if suggested := g.suggest(column):
        return suggested
    raise g.CannotGeneralise("Nothing is suggested for column “{name}”; say how to generalise it.", name=column.name)


def _hierarchy(text: str, _: Column) -> g.Steps:
    # A path may hold commas itself, so only a number behind the last one is a level.
    path, comma, level = text.rpartition(",")
    if comma and level.strip().isdigit():
        return (read_hierarchy(Path(path).expanduser(), int(level)),)
    return (read_hierarchy(Path(text).expanduser()),)


_AUTO = say("what suits the column: intervals, or a part of the date")
_CLINICAL = say("laboratory values into intervals at the cut points that medicine uses")
_WIDTH = say("numbers into intervals of one width")
_CUTS = say("numbers into intervals with own cut points")
_GROUPS = say("values grouped by hand: value and group name in each row")
_LEVEL = say("values grouped by level 2 of an ARX hierarchy file")
_PARTS = ", ".join(part.value for part in g.Part)
_OWN = (
    Way("auto", _AUTO, _suggest),
    Way("clinical", _CLINICAL, lambda _, column: (g.clinical(column),)),
    Way(_PARTS, say("part of a date"), lambda name, _: (g.DatePart(g.Part(name)),)),
    Way("width=10", _WIDTH, lambda text, column: (g.by_width(column, text),)),
    Way("cuts=18,40,65", _CUTS, lambda text, _: (g.by_cuts([cut for cut in text.split(",") if cut.strip()]),)),
    Way("prefix=3", say("codes to their first 3 characters"), lambda text, _: (g.Prefix(length=int(text)),)),
    Way("before=.", say("codes to what stands before a mark"), lambda text, _: (g.Prefix(before=text),)),
    Way("droplast=3", say("codes without their last 3 characters"), lambda t, _: (g.Prefix(drop_last=int(t)),)),
    Way("groups=FILE.csv", _GROUPS, lambda text, _: (read_groups(Path(text).expanduser()),)),
    Way("hierarchy=FILE.csv,2", _LEVEL, _hierarchy),
)


def _way_of(kind: type[Generalisation]) -> Way:
    """Return the way of a step that says itself how it is typed."""
    example = kind.from_text(kind.usage.partition("=")[2])
    return Way(kind.usage, example.words, lambda text, _: (kind.from_text(text),))


def _ways() -> tuple[Way, ...]:
    """Return all ways: those that need the column, read a file or are typed in several ways, then what steps say."""
    return (*_OWN, *(_way_of(each) for each in Generalisation.registry.values() if each.usage))


def add_generalise_option(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    """Give a command the option --generalise (and the spelling --generalize), and its help the list of ways."""
    words = say("coarser values for a column, such as 'Age:width=10'; ways are below")
    several(group, "--generalise|--generalize COL:WAY", words)
    words = say("Ways to generalise, several one after another as in 'Birth date:age=2024-12-31;width=10':")
    add_below(parser, words, rows_of(way[:2] for way in _ways()))


def generalisations_from(texts: Iterable[str], table: Table) -> dict[str, g.Steps]:
    """Return the steps of each column named. Raises UnknownColumn, BadSetting, FileFault."""
    by_column: dict[str, g.Steps] = {}
    for text in texts:
        name, ways = _split_column(text, table)
        if name in by_column:
            raise BadSetting("Give {name} once.", name=f"--generalise {name}")
        column = table[name]
        steps: list[Generalisation] = []
        for way in ways.split(";"):
            more = _steps(way.strip(), column)
            column = g.column_after(column, more)
            steps.extend(more)
        by_column[name] = tuple(steps)
    return by_column


def known_column(text: str, table: Table) -> str | None:
    """Return the column that is typed so, blanks around it or not; None where there is none."""
    return next((name for name in (text, text.strip()) if name in table), None)


def _split_column(text: str, table: Table) -> tuple[str, str]:
    """Return column and ways; a column's name may hold colons, so the longest known name counts."""
    for at in reversed([i for i, mark in enumerate(text) if mark == ":"]):
        if (name := known_column(text[:at], table)) is not None:
            return name, text[at + 1 :]
    if ":" not in text:
        raise misfit(text, "--generalise", "COLUMN:WAY")
    raise UnknownColumn(text.partition(":")[0], table.names)


def _steps(text: str, column: Column) -> g.Steps:
    """Return the steps that one way means for a column."""
    name, _, setting = text.partition("=")
    name, ways = name.strip().lower(), _ways()
    way = next((each for each in ways if name in each.usage.partition("=")[0].split(", ")), None)
    if way is None:
        raise BadSetting(none_of(text, (each.usage for each in ways)))
    argument = setting if "=" in way.usage else name
    with suppress(ValueError):
        if argument.strip():
            return way.steps(argument, column)
    raise misfit(text, "--generalise", f"{column.name}:{way.usage}")
