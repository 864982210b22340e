"""What a file is by its first bytes, whatever its name says; and what it surely isn't."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import SourceFile
from splu_desktop.files.importer.text.encoding import by_head
from splu_desktop.files.importer.workbook import marked_up
from splu_desktop.files.isolation.faults import (
    Corrupt,
    EmptyFile,
    Encrypted,
    MissingFile,
    NotAFile,
    Unreadable,
    WrongFormat,
)

BLOCK = 1 << 20
# What a part of a damaged ZIP container raises when it is read.
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    OSError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    UnicodeDecodeError,
)
_PLAIN = (str, type(None), bool)  # values of a JSON object of one level, numbers being texts
WORKBOOKS = ("xlsx", "xls", "xlsb", "ods")
TEXTS = ("csv", "csv.gz")
ENDINGS = {
    ".xlsx": ("xlsx", "xlsb"), ".xlsm": ("xlsx",), ".xls": ("xls",), ".xlsb": ("xlsb",), ".ods": ("ods",),
    ".jsonl": ("ndjson",), ".ndjson": ("ndjson",),
    ".csv": TEXTS, ".tsv": TEXTS, ".txt": TEXTS, ".parquet": ("parquet",), ".sav": ("spss",), ".zsav": ("spss",),
    ".por": ("spss",), ".dta": ("stata",), ".sas7bdat": ("sas",), ".xpt": ("sas",), ".gz": ("csv.gz",),
}  # fmt: skip
_NAMES = {"parquet": "Parquet", "ndjson": "JSON Lines", "stata": "Stata"}  # of the others, in capitals
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FOREIGN = (
    (b"%PDF", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"Rar!", "RAR"),
    (b"7z\xbc\xaf", "7-Zip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"SQLite format 3", "SQLite"),
    (b"\x7fELF", "ELF"),
    (b"MZ\x90", "EXE"),
    (b"{\\rtf", "RTF"),
)
_MARKS = tuple(mark for mark, _ in _FOREIGN)


def check_readable(path: Path) -> None:
    """Raise the fault that says why `path` can't be a table's file."""
    try:
        if not path.exists():
            raise MissingFile(path)
        if not path.is_file():
            raise NotAFile(path)
        if path.stat().st_size == 0:
            raise EmptyFile(path)
        if not os.access(path, os.R_OK):
            raise Unreadable(path, "no permission")
    except (OSError, ValueError) as error:
        raise Unreadable(path, getattr(error, "strerror", None) or "not a possible file name") from error


def facts(path: Path, progress: Progress) -> SourceFile:
    """Return size and digest of a file."""
    size = path.stat().st_size
    digest = hashlib.sha256()
    done = 0
    with open_file(path) as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            progress.report("Fingerprinting", done / max(size, 1))
    return SourceFile(path.name, size, digest.hexdigest())


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading; an operating system's refusal becomes a sentence."""
    try:
        return path.open("rb")
    except OSError as error:
        raise Unreadable(path, error.strerror or "unknown reason") from error


def recognise(path: Path) -> str:
    """Return the format of a file: "csv", "csv.gz", "ndjson", a workbook's, "parquet", "spss", "sas" or "stata"."""
    with open_file(path) as file:
        head = file.read(4096)
    if head.startswith(b"\x1f\x8b"):
        _check_packed(path)
        return "csv.gz"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(path)
    if head.startswith(_OLE):
        return _compound(path)
    if head[:2] == b"\x09\x08" or head[:4] in (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00"):
        return "xls"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"$FL2", b"$FL3")) or b"SPSSPORT" in head[:500]:
        return "spss"
    if head.startswith(b"<stata_dta>") or (path.suffix.lower() == ".dta" and head[:1] and head[0] in range(102, 120)):
        return "stata"
    if head.startswith((b"\x00" * 12 + b"\xc2\xea\x81\x60", b"HEADER RECORD*******LIB")):
        return "sas"
    if head.startswith(b"\x00" * 12 + b"\xc2\xea\x81\x63"):
        raise WrongFormat(
            path,
            "is a SAS format catalog, which holds words for codes and no table",
            "put it beside the SAS file that it belongs to, and import that",
        )
    for mark, what in _FOREIGN:
        if head.startswith(mark):
            raise _foreign(path, what)
    if marked_up.form_of(head) is not None and marked_up.holds_rows(path):
        return "csv"
    if is_json_lines(head):
        return "ndjson"
    _check_text(path, head)
    return "csv"


def is_json_lines(head: bytes) -> bool:
    """Whether a file's first lines are objects of one level each."""
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()][:3]
    whole = lines[:-1] if len(head) >= 4096 and len(lines) < 3 else lines
    return bool(whole) and all(line.lstrip().startswith(b"{") and flat_object(line) is not None for line in whole)


def flat_object(line: bytes) -> dict[str, Any] | None:
    """Return a line's object, its numbers as texts; None where it is none of one level."""
    try:
        found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    flat = isinstance(found, dict) and all(isinstance(value, _PLAIN) for value in found.values())
    return found if flat else None


