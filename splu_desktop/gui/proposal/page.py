"""The page Proposal: verdict, the recipient's tables, what was done, the strength with its plots, two other ways."""

from __future__ import annotations

import gc
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabBar, QVBoxLayout, QWidget

from splu_desktop.core.answer.forecast import LEAST
from splu_desktop.core.messages import cases_of_100
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import BLURRED, RED, TOO_SMALL, UNSAFE, USEFUL, Alternative, title_of
from splu_desktop.core.policy import Step as Done
from splu_desktop.core.policy.figures import FEWEST_CELLS
from splu_desktop.core.questions import AskedTable
from splu_desktop.files.disk.room import return_freed_memory
from splu_desktop.gui.base.choices import number_box, show_value
from splu_desktop.gui.base.dialogs import save_as
from splu_desktop.gui.base.messages import name_value, persons_of
from splu_desktop.gui.base.page import Fold, Page
from splu_desktop.gui.base.parts import Card, VerdictBar, link
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import ElidedLabel, Rule, label, margins, put, show_whole, turn
from splu_desktop.gui.base.words import bare, caption, join, language_code, number, percent, plain, t, translate
from splu_desktop.gui.proposal.figures import band_figures, out_of_date, repair_words, strength_words
from splu_desktop.gui.proposal.offer import ENDINGS, Offer
from splu_desktop.gui.proposal.page_height import FillingBox
from splu_desktop.gui.proposal.plots import LargeCountsPlot, SmallCountsPlot
from splu_desktop.gui.proposal.preview import MOST_LINES, Preview, preview
from splu_desktop.gui.proposal.ranges import RangeTable
from splu_desktop.gui.proposal.releases_dialog import ReleasesDialog
from splu_desktop.gui.proposal.slider import StrengthSlider
from splu_desktop.gui.proposal.steps import StepList, steps_of
from splu_desktop.gui.proposal.ways import PossibleCard, Way, Ways, way_of
from splu_desktop.report.book.document import PrintedBook
from splu_desktop.report.book.make import hand_out_protected, print_protected

_CHANNEL = "figures"
_REST = 200  # ms
_TAB = 130  # pixels that a tab has in any case
_FEW_LINES = 10  # of a table, in a narrow window
_WHERE = {"tables": Step.QUESTIONS, "person": Step.QUESTIONS, "strength": Step.EXPERT}  # a step is changed


class _Tabs(QTabBar):
    """Tabs of which a short name is never cut for the room of a long one."""

    def minimumTabSizeHint(self, index: int) -> QSize:
        whole = self.tabSizeHint(index)
        return QSize(min(whole.width(), _TAB), whole.height())


