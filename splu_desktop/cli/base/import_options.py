"""The options of every command that reads a source file: each choice of the import wizard has one."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import given, leave_out
from splu_desktop.cli.base.help import several, takes
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import listed, say, which_of
from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ALL_SHEETS, Decision, ImportChoices, Imported, ProblemKind
from splu_desktop.files.importer.recognise import TEXTS, WORKBOOKS
from splu_desktop.files.importer.text.fixed_width import edges_of

_KINDS = {
    "integer": Kind.INTEGER,
    "decimal": Kind.DECIMAL,
    "category": Kind.CATEGORY,
    "date": Kind.DATE,
    "datetime": Kind.DATETIME,
    "boolean": Kind.BOOLEAN,
    "text": Kind.TEXT,
}
_PROBLEMS = {
    "misfit": ProblemKind.MISFIT,
    "long": ProblemKind.LONG_ROW,
    "short": ProblemKind.SHORT_ROW,
    "doubtful": ProblemKind.DOUBTFUL_ROW,
}
_DECISIONS = {"keep": Decision.KEEP, "missing": Decision.MISSING, "drop": Decision.DROP}
_OF_TEXT = ("encoding", "delimiter", "quote", "escape")  # options
_OF_WORKBOOKS = ("sheet", "sheets")
_NAMED = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "space": " ", "none": ""}


def add_import_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that overrule what is detected in its source file."""
    group = parser.add_argument_group(say("how to read the file (all detected unless given)"))
    takes(group, "--encoding", "character encoding, such as utf-8 or cp1252")
    takes(
        group,
        "--delimiter",
        "text between fields: ||, tab, comma, semicolon, bar, space …; or “fixed 0 12 43”, where columns begin",
    )
    takes(group, "--quote", "quote character, or none")
    takes(group, "--escape", "escape character, or none")
    takes(group, "--decimal", "decimal mark", choices=[".", ","])
    takes(group, "--thousands", "mark between groups of three digits, or none")
    takes(group, "--sheet", "sheet of a workbook")
    takes(
        group,
        "--sheets all|A,B,…",
        "sheets with the same columns, read as one table the sheet's name in a column “Sheet”",
    )
    takes(group, "--header-row ROW", "number of the header row, 0 for no header", type=int)
    takes(group, "--header-rows K", "rows that make up the header, joined", type=int)
    takes(group, "--last-row ROW", "number of the last row that is a record", type=int)
    takes(group, "--names A,B,…", "names of all columns in order, in place of the header's")
    several(group, "--rename OLD=NEW", "call a column NEW; all other options know it by that name")
    takes(group, "--date-order", "order of day and month", choices=["dmy", "mdy"])
    several(group, "--type COL=TYPE", "type: {kinds}", kinds=", ".join(_KINDS))
    several(group, "--missing COL=TEXT|TEXT", "texts that stand for no value in a column")
    several(group, "--rows COL=TEXT|TEXT", "read only rows that have one of these texts in a column; “COL=” for none")
    takes(group, "--keep-spellings A,B,…", "columns in which flu and Flu stay two values")
    takes(group, "--catalog", "SAS format catalog beside the file, or none")
    several(
        group,
        "--on-problem KIND=DO",
        "what to do with misfit, long, short or doubtful rows (perhaps totals or notes): keep, missing or drop",
    )


def choices_from(args: argparse.Namespace) -> ImportChoices:
    """Return the choices made by these options. Raises BadSetting."""
    renames = {}
    for text in args.rename:
        old, new = _pair(text, "--rename")
        if not new.strip() or old in renames:
            raise BadSetting("“{text}” after --rename must give a column one new name.", text=text)
        renames[old] = new.strip()
    types: dict[str, Kind] = {}
    for text in args.type:
        name, kind = _pair(text, "--type")
        if kind not in _KINDS:
            raise BadSetting("“{kind}” is no type; choose one of {known}.", kind=kind, known=", ".join(_KINDS))
        _first(types, name, "--type")
        types[name] = _KINDS[kind]
    missing: dict[str, tuple[str, ...]] = {}
    for text in args.missing:
        name, tokens = _pair(text, "--missing")
        _first(missing, name, "--missing")
        missing[name] = tuple(tokens.split("|"))
    rows: dict[str, tuple[str, ...]] = {}
    for text in args.rows:
        name, texts = _pair(text, "--rows")
        _first(rows, name, "--rows")
        rows[name] = tuple(texts.split("|"))
    decisions: dict[ProblemKind, Decision] = {}
    for text in args.on_problem:
        kind, what = _pair(text, "--on-problem")
        if kind not in _PROBLEMS or what not in _DECISIONS:
            raise BadSetting(
                "“{text}” isn't KIND=DO with KIND misfit, long, short or doubtful and DO keep, missing or drop.",
                text=text,
            )
        _first(decisions, _PROBLEMS[kind], "--on-problem")
        decisions[_PROBLEMS[kind]] = _DECISIONS[what]
    asked = ImportChoices(
        encoding=args.encoding,
        delimiter=_character(args.delimiter, "--delimiter", longest=5),
        quote=_character(args.quote, "--quote"),
        escape=_character(args.escape, "--escape"),
        decimal=args.decimal,
        thousands=_character(args.thousands, "--thousands"),
        sheet=args.sheet,
        sheets=_sheets(args.sheet, args.sheets),
        header_row=args.header_row,
        header_rows=args.header_rows,
        last_row=args.last_row,
        names=_names(args.names),
        renames=renames,
        types=types,
        missing=missing,
        date_order=args.date_order,
        keep_spellings=tuple(next(csv.reader([args.keep_spellings]))) if args.keep_spellings else (),
        rows=rows,
        catalog=_NAMED.get(args.catalog, args.catalog),
        decisions=decisions,
    )
    check_choices(args, asked)
    return asked


