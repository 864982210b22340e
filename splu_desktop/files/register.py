"""The register of releases: what left the house, when, to whom and under which promise. Local and append-only.

One JSON object per line in `register.jsonl`. Each entry holds the hash of the one before and a seal made with a key
that is drawn on this machine and never leaves it; `head.json` holds the number of entries and the last hash. So a
changed, removed or inserted entry, and a cut-off end, are found and named. Appending is one write and one sync; a line
that a crash tore is cut away by the next append, since nothing was released under it: an entry is complete on disk
before its release appears.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock, Timeout

from splu_desktop.core.errors import FileFault
from splu_desktop.core.said import say
from splu_desktop.files.place import data_folder

_NOTHING_BEFORE = "0" * 64
RELEASE, WITHDRAWN = "release", "withdrawn"


class RegisterFault(FileFault):
    """The register of releases can't be read or written."""


@dataclass(frozen=True)
class Entry:
    """One entry of the register.

    Attributes
    ----------
    number : its place, from 1.
    time : when it was made, ISO 8601 in UTC.
    kind : "release", or "withdrawn" for one that was entered and then did not appear.
    release : the release's id.
    body : all else, plain data.
    hash : SHA-256 over the entry and the hash before it.
    """

    number: int
    time: str
    kind: str
    release: str
    body: Mapping[str, Any]
    hash: str


@dataclass(frozen=True)
class Reading:
    """The register as it was found.

    Attributes
    ----------
    entries : every entry that can be read, in order.
    faults : one sentence per place where the chain does not hold; empty for a sound register.
    torn : bytes at the end that a crash left; not a fault.
    """

    entries: tuple[Entry, ...]
    faults: tuple[str, ...]
    torn: int = 0

    @property
    def releases(self) -> tuple[Entry, ...]:
        """The releases that were not withdrawn, oldest first."""
        gone = {entry.release for entry in self.entries if entry.kind == WITHDRAWN}
        return tuple(entry for entry in self.entries if entry.kind == RELEASE and entry.release not in gone)


