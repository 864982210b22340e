"""What a file is by its first bytes, whatever its name says; and what it surely isn't."""

from __future__ import annotations

import codecs
import errno
import gzip
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.digests import sha256_of
from splu_desktop.files.importer.choices import SourceFile
from splu_desktop.files.importer.columns.words import ENDINGS, FOREIGN
from splu_desktop.files.importer.text.encoding import by_head
from splu_desktop.files.isolation.faults import (
    BadChoice,
    Corrupt,
    EmptyFile,
    Encrypted,
    MissingFile,
    Unreadable,
    WrongFormat,
)

# What a part of a damaged ZIP container raises when it is read.
_OF_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, UnicodeDecodeError)
UNREADABLE = (*_OF_ZIP, KeyError, OSError, NotImplementedError, RuntimeError)
_PLAIN = (str, type(None), bool)  # values of a JSON object of one level, numbers being texts
MARKED_UP = ("html", "xml")
WORKBOOKS = ("xlsx", "xls", "xlsb", "ods", *MARKED_UP)
TEXTS = ("csv", "csv.gz")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MARKS = tuple(mark for mark, _ in FOREIGN)


def check_readable(path: Path) -> None:
    """Raise the fault that says why `path` can't be a table's file."""
    try:
        if not path.exists():
            raise MissingFile(path)
        if not path.is_file():
            words = "“{path}” is a folder or no ordinary file; choose the file with the table itself."
            raise FileFault(words, path=path)
        if path.stat().st_size == 0:
            raise EmptyFile(path)
    except (OSError, ValueError) as error:
        raise Unreadable(path, getattr(error, "strerror", None) or os.strerror(errno.EINVAL)) from error


def describe_file(path: Path, progress: Progress) -> SourceFile:
    """Return size and digest of a file. Raises Unreadable; Cancelled."""
    size = path.stat().st_size
    with open_file(path) as file:
        return SourceFile(path.name, size, sha256_of(file, size, progress))


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading. Raises Unreadable, in a sentence, where the operating system refuses."""
    try:
        return path.open("rb")
    except OSError as error:
        raise Unreadable(path, error.strerror or os.strerror(errno.EIO)) from error


@contextmanager
def open_packed(path: Path, packed: bool) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a text file; yields (content, file itself). Raises Unreadable; Corrupt, Encrypted where it is compressed."""
    try:
        with open_file(path) as file:
            yield (_unpack(file) if packed else file), file
    except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, NotImplementedError) as error:
        raise Corrupt(path, "gzip, ZIP") from error
    except RuntimeError as error:  # as of a file within a ZIP that wants a password
        raise Encrypted(path) from error


def _unpack(file: IO[bytes]) -> Any:
    if not zipfile.is_zipfile(file):
        file.seek(0)
        return gzip.GzipFile(fileobj=file)
    archive = zipfile.ZipFile(file)
    return archive.open(only_text(archive.namelist()))


def only_text(names: Iterable[str]) -> str:
    """Return the one text that a ZIP holds, beside what macOS puts there; "" where there is none, or more."""
    files = [name for name in names if not name.startswith("__MACOSX/") and not name.endswith("/")]
    return files[0] if len(files) == 1 and files[0].lower().endswith((".csv", ".tsv", ".txt")) else ""


def recognise(path: Path) -> str:
    """Return the format of a file: "csv", "csv.gz", "ndjson", a workbook's, "parquet", "spss", "sas" or "stata".

    Raises FileFault where it can't be a table's file.
    """
    check_readable(path)
    with open_file(path) as file:
        head = file.read(4096)
    if head.startswith(b"\x1f\x8b"):
        _check_packed(path)
        return "csv.gz"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _name_zipped(path)
    if head.startswith(_OLE):
        return _compound(path)
    if head[:2] == b"\x09\x08" or head[:4] in (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00"):
        return "xls"
    if head.startswith(b"PARE") or head[8:17] == b"ENCRYPTED":  # Parquet, SPSS
        raise Encrypted(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"$FL2", b"$FL3")) or b"SPSSPORT" in head[:500]:
        return "spss"
    if head.startswith(b"<stata_dta>") or (path.suffix.lower() == ".dta" and head[:1] and head[0] in range(102, 120)):
        return "stata"
    if head.startswith(b"HEADER RECORD*******LIB") and path.stat().st_size % 80:  # it is made of 80 bytes each
        raise Corrupt(path, "SAS")
    if head.startswith((b"\x00" * 12 + b"\xc2\xea\x81\x60", b"HEADER RECORD*******LIB")):
        return "sas"
    if head.startswith(b"\x00" * 12 + b"\xc2\xea\x81\x63"):
        raise BadChoice("“{path}” is a SAS catalog; put it beside its SAS file, and import that.", path=path.name)
    for mark, what in FOREIGN:
        if head.startswith(mark):
            raise WrongFormat(path, what)
    if (form := form_of(head)) is not None and holds_rows(path):
        return form
    if is_json_lines(head):
        return "ndjson"
    _check_text(path, head)
    return "csv"


def is_json_lines(head: bytes) -> bool:
    """Whether a file's first lines are objects of one level each."""
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()][:3]
    whole = lines[:-1] if len(head) >= 4096 and len(lines) < 3 else lines
    return bool(whole) and all(flat_object(line) is not None for line in whole)


