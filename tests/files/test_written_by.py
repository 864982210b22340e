"""What earlier versions wrote opens, and what a later one writes is refused in one sentence that names both versions.

The files lie in tests/files/written_by, a folder a version; write.py there made them with that version's own program.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splu_desktop import __version__
from splu_desktop.cli.main import main as splu
from splu_desktop.core.checks.gate import Light
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import Intervals
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.importer import read
from splu_desktop.files.project.file import open_project
from splu_desktop.files.project.import_recipe import load_import_recipe
from splu_desktop.files.project.recipe import read_recipe, recipe_text
from splu_desktop.files.publish.publishing import Order, examine, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release

WRITTEN = Path(__file__).parent / "written_by"
SOURCE = WRITTEN / "source.csv"
VERSIONS = sorted(path.name for path in WRITTEN.iterdir() if path.is_dir() and path.name[0].isdigit())


@pytest.fixture(params=VERSIONS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of what a version wrote, since a register is locked to be read."""
    return Path(shutil.copytree(WRITTEN / request.param, tmp_path / "written"))


def table() -> Table:
    return read(SOURCE).table


def plan(gamma: int = 3) -> Plan:
    roles = dict.fromkeys(table().names, Role.NSA) | {"diagnosis": Role.SA, "note": Role.DROPPED}
    return Plan(roles, {"diagnosis": PlainGroups(gamma)})


def test_a_release_is_sound_and_answers(folder: Path) -> None:
    assert all(check.passed for check in verify_release(folder / "release"))
    assert read_release(folder / "release").published.draws == {"diagnosis": PlainGroups(3)}
    assert splu(["query", str(folder / "release"), "ward=A", "diagnosis=flu"]) == 0


def test_a_recipe_and_its_reading_are_taken_up(folder: Path, tmp_path: Path) -> None:
    recipe = read_recipe(folder / "recipe.toml")
    assert recipe.plan.draws == {"diagnosis": PlainGroups(3)}
    assert recipe.plan.thresholds.alpha == 4
    (steps,) = recipe.plan.generalisations.values()
    assert isinstance(steps[0], Intervals)
    (tmp_path / "now.toml").write_text(recipe_text(recipe), encoding="utf-8")
    assert read_recipe(tmp_path / "now.toml") == recipe
    assert load_import_recipe(folder / "import.toml").columns == table().names
    told = ["--recipe", str(folder / "recipe.toml"), "--out", str(tmp_path / "release")]
    assert splu(["publish", str(SOURCE), *told, "--accept", "unique-records", "--accept", "sensitive"]) == 0


def test_a_project_opens_with_its_choices(folder: Path) -> None:
    project = open_project(folder / "project.splu")
    assert project.draws == {"diagnosis": PlainGroups(4)}
    assert [name for name, role in project.roles.items() if role is Role.DROPPED] == ["note"]


def test_a_register_is_sound_continued_and_notices_the_records(folder: Path, tmp_path: Path) -> None:
    """By the file, and by the records alone, in another order and with one left out."""
    register = Register(folder / "register")
    assert register.read().faults == ()
    (entry,) = register.read().releases
    assert entry.body["recipient"] == "a researcher"
    whole = table()
    order = np.arange(len(whole.columns[0].codes))
    for other in (whole, whole.take(order[::-1]), whole.take(order[1:])):
        found = examine(Order(other, plan(), tmp_path / "next"), register=register)
        assert [earlier.sensitive for earlier in found.earlier] == [("diagnosis",)]
        assert found.costs[0].t_p[-1] < found.costs[0].t_p[0]
    publish(Order(whole, plan(), tmp_path / "next"), strict=False, register=register)
    assert register.read().faults == ()
    assert len(register.read().releases) == 2


def _json(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


def _toml(path: Path) -> None:
    path.write_text(re.sub(r"^version = \d+$", "version = 99", path.read_text("utf-8"), count=1, flags=re.M), "utf-8")


@pytest.mark.parametrize("name", ["release", "project", "recipe", "import recipe"])
def test_a_file_of_a_later_version_gets_one_sentence_that_names_both(name: str, tmp_path: Path) -> None:
    written = Path(shutil.copytree(WRITTEN / VERSIONS[-1], tmp_path / "written"))
    opened: Callable[[], object]
    if name == "release":
        _json(written / "release/release.json", lambda content: content.update(version=99))
        opened = lambda: read_release(written / "release")  # noqa: E731
    elif name == "project":
        _json(written / "project.splu", lambda content: content.update(version=99))
        opened = lambda: open_project(written / "project.splu")  # noqa: E731
    elif name == "recipe":
        _toml(written / "recipe.toml")
        opened = lambda: read_recipe(written / "recipe.toml")  # noqa: E731
    else:
        _toml(written / "import.toml")
        opened = lambda: load_import_recipe(written / "import.toml")  # noqa: E731
    with pytest.raises(SpluError) as refused:
        opened()
    said = str(refused.value)
    assert "99" in said
    assert __version__ in said
    assert "newer one" in said
    assert said.count("\n") == 0


@pytest.mark.parametrize("what", ["draws", "source"])
def test_a_release_registered_by_a_later_version_is_never_passed_over_in_silence(what: str, tmp_path: Path) -> None:
    """After a downgrade the register holds entries that this program can't compare with: whoever publishes is told."""
    other = {"draws": {"diagnosis": {"draw": "spirals", "turns": 3}}, "source": {"fingerprints": "of another kind"}}
    register = Register(tmp_path / "register")
    publish(Order(table(), plan(), tmp_path / "first"), strict=False, register=register)
    (entry,) = register.read().releases
    register.append("withdrawn", entry.release, {"operator": "the custodian", "why": "by mistake", "recalled": ""})
    register.append("release", "f" * 32, {**entry.body, "software": "9.0.0", what: other[what]})
    assert register.read().faults == ()
    found = examine(Order(table(), plan(), tmp_path / "next"), register=register)
    assert "earlier-release" not in [line.name for line in found.gate.lines]  # nor that there is none
    (line,) = [line for line in found.gate.lines if line.name == "register"]
    assert line.light is Light.AMBER
    assert "9.0.0" in line.sentence
    assert __version__ in line.sentence
