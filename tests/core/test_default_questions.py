"""Where nobody names a table, those are asked that have cells of 50 and more, of what is no amount."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.audience import Audience
from splu_desktop.core.policy import USEFUL, propose
from splu_desktop.core.policy.defaults import default_questions
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.risk.cells import AskedCells
from splu_desktop.core.risk.ranking import rank_sensitive
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Kind, Table
from tests.columns import column_of

UNCHANGED = {"sex": "sex", "born": "age", "ward": "unit"}


def _stays(n: int, wards: int) -> Table:
    rng = np.random.default_rng(2)
    columns = {
        "sex": (rng.choice(["f", "m"], n), Kind.CATEGORY),
        "born": (rng.integers(1930, 2010, n).astype(str), Kind.INTEGER),
        "ward": (np.array([f"w{each}" for each in range(wards)])[rng.integers(0, wards, n)], Kind.CATEGORY),
        "severity": (rng.integers(0, 12, n).astype(str), Kind.INTEGER),
        "dx": (rng.choice(["I50", "J18", "E11", "S72"], n), Kind.CATEGORY),
        "died": (np.where(rng.random(n) < 0.03, "yes", "no"), Kind.CATEGORY),
    }
    return Table(tuple(column_of(name, list(cells), kind=kind) for name, (cells, kind) in columns.items()))


def _asked(n: int, wards: int) -> tuple[AskedTable, ...]:
    table = _stays(n, wards)
    public = {"died": ("no",)}
    return default_questions(table, rank_sensitive(table, ("severity", "dx", "died"), public), UNCHANGED, public)[0]


def test_diagnoses_come_before_amounts_and_rare_events_are_not_asked_for() -> None:
    assert [str(each) for each in _asked(2_000, 5)] == ["dx by sex, born", "dx by ward", "severity by sex"]


def test_a_unit_of_many_small_wards_is_not_asked_for() -> None:
    """Of 80 wards with 25 rows of each diagnosis no cell can be read, and their table would cost the ages' detail."""
    assert [str(each) for each in _asked(8_000, 80)] == ["dx by sex, born", "died=yes by born", "severity by sex, born"]


def test_findings_that_no_list_knows_come_before_amounts() -> None:
    """Who keeps a register of dementia asks for it rather than for weights, whether or not a list knows the word."""
    table = _stays(2_000, 5)
    assert rank_sensitive(table, ("severity", "dx"), {}, {"dx"}) == ["dx", "severity"]


@pytest.mark.parametrize(("numbers", "first"), [("0 2000 4000 6000", "event"), ("0.5 1 2", "event"), ("0 1 2 3", "n")])
def test_few_doses_are_amounts_and_few_grades_are_none(numbers: str, first: str) -> None:
    chance = np.random.default_rng(3)
    event, texts = (chance.choice(some.split(), 900) for some in ("none cramps nausea", numbers))
    table = Table((column_of("event", list(event)), column_of("n", texts.astype(object), kind=Kind.DECIMAL)))
    assert rank_sensitive(table, ("event", "n"), {}, {"event"})[0] == first


def test_a_diagnosis_of_many_values_keeps_its_room_before_amounts_and_rare_events() -> None:
    """None of 150 groups has the rows of two classes, and still the table is about them."""
    chance, n = np.random.default_rng(5), 1_200
    group = chance.integers(0, 150, n)
    cells = {
        "sex": chance.choice(["f", "m"], n),
        "drg": [f"DRG {100 + each}" for each in group],
        "severity": [str(1 + int(each) % 4) for each in group],
        "death": np.where(chance.random(n) < 0.04, "yes", "no"),
    }
    # Ten amounts follow from the group, which is more than a block has room for.
    amounts = {f"cost {at}": (group * 30 + chance.integers(0, 900, n)).astype(str) for at in range(10)}
    table = Table(
        (
            *(column_of(name, list(texts)) for name, texts in cells.items()),
            *(column_of(name, list(texts), kind=Kind.INTEGER) for name, texts in amounts.items()),
        )
    )
    assert rank_sensitive(table, tuple(cells)[1:] + tuple(amounts), {"death": ("no",)})[:2] == ["drg", "severity"]
    for who in ("colleague", "partner", "public"):
        found = propose(table, Audience(who), person=None)
        assert found.plan.roles["drg"] is Role.SA, who
        assert found.verdict.state == USEFUL


def test_items_of_a_questionnaire_leave_room_for_what_is_asked_once() -> None:
    chance, n = np.random.default_rng(8), 600
    trait = chance.normal(0, 1, n)
    items = {
        f"item {at}": np.clip(np.rint(1.2 + 0.8 * trait + chance.normal(0, 0.8, n)), 0, 3).astype(int).astype(str)
        for at in range(20)
    }
    cells = {
        "sex": chance.choice(["f", "m"], n),
        **items,
        "suicidal thoughts": np.where(trait + chance.normal(0, 0.7, n) > 2, "yes", "no"),
        "overall": np.clip(np.rint(7 + trait + chance.normal(0, 0.8, n)), 0, 10).astype(int).astype(str),
    }
    table = Table(tuple(column_of(name, list(texts)) for name, texts in cells.items()))
    ranked = rank_sensitive(table, tuple(cells)[1:], {"suicidal thoughts": ("no",)})
    assert {*ranked[:5]} >= {"suicidal thoughts", "overall"}
    for who in ("colleague", "partner", "public"):
        roles = propose(table, Audience(who), person=None).plan.roles
        assert roles["suicidal thoughts"] is roles["overall"] is Role.SA, who