class Register:
    """The register in a folder.

    Parameters
    ----------
    folder : where it is kept; None for the user's own (`place.data_folder`). Made when first written to.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = data_folder() / "register" if folder is None else folder
        self._path = self.folder / "register.jsonl"
        self._head = self.folder / "head.json"

    def read(self) -> Reading:
        """Return all entries and what is wrong with them. Raises RegisterFault where the system refuses."""
        with self._refusals():
            if not self.folder.is_dir():
                return Reading((), ())
            with self._locked():
                return self._read()[0]

    def append(self, kind: str, release: str, body: Mapping[str, Any]) -> Entry:
        """Add an entry; it is on disk when this returns. Raises RegisterFault; nothing is added then."""
        with self._refusals():
            key = self.key()
            with self._locked():
                reading, size, last = self._read()
                number = reading.entries[-1].number + 1 if reading.entries else 1
                now = datetime.now(UTC).isoformat(timespec="seconds")
                content: dict[str, Any] = {
                    "number": number,
                    "time": now,
                    "kind": kind,
                    "release": release,
                    "body": dict(body),
                    "previous": last,
                }
                digest = _digest(content)
                line = json.dumps({**content, "hash": digest, "seal": _seal(key, digest)}, ensure_ascii=False) + "\n"
                self._write_line(line.encode("utf-8"), size)
                self._write_head(number, digest, key)
                return Entry(number, now, kind, release, MappingProxyType(dict(body)), digest)

    def key(self) -> bytes:
        """Return the local key (32 bytes), drawn and stored for the user alone when first asked for."""
        path = self.folder / "key"
        with self._refusals():
            if not path.exists():
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                with self._locked():
                    if not path.exists():
                        self._replace(path, secrets.token_hex(32).encode("ascii"))
            text = path.read_text(encoding="ascii").strip()
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != 32:
            raise RegisterFault(
                say(
                    "The key of the register of releases, “{path}”, is damaged; restore it from a backup, or "
                    "move the folder “{folder}” away to begin a new register.",
                    path=path,
                    folder=self.folder,
                )
            )
        return key

    def keep(self, kind: str, name: str, raw: bytes) -> None:
        """Keep bytes that entries refer to by their hash, beside the register. Raises RegisterFault."""
        with self._refusals():
            folder = self.folder / kind
            if (folder / name).exists():
                return
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._locked():
                self._replace(folder / name, raw)

    def check_writable(self) -> None:
        """Raise RegisterFault unless an entry could be added now."""
        with self._refusals():
            self.key()
            with self._locked():
                handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                os.close(handle)

    @contextlib.contextmanager
    def _refusals(self) -> Any:
        try:
            yield
        except (OSError, NotImplementedError) as fault:
            reason = (getattr(fault, "strerror", None) or "the system gave no reason").lower()
            raise RegisterFault(
                say(
                    "The register of releases in “{folder}” can't be used ({reason}); make the folder "
                    "writable, or set SPLU_DATA_DIR to another folder.",
                    folder=self.folder,
                    reason=reason,
                )
            ) from None

    @contextlib.contextmanager
    def _locked(self) -> Any:
        lock = FileLock(self.folder / "lock", thread_local=False, mode=0o600)
        try:
            lock.acquire(timeout=60)
        except Timeout:
            raise RegisterFault(
                say(
                    "Another program holds the register of releases in “{folder}”; wait until it is done.",
                    folder=self.folder,
                )
            ) from None
        try:
            yield
        finally:
            lock.release()

    def _read(self) -> tuple[Reading, int, str]:
        """Return the reading, the size of the sound part in bytes and the hash that the next entry builds on."""
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            raw = b""
        key = self.key() if (self.folder / "key").exists() else b""
        size = raw.rfind(b"\n") + 1
        lines = raw[:size].split(b"\n")[:-1]
        entries: list[Entry] = []
        faults: list[str] = []
        if lines and not key:
            faults.append("The register's key is gone, so no entry can be proved to be this program's.")
        last = _NOTHING_BEFORE
        for number, line in enumerate(lines, 1):
            entry, problem, last = _entry(line, number, last, key)
            if entry is not None:
                entries.append(entry)
            if problem:
                faults.append(say("Entry {number} of the register {problem}.", number=number, problem=say(problem)))
        faults += self._head_faults(len(lines), entries, last, key)
        return Reading(tuple(entries), tuple(faults), len(raw) - size), size, last

    def _head_faults(self, count: int, entries: list[Entry], last: str, key: bytes) -> list[str]:
        try:
            head = json.loads(self._head.read_text(encoding="utf-8"))
            known, digest = int(head["entries"]), str(head["hash"])
            sound = hmac.compare_digest(str(head["seal"]), _seal(key, f"{known}:{digest}"))
        except FileNotFoundError:
            # The very first append may have been cut short before the head was written.
            return [] if count <= 1 else ["The register's head is gone, so entries at its end may be missing."]
        except (OSError, ValueError, KeyError, TypeError):
            return ["The register's head is damaged, so entries at its end may be missing."]
        if not sound:
            return ["The register's head was changed by something else than this program."]
        if known > count:
            missing = known - count
            return [
                say("The last {missing} entries of the register are gone.", missing=missing)
                if missing > 1
                else "The register's last entry is gone."
            ]
        return []

    def _write_line(self, line: bytes, size: int) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(handle, size)  # cuts a torn end off, if there is one
            os.lseek(handle, size, os.SEEK_SET)
            try:
                written = 0
                while written < len(line):
                    written += os.write(handle, line[written:])
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)

    def _write_head(self, number: int, digest: str, key: bytes) -> None:
        head = {"entries": number, "hash": digest, "seal": _seal(key, f"{number}:{digest}")}
        # A head that lags behind is sound; the entry itself is safe already.
        with contextlib.suppress(OSError):
            self._replace(self._head, json.dumps(head).encode("utf-8"))

    def _replace(self, path: Path, raw: bytes) -> None:
        """Write a small file whole, readable by its owner alone. The lock is held."""
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            while raw:
                raw = raw[os.write(handle, raw) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        fresh.replace(path)


def _canonical(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(content)).hexdigest()


def _seal(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("ascii", "replace"), hashlib.sha256).hexdigest()


def _entry(line: bytes, number: int, last: str, key: bytes) -> tuple[Entry | None, str | None, str]:
    """Return the entry, what is wrong with it, and the hash that the next one builds on."""
    try:
        data = json.loads(line.decode("utf-8"))
        stated, seal = str(data.pop("hash")), str(data.pop("seal"))
        entry = Entry(
            int(data["number"]),
            str(data["time"]),
            str(data["kind"]),
            str(data["release"]),
            MappingProxyType(dict(data["body"])),
            stated,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None, "is not readable", hashlib.sha256(line).hexdigest()
    problem = None
    if _digest(data) != stated or not hmac.compare_digest(seal, _seal(key, stated)):
        problem = "was changed after it was made"
    elif data["previous"] != last:
        problem = "does not follow from the one before: an entry was removed, inserted or changed"
    elif entry.number != number:
        problem = say("bears the number {number}", number=entry.number)
    return entry, problem, stated
