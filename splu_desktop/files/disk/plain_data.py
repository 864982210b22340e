"""The door for settings and facts that strangers may have written: ordinary files of a bounded size, CSV, JSON, TOML.

What comes in has only numbers that the program can hold and texts that it can write again. A pipe, which never ends,
and a number of 400 digits, which no arithmetic takes, are refused here, once, and not wherever they would be met.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.messages import Phrase, say

_WIDEST = 1 << 63  # whole numbers beyond it don't fit into a machine's


class TooLong(ValueError):
    """A file has more bytes than one of its kind can have."""


def check_ordinary(path: Path) -> None:
    """Raise OSError where `path` is a pipe, a socket or a device, which may never end. A folder is left to others."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, say("not an ordinary file"), str(path))


def in_unicode(path: Path) -> bool:
    """Return whether a path can be given to libraries that take it as UTF-8; Linux allows other bytes."""
    return str(path).isascii() or not any("\udc80" <= letter <= "\udcff" for letter in str(path))


def file_bytes(path: Path, most: int) -> bytes:
    """Return the content of an ordinary file. Raises OSError; TooLong where it has more than `most` bytes."""
    check_ordinary(path)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooLong
    return content


def say_of_file(path: Path | str, fault: object) -> Phrase:
    """Return a sentence about what a file holds, with the file's name before it."""
    return say("“{path}”: {fault}", path=path.name if isinstance(path, Path) else path, fault=fault)


def read_bytes(path: Path, most: int, fault: type[SpluError]) -> bytes:
    """Return the content of a file.

    Raises `fault`, with a sentence: there is none, it can't be read, or it has more than `most` bytes.
    """
    try:
        return file_bytes(path, most)
    except TooLong:
        size = path.stat().st_size >> 20
        raise fault("“{path}” is too large ({size} MB); take a smaller file.", path=path, size=size) from None
    except (FileNotFoundError, ValueError):  # a zero byte is in no path
        raise fault("There is no file “{path}”; check the name and the folder.", path=path) from None
    except OSError as failed:
        reason = say((failed.strerror or "no reason given").lower())
        raise fault("“{path}” can't be read ({reason}); choose another file.", path=path, reason=reason) from None


@contextlib.contextmanager
def understood(path: Path, fault: type[SpluError]) -> Iterator[None]:
    """Raise `fault`, with a sentence, where the block stumbles over data that are not what a file of its kind holds."""
    try:
        yield
    except KeyError as lacking:
        raise fault("“{path}” is damaged: the entry {entry} is missing.", path=path, entry=lacking) from None
    except (TypeError, ValueError, AttributeError):
        raise fault("“{path}” is damaged: an entry is of the wrong kind.", path=path) from None
    except BadSetting as refused:
        raise fault(say_of_file(str(path), refused)) from None


def from_csv(content: bytes) -> list[tuple[int, tuple[str, ...]]]:
    """Return number of the last line and fields of each row with a text, split by the mark that splits rows evenly.

    A text is in UTF-8, else in Windows' own letters. There are no rows where it holds a zero byte.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return [] if "\0" in text else max((_split(text, mark) for mark in ";,\t|"), key=_evenness)


def _split(text: str, mark: str) -> list[tuple[int, tuple[str, ...]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        return [(reader.line_num, tuple(cell.strip() for cell in row)) for row in reader if any(map(str.strip, row))]
    except csv.Error:
        return []


def _evenness(rows: list[tuple[int, tuple[str, ...]]]) -> tuple[bool, float]:
    """Say how well a mark splits the rows: into several fields, as many in most rows as in the first."""
    if not rows:
        return False, 0.0
    width = len(rows[0][1])
    return width > 1, sum(len(row) == width for _, row in rows) / len(rows)


def from_json(content: str | bytes, *, paths: bool = False) -> Any:
    """Return what JSON says. Raises ValueError where it is none, or holds what `check_plain` refuses."""
    try:
        if isinstance(content, str) and not paths and "\\ud" not in content.lower():
            content.encode("utf-8")  # of texts without escapes of halves of pairs all at once
            return json.loads(content, parse_float=_finite, parse_int=_short, parse_constant=_finite)
        return check_plain(json.loads(content), paths=paths)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def from_toml(content: bytes) -> dict[str, Any]:
    """Return what TOML says. Raises ValueError (TOMLDecodeError is one) where it is none, or as `check_plain` does."""
    import tomllib  # a count reads none

    try:
        data: dict[str, Any] = check_plain(tomllib.loads(content.decode("utf-8-sig")))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return data


def check_plain(data: Any, *, paths: bool = False) -> Any:
    """Return plain data as it is. Raises ValueError where a number or text in it is none that a file of ours holds.

    `paths` : whether texts may be paths, of any bytes, as Python holds them (PEP 383).
    """
    errors = "surrogateescape" if paths else "strict"
    left = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value)
            left.extend(value.values())
        elif isinstance(value, list):
            # Most texts stand in lists of some thousands, which are looked at in one go.
            left.extend(["".join(value)] if set(map(type, value)) == {str} else value)
        elif isinstance(value, str):
            value.encode("utf-8", errors)  # a lone half of a pair raises a ValueError
        elif isinstance(value, float):
            _finite(value)
        elif isinstance(value, int):
            _short(value)
    return data


def _finite(value: float | str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a number without an end")
    return number


def _short(value: int | str) -> int:
    number = int(value)
    if not -_WIDEST <= number < _WIDEST:
        raise ValueError("a number of too many digits")
    return number