def test_what_every_row_says_does_not_go_out_as_what_is_no_secret() -> None:
    """What most rows say is no secret, as no strength hides it; a column in which all say so is left out."""
    table = _stays(2_000, 5).select(["sex", "born", "dx"])
    table = Table((*table.columns, column_of("test", ["positive"] * table.n)))
    found = propose(table, Audience("partner"), person=None, roles={"test": Role.SA})
    assert found.plan.roles["test"] is Role.DROPPED
    assert found.verdict.state == USEFUL


def test_of_columns_with_the_same_answers_three_keep_their_place() -> None:
    chance = np.random.default_rng(3)
    items = {f"item {at}": chance.choice(["never", "seldom", "often"], 600) for at in range(4)}
    amounts = {"weight": chance.normal(70, 9, 600).round(1).astype(str)}
    table = Table(
        (
            *(column_of(name, texts.tolist()) for name, texts in items.items()),
            *(column_of(name, texts.tolist(), kind=Kind.DECIMAL) for name, texts in amounts.items()),
        )
    )
    ranked = rank_sensitive(table, (*items, *amounts), {})
    assert ranked.index("weight") == 3, "before the fourth item, though an amount"


def test_a_table_is_asked_for_where_half_of_what_it_counts_lies_in_large_cells() -> None:
    for large, asked in ((0.35, "dx"), (0.65, "dx by ward")):
        sizes = [*[int(8_000 * large / 4)] * 4, *[80] * int(8_000 * (1 - large) / 80)]
        ward = np.repeat([f"w{at}" for at in range(len(sizes))], sizes).tolist()
        table = Table((column_of("ward", ward), column_of("dx", ["x", "y"] * (len(ward) // 2))))
        assert str(default_questions(table, ["dx"], {"ward": "unit"}, {})[0][0]) == asked


def test_what_a_table_is_about_is_asked_for_in_totals_where_it_has_no_large_cells_by_persons() -> None:
    """A register of thirty diagnoses is asked for them, beside what is told by sex and age."""
    table, rng = _stays(1_500, 5), np.random.default_rng(6)
    column = column_of("cause", [f"{'ABCDEFGHIJ'[each % 10]}{each:02d}" for each in rng.integers(0, 25, table.n)])
    table = Table((*table.columns, column))
    ranked = rank_sensitive(table, ("dx", "severity", "died", "cause"), {"died": ("no",)})
    assert ranked[0] == "cause"
    asked = [str(each) for each in default_questions(table, ranked, UNCHANGED, {"died": ("no",)})[0]]
    assert asked == ["dx by sex, born", "dx by ward", "cause"]
    # Totals are the same in every form, so they make no other table coarser.
    found = AskedCells(table, [AskedTable("cause", None, ())], [], {})
    assert found.reach({}, 2.0)[0] == 1.0


def test_a_code_beside_its_description_is_asked_for_once() -> None:
    table = _stays(2_000, 5)
    words = {"I50": "Heart failure", "J18": "Pneumonia", "E11": "Diabetes", "S72": "Hip fracture"}
    described = [words[each] for each in table["dx"].labels[table["dx"].codes]]
    both = Table((*table.columns, column_of("described", described)))
    ranked = rank_sensitive(both, ("severity", "dx", "described"), {})
    assert {*ranked[:2]} == {"dx", "described"}
    asked = [each.sa for each in default_questions(both, ranked, UNCHANGED, {})[0]]
    assert asked == [ranked[0], ranked[0], "severity"]


def test_with_many_rows_all_are_asked_for() -> None:
    assert [str(each) for each in _asked(40_000, 5)] == ["dx by sex, born", "dx by ward", "died=yes by sex, born"]


def test_with_few_rows_fewer_columns_count_them() -> None:
    assert [str(each) for each in _asked(900, 90)] == ["dx by sex"]
    assert [str(each) for each in _asked(240, 90)] == ["dx"]
    assert [str(each) for each in _asked(150, 90)] == ["dx by sex, born"]  # too small whatever is asked


def test_absence_is_no_value_that_is_counted_alone() -> None:
    """Most have the fever, so that only having none is secret; the table counts both."""
    table = Table((column_of("fever", ["yes", "yes", "no"] * 300), _stays(900, 5)["sex"]))
    found = default_questions(table, ("fever",), {"sex": "sex"}, {"fever": ("yes",)})[0]
    assert [str(each) for each in found] == ["fever by sex"]


def test_what_is_nearly_nobodys_is_not_published() -> None:
    rng = np.random.default_rng(4)
    cells = {
        "spol": rng.choice(["k", "m"], 1_500),
        "prezime": np.array([f"Wisn{each} Kowal{each}" for each in range(700)])[rng.integers(0, 700, 1_500)],
        "dijagnoza": rng.choice(["gripa", "astma", "upala"], 1_500),
    }
    table = Table(tuple(column_of(name, texts.tolist()) for name, texts in cells.items()))
    plan = propose(table, person=None).plan
    assert plan.roles["prezime"] is Role.DROPPED
    assert plan.roles["dijagnoza"] is Role.SA
    kept = propose(table, person=None, roles={"prezime": Role.SA}).plan
    assert kept.roles["prezime"] is Role.SA  # where somebody says so
