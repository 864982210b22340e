"""The ways to put a column's values into groups, each with the inputs it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import QCoreApplication, QDate, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDateEdit,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import (
    Age,
    CannotGeneralise,
    Chapter,
    DatePart,
    Generalisation,
    Groups,
    Intervals,
    Part,
    Prefix,
    Rare,
    Steps,
    by_cuts,
    by_quantiles,
    by_width,
    is_measurement,
    round_width,
    suggest,
    system_of,
)
from splu_desktop.core.table import Column, Kind
from splu_desktop.gui.plan_controls import whole_box
from splu_desktop.gui.widgets import line_edit

translate = QCoreApplication.translate

Make = Callable[[Column], Steps]


@dataclass(frozen=True)
class Way:
    """One way.

    Attributes
    ----------
    key : stable name.
    title : what the list shows.
    """

    key: str
    title: str


def ways_for(column: Column) -> list[Way]:
    """Return the ways that suit a column, the likeliest first."""
    found = [Way("none", translate("groups", "As they are"))]
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        found += [
            Way("width", translate("groups", "Intervals of one width")),
            Way("quantiles", translate("groups", "Intervals of equally many records")),
            Way("cuts", translate("groups", "Intervals at my own cut points")),
        ]
    elif column.kind in (Kind.DATE, Kind.DATETIME):
        found += [
            Way("year", translate("groups", "Year")),
            Way("quarter", translate("groups", "Quarter")),
            Way("month", translate("groups", "Month")),
            Way("weekday", translate("groups", "Day of the week")),
            Way("age", translate("groups", "Age at a date, in bands")),
        ]
    if system_of(column) is not None:
        found.append(Way("chapter", translate("groups", "Chapters of the ICD")))
    found.append(Way("rare", translate("groups", "Rare values into “Other”")))
    if not column.kind.ordered:
        found += [
            Way("prefix", translate("groups", "First characters of a code")),
            Way("hand", translate("groups", "Groups of my own")),
        ]
    return found


def way_of(steps: Steps) -> str:
    """Return the way that steps were made by, as far as this dialog offers it; "none" for none."""
    if not steps:
        return "none"
    first = steps[0]
    if isinstance(first, Intervals):
        return first.found[0] if first.found else "cuts"
    if isinstance(first, DatePart):
        return first.part.value
    kinds: dict[type[Generalisation], str] = {
        Age: "age",
        Chapter: "chapter",
        Rare: "rare",
        Prefix: "prefix",
        Groups: "hand",
    }
    return kinds.get(type(first), "none")


def suggested(column: Column, *, sensitive: bool) -> Steps:
    """Return sensible steps for a measurement, () where none are needed."""
    return suggest(column, sensitive=sensitive) if is_measurement(column) else ()


class WayInputs(QWidget):
    """The inputs of one way; `steps` reads them."""

    changed = Signal()

    def __init__(self, key: str, column: Column, steps: Steps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self._column = column
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self._make: Make = lambda _: ()
        first = steps[0] if steps and way_of(steps) == key else None
        build = getattr(self, f"_build_{key}", None)
        if build is not None:
            build(first, steps)
        elif key in {part.value for part in Part}:
            part = Part(key)
            self._make = lambda _: (DatePart(part),)

    def steps(self, column: Column) -> Steps:
        """Return the steps that the inputs mean. Raises CannotGeneralise, BadSetting."""
        return self._make(column)

    def _whole(self, text: str, least: int, most: int, value: int) -> QSpinBox:
        box = whole_box(least, most, text)
        box.setValue(value)
        box.setKeyboardTracking(True)
        box.valueChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(text, box)
        return box

    def _line(self, text: str, value: str, hint: str = "") -> QLineEdit:
        edit = line_edit(text, hint)
        edit.setText(value)
        edit.textChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(text, edit)
        return edit

    def _build_width(self, first: Generalisation | None, steps: Steps) -> None:
        box = QDoubleSpinBox()
        box.setAccessibleName(self.tr("Width"))
        box.setDecimals(0 if self._column.kind is Kind.INTEGER else 3)
        box.setRange(1 if self._column.kind is Kind.INTEGER else 0.001, 1e12)
        try:
            usual = round_width(self._column)
        except CannotGeneralise:
            usual = 10.0
        found = first.found if isinstance(first, Intervals) else None
        box.setValue(found[1] if found else usual)
        box.valueChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(self.tr("Width"), box)
        self._make = lambda column: (by_width(column, repr(round(box.value(), 3))),)

    def _build_quantiles(self, first: Generalisation | None, steps: Steps) -> None:
        found = first.found if isinstance(first, Intervals) else None
        box = self._whole(self.tr("Number of intervals"), 2, 200, int(found[1]) if found else 10)
        self._make = lambda column: (by_quantiles(column, box.value()),)

    def _build_cuts(self, first: Generalisation | None, steps: Steps) -> None:
        cuts = ", ".join(f"{cut:g}" for cut in first.cuts) if isinstance(first, Intervals) else ""
        edit = self._line(self.tr("Cut points"), cuts, self.tr("for example 18, 40, 65"))

        def make(column: Column) -> Steps:
            parts = [part for part in edit.text().replace(";", ",").split(",") if part.strip()]
            if not parts:
                raise CannotGeneralise(self.tr("Name at least one cut point, such as 18, 40, 65."))
            return (by_cuts([part.strip() for part in parts]),)

        self._make = make

    def _build_age(self, first: Generalisation | None, steps: Steps) -> None:
        edit = QDateEdit()
        edit.setCalendarPopup(True)
        edit.setDisplayFormat("yyyy-MM-dd")
        edit.setAccessibleName(self.tr("Age at"))
        edit.setDate(
            QDate(first.at.year, first.at.month, first.at.day) if isinstance(first, Age) else QDate.currentDate()
        )
        edit.dateChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(self.tr("Age at"), edit)
        band = next((s.found[1] for s in steps if isinstance(s, Intervals) and s.found), 10.0)
        width = self._whole(self.tr("Years in a band (1: none)"), 1, 50, int(band) if first else 10)

        def make(column: Column) -> Steps:
            chosen = edit.date()
            age = Age(date(chosen.year(), chosen.month(), chosen.day()))
            if width.value() == 1:
                return (age,)
            return age, by_width(age.apply(column), width.value())

        self._make = make

    def _build_chapter(self, first: Generalisation | None, steps: Steps) -> None:
        box = QComboBox()
        box.setAccessibleName(self.tr("Classification"))
        for key, name in (("icd10", "ICD-10"), ("icd9", "ICD-9-CM")):
            box.addItem(name, key)
        system = first.system if isinstance(first, Chapter) else system_of(self._column)
        box.setCurrentIndex(max(0, box.findData(system)))
        box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(self.tr("Classification"), box)
        self._make = lambda column: (Chapter(box.currentData()),)

    def _build_rare(self, first: Generalisation | None, steps: Steps) -> None:
        rare = first if isinstance(first, Rare) else None
        box = self._whole(self.tr("Fewer records than"), 2, 100_000, rare.k if rare else 5)
        edit = self._line(self.tr("Name of the group"), rare.label if rare else self.tr("Other"))
        self._make = lambda column: (Rare(box.value(), edit.text()),)

    def _build_prefix(self, first: Generalisation | None, steps: Steps) -> None:
        length = first.length if isinstance(first, Prefix) and first.length else 3
        box = self._whole(self.tr("Characters to keep"), 1, 40, length)
        self._make = lambda column: (Prefix(length=box.value()),)

    def _build_hand(self, first: Generalisation | None, steps: Steps) -> None:
        edit = QPlainTextEdit()
        edit.setAccessibleName(self.tr("Groups, one on each line"))
        edit.setPlaceholderText(self.tr("Heart = Heart failure; Heart attack\nLung = COPD; Asthma; Pneumonia"))
        edit.setTabChangesFocus(True)
        edit.setMaximumHeight(120)
        if isinstance(first, Groups):
            edit.setPlainText("\n".join(f"{name} = {'; '.join(values)}" for name, values in first.members))
        edit.textChanged.connect(self.changed.emit)
        self.form.addRow(self.tr("Groups"), edit)
        rest = self._line(
            self.tr("All others"), (first.rest or "") if isinstance(first, Groups) else "", self.tr("stay as they are")
        )

        def make(column: Column) -> Steps:
            groups: dict[str, list[str]] = {}
            for line in edit.toPlainText().splitlines():
                name, found, values = line.partition("=")
                if not line.strip():
                    continue
                if not found:
                    raise BadSetting(
                        self.tr("Each line needs a name, =, and values with ; between them: “{line}” has no =.").format(
                            line=line.strip()[:60]
                        )
                    )
                groups.setdefault(name.strip(), []).extend(v.strip() for v in values.split(";") if v.strip())
            return (Groups.of(groups, rest.text().strip() or None),)

        self._make = make
