"""User guide, licences and what the program says of itself: no internet is needed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QMessageBox, QTextBrowser, QWidget

from splu_desktop import __version__
from splu_desktop.core.resources import resource_path
from splu_desktop.gui.base.dialogs import Dialog, last_row
from splu_desktop.gui.base.session import RAIL, Step
from splu_desktop.gui.base.widgets import line_edit, put
from splu_desktop.gui.base.words import bare, t
from splu_desktop.gui.shell import languages
from splu_desktop.gui.shell.rail import step_name


class GuideDialog(Dialog):
    """A text, and a field to find words in it, shown at once: the work goes on beside it."""

    def __init__(self, title: str, markdown: str, parent: QWidget | None = None) -> None:
        super().__init__(title, (900, 640), parent)
        self.search = line_edit(t("Find in this text"), t("Find in this text"))
        self.search.returnPressed.connect(self._find)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)
        self.text = QTextBrowser()
        # A click on a link would put its target in place of the text, and there is no way back.
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(16)
        self.text.setMarkdown(markdown)
        put(self.parts, self.search, (self.text, 1))
        last_row(self)
        self.text.setFocus()
        self.show()

    def _find(self) -> None:
        words = self.search.text()
        if words and not self.text.find(words):  # from the top once more
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(words)


def _guide_text() -> str:
    """Return the user guide in the window's language."""
    return resource_path(f"help/guide.{languages.language_in_force()}.md").read_text(encoding="utf-8")


def guide(parent: QWidget) -> GuideDialog:
    """Show the user guide."""
    return GuideDialog(bare(t("&User guide")), _guide_text(), parent)


def licences(parent: QWidget) -> GuideDialog:
    """Show what the program is made of and under which licences: its own alone where nothing else comes with it."""
    try:
        text = resource_path("licences/LICENCES.txt").read_text(encoding="utf-8")
    except FileNotFoundError:  # an installation from packages, where each brings its own
        text = t(
            "SPLU Desktop stands under the MIT licence. What it is built on was installed with licences of its own."
        )
    # Two blanks keep the end of a line, which Markdown would run into the next.
    return GuideDialog(bare(t("&Licences")), text.replace("\n", "  \n"), parent)


def page_help(step: Step) -> str:
    """Return what the guide says of a page, and the words of the window."""
    sections = _guide_text().split("\n## ")[1:]
    # As a default of `get` the place would be asked for first, and these two have none in the rail.
    number = {Step.COLUMNS: "3a", Step.EXPERT: "3b"}.get(step) or str(RAIL.index(step) + 1)
    section = next(each.partition("\n")[2] for each in sections if each.split()[0] == number)
    return f"{section.strip()}\n\n## {sections[1]}"


def show_page_help(step: Step, parent: QWidget) -> GuideDialog:
    """Show what the guide says of a page."""
    return GuideDialog(step_name(step), page_help(step), parent)


def about(parent: QWidget) -> None:
    """Tell what this program is."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(bare(t("&About SPLU Desktop")))
    box.setText(f"SPLU Desktop {__version__}")
    box.setInformativeText(t("Turns a sensitive table into one that can be handed out. Nothing leaves this computer."))
    box.open()


def asked_to_stop(parent: QWidget) -> bool:
    """Return whether the user wants to close while a release is being written."""
    words = t("Stop it and close? Nothing of the unfinished release is left.")
    box = QMessageBox(QMessageBox.Icon.Warning, t("A release is being written"), words, parent=parent)
    close = box.addButton(t("Close"), QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(t("Cancel"), QMessageBox.ButtonRole.RejectRole))  # Enter stops nothing
    box.exec()
    box.deleteLater()
    return box.clickedButton() is close
