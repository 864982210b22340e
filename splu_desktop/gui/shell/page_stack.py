"""The six pages, each made when it is first wanted: a window that opens needs one of them, and starts sooner so."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Session, Step
from splu_desktop.gui.base.tasks import Tasks


class PageStack(QStackedWidget):
    """Pages by step: `stack[Step.PLAN]` makes the page if need be.

    Signals
    -------
    made (Page) : a page was made; nobody has seen it yet.
    """

    made = Signal(Page)

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._pages: dict[Step, Page] = {}

    def __getitem__(self, step: Step) -> Page:
        """Return the page of a step."""
        if step not in self._pages:
            page = _kind(step)(self._session, self._tasks)
            self._pages[step] = page
            self.addWidget(page)
            self.made.emit(page)
        return self._pages[step]

    def steps(self) -> frozenset[Step]:
        """Return the steps whose pages are there by now."""
        return frozenset(self._pages)


def _kind(step: Step) -> type[Page]:
    """Return a page's class. Imported here, since some pages bring large libraries along."""
    match step:
        case Step.IMPORT:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.importing.page import ImportPage

            return ImportPage
        case Step.CLASSIFY:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.classify.page import ClassifyPage

            return ClassifyPage
        case Step.PLAN:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.plan.page import PlanPage

            return PlanPage
        case Step.PUBLISH:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.publish.page import PublishPage

            return PublishPage
        case Step.QUERY:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.query.page import QueryPage

            return QueryPage
        case Step.REPORT:
            # Each page when it is first wanted: some bring large libraries along.
            from splu_desktop.gui.report.page import ReportPage

            return ReportPage
