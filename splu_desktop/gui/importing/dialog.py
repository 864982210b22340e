"""Overruling how a file is read: each choice with what was detected and why, and the first records live beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLineEdit, QSplitter, QTabWidget, QWidget

from splu_desktop.core.table import Kind
from splu_desktop.files.importer import ALL_SHEETS, ImportChoices, MissingToken, Preview, alike, forget_preview, preview
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.dialogs import Dialog, last_row
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.parts import Banner
from splu_desktop.gui.base.widgets import ScrollArea, label, line_edit, margins
from splu_desktop.gui.base.words import bare, join, number, t, translate
from splu_desktop.gui.base.work import Work
from splu_desktop.gui.importing.columns import ColumnsForm
from splu_desktop.gui.importing.decisions import DecisionsForm
from splu_desktop.gui.importing.rows import RowsForm
from splu_desktop.gui.importing.settings import mark_words, names_of_settings

_REST = 200  # ms
_FIRST = 200  # rows that are shown
_OF_ASIA = "gb18030", "big5", "cp932", "euc_jp", "cp949"
_ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "cp850", "mac_roman", "cp1253", *_OF_ASIA)
_MARKS = {
    "delimiter": (",", ";", "\t", "|", " "),
    "quote": ('"', "'", ""),
    "decimal": (".", ","),
    "thousands": (",", ".", " ", "'", ""),
}


class ReadDialog(Dialog):
    """Choices at the left, the first records at the right; `chosen` carries the choices when they are taken."""

    chosen = Signal(object)

    def __init__(self, path: Path, asked: ImportChoices | None, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(bare(t("Change how it is &read…")), (1000, 600), parent)
        self._path, self._work = path, work
        self.asked = asked or ImportChoices()
        self._filling = True
        column, self.banner = self.parts, Banner()
        column.addWidget(self.banner)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        self.tabs = QTabWidget()
        self.tabs.tabBar().setDrawBase(False)  # one line below the tabs, none above
        self.tabs.addTab(self._build_file(), t("&File"))
        self.columns = ColumnsForm()
        self.columns.renamed.connect(self._rename)
        self.columns.typed.connect(self._choose_kind)
        self.columns.kept_apart.connect(self._keep_apart)
        self.tabs.addTab(self.columns, t("&Columns"))
        self.rows = RowsForm()
        self.rows.chosen.connect(lambda rows: self._ask(rows=rows))
        self.tabs.addTab(self.rows, t("Ro&ws"))
        self.tabs.addTab(self._build_missing(), t("&Missing values"))
        self.decisions = DecisionsForm()
        self.decisions.decided.connect(lambda kind, what: self._ask(decisions={**self.asked.decisions, kind: what}))
        self.tabs.addTab(self.decisions, t("&Problems"))
        split.addWidget(self.tabs)
        self.records = TableView(t("The first rows as they were read"))
        split.addWidget(self.records)
        split.setSizes([400, 600])
        column.addWidget(split, 1)
        self.use = last_row(self, t("&Read it so"), (t("Detect &all again"), self._forget))
        self._filling = False
        self._try()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build_file(self) -> QWidget:
        page = QWidget()
        self.form = QFormLayout(page)
        self.form.setContentsMargins(0, 8, 8, 0)
        self.form.setVerticalSpacing(6)
        self.boxes: dict[str, Choice] = {}
        self.reasons: dict[str, Any] = {}
        names = names_of_settings()
        for key in ("sheet", "encoding", "delimiter", "quote", "decimal", "thousands", "date_order", "catalog"):
            box = self.boxes[key] = Choice(names[key])
            box.activated.connect(lambda _, key=key: self._pick(key))
            self.form.addRow(names[key], box)
            self._add_reason(key)
        self.null, self.header, self.last = map(self._add_edit, ("null", "header_row", "last_row"))
        # `textEdited` is of the user alone; `_forget` empties the field itself.
        self.null.textEdited.connect(lambda text: self._ask(null=text or None))
        for edit in (self.header, self.last):
            edit.textEdited.connect(lambda _: self._rows_edited())
        area = ScrollArea()
        area.setWidget(page)
        return area

    def _add_edit(self, key: str) -> QLineEdit:
        edit, asked = line_edit(names_of_settings()[key], t("detected")), getattr(self.asked, key)
        edit.setText("" if asked is None else str(asked))
        self.form.addRow(edit.accessibleName(), edit)
        self._add_reason(key)
        return edit

    def _add_reason(self, key: str) -> None:
        note = label("", "quiet", fitting=True)
        note.setAlignment(Qt.AlignmentFlag.AlignTop)  # close to what it explains
        self.reasons[key] = note
        self.form.addRow("", note)

    def _build_missing(self) -> QWidget:
        page = QWidget()
        row = margins(QHBoxLayout(page), 0, 8, 0, 0)
        fields: list[Field[MissingToken]] = [
            Field(t("Means “no value”"), lambda r: r.token or t("(empty)"), tick=lambda r: r.applied),
            Field(t("Column"), lambda r: r.column),
            Field(t("Rows"), lambda r: number(r.count)),
            Field(t("Why"), lambda r: translate(r.reason)),
        ]
        self.tokens = TableView(t("&Missing values"))
        self.tokens_model = self.tokens.hold(fields)
        self.tokens_model.changed.connect(self._token_ticked)
        row.addWidget(self.tokens)
        return page

    # -- what the user does --------------------------------------------------------------------------------------

    def _pick(self, key: str) -> None:
        chosen = self.boxes[key].currentData()
        if key == "sheet":
            several = chosen == ALL_SHEETS
            # The joined table has a column more, so that names and types chosen before stay with their columns.
            self._ask(sheet=None if several else chosen, sheets=ALL_SHEETS if several else None)
        else:
            self._ask(**{key: chosen})

    def _rows_edited(self) -> None:
        numbers: dict[str, int | None] = {}
        for key, edit in (("header_row", self.header), ("last_row", self.last)):
            text = edit.text().strip()
            if text and not text.isdecimal():
                self.banner.say("warning", t("Rows are counted from 1; “{text}” is no row.", text=text))
                self.use.setEnabled(False)
                return
            numbers[key] = int(text) if text else None
        self._ask(**numbers)

    def _choose_kind(self, name: str, kind: Kind | None) -> None:
        types = {column: chosen for column, chosen in self.asked.types.items() if column != name}
        self._ask(types=types if kind is None else {**types, name: kind})

    def _rename(self, old: str, new: str) -> None:
        now = self.asked.renames.get(old, old)
        others = {self.asked.renames.get(name, name) for name in self.columns.names if name != old}
        # What was chosen for the column goes along with its name, unless two share one for the moment.
        moved = {} if now in others or new in others else {now: new}
        renames = {name: to for name, to in self.asked.renames.items() if name != old}
        self._ask(
            renames=renames if new == old else {**renames, old: new},
            types={moved.get(name, name): kind for name, kind in self.asked.types.items()},
            missing={moved.get(name, name): texts for name, texts in self.asked.missing.items()},
            rows={moved.get(name, name): texts for name, texts in self.asked.rows.items()},
            keep_spellings=tuple(moved.get(name, name) for name in self.asked.keep_spellings),
        )

    def _keep_apart(self, name: str, on: bool) -> None:
        others = tuple(column for column in self.asked.keep_spellings if column != name)
        self._ask(keep_spellings=(*others, name) if on else others)

    def _token_ticked(self, place: int, on: bool) -> None:
        tokens = list(self.tokens_model.rows)
        tokens[place] = replace(tokens[place], applied=on)
        self.tokens_model.show(tokens)
        ticked: dict[str, tuple[str, ...]] = {each.column: () for each in tokens}
        for each in tokens:
            if each.applied:
                ticked[each.column] += (each.token,)
        self._ask(missing={**self.asked.missing, **ticked})

    def _forget(self) -> None:
        for edit in (self.header, self.last, self.null):
            edit.clear()
        self.asked = ImportChoices()
        self._try()

    def _ask(self, **changes: Any) -> None:
        # What `_show_trial` fills the parts with is no wish of the user's.
        if not self._filling:
            self.asked = replace(self.asked, **changes)
            self._try()

    # -- trying and showing --------------------------------------------------------------------------------------

    def _try(self) -> None:
        # Only a reading that was tried can be taken; `_show_trial` wakes the button.
        self.use.setEnabled(False)
        path, asked = self._path, self.asked
        self._work.start(
            preview,
            path,
            asked,
            on_done=self._show_trial,
            on_exception=lambda text: self.banner.say("fault", text),
            channel="preview",
            pause=_REST,
        )

    def _show_trial(self, preview: Preview) -> None:
        self.banner.hide()
        self.use.setEnabled(True)
        self._filling = True
        self.records.show_table(preview.reading.table, _FIRST, 160)
        self._fill_file(preview)
        self.columns.show_columns(preview.reading, self.asked)
        self.decisions.show_choices(self.asked)
        self.rows.show_rows(preview.reading, self.asked)
        if list(self.tokens_model.rows) != list(preview.reading.missing_tokens):
            self.tokens_model.show(preview.reading.missing_tokens)
            self.tokens.fit_columns(220)
        self._filling = False

    def _fill_file(self, preview: Preview) -> None:
        resolved, why = preview.reading.choices, preview.reading.reasons
        offered: dict[str, tuple[Any, ...]] = {
            "sheet": tuple(sheet.name for sheet in preview.reading.sheets),
            "encoding": _ENCODINGS,
            "date_order": ("dmy", "mdy"),
            "catalog": (*preview.catalogs, ""),
            **_MARKS,
        }
        for key, box in self.boxes.items():
            value = getattr(resolved, key)
            known = list(offered[key])
            if value is not None and value not in known:
                known.insert(0, value)
            one_sheet = key == "sheet" and self.asked.sheets  # which single one would be read is not known then
            found_out = t("detected") if one_sheet else join((t("detected"), _say(value)), ":")
            ways = [(found_out, None), *((_say(one), one) for one in known)]
            asked = getattr(self.asked, key)
            if key == "sheet":
                if same := self._alike(preview):
                    ways.append((t("All {n} with the same columns, as one table", n=number(same)), ALL_SHEETS))
                asked = self.asked.sheets or asked
                value = value or ", ".join(self.asked.sheets or ())
            box.offer(ways, asked)
            there = bool(preview.catalogs) if key == "catalog" else value is not None and value != ""
            self.form.setRowVisible(box, there)
            reason = why.get("sheets" if resolved.sheets and key == "sheet" else key, "")
            self._say_reason(key, reason if value else "")
        self._say_reason("header_row", why.get("header", why.get("header_row", "")))
        for key in ("last_row", "null"):
            self._say_reason(key, why.get(key, ""))
        self.form.setRowVisible(self.null, resolved.null is not None)
        # What was detected stands as a hint: as text it would be taken for what the user typed.
        self.null.setPlaceholderText(join((t("detected"), resolved.null), ":") if resolved.null else t("none"))
        if resolved.header_row is not None:
            self.header.setPlaceholderText(join((t("detected"), number(resolved.header_row)), ":"))

    def _alike(self, preview: Preview) -> int:
        """Return how many sheets have the same columns as the one that is read, 0 where it is alone."""
        known = preview.reading.sheets
        return sum(sheet.chosen for sheet in known) if self.asked.sheets else len(alike(known))

    def _say_reason(self, key: str, text: str) -> None:
        self.reasons[key].setText(translate(text))
        self.form.setRowVisible(self.reasons[key], bool(text))

    def accept(self) -> None:
        """Take the choices; the reading that follows takes over the sheet that was kept for the preview."""
        self.chosen.emit(self.asked)
        super().accept()

    def reject(self) -> None:
        """Leave everything as it was read."""
        super().reject()
        self._work.start(forget_preview, channel="preview")


def _say(value: Any) -> str:
    named = {"": t("none"), None: t("none"), "dmy": t("day first"), "mdy": t("month first")}.get(value)
    return named or mark_words(str(value))
