"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from splu_desktop.core.errors import FileFault
from splu_desktop.core.messages import say
from splu_desktop.files.disk.leftovers import partial_beside


class CannotWrite(FileFault):
    """The destination refuses: no room, no right, no such folder, or something is there already."""

    @classmethod
    def from_refusal(cls, target: Path, fault: OSError) -> CannotWrite:
        """Return the fault for a refusal of the system."""
        reason = (fault.strerror or "no reason given").lower()
        return cls(
            say(
                "“{target}” can't be written ({reason}); choose another folder or make room, nothing was left behind.",
                target=target,
                reason=reason,
            )
        )


# What file systems answer that know no sync of a folder: the rename itself is as durable there as they make it.
_NO_SUCH_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def _sync(path: Path) -> None:
    """Wait until the disk has a file or the names in a folder. Raises OSError where it says that it has not."""
    folder = path.is_dir()
    if folder and os.name == "nt":  # which opens no folder
        return
    handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError as fault:
        if not folder or fault.errno not in _NO_SUCH_SYNC:
            raise
    finally:
        os.close(handle)


# Windows takes these for devices, whatever the ending; a name that ends in a dot or space it changes.
_RESERVED = r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?"


def check_name(target: Path) -> None:
    """Raise CannotWrite where a name can't be used everywhere: a release is handed on, and opened on other systems."""
    name = target.name
    if re.fullmatch(_RESERVED, name) or name != name.rstrip(". ") or re.search(r'[<>:"|?*\\\x00-\x1f]', name):
        raise CannotWrite(
            "“{name}” can't be a name on Windows; choose one without <>:\"|?*\\, no dot or space at its end, "
            "no device like CON.",
            name=name,
        )


def check_new(target: Path, *, overwrite: bool = False) -> None:
    """Raise CannotWrite unless `target` can become a new file or folder, or may be replaced as a file.

    Asked early, so that no work is done in vain. Nothing is ever written into a release, which is handed on.
    """
    try:
        str(target).encode("utf-8")  # bytes that are no letters have no place in register or report
        if overwrite and target.is_dir():
            raise CannotWrite("“{target}” is a folder; give a file name.", target=target)
        if not overwrite and (target.exists() or target.is_symlink()):
            raise CannotWrite("“{target}” exists already; choose another name.", target=target)
        parent = target.parent
        if not parent.is_dir():
            words = "The folder “{parent}” does not exist; create it or choose another destination."
            raise CannotWrite(words, parent=parent)
        if (parent / "release.json").exists():
            raise CannotWrite("“{path}” would lie in a release; choose another folder.", path=target)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise CannotWrite("You may not write to the folder “{parent}”; choose another destination.", parent=parent)
    except OSError as fault:  # what the system says of an impossible path: too long, no letters
        raise CannotWrite.from_refusal(target, fault) from None
    except ValueError:
        raise CannotWrite("“{target}” is no path that this system knows; choose another.", target=target) from None


@contextlib.contextmanager
def whole_folder(target: Path, *, before: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """Give a temporary folder that becomes `target` when the block ends without an exception, as `whole_file` does."""
    with whole_file(target, before=before) as partial:
        partial.mkdir()
        yield partial


@contextlib.contextmanager
def whole_file(
    target: Path, *, overwrite: bool = False, before: Callable[[Path], None] | None = None
) -> Iterator[Path]:
    """Give a temporary file name that becomes `target` when the block ends without an exception.

    target : must not exist unless `overwrite` is set; its folder must.
    before : called with the temporary name when all is on disk, immediately before the rename; raising prevents it.

    Raises CannotWrite if `target` can't be new, or the system refuses, be it only to confirm that the disk has
    everything; what was made is removed whatever happens.
    """
    check_name(target)
    check_new(target, overwrite=overwrite)
    try:
        with partial_beside(target) as partial:
            yield partial
            if partial.is_dir():
                with ThreadPoolExecutor(thread_name_prefix="splu") as pool:  # the disk keeps several at once
                    list(pool.map(_sync, partial.iterdir()))
            _sync(partial)
            if before is not None:
                before(partial)
            if overwrite and target.exists():
                partial.replace(target)
                _confirm(target)
            else:
                check_new(target)  # another may have come meanwhile, and a rename would take its place
                _appear(partial, target)
    except OSError as fault:
        raise CannotWrite.from_refusal(target, fault) from None


def _appear(partial: Path, target: Path) -> None:
    """Give finished work its name, and take it away again unless the disk confirms that name."""
    try:
        partial.rename(target)
        _sync(target.parent)
    except BaseException:  # a signal as well: what was stopped is not there
        with contextlib.suppress(OSError):
            if not os.path.lexists(partial):
                target.rename(partial)
        raise


def _confirm(target: Path) -> None:
    """Raise CannotWrite where the disk does not confirm a file that took another's place: that one is gone already."""
    try:
        _sync(target.parent)
    except OSError as fault:
        reason = (fault.strerror or "no reason given").lower()
        raise CannotWrite(
            "“{target}” was written, but the disk does not confirm that it keeps it ({reason}); write it again, "
            "or to another disk.",
            target=target,
            reason=reason,
        ) from None
