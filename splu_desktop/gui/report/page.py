"""The page Report: for whom, what is still missing, and the pages as they print."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.register import Register
from splu_desktop.gui.base.dialogs import save_as
from splu_desktop.gui.base.page import KEPT, Fold, Page, title_row
from splu_desktop.gui.base.parts import Card, ChoiceCard
from splu_desktop.gui.base.recipes import laws_chosen
from splu_desktop.gui.base.session import Release, Step
from splu_desktop.gui.base.widgets import Rule, button, label, line_edit, margins, put, put_in_scroll_area, turn
from splu_desktop.gui.base.words import join, language_code, percent, t, translate
from splu_desktop.gui.report.pages import PagesView
from splu_desktop.report.fields import Fields
from splu_desktop.report.make import Report, make_report, pages, write_report

_LEFT = 322
_ENDINGS = (".pdf", ".html", ".xlsx", ".json")
_REST = 500  # ms after the last letter before the pages are set anew


def make(
    release: Release, given: Fields, code: str, *, internal: bool, progress: Progress = SILENT
) -> tuple[Release, Report, list[bytes]]:
    """Return a release's report, its pages as PNG in a language. For workers. Raises SpluError; Cancelled."""
    entry = Register().find(release.content.id)
    # True counts are for the custodian's own files: the recipient's edition never gets hold of the source.
    source = release.source.table if internal and release.source is not None else None
    report = make_report(release.content, given, entry=entry, source=source, progress=progress)
    return release, report, list(pages(report, code))


