"""What a person adds to a report: names and purpose, edition, language and paper. Remembered between runs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLineEdit, QPlainTextEdit, QRadioButton, QVBoxLayout, QWidget

from splu_desktop.files.disk.settings import remember, remembered
from splu_desktop.files.language import LANGUAGES
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.widgets import Choice, Scrolled, called, label, line_edit, margins, percent_box, put
from splu_desktop.gui.base.words import t, tip
from splu_desktop.report.law import CODES, DEFAULT, NONE, pack
from splu_desktop.report.model import Fields

_SECTION = "report"
_REST = 600  # ms without typing until the preview follows
_WIDEST = 380  # pixels that the form takes from the report at most
_LONGEST = 4_000


def laws_chosen() -> tuple[str, ...]:
    """Return the law packs chosen last; () where none were chosen or refused yet, so that the default holds."""
    return tuple(code for code in remembered(_SECTION).get("law", "").split(",") if code in (*CODES, NONE))


def choose_laws(chosen: tuple[str, ...]) -> None:
    """Remember law packs as those chosen last."""
    remember(_SECTION, {**remembered(_SECTION), "law": ",".join(chosen)})


class ReportFields(Scrolled):
    """The form at the left of the report page.

    Signals
    -------
    edition_changed : another edition is chosen.
    changed : anything else is another now; comes once the typing rests.
    """

    changed = Signal()
    edition_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self.changed)
        inside = QWidget()
        # Beside the ring around the focus, which lies on the edge.
        column = put(margins(QVBoxLayout(inside), 4, 0, 8, 0, spacing=6), label(t("Edition"), "strong"))
        self.external = QRadioButton(t("E&xternal: safe to hand out"))
        tip(self.external, t("Follows from the release alone; holds nothing that only the source knows"))
        self.internal = QRadioButton(t("I&nternal: with true counts"))
        tip(self.internal, t("For your own records and your reviewer; must not be handed out"))
        self.external.setChecked(True)
        self.external.toggled.connect(lambda _: self.edition_changed.emit())
        put(column, self.external, self.internal)
        self.why = label("", "quiet", wrap=True)
        column.addWidget(self.why)
        column.addSpacing(4)
        column.addWidget(label(t("Cover"), "strong"))
        self.edits: dict[str, QLineEdit] = {}
        self._lines(
            column,
            ("title", t("&Title"), t("name of the release")),
            ("organisation", t("&Organisation"), ""),
            ("operator", t("O&perator"), t("who published")),
            ("reviewer", t("Rev&iewer"), t("who signs")),
            ("purpose", t("P&urpose"), t("what it is for")),
            ("recipient", t("Re&cipient"), t("who gets it")),
        )
        column.addSpacing(4)
        column.addWidget(label(t("Conditions of handing out"), "strong"))
        self._lines(
            column,
            ("controls", t("Controls at the recipient"), t("what protects the release there")),
            ("contract", t("Contract"), t("what the recipient is bound to")),
            ("attempt", t("Attempt at recognising persons"), t("by whom, when, what was found")),
            ("review", t("To be reviewed by"), t("a date")),
        )
        caption = label(t("Largest risk of recognition allowed"), "quiet")
        self.threshold = percent_box(0.0, 100.0, 2, caption.text())
        self.threshold.setSpecialValueText(t("9.09 % (public release)"))
        self.threshold.valueChanged.connect(lambda _: self._typed())
        put(column, caption, self.threshold)
        column.addSpacing(4)
        column.addWidget(label(t("Law and guidance"), "strong"))
        self.laws: dict[str, QCheckBox] = {}
        for code in CODES:
            found = pack(code)
            tick = QCheckBox(found.name(languages.in_force()))
            tip(tick, found.title[languages.in_force()])
            tick.toggled.connect(lambda _: self._chosen())
            column.addWidget(tick)
            self.laws[code] = tick
        column.addSpacing(4)
        caption = label(t("Re&marks"), "quiet")
        self.remarks = QPlainTextEdit()
        self.remarks.setAccessibleName(t("Remarks"))
        self.remarks.setTabChangesFocus(True)
        self.remarks.setFixedHeight(64)
        self.remarks.textChanged.connect(self._typed)
        caption.setBuddy(self.remarks)
        put(column, caption, self.remarks)
        form = QFormLayout()
        self.language, self.paper = Choice(), Choice()
        self.language.offer((name, code) for code, name in LANGUAGES.items())
        self.paper.offer((name, name) for name in ("A4", "Letter"))
        self.language.currentIndexChanged.connect(lambda _: self._chosen())
        self.paper.currentIndexChanged.connect(lambda _: self._chosen())
        for box, words in ((self.language, t("&Language")), (self.paper, t("P&aper (PDF)"))):
            form.addRow(words, box)
            called(box, words)
        put(column, form, 1)
        self.setWidget(inside)
        self._fill(remembered(_SECTION))

    def minimumSizeHint(self) -> QSize:
        bar = self.verticalScrollBar().sizeHint().width()
        held = self.widget()
        wide = held.minimumSizeHint().width() + bar if held is not None else 0
        return QSize(min(wide, _WIDEST), super().minimumSizeHint().height())

    def _lines(self, column: QVBoxLayout, *lines: tuple[str, str, str]) -> None:
        """Add a line to type in for each name, its caption and a hint."""
        for name, words, hint in lines:
            edit = line_edit(words.replace("&", ""), hint)
            edit.setMaxLength(_LONGEST)
            edit.textEdited.connect(lambda _: self._typed())
            caption = label(words, "quiet")
            caption.setBuddy(edit)
            put(column, caption, edit)
            self.edits[name] = edit

    def fields(self) -> Fields:
        """Return what is typed."""
        texts = {name: edit.text().strip() for name, edit in self.edits.items()}
        return Fields(
            **texts,
            threshold=self._allowed(),
            law=self._law(),
            remarks=self.remarks.toPlainText().strip()[:_LONGEST],
        )

    def _allowed(self) -> str:
        return f"{self.threshold.value() / 100:g}" if self.threshold.value() else ""

    def _law(self) -> str:
        return ",".join(code for code, box in self.laws.items() if box.isChecked()) or NONE

    def offer_internal(self, source_open: bool) -> None:
        """Offer the internal edition only where the source of the release is open."""
        self.internal.setEnabled(source_open)
        self.why.setText("" if source_open else t("The internal edition needs the source, which is not open."))
        self.why.setVisible(not source_open)
        if not source_open and self.internal.isChecked():
            with QSignalBlocker(self.external):
                self.external.setChecked(True)

    def suggest(self, texts: Mapping[str, str]) -> None:
        """Fill empty fields with what was typed when the release was published."""
        for name, text in texts.items():
            if text and name in self.edits and not self.edits[name].text():
                self.edits[name].setText(text)

    def paper_size(self) -> str:
        """Return "A4" or "Letter"."""
        return str(self.paper.currentData())

    def language_code(self) -> str:
        """Return the language of the report."""
        return str(self.language.currentData())

    def keep(self) -> None:
        """Remember what is typed and chosen for the next time."""
        texts = {name: edit.text() for name, edit in self.edits.items()}
        remember(
            _SECTION,
            {
                **texts,
                "threshold": self._allowed(),
                "law": self._law(),
                "language": self.language_code(),
                "paper": self.paper_size(),
            },
        )

    def stop(self) -> None:
        """Take back a change that the preview has not followed yet."""
        self._rest.stop()

    def _fill(self, texts: Mapping[str, str]) -> None:
        for name, edit in self.edits.items():
            edit.setText(texts.get(name, ""))
        with QSignalBlocker(self.threshold):
            self.threshold.setValue((Fields(threshold=texts.get("threshold", "")).allowed or 0.0) * 100)
        chosen = (texts.get("law") or DEFAULT).split(",")
        for code, tick in self.laws.items():
            with QSignalBlocker(tick):
                tick.setChecked(code in chosen)
        for box, name in ((self.language, "language"), (self.paper, "paper")):
            at = box.findData(texts.get(name, languages.in_force() if name == "language" else ""))
            with QSignalBlocker(box):
                box.setCurrentIndex(max(0, at))

    def _typed(self) -> None:
        self._rest.start()

    def _chosen(self) -> None:
        self._rest.stop()
        self.changed.emit()
