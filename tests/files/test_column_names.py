"""Whatever a column is called, its release is published, verified, asked, and read by the recipient's kit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.query.reader import Condition, Method, Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.read_back import csv_differs
from splu_desktop.files.release.verify import verify_release
from splu_desktop.files.tables.table_writers import write_csv
from tests.files.kit_releases import KIT, kit
from tests.optional import needs

NAMES = {
    "line break": "two\nlines",
    "return": "two\rlines",
    "both": "two\r\nlines",
    "line breaks of other systems": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "quote": 'say "no"',
    "quote first": '"',
    "quote and line break": 'a"\n"b',
    "comma": "a, b",
    "tab": "a\tb",
    "tab first": "\ta",
    "blanks": " a ",
    "formula": "=1+1",
    "apostrophe": "'=x",
    "sign behind line break": "a\n=1+1",
    "number": "1",
    "braces": "{column} %s $x `y`",
    "long": "very long " * 900 + "end",
    "letters": "Ä ß 漢 שלום",
    "equals inside": "a=b",
    "not a name": "NA",
}


def _table(name: str, n: int = 300) -> Table:
    """Return a table whose NSA and SA are both called so."""
    chance = np.random.default_rng(1)
    other, sick = chance.choice(["x", "y", "z"], n), chance.choice(["a", "b", "c", "d", "e", "f"], n)
    return Table((Column.from_labels(name, other.tolist()), Column.from_labels(name + "?", sick.tolist())))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a release for each name."""
    base, found = tmp_path_factory.mktemp("names"), {}
    for place, (case, name) in enumerate(NAMES.items()):
        table = _table(name)
        plan = Plan({name: Role.NSA, name + "?": Role.SA}, {name + "?": PlainGroups(3)})
        found[case] = base / f"r{place}"
        publish(
            Order(table, plan, found[case], formats=("csv", "xlsx")),
            strict=False,
            register=Register(base / f"b{place}"),
        )
    return found


@pytest.mark.parametrize("case", NAMES)
def test_any_name_of_a_column_goes_the_whole_way(case: str, folders: dict[str, Path]) -> None:
    name, folder = NAMES[case], folders[case]
    assert [check.text for check in verify_release(folder) if not check.passed] == []
    published = read_release(folder).published
    assert published.table.names == (name, name + "?")
    answer = Reader(published).answer([Condition(name, ("x",)), Condition(name + "?", ("a",))], Method.UNBIASED)
    release = kit().Release(folder)
    got = release.count({name: ["x"], name + "?": ["a"]})
    assert got.estimate == pytest.approx(answer.estimate, rel=1e-4, abs=1e-3)
    assert got.published == answer.published
    # As it is written on the command line and in the window.
    texts = [f"{name}=x", f"{name}?=a"]
    assert [parse_condition(text, published) for text in texts] == list(answer.conditions)
    assert release.count(texts).published == answer.published


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_reading_back_notices_another_name(name: str, tmp_path: Path) -> None:
    table = _table(name)
    write_csv(table, tmp_path / "t.csv", Silent())
    assert csv_differs(tmp_path / "t.csv", table, Silent()) is None
    assert csv_differs(tmp_path / "t.csv", _table(name + "x"), Silent()) is not None


@needs("R")
def test_the_kit_in_r_reads_any_name(folders: dict[str, Path]) -> None:
    script, expected = [f"source({json.dumps(str(KIT / 'splu_release.R'))})"], []
    for case, name in NAMES.items():
        script.append(f"r <- splu_release({json.dumps(str(folders[case]))})")
        asked = f"c({json.dumps(name + '=x', ensure_ascii=False)}, {json.dumps(name + '?=a', ensure_ascii=False)})"
        script.append(f"cat(r$count({asked})$published, '\\n')")
        expected.append(kit().Release(folders[case]).count({name: ["x"], name + "?": ["a"]}).published)
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert [int(line) for line in ran.stdout.split()] == expected
