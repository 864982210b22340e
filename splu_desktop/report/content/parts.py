"""Pieces that several sections share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from splu_desktop.core.guarantees.attackers import Figures
from splu_desktop.core.messages import shown_of
from splu_desktop.files.language import Language, mark
from splu_desktop.report.document import Block, Cell, Number, Paragraph, TableBlock, cell_text

_Row = TypeVar("_Row")
_NAMED = 3  # columns of which the same holds
VERDICT_REASONS = {
    "file-altered": mark("a file is not the one that was released"),
    "check-failed": mark("a check of the released table failed"),
    "small-told": mark("public figures alone tell small counts"),
    "threshold-missed": mark("small counts are protected less than was asked for"),
    "no-threshold": mark("nobody asked how surely small counts have to be wrong"),
    "small-answered": mark("some of the small counts are precise enough to be answered"),
    "unique-records": mark("records are unique in the columns published unchanged"),
    "inferred": mark("an attacker is rightly at least 80 % sure of “{column}” in {known} of the rows"),
    "risk-above": mark(
        "some person can be recognised with a probability of {highest}, while public release allows {limit}"
    ),
    "row-above": mark(
        "rows with a protected value of “{column}” are right in up to {sure}, while {limit} was asked for at most"
    ),
    "combinations": mark("columns drawn together tell more of each other"),
    "persons": mark("persons have several records, which tell more than one"),
    "warned": mark("there were warnings about published columns"),
    "released-again": mark("the same records were released more than once"),
}
RISK_ASKED = mark("some person can be recognised with a probability of {highest}, while {limit} was asked for at most")
ROLES = {
    "nsa": mark("published unchanged (NSA)"),
    "sa": mark("sensitive, re-drawn (SA)"),
    "identifier": mark("names a person, left out"),
    "dropped": mark("left out by choice"),
}
KINDS = {
    "whole number": mark("whole number"),
    "decimal number": mark("decimal number"),
    "category": mark("category"),
    "date": mark("date"),
    "date and time": mark("date and time"),
    "yes/no": mark("yes/no"),
    "free text": mark("free text"),
}
WAYS = {
    "shifted": mark("dates moved by one random number of days per person"),
    "groups": mark("values put together"),
    "hierarchy": mark("grouped by a hierarchy"),
    "rare": mark("rare values together"),
    "missing": mark("one mark for no value"),
    "prefix": mark("first part of codes"),
    "intervals": mark("intervals"),
    "date": mark("part of a date"),
    "age": mark("age"),
    "chapter": mark("chapters of codes"),
}
STATES = {
    "protected": mark("protected"),
    "in between": mark("in between"),
    "answerable": mark("answerable"),
}


def whole(value: int | None, t: Language) -> Cell:
    """Return a whole number as a cell."""
    return Number(t.number(value), value)


def share(value: float | None, t: Language, digits: int = 1) -> Cell:
    """Return a share or probability as a cell in per cent; 0 % and 100 % without decimals: they are exactly that."""
    return Number(t.percent(value, 0 if value in (0, 1) else digits), value)


def known_rightly(figures: Figures, t: Language) -> str:
    """Return the share of all rows of which the attacker is at least 80 % sure, and right."""
    low, high = figures.rightly_80
    return cell_text(between(high, None if low == high else (low, high), t, 1))


def guessed(figures: Figures, t: Language) -> Cell:
    """Return the share of right guesses as a cell."""
    return between(figures.right, figures.ends, t)


def between(value: float | None, ends: tuple[float, float] | None, t: Language, digits: int = 0) -> Cell:
    """Return a share as a cell; where it is estimated, between which per cents it lies, and no figure beside.

    digits : decimals of the ends; one where the upper end is known so exactly, and stands elsewhere.
    """
    if ends is None:
        return share(value, t)
    step = 10**digits
    low, high = math.floor(100 * step * ends[0] + 1e-9) / step, math.ceil(100 * step * ends[1] - 1e-9) / step
    return Number(f"{t.plain(low)}–{t.plain(high)}\u00a0%", None)


def at_most(figures: Figures) -> float:
    """Return the share of right guesses; where it is estimated, the upper end of its range."""
    return figures.right if figures.ends is None else figures.ends[1]


def at_least(value: float, t: Language) -> Cell:
    """Return a promised probability as a cell, rounded down to whole per cent as the promise in words is."""
    down = math.floor(100 * value + 1e-9) / 100
    return Number(t.percent(down or value, 0 if down else 1), value)


def upmost(value: float, t: Language) -> Cell:
    """Return how surely a row is right at most as a cell, rounded up to one decimal as in words (`draw.up`)."""
    return Number(f"{t.plain(math.ceil(1000 * value - 1e-9) / 10)}\u00a0%", value)


def setting(value: float | None, t: Language) -> Cell:
    """Return a share that a setting or a law states, with the digits it has: 20 %, 33.33 %."""
    return "–" if value is None else Number(f"{t.plain(round(100 * value, 2))}\u00a0%", value)


def decimal(value: float | None, t: Language, digits: int = 4) -> Cell:
    """Return a decimal number as a cell."""
    return Number(t.number(value, digits), value)


def exact_percent(value: float, t: Language) -> str:
    """Return a setting such as 0.3 as per cent with the digits it has."""
    return f"{t.plain(round(100 * value, 10))}\u00a0%"


def unbroken(sentence: str) -> str:
    """Return a sentence of which no line begins with a per cent sign or parts a − b or the number of an article."""
    return re.sub(r"(?<=\d) (?=%)|(?<=a) (?=− b)|(?<=a −) (?=b)|(?<=\b(?:Art|art|Abs)\.) (?=\d)", "\u00a0", sentence)


def shortened(text: str, most: int = 30) -> str:
    """Return a text on one line, cut with an ellipsis where there is no room for it."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def cut(table: TableBlock, t: Language, most: int = 8, *, told: int = 0, note: str = "") -> list[Block]:
    """Return a table of which pages show so many rows, and what is said of the others: 30 columns fill no pages.

    told : rows of which pages say already, in another way, what they hold.
    note : what is said of the others, which are {n}, where they are no rows on pages.
    """
    most = shown_of(len(table.rows), most) if most else 0
    left = len(table.rows) - most - told
    if left <= 0:
        return [table]
    note = t(note or mark("{n} further rows stand in the workbook (.xlsx)."), n=t.number(left))
    return [replace(table, most=most), Paragraph(note, "note")]


