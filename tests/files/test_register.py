"""The register of releases: append-only, chained, sealed, and whole whatever happens to the process that writes it."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import multiprocessing
import os
import shutil
import stat
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from splu_desktop.files.disk.place import witness_folder
from splu_desktop.files.register.book import (
    ACKNOWLEDGED,
    RELEASE,
    SKETCHES,
    WITHDRAWN,
    NothingToAcknowledge,
    Register,
    RegisterFault,
)


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


@pytest.mark.parametrize("failing", [0, 1])
def test_an_entry_whose_head_or_witness_can_not_be_written_is_none(
    register: Register, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """A head that lagged behind its entries would read as sound when one of them is cut away later."""
    real, calls = Register._replace, []

    def replace(self: Register, path: Path, raw: bytes) -> None:
        calls.append(path)
        if len(calls) - 1 == failing:
            raise OSError(28, "No space left on device")
        real(self, path, raw)

    with monkeypatch.context() as patch:
        patch.setattr(Register, "_replace", replace)
        with pytest.raises(RegisterFault, match="no space left"):
            register.append(RELEASE, "id6", {})
    reading = register.read()
    assert [entry.number for entry in reading.entries] == [1, 2, 3, 4, 5]
    assert reading.faults == ()
    assert register.append(RELEASE, "id6", {}).number == 6
    assert register.read().faults == ()


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
    from splu_desktop.files.register.book import _digest

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
    assert register.read().faults == ("Entries 4 to 5 of the register are gone.",)


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


def test_the_head_and_the_witness_of_a_single_entry_are_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path))
    register = Register()

    def crash(self: Register, number: int, digest: str, key: bytes) -> None:
        if number:
            raise KeyboardInterrupt  # the line is there, and nothing tells of it yet
        written(self, number, digest, key)

    written = Register._write_head
    with monkeypatch.context() as patch:
        patch.setattr(Register, "_write_head", crash)
        with pytest.raises(KeyboardInterrupt):
            add(register)
    assert len(register.read().entries) == 1
    assert register.read().faults == (), "what a crash leaves is no damage"
    shutil.rmtree(tmp_path)
    add(register)
    head = register.folder / "head.json"
    kept = head.read_bytes()
    head.unlink()
    (fault,) = register.read().faults
    assert "head is gone" in fault
    head.write_bytes(kept)
    assert register.read().faults == ()
    delete_witness(register)
    (fault,) = register.read().faults
    assert "witness of the register is gone" in fault


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


def test_crashes_in_a_row_are_no_damage(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each between entry and head: two of them left the head two behind, which was said to be put back."""

    class Crash(BaseException):
        pass

    write, tried = Register._write_head, set()

    def crash(self: Register, number: int, digest: str, key: bytes) -> None:
        if number not in tried:
            tried.add(number)
            raise Crash
        write(self, number, digest, key)

    monkeypatch.setattr(Register, "_write_head", crash)
    for at in range(6, 10):
        with pytest.raises(Crash):
            register.append(RELEASE, f"id{at}", {})
        assert register.read().faults == ()
    assert len(register.read().entries) == 9
    monkeypatch.undo()
    head = (register.folder / "head.json").read_bytes()
    for at in range(10, 13):
        register.append(RELEASE, f"id{at}", {})
    (register.folder / "head.json").write_bytes(head)
    assert any("put back" in fault for fault in register.read().faults)


def test_a_full_disk_leaves_the_register_as_it_was(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lines_of(register)
    real, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) == 1:
            return real(handle, data[:30])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(RegisterFault, match="no space left"):
            register.append(RELEASE, "id6", {})
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


def add(register: Register, name: str = "next") -> None:
    register.append(RELEASE, name, {})


def cut(register: Register) -> None:
    rewrite(register, lines_of(register)[:3])


def delete_both(register: Register) -> None:
    for name in ("register.jsonl", "head.json"):
        (register.folder / name).unlink()


def delete_folder(register: Register) -> None:
    shutil.rmtree(register.folder)


