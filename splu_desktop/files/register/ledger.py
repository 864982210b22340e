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
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.plain_data import TooLong, file_bytes, from_json

RELEASE, WITHDRAWN, TABLES = "release", "withdrawn", "tables"
_LINES, _KEY, _LOCK = "register.jsonl", "key", "register.lock"
_LARGEST = 1 << 28  # bytes
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
        path = self.folder / _LINES
        if not path.exists():
            return Reading()
        try:
            raw = file_bytes(path, _LARGEST)
        except (OSError, TooLong):
            raise self._refuse() from None
        key, last = self.key(), ""
        entries: list[Entry] = []
        faults: list[str] = []
        for number, line in enumerate(raw.split(b"\n")[:-1], 1):
            try:
                entry, seal, previous, sound = _read_line(key, number, line)
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
        return Reading(tuple(entries), tuple(faults))

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
            found = file_bytes(path, 64)
        except (OSError, TooLong):
            raise self._refuse() from None
        # A key cut short would still make marks, which nothing would ever match.
        if len(found) != 32:
            raise self._refuse()
        return found

    def rehearsal_key(self, release: str) -> bytes:
        """Return what a report of a release rehearses by, from the key here and its id. Raises RegisterFault."""
        return hmac.new(self.key(), f"rehearsal {release}".encode(), hashlib.sha256).digest()

    def add(self, release: str, body: Mapping[str, Any], kind: str = RELEASE) -> Entry:
        """Add a release, or TABLES of protected counts, which are none. Raises RegisterFault."""
        with self.lock():
            path = self.folder / _LINES
            raw = file_bytes(path, _LARGEST) if path.exists() else b""
            raw = raw[: raw.rfind(b"\n") + 1]  # a run that died may have left half a line
            lines = raw.split(b"\n")[:-1]
            try:
                previous = str(from_json(lines[-1], paths=True)["seal"]) if lines else ""
            except (ValueError, KeyError, TypeError):
                previous = ""
            number, time = len(lines) + 1, datetime.now(UTC).isoformat(timespec="seconds")
            data = {"number": number, "time": time, "kind": kind, "release": release, "previous": previous}
            data["body"] = dict(body)
            line = json.dumps({**data, "seal": _seal(self.key(), data)}, ensure_ascii=True).encode("ascii") + b"\n"
            _write_private(path, line, at=len(raw))
        return Entry(number, time, kind, release, dict(body))

    def _refuse(self) -> RegisterFault:
        return RegisterFault("The register of releases in “{folder}” can't be read or written.", folder=self.folder)


@lru_cache(maxsize=1000)  # every plan that is judged asks for all of them, and each takes a millisecond
def _read_line(key: bytes, number: int, line: bytes) -> tuple[Entry, str, str, bool]:
    """Return a line's entry, its seal, the one before, and whether it is sound. Raises what a damaged line does."""
    data = from_json(line, paths=True)
    seal, previous = str(data.pop("seal")), str(data["previous"])
    entry = Entry(number, str(data["time"]), str(data["kind"]), str(data["release"]), dict(data["body"]))
    return entry, seal, previous, hmac.compare_digest(seal, _seal(key, data)) and data["number"] == number


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