def check_choices(args: argparse.Namespace, asked: ImportChoices) -> None:
    """Raise BadSetting where choices, of options and of a recipe (`overruled`), contradict each other."""
    if asked.header_row == 0 and args.header_rows is not None:
        raise BadSetting("--header-row 0 says that there is no header; leave --header-rows out.")
    for marks in (("delimiter", "quote", "escape"), ("decimal", "thousands")):
        filled = [name for name in marks if getattr(asked, name)]
        if len({getattr(asked, name) for name in filled}) < len(filled):
            raise BadSetting("{options} can't be the same mark.", options=listed(_said(args, filled), "{head}, {tail}"))


def check_import(args: argparse.Namespace, asked: ImportChoices, imported: Imported) -> None:
    """Raise BadSetting where choices, of options and of a recipe, were for another kind of file or other columns."""
    check_columns(args, asked, imported.table.names)
    file, kind = imported.source.name, imported.choices.format
    for names, kinds, why in (
        (_OF_TEXT, TEXTS, say("“{name}” is no delimited text", name=file)),
        (_OF_WORKBOOKS, WORKBOOKS, say("“{name}” is no workbook", name=file)),
    ):
        if kind not in kinds:
            leave_out(why, _said(args, [name for name in names if getattr(asked, name) is not None]))


def check_columns(args: argparse.Namespace, asked: ImportChoices, names: tuple[str, ...]) -> None:
    """Raise BadSetting where choices name a column that the table doesn't have."""
    for entry, of in (
        ("type", asked.types),
        ("missing", asked.missing),
        ("rows", asked.rows),
        ("keep_spellings", asked.keep_spellings),
    ):
        for name in of:
            if name not in names:
                raise BadSetting(
                    "There is no column “{name}” as {option} says; {advice}",
                    name=name,
                    option=_said(args, [entry])[0],
                    advice=which_of(name, names),
                )


def _said(args: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Return how these choices were said: by an option, or else by the recipe."""
    of_recipe = [say("“{entry}” of the recipe", entry=name) for name in names]
    return [(given(args, (name,)) or [entry])[0] for name, entry in zip(names, of_recipe, strict=True)]


def _names(text: str | None) -> tuple[str, ...] | None:
    """Return the names in a line of CSV, so that a name may hold a comma in quotes."""
    if text is None:
        return None
    names = tuple(name.strip() for name in next(csv.reader([text])))
    if not all(names) or len(set(names)) < len(names):
        raise BadSetting("--names takes a name for every column, each a different one.")
    return names


def _sheets(sheet: str | None, text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    if sheet is not None:
        raise BadSetting("Give either --sheet for one sheet or --sheets for several, not both.")
    names = tuple(next(csv.reader([text])))
    if not all(names) or len(set(names)) < len(names):
        raise BadSetting("--sheets takes “all”, or the names of sheets, each once.")
    return ALL_SHEETS if names == ("all",) else names


def source_of(text: str) -> Path:
    """Return the path a user typed."""
    return Path(text).expanduser()


def _first(found: Mapping[Any, Any], name: Any, option: str) -> None:
    if name in found:
        raise BadSetting("{option} says two things about “{name}”; say one.", option=option, name=str(name))


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, rest = text.rpartition("=") if option == "--type" else text.partition("=")
    if not sign or not name:
        raise BadSetting("“{text}” after {option} has no “=” between name and choice.", text=text, option=option)
    return name, rest


def _character(text: str | None, option: str, longest: int = 1) -> str | None:
    if text is None:
        return None
    text = _NAMED.get(text, "\t" if text == "\\t" else text)
    if len(text) > longest and not (longest > 1 and edges_of(text)):
        many = say("one character") if longest == 1 else say("at most {n} characters", n=longest)
        raise BadSetting("{option} takes {many}, not “{text}”.", option=option, many=many, text=text)
    return text
