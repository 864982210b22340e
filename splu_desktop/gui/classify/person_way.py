"""Where an identifier repeats: what is done about persons with several records."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QInputDialog, QSizePolicy, QSpinBox, QWidget

from splu_desktop.core.draw.by_person import MOST_DAYS, ONE, ByPerson
from splu_desktop.core.persons import PersonsFound
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Kind
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Choice, label, margins
from splu_desktop.gui.base.words import beside, caption, filled, t, tip

_NARROW = 220  # pixels


class PersonWay(Choice):
    """The choice among the ways; the reason for "each record by itself" is typed."""

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(t("Persons with several records"))
        self._session, self._tasks = session, tasks
        self._column = ""
        self.setMinimumWidth(_NARROW)  # the longest way is told whole in the list
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        ways = {
            "": t("Choose what is done…"),
            "draw": t("All records of a person drawn at once"),
            "first": t("One record per person: the first"),
            "last": t("One record per person: the last"),
            "random": t("One record per person: at random"),
            "record": t("Each record by itself, with a reason…"),
        }
        self.offer((words, way) for way, words in ways.items())
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
        before = self._session.choices.persons if self._session.choices is not None else None
        shift, days = (before.shift, before.days) if before is not None else ((), 0)
        self.put(ByPerson(self._column, way, reason, order, number, shift, days) if way else None)

    def put(self, chosen: ByPerson | None) -> None:
        """Choose what is done about persons, as one step of undo."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None or chosen is None or chosen.way not in ONE:
            self._tasks.drop("persons")
            self._choose(chosen)
            return
        after = replace(choices, persons=chosen)
        job = self._tasks.run("persons", lambda progress: after.counted(source))
        job.done.connect(lambda _: self._choose(chosen) if self._session.source is source else None)
        job.failed.connect(self._session.noticed)

    def _choose(self, chosen: ByPerson | None) -> None:
        choices = self._session.choices
        if choices is not None:
            self._session.choose(replace(choices, persons=chosen), t("persons with several records"))

    def _chosen(self) -> None:
        way = self.currentData()
        if way != "record":
            self.take(way)
            return
        asking = QInputDialog(self)
        asking.setWindowTitle(t("Each record by itself"))
        asking.setLabelText(
            t(
                "Whoever sees several records of a person learns more than from one. Why may each stand for itself?"
                " The report shows this."
            )
        )
        asking.textValueSelected.connect(lambda text: self.take("record", text) if text.strip() else None)
        asking.finished.connect(self._show)
        asking.open()


class PersonOptions(QWidget):
    """What goes with a way: by what records are first or last, a random number for each person, and dates that move."""

    def __init__(self, session: Session, way: PersonWay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._way = session, way
        row = margins(QHBoxLayout(self), 0, spacing=8)
        self.by = label(t("First and last by"), "quiet")
        self.order = Choice(t("Column by whose values a person's records are first or last"))
        self.order.activated.connect(lambda _: self._put(order=str(self.order.currentData())))
        self.number = QCheckBox(t("Give each person a random number"))
        tip(
            self.number,
            t("New in each release: recipients can follow a person's records, and whoever finds one finds all"),
        )
        self.number.clicked.connect(lambda on: self._put(number=on))
        self.days = QSpinBox()
        self.days.setRange(0, MOST_DAYS)
        self.days.setKeyboardTracking(False)
        self.days.setSpecialValueText(t("Dates as they are"))
        self.days.setPrefix(t("Dates moved by up to "))
        self.days.setSuffix(t(" days"))
        self.days.setAccessibleName(t("Days by which each person's dates are moved at most"))
        self.days.valueChanged.connect(self._moved)
        self.unmoved = label("", "quiet")
        for part in (self.by, self.order, self.number, self.days, self.unmoved):
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
        names = ((caption(name), name) for name in ordered)
        self.order.offer([(t("the order of the file"), ""), *names], chosen.order)
        with QSignalBlocker(self.number):
            self.number.setChecked(chosen.number)
        dates = self._dates()
        self.days.setVisible(bool(dates))
        with QSignalBlocker(self.days):
            self.days.setValue(chosen.days)
        words = t(
            "{columns}: all dates of a person by one random number of days, either way, another for each person and in"
            " each release. Days between a person's dates stay true, seasons don't."
        )
        tip(self.days, filled(words, columns=beside(dates)))
        left = [name for name in dates if chosen.shift and name not in chosen.shift]
        self.unmoved.setText(t("Not moved: {columns}", columns=beside(left)) if left else "")
        self.unmoved.setVisible(bool(left))
        self.setVisible(one or chosen.way == "draw" or bool(dates))

    def _dates(self) -> list[str]:
        """Return the columns of dates that are published."""
        choices, source = self._session.choices, self._session.source
        if choices is None or source is None:
            return []
        columns = source.imported.table.columns
        kinds = (Kind.DATE, Kind.DATETIME)
        return [c.name for c in columns if c.kind in kinds and choices.roles[c.name] is Role.NSA]

    def _moved(self, days: int) -> None:
        self._put(shift=tuple(self._dates()) if days else (), days=days)

    def _put(self, **changed: object) -> None:
        choices = self._session.choices
        if choices is not None and choices.persons is not None:
            self._way.put(replace(choices.persons, **changed))  # type: ignore[arg-type]
