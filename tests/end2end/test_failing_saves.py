"""Each write, rename and sync of a save failing once: the old file or the whole new one, and one sentence."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splu_desktop.compare.ours.splu import Planned
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems import named
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Reader
from splu_desktop.files.importer import read
from splu_desktop.files.importer.problems import write_problems
from splu_desktop.files.language import language
from splu_desktop.files.project.file import Project, save_project
from splu_desktop.files.project.import_recipe import save_import_recipe
from splu_desktop.files.project.recipe import Recipe, write_recipe
from splu_desktop.files.questions.batch import read_questions, write_answers
from splu_desktop.files.release.handover import hand_over
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.report import comparison as comparison_files
from splu_desktop.report.comparison import ENDINGS as COMPARED
from splu_desktop.report.comparison import save_comparison, write_comparison
from splu_desktop.report.make import ENDINGS as REPORTED
from splu_desktop.report.make import make_report, write_report
from tests.compare.tables import small_source
from tests.end2end.failing_calls import failing
from tests.files.releases import awkward_release, awkward_table, plan_of
from tests.written import write_release

ROOT = Path(__file__).parents[2]
OLD = b"what was there before"
_EACH = ("fsync", "rename", "replace")  # a save that one of these fails in has not done its work
_MOST = 12  # calls that fail of one save, evenly spread where it makes more; besides those of _EACH

Save = Callable[[Path], object]


@pytest.fixture(scope="module")
def drawn_once() -> Iterator[None]:
    """The picture of a comparison is drawn once: what fails here are the calls that bring it to the disk."""
    known: dict[object, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("picture", "as_png"):
            make = getattr(comparison_files, name)
            patch.setattr(
                comparison_files,
                name,
                lambda given, *more, make=make: (
                    known.get((make, id(given))) or known.setdefault((make, id(given)), make(given, *more))
                ),
            )
        yield


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory, drawn_once: None) -> dict[str, Save]:
    folder = tmp_path_factory.mktemp("things")
    table = awkward_table(60)
    plan = plan_of(table, 3)
    source = folder / "source.csv"
    opened = write_release(awkward_release(), folder / "release")
    source.write_bytes((opened.folder / "table.csv").read_bytes())
    imported = read(source)
    report = make_report(opened, created="2026-01-01T00:00:00+00:00")
    compared = compare(
        small_source(200), named("splu"), plan=Planned(PlainGroups(2), "s"), size=60, chance=np.random.default_rng(3)
    )
    english, roles = language("en"), plan.roles
    project = Project(imported.source, imported.choices, roles, plan.draws)
    recipe = Recipe(imported.choices, plan, imported.source)
    questions = folder / "questions.csv"
    questions.write_text("illness\nillness 3\nillness 4\n", "utf-8")
    asked = read_questions(questions, opened.published)
    answers = asked.answered(Reader(opened.published))
    sheet = Sheet("Figures", ("=a", "b"), [("x", 1.5)] * 50)
    return {
        # A new folder and a new ZIP take no old one's place.
        "comparison": lambda to: write_comparison(compared, to, english),
        "handover.zip": lambda to: hand_over(opened.folder, to, password=None),
        **{f"comparison{e}": lambda to: save_comparison(compared, to, english) for e in COMPARED},
        **{f"report{e}": lambda to: write_report(report, to) for e in REPORTED},
        "recipe.toml": lambda to: write_recipe(recipe, to, overwrite=True),
        "project.splu": lambda to: save_project(project, to, source=source),
        "import.toml": lambda to: save_import_recipe(imported, to, overwrite=True),
        "problems.csv": lambda to: write_problems(imported.problems, to, overwrite=True),
        "answers.csv": lambda to: write_answers(asked, answers, "r1", to, overwrite=True),
        "figures.csv": lambda to: write_sheets([sheet], to, Silent()),
        "figures.xlsx": lambda to: write_sheets([sheet], to, Silent()),
    }


def _content(path: Path) -> object:
    """Return all that is in a file or folder but the moment of writing."""
    if path.is_dir():
        return {each.name: each.read_bytes() for each in path.iterdir()}
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"}
    return re.sub(rb"/CreationDate \(.*?\)|/ID \[.*?\]", b"", path.read_bytes(), flags=re.DOTALL)


def _saved(save: Save, target: Path, old: bytes | None, number: int | None) -> tuple[list[str], str]:
    """Save with the call of that number failing; return all calls, and the refusal."""
    target.parent.mkdir()
    if old is not None:
        target.write_bytes(old)
    said = ""
    with failing(number) as calls:
        try:
            save(target)
        except SpluError as fault:
            said = str(fault)
    assert sorted(target.parent.iterdir()) == ([target] if target.exists() else [])
    if said:
        assert target.name in said
        assert said.endswith(".")
        assert ";" in said  # what to do
    return calls.seen, said


NAMES = (
    *("comparison", "handover.zip", "recipe.toml", "project.splu", "import.toml", "problems.csv"),
    *(f"comparison{ending}" for ending in COMPARED),
    *(f"report{ending}" for ending in REPORTED),
    *("answers.csv", "figures.csv", "figures.xlsx"),
)
# Modules that have files appear, and why they are not among these.
BESIDE = {
    "splu_desktop.files.publish.publishing": "test_failing_calls.py",
    "splu_desktop.cluster.publishing": "needs Spark; the driver writes by the same whole_folder",
    "splu_desktop.files.disk.settings": "a choice that can't be remembered is forgotten: no reason to stop work",
    "splu_desktop.gui.base.plots": "one write of a picture made before; tests/gui",
    "splu_desktop.gui.query.crosstab.export": "one write of a picture made before; tests/gui",
}


@pytest.mark.parametrize("name", NAMES)
def test_each_call_of_a_save_failing_once(saves: dict[str, Save], name: str, tmp_path: Path) -> None:
    """Neither half a file nor the loss of the one that was there."""
    save, old = saves[name], OLD if name not in ("comparison", "handover.zip") else None
    _saved(save, tmp_path / "first" / name, old, None)  # brings modules along, whose calls come once
    seen, said = _saved(save, tmp_path / "sound" / name, old, None)
    whole = _content(tmp_path / "sound" / name)
    assert not said
    assert {"fsync", "replace" if old else "rename"} <= set(seen)
    refused: list[str] = []
    unsaid: list[str] = []
    some = {round(at) for at in np.linspace(0, len(seen) - 1, _MOST).tolist()}
    for number in sorted(some | {at for at, call in enumerate(seen) if call in _EACH}):
        target = tmp_path / f"fails-{number}" / name
        calls, said = _saved(save, target, old, number)
        if said:
            refused.append(calls[number])
            if old is None:
                assert not target.exists()
            else:  # the whole new file is there where only the disk's word for it is lacking, and that is said
                assert _content(target) == (whole if "was written" in said else old)
        else:
            assert _content(target) == whole
            unsaid += calls[number : number + 1]
    assert not set(unsaid) & set(_EACH)
    assert unsaid.count("file.write") <= 1  # the note of where work goes on
    assert {"fsync", "replace" if old else "rename"} <= set(refused)


def test_no_save_is_forgotten(saves: dict[str, Save], tmp_path: Path) -> None:
    """Whichever module has a file appear is one of those that the tests above saw do so."""
    assert set(NAMES) == set(saves)
    seen: set[str] = set()
    for name, save in saves.items():
        with failing(None) as calls:
            save(tmp_path / name)
        seen |= calls.savers
    saving = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "splu_desktop").rglob("*.py")
        if re.search(r"(?<!def )\bwhole_(?:file|folder)\(", path.read_text("utf-8"))
    }
    assert saving - seen == set(BESIDE)
