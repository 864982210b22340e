"""Canaries through a whole session of the window: what stands in which file that it leaves, step after step.

`docs/threat-model.md` says the same in words. What is not named in `MAY` may hold nothing of the source at all.
"""

from __future__ import annotations

import csv
import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication

from splu_desktop.compare.counts.laplace import Laplace
from splu_desktop.compare.ours.splu import Splu
from splu_desktop.core.generalise import Groups, column_after
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.randomness import SystemRandomness
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.gui.base.facts import facts_after
from splu_desktop.gui.base.session import State, Step
from splu_desktop.gui.compare import dialog as beside
from splu_desktop.gui.compare import figures
from splu_desktop.gui.compare.dialog import BesideDialog
from splu_desktop.gui.shell.main_window import MainWindow
from tests.canaries import kinds_in, told
from tests.draws import plain

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

Idle = Callable[[MainWindow], None]

N = 200
COLUMNS = {  # name -> value of a record
    "KennungQX": lambda i: f"IdentQX{i:05}",
    "RemarkQX": lambda i: f"RemarkedQX{i % 90:03}",
    "StationQX": lambda i: f"StatQX{i % 4}",
    "VisitQX": lambda i: f"VisQX{i // 2:03}",
    "BefundQX": lambda i: f"IllQX{(i * i + i // 7) % 6}",
}
CANARIES: dict[str, tuple[str, ...]] = {
    "source": ("SourceQX",),
    "sheets": ("SheetQX", "FurtherQX"),
    "another sheet": ("BesideQX",),
    "names": ("StationQX", "VisitQX", "BefundQX"),
    "names left out": ("KennungQX", "RemarkQX"),
    "identifiers": ("IdentQX",),
    "left out": ("RemarkedQX",),
    "grouped": ("StatQX",),
    "unchanged": ("VisQX",),
    "sensitive": ("IllQX",),
    "unforeseen": ("FaultQX",),
}
CHOICES = frozenset({"source", "sheets", "names", "names left out", "grouped"})
RELEASED = frozenset({"names", "unchanged", "sensitive"})
# Below the folder of the test; the longest that fits counts.
MAY = MappingProxyType(
    {
        "in": frozenset(CANARIES) - {"unforeseen"},
        "home/settings": frozenset({"source"}),  # the files opened last, by path
        "data/settings.json": frozenset({"source"}),  # where a project's table lies
        "data/recovery": CHOICES,  # while the window is open
        "data/register": frozenset({"source", "names", "names left out"}),
        "out/project.splu": CHOICES,
        "out/release": RELEASED,
        "out/release.zip": RELEASED,
        "out/compared": RELEASED,
        "out/external": RELEASED,
        "out/internal": RELEASED | {"source", "sheets", "names left out", "grouped"},
    }
)


