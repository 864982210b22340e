"""Every way a file can refuse to be read, each with a sentence that says what it is and what to do."""

from __future__ import annotations

from pathlib import Path

from splu_desktop.core.errors import EmptyTable, FileFault
from splu_desktop.core.messages import quoted, say

NO_WORDS = "“{name}” beside the file has no words for its codes; choose another file, or none."  # of a BadChoice


class MissingFile(FileFault):
    """No such file."""

    def __init__(self, path: Path) -> None:
        super().__init__("There is no file “{path}”; check the name and the folder.", path=path)


class Unreadable(FileFault):
    """The operating system refuses to hand the file over; `why`, in its words."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            "“{path}” can't be opened ({why}); close it in other programs and check that you may read it.",
            path=path.name,
            why=why,
        )


class EmptyFile(FileFault, EmptyTable):
    """Nothing is in the file or sheet."""

    def __init__(self, path: Path, sheet: str | None = None) -> None:
        super().__init__(
            "There is nothing but blanks in {where}; export the table again, or choose another file or sheet.",
            where=_where(path, sheet),
        )


class NoRecords(FileFault, EmptyTable):
    """A header stands there, but no record below it."""

    def __init__(self, path: Path, row: int, sheet: str | None = None) -> None:
        super().__init__(
            "There is no record below row {row} in {where}; choose another file or sheet, or set the header row "
            "yourself.",
            row=row,
            where=_where(path, sheet),
        )


def _where(path: Path, sheet: str | None) -> str:
    return say("sheet “{sheet}” of “{path}”", sheet=sheet, path=path.name) if sheet else quoted([path.name])


class WrongFormat(FileFault):
    """The content isn't a table in a format that can be read; `form` names the one that it has."""

    def __init__(self, path: Path, form: str) -> None:
        super().__init__(
            "“{path}” is no table in a format that can be read ({found}); export it as CSV and import that file.",
            path=path.name,
            found=say(form),
        )


class Encrypted(FileFault):
    """The workbook wants a password."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "“{path}” is protected by a password; open it in its own program, save a copy without "
            "the password, and import that copy.",
            path=path.name,
        )


class Corrupt(FileFault):
    """The file is damaged or cut off; `part`, what of it can't be read: a format, a sheet, a line."""

    def __init__(self, path: Path, part: str) -> None:
        super().__init__(
            "“{path}” is damaged or incomplete ({part}); export it again, or open it in its own program and save it "
            "anew.",
            path=path.name,
            part=part,
        )


class TooLarge(FileFault):
    """The table does not fit into memory."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "There is not enough memory to read “{path}”; close other programs, or import a part of the table.",
            path=path.name,
        )


class TooSpread(FileFault):
    """A small file unpacks to a size, or lays its cells out over more room, than any table takes."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "“{path}” would unpack to far more than a table of its size holds; delete empty or merged rows and columns "
            "in its own program, or export the table as CSV.",
            path=path.name,
        )


class UnknownSheet(FileFault):
    """A sheet was named that the workbook doesn't have, or none where all that hold cells are hidden."""

    def __init__(self, path: Path, sheet: str | None, known: tuple[str, ...]) -> None:
        super().__init__(
            "“{path}” has no sheet “{sheet}”; its sheets are: {listed}."
            if sheet
            else "“{path}” shows no sheet with cells; name one of the hidden ones: {listed}.",
            path=path.name,
            sheet=sheet,
            listed=quoted(known),
        )


class BadChoice(FileFault):
    """A choice for the import is impossible for this file."""


class NotInstalled(FileFault):
    """The format needs a library that this installation leaves out."""
