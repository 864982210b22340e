"""Recipes, project files and recovery files: what goes in comes out, wrong ones get a sentence, data stay out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import generalise as g
from splu_desktop.core.draw import DecoyGroups
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan, Thresholds
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.whole import CannotWrite
from splu_desktop.files.importer import Decision, ImportChoices, ProblemKind, SourceFile, read
from splu_desktop.files.project import file as projects
from splu_desktop.files.project.file import BadProject, Project, SourceState, open_project, save_project
from splu_desktop.files.project.recipe import BadRecipe, Recipe, RecipeDoesNotFit, read_recipe, write_recipe
from splu_desktop.files.project.recovery import Autosave, discard, recoveries
from tests.draws import plain

FACTS = SourceFile("Aufnahmen 2024.csv", 1234, "ab" * 32)
NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=12).map(
    lambda name: unicodedata.normalize("NFC", name)  # as tables have them
)
CHOICES = st.builds(
    ImportChoices,
    encoding=st.none() | st.sampled_from(["utf-8", "cp1252"]),
    delimiter=st.none() | st.sampled_from([";", "\t", " +"]),
    quote=st.none() | st.just(""),
    decimal=st.none() | st.sampled_from(".,"),
    sheet=st.none() | NAMES,
    header_row=st.none() | st.integers(1, 9),
    last_row=st.none() | st.integers(10, 99),
    types=st.dictionaries(NAMES, st.sampled_from(Kind), max_size=3),
    missing=st.dictionaries(NAMES, st.lists(NAMES, max_size=3).map(tuple), max_size=3),
    decisions=st.dictionaries(st.sampled_from(ProblemKind), st.sampled_from(Decision), max_size=3),
)
STEPS = st.lists(
    st.one_of(
        st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=5, unique=True).map(g.by_cuts),
        st.sampled_from(g.Part).map(g.DatePart),
        st.dates(date(1990, 1, 1), date(2040, 1, 1)).map(g.Age),
        st.builds(g.Rare, st.integers(2, 99), NAMES),
        st.just(g.Groups.of({'A "quoted" name': ["x", "'"], "B\n": ["=1+1"]}, "rest")),
        st.just(g.Hierarchy((("a", "A", "*"), ("b", "B", "*")), 2, "h.csv")),
        st.sampled_from([g.Prefix(before="."), g.Prefix(length=3), g.Prefix(drop_last=2)]),
        st.sampled_from([g.Chapter("icd10"), g.Chapter("icd9"), g.OneMissing("none")]),
        st.builds(
            g.Intervals,
            st.lists(st.integers(-99, 999), min_size=1, max_size=5, unique=True).map(sorted).map(tuple),
            st.tuples(st.sampled_from(["width", "quantiles"]), st.integers(2, 50).map(float)),
        ),
    ),
    min_size=1,
    max_size=3,
).map(tuple)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    roles = {name: draw(st.sampled_from(Role)) for name in names}
    roles[names[0]] = Role.SA
    return Plan(
        roles=roles,
        draws=plain({name: draw(st.integers(2, 50)) for name, role in roles.items() if role is Role.SA}),
        thresholds=draw(
            st.builds(
                Thresholds,
                epsilon=st.floats(0.01, 1),
                t_e=st.floats(0.001, 0.9),
                alpha=st.integers(1, 9),
                t_p=st.none() | st.floats(0, 1),
            )
        ),
        generalisations=draw(st.dictionaries(st.sampled_from(names), STEPS, max_size=3)),
        kept_identifiers=draw(st.dictionaries(st.sampled_from(names), NAMES.filter(str.strip), max_size=2)),
    )


def tolerant_plan() -> Plan:
    """One column with a gamma, one with a tolerance per value."""
    third = Fraction(1, 3)
    grouping = DecoyGroups((1, 4), (third, 1 - third), Tolerances({"none": Fraction(1), "HIV": Fraction(1, 4)}))
    roles = {"Age": Role.NSA, "Ward": Role.SA, "Finding": Role.SA}
    return Plan(roles=roles, draws={**plain({"Ward": 3}), "Finding": grouping})


def test_names_that_macos_wrote_are_those_of_the_table(tmp_path: Path) -> None:
    """Recipes and projects made when tables had accents apart: the table lacked “Größe”, the recipe didn't know it."""
    apart, now = "Gro\u0308ße", "Gr\u00f6ße"
    choices, roles = ImportChoices(types={apart: Kind.CATEGORY}), {apart: Role.SA, "Ort": Role.NSA}
    groups = {"Ort": (g.Groups.of({"Mu\u0308nchen": ["M"]}, "rest"),)}
    plan = Plan(roles=roles, draws=plain({apart: 3}), generalisations=groups)
    write_recipe(Recipe(choices, plan), tmp_path / "r.toml")
    save_project(Project(FACTS, choices, plan.roles, plan.draws), tmp_path / "p.splu")
    for found in (read_recipe(tmp_path / "r.toml"), open_project(tmp_path / "p.splu")):
        assert dict(found.choices.types) == {now: Kind.CATEGORY}
    assert read_recipe(tmp_path / "r.toml").plan == replace(
        plan, roles={now: Role.SA, "Ort": Role.NSA}, draws=plain({now: 3})
    ), "values keep their spelling"
    assert list(open_project(tmp_path / "p.splu").draws) == [now]


