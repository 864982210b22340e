"""A dummy of a release has its columns, formats and values, tells nothing of rows, and can't be taken for data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from splu_desktop import api
from splu_desktop.cli import main
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.files.language import language
from splu_desktop.files.release.dummy import draw_dummy, write_dummy
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.folder import Form
from splu_desktop.files.release.reading import OpenRelease
from tests.columns import blocks_of
from tests.files.releases import awkward_table, released, ward_plan, ward_table
from tests.seeded import Seeded


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    table = ward_table(2_000, persons=True)
    form = Form(title="Stays", dialect=Dialect(";", ","))
    return released(table, ward_plan(table, number=True), tmp_path_factory.mktemp("dummy") / "release", form=form)


def test_margins_stay_and_what_columns_say_of_each_other_goes(release: OpenRelease) -> None:
    published = release.published
    dummy = draw_dummy(published, source=Seeded(3))
    for name in published.table.names:
        assert np.array_equal(dummy[name].counts(), published.table[name].counts()), name
        assert (dummy[name].kind, dummy[name].labels.tolist()) == (
            published.table[name].kind,
            published.table[name].labels.tolist(),
        )
    joint = np.histogram2d(dummy["dx"].codes, dummy["los"].codes, [dummy["dx"].m, dummy["los"].m])[0]
    expected = np.outer(dummy["dx"].counts(), dummy["los"].counts()) / dummy.n
    cells = expected > 5
    # Chi-square of independent columns: its mean is the number of cells at most; twice it comes once in a million.
    assert ((joint - expected)[cells] ** 2 / expected[cells]).sum() < 2 * cells.sum() + 20
    same = np.mean([(dummy[name].codes == published.table[name].codes).mean() for name in ("bmi", "the ward")])
    assert same < 0.3


def test_the_file_reads_as_the_table_of_the_release_does(release: OpenRelease, tmp_path: Path) -> None:
    write_dummy(release, tmp_path / "DUMMY-stays.csv", language("en"), rows=50)
    reading = {"sep": ";", "decimal": ",", "keep_default_na": False, "na_values": [""]}
    own, other = (pd.read_csv(path, **reading) for path in (tmp_path / "DUMMY-stays.csv", release.path / "table.csv"))
    assert len(own) == 50
    assert list(own.columns) == list(other.columns)
    assert (own.dtypes == other.dtypes).all()
    told = (tmp_path / "DUMMY-stays.txt").read_text(encoding="utf-8").splitlines()
    assert told[0].startswith("This is a dummy of “Stays”")


@pytest.mark.parametrize("name", ["table.csv", "DUMMY.xlsx", "dummy.csv"])
def test_nobody_takes_it_for_data(release: OpenRelease, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSetting, match="DUMMY"):
        write_dummy(release, tmp_path / name, language("en"))
    assert list(tmp_path.iterdir()) == []


def test_command_line_and_python_make_it_of_any_length(
    release: OpenRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dummy", str(release.path), "--rows", "5000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 5_000
    assert {path.name for path in tmp_path.iterdir()} == {"DUMMY-table.csv", "DUMMY-table.txt"}
    assert main(["dummy", str(release.path)]) == 2  # it is there already
    assert main(["dummy", str(release.path), "--out", str(release.path / "DUMMY.csv")]) == 2
    assert main(["dummy", str(release.path), "--out", "DUMMY-2.csv", "--rows", "0"]) == 2
    assert len(api.open_release(release.path).dummy(7)) == 7


def test_texts_that_programs_stumble_over_stay(tmp_path: Path) -> None:
    table = awkward_table()
    roles = {name: Role.SA if name == "illness" else Role.NSA for name in table.names}
    release = released(table, Plan(roles, blocks_of(["illness"], 3)), tmp_path / "release")
    write_dummy(release, tmp_path / "DUMMY.csv", language("de"))
    words = {"dtype": str, "keep_default_na": False}
    own, other = (pd.read_csv(path, **words) for path in (tmp_path / "DUMMY.csv", release.path / "table.csv"))
    for name in other.columns:
        assert sorted(own[name]) == sorted(other[name]), name
