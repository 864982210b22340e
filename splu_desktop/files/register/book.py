"""The register of releases: what left the house, when, to whom and under which promise. Local and append-only.

One JSON object per line in `register.jsonl`. Each entry holds the hash of the one before and a seal made with a key
that is drawn on this machine and never leaves it; `head.json` holds the number of entries and the last hash. So a
changed, removed or inserted entry, and a cut-off end, are found and named. A witness in the settings' folder holds the
same as the head, so that a deleted register, or an old one put back in its place, is found too; neither ever goes back.
Damage stays known until somebody acknowledges it in words: before an entry is added, what is wrong is entered itself
(docs/decisions/register.md says what can't be found).

Appending is one write and one sync; a line that a crash tore is cut away by the next append, since nothing was released
under it: an entry is complete on disk before its release appears.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock, Timeout

from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.messages import Said, say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.disk.place import data_folder, witness_folder
from splu_desktop.files.disk.plain_data import from_json
from splu_desktop.frozen import dataclass

_NOTHING_BEFORE = "0" * 64
SKETCHES = "sketches"
RELEASE, WITHDRAWN, DAMAGED, ACKNOWLEDGED = "release", "withdrawn", "damaged", "acknowledged"
_CHANGED = "was changed after it was made"
KEY_0_1_0 = 32  # bytes of the key of a register that version 0.1.0 began
_SECOND = 2  # what follows them in a register begun since
_CLOCK = 120  # seconds that a clock may be put back by when it is set right
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe in place of a file is not waited for
_PATIENCE, _LOOK = 60.0, 0.25  # seconds that another program is waited for, and between two looks whether to stop
_LARGEST = 1_000_000_000  # bytes of a register that is read


class RegisterFault(FileFault):
    """The register of releases can't be read or written."""


class NothingToAcknowledge(BadSetting):
    """The register is sound, or nobody said what happened to it."""


@dataclass(frozen=True)
class Entry:
    """One entry of the register.

    Attributes
    ----------
    number : its place, from 1.
    time : when it was made, ISO 8601 in UTC.
    kind : "release", "withdrawn" for one that was entered and then did not appear, "damaged" where the register was
        found so, "acknowledged" for what somebody said to that.
    release : the release's id; "" for what is about the register itself.
    body : all else, plain data.
    hash : SHA-256 over the entry and the hash before it.
    witnessed : whether the program that made it keeps a witness; the first version kept none.
    """

    number: int
    time: str
    kind: str
    release: str
    body: Mapping[str, Any]
    hash: str
    witnessed: bool = True


@dataclass(frozen=True)
class Reading:
    """The register as it was found.

    Attributes
    ----------
    entries : every entry that can be read, in order.
    faults : one sentence per place where the chain does not hold; empty for a sound register.
    torn : bytes at the end that a crash left; not a fault.
    acknowledged : faults that somebody acknowledged, no longer among `faults`.
    key : the register's; b"" where it has none.
    """

    entries: tuple[Entry, ...]
    faults: tuple[str, ...]
    torn: int = 0
    acknowledged: tuple[str, ...] = ()
    key: bytes = field(default=b"", repr=False)

    @property
    def whole(self) -> bool:
        """Whether nothing was ever lost: what somebody acknowledged is as gone as it was."""
        return not (self.faults or self.acknowledged)

    @property
    def releases(self) -> tuple[Entry, ...]:
        """The releases that were not withdrawn, oldest first; a line that was copied is no release more."""
        gone = {entry.release for entry in self.entries if entry.kind == WITHDRAWN}
        made: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.kind == RELEASE and entry.release not in gone:
                made.setdefault(entry.release, entry)
        return tuple(made.values())


