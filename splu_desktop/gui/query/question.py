"""One question at a time: built by pointing, answered with its range, kept in the list of this session."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.core.query.reader import sentence
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import (
    IconButton,
    WholeLines,
    announce,
    button,
    copy_text,
    label,
    margins,
    put,
    scrolled,
    shortcut,
)
from splu_desktop.gui.base.words import number, t, tip, told
from splu_desktop.gui.query.answer_card import AnswerCard
from splu_desktop.gui.query.builder import QuestionBuilder
from splu_desktop.gui.query.estimators import Estimators
from splu_desktop.gui.query.tab import Tab, answer_fields, in_short, truth_switch
from splu_desktop.gui.query.work import Asked, Asker


class AskedView(TableView):
    """The questions of this session. A copy never holds the true counts."""

    secret = -1  # the column that stays here

    def copy(self) -> None:
        """Copy the selected questions, without the true counts."""
        hidden = self.isColumnHidden(self.secret)
        self.setColumnHidden(self.secret, True)
        super().copy()
        self.setColumnHidden(self.secret, hidden)


class _AnswerLines(QScrollArea):
    """A text of few lines as high as it is; of a long one some lines, the rest by scrolling."""

    _MOST = 3

    def __init__(self, text: QLabel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(text)
        self.viewport().setAutoFillBackground(False)
        text.setAutoFillBackground(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Take the height that the text needs."""
        self._text.ensurePolished()
        most = self._text.fontMetrics().lineSpacing() * self._MOST + 2
        # A scroll area never asks a label how high its text is, and a label never says less than it is bound to.
        self._text.setMinimumHeight(0)
        needed = max(self._text.heightForWidth(self.viewport().width()), 1)
        self._text.setFixedHeight(needed)
        self.setFixedHeight(min(needed, most))