def test_tolerances_per_value_come_back_too(tmp_path: Path) -> None:
    plan = tolerant_plan()
    write_recipe(Recipe(ImportChoices(), plan), tmp_path / "r.toml")
    assert read_recipe(tmp_path / "r.toml").plan == plan
    table = Table(tuple(Column.from_labels(name, ["a", "b"]) for name in ("Finding", "Ward", "Age")))
    fitted = read_recipe(tmp_path / "r.toml").plan_for(table)
    assert fitted == plan
    assert list(fitted.roles) == ["Finding", "Ward", "Age"]
    project = Project(FACTS, ImportChoices(), plan.roles, plan.draws)
    save_project(project, tmp_path / "p.splu")
    assert open_project(tmp_path / "p.splu") == project
    assert open_project(tmp_path / "p.splu").plan() == plan, "a tolerance per value goes before a gamma"


@given(plans(), CHOICES, st.none() | st.just(FACTS))
def test_a_recipe_comes_back_as_it_went(
    tmp_path_factory: pytest.TempPathFactory, plan: Plan, choices: ImportChoices, source: SourceFile | None
) -> None:
    path = tmp_path_factory.mktemp("recipe") / "r.toml"
    # A recipe says of published columns alone how they are published, as the window and the commands write it.
    ways = {name: steps for name, steps in plan.generalisations.items() if plan.roles[name].published}
    kept = {name: why for name, why in plan.kept_identifiers.items() if plan.roles[name].published}
    recipe = Recipe(choices, replace(plan, generalisations=ways, kept_identifiers=kept), source)
    write_recipe(recipe, path)
    assert read_recipe(path) == recipe
    assert list(read_recipe(path).plan.roles) == list(plan.roles), "in the columns' order"


@given(plans(), CHOICES, st.booleans())
def test_a_project_comes_back_as_it_went(
    tmp_path_factory: pytest.TempPathFactory, plan: Plan, choices: ImportChoices, together: bool
) -> None:
    path = tmp_path_factory.mktemp("project") / "p.splu"
    project = Project(
        FACTS, choices, plan.roles, plan.draws, plan.thresholds, plan.generalisations, plan.kept_identifiers,
        together=together, window={"page": 2},
    )  # fmt: skip
    save_project(project, path)
    assert open_project(path) == project
    assert open_project(path).plan() == plan
    save_project(replace(project, together=not together), path)
    assert open_project(path).together is not together, "saved in the place of the older one"


