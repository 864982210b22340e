"""Coarser values chosen in the window: every way gives the core's own column and risk, and none is ever lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDateEdit, QDoubleSpinBox, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from splu_desktop.cli.main import main
from splu_desktop.core import generalise as g
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.risk.uniqueness import risk
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.gui.base import languages
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.classify.group_dialog import GroupDialog
from splu_desktop.gui.classify.group_hand import HandInputs, HierarchyInputs
from splu_desktop.gui.classify.group_trial import shape
from splu_desktop.gui.classify.group_ways import MOST_BY_HAND, read_steps, ways_for
from splu_desktop.gui.report.fields import choose_laws, laws_chosen
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]

# The offscreen plugin says so of every dialog; it concerns no real screen.
pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

WARDS = ("Surgery; day", "Surgery", "Eye = ENT", "Heart", "Lung", "Stroke")
CODES = ("E11.9", "E11.0", "I21.4", "I50.1", "J44.0", "J45", "K35.8", "C50.9", "F32.1", "S72.0")


@pytest.fixture
def hospital(window: MainWindow, idle: Idle, tmp_path: Path) -> MainWindow:
    """800 invented stays: numbers, dates, codes, postcodes and wards whose names hold marks."""
    rng = random.Random(20261121)
    lines = ["Age,Weight,Born,Admitted,Code,Postcode,Ward,Diagnosis"]
    diagnoses = [f"d{i}" for i in range(14)] * 55 + ["rare"] * 30
    codes = [*CODES, *(f"{c}{n:02d}.{n % 10}" for c in "ABDGHL" for n in range(3))]
    for i in range(800):
        born = date(1930, 1, 1) + timedelta(days=rng.randrange(30_000))
        admitted = date(2024, 1, 1) + timedelta(days=rng.randrange(700))
        postcode = f"{rng.choice(('SW1A', 'N1', 'EC2'))} {rng.randrange(9)}{rng.choice('AB')}A"
        weight = rng.randrange(400, 1300) / 10
        lines.append(
            f'{rng.randrange(1, 99)},{weight},{born},{admitted},{rng.choice(codes)},{postcode},"{rng.choice(WARDS)}",'
            f"{diagnoses[i]}"
        )
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window.import_page.open_file(path)
    idle(window)
    roles = dict.fromkeys(window.session.choices.roles, Role.NSA)
    window.session.set_roles({**roles, "Diagnosis": Role.SA}, "roles")
    window.session.end_history()
    window.show_step(Step.CLASSIFY)
    idle(window)
    return window


def _open(window: MainWindow, name: str, idle: Idle) -> GroupDialog:
    dialog = GroupDialog(name, window.session, window.tasks, window)
    dialog.open()
    idle(window)
    return dialog


def _choose(dialog: GroupDialog, way: str) -> None:
    at = dialog.way.findData(way)
    assert at >= 0, f"{way} is not offered"
    dialog.way.setCurrentIndex(at)


def _box(kind: type, dialog: GroupDialog) -> object:
    return next(box for box in dialog.inputs.findChildren(kind) if box.accessibleName())


def _quantiles(dialog: GroupDialog) -> None:
    _box(QSpinBox, dialog).setValue(4)


def _age(dialog: GroupDialog) -> None:
    dialog.inputs.findChild(QDateEdit).setDate(QDate(2026, 1, 1))
    _box(QSpinBox, dialog).setValue(20)


def _prefix(how: str, value: object) -> Callable[[GroupDialog], None]:
    def fill(dialog: GroupDialog) -> None:
        combo = dialog.inputs.findChild(QComboBox)
        combo.setCurrentIndex(combo.findData(how))
        if how == "before":
            _box(QLineEdit, dialog).setText(value)
        else:
            _box(QSpinBox, dialog).setValue(value)

    return fill


def _hand(dialog: GroupDialog) -> None:
    inputs = dialog.inputs
    inputs.search.setText("surgery")
    inputs.table.selectAll()
    inputs.name.setEditText("Surgical")
    inputs.put_selected()
    inputs.rest.setText("Medical")


def _rare(dialog: GroupDialog) -> None:
    _box(QSpinBox, dialog).setValue(40)


WAYS: dict[tuple[str, str], tuple[Callable[[GroupDialog], None], Callable[[Column], g.Steps]]] = {
    ("Age", "width"): (
        lambda d: d.inputs.findChild(QDoubleSpinBox).setValue(20),
        lambda c: (g.by_width(c, 20),),
    ),
    ("Weight", "quantiles"): (_quantiles, lambda c: (g.by_quantiles(c, 4),)),
    ("Age", "cuts"): (
        lambda d: _box(QLineEdit, d).setText("65; 18,40.5"),
        lambda c: (g.by_cuts([18, 40.5, 65]),),
    ),
    ("Born", "age"): (_age, lambda c: ((a := g.Age(date(2026, 1, 1))), g.by_width(a.apply(c), 20))),
    **{
        ("Admitted", part.value): (lambda d: None, lambda c, part=part: (g.DatePart(part),))
        for part in g.Part
    },
    ("Code", "chapter"): (lambda d: None, lambda c: (g.Chapter("icd10"),)),
    ("Code", "prefix"): (_prefix("length", 1), lambda c: (g.Prefix(length=1),)),
    ("Postcode", "prefix"): (_prefix("before", " "), lambda c: (g.Prefix(before=" "),)),
    ("Age", "prefix"): (_prefix("drop_last", 1), lambda c: (g.Prefix(drop_last=1),)),
    ("Ward", "hand"): (
        _hand,
        lambda c: (g.Groups.of({"Surgical": ["Surgery", "Surgery; day"]}, "Medical"),),
    ),
    ("Code", "rare"): (_rare, lambda c: (g.Rare(40),)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "way", "rare"), [(*each, way % 2 == 1 and each[1] != "rare") for way, each in enumerate(WAYS)]
)
def test_each_way_gives_the_cores_column_and_risk(
    hospital: MainWindow, idle: Idle, tmp_path: Path, name: str, way: str, rare: bool
) -> None:
    fill, steps_of = WAYS[name, way]
    session = hospital.session
    source = session.source.imported.table[name]
    before = session.choices
    steps = (*steps_of(source), *((g.Rare(60, "Few"),) if rare else ()))

    dialog = _open(hospital, name, idle)
    _choose(dialog, way)
    fill(dialog)
    if rare:
        dialog.rare.setChecked(True)
        dialog.rare_k.setValue(60)
        dialog.rare_name.setText("Few")
    idle(hospital)
    expected = g.column_after(source, steps)
    names = [n for n, role in session.choices.roles.items() if role is Role.NSA]
    others = [session.column(n) for n in names if n != name]
    assert dialog._trial.steps == steps
    assert dialog._trial.column.labels.tolist() == expected.labels.tolist()
    assert dialog._trial.risk == risk(Table((*others, expected)), names)
    assert dialog._around.before == risk(session.source.imported.table, names)
    assert sum(dialog._trial.bars.counts) == source.n
    dialog.accept()

    # One step of undo, and back.
    after = session.choices
    assert after.steps(name) == steps
    assert session.column(name).labels.tolist() == expected.labels.tolist()
    session.undo_stack.undo()
    assert session.choices == before
    session.undo_stack.redo()
    assert session.choices == after

    # Opened again, the dialog shows the same choice and changes nothing.
    again = _open(hospital, name, idle)
    assert again.way.currentData() == way
    assert again._trial.steps == steps
    again.accept()
    assert session.choices == after

    # A recipe and a project bring the same release settings back.
    plan = after.plan()
    assert Plan.from_dict(plan.as_dict()) == plan
    imported = session.source.imported
    write_recipe(Recipe(imported.choices, plan, imported.source), tmp_path / "r.toml")
    assert read_recipe(tmp_path / "r.toml").plan_for(imported.table) == plan
    hospital.keeper.save(tmp_path / "p.splu")
    session.undo_stack.undo()
    hospital.open_path(tmp_path / "p.splu")
    idle(hospital)
    assert session.choices == after
    assert session.column(name).labels.tolist() == expected.labels.tolist()


def test_a_recipe_saved_by_the_window_is_taken_by_it_and_by_the_command(
    hospital: MainWindow, idle: Idle, tmp_path: Path
) -> None:
    session = hospital.session
    dialog = _open(hospital, "Code", idle)
    _choose(dialog, "chapter")
    idle(hospital)
    dialog.accept()
    session.choose(replace(session.choices, thresholds=Thresholds(0.2, 0.02, 4, 0.5), kept={"Age": "asked for"}), "x")
    wanted = session.choices
    hospital.recipes.save(tmp_path / "mine")
    assert "mine.toml" in hospital.classify_page.banner.text.text()
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.choices != wanted
    hospital.recipes.use(tmp_path / "mine.toml")
    idle(hospital)
    assert session.choices == wanted
    assert session.undo_stack.canUndo(), "one step of undo"
    session.undo_stack.undo()
    assert not session.choices.generalisations
    assert read_recipe(tmp_path / "mine.toml").plan == wanted.plan()
    assert read_recipe(tmp_path / "mine.toml").laws == ()
    choose_laws(("hipaa", "ico"))
    hospital.recipes.save(tmp_path / "lawful")
    assert read_recipe(tmp_path / "lawful.toml").laws == ("hipaa", "ico"), "as last chosen for the report"
    choose_laws(())
    hospital.recipes.use(tmp_path / "lawful.toml")
    assert laws_chosen() == ("hipaa", "ico")
    idle(hospital)
    assert main(["plan", str(session.source.path), "--recipe", str(tmp_path / "mine.toml"), "--json"]) == 0
    # A recipe for another table is told in one sentence, and changes nothing.
    before = session.choices
    text = (tmp_path / "mine.toml").read_text().replace("Ward", "Station")
    (tmp_path / "other.toml").write_text(text)
    hospital.recipes.use(tmp_path / "other.toml")
    assert "Station" in hospital.classify_page.banner.text.text()
    assert hospital.classify_page.banner.kind == "fault"
    assert session.choices == before


def test_a_hierarchy_of_arx_is_read_as_it_is(hospital: MainWindow, idle: Idle, tmp_path: Path) -> None:
    path = tmp_path / "wards.csv"
    rows = [("Surgery; day", "Op", "*"), ("Surgery", "Op", "*"), *((w, "Med", "*") for w in WARDS[2:])]
    path.write_text("\n".join(";".join(f'"{cell}"' for cell in row) for row in rows), encoding="utf-8")
    dialog = _open(hospital, "Ward", idle)
    _choose(dialog, "hierarchy")
    assert not dialog.use.isEnabled()
    assert "hierarchy" in dialog.banner.text.text()
    assert isinstance(dialog.inputs, HierarchyInputs)
    dialog.inputs.take_file(path)
    idle(hospital)
    assert dialog._trial.column.labels.tolist() == ["Op", "Med"]
    dialog.inputs.level.setValue(2)
    idle(hospital)
    assert dialog._trial.column.labels.tolist() == ["*"]
    dialog.accept()
    found = hospital.session.choices.steps("Ward")
    assert found == (g.Hierarchy(tuple(rows), 2, "wards.csv"),)
    again = _open(hospital, "Ward", idle)
    assert again.inputs.level.value() == 2
    assert again._trial.steps == found
    again.reject()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Heart;Med\n", "lacks the value"),
        ("Heart;Med\nHeart;Op\n", "two different groupings"),
        ("only one column\n", "one column only"),
        (None, "no file"),
    ],
)
def test_a_bad_hierarchy_says_what_is_wrong(
    hospital: MainWindow, idle: Idle, tmp_path: Path, content: str | None, words: str
) -> None:
    path = tmp_path / "wards.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    dialog = _open(hospital, "Ward", idle)
    _choose(dialog, "hierarchy")
    dialog.inputs.take_file(path)
    idle(hospital)
    assert words in dialog.banner.text.text()
    assert "wards.csv" in dialog.banner.text.text()
    assert not dialog.use.isEnabled()
    dialog.reject()
    assert not hospital.session.choices.generalisations


def test_groups_by_hand_are_made_by_keyboard(hospital: MainWindow, qtbot: QtBot, idle: Idle) -> None:
    dialog = _open(hospital, "Ward", idle)
    _choose(dialog, "hand")
    inputs = dialog.inputs
    assert isinstance(inputs, HandInputs)
    inputs.search.setText("eye")
    inputs.table.setFocus()
    qtbot.keyClick(inputs.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    inputs.name.setFocus()
    qtbot.keyClicks(inputs.name, "Head")
    qtbot.keyClick(inputs.name, Qt.Key.Key_Return)
    assert dialog.isVisible(), "Return puts values into the group and does not close the dialog"
    idle(hospital)
    assert dialog._trial.steps == (g.Groups.of({"Head": ["Eye = ENT"]}),)
    inputs.take_out()
    idle(hospital)
    assert not dialog.use.isEnabled()
    dialog.reject()


def test_steps_of_a_recipe_that_no_way_makes_are_kept(hospital: MainWindow, idle: Idle) -> None:
    session = hospital.session
    column = session.source.imported.table["Admitted"]
    steps = (g.DatePart(g.Part.YEAR), g.by_cuts([2025]), g.OneMissing("none"))
    made = g.column_after(column, steps)
    from splu_desktop.gui.base.facts import facts_after

    session.source.variants["Admitted", steps] = made, facts_after(column, made)
    session.choose(replace(session.choices, generalisations={"Admitted": steps}), "from a recipe")
    dialog = _open(hospital, "Admitted", idle)
    assert dialog.way.currentData() == "keep"
    assert dialog._trial.steps == steps
    dialog.accept()
    assert session.choices.steps("Admitted") == steps


def test_a_measurement_is_offered_sensible_groups_at_once(hospital: MainWindow, idle: Idle) -> None:
    hospital.session.set_roles({"Weight": Role.SA, "Diagnosis": Role.NSA}, "roles")
    idle(hospital)
    assert not hospital.classify_page.primary.isEnabled()
    dialog = _open(hospital, "Weight", idle)
    assert dialog.way.currentData() == "quantiles"
    assert dialog._trial.facts.largest_gamma >= 5
    assert "answerable" in dialog.effect.text()
    dialog.accept()
    idle(hospital)
    assert hospital.classify_page.primary.isEnabled()


def test_a_measurement_marked_sensitive_takes_intervals_in_the_same_step(hospital: MainWindow, idle: Idle) -> None:
    page, session, said = hospital.classify_page, hospital.session, []
    session.noticed.connect(said.append)
    before = session.choices
    assert before is not None
    assert before.roles["Weight"] is not Role.SA
    page.set_role("Weight", Role.SA)
    page.set_role("Age", Role.SA)  # at once: neither is lost
    idle(hospital)
    after = session.choices
    assert after is not None
    for name in ("Weight", "Age"):
        assert after.roles[name] is Role.SA
        (step,) = after.steps(name)
        assert isinstance(step, g.Intervals)
        assert not session.barred(name)
        assert any(f"“{name}” holds measurements" in sentence for sentence in said)
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.choices == before


def test_ways_suit_the_kind() -> None:
    def keys(column: Column) -> set[str]:
        return set(ways_for(column, None))

    number = Column.from_labels("n", [str(i) for i in range(40)], kind=Kind.INTEGER)
    day = Column.from_labels("d", ["2024-01-01", "2024-02-01"], kind=Kind.DATE)
    word = Column.from_labels("w", ["a", "b"])
    assert {"width", "quantiles", "cuts", "hand", "hierarchy", "rare", "prefix"} <= keys(number)
    assert {"year", "quarter", "month", "weekday", "age", "hand", "hierarchy", "rare"} <= keys(day)
    assert keys(word) == {"none", "rare", "prefix", "hand", "hierarchy"}
    many = Column.from_labels("w", [f"v{i:05}" for i in range(MOST_BY_HAND + 1)])
    assert "hand" not in keys(many)


def test_steps_are_read_as_the_way_that_made_them() -> None:
    age = g.Age(date(2026, 1, 1))
    assert read_steps(()) == ("none", None)
    assert read_steps((age,)) == ("age", None)
    assert read_steps((age, g.by_cuts([18, 65]))) == ("keep", None)
    assert read_steps((g.Prefix(length=3), g.Rare(5))) == ("prefix", g.Rare(5))
    assert read_steps((g.Rare(5), g.Rare(9))) == ("keep", g.Rare(9))
    assert read_steps((g.Rare(5), g.Prefix(length=1))) == ("keep", None)
    assert read_steps((g.OneMissing(),)) == ("keep", None)


@pytest.mark.parametrize("kind", [Kind.INTEGER, Kind.DECIMAL, Kind.DATE])
def test_the_bars_before_hold_every_record(kind: Kind) -> None:
    rng = random.Random(7)
    if kind is Kind.DATE:
        texts = [str(date(2020, 1, 1) + timedelta(days=rng.randrange(900))) for _ in range(500)]
    elif kind is Kind.INTEGER:
        texts = [str(rng.randrange(-50, 300)) for _ in range(500)]
    else:
        texts = [f"{rng.random() / 1000:.7f}" for _ in range(500)]
    bars = shape(Column.from_labels("x", [*texts, "", ""], kind=kind))
    assert sum(bars.counts) == 502
    assert bars.labels[-1] == ""
    assert bars.counts[-1] == 2
    assert len(set(bars.labels)) == len(bars.labels)


@pytest.mark.parametrize(("code", "meaning"), [("en", None), ("de", "below 18 heißt unter 18"), ("fr", "below 18")])
def test_the_window_says_what_the_names_of_intervals_mean(
    hospital: MainWindow, idle: Idle, qapp: QApplication, code: str, meaning: str | None
) -> None:
    languages.speak(qapp, code)
    try:
        dialog = _open(hospital, "Age", idle)
        _choose(dialog, "cuts")
        _box(QLineEdit, dialog).setText("18; 65")
        idle(hospital)
        assert dialog.after_title.isVisible()
        assert dialog._trial.column.labels.tolist()[:2] == ["below 18", "18 to 64"]  # in every language
        assert dialog.called.isVisible() == (meaning is not None)
        assert meaning is None or meaning in dialog.called.text()
        dialog.reject()
    finally:
        languages.speak(qapp, "en")


@pytest.mark.parametrize("way", ["rare", "prefix"])
def test_a_group_is_called_what_it_is_called_here_and_the_recipe_keeps_its_placeholder(
    hospital: MainWindow, idle: Idle, way: str
) -> None:
    dialog = _open(hospital, "Code", idle)
    _choose(dialog, way)
    if way == "rare":
        _rare(dialog)
        _box(QLineEdit, dialog).setText("{value} or other")
    else:
        _prefix("length", 1)(dialog)
        dialog.rare.setChecked(True)
        dialog.rare_k.setValue(60)
        dialog.rare_name.setText("{value} or other")
    idle(hospital)
    dialog.accept()
    steps = hospital.session.choices.steps("Code")
    assert steps[-1].label == "{value} or other"
    again = _open(hospital, "Code", idle)
    name = (_box(QLineEdit, again) if way == "rare" else again.rare_name).text()
    assert name in hospital.session.column("Code").labels.tolist()
    again.accept()
    assert hospital.session.choices.steps("Code") == steps
