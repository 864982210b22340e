"""Every way a file can refuse to be read, each with a sentence that says what it is and what to do."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.errors import EmptyTable, FileFault
from splu_desktop.core.messages import quoted, say


class MissingFile(FileFault):
    """No such file."""

    def __init__(self, path: Path) -> None:
        super().__init__("There is no file “{path}”; check the name and the folder.", path=path)


class NotAFile(FileFault):
    """A folder or a device was named."""

    def __init__(self, path: Path) -> None:
        what = "a folder" if path.is_dir() else "not an ordinary file"
        super().__init__("“{path}” is {what}; choose the file with the table itself.", path=path, what=say(what))


class Unreadable(FileFault):
    """The operating system refuses to hand the file over."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            "“{path}” can't be opened ({why}); close it in other programs and check that you may read it.",
            path=path.name,
            why=why,
        )


class EmptyFile(FileFault, EmptyTable):
    """Nothing is in the file or sheet."""

    def __init__(self, path: Path, detail: str = "is empty") -> None:
        super().__init__(
            "“{path}” {detail}; export the table again, or choose another file.",
            path=path.name,
            detail=say(detail),
        )


class NoRecords(FileFault, EmptyTable):
    """A header stands there, but no record below it."""

    def __init__(self, path: Path, row: int, sheet: str | None = None) -> None:
        where = say("sheet “{sheet}” of “{path}”", sheet=sheet, path=path.name) if sheet else quoted([path.name])
        rest = say("has a header in row {row} but no records below it", row=row) if row else say("holds no records")
        super().__init__(
            "The table in {where} {rest}; choose another file or sheet, or set the header row yourself.",
            where=where,
            rest=rest,
        )


class WrongFormat(FileFault):
    """The content isn't a table in a format that can be read."""

    def __init__(self, path: Path, found: str, advice: str) -> None:
        super().__init__("“{path}” {found}; {advice}.", path=path.name, found=say(found), advice=say(advice))


class Encrypted(FileFault):
    """The workbook wants a password."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "“{path}” is protected by a password; open it in its own program, save a copy without "
            "the password, and import that copy.",
            path=path.name,
        )


class Corrupt(FileFault):
    """The file is damaged or cut off."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            "“{path}” is damaged or incomplete ({what}); copy or export it again, or open it in its "
            "own program and save it anew.",
            path=path.name,
            what=say(what),
        )


class TooLarge(FileFault):
    """The table would not fit into memory, or unpacks to a size no honest file has."""


class TooWide(TooLarge):
    """More columns than a table has."""

    def __init__(self, path: Path, columns: int, most: int) -> None:
        super().__init__(
            "“{path}” has {columns} columns, and a table can have {most}; check its delimiter, or export fewer "
            "columns.",
            path=path.name,
            columns=columns,
            most=most,
        )


class TooSpread(TooLarge):
    """A small file lays its cells out over more room than any table takes."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "“{path}” spreads a few cells over far more rows and columns than a table has; delete the empty or "
            "merged ones in its own program, or export the table as CSV and import that file.",
            path=path.name,
        )


class UnknownSheet(FileFault):
    """A sheet was named that the workbook doesn't have."""

    def __init__(self, path: Path, sheet: str, known: tuple[str, ...]) -> None:
        super().__init__(
            "“{path}” has no sheet “{sheet}”; its sheets are: {listed}.",
            path=path.name,
            sheet=sheet,
            listed=quoted(known),
        )


class BadChoice(FileFault):
    """A choice for the import is impossible for this file."""


class OtherWidth(BadChoice):
    """The names chosen are more or fewer than the table's columns.

    given, columns : how many names and how many columns.
    """

    def __init__(self, given: int, columns: int) -> None:
        super().__init__(
            "{given} column names were given, but the table has {columns} columns.", given=given, columns=columns
        )
        self.given, self.columns = given, columns


class NotInstalled(FileFault):
    """The format needs a library that this installation leaves out."""


class RecipeMismatch(FileFault):
    """A saved recipe was made for a file with other columns, or can't be read."""
