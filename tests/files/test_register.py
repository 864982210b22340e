"""The register recognises persons, not running numbers, and notices what was changed in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import verdict
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.publish.publishing import Options, Refused, publish
from splu_desktop.files.register import Entry, Register, RegisterFault, ledger
from splu_desktop.files.register.earlier import earlier_releases
from splu_desktop.files.register.marks import Marks, is_dense, is_serial, marks_of, may_share_rows, overlap
from tests.columns import column_of

KEY = b"k" * 32


def _clinic(seed: int, n: int = 400, *, numbers: np.ndarray | None = None, ids: list[str] | None = None) -> Table:
    rng = np.random.default_rng(seed)
    line = np.arange(1, n + 1) if numbers is None else numbers
    columns = [
        column_of("line", [str(i) for i in line], kind=Kind.INTEGER),
        column_of("sex", [("f", "m")[i] for i in rng.integers(0, 2, n)]),
        column_of("age", [f"{20 * i}s" for i in rng.integers(1, 5, n)]),
        column_of("dx", [f"illness {i}" for i in rng.integers(0, 10, n)]),
    ]
    if ids is not None:
        columns.append(column_of("pid", ids))
    return Table(tuple(columns))


def _marks(table: Table) -> Marks:
    return marks_of(table, [name for name in ("line", "pid") if name in table], KEY)


def test_a_key_is_seen_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither another release meanwhile nor a run that dies while the key is written leaves a register without one."""
    seen = list[bool]()

    def fails(handle: int) -> None:
        seen.append((tmp_path / "key").exists())
        raise OSError

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(RegisterFault):
        Register(tmp_path).key()
    assert seen == [False]
    monkeypatch.undo()
    assert Register(tmp_path).key() == Register(tmp_path).key()


def test_running_numbers_say_nothing_of_persons() -> None:
    """40 pairs of clinics with lines 1 to 400: none is taken for the other."""
    for seed in range(40):
        assert overlap(_marks(_clinic(seed)), _marks(_clinic(1_000 + seed))) == 0
    assert is_dense(_clinic(1)["line"])


def _numbered(seed: int, n: int = 400, *, first: int = 1, sexes: str = "fm", older: int = 0) -> Table:
    """Return a clinic whose persons are called "0001" and on; one seed is one clinic."""
    rng, people = np.random.default_rng(seed), slice(first - 1, first - 1 + n)
    sex, age = rng.integers(0, 2, 1_000)[people], rng.integers(18, 90, 1_000)[people] + older
    columns = (
        column_of("nr", [f"{i:04}" for i in range(first, first + n)]),
        column_of("sex", [sexes[i] for i in sex]),
        column_of("age", list(map(str, age)), kind=Kind.INTEGER),
        column_of("dx", [f"illness {i}" for i in np.random.default_rng(seed + older).integers(0, 10, n)]),
    )
    return Table(columns)


def _numbered_marks(table: Table, *traits: str) -> Marks:
    return marks_of(table, ["nr"], KEY, True, tuple((name, name) for name in traits))


@pytest.mark.parametrize("n", [60, 400, 1_000])
def test_numbers_written_as_texts_tell_persons_whose_sex_and_age_go_together(n: int) -> None:
    """Of 30 pairs of clinics none is taken for the other (by chance 1 in 10,000 is); the next year of one always is."""
    assert is_serial(_numbered(1)["nr"])
    for seed in range(30):
        mine = _numbered_marks(_numbered(seed, n), "sex", "age")
        assert overlap(mine, _numbered_marks(_numbered(1_000 + seed, n), "sex", "age")) == 0
        later = _numbered(seed, n - 20, first=21, sexes="WM", older=1)
        assert overlap(mine, _numbered_marks(later, "age", "sex")) == pytest.approx(1 - 20 / n, abs=0.06)


def test_numbers_written_as_texts_tell_persons_where_nothing_speaks_against_it() -> None:
    """Neither sex nor age stands in both, or too few persons are shared: better one question too many."""
    one, other = _numbered(1), _numbered(2)
    assert overlap(_numbered_marks(one, "sex"), _numbered_marks(other, "age")) == 1
    assert overlap(_numbered_marks(one, "sex"), _numbered_marks(_numbered(2, first=386), "sex")) > 0


def test_birthdays_and_namesakes_are_no_persons_in_common() -> None:
    """Of 36,500 days of birth two clinics share many, of names a third; more are no chance."""
    rng = np.random.default_rng(3)
    names = [f"Ada {a}{b}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz"]

    def marks(called: list[str]) -> Marks:
        days = np.datetime64("1930-01-01") + rng.integers(0, 36_500, 400)
        born = column_of("born", days.astype(str).tolist(), kind=Kind.DATE)
        return marks_of(Table((born, column_of("name", called))), ["born", "name"], KEY)

    mine = marks(names[:400])
    assert overlap(marks(names[266:666]), mine) == 0
    assert overlap(marks(names[50:450]), mine) == pytest.approx(350 / 400, abs=0.06)