def flat_object(line: bytes) -> dict[str, Any] | None:
    """Return a line's object, its numbers as texts; None where it is none of one level, or has a key twice."""
    try:
        pairs = json.loads(line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return None
    flat = line.lstrip()[:1] == b"{" and all(isinstance(value, _PLAIN) for _, value in pairs)
    return dict(pairs) if flat and len(dict(pairs)) == len(pairs) else None


_WEB = re.compile(
    rb"<(?:!doctype html|(?:html|table|head|body|div|meta|style|link|script|center|font|frameset|title|p|h[123])[\s>/])"
)
_BOOK = b"urn:schemas-microsoft-com:office:spreadsheet"
_LOOKED_AT = 1 << 22  # bytes in which the first rows of a table stand


def _find_start(head: bytes) -> bytes:
    """Return a file's first bytes in small letters from its first word on, a comment left out."""
    low = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    return low[low.find(b"-->") + 3 :].lstrip() if low.startswith(b"<!--") else low


def form_of(head: bytes) -> str | None:
    """Return "html" or "xml" (a workbook of 2003) by a file's first bytes, None for all else."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "replace").encode()
    low = _find_start(head)
    if _WEB.match(low):
        return "html"
    return "xml" if low.startswith(b"<") and _BOOK in low[:65_536] else None


def holds_rows(path: Path) -> bool:
    """Whether the file has two rows of a table near its beginning; a page that tells of a fault has none."""
    with path.open("rb") as file:
        low = file.read(_LOOKED_AT).replace(b"\x00", b"").lower()
    mark = rb"<(?:ss:)?row[\s/>]" if _BOOK in low else rb"<tr[\s>]"
    return len(re.findall(mark, low)) > 1


# A name of a column may be set in bold, as REDCap's labels are.
_TAG = re.compile(
    rb"<(?!(?:b|i|u|em|strong|span|su[bp])[\s>])([a-z][\w.\-]*:)?[a-z][\w.\-]*(\s+[\w:.\-]+\s*=\s*[\"'][^<>]*)?/?>"
)


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
    with open_packed(path, True) as (file, _):
        head = file.read(4096)
    if head.startswith((b"PK\x03\x04", _OLE, b"PAR1", b"\x1f\x8b", b"$FL2", b"$FL3", b"<stata_dta>", *_MARKS)):
        raise WrongFormat(path, "GZ")
    if head:
        _check_text(path, head)


def _check_text(path: Path, head: bytes) -> None:
    """Refuse texts that are no table, and what is no text. Raises WrongFormat."""
    encoding = by_head(head)
    if encoding is not None and encoding.name.startswith("utf-16"):
        head = head.decode(encoding.name, "replace").encode()
    low = _find_start(head[:1500])
    foreign = {
        "HTML": form_of(head) == "html",
        "MHTML": b"\nmime-version:" in b"\n" + low and (low.startswith(b"mime") or b"multipart/related" in low),
        "SYLK": low.startswith(b"id;p") and b"\nc;" in low,
        "JSON": low[:1] in (b"{", b"[") and _is_json(path, low),
        "DIF": low.startswith((b"table\n0,1", b"table\r\n0,1")),
        "XML": form_of(head) == "xml"
        or low.startswith(b"<?xml")
        or (_TAG.match(low) is not None and (b"</" in low or b"/>" in low)),
        "no text": not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")) and _is_no_text(path, head),
    }
    if any(foreign.values()):
        raise WrongFormat(path, next(name for name, is_it in foreign.items() if is_it))


def _is_no_text(path: Path, head: bytes) -> bool:
    """Whether bytes are too many control characters or zeros for a text.

    Some of the control characters are made for separating fields. Of chance bytes one in 15 is another, of a text none;
    a few are a fault in a text, unless the file's name says that it is none.
    """
    body = head.rstrip(b"\x1a")  # the end of a text, to old programs
    controls = sum(body.count(bytes([c])) for c in (*range(3, 8), *range(14, 20), *range(21, 27)))
    zeros = head.count(0) / max(len(head), 1)
    named_text = any(kind in TEXTS for kind in ENDINGS.get(path.suffix.lower(), TEXTS))
    return controls > (0.01 * len(head) if named_text else 0) or 0.3 < zeros <= 0.4 or 0.6 <= zeros < 0.7


def _name_zipped(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names:
                kind = archive.open("mimetype").read(200)
                if b"opendocument.spreadsheet" in kind:
                    parts = "META-INF/manifest.xml"
                    if parts in names and b"encryption-data" in archive.open(parts).read(1 << 20):
                        raise Encrypted(path)
                    return "ods"
    except UNREADABLE as error:
        raise Corrupt(path, "ZIP") from error
    if any(name.startswith(("xl/", "/xl/")) for name in names):
        return "xlsb" if any(name.endswith("workbook.bin") for name in names) else "xlsx"
    if any(name.startswith("word/") for name in names):
        raise WrongFormat(path, "Word")
    if only_text(names):
        _check_packed(path)
        return "csv.gz"
    raise WrongFormat(path, "ZIP")


def _compound(path: Path) -> str:
    with open_file(path) as file:
        data = file.read(1 << 22)
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise Encrypted(path)
    known = [name for name in ("Workbook", "Book", "WordDocument") if name.encode("utf-16-le") in data]
    if known == ["WordDocument"]:
        raise WrongFormat(path, "Word")
    return "xls"