def ward_table() -> Table:
    rng = np.random.default_rng(4)
    age = Column.from_labels("Age", [str(a) for a in rng.integers(0, 99, 500)], kind=Kind.INTEGER)
    ward = Column.from_labels("Ward", [f"W{w}" for w in rng.integers(0, 9, 500)])
    return Table((Column.from_labels("Name", ["secret name"] * 500), age, ward))


def ward_recipe() -> Recipe:
    plan = Plan(
        roles={"Name": Role.IDENTIFIER, "Age": Role.NSA, "Ward": Role.SA},
        draws=plain({"Ward": 4}),
        generalisations={"Age": (g.by_cuts([18, 65]),)},
    )
    return Recipe(ImportChoices(), plan)


def test_a_recipe_names_the_columns_that_differ() -> None:
    table, recipe = ward_table(), ward_recipe()
    assert recipe.plan_for(table) == recipe.plan
    assert list(recipe.plan_for(table.select(["Ward", "Age", "Name"])).roles) == ["Ward", "Age", "Name"]
    other = Table((*table.select(["Age", "Ward"]).columns, replace(table["Name"], name="Surname")))
    with pytest.raises(
        RecipeDoesNotFit, match="lacks the column “Name”, and the recipe doesn't know the column “Surname”"
    ):
        recipe.plan_for(other)


def test_a_recipe_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    write_recipe(ward_recipe(), path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    for line in ("[columns]", 'Age = "nsa"', "[[generalise.Age]]", "[plan.draws.Ward]", "gamma = 4"):
        assert line in text.splitlines()
    with pytest.raises(CannotWrite, match="exists already"):
        write_recipe(ward_recipe(), path)
    write_recipe(ward_recipe(), path, overwrite=True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: "[[[", "not valid TOML"),
        (lambda t: t.replace("version", "vision"), "lacks the entry “version”"),
        (lambda t: t.replace("[recipe]\nversion = 2", "[recipe]\nversion = 99"), "has recipe version 99"),
        (
            lambda t: t.replace('Age = "nsa"', 'Age = "NSA!"'),
            "“Age” has the role “NSA!”; the roles are identifier, nsa",
        ),
        (lambda t: t.replace("gamma = 4", "gamma = 1"), "Column “Ward”: The group size gamma is 1"),
        (lambda t: t.replace("gamma = 4", 'gamma = "4"'), "must be a whole number"),
        (lambda t: t.replace("epsilon = 0.3", "epsilon = 3.0"), "epsilon"),
        (lambda t: t.replace("[columns]", "[colums]"), "section “colums”"),
        (lambda t: t.replace('how = "intervals"', 'how = "magic"'), "Column “Age”: A stored generalisation “magic”"),
        (lambda t: t.replace("65", "18"), "must rise"),
        (lambda t: t + '\n[import]\ntypes = { Age = "complex" }\n', "“types” on how to read the file"),
        (lambda t: t + "\n[import]\nheader_row = true\n", "“header_row” on how to read the file"),
    ],
)
def test_a_wrong_recipe_gets_a_sentence(tmp_path: Path, change: object, says: str) -> None:
    path = tmp_path / "r.toml"
    write_recipe(ward_recipe(), path)
    changed = change(path.read_text(encoding="utf-8"))  # type: ignore[operator]
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(BadRecipe) as fault:
        read_recipe(path)
    assert says in str(fault.value)
    assert str(path) in str(fault.value)


def test_no_recipe_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe, match="There is no recipe"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "raw.toml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadRecipe, match="not valid TOML"):
        read_recipe(tmp_path / "raw.toml")


def source_file(folder: Path, extra: str = "") -> Path:
    path = folder / "wards.csv"
    path.write_text("Name,Age,Ward\nMaria Muster,34,W1\nJan Janssen,71,W2\n" + extra, encoding="utf-8")
    return path


