"""The plan page of a column with a tolerance per value: values, group sizes and promises, following every change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.ways import GROUPS, JOINED, Compared, by_tolerances, compared, with_declared
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Table
from splu_desktop.files.project.tolerances import read_declared
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Session, Strokes
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Banner, Card, Picture, asked_file, button, copy_text, label, margins, put
from splu_desktop.gui.base.words import filled, t, told
from splu_desktop.gui.plan.tolerance_editor import ToleranceEditor
from splu_desktop.gui.plan.tolerance_figures import Designed, Edited, edited

_REST = 120  # ms that the tolerances must rest before both ways are compared


@dataclass(frozen=True)
class Promised:
    """How a column is drawn and what that promises, in words."""

    words: str
    sentences: tuple[str, ...]


def promised(table: Table, name: str, draw: Draw, thresholds: Thresholds) -> Promised:
    """Return what a draw promises of a column of this table. Runs in a worker. Raises SpluError."""
    # Of a draw per person no more holds than the persons of this very table leave of its tolerances.
    made, column = draw.learned(table, name, thresholds), table[name]
    labels = column.compacted().labels.tolist()
    known = made.unprotected(column.n, labels, name, thresholds)
    said = made.sentences(name, thresholds, made.told(column.n, labels, thresholds))
    return Promised(told(made.words()), tuple(map(told, (*([known] if known else []), *said, *made.readers(name)))))


class TolerantPart(QWidget):
    """Stands in place of slider and plots.

    Signals
    -------
    settled : whether the plan has the tolerances that are shown changed; see `is_settled`.
    """

    settled = Signal()

    def __init__(self, session: Session, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self._shown: tuple[str, Draw, Thresholds] | None = None
        self._sizes, self._compared = "", False
        self._strokes = Strokes()
        self.is_settled = True
        outer = self._parts = QVBoxLayout(self)
        margins(outer, 0, 8, 0, 0, spacing=12)
        card = Card(spacing=8)
        head = put(margins(QHBoxLayout(), spacing=12), Picture("shield", "protected", 18))
        self.title = label("", "strong", wrap=True)
        head.addWidget(self.title, 1)
        self.one_size = button(t("One gro&up size instead"), self.plain)
        head.addWidget(self.one_size)
        card.body.addLayout(head)
        self.offer = label("", wrap=True)
        self.other_way = button(t("&Draw joined instead"), self.change_way)
        ways = put(margins(QHBoxLayout(), spacing=12), (self.offer, 1), self.other_way)
        self.declare = button(
            t("Declare values…"),
            self.ask_declared,
            picture="folder-open",
            hint=t(
                "A file with all values that may occur, one a row, such as a code list: all of them are shown, so that"
                " a value names nobody, not even to someone who knows all other records of the table"
            ),
        )
        ways.addWidget(self.declare)
        card.body.addLayout(ways)
        self.banner = Banner()
        card.body.addWidget(self.banner)
        self.editor = ToleranceEditor(tasks)
        card.body.addWidget(self.editor, 1)
        outer.addWidget(card, 3)
        promises = Card(spacing=8)
        self.sentences = label(selectable=True, fitting=True)
        promises.body.addWidget(self.sentences)
        row = put(QHBoxLayout(), button(t("&Copy these sentences"), self.copy, picture="copy"), 1)
        promises.body.addLayout(row)
        outer.addWidget(promises, 1)
        self.editor.edited.connect(self._unsettle)
        self.editor.failed.connect(self._unsettle)
        self.editor.found.connect(self._take)

    def show_draw(self, name: str, draw: Draw, thresholds: Thresholds) -> None:
        """Show what holds for a column; its tolerances can be changed where the draw has some."""
        if self._shown == (name, draw, thresholds):
            return
        self._shown = name, draw, thresholds
        planned = edited(self._session, name)
        self.sentences.setText("")  # those of another draw are not true of this one
        job = self._tasks.run("promised", lambda progress: promised(planned.table, name, draw, thresholds))
        job.done.connect(self._show_promised)
        job.failed.connect(self.sentences.setText)
        self.is_settled = True
        self.one_size.setVisible(draw.follows is None)
        self.declare.setVisible(not planned.person and len(draw.block(name)) == 1)
        self.banner.hide()
        limits = planned.limits
        self._offer(planned, draw, limits is not None)
        self.editor.setVisible(limits is not None)
        self._parts.setStretch(0, 0 if limits is None else 3)
        self._sizes = ""
        if limits is None:
            return
        if not planned.joined:
            self.title.setText(t("“{column}” has a tolerance per value", column=name))
            self._sizes = t("Its records stand in {sizes}.", sizes=told(draw.words()))
        self.editor.open(planned, limits, thresholds)

    def _show_promised(self, found: Promised) -> None:
        self.sentences.setText("\n\n".join(found.sentences))
        if self._shown is not None and not self._sizes:
            text = t("“{column}” is re-drawn: {words}")
            self.title.setText(filled(text, column=self._shown[0], words=found.words))

    def _offer(self, planned: Edited, draw: Draw, tolerant: bool) -> None:
        """Say what the other way to keep the same tolerances would do, and offer it where it is worth it."""
        self.offer.setText(told(draw.caution(planned.name)))
        self.offer.setVisible(bool(self.offer.text()))
        # By person there is one way to keep them.
        other = tolerant and not planned.person
        self.other_way.setVisible(other and draw.follows is None and planned.joined)
        self.other_way.setText(t("&Draw from groups instead"))
        self._compared = other and not planned.joined
        if self._compared:
            job = self._tasks.run("compared", lambda progress: compared(planned.column, draw), pause=_REST)
            job.done.connect(self._offered)

    def _offered(self, found: Compared | None) -> None:
        if found is None or self._shown is None or not self._compared:
            return
        self.offer.setText(told(found.sentence(self._shown[0])))
        self.offer.show()
        self.other_way.setText(t("&Draw joined instead"))
        self.other_way.setVisible(found.worth_it)

    def change_way(self) -> None:
        """Draw the column shown the other way, with the same tolerances."""

        def other(column: Column, draw: Draw, progress: Progress) -> Draw:
            limits = Tolerances({str(label): draw.limit(str(label)) for label in column.labels})
            return by_tolerances(column, limits, JOINED if draw.true_shares else GROUPS, progress=progress)

        self._change(other, t("draw of {column}"))

    def ask_declared(self) -> None:
        """Let the user choose a file that lists the values which may occur."""
        path = asked_file(self, t("Values that may occur"), t("Tables (*.csv *.txt);;All files (*)"))
        if path is not None:
            self.declare_values(path)

    def declare_values(self, path: Path) -> None:
        """Draw the column shown so that the values which a file lists are shown, too."""
        self._change(
            lambda column, draw, _: with_declared(column, draw, read_declared(path, column)),
            t("declared values of {column}"),
        )

    def _change(self, found_by: Callable[[Column, Draw, Progress], Draw], words: str) -> None:
        """Let a worker find another draw for the column shown, and take it if the column still has the one it had."""
        shown = self._shown
        if shown is None:
            return
        name, draw, _ = shown
        column = self._session.drawn(name)[0]

        def take(found: Draw) -> None:
            choices = self._session.choices
            if choices is not None and self._shown == shown:
                after = replace(choices, draws={**choices.draws, name: found})
                self._session.choose(after, filled(words, column=name))

        job = self._tasks.run("way", lambda progress: found_by(column, draw, progress))
        job.done.connect(take)
        job.failed.connect(lambda text: self.banner.say("warning", told(text)))

    def plain(self) -> None:
        """Go back to one group size, where the column allows it."""
        choices = self._session.choices
        if choices is not None and self._shown is not None:
            name = self._shown[0]
            self._session.choose(choices.without_draw(name), t("tolerances of {column}", column=name))

    def copy(self) -> None:
        """Copy the promises as text."""
        copy_text("\n".join((self.title.text(), self._sizes, self.sentences.text())))

    def help_text(self) -> str:
        """Return what the help panel says beside the page."""
        each = t(
            "<p>Each value has a <b>tolerance</b>: which share of the rows that show it may be right, on average."
            " Sensitive values need a small one; values that are not sensitive may have 100&nbsp;%.</p>"
        )
        least = t("<p>A tolerance can't be smaller than its value's share of the records.</p>")
        if not self._sizes:
            return f"{each}{self._joined_help() if self.editor.isVisibleTo(self) else ''}{least}"
        groups = t(
            "<p>The program finds groups of several sizes that keep every tolerance and leave as much <b>signal</b> as "
            "they can: how values hang together with the other columns.</p><p><b>Fake values</b> help against someone "
            "who knows the values of all other records of a group: they can't tell the last record's value from the "
            "fake ones. They don't help against someone who knows all other records of the table; <b>declared "
            "values</b> do: a list of all values that may occur, which are shown whether or not somebody has them.</p>"
        )
        told_too = t(
            "<p class='q'>Group sizes, tolerances and the share of the records in groups of each size are published,"
            " since counts can't be read without them. They are chosen so that they tell nothing of small counts.</p>"
        )
        return f"{each}{groups}{least}{told_too}"

    def _joined_help(self) -> str:
        return t(
            "<p>Records of other values <b>join</b> the sensitive ones, so that a row that shows one is right no more"
            " often than its tolerance says, while its link to the other columns stays. The chances are published,"
            " coarsely, and every count is reconstructed with them.</p>"
        )

    def _unsettle(self) -> None:
        self.is_settled = False
        self.settled.emit()

    def _take(self, found: Designed) -> None:
        """Put the draw found for what is shown into the plan."""
        changed = not self.is_settled
        self.is_settled = True
        choices = self._session.choices
        name = self._shown[0] if self._shown is not None else ""
        here = choices is not None and name in choices.draws and self._session.drawn(name)[0] is self.editor.column
        if changed and choices is not None and here:
            after = replace(choices, draws={**choices.draws, name: found.draw})
            merge = self._strokes.next(f"tolerances {name}")
            self._session.choose(after, t("tolerances of {column}", column=name), merge)
        self.settled.emit()
