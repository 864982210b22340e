"""Pieces that several sections share."""

from __future__ import annotations

from collections.abc import Sequence

from splu_desktop.files.language import Language, mark
from splu_desktop.report.document import Cell, Number, Paragraph, TableBlock

MOST_INLINE = 40  # rows of a value table within a section; longer ones stand whole in the annex
VERDICT_REASONS = {
    "file-altered": mark("a file is not the one that was released"),
    "check-failed": mark("a check of the released table failed"),
    "threshold-missed": mark("small counts are protected less than was asked for"),
    "no-threshold": mark("no least probability T_P was asked for, so there is none to compare with"),
    "small-answered": mark("some of the small counts are precise enough to be answered"),
    "unique-records": mark("some records are unique in the columns published unchanged"),
}
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
    "groups": mark("grouped by hand"),
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
NOT_HERE = mark(
    "This edition says nothing here, since it would be computed from the original table. The internal edition does."
)


def whole(value: int | None, t: Language) -> Cell:
    """Return a whole number as a cell."""
    return Number(t.number(value), value)


def share(value: float | None, t: Language, digits: int = 1) -> Cell:
    """Return a share or probability as a cell in per cent."""
    return Number(t.percent(value, digits), value)


def chance(value: float, t: Language, digits: int = 1) -> Cell:
    """Return the probability of an error as a cell: never 0, since where it comes out as 0 it is beyond reckoning."""
    return Number(t.percent(value or 1e-15, digits), value)


def decimal(value: float | None, t: Language, digits: int = 4) -> Cell:
    """Return a decimal number as a cell."""
    return Number(t.number(value, digits), value)


def exact_percent(value: float, t: Language) -> str:
    """Return a setting such as 0.3 as per cent with the digits it has."""
    return f"{t.plain(round(100 * value, 10))}\u00a0%"


def facts(name: str, rows: Sequence[tuple[str, Cell]]) -> TableBlock:
    """Return a list of named facts; empty ones show a dash."""
    return TableBlock(name, (), [(label, value or "–") for label, value in rows], "ll", (1.0, 2.2))


def not_here(t: Language) -> Paragraph:
    """Return what stands where the external edition is silent."""
    return Paragraph(t(NOT_HERE), "note")


def shown(value: str, t: Language) -> str:
    """Return a value of a column as it is shown: the empty text by a word."""
    return value if value.strip() else t("(empty)")


def yes_no(value: bool, t: Language) -> str:
    """Return "yes" or "no"."""
    return t("yes") if value else t("no")


def listed(names: Sequence[str], t: Language, most: int = 60) -> str:
    """Return names in quotes; beyond `most`, how many more there are."""
    shown = ", ".join(t("“{name}”", name=name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} {t('and {rest} more', rest=t.number(rest))}" if rest > 0 else shown or "–"
