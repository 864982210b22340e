"""Plan: choose the group size gamma and see at once what it protects and what stays answerable."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.guarantees import sentences
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.table import Column, unique
from splu_desktop.gui.base.page import Page
from splu_desktop.gui.base.plot_saving import PlotCard
from splu_desktop.gui.base.plots import LargeCountsPlot, SmallCountsPlot
from splu_desktop.gui.base.session import Choices, Session, Step, Strokes
from splu_desktop.gui.base.tasks import Tasks, in_turns
from splu_desktop.gui.base.widgets import Card, Choice, Empty, Tabs, button, margins, scrolled
from splu_desktop.gui.base.words import number, t, tip
from splu_desktop.gui.plan.ahead import AheadTab
from splu_desktop.gui.plan.controls import GammaControl, ThresholdBoxes
from splu_desktop.gui.plan.figures import Values, curves, promises, value_rows
from splu_desktop.gui.plan.must_dialog import MustDialog
from splu_desktop.gui.plan.said_ahead import GiveawayCard, LimitsNote
from splu_desktop.gui.plan.tabs import PromisesTab, ValuesTab
from splu_desktop.gui.plan.taking_groups import take_groups
from splu_desktop.gui.plan.together_dialog import TogetherDialog
from splu_desktop.gui.plan.tolerance_dialog import ToleranceDialog
from splu_desktop.gui.plan.tolerant import TolerantPart
from splu_desktop.gui.plan.tradeoff import Advice, TradeOffRoom, advise
from splu_desktop.gui.plan.ways_out import WayOut, ways_out

if TYPE_CHECKING:
    from splu_desktop.gui.compare.dialog import BesideDialog

_MOMENT = 40  # ms until the sentences follow the slider
_PLOTS = 13  # lines of text high, at most: what recipients read comes first
_BETWEEN = 10  # ms between the turns that make the plots
_REST = 120  # ms that the slider must rest before the table of values is made anew


class PlanPage(Page):
    """The third page.

    Signals
    -------
    mend (Step, column) : what this column gives away is mended on that page.
    """

    mend = Signal(Step, str)
    step = Step.PLAN

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(t("Plan"), t("Choose how strongly to protect, and see what recipients will read."))
        empty = Empty(
            "sliders-horizontal",
            t("No sensitive column yet"),
            t("Open a table and mark the column whose small counts must be protected, such as a diagnosis."),
        )
        empty.buttons.addWidget(
            button(t("&Classify the columns"), lambda: self.go.emit(Step.CLASSIFY), look="primary", picture="tags")
        )
        self.use_empty(empty)
        self._drawn: tuple[object, ...] = ()
        self._listed: tuple[object, ...] = ()
        self._compared: tuple[object, ...] = ()
        self._comparing: tuple[object, ...] = ()
        self._advice: Advice | None = None
        self._counts: tuple[Column | None, np.ndarray[tuple[int], np.dtype[np.int64]]] = (None, np.zeros(0, np.int64))
        self._strokes = Strokes()
        self._by_tolerances = False
        inside = QWidget()  # scrolls on small screens, so that the primary button stays in sight
        self.parts = QVBoxLayout(inside)
        margins(self.parts, 0, spacing=12)
        self.body.addWidget(scrolled(inside))
        self._build_controls()
        self._build_plots()
        self._build_tabs()
        self.beside = button(
            t("&Beside other methods…"),
            self.open_beside,
            hint=t("What buckets, noise and other methods would make of this table"),
        )
        self.foot.insertWidget(1, self.beside)
        self.refresh()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build_controls(self) -> None:
        card = Card(spacing=8)
        self.column = Choice()
        self.column.setAccessibleName(t("Sensitive column shown"))
        self.column.currentIndexChanged.connect(lambda _: self._column_changed())
        self.column.setMinimumContentsLength(12)
        self.together = QCheckBox(t("&Same group size for all"))
        self.together.toggled.connect(self._together_changed)
        self.per_value = button(
            t("Tolerance &per value…"),
            self.open_tolerances,
            hint=t("For values that are not all equally sensitive, and for fake values in the groups"),
        )
        self.gamma = GammaControl(self.per_value)
        self.gamma.changed.connect(self._gamma_changed)
        self.which = QWidget()
        side = QHBoxLayout(self.which)
        margins(side, 0, spacing=12)
        side.addWidget(self.column)
        side.addWidget(self.together)
        self.draw_together = button(
            t("&Draw together…"),
            self.open_together,
            hint=t("Columns that belong together, so that what they say about each other stays"),
        )
        side.addWidget(self.draw_together)
        card.body.addWidget(self.which, 0, Qt.AlignmentFlag.AlignLeft)
        card.body.addWidget(self.gamma)
        self.limits = LimitsNote(self.session, self.tasks, self._take_gamma)
        card.body.addWidget(self.limits)

        self.asks = ThresholdBoxes()
        self.asks.changed.connect(self._thresholds_changed)
        self.alpha, self.epsilon, self.t_p, self.t_e = (
            self.asks.alpha,
            self.asks.epsilon,
            self.asks.t_p,
            self.asks.t_e,
        )
        card.body.addWidget(self.asks)
        self.parts.addWidget(card)
        self.giveaway = GiveawayCard(self.session, self.tasks)
        self.giveaway.group.connect(partial(self.mend.emit, Step.CLASSIFY))
        self.parts.addWidget(self.giveaway)

    def _build_plots(self) -> None:
        self.plots = QWidget()
        self.plots.setMaximumHeight(_PLOTS * self.fontMetrics().lineSpacing())
        row = QHBoxLayout(self.plots)
        margins(row, 0, spacing=12)
        self.small = PlotCard(SmallCountsPlot, t("Small counts are shown wrong"), "shield", "protected")
        self.large = PlotCard(LargeCountsPlot, t("Large counts are reliable"), "circle-check", "answerable")
        self.published_curve = QCheckBox(t("Bounds"))
        tip(
            self.published_curve,
            t(
                "Chebyshev's bound, which needs no computing, and the papers' curve. The latter is not valid: it"
                " promises far more than the release keeps."
            ),
        )
        self.published_curve.toggled.connect(lambda on: self.large.plot.show_bounds(on))
        self.large.head.addWidget(self.published_curve)
        for card in (self.small, self.large):
            card.failed.connect(self.fault)
            row.addWidget(card, 1)

    def _build_tabs(self) -> None:
        self.tabs = Tabs()
        self.tabs.tabBar().setDrawBase(False)  # one line below the tabs, none above
        self.ahead = AheadTab(self.session, self.tasks, self.plots, self.open_must)
        self.ahead_room = scrolled(self.ahead)
        self.tabs.addTab(self.ahead_room, t("&What recipients read"))
        self.promises = PromisesTab(self.take_way)
        self.tabs.addTab(self.promises, t("P&romises"))
        self.promises.warned.connect(partial(self.tabs.mark, self.promises))
        self.values = ValuesTab()
        self.tabs.addTab(self.values, t("&Values"))
        self.trade_off = TradeOffRoom()
        self.trade_off.failed.connect(self.fault)
        self.trade_off.take.connect(self.gamma.slider.setValue)
        self.trade_off.made.connect(self.put_primary_last)
        self.tabs.addTab(self.trade_off, t("&Trade-off"))
        self.tolerant_room = scrolled(QWidget())
        self.tabs.addTab(self.tolerant_room, t("P&romises and tolerances"))
        self.parts.addWidget(self.tabs, 1)

    @cached_property
    def tolerant(self) -> TolerantPart:
        """What stands in place of slider and plots, made for the first column that has no gamma: few tables need it."""
        part = TolerantPart(self.session, self.tasks)
        part.settled.connect(self._show_settled)
        self.tolerant_room.setWidget(part)
        self.put_primary_last()
        return part

    # -- what the user does --------------------------------------------------------------------------------------

    def shown_column(self) -> str:
        """Return the name of the SA whose figures are shown."""
        return self.column.currentText()

    def _gamma_changed(self, gamma: int) -> None:
        choices = self.session.choices
        if choices is None:
            return
        if self._by_gamma():
            self._draw(gamma, choices.thresholds)
        names = tuple(choices.follows) if choices.together else (self.shown_column(),)
        after = choices.with_gamma(names, gamma)
        self.session.choose(after, t("group size"), self._strokes.next("gamma"))

    def _take_gamma(self, gamma: int) -> None:
        """Take a group size that was offered, as a step of undo of its own."""
        choices = self.session.choices
        if choices is not None:
            names = tuple(choices.follows) if choices.together else (self.shown_column(),)
            self.session.choose(choices.with_gamma(names, gamma), t("group size"))

    def _thresholds_changed(self) -> None:
        choices = self.session.choices
        if choices is None:
            return
        thresholds = self.asks.value()
        if self._by_gamma():
            self._draw(self.gamma.value(), thresholds)
        after = replace(choices, thresholds=thresholds)
        self.session.choose(after, t("what is asked"), self._strokes.next("thresholds"))

    def open_tolerances(self) -> ToleranceDialog:
        """Open the dialog that gives the column shown a tolerance per value."""
        dialog = ToleranceDialog(self.shown_column(), self.session, self.tasks, self)
        dialog.open()
        return dialog

    def open_must(self) -> MustDialog:
        """Open the dialog that asks what must be answered."""
        dialog = MustDialog(self.session, self.tasks, self.shown_column(), self.ahead.asked(), self)
        dialog.open()
        return dialog

    def open_together(self) -> TogetherDialog:
        """Open the dialog that draws columns together."""
        dialog = TogetherDialog(self.session, self.tasks, self.shown_column(), self)
        dialog.open()
        return dialog

    def open_beside(self) -> BesideDialog | None:
        """Open the dialog that compares the plan to other methods."""
        # Not above: brings SciPy's sparse arrays and every method, which the page does without.
        from splu_desktop.gui.compare.dialog import BesideDialog

        if (planned := self.planned()) is None:
            return None
        dialog = BesideDialog(*planned, self.shown_column(), self.tasks, self)
        dialog.compared.connect(self.session.take_alternatives)
        dialog.open()
        return dialog

    def take_way(self, way: WayOut) -> None:
        """Change what a way out changes, as one step of undo."""
        choices, name = self.session.choices, self.shown_column()
        if choices is None:
            return

        def also(now: Choices) -> Choices:
            names = tuple(now.follows) if now.together else (name,)
            after = now if way.gamma is None else now.with_gamma(names, way.gamma)
            return replace(after, thresholds=way.thresholds or now.thresholds)

        if way.steps is not None:
            take_groups(self.session, self.tasks, name, way.steps, also)
        else:
            self.session.choose(also(choices), t("what is asked"))

    def _together_changed(self, on: bool) -> None:
        choices = self.session.choices
        if choices is not None:
            self.session.choose(replace(choices, together=on), t("one group size for all"))

    def _column_changed(self) -> None:
        if self.session.choices is not None and self.shown_column():
            self._show(self.session.choices)

    def act(self) -> None:
        self.session.confirm(Step.PLAN)
        self.go.emit(Step.PUBLISH)

    # -- showing -------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        choices = self.session.choices
        self.beside.setVisible(choices is not None and self.session.ready_to_plan())
        if choices is None or not self.session.ready_to_plan():
            self.show_part(self.empty)
            self.set_primary(t("Continue"), False, "")
            return
        self.show_part(None)
        names = list(choices.sensitive)
        if [self.column.itemText(i) for i in range(self.column.count())] != names:
            kept = self.shown_column()
            with QSignalBlocker(self.column):
                self.column.clear()
                self.column.addItems(names)
                self.column.setCurrentIndex(max(0, names.index(kept) if kept in names else 0))
        self.which.setVisible(len(names) > 1)
        self.giveaway.look()
        self._show(choices)

    def _show(self, choices: Choices) -> None:
        source = self.session.source
        if source is None:
            return
        name = self.shown_column()
        thresholds = choices.thresholds
        draw = choices.draws[name]
        try:
            draw = choices.carried_out(name)
        except SpluError as fault:
            self.fault(str(fault))
        by_gamma = draw.gamma is not None
        self.plots.setVisible(by_gamma)
        for tab in (self.promises, self.values, self.trade_off):
            self.tabs.setTabVisible(self.tabs.indexOf(tab), by_gamma)
        self.tabs.setTabVisible(self.tabs.indexOf(self.tolerant_room), not by_gamma)
        self.ahead.look(name)
        self.limits.look(name)
        # What the plan has: by person a column drawn together with others says a gamma, too, but none of its own.
        follows = choices.follows.get(name)
        self.gamma.setVisible(follows is not None)
        self._by_tolerances = not by_gamma
        if not by_gamma:
            self.tolerant.show_draw(name, draw, thresholds)
        self.asks.show_value(thresholds)
        with QSignalBlocker(self.together):
            self.together.setChecked(choices.together)
        bound = tuple(choices.follows) if choices.together else (name,)
        if follows is not None:
            facts = [self.session.drawn(each)[1] for each in bound if choices.draws[each].follows is not None]
            self.gamma.show_value(follows, min(facts, key=lambda fact: fact.largest_gamma))
        if not by_gamma:
            self._show_settled()
            return
        self._draw(choices.gammas[name], thresholds)
        self._list_values(name, choices.gammas[name], thresholds)
        self._compare(name, choices.gammas[name], thresholds)
        if choices.together or len(choices.sensitive) == 1:
            text = t("Continue with groups of {gamma}", gamma=number(choices.gammas[name]))
        else:
            text = t("Continue with these groups")
        self.set_primary(text, True)

    def _show_settled(self) -> None:
        """Offer to go on only with tolerances that the plan keeps, not with any that can't be kept."""
        choices = self.session.choices
        # Not _by_gamma(): a column drawn per person has a gamma, but is shown in the same place as tolerances.
        if choices is not None and self._by_tolerances:
            follows = choices.follows.get(self.shown_column())
            text = t("Continue with these tolerances")
            if self._with_others():
                text = t("Continue with these groups")
            if follows is not None:
                text = t("Continue with gamma {gamma}", gamma=number(follows))
            self.set_primary(text, self.tolerant.is_settled)

    def _by_gamma(self) -> bool:
        """Whether the column shown has a gamma to set."""
        return self.session.choices is None or self.shown_column() in self.session.choices.gammas

    def _with_others(self) -> bool:
        """Whether the column shown is drawn together with others."""
        choices, name = self.session.choices, self.shown_column()
        draw = choices.draws.get(name) if choices is not None else None
        return draw is not None and len(draw.block(name)) > 1

    def _column(self) -> Column | None:
        name = self.shown_column()
        return self.session.drawn(name)[0] if self.session.source is not None and name else None

    def _draw(self, gamma: int, thresholds: Thresholds) -> None:
        """Draw both plots at once: a millisecond of computing, the rest drawing. The sentences follow."""
        column = self._column()
        if column is None:
            return
        key = (column, gamma, thresholds)
        if key == self._drawn:
            return
        if self._counts[0] is not column:
            self._counts = (column, unique(column.counts()[column.counts() > 0]))
        try:
            large, small = curves(gamma, thresholds, self._counts[1])
            values = int((column.counts() > 0).sum())
            if sentences.unprotected(column.n, gamma, values, thresholds.epsilon, thresholds.alpha) is not None:
                small = replace(small, told=True)
        except SpluError as fault:
            self.fault(str(fault))
            return
        if not self._drawn:  # the page first, each plot in a turn of its own
            in_turns(self, (card.plot for card in (self.small, self.large)), _BETWEEN)
        self._drawn = key
        self.large.draw(lambda plot: plot.draw(large))
        self.small.draw(lambda plot: plot.draw(small))
        # Text of another length lays the page out anew, which would cost half of what a drag of the slider has.
        name, n, values = column.name, column.n, int((column.counts() > 0).sum())
        job = self.tasks.run(
            "promises", lambda progress: promises(gamma, thresholds, name, n, values, progress), pause=_MOMENT
        )
        job.done.connect(self.promises.show_promises)
        job.failed.connect(self.fault)

    def _list_values(self, name: str, gamma: int, thresholds: Thresholds) -> None:
        column = self._column()
        key = (column, gamma, thresholds)
        if column is None or key == self._listed:
            return
        self._listed = key
        job = self.tasks.run("values", lambda progress: value_rows(column, gamma, thresholds, progress), pause=_REST)
        job.done.connect(self._values_ready)
        job.failed.connect(self.fault)
        source, choices = self.session.source, self.session.choices
        if source is not None and choices is not None:
            read, steps = source.drawn(name, (), choices.persons)[0], choices.steps(name)
            work = self.tasks.run(
                "ways", lambda progress: ways_out(read, steps, gamma, thresholds, progress), pause=_REST
            )
            work.done.connect(lambda found: self.promises.ways_out.show_ways(found, gamma, thresholds))

    def _compare(self, name: str, gamma: int, thresholds: Thresholds) -> None:
        column = self._column()
        if column is None:
            return
        if self._advice is not None and self._compared == (column, thresholds):
            self.trade_off.show_advice(self._advice, gamma)
            return
        if self._comparing == (column, thresholds):
            return
        key = self._comparing = (column, thresholds)
        counts = column.counts()
        job = self.tasks.run(
            "compare",
            lambda progress: advise(counts[counts > 0], column.n, thresholds, name, progress),
            pause=_REST,
        )
        job.done.connect(partial(self._compared_ready, key))
        job.failed.connect(self.fault)

    def _compared_ready(self, key: tuple[object, ...], advice: Advice) -> None:
        self._compared, self._advice = key, advice
        self.trade_off.show_advice(advice, self.gamma.value())

    def _values_ready(self, found: Values) -> None:
        self.promises.show_warnings(found.warnings)
        self.values.show_values(found)
        self.tabs.setTabText(self.tabs.indexOf(self.values), t("Value&s ({n})", n=number(len(found.rows))))

    def help_text(self) -> str:
        if not self._by_gamma() and not self._with_others():
            return self.tolerant.help_text()
        return t(
            "<p>Each patient is put into a group with others who have other values; one of the group's values is then"
            " drawn for each. The <b>group size gamma</b> says how many.</p>"
            "<p><span class='p'>Small counts</span> become unreliable on purpose: nobody can tell whether two or no"
            " patients have a rare diagnosis.</p>"
            "<p><span class='a'>Large counts</span> stay close to the truth.</p>"
            "<p><b>What should I choose?</b></p>"
            "<p>5 suits most tables. Larger groups hide a single patient better, and blur how values hang together with"
            " the other columns (“signal left”).</p>"
            "<p>Who learns from the whole table, or knows all other patients, is not bounded by gamma. <i>Promises</i>"
            " says what each of them can know; the report measures it.</p>"
            "<p class='q'>The promise is about counts of sensitive values. It does not hide that a person is in the"
            " table.</p>"
        )
