"""What a release is read from: its folder, or a ZIP of it, encrypted or not. Nothing is unpacked to disk."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.disk.background import digest_begun
from splu_desktop.files.disk.digests import sha256_of
from splu_desktop.files.disk.leftovers import is_unfinished
from splu_desktop.files.disk.plain_data import check_ordinary
from splu_desktop.files.release.facts import FACTS_NAME, BadRelease, damage_fault

# What libraries raise besides their own faults where the bytes of a ZIP are not what they should be.
_DAMAGE = (EOFError, ValueError, LookupError, OverflowError, NotImplementedError, struct.error)
_BOMB = 200  # times its size that a ZIP may hold
_STORED = 0  # in the words of `zipfile`
INNER = "release.zip"  # all that an encrypted ZIP shows: the release is in it


class PasswordNeeded(BadRelease):
    """The release is encrypted and no password, or a wrong one, was given."""


class _Folder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> tuple[str, ...]:
        with _readable(self.path):
            return tuple(sorted(entry.name for entry in self.path.iterdir()))

    def size(self, name: str) -> int:
        with _readable(self.path / name):
            return (self.path / name).stat().st_size

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with _readable(self.path / name):
            check_ordinary(self.path / name)
            file = (self.path / name).open("rb")
        with file:
            yield file


class _Zip:
    def __init__(self, path: Path, password: str | None) -> None:
        import pyzipper  # a tenth of the start of a count, and most releases are folders

        self.path, self._faults = path, (pyzipper.BadZipFile, *_DAMAGE)
        try:
            with _readable(path):
                self._zip = pyzipper.AESZipFile(path)
        except self._faults:
            raise damage_fault(path) from None
        self._unlock(self._zip.infolist(), password)
        if [entry.filename for entry in self._zip.infolist()] == [INNER]:  # an encrypted one shows nothing else
            self._zip = self._inner(self._zip.infolist()[0])
        entries = [entry for entry in self._zip.infolist() if not entry.filename.endswith("/")]
        roots = [PurePosixPath(e.filename).parent for e in entries if PurePosixPath(e.filename).name == FACTS_NAME]
        if len(roots) > 1:
            raise BadRelease(_deeper(path, str(roots[0])))
        root = roots[0] if roots else None
        self._entries = {PurePosixPath(e.filename).name: e for e in entries if PurePosixPath(e.filename).parent == root}
        # By the sizes that the ZIP states; what unpacks to more than stated is refused where it is read.
        if sum(e.file_size for e in entries) > _BOMB * max(path.stat().st_size, 1 << 16):
            raise BadRelease("“{path}” would unpack to far more than a release holds; don't open it.", path=path)

    def _unlock(self, entries: list[Any], password: str | None) -> None:
        if any(entry.flag_bits & 1 for entry in entries):
            if password is None:
                raise PasswordNeeded("“{path}” is encrypted; give its password.", path=self.path)
            self._zip.setpassword(password.encode("utf-8"))

    def _inner(self, entry: Any) -> Any:
        """Return the ZIP within; it is kept in memory, where it needs no more than the outer one on disk."""
        self._entries = {INNER: entry}
        try:
            # Stored, it is no larger than the file around it; anything else was not packed by us and could be a bomb.
            if entry.compress_type != _STORED or entry.file_size > self.path.stat().st_size:
                raise ValueError(INNER)
            with self.open(INNER) as file:
                return type(self._zip)(io.BytesIO(file.read()))
        except self._faults:
            raise damage_fault(self.path) from None

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._entries))

    def size(self, name: str) -> int:
        return int(self._entries[name].file_size)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._zip.open(self._entries[name]) as file:
                yield file
        except (*self._faults, zlib.error, OSError):
            raise damage_fault(self.path / name) from None
        except RuntimeError:  # pyzipper's word for a password that does not fit
            words = "The password does not open “{path}”; check it and try again."
            raise PasswordNeeded(words, path=self.path) from None


Package = _Folder | _Zip
"""The files of a release by name: `names` of what is there, `size` once unpacked, and `open` for the bytes."""


def incomplete(path: Path, name: str) -> BadRelease:
    """Return the fault of a release that lacks a file."""
    return BadRelease(say("“{path}” lacks its file “{name}”; ask for the complete release.", path=path, name=name))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in a sentence what the system says where `path` can't be read. Raises BadRelease."""
    try:
        yield
    except OSError as fault:
        reason = say((fault.strerror or "no reason given").lower())
        raise BadRelease("“{path}” can't be read ({reason}); choose another file.", path=path, reason=reason) from None


def open_package(path: Path, password: str | None = None, *, finished: bool = True) -> Package:
    """Return the package at `path`: a folder, the release.json in it, or a ZIP. Raises BadRelease, PasswordNeeded.

    Unless `finished` is False, what a run that was killed has left is refused, be it complete: it is not registered.
    """
    with _readable(path):
        if finished and is_unfinished(path):
            words = "“{path}” is the unfinished work of a run that was stopped, no release; remove it."
            raise BadRelease(words, path=path)
        return _open(path, password)


def _open(path: Path, password: str | None) -> Package:
    if path.name == FACTS_NAME and path.is_file():
        path = path.parent
    if path.is_dir():
        package: Package = _Folder(path)
    elif path.is_file():
        with path.open("rb") as file:
            if file.read(2) != b"PK":  # a PDF or a table given by mistake
                raise BadRelease(_no_release(path))
        package = _Zip(path, password)
    else:
        raise BadRelease(_no_release(path))
    if FACTS_NAME not in package.names():
        raise BadRelease(_no_release(path))
    return package


def _no_release(path: Path) -> str:
    """Return the sentence about what holds no release.json: unpacked ZIPs often lie a folder deeper."""
    inside = sorted(entry.parent for entry in path.glob(f"*/{FACTS_NAME}"))
    if inside:
        return _deeper(path, inside[0].name)
    return say("“{path}” is no release; give the folder that holds {facts}, or a ZIP of it.", path=path,
               facts=FACTS_NAME)  # fmt: skip


def _deeper(path: Path, inside: str) -> str:
    return say("“{path}” is no release; give the folder in it, “{inside}”.", path=path, inside=inside)


def digest_of(package: Package, name: str, progress: Progress = SILENT) -> str:
    """Return the SHA-256 of a file, which need not fit into memory. Raises BadRelease; Cancelled."""
    with package.open(name) as file:
        if isinstance(package, _Folder) and (digest := digest_begun(package.path / name, progress)):
            return digest
        return sha256_of(file, package.size(name), progress)


def contents(package: Package, name: str, *, most: int) -> bytes:
    """Return a file's bytes. Raises BadRelease (absent, or longer than `most` bytes)."""
    if name not in package.names():
        raise incomplete(package.path, name)
    with package.open(name) as file:
        # Bytes as they come, and one more than stated: a ZIP may state less than it holds.
        raw: bytes = file.read(min(most, package.size(name)) + 1)
    if len(raw) > most:
        raise damage_fault(package.path / name)
    return raw