class Watched:
    """Looks through all that is on the disk, and at what was drawn."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.drawn, self.seen = folder, list[bytes](), dict[str, set[str]]()

    def look(self) -> None:
        known = {**CANARIES, "randomness": [form for one in self.drawn for form in (one, one.hex())]}
        for path, content in told(self.folder):
            name = str(path.relative_to(self.folder))
            place = max((each for each in MAY if name.startswith(each)), key=len, default="")
            found = kinds_in(content, known)
            assert found <= MAY.get(place, frozenset()), f"{name}: {found - MAY.get(place, frozenset())}"
            self.seen.setdefault(place, set()).update(found)


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "temp").mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path / "temp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    made, real = Watched(tmp_path), SystemRandomness.bits

    def bits(source: SystemRandomness, count: int) -> NDArray[np.uint32]:
        found = real(source, count)
        if found.size >= 4:
            made.drawn.append(found[:4].tobytes())
        return found

    monkeypatch.setattr(SystemRandomness, "bits", bits)
    return made


def _unforeseen(_: Progress) -> None:
    raise ValueError("FaultQX IdentQX00001")


def test_no_file_of_a_session_holds_more_than_is_said(
    watched: Watched,
    window: MainWindow,
    idle: Idle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(beside, "QUESTIONS", 30)
    monkeypatch.setattr(figures, "SYSTEMS", (Splu, Laplace))
    caplog.set_level(logging.DEBUG)
    (tmp_path / "in").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    source = tmp_path / "in" / "SourceQX.xlsx"
    rows = [tuple(value(i) for value in COLUMNS.values()) for i in range(N)]
    sheets = [Sheet("SheetQX", tuple(COLUMNS), rows), Sheet("FurtherQX", ("BesideQX a",), [("BesideQX b",)])]
    write_sheets(sheets, source, Silent())

    # Open and classify, with values named in a group by hand.
    window.import_page.open_file(source)
    idle(window)
    session = window.session
    assert session.source is not None, window.import_page.banner.text.text()
    roles = dict(zip(COLUMNS, (Role.IDENTIFIER, Role.DROPPED, Role.NSA, Role.NSA, Role.SA), strict=True))
    session.set_roles(roles, "roles")
    steps = (Groups.of({"North": ["StatQX0", "StatQX1"], "South": ["StatQX2", "StatQX3"]}),)
    before = session.source.column("StationQX")
    after = column_after(before, steps)
    session.source.variants["StationQX", steps] = after, facts_after(before, after)
    session.choose(replace(session.choices, generalisations={"StationQX": steps}), "groups")
    watched.look()

    # Plan, compare, keep for recovery, save.
    window.show_step(Step.PLAN)
    idle(window)
    session.choose(replace(session.choices, draws=plain({"BefundQX": 3})), "draws")
    window.plan_page.beside.click()
    (dialog,) = window.plan_page.findChildren(BesideDialog)
    idle(window)
    for ending in (".csv", ".html"):
        dialog.save(out / f"compared{ending}")
    dialog.reject()
    window.keeper.keep()
    idle(window)
    assert window.keeper.save(out / "project.splu")
    watched.look()
    assert list((tmp_path / "data" / "recovery").iterdir()), "kept while the window is open"

    # Publish, ask, copy, report.
    window.show_step(Step.PUBLISH)
    idle(window)
    window.publish_page.set_target(out / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.act()
    idle(window)
    assert session.state(Step.PUBLISH) is State.DONE, window.publish_page.banner.text.text()
    packer = window.publish_page.hand_over()
    assert packer is not None
    packer.locked.setChecked(False)
    packer.write()
    idle(window)
    packer.reject()
    watched.look()
    window.show_step(Step.QUERY)
    one = window.query_page.one
    one.builder.set_conditions((Condition("BefundQX", ("IllQX0",)),))
    window.query_page.act()
    idle(window)
    one.truth_switch.click()
    idle(window)
    one.copy_list()
    copied = [QGuiApplication.clipboard().text()]
    window.show_step(Step.REPORT)
    idle(window)
    page = window.report_page
    page.save(out / "external.html")
    idle(window)
    page.copy()
    copied.append(QGuiApplication.clipboard().text())
    page.form.internal.setChecked(True)
    idle(window)
    page.save(out / "internal.html")
    idle(window)
    watched.look()

    # What goes wrong: a file that is none and quotes its cells, a place that is none, and what nobody foresaw.
    (tmp_path / "in" / "bad.splu").write_text('{"format": "IdentQX00001"}', "utf-8")
    window.open_path(tmp_path / "in" / "bad.splu")
    page.save(tmp_path / "nowhere" / "r.html")
    idle(window)
    said: list[str] = []
    window.tasks.run("unforeseen", _unforeseen).failed.connect(said.append)
    idle(window)
    assert said
    assert not kinds_in(said[0].encode(), CANARIES)
    watched.look()

    window.ask_before_closing = False
    window.close()
    window.tasks.shutdown()
    watched.look()
    assert not list((tmp_path / "temp").iterdir())
    assert not [path for path in (tmp_path / "data" / "recovery").iterdir() if path.suffix != ".lock"]
    written = "".join(capfd.readouterr()) + caplog.text
    assert not kinds_in(written.encode(), CANARIES)
    for text in copied:
        assert kinds_in(text.encode(), CANARIES) <= RELEASED
    # The canaries sing: each place holds what it is said to, so a look that sees nothing fails.
    assert watched.seen["out/project.splu"] == watched.seen["data/recovery"] == set(CHOICES)
    assert watched.seen["out/release"] == watched.seen["out/release.zip"] == set(RELEASED)
    assert watched.seen["home/settings"] == watched.seen["data/settings.json"] == {"source"}
    assert len(watched.drawn) > 3
    # Nor the order of records: each visit's two stood one after the other.
    with (out / "release" / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        visits = [row["VisitQX"] for row in csv.DictReader(file)]
    assert sorted(visits) == [row[3] for row in rows]
    assert sum(one == other for one, other in pairwise(visits)) < 10  # 1 is expected, N / 2 were there