def test_sparse_numbers_are_no_running_numbers() -> None:
    numbers = np.random.default_rng(1).choice(10**7, 400, replace=False)
    assert not is_dense(_clinic(1, numbers=numbers)["line"])


def test_the_same_table_is_recognised_in_any_order() -> None:
    table = _clinic(1)
    shuffled = table.take(np.random.default_rng(2).permutation(table.n))
    assert overlap(_marks(shuffled), _marks(table)) == 1


@pytest.mark.parametrize("common", [0, 40, 200, 400])
def test_common_persons_are_counted(common: int) -> None:
    mine = [f"P{i}" for i in range(400)]
    theirs = mine[:common] + [f"Q{i}" for i in range(400 - common)]
    found = overlap(_marks(_clinic(1, ids=mine)), _marks(_clinic(2, ids=theirs)))
    assert found == pytest.approx(common / 400, abs=0.06)


def test_many_persons_are_counted_by_a_sketch() -> None:
    n = 20_000
    mine, theirs = [f"P{i}" for i in range(n)], [f"P{i}" for i in range(n // 2, n + n // 2)]
    found = overlap(_marks(_clinic(1, n, ids=mine)), _marks(_clinic(2, n, ids=theirs)))
    assert found == pytest.approx(0.5, abs=0.12)  # five standard errors of 512 hashes


def test_rows_are_marked_where_they_may_tell() -> None:
    """Marks without rows overlap as those with rows do, wherever `may_share_rows` says that nothing comes of these."""
    people, needed = [f"P{7919 * i}" for i in range(400)], list[bool]()
    table, fewer = _clinic(1, ids=people), _clinic(3, 300, ids=people[:300])
    renamed = [Table((*each.columns[:-1], column_of("patient", people[: each.n]))) for each in (table, fewer)]
    for other in (table, fewer, *renamed, _clinic(1, 300), _clinic(2, 399)):
        theirs, own = _marks(other), ["line", "pid"]
        needed.append(may_share_rows(table, theirs))
        found = overlap(marks_of(table, own, KEY, needed[-1]), theirs)
        assert found == overlap(marks_of(table, own, KEY), theirs)
    assert needed == [True, True, True, False, False, False]


def test_marks_hold_no_values() -> None:
    marks = str(_marks(_clinic(1, ids=[f"Person {i}" for i in range(400)])))
    assert "illness" not in marks
    assert "Person" not in marks


def test_entries_follow_one_another(tmp_path: Path) -> None:
    register = Register(tmp_path / "register")
    for name in ("a", "b", "c"):
        register.add(name, {"rows": 1})
    register.withdraw("b", "not wanted")
    assert [entry.release for entry in register.releases()] == ["a", "c"]
    assert register.find("b") is None
    assert register.read().faults == ()


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("spoil", ["change", "remove", "break"])
def test_a_changed_register_is_told(tmp_path: Path, spoil: str, known: bool) -> None:
    """Also where the program has read it before, and no size or time of the file tells."""
    register = Register(tmp_path / "register")
    for name in ("a", "b", "c"):
        register.add(name, {"rows": 1})
    path = register.folder / "register.jsonl"
    if known:
        assert register.read().faults == ()
    before = path.stat()
    lines = path.read_bytes().splitlines(keepends=True)
    if spoil == "change":
        lines[1] = lines[1].replace(b'"rows": 1', b'"rows": 2')
    elif spoil == "remove":
        del lines[1]
    else:
        lines[1] = b"{\n"
    path.write_bytes(b"".join(lines))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(register.read().faults) >= 1
    register.add("d", {"rows": 1})
    assert [entry.release for entry in register.releases()][-1] == "d"
    assert len(register.read().faults) >= 1


def test_a_register_is_parsed_once_and_then_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, register = list[int](), Register(tmp_path / "register")
    inner = ledger._read_line

    def look(key: bytes, number: int, line: bytes, held: dict[bytes, Any]) -> tuple[Entry, str, str, bool]:
        read.append(number)
        return inner(key, number, line, held)

    monkeypatch.setattr(ledger, "_read_line", look)
    for name in ("a", "b", "c"):
        register.add(name, {"rows": 1})
        assert register.read().releases[-1].body == {"rows": 1}
        assert Register(tmp_path / "register").find(name) is not None
    assert read == [1, 2, 3]


def test_what_many_lines_say_is_held_once(tmp_path: Path) -> None:
    """A table that goes out again has the same marks and plan, and of 400 releases that were 22 MB of the window."""
    register = Register(tmp_path)
    marks, same = {"least": "0123456789abcdef" * 512}, {"roles": {"ward of the clinic": "sa"}, "gamma": 1}
    other = {**same, "gamma": 1.0}
    for name, plan in zip("bcd", (same, same, other), strict=True):
        register.add(name * 32, {"marks": marks, "plan": plan, "files": [{"name": "table.csv", "size": len(name)}]})
    one, again, third = (each.body for each in register.read().entries)
    assert one is again
    assert one["marks"] is third["marks"]
    assert one["plan"]["roles"] is third["plan"]["roles"]
    assert [type(each["plan"]["gamma"]) for each in (one, third)] == [int, float]


def test_half_a_line_of_a_dead_run_is_cut_off(tmp_path: Path) -> None:
    register = Register(tmp_path / "register")
    register.add("a", {})
    path = register.folder / "register.jsonl"
    path.write_bytes(path.read_bytes() + b'{"number": 2, "ti')
    register.add("b", {})
    assert [entry.release for entry in register.releases()] == ["a", "b"]
    assert register.read().faults == ()


@pytest.mark.parametrize("text", [b"\xff\xfe\x00noise", bytes(64), b'{"number": 9, "ti'], ids=repr)
@pytest.mark.parametrize("before", [0, 1])
def test_an_end_that_no_run_left_is_told(tmp_path: Path, before: int, text: bytes) -> None:
    """A register overwritten by anything without a line's end was called sound, and empty."""
    register = Register(tmp_path / "register")
    register.add("a", {})
    path = register.folder / "register.jsonl"
    path.write_bytes(path.read_bytes()[: None if before else 0] + text)
    for _ in range(2):
        found = register.read()
        assert len(found.entries) == before
        assert [str(each) for each in found.faults] == [
            f"Entry {before + 1} of the register of releases is not readable."
        ]


def test_a_register_out_of_reach_is_not_an_empty_one(tmp_path: Path) -> None:
    """A file in the data folder's place was “sound, entries: 0”, though nothing could be written there."""
    assert not Register(tmp_path / "none").read().entries
    (tmp_path / "file").touch()
    with pytest.raises(RegisterFault, match="can't be read or written"):
        Register(tmp_path / "file" / "register").read()


def test_a_key_that_is_none_gets_a_sentence(tmp_path: Path) -> None:
    register = Register(tmp_path / "register")
    register.add("a", {})
    (register.folder / "key").write_bytes(b"short")
    with pytest.raises(RegisterFault, match="register of releases"):
        register.read()


@pytest.mark.parametrize("role", [Role.IDENTIFIER, Role.DROPPED])
def test_persons_are_known_by_a_number_that_is_left_out_in_either_way(tmp_path: Path, role: Role) -> None:
    register, ids = Register(tmp_path / "register"), [f"P{7919 * i}" for i in range(400)]
    tables = [Table((*_clinic(n, n).columns, column_of("patient_id", ids[-n:]))) for n in (400, 300)]
    roles = {"line": Role.DROPPED, "sex": Role.NSA, "age": Role.DROPPED, "dx": Role.SA, "patient_id": role}
    plan = Plan(roles, (Block(("dx",), Lenders(5)),))
    publish(tables[0], plan, tmp_path / "r", register=register)
    (found,) = earlier_releases(register, tables[1], plan)
    assert found.persons == pytest.approx(400, abs=20)  # all of the 300, as a share of 400


def test_the_register_finds_sex_and_age_itself_to_tell_running_numbers_of_two_clinics_apart(tmp_path: Path) -> None:
    register = Register(tmp_path / "register")
    roles = {"nr": Role.IDENTIFIER, "sex": Role.NSA, "age": Role.DROPPED, "dx": Role.SA}
    plan = Plan(roles, (Block(("dx",), Lenders(5)),))
    publish(_numbered(1), plan, tmp_path / "r", register=register)
    assert not earlier_releases(register, _numbered(2), plan), "another clinic"
    assert len(earlier_releases(register, _numbered(1, older=1), plan)) == 1, "the same clinic a year later"


def test_a_damaged_register_asks_for_a_decision(tmp_path: Path) -> None:
    """What it can't say, whoever judges; who accepts it publishes a release that counts none before it."""
    register, table = Register(tmp_path / "register"), _clinic(1)
    register.add("a", {"rows": 1})
    roles = {"line": Role.DROPPED, "sex": Role.NSA, "age": Role.DROPPED, "dx": Role.SA}
    plan = Plan(roles, (Block(("dx",), Lenders(5)),))
    assert not earlier_releases(register, table, plan)
    with (register.folder / "register.jsonl").open("ab") as file:
        file.write(b"{}\n")
    lines = verdict(table, plan, earlier=earlier_releases(register, table, plan)).open
    (line,) = [each for each in lines if each.name == "second-release"]
    assert line.state == "amber"
    assert "Entry 2" in line.sentence
    with pytest.raises(Refused):
        publish(table, plan, tmp_path / "r", register=register)
    found = publish(table, plan, tmp_path / "r", register=register, options=Options(accept_all="we looked at it"))
    assert "second-release" in found.entry.body["accepted"]
    assert "before" not in (tmp_path / "r" / "README.md").read_text(encoding="utf-8").split("## ")[0]
