"""How a file is read: the section [import] of a recipe, and what the command line says behind --set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.messages import quoted, say, superfluous
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind, TableReading
from splu_desktop.files.importer.recognise import TEXTS, WORKBOOKS
from splu_desktop.files.importer.text.fixed_width import edges_of
from splu_desktop.files.project.entries import Entry, Shape, as_data, meanings, one_of, overrule

_MARKS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " ", "none": ""}
_KINDS = {kind.name.lower(): kind for kind in Kind}
_PROBLEMS = {
    each.name.lower(): each
    for each in (ProblemKind.MISFIT, ProblemKind.LONG_ROW, ProblemKind.SHORT_ROW, ProblemKind.DOUBTFUL_ROW)
}
_DECISIONS = {each.name.lower(): each for each in (Decision.KEEP, Decision.MISSING, Decision.DROP)}
# What has a meaning for one kind of file alone.
_OF_TEXTS = ("encoding", "delimiter", "quote", "escape")
_OF_WORKBOOKS = ("sheet", "sheets")


def _mark(text: str) -> str:
    mark = _MARKS.get(text, text)
    if len(mark) > 1 or mark.isdigit():
        raise ValueError
    return mark


def _delimiter(text: str) -> str:
    mark = _MARKS.get(text, text)
    if len(mark) > 5 and not edges_of(mark):
        raise ValueError
    return mark


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError
    return text.strip()


_DELIMITERS = say("tab, comma, semicolon, bar, space, || …; or “fixed 0 12 43”, where columns begin")
_TYPES = say("type of a column: {kinds}", kinds=", ".join(_KINDS))
_NULL, _MARKED = say("texts that stand for no value"), say("one mark, or none")
_NAMES = say("new names of columns; all else knows them by these")
_SHEETS = say("sheets with the same columns, or all of them, as one table with a column “Sheet”")
_ROWS = say("only rows that have one of these texts in a column; nothing behind the sign for none")
_DOUBTS = say("for {kinds} (a total or note?): keep, missing or drop", kinds=", ".join(_PROBLEMS))
_CATALOG = say("SAS format catalog or REDCap data dictionary beside the file, or none")
IMPORT = (
    Entry("encoding", "NAME", say("character encoding, such as utf-8 or cp1252")),
    Entry("delimiter", "MARK", _DELIMITERS, meaning=_delimiter),
    Entry("quote", "MARK", _MARKED, meaning=_mark),
    Entry("escape", "MARK", _MARKED, meaning=_mark),
    Entry("null", "TEXT", _NULL, meaning=lambda t: _MARKS.get(t, t)),
    Entry("decimal", "MARK", say("decimal mark, . or ,"), meaning=one_of(".,")),
    Entry("thousands", "MARK", _MARKED, meaning=_mark),
    Entry("sheet", "NAME", say("sheet of a workbook")),
    Entry("sheets", "all|A,B,…", _SHEETS, Shape.TEXTS, lambda text: "*" if text == "all" else _name(text)),
    Entry("header_row", "ROW", say("number of the header row, 0 for no header"), Shape.NUMBER),
    Entry("header_rows", "K", say("rows that make up the header, joined"), Shape.NUMBER),
    Entry("last_row", "ROW", say("number of the last row that is a record"), Shape.NUMBER),
    Entry("names", "A,B,…", _NAMES, Shape.TEXTS, _name),
    Entry("renames", "OLD=NEW", _NAMES, Shape.BY_KEY, _name),
    Entry("date_order", "dmy|mdy", say("order of day and month"), meaning=one_of(("dmy", "mdy"))),
    Entry("types", "COLUMN=TYPE", _TYPES, Shape.BY_KEY, one_of(_KINDS)),
    Entry("missing", "COLUMN=TEXT|TEXT", _NULL, Shape.TEXTS_BY_KEY),
    Entry("rows", "COLUMN=TEXT|TEXT", _ROWS, Shape.TEXTS_BY_KEY),
    Entry("keep_spellings", "A,B,…", say("columns in which flu and Flu stay two values"), Shape.TEXTS),
    Entry("catalog", "NAME", _CATALOG, meaning=lambda t: _MARKS.get(t, t)),
    Entry("decisions", "KIND=DO", _DOUBTS, Shape.BY_KEY, one_of(_DECISIONS), one_of(_PROBLEMS)),
)


def import_as_dict(choices: ImportChoices) -> dict[str, Any]:
    """Return the choices as plain data, those left to detection left out.

    The columns' names are stored only where the file has none: elsewhere the file's own header must be found again, so
    that a file with other columns is noticed. What kind of file it is is found anew.
    """
    values = {entry.name: getattr(choices, entry.name) for entry in IMPORT}
    if choices.header_row != 0:
        del values["names"]
    return {name: as_data(value) for name, value in values.items() if value is not None and value not in ((), {})}


def import_from_dict(data: Mapping[str, Any], overruling: Mapping[str, Any] = MappingProxyType({})) -> ImportChoices:
    """Return the choices that `import_as_dict` gave, with others in their place.

    Raises BadSetting, naming the entry that can't be understood, or those that contradict each other.
    """
    sheets = {"sheet", "sheets"} & overruling.keys()
    if len(sheets) == 2:
        raise BadSetting(superfluous("sheets", ["sheet"]))
    if sheets:  # one sheet or several, as is said last
        data = {name: value for name, value in data.items() if name not in ("sheet", "sheets")}
    choices = ImportChoices(**meanings(IMPORT, overrule(data, overruling)))
    if choices.header_row == 0 and choices.header_rows:
        raise BadSetting(superfluous("header_row=0", ["header_rows"]))
    for marks in (("delimiter", "quote", "escape"), ("decimal", "thousands")):
        filled = [name for name in marks if getattr(choices, name)]
        if len({getattr(choices, name) for name in filled}) < len(filled):
            raise BadSetting("These can't be the same mark: {names}.", names=quoted(filled))
    return choices


def check_import(asked: ImportChoices, imported: TableReading) -> None:
    """Raise BadSetting where choices were for another kind of file or for other columns."""
    names, kind = imported.table.names, imported.choices.format
    for entry in ("types", "missing", "rows", "keep_spellings"):
        for name in getattr(asked, entry):
            if name not in names:
                raise UnknownColumn(name, names)
    for of, kinds in ((_OF_TEXTS, TEXTS), (_OF_WORKBOOKS, WORKBOOKS)):
        lost = [name for name in of if getattr(asked, name) is not None and kind not in kinds]
        if lost:
            raise BadSetting(superfluous(f"{imported.source.name} ({kind})", lost))
