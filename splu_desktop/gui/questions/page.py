"""Questions: three answers from which all else follows, each with its consequence beside it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.core.policy import Proposal
from splu_desktop.core.questions import MOST_TABLES, AskedTable
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.messages import name_value, row_words
from splu_desktop.gui.base.page import Fold, Page, title_row
from splu_desktop.gui.base.parts import Card, Columns, Consequences, Flow, link
from splu_desktop.gui.base.session import Answers, Judgement, Step
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import label, margins, put
from splu_desktop.gui.base.words import caption, percent, t
from splu_desktop.gui.questions import consequences
from splu_desktop.gui.questions.audience_card import AudienceForm
from splu_desktop.gui.questions.proposing import propose_for, roles_decided
from splu_desktop.gui.questions.rows import TableRow, columns_to_ask

CHANNEL = "proposal"
_WITHIN = (0.1, 0.2, 0.3)
_FOLLOWS = 300  # pixels of what follows, at 1366; less where it is narrow


class QuestionsPage(Page):
    """The second page."""

    step, before = Step.QUESTIONS, Step.OPEN

    def build(self) -> None:
        self._source: Source | None = None
        self.head.addLayout(
            title_row(t("Three questions"), t("The answers set every limit. The program does the rest."))
        )
        self.use_empty("file-spreadsheet", t("Open a table first."), t("Open"), self.go_back)
        self.use_busy(CHANNEL)
        self.audience = AudienceForm()
        self.audience.changed.connect(lambda audience: self._answer(1, audience=audience))
        self.pairs: list[Columns] = []
        self._questions: list[str] = []  # each names the undo of its answer
        self.consequences = [Consequences(t("What follows")) for _ in range(3)]
        self._pair(1, t("Who gets it?"), self.audience)
        self._pair(2, t("What is one row, and which column names the person?"), self._person_part())
        self._pair(3, t("Which one to three tables must come out?"), self._tables_part())
        self.set_back(t("Back to the table"), t("Back"))

    def _pair(self, number: int, question: str, inside: QWidget) -> None:
        self._questions.append(question)
        card = Card(spacing=6)
        head = put(
            margins(QHBoxLayout(), 0, spacing=12),
            label(str(number), "number"),
            (label(question, "strong", wrap=True), 1),
        )
        card.body.addLayout(head)
        room = margins(QVBoxLayout(), 36, 0, 0, 0)
        room.addWidget(inside)
        card.body.addLayout(room)
        card.body.addStretch(1)
        pair = Columns(card, self.consequences[number - 1], _FOLLOWS)
        self.pairs.append(pair)
        self.body.addWidget(pair, int(number == 3))  # the last one fills the page

    def _person_part(self) -> QWidget:
        part = QWidget()
        column = margins(QVBoxLayout(part), 0, spacing=6)
        self.row_word, self.person = Choice(t("One row is")), Choice(t("and the person is named by"), 18)
        self.row_word.setEditable(True)
        self.row_word.setMinimumWidth(130)
        self.row_word.activated.connect(self._word_told)
        edit = self.row_word.lineEdit()
        if edit is not None:
            edit.setAccessibleName(t("One row is"))
            edit.editingFinished.connect(self._word_told)
        self.person.activated.connect(lambda _: self._answer(2, person=self.person.currentData()))
        words = Flow()
        for each in (label(t("One row is")), self.row_word, label(t("and the person is named by")), self.person):
            words.addWidget(each)
        column.addLayout(words)
        column.addWidget(label(t("Choose “no column” if every row is another person."), "quiet", wrap=True))
        return part

    def _tables_part(self) -> QWidget:
        part = QWidget()
        column = margins(QVBoxLayout(part), 0, spacing=6)
        self.rows = [TableRow(at + 1) for at in range(MOST_TABLES)]
        for at, row in enumerate(self.rows):
            row.changed.connect(self._tables_told)
            row.removed.connect(lambda at=at: self._remove(at))
            column.addWidget(row)
        self.fault = label("", "fault", wrap=True, live=True)
        column.addWidget(self.fault)
        self.add = link(t("Another table"), self._add)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        words = Flow(across=10)
        self.within = Choice(t("A number is good within"))
        self.within.offer([(percent(each), each) for each in _WITHIN], 0.3)
        self.within.activated.connect(lambda _: self._tables_told())
        words.addWidget(label(t("A number is good within")))
        words.addWidget(self.within)
        self.secrets = [QCheckBox() for _ in range(MOST_TABLES)]
        for box in self.secrets:
            box.clicked.connect(self._secret_told)
            words.addWidget(box)
        column.addLayout(words)
        return part

    def apply_fold(self, fold: Fold) -> None:
        narrow = fold is Fold.NARROW
        for pair in self.pairs:
            pair.fold(narrow, _FOLLOWS if fold is Fold.WIDE else 220)
        self.audience.fold(narrow)

    # --- the session

    def refresh(self) -> None:
        if self.work.busy(CHANNEL):
            return
        source = self.session.source
        if source is None:
            self.show_empty(t("Show the proposal"))
            return
        self.show_content()
        answers = self.session.answers
        if source is not self._source:
            self._source = source
            self.audience.fault.hide()
            self._offer(source)
        self.audience.show_audience(answers.audience)
        self.person.choose(answers.person)
        self.person.fit()
        if answers.row_word not in row_words():
            self.row_word.setEditText(answers.row_word or t("a row"))
        else:
            self.row_word.choose(answers.row_word)
        for at, row in enumerate(self.rows):
            row.setVisible(at < len(answers.questions))
            if at < len(answers.questions):
                row.show_table(source, answers.questions[at])
        self.add.setVisible(len(answers.questions) < MOST_TABLES)
        if answers.questions:
            self.within.choose(answers.questions[0].within)
        self._show_secrets(answers)
        self.consequences[0].say(consequences.of_audience(answers))
        self.consequences[1].say(consequences.of_person(source, answers))
        self.consequences[2].say(consequences.of_tables(source, answers))
        self._name_primary(answers)

    def _offer(self, source: Source) -> None:
        self.row_word.offer([(each, each) for each in row_words()])
        names = list(source.person_columns)
        names += [name for name in source.table.names if name not in names]
        self.person.offer([(t("no column"), None), *((isolated(name), name) for name in names)])

    def _asked_values(self, answers: Answers) -> list[tuple[str, str]]:
        """Return the values that are counted, each once, with their columns."""
        pairs = [(each.sa, each.value) for each in answers.questions if each.value is not None]
        return [(sa, value) for sa, value in dict.fromkeys(pairs) if value is not None]

    def _show_secrets(self, answers: Answers) -> None:
        pairs = self._asked_values(answers)
        for at, box in enumerate(self.secrets):
            box.setVisible(at < len(pairs))
            if at < len(pairs):
                sa, value = pairs[at]
                words = t("“{value}” is secret: nobody may learn it about one person", value=name_value(sa, value))
                box.setText(caption(words))
                box.setChecked(sa not in answers.not_secret)

    def _name_primary(self, answers: Answers) -> None:
        fault = self._fault(answers)
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault) and self.audience.fault.isHidden())
        note = fault or t("What the file tells is filled in; change what is wrong.")
        self.set_primary(t("Show the proposal"), not fault, note)

    def _fault(self, answers: Answers) -> str:
        """Return what keeps the answers from making sense, "" where nothing does."""
        if not self.audience.fault.isHidden():
            return self.audience.fault.text()
        for row in self.rows[: len(answers.questions)]:
            if row.fault:
                return row.fault
        if not answers.questions:
            return t("Ask for one table at least.")
        for asked in answers.questions:
            for name in (asked.sa, *asked.by):
                if name == answers.person:
                    return t("“{column}” names the person; choose another column for the table.", column=name)
        return ""

    def show_what_waits(self) -> None:
        if not self.audience.fault.isHidden():
            self.audience.until.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        row = next((row for row in self.rows if row.fault), self.rows[0])
        (row.sa if row.isVisible() else self.add).setFocus(Qt.FocusReason.OtherFocusReason)

    # --- what the user answers

    def _answer(self, question: int, **changes: object) -> None:
        answers = replace(self.session.answers, **changes)  # type: ignore[arg-type]
        # No change is told, yet boxes and the fault below them have to show what holds.
        if answers == self.session.answers:
            self.refresh()
        else:
            self.session.answer(answers, self._questions[question - 1])

    def _word_told(self) -> None:
        self._answer(2, row_word=self.row_word.currentText().strip())

    def _tables_told(self) -> None:
        shown = [row for at, row in enumerate(self.rows) if at < len(self.session.answers.questions)]
        asked = [row.read_table() for row in shown]
        if any(each is None for each in asked):
            self._name_primary(self.session.answers)
            return
        within = self.within.currentData()
        self._answer(3, questions=tuple(replace(each, within=within) for each in asked if each))

    def _secret_told(self) -> None:
        pairs = self._asked_values(self.session.answers)
        shown = zip(pairs, self.secrets, strict=False)
        self._answer(3, not_secret=tuple(sa for (sa, _), box in shown if not box.isChecked()))

    def _remove(self, at: int) -> None:
        questions = list(self.session.answers.questions)
        del questions[at]
        for row in self.rows:
            # The tables move up, and a fault belongs to what its row showed.
            row.fault = ""
        self._answer(3, questions=tuple(questions))

    def _add(self) -> None:
        source = self.session.source
        if source is None:
            return
        questions = self.session.answers.questions
        secret, others = columns_to_ask(source)
        taken = {(each.sa, each.by) for each in questions}
        sa = questions[-1].sa if questions else next(iter((*secret, *others)), None)
        if sa is None:
            self.show_error(t("No column is left that can be asked for; open another table."))
            return
        value = questions[-1].value if questions else None
        by = next(((name,) for name in others if name != sa and (sa, (name,)) not in taken), ())
        within = questions[-1].within if questions else 0.3
        self._answer(3, questions=(*questions, AskedTable(sa, value, by, within=within)))

    # --- the proposal

    def act(self) -> None:
        source = self.session.source
        if source is None:
            return
        self.session.confirm(Step.QUESTIONS)
        if self.session.proposal is not None and not self.session.has_new_answers:  # nothing was changed since
            self.go.emit(Step.PROPOSAL)
            return
        self.work_on(
            t("Trying ways to publish it"),
            self._take_over,
            propose_for,
            source,
            self.session.answers,
            roles_decided(self.session.choices),
            () if self.session.plan is None else self.session.plan.audience.limits,
            channel=CHANNEL,
        )

    def _take_over(self, result: tuple[Proposal, Answers, Judgement]) -> None:
        # A plan that came back with its file stays; the proposal says what was done, and what is other than it.
        back = self.session.plan if self.session.proposal is None and not self.session.has_new_answers else None
        shown = self.isVisible()  # who has gone to look at another page is not called away from it
        self.session.take_proposal(*result, back)
        if shown:
            self.go.emit(Step.PROPOSAL)

    def first_focus(self) -> QWidget | None:
        return self.audience.cards[self.session.answers.audience.who].radio
