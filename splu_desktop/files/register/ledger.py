"""The register of releases: one line for each on this computer, which follows from the line before and is sealed.

It remembers who released what, for whom and when, which lines were accepted with which words, and keyed marks by which
the same persons are recognised (`marks`). No value of a record stands in it. Only its owner may read it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from sys import intern
from time import time_ns
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.plain_data import TooLong, check_ordinary, file_bytes, from_json

RELEASE, WITHDRAWN, TABLES = "release", "withdrawn", "tables"
_LINES, _KEY, _LOCK = "register.jsonl", "key", "register.lock"
_LARGEST = 1 << 28  # bytes
_PART = 1 << 20  # bytes, read at a time
_TICK = 2_000_000_000  # nanoseconds, the coarsest clock of a disk
_WAIT = 30.0  # seconds for another release's turn


class RegisterFault(FileFault):
    """The register can't be read or written."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One line.

    Attributes
    ----------
    number : from 1.
    time : ISO 8601, UTC.
    kind : "release", "withdrawn" or "tables" (protected counts in place of rows).
    release : the release's id.
    body : what is remembered of it.
    """

    number: int
    time: str
    kind: str
    release: str
    body: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Reading:
    """The register as it stands: its entries, and sentences about lines that are gone, changed or not readable."""

    entries: tuple[Entry, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def releases(self) -> tuple[Entry, ...]:
        """Releases that were not withdrawn, oldest first."""
        return tuple(entry for entry in self.handed_out if entry.kind == RELEASE)

    @property
    def handed_out(self) -> tuple[Entry, ...]:
        """Releases that were not withdrawn and tables of protected counts, oldest first."""
        gone = {entry.release for entry in self.entries if entry.kind == WITHDRAWN}
        return tuple(entry for entry in self.entries if entry.kind != WITHDRAWN and entry.release not in gone)


class Register:
    """A register in a folder: this user's own where none is named."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder() / "register"

    def read(self) -> Reading:
        """Return what stands in it. Raises RegisterFault."""
        return self._read().reading

    def releases(self) -> tuple[Entry, ...]:
        """Return the releases that were not withdrawn, oldest first. Raises RegisterFault."""
        return self.read().releases

    def find(self, release: str) -> Entry | None:
        """Return the entry of a release, None where there is none. Raises RegisterFault."""
        return next((entry for entry in self.releases() if entry.release == release), None)

    def withdraw(self, release: str, reason: str) -> Entry:
        """Note that a release is none any more. Raises RegisterFault."""
        return self.add(release, {"reason": reason}, WITHDRAWN)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep others out: looking up, counting and adding are one. May be nested. Raises RegisterFault."""
        try:
            # Marks are keyed, but who released what to whom is nobody else's business.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with _lock_of(self.folder).acquire(timeout=_WAIT):
                yield
        except (OSError, Timeout):
            raise self._refuse() from None

    def key(self) -> bytes:
        """Return the secret by which marks and seals are made, made at its first use. Raises RegisterFault."""
        path = self.folder / _KEY
        try:
            if not path.exists():
                with self.lock():
                    if not path.exists():
                        new = path.with_name(f"{_KEY}.new")  # who looks meanwhile finds no key or a whole one
                        _write_private(new, secrets.token_bytes(32))
                        new.replace(path)
            content = file_bytes(path, 64)
        except (OSError, TooLong):
            raise self._refuse() from None
        # A key cut short would still make marks, which nothing would ever match.
        if len(content) != 32:
            raise self._refuse()
        return content

    def rehearsal_key(self, release: str) -> bytes:
        """Return what a report of a release rehearses by, from the key here and its id. Raises RegisterFault."""
        return hmac.new(self.key(), f"rehearsal {release}".encode(), hashlib.sha256).digest()

    def add(self, release: str, body: Mapping[str, Any], kind: str = RELEASE) -> Entry:
        """Add a release, or TABLES of protected counts, which are none. Raises RegisterFault."""
        with self.lock():
            known = self._read()
            number, time = known.lines + 1, datetime.now(UTC).isoformat(timespec="seconds")
            data = {"number": number, "time": time, "kind": kind, "release": release, "previous": known.seal}
            data["body"] = dict(body)
            line = json.dumps({**data, "seal": _seal(self.key(), data)}, ensure_ascii=True).encode("ascii") + b"\n"
            _write_private(self.folder / _LINES, line, at=known.end)  # a run that died may have left half a line
        return Entry(number, time, kind, release, dict(body))

    def _read(self) -> _Known:
        """Return what the file says; of one that only grew, what is new alone is parsed. Raises RegisterFault."""
        path = self.folder / _LINES
        try:
            check_ordinary(path)
            with path.open("rb") as file:
                key = self.key()
                now = os.fstat(file.fileno())
                if now.st_size > _LARGEST:
                    raise self._refuse()
                stamp = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
                known = _KNOWN.get((path, key), _Known())
                if known.stamp != stamp:
                    # Another change in the same tick of the clock would leave the same stamp.
                    sure = now.st_mtime_ns < time_ns() - _TICK
                    known = _read_on(file, key, known, stamp if sure else ())
                    _KNOWN.clear()  # each user has one register
                    _KNOWN[path, key] = known
        except FileNotFoundError:  # nothing was released yet
            return _Known()
        except OSError:
            raise self._refuse() from None
        return known

    def _refuse(self) -> RegisterFault:
        words = "The register of releases in “{folder}” can't be read or written; make room, or get the right to write."
        return RegisterFault(words, folder=self.folder)


@dataclass(frozen=True, eq=False)
class _Known:
    """What a register's file said, and by what it is known again.

    Attributes
    ----------
    stamp : the file's number, size and times; () where they are too new to tell.
    lines, end : whole lines, and where the last of them ends, in bytes.
    digest : of the bytes up to there.
    seal : of the last line, "" where there is none that can be read.
    held : parts of the bodies, by which equal ones are found.
    """

    reading: Reading = Reading()
    stamp: tuple[int, ...] = ()
    lines: int = 0
    end: int = 0
    digest: bytes = hashlib.sha256().digest()
    seal: str = ""
    held: dict[bytes, Any] = field(default_factory=dict)


_KNOWN: dict[tuple[Path, bytes], _Known] = {}


def _read_on(file: BinaryIO, key: bytes, known: _Known, stamp: tuple[int, ...]) -> _Known:
    """Return what a file says whose beginning may be what is `known`; where it no longer is, all is read anew."""
    digest = hashlib.sha256()
    for at in range(0, known.end, _PART):
        digest.update(file.read(min(_PART, known.end - at)))
    if digest.digest() != known.digest:
        file.seek(0)
        known, digest = _Known(), hashlib.sha256()
    entries, faults = list(known.reading.entries), list(known.reading.faults)
    number, end, last, held = known.lines, known.end, known.seal, known.held
    for line in file:
        if not line.endswith(b"\n"):
            begun = f'{{"number": {number + 1}, '.encode()  # as a run that died leaves it
            words = say("Entry {number} of the register of releases is not readable.", number=number + 1)
            if not line.startswith(begun[: len(line)]) and words not in faults:  # an end is read anew each time
                faults.append(words)
            break
        number, end = number + 1, end + len(line)
        digest.update(line)
        try:
            entry, seal, previous, sound = _read_line(key, number, line, held)
        except (ValueError, KeyError, TypeError, AttributeError):
            faults.append(say("Entry {number} of the register of releases is not readable.", number=number))
            last = ""
            continue
        entries.append(entry)
        if not sound:
            faults.append(say("Entry {number} of the register of releases was changed.", number=number))
        elif previous != last and last != "":
            faults.append(say("Before entry {number} of the register of releases one was removed.", number=number))
        last = seal
    return _Known(Reading(tuple(entries), tuple(faults)), stamp, number, end, digest.digest(), last, held)


def _read_line(key: bytes, number: int, line: bytes, held: dict[bytes, Any]) -> tuple[Entry, str, str, bool]:
    """Return a line's entry, its seal, the one before, and whether it is sound. Raises what a damaged line does."""
    data = from_json(line, paths=True)
    seal, previous = str(data.pop("seal")), str(data["previous"])
    body = _share(dict(data["body"]), held)
    entry = Entry(number, str(data["time"]), str(data["kind"]), str(data["release"]), body)
    return entry, seal, previous, hmac.compare_digest(seal, _seal(key, data)) and data["number"] == number


def _share(data: Any, held: dict[bytes, Any]) -> Any:
    """Return plain data of which equal parts are held once, however many lines say them.

    A table that goes out again has the same marks, plan and columns: 16 of 21 KB of a line.
    """
    if isinstance(data, dict):
        copy: Any = {intern(name): _share(each, held) for name, each in data.items()}
    elif isinstance(data, list):
        copy = [_share(each, held) for each in data]
    else:
        return intern(data) if isinstance(data, str) else data
    # Its text tells 1 from 1.0, as equality does not.
    return held.setdefault(hashlib.sha256(ascii(copy).encode()).digest(), copy)


_LOCKS: dict[Path, FileLock] = {}


def _lock_of(folder: Path) -> FileLock:
    """Return the one lock of a folder in this process, so that it may be taken again by who holds it."""
    path = folder.absolute() / _LOCK
    return _LOCKS.setdefault(path, FileLock(path, mode=0o600))


def _seal(key: bytes, data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()


def _write_private(path: Path, content: bytes, at: int = 0) -> None:
    """Write bytes at a place of a file that only its owner may read, and wait for the disk. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        os.ftruncate(handle, at)
        file.seek(at)
        file.write(content)
        file.flush()
        os.fsync(handle)
