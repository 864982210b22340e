"""Columns that give a sensitive one away, by themselves and in pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core import table as tables
from splu_desktop.core.checks.gate import Light, table_lines
from splu_desktop.core.risk import giveaway
from splu_desktop.core.risk.giveaway import ALPHA, LIFT, SHARE, TELLING, _by_formulas, claims, cuts, giveaways
from splu_desktop.core.table import Column, Kind, Table
from tests.core.published_tables import table_of
from tests.core.tables import column, plan_for


def _numbers(name: str, values: np.ndarray) -> Column:
    known = np.unique(values)
    labels = np.array([f"{value:.6g}" for value in known], dtype=object)
    codes = np.searchsorted(known, values).astype(np.int32)
    return Column(name, Kind.DECIMAL, codes, labels, np.zeros(len(known), bool), known.astype(float))


def _surer(k: int, n: int, prior: float, surprise: float) -> bool:
    """Whether k of n other records make the claim, from the law as the module's words have it."""
    if k < TELLING * n or prior <= 0 or k / n <= prior:
        return False
    c, odds = k / n, prior / (1 - prior)
    if c < 1 and c / (1 - c) < LIFT * max(odds, odds**2):
        return False
    divergence = c * np.log(c / prior) + ((1 - c) * np.log((1 - c) / (1 - prior)) if c < 1 else 0.0)
    return bool(n * divergence >= surprise - 1e-9)


@given(
    st.integers(2, 6).flatmap(
        lambda most: st.lists(
            st.tuples(st.integers(0, most), st.booleans(), st.integers(0, 3)), min_size=20, max_size=120
        )
    )
)
def test_each_record_is_claimed_by_the_others_alone(rows: list[tuple[int, bool, int]]) -> None:
    """Claims counted by whole arrays are those of a loop that leaves each record out in turn."""
    cells = [cell for cell, _, _ in rows]
    secret = [cell % 4 if same else free for cell, same, free in rows]
    nsa, sa, n = column("nsa", cells), column("sa", secret), len(rows)
    found = claims(nsa.codes.__getitem__, nsa.m, sa, 1)
    right, wrong = np.zeros(sa.m, int), np.zeros(sa.m, int)
    surprise = np.log(nsa.m * sa.m / ALPHA)
    for i in range(n):
        others = [secret[j] for j in range(n) if j != i and cells[j] == cells[i]]
        everyone = [secret[j] for j in range(n) if j != i]
        for s in range(sa.m):
            if others and _surer(others.count(s), len(others), everyone.count(s) / (n - 1), surprise):
                (right if secret[i] == s else wrong)[s] += 1
    assert found.right.tolist() == right.tolist()
    assert found.wrong.tolist() == wrong.tolist()


def test_a_code_and_its_name_are_noticed_and_chance_is_not() -> None:
    rng = np.random.default_rng(2)
    code = rng.integers(0, 30, 4_000)
    nearly = np.where(rng.random(4_000) < 0.05, rng.integers(0, 30, 4_000), code)
    table = Table(
        (
            column("code", code),
            column("name", (code + 7) % 30),
            column("nearly", nearly),
            column("free", rng.integers(0, 5, 4_000)),
            column("key", rng.permutation(4_000)),
        )
    )
    found = giveaways(table, ["name", "nearly", "free", "key"], ["code"])
    assert [each.columns for each in found] == [("name",), ("nearly",)]
    assert found[0].told == found[0].bearers
    assert found[0].values == 30
    assert "“name” gives “code” away: it tells “" in found[0].sentence


