"""A release appears whole or not at all, only where every open line was accepted, and is remembered."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Cancelled, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole_files import CannotWrite, check_new
from splu_desktop.files.publish.publishing import Options, Refused, SourceChanged, publish, tidy
from splu_desktop.files.register import Register, RegisterFault
from splu_desktop.files.register.earlier import releases_before
from splu_desktop.files.release.reading import open_release
from splu_desktop.files.release.verify import verify
from splu_desktop.report.make import check_target
from tests.files.releases import ward_plan, ward_table

ALL = Options(accept_all="Agreed with the data protection officer")


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Register:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    return Register()


@pytest.fixture(scope="module")
def table() -> Table:
    return ward_table(1_000)


@pytest.fixture(scope="module")
def plan(table: Table) -> Plan:
    return ward_plan(table)


def test_an_open_line_keeps_the_release_back(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="Open in the verdict") as refused:
        publish(table, plan, tmp_path / "r")
    # Sentences of the verdict hold values and true counts; an exception ends in logs.
    assert not any(str(line.sentence) in str(refused.value) for line in refused.value.lines)
    assert all(line.open for line in refused.value.lines)
    with pytest.raises(BadSetting, match="no reason"):
        publish(table, plan, tmp_path / "r", options=Options(accept_all="ok"))
    # A recipe of an earlier year still holds the day that was said then.
    over = replace(plan, audience=replace(plan.audience, until="2024-12-31"))
    with pytest.raises(BadSetting, match="still to come"):
        publish(table, over, tmp_path / "r", options=ALL)
    assert list(tmp_path.iterdir()) == []
    assert register.releases() == ()


def test_reasons_are_remembered_and_only_the_owner_reads_them(
    register: Register, table: Table, plan: Plan, tmp_path: Path
) -> None:
    outcome = publish(table, plan, tmp_path / "r", options=ALL)
    (entry,) = register.releases()
    assert entry.release == outcome.release.id == open_release(tmp_path / "r").id
    assert entry.body["recipient"] == "Institute of Epidemiology"
    assert set(entry.body["accepted"].values()) == {ALL.accept_all}
    assert set(entry.body["accepted"]) == set(entry.body["open"])
    assert verify(tmp_path / "r").fingerprint == outcome.fingerprint
    if os.name == "posix":
        modes = [stat.S_IMODE(path.stat().st_mode) for path in register.folder.iterdir()]
        assert not any(mode & 0o077 for mode in modes)


def test_the_same_persons_are_recognised_and_the_readme_says_so(
    register: Register, table: Table, plan: Plan, tmp_path: Path
) -> None:
    first = publish(table, plan, tmp_path / "one", options=ALL)
    second = publish(table, plan.with_gamma(5), tmp_path / "two", options=ALL)
    assert [each.name for each in releases_before(register, second.entry)] == [first.release.id]
    assert "released before" in (tmp_path / "two" / "README.md").read_text(encoding="utf-8")
    assert "released before" not in (tmp_path / "one" / "README.md").read_text(encoding="utf-8")


def test_a_stopped_run_leaves_nothing(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    class Stop(Progress):
        def report(self, stage: str, done: float) -> None:
            if stage == "Finishing":
                raise Cancelled

    with pytest.raises(Cancelled):
        publish(table, plan, tmp_path / "r", options=ALL, progress=Stop())
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    assert register.releases() == ()


def test_a_register_that_refuses_leaves_nothing(
    register: Register, table: Table, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RegisterFault("no room")

    monkeypatch.setattr(Register, "add", refuse)
    with pytest.raises(RegisterFault):
        publish(table, plan, tmp_path / "r", options=ALL)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_rename_that_fails_withdraws_the_entry(
    register: Register, table: Table, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("splu_desktop.files.disk.whole_files._appear", refuse)
    with pytest.raises(CannotWrite):
        publish(table, plan, tmp_path / "r", options=ALL)
    assert register.releases() == ()
    assert [entry.kind for entry in register.read().entries] == ["release", "withdrawn"]
    assert tidy(register) == 0


def test_nothing_is_written_over(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    with pytest.raises(CannotWrite, match="exists"):
        publish(table, plan, tmp_path / "r", options=ALL)


def test_nothing_is_written_into_a_release(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    """Which is handed on: an internal report in it would go, too."""
    publish(table, plan, tmp_path / "r", options=ALL)
    for name in ("again", "internal.pdf", "recipe.toml"):
        with pytest.raises(CannotWrite, match="would lie in a release"):
            check_new(tmp_path / "r" / name, overwrite=True)
    with pytest.raises(CannotWrite, match="would lie in a release"):
        publish(table, plan, tmp_path / "r" / "again", options=ALL)
    with pytest.raises(CannotWrite, match="would lie in a release"):
        check_target(tmp_path / "r" / "internal.pdf")


def test_a_source_that_changed_meanwhile_is_told(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    source = tmp_path / "source.csv"
    source.write_text("other", encoding="utf-8")
    options = Options(accept_all=ALL.accept_all, source=source, source_sha256="0" * 64)
    with pytest.raises(SourceChanged):
        publish(table, plan, tmp_path / "r", options=options)
    assert not (tmp_path / "r").exists()


def test_a_zip_is_a_release(register: Register, table: Table, plan: Plan, tmp_path: Path) -> None:
    options = Options(accept_all=ALL.accept_all, as_zip=True)
    outcome = publish(table, plan, tmp_path / "r.zip", options=options)
    assert verify(tmp_path / "r.zip").sound
    assert open_release(tmp_path / "r.zip").id == outcome.release.id