class Register:
    """The register in a folder.

    folder : where it is kept; None for the user's own (`place.data_folder`). Made when first written to.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = data_folder() / "register" if folder is None else folder
        self._path = self.folder / "register.jsonl"
        self._head = self.folder / "head.json"
        self._mutex, self._lock = threading.RLock(), FileLock(self.folder / "lock", thread_local=False, mode=0o600)

    def read(self, since: Reading | None = None, progress: Progress = SILENT) -> Reading:
        """Return all entries and what is wrong with them. `progress` : asked while another program holds the register.

        Raises RegisterFault where the system refuses, or where this is not the register that was read as `since`, with
        all that was in it: what a gate said would not be what is recorded, and one with another key recognises nothing.
        """
        with self._refusals():
            if not self.folder.is_dir():
                found = Reading((), tuple(self._read().faults))
            else:
                with self.held(progress):
                    found = self._read().reading
        if since is not None and (found.key, found.entries[: len(since.entries)]) != (since.key, since.entries):
            raise RegisterFault(
                "The register of releases in “{folder}” is not the one that was read before: it was removed, exchanged "
                "or put back meanwhile. Nothing was published; restore it, or begin again.",
                folder=self.folder,
            )
        return found

    def append(self, kind: str, release: str, body: Mapping[str, Any]) -> Entry:
        """Add an entry; it is on disk when this returns. Raises RegisterFault; nothing is added then.

        Damage that is not entered yet is entered before it, so that it stays known whatever is added.
        """
        with self._refusals():
            key = self.key()
            with self.held():
                return self._add(self._with_damage(key), key, kind, release, body)

    def _with_damage(self, key: bytes) -> _FoundBook:
        """Return the register once its damage is entered. The lock is held."""
        found = self._read()
        fresh = [fault for fault in found.faults if _mark(fault) not in found.entered]
        if fresh:
            self._add(found, key, DAMAGED, "", {"faults": [_as_data(fault) for fault in fresh]})
            found = self._read()
        return found

    def acknowledge(self, who: str, why: str) -> Entry:
        """Enter that somebody knows of the damage, and what they say to it; it is then no longer a fault.

        Raises NothingToAcknowledge: the register is sound, or a name or the words are missing. RegisterFault.
        """
        if not who.strip() or not why.strip():
            raise NothingToAcknowledge(
                "Damage is acknowledged by somebody and in words: give a name and what happened."
            )
        with self.held():
            reading = self.read()
            if not reading.faults:
                raise NothingToAcknowledge("The register of releases is sound; there is nothing to acknowledge.")
            faults = [_as_data(fault) for fault in reading.faults]
            return self.append(ACKNOWLEDGED, "", {"who": who.strip(), "why": why.strip(), "faults": faults})

    def _add(self, found: _FoundBook, key: bytes, kind: str, release: str, body: Mapping[str, Any]) -> Entry:
        number = found.known + 1
        now = datetime.now(UTC).isoformat(timespec="seconds")
        content: dict[str, Any] = {
            "number": number,
            "time": now,
            "kind": kind,
            "release": release,
            "body": dict(body),
            "previous": found.last,
            "witnessed": True,
        }
        digest = _digest(content)
        line = _line({**content, "hash": digest, "seal": _seal(key, digest)}) + b"\n"
        if not found.known:  # so both stand before any entry, and are missed where they are removed
            self._write_head(0, _NOTHING_BEFORE, key)
        self._catch_up(found, key)
        before = {path: _bytes_of(path) for path in (self._head, self._witness())}
        self._write_line(line, found.size)
        try:
            self._write_head(number, digest, key)
        except OSError:
            # A head that lagged behind would hide that the entry is cut away later; so the entry goes, unless head or
            # witness that tell of it stay.
            with contextlib.suppress(OSError):
                self._put_back(before)
                self._write_line(b"", found.size)
            raise
        return Entry(number, now, kind, release, MappingProxyType(dict(body)), digest)

    def _catch_up(self, found: _FoundBook, key: bytes) -> None:
        """Let head and witness tell of the last entry where a crash left one of them behind.

        A second crash would leave it two behind, as if it had been put back.
        """
        notes = [_note(path, key) for path in (self._head, self._witness())]
        behind = max(found.known - (note[0] if note else 0) for note in notes)
        if behind == 1 and [entry.number for entry in found.reading.entries[-1:]] == [found.known]:
            self._write_head(found.known, found.last, key)

    def key(self) -> bytes:
        """Return the local key, drawn and stored for the user alone when first asked for.

        32 random bytes. One more says that labels are hashed as since version 0.2 (`fingerprint`): a program that
        does not know it refuses the key, where it would recognise nothing.
        """
        path = self.folder / "key"
        with self._refusals():
            if not path.exists():
                with self.held():
                    if not path.exists():
                        self._replace(path, f"{secrets.token_hex(KEY_0_1_0)}{_SECOND:02x}".encode("ascii"))
            raw = read_file(path)
        try:
            key = bytes.fromhex(raw.decode("ascii").strip())
        except ValueError:
            key = b""
        if len(key) != KEY_0_1_0 and key[KEY_0_1_0:] != bytes([_SECOND]):
            raise RegisterFault(
                "The key of the register of releases, “{path}”, is damaged; restore it from a backup, or "
                "move the folder “{folder}” away to begin a new register.",
                path=path,
                folder=self.folder,
            )
        return key

    def keep(self, kind: str, name: str, raw: bytes) -> None:
        """Keep bytes that entries refer to by their hash, beside the register. Raises RegisterFault."""
        with self._refusals():
            folder = self.folder / kind
            if _bytes_of(folder / name) == raw:
                return
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.held():
                self._with_damage(self.key())  # which these bytes may mend before an entry tells of it
                self._replace(folder / name, raw)

    def check_writable(self) -> None:
        """Raise RegisterFault unless an entry could be added now."""
        with self._refusals():
            self.key()
            with self.held():
                handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, 0o600)
                os.close(handle)

    @contextlib.contextmanager
    def _refusals(self) -> Any:
        try:
            yield
        except (OSError, NotImplementedError) as fault:
            reason = (getattr(fault, "strerror", None) or "the system gave no reason").lower()
            raise RegisterFault(
                "The register of releases in “{folder}” can't be used ({reason}); make the folder "
                "writable, or set SPLU_DATA_DIR to another folder.",
                folder=self.folder,
                reason=reason,
            ) from None

    @contextlib.contextmanager
    def held(self, progress: Progress = SILENT) -> Iterator[None]:
        """Hold the register: nobody else reads or adds an entry until the block ends; may be nested.

        `progress` : asked while another program holds it.

        Raises RegisterFault where that lasts for more than a minute; Cancelled.
        """
        with self._mutex:
            with self._refusals():
                until = time.monotonic() + _PATIENCE
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                while True:
                    try:
                        self._lock.acquire(timeout=_LOOK)
                        break
                    except Timeout:
                        if time.monotonic() > until:
                            raise RegisterFault(
                                "Another program holds the register of releases in “{folder}”; wait until it is done.",
                                folder=self.folder,
                            ) from None
                        progress.report("Waiting for the register", 0.0)
            try:
                yield
            finally:
                self._lock.release()

    def _read(self) -> _FoundBook:
        try:
            raw = read_file(self._path)
        except FileNotFoundError:
            raw = b""
        key = self.key() if (self.folder / "key").exists() else b""
        size = raw.rfind(b"\n") + 1
        lines = raw[:size].split(b"\n")[:-1]
        entries: list[Entry] = []
        faults: list[str] = []
        if lines and not key:
            faults.append(say("The register's key is gone, so no entry can be proved to be this program's."))
        last, known, when = _NOTHING_BEFORE, 0, ""
        entered: dict[str, Said] = {}
        acknowledged: dict[str, Said] = {}
        sketch_problems: dict[str, str | None] = {}
        for line in lines:
            entry, problem, digest = _remembered_entry(line, last, key)
            # Numbers and times of sealed entries alone are believed.
            sealed = entry is not None and problem != _CHANGED
            number = entry.number if entry is not None and sealed else known + 1
            problems = [problem] if problem else []
            if entry is not None:
                entries.append(entry)
            if entry is not None and sealed:
                if number <= known:
                    problems.append("stands in the wrong place")
                elif number > known + 1:
                    faults.append(_gone(known + 1, number - 1))
                if _before(entry.time, when):
                    problems.append("is dated before the one before it")
                when = entry.time
                if entry.kind in (DAMAGED, ACKNOWLEDGED):
                    told = {_mark(fault): fault for fault in map(_as_fault, entry.body.get("faults", ()))}
                    (entered if entry.kind == DAMAGED else acknowledged).update(told)
            seen = dict.fromkeys(problems, digest[:16])
            if entry is not None and sealed:
                seen |= self._sketches_wrong(entry, sketch_problems)
            told_of = "Entry {number} of the register {problem}."
            faults += [say(told_of, number=number, problem=say(text), evidence=by) for text, by in seen.items()]
            known, last = max(known, number), digest
        known = self._far_ends(known, entries, key, faults)
        every = {_mark(fault): fault for fault in [*faults, *entered.values()]}
        reading = Reading(
            tuple(entries),
            tuple(fault for mark, fault in every.items() if mark not in acknowledged),
            len(raw) - size,
            tuple(fault for mark, fault in every.items() if mark in acknowledged),
            key,
        )
        return _FoundBook(reading, size, last, known, frozenset({*entered, *acknowledged}))

    def _sketches_wrong(self, entry: Entry, found: dict[str, str | None]) -> dict[str, str]:
        """Return what is wrong with the entry's fingerprints, and which: the SHA-256 of its bytes names each.

        found : what was found of fingerprints looked at before, of which this becomes part.
        """
        source = entry.body.get("source") or {}
        parts = [*(source.get("identifiers") or {}).values(), source.get("rows"), source.get("likeness")]
        wrong: dict[str, str] = {}
        for name in sorted({part["sha256"] for part in parts if part}):
            if name not in found:
                found[name] = self._sketch_problem(name)
            if problem := found[name]:
                wrong[problem] = f"{wrong.get(problem, entry.hash[:16])} {name[:16]}"
        return wrong

    def _sketch_problem(self, name: str) -> str | None:
        path = self.folder / SKETCHES / f"{name}.bin"
        if not path.is_file():
            return "has lost its fingerprints, by which the same records are recognised"
        if hashlib.sha256(read_file(path)).hexdigest() != name:
            return "has other fingerprints than were made for it, so the same records may not be recognised"
        return None

    def _far_ends(self, known: int, entries: Sequence[Entry], key: bytes, faults: list[str]) -> int:
        """Add what head and witness say against the entries to the faults; return the highest number that was given."""
        head, witness = _note(self._head, key), _note(self._witness(), key)
        hashes = {entry.number: entry.hash for entry in entries}
        witnessed = [entry.number for entry in entries if entry.witnessed]
        problems = []
        if head is None and known:
            problems.append("The register's head is gone, so entries at its end may be missing.")
        elif head == _DAMAGED_NOTE:
            problems.append("The register's head is damaged, so entries at its end may be missing.")
        elif head == _FOREIGN_NOTE:
            problems.append("The register's head was changed by something else than this program.")
        if witness is None and witnessed:
            problems.append("The witness of the register is gone, so entries at its end may be missing.")
        elif witness == _DAMAGED_NOTE:
            problems.append("The witness of the register is damaged, so entries at its end may be missing.")
        elif witness == _FOREIGN_NOTE:
            problems.append("The witness of the register does not fit its key: one of them was exchanged.")
        faults += [say(text, evidence=str(known)) for text in problems]
        highest = known
        for note, written, what in (
            (head, hashes, say("The register's head")),
            (witness, witnessed, say("The witness of the register")),
        ):
            if note is None or note[0] < 0:
                continue
            number, digest = note
            if hashes.get(number, digest) != digest:
                faults.append(
                    say("Entry {number} of the register is not the one that was made.", number=number, evidence=digest)
                )
            elif sum(each > number for each in written) > 1:  # a crash leaves it one behind
                told = say(
                    "{what} is older than its entries: it was put back.", what=what, evidence=f"{number} {known}"
                )
                faults.append(told)
            highest = max(highest, number)
        if highest > known:
            faults.append(_gone(known + 1, highest))
        return highest

    def _witness(self) -> Path:
        folder, beside = self.folder.absolute(), witness_folder().absolute()
        # Within the data folder by its place there: colleagues may know a share by different letters.
        place = folder.relative_to(beside.parent) if folder.is_relative_to(beside.parent) else folder
        name = hashlib.sha256(str(place).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return beside / f"register-{name}.json"

    def _write_line(self, line: bytes, size: int) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(handle, size)  # cuts a torn end off, if there is one
            os.lseek(handle, size, os.SEEK_SET)
            try:
                while line:
                    line = line[os.write(handle, line) :]
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)

    def _write_head(self, number: int, digest: str, key: bytes) -> None:
        note = json.dumps({"entries": number, "hash": digest, "seal": _seal(key, f"{number}:{digest}")}).encode("utf-8")
        for path in (self._witness(), self._head):  # so that a head never comes without a witness
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._replace(path, note)

    def _put_back(self, before: Mapping[Path, bytes | None]) -> None:
        """Give head and witness their earlier content, where they have another. Raises OSError."""
        for path, raw in before.items():
            if raw is None:
                path.unlink(missing_ok=True)
            elif _bytes_of(path) != raw:
                self._replace(path, raw)

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


@dataclass(frozen=True)
class _FoundBook:
    """What an append builds on.

    Attributes
    ----------
    reading : the register. size : bytes of whole lines. last : hash of the last line.
    known : the highest number that was ever given.
    entered : marks of the faults that are entered.
    """

    reading: Reading
    size: int
    last: str
    known: int
    entered: frozenset[str]

    @property
    def faults(self) -> tuple[str, ...]:
        return self.reading.faults


_DAMAGED_NOTE, _FOREIGN_NOTE = (-1, ""), (-2, "")


def _bytes_of(path: Path) -> bytes | None:
    """Return a small file's bytes, None where there is none. Raises OSError; RegisterFault."""
    try:
        return read_file(path)
    except FileNotFoundError:
        return None