class QuestionTab(Tab):
    """The first tab."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        bar = margins(QHBoxLayout(), spacing=8)
        self.question = label("", "strong", wrap=True, selectable=True)
        self.question_room = _AnswerLines(self.question)
        bar.addWidget(self.question_room, 1)
        self.copy_button = button("", self.copy_question, look="flat", picture="copy", hint=t("Copy the question"))
        self.copy_button.setAccessibleName(t("Copy the question"))
        self.clear_button = button(t("C&lear"), self.clear, look="flat", picture="x")
        put(bar, self.copy_button, self.clear_button)
        column.addLayout(bar)
        middle = margins(QHBoxLayout(), spacing=12)
        self.builder = QuestionBuilder()
        self.builder.changed.connect(self._question_changed)
        put(middle, (self.builder, 9), (self._build_card(), 5))
        column.addLayout(middle, 3)
        self._asked: list[Asked] = []
        self._build_asked(column)
        self._question_changed()

    def _build_card(self) -> QWidget:
        self.answer_card = AnswerCard()
        self.answer_card.setMinimumWidth(240)
        self.truth_switch = truth_switch(t("Sho&w true counts"))
        self.truth_switch.toggled.connect(self._truth_switched)
        self.advanced = IconButton(t("&Advanced"), "sliders-horizontal", "flat")
        tip(self.advanced, t("Other estimators, side by side"))
        self.advanced.clicked.connect(lambda: self._open_door(True))
        # One above the other: side by side they are cut where letters are large and words long.
        put(self.answer_card.body, self.truth_switch, (self.advanced, 0, Qt.AlignmentFlag.AlignRight))
        self.estimators = Estimators()
        self.estimators.closed.connect(lambda: self._open_door(False))
        self.estimators.changed.connect(lambda: self._answers_question() and self.ask())
        # The door opens where the answer stood, so that nothing else moves.
        self.card_stack = QStackedWidget()
        for card in (self.answer_card, self.estimators):
            self.card_stack.addWidget(scrolled(card, WholeLines))
        return self.card_stack

    def _build_asked(self, column: QVBoxLayout) -> None:
        head = margins(QHBoxLayout(), spacing=4)
        self.asked_title = label(t("Asked in this session"), "quiet")
        head.addWidget(self.asked_title)
        self.warning = label(t("True counts are shown: custodian only"), "warning", wrap=True)
        self.warning.hide()
        head.addSpacing(12)
        put(head, (self.warning, 4), 1)
        self.again_button = button(t("Ask a&gain"), self.ask_again, look="flat", picture="refresh-cw")
        self.copy_list_button = button(t("Cop&y the list"), self.copy_list, look="flat", picture="copy")
        put(head, self.again_button, self.copy_list_button)
        column.addLayout(head)
        self.asked_model: RowsModel[Asked] = RowsModel(
            [
                Field(
                    t("Records with"),
                    lambda a: in_short(a.answer.conditions),
                    tip=lambda a: told(sentence(a.answer.conditions)),
                ),
                *answer_fields(lambda a: a.answer, lambda a: ""),
                Field(
                    t("True (internal)"),
                    lambda a: "–" if a.true is None else number(a.true),
                    right=True,
                    colour=lambda a: "warning",
                ),
            ],
            self,
        )
        self.asked = AskedView(t("Questions asked in this session"))
        self.asked.setModel(self.asked_model)
        self.asked.secret = len(self.asked_model.fields) - 1
        self.asked.setColumnHidden(self.asked.secret, True)
        self.asked.horizontalHeader().moveSection(self.asked.secret, 2)  # beside the answer, where it is compared
        tip(self.asked, t("Double-click or press Enter to take a question up again"))
        self.asked.activated.connect(lambda index: self.ask_again())
        self.copy_asked = shortcut(self.asked, t("Copy the question"), "Ctrl+Shift+C", self._copy_asked_question)
        row = self.asked.verticalHeader().defaultSectionSize()  # on a small screen the values to tick come first
        self.asked.setMinimumHeight(max(64, self.asked.height_of_rows(0) + row))
        column.addWidget(self.asked, 1)

    def first(self) -> QWidget:
        return self.builder.columns

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self._asked = []
        self.asked_model.show(())
        self.answer_card.by_person = asker is not None and asker.published.by_person
        self.answer_card.show_answer(None)
        self.estimators.show_answers(())
        self._open_door(False)
        self.truth_switch.setChecked(False)
        self.truth_switch.setVisible(asker is not None and asker.knows_truth)
        self.builder.show_release(asker.published if asker is not None else None)
        self._say_list()
        if asker is not None:
            job = self.tasks.run("counts", asker.counts)
            job.done.connect(partial(self._counted, asker))
            job.failed.connect(self.failed)

    def offer(self) -> tuple[str, bool, str]:
        fault = self.builder.fault()
        some = bool(self.builder.conditions())
        words = t("Count these records") if some else t("Count all records")
        return words, not fault, fault

    def act(self) -> None:
        self.ask()

    def ask(self) -> Job | None:
        """Answer the question in the worker; the newest question wins."""
        asker, conditions = self.asker, self.builder.conditions()
        if asker is None:
            return None
        method, truth = self.estimators.chosen(), self.truth_switch.isChecked()
        others, repeat = self.card_stack.currentIndex() == 1, self.estimators.repeat.isChecked()
        self.failed.emit("")
        job = self.tasks.run(
            "query",
            lambda progress: asker.ask(conditions, method, progress, others=others, truth=truth, repeat=repeat),
        )
        job.progressed.connect(self.answer_card.show_progress)
        for ending in (job.done, job.failed, job.stopped):
            ending.connect(self.answer_card.end_progress)
        job.done.connect(partial(self._answered, asker))
        job.failed.connect(self.failed)
        return job

    def ask_again(self) -> None:
        """Take a question of the list up again, and answer it."""
        index = self.asked.currentIndex()
        if index.isValid():
            self.builder.set_conditions(self._asked[index.row()].answer.conditions)
            self.ask()

    def clear(self) -> None:
        """Begin a new question."""
        self.builder.clear()
        self.answer_card.show_answer(None)

    def copy_question(self) -> None:
        """Copy the question in words."""
        copy_text(self.question.text())

    def copy_list(self) -> None:
        """Copy all questions of this session with their answers."""
        self.asked.selectAll()
        self.asked.copy()

    def _copy_asked_question(self) -> None:
        index = self.asked.currentIndex()
        if index.isValid():
            copy_text(told(sentence(self._asked[index.row()].answer.conditions)))

    # -- inside --------------------------------------------------------------------------------------------------

    def _open_door(self, on: bool) -> None:
        if self.card_stack.currentIndex() == int(on):
            return
        self.card_stack.setCurrentIndex(int(on))
        if on:
            self.estimators.method.setFocus()
            if self._answers_question():
                self.ask()
        else:
            self.advanced.setFocus()

    def _truth_switched(self, on: bool) -> None:
        self.asked.setColumnHidden(self.asked.secret, not on)
        self.warning.setVisible(on)
        if not on:
            self._asked = [Asked(asked.answer, asked.others) for asked in self._asked]
            self.asked_model.show(tuple(self._asked))
            self.answer_card.true.hide()
        elif self._answers_question():
            self.ask()

    def _counted(self, asker: Asker, counts: object) -> None:
        if self.still(asker):
            self.builder.take_counts(counts)  # type: ignore[arg-type]

    def _answered(self, asker: Asker, asked: Asked) -> None:
        if not self.still(asker):
            return
        if asked.true is not None and not self.truth_switch.isChecked():
            asked = Asked(asked.answer, asked.others)
        if asked.answer.conditions == self.builder.conditions():
            self.answer_card.show_answer(asked.answer, asked.true)
            announce(self.answer_card, self.answer_card.spoken())
            self.estimators.show_answers(asked.others)
        same = self._asked and (self._asked[0].answer.conditions == asked.answer.conditions)
        if same:
            self._asked[0] = asked
        else:
            self._asked.insert(0, asked)
        self.asked_model.show(())
        self.asked_model.show(tuple(self._asked))
        self.asked.fit_columns(250, filling=0)
        self._say_list()
        self.answered.emit()

    def _say_list(self) -> None:
        # Before the first question the columns and their values have the room: an empty list says nothing.
        for part in (self.asked_title, self.again_button, self.copy_list_button, self.asked):
            part.setVisible(bool(self._asked))

    def _question_changed(self) -> None:
        conditions = self.builder.conditions()
        self.question.setText(told(sentence(conditions)))
        self.question_room.fit()
        self.clear_button.setEnabled(bool(conditions))
        # An answer never stands beside a question that it does not answer.
        if self._answers_question():
            asked = self._asked[0]
            self.answer_card.show_answer(asked.answer, asked.true)
        else:
            self.answer_card.show_answer(None)
        self.offered.emit()

    def _answers_question(self) -> bool:
        return bool(self._asked) and self._asked[0].answer.conditions == self.builder.conditions()

    def help_text(self) -> str:
        return t(
            "<p>Choose values of any columns; several values of one column mean “any of these”. The counts beside the "
            "values are those of the published table.</p><p>The true counts are not in the release. What you get is "
            "the best estimate and a range that holds the true count in 95 of 100 cases.</p><p><span "
            "class='a'>Reliable</span>: use it. <b>Uncertain</b>: use the range. <span class='p'>Protected</span>: the "
            "count is small, and unreliable on purpose.</p><p>Questions without a sensitive column are exact, because "
            "those columns are published unchanged.</p><p><b>What should I ask?</b></p><p>Larger selections give "
            "sharper answers.</p>"
        )
