"""Publishing on a cluster, told by what its machines do: the same release, the same laws, all or nothing.

Statistical tests have fixed seeds and fail by chance at most once in 10,000 each. `test_spark.py` has Spark itself.
"""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from splu_desktop.cli.base.planning import make_plan
from splu_desktop.cluster import work
from splu_desktop.cluster.machines import Cluster, ClusterFailed
from splu_desktop.cluster.publishing import Surveyed, TooManyValues, _Run, publish, survey
from splu_desktop.cluster.source import BadFolder, SourceFolder, found
from splu_desktop.cluster.work import Counting, WorkFailed
from splu_desktop.core.checks.gate import answer_lines, table_lines
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import table_after
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.importer import ImportChoices, read
from splu_desktop.files.publish.order import Order
from splu_desktop.files.publish.publishing import GateShut, Outcome, SourceChanged
from splu_desktop.files.register.book import RELEASE, Register, RegisterFault
from splu_desktop.files.release.folder import read_release
from splu_desktop.files.release.verify import verify_release
from tests.cluster.pretend import Parts, pretended

RARELY = 1e-4
SHARES = [0.19, 0.19, 0.19, 0.15, 0.12, 0.08, 0.05, 0.03]


def people(n: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 5, n)
    ill = (rng.choice(8, n, p=SHARES) + region) % 8
    return pa.table(
        {
            "id": [f"P{i:06d}" for i in range(n)],
            "sex": rng.choice(["f", "m", "?"], n, p=[0.5, 0.48, 0.02]),
            "age": pa.array(rng.integers(20, 90, n)),
            "ward": [f"00{r}" for r in region],
            "at": pa.array(np.arange(n) // 7),
            "diagnosis": [f"D{v}" for v in ill],
        }
    )


def folder(at: Path, table: pa.Table, files: int = 3, groups: int = 400) -> Path:
    at.mkdir()
    step = -(-len(table) // files)
    for k in range(files):
        pq.write_table(table.slice(k * step, step), at / f"part-{k}.parquet", row_group_size=groups)
    (at / "_SUCCESS").touch()  # as Spark leaves it
    return at


def planned(surveyed: Surveyed, *sensitive: str, **more: Any) -> Plan:
    return make_plan(
        surveyed.table,
        sensitive=sensitive or ("diagnosis:4",),
        nsa=("sex,age,ward,at",),
        identifier=("id",),
        kept={},
        **more,
    )[0]


def made(machines: Cluster, source: Path, target: Path, plan: Plan | None = None, records: int = 500) -> Outcome:
    surveyed = survey(machines, source, ImportChoices())
    order = Order(surveyed.table, plan or planned(surveyed), target, formats=("parquet",), source=source)
    register = Register(target.parent / "register")
    return publish(machines, surveyed, order, strict=False, register=register, records=records)


def test_it_is_a_release_like_any_other(tmp_path: Path) -> None:
    table = people(3_000)
    outcome = made(pretended(), folder(tmp_path / "source", table), tmp_path / "out")
    assert all(check.passed for check in outcome.checks)
    assert {check.name for check in outcome.checks} == {"records", "columns", "rows", "counts", "retained", "order"}
    checks = verify_release(tmp_path / "out", register=Register(tmp_path / "register"))
    assert all(check.passed for check in checks), [check.sentence for check in checks if not check.passed]
    assert {"register", "table", "transitions", "guarantees"} <= {check.name for check in checks}
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["README.txt", "dictionary.csv", "release.json", *(f"table-{k:05d}.parquet" for k in range(6))]
    read_back = read_release(tmp_path / "out").published
    kept = ["sex", "age", "ward", "at"]
    rows = list(zip(*(c.labels[c.codes] for c in (read_back.table[name] for name in kept)), strict=True))
    true = list(zip(*(map(str, table[name].to_pylist()) for name in kept), strict=True))
    assert sorted(rows) == sorted(true), "unchanged columns hold the source's rows to the letter"
    assert read_back.draws["diagnosis"].gamma == 4
    joined = pq.ParquetDataset(sorted((tmp_path / "out").glob("*.parquet"))).read()
    assert joined.schema.field("age").type == pa.int64()
    assert joined.schema.field("ward").type == pa.dictionary(pa.int32(), pa.string()), "007 is no number"
    assert not {"id"} & set(joined.column_names)


def test_the_plan_and_the_gate_are_those_of_one_machine(tmp_path: Path) -> None:
    table = people(3_000)
    source = folder(tmp_path / "source", table)
    pq.write_table(table, tmp_path / "whole.parquet")
    whole = read(tmp_path / "whole.parquet").table
    surveyed = survey(pretended(), source, ImportChoices())
    for name in whole.names:
        ours, theirs = surveyed.table[name], whole[name]
        assert (ours.kind, ours.n, ours.labels.tolist()) == (theirs.kind, theirs.n, theirs.labels.tolist())
        assert np.array_equal(ours.counts(), theirs.counts())
    for sensitive in (("diagnosis:4",), ("diagnosis:7",), ("ward",)):
        options: dict[str, Any] = {"sensitive": sensitive, "nsa": ("sex,age",), "drop": ("at",), "identifier": ("id",)}
        assert make_plan(surveyed.table, **options)[0] == make_plan(whole, **options)[0]
    plan = planned(surveyed)
    outcome = made(pretended(), source, tmp_path / "out", plan)
    ours = [line.sentence for line in outcome.gate.lines]
    for line in table_lines(whole, plan):
        assert line.sentence in ours
    (few,) = answer_lines(table_after(whole, plan.generalisations), plan)
    assert [line.sentence for line in outcome.gate.notes] == [few.sentence]


def test_what_is_known_of_persons_is_told(tmp_path: Path) -> None:
    """As on one machine, where an identifier that repeats was counted: in the gate, in release.json and the README."""
    table = people(3_000)
    table = table.set_column(0, "patient_id", pa.array([f"P{i // 3:06d}" for i in range(3_000)]))
    source = folder(tmp_path / "source", table)
    surveyed = survey(pretended(), source, ImportChoices())
    plan = make_plan(surveyed.table, sensitive=("diagnosis:4",), nsa=("sex,age",), drop=("ward,at",))[0]
    assert plan.roles["patient_id"] is Role.IDENTIFIER
    outcome = made(pretended(), source, tmp_path / "out", plan)
    (line,) = [line for line in outcome.gate.lines if line.name == "persons"]
    assert "1,000 values of “patient_id” in 3,000 records" in line.sentence
    assert outcome.opened.facts["persons"] == {"most_records": 3, "mean_records": 3.0}
    assert all(check.passed for check in verify_release(tmp_path / "out"))


def test_csv_is_read_to_the_letter(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    cells = ["007", "1.50", '"a ""b"", c"', '"x\ny"']
    for k in range(4):
        rows = [f"{cells[(i + k) % 4]};{['x', 'y', 'z', 'w'][i % 4]}" for i in range(200)]
        (tmp_path / "source" / f"{k}.csv").write_text("code;illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    surveyed = survey(pretended(), tmp_path / "source", ImportChoices())
    plan = make_plan(surveyed.table, sensitive=("illness:4",), nsa=("code",))[0]
    order = Order(surveyed.table, plan, tmp_path / "out", source=tmp_path / "source")
    publish(pretended(), surveyed, order, strict=False, register=Register(tmp_path / "register"), records=300)
    column = read_release(tmp_path / "out").published.table["code"]
    assert sorted(column.labels) == sorted(["007", "1.50", 'a "b", c', "x\ny"])
    assert column.counts().tolist() == [200] * 4


@pytest.mark.parametrize("way", ["groups", "tolerant", "joined"])
def test_counts_have_the_law_of_the_draw(tmp_path: Path, way: str) -> None:
    """Means and variances over releases, and the share that is kept, in three parts and as many blocks."""
    table, runs = people(3_000, 3), 25
    source = folder(tmp_path / "source", table)
    machines = pretended()
    surveyed = survey(machines, source, ImportChoices())
    name = "diagnosis" if way == "groups" else "sex"
    options: dict[str, Any] = {"nsa": ("age,ward",), "drop": ("at,diagnosis" if name == "sex" else "at,sex",)}
    draw = by_gamma(surveyed.table[name], 4, {"tolerant": "groups", "joined": "joined"}.get(way))
    plan = make_plan(surveyed.table, sensitive=(), draws={name: draw}, identifier=("id",), **options)[0]
    assert draw.name == {"groups": "plain groups", "tolerant": "decoy groups", "joined": "joined"}[way]
    column = surveyed.table[name]
    seen = []
    for run in range(runs):
        order = Order(surveyed.table, plan, tmp_path / f"out{run}", source=source)
        register = Register(tmp_path / f"register{run}")
        outcome = publish(machines, surveyed, order, strict=False, register=register, records=1_000)
        shown = outcome.opened.published.table[name]
        by_label = dict(zip(shown.labels.tolist(), shown.counts().tolist(), strict=True))
        seen.append([by_label.get(label, 0) for label in column.labels.tolist()])
    counts = column.counts().astype(float)
    mean, variance = draw.expected(counts, column.labels)(np.diag(counts))
    mean, variance = mean.sum(axis=0), variance.sum(axis=0)
    found = np.array(seen, float)
    z = (found.mean(axis=0) - mean) / np.sqrt(variance / runs)
    assert np.abs(z).max() < stats.norm.isf(RARELY / 4 / len(counts))
    if way != "tolerant":  # whose groups' variance is a little below that of independent records
        spread = ((found - mean) ** 2).sum(axis=0) / variance
        ends = stats.chi2.ppf([RARELY / 4 / len(counts), 1 - RARELY / 4 / len(counts)], runs)
        assert (spread > ends[0]).all()
        assert (spread < ends[1]).all()


def test_no_order_survives(tmp_path: Path) -> None:
    """Parts, and places in them, have nothing to do with where a record stood; draws have nothing to do with parts."""
    table = people(6_000, 5)
    source = folder(tmp_path / "source", table, files=4)
    made(pretended(), source, tmp_path / "out")
    parts = [pq.read_table(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    at = [np.asarray(part["at"]) for part in parts]
    for places in at:
        rank = stats.spearmanr(np.arange(len(places)), places)
        assert rank.pvalue > RARELY / 10
        assert stats.spearmanr(places[1:], places[:-1]).pvalue > RARELY / 10
    crossed = np.array([np.bincount(places // 72, minlength=12) for places in at])
    assert stats.chi2_contingency(crossed).pvalue > RARELY
    drawn = np.array([[part["diagnosis"].to_pylist().count(f"D{v}") for v in range(8)] for part in parts])
    assert stats.chi2_contingency(drawn).pvalue > RARELY


def lossy(stage: int) -> Cluster:
    """Return a cluster that loses what a machine sent in one stage, counted from the first, once it was used."""
    stages = [0]

    class Context:
        def parallelize(self, items: list[Any], number: int) -> Parts:
            return Again(lambda: [[item] for item in items])

    class Again(Parts):
        def mapPartitionsWithIndex(self, work: Callable[..., Any]) -> Parts:
            return Again(lambda: [list(work(at, iter(part))) for at, part in enumerate(self._made())])

        def partitionBy(self, number: int, receiver: Callable[[int], int]) -> Parts:
            stages[0] += 1
            mine = stages[0]
            kept: list[Any] = []

            def made() -> list[list[Any]]:
                first = kept[0] if kept else self._made()
                again = self._made() if mine == stage else first
                kept[:] = [first]
                found: list[list[Any]] = [[] for _ in range(number)]
                for at, sent in enumerate(zip(first, again, strict=True)):
                    for old, new in zip(sorted(sent[0], key=_to), sorted(sent[1], key=_to), strict=True):
                        # The first sender's work is lost after half of the receivers had it.
                        found[old[0]].append(new if at == 0 and old[0] >= number // 2 else old)
                return found

            return Again(made)

    return Cluster(Context())


def _to(sent: tuple[int, Any]) -> int:
    return sent[0]


@pytest.mark.parametrize("stage", [3, 4, 5])
def test_work_of_two_attempts_is_never_mixed(tmp_path: Path, stage: int) -> None:
    source = folder(tmp_path / "source", people(3_000))
    with pytest.raises(ClusterFailed, match="nothing is left behind"):
        made(lossy(stage), source, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["register", "source"]
    assert not Register(tmp_path / "register").read().releases


def test_without_a_loss_the_same_cluster_publishes(tmp_path: Path) -> None:
    made(lossy(0), folder(tmp_path / "source", people(3_000)), tmp_path / "out")
    assert (tmp_path / "out" / "release.json").exists()


def exchanged(register: Register) -> None:
    shutil.rmtree(register.folder)
    Register(register.folder).key()


def put_back(register: Register) -> None:
    """As after a restore of an older state, witness and all."""
    lines = (register.folder / "register.jsonl").read_bytes().splitlines(keepends=True)
    (register.folder / "register.jsonl").write_bytes(b"".join(lines[:-1]))


def damaged(register: Register) -> None:
    book = register.folder / "register.jsonl"
    book.write_bytes(book.read_bytes().replace(b"first", b"fist"))


MEANWHILE: dict[str, tuple[Callable[[Register], object], str]] = {
    "removed": (lambda register: shutil.rmtree(register.folder), "is not the one that was read before"),
    "key removed": (lambda register: (register.folder / "key").unlink(), "is not the one that was read before"),
    "exchanged": (exchanged, "is not the one that was read before"),
    "put back": (put_back, "is not the one that was read before"),
    "one more": (lambda register: register.append(RELEASE, "other", {}), "Another release was registered"),
    "damaged": (damaged, "is not the one that was read before"),
}


@pytest.mark.parametrize("how", MEANWHILE)
def test_a_register_that_changes_while_machines_draw_stops_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Minutes lie between gate and entry: what the gate said of earlier releases has to hold still."""
    register, (change, told) = Register(tmp_path / "register"), MEANWHILE[how]
    source = folder(tmp_path / "source", people(300))
    made(pretended(), source, tmp_path / "first")
    drawn = _Run._made

    def meanwhile(run: _Run, at: Path) -> Any:
        found = drawn(run, at)
        change(register)
        return found

    monkeypatch.setattr(_Run, "_made", meanwhile)
    with pytest.raises((ClusterFailed, RegisterFault), match=told):
        made(pretended(), source, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "register") == ["first", "source"]
    assert str(tmp_path / "out") not in {entry.body.get("destination") for entry in register.read().entries}


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    source = folder(tmp_path / "source", people(3_000))
    surveyed = survey(pretended(), source, ImportChoices())
    order = Order(surveyed.table, planned(surveyed), tmp_path / "out", source=source)
    table = people(3_000).set_column(5, "diagnosis", pa.array(["Huntington's disease"] * 3_000))
    pq.write_table(table, source / "part-0.parquet")
    with pytest.raises(SourceChanged, match="publish again") as fault:
        publish(pretended(), surveyed, order, strict=False, register=Register(tmp_path / "register"))
    assert "Huntington" not in "".join(traceback.format_exception(fault.value))
    assert not (tmp_path / "out").exists()


def test_no_text_of_a_fault_leaves_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cluster logs of a fault names a place in the program, and no value."""

    def fails(*_: object) -> None:
        raise ValueError("Huntington's disease")

    source = folder(tmp_path / "source", people(300))
    monkeypatch.setattr(SourceFolder, "texts", fails)
    work = Counting(found(source, ImportChoices()))
    with pytest.raises(WorkFailed, match=r"ValueError in cluster.work.py") as fault:
        list(work.count(0, iter(work.source.units)))
    shown = "".join(traceback.format_exception(fault.value))
    assert "Huntington" not in shown.replace('raise ValueError("Huntington', "")
    with pytest.raises(ClusterFailed, match="could not finish") as told:
        survey(pretended(), source, ImportChoices())
    assert "Huntington" not in "".join(traceback.format_exception(told.value))


def test_what_a_cluster_cannot_do_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST", 1_000)
    source = folder(tmp_path / "source", people(3_000))
    surveyed = survey(pretended(), source, ImportChoices())
    assert surveyed.uncounted == ("id",)
    register = Register(tmp_path / "register")

    def asked(plan: Plan, **more: Any) -> Outcome:
        order = Order(surveyed.table, plan, tmp_path / "out", source=source)
        return publish(pretended(), surveyed, order, register=register, **more)

    plan = planned(surveyed)
    with pytest.raises(GateShut) as shut:
        asked(plan)  # with a recipe every amber line has to be accepted
    told = [line for line in _gate(asked, plan, shut.value) if line.name in ("persons", "register")]
    assert {line.light.value for line in told} == {"amber"}
    shown = dict(plan.roles) | {"id": plan.roles["sex"]}
    with pytest.raises(TooManyValues, match="“id” has more than"):
        asked(replace(plan, roles=shown))
    with pytest.raises(BadSetting, match="persons"):
        asked(replace(plan, persons=ByPerson("id", "record", "why not")))
    pq.write_table(people(3_000), tmp_path / "whole.parquet")
    whole = read(tmp_path / "whole.parquet").table
    options: dict[str, Any] = {"nsa": ("sex,age",), "drop": ("at",), "identifier": ("id",)}
    both = make_plan(whole, sensitive=(), together=("diagnosis,ward",), **options)[0]
    with pytest.raises(BadSetting, match="together"):
        asked(both)
    assert not (tmp_path / "out").exists()
    (source / "notes.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(BadFolder, match="several formats"):
        found(source, ImportChoices())
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFolder, match="no files"):
        found(tmp_path / "empty", ImportChoices())


def _gate(asked: Callable[..., Outcome], plan: Plan, shut: GateShut) -> Any:
    assert "--accept" in str(shut)
    outcome = asked(plan, strict=False)
    lines = outcome.gate.lines
    for path in outcome.opened.folder.iterdir():
        path.unlink()
    outcome.opened.folder.rmdir()
    return lines
