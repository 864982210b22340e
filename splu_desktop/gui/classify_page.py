"""Classify: say of each column whether it names a person, is published as it is, is sensitive, or is left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout

from splu_desktop.core.generalise import Steps
from splu_desktop.core.roles import Role, Suggestion
from splu_desktop.gui.classify_parts import RemedyCard, RiskLine
from splu_desktop.gui.facts import ColumnFacts
from splu_desktop.gui.group_dialog import GroupDialog
from splu_desktop.gui.models import ROW, Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.page import Page
from splu_desktop.gui.roles_view import PICTURES, BarsDelegate, RoleDelegate, role_meaning, role_name
from splu_desktop.gui.session import Session, Step
from splu_desktop.gui.tasks import Tasks
from splu_desktop.gui.widgets import Card, Empty, button, label, line_edit
from splu_desktop.gui.words import number, percent


@dataclass(frozen=True)
class ColumnRow:
    """One line of the table."""

    place: int
    fact: ColumnFacts
    role: Role
    suggestion: Suggestion
    steps: Steps = ()


class ClassifyPage(Page):
    """The second page."""

    step = Step.CLASSIFY

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(
            self.tr("Classify"),
            self.tr("Say what each column is. The roles are suggestions; change any that are wrong."),
        )
        empty = Empty(
            "tags",
            self.tr("No table is open yet"),
            self.tr("Open a table first. Then each of its columns stands here with a suggested role and the reason."),
        )
        empty.buttons.addWidget(
            button(self.tr("&Import a table"), lambda: self.go.emit(Step.IMPORT), look="primary", picture="file-input")
        )
        self.use_empty(empty)
        self._build_tools()
        self._build_table()
        self.refresh()

    def _build_tools(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.search = line_edit(self.tr("Find a column"), self.tr("Find a column"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(180)
        self.search.textChanged.connect(self._find)
        row.addWidget(self.search)
        find = QAction(self)
        find.setShortcut(QKeySequence.StandardKey.Find)
        find.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.triggered.connect(self.search.setFocus)
        self.addAction(find)
        row.addStretch(1)
        self.selected_note = label(self.tr("Set selected:"), "quiet")
        row.addWidget(self.selected_note)
        marks = {
            Role.IDENTIFIER: self.tr("&Identifier"),
            Role.NSA: self.tr("&As it is"),
            Role.SA: self.tr("&Sensitive"),
            Role.DROPPED: self.tr("&Leave out"),
        }
        self.role_buttons = {}
        for role, text in marks.items():
            made = button(text, partial(self.set_selected, role), picture=PICTURES[role], hint=role_meaning(role))
            made.setAccessibleName(self.tr("Set the selected columns to: {role}").format(role=role_name(role)))
            self.role_buttons[role] = made
            row.addWidget(made)
        self.body.addLayout(row)

    def _build_table(self) -> None:
        self.model: RowsModel[ColumnRow] = RowsModel(
            [
                Field(self.tr("Column"), lambda r: r.fact.name),
                Field(self.tr("Role"), lambda r: role_name(r.role), key=lambda r: list(Role).index(r.role)),
                Field(
                    self.tr("Distribution"),
                    lambda r: "",
                    key=lambda r: r.fact.top_share,
                    bar=lambda r: r.fact.bars,
                    hint=self.tr("Share of the records, by value for numbers and dates, else the most frequent first"),
                    tip=lambda r: self.tr("Most frequent: “{value}”, {share} of the records").format(
                        value=r.fact.top, share=percent(r.fact.top_share)
                    ),
                ),
                Field(
                    self.tr("Values"),
                    lambda r: number(r.fact.distinct),
                    key=lambda r: r.fact.distinct,
                    right=True,
                    hint=self.tr("How many different values the column has"),
                ),
                Field(
                    self.tr("Missing"),
                    lambda r: number(r.fact.missing) if r.fact.missing else "–",
                    key=lambda r: r.fact.missing,
                    right=True,
                    hint=self.tr("Records without a value"),
                ),
                Field(self.tr("Most frequent"), lambda r: r.fact.top or self.tr("(empty)")),
                Field(
                    self.tr("Share"),
                    lambda r: percent(r.fact.top_share),
                    key=lambda r: r.fact.top_share,
                    right=True,
                    hint=self.tr("The most frequent value's share of all records"),
                ),
                Field(
                    self.tr("Largest γ"),
                    lambda r: number(r.fact.largest_gamma),
                    key=lambda r: r.fact.largest_gamma,
                    right=True,
                    hint=self.tr(
                        "The largest group size gamma possible if this column is sensitive. It needs 2 or more: a value"
                        " that fills more than half of the records leaves no room for decoys."
                    ),
                    colour=lambda r: "fault" if r.role is Role.SA and r.fact.largest_gamma < 2 else None,
                ),
                Field(
                    self.tr("Grouped"),
                    lambda r: "; ".join(step.words for step in r.steps) or "–",
                    hint=self.tr("How the values are put into groups before they are published"),
                    colour=lambda r: "accent" if r.steps else "quiet",
                ),
                Field(self.tr("Type"), lambda r: r.fact.kind.value),
                Field(self.tr("Why this role is suggested"), self._reason, colour=lambda r: "quiet"),
                Field(self.tr("Sample values"), lambda r: ", ".join(r.fact.samples), colour=lambda r: "quiet"),
            ]
        )
        self.sorted = SortFilter()
        self.sorted.setParent(self)
        self.sorted.setSourceModel(self.model)
        self.table = TableView(self.tr("Columns of the table"))
        self.table.setModel(self.sorted)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setItemDelegateForColumn(1, RoleDelegate(self.set_role, self.table))
        self.table.setItemDelegateForColumn(2, BarsDelegate(self.table))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.clicked.connect(lambda index: self.table.edit(index) if index.column() == 1 else None)
        self.table.activated.connect(lambda index: self.table.edit(index.siblingAtColumn(1)))
        self.table.selectionModel().selectionChanged.connect(self._selection_changed)
        self.body.addWidget(self.table, 1)
        self.details = Card(spacing=4)
        self.detail_title = label("", "strong")
        self.detail_text = label("", wrap=True, selectable=True)
        self.detail_more = label("", "quiet", wrap=True, selectable=True)
        head = QHBoxLayout()
        head.addWidget(self.detail_title, 1)
        self.group_button = button(self.tr("&Group values…"), self.group_values, picture="chart-column")
        self.group_button.setToolTip(
            self.tr("Put the values into intervals, years, chapters or other groups, so that fewer are rare")
        )
        head.addWidget(self.group_button)
        self.details.body.addLayout(head)
        for part in (self.detail_text, self.detail_more):
            self.details.body.addWidget(part)
        self.body.addWidget(self.details)
        self.remedies = RemedyCard(self.session, self.tasks)
        self.body.addWidget(self.remedies)
        foot = QHBoxLayout()
        foot.setSpacing(16)
        self.totals = label("", "quiet", wrap=True)
        foot.addWidget(self.totals, 1)
        self.risk = RiskLine(self.session, self.tasks)
        foot.addWidget(self.risk)
        self.body.addLayout(foot)

    def _reason(self, row: ColumnRow) -> str:
        if row.role is row.suggestion.role:
            return row.suggestion.reason
        return self.tr("Your choice; suggested was “{role}”: {reason}").format(
            role=role_name(row.suggestion.role), reason=row.suggestion.reason
        )

    def set_role(self, name: str, role: Role) -> None:
        """Give one column a role."""
        self.session.set_roles({name: role}, self.tr("role of {column}").format(column=name))

    def group_values(self) -> GroupDialog | None:
        """Open the dialog that puts the selected column's values into groups."""
        names = self.selected()
        if len(names) != 1:
            return None
        dialog = GroupDialog(names[0], self.session, self.tasks, self)
        dialog.open()
        return dialog

    def selected(self) -> list[str]:
        """Return the names of the selected columns."""
        return [index.data(ROW).fact.name for index in self.table.selectionModel().selectedRows()]

    def set_selected(self, role: Role) -> None:
        """Give all selected columns a role, as one step of undo."""
        names = self.selected()
        if names:
            self.session.set_roles(
                dict.fromkeys(names, role), self.tr("role of {n} columns").format(n=number(len(names)))
            )

    def _find(self, text: str) -> None:
        self.sorted.look_for(text)
        self._selection_changed()

    def _selection_changed(self) -> None:
        chosen = len(self.table.selectionModel().selectedRows())
        for made in self.role_buttons.values():
            made.setEnabled(chosen > 0)
        self._show_details()

    def _show_details(self) -> None:
        chosen = self.table.selectionModel().selectedRows()
        self.details.setVisible(len(chosen) == 1)
        if len(chosen) != 1:
            return
        row: ColumnRow = chosen[0].data(ROW)
        self.detail_title.setText(
            self.tr("{column}: {role}").format(column=row.fact.name, role=role_name(row.role).lower())
        )
        self.detail_text.setText(_sentence(self._reason(row)))
        samples = ", ".join(row.fact.samples)
        self.detail_more.setText(
            self.tr("Most frequent: {top} ({share}). For example: {samples}").format(
                top=row.fact.top or self.tr("(empty)"), share=percent(row.fact.top_share), samples=samples
            )
        )

    def act(self) -> None:
        self.session.confirm(Step.CLASSIFY)
        self.go.emit(Step.PLAN)

    def refresh(self) -> None:
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None:
            self.show_part(self.empty)
            self.set_primary(self.tr("Continue"), False, "")
            return
        self.show_part(None)
        rows = [
            ColumnRow(
                place,
                self.session.fact(fact.name),
                choices.roles[fact.name],
                source.suggestions[fact.name],
                choices.steps(fact.name),
            )
            for place, fact in enumerate(source.facts)
        ]
        fresh = [row.fact.name for row in self.model.rows] != [row.fact.name for row in rows]
        self.model.show(rows)
        if fresh:
            self.search.clear()
            self.sorted.sort(-1)
            self._fit()
        self._selection_changed()
        counts = {role: sum(row.role is role for row in rows) for role in Role}
        self.totals.setText(
            self.tr(
                "{identifiers} identifiers, {nsas} published as they are, {sas} sensitive, {dropped} left out"
            ).format(
                identifiers=number(counts[Role.IDENTIFIER]),
                nsas=number(counts[Role.NSA]),
                sas=number(counts[Role.SA]),
                dropped=number(counts[Role.DROPPED]),
            )
        )
        self._offer()
        self.risk.look()
        self.remedies.look()
        self.help_changed.emit()

    def _fit(self) -> None:
        self.table.fit_columns(200)
        line = self.table.fontMetrics()
        wide = max(line.horizontalAdvance(role_name(role)) for role in Role) + 62
        self.table.setColumnWidth(1, wide)
        self.table.setColumnWidth(2, 96)
        self.table.setColumnWidth(10, max(self.table.columnWidth(10), 260))

    def _offer(self) -> None:
        choices, source = self.session.choices, self.session.source
        if choices is None or source is None:
            return
        marked = choices.sensitive
        if not marked:
            self.set_primary(self.tr("Continue"), False, self.tr("Mark at least one column as sensitive."))
            return
        barred = [self.session.fact(name) for name in marked if self.session.barred(name)]
        if barred and barred[0].measurement:
            self.set_primary(
                self.tr("Continue"),
                False,
                self.tr(
                    "“{column}” holds measurements ({n} different). Put them into groups first: select it, then “Group"
                    " values…”."
                ).format(column=barred[0].name, n=number(barred[0].distinct)),
            )
            return
        if barred:
            fact = barred[0]
            self.set_primary(
                self.tr("Continue"),
                False,
                self.tr(
                    "“{column}” can't be sensitive as it stands: “{value}” fills {share} of the records, which leaves"
                    " no room for decoys. Give each value a tolerance of its own (above), or the column another role."
                ).format(column=fact.name, value=fact.top, share=percent(fact.top_share)),
            )
            return
        if len(marked) == 1:
            text = self.tr("Plan the protection of {column}").format(column=marked[0])
        else:
            text = self.tr("Plan the protection of {n} columns").format(n=number(len(marked)))
        self.set_primary(text, True)

    def help_text(self) -> str:
        return self.tr(
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
            "<p class='q'>Several rows at once: select them, then use the buttons above. Undo brings any role back.</p>"
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
