"""Autosave and recovery: the choices of every running session, kept where a crash can't reach them.

Each session owns one project file in the program's data folder, beside a lock that the system drops when the process
ends, however it ends. A file that nobody's lock holds is a session that did not end well: it is offered for recovery.
Like every project file it holds choices, never data.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from splu_desktop.core.errors import FileFault
from splu_desktop.files.disk.place import recovery_folder
from splu_desktop.files.disk.plain_data import file_bytes, from_json
from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.files.project.file import LARGEST, BadProject, Project, as_dict, from_dict

_ENDING = ".splu-recovery"
_LOCK = ".lock"


@dataclass(frozen=True)
class Recovery:
    """Choices of a session that did not end well.

    Attributes
    ----------
    project : the choices as last kept.
    saved_at : when, in UTC.
    source : where the source lay.
    project_path : the project file that was open; None for none.
    """

    project: Project
    saved_at: datetime
    source: Path
    project_path: Path | None
    file: Path


class Autosave:
    """One session's recovery file. All methods may be called from a worker thread, one at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        """Start a session in `folder` (None: the program's data folder). Raises CannotWrite."""
        self._folder = folder or recovery_folder()
        self._file = self._folder / (secrets.token_hex(8) + _ENDING)
        self._lock = FileLock(self._file.with_name(self._file.name + _LOCK), thread_local=False)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock.acquire(timeout=5)
        except (OSError, Timeout):
            raise CannotWrite(
                "“{folder}” can't be written, so nothing is kept for recovery there.", folder=self._folder
            ) from None

    def keep(self, project: Project, source: Path, project_path: Path | None = None) -> None:
        """Keep the choices as they are now, in place of what was kept before. Raises CannotWrite."""
        data = {
            "saved_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "source": str(source.resolve()),
            "project_path": None if project_path is None else str(project_path.resolve()),
            "project": as_dict(project),
        }
        partial = self._file.with_suffix(".partial")
        try:
            with partial.open("w", encoding="utf-8") as file:
                partial.chmod(0o600)
                json.dump(data, file, allow_nan=False)  # ASCII: a path may hold what is no letter
            # Replaced as a whole: a process that dies in between leaves the older choices. The disk's cache is not
            # waited for, since it survives the process and recovery is about crashes of the program.
            partial.replace(self._file)
        except OSError as fault:
            reason = (fault.strerror or "the system gave no reason").lower()
            raise CannotWrite(
                "Your choices could not be kept for recovery ({reason}): save the project.", reason=reason
            ) from None

    def forget(self) -> None:
        """Remove what was kept: the project was saved or closed."""
        for file in (self._file, self._file.with_suffix(".partial")):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)

    def end(self) -> None:
        """End the session well: nothing is left to recover."""
        self.forget()
        _release(self._lock)


def recoveries(folder: Path | None = None) -> tuple[Recovery, ...]:
    """Return what sessions that did not end well have left, the latest first. Files that can't be read are removed."""
    found = []
    for file in _abandoned(folder or recovery_folder()):
        try:
            data = from_json(file_bytes(file, LARGEST), paths=True)
            at = data["project_path"]
            found.append(
                Recovery(
                    project=from_dict(data["project"], file),
                    saved_at=datetime.fromisoformat(data["saved_at"]),
                    source=Path(data["source"]),
                    project_path=None if at is None else Path(at),
                    file=file,
                )
            )
        except BadProject:
            continue  # of a newer version perhaps: left for it
        except (OSError, ValueError, KeyError, TypeError, FileFault):
            _remove(file)
    return tuple(sorted(found, key=lambda recovery: recovery.saved_at, reverse=True))


def discard(recovery: Recovery) -> None:
    """Remove a recovery file: its choices were taken over, or are not wanted."""
    _remove(recovery.file)


def _abandoned(folder: Path) -> list[Path]:
    try:
        files = [file for file in folder.iterdir() if file.name.endswith(_ENDING)]
    except OSError:
        return []
    found = []
    for file in files:
        lock = FileLock(file.with_name(file.name + _LOCK), thread_local=False)
        try:
            lock.acquire(timeout=0)
        except (Timeout, OSError, NotImplementedError):
            continue  # a session that lives
        _release(lock)
        found.append(file)
    return found


def _release(lock: FileLock) -> None:
    with contextlib.suppress(OSError):
        lock.release()
    with contextlib.suppress(OSError):
        Path(lock.lock_file).unlink(missing_ok=True)


def _remove(file: Path) -> None:
    for each in (file, file.with_suffix(".partial"), file.with_name(file.name + _LOCK)):
        with contextlib.suppress(OSError):
            each.unlink(missing_ok=True)
