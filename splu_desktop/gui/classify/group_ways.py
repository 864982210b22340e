"""The ways to put a column's values into groups, and the inputs that each of them needs.

Inputs are read on the window's thread and give a plain function of the column, which a worker then calls: finding
quantiles or ages looks at every value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDateEdit, QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from splu_desktop.core.generalise import (
    Age,
    CannotGeneralise,
    Chapter,
    DatePart,
    Generalisation,
    Groups,
    Hierarchy,
    Intervals,
    Part,
    Prefix,
    Rare,
    Steps,
    by_cuts,
    by_quantiles,
    by_width,
    clinical,
    measure_of,
)
from splu_desktop.core.table import Column, Kind
from splu_desktop.gui.base.widgets import Choice, line_edit, whole_box
from splu_desktop.gui.base.words import t
from splu_desktop.gui.classify.group_trial import Make, Opening

MOST_BY_HAND = 20_000  # values; more are grouped by a file


def ways_for(column: Column, system: str | None) -> dict[str, str]:
    """Return the ways that suit a column and what the list calls them, the likeliest first.

    system : the classification of its codes, None for none.
    """
    found = {"none": t("As they are")}
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        if measure_of(column) is not None:
            found["clinical"] = t("Intervals that medicine uses")
        found |= {
            "width": t("Intervals of one width"),
            "quantiles": t("Intervals of equally many records"),
            "cuts": t("Intervals at my own cut points"),
        }
    elif column.kind in (Kind.DATE, Kind.DATETIME):
        found |= {
            "year": t("Year"),
            "quarter": t("Quarter"),
            "month": t("Month"),
            "weekday": t("Day of the week"),
            "age": t("Age at a date, in bands"),
        }
    if system is not None:
        found["chapter"] = t("Chapters of the ICD")
    found["rare"] = t("Rare values into one group")
    if not column.kind.ordered or column.kind is Kind.INTEGER:
        found["prefix"] = t("First part of a code")
    if column.m <= MOST_BY_HAND:
        found["hand"] = t("Groups of my own")
    return found | {"hierarchy": t("A hierarchy from a file")}


def read_steps(steps: Steps) -> tuple[str, Rare | None]:
    """Return the way that steps were made by, and the step that puts rare values together after it.

    "none" for no steps, "keep" for steps that no way makes (a recipe may hold any).
    """
    if not steps:
        return "none", None
    first, rest = steps[0], steps[1:]
    if isinstance(first, Age) and rest and isinstance(rest[0], Intervals) and rest[0].found and rest[0].found[1] >= 1:
        rest = rest[1:] if rest[0].found[0] == "width" else rest
    last = rest[-1] if rest else None
    rare = last if isinstance(last, Rare) else None
    others = rest if rare is None else rest[:-1]
    way = "keep" if others else _way_of(first)
    return ("keep" if way == "rare" and rare is not None else way), rare


def _way_of(step: Generalisation) -> str:
    if isinstance(step, Intervals):
        return "clinical" if step.clinical else step.found[0] if step.found else "cuts"
    if isinstance(step, DatePart):
        return step.part.value
    kinds: dict[type[Generalisation], str] = {
        Age: "age",
        Chapter: "chapter",
        Rare: "rare",
        Prefix: "prefix",
        Groups: "hand",
        Hierarchy: "hierarchy",
    }
    return kinds.get(type(step), "keep")


def _always(*steps: Generalisation) -> Make:
    return lambda _: steps


class WayInputs(QWidget):
    """The inputs of one way; `read` gives what they mean."""

    changed = Signal()

    def __init__(
        self,
        key: str,
        column: Column,
        steps: Steps,
        usual: Opening,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.key = key
        self._column = column
        self._usual = usual
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        first = steps[0] if steps and read_steps(steps)[0] == key else None
        build = getattr(self, f"_build_{key}", None)
        kept = steps if key == "keep" else ()
        if key in {part.value for part in Part}:
            kept = (DatePart(Part(key)),)
        # What the inputs mean, as a function of the column. Raises CannotGeneralise, BadSetting.
        self.read: Callable[[], Make] = build(first, steps) if build is not None else lambda: _always(*kept)

    def _whole(self, text: str, least: int, most: int, value: int) -> QSpinBox:
        box = whole_box(least, most, text)
        box.setValue(value)
        box.setMaximumWidth(140)
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

    def _choice(self, text: str, choices: dict[str, str], chosen: str | None) -> QComboBox:
        box = Choice(text)
        box.offer(((name, key) for key, name in choices.items()), chosen)
        box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(text, box)
        return box

    def _build_width(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        found = first.found if isinstance(first, Intervals) else None
        usual = found[1] if found else self._usual.width or 10.0
        whole = self._column.kind is Kind.INTEGER
        places = 0 if whole else min(9, max(2, 1 - math.floor(math.log10(usual))))
        box = QDoubleSpinBox()
        box.setAccessibleName(t("Width"))
        box.setDecimals(places)
        box.setRange(1 if whole else 10.0**-places, 1e12)
        box.setValue(usual)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setMaximumWidth(140)
        box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        box.valueChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(t("Width"), box)

        def read() -> Make:
            width = repr(round(box.value(), places))
            return lambda column: (by_width(column, width),)

        return read

    def _build_quantiles(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        found = first.found if isinstance(first, Intervals) else None
        box = self._whole(t("Number of intervals"), 2, 200, int(found[1]) if found else 10)

        def read() -> Make:
            groups = box.value()
            return lambda column: (by_quantiles(column, groups),)

        return read

    def _build_cuts(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        cuts = ", ".join(f"{cut:.12g}" for cut in first.cuts) if isinstance(first, Intervals) else ""
        edit = self._line(t("Cut points"), cuts, t("for example 18, 40, 65"))

        def read() -> Make:
            parts = [part.strip() for part in edit.text().replace(";", ",").split(",") if part.strip()]
            if not parts:
                raise CannotGeneralise(t("Name at least one cut point, such as 18, 40, 65."))
            return _always(by_cuts(parts))

        return read

    def _build_clinical(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        return lambda: lambda column: (first,) if first is not None else (clinical(column),)

    def _build_age(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        edit = QDateEdit()
        edit.setCalendarPopup(True)
        edit.setDisplayFormat("yyyy-MM-dd")
        edit.setAccessibleName(t("Age at"))
        edit.setDate(
            QDate(first.at.year, first.at.month, first.at.day) if isinstance(first, Age) else QDate.currentDate()
        )
        edit.dateChanged.connect(lambda _: self.changed.emit())
        self.form.addRow(t("Age at"), edit)
        band = next((int(s.found[1]) for s in steps if isinstance(s, Intervals) and s.found), 1)
        width = self._whole(t("Years in a band (1: none)"), 1, 50, band if first else 10)

        def read() -> Make:
            chosen = edit.date()
            age, years = Age(date(chosen.year(), chosen.month(), chosen.day())), width.value()

            def make(column: Column) -> Steps:
                return (age,) if years == 1 else (age, by_width(age.apply(column), years))

            return make

        return read

    def _build_chapter(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        system = first.system if isinstance(first, Chapter) else self._usual.system
        box = self._choice(t("Classification"), {"icd10": "ICD-10", "icd9": "ICD-9-CM"}, system)
        return lambda: _always(Chapter(box.currentData()))

    def _build_rare(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        rare = first if isinstance(first, Rare) else None
        box = self._whole(t("Fewer records than"), 2, 100_000, rare.k if rare else 10)
        edit = self._line(t("Name of the group"), self._usual.rare if rare else t("Other"))
        return lambda: _always(Rare(box.value(), self._usual.label(edit.text())))

    def _build_prefix(self, first: Generalisation | None, steps: Steps) -> Callable[[], Make]:
        prefix = first if isinstance(first, Prefix) else Prefix(length=self._usual.prefix)
        chosen = "before" if prefix.before else "drop_last" if prefix.drop_last else "length"
        how = self._choice(
            t("Keep"),
            {
                "length": t("the first characters"),
                "before": t("what stands before a mark"),
                "drop_last": t("all but the last characters"),
            },
            chosen,
        )
        length = self._whole(t("Characters"), 1, 40, prefix.length or prefix.drop_last or 3)
        mark = self._line(t("Mark"), prefix.before or ".", t("for example . or a blank"))

        def fit() -> None:
            self.form.setRowVisible(length, how.currentData() != "before")
            self.form.setRowVisible(mark, how.currentData() == "before")

        how.currentIndexChanged.connect(lambda _: fit())
        fit()

        def read() -> Make:
            if how.currentData() == "before":
                return _always(Prefix(before=mark.text()))
            count = length.value()
            return _always(Prefix(length=count) if how.currentData() == "length" else Prefix(drop_last=count))

        return read
