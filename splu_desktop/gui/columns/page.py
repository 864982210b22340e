"""Columns: the full list, what each column is, and what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from splu_desktop.core.generalise import Steps
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.parts import Columns, Flow
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import label, line_edit, margins, put, put_in_scroll_area
from splu_desktop.gui.base.words import bare, beside, join, number, t
from splu_desktop.gui.columns.facts import KINDS, ColumnRow, as_proposed, column_rows, look_of, with_kinds, with_public
from splu_desktop.gui.columns.panel import ColumnPanel
from splu_desktop.gui.columns.table import ColumnTable

_PANEL = 330


class ColumnsPage(Page):
    """The list of columns, under the proposal."""

    step, before = Step.COLUMNS, Step.PROPOSAL
    scrolls = False

    def build(self) -> None:
        self._rows: list[ColumnRow] = []
        self._name = ""
        row = margins(QHBoxLayout(), 0, spacing=16)
        self.title = label(bare(t("&Columns")), "title")
        self.pills: dict[Role | None, QPushButton] = {}
        group, flow = QButtonGroup(self), Flow()
        self.filters = QWidget()
        self.filters.setLayout(flow)
        for role in (None, *KINDS):
            pill = QPushButton()
            pill.setProperty("look", "pill")
            pill.setCheckable(True)
            pill.setAutoDefault(False)
            pill.clicked.connect(lambda _=False, role=role: self._filter(role))
            self.pills[role] = pill
            group.addButton(pill)
            flow.addWidget(pill)
        self.pills[None].setChecked(True)
        self._shown: Role | None = None
        self.search = line_edit(t("Find a column"), t("Find a column"))
        self.search.setMaximumWidth(220)
        put(row, self.title, (self.filters, 1), self.search)
        self.head.addLayout(row)
        self.table = ColumnTable()
        self.search.textChanged.connect(self.table.shown.look_for)
        self.table.kind_chosen.connect(self._set_kind)
        self.table.undo_asked.connect(self._undo)
        self.table.opened.connect(self._open)
        self.table.selectionModel().currentRowChanged.connect(self._current_changed)
        self.panel = ColumnPanel(self.session, self.work)
        self.panel.public_chosen.connect(self._set_public)
        self.panel.steps_chosen.connect(self._set_steps)
        self.beside = put_in_scroll_area(self.panel)
        self.pair = Columns(self.table, self.beside, _PANEL)
        self.body.addWidget(self.pair, 1)
        self._open_part = False

    def apply_fold(self, fold: Fold) -> None:
        narrow = fold is Fold.NARROW
        self.pair.fold(narrow, _PANEL if fold is Fold.WIDE else 280)
        self.title.setVisible(not narrow)
        self._show_part_of()

    def _show_part_of(self) -> None:
        """Show list and column beside each other, or, where it is narrow, one of them."""
        narrow = self.fold is Fold.NARROW
        part = narrow and self._open_part
        self.table.setVisible(not part)
        self.beside.setVisible(not narrow or part)
        for each in (self.filters, self.search):
            each.setVisible(not part)
        self.primary.setText(t("Back to the list") if part else t("Back to the proposal"))

    def refresh(self) -> None:
        self._rows = column_rows(self.session)
        counts = Counter(row.role for row in self._rows)
        self.pills[None].setText(t("All {n}", n=number(len(self._rows))))
        for role in KINDS:
            self.pills[role].setText(f"{look_of(role)[2]} {number(counts[role])}")
        self._show()
        self.set_primary(
            t("Back to the proposal"),
            True,
            t(
                "{secret} secret, {same} as they are, {out} left out, {never} never published.",
                secret=number(counts[Role.SA]),
                same=number(counts[Role.NSA]),
                out=number(counts[Role.DROPPED]),
                never=number(counts[Role.IDENTIFIER]),
            ),
        )
        self._show_part_of()

    def _show(self) -> None:
        rows = [row for row in self._rows if self._shown is None or row.role is self._shown]
        self.table.rows_model.show(rows)  # what is chosen stays, where it is still there
        self.table.fit_names()
        names = [row.name for row in rows]
        if self._name not in names:
            self._name = next((row.name for row in rows if row.role.sensitive), names[0] if names else "")
        self.panel.setEnabled(bool(self._name))
        if self._name:
            if not self.table.selectionModel().hasSelection() or not self.table.names_chosen():
                self.show_column(self._name)
            self.panel.show_column(self._name)

    def show_column(self, name: str) -> None:
        """Choose a column in the list, and show it beside."""
        if name not in [row.name for row in self.table.rows_model.rows]:
            self._filter(None)
        for at in range(self.table.shown.rowCount()):
            row = self.table.row_at(self.table.shown.index(at, 0))
            if row is not None and row.name == name:
                self.table.selectRow(at)
                self.table.scrollTo(self.table.shown.index(at, 0))

    def _current_changed(self, now: QModelIndex, before: QModelIndex) -> None:
        row = self.table.row_at(now)
        if row is not None:
            self._name = row.name
            self.panel.show_column(row.name)

    def _filter(self, role: Role | None) -> None:
        self._shown = role
        self.pills[role].setChecked(True)
        self._show()

    def _open(self, name: str) -> None:
        self._name = name
        self.panel.show_column(name)
        self._open_part = True
        self._show_part_of()
        self.panel.values.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- what the user does

    def _set_kind(self, names: Sequence[str], role: Role) -> None:
        source = self.session.source
        if source is not None:
            self._change(lambda plan: with_kinds(source, plan, names, role), beside(names), look_of(role)[2])

    def _change(self, make: Callable[[Plan], Plan], column: str, what: str, merge: str = "") -> None:
        self.banner.hide()
        self.change_plan(make, join((column, what), ":"), merge)

    def _set_public(self, name: str, values: Sequence[str]) -> None:
        what = t("Which values are secret?")
        self._change(lambda plan: with_public(plan, name, values), name, what, f"public {name}")

    def _set_steps(self, name: str, steps: Steps) -> None:
        self._change(lambda plan: plan.with_steps([name], steps), name, t("Coarser values"))

    def _undo(self, name: str) -> None:
        proposal = self.session.proposal
        if proposal is not None:
            self._change(lambda plan: as_proposed(plan, proposal.plan, name), name, bare(t("&Undo")))

    def act(self) -> None:
        self.go_back()

    def go_back(self) -> None:
        if self.search.hasFocus() and self.search.text():
            self.search.clear()
            return
        if self.fold is Fold.NARROW and self._open_part:
            self._open_part = False
            self._show_part_of()
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        super().go_back()