class ProposalPage(Page):
    """What goes out, before it exists."""

    step, before = Step.PROPOSAL, Step.QUESTIONS
    follows_answers = True

    # --- its parts

    def build(self) -> None:
        self._preview: Preview | None = None
        self._drawn: object = None  # the figures that both plots show
        self._at = 0
        self.verdict = VerdictBar()
        self.head.addWidget(self.verdict)
        self.tables = self._make_tables()
        self.steps = StepList()
        self.steps.undone.connect(self._undo)
        self.steps.changed.connect(lambda step: self.go.emit(_WHERE.get(step.name, Step.COLUMNS)))
        self.steps.all_columns.connect(lambda: self.go.emit(Step.COLUMNS))
        self.steps_card = Card("", 1, 2, 1, 4, spacing=0)
        put(self.steps_card.body, (self.steps, 1))
        self.strength = self._make_strength()
        self.ways = Ways()
        self.possible = PossibleCard()
        self.possible.taken.connect(self._take)
        self.offer = Offer()
        self.offer.wanted.connect(self._make_tables_file)
        self._protected: tuple[object, PrintedBook | None] = (None, None)
        self.left, self.right = QWidget(), QWidget()
        self.sides = FillingBox()
        self._left = margins(QVBoxLayout(self.left), 0, spacing=10)
        self._right = margins(QVBoxLayout(self.right), 0, spacing=10)
        self._sides = margins(QHBoxLayout(self.sides), 0, spacing=14)
        put(self._sides, (self.left, 10), (self.right, 7))
        self.body.addWidget(self.sides, 1)
        self.rest = QTimer(self, singleShot=True, interval=_REST)  # while the slider moves, other ways stand still
        self.rest.timeout.connect(self._show_ways)
        self.more = link(f"{t('Other ways')}…", self._open_ways)
        self.foot.insertWidget(0, self.more)
        self.foot.insertWidget(0, self.slim)
        waits, questions = t("Answer three questions first."), t("Answer the questions")
        self.use_empty("sliders-horizontal", waits, questions, lambda: self.go.emit(Step.QUESTIONS))
        self.set_back(t("Back to the questions"), t("Back"))
        self._ways: list[Way] = []

    def _make_tables(self) -> Card:
        card = Card("", 1, 1, 1, 4, spacing=0)
        head = margins(QHBoxLayout(), 6, 2, 8, 0, spacing=8)
        self.tabs = _Tabs()
        self.tabs.setAccessibleName(t("Your tables"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.currentChanged.connect(lambda: self._show_whole(False))
        self.change_tables = link(t("Change the answers"), lambda: self.go.emit(Step.QUESTIONS))
        put(head, (self.tabs, 1), self.change_tables)
        self.ranges = RangeTable()
        self.legend = ElidedLabel("", "quiet")
        self.legend.setContentsMargins(14, 3, 8, 3)
        # A narrow window's page scrolls, and no table in it: it is as high as its lines, few unless all are wanted.
        self.whole, self.all_lines = False, link("", lambda: self._show_whole(True))
        put(card.body, head, Rule(), (self.ranges, 1), self.legend, self.all_lines)
        return card

    def _show_whole(self, whole: bool) -> None:
        self.whole = whole
        self._show_figures()

    def _make_strength(self) -> Card:
        card = Card("", 14, 8, spacing=4)
        self.slider = StrengthSlider()
        self.gamma = number_box(1, 1000, 1, join((t("Strength"), "γ"), ","))
        self.gamma.setFixedWidth(68)
        self.strength_row = margins(QHBoxLayout(), 0, spacing=8)
        self.strength_title = label(t("Strength"), "strong")
        self.gamma_name = label("γ", "quiet")
        self.safer, self.exact = label(t("safer"), "quiet"), label(t("more exact"), "quiet")
        self.slider_row = margins(QHBoxLayout(), 0, spacing=8)
        self.slim = QWidget()
        self.slim_row = margins(QHBoxLayout(self.slim), 0, spacing=8)
        self.sentence = label("", wrap=True)
        self.large, self.small = LargeCountsPlot(), SmallCountsPlot()
        self.large_words, self.small_words = label("", "quiet", wrap=True), label("", "quiet", wrap=True)
        for words in (self.sentence, self.large_words, self.small_words):
            # Room for a third line, which they have at some stops: the plots would be drawn anew, and apart in height.
            words.setMinimumHeight(3 * words.fontMetrics().lineSpacing())
            words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plots = margins(QHBoxLayout(), 0, 4, 0, 0, spacing=16)
        for title, plot, words in (
            (t("Large counts stay readable"), self.large, self.large_words),
            (t("Small counts stay hidden"), self.small, self.small_words),
        ):
            put(self.plots, (put(margins(QVBoxLayout(), 0, spacing=2), label(title, "strong"), (plot, 1), words), 1))
        put(card.body, self.strength_row, self.slider_row, self.sentence, (self.plots, 1))
        self.slider.valueChanged.connect(self._slide)
        self.gamma.valueChanged.connect(self._type)
        return card

    # --- room

    def apply_fold(self, fold: Fold) -> None:
        wide, narrow = fold is Fold.WIDE, fold is Fold.NARROW
        turn(self._sides, down=narrow)
        self._sides.setSpacing(14 if wide else 12)
        third, fourth = (self.strength, self.steps_card) if narrow else (self.steps_card, self.strength)
        # Added again, a part leaves its former place.
        put(self._left, (self.offer, 1), self.tables, (third, 1))
        put(self._right, self.possible, (fourth, 1), self.ways)
        self.verdict.make_short(narrow)
        self._place_strength(narrow)
        turn(self.plots, down=not wide)
        self.plots.setSpacing(16 if wide else 2)
        for part in (self.large_words, self.small_words, self.sentence):
            part.setVisible(wide or (narrow and part is self.sentence))
        least = {Fold.WIDE: 10, Fold.NARROW: MOST_LINES + 1}.get(fold, 5)
        self.ranges.most, self.ranges.air = least + self.spare, 12 if wide else 8
        self.ranges.share_room()
        for aside in (self.legend, self.steps.note, self.change_tables):
            aside.setVisible(wide)
        for room in (self.steps.room, self.offer.room):
            show_whole(room, 60 if wide else 44, whole=narrow)
        turn(self.ways.row, down=narrow)
        for plot in (self.large, self.small):
            plot.setMinimumHeight(130 if narrow else 64)
            plot.setMaximumHeight(130 if narrow else 16_777_215)
        self._show_all()
        # At once, not by the timer: the least height of both sides goes with the fold, and is set there.
        self._show_ways()

    def _place_strength(self, narrow: bool) -> None:
        """Put the slider into the card, or into the footer, which stays in sight where the page scrolls."""
        self.slider.set_slim(narrow)
        parts = (self.safer, (self.slider, 1), self.exact)
        if narrow:
            put(self.slim_row, self.strength_title, *parts, self.gamma_name, self.gamma)
        else:
            put(self.strength_row, (self.strength_title, 1), self.gamma_name, self.gamma)
            top = Qt.AlignmentFlag.AlignTop
            put(self.slider_row, (self.safer, 0, top), (self.slider, 1), (self.exact, 0, top))
        for part in (self.safer, self.exact):
            part.setFixedHeight(26)
        self._show_slim()

    def _show_slim(self) -> None:
        """Show the slider in the footer of a narrow window, once there is something to move."""
        on = self.fold is Fold.NARROW and self.session.plan is not None
        self.slim.setVisible(on)
        self.note.setVisible(not on)
        parts = (self.strength_title, self.safer, self.slider, self.exact, self.gamma_name, self.gamma)
        wide = sum(part.minimumSizeHint().width() + 12 for part in (*parts, self.back, self.primary)) + 24
        self.strength_title.setVisible(not on or wide <= self.width())

    # --- the session

    def refresh(self) -> None:
        session = self.session
        self._show_slim()
        if session.plan is None or session.source is None:
            self._preview = None
            self.verdict.hide()
            self.show_empty(t("Continue to publish"))
            return
        self.show_content()
        self.verdict.show()
        plan, judged = session.plan, session.judgement
        shown = self._preview
        # `_preview` itself stays, so that its figures are shown in grey until those of this plan are there.
        if shown is not None and not _same_shape(shown.plan, plan):
            shown = None
        if judged is not None:
            if shown is not None and shown.plan != plan and shown.stops[shown.place(plan.gamma)].gamma == plan.gamma:
                # Every stop of the slider is worked out already, so that another strength needs no worker.
                shown = self._preview = replace(shown, plan=plan, verdict=judged.verdict)
            elif shown is None or shown.plan != plan:
                self._work_out()
        if session.judge_fault:
            self.show_error(session.judge_fault)
        elif self.banner.kind in ("fault", "warning"):
            self.banner.hide()
        if shown is not None:
            self._at = shown.place(plan.gamma)
        self._show_all()

    def _work_out(self) -> None:
        judged = self.session.judgement
        if judged is not None:
            self.work.start(
                preview,
                judged.draw_input,
                judged.verdict,
                judged.plan,
                on_done=self._take_preview,
                on_exception=self.show_error,
                channel=_CHANNEL,
            )

    def _take_preview(self, preview: Preview) -> None:
        if self.session.plan != preview.plan:
            self.refresh()
            return
        if self._waits():
            # What came with another table stays with it, and a search for garbage among it halts the slider for 50 ms.
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            return_freed_memory()
        self._preview, self._at = preview, preview.place(preview.plan.gamma)
        self._name_tabs()
        self._show_all()

    # --- showing

    def _waits(self) -> bool:
        """Return whether what is shown belongs to a plan before this one."""
        shown, plan = self._preview, self.session.plan
        return shown is None or plan is None or not _same_shape(shown.plan, plan)

    def _show_all(self) -> None:
        shown, plan = self._preview, self.session.plan
        if plan is None:
            return
        verdict = self.session.verdict
        # Another strength changes one line; all of them told anew at each move would slow the slider by half.
        if verdict is not None or self._waits():
            steps = steps_of(plan, self.session.proposal, None if verdict is None else verdict.figures)
            key = tuple((each.name, each.column, each.name == "strength" or str(each.words)) for each in steps)
            # Filling the list makes its rows anew, and a link among them that has the focus would lose it each time.
            if key != getattr(self, "_steps_shown", None):
                self._steps_shown = key
                self.steps.show_steps(steps, len(plan.roles))
        self.steps.say_strength(plan.gamma)
        if self._waits():  # protected tables of another plan are not to be handed out as this one's
            self._protected = None, None
            self.offer.show_tables(None)
        if shown is not None:
            stops = shown.stops
            self.slider.show_stops([s.gamma for s in stops], [s.zone for s in stops], stops[self._at].gamma)
            show_value(self.gamma, plan.gamma)
        self.slider.setEnabled(shown is not None)
        self._show_figures()
        self.rest.start()

    def _name_tabs(self) -> None:
        asked = self._preview.tables if self._preview is not None else ()
        names = [_table_name(each, asked[0] if at else None) for at, each in enumerate(asked)]
        if [self.tabs.tabText(at) for at in range(self.tabs.count())] == [caption(name) for name in names]:
            return
        # Qt tells of another tab in front as each one is removed, and the figures would be drawn for every one.
        with QSignalBlocker(self.tabs):
            while self.tabs.count():
                self.tabs.removeTab(0)
            for name in names:
                self.tabs.setTabToolTip(self.tabs.addTab(caption(name)), plain(name))

    def _show_figures(self) -> None:
        """Show what depends on the strength: all of it is known, so it follows the slider within one frame."""
        shown = self._preview
        if shown is None:
            self.verdict.say("amber", t("Working it out…"), "")
            self.set_primary(t("Continue to publish"), False, t("Working it out…"))
            return
        table = min(max(self.tabs.currentIndex(), 0), max(len(shown.tables) - 1, 0))
        if shown.tables:
            every = shown.stops[self._at].lines[table]
            cut = self.fold is Fold.NARROW and not self.whole and len(every) > _FEW_LINES + 2
            self.all_lines.setVisible(cut)
            self.all_lines.setText(t("All {n}", n=number(len(every))))
            lines = every[:_FEW_LINES] if cut else every
            self.ranges.show_lines(lines, mean=shown.tables[table].kind == "mean", waits=self._waits())
            self.legend.setText(_legend(shown, table, self._at))
        else:
            self.ranges.show_lines((), mean=False)
            self.legend.setText(t("This plan asks for no table."))
        self._show_strength(shown, table, self._at)
        self._show_verdict(shown, self._at)

    def _show_strength(self, shown: Preview, table: int, at: int) -> None:
        stop = shown.stops[at]
        large, small = stop.large[table], stop.small[table]
        # The verdict of a stop comes when its figures are drawn already.
        if (large, small) != self._drawn:
            self._drawn = large, small
            self.large.show_figures(large)
            self.small.show_figures(small)
        self.large_words.setText(
            t(
                "Counts of {n} {persons} and more are good to {error} in {of} of 100 releases.",
                n=number(large.at[1]),
                persons=persons_of(shown.plan),
                error=percent(large.epsilon),
                of=100 - round(100 * large.at[0]),
            )
        )
        self.small_words.setText(
            t(
                "Counts of 1 to {alpha} are wrong in at least {of} of 100 releases.",
                alpha=small.alpha,
                # Rounded down, as it is a promise; without the little more 0.29 would become 28.
                of=int(100 * small.t_p + 1e-9),
            )
        )
        words = t(
            "A row that shows a secret is right in {right} of 100 cases; in the riskiest group of {persons} "
            "in {worst}.",
            persons=persons_of(shown.plan),
            right=cases_of_100(stop.average),
            worst=cases_of_100(stop.riskiest),
        )
        # Of a table too small for its own questions it says nothing: the few others of 100 rows are all readable.
        if stop.cells >= FEWEST_CELLS and not math.isnan(stop.other):
            share = percent(int(100 * stop.other + 1e-9) / 100)
            words += " " + t("{share} of other questions about 100 rows and more can be read.", share=share)
        self.sentence.setText(words)

    def _show_verdict(self, shown: Preview, at: int) -> None:
        state = shown.state(at)
        stop = shown.stops[at]
        marks = band_figures(shown.verdict, persons_of(shown.plan), stop.readable, stop.cells, stop.average)
        # The policy's own sentence holds at the strength that it judged, and at no other stop.
        judged = shown.plan.gamma == shown.stops[at].gamma
        whole = judged and not (self.fold is Fold.MIDDLE and state == USEFUL)
        sentence = translate(shown.verdict.sentence) if whole else self._foreseen(state, marks[0][1])
        if self.fold is Fold.NARROW:
            sentence = join((f"{marks[0][1]} {marks[0][2]}", marks[1][1], marks[2][1]), ",") + "."
        title, look = translate(title_of(state)), state
        # What is left are lines that wait for a decision on Publish; none of them stops the release.
        if state == UNSAFE and self._goes_on(shown, state):
            title, look = t("Not safe yet"), "amber"
        if self._waits():
            sentence = t("Working it out…")
        if self.session.has_new_answers:
            look, title, sentence = out_of_date()
        self.verdict.say(look, title, sentence, marks)
        self._show_primary(shown, state)

    def _goes_on(self, shown: Preview | None, state: str) -> bool:
        if state != UNSAFE or shown is None:
            return state == USEFUL
        return shown.stops[self._at].zone != "unsafe" and not any(line.state == RED for line in shown.verdict.open)

    def _foreseen(self, state: str, cells: str) -> str:
        """Return the sentence of a strength that is not judged yet."""
        if state == USEFUL:
            return t("Cells that can be read: {n}; no limit is broken.", n=cells)
        if state in (BLURRED, TOO_SMALL):
            return t("Recipients can’t use your tables. Move towards more exact, or take a way that works.")
        return t("At this strength a limit is broken. Move towards safer.")

    def _show_primary(self, shown: Preview, state: str) -> None:
        goes_on, who = self._goes_on(shown, state), shown.plan.audience.recipient.strip()
        note = t("For {recipient}.", recipient=who) if who else t("One table, one recipient.")
        if self.session.choices.expert:
            note = join((t("Changed in Expert"), note), ":")
        if not goes_on:
            note = t("Choose a way that works first.")
        self.set_primary(t("Continue to publish"), goes_on and not self._waits(), note)

    def _show_ways(self) -> None:
        shown, verdict, held = self._preview, self.session.verdict, self.has_focus()
        state = USEFUL if verdict is None else verdict.state
        if shown is not None:
            state = shown.state(self._at)
        others, too_small = self._others(), state == TOO_SMALL
        # The policy ends its list with protected tables, which the offer on the same page shows already.
        others = [each for each in others if each.kind != "possible" or each.cells is None or each.plan is not None]
        self.possible.setVisible(too_small and bool(others))
        if too_small:
            self.possible.show_ways(others)
            self._protect()
        heights = {Fold.WIDE: (480, 520), Fold.MIDDLE: (250, 540), Fold.NARROW: (0, 0)}
        self.sides.set_least(heights[self.fold][too_small])
        for part, on in ((self.offer, too_small), (self.tables, not too_small), (self.steps_card, not too_small)):
            part.setVisible(on)
        self._ways = ways = [] if too_small else self._ways_of(state, others)
        needed = not self._goes_on(shown, state)
        key = (tuple((way.title, way.words) for way in ways), needed)
        if key != getattr(self, "_ways_shown", None):
            self._ways_shown = key
            self.ways.show_ways(ways, needed=needed)
        self.ways.setVisible(bool(ways) and self.fold is not Fold.MIDDLE)
        self.more.setVisible(bool(ways) and self.fold is Fold.MIDDLE)
        if held:  # else Qt gives the focus of what is hidden now to the rail
            self.keep_focus()

    def _ways_of(self, state: str, others: Sequence[Alternative]) -> list[Way]:
        """Return two other ways; repairs of what stops the plan where something does."""
        verdict = self.session.verdict
        stops = [] if verdict is None else [line for line in verdict.open if line.state == RED and repair_words(line)]
        if state == UNSAFE and stops:
            ways: dict[str, Way] = {}
            for line in stops:
                take = partial(self.repair, line) if line.repair else partial(ReleasesDialog, self.session, self)
                words = repair_words(line)
                ways.setdefault(words, Way(words, translate(line.sentence), (), take))  # two may have the same repair
            return list(ways.values())[:2]
        some, judged = [each for each in others if each.plan is not None][:2], self.session.judgement
        return [way_of(each, partial(self._take, each), judged) for each in some]

    def _others(self) -> list[Alternative]:
        """Return other ways: those of the proposal, and once the plan was changed, its own at other strengths."""
        proposal, plan, shown = self.session.proposal, self.session.plan, self._preview
        strengths = [] if shown is None or self._waits() else shown.other_strengths(self._at)
        if proposal is None or plan != proposal.plan:
            if proposal is not None and proposal.verdict.state == USEFUL:
                figures, words = proposal.verdict.figures, t("The proposal as it was.")
                reached = figures.readable, figures.cells, proposal.plan.gamma
                strengths.insert(0, Alternative("works", words, proposal.plan, *reached, works=True))
            return strengths
        alternatives = [way for way in proposal.alternatives if way.plan is None or way.plan != plan]
        return alternatives or strengths

    def _protect(self) -> None:
        """Make the protected tables once for a plan."""
        source, plan = self.session.source, self.session.plan
        if source is None or plan is None:
            return
        # Without the strength, on which the noise of these tables does not depend: the slider makes none anew.
        key = (source.fingerprint, plan.with_gamma(2))
        if key == self._protected[0]:
            return
        # Noted before the worker has begun, so that the next refresh does not begin a second one.
        self._protected = key, None
        self.offer.show_tables(None)

        def take(book: PrintedBook) -> None:
            self._protected = key, book
            self.offer.show_tables(book)

        self.work.start(
            print_protected,
            source.table,
            plan,
            source.path.stem,
            on_done=take,
            on_exception=lambda words: self.offer.show_tables(None, words),
            channel="protect",
        )

    # --- what is done

    def _make_tables_file(self) -> None:
        book, source, plan = self._protected[1], self.session.source, self.session.plan
        if book is None or source is None or plan is None:
            return
        start = source.path.with_name(f"{source.path.stem}-tables-{date.today().isoformat()}.docx")
        write = partial(hand_out_protected, book, source.table, plan, code=language_code())
        save_as(self, self.work, t("Make these tables…"), start, ENDINGS, write, self.banner.say)

    def _slide(self, place: int) -> None:
        if self._preview is not None and 0 <= place < len(self._preview.stops):
            self._type(self._preview.stops[place].gamma)

    def _type(self, gamma: float) -> None:
        # The last word joins the steps of one drag, so that one undo takes it back.
        name = t("strength {gamma}", gamma=strength_words(gamma))
        self.change_plan(lambda plan: plan.with_gamma(gamma), name, "strength")

    def _undo(self, step: Done) -> None:
        if step.undo is not None:
            name = join((bare(t("&Undo")), step.column or translate(step.words)), ":")
            self.change_plan(step.undo, name)

    def _take(self, way: Alternative) -> None:
        plan = way.plan
        if plan is not None:
            self.slider.setFocus(Qt.FocusReason.OtherFocusReason)  # the button that was pressed goes with its way
            self.change_plan(lambda _: plan, translate(way.words))

    def _open_ways(self) -> None:
        menu = QMenu(self)
        # As a child of the page each menu that was opened would live as long as the page does.
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for way in self._ways:
            figures = join((words for _, words in way.figures), ",")
            words = f"{way.title}: {way.words}" + (f" ({figures})" if figures else "")
            menu.addAction(caption(words), way.take)
        menu.popup(self.more.mapToGlobal(self.more.rect().topLeft()))

    def act(self) -> None:
        self.session.confirm(Step.PROPOSAL)
        self.go.emit(Step.PUBLISH)

    def show_what_waits(self) -> None:
        ways = self.ways.cards[0].use if self.ways.isVisible() else self.more
        target = self.slider if self._waits() or ways.isHidden() else ways
        (self.offer.make if self.offer.isVisible() else target).setFocus(Qt.FocusReason.OtherFocusReason)


def _legend(shown: Preview, table: int, at: int) -> str:
    lines = shown.stops[at].lines[table]
    if shown.groups[table] > MOST_LINES:
        return t(
            "The first {n} of {all} groups; all are counted.",
            n=MOST_LINES,
            all=number(shown.groups[table]),
        )
    tick = t("The tick is the true count, seen only here.")
    if any(line.truth < LEAST and not line.total for line in lines) and shown.tables[table].kind != "mean":
        return f"{t('Groups under 50 are not counted in the verdict.')} {tick}"
    return f"{tick} {t('In 95 of 100 releases the range holds the true count.')}"


def _same_shape(one: Plan, other: Plan) -> bool:
    """Return whether two plans differ in their strength at most."""
    return one == other or one.with_gamma(other.gamma) == other


def _table_name(asked: AskedTable, first: AskedTable | None) -> str:
    """Return a table in a few words; what it has in common with the first is left out."""
    what = asked.sa if asked.value is None else name_value(asked.sa, asked.value)
    if asked.kind == "mean":
        what = t("Average of {column}", column=asked.sa)
    by = (
        t("{one} and {two}", one=join(asked.by[:-1], ","), two=asked.by[-1]) if len(asked.by) > 1 else "".join(asked.by)
    )
    if not by:
        return what
    same = first is not None and (first.sa, first.value, first.kind) == (asked.sa, asked.value, asked.kind)
    return t("by {columns}", columns=by) if same else t("{what} by {columns}", what=what, columns=by)
