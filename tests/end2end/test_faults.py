"""Whatever goes wrong while publishing: no partial release, no leftover, no damaged register, the source untouched."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from splu_desktop.core.checks.selfcheck import Check
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Cancelled, Watched
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.partial import MARK, clear_leftovers, is_dead
from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.files.importer import read
from splu_desktop.files.publish.publishing import (
    GateShut,
    Order,
    Outcome,
    SelfCheckFailed,
    SourceChanged,
    publish,
    tidy,
)
from splu_desktop.files.register.book import WITHDRAWN, Register, RegisterFault
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from splu_desktop.files.tables.table_writers import write_csv
from tests.files.releases import awkward_table, plan_of

ROOT = Path(__file__).parents[2]


class House:
    """A source, a register and a folder for releases."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.register = folder, Register(folder / "register")
        self.source = folder / "source.csv"
        write_csv(awkward_table(), self.source, Watched(lambda stage, done: None))
        self.bytes = self.source.read_bytes()
        self.imported = read(self.source)

    def order(self, name: str = "r", **more: object) -> Order:
        table = self.imported.table
        settings: dict[str, object] = {
            "formats": ("csv", "xlsx"), "source": self.source, "source_sha256": self.imported.source.sha256,
        }  # fmt: skip
        return Order(table, plan_of(table), self.folder / name, **{**settings, **more})  # type: ignore[arg-type]

    def publish(self, order: Order | None = None, **more: object) -> Outcome:
        return publish(order or self.order(), strict=False, register=self.register, **more)  # type: ignore[arg-type]

    def leftovers(self) -> list[str]:
        return sorted(path.name for path in self.folder.rglob(f"*{MARK}*"))

    def check_clean(self, *, releases: int = 0) -> None:
        assert self.leftovers() == []
        assert sorted(path.name for path in self.folder.iterdir() if path.name not in ("register", "source.csv")) == [
            f"r{n or ''}" for n in range(releases)
        ]
        reading = self.register.read()
        assert reading.faults == ()
        assert len(reading.releases) == releases


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_release_goes_through_and_is_remembered(house: House) -> None:
    outcome = house.publish()
    house.check_clean(releases=1)
    assert all(
        check.passed for check in (*outcome.checks, *verify_release(house.folder / "r", register=house.register))
    )
    assert {"records", "columns", "rows", "domain", "counts", "retained", "order", "files"} == {
        check.name for check in outcome.checks
    }
    entry = house.register.read().releases[0]
    assert entry.release == read_release(house.folder / "r").facts["id"]
    assert house.source.read_bytes() == house.bytes


class After:
    """Stops a run at its n-th report."""

    def __init__(self, reports: int) -> None:
        self.left, self.stages = reports, dict[str, int]()

    def report(self, stage: str, done: float) -> None:
        self.stages[stage] = self.stages.get(stage, 0) + 1
        if not self.left:
            raise Cancelled
        self.left -= 1


class At(After):
    """Stops a run at its first report of a stage."""

    def __init__(self, stage: str) -> None:
        super().__init__(10**9)
        self.stage = stage

    def report(self, stage: str, done: float) -> None:
        super().report(stage, done)
        if stage == self.stage:
            raise Cancelled


