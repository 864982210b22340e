"""Tables that people will ask of a release: the one that shows what a plan does, and those that must be answered."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.draw import Draw
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.messages import Figure, listed, say
from splu_desktop.core.query.condition import Condition, parse_choice
from splu_desktop.core.query.crosstab_grid import pieces
from splu_desktop.core.roles.vocabulary import TIMED, said_by
from splu_desktop.core.table import Column, Table
from splu_desktop.frozen import dataclass

USUAL = 0.2  # error within which a cell counts as answered
MOST_CELLS = 600
_MANY = 8  # values of a column that a small table holds
_ALONE = 1.01  # as even as one value by itself
_INTERVALS = 4  # that a longer one is put into
_USUAL_LINES = 12  # of the table that is proposed
_MOST_VALUES = 24  # of a column, the most frequent ones, in any table
_WITHIN = re.compile(r"^(?P<what>.*?)\s+within\s+(?P<error>\d+(?:\.\d+)?)\s*%(?:\s+from\s+(?P<least>\d+))?\s*$", re.S)


@dataclass(frozen=True)
class AskedTable:
    """A table of counts, and how well it is to be answered.

    Attributes
    ----------
    columns : whose values all stand in it, one SA among them or in `conditions`.
    conditions : what all its records meet besides.
    error : how far, relative to the true count, both ends of an interval may be from it.
    least : true count from which cells are to be answered; 0 for all above what is small.
    """

    columns: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    error: float = USUAL
    least: int = 0

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that it names."""
        return (*self.columns, *(condition.column for condition in self.conditions))

    def sensitive(self, draws: Mapping[str, Draw]) -> tuple[str, ...]:
        """Return its SAs. Raises BadSetting where there is none, or several that are not drawn together."""
        found = tuple(dict.fromkeys(name for name in self.named if name in draws))
        if not found:
            raise BadSetting(
                "“{table}” names no sensitive column, so every count of it is exact; name one that is.",
                table=self.what(),
            )
        if not set(found) <= set(draws[found[0]].block(found[0])):
            raise BadSetting(
                "“{table}” names several sensitive columns that are not drawn together: {columns}; name one.",
                table=self.what(),
                columns=", ".join(found),
            )
        return found

    def what(self) -> str:
        """Return its columns and conditions, as they are written."""
        return listed((*self.columns, *map(str, self.conditions)), "{head}, {tail}")

    def title(self) -> str:
        """Return what it counts by what, in words where these are short."""
        asked = self.conditions[0] if len(self.conditions) == 1 and self.columns else None
        if asked is None or len(asked.values) != 1 or not asked.values[0] or asked.excluded:
            return self.what()
        by = listed(say("“{name}”", name=name) for name in self.columns)
        return say("“{value}” of “{column}” by {columns}", value=asked.values[0], column=asked.column, columns=by)

    def words(self) -> str:
        """Return it in words."""
        error = Figure(f"{100 * self.error:g} %")
        if self.least:
            return say(
                "{table} within {error}, counts from {least} on", table=self.what(), error=error, least=self.least
            )
        return say("{table} within {error}", table=self.what(), error=error)


@dataclass(frozen=True)
class Cell:
    """One count of a table: the values that it stands for, by column, and the question."""

    values: tuple[str, ...]
    conditions: tuple[Condition, ...]


def cells(table: Table, asked: AskedTable) -> tuple[Cell, ...]:
    """Return the counts of a table, which may have no record. Raises UnknownColumn, BadSetting, BadQuestion."""
    sides = [_parts(table[name]) for name in asked.columns]
    number = int(np.prod([len(side) for side in sides])) if sides else 1
    if number > MOST_CELLS:
        raise BadSetting(
            "“{table}” has {cells} cells, and {most} are the most; name fewer columns, or put their values into "
            "groups.",
            table=asked.what(),
            cells=number,
            most=MOST_CELLS,
        )
    for condition in asked.conditions:
        condition.select(table[condition.column])
    return tuple(
        Cell(tuple(name for name, _ in head), (*(one for _, one in head), *asked.conditions))
        for head in itertools.product(*sides)
    )


def _parts(column: Column) -> list[tuple[str, Condition]]:
    used = column.compacted()
    found = pieces(used, _INTERVALS if used.m > _MANY else 0)
    if len(found) <= _MOST_VALUES:
        return found
    counts = dict(zip(map(str, used.labels), used.counts().tolist(), strict=True))
    return sorted(found, key=lambda part: -counts.get(part[0], 0))[:_MOST_VALUES]


