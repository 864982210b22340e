"""Each write, rename and sync of a publish failing once: a release and its entry, or neither, and a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from splu_desktop.core.errors import SpluError
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.verify import verify_release
from tests.end2end.failing_calls import failing
from tests.files.releases import awkward_table, plan_of

PASSWORD = "Seven old pears, not ripe"
# These leave no doubt: what they were to keep is not on the disk. Of the rest some only tidy up.
_MUST = ("fsync", "file.write", "rename")
_EACH = ("fsync", "rename")  # every single one of them


def _publish(folder: Path, number: int | None, packed: bool) -> tuple[list[str], bool]:
    """Publish with the call of that number failing; return all calls, and whether it was published."""
    folder.mkdir()
    register, table = Register(folder / "register"), awkward_table(40)
    order = Order(
        table, plan_of(table, 3), folder / "r", formats=("csv", "xlsx"), packed=packed,
        password=PASSWORD if packed else None,
    )  # fmt: skip
    said = ""
    with failing(number) as calls:
        try:
            publish(order, strict=False, register=register)
        except SpluError as fault:
            said = str(fault)
    assert not list(folder.rglob(f"*{MARK}*"))
    reading = register.read()
    assert reading.faults == ()
    assert len(reading.releases) == (not said)
    assert order.target.exists() == (not said)
    assert said == "" or said.endswith(".")
    if not said:
        key = {"password": PASSWORD} if packed else {}
        assert all(check.passed for check in verify_release(order.target, register=register, **key))
    return calls.seen, not said


@pytest.mark.parametrize(("packed", "start", "step"), [(False, 0, 2), (False, 1, 2), (True, 2, 3)])
def test_each_call_failing_once(tmp_path: Path, packed: bool, start: int, step: int) -> None:
    """A third of the ZIP's calls, for time; all of them: `step` 1."""
    seen, published = _publish(tmp_path / "sound", None, packed)
    assert published
    assert {"fsync", "write", "rename", "mkdir", "unlink", "file.write", "file.close"} <= set(seen)
    refused = []
    for number in range(start, len(seen), step):
        calls, published = _publish(tmp_path / f"fails-{number}", number, packed)
        if not published:
            refused.append(calls[number])
        elif number < len(calls):  # threads: one run has a call more or less than another
            assert calls[number] not in _EACH
    assert set(_MUST) & set(seen[start::step]) <= set(refused)
    assert len(refused) > len(seen[start::step]) / 2
