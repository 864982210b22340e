"""Tables that must come out of a release: what is counted of a sensitive column, by which unchanged ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.messages import fold_text, in_words, listed, nearest, none_of, say
from splu_desktop.core.table import Table

KINDS = ("count", "mean", "compare")
WITHIN = 0.3  # relative error up to which a figure is readable, where nothing else is asked
MOST_TABLES = 3
_OF = re.compile(r"^(count|mean|compare)\s+(?:of\s+)?", re.I)


@dataclass(frozen=True)
class AskedTable:
    """One table.

    Attributes
    ----------
    sa : the sensitive column that is counted.
    value : the value that is counted, None for each.
    by : unchanged columns whose values, crossed, make the lines; at most three.
    kind : "count", "mean" (of the numbers of `sa`) or "compare" (rates between lines).
    within : relative error up to which a cell is readable.
    """

    sa: str
    value: str | None = None
    by: tuple[str, ...] = ()
    kind: str = "count"
    within: float = WITHIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", tuple(self.by))
        if self.kind not in KINDS:
            raise BadSetting("A table is a {kinds}.", kinds=listed(KINDS, "{head} or {tail}"))
        if len({self.sa, *self.by}) != 1 + len(self.by):
            raise BadSetting("“{table}” names a column twice; name it once.", table=str(self))
        if len(self.by) > 3:
            raise BadSetting("“{table}” counts by more than three columns; name at most three.", table=str(self))
        if not 0 < self.within < 1:
            raise BadSetting("A figure is good within 1 to 99 %.")

    def __str__(self) -> str:
        what = self.sa if self.value is None else f"{self.sa}={self.value}"
        if self.kind != "count":
            what = f"{self.kind} of {what}" if self.kind == "mean" else f"{self.kind} {what}"
        return f"{what} by {', '.join(self.by)}" if self.by else what

    def keep_columns(self, columns: Collection[str]) -> AskedTable:
        """Return the table by those of its columns that are among some."""
        return replace(self, by=tuple(name for name in self.by if name in columns))

    def words(self) -> str:
        """Return the table in words, for people. A value stands with its column: several may have it."""
        if self.value is None:
            what = say("“{column}”", column=self.sa)
        else:
            what = say("“{column}: {value}”", column=self.sa, value=in_words(self.value))
        if self.kind == "mean":
            what = say("mean of {what}", what=what)
        if not self.by:
            return what
        return say("{what} by {columns}", what=what, columns=listed(self.by, "{head} and {tail}"))

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"table": str(self), "within": self.within}


def parse_question(text: str, table: Table, within: float = WITHIN) -> AskedTable:
    """Read ``SA=VALUE by A, B``, ``SA by A``, ``mean of SA by A`` or ``compare SA=VALUE by A``.

    Names and values may hold commas, equals signs and the word "by": the longest that fits wins. Raises UnknownColumn,
    BadSetting.
    """
    text = " ".join(text.split())
    kind = "count"
    if (head := _OF.match(text)) and not any(text.startswith(name) for name in table.names):
        kind, text = head[1].lower(), text[head.end() :]
    columns = {fold_text(" ".join(name.split())): name for name in table.names}
    parts = re.split(r"\s+by\s+", text, flags=re.I)
    for cut in range(len(parts), 0, -1):  # "by" may stand in a value: the longest head that can be read
        what = _read_what(" by ".join(parts[:cut]), columns, table)
        by = _read_by(" by ".join(parts[cut:]), columns)
        if what is not None and by is not None:
            return AskedTable(*what, by, kind, within)
    what = _read_what(parts[0], columns, table)
    if what is None:
        name, equals, value = parts[0].partition("=")
        if fold_text(name) in columns and equals:
            name = columns[fold_text(name)]
            if near := nearest(value, table[name].labels.tolist()):
                raise BadSetting(none_of(f"{name}={value}", [f"{name}={near}"]))
            raise BadSetting("“{column}” has no value “{value}”.", column=name, value=value)
        raise UnknownColumn(name.strip(), table.names)
    raise UnknownColumn(parts[-1].split(",")[0].strip(), table.names)


def _read_what(text: str, columns: Mapping[str, str], table: Table) -> tuple[str, str | None] | None:
    if (name := columns.get(fold_text(text))) is not None:
        return name, None
    for at in reversed([place for place, mark in enumerate(text) if mark == "="]):  # the longest name that there is
        if (name := columns.get(fold_text(text[:at]))) is not None:
            column, value = table[name], text[at + 1 :].strip()
            alike = [str(column.labels[code]) for code in column.fold_index.get(fold_text(value), ())]
            return (name, next((each for each in alike if each == value), alike[0])) if alike else None
    return None


def _read_by(text: str, columns: Mapping[str, str]) -> tuple[str, ...] | None:
    names: list[str] = []
    parts = text.split(",") if text.strip() else []
    while parts:
        for length in range(len(parts), 0, -1):
            name = columns.get(fold_text(",".join(parts[:length])))
            if name is not None:
                names.append(name)
                del parts[:length]
                break
        else:
            return None
    return tuple(names)


def questions_from(data: Sequence[Mapping[str, Any]], table: Table) -> tuple[AskedTable, ...]:
    """Return the tables that `as_dict` gave. Raises BadSetting, UnknownColumn."""
    return tuple(parse_question(str(each["table"]), table, float(each.get("within", WITHIN))) for each in data)
