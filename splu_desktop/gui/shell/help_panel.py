"""The panel on the right: "What this means", in plain words, for the page in front."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import Picture, label, margins, put
from splu_desktop.gui.base.words import t


class HelpPanel(QFrame):
    """Shows one page's explanation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "window")
        self.setFixedWidth(248)
        column = margins(QVBoxLayout(self), 16, 20, 8, 8, spacing=12)
        head = put(
            margins(QHBoxLayout(), spacing=8),
            Picture("circle-question-mark", "accent", 18),
            (label(t("What this means"), "strong"), 1),
        )
        column.addLayout(head)
        self.text = QTextBrowser()
        self.text.setProperty("look", "plain")
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(t("What this means"))
        self.text.document().setDocumentMargin(0)
        column.addWidget(self.text, 1)
        self._html = ""

    def show_text(self, html: str) -> None:
        """Show an explanation in simple HTML."""
        if html != self._html:
            self._html = html
            self._render()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._render()

    def _render(self) -> None:
        c = theme.colours()
        self.text.document().setDefaultStyleSheet(
            f"p, li {{ margin-top: 0; margin-bottom: 8px; color: {c.text}; line-height: 130%; }}"
            f" .p {{ color: {c.protected}; font-weight: 600; }} .a {{ color: {c.answerable}; font-weight: 600; }}"
            f" .q {{ color: {c.quiet}; }}"
        )
        self.text.setHtml(self._html)
