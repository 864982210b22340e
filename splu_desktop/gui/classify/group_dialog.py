"""Putting a column's values into groups, with live bars of before and after. Made in a worker; the newest wins."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import Rare, Steps
from splu_desktop.core.generalise.interval_texts import in_words
from splu_desktop.core.guarantees.planning import ValueState
from splu_desktop.core.plan import DEFAULT_GAMMA
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.gui.base.bars import Bars, BarsView
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import (
    Banner,
    Choice,
    Dialog,
    Scrolled,
    label,
    last_row,
    line_edit,
    margins,
    new_grid,
    put,
    room_above,
    whole_box,
)
from splu_desktop.gui.base.words import number, percent, t, told
from splu_desktop.gui.classify.group_hand import HandInputs, HierarchyInputs
from splu_desktop.gui.classify.group_trial import Around, GroupTrial, Opening, around, opening, trial
from splu_desktop.gui.classify.group_ways import WayInputs, read_steps, ways_for
from splu_desktop.gui.classify.parts import rest_of_values
from splu_desktop.gui.classify.risk_grid import RiskGrid

_REST = 150  # ms
_ALONE = ("none", "rare", "keep")  # ways that no step for rare values follows

Inputs = WayInputs | HandInputs | HierarchyInputs


class GroupDialog(Dialog):
    """Choose a way at the top, see before and after below, and what it does to the risk at the bottom."""

    def __init__(self, name: str, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        source, choices = session.opened
        self._high = 440 + 20 * min(source.imported.table[name].m, 16)  # pixels; few values need no high window
        super().__init__(t("Group the values of {column}", column=name), (800, self._high), parent)
        self._name, self._session, self._tasks = name, session, tasks
        self._source, self._role = source, choices.roles[name]
        self._column = source.imported.table[name]
        self._now = choices.steps(name)
        self._largest = source.fact(name).largest_gamma
        gamma = choices.gammas.get(name, next(iter(choices.gammas.values()), DEFAULT_GAMMA))
        self._asked = (gamma, choices.thresholds) if self._role is Role.SA else None
        self._around: Around | None = None
        self._trial: GroupTrial | None = None
        self._opening: Opening | None = None
        self.inputs: Inputs | None = None
        self._build()
        steps, column, sensitive, called = self._now, self._column, self._role is Role.SA, rest_of_values()
        job = tasks.run("group-opening", lambda progress: opening(column, steps, sensitive, called, progress))
        job.done.connect(self._opened)
        job.failed.connect(lambda text: self.banner.say("warning", text))
        if self._role is Role.NSA:
            others = [n for n, role in choices.roles.items() if role is Role.NSA and n != name]
            rest = Table((*(session.column(n) for n in others), column))
            work = tasks.run("group-around", lambda progress: around(rest, column, progress))
            work.done.connect(self._around_known)

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        column, self.banner = room_above(self.parts), Banner()
        intro = t("In wider groups more people look alike and are harder to recognise; what is finer is not published.")
        put(column, self.banner, label(intro, fitting=True))
        top = margins(QHBoxLayout(), spacing=16)
        self.way = Choice(t("How the values are grouped"))
        self.way.setEnabled(False)
        self.way.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        top.addWidget(self.way, 0, Qt.AlignmentFlag.AlignTop)
        self._holder = QVBoxLayout()
        top.addLayout(self._holder, 1)
        put(column, top, self._build_then())
        grid = new_grid(24)
        self.before, self.after = BarsView(t("Before")), BarsView(t("After"))
        self.before_title, self.after_title = label("", "strong"), label("", "strong")
        self._scroll = Scrolled()
        # As high as the bars beside it: Qt keeps the height that it was asked for while there were none.
        self._scroll.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._scroll.setAccessibleName(t("Values after grouping"))
        self._scroll.setWidget(self.after)
        grid.addWidget(self.before_title, 0, 0)
        grid.addWidget(self.after_title, 0, 1)
        grid.addWidget(self.before, 1, 0)
        grid.addWidget(self._scroll, 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        column.addLayout(grid)
        self.called = label("", "quiet", fitting=True)
        self.called.hide()
        column.addWidget(self.called)
        self.risk_title = label(t("Records recognisable by the columns published as they are"), "strong")
        self.risk = RiskGrid((t("as in the file"), t("grouped so")))
        for part in (self.risk_title, self.risk):
            part.setVisible(self._role is Role.NSA)
            column.addWidget(part)
        self.effect = label(fitting=True, live=True)
        column.addWidget(self.effect)
        column.addStretch(1)  # below all: few values leave no gap above what they come to
        self.use = last_row(self, self.parts, t("&Use these groups"))
        self.use.setEnabled(False)

    def _build_then(self) -> QWidget:
        self.then = QWidget()
        row = margins(QHBoxLayout(self.then), 0, spacing=8)
        self.rare = QCheckBox(t("Then put &rare ones together: groups of fewer records than"))
        self.rare_k = whole_box(2, 100_000, t("Fewer records than"))
        self.rare_k.setKeyboardTracking(True)
        self.rare_k.setValue(10)
        self.rare_name = line_edit(t("Name of the group of rare values"))
        self.rare_name.setText(t("Other"))
        put(row, self.rare, self.rare_k, label(t("into")), (self.rare_name, 1))
        self.rare.toggled.connect(lambda _: self._try())
        self.rare_k.valueChanged.connect(lambda _: self._try())
        self.rare_name.textChanged.connect(lambda _: self._try())
        self.then.hide()
        return self.then

    # -- trying --------------------------------------------------------------------------------------------------

    def _opened(self, found: Opening) -> None:
        self._opening = found
        self.before.show_bars(found.bars, "between")
        self.before_title.setText(t("Before: {n} values", n=number(found.values)))
        for key, title in ways_for(self._column, found.system).items():
            self.way.addItem(title, key)
        if read_steps(self._now)[0] == "keep":
            self.way.addItem(t("As they are grouped now"), "keep")
        key, rare = read_steps(found.steps)
        if rare is not None:
            with QSignalBlocker(self.rare), QSignalBlocker(self.rare_k), QSignalBlocker(self.rare_name):
                self.rare.setChecked(True)
                self.rare_k.setValue(rare.k)
                self.rare_name.setText(found.rare)
        self.way.keep_whole(*(self.way.itemText(at) for at in range(self.way.count())))  # they came after it was shown
        self.way.setEnabled(True)
        self.way.setCurrentIndex(max(0, self.way.findData(key)))
        self._show_inputs(found, found.steps)
        self.way.currentIndexChanged.connect(lambda _: self._show_inputs(found, self._now))
        self.way.setFocus()

    def _around_known(self, found: Around) -> None:
        self._around = found
        self.risk.show_risk(0, found.before)
        self._try()

    def _show_inputs(self, found: Opening, steps: Steps) -> None:
        """Show the inputs of the way chosen, filled from `steps` where these were made by it."""
        if self.inputs is not None:
            self._holder.removeWidget(self.inputs)
            self.inputs.hide()
            self.inputs.deleteLater()
        key = self.way.currentData()
        if key == "hand":
            self.inputs = HandInputs(self._column, steps)
            self.grow(self._high + 220)
        elif key == "hierarchy":
            self.inputs = HierarchyInputs(steps, self._tasks)
            self.inputs.failed.connect(lambda text: self.banner.say("warning", text))
        else:
            self.inputs = WayInputs(key, self._column, steps, found)
        self.inputs.changed.connect(self._try)
        self._holder.addWidget(self.inputs)
        self.then.setVisible(key not in _ALONE)
        self._order_by_tab()
        self._try()

    def _order_by_tab(self) -> None:
        """Let Tab go from the way to its inputs, which were made later than what stands below them."""
        before: QWidget = self.way
        for widget in self.inputs.findChildren(QWidget) if self.inputs is not None else ():
            part = isinstance(widget.parent(), QAbstractSpinBox | QComboBox | QAbstractItemView)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.window() is self and not part:
                self.setTabOrder(before, widget)
                before = widget
        self.setTabOrder(before, self.rare)

    def _try(self) -> None:
        """Try what the inputs mean, in the worker."""
        if self.inputs is None or self._opening is None:
            return
        self.use.setEnabled(False)
        try:
            make = self.inputs.read()
            rare = None
            if self.rare.isChecked() and self.way.currentData() not in _ALONE:
                rare = Rare(self.rare_k.value(), self._opening.label(self.rare_name.text()))
        except SpluError as fault:
            self._tasks.drop("group")
            self._failed(str(fault))
            return
        self.banner.hide()
        column, known, asked = self._column, self._around, self._asked
        job = self._tasks.run("group", lambda progress: trial(column, make, rare, known, asked, progress), pause=_REST)
        job.done.connect(self._tried)
        job.failed.connect(self._failed)

    def _failed(self, text: str) -> None:
        self._trial = None
        self.banner.say("warning", text)
        self.after.show_bars(Bars((), (), 0), "accent")
        self.after_title.setText(t("After"))
        self.risk.show_risk(1, None)
        self.effect.setText("")

    def _tried(self, found: GroupTrial) -> None:
        self._trial = found
        self.use.setEnabled(True)
        self.after.show_bars(found.bars, "protected" if self._role is Role.SA else "accent")
        self.after.setMinimumHeight(self.after.wanted_height())
        self.after_title.setText(t("After: {n} values", n=number(found.facts.distinct)))
        self.risk.show_risk(1, found.risk)
        self.effect.setText(self._effect(found))
        said = ((name, told(in_words(name) or name)) for name in found.bars.labels)
        name, meaning = next((pair for pair in said if pair[0] != pair[1]), ("", ""))
        self.called.setText(
            t(
                "Intervals have English names in every language, so that every question finds them: {name} is"
                " {meaning}, as dictionary.csv says.",
                name=name,
                meaning=meaning,
            )
        )
        self.called.setVisible(bool(name))

    def _effect(self, found: GroupTrial) -> str:
        if self._role in (Role.IDENTIFIER, Role.DROPPED):
            return t("The column is not published at present; its groups count once it is.")
        if self._role is not Role.SA:
            return ""
        if found.facts.measurement:
            return t("Still too many different measurements to be re-drawn; use wider groups.")
        if found.facts.largest_gamma < 2:
            return t(
                "Can't be re-drawn: “{value}” fills {share} of the records.",
                value=found.facts.top,
                share=percent(found.facts.top_share),
            )
        said = t(
            "Largest group size possible: {n} (as in the file: {before}).",
            n=number(found.facts.largest_gamma),
            before=number(self._largest),
        )
        if found.totals is None or self._asked is None:
            return said
        return t(
            "{largest} With groups of {gamma}: {small} values protected, {between} in between, {large} answerable.",
            largest=said,
            gamma=number(min(self._asked[0], found.facts.largest_gamma)),
            small=number(found.totals[ValueState.PROTECTED].values),
            between=number(found.totals[ValueState.BETWEEN].values),
            large=number(found.totals[ValueState.ANSWERABLE].values),
        )

    # -- the end -------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Take the groups over, as one step of undo."""
        choices = self._session.choices
        if self._trial is None or choices is None or self._session.source is not self._source:
            self.reject()
            return
        steps = self._trial.steps
        if steps:
            self._source.variants[self._name, steps] = (self._trial.column, self._trial.facts)
        after = {**choices.generalisations, self._name: steps}
        self._session.choose(replace(choices, generalisations=after), t("groups of {column}", column=self._name))
        super().accept()

    def drop_work(self) -> None:
        for channel in ("group", "group-opening", "group-around", "hierarchy"):
            self._tasks.drop(channel)
