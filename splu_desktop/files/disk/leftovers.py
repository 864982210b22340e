"""Unfinished work on disk: who owns it, and how what a killed run left behind is cleared away.

Work grows in a folder of its own, `.splu-partial-…`, beside its destination, which nobody but its owner may enter and
no reader takes for a release. A lock file of the same name with `.lock` behind it is there first, gone last and held
in between, by a lock that the system itself drops when the process dies. Whatever bears the mark and nobody holds is
therefore a dead run's, and is removed the next time anything is written to that folder, or when the program starts (a
note in the data folder tells where to look).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from splu_desktop.core.resources import data_folder

if TYPE_CHECKING:
    from filelock import FileLock

MARK = ".splu-partial-"
_LOCK = ".lock"
_NOTES = "unfinished"
_WORK = "whole"  # within the private folder
_TRIES = 3  # a virus scanner holds a file for a moment; a disk may fail once


@contextlib.contextmanager
def partial_beside(target: Path) -> Iterator[Path]:
    """Give a free path, in a private folder beside `target`, that is this process's own until the block ends.

    The folder and what is left in it are then gone. Raises OSError where the folder can't be written. Dead runs'
    leftovers in the same place are removed first.
    """
    clear_leftovers(target.parent)
    token = secrets.token_hex(6)
    path = target.with_name(f"{MARK}{token}")
    lock_path = path.with_name(path.name + _LOCK)
    with _note(target.parent, token):
        lock = _lock_at(lock_path)
        try:  # twice: a signal that comes while the first clears up is followed by no other (cli/base/endings.py)
            try:
                lock.acquire(timeout=30)  # a TimeoutError is an OSError
                if os.name == "nt":  # where a private folder's rights would cling to what leaves it
                    path.mkdir()
                else:
                    path.mkdir(mode=0o700)
                yield path / _WORK
            finally:
                _end(path, lock, lock_path)
        finally:
            _end(path, lock, lock_path)


def _lock_at(lock_path: Path) -> FileLock:
    from filelock import FileLock  # an eighth of the start of a count, which writes nothing

    return FileLock(lock_path, thread_local=False)


def _seize(lock_path: Path) -> FileLock | None:
    """Return the lock of a dead run, held; None of a living one, or on a file system without locks."""
    lock = _lock_at(lock_path)
    try:
        lock.acquire(timeout=0)
    except (OSError, NotImplementedError):
        return None
    return lock


def _end(path: Path, lock: FileLock | None, lock_path: Path) -> bool:
    """Remove work and its lock, and return whether it is gone; of a living run, better a leftover than its end."""
    if lock is None or not lock.is_locked:
        return False
    gone = remove(path)
    _drop(lock, lock_path)
    return gone


def is_unfinished(path: Path) -> bool:
    """Return whether a path lies in work that no run has finished; such a release is none."""
    return any(part.startswith(MARK) for part in path.absolute().parts)


def clear_leftovers(folder: Path) -> int:
    """Remove what dead runs left in `folder`; returns how many pieces. Living runs' work and other files stay."""
    removed = 0
    try:
        leftovers = [entry for entry in folder.iterdir() if entry.name.startswith(MARK)]
    except OSError:
        return 0
    locks = {entry.name for entry in leftovers if entry.name.endswith(_LOCK)}
    for entry in leftovers:
        if entry.name in locks:
            work = entry.with_name(entry.name.removesuffix(_LOCK))
            removed += _end(work, _seize(entry), entry)
        elif entry.name + _LOCK not in locks and not entry.with_name(entry.name + _LOCK).exists():
            removed += remove(entry)  # the lock file comes first and goes last: without it nobody works here
    return removed


def clear_all_leftovers() -> int:
    """Remove what dead runs left anywhere this user's runs were noted to work; returns how many pieces."""
    removed = 0
    with contextlib.suppress(OSError):
        for note in list((data_folder() / _NOTES).iterdir()):
            with contextlib.suppress(OSError):
                folder = Path(os.fsdecode(note.read_bytes()))
                removed += clear_leftovers(folder)
                if not folder.is_dir() or not any(note.name in entry.name for entry in folder.iterdir()):
                    note.unlink()
    return removed


def remove(path: Path) -> bool:
    """Remove a file or folder; returns whether anything was there and is gone."""
    if not os.path.lexists(path):
        return False
    for _ in range(_TRIES):
        with contextlib.suppress(OSError):  # which `rmtree` raises on a failed close even where it ignores errors
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        if not os.path.lexists(path):
            return True
    return False


def _drop(lock: FileLock, lock_path: Path) -> None:
    """Release a lock and remove its file: removed while still held where the system allows, so that nobody slips in."""
    with contextlib.suppress(OSError):
        lock_path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        lock.release()
    remove(lock_path)


@contextlib.contextmanager
def _note(folder: Path, token: str) -> Iterator[None]:
    """Note for the next start that work goes on in `folder`; without a writable data folder only the note is lost."""
    note = data_folder() / _NOTES / token
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        note.write_bytes(os.fsencode(folder.resolve()))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            note.unlink(missing_ok=True)


def is_dead(path: Path, target: Path | None = None) -> bool:
    """Return whether unfinished work is there at `path` and its run is not alive any more.

    A run that ended between the rename and the removal of its emptied folder has done its work: `target` is there then.
    """
    if target is not None and not os.path.lexists(path / _WORK) and os.path.lexists(target):
        return False
    lock = _seize(path.with_name(path.name + _LOCK)) if os.path.lexists(path) else None
    if lock is not None:
        lock.release()
    return lock is not None


def free_space(folder: Path) -> int | None:
    """Return the free bytes at a folder, None where the system does not say."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
