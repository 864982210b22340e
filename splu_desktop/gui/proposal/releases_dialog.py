"""What was released from this computer, as the register knows it; what was never handed out can be withdrawn."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.policy import check_reason, title_of
from splu_desktop.files.register import Entry, Register
from splu_desktop.gui.base.dialogs import Dialog, last_row, show_folder
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.parts import STATES
from splu_desktop.gui.base.session import Session
from splu_desktop.gui.base.widgets import button, label, line_edit, margins, put
from splu_desktop.gui.base.words import bare, number, t, translate


class ReleasesDialog(Dialog):
    """Releases and protected tables, the last one first; that of the same persons is chosen, to go out once more."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(bare(t("&Releases made from this computer…")), (860, 420), parent)
        self._session, self.problem = session, label("", "fault", fitting=True)
        self.view = TableView(bare(t("&Releases made from this computer…")))
        self.model = self.view.hold(_fields())
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._offer())
        self.folder: QPushButton = button(t("Open the folder"), self._open, picture="folder-open")
        self.why = line_edit(t("Why it was never handed out"), t("Why it was never handed out"))
        self.why.textChanged.connect(lambda: self._offer())
        self.withdraw = button(t("Withdraw"), self._withdraw)
        row = margins(QHBoxLayout(), 0, spacing=8)
        put(row, self.folder, 1, (self.why, 2), self.withdraw)
        words = t("A withdrawn release no longer counts as handed out. Withdraw only what nobody has received.")
        put(self.parts, (self.view, 1), self.problem, row, label(words, "quiet", fitting=True))
        last_row(self)
        self._read()
        same = [each.name for each in session.judgement.earlier] if session.judgement is not None else []
        for at in [at for at, entry in enumerate(self.model.rows) if entry.release in same][:1]:
            self.view.selectRow(at)
            self.folder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.open()

    def _read(self) -> None:
        try:
            reading = Register().read()
        except SpluError as fault:
            self.problem.tell(translate(str(fault)))
            return
        self.problem.tell(" ".join(translate(each) for each in reading.faults[:2]))
        self.model.show(reading.handed_out[::-1])
        self.view.resizeColumnsToContents()
        self._offer()

    def _find_chosen(self) -> Entry | None:
        rows = self.view.selectionModel().selectedRows()
        return self.model.rows[rows[0].row()] if rows else None

    def _offer(self) -> None:
        chosen = self._find_chosen()
        self.folder.setEnabled(chosen is not None and Path(str(chosen.body.get("destination", ""))).exists())
        self.withdraw.setEnabled(chosen is not None and bool(self.why.text().strip()))

    def _open(self) -> None:
        chosen = self._find_chosen()
        if chosen is not None:
            show_folder(Path(str(chosen.body.get("destination", ""))))

    def _withdraw(self) -> None:
        chosen = self._find_chosen()
        if chosen is None:
            return
        try:
            Register().withdraw(chosen.release, check_reason(self.why.text()))
        except SpluError as fault:
            self.problem.tell(translate(str(fault)))
            return
        self.why.clear()
        self._read()
        self._session.judge_anew()


def _fields() -> list[Field[Entry]]:
    def moment(entry: Entry) -> str:
        when = QDateTime.fromString(entry.time, Qt.DateFormat.ISODate).toLocalTime()
        return QLocale().toString(when, QLocale.FormatType.ShortFormat) if when.isValid() else entry.time

    def text(key: str, entry: Entry) -> str:
        return str(entry.body.get(key) or dict(entry.body.get("audience") or {}).get(key) or "–")

    def verdict(entry: Entry) -> str:
        state = str(entry.body.get("verdict"))
        return translate(title_of(state)) if state in STATES else "–"

    return [
        Field(t("When"), moment),
        Field(t("Release"), lambda entry: Path(text("destination", entry)).name),
        Field(t("To"), lambda entry: text("recipient", entry)),
        Field(t("From"), lambda entry: str(dict(entry.body.get("source") or {}).get("name") or "–")),
        Field(t("Rows"), lambda entry: number(int(entry.body.get("rows") or 0)), right=True),
        Field(t("Verdict"), verdict),
    ]
