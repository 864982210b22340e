"""Small invented tables and their releases."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.audience import Audience
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.release.folder import Form, fill_folder
from splu_desktop.files.release.reading import OpenRelease
from tests.columns import column_of
from tests.seeded import Seeded

KIT = Path(__file__).resolve().parents[2] / "resources/kit"
TWO_BLOCKS = (("smoker",), ("dx", "los"))
AGES = ("0-19", "20-39", "40-59", "60-79", "80+")
AWKWARD = [
    '=HYPERLINK("x","y")',
    "+1 234",
    "@here",
    "a,b",
    'say "no"',
    "two\nlines",
    "'=x",
    "007",
    "Ä ß 漢",
    " x ",
    "None",
]


def ward_table(n: int = 1_500, seed: int = 1, *, persons: bool = False) -> Table:
    """Stays of wards: `dx` depends on age, sex and `smoker`; `limits` has the value None and missing ones."""
    rng = np.random.default_rng(seed)
    age, sex, ward = (rng.integers(0, k, n) for k in (5, 2, 4))
    smoker = rng.random(n) < 0.3
    dx = rng.random(n) < 0.05 + 0.05 * age + 0.1 * sex + 0.1 * smoker
    cells: dict[str, tuple[list[str], Kind]] = {
        "age": ([AGES[i] for i in age], Kind.CATEGORY),
        "sex": (["fm"[i] for i in sex], Kind.CATEGORY),
        "the ward": ([f"00{i}" for i in ward], Kind.CATEGORY),
        "limits": (rng.choice(["None", "Mild", "Severe", ""], n).tolist(), Kind.CATEGORY),
        "bmi": ([f"{x:.1f}" for x in rng.normal(25, 4, n)], Kind.DECIMAL),
        "smoker": ([("no", "yes")[int(i)] for i in smoker], Kind.CATEGORY),
        "dx": ([("no", "yes")[int(i)] for i in dx], Kind.CATEGORY),
        "los": ([str(i) for i in rng.poisson(3 + 2 * dx)], Kind.INTEGER),
    }
    if persons:
        cells["pid"] = ([f"P{i}" for i in rng.integers(0, n // 2, n)], Kind.CATEGORY)
    return Table(tuple(column_of(name, texts, kind=kind) for name, (texts, kind) in cells.items()))


def ward_plan(
    table: Table,
    gamma: float = 3,
    *,
    blocks: tuple[tuple[str, ...], ...] = (("smoker",), ("dx", "los")),
    classes: tuple[str, ...] = ("sex", "age"),
    number: bool = False,
) -> Plan:
    """A plan for `ward_table`; where it has persons, persons are drawn, with numbers if asked."""
    drawn = {name for block in blocks for name in block}
    roles = {name: Role.SA if name in drawn else Role.NSA for name in table.names}
    persons = None
    if "pid" in table:
        roles["pid"], persons = Role.IDENTIFIER, ByPerson("pid", "draw", number=number)
    return Plan(
        roles,
        tuple(Block(block, Lenders(gamma)) for block in blocks),
        classes,
        persons=persons,
        public_values={"dx": ("no",)} if "dx" in drawn else {},
        questions=(AskedTable("dx", "yes", ("sex",)),),
        audience=Audience(recipient="Institute of Epidemiology", purpose="who falls ill"),
        row_word="a stay",
    )


def released(table: Table, plan: Plan, folder: Path, seed: int = 1, form: Form | None = None) -> OpenRelease:
    """Draw with a seed and fill a new folder."""
    folder.mkdir()
    return fill_folder(sanitise.run(table, plan, randomness=Seeded(seed)), plan, folder, form=form or Form())


def awkward_table(n: int = 400) -> Table:
    """Texts that spreadsheets run or that break lines, leading zeros, missing values, numbers and dates."""
    rng = np.random.default_rng(1)
    cells = {
        "code": ([f"{i:05d}" for i in rng.integers(0, 500, n)], Kind.CATEGORY),
        "note, with comma": (rng.choice([*AWKWARD, ""], n).tolist(), Kind.CATEGORY),
        "age": ([str(i) if i else "" for i in rng.integers(0, 99, n)], Kind.INTEGER),
        "weight": ([f"{x:.1f}" for x in rng.normal(75, 9, n)], Kind.DECIMAL),
        "admitted": ([str(d) for d in np.datetime64("2019-12-30") + rng.integers(0, 400, n)], Kind.DATE),
        "illness": ([f"illness {i}" if i else "=none" for i in rng.integers(0, 20, n)], Kind.CATEGORY),
    }
    return Table(tuple(column_of(name, texts, kind=kind) for name, (texts, kind) in cells.items()))


def load_kit(path: Path = KIT / "splu_release.py") -> ModuleType:
    """The Python kit as a recipient runs it: a file, without this program."""
    spec = importlib.util.spec_from_file_location("splu_release_kit", path)
    assert spec is not None
    assert spec.loader is not None
    kit = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = kit
    spec.loader.exec_module(kit)
    return kit
