"""The user guide and the licences, read in the program itself: no internet is needed."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.gui.base.dialogs import Dialog, last_row
from splu_desktop.gui.base.widgets import line_edit
from splu_desktop.gui.base.words import t
from splu_desktop.gui.shell import languages


class GuideDialog(Dialog):
    """A text, and a field to find words in it."""

    def __init__(self, title: str, markdown: str, parent: QWidget | None = None) -> None:
        super().__init__(title, (900, 640), parent)
        self.search = line_edit(t("Find in this text"), t("Find in this text; Enter goes on"))
        self.search.returnPressed.connect(self._find)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)
        self.parts.addWidget(self.search)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(16)
        self.text.setMarkdown(markdown)
        self.parts.addWidget(self.text, 1)
        last_row(self, self.parts)
        self.text.setFocus()

    def _find(self) -> None:
        words = self.search.text()
        if words and not self.text.find(words):  # from the top once more
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(words)


def guide(parent: QWidget) -> GuideDialog:
    """Return the user guide, in the window's language where there is one."""
    code = languages.in_force()
    try:
        path = resource_path(f"help/guide.{code}.md")
    except FileNotFoundError:
        path = resource_path("help/guide.en.md")
    return GuideDialog(t("User guide"), path.read_text(encoding="utf-8"), parent)


def licences(parent: QWidget) -> GuideDialog:
    """Return what the program is made of and under which licences: its own alone where nothing else comes with it."""
    try:
        text = resource_path("licences/LICENCES.txt").read_text(encoding="utf-8")
    except FileNotFoundError:  # an installation from packages, where each brings its own
        text = t(
            "SPLU Desktop stands under the MIT licence. What it is built on was installed with licences of its own."
        )
    return GuideDialog(t("Licences"), text.replace("\n", "  \n"), parent)


def glossary() -> str:
    """Return the words of the window, as Markdown."""
    words = {
        t("row"): t("one line of the table: a test, a stay, a patient."),
        t("person"): t("whom the column of question 2 names; without it, limits count rows."),
        t("names a person"): t("a column that is never published."),
        t("as it is"): t("published unchanged, or coarser; whoever knows a person may know it."),
        t("secret"): t("a column whose rows are drawn anew before they are published."),
        t("left out"): t("not published."),
        t("drawn anew"): t("another’s value may stand there."),
        t("strength"): t("one row in that many keeps its own value."),
        t("release"): t("the folder that is handed out."),
        t("range"): t("what recipients read; it holds the truth in 95 of 100 releases."),
        t("readable"): t("the range is narrow enough for what you asked."),
        t("too rough"): t("the range is too wide for what you asked."),
        t("hidden"): t("small on purpose."),
        t("look alike"): t("have the same values in all that is published as it is."),
        t("riskiest group"): t("persons of whom a shown secret value is right most often."),
    }
    return "\n".join(f"- **{word}**: {what}" for word, what in words.items())


def show_page_help(name: str, text: str, parent: QWidget) -> GuideDialog:
    """Open one paragraph about a page, and the glossary."""
    found = GuideDialog(name, f"{text}\n\n## {t('Words')}\n\n{glossary()}\n", parent)
    found.show()
    return found
