"""Promises and bounds, limits and law, rare values after the draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLineEdit

from splu_desktop.core.audience import OwnLimit
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import Limits, check_reason, level_of, reasons_named
from splu_desktop.core.policy.limits import limits_named
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.gui.base.choices import TickList, number_box, show_value
from splu_desktop.gui.base.recipes import choose_laws, laws_chosen
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import label, line_edit, put, show_whole
from splu_desktop.gui.base.words import decimal, join, language_code, t, tip
from splu_desktop.gui.expert.section import Rows, Section, grid_of
from splu_desktop.report import law

_WHOLE = ("alike", "printed", "gamma")


class BoundsSection(Section):
    """Epsilon, T_E, alpha, T_P."""

    def build(self) -> None:
        form = QFormLayout()
        self.epsilon = number_box(1, 100, 1, t("Relative error (epsilon)"), " %")
        self.t_e = number_box(0.1, 99, 1, t("A large count may be wrong in (T_E)"), " %")
        self.alpha = number_box(1, 50, 0, t("Counts are small up to (alpha)"))
        self.t_p = number_box(0, 100, 1, t("A small count must be wrong in at least (T_P)"), " %")
        self.t_p.setSpecialValueText(t("not asked"))
        for box in (self.epsilon, self.t_e, self.alpha, self.t_p):
            box.setMaximumWidth(140)
            form.addRow(box.accessibleName(), box)
            box.valueChanged.connect(self._tell)
        self.body.addLayout(form)

    def show_plan(self, plan: Plan, source: Source) -> None:
        asked = plan.thresholds
        for box, value in (
            (self.epsilon, 100 * asked.epsilon),
            (self.t_e, 100 * asked.t_e),
            (self.alpha, asked.alpha),
            (self.t_p, 100 * (asked.t_p or 0)),
        ):
            show_value(box, value)

    def _tell(self) -> None:
        thresholds = Thresholds(
            self.epsilon.value() / 100,
            self.t_e.value() / 100,
            int(self.alpha.value()),
            # A box of numbers is never empty, so that its least value stands for “not asked”.
            self.t_p.value() / 100 or None,
        )
        self.change_part(self.title, "bounds", thresholds=thresholds)


def limit_words(name: str) -> str:
    """Return what a limit says."""
    return {
        "alike": t("So many look alike, at least"),
        "share_alike": t("for this share of them"),
        "gamma": t("Strength to begin with"),
        "riskiest": t("A row is right in the riskiest group, at most"),
        "average": t("A row is right on average, at most"),
        "printed": t("No printed number below"),
        "small_counts": t("Counts of 1 to 3 are wrong, at least"),
        "useful": t("Share of large cells that are readable, at least"),
        "within": t("A number is good within"),
    }[name]


class LimitsSection(Section):
    """The limits of whoever gets it, own ones with reasons, and the law packs of the report."""

    def build(self) -> None:
        self._shown: tuple[OwnLimit, ...] = ()
        names = [each.name for each in fields(Limits) if each.name != "name"]
        grid = grid_of((t("Limit"), t("for this recipient"), t("own limit"), t("because")))
        self.usual = {name: label() for name in names}
        self.boxes: dict[str, QDoubleSpinBox] = {}
        self.reasons: dict[str, QLineEdit] = {}
        for at, name in enumerate(names, 1):
            named = join((limit_words(name), t("own limit")), ",")
            box = number_box(0, 1000, 0, named) if name in _WHOLE else number_box(0, 100, 1, named, " %")
            box.setSpecialValueText("–")
            reason = line_edit(join((limit_words(name), t("because")), ","))
            box.valueChanged.connect(self._tell)
            # Not at each letter: a reason of fewer than three words is refused.
            reason.editingFinished.connect(self._tell)
            self.boxes[name], self.reasons[name] = box, reason
            for place, part in enumerate((label(limit_words(name), wrap=True), self.usual[name], box, reason)):
                grid.addWidget(part, at, place)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(3, 4)
        # `grid_of` leaves what is over to an empty column, and the reasons need it.
        grid.setColumnStretch(4, 0)
        self._codes: dict[str, str] = {law.pack(code).name(language_code()): code for code in law.codes()}
        self.laws = TickList(t("Law packs of the report"))
        show_whole(self.laws, 0, whole=True)
        self.laws.itemChanged.connect(lambda item: choose_laws(map(self._codes.__getitem__, self.laws.list_ticked())))
        put(self.body, grid, label(t("Law packs of the report"), "strong"), self.laws)

    def show_plan(self, plan: Plan, source: Source) -> None:
        limits, changed = limits_named(level_of(plan.audience)), {each.name: each for each in plan.audience.limits}
        why = reasons_named(limits.name)
        for name, words in self.usual.items():
            usual = getattr(limits, name)
            words.setText(decimal(usual) if name in _WHOLE else f"{decimal(100 * usual)} %")
            tip(words, why.get(name, ""))
            if plan.audience.limits != self._shown:  # else what is being typed stays
                value, why_own = (changed[name].value, changed[name].why) if name in changed else (0.0, "")
                show_value(self.boxes[name], value if name in _WHOLE else 100 * value)
                self.reasons[name].setText(why_own)
        self._shown = plan.audience.limits
        chosen = laws_chosen() or (law.DEFAULT,)
        self.laws.offer(list(self._codes), [name for name, code in self._codes.items() if code in chosen])

    def _tell(self) -> None:
        values = {name: box.value() for name, box in self.boxes.items() if box.value()}
        bare = next((name for name in values if not self.reasons[name].text().strip()), None)
        if bare is not None:
            self.fault.tell(t("Say why “{limit}” is changed.", limit=limit_words(bare)))
            return

        def limit(plan: Plan) -> Plan:
            limits = (
                OwnLimit(name, value if name in _WHOLE else value / 100, check_reason(self.reasons[name].text()))
                for name, value in values.items()
            )
            return replace(plan, audience=replace(plan.audience, limits=tuple(limits)))

        self.change(limit, self.title, "limits")


class RareSection(Section):
    """Published values of few rows become one, after the draw."""

    def build(self) -> None:
        self.rows = Rows(t("at least so many rows"), self._box)
        self.body.addWidget(self.rows)

    def _box(self, name: str) -> QDoubleSpinBox:
        box = number_box(1, 10_000, 0, name)
        box.setSpecialValueText(t("all stay"))
        box.valueChanged.connect(self._tell)
        return box

    def show_plan(self, plan: Plan, source: Source) -> None:
        self.rows.show_names(plan.sensitive)
        for name, box in self.rows.boxes.items():
            show_value(box, plan.rare.get(name, 1))

    def _tell(self) -> None:
        least = ((name, int(box.value())) for name, box in self.rows.boxes.items())
        rare: Mapping[str, int] = {name: rows for name, rows in least if rows > 1}
        self.change(lambda plan: replace(plan, rare=rare), self.title, "rare")
