"""Whatever goes wrong while publishing: no partial release, no leftover, no damaged register, the source untouched."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from splu_desktop.core.errors import SpluError
from splu_desktop.core.policy.verdict import verdict
from splu_desktop.core.progress import Cancelled, Progress, WatchedProgress
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.disk.leftovers import MARK, clear_leftovers, is_dead
from splu_desktop.files.disk.whole_files import CannotWrite
from splu_desktop.files.publish.publishing import Options, Outcome, SourceChanged, publish, tidy
from splu_desktop.files.register import Register, RegisterFault
from splu_desktop.files.register.earlier import releases_before
from splu_desktop.files.release import csv_table
from splu_desktop.files.release.verify import verify
from tests.files.releases import ward_plan, ward_table

ROOT = Path(__file__).parents[2]
TABLE = ward_table(600)
PLAN = ward_plan(TABLE)
JUDGED = verdict(TABLE, PLAN)


class House:
    """A source, a register and a folder for releases."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.register = folder, Register(folder / "register")
        self.source = folder / "source.csv"
        self.source.write_text("the file that was read", "utf-8")
        self.digest = file_sha256(self.source)

    def publish(self, target: str | Path = "r", progress: Progress | None = None, **more: Any) -> Outcome:
        options = Options(accept_all="A test of faults", source=self.source, source_sha256=self.digest, **more)
        watched = progress or WatchedProgress(lambda stage, done: None)
        return publish(
            TABLE, PLAN, self.folder / target, judged=JUDGED, options=options, register=self.register, progress=watched
        )

    def leftovers(self) -> list[str]:
        return sorted(path.name for path in self.folder.rglob(f"*{MARK}*"))

    def check_clean(self, *releases: str) -> None:
        """Nothing is there but these releases, each whole and registered."""
        assert self.leftovers() == []
        own = ("register", "source.csv")
        assert sorted(path.name for path in self.folder.iterdir() if path.name not in own) == sorted(releases)
        reading = self.register.read()
        assert reading.faults == ()
        assert sorted(Path(entry.body["destination"]).name for entry in reading.releases) == sorted(releases)
        assert all(verify(self.folder / name, register=self.register).sound for name in releases)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


class After:
    """Stops a run at its n-th report, or never."""

    def __init__(self, reports: int) -> None:
        self.left, self.stages = reports, list[str]()

    def report(self, stage: str, done: float) -> None:
        if done == 0.9 and stage != "Finishing":  # while a thread is waited for: how often, the machine decides
            return
        self.stages.append(stage)
        if not self.left:
            raise Cancelled
        self.left -= 1