def suggested(table: Table, nsas: Sequence[str], sa: str) -> AskedTable:
    """Return the table of few columns by which people would first look at an SA.

    Lines are values of the one or two columns that tell most records apart by two to eight values, or by intervals of
    numbers, and don't tell again what the other tells, days of the week and the like last; of the SA it is the value
    that people ask for: of two the rarer, of more the most frequent one with less than half of the records. What has
    one value in all of these, as the age of the newborn, comes behind the others.
    """
    lines: list[str] = []
    number = 1
    found = {name: table[name].compacted() for name in nsas}
    column = table[sa].compacted()
    counts = column.counts()
    usual = np.where((counts * 2 < column.n) & ~column.missing, counts, -1)
    value = str(column.labels[int(np.argmax(usual))])
    bearing = int(np.flatnonzero(table[sa].labels == value)[0])
    good = [name for name, column in found.items() if 2 <= column.m <= _MANY]
    good.sort(
        key=lambda name: (
            any(matter.what == TIMED for matter in said_by(name)[0]),
            _evenness(table.crossed(name, sa)[:, bearing]) < _ALONE,
            -_evenness(found[name].counts()),
        )
    )
    long = [name for name, column in found.items() if column.m > _MANY and column.kind.ordered]
    long.sort(key=lambda name: found[name].m)
    for name in (*good, *long):
        size = min(found[name].m, _MANY if name in good else _INTERVALS + 1)
        if len(lines) < 2 and number * size <= _USUAL_LINES and not any(_same(table, name, n) for n in lines):
            lines.append(name)
            number *= size
    return AskedTable(tuple(lines), (Condition(sa, (value,)),))


def _evenness(counts: NDArray[np.int64]) -> float:
    """Return how many values as frequent as one another would tell as much as these (exp of their entropy)."""
    share = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(np.exp(-(share * np.log(share)).sum()))


def _same(table: Table, one: str, other: str) -> bool:
    """Whether one of two columns tells less than a fifth anew beside the other, as a postcode beside its place."""
    less, more = sorted(_evenness(table[name].counts()) for name in (one, other))
    return bool(_evenness(table.crossed(one, other).ravel()) < more * less**0.2)


def asked_from(text: str, table: Table, usual: AskedTable | None = None) -> AskedTable:
    """Read ``A,B,SA``, ``A,SA=value`` and ``A,B,SA within 20% from 50``.

    Names may hold commas themselves. Raises UnknownColumn, BadSetting, BadQuestion.
    """
    usual = usual or AskedTable(())
    error, least, what = usual.error, usual.least, text
    stated = _WITHIN.match(text)
    if stated is not None and text not in table:
        what, error, least = stated["what"], float(stated["error"]) / 100, int(stated["least"] or 0)
        if stated["least"] is not None and not least:
            raise BadSetting(
                "“{table}” asks for counts from 0 on, of which no share is an error; say from 1 on.", table=text
            )
    if not 0 < error < 1:
        raise BadSetting("An error of {error} % can't be asked; say 1 to 99 %.", error=Figure(f"{100 * error:g}"))
    columns: list[str] = []
    conditions: list[Condition] = []
    parts = what.split(",")
    while parts:
        for length in range(len(parts), 0, -1):
            part = ",".join(parts[:length])
            name = next((known for known in (part, part.strip()) if known in table), None)
            head = max((known for known in table.names if part.lstrip().startswith(f"{known}=")), key=len, default="")
            if name is None and (
                not head or (length > 1 and part[len(head) + 1 :].strip() not in _labels(table[head]))
            ):
                continue
            if name is not None:
                columns.append(name)
            else:
                conditions.append(parse_choice(part.lstrip()[len(head) + 1 :], table[head]))
            del parts[:length]
            break
        else:
            raise UnknownColumn(parts[0].partition("=")[0].strip(), table.names)
    found = AskedTable(tuple(columns), tuple(conditions), error, least)
    if len(set(found.named)) < len(found.named):
        raise BadSetting("“{table}” names a column twice; name it once.", table=found.what())
    return found


def _labels(column: Column) -> set[str]:
    return set(map(str, column.labels))