class ReportPage(Page):
    """For whom is the only decision."""

    step, before = Step.REPORT, Step.ASK
    scrolls = False

    def build(self) -> None:
        self._release: Release | None = None
        self._typed_for: object = None  # the table, or the release without one, whose report the fields are for
        self._report: Report | None = None  # that of the pages that are shown
        self.name = QWidget()
        aside = t("Two pages to sign, and an annex for those who check the figures.")
        self.name.setLayout(title_row(t("Report"), aside))
        self.head.addWidget(self.name)
        self.form = self._make_form()
        self.pages = PagesView()
        self.pages.page_changed.connect(self._show_note)
        well, beside = Card("", 1, spacing=0), QWidget()
        put(well.body, (self.pages, 1))
        self.beside = margins(QVBoxLayout(beside), 0)
        self.room_of_form = put_in_scroll_area(beside)
        put(self.body, (put(margins(QHBoxLayout(), 0, spacing=14), self.room_of_form, (well, 1)), 1))
        self.print = button(t("Print…"), self._print)
        self.foot.insertWidget(1, self.print, 0, Qt.AlignmentFlag.AlignVCenter)
        publish = partial(self.go.emit, Step.PUBLISH)
        self.use_empty("file-text", t("Publish a table, or open a release."), t("Publish"), publish)
        self.rest = QTimer(self, singleShot=True, interval=_REST)
        self.rest.timeout.connect(self._make)

    def _make_form(self) -> Card:
        card = Card(t("For whom?"), 12, 10, spacing=6)
        self.own = ChoiceCard(t("Our own files"), t("with true counts; never hand it out"))
        self.theirs = ChoiceCard(t("The recipient"), t("only what the release tells anyway"))
        self.editions = QButtonGroup(self)
        self.for_whom = margins(QVBoxLayout(), 0, spacing=6)
        for each in (self.own, self.theirs):
            self.editions.addButton(each.radio)
            each.radio.setProperty(KEPT, True)
            self.for_whom.addWidget(each)
        self.theirs.radio.setChecked(True)
        # Qt tells of the button that was let go of as well as of the one taken, and one report is enough.
        self.editions.buttonToggled.connect(lambda radio, on: self._make() if on else None)
        put(card.body, self.for_whom, Rule(), label(t("Still missing"), "strong"))
        self.fields: dict[str, QLineEdit] = {}
        self.pairs = margins(QVBoxLayout(), 0, spacing=6), margins(QVBoxLayout(), 0, spacing=6)
        for key, words, hint in (
            ("organisation", t("Who decides"), ""),
            ("reviewer", t("Who signs for data protection"), ""),
            ("basis", t("Legal basis"), t("such as the research clause")),
            ("contract", t("Contract or request"), ""),
        ):
            field = line_edit(words, hint)
            field.setMaxLength(300)
            # Only what is typed counts: `refresh` clears the fields for another table and makes the report itself.
            field.textEdited.connect(self._take_edit)
            named = put(margins(QVBoxLayout(), 0, spacing=6), label(words, "quiet", wrap=True), field)
            put(self.pairs[len(self.fields) // 2], (named, 1))
            self.fields[key] = field
        whence = label(t("Recipient, purpose and limits come from your three answers."), "quiet", wrap=True)
        put(card.body, *self.pairs, 1, whence)
        return card

    def apply_fold(self, fold: Fold) -> None:
        one = fold is Fold.NARROW
        for each in (self.for_whom, *self.pairs):
            turn(each, down=not one)
        # In one column the form scrolls with the pages below it.
        (self.pages.above if one else self.beside).addWidget(self.form)
        self.room_of_form.setVisible(not one)
        self.room_of_form.setFixedWidth(_LEFT if fold is Fold.WIDE else 260)
        self.name.setVisible(not one)

    # --- the session

    def refresh(self) -> None:
        release = self.session.release
        if release is None:
            self._release = self._report = None
            self.show_empty(t("Save as PDF…"))
            self.print.hide()
            return
        self.show_content()
        self.print.show()
        if release is not self._release:
            # If it were heard, a report of the release before would be begun, which `_release` still is here.
            if self._typed_for is not (release.source or release):
                self._typed_for = release.source or release
                with QSignalBlocker(self.editions):
                    self.theirs.radio.setChecked(True)
                for field in self.fields.values():
                    field.clear()
            self._release = release
            self.own.setEnabled(release.source is not None)
            late = t("only right after publishing, as it needs the table")
            self.own.below.setText(late if release.source is None else t("with true counts; never hand it out"))
            self._make()
        self._show_note()

    def _take_edit(self) -> None:
        self._report = None  # else Save would write one without what is being typed
        self.rest.start()
        self._show_note()

    def _make(self) -> None:
        release = self._release
        if release is None:
            return
        self._report = None
        texts: Any = {key: field.text().strip() for key, field in self.fields.items()}
        self.work.start(
            make,
            release,
            Fields(**texts, law=",".join(laws_chosen())),
            language_code(),
            internal=self.own.radio.isChecked(),
            on_partial=self._show_progress,
            on_done=self._take,
            on_exception=self._fail,
            channel="report",
        )
        self._show_note()

    def _show_progress(self, stage: str, done: float) -> None:
        if self._report is None:
            self.note.setText(join((translate(stage), percent(done, 0)), ":"))

    def _take(self, result: tuple[Release, Report, list[bytes]]) -> None:
        release, report, pictures = result
        # Letting go of a release stops no work, so that its report may still come.
        if release is not self._release:
            return
        self._report = None if self.rest.isActive() else report  # more was typed meanwhile
        self.pages.show_pages(pictures, str(report.first_line))
        if self.banner.kind == "fault":
            self.banner.hide()
        self._show_note()

    def _fail(self, sentence: str) -> None:
        self._report = None
        self.pages.show_pages((), "")
        self.show_error(sentence)
        self._show_note()

    def _show_note(self) -> None:
        self.print.setEnabled(self._report is not None)
        if self._report is None:
            busy = self.rest.isActive() or self.work.busy("report")
            self.set_primary(t("Save as PDF…"), False, t("Working it out…") if busy else "")
            return
        count = len(self.pages.pages)
        annex = max(0, count - 2)
        note = t("Page {n} of {count}: two to sign, {annex} of annex.", n=self.pages.page, count=count, annex=annex)
        self.set_primary(t("Save as PDF…"), True, note)

    # --- what is done

    def act(self) -> None:
        report, release = self._report, self._release
        if report is None or release is None:
            return
        edition = t("Our own files") if self.own.radio.isChecked() else t("The recipient")
        start = Path(release.content.path).parent / f"{release.content.title} - {t('Report')}, {edition}.pdf"
        write = partial(write_report, report, language=language_code())
        save_as(self, self.work, t("Save as PDF…"), start, _ENDINGS, write, self._tell)

    def _tell(self, kind: str, sentence: str) -> None:
        if kind == "done":
            self.session.confirm(Step.REPORT)
        self.banner.say(kind, sentence)

    def _print(self) -> None:
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = QPrintDialog(printer, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if dialog.exec() == QPrintDialog.DialogCode.Accepted:
            print_pages(self.pages.pages, printer)

    def show_what_waits(self) -> None:
        if not self.rest.isActive() and not self.work.busy("report"):
            self.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    def first_focus(self) -> QWidget:
        return self.own.radio if self.own.radio.isChecked() else self.theirs.radio


def print_pages(pages: Sequence[QImage], printer: QPrinter) -> None:
    """Print the pages as they are shown."""
    painter = QPainter(printer)
    room = printer.pageRect(QPrinter.Unit.DevicePixel)
    for at, page in enumerate(pages):
        if at:
            printer.newPage()
        painter.drawImage(QRectF(0, 0, room.width(), room.width() * page.height() / page.width()), page)
    painter.end()
