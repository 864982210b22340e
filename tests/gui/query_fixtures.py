"""Query and report page on their own, with a release that is made once: these tests are about asking alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget
from pytestqt.qtbot import QtBot

from splu_desktop.core import sanitise
from splu_desktop.core.progress import Silent
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.release.folder import OpenRelease
from splu_desktop.gui.base.session import Choices, Release, Session, Source
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.importing.page import read_source
from splu_desktop.gui.query.page import QueryPage
from splu_desktop.gui.report.page import ReportPage
from splu_desktop.gui.shell import app
from tests.seeded import Seeded
from tests.written import write_release

DIAGNOSES = (
    ["flu"] * 90
    + ["asthma"] * 80
    + ["fracture"] * 80
    + ["migraine"] * 80
    + ["gout"] * 80
    + ["anaemia"] * 80
    + ["measles"] * 70
    + ["rabies"] * 2
    + [f"rare {at}" for at in range(38)]
)
Made = tuple[Source, Choices, OpenRelease]


class Stage(QMainWindow):
    """The two pages with a session and tasks of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session(self)
        self.tasks = Tasks(self)
        self.query_page = QueryPage(self.session, self.tasks)
        self.report_page = ReportPage(self.session, self.tasks)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.query_page)
        self.pages.addWidget(self.report_page)
        self.setCentralWidget(self.pages)
        self.setMinimumSize(800, 600)  # as the main window does; the offscreen platform warns of a layout's own
        self.session.changed.connect(self.query_page.refresh)


Idle = Callable[[Stage], None]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """600 invented patients, and their release with gamma 5."""
    place = tmp_path_factory.mktemp("asked")
    lines = ["Record number,Sex,Age,Ward,Diagnosis"]
    for at, diagnosis in enumerate(DIAGNOSES):
        lines.append(f"R{at:05},{'fm'[at % 2]},{20 + at % 7},{'ABC'[at % 3]},{diagnosis}")
    path = place / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = read_source(path, None, Silent(), "Counting")
    choices = Choices(
        {
            "Record number": Role.IDENTIFIER,
            "Sex": Role.NSA,
            "Age": Role.NSA,
            "Ward": Role.NSA,
            "Diagnosis": Role.SA,
        }
    ).fitted(source)
    published = sanitise.run(source.imported.table, choices.plan(), randomness=Seeded(3))
    return source, choices, write_release(published, place / "release")


@pytest.fixture
def folder(made: Made) -> OpenRelease:
    """The release, as it lies on disk."""
    return made[2]


@pytest.fixture
def stage(qtbot: QtBot, qapp: QApplication) -> Iterator[Stage]:
    """The pages, shown, without any release."""
    if not qapp.property("prepared"):
        app.prepare(qapp)
    shown = Stage()
    shown.resize(860, 640)
    shown.show()
    yield shown
    shown.close()
    shown.tasks.shutdown()
    shown.deleteLater()


@pytest.fixture
def custodian(stage: Stage, made: Made, idle: Idle) -> Stage:
    """The query page with release and source."""
    source, choices, opened = made
    stage.session.open_source(source, choices)
    stage.session.take_release(Release(opened.published, opened.facts, opened.folder, (source, stage.session.choices)))
    idle(stage)
    return stage


@pytest.fixture
def recipient(stage: Stage, folder: OpenRelease, idle: Idle) -> Stage:
    """The query page as someone sees it who has the release alone."""
    stage.query_page.open_release(Path(folder.folder))
    idle(stage)
    return stage