def _note(path: Path, key: bytes) -> tuple[int, str] | None:
    """Return number and hash of the last entry as head or witness has it; None where there is none."""
    try:
        data = from_json(read_file(path).decode("utf-8"))
        known, digest = int(data["entries"]), str(data["hash"])
        sound = hmac.compare_digest(str(data["seal"]).encode("utf-8"), _seal(key, f"{known}:{digest}").encode("ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return _DAMAGED_NOTE
    return (known, digest) if sound else _FOREIGN_NOTE


def read_file(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises OSError; RegisterFault for a pipe or device in its place."""
    handle = os.open(path, os.O_RDONLY | _AT_ONCE | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
            raise RegisterFault(
                "“{path}” is not a file of the register of releases; move it away and restore a backup.", path=path
            )
        return file.read()


def _gone(first: int, last: int) -> Said:
    if first == last:
        return say("Entry {number} of the register is gone.", number=first)
    return say("Entries {first} to {last} of the register are gone.", first=first, last=last)


def _before(time: str, other: str) -> bool:
    """Return whether a moment lies before another by more than clocks are put right by."""
    if not other:
        return False
    try:
        return (datetime.fromisoformat(other) - datetime.fromisoformat(time)).total_seconds() > _CLOCK
    except (ValueError, TypeError):
        return True


def _mark(fault: str) -> str:
    """Return what tells a fault from others of the same wording: an entry may be changed, or a head removed, again."""
    evidence = str(fault.values.get("evidence", "")) if isinstance(fault, Said) else ""
    return hashlib.sha256(f"{str.__str__(fault)} {evidence}".encode("utf-8", "surrogatepass")).hexdigest()


def _as_data(fault: str) -> Any:
    """Return a fault's sentence as plain data from which `_as_fault` makes it again, in any language."""
    if not isinstance(fault, Said):
        return str.__str__(fault)
    return {
        "say": fault.template,
        **{name: _as_data(x) if isinstance(x, str) else x for name, x in fault.values.items()},
    }


def _as_fault(data: Any) -> Said:
    if not isinstance(data, dict):
        return Said(str(data), {})
    values = {name: _as_fault(x) if isinstance(x, dict) else x for name, x in data.items() if name != "say"}
    return say(str(data["say"]), **values)


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8")


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _seal(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("ascii", "replace"), hashlib.sha256).hexdigest()


# What was made of lines already, by a digest of all that it depends on: every page, gate and publish reads the register
# from its beginning, and what hundreds of entries leave in pieces each time is memory that never comes back.
_FOUND: dict[bytes, tuple[Entry | None, str | None, str]] = {}
_MOST_FOUND = 2_000


def _remembered_entry(line: bytes, last: str, key: bytes) -> tuple[Entry | None, str | None, str]:
    mark = hashlib.sha256(b"\n".join((key.hex().encode(), last.encode(), line))).digest()
    found = _FOUND.get(mark)
    if found is None:
        if len(_FOUND) >= _MOST_FOUND:
            _FOUND.clear()
        found = _FOUND[mark] = _entry(line, last, key)
    return found


def _entry(line: bytes, last: str, key: bytes) -> tuple[Entry | None, str | None, str]:
    """Return the entry, what is wrong with it, and the hash that the next one builds on."""
    try:
        data = from_json(line.decode("utf-8"))
        as_written = line == _line(data)  # a name that stands twice is read once
        stated, seal = str(data.pop("hash")), str(data.pop("seal"))
        entry = Entry(
            int(data["number"]),
            str(data["time"]),
            str(data["kind"]),
            str(data["release"]),
            MappingProxyType(_body(data["body"])),
            stated,
            data.get("witnessed") is True,
        )
        sealed = (
            as_written
            and _digest(data) == stated
            and hmac.compare_digest(seal.encode("utf-8"), _seal(key, stated).encode("ascii"))
        )
        previous = data["previous"]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None, "is not readable", hashlib.sha256(line).hexdigest()
    if not sealed:
        return entry, _CHANGED, stated
    if previous != last:
        return entry, "does not follow from the one before: an entry was removed, inserted or changed", stated
    return entry, None, stated


# What readers of an entry rely on; a line that is otherwise is not readable.
_SHAPES: Mapping[str, type | tuple[type, ...]] = {
    "draws": dict, "gammas": dict, "groupings": dict,
    "recipe": dict, "source": dict, "guarantees": dict, "accepted": dict,
    "outputs": list, "warned": list, "earlier": list, "faults": list,
}  # fmt: skip


def _body(body: Any) -> dict[str, Any]:
    for name, shape in _SHAPES.items():
        if name in body and not isinstance(body[name], shape):
            raise TypeError(name)
    if not all(isinstance(output, dict) for output in body.get("outputs", ())):
        raise TypeError("outputs")
    found: dict[str, Any] = _shared(body)
    return found


def _shared(data: Any) -> Any:
    """Return plain data whose texts are shared with equal ones: entries repeat names, hashes and ids of others."""
    if isinstance(data, dict):
        return {sys.intern(name): _shared(each) for name, each in data.items()}
    if isinstance(data, list):
        return [_shared(each) for each in data]
    return sys.intern(data) if isinstance(data, str) else data
