"""Nothing that is handed out depends on what only the source knows.

Two sources that differ in ways a recipient must not learn (a value that the draw made vanish, the type it gave the
column, the order of its records and labels, where the file lay) and that happen to give the same published table must
give the same files, byte for byte, but for the release's own id and the moment.
"""

from __future__ import annotations

import importlib.util
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release import facts as release_facts
from splu_desktop.files.release.handover import hand_over
from tests.canaries import kinds_in, told
from tests.draws import plain
from tests.files.releases import awkward_table, plan_of
from tests.seeded import Seeded
from tests.written import write_release

N = 240
FORMATS = ("csv", "xlsx", "parquet") if importlib.util.find_spec("pyarrow") else ("csv", "xlsx")


class _Then(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> _Then:
        return cls(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def same_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every release gets the same id and moment, which are the only things drawn besides the table."""
    monkeypatch.setattr(release_facts.secrets, "token_hex", lambda count: "0" * 2 * count)
    monkeypatch.setattr(release_facts, "datetime", _Then)


def handed_out(sa: Column, folder: Path) -> dict[str, bytes]:
    """Return the files of a release whose sensitive column is `sa`, as it came out of the draw."""
    ward = Column.from_labels("ward", [f"W{i % 7}" for i in range(N)])
    table = Table((ward, sa.compacted()), origin={"path": "/secret/place.csv", "rows": 99})
    write_release(Published(table, plain({"s": 2})), folder, formats=FORMATS)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def column(kind: Kind, labels: list[str], values: Any, drawn: NDArray[np.int32], missing: str = "") -> Column:
    """Return a column whose records have the first labels only: those behind them vanished in the draw."""
    absent = np.array([label == missing for label in labels])
    array = None if values is None else np.array(values, "datetime64[us]" if isinstance(values[0], str) else float)
    return Column.from_codes("s", drawn, np.array(labels, dtype=object), absent, array, kind=kind)


nan, DAYS = np.nan, ["2020-01-01", "2020-12-31"]
ALIKE = {
    "whole numbers": [
        (Kind.INTEGER, ["1", "2", "10"], [1, 2, 10]),
        (Kind.CATEGORY, ["1", "2", "10", "unknown illness"], None),
        (Kind.DECIMAL, ["1", "2", "10", "2.5"], [1, 2, 10, 2.5]),
        (Kind.INTEGER, ["1", "2", "10", "forty"], [1, 2, 10, nan]),
        (Kind.TEXT, ["1", "2", "10", "a long note of words"], None),
    ],
    "numbers with a decimal comma": [
        (Kind.DECIMAL, ["1,5", "2,25", "3"], [1.5, 2.25, 3]),
        (Kind.CATEGORY, ["1,5", "2,25", "3", "not measured"], None),
    ],
    "a mark that may stand for thousands": [
        (Kind.INTEGER, ["1.234", "2.500", "12"], [1234, 2500, 12]),
        (Kind.DECIMAL, ["1.234", "2.500", "12"], [1.234, 2.5, 12]),
        (Kind.CATEGORY, ["1.234", "2.500", "12", "?"], None),
    ],
    "days": [
        (Kind.DATE, ["2020-01-01", "2020-12-31"], ["2020-01-01", "2020-12-31"]),
        (Kind.CATEGORY, ["2020-01-01", "2020-12-31", "soon"], None),
        (Kind.DATETIME, [*DAYS, "2021-01-01T12:00"], [*DAYS, "2021-01-01T12:00"]),
    ],
    "days as people write them": [
        (Kind.DATE, ["01.02.2020", "31.12.2020"], ["2020-02-01", "2020-12-31"]),
        (Kind.CATEGORY, ["01.02.2020", "31.12.2020", "soon"], None),
    ],
    "two words": [
        (Kind.BOOLEAN, ["no", "yes"], None),
        (Kind.CATEGORY, ["no", "yes", "refused"], None),
    ],
}  # fmt: skip


@pytest.mark.usefixtures("same_id")
@pytest.mark.parametrize("case", ALIKE)
def test_sources_that_give_the_same_table_give_the_same_files(case: str, tmp_path: Path) -> None:
    published = len(ALIKE[case][0][1])
    drawn = (np.random.default_rng(1).integers(0, published, N)).astype(np.int32)
    found = [
        handed_out(column(kind, labels, values, drawn), tmp_path / str(at))
        for at, (kind, labels, values) in enumerate(ALIKE[case])
    ]
    for other in found[1:]:
        assert other.keys() == found[0].keys()
        for name in other:
            assert other[name] == found[0][name], name


@pytest.mark.usefixtures("same_id")
def test_the_order_of_records_and_labels_is_in_no_file(tmp_path: Path) -> None:
    """The same records in another order, drawn so that the same table comes out: nothing tells which order it was."""
    rng = np.random.default_rng(2)
    table = awkward_table()
    published = sanitise.run(table, plan_of(table), randomness=Seeded(5)).table
    order = rng.permutation(table.n)
    other = Table(tuple(replace(c, codes=c.codes[order][np.argsort(order)]) for c in published.columns))
    for at, one in enumerate((published, other)):
        write_release(Published(one, plain({"illness": 4})), tmp_path / str(at), formats=FORMATS)
    for path in (tmp_path / "0").iterdir():
        assert path.read_bytes() == (tmp_path / "1" / path.name).read_bytes()
    # Labels stand in the order of their values, not in that in which the source showed them first.
    facts = (tmp_path / "0" / "release.json").read_text("utf-8")
    domain = re.search(r'"name": "illness".*?"domain": \[(.*?)\]', facts, re.DOTALL)
    assert domain is not None
    shown = re.findall(r'"(illness \d+)"', domain[1])
    assert shown == sorted(shown)


def test_no_file_tells_of_place_person_machine_or_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the source's name, nor who published, for whom, from where or with which tool, but the release's date."""
    monkeypatch.setenv("USER", "custodian-name")
    monkeypatch.setenv("LOGNAME", "custodian-name")
    source = tmp_path / "secret-source.csv"
    source.write_text("x", "utf-8")
    table = awkward_table()
    order = Order(
        table, plan_of(table), tmp_path / "out", formats=FORMATS, source=source, operator="operator-name",
        purpose="purpose-words", recipient="recipient-name",
    )  # fmt: skip
    publish(order, strict=False, register=Register(tmp_path / "register-place"))
    packed = hand_over(tmp_path / "out", tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out" / "table.xlsx") as book:
        assert {entry.date_time for entry in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [name for name in book.namelist() if "docProps" in name]  # creator, company, times
    secrets = (
        "secret-source", "custodian-name", "operator-name", "purpose-words", "recipient-name", "register-place",
        str(tmp_path),
    )  # fmt: skip
    (tmp_path / "handed").mkdir()
    packed.rename(tmp_path / "handed" / "out.zip")
    (tmp_path / "out").rename(tmp_path / "handed" / "out")
    for path, content in told(tmp_path / "handed"):
        assert not kinds_in(content, {secret: [secret] for secret in secrets}), path


def test_two_releases_share_nothing_but_the_source(tmp_path: Path) -> None:
    """Their ids are drawn apart, and no figure beside the tables tells how the draws were made."""
    table = awkward_table()
    facts = []
    for at in range(2):
        order = Order(table, plan_of(table), tmp_path / f"r{at}")
        facts.append(publish(order, strict=False, register=Register(tmp_path / "register")).opened.facts)
    assert facts[0]["id"] != facts[1]["id"]
    drawn = {"id", "created", "files", "sha256", "columns", "transitions"}
    assert {k: v for k, v in facts[0].items() if k not in drawn} == {
        k: v for k, v in facts[1].items() if k not in drawn
    }
    for one, other in zip(facts[0]["columns"], facts[1]["columns"], strict=True):
        assert {k for k in one if one[k] != other[k]} <= {"domain", "distinct"}
        assert one["role"] == "sa" or one == other


def test_a_kind_is_not_told_where_roles_say_to_leave_it_out(tmp_path: Path) -> None:
    """Columns left out are named nowhere: not even that there was one."""
    table = awkward_table()
    roles = dict.fromkeys(table.names, Role.NSA) | {
        "illness": Role.SA,
        "code": Role.IDENTIFIER,
        "seen": Role.DROPPED,
    }
    plan = Plan(roles, plain({"illness": 4}))
    publish(Order(table, plan, tmp_path / "r", formats=FORMATS), strict=False, register=Register(tmp_path / "register"))
    for path in (tmp_path / "r").iterdir():
        if path.suffix in (".json", ".txt", ".csv"):
            text = path.read_text("utf-8-sig")
            assert not re.search(r"\bseen\b", text), path.name
            assert '"code"' not in text, path.name
