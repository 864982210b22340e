"""One number: the question in tokens, columns with their values, the answer, and what was asked so far."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from splu_desktop.core.answer.answer import HIDDEN, ends_of
from splu_desktop.core.answer.conditions import Condition, takes_range
from splu_desktop.gui.ask.answer_card import AnswerCard, about, error_words
from splu_desktop.gui.ask.asking import AnsweredQuestion, AskableRelease, Panel, Question, answer_one
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.choices import Choice, TickList
from splu_desktop.gui.base.messages import value_words
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card, Flow, link
from splu_desktop.gui.base.widgets import ElidedLabel, button, empty, label, line_edit, margins, put, show_whole, turn
from splu_desktop.gui.base.words import bare, caption, join, number, t, tip, translate
from splu_desktop.gui.proposal.ranges import TRUST, trust_words

_REST = 1_200  # ms after which an answer counts as asked
_LONGEST = 60  # letters of a condition
_MOST, _FEW = 300, 30  # values in the list, and in a narrow window's; the rest is found by typing


class OneNumber(Panel):
    """One question at a time, and those before."""

    def build(self) -> None:
        self._chosen: dict[str, Condition] = {}
        self._last: AnsweredQuestion | None = None
        self._listed: list[str] = []  # the values that stand in the list
        self._narrow = False
        self.rest = QTimer(self, singleShot=True, interval=_REST)
        self.rest.timeout.connect(self._keep)
        self.question = Card("", 14, 10, spacing=6)
        self.tokens = QWidget()
        self.token_row = Flow(self.tokens)
        self.sentence = label("", "quiet", fitting=True)
        put(self.question.body, self.tokens, self.sentence)
        self._make_lists()
        self.answer = AnswerCard()
        self.answer.truth_wanted.connect(lambda on: self._show_so_far())
        self.so_far = self._make_so_far()
        self.left = put(margins(QVBoxLayout(), 0, spacing=12), self.question, (self.lists, 1))
        self.above = put(margins(QHBoxLayout(), 0, spacing=14), (self.left, 5))
        put(margins(QVBoxLayout(self), 0, spacing=12), (self.above, 3), (self.so_far, 2))

    def _make_lists(self) -> None:
        self.lists = QWidget()
        self.list_row = margins(QHBoxLayout(self.lists), 0, spacing=12)
        columns = Card("", 8, spacing=4)
        self.columns = QListWidget()
        self.columns.setAccessibleName(bare(t("&Columns")))
        self.columns.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.columns.currentRowChanged.connect(lambda at: self._show_values())
        self.column = Choice(bare(t("&Columns")), 20)
        self.column.setModel(self.columns.model())
        self.column.activated.connect(self.columns.setCurrentRow)
        put(columns.body, label(bare(t("&Columns")), "quiet"), (self.columns, 1), self.column)
        columns.body.addWidget(label(t("Columns without a shield are exact."), "quiet", wrap=True))
        values = Card("", 8, spacing=4)
        self.values_of = ElidedLabel("", "quiet")
        self.search = line_edit(t("Find a value, or write 40..64"), t("Find a value, or write 40..64"))
        self.search.textChanged.connect(lambda: self._show_values())
        self.search.returnPressed.connect(self._take_range)
        self.values = TickList(t("Values"))
        self.columns.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for each in (self.columns, self.values):
            each.setMinimumWidth(110)
        self.values.itemChanged.connect(lambda item: self._tick())
        head = put(margins(QHBoxLayout(), 0, spacing=8), (self.values_of, 1), self.search)
        put(values.body, head, (self.values, 1))
        put(self.list_row, (columns, 2), (values, 4))

    def _make_so_far(self) -> Card:
        card = Card("", 1, 6, 1, 1, spacing=4)
        self.table = TableView(t("Asked so far"))
        self.model = self.table.hold(self._fields(), bare=True)
        self.table.doubleClicked.connect(lambda index: self.show_question(self.model.rows[index.row()].question))
        head = put(
            margins(QHBoxLayout(), 12, 0, 8, 0, spacing=8),
            (label(t("Asked so far"), "strong"), 1),
            link(bare(t("&Copy")), self.table.copy_all, t("Asked so far")),
        )
        put(card.body, head, (self.table, 1))
        return card

    def _fields(self) -> list[Field[AnsweredQuestion]]:
        def between(asked: AnsweredQuestion) -> str:
            low, high = ends_of(asked.answer)
            return "–" if asked.answer.exact else t("{low} and {high}", low=number(low), high=number(high))

        def figure(asked: AnsweredQuestion) -> str:
            if asked.answer.exact:
                return number(asked.answer.n_p)
            return "–" if asked.answer.trust() == HIDDEN else t("about {n}", n=number(about(asked.answer)))

        def good(asked: AnsweredQuestion) -> str:
            trust = asked.answer.trust()
            if trust in ("readable", "rough"):
                return f"{trust_words(trust)}, {error_words(asked.answer)}"
            return trust_words(trust)

        return [
            Field(t("Rows with"), lambda asked: question_text(asked.question)),
            Field(t("Answer"), figure, right=True),
            Field(t("between"), between, right=True),
            Field(
                t("How good"),
                good,
                colour=lambda asked: TRUST[asked.answer.trust()][1],
                picture=lambda asked: TRUST[asked.answer.trust()][0],
            ),
            Field(t("true, only here"), lambda asked: "–" if asked.truth is None else number(asked.truth), right=True),
        ]

    # --- room

    def fold(self, fold: Fold) -> None:
        if fold is Fold.NARROW:  # the answer first: what is asked of stands below it
            self.left.insertWidget(1, self.answer)
        else:
            self.above.addWidget(self.answer, 3)
        self.answer.heading.setVisible(fold is Fold.WIDE)  # elsewhere the number itself has little room
        self._narrow = fold is Fold.NARROW
        turn(self.list_row, down=self._narrow)
        self.columns.setVisible(not self._narrow)
        self.column.setVisible(self._narrow)
        for each in (self.values, self.table):
            show_whole(each, 60, whole=self._narrow)
        self.lists.setMinimumHeight({Fold.WIDE: 150, Fold.MIDDLE: 110, Fold.NARROW: 0}[fold])
        self.so_far.setMinimumHeight(0 if self._narrow else 110)
        self._show_values()
        self.search.setFixedWidth(190 if fold is Fold.MIDDLE else 250)

    # --- the release

    def show_release(self, opened: AskableRelease) -> None:
        super().show_release(opened)
        self._chosen, self._last = {}, None
        self.answer.offer_truth(opened.source is not None)
        with QSignalBlocker(self.columns):
            self.columns.clear()
            for name in opened.columns:
                item = QListWidgetItem(name)
                tip(item, name)
                self.columns.addItem(item)
            self.columns.setCurrentRow(0)
        self._recolour()
        self._show_values()
        self._change()

    def show_question(self, question: Question) -> None:
        """Put a question, as one of the tables that had to come out."""
        self._chosen = {each.column: each for each in question}
        if question:
            with QSignalBlocker(self.columns):
                self.columns.setCurrentRow(self.current.columns.index(question[-1].column))
        self._show_values()
        self._change()

    def clear(self) -> None:
        """Take all values away."""
        self._keep()
        self.show_question(())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def _recolour(self) -> None:
        c = theme.colours()
        # Colours may change before there is a release: then the list is empty, and `current` isn't asked for.
        for at in range(self.columns.count()):
            secret = self.current.is_secret(self.columns.item(at).text())
            name, colour = ("shield", c.protected) if secret else ("file-text", c.quiet)
            self.columns.item(at).setIcon(theme.icon(name, colour))

    # --- values

    @property
    def _column(self) -> str:
        return self.current.columns[max(self.columns.currentRow(), 0)]

    def _show_values(self) -> None:
        if not self.columns.count():  # no release yet
            return
        self.column.setCurrentIndex(self.columns.currentRow())
        column = self.current.published.table[self._column]
        secret = self.current.is_secret(column.name)
        self.values_of.setText(t("Values of {column}", column=column.name))
        wanted = self.search.text().strip().casefold()
        counts = column.counts()
        chosen = self._chosen.get(column.name)
        ticked = np.zeros(column.m, bool) if chosen is None else chosen.select_known(column)
        if chosen is not None and chosen.is_range:
            ticked = chosen.select(column)
        as_listed = secret or column.kind.has_order or column.m <= 12  # how often a secret is shown says nothing true
        order = np.arange(column.m) if as_listed else np.argsort(-counts, kind="stable")
        # A range that is being typed is no word to look for, and would empty the list.
        words = ((at, value_words(str(column.labels[at]))) for at in order.tolist())
        matching = (each for each in words if wanted in each[1].casefold() or ".." in wanted)
        texts = dict(islice(matching, _FEW if self._narrow else _MOST))
        shown = [] if secret else [number(int(counts[at])) for at in texts]
        self.values.offer(texts.values(), {text for at, text in texts.items() if ticked[at]}, shown)
        self._listed = [str(column.labels[at]) for at in texts]

    def _tick(self) -> None:
        name = self._column
        now = self._chosen.get(name)
        # Values that the search hides keep their ticks: the user can only have changed one in the list.
        beside = () if now is None or now.is_range else (each for each in now.values if each not in self._listed)
        values = (*beside, *(self._listed[at] for at in self.values.places()))
        if values:
            self._chosen[name] = Condition(name, values)
        else:
            self._chosen.pop(name, None)
        self._change()

    def _take_range(self) -> None:
        """Take what was typed as a range, or tick the one value that is left."""
        low, dots, high = self.search.text().strip().partition("..")
        if dots and takes_range(self.current.published.table[self._column]):
            self._chosen[self._column] = Condition(self._column, low=low.strip(), high=high.strip())
            self.search.clear()
            self._change()
        elif low and self.values.count() == 1:
            self.values.item(0).setCheckState(Qt.CheckState.Checked)

    def _drop(self, column: str) -> None:
        self._chosen.pop(column, None)
        self._show_values()
        self._change()

    # --- question and answer

    def _change(self) -> None:
        self._show_tokens()
        # The answer before this change has not stood long enough to count as asked.
        self.rest.stop()
        question = tuple(self._chosen.values())
        if not question:
            self.show_fault(t("Tick values below; the answer follows at once."))
            return
        show, opened = self.take_answer, self.current
        self.work.start(answer_one, opened, question, on_done=show, on_exception=self.show_fault)

    def _show_tokens(self) -> None:
        empty(self.token_row)
        self.token_row.addWidget(label(t("How many rows have"), "strong"))
        for each in self._chosen.values():
            words = translate(each.words())
            text = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
            look = "pill-protected" if self.current.is_secret(each.column) else "pill"
            token = button(caption(text), partial(self._drop, each.column), look=look, picture="x")
            token.setAccessibleName(t("Take away: {condition}", condition=words))
            tip(token, token.accessibleName())
            self.token_row.addWidget(token)
        if not self._chosen:
            self.token_row.addWidget(label("…", "quiet"))

    def take_answer(self, asked: AnsweredQuestion) -> None:
        """Show the answer to the question that stands there."""
        # Taking the last value away asks nothing new, so that the answer to it may still come.
        if asked.question != tuple(self._chosen.values()):
            return
        self._last = asked
        self.answer.show_answer(asked)
        self._show_so_far()
        open_part = tuple(each for each in asked.question if not self.current.is_secret(each.column))
        n = number(asked.answer.n_p)
        if len(open_part) == len(asked.question):
            self.sentence.setText("")
        elif open_part:
            what = question_text(open_part)
            words = t("{what}: {n} rows, counted; how many of them have the rest is estimated.", n=n, what=what)
            self.sentence.setText(words)
        else:
            self.sentence.setText(t("Of {n} rows; how many of them have it is estimated.", n=n))
        self.rest.start()

    def show_fault(self, sentence: str) -> None:
        """Show why a question has no answer."""
        self._last = None
        self.answer.show_answer(None)
        self.sentence.setText(sentence)
        self._show_so_far()

    def _keep(self) -> None:
        """Add the answer to what was asked so far."""
        self.rest.stop()
        self.current.answers[:] = self._so_far()

    def _so_far(self) -> list[AnsweredQuestion]:
        """Return the answer that is shown, and those before it."""
        now = [] if self._last is None else [self._last]
        return now + [each for each in self.current.answers if not now or each.question != now[0].question]

    def _show_so_far(self) -> None:
        truth = self.answer.truth.isChecked()
        # A hidden column is not enough: without the tick no true count is in the table at all.
        self.model.show([replace(each, truth=each.truth if truth else None) for each in self._so_far()])
        self.table.setColumnHidden(4, not truth)
        header = self.table.horizontalHeader()
        self.table.resizeColumnsToContents()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, header.ResizeMode.Stretch)


def question_text(question: Question) -> str:
    """Return the conditions of a question in words."""
    return join((translate(each.words()) for each in question), ";")
