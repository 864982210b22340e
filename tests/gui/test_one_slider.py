"""Marking any number of skewed columns never blocks the way on (mechanism.md section 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from splu_desktop.core.draw.ways import by_tolerances
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.roles.suggest import Role
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

FLAGS = 43


def test_forty_three_yes_or_no_columns_are_planned_by_one_gamma(
    window: MainWindow, tmp_path: Path, idle: Callable[[MainWindow], None]
) -> None:
    chance = np.random.default_rng(4)
    cells = np.where(chance.random((800, FLAGS)) < chance.uniform(0.02, 0.2, FLAGS), "yes", "no")
    names = [f"flag {at}" for at in range(FLAGS)]
    wards = chance.choice(["A", "B"], 800)
    path = tmp_path / "flags.csv"
    rows = [",".join((ward, *row)) for ward, row in zip(wards, cells.tolist(), strict=True)]
    path.write_text("\n".join([",".join(("ward", *names)), *rows]) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    session = window.session
    session.set_roles({**dict.fromkeys(names, Role.SA), "ward": Role.NSA}, "marked")
    assert session.ready_to_plan()
    assert session.choices is not None
    assert set(session.choices.follows.values()) == {5}
    window.show_step(Step.PLAN)
    page = window.plan_page
    idle(window)
    assert page.primary.isEnabled()
    page.gamma.slider.setValue(7)
    idle(window)
    assert set(session.choices.follows.values()) == {7}
    assert page.primary.isEnabled()
    plan = session.choices.plan()
    for name in names:
        plan.draws[name].check(session.column(name))


def test_the_other_way_is_offered_with_both_consequences(
    opened: MainWindow, idle: Callable[[MainWindow], None]
) -> None:
    session = opened.session
    assert session.choices is not None
    name = session.choices.sensitive[0]
    column = session.column(name)
    rare = str(column.labels[column.counts().argmin()])
    limits = Tolerances({str(label): Fraction(1, 5 if str(label) == rare else 1) for label in column.labels})
    draw = by_tolerances(column, limits, "groups")
    session.choose(replace(session.choices, draws={name: draw}), "tolerances")
    opened.show_step(Step.PLAN)
    idle(opened)
    part = opened.plan_page.tolerant
    assert "published shares" in part.offer.text()
    part.change_way()
    idle(opened)
    assert not session.choices.draws[name].true_shares
    assert "not true" in part.offer.text()
    part.change_way()
    idle(opened)
    assert session.choices.draws[name].true_shares
