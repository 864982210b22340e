"""The tier search agrees with a brute force over the same ladders, and blanking leaves nobody alone."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from splu_desktop.core.distinct import distinct_rows
from splu_desktop.core.errors import EmptyTable
from splu_desktop.core.generalise import Prefix
from splu_desktop.core.mechanism import Units
from splu_desktop.core.persons.blanking import Blanking, blank, find_leavers
from splu_desktop.core.risk.association import LINKED, MOST_BLOCKS, MOST_TOGETHER, association, group_columns
from splu_desktop.core.risk.ladders import ladder_of
from splu_desktop.core.risk.tiers import Candidate, Levels, TierSearch
from splu_desktop.core.table import Kind, Table
from tests.columns import column_of


def people(seed: int, n: int = 400, persons: int | None = None) -> tuple[Table, np.ndarray]:
    """Return invented records with ages, sexes, wards, days and postcodes, and the person of each."""
    chance = np.random.default_rng(seed)
    days = np.datetime64("2024-01-01") + chance.integers(0, 500, n)
    texts = {
        "age": (chance.integers(0, 100, n).astype(str), Kind.INTEGER),
        "sex": (chance.choice(["f", "m"], n), Kind.CATEGORY),
        "ward": (chance.choice(["A", "B", "C", "D"], n, p=[0.5, 0.3, 0.15, 0.05]), Kind.CATEGORY),
        "day": (days.astype(str), Kind.DATE),
        "postcode": (chance.choice(["10115", "10117", "20095", "20097", "80331"], n), Kind.CATEGORY),
    }
    table = Table(tuple(column_of(k, v.astype(object), kind=kind) for k, (v, kind) in texts.items()))
    owner = np.arange(n) if persons is None else np.unique(chance.integers(0, persons, n), return_inverse=True)[1]
    return table, owner


SUBJECTS = {"age": "age", "sex": "sex", "ward": "unit", "day": "date", "postcode": "place"}


def candidates(table: Table, asked: tuple[str, ...] = ("age", "sex")) -> list[Candidate]:
    return [
        Candidate(table[name], subject, tuple(ladder_of(table[name], subject, name in asked)), name in asked)
        for name, subject in SUBJECTS.items()
    ]


def share_alike(some: list[Candidate], levels: Levels, owner: np.ndarray, k: int) -> float:
    """The share of persons of whom every row is shared by k persons, counted by hand."""
    rows = list(
        zip(
            *(each.rungs[level].to[each.column.codes].tolist() for each, level in zip(some, levels, strict=True)),
            strict=True,
        )
    )
    who: dict[tuple[int, ...], set[int]] = {}
    for row, person in zip(rows, owner.tolist(), strict=True):
        who.setdefault(row, set()).add(person)
    alone = {person for row, person in zip(rows, owner.tolist(), strict=True) if len(who[row]) < k}
    return 1 - len(alone) / (owner.max() + 1)


@pytest.mark.parametrize(("seed", "persons", "k"), [(1, None, 3), (2, 150, 5), (3, None, 11)])
def test_search_and_brute_force_agree(seed: int, persons: int | None, k: int) -> None:
    table, owner = people(seed, persons=persons)
    some = candidates(table)
    search = TierSearch(some, owner, k, 0.95)
    found = search.mildest()
    every = list(itertools.product(*(range(len(each.rungs)) for each in some)))
    chance = np.random.default_rng(seed)
    for levels in [every[at] for at in chance.integers(0, len(every), 40)]:
        assert search.alike(levels) == pytest.approx(share_alike(some, levels, owner, k))
        # Most questions are answered by a part of the hashes, and as all leavers together answer them.
        rows = [each.rungs[level].to[each.column.codes] for each, level in zip(some, levels, strict=True)]
        leavers = find_leavers(distinct_rows(rows)[0].astype(np.int64), owner, int(owner.max()) + 1, k)
        assert search.holds(levels) == (1 - leavers.mean() >= 0.95)
    holding = [levels for levels in every if search.holds(levels)]
    assert (found is None) == (not holding)
    assert found is not None
    assert found in holding
    finer = [(*found[:at], level - 1, *found[at + 1 :]) for at, level in enumerate(found) if level]
    assert not any(search.holds(levels) for levels in finer), "no step can be undone"


def test_so_many_rows_and_persons_are_counted_that_their_product_is_a_long_number() -> None:
    table, owner = people(8, n=70_000, persons=70_000)
    some = candidates(table)
    search = TierSearch(some, owner, 3, 0.95)
    for levels in ((0,) * len(some), search.top(2), search.top(4), (0, 0, 0, 1, 0)):
        assert search.alike(levels) == pytest.approx(share_alike(some, levels, owner, 3))


def test_asked_columns_stay_longest_and_sex_is_never_merged() -> None:
    table, owner = people(4, n=120)
    some = candidates(table, asked=("sex",))
    search = TierSearch(some, owner, 11, 0.95)
    levels = search.mildest()
    assert levels is not None
    out = {each.name: each.rungs[level].steps is None for each, level in zip(some, levels, strict=True)}
    assert out["day"], "other columns go first"
    assert not out["sex"]
    assert len(some[1].rungs) == 2, "as it is, or left out"


@pytest.mark.parametrize("k", [15, 20, 40])
def test_of_two_columns_alike_the_one_that_a_table_counts_by_stays_finer(k: int) -> None:
    ages = np.random.default_rng(5).integers(0, 60, (2, 3_000)).astype(str).astype(object)
    columns = [column_of(name, each, kind=Kind.INTEGER) for name, each in zip("xy", ages, strict=True)]
    for asked in "xy":
        some = [Candidate(c, "age", tuple(ladder_of(c, "age", True)), c.name == asked) for c in columns]
        found = TierSearch(some, np.arange(3_000), k, 0.95).mildest()
        assert found is not None
        assert min(found) < max(found)
        assert "xy"[found.index(min(found))] == asked


def test_no_form_of_a_column_has_but_one_value() -> None:
    for some in ([], [""] * 40):  # whether anything is said at all is no form either
        units = column_of("ward", [*(f"ward {at % 90}" for at in range(900)), *some])
        assert [rung.steps for rung in ladder_of(units, "unit", asked=False)] == [(), None], "all would be others"


def test_codes_of_places_are_cut_to_their_first_digits_and_names_of_places_are_not() -> None:
    codes = column_of("postcode", [f"{at:05d}" for at in range(10_115, 99_999, 53)])
    assert [rung.steps for rung in ladder_of(codes, "place", asked=False)] == [
        (),
        *((Prefix(length=digits),) for digits in (3, 2, 1)),
        None,
    ]
    named = column_of("town", [f"{name}ville" for name in "ABCDEFGH" for _ in range(200)])
    assert [rung.steps for rung in ladder_of(named, "place", asked=False)] == [(), None]


def test_rare_values_are_joined_where_they_are_a_group_without_a_frequent_one() -> None:
    for rare, forms in (([10], [3]), ([10, 10], [4, 3])):
        kinds = np.repeat([f"kind {at}" for at in range(2 + len(rare))], [500, 300, *rare]).tolist()
        rungs = ladder_of(column_of("kind", kinds), "", asked=False)
        assert [rung.m for rung in rungs if rung.steps is not None] == forms


def test_a_column_is_left_out_after_all_its_forms_of_the_same_tier() -> None:
    days = np.datetime64("2020-01-01") + np.arange(0, 1500, 3)
    rungs = ladder_of(column_of("day", days.astype(str).tolist(), kind=Kind.DATE), "", asked=False)
    assert [(rung.tier, rung.m) for rung in rungs] == [(0, 50), (2, 17), (3, 5), (3, 1)], "months, quarters, years"


def test_too_few_persons_have_no_form() -> None:
    table, owner = people(5, n=8)
    assert TierSearch(candidates(table), owner, 11, 0.95).mildest() is None


@pytest.mark.parametrize("k", [2, 3, 5])
def test_who_leaves_is_who_stands_alone_among_all_that_are_left(k: int) -> None:
    left = 0
    for seed in range(30):
        chance = np.random.default_rng(seed)
        rows, owner = chance.geometric(0.08, 200), np.unique(chance.integers(0, 90, 200), return_inverse=True)[1]
        pairs = set(zip(rows.tolist(), owner.tolist(), strict=True))
        gone = set[int]()
        while True:
            there = {(row, person) for row, person in pairs if person not in gone}
            alone = {p for row, p in there if len({q for other, q in there if other == row}) < k}
            if not alone:
                break
            gone |= alone
        found = find_leavers(rows, owner, int(owner.max()) + 1, k)
        assert set(np.flatnonzero(found).tolist()) == gone
        left += len(set(owner.tolist()) - gone) * bool(gone)
    assert left > 0, "some leave, and some stay"


@pytest.mark.parametrize("persons", [None, 120])
def test_blanking_leaves_nobody_alone(persons: int | None) -> None:
    table, owner = people(6, n=300, persons=persons)
    coarse = table.select(["sex", "ward", "postcode"])
    how = Blanking(5, (("postcode",), ("ward",)))
    found = blank(coarse, how, coarse.names, owner)
    gone = found.blanked_persons + found.left_out
    assert blank(coarse, how, coarse.names, owner, most=gone).left_out == found.left_out
    for most in range(gone):  # whether it is known before all have left, or only then
        with pytest.raises(EmptyTable):
            blank(coarse, how, coarse.names, owner, most=most)
    rows = list(zip(*(found.table[name].codes[found.left].tolist() for name in coarse.names), strict=True))
    who: dict[tuple[int, ...], set[int]] = {}
    for row, person in zip(rows, owner[found.left].tolist(), strict=True):
        who.setdefault(row, set()).add(person)
    assert min(map(len, who.values())) >= 5
    assert found.left_out == len(set(owner.tolist()) - set(owner[found.left].tolist()))
    assert np.array_equal(found.table["sex"].codes, coarse["sex"].codes), "columns not named stay as they are"
    for name in ("ward", "postcode"):
        column, before = found.table[name], coarse[name]
        same = column.labels[column.codes] == before.labels[before.codes]
        assert column.missing[column.codes][~same].all(), "a cell is as it was, or empty"


@pytest.mark.parametrize("drawn", [False, True])
def test_who_loses_a_cell_is_like_those_who_never_had_it(drawn: bool) -> None:
    """Five have no day and one of the same ward a lone one: six alike, once that day is emptied, and nobody leaves."""
    days = ["2024-01-05"] * 60 + ["2024-03-09"] + [""] * 5
    columns = [column_of("day", days, kind=Kind.DATE), column_of("ward", ["A"] * 66)]
    classes = [] if drawn else None
    done = blank(Table(tuple(columns)), Blanking(5, (("day",), ("ward",))), ["day", "ward"], np.arange(66), classes)
    assert (done.left_out, done.blanked_persons, len(done.left)) == (0, 1, 66)
    assert not done.table["ward"].missing.any(), "the second group is not needed"


def test_columns_that_tell_each_other_are_in_one_block() -> None:
    chance = np.random.default_rng(7)
    base = chance.integers(0, 5, 2_000)
    noise = np.where(chance.random(2_000) < 0.6, base, chance.integers(0, 5, 2_000))
    free = [chance.integers(0, 4, 2_000) for _ in range(4)]
    names = ["x", "y", *(f"f{at}" for at in range(4))]
    table = Table(
        tuple(
            column_of(name, values.astype(str).astype(object))
            for name, values in zip(names, [base, noise, *free], strict=True)
        )
    )
    assert association(table["x"], table["y"]) > LINKED
    assert all(association(table[one], table[two]) < 0.1 for one in names[2:] for two in "xy"), "chance is taken off"
    blocks, out = group_columns(table, names, Units.of_records(table.n))
    assert len(blocks) <= MOST_BLOCKS
    assert any({"x", "y"} <= set(block) for block in blocks)
    assert sorted(name for block in (*blocks, out) for name in block) == sorted(names)


def test_what_another_column_tells_whole_takes_no_room_in_a_block() -> None:
    chance = np.random.default_rng(8)
    base = chance.integers(0, 12, 2_000)
    codes = {f"code {at}": np.where(chance.random(2_000) < 0.7, base, chance.integers(0, 12, 2_000)) for at in range(9)}
    texts = {name: [f"v{code}" for code in each] for name, each in codes.items()}
    texts |= {f"text of {name}": [f"chapter {code // 2}" for code in each] for name, each in codes.items()}
    table = Table(tuple(column_of(name, each) for name, each in texts.items()))
    blocks, out = group_columns(table, list(texts), Units.of_records(table.n))
    # Each beside its code adds no combination; a ninth code would, and its text then takes the room of none.
    assert out == ("code 8", "text of code 8")
    assert [len(block) for block in blocks] == [16]
    both = {tuple(row) for row in np.column_stack([table[name].codes for name in blocks[0]]).tolist()}
    assert len(both) == len({row[:MOST_TOGETHER] for row in both})


def test_what_stays_in_a_persons_rows_is_not_drawn_with_what_differs_from_row_to_row() -> None:
    chance = np.random.default_rng(9)
    owner = np.repeat(np.arange(400), 6)
    visits = {f"visit {at}": chance.integers(0, 4, len(owner)) for at in range(4)}
    chronic = {f"chronic {at}": chance.integers(0, 3, 400)[owner] for at in range(14)}
    table = Table(tuple(column_of(name, [f"v{code}" for code in each]) for name, each in (visits | chronic).items()))
    blocks, out = group_columns(table, [*visits, *chronic], Units.of_persons(owner))
    assert (len(blocks), out) == (MOST_BLOCKS, ())
    assert all(len({name.split()[0] for name in block}) == 1 for block in blocks), "else they widen each other's ranges"
    by_row, _ = group_columns(table, [*visits, *chronic], Units.of_records(table.n))
    assert any(len({name.split()[0] for name in block}) == 2 for block in by_row), "by row nothing stays"
    more = {f"chronic {at}": chance.integers(0, 3, 400)[owner] for at in range(14, 18)}
    table = replace(table, columns=(*table.columns, *(column_of(k, [f"v{c}" for c in v]) for k, v in more.items())))
    blocks, out = group_columns(table, [*visits, *chronic, *more], Units.of_persons(owner), ["chronic 17"])
    assert out == ("chronic 16",), "rather than that it widens what tables ask for; what somebody wants stays"