def wrong_extension(path: Path, kind: str) -> str | None:
    """Return a sentence where the file's name says another format than its content is."""
    expected = ENDINGS.get(path.suffix.lower())
    if expected is None or kind in expected:
        return None
    what = _NAMES.get(kind, kind.upper())
    if kind == "csv" and marked_up.is_marked_up(path):
        what = "HTML, XML"
    return say(
        "The name ends in “{suffix}”, but the content is {what} and was read as that.",
        suffix=path.suffix,
        what=what,
    )


def _foreign(path: Path, name: str) -> WrongFormat:
    """Return the fault of a file in a format that is not read here."""
    found = say("is a file of the format {name}, which is not read as a table", name=name)
    return WrongFormat(path, found, "export the table as CSV and import that file")


_TAG = re.compile(rb"<([a-z][\w.\-]*:)?[a-z][\w.\-]*(\s+[\w:.\-]+\s*=\s*[\"'][^<>]*)?/?>")


def _is_json(path: Path, head: bytes) -> bool:
    """Whether a text is JSON, or has one JSON object per line."""
    line = head.split(b"\n", 1)[0].strip()
    try:
        return isinstance(json.loads(line), (dict, list))
    except (ValueError, RecursionError):
        pass
    if not (path.suffix.lower() == ".json" or b'":' in head[:300]):
        return False
    end = path.read_bytes()[-200:].strip() if path.stat().st_size < 1 << 28 else b""
    return end.endswith((b"}", b"]")) and head.lstrip()[1:].lstrip()[:1] in (b'"', b"{", b"[")


def _check_packed(path: Path) -> None:
    """Refuse a packed file that holds no text."""
    head = next(unpacked(path), b"")[:4096]
    if head.startswith((b"PK\x03\x04", _OLE, b"PAR1", b"\x1f\x8b", b"$FL2", b"$FL3", b"<stata_dta>", *_MARKS)):
        raise _foreign(path, "GZ")
    if head:
        _check_text(path, head)


def _check_text(path: Path, head: bytes) -> None:
    told = by_head(head)
    if told is not None and told.name.startswith("utf-16"):
        head = head.decode(told.name, "replace").encode()
    low = head[:1500].lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    if low.startswith(b"<!--"):
        low = low[low.find(b"-->") + 3 :].lstrip()
    if marked_up.form_of(head) == "html":
        raise _foreign(path, "HTML")
    if low.startswith(b"mime-version:") or (b"\nmime-version:" in low and b"multipart/related" in low):
        raise _foreign(path, "MHTML")
    if low.startswith(b"id;p") and b"\nc;" in low:
        raise _foreign(path, "SYLK")
    if low[:1] in (b"{", b"[") and _is_json(path, low):
        raise _foreign(path, "JSON")
    if low.startswith((b"table\n0,1", b"table\r\n0,1")):
        raise _foreign(path, "DIF")
    if low.startswith(b"<?xml") or (_TAG.match(low) and (b"</" in low or b"/>" in low)):
        raise _foreign(path, "XML")
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return
    # Some of the control characters are made for separating fields. Of chance bytes one in 15 is another, of a text
    # none; a few are a fault in a text, unless the file's name says that it is none.
    body = head.rstrip(b"\x1a")  # the end of a text, to old programs
    controls = sum(body.count(bytes([c])) for c in (*range(3, 8), *range(14, 20), *range(21, 27)))
    zeros = head.count(0)
    named_text = any(kind in TEXTS for kind in ENDINGS.get(path.suffix.lower(), TEXTS))
    if controls > (0.01 * len(head) if named_text else 0) or (
        zeros > 0.3 * len(head) and not 0.4 < zeros / len(head) < 0.6 and zeros < 0.7 * len(head)
    ):
        raise WrongFormat(
            path, "holds no text and no format known here", "export the table as CSV and import that file"
        )


def _zipped(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names:
                kind = archive.open("mimetype").read(200)
                if b"opendocument.spreadsheet" in kind:
                    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.open(
                        "META-INF/manifest.xml"
                    ).read(1 << 20):
                        raise Encrypted(path)
                    return "ods"
    except UNREADABLE as error:
        raise Corrupt(path, "its ZIP container can't be read") from error
    if any(name.startswith(("xl/", "/xl/")) for name in names):
        return "xlsb" if any(name.endswith("workbook.bin") for name in names) else "xlsx"
    if any(name.startswith("word/") for name in names):
        raise _foreign(path, "Word")
    raise _foreign(path, "ZIP")


def _compound(path: Path) -> str:
    with open_file(path) as file:
        data = file.read(1 << 22)
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise Encrypted(path)
    if "Workbook".encode("utf-16-le") in data or "Book".encode("utf-16-le") in data:
        return "xls"
    if "WordDocument".encode("utf-16-le") in data:
        raise _foreign(path, "Word")
    return "xls"


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield the blocks of a gzip file's content."""
    try:
        with open_file(path) as file, gzip.GzipFile(fileobj=file) as packed:
            while block := packed.read(BLOCK):
                yield block
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Corrupt(path, "its gzip compression breaks off or is wrong") from error
