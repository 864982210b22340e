"""Each call by which a table larger than memory is kept on disk failing once: a release or one sentence, no partial."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.core.errors import SpluError
from splu_desktop.files.disk import storage
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.storage import LEAST, DiskFull, OnDisk
from splu_desktop.files.importer import read, reader
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.verify import verify_release
from tests.files.releases import plan_of

CALLS = ("file", "room", "map")


@contextmanager
def failing(number: int | None) -> Iterator[list[str]]:
    """Let the call with this number fail; None lets none fail. Gives the calls so far."""
    seen: list[str] = []

    def wrapped(name: str, real: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            seen.append(name)
            if len(seen) - 1 == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **more)

        return call

    room = "posix_fallocate" if hasattr(os, "posix_fallocate") else "ftruncate"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage.tempfile, "TemporaryFile", wrapped("file", tempfile.TemporaryFile))
        patch.setattr(os, room, wrapped("room", getattr(os, room)))
        patch.setattr(storage, "_Slab", wrapped("map", storage._Slab))
        yield seen


def _published(folder: Path, number: int | None) -> tuple[list[str], str]:
    folder.mkdir()
    source, register = folder / "t.csv", Register(folder / "register")
    body = "".join(f"{20 + k % 50},{'ABCD'[k * 7 % 4]},illness {k * 31 % 9}\n" for k in range(600))
    source.write_text("age,ward,illness\n" + body)
    said = ""
    with failing(number) as calls:
        try:
            imported = read(source, most=LEAST)
            plan = plan_of(imported.table, 3)
            publish(
                Order(imported.table, plan, folder / "r", source=source, storage=imported.storage),
                strict=False,
                register=register,
            )
        except DiskFull as fault:
            said = str(fault)
        except SpluError as fault:
            raise AssertionError(f"not told as a full disk: {fault}") from fault
    assert not list(folder.rglob(f"*{MARK}*"))
    reading = register.read()
    assert reading.faults == ()
    assert len(reading.releases) == (folder / "r").exists() == (not said)
    if not said:
        assert all(check.passed for check in verify_release(folder / "r", register=register))
    return calls, said


def test_each_call_of_the_storage_failing_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_storage", lambda *_: OnDisk(LEAST))
    monkeypatch.setattr(OnDisk, "records", 100)
    monkeypatch.setattr(storage, "_SLAB", 1 << 12)  # bytes, so that a small table takes several files
    seen, said = _published(tmp_path / "sound", None)
    assert not said
    assert set(seen) == set(CALLS)
    for number in range(len(seen)):
        _, said = _published(tmp_path / f"fails-{number}", number)
        assert "no space left" in said.lower()
        assert said.endswith(".")