def restore_old_pair(register: Register) -> None:
    kept = {name: (register.folder / name).read_bytes() for name in ("register.jsonl", "head.json")}
    add(register, "id6")
    for name, raw in kept.items():
        (register.folder / name).write_bytes(raw)


def delete_head(register: Register) -> None:
    (register.folder / "head.json").unlink()


def change_one(register: Register) -> None:
    rewrite(register, [line.replace(b"purpose 3", b"purpose 9") for line in lines_of(register)])


def exchange_key(register: Register) -> None:
    (register.folder / "key").write_text("ab" * 32)


def delete_witness(register: Register) -> None:
    shutil.rmtree(witness_folder())


def restore_old_pair_without_witness(register: Register) -> None:
    restore_old_pair(register)
    delete_witness(register)


def put_back(register: Register, path: Path) -> None:
    raw = path.read_bytes()
    add(register, "id6")
    add(register, "id7")
    path.write_bytes(raw)


def restore_old_head(register: Register) -> None:
    put_back(register, register.folder / "head.json")


def restore_old_witness(register: Register) -> None:
    put_back(register, next(witness_folder().iterdir()))


def state_a_name_twice(register: Register) -> None:
    """Who looks into the file with another program reads the first, this one the last."""
    kind = b'"kind": "release"'
    rewrite(register, [line.replace(kind, b'"kind": "withdrawn", ' + kind) for line in lines_of(register)])


DAMAGES = [cut, delete_both, delete_folder, restore_old_pair, delete_head, change_one, exchange_key]
DAMAGES += [delete_witness, restore_old_pair_without_witness, restore_old_head, restore_old_witness, state_a_name_twice]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_stays_known_until_somebody_acknowledges_it_in_words(
    register: Register, damage: Callable[[Register], None]
) -> None:
    damage(register)
    first = Register(register.folder).read().faults
    assert first
    for number in range(3):
        add(register, f"later{number}")
        assert set(first) <= set(Register(register.folder).read().faults)
    for who, why in (("", "restored"), ("A. Müller", "  ")):
        with pytest.raises(NothingToAcknowledge):
            register.acknowledge(who, why)
    register.acknowledge("A. Müller", "restored from the backup of Monday")
    reading = register.read()
    assert reading.faults == ()
    assert set(first) <= set(reading.acknowledged)
    entry = next(entry for entry in reading.entries if entry.kind == ACKNOWLEDGED)
    assert (entry.body["who"], entry.body["why"]) == ("A. Müller", "restored from the backup of Monday")
    add(register)
    assert register.read().faults == ()
    with pytest.raises(NothingToAcknowledge, match="sound"):
        register.acknowledge("A. Müller", "again")


@pytest.mark.parametrize("damage", [cut, delete_both, restore_old_pair, delete_head, change_one])
def test_the_same_damage_done_again_is_new(register: Register, damage: Callable[[Register], None]) -> None:
    damage(register)
    register.acknowledge("A. Müller", "known")
    for number in range(4):
        register.append(RELEASE, f"more{number}", {"purpose": "purpose 3"})
    assert register.read().faults == ()
    damage(register)
    assert register.read().faults


def test_fingerprints_put_back_leave_their_loss_known(register: Register) -> None:
    digest = hashlib.sha256(b"rows").hexdigest()
    register.keep(SKETCHES, f"{digest}.bin", b"rows")
    add_with = {"source": {"rows": {"sha256": digest}}}
    register.append(RELEASE, "id6", add_with)
    shutil.rmtree(register.folder / SKETCHES)
    (lost,) = register.read().faults
    register.keep(SKETCHES, f"{digest}.bin", b"rows")  # as the next release of the same source does
    register.append(RELEASE, "id7", add_with)
    assert register.read().faults == (lost,)