def _laboratory(n: int = 20_000) -> Table:
    """A measured value, taken of one record in ten, that decides a test's result; the result is "none" in 90 %."""
    rng = np.random.default_rng(11)
    measured = rng.normal(6.5, 1.0, n)
    taken = rng.random(n) < 0.1
    result = np.where(~taken, 0, np.where(measured > 8, 3, np.where(measured > 7, 2, 1)))
    value = np.where(taken, measured.round(2), np.nan)
    known = np.unique(value[taken])
    codes = np.where(taken, np.searchsorted(known, value), len(known)).astype(np.int32)
    labels = np.array([*(f"{each:.2f}" for each in known), ""], dtype=object)
    missing = np.array([False] * len(known) + [True])
    laboratory = Column("HbA1c", Kind.DECIMAL, codes, labels, missing, np.append(known, np.nan))
    return Table(
        (laboratory, column("A1C", result, ["none", "normal", ">7", ">8"]), column("x", rng.integers(0, 9, n)))
    )


def test_a_number_that_decides_a_rare_result_is_noticed_where_one_value_fills_nine_tenths() -> None:
    table = _laboratory()
    rare = int(table["A1C"].counts()[3])
    found = giveaways(table, ["HbA1c", "x"], ["A1C"])
    assert [each.columns for each in found] == [("HbA1c",)]
    assert found[0].values >= 3
    single = next(iter(cuts(table["HbA1c"])))[0][table["HbA1c"].codes]
    told = claims(single.__getitem__, table["HbA1c"].m, table["A1C"], 1)
    assert told.right[3] < rare / 2, "value by value the numbers are too many to tell"
    best = max(
        int(claims(cells[table["HbA1c"].codes].__getitem__, count, table["A1C"], 10).right[3])
        for cells, count in cuts(table["HbA1c"])
    )
    assert best >= 0.9 * rare


