"""Each write, rename and sync of a publish failing once: a release and its entry, or neither, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.core.checks import gate
from splu_desktop.core.errors import SpluError
from splu_desktop.core.groups import blocks
from splu_desktop.core.risk.giveaway import Giveaway
from splu_desktop.core.table import IN_MEMORY, Storage, Table
from splu_desktop.files.disk.partial import MARK
from splu_desktop.files.disk.storage import LEAST, OnDisk
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.verify import verify_release
from tests.end2end.failing_calls import Calls, failing
from tests.files.releases import awkward_table, plan_of

PASSWORD = "Seven old pears, not ripe"
# These leave no doubt: what they were to keep is not on the disk. Of the rest some only tidy up.
_MUST = ("fsync", "file.write", "rename")
_EACH = ("fsync", "rename")  # every single one of them
_TABLE = awkward_table(40)
pytestmark = pytest.mark.usefixtures("looked_at_once")


@pytest.fixture(scope="module")
def looked_at_once() -> Iterator[None]:
    """The gate looks once for columns that give others away: it is one table that is published again and again."""
    known, look = dict[tuple[str, ...], tuple[Giveaway, ...]](), gate.giveaways

    def giveaways(table: Table, names: tuple[str, ...], *given: Any) -> tuple[Giveaway, ...]:
        assert table is _TABLE
        if tuple(names) not in known:
            known[tuple(names)] = look(table, names, *given)
        return known[tuple(names)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "giveaways", giveaways)
        yield


def _publish(
    folder: Path,
    number: int | None,
    packed: bool,
    formats: tuple[str, ...] = ("csv", "xlsx"),
    storage: Storage = IN_MEMORY,
) -> tuple[Calls, bool]:
    """Publish with the call of that number failing; return all calls, and whether it was published."""
    folder.mkdir()
    register = Register(folder / "register")
    order = Order(
        _TABLE, plan_of(_TABLE, 3), folder / "r", formats=formats, packed=packed,
        password=PASSWORD if packed else None, storage=storage,
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
    return calls, not said


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """So small a table is drawn in blocks, too. Gives the numbers of those that are drawn."""
    drawn, members = set[int](), blocks.members

    def noted(*given: Any, **more: Any) -> Iterator[Any]:
        for number, at in enumerate(members(*given, **more)):
            drawn.add(number)
            yield at

    monkeypatch.setattr(blocks, "RECORDS", 15)
    monkeypatch.setattr(blocks, "_GROUPS", 4)
    monkeypatch.setattr(blocks, "members", noted)
    return drawn


def test_each_call_in_blocks_failing_once(tmp_path: Path, in_blocks: set[int], readers_here: None) -> None:
    _each_call(tmp_path, False, 0, 1, ("csv", "parquet"), OnDisk(LEAST))
    assert len(in_blocks) > 1


@pytest.mark.parametrize(
    ("packed", "start", "step", "form"),
    [(False, 0, 2, "xlsx"), (False, 1, 2, "xlsx"), (True, 2, 3, "xlsx"), (False, 1, 2, "parquet")],
)
def test_each_call_failing_once(
    tmp_path: Path, packed: bool, start: int, step: int, form: str, readers_here: None
) -> None:
    """A third of the ZIP's calls, for time; all of them: `step` 1."""
    _each_call(tmp_path, packed, start, step, ("csv", form), IN_MEMORY)


def _each_call(tmp_path: Path, packed: bool, start: int, step: int, formats: tuple[str, ...], storage: Storage) -> None:
    """Let each of the calls fail.

    What a publish writes is asked of the disk, not listed here: a file whose writes can't be made to fail is a fault.
    """
    sound, published = _publish(tmp_path / "sound", None, packed, formats, storage)
    assert published
    seen = sound.seen
    assert {"fsync", "write", "rename", "mkdir", "unlink", "file.write", "file.close"} <= set(seen)
    writes: dict[str, int] = {}
    for number, (call, name) in enumerate(zip(seen, sound.files, strict=True)):
        if call == "file.write":
            writes.setdefault(name, number)
    folder = tmp_path / "sound" / "r"
    written = {"whole"} if packed else {path.name for path in folder.iterdir()}
    assert written <= set(writes), f"no write of {written - set(writes)} is seen"
    numbers = {*range(start, len(seen), step), *(writes[name] for name in written if start != 1)}
    refused = _refused(tmp_path, sorted(numbers), packed, formats, storage)
    assert set(_MUST) & set(seen[start::step]) <= set(refused)
    assert len(refused) > len(seen[start::step]) / 2


def _refused(
    folder: Path, numbers: list[int], packed: bool, formats: tuple[str, ...], storage: Storage = IN_MEMORY
) -> list[str]:
    """Publish once with each of the calls failing; return those for which a release was refused."""
    refused = []
    for number in numbers:
        calls, published = _publish(folder / f"fails-{number}", number, packed, formats, storage)
        if not published:
            refused.append(calls.seen[number])
        elif number < len(calls.seen):  # threads: one run has a call more or less than another
            assert calls.seen[number] not in _EACH
    return refused
