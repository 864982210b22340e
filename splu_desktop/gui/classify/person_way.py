"""Where an identifier repeats: what is done about persons with several records."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QInputDialog, QWidget

from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.persons import PersonsFound
from splu_desktop.gui.base.session import Session


class PersonWay(QComboBox):
    """The choice among the ways; the reason for "each record by itself" is typed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._column = ""
        self.setAccessibleName(self.tr("Persons with several records"))
        self.addItem(self.tr("Choose what is done…"), "")
        self.addItem(self.tr("All records of a person drawn at once"), "draw")
        self.addItem(self.tr("One record per person: the first"), "first")
        self.addItem(self.tr("One record per person: the last"), "last")
        self.addItem(self.tr("One record per person: at random"), "random")
        self.addItem(self.tr("Each record by itself, with a reason…"), "record")
        self.activated.connect(self._chosen)
        self.hide()

    def show_persons(self, found: PersonsFound | None) -> None:
        """Show the way chosen for the identifier that repeats; nothing where none does."""
        self._column = found.column if found is not None else ""
        self.setVisible(found is not None)
        self._show()

    def _show(self) -> None:
        choices = self._session.choices
        way = choices.persons.way if choices is not None and choices.persons is not None else ""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(way))

    def take(self, way: str, reason: str = "") -> None:
        """Choose a way, "" for none, as one step of undo."""
        choices = self._session.choices
        if choices is not None:
            chosen = ByPerson(self._column, way, reason) if way else None
            self._session.choose(replace(choices, persons=chosen), self.tr("persons with several records"))

    def _chosen(self) -> None:
        way = self.currentData()
        if way != "record":
            self.take(way)
            return
        asking = QInputDialog(self)
        asking.setWindowTitle(self.tr("Each record by itself"))
        asking.setLabelText(
            self.tr(
                "Whoever sees several records of a person learns more than from one. Why may each stand for itself?"
                " The report shows this."
            )
        )
        asking.textValueSelected.connect(lambda text: self.take("record", text) if text.strip() else None)
        asking.finished.connect(self._show)
        asking.open()