def ward_project(source: Path) -> Project:
    imported = read(source)
    plan = ward_recipe().plan
    return Project(imported.source, imported.choices, plan.roles, plan.draws, generalisations=plan.generalisations)


def test_a_project_holds_choices_and_never_data(tmp_path: Path) -> None:
    source = source_file(tmp_path)
    save_project(ward_project(source), tmp_path / "p.splu", source=source)
    text = (tmp_path / "p.splu").read_text(encoding="utf-8")
    for value in ("Maria", "Janssen", "71", "W2"):
        assert value not in text.replace(ward_project(source).source.sha256, "")
    assert (tmp_path / "p.splu").stat().st_mode & 0o077 == 0 or sys.platform == "win32"


def test_the_source_is_found_again_and_a_changed_one_noticed(tmp_path: Path) -> None:
    data, work = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    work.mkdir()
    source = source_file(data)
    save_project(ward_project(source), work / "p.splu", source=source)
    project = open_project(work / "p.splu")
    assert project.folder == "../data"
    assert projects.find_source(project, work / "p.splu") is None, "a project file may be a stranger's"
    assert projects.find_source(replace(project, folder="data"), tmp_path / "p.splu") == source.resolve(), "below it"
    assert projects.source_state(project, source) is SourceState.SAME
    source_file(data, "Eva Eng,50,W3\n")
    assert projects.source_state(project, source) is SourceState.CHANGED
    same_size = source_file(data).read_text(encoding="utf-8").replace("34", "43")
    source.write_text(same_size, encoding="utf-8")
    assert projects.source_state(project, source) is SourceState.CHANGED
    source.unlink()
    assert projects.find_source(project, work / "p.splu") is None
    assert projects.source_state(project, None) is SourceState.MISSING
    moved = source_file(work)
    assert projects.find_source(project, work / "p.splu") == moved.resolve(), "beside the project file"


