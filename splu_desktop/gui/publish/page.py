"""The page Publish: the open lines are repaired or decided, and the release is written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from splu_desktop.core.policy import RED, UNSAFE, USEFUL, Line, Verdict, title_of
from splu_desktop.files.project.entries import meanings
from splu_desktop.files.project.release_section import RELEASE
from splu_desktop.files.publish.publishing import Options, Outcome, publish
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.folder import Form
from splu_desktop.files.release.handover import hand_over, new_password
from splu_desktop.gui.base.dialogs import asked_target, show_folder
from splu_desktop.gui.base.messages import persons_of, rows_of
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.parts import Card, Columns, Flow, VerdictBar
from splu_desktop.gui.base.session import Release, Step
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import announce, button, empty, label, line_edit, margins, put
from splu_desktop.gui.base.words import join, language_code, t, translate
from splu_desktop.gui.proposal.figures import EARLIER, band_figures, out_of_date
from splu_desktop.gui.proposal.releases_dialog import ReleasesDialog
from splu_desktop.gui.publish.lines import HeldLines, LineCard
from splu_desktop.gui.publish.outgoing_card import OutgoingCard

_RIGHT = 424
_FIGURES = "too-blurred", "riskiest-group", "certainty", "small-counts", EARLIER
_LOOK_AT = dict.fromkeys(_FIGURES, Step.PROPOSAL) | dict.fromkeys(("not-signed", "no-person-column"), Step.QUESTIONS)


class PublishPage(Page):
    """The decision: open lines, and the place."""

    step, before = Step.PUBLISH, Step.PROPOSAL
    follows_answers = True

    def build(self) -> None:
        self._named = ""  # the source that the name was proposed for
        self._repairing = ""
        self._asked_form: Mapping[str, Any] = {}  # what a recipe said of the release's files
        self._shown: object = None
        self.verdict = VerdictBar()
        self.head.addWidget(self.verdict)
        self.cards: list[LineCard] = []
        inside = QWidget()
        self.lines = margins(QVBoxLayout(inside), 0, spacing=12)
        self.done = self._make_done()
        self.held = HeldLines()
        self.outgoing = OutgoingCard()
        self.outgoing.changed.connect(self._hear_place)
        self.outgoing.answers_wanted.connect(lambda: self.go.emit(Step.QUESTIONS))
        self.open_lines = margins(QVBoxLayout(), 0, spacing=12)
        put(self.lines, self.done, self.open_lines, self.held, 1)
        self.columns = Columns(inside, self.outgoing, _RIGHT)
        self.body.addWidget(self.columns, 1)
        waits, questions = t("Answer three questions first."), t("Answer the questions")
        self.use_empty("package-check", waits, questions, lambda: self.go.emit(Step.QUESTIONS))
        self.use_busy("publish")
        self.set_back(t("Back to the proposal"), t("Back"))

    def _make_done(self) -> Card:
        card = Card(spacing=8)
        self.done_words = label("", "strong", fitting=True, live=True)
        self.done_print = label("", fitting=True, selectable=True)
        self.done_place = line_edit(t("In the folder"))  # a path has no blank at which a label could break it
        self.done_place.setReadOnly(True)
        self.open_folder = button(
            t("Open the folder"), lambda: show_folder(Path(self.done_place.text())), picture="folder-open"
        )
        row = Flow()
        self.lock = button(t("As a ZIP with a password…"), self._hand_over, picture="lock")
        self.report = button(t("Report"), lambda: self.go.emit(Step.REPORT))
        for each in (self.open_folder, self.lock, self.report):
            row.addWidget(each)
        self.done_password = label("", "strong", fitting=True, selectable=True)
        put(card.body, self.done_words, self.done_print, self.done_place, row, self.done_password)
        return card

    def apply_fold(self, fold: Fold) -> None:
        self.verdict.make_short(fold is Fold.NARROW)
        self.columns.fold(fold is Fold.NARROW, _RIGHT if fold is Fold.WIDE else 330)

    # --- the session

    def refresh(self) -> None:
        session = self.session
        plan, source, judged = session.plan, session.source, session.judgement
        # The busy page with its Stop stays in front until the release is written, whatever else changes meanwhile.
        if self.work.busy("publish"):
            return
        if plan is None or source is None:
            self.verdict.hide()
            self.show_empty(t("Publish"))
            return
        self.show_content()
        self.verdict.show()
        # Once for each recipe, so that a tick which the user sets afterwards stays.
        if session.choices.release is not self._asked_form:
            self._asked_form = session.choices.release
            self.outgoing.take_form(self._asked_form)
        self._propose_name(source)
        if session.judge_fault:
            self.show_error(session.judge_fault)
        elif session.stale:
            self.banner.say("warning", t("The plan was changed after the last release. This would be another one."))
        elif self.banner.kind in ("warning", "fault"):
            self.banner.hide()
        if judged is None:
            self.verdict.say("amber", t("Working it out…"), "")
            self._show_primary()
            return
        self.outgoing.show_plan(plan, judged.verdict.figures.rows)
        self._show_verdict(judged.verdict)
        self._show_lines(judged.verdict)
        self._show_primary()

    def _propose_name(self, source: Source) -> None:
        # A name such as table.csv.gz has two endings, of which `stem` takes off one.
        packed = source.path.suffix.lower() in (".gz", ".bz2", ".xz", ".zst", ".zip")
        anew = self._named != source.fingerprint
        if anew:
            self._named, self._repairing = source.fingerprint, ""
        if self._find_release() is None:
            self.outgoing.propose_name(Path(source.path.stem).stem if packed else source.path.stem, anew=anew)

    def _find_release(self) -> Release | None:
        last = self.session.release
        return last if last is not None and last.plan is not None and last.plan == self.session.plan else None

    def _show_verdict(self, verdict: Verdict) -> None:
        (red, amber), accepted = self._count_waiting(), self.session.reasons
        if verdict.state == USEFUL:
            title, sentence, state = translate(title_of(USEFUL)), translate(verdict.sentence), USEFUL
        elif not red and not amber:
            state, title = USEFUL, t("Accepted by name")
            sentence = " ".join(f"{translate(line.sentence)} ({accepted[line.name]})" for line in verdict.open[:1])
        else:
            state, title, sentence = verdict.state, translate(title_of(verdict.state)), waiting_words(red, amber)
            if state == UNSAFE:
                title, state = t("Not safe yet"), state if red else "amber"
        if self._find_release() is not None:
            title = t("Published")
        elif self.session.has_new_answers:
            state, title, sentence = out_of_date()
        self.verdict.say(state, title, sentence, band_figures(verdict, persons_of(self.session.plan)))

    def _show_lines(self, verdict: Verdict) -> None:
        accepted = self.session.reasons
        key = (verdict, tuple(accepted.items()), self._repairing, self._find_release())
        # Every change of the session comes here, and a card made anew loses the reason that is being typed into it.
        if key == self._shown:
            return
        self._shown = key
        last = self._find_release()
        self.done.setVisible(last is not None)
        if last is not None:
            self.done_words.setText(t("Written and checked: {name}", name=last.content.title))
            self.done_print.setText(t("Six words to compare by telephone: {words}", words=last.fingerprint))
            self.done_place.setText(str(last.content.path))
            self.lock.setVisible(Path(last.content.path).is_dir())
            self.done_password.tell("")
        empty(self.open_lines)
        self.cards = []
        for at, line in enumerate(verdict.open):
            card = LineCard(
                line,
                accepted.get(line.name, ""),
                first=not at and line.state == RED,
                repairing=self._repairing == line.name,
                over=last is not None,
            )
            card.repaired.connect(lambda line=line: self._repair(line))
            card.shown.connect(lambda line=line: self.go.emit(_LOOK_AT.get(line.name, Step.COLUMNS)))
            card.accepted.connect(lambda words, line=line: self.session.accept(line.name, words))
            self.cards.append(card)
            self.open_lines.addWidget(card)
        self.held.show_lines([translate(line.sentence) for line in verdict.lines if not line.open])
        self.held.unfold(last is None and self.fold is not Fold.NARROW and (self.fold is Fold.WIDE or not verdict.open))

    def _count_waiting(self) -> tuple[int, int]:
        """Return how many lines wait for a repair, and for a decision."""
        verdict, accepted = self.session.verdict, self.session.reasons
        if verdict is None:
            return 0, 0
        red = sum(line.state == RED for line in verdict.open)
        return red, sum(line.state != RED and line.name not in accepted for line in verdict.open)

    def _hear_place(self) -> None:
        if self.banner.kind == "fault":  # that was said of another folder or name
            self.banner.hide()
        self._show_primary()

    def _show_primary(self) -> None:
        judged = self.session.judgement
        self.outgoing.hold(self._find_release() is not None)
        if self._find_release() is not None:
            self.set_primary(t("Continue to ask"), True)
            return
        if judged is None:
            self.set_primary(t("Publish"), False, t("Working it out…"))
            return
        words = t("Publish {rows}", rows=rows_of(judged.verdict.figures.rows, judged.plan))
        red, amber = self._count_waiting()
        problem = self.outgoing.problem()
        note = waiting_words(red, amber) if red or amber else problem
        self.set_primary(words, not red and not amber and not problem, note)

    # --- what is done

    def _repair(self, line: Line) -> None:
        if line.repair is None:
            ReleasesDialog(self.session, self)
            return
        self._repairing = line.name
        self.repair(line, self._end_repair)
        self.refresh()

    def _end_repair(self) -> None:
        self._repairing = ""
        self.refresh()

    def act(self) -> None:
        if self._find_release() is not None:
            self.session.confirm(Step.PUBLISH)
            self.go.emit(Step.ASK)
            return
        session, judged = self.session, self.session.judgement
        if judged is None or session.source is None:
            return
        self._propose_name(session.source)  # another window may have published meanwhile
        try:
            self.outgoing.keep_folder()
        except (OSError, ValueError):  # ValueError: a NUL, which no path may hold
            self.show_error(t("The folder can’t be made. Choose another one."))
            return
        source, plan, accepted, verdict = session.source, judged.plan, session.reasons, judged.verdict
        settings = meanings(RELEASE, session.choices.release)
        options = Options(
            form=Form(
                title=settings.get("title", self.outgoing.name.text().strip()),
                contact=settings.get("contact", ""),
                dialect=Dialect(*settings.get("dialect", ())),
                workbook=self.outgoing.workbook.isChecked(),
                language=settings.get("language", language_code()),
            ),
            as_zip=self.outgoing.packed.isChecked(),
            source=source.path,
            source_sha256=str(source.reading.source.sha256 or ""),
            operator=settings.get("operator", ""),
        )

        def take(outcome: Outcome) -> None:
            if session.source is source:
                session.take_release(Release(outcome.release, source, plan, verdict, accepted, outcome.fingerprint))
                return
            self.refresh()  # another table was opened meanwhile
            session.noticed.emit("done", t("Written and checked: {name}", name=outcome.release.title))

        self.work_on(
            t("Publishing. Until the last line, Stop leaves nothing behind."),
            take,
            publish,
            source.table,
            plan,
            self.outgoing.target,
            judged=verdict,
            accepted=accepted,
            options=options,
        )

    def _hand_over(self) -> None:
        """Pack the release into a locked ZIP, and show its password once: it is kept nowhere."""
        release = self._find_release()
        if release is None:
            return
        folder = Path(release.content.path)
        start = folder.with_name(f"{folder.name}.zip")
        # A locked ZIP is as strong as its password alone, so that the program makes it and nobody types one.
        path, password = asked_target(self, t("As a ZIP with a password…"), start, ".zip"), new_password()
        if path is None:
            return

        def take(_: object) -> None:
            words = t("Password, shown only now: {password}. Send it another way than the file.", password=password)
            self.done_password.tell(words)
            announce(self.done_password, words)

        self.work.start(
            hand_over, folder, path, password=password, on_done=take, on_exception=self.show_error, channel="hand over"
        )

    def show_what_waits(self) -> None:
        accepted = self.session.reasons
        waits = next((card for card in self.cards if card.line.state == RED or card.line.name not in accepted), None)
        part = waits.first_field() if waits is not None else self.outgoing.first_wrong()
        part.setFocus(Qt.FocusReason.OtherFocusReason)


def waiting_words(red: int, amber: int) -> str:
    """Return how many lines wait, in words."""
    what = [words for n, words in ((red, t("{n} to repair", n=red)), (amber, t("{n} to decide", n=amber))) if n]
    return t("Waits for you: {what}.", what=join(what, ","))
