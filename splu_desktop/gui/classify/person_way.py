"""Where an identifier repeats: what is done about persons with several records."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QInputDialog, QWidget

from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.persons import PersonsFound
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.widgets import label, margins
from splu_desktop.gui.base.words import caption, tip


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

    def take(self, way: str, reason: str = "", *, order: str = "", number: bool = False) -> None:
        """Choose a way, "" for none, as one step of undo; `order` and `number` as in `ByPerson`."""
        choices = self._session.choices
        if choices is not None:
            chosen = ByPerson(self._column, way, reason, order, number) if way else None
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


class PersonOptions(QWidget):
    """What goes with a way: by which column records are first or last, and a random number for each person."""

    def __init__(self, session: Session, way: PersonWay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._way = session, way
        row = QHBoxLayout(self)
        margins(row, 0, spacing=8)
        self.by = label(self.tr("First and last by"), "quiet")
        self.order = QComboBox()
        self.order.setAccessibleName(self.tr("Column by whose values a person's records are first or last"))
        self.order.activated.connect(self._ordered)
        self.number = QCheckBox(self.tr("Give each person a random number"))
        tip(
            self.number,
            self.tr("New in each release: recipients can follow a person's records, and whoever finds one finds all"),
        )
        self.number.clicked.connect(lambda on: self._way.take("draw", number=on))
        for part in (self.by, self.order, self.number):
            row.addWidget(part)
        row.addStretch(1)
        self.hide()

    def look(self) -> None:
        """Show what goes with the way chosen now."""
        choices, source = self._session.choices, self._session.source
        chosen = choices.persons if choices is not None else None
        if chosen is None or source is None:
            self.hide()
            return
        ordered = [c.name for c in source.imported.table.columns if c.values is not None and c.name != chosen.column]
        one = chosen.way in ("first", "last")
        for part in (self.by, self.order):
            part.setVisible(one and bool(ordered))
        self.number.setVisible(chosen.way == "draw")
        with QSignalBlocker(self.order):
            self.order.clear()
            self.order.addItem(self.tr("the order of the file"), "")
            for name in ordered:
                self.order.addItem(caption(name), name)
            self.order.setCurrentIndex(max(0, self.order.findData(chosen.order)))
        with QSignalBlocker(self.number):
            self.number.setChecked(chosen.number)
        self.setVisible(one or chosen.way == "draw")

    def _ordered(self) -> None:
        choices = self._session.choices
        if choices is not None and choices.persons is not None:
            self._way.take(choices.persons.way, order=str(self.order.currentData()))
