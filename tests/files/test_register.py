"""The register of releases: append-only, chained, sealed, and whole whatever happens to the process that writes it."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import sys
from pathlib import Path

import pytest

from splu_desktop.files.register import RELEASE, WITHDRAWN, Register, RegisterFault


@pytest.fixture
def register(tmp_path: Path) -> Register:
    made = Register(tmp_path / "register")
    for number in range(1, 6):
        made.append(RELEASE, f"id{number}", {"purpose": f"purpose {number}"})
    return made


def lines_of(register: Register) -> list[bytes]:
    return (register.folder / "register.jsonl").read_bytes().splitlines(keepends=True)


def rewrite(register: Register, lines: list[bytes]) -> None:
    (register.folder / "register.jsonl").write_bytes(b"".join(lines))


def test_entries_come_back_in_order(register: Register) -> None:
    reading = register.read()
    assert [entry.number for entry in reading.entries] == [1, 2, 3, 4, 5]
    assert [entry.body["purpose"] for entry in reading.entries] == [f"purpose {n}" for n in range(1, 6)]
    assert reading.faults == ()


def test_an_empty_register_is_sound(tmp_path: Path) -> None:
    assert Register(tmp_path / "none").read().entries == ()
    assert not (tmp_path / "none").exists()


def test_withdrawn_releases_do_not_count(register: Register) -> None:
    register.append(WITHDRAWN, "id2", {})
    assert [entry.release for entry in register.read().releases] == ["id1", "id3", "id4", "id5"]


@pytest.mark.parametrize("at", range(5))
def test_a_changed_entry_is_named(register: Register, at: int) -> None:
    lines = lines_of(register)
    lines[at] = lines[at].replace(b"purpose", b"porpoise", 2)
    rewrite(register, lines)
    assert f"Entry {at + 1} of the register was changed" in register.read().faults[0]


def test_a_changed_entry_with_a_hash_of_its_own_is_named(register: Register) -> None:
    """Whoever knows the format but not the key can hash an entry anew, not seal it."""
    from splu_desktop.files.register import _digest

    lines = lines_of(register)
    data = json.loads(lines[2])
    seal = data.pop("seal")
    data.pop("hash")
    data["body"]["purpose"] = "another"
    lines[2] = json.dumps({**data, "hash": _digest(data), "seal": seal}).encode() + b"\n"
    rewrite(register, lines)
    assert "Entry 3" in register.read().faults[0]


@pytest.mark.parametrize("at", range(5))
def test_a_removed_entry_is_noticed(register: Register, at: int) -> None:
    lines = lines_of(register)
    del lines[at]
    rewrite(register, lines)
    assert register.read().faults


def test_a_removed_end_is_noticed(register: Register) -> None:
    rewrite(register, lines_of(register)[:3])
    assert register.read().faults == ("The last 2 entries of the register are gone.",)


def test_exchanged_and_doubled_entries_are_noticed(register: Register) -> None:
    lines = lines_of(register)
    rewrite(register, [lines[1], lines[0], *lines[2:]])
    assert register.read().faults
    rewrite(register, [*lines, lines[4]])
    assert register.read().faults


def test_a_missing_or_forged_head_is_noticed(register: Register) -> None:
    head = register.folder / "head.json"
    known = head.read_text()
    head.write_text(known.replace('"entries": 5', '"entries": 4'))
    assert "head" in register.read().faults[0]
    head.unlink()
    assert "head" in register.read().faults[0]


def test_a_damaged_register_still_takes_entries_and_keeps_naming_the_damage(register: Register) -> None:
    lines = lines_of(register)
    rewrite(register, [lines[0], b"\xff{nonsense\n", *lines[2:]])
    register.append(RELEASE, "id6", {})
    reading = register.read()
    assert reading.entries[-1].release == "id6"
    assert any("Entry 2" in fault for fault in reading.faults)
    assert not any("Entry 6" in fault for fault in reading.faults)


@pytest.mark.parametrize("cut", [1, 40, 10_000])
def test_a_torn_last_line_is_cut_away(register: Register, cut: int) -> None:
    """A crash in the middle of an append: the chain before it holds, and goes on."""
    whole = lines_of(register)
    torn = b'{"number": 6, "time": "2026-01-01T00:00:00+00:00", "kind": "release", "body": {}' + b" " * cut
    rewrite(register, [*whole, torn])
    reading = register.read()
    assert reading.faults == ()
    assert reading.torn == len(torn)
    register.append(RELEASE, "id6", {})
    assert lines_of(register)[:5] == whole
    assert [entry.release for entry in register.read().entries][-1] == "id6"
    assert register.read().faults == ()


def test_an_entry_that_outlived_its_head_counts(register: Register) -> None:
    """A crash between entry and head."""
    head = (register.folder / "head.json").read_bytes()
    register.append(RELEASE, "id6", {})
    (register.folder / "head.json").write_bytes(head)
    assert register.read().faults == ()
    assert len(register.read().entries) == 6
    register.append(RELEASE, "id7", {})
    assert register.read().faults == ()


def test_a_full_disk_leaves_the_register_as_it_was(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lines_of(register)
    real, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) == 1:
            return real(handle, data[:30])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RegisterFault, match="no space left"):
        register.append(RELEASE, "id6", {})
    monkeypatch.undo()
    assert lines_of(register) == before
    assert register.read().faults == ()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_only_the_owner_can_read_it(register: Register) -> None:
    assert stat.S_IMODE(register.folder.stat().st_mode) == 0o700
    for path in register.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_lost_key_is_told_and_a_damaged_one_refused(register: Register) -> None:
    (register.folder / "key").write_text("short")
    with pytest.raises(RegisterFault, match="key of the register"):
        register.append(RELEASE, "id6", {})
    (register.folder / "key").unlink()
    assert "key is gone" in register.read().faults[0]


def append_many(folder: str, name: str, count: int) -> None:
    register = Register(Path(folder))
    for number in range(count):
        register.append(RELEASE, f"{name}{number}", {})


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    folder = str(tmp_path / "register")
    processes = [context.Process(target=append_many, args=(folder, name, 15)) for name in ("a", "b")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    reading = Register(Path(folder)).read()
    assert reading.faults == ()
    assert sorted(entry.release for entry in reading.entries) == sorted(f"{x}{n}" for x in "ab" for n in range(15))