@pytest.mark.parametrize("as_zip", [False, True])
def test_cancelled_at_any_report(house: House, as_zip: bool) -> None:
    more = {"as_zip": as_zip, "password": "Seven old pears, not ripe" if as_zip else None}
    watch = After(10**9)
    target = house.publish("r0", watch, **more).release.path
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    known = house.register.releases()
    last = len(watch.stages) - 1 - watch.stages[::-1].index("Finishing")
    assert len(set(watch.stages)) >= 4
    for reports in sorted({*range(0, last, max(1, last // 12)), last}):
        with pytest.raises(Cancelled):
            house.publish("r", After(reports), **more)
        assert not (house.folder / "r").exists()
        assert house.leftovers() == []
    reading = house.register.read()
    assert reading.faults == ()
    assert len(reading.releases) == len(known)


def test_a_cancel_that_comes_too_late_does_not_deny_the_release(house: House) -> None:
    def too_late(stage: str, done: float) -> None:
        if (house.folder / "r").exists():
            raise Cancelled

    house.publish(progress=WatchedProgress(too_late))
    house.check_clean("r")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_random_moments_in_forty_publishes(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is whole and registered, and what is registered is there."""
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "register" / "data"))
    result = subprocess.run(
        [sys.executable, "-m", "tests.end2end.killed_publishes", str(tmp_path), "40", "7"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 5, "most moments should lie before the end"
    tidy(house.register)
    clear_leftovers(tmp_path)
    house.check_clean(*(path.name for path in tmp_path.iterdir() if path.name not in ("register", "source.csv")))


# Begins a folder, says so, and waits: to be killed, or told to go on.
_WORKS = (
    "import sys\nfrom pathlib import Path\nfrom splu_desktop.files.disk.whole_files import whole_folder\n"
    "with whole_folder(Path(sys.argv[1])) as folder:\n"
    "    (folder / 'table.csv').write_text('whole')\n    print('working', flush=True)\n    sys.stdin.readline()\n"
)


@pytest.mark.parametrize("killed", [True, False])
def test_the_next_start_clears_what_a_killed_run_left_and_no_living_run_s_work(tmp_path: Path, killed: bool) -> None:
    """The folder is found again by the note in the data folder, without another publish there."""
    command = [sys.executable, "-c", _WORKS, str(tmp_path / "r")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if killed:
            process.kill()
            process.wait()
        cleared = tidy(Register(tmp_path / "register"))
        assert (cleared > 0) == killed
        if not killed:
            process.communicate(b"\n")
    assert (tmp_path / "r/table.csv").exists() == (not killed)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(MARK)]


def test_a_run_that_ended_after_the_rename_has_published(tmp_path: Path) -> None:
    """Between the rename and the removal of the emptied folder: its entry must not be withdrawn."""
    work, target = tmp_path / f"{MARK}x", tmp_path / "r"
    (work / "whole").mkdir(parents=True)
    assert is_dead(work, target)
    (work / "whole").rename(target)
    assert is_dead(work)
    assert not is_dead(work, target)


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
    """A disk that says how full it is, and has no room for the texts of a release."""
    write = Path.write_text

    def refuse(path: Path, *words: Any, **more: Any) -> int:
        if path.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, *words, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=50_000))
        patch.setattr(Path, "write_text", refuse)
        yield folder


def _can_mount() -> bool:
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("disk", [_acted, *[_mounted] * _can_mount()])
@pytest.mark.parametrize("as_zip", [False, True])
def test_a_full_disk(house: House, tmp_path_factory: pytest.TempPathFactory, disk: Any, as_zip: bool) -> None:
    """It is seen to come; where it can't be, the system's refusal leaves nothing."""
    with disk(tmp_path_factory.mktemp("disk")) as small, pytest.MonkeyPatch.context() as patch:
        if disk is _mounted:
            (small / "other").write_bytes(b"x" * 190_000)
        before = list(small.iterdir())
        with pytest.raises(CannotWrite, match="too little room"):
            house.publish(small / "r", as_zip=as_zip)
        patch.setattr("splu_desktop.files.publish.publishing.free_space", lambda folder: None)
        with pytest.raises(CannotWrite, match="no space left"):
            house.publish(small / "r", as_zip=as_zip)
        assert list(small.iterdir()) == before
    house.check_clean()


def test_a_register_that_can_not_be_written_keeps_the_release_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.register.key()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("splu_desktop.files.register.ledger._write_private", full)
    with pytest.raises(RegisterFault):
        house.publish()
    house.check_clean()


def test_a_target_that_appears_meanwhile(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry was made, the rename refused: the entry is withdrawn and the other's folder untouched."""
    add = Register.add

    def and_then(self: Register, release: str, body: Any, *more: str) -> Any:
        if not more:  # not what withdraws it
            (house.folder / "r").mkdir()
            (house.folder / "r/theirs").write_text("x")
        return add(self, release, body, *more)

    monkeypatch.setattr(Register, "add", and_then)
    with pytest.raises(CannotWrite, match="exists already"):
        house.publish()
    assert [path.name for path in (house.folder / "r").iterdir()] == ["theirs"]
    assert house.leftovers() == []
    assert [entry.kind for entry in house.register.read().entries] == ["release", "withdrawn"]


@pytest.mark.parametrize("what", ["changes", "vanishes"])
def test_a_source_that_changes_meanwhile_is_no_source_one_that_vanishes_was_read(house: House, what: str) -> None:
    def disturb(stage: str, done: float) -> None:
        if stage == "Drawing" and what == "changes":
            house.source.write_text("another file", "utf-8")
        elif stage == "Drawing":
            house.source.unlink(missing_ok=True)

    if what == "changes":
        with pytest.raises(SourceChanged):
            house.publish(progress=WatchedProgress(disturb))
        house.check_clean()
    else:
        house.publish(progress=WatchedProgress(disturb))
        house.check_clean("r")


@pytest.mark.parametrize("name", ["table.csv", "scores.csv"])
def test_what_lies_on_disk_otherwise_than_it_was_written_is_caught(
    house: House, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Files are read back before the release appears, to the last byte."""
    write = csv_table.DigestedFile.write

    def loses_a_byte(self: Any, block: bytes) -> int:
        done = write(self, block)
        if Path(self._file.name).name == name:
            self._file.seek(-1, os.SEEK_CUR)
            self._file.write(b"~")
        return done

    monkeypatch.setattr(csv_table.DigestedFile, "write", loses_a_byte)
    with pytest.raises(SpluError, match="does not read as it was written"):
        house.publish()
    house.check_clean()


@pytest.mark.parametrize("fault", ["texts", "rows", "one row in the middle"])
def test_a_table_that_reads_otherwise_than_it_was_drawn_is_caught(
    house: House, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    if fault == "texts":
        monkeypatch.setattr(csv_table, "_fields", lambda texts, _: [text.replace("yes", "no") for text in texts])
    else:
        write = csv_table.RowWriter.write

        def turns_rows(self: Any, file: Any, codes: Any, *more: Any) -> None:
            own = codes[0][::-1].copy()
            if fault == "one row in the middle":
                own = codes[0].copy()
                middle = len(own) // 2
                own[middle] = next(each for each in own if each != own[middle])
            write(self, file, [own, *codes[1:]], *more)

        monkeypatch.setattr(csv_table.RowWriter, "write", turns_rows)
    with pytest.raises(SpluError, match="does not read as it was written"):
        house.publish()
    house.check_clean()


def test_several_at_once_do_not_meet(house: House) -> None:
    """Of two that want one folder one gets it; of all others the later know of the earlier."""

    def one(name: str) -> str:
        try:
            return house.publish(name, as_zip=name.endswith(".zip")).release.path.name
        except CannotWrite:
            return ""

    with ThreadPoolExecutor(6) as pool:
        done = sorted(pool.map(one, ["r0", "r1", "r2", "same", "same", "same.zip", "same.zip"]))
    assert done == ["", "", "r0", "r1", "r2", "same", "same.zip"]
    house.check_clean(*done[2:])
    entries = house.register.releases()
    for at, entry in enumerate(entries):
        before = [each.name for each in releases_before(house.register, entry)]
        assert before == [each.release for each in entries[:at]]
