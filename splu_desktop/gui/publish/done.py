"""What was written: the release's files, its checks, and the sensitive columns before and after."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.gui.base.bars import Bars
from splu_desktop.gui.base.session import Release
from splu_desktop.gui.base.widgets import Card, Picture, button, copy_text, label, margins, put
from splu_desktop.gui.base.words import number, size, t, tip
from splu_desktop.gui.publish.compared import Compared


class DonePart(QWidget):
    """Shown once a release is written. `again` asks to publish a second time, `hand_over` for one locked ZIP."""

    again = Signal()
    hand_over = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = margins(QVBoxLayout(self), 0, spacing=12)
        self._release: Release | None = None
        self._seen = self._build_compared()
        put(column, self._build_facts(), (self._seen, 1))

    def _build_facts(self) -> QWidget:
        card = Card(spacing=6)
        head = put(margins(QHBoxLayout(), spacing=10), Picture("circle-check", "answerable", 20))
        self.title = label("", "strong", live=True)
        head.addWidget(self.title, 1)
        card.body.addLayout(head)
        self.text = label("", wrap=True, selectable=True, live=True)
        self.files = label("", "quiet", wrap=True, selectable=True)
        self.checks = label("", "quiet", wrap=True, live=True)
        for part in (self.text, self.files, self.checks):
            card.body.addWidget(part)
        row = margins(QHBoxLayout(), spacing=8)
        self.hand = button(t("Ha&nd over…"), self.hand_over.emit, picture="package-check")
        tip(self.hand, t("Pack the release into one ZIP, with a password if you like"))
        put(
            row,
            self.hand,
            button(t("&Open the folder"), self.open_folder, picture="folder-open"),
            button(t("Copy its &path"), self.copy_path, picture="copy"),
            1,
        )
        again = button(t("Publish &again…"), self.again.emit, picture="refresh-cw")
        tip(again, t("Write a second release of the same table. Read first what that costs."))
        row.addWidget(again)
        card.body.addLayout(row)
        return card

    def _build_compared(self) -> QWidget:
        card, self.compared = Card(spacing=6), Compared(t("In your table"), t("In the release"))
        head = put(
            margins(QHBoxLayout(), spacing=10),
            Picture("eye-off", "warning", 18),
            (label(t("Before and after: for your eyes only, in no file of the release"), "strong"), 1),
            self.compared.column,
        )
        card.body.addLayout(head)
        card.body.addWidget(self.compared, 1)
        return card

    def show_release(self, release: Release, compared: Mapping[str, tuple[Bars, Bars]], checks: int) -> None:
        """Show another release."""
        if release is self._release:
            return
        self._release = release
        self.hand.setVisible(release.folder.is_dir())
        self.title.setText(t("{n} records are published", n=number(release.published.n)))
        self.text.setText(
            t(
                "{path}. Hand out all of it: the table, and the files that tell how to read its counts.",
                path=release.folder,
            )
        )
        lines = [
            t(
                "{name}, {size}, SHA-256 {sha}",
                name=entry["name"],
                size=size(int(entry["bytes"])),
                sha=str(entry["sha256"]),
            )
            for entry in release.facts["files"]
            if entry.get("format") in ("csv", "xlsx", "parquet")
        ]
        self.files.setText("\n".join(lines))
        self.checks.setText(
            t(
                "{n} checks passed: all records there, unchanged columns equal, counts plausible, order random.",
                n=number(checks),
            )
        )
        self.compared.show_columns(compared)
        self._seen.setVisible(bool(compared))

    def open_folder(self) -> None:
        """Show the release in the system's file manager."""
        if self._release is not None:
            at = self._release.folder
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(at if at.is_dir() else at.parent)))

    def copy_path(self) -> None:
        """Copy the release's path."""
        if self._release is not None:
            copy_text(str(self._release.folder))