@pytest.mark.parametrize("packed", [False, True])
def test_cancelled_at_any_report_of_any_stage(house: House, packed: bool) -> None:
    order = house.order(packed=packed, password="Seven old pears, not ripe" if packed else None)
    watch = After(10**9)
    publish(order, strict=False, register=Register(house.folder / "register"), progress=watch)
    order.target.unlink() if packed else __import__("shutil").rmtree(order.target)
    known = len(house.register.read().releases)
    stages = set(watch.stages)
    assert {
        "Recognising the source",
        "Mixing groups",
        "Drawing values",
        "Writing CSV",
        "Writing XLSX",
        "Finishing",
    } <= stages
    total = sum(watch.stages.values())
    seen: set[str] = set()
    ways = [After(reports) for reports in range(0, total - 2, max(1, total // 60))]
    # The last "Finishing" comes when all is done, and is heard of no more.
    for stopped in [*ways, *(At(stage) for stage in sorted(stages - {"Finishing"}))]:
        try:
            house.publish(order, progress=stopped)
        except Cancelled:
            assert not order.target.exists()
        else:  # how often a wait is reported is not the same each time
            known += 1
            order.target.unlink() if packed else __import__("shutil").rmtree(order.target)
        seen |= set(stopped.stages)
        assert house.leftovers() == []
    assert seen >= stages - {"Finishing", "Checking the release"}  # the check is named only where it is waited for
    assert house.register.read().faults == ()
    assert len(house.register.read().releases) == known
    assert house.source.read_bytes() == house.bytes


def test_a_cancel_that_comes_too_late_does_not_deny_the_release(house: House) -> None:
    """Asked to stop when the release is there already: it is whole and registered, and said to be so."""
    order = house.order()

    def too_late(stage: str, done: float) -> None:
        if order.target.exists():
            raise Cancelled

    outcome = house.publish(order, progress=Watched(too_late))
    assert outcome.opened.folder == order.target
    house.check_clean(releases=1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_random_moments_in_200_publishes(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readers_here: None
) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "register" / "data"))
    result = subprocess.run(
        [sys.executable, "-m", "tests.end2end.killed_publishes", str(tmp_path), "200", "7"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 20, "most moments should lie before the end"
    tidy(house.register)
    clear_leftovers(tmp_path)
    assert house.leftovers() == []
    reading = house.register.read()
    assert reading.faults == ()
    there = [path for path in tmp_path.iterdir() if path.name not in ("register", "source.csv")]
    known = {Path(entry.body["destination"]).name: entry for entry in reading.releases}
    # What is there is whole and registered, and what is registered is there.
    assert {path.name for path in there} == set(known)
    for path in there:
        assert all(check.passed for check in verify_release(path, register=house.register)), path
    assert house.source.read_bytes() == house.bytes


def test_the_next_start_clears_what_a_killed_run_left(tmp_path: Path) -> None:
    """The folder is found again by the note in the data folder, without another publish there."""
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom splu_desktop.files.disk.whole import whole_folder\n"
        "with whole_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'table.csv').write_text('half')\n    os.kill(os.getpid(), signal.SIGTERM)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "r")], check=False, cwd=ROOT)
    assert [path for path in tmp_path.iterdir() if path.name.startswith(MARK)]
    assert tidy(Register(tmp_path / "register")) >= 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(MARK)]


def test_a_run_that_ended_after_the_rename_has_published(tmp_path: Path) -> None:
    """Between the rename and the removal of the emptied folder: its entry must not be withdrawn."""
    work, target = tmp_path / f"{MARK}x", tmp_path / "r"
    (work / "whole").mkdir(parents=True)
    assert is_dead(work, target)
    (work / "whole").rename(target)
    assert is_dead(work)
    assert not is_dead(work, target)


def test_the_work_of_a_living_run_is_left_alone(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom splu_desktop.files.disk.whole import whole_folder\n"
        "with whole_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'table.csv').write_text('whole')\n    print('working', flush=True)\n    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "r")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert clear_leftovers(tmp_path) == 0
        tidy(Register(tmp_path / "register"))
        process.communicate(b"\n")
    assert (tmp_path / "r" / "table.csv").read_text() == "whole"


@contextmanager
def _mounted(folder: Path) -> Iterator[Path]:
    """A disk of 200 kB, which only root can have."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def _acted(folder: Path) -> Iterator[Path]:
    """A disk that says how full it is, and has no room for the last file of a release."""
    write = Path.write_text

    def free(_: object) -> SimpleNamespace:
        used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        return SimpleNamespace(free=max(0, 200_000 - used))

    def refuse(path: Path, *words: object, **more: object) -> int:
        if path.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, *words, **more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.disk_usage", free)
        patch.setattr(Path, "write_text", refuse)
        yield folder


def _can_mount() -> bool:
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(params=[_acted, *[_mounted] * _can_mount()])
def small_disk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with request.param(tmp_path_factory.mktemp("disk")) as folder:
        yield folder


@pytest.mark.parametrize("packed", [False, True])
def test_a_full_disk(house: House, small_disk: Path, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """The gate sees it coming; where it can't know, the system's refusal leaves nothing."""
    (small_disk / "other").write_bytes(b"x" * 150_000)
    order = house.order(str(small_disk / "r"), packed=packed)
    with pytest.raises(GateShut, match="make room"):
        house.publish(order)
    monkeypatch.setattr("splu_desktop.files.disk.partial.free_space", lambda folder: None)
    with pytest.raises(CannotWrite, match="no space left"):
        house.publish(order)
    assert [path.name for path in small_disk.iterdir()] == ["other"]
    house.check_clean()


def test_a_full_disk_under_the_register(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that can't be remembered does not appear."""
    house.register.key()
    real = os.write

    def full(handle: int, data: bytes) -> int:
        if data.startswith(b'{"number"'):
            raise OSError(28, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RegisterFault, match="no space left"):
        house.publish()
    house.check_clean()


def test_a_read_only_target(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = house.folder / "register" / "locked"
    locked.mkdir(parents=True)
    locked.chmod(0o500)
    order = house.order(str(locked / "r"))
    if os.access(locked, os.W_OK):  # root may write anywhere; the system's answer is played
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CannotWrite, match="may not write"):
        house.publish(order)
    locked.chmod(0o700)
    assert not list(locked.iterdir())
    house.check_clean()


def test_a_target_that_appears_meanwhile(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry was made, the rename refused: the entry is withdrawn and the other's folder untouched."""
    order = house.order()
    append = Register.append

    def and_then(self: Register, kind: str, release: str, body: object) -> object:
        entry = append(self, kind, release, body)  # type: ignore[arg-type]
        if kind != WITHDRAWN:
            (order.target).mkdir()
            (order.target / "theirs").write_text("x")
        return entry

    monkeypatch.setattr(Register, "append", and_then)
    with pytest.raises(CannotWrite, match="created by someone else"):
        house.publish(order)
    assert (order.target / "theirs").read_text() == "x"
    assert house.leftovers() == []
    assert [entry.kind for entry in house.register.read().entries] == ["release", "withdrawn"]


def test_a_rename_that_fails_withdraws_the_entry(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, target: Path) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refused)
        with pytest.raises(CannotWrite, match="input/output error"):
            house.publish()
    assert [entry.kind for entry in house.register.read().entries] == ["release", "withdrawn"]
    house.check_clean()


def test_an_entry_that_can_not_be_withdrawn_is_so_by_the_next_run(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rename is refused, and then the register's disk too: the next start makes up for it."""
    append = Register.append

    def once(self: Register, kind: str, release: str, body: object) -> object:
        if kind == WITHDRAWN:
            raise RegisterFault("The register can't be written.")
        return append(self, kind, release, body)  # type: ignore[arg-type]

    def refused(self: Path, target: Path) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Register, "append", once)
        patch.setattr(Path, "rename", refused)
        with pytest.raises(RegisterFault):
            house.publish()
    assert len(house.register.read().releases) == 1
    tidy(house.register)
    house.check_clean()


def test_a_source_that_changed_before(house: House) -> None:
    order = house.order()
    house.source.write_bytes(house.bytes + b"1,2,3\n")
    with pytest.raises(GateShut, match="has changed since it was opened"):
        house.publish(order)
    house.check_clean()


def test_a_source_that_changes_meanwhile(house: House) -> None:
    def change(stage: str, done: float) -> None:
        if stage == "Writing XLSX":
            house.source.write_bytes(house.bytes + b"\n")

    with pytest.raises(SourceChanged, match="changed while the release was made"):
        house.publish(progress=Watched(change))
    house.check_clean()


def test_a_source_that_vanishes_meanwhile(house: House) -> None:
    """The table is in memory: what was opened and agreed to is what is released."""

    def remove(stage: str, done: float) -> None:
        if stage == "Drawing values":
            house.source.unlink(missing_ok=True)

    house.publish(progress=Watched(remove))
    house.check_clean(releases=1)


def test_a_failed_check_withholds_the_release(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = (Check("counts", False, "The counts of “illness” are the true ones: the column was not re-drawn."),)
    monkeypatch.setattr("splu_desktop.files.publish.publishing.check_release", lambda *args, **more: bad)
    with pytest.raises(SelfCheckFailed, match="withheld"):
        house.publish()
    house.check_clean()


def test_a_mechanism_that_does_not_draw_is_caught(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way with a sanitiser gone wrong: the self-check finds it, not the recipient."""

    def kept(draw: PlainGroups, table: Table, names: Sequence[str], *rest: object) -> tuple[Column, ...]:
        return tuple(table[name] for name in names)

    monkeypatch.setattr(PlainGroups, "redraw_block", kept)
    with pytest.raises(SelfCheckFailed):
        house.publish()
    house.check_clean()


def test_a_damaged_write_is_caught(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from splu_desktop.files.release import folder as release

    name, write = release.WRITERS["csv"]

    def loses_a_cell(table: object, path: Path, progress: object, bom: bool, *more: object) -> None:
        write(table, path, progress, bom, *more)  # type: ignore[arg-type]
        path.write_bytes(path.read_bytes().replace(b"illness 3\n", b"illness 4\n", 1))

    monkeypatch.setitem(release.WRITERS, "csv", (name, loses_a_cell))
    with pytest.raises(SpluError, match="does not read as it was written"):
        house.publish()
    house.check_clean()


def test_two_runs_to_one_folder_do_not_meet(house: House) -> None:
    for number in range(3):
        house.publish(house.order(f"r{number or ''}"))
    house.check_clean(releases=3)
    assert house.register.read().releases[-1].body["earlier"]
