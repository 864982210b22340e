"""Persons with several rows: how they are drawn, numbers for courses, dates that are moved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QCheckBox, QFormLayout

from splu_desktop.core.messages import isolated
from splu_desktop.core.persons.choice import MOST_DAYS, ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.gui.base.choices import Choice, TickList, number_box, show_value
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import label, line_edit, put, show_whole
from splu_desktop.gui.base.words import t
from splu_desktop.gui.expert.section import Section


class PersonsSection(Section):
    """What is done about persons with several rows."""

    def build(self) -> None:
        self.form = QFormLayout()
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.way = Choice(t("Persons with several rows"))
        self.way.offer(
            [
                (t("all rows of a person drawn as one"), "draw"),
                (t("the first row of each"), "first"),
                (t("the last row of each"), "last"),
                (t("a random row of each"), "random"),
                (t("each row by itself"), "record"),
            ]
        )
        self.order = Choice(t("First and last by"), 20)
        self.reason = line_edit(t("Why each row may stand for itself"))
        self.number = QCheckBox(t("Give each person a random number, by which its rows are found"))
        self.days = number_box(0, MOST_DAYS, 0, t("Dates are moved by up to, days"))
        self.days.setSpecialValueText(t("not moved"))
        self.dates = TickList(t("Dates that are moved"))
        show_whole(self.dates, 0, whole=True)
        for part in (self.way, self.order, self.reason, self.number, self.days, self.dates):
            self.form.addRow(part.accessibleName(), part)
        self.none = label(t("No column names the person, so there is nothing to choose here."), "quiet", wrap=True)
        put(self.body, self.none, self.form)
        self.way.activated.connect(self._tell)
        self.order.activated.connect(self._tell)
        self.reason.editingFinished.connect(self._tell)
        self.number.clicked.connect(self._tell)
        self.days.valueChanged.connect(self._tell)
        self.dates.itemChanged.connect(lambda item: self._tell())

    def show_plan(self, plan: Plan, source: Source) -> None:
        who = plan.persons
        self.none.setVisible(who is None)
        for row in range(self.form.rowCount()):
            self.form.setRowVisible(row, who is not None)
        if who is None:
            return
        dates = [name for name in plan.nsas if source.table[name].kind.is_date]
        self.dates.offer(dates, who.shift)
        self.order.offer(
            [(t("the order of the file"), ""), *((isolated(name), name) for name in source.table.names)], who.order
        )
        self.way.choose(who.way)
        self.reason.setText(who.reason)
        self.number.setChecked(who.number)
        show_value(self.days, who.days)
        self.form.setRowVisible(self.order, who.way in ("first", "last"))
        self.form.setRowVisible(self.reason, who.way == "record" or self.way.currentData() == "record")
        self.form.setRowVisible(self.number, who.way == "draw")
        for part in (self.days, self.dates):
            self.form.setRowVisible(part, bool(dates))

    def _tell(self) -> None:
        plan = self.session.plan
        if plan is None or plan.persons is None:
            return
        way = self.way.currentData()
        # Before the plan has it: without a reason this way is refused, and there would be no field to give one in.
        self.form.setRowVisible(self.reason, way == "record")
        shift = tuple(self.dates.list_ticked()) if self.days.value() else ()
        make_choice = partial(
            ByPerson,
            plan.persons.column,
            way,
            self.reason.text().strip() if way == "record" else "",
            self.order.currentData() or "" if way in ("first", "last") else "",
            self.number.isChecked() and way == "draw",
            shift,
            int(self.days.value()) if shift else 0,
            plan.persons.least,
        )
        self.change(lambda plan: replace(plan, persons=make_choice()), self.title)