def test_a_register_of_the_first_version_needs_no_witness(register: Register) -> None:
    key, lines, last = register.key(), [], "0" * 64
    for line in lines_of(register):  # as that version wrote them, after a downgrade as well
        data = {name: value for name, value in json.loads(line).items() if name not in ("witnessed", "hash", "seal")}
        data["previous"] = last
        last = hashlib.sha256(
            json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        ).hexdigest()
        data |= {"hash": last, "seal": hmac.new(key, last.encode(), hashlib.sha256).hexdigest()}
        lines.append(json.dumps(data, ensure_ascii=False).encode() + b"\n")
    rewrite(register, lines)
    seal = hmac.new(key, f"5:{last}".encode(), hashlib.sha256).hexdigest()
    (register.folder / "head.json").write_text(json.dumps({"entries": 5, "hash": last, "seal": seal}))
    delete_witness(register)
    assert register.read().faults == ()
    add(register)
    add(register)
    assert register.read().faults == ()
    delete_witness(register)
    assert register.read().faults


def test_a_data_folder_is_the_same_under_another_letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "S"))
    add(Register(tmp_path / "S" / "register"))
    add(Register(tmp_path / "S" / "register"))
    (tmp_path / "S").rename(tmp_path / "T")
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "T"))
    moved = Register(tmp_path / "T" / "register")
    assert moved.read().faults == ()
    delete_witness(moved)
    assert moved.read().faults


def test_the_head_never_goes_back(register: Register) -> None:
    highest = 5
    for damage in (cut, restore_old_pair, delete_both):
        damage(register)
        add(register)
        head = json.loads((register.folder / "head.json").read_text())["entries"]
        assert head > highest
        highest = head


def test_an_entry_dated_before_the_one_before_it_is_named(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    class Yesterday(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Yesterday:
            return cls.fromtimestamp(time.time() - 86_400, tz)

    with monkeypatch.context() as patch:
        patch.setattr("splu_desktop.files.register.book.datetime", Yesterday)
        add(register)
    add(register)
    assert register.read().faults == ("Entry 6 of the register is dated before the one before it.",)


@pytest.mark.parametrize(
    "line",
    [
        b'{"number": 1e999, "time": "x", "kind": "release", "release": "a", "body": {}, "hash": "", "seal": ""}',
        b'{"number": 1, "time": "x", "kind": "release", "release": "\\ud800", "body": {}, "hash": "", "seal": ""}',
        b'{"number": 1, "time": "x", "kind": "release", "release": "", "body": {}, "hash": "\\ud800", "seal": "x"}',
        b'{"number": NaN, "time": "x", "kind": "release", "release": "a", "body": {}, "hash": "", "seal": ""}',
        b'{"number": 7, "time": 5, "kind": [], "release": {}, "body": {"gammas": []}, "hash": 1, "seal": null}',
        b"[" * 100_000,
        b"null",
        b"\xff\xfe",
    ],
)
def test_hostile_lines_are_told_and_outlived(register: Register, line: bytes) -> None:
    rewrite(register, [*lines_of(register), line + b"\n"])
    assert any("Entry 6" in fault for fault in register.read().faults)
    add(register)
    assert register.read().entries[-1].release == "next"
    for name in ("head.json",):
        for raw in (
            b'{"entries": 1e999, "hash": "", "seal": ""}',
            b'{"entries": 5, "hash": "\\ud800", "seal": "\\ud800"}',
        ):
            (register.folder / name).write_bytes(raw)
            assert any("head" in fault for fault in register.read().faults)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX pipes")
@pytest.mark.parametrize("name", ["register.jsonl", "head.json", "key"])
def test_a_pipe_in_place_of_a_file_is_refused_in_one_sentence(register: Register, name: str) -> None:
    (register.folder / name).unlink()
    os.mkfifo(register.folder / name)
    for act in (register.read, register.check_writable, lambda: add(register)):
        with contextlib.suppress(RegisterFault):  # never anything else, and never a wait
            act()
    with pytest.raises(RegisterFault, match="not a file of the register"):
        register.read()


def test_who_holds_the_register_reads_and_adds_while_others_wait(register: Register) -> None:
    done: list[int] = []
    other = threading.Thread(target=lambda: (add(Register(register.folder), "other"), done.append(1)))
    with register.held():
        other.start()
        register.read()
        add(register, "mine")
        other.join(0.3)
        assert not done
    other.join(30)
    assert [entry.release for entry in register.read().entries][-2:] == ["mine", "other"]
