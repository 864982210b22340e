"""Classify: say of each column whether it names a person, is published as it is, is sensitive, or is left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.core.draw.ways import Unprotected, by_tolerances, gamma_tolerances
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.models import ROW
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.reason_dialog import ReasonDialog
from splu_desktop.gui.base.session import Session, Step
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import (
    Card,
    Empty,
    Sparing,
    WholeLines,
    button,
    called,
    label,
    line_edit,
    margins,
    shortcut,
)
from splu_desktop.gui.base.words import beside, caption, number, percent, t, tip, told
from splu_desktop.gui.classify.audience_dialog import AudienceDialog
from splu_desktop.gui.classify.cards import CardBar
from splu_desktop.gui.classify.columns import BARS_COLUMN, ROLE_COLUMN, WHY_COLUMN, ColumnRow, ColumnsModel
from splu_desktop.gui.classify.frozen import CardFilter, FrozenTable
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.classify.parts import RemedyCard
from splu_desktop.gui.classify.risk import RiskPanel, WhatIf
from splu_desktop.gui.classify.roles_view import PICTURES, BarsDelegate, RoleDelegate, role_meaning, role_name
from splu_desktop.gui.classify.safe_dialog import SafeDialog
from splu_desktop.gui.plan.said_ahead import GiveawayCard
from splu_desktop.gui.plan.taking_groups import take_groups, take_roles

_LINES = 14  # of text in the room below the table, where there is room for them
_SHARE = 0.26  # of the window that they take at most
_FEWEST = 3  # of them on a small screen
_REASON = (54, 66, 100)  # letters of a reason in view: at least, beside other columns, and where there is room


class ClassifyPage(Page):
    """The second page."""

    step = Step.CLASSIFY

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(
            t("Classify"), t("Say what each column is. The roles are suggestions; change any that are wrong.")
        )
        empty = Empty(
            "tags",
            t("No table is open yet"),
            t("Open a table first. Then each of its columns stands here with a suggested role and the reason."),
        )
        empty.buttons.addWidget(
            button(t("&Import a table"), lambda: self.go.emit(Step.IMPORT), look="primary", picture="file-input")
        )
        self.use_empty(empty)
        self._build_tools()
        self._build_table()
        self.refresh()

    def _build_tools(self) -> None:
        self.cards = CardBar()
        self.cards.chosen.connect(self._find)
        self.body.addWidget(self.cards)
        self.selected_note = label(t("Set selected:"), "quiet")
        tools = Sparing(self.selected_note)
        row = tools.row
        self.search = line_edit(t("Find a column"), t("Find a column"))
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(120)
        self.search.setMaximumWidth(180)
        self.search.textChanged.connect(lambda: self._find())
        row.addWidget(self.search)
        shortcut(self, "", QKeySequence.StandardKey.Find, self.search.setFocus, inside=True)
        self.audience_button = button(t("&Who gets it?…"), self.ask_audience, picture="lock")
        tip(self.audience_button, t("Five questions that say how careful the release has to be"))
        self.safe_button = button(t("&Make it safe…"), self.make_it_safe, picture="shield-check")
        for at, part in enumerate((self.audience_button, self.safe_button), 1):
            self.foot.insertWidget(at, part)
        row.addStretch(1)
        row.addWidget(self.selected_note)
        marks = {
            Role.IDENTIFIER: t("&Identifier"),
            Role.NSA: t("&As it is"),
            Role.SA: t("&Sensitive"),
            Role.DROPPED: t("&Leave out"),
        }
        self.role_buttons = {}
        for role, text in marks.items():
            made = button(text, partial(self.set_selected, role), picture=PICTURES[role], hint=role_meaning(role))
            made.setAccessibleName(t("Set the selected columns to: {role}", role=role_name(role)))
            called(made, text)
            self.role_buttons[role] = made
            row.addWidget(made)
        self.body.addWidget(tools)

    def _build_table(self) -> None:
        self.model = ColumnsModel()
        self.sorted = CardFilter()
        self.sorted.setParent(self)
        self.sorted.setSourceModel(self.model)
        self.table = FrozenTable(t("Columns of the table"))
        self.table.setModel(self.sorted)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setItemDelegateForColumn(ROLE_COLUMN, RoleDelegate(self.set_role, self.table))
        self.table.setItemDelegateForColumn(BARS_COLUMN, BarsDelegate(self.table))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.clicked.connect(lambda index: self.table.edit(index) if index.column() == ROLE_COLUMN else None)
        self.table.activated.connect(lambda index: self.table.edit(index.siblingAtColumn(ROLE_COLUMN)))
        self.table.selectionModel().selectionChanged.connect(self._selection_changed)
        self.body.addWidget(self.table, 1)
        # What is said below has a room of its own, so that no row moves when it changes.
        inside = QWidget()
        self.below = QVBoxLayout(inside)
        margins(self.below, 0, 0, 4, 0, spacing=8)
        self.room = _Room()
        self.room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.room.setWidget(inside)
        self.room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.body.addWidget(self.room)
        self.details = Card(spacing=4)
        self.detail_title = label("", "strong")
        self.detail_text = label("", wrap=True, selectable=True)
        self.detail_risk = label("", wrap=True, selectable=True)
        self.detail_more = label("", "quiet", wrap=True, selectable=True)
        head = QHBoxLayout()
        head.addWidget(self.detail_title, 1)
        self.group_button = button(t("&Group values…"), self.group_values, picture="chart-column")
        tip(
            self.group_button,
            t("Put the values into intervals, years, chapters or other groups, so that fewer are rare"),
        )
        self.coarser_button = button(t("Use these g&roups"), self.use_coarser)
        self.common_button = button("", self.declare_common)
        head.addWidget(self.common_button)
        head.addWidget(self.coarser_button)
        head.addWidget(self.group_button)
        self.details.body.addLayout(head)
        for part in (self.detail_text, self.detail_risk, self.detail_more):
            self.details.body.addWidget(part)
        self.below.addWidget(self.details)
        self.remedies = RemedyCard(self.session, self.tasks)
        self.below.addWidget(self.remedies)
        self.giveaway = GiveawayCard(self.session, self.tasks)
        self.giveaway.group.connect(self.group_values_of)
        self.risk = RiskPanel(self.session, self.tasks)
        self.risk.found.connect(self._risk_found)
        self.below.addWidget(self.risk.persons_part)
        self.below.addWidget(self.giveaway)
        self.below.addWidget(self.risk)
        self.totals = label("", "quiet", wrap=True)
        self.below.addWidget(self.totals)
        self.below.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.room.updateGeometry()  # its height is a share of the window's

    def set_role(self, name: str, role: Role) -> None:
        """Give one column a role."""
        self._set_roles([name], role, t("role of {column}", column=name))

    def _set_roles(self, names: list[str], role: Role, words: str) -> None:
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None:
            return
        # What names a person is not published by a click: the reason is typed, and the report shows it. A column in
        # groups is another one; whether that names persons still is looked at before publishing.
        named = [
            name
            for name in names
            if role.published
            and source.suggestions[name].role is Role.IDENTIFIER
            and name not in choices.kept
            and not choices.steps(name)
        ]
        if not named:
            take_roles(self.session, self.tasks, dict.fromkeys(names, role), words)
            return
        dialog = ReasonDialog.of_columns(named, [told(source.suggestions[name].reason) for name in named], self)
        dialog.given.connect(lambda reason: self._keep(names, named, role, reason, words))
        dialog.open()

    def _keep(self, names: list[str], named: list[str], role: Role, reason: str, words: str) -> None:
        take_roles(self.session, self.tasks, dict.fromkeys(names, role), words, dict.fromkeys(named, reason))

    def group_values(self) -> GroupDialog | None:
        """Open the dialog that puts the selected column's values into groups."""
        names = self.selected()
        return self.group_values_of(names[0]) if len(names) == 1 else None

    def group_values_of(self, name: str) -> GroupDialog:
        """Open the dialog that puts one column's values into groups."""
        dialog = GroupDialog(name, self.session, self.tasks, self)
        dialog.open()
        return dialog

    def use_coarser(self) -> None:
        """Put the selected column's values into the groups whose effect is shown beside it."""
        names, choices = self.selected(), self.session.choices
        what = self._what(names[0]) if len(names) == 1 else None
        if what is not None and what.steps and choices is not None:
            take_groups(self.session, self.tasks, names[0], (*choices.steps(names[0]), *what.steps))

    def declare_common(self) -> None:
        """Declare the common value of the selected column not sensitive."""
        names, choices = self.selected(), self.session.choices
        found = self._common(names[0]) if len(names) == 1 else None
        gamma = choices.draws[names[0]].follows if found is not None and choices is not None else None
        if found is not None and choices is not None and gamma is not None:
            column = self.session.column(names[0])
            limits = gamma_tolerances(column, gamma, [found.value])
            draws = {**choices.draws, names[0]: by_tolerances(column, limits, "joined")}
            words = t("“{value}” not sensitive", value=found.value)
            self.session.choose(replace(choices, draws=draws), words)

    def _common(self, name: str) -> Unprotected | None:
        return self.risk.shown.common.get(name) if self.risk.shown is not None else None

    def _what(self, name: str) -> WhatIf | None:
        return self.risk.shown.columns.get(name) if self.risk.shown is not None else None

    def _risk_found(self) -> None:
        self.model.show([replace(row, what=self._what(row.fact.name)) for row in self.model.rows])
        self._show_details()

    def selected(self) -> list[str]:
        """Return the names of the selected columns."""
        return [row.fact.name for row in self.table.chosen()]

    def set_selected(self, role: Role) -> None:
        """Give all selected columns a role, as one step of undo."""
        names = self.selected()
        if names:
            self._set_roles(names, role, t("role of {n} columns", n=number(len(names))))

    def _find(self) -> None:
        self.sorted.look_for(self.search.text())
        self.sorted.look_at(self.cards.card)
        self._selection_changed()

    def show_column(self, name: str) -> None:
        """Select a column and bring it into view, whatever was filtered."""
        self.search.clear()
        self.cards.choose(None)
        for row in range(self.sorted.rowCount()):
            if self.sorted.index(row, 0).data(ROW).fact.name == name:
                self.table.selectRow(row)
                self.table.scrollTo(self.sorted.index(row, ROLE_COLUMN))
        self.table.setFocus()

    def ask_audience(self) -> AudienceDialog | None:
        """Ask who gets the release."""
        if self.session.choices is None:
            return None
        dialog = AudienceDialog(self.session, self)
        dialog.open()
        return dialog

    def make_it_safe(self) -> SafeDialog | None:
        """Propose the steps that make the release safe."""
        if not self.session.ready_to_plan():
            return None
        dialog = SafeDialog(self.session, self.tasks, self)
        dialog.open()
        return dialog

    def _selection_changed(self) -> None:
        chosen = len(self.table.rows_chosen())
        for made in self.role_buttons.values():
            made.setEnabled(chosen > 0)
        self._show_details()

    def _show_details(self) -> None:
        chosen = self.table.chosen()
        self.details.setVisible(len(chosen) == 1)
        if len(chosen) != 1:
            return
        row: ColumnRow = chosen[0]
        self.detail_title.setText(t("{column}: {role}", column=row.fact.name, role=role_name(row.role)))
        done = (self.model.reason(row), *(told(step.words) for step in row.steps))
        self.detail_text.setText(" ".join(map(_sentence, done)))
        told_risk = self._told(row)
        self.detail_risk.setText(told_risk)
        self.detail_risk.setVisible(bool(told_risk))
        shown = self.risk.shown
        self.coarser_button.setVisible(row.what is not None and shown is not None and row.what.helps(shown.whole))
        common = self._common(row.fact.name) if row.role is Role.SA else None
        self.common_button.setVisible(common is not None)
        if common is not None:
            self.common_button.setText(t("“{value}” is not sensitive", value=caption(common.value)))
            self.detail_risk.setText("\n".join(filter(None, (told_risk, told(common.sentence(row.fact.name))))))
            self.detail_risk.setVisible(True)
        samples, fact = beside(row.fact.samples), row.fact
        self.detail_more.setText(
            t(
                "Most frequent: {top} ({share}). For example: {samples}",
                top=fact.top.strip() or t("(empty)"),
                share=percent(fact.top_share if fact.top.strip() else fact.missing / fact.records),
                samples=samples,
            )
        )

    def _told(self, row: ColumnRow) -> str:
        """Return what the selected column does to the risk, or what limits its group size."""
        choices, shown = self.session.choices, self.risk.shown
        if row.role is Role.SA and not self.session.barred(row.fact.name) and choices is not None:
            if row.fact.name not in choices.gammas:
                return told(choices.draws[row.fact.name].able(row.fact.name))
            return t(
                "Largest group size possible: {n}, since “{value}” fills {share} of the records.",
                n=number(row.fact.largest_gamma),
                value=row.fact.top,
                share=percent(row.fact.top_share),
            )
        if row.what is None or shown is None:
            return ""
        cause = row.what.cause
        if cause.generalised is None:
            return t(
                "Unique records: {now} with it, {without} without it.",
                now=number(shown.whole.unique),
                without=number(cause.without.unique),
            )
        return t(
            "Unique records: {now} with it, {without} without it, {grouped} with it in groups ({steps}).",
            now=number(shown.whole.unique),
            without=number(cause.without.unique),
            grouped=number(cause.generalised.unique),
            steps=", ".join(told(step.words) for step in row.what.steps),
        )

    def act(self) -> None:
        self.session.confirm(Step.CLASSIFY)
        self.go.emit(Step.PLAN)

    def refresh(self) -> None:
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None:
            self.show_part(self.empty)
            self._show_acts(False)
            self.set_primary(t("Continue"), False, "")
            return
        self.show_part(None)
        self._show_acts(True)
        self.risk.look()
        self.giveaway.look()
        rows = [
            ColumnRow(
                place,
                self.session.fact(fact.name),
                choices.roles[fact.name],
                source.suggestions[fact.name],
                choices.steps(fact.name),
                self._what(fact.name),
            )
            for place, fact in enumerate(source.facts)
        ]
        self.cards.count(Counter(row.suggestion.card for row in rows))
        ready = self.session.ready_to_plan()
        self.safe_button.setEnabled(ready)
        tip(
            self.safe_button,
            t("Proposes steps until few records stand out and no column gives a sensitive one away")
            if ready
            else t("Mark at least one column as sensitive."),
        )
        fresh = [row.fact.name for row in self.model.rows] != [row.fact.name for row in rows]
        self.model.show(rows)
        if fresh:
            self.search.clear()
            self.cards.choose(None)
            self.sorted.sort(-1)
            self._fit()
        self._selection_changed()
        counts = {role: sum(row.role is role for row in rows) for role in Role}
        self.totals.setText(
            t(
                "Identifiers: {identifiers}; published as they are: {nsas}; sensitive: {sas}; left out: {dropped}",
                identifiers=number(counts[Role.IDENTIFIER]),
                nsas=number(counts[Role.NSA]),
                sas=number(counts[Role.SA]),
                dropped=number(counts[Role.DROPPED]),
            )
            + ("" if choices.audience is None else "\n" + told(choices.audience.sentence))
        )
        self._offer()
        self.remedies.look()
        self.help_changed.emit()

    def _show_acts(self, shown: bool) -> None:
        for part in (self.audience_button, self.safe_button):
            part.setVisible(shown)

    def _fit(self) -> None:
        self.table.fit_columns(200)
        line = self.table.fontMetrics()
        wide = max(line.horizontalAdvance(role_name(role)) for role in Role) + 62
        self.table.setColumnWidth(ROLE_COLUMN, wide)
        self.table.setColumnWidth(BARS_COLUMN, max(96, self.table.horizontalHeader().sectionSizeHint(BARS_COLUMN)))
        self.table.keep_in_view(WHY_COLUMN, *(letters * line.averageCharWidth() for letters in _REASON))

    def _offer(self) -> None:
        choices, source = self.session.choices, self.session.source
        if choices is None or source is None:
            return
        marked = choices.sensitive
        if not marked:
            self.set_primary(t("Continue"), False, t("Mark at least one column as sensitive."))
            return
        barred = [self.session.fact(name) for name in marked if self.session.barred(name)]
        if barred and barred[0].measurement:
            self.set_primary(
                t("Continue"),
                False,
                t(
                    "“{column}” holds measurements ({n} different). Put them into groups first: select it, then “Group"
                    " values…”.",
                    column=barred[0].name,
                    n=number(barred[0].distinct),
                ),
            )
            return
        if barred:
            fact = barred[0]
            self.set_primary(
                t("Continue"),
                False,
                t(
                    "“{column}” can't be sensitive as it stands: “{value}” fills {share} of the records, which leaves"
                    " no room for decoys. Give each value a tolerance of its own (above), or the column another role.",
                    column=fact.name,
                    value=fact.top,
                    share=percent(fact.top_share),
                ),
            )
            return
        if len(marked) == 1:
            text = t("Plan the protection of {column}", column=marked[0])
        else:
            text = t("Plan the protection of {n} columns", n=number(len(marked)))
        self.set_primary(text, True)

    def help_text(self) -> str:
        return t(
            "<p><b>Identifier</b>: names a person by itself (name, record number, exact birth date). Never"
            " published.</p>"
            "<p><b>Sensitive</b>: what must not be learned about a single patient, such as a diagnosis. It is re-drawn"
            " among decoys.</p>"
            "<p><b>Published as it is</b>: what the recipient needs to select patients by, such as sex, age or"
            " ward.</p>"
            "<p><b>Left out</b>: not needed, so not published.</p>"
            "<p><b>What should I choose?</b></p>"
            "<p>Leave out what the recipient can do without. Columns published as they are stay recognisable in rare"
            " combinations, so fewer are safer.</p>"
            "<p>A record is <b>unique</b> if no other one has the same values in all of them. Coarser values, such as"
            " ages in tens, make fewer unique: select a column, then “Group values…”.</p>"
            "<p class='q'>Several rows at once: select them, then use the buttons above. Undo brings any role back.</p>"
        )


class _Room(WholeLines):
    """Room whose height follows from the window's alone, not from what stands in it."""

    def sizeHint(self) -> QSize:
        most = int(_SHARE * self.window().height())
        return QSize(super().sizeHint().width(), min(self.fontMetrics().height() * _LINES, most))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.fontMetrics().height() * _FEWEST)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
