"""How a file was read: each setting with its reason, and what did not fit, with row numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QWidget

from splu_desktop.files.importer import TableReading
from splu_desktop.gui.base.dialogs import Dialog, last_row
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.parts import Banner
from splu_desktop.gui.base.widgets import put
from splu_desktop.gui.base.words import beside, join, number, t, translate
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.importing.problem_list import ProblemList
from splu_desktop.gui.importing.settings import mark_words, names_of_settings


def readings(imported: TableReading) -> list[tuple[str, str, str]]:
    """Return how a file was read: each setting, how it was chosen, and why."""
    chosen, why = imported.choices, imported.reasons
    lines: list[tuple[str, str, str]] = []
    for key, what in names_of_settings().items():
        value = getattr(chosen, key)
        if value is not None and (value != "" or key in why):
            lines.append((what, mark_words(str(value)) or t("none"), why.get(key, "")))
    if chosen.sheets is not None:
        joined = beside(sheet.name for sheet in imported.sheets if sheet.chosen)
        lines.append((t("Sheets read as one table"), joined, why.get("sheets", "")))
    for old, new in chosen.renames.items():
        lines.append((t("Column"), new, translate(str(why.get(f"name of {new}", old)))))
    for token in imported.missing_tokens:
        if token.applied:
            what = t("Missing in “{column}”", column=token.column)
            how = t("“{token}” in {n} {n:row|rows}", token=token.token or t("(empty)"), n=number(token.count))
            lines.append((what, how, token.reason))
    if imported.source.sha256:
        lines.append((t("Fingerprint (SHA-256)"), imported.source.sha256, ""))
    return lines


class HowRead(Dialog):
    """The settings and the problems of a reading."""

    def __init__(self, imported: TableReading, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(join((imported.source.name, t("How it was read")), ":"), (860, 520), parent)
        self.banner = Banner()
        self.tabs = QTabWidget()
        self.tabs.tabBar().setDrawBase(False)
        fields: list[Field[tuple[str, str, str]]] = [
            Field(t("What"), lambda r: r[0]),
            Field(t("How it was read"), lambda r: r[1]),
            Field(t("Why"), lambda r: translate(r[2]), colour=lambda r: "quiet"),
        ]
        self.view = TableView(t("How it was read"))
        self.view.hold(fields).show(readings(imported))
        self.view.fit_columns(320, filling=2, least=240)
        self.problems = ProblemList(work, self.banner.say)
        self.problems.show_problems(imported.problems)
        self.tabs.addTab(self.problems, f"{t('&Problems')} ({number(len(imported.problems))})")
        self.tabs.addTab(self.view, t("How it was read"))
        self.tabs.setCurrentIndex(0 if imported.problems else 1)
        put(self.parts, self.banner, (self.tabs, 1))
        last_row(self)