@pytest.mark.parametrize("room", [1, 1 << 17])
def test_all_cuts_are_counted_as_each_by_itself(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    # One pass over the records serves all cuts of a column where memory has room for it; the counts are the same.
    monkeypatch.setattr(giveaway, "_COUNTED", room)
    monkeypatch.setattr(giveaway, "_MOST_COUNTED", room)
    table = _laboratory()
    nsa, sa = table["HbA1c"], table["A1C"]
    ways = tuple(cuts(nsa))
    assert len(ways) > 2
    for (labels, count), (said, met) in zip(ways, giveaway._all_met(nsa, sa, ways), strict=True):
        joint = np.zeros((count, sa.m), np.int64)
        np.add.at(joint, (labels[nsa.codes], sa.codes), 1)
        found = np.zeros(count * sa.m, np.int64)
        for pairs, k in met:
            found[pairs] += k
        assert said == count
        assert np.array_equal(found.reshape(joint.shape), joint)


def test_two_columns_that_tell_only_together_are_noticed() -> None:
    rng = np.random.default_rng(4)
    sex, procedure = rng.integers(0, 2, 8_000), rng.integers(0, 40, 8_000)
    secret = np.where((sex == 1) & (procedure < 2), 1, np.where(rng.random(8_000) < 0.4, 2, 0))
    names = ["sex", "procedure", "free"]
    table = Table(
        (
            column("sex", sex),
            column("procedure", procedure),
            column("free", rng.integers(0, 9, 8_000)),
            column("s", secret),
        )
    )
    found = giveaways(table, names, ["s"])
    assert [(each.columns, each.value) for each in found] == [(("sex", "procedure"), "v0001")]
    assert found[0].told == found[0].bearers == int((secret == 1).sum())
    assert "“sex” and “procedure” together give “s” away" in found[0].sentence
    exclusive = Table(
        (column("a", sex), column("b", rng.integers(0, 2, 8_000)), column("c", rng.integers(0, 2, 8_000)))
    )
    parity = column("s", exclusive["a"].codes ^ exclusive["b"].codes)
    assert giveaways(Table((*exclusive.columns, parity)), ["a", "b", "c"], ["s"])[0].columns == ("a", "b")


def _dates(name: str, days: np.ndarray) -> Column:
    return Column.from_labels(name, [str(np.datetime64("2024-01-01") + int(day)) for day in days], kind=Kind.DATE)


def _days_between(chance: np.random.Generator, n: int) -> list[Column]:
    came, stayed = chance.integers(0, 365, n), chance.geometric(0.2, n)
    return [_dates("came", came), _dates("left", came + stayed), column("s", np.minimum(stayed, 15))]


def _band_of_a_sum(chance: np.random.Generator, n: int) -> list[Column]:
    x, y = chance.integers(0, 50, n), chance.integers(0, 50, n)
    return [_numbers("x", x), _numbers("y", y), column("s", (x + y) // 20)]


def _body_mass(chance: np.random.Generator, n: int) -> list[Column]:
    high, heavy = chance.integers(150, 200, n), chance.integers(45, 130, n)
    return [
        _numbers("high", high),
        _numbers("heavy", heavy),
        column("s", np.digitize(heavy / (high / 100) ** 2, [25, 30])),
    ]


@pytest.mark.parametrize("made", [_days_between, _band_of_a_sum, _body_mass])
def test_two_numbers_or_dates_that_tell_only_together_are_noticed(
    made: Callable[[np.random.Generator, int], list[Column]],
) -> None:
    """No single pair of their values has records enough: their difference, their sum, or runs of both do."""
    chance = np.random.default_rng(12)
    table = Table((*made(chance, 4_000), _numbers("free", chance.integers(0, 90, 4_000))))
    *told, secret, free = table.names
    pairs = [each for each in giveaways(table, [*told, free], [secret]) if len(each.columns) == 2]
    assert [each.columns for each in pairs] == [tuple(told)]
    assert pairs[0].told > 0.8 * pairs[0].bearers


def test_records_without_a_number_are_no_neighbours_of_the_largest() -> None:
    chance = np.random.default_rng(13)
    x, y = chance.integers(0, 400, 4_000), chance.integers(0, 400, 4_000)
    lacks = chance.random(4_000) < 0.2
    labels = [str(k) for k in range(400)]
    first = Column.from_labels(
        "x", ["" if none else labels[at] for none, at in zip(lacks, x, strict=True)], kind=Kind.INTEGER
    )
    table = Table(
        (first, _numbers("y", y), column("s", np.where(~lacks & (x + y > 700), 1, chance.integers(2, 6, 4_000))))
    )
    (found,) = giveaways(table, ["x", "y"], ["s"])
    assert (found.columns, found.value) == (("x", "y"), "v0001")
    assert found.told > 0.8 * found.bearers


def test_a_text_of_every_record_that_begins_with_the_value_is_noticed() -> None:
    """No value of the column stands in two records, and its neighbours in the order of letters say all the same."""
    rng = np.random.default_rng(8)
    code = rng.integers(0, 20, 3_000)
    labels = sorted(f"E{each:02d}-{i:05d}" for i, each in enumerate(code))
    place = {label: at for at, label in enumerate(labels)}
    text = column("note", [place[f"E{each:02d}-{i:05d}"] for i, each in enumerate(code)], labels)
    found = giveaways(Table((text, column("s", code))), ["note"], ["s"])
    assert [each.columns for each in found] == [("note",)]
    assert found[0].values == 20


def test_false_alarms_are_as_rare_as_stated() -> None:
    """40 tables of columns that have nothing to do with each other: at 1 in 100 each, two or more are a 6 % event."""
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(40):
        n = int(rng.integers(30, 1_500))
        columns = [column(f"c{m}", rng.integers(0, m, n)) for m in (2, 5, 30, 200, n)]
        columns += [_numbers("number", rng.normal(size=n)), _numbers("other", rng.integers(0, 40, n))]
        secret = column("s", np.minimum(rng.geometric(rng.choice([0.02, 0.3, 0.9]), n), 40))
        named += bool(giveaways(Table((*columns, secret)), [each.name for each in columns], ["s"]))
    assert named <= 1


@pytest.mark.parametrize("frequent", [0.5, 0.9, 0.99])
def test_a_frequent_value_hides_no_rare_one(frequent: float) -> None:
    """Whatever one value fills: a column that tells the rare ones is named, one that tells nothing is not."""
    rng = np.random.default_rng(6)
    secret = np.where(rng.random(20_000) < frequent, 0, rng.integers(1, 4, 20_000))
    tells = np.where(secret == 0, rng.integers(0, 5, 20_000), secret + 5)
    table = Table((column("tells", tells), column("free", rng.integers(0, 7, 20_000)), column("s", secret)))
    assert [each.columns for each in giveaways(table, ["tells", "free"], ["s"])] == [("tells",)]
    assert giveaways(Table((column("a", np.arange(1_000) % 7), column("s", [0] * 900 + [1] * 100))), ["a"], ["s"]) == ()


@pytest.mark.parametrize("n", [4_000, 60_000])
@pytest.mark.parametrize(
    "relation", ["total", "part", "total with errors", "index", "class of the index", "above a sum"]
)
def test_formulas_of_several_columns_are_noticed(relation: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three parts tell their total, weight and height an index, whatever else there is; piece by piece, too."""
    monkeypatch.setattr(tables, "_COUNTED", 1 << 14)
    rng = np.random.default_rng(7)
    parts = [np.round(rng.gamma(2, 20, n), 1) for _ in range(8)]
    weight, height = np.round(rng.normal(75, 12, n), 1), np.round(rng.normal(1.7, 0.1, n), 2)
    total, index = parts[0] + parts[1] + parts[2], weight / height**2
    secret = {
        "total": total,
        "part": parts[0] - parts[1] - parts[2],
        "total with errors": total + np.where(rng.random(n) < 0.1, 7, 0),
        "index": index,
        "class of the index": np.digitize(index, [18.5, 25, 30]),
        "above a sum": total > 150,
    }[relation]
    names = [*(f"part {at}" for at in range(8)), "weight", "height"]
    nsas = [_numbers(name, values) for name, values in zip(names, [*parts, weight, height], strict=True)]
    table = Table((*nsas, _numbers("s", np.round(secret.astype(float), 1))))
    found = _by_formulas(table, names, {"s": np.zeros(table["s"].m, np.int64)})
    assert [each.columns for _, each in found] == [
        ("weight", "height") if "index" in relation else ("part 0", "part 1", "part 2")
    ]
    assert found[0][1].told >= (0.8 if "errors" in relation else 0.95) * found[0][1].bearers
    free = rng.integers(0, 30, n)
    assert not _by_formulas(Table((*nsas, _numbers("s", free))), names, {"s": np.zeros(30, np.int64)})


def _wide() -> Table:
    """40 columns and an SA of which three values are told by two columns together, each pair in another way."""
    rng = np.random.default_rng(14)
    n = 6_000
    free = [rng.integers(0, 2 + at, n) for at in range(40)]
    secret = rng.integers(3, 12, n)
    secret[(free[0] == 1) & (free[30] < 3)] = 0
    secret[(free[7] + free[38] > 40)] = 1
    secret[(free[5] == 2) & (free[20] == 11)] = 2
    columns = [(_numbers if at % 2 else column)(f"c{at}", values) for at, values in enumerate(free)]
    return Table((*columns, column("s", secret)))


def test_of_many_pairs_those_are_cut_that_explain_a_value_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 780 pairs at most 60 are cut, and what is named is what all of them would name; a sentence says so."""
    table = _wide()
    names = [f"c{at}" for at in range(40)]
    cut: list[int] = []
    screened = giveaway._screened

    def counted(table: Table, pairs: list[tuple[str, str]], *rest: Any) -> Any:
        cut.append(len(pairs))
        return screened(table, pairs, *rest)

    monkeypatch.setattr(giveaway, "_screened", counted)
    every = giveaways(table, names, ["s"])
    assert giveaway.looked_closely(table, names) is None
    monkeypatch.setattr(giveaway, "_CLOSELY", 60)
    assert giveaways(table, names, ["s"]) == every
    assert {each.columns for each in every} >= {("c0", "c30"), ("c5", "c20")}
    assert cut[0] == 780
    assert 0 < cut[1] <= 60
    said = str(giveaway.looked_closely(table, names))
    assert "Of the 780 pairs" in said
    lines = [str(line.sentence) for line in table_lines(table, plan_for(table, s=2)) if line.name == "giveaway"]
    assert lines[-1] == said


def test_a_share_below_the_tenth_is_not_named() -> None:
    secret = np.repeat([0, 1], [9_000, 1_000])
    for told, named in ((int(1_000 * SHARE) - 10, False), (int(1_000 * SHARE) + 10, True)):
        nsa = np.arange(10_000) % 20
        nsa[9_000 : 9_000 + told] = 20
        found = giveaways(Table((column("a", nsa), column("s", secret))), ["a"], ["s"])
        assert bool(found) is named


def test_the_gate_says_so() -> None:
    table = _laboratory()
    balanced = Table(
        (
            table["HbA1c"],
            table["x"],
            column(
                "s",
                np.where(
                    table["HbA1c"].missing[table["HbA1c"].codes],
                    np.arange(table.n) % 9,
                    9 + (table["HbA1c"].codes > 200),
                ),
            ),
        )
    )
    lines = [line for line in table_lines(balanced, plan_for(balanced, s=5)) if line.name == "giveaway"]
    assert [(line.light, line.column) for line in lines] == [(Light.AMBER, "HbA1c")]
    silent = balanced.select(["x", "s"])
    assert [line.light for line in table_lines(silent, plan_for(silent, s=5)) if line.name == "giveaway"] == [
        Light.GREEN
    ]


def _stays(n: int = 2_000) -> tuple[np.random.Generator, np.ndarray]:
    chance = np.random.default_rng(11)
    return chance, chance.choice(["P", "Q", "R"], n)


@pytest.mark.parametrize("form", ["{code}-{value}", "{code}{value}77", "{long}/{value}"])
def test_a_letter_anywhere_in_a_code_of_each_record_is_noticed(form: str) -> None:
    """Codes stood in the order of their letters alone, so that 4711-P and 0815-P were no neighbours."""
    chance, value = _stays()
    codes = chance.integers(1000, 9999, len(value))
    made: Any = [form.format(code=c, long=c * 10 ** (c % 3), value=v) for c, v in zip(codes, value, strict=True)]
    table = table_of({"lot": made, "sex": chance.choice(["f", "m"], len(value)), "s": value})
    assert [each.columns for each in giveaways(table, ["lot", "sex"], ["s"])] == [("lot",)]
    other = table_of({"lot": chance.permutation(made), "sex": chance.choice(["f", "m"], len(value)), "s": value})
    assert giveaways(other, ["lot", "sex"], ["s"]) == ()


def test_times_and_moments_tell_how_long_it_took() -> None:
    """08:30 is a text, and moments were cut by days alone."""
    chance, _ = _stays()
    start, took = chance.integers(0, 1_300, 2_000), chance.integers(1, 120, 2_000)
    long = np.where(took > 60, "y", "n")
    clock: dict[str, Any] = {
        name: [f"{t // 60:02}:{t % 60:02}" for t in at] for name, at in (("in", start), ("out", start + took))
    }
    day = np.datetime64("2024-01-01") + chance.integers(0, 300, 2_000)
    moment: dict[str, Any] = {
        name: (day + (at).astype("timedelta64[m]")).astype("datetime64[s]").astype(str)
        for name, at in (("in", start), ("out", start + took))
    }
    for columns, kinds in ((clock, {}), (moment, dict.fromkeys(("in", "out"), Kind.DATETIME))):
        (found,) = giveaways(table_of({**columns, "long": long}, kinds), ["in", "out"], ["long"])
        assert found.columns == ("in", "out")


def test_two_columns_of_many_texts_that_are_the_same_are_noticed() -> None:
    """A hospital where one was sent from and one where one was treated say who was moved."""
    chance, value = _stays()
    home = chance.integers(0, 1_500, len(value))
    there = np.where(value == "P", home, chance.integers(0, 1_500, len(value)))
    table = table_of({
        "home": np.char.add("h", home.astype(str)), "there": np.char.add("h", there.astype(str)), "s": value
    })  # fmt: skip
    (found,) = giveaways(table, ["home", "there"], ["s"])
    assert (found.columns, found.value) == (("home", "there"), "P")


_SPELLINGS: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "letters in front": (lambda at: f"{at:06}", lambda at: f"P-{at:06}"),
    "no noughts": (str, lambda at: f"P-{at:06}"),
    "case": (lambda at: f"Haus {_syllables(at)}", lambda at: f"HAUS {_syllables(at).upper()}"),
    "order": (lambda at: f"{_syllables(at)}, Anna", lambda at: f"Anna {_syllables(at)}"),
    "at the end": (lambda at: f"K{at:05}", lambda at: f"{at * 7919 % 89:02}K{at:05}"),
    "blanks": (lambda at: f"{at * 7919:08}", lambda at: f"{at * 7919:08}"[:4] + " " + f"{at * 7919:08}"[4:]),
}


def _syllables(at: int) -> str:
    return "".join("bdfgklmnprstvz"[at // 70**k % 14] + "aeiou"[at // 70**k // 14 % 5] for k in range(3))


@pytest.mark.parametrize("how", _SPELLINGS)
def test_the_same_thing_spelled_otherwise_is_the_same(how: str) -> None:
    """000012 and P-000012 name one home: who moved is told by whether they agree, however sorted."""
    chance, value = _stays()
    home = chance.permutation(1_500)[chance.integers(0, 1_500, len(value))]
    there = np.where(value == "P", home, chance.permutation(home))
    here, elsewhere = _SPELLINGS[how]
    columns: dict[str, Any] = {
        "home": [here(at) for at in home.tolist()],
        "there": [elsewhere(at) for at in there.tolist()],
    }
    (found,) = giveaways(table_of({**columns, "s": value}), ["home", "there"], ["s"])
    assert (found.columns, found.value) == (("home", "there"), "P")
    assert found.told >= 0.95 * np.count_nonzero(value == "P")
    columns["there"] = chance.permutation(columns["there"])
    assert giveaways(table_of({**columns, "s": value}), ["home", "there"], ["s"]) == ()


@pytest.mark.parametrize("form", ["%d%m%Y", "%Y%m%d", "%d.%m.%Y", "%m/%d/%Y", "%H%M", "%Hh%M"])
def test_days_and_times_that_were_read_as_texts_tell_how_long_it_took(form: str) -> None:
    chance, _ = _stays()
    unit = "m" if "H" in form else "D"
    start = np.datetime64("2024-01-01", unit) + chance.integers(0, 600 if unit == "D" else 1_200, 2_000)
    took = chance.integers(0, 60, 2_000)
    columns: dict[str, Any] = {
        name: [moment.strftime(form) for moment in at.astype("datetime64[s]").tolist()]
        for name, at in (("in", start), ("out", start + took))
    }
    (found,) = giveaways(table_of({**columns, "long": np.where(took > 30, "y", "n")}), ["in", "out"], ["long"])
    assert found.columns == ("in", "out")


def test_a_word_within_a_long_text_is_noticed() -> None:
    chance, value = _stays()
    number = chance.integers(0, 9_999, len(value))
    made: Any = [f"letter {n} on the patient, group {v} as said" for n, v in zip(number.tolist(), value, strict=True)]
    assert [each.column for each in giveaways(table_of({"x": made, "s": value}), ["x"], ["s"])] == ["x"]
    assert giveaways(table_of({"x": chance.permutation(made), "s": value}), ["x"], ["s"]) == ()
