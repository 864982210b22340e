"""Publish: the gate, then the release, whole or not at all, and what was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from splu_desktop.core.checks.gate import Light
from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Progress
from splu_desktop.files.publish.order import one_each
from splu_desktop.files.publish.publishing import Examination, Order, examine
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.session import Choices, Release, Session, Source, State, Step
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Busy, Card, Empty, WholeLines, button, margins, put
from splu_desktop.gui.base.words import number, t, tip
from splu_desktop.gui.publish.done import DonePart
from splu_desktop.gui.publish.gate import GateView
from splu_desktop.gui.publish.handover_dialog import HandOverDialog
from splu_desktop.gui.publish.place import PlaceCard
from splu_desktop.gui.publish.register_dialog import RegisterDialog
from splu_desktop.gui.publish.release_work import Made, make_release
from splu_desktop.gui.publish.trial_dialog import TrialDialog

_REST = 400  # ms without a change before the gate is worked out anew
_DRAWN = 60  # ms until the page is on the screen; to draw it beside the work on the table would take twice as long


def _examination(make: Callable[[], Order], progress: Progress) -> tuple[Order, Examination]:
    """Return what would be published, and what was found of it. Runs in a worker. Raises SpluError."""
    order = make()
    return order, examine(order, progress=progress)


class PublishPage(Page):
    """The fourth page."""

    step = Step.PUBLISH
    open_release = Signal(Path)
    mend = Signal(Step, str)  # a line of the gate, on this page, of this column

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(t("Publish"), t("Check once more, choose a place, and write the release."))
        empty = Empty("package-check", t("Nothing to publish yet"), "")
        self.import_button = button(
            t("&Import a table"), lambda: self.go.emit(Step.IMPORT), look="primary", picture="file-input"
        )
        self.classify_button = button(
            t("Choose the &sensitive columns"), lambda: self.go.emit(Step.CLASSIFY), look="primary", picture="tags"
        )
        for act in (self.import_button, self.classify_button):
            empty.buttons.addWidget(act)
        self.use_empty(empty)
        busy = Busy(t("Publishing"), t("Cancel; nothing will be written"))
        busy.cancelled.connect(self.cancel)
        self.use_busy(busy)
        self._job: Job | None = None
        self._named_for: Source | None = None
        self._asked: tuple[object, ...] = ()
        self._found: tuple[tuple[object, ...], Examination, Order] | None = None
        self._made: Made | None = None
        self._again = False
        self._build()
        self.refresh()

    def _build(self) -> None:
        self.done = DonePart()
        self.done.again.connect(self._ask_again)
        self.done.hand_over.connect(self.hand_over)
        self.body.addWidget(self.done, 1)
        self.form = WholeLines()
        inside = QWidget()
        column = margins(QVBoxLayout(inside), 0, 0, 4, 0, spacing=12)
        self.place = PlaceCard()
        self.place.changed.connect(self._place_changed)
        column.addWidget(self.place)
        card = Card(t("Before publishing"), spacing=10)
        self.gate = GateView()
        self.gate.changed.connect(self._offer)
        self.gate.go.connect(self.mend)
        self.gate.reason_given.connect(self._keep_identifier)
        self.gate.earlier.connect(self.show_earlier)
        card.body.addWidget(self.gate)
        put(column, card, 1)
        self.form.setWidget(inside)
        self.body.addWidget(self.form, 1)
        self.earlier = button(t("Earlier &releases…"), lambda: self.show_releases(), picture="history")
        tip(self.earlier, t("What was released from this computer, to be handed out again"))
        self.try_it = button(t("&Try it on a sample…"), self.try_sample, picture="chart-column")
        tip(self.try_it, t("See what happens to the sensitive columns; nothing is written"))
        for at, part in enumerate((self.earlier, self.try_it), 1):
            self.foot.insertWidget(at, part)

    # -- what the user does --------------------------------------------------------------------------------------

    def set_target(self, folder: Path) -> None:
        """Name the folder to write."""
        self.place.set_target(folder)

    def act(self) -> None:
        if self._is_done():
            self.go.emit(Step.QUERY)
        else:
            self.publish()

    def show_what_waits(self) -> None:
        part = self.gate.first_open()
        if part is not None:
            part.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.form.ensureWidgetVisible(part)

    def order(self) -> Callable[[], Order] | None:
        """Return what makes the order of what would be published now, for the worker. Raises BadSetting.

        Making it passes over the records where each person keeps one.
        """
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None:
            return None
        made = partial(
            Order,
            target=self.place.target(),
            formats=self.place.formats(),
            packed=self.place.packed.isChecked(),
            password=self.place.zip_password(),
            source=source.path,
            source_sha256=source.imported.source.sha256 or None,
            storage=source.imported.storage,
            purpose=self.place.purpose.text().strip(),
            recipient=self.place.recipient.text().strip(),
            spoken=self.place.spoken(),
        )
        plan = choices.plan()
        # Of one record per person, those that all figures of it were made of.
        return lambda: made(*one_each(source.imported.table, plan, source.stay(plan.persons)))

    def try_sample(self) -> TrialDialog | None:
        """Show what publishing does to a sample."""
        if (planned := self.planned()) is None:
            return None
        dialog = TrialDialog(*planned, self.tasks, self)
        dialog.open()
        return dialog

    def show_earlier(self) -> RegisterDialog:
        """Show the earlier releases of the same records, the newest that is still there first."""
        earlier = self._found[1].earlier if self._found is not None else ()
        there = [other for other in earlier if other.folder is not None]
        newest = (there or list(earlier))[-1:]
        return self.show_releases(newest[0].entry.release if newest else None)

    def show_releases(self, chosen: str | None = None) -> RegisterDialog:
        """Show the register of releases."""
        dialog = RegisterDialog(self.tasks, chosen, self)
        dialog.open_release.connect(self.open_release)
        dialog.open()
        return dialog

    def hand_over(self) -> HandOverDialog | None:
        """Offer to pack the release into a ZIP."""
        release = self.session.release
        if release is None:
            return None
        dialog = HandOverDialog(release.folder, self.tasks, self)
        dialog.open()
        return dialog

    def publish(self) -> Job | None:
        """Write the release in the worker."""
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None or self._job is not None:
            return None
        found = self._found
        if found is None or found[0] != self._key():
            return None
        self.banner.hide()
        place = self.place
        # The very records that the gate has judged; what it does not depend on may have changed since.
        order = replace(
            found[2],
            password=place.zip_password(),
            purpose=place.purpose.text().strip(),
            recipient=place.recipient.text().strip(),
            spoken=place.spoken(),
        )
        assert self.busy is not None
        n, name = number(order.table.n), order.target.name
        self.busy.begin(t("Publishing {n} records to “{name}”", n=n, name=name))
        self.show_part(self.busy)
        for part in (self.earlier, self.try_it):
            part.hide()
        accepted, examination = self.gate.accepted(), found[1]
        job = self.tasks.run("publish", lambda progress: make_release(order, accepted, examination, progress))
        self._job = job
        self.set_primary(t("Publishing…"), False)
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(partial(self._published, source, choices))
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        return job

    def cancel(self) -> None:
        """Stop publishing; nothing of the unfinished release is left."""
        if self._job is not None:
            self._job.cancel()

    def _keep_identifier(self, column: str, reason: str) -> None:
        choices = self.session.choices
        if choices is not None:
            kept = {**choices.kept, column: reason}
            self.session.choose(replace(choices, kept=kept), t("reason for publishing {column}", column=column))

    def _ask_again(self) -> None:
        self.banner.say(
            "warning",
            t(
                "A second release of the same table weakens the first: whoever holds both can average their counts, and"
                " small counts become less protected. Better hand out the release you have."
            ),
            t("Publish again all the same"),
            self._publish_again,
        )

    def _publish_again(self) -> None:
        self.banner.hide()
        self._again = True
        if self.session.source is not None:
            self.place.propose(self.session.source.path)
        self.refresh()

    # -- what comes back -----------------------------------------------------------------------------------------

    def _published(self, source: Source, choices: Choices, made: Made) -> None:
        self._job = None
        self._again = False
        self._asked, self._found = (), None
        self._made = made
        opened = made.outcome.opened
        made_from = source, choices
        self.session.take_release(Release(opened.published, opened.facts, opened.folder, made_from, made.password))

    def _failed(self, text: str) -> None:
        self._job = None
        self._asked, self._found = (), None
        self.refresh()
        self.fault(text)

    def _stopped(self) -> None:
        self._job = None
        self.refresh()
        self.banner.say("note", t("Publishing was cancelled; nothing was written."))

    def _examined(self, key: tuple[object, ...], examined: tuple[Order, Examination]) -> None:
        order, found = examined
        self._found = (key, found, order)
        # The destination is judged beside its fields, at once.
        self.gate.show_lines(line for line in found.gate.lines if line.name != "destination")
        self._offer()

    def _not_examined(self, text: str) -> None:
        self._asked = ()
        self.fault(text)

    # -- showing -------------------------------------------------------------------------------------------------

    def _is_done(self) -> bool:
        return self.session.state(Step.PUBLISH) is State.DONE and self.session.release is not None and not self._again

    def refresh(self) -> None:
        if self._job is not None:
            return
        source, choices = self.session.source, self.session.choices
        if source is None or choices is None or not self.session.ready_to_plan():
            self._invite(source is not None)
            self.show_part(self.empty)
            self.set_primary(t("Publish"), False, "")
            return
        self.show_part(None)
        if source is not self._named_for:
            self._named_for = source
            self._again = False
            self.gate.forget()
            self.place.propose(source.path)
            self.banner.hide()
        done, release = self._is_done(), self.session.release
        self.done.setVisible(done)
        self.form.setVisible(not done)
        if done and release is not None:
            made = self._made
            self.done.show_release(release, made.compared if made else {}, len(made.outcome.checks) if made else 0)
        elif self.session.dropped is not None:
            old = self.session.dropped
            if self.place.target() == old.folder:
                self.place.propose(source.path)
            self.banner.say(
                "warning",
                t(
                    "“{name}” was published from other choices. Publish again to have a release of these, or undo.",
                    name=old.folder.name,
                ),
            )
        if not done:
            self.place.show_note()
            self._examine()
        self._offer()

    def _invite(self, opened: bool) -> None:
        assert self.empty is not None
        self.import_button.setVisible(not opened)
        self.classify_button.setVisible(opened)
        self.empty.text.setText(
            t(
                "Mark a sensitive column that groups can protect. A column is barred where one value fills too much of"
                " it, or where it holds measurements that are not in groups yet."
            )
            if opened
            else t("Open a table, mark its sensitive column and choose a group size. Then it can be published here.")
        )

    def _key(self) -> tuple[object, ...]:
        """Return all that the gate depends on; the words for the register don't count."""
        place = self.place
        packed = place.packed.isChecked()
        return self.session.source, self.session.choices, place.target(), place.formats(), packed

    def _place_changed(self) -> None:
        if self.isVisible() and self.stack.currentWidget() is self.content and not self._is_done():
            self._examine()
        self._offer()

    def _examine(self) -> None:
        key = self._key()
        if key == self._asked:
            return
        first, self._asked = not self._asked, key
        if not self.gate.lines or first:
            self.gate.show_waiting()
        try:
            order = self.order()
        except SpluError as fault:
            self.fault(str(fault))
            return
        if order is None:
            return
        pause = _DRAWN if first else _REST
        job = self.tasks.run("gate", lambda progress: _examination(order, progress), pause=pause)
        job.done.connect(partial(self._examined, key))
        job.failed.connect(self._not_examined)

    def _offer(self) -> None:
        source = self.session.source
        shown = source is not None and self._job is None and self.stack.currentWidget() is self.content
        self.try_it.setVisible(shown and not self._is_done())
        self.earlier.setVisible(shown)
        if source is None or self._job is not None or self.stack.currentWidget() is not self.content:
            return
        if self._is_done():
            self.set_primary(t("Ask the release for counts"), True)
            return
        n = source.imported.table.n if self._found is None else self._found[2].table.n
        text = t("Publish {n} records", n=number(n))
        waiting = self.gate.open_lines()
        if self.place.problem():
            self.set_primary(text, False, t("Choose another place first."))
        elif self._found is None or self._found[0] != self._key():
            self.set_primary(text, False, t("Still checking…"))
        elif any(line.light is Light.RED for line in waiting):
            self.set_primary(text, False, t("Something above is in the way; change it first."))
        elif waiting:
            self.set_primary(text, False, t("Accept what is marked above, or change it."))
        else:
            self.set_primary(text, True)

    def help_text(self) -> str:
        return t(
            "<p>Publishing writes a new folder: the table, a file that tells programs how to read its counts, and a "
            "short explanation for the recipient. No group, original sensitive value or record order stands in it.</p>"
            "<p>It is written whole or not at all, checked, and remembered in your register of releases. Your own "
            "table is never touched.</p><p><b>What should I check?</b></p><p>A published file can't be called back. "
            "Are all columns needed? Does a rare combination of age, ward and postcode point at one person?</p>"
            "<p>Publish a table once and hand out the same release again: two releases of the same records protect "
            "less than one.</p>"
        )