def once(table: TableBlock, t: Language) -> TableBlock:
    """Return a table of which rows that differ in nothing but their first cell, a column's name, are one."""
    alike: dict[tuple[Cell, ...], list[str]] = {}
    for name, *rest in table.rows:
        alike.setdefault(tuple(rest), []).append(cell_text(name))
    rows = [(names[0] if len(names) == 1 else listed(names, t, _NAMED), *rest) for rest, names in alike.items()]
    return replace(table, rows=rows)


def table(
    name: str, of: Iterable[_Row], *columns: tuple[str, str, float, Callable[[_Row], Cell]], most: int | None = None
) -> TableBlock:
    """Return a table with a row for each of `of`, and for each column its header, "l" or "r", its width and its cells.

    most : as `TableBlock` has it.
    """
    header, align, weights, cells = zip(*columns, strict=True)
    rows = [tuple(cell(each) for cell in cells) for each in of]
    return TableBlock(name, header, rows, "".join(align), weights, most)


def facts(name: str, rows: Sequence[tuple[str, Cell]], weights: tuple[float, float] = (1.0, 2.2)) -> TableBlock:
    """Return a list of named facts; empty ones show a dash."""
    return TableBlock(name, (), [(label, value or "–") for label, value in rows], "ll", weights)


def shown(value: str, t: Language) -> str:
    """Return a value of a column as it is shown: the empty text by a word."""
    return value if value.strip() else t("(empty)")


def yes_no(value: bool, t: Language) -> str:
    """Return "yes" or "no"."""
    return t("yes") if value else t("no")


def listed(names: Sequence[str], t: Language, most: int = 60) -> str:
    """Return names in quotes; of more than one beyond `most`, how many."""
    most = shown_of(len(names), most)
    shown = ", ".join(t("“{name}”", name=name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} {t('and {rest} more', rest=t.number(rest))}" if rest > 0 else shown or "–"
