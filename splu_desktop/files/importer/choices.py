"""Every choice of an import: asked for (None: detect) or resolved, with the reasons of what was detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from splu_desktop.core.messages import quoted, say
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, list_problems

FAR = "far from all other values: may be a mark for no value"
ALL_SHEETS = ("*",)
"""The choice of all alike sheets; no program lets a sheet have this name."""


@dataclass(frozen=True)
class ImportChoices:
    """How to read a file. None (or a name left out of a mapping) means: detect.

    Attributes
    ----------
    format : "csv" (any delimiter), "xlsx", "xls", "xlsb", "ods", "ndjson", "parquet", "spss", "sas" or "stata".
    encoding : a Python codec name.
    delimiter : the text between fields; one character or several ("||"), " " for runs of blanks, "" for unsplit lines,
        "fixed 0 12 43" for columns of fixed width that begin at these places.
    quote : the quote character, "" for none.
    escape : the character that takes the next one literally, "" for none (quotes are doubled).
    null : the field that stands for no value before quotes and escapes are looked at (\\N, "N, NULL), "" for none.
    decimal : "." or ",".
    thousands : the mark between groups of three digits, "" for none.
    sheet : name of the sheet.
    sheets : names of sheets with the same columns that are read as one table, `ALL_SHEETS` for all such; goes before
        `sheet`.
    header_row : number of the (last) header row, from 1; 0 for a table without header.
    header_rows : how many rows make up the header; they are joined.
    last_row : number of the last row that is a record; None: trailing notes and totals are detected.
    names : the columns' names, in order, in place of the header's.
    renames : the file's name of a column -> the name it gets; `types` and `missing` go by the new names.
    types : column name -> Kind.
    missing : column name -> the texts that stand for "no value" there.
    date_order : "dmy" or "mdy", for dates such as 03/04/2020.
    keep_spellings : columns in which texts that differ only in how they are written stay different values.
    rows : column name -> texts; only records that have one of them there are read ("" for none).
    catalog : name of the SAS format catalog, or of the REDCap data dictionary, beside the file; "" for none.
    decisions : what to do per kind of problem.
    """

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    null: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] | None = None
    header_row: int | None = None
    header_rows: int | None = None
    last_row: int | None = None
    names: tuple[str, ...] | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, Kind] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    date_order: str | None = None
    keep_spellings: tuple[str, ...] = ()
    rows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    catalog: str | None = None
    decisions: Mapping[ProblemKind, Decision] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("renames", "types", "missing", "rows", "decisions"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


@dataclass(frozen=True)
class SourceFile:
    """Where a table came from, fit for an audit trail: no values.

    Attributes
    ----------
    name : file name without folder.
    size : bytes.
    sha256 : hexadecimal digest of the file's bytes.
    """

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class SheetFacts:
    """A sheet of a workbook.

    Attributes
    ----------
    name : what it is called.
    visible : whether its program shows it.
    rows : rows below its header, 0 for a sheet without a table.
    names : what its columns are called.
    chosen : whether it is read.
    """

    name: str
    visible: bool
    rows: int = 0
    names: tuple[str, ...] = ()
    chosen: bool = False


def alike(sheets: Sequence[SheetFacts]) -> tuple[SheetFacts, ...]:
    """Return the visible sheets with the columns of the one that is read, it among them; () where it is alone."""
    read = next((sheet for sheet in sheets if sheet.chosen), None)
    if read is None or len(read.names) < 2:
        return ()
    same = tuple(s for s in sheets if s.chosen or (s.visible and s.rows and set(s.names) == set(read.names)))
    return same if len(same) > 1 else ()


@dataclass(frozen=True)
class MissingToken:
    """A text that may stand for "no value" in a column.

    Attributes
    ----------
    column, token : where and which text ("" is the empty field).
    count : records that have it.
    applied : whether it is taken as missing; False: only proposed.
    reason : why, in words.
    """

    column: str
    token: str
    count: int
    applied: bool
    reason: str


@dataclass(frozen=True, eq=False)
class TableReading:
    """A table read from a file, with all that was decided on the way.

    Attributes
    ----------
    table : the table.
    choices : every choice as resolved; reading again with it gives the same table.
    problems : what didn't fit, in the order of the rows.
    source : facts about the file.
    reasons : name of a choice -> why it was resolved so, in words.
    missing_tokens : what is taken as missing or could be, per column.
    rows_dropped : records left out because a decision said so.
    sheets : the workbook's sheets, hidden ones too; empty for other formats.
    """

    table: Table
    choices: ImportChoices
    problems: tuple[Problem, ...]
    source: SourceFile
    reasons: Mapping[str, str]
    missing_tokens: tuple[MissingToken, ...] = ()
    rows_dropped: int = 0
    sheets: tuple[SheetFacts, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of how it was read; of many rows that are no records how many, as of months' sums."""
        kinds = ProblemKind.NOTE, ProblemKind.SKIPPED_SHEET, ProblemKind.DATE_ORDER
        notes = [each for each in self.problems if each.kind in kinds]
        rows = [each for each in self.problems if each.kind is ProblemKind.SKIPPED_ROWS]
        sentences = [each.sentence for each in (*notes, *list_problems(rows, len(rows), most=2))]
        # In a band of low pressures, -9 is nobody's pressure, and everybody's.
        if marks := [f"{each.column} = {each.token}" for each in self.missing_tokens if each.reason == FAR]:
            words = "Numbers that may mean no value count as values: {marks}; if not, add --set missing.COLUMN=TEXT."
            sentences.append(say(words, marks=quoted(marks, 3)))
        return tuple(sentences)
