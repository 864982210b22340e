"""What a release is read from: its folder, or a ZIP of it, encrypted or not. Nothing is unpacked to disk."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.files.release_facts import FACTS_NAME, BadRelease


class PasswordNeeded(BadRelease):
    """The release is encrypted and no password, or a wrong one, was given."""


class Package(Protocol):
    """The files of a release by name."""

    path: Path

    def names(self) -> tuple[str, ...]:
        """Names of the files that are there."""

    def size(self, name: str) -> int:
        """Size of a file in bytes, once unpacked."""

    def open(self, name: str) -> Any:
        """Give the file for reading bytes, as a context manager. Raises BadRelease."""


class _Folder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(entry.name for entry in self.path.iterdir()))

    def size(self, name: str) -> int:
        return (self.path / name).stat().st_size

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with (self.path / name).open("rb") as file:
                yield file
        except OSError as fault:
            reason = (fault.strerror or "no reason given").lower()
            raise BadRelease(f"“{self.path / name}” can't be read ({reason}).") from None


class _Zip:
    def __init__(self, path: Path, password: str | None) -> None:
        import pyzipper

        self.path = path
        try:
            self._zip = pyzipper.AESZipFile(path)
        except (pyzipper.BadZipFile, EOFError, ValueError):
            raise BadRelease(f"“{path}” is not a readable ZIP file; ask for the release again.") from None
        except OSError as fault:
            raise BadRelease(f"“{path}” can't be read ({(fault.strerror or 'no reason given').lower()}).") from None
        entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        root = next(
            (PurePosixPath(e.filename).parent for e in entries if PurePosixPath(e.filename).name == FACTS_NAME), None
        )
        self._entries = {PurePosixPath(e.filename).name: e for e in entries if PurePosixPath(e.filename).parent == root}
        if any(e.flag_bits & 1 for e in self._entries.values()):
            if password is None:
                raise PasswordNeeded(f"“{path}” is encrypted; give its password.")
            self._zip.setpassword(password.encode("utf-8"))

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._entries))

    def size(self, name: str) -> int:
        return int(self._entries[name].file_size)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        import zlib

        import pyzipper

        try:
            with self._zip.open(self._entries[name]) as file:
                yield file
        except RuntimeError:  # pyzipper's word for a password that does not fit
            raise PasswordNeeded(f"The password does not open “{self.path}”; check it and try again.") from None
        except (pyzipper.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise BadRelease(f"“{name}” in “{self.path}” is damaged; ask for the release again.") from None


def open_package(path: Path, password: str | None = None) -> Package:
    """Return the package at `path`: a folder, the release.json in it, or a ZIP. Raises BadRelease, PasswordNeeded."""
    if path.name == FACTS_NAME and path.is_file():
        path = path.parent
    if path.is_dir():
        found: Package = _Folder(path)
        where = f"“{path}” is not a release folder: it holds no {FACTS_NAME}."
    elif path.is_file():
        with path.open("rb") as file:
            if file.read(2) != b"PK":
                raise BadRelease(f"“{path}” is not a release; give the folder that holds {FACTS_NAME}, or a ZIP of it.")
        found = _Zip(path, password)
        where = f"“{path}” is not a release: it holds no {FACTS_NAME}."
    else:
        raise BadRelease(
            f"There is no release folder “{path}”; give the folder that holds {FACTS_NAME}, or a ZIP of it."
        )
    if FACTS_NAME not in found.names():
        raise BadRelease(where)
    return found


def contents(package: Package, name: str, *, most: int, progress: Progress | None = None) -> tuple[bytes, str]:
    """Return a file's bytes and their SHA-256. Raises BadRelease (absent, or longer than `most` bytes); Cancelled."""
    progress = progress or Silent()
    if name not in package.names():
        raise BadRelease(f"“{package.path}” lacks its file “{name}”; ask for the complete release.")
    digest, parts, seen = hashlib.sha256(), io.BytesIO(), 0
    with package.open(name) as file:
        while block := file.read(1 << 22):
            seen += len(block)
            if seen > most:
                raise BadRelease(
                    f"“{name}” in “{package.path}” is longer than {FACTS_NAME} says; ask for the release again."
                )
            digest.update(block)
            parts.write(block)
            progress.report("Checking the file", min(1.0, seen / max(most, 1)))
    return parts.getvalue(), digest.hexdigest()
