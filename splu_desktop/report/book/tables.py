"""Which tables a book holds: a file BOOK.toml, or what a release was asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting, FileFault, UnknownColumn
from splu_desktop.core.messages import fold_text, listed
from splu_desktop.core.questions import WITHIN, AskedTable, parse_question
from splu_desktop.core.table import Table
from splu_desktop.files.disk.plain_data import from_toml, read_bytes, understood

SHOWS = ("count", "rate", "both")
_KEYS = ("title", "count", "mean", "by", "each", "across", "show")
_LARGEST = 1 << 20  # bytes
_MOST_LABELS = 30  # of a column that stands in a table nobody asked for


class BadBook(FileFault):
    """A file is no table book, or names what the release doesn't have."""


@dataclass(frozen=True)
class BookTable:
    """One table.

    Attributes
    ----------
    column : whose values are counted, or whose numbers are averaged.
    value : the one that is counted, None for each.
    by : columns whose values, crossed, make the lines.
    each : columns whose values make lines one under another, behind those of `by`.
    across : column whose values stand side by side, "" for none; one value is counted then.
    show : "count", "rate" (per 100 rows of the line), "both", or "mean" of its numbers.
    title : "" for words of the program's.
    within : relative error up to which a number is readable.
    """

    column: str
    value: str | None = None
    by: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    across: str = ""
    show: str = "count"
    title: str = ""
    within: float = WITHIN

    def __post_init__(self) -> None:
        if self.show not in (*SHOWS, "mean"):
            raise BadSetting("“show” is {known}.", known=listed(SHOWS, "{head} or {tail}"))
        if self.across and self.value is None and self.show != "mean":
            raise BadSetting("Columns side by side need one value: write “count = {column}=VALUE”.", column=self.column)
        for name in self.columns:
            if self.columns.count(name) > 1:
                raise BadSetting("A table needs different columns; “{name}” stands in it twice.", name=name)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that it needs, the counted one first."""
        return (self.column, *self.by, *self.each, *filter(None, [self.across]))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that are crossed to lines, in their order."""
        return (*filter(None, [self.by]), *((name,) for name in self.each))

    @property
    def margins(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns whose crossings are printed; none for all rows together."""
        lines = (*self.groups, ())
        return (*lines, *((*group, self.across) for group in lines)) if self.across else lines


@dataclass(frozen=True)
class Book:
    """A book: its title, "" for that of the release; its tables."""

    title: str
    tables: tuple[BookTable, ...]


def make_book(questions: Iterable[AskedTable], table: Table, secret: Sequence[str]) -> Book:
    """Return the book of the tables that were asked for; where there is none, of each secret column by all others."""
    shows = {"compare": "both"}
    asked = tuple(
        BookTable(each.sa, each.value, each.by, show=shows.get(each.kind, each.kind), within=each.within)
        for each in questions
    )
    few = [name for name in table.names if table[name].m <= _MOST_LABELS]
    others = tuple(name for name in few if name not in secret)
    return Book("", asked or tuple(BookTable(name, each=others) for name in few if name in secret))


def read_book(path: Path, table: Table, secret: Sequence[str]) -> Book:
    """Read a book for a table, lines of which are made by columns that are not `secret`. Raises BadBook."""
    content = read_bytes(path, _LARGEST, BadBook)
    try:
        data = from_toml(content)
    except ValueError as fault:
        where = f" ({fault})" if isinstance(fault, tomllib.TOMLDecodeError) else ""
        raise BadBook("“{path}” is no table book: it is not valid TOML{where}.", path=path, where=where) from None
    with understood(path, BadBook):
        _check_keys(path, data, ("title", "table"))
        tables = []
        for at, entry in enumerate(data.get("table", ()), 1):
            _check_keys(path, entry, _KEYS)
            try:
                tables.append(_table_from(entry, table, secret))
            except (BadSetting, UnknownColumn) as fault:
                raise BadBook("“{path}”, table {n}: {fault}", path=path.name, n=at, fault=fault) from None
        if not tables:
            raise BadBook("“{path}” holds no table; begin one with the line [[table]].", path=path)
        return Book(str(data.get("title", "")), tuple(tables))


def _check_keys(path: Path, data: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in data.keys() - set(known):
        raise BadBook("“{path}” has an entry “{entry}” that has no effect; correct its name.", path=path, entry=name)


def _table_from(entry: Mapping[str, Any], table: Table, secret: Sequence[str]) -> BookTable:
    asked = parse_question(str(entry["mean" if "mean" in entry else "count"]), table)
    mean = "mean" in entry or asked.kind == "mean"
    if mean and table[asked.sa].values is None:
        raise BadSetting("“{column}” holds no numbers; name one of its values.", column=asked.sa)
    names = {fold_text(name): name for name in table.names}

    def columns(key: str) -> tuple[str, ...]:
        given = entry.get(key, [])
        texts = [given] if isinstance(given, str) else list(map(str, given))
        for text in texts:
            if fold_text(text) not in names:
                raise UnknownColumn(text, table.names)
        return tuple(names[fold_text(text)] for text in texts)

    by, each, across = asked.by + columns("by"), columns("each"), columns("across")
    for name in (*by, *each, *across):
        if name in secret:
            raise BadSetting("“{name}” is secret: a book counts it, and makes lines of other columns.", name=name)
    show = "mean" if mean else str(entry.get("show", "count"))
    return BookTable(asked.sa, asked.value, by, each, "".join(across[:1]), show, str(entry.get("title", "")))
