"""Each write, rename and sync of a publish failing once: a release and its entry, or neither, and a sentence."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from splu_desktop.core.checks import gate
from splu_desktop.core.errors import SpluError
from splu_desktop.core.risk.giveaway import Giveaway
from splu_desktop.core.table import Table
from splu_desktop.files.disk.partial import MARK
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
    folder: Path, number: int | None, packed: bool, formats: tuple[str, ...] = ("csv", "xlsx")
) -> tuple[Calls, bool]:
    """Publish with the call of that number failing; return all calls, and whether it was published."""
    folder.mkdir()
    register = Register(folder / "register")
    order = Order(
        _TABLE, plan_of(_TABLE, 3), folder / "r", formats=formats, packed=packed,
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
    return calls, not said


@pytest.mark.parametrize(("packed", "start", "step"), [(False, 0, 2), (False, 1, 2), (True, 2, 3)])
def test_each_call_failing_once(tmp_path: Path, packed: bool, start: int, step: int, readers_here: None) -> None:
    """A third of the ZIP's calls, for time; all of them: `step` 1.

    What a publish writes is asked of the disk, not listed here: a file whose writes can't be made to fail is a fault.
    """
    sound, published = _publish(tmp_path / "sound", None, packed)
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
    refused = _refused(tmp_path, sorted(numbers), packed)
    assert set(_MUST) & set(seen[start::step]) <= set(refused)
    assert len(refused) > len(seen[start::step]) / 2


def _refused(folder: Path, numbers: list[int], packed: bool, formats: tuple[str, ...] = ("csv", "xlsx")) -> list[str]:
    """Publish once with each of the calls failing; return those for which a release was refused."""
    refused = []
    for number in numbers:
        calls, published = _publish(folder / f"fails-{number}", number, packed, formats)
        if not published:
            refused.append(calls.seen[number])
        elif number < len(calls.seen):  # threads: one run has a call more or less than another
            assert calls.seen[number] not in _EACH
    return refused


def test_each_write_of_a_format_that_a_library_writes_failing_once(tmp_path: Path) -> None:
    """Parquet where pyarrow is installed, else XLSX again."""
    form = "parquet" if importlib.util.find_spec("pyarrow") else "xlsx"
    sound, published = _publish(tmp_path / "sound", None, False, ("csv", form))
    assert published
    writes = [
        number
        for number, (call, name) in enumerate(zip(sound.seen, sound.files, strict=True))
        if call == "file.write" and name == f"table.{form}"
    ]
    assert writes, f"no write of table.{form} is seen"
    some = writes if len(writes) < 5 else [writes[0], writes[len(writes) // 2], writes[-1]]
    assert len(_refused(tmp_path, some, False, ("csv", form))) == len(some)