@pytest.mark.parametrize(
    "place",
    [
        "//host/share",
        "\\\\host\\share",
        "/net/host",
        "C:/data",
        "C:data",
        "..",
        "a/../../b",
        "a\\..\\..\\b",
        "\\\\?\\UNC\\h",
        "a\0b",
    ],
)
def test_no_place_that_a_project_names_is_looked_at(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask whether a file is there is enough to make Windows log on to a stranger's machine."""
    project = replace(ward_project(source_file(tmp_path)), folder=place)
    (tmp_path / "work").mkdir()
    asked: list[str] = []
    real = os.stat

    def stat(path: object, *args: object, **more: object) -> os.stat_result:
        asked.append(str(path))
        return real(path, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", stat)
    assert projects.find_source(project, tmp_path / "work" / "p.splu") is None
    named = replace(project, folder="", source=replace(project.source, name=f"{place}/wards.csv"))
    assert projects.find_source(named, tmp_path / "work" / "p.splu") is None
    assert all(Path(path).parent == tmp_path / "work" for path in asked)


def test_a_project_is_fitted_to_a_source_with_other_columns(tmp_path: Path) -> None:
    project = ward_project(source_file(tmp_path))
    fitted, said = project.fitted(("Age", "Ward", "Sex"), {"Sex": Role.NSA})
    assert dict(fitted.roles) == {"Age": Role.NSA, "Ward": Role.SA, "Sex": Role.NSA}
    assert fitted.generalisations == project.generalisations
    assert said == (
        "Column “Name” is gone, and its choices with it.",
        "Column “Sex” is new; it was given the suggested role, nsa.",
    )
    assert project.fitted(tuple(project.roles), {}) == (project, ())


STORED = sorted((Path(__file__).parent / "projects").glob("*.splu"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_project_files_of_every_version_open(path: Path) -> None:
    """The files lie in tests/files/projects, one per version, written by the program of that version."""
    project = open_project(path)
    assert project.plan().sensitive == ("Diagnosis",)
    assert project.plan().draws == plain({"Diagnosis": 7})
    assert project.thresholds == Thresholds(0.2, 0.02, 5, 0.4)
    assert project.generalisations["Age"] == (g.by_cuts([18, 40, 65]),)
    assert project.kept_identifiers == {"Case": "agreed with the ethics board"}
    assert project.choices.types == {"Age": Kind.INTEGER}
    assert project.together is False


def test_this_version_is_among_the_stored_ones() -> None:
    assert {json.loads(path.read_text(encoding="utf-8"))["version"] for path in STORED} == set(
        range(1, projects.PROJECT_VERSION + 1)
    )


def test_a_project_of_this_version_opens_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next version renames an entry; its migration step is all it takes."""
    now = projects.PROJECT_VERSION
    monkeypatch.setattr(projects, "PROJECT_VERSION", now + 1)
    monkeypatch.setitem(
        projects.MIGRATIONS, now, lambda data: {**data, "one_gamma_for_all": not data["one_gamma_for_all"]}
    )
    for path in STORED:
        assert open_project(path).together is True, "brought up to date by the step"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: [], "no project file of this program"),
        (lambda d: {**d, "format": "else"}, "no project file of this program"),
        (lambda d: {**d, "version": 999}, "has project version 999"),
        (lambda d: {**d, "version": "1"}, "its version is missing"),
        (lambda d: {k: v for k, v in d.items() if k != "columns"}, "the entry 'columns' is missing"),
        (lambda d: {**d, "columns": {"Age": "boss"}}, "of the wrong kind"),
        (lambda d: {**d, "gammas": {"Diagnosis": True}}, "must be a whole number"),
        (lambda d: {**d, "generalise": {"Age": [{"how": "rare", "k": 0}]}}, "Column “Age”"),
    ],
)
def test_a_wrong_project_gets_a_sentence(tmp_path: Path, change: object, says: str) -> None:
    data = json.loads(STORED[0].read_text(encoding="utf-8"))
    path = tmp_path / "p.splu"
    path.write_text(json.dumps(change(data)), encoding="utf-8")  # type: ignore[operator]
    with pytest.raises(BadProject) as fault:
        open_project(path)
    assert says in str(fault.value)


def test_a_session_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    source = source_file(tmp_path)
    autosave = Autosave(tmp_path / "r")
    autosave.keep(ward_project(source), source)
    assert recoveries(tmp_path / "r") == (), "a session that lives is not offered"
    autosave.end()
    assert recoveries(tmp_path / "r") == ()
    assert list((tmp_path / "r").iterdir()) == []


def test_a_killed_session_is_offered_with_its_last_choices(tmp_path: Path) -> None:
    source = source_file(tmp_path)
    code = """
import os, sys
from pathlib import Path
from dataclasses import replace
from splu_desktop.files.project.recovery import Autosave
from splu_desktop.files.project.file import open_project
from tests.draws import plain
project = open_project(Path(sys.argv[1]))
autosave = Autosave(Path(sys.argv[2]))
for gamma in range(2, 9):
    autosave.keep(replace(project, draws=plain({"Ward": gamma})), Path(sys.argv[3]), Path(sys.argv[1]))
os.kill(os.getpid(), 9)
"""
    save_project(ward_project(source), tmp_path / "p.splu", source=source)
    folder = tmp_path / "r"
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path / "p.splu"), str(folder), str(source)], check=False)
    assert died.returncode != 0
    (found,) = recoveries(folder)
    assert found.project.draws == plain({"Ward": 8})
    assert found.source == source.resolve()
    assert found.project_path == (tmp_path / "p.splu").resolve()
    assert recoveries(folder) == (found,), "offered until it is taken or discarded"
    discard(found)
    assert recoveries(folder) == ()
    assert list(folder.iterdir()) == []


def test_a_damaged_recovery_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "0.splu-recovery").write_text("{", encoding="utf-8")
    assert recoveries(tmp_path) == ()
    assert recoveries(tmp_path / "nowhere") == ()
